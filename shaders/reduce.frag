// Writes the mean of two by two pixels: anti-aliasing for software drivers, on which multisampling takes twice as long.
uniform sampler2D large_picture;

out vec4 color;

void main() {
    ivec2 corner = 2 * ivec2(gl_FragCoord.xy);
    color = 0.25 * (texelFetch(large_picture, corner, 0) + texelFetch(large_picture, corner + ivec2(1, 0), 0) +
                    texelFetch(large_picture, corner + ivec2(0, 1), 0) + texelFetch(large_picture, corner + ivec2(1, 1), 0));
}
