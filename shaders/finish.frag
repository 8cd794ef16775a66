// Computes the finished picture: light with its occlusion, in front of the studio's backdrop, after a filmic tone
// curve, in sRGB.
//
// Reads   the samples of each pixel, `scale` along each side: light of the key light and of the studio, or finished
//         colours
// Writes  sRGB, the mean of the samples
//
// The alpha of a sample is its kind: 0 background, LIGHT (studio.frag) linear light, 1 a finished sRGB colour.
uniform sampler2D direct;
uniform sampler2D ambient;
uniform sampler2D depths;
uniform sampler2D occlusion;
uniform sampler2D floor_map;
uniform int scale;
uniform vec2 planes;              // distances of the near and far plane, mesh units
uniform float occluded;           // strength of the occlusion
uniform vec3 background;          // colour of the backdrop, sRGB
uniform bool has_floor;
uniform mat4 floor_from_clip;     // converts the place on the far plane to the floor map, see backdrop
uniform vec4 floor_eye;           // position of the eye in the floor map: uv, height over the floor in map units
uniform vec4 floor_light;         // x, y: darkness of the key light's shadow and of the sky's shadow; z, w: not used
uniform ivec2 corner;             // lower left corner of the picture in its framebuffer, pixels

layout(location = 0) out vec4 color;

// Converts linear light to sRGB (IEC 61966-2-1), with square roots only. The error is at most half an eight-bit code.
vec3 encoded(vec3 linear) {
    vec3 r2 = sqrt(linear), r4 = sqrt(r2), r8 = sqrt(r4);
    return max(0.585122381 * r2 + 0.783140355 * r4 - 0.368262736 * r8, vec3(0.0));
}

// Tone curve like that of film: low slope in the shadows, a straight part through middle grey, and a shoulder that
// reaches white at a light of 8.
const float CONTRAST = 1.22, HALF_RESPONSE = 0.62, WHITE = 1.05;

// Share of the original hue in the result. The rest is the response of each colour channel alone, which bleaches the
// colours of strong light, as film does.
const float KEPT_COLOR = 0.45;

vec3 filmed(vec3 light) {
    float luminance = max(dot(light, vec3(0.2126, 0.7152, 0.0722)), 1e-6);
    vec4 response = pow(max(vec4(light, luminance), 1e-6), vec4(CONTRAST));
    response *= WHITE / (response + HALF_RESPONSE);
    return clamp(mix(response.rgb, light * (response.a / luminance), KEPT_COLOR), 0.0, 1.0);
}

// Returns the open share of the sky at a sample: a mean over the four nearest pixels of the occlusion, mainly those at
// the depth of the sample.
float open_sky(ivec2 sample_at) {
    vec2 place = (vec2(sample_at) + 0.5) / float(scale) - 0.5;
    float depth = texelFetch(depths, sample_at, 0).x;
    depth = planes.x * planes.y / (planes.y - depth * (planes.y - planes.x));
    ivec2 low = ivec2(floor(place)), last = textureSize(occlusion, 0) - 1;
    vec2 after = place - vec2(low), sum = vec2(0.0);
    for (int k = 0; k < 4; ++k) {
        ivec2 off = ivec2(k & 1, k >> 1);
        vec2 there = texelFetch(occlusion, clamp(low + off, ivec2(0), last), 0).xy;
        vec2 near = mix(1.0 - after, after, vec2(off));
        float weight = (near.x * near.y + 0.01) / (abs(there.y - depth) + 0.002 * depth);
        sum += weight * vec2(there.x, 1.0);
    }
    return sum.x / sum.y;
}

// Returns the factor of the sky's light in a hollow, per colour. Coloured walls reflect light, unlike black walls.
vec3 interreflected(float open, vec3 light) {
    vec3 own = 0.6 * light / max(max(light.r, max(light.g, light.b)), 1e-6);
    return open / (1.0 - own * (1.0 - open));
}

// Mip level of the floor map for the sky's shadow.
const float SKY_BLUR = 2.5;

vec3 backdrop() {
    vec2 size = vec2(textureSize(direct, 0) / scale), at = 2.0 * (gl_FragCoord.xy - vec2(corner)) / size - 1.0;
    if (!has_floor) {
        return background;
    }
    // the wall is brighter in the middle of the picture
    float vignette = 1.0 - 0.10 * dot(at, at);
    vec4 ray = floor_from_clip * vec4(at, 1.0, 1.0);
    vec3 beyond = ray.xyz / ray.w - floor_eye.xyz;
    float shade = 1.0;
    if (beyond.z < 0.0) {
        vec2 place = floor_eye.xy - beyond.xy * (floor_eye.z / beyond.z);
        float far = length(place - 0.5) * 2.0;
        if (far < 1.0) {
            vec2 arriving = vec2(textureLod(floor_map, place, 0.0).x, textureLod(floor_map, place, SKY_BLUR).y);
            float strength = 1.0 - smoothstep(0.55, 1.0, far);
            shade = 1.0 - strength * (floor_light.x * (1.0 - arriving.x) + floor_light.y * (1.0 - arriving.y));
        }
    }
    vec3 linear = background * (background * (background * 0.305306011 + 0.682171111) + 0.012522878);
    return encoded(linear * vignette * shade);
}

void main() {
    ivec2 first = scale * (ivec2(gl_FragCoord.xy) - corner);
    vec3 sum = vec3(0.0), behind = vec3(-1.0);
    for (int k = 0; k < scale * scale; ++k) {
        ivec2 at = first + ivec2(k % scale, k / scale);
        vec4 light = texelFetch(direct, at, 0);
        if (light.a < 0.25) {
            behind = behind.x < 0.0 ? backdrop() : behind;
            sum += behind;
        } else if (light.a > 0.75) {
            sum += light.rgb;
        } else {
            vec3 around = texelFetch(ambient, at, 0).rgb;
            float open = mix(1.0, open_sky(at), occluded);
            // the open share is squared, because objects beyond the reach of the occlusion also hide the sky
            sum += encoded(filmed(mix(1.0, open, 0.4) * light.rgb + around * interreflected(open * open, around)));
        }
    }
    // adds noise of half an 8-bit code, so that gradients of the backdrop do not show bands
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    color = vec4(sum / float(scale * scale) + (behind.x < 0.0 || !has_floor ? 0.0 : noise / 255.0), 1.0);
}
