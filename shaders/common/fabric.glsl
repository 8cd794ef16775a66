// Slope of the fabric, too fine for geometry: threads, stitches, ribs, grain. Included if a program has FABRIC.
//
// A tile of slopes along its width and height, repeated. Its mean is 0 and its mip levels are means, so that it fades
// if a pixel holds more than a texel.
uniform sampler2D fabric;
uniform float fabric_size;  // mesh units

in vec2 tile;               // place on the fabric, mesh units

// As a gradient in space along a surface with this unit normal (Mikkelsen 2010, bump mapping without tangents).
vec3 fabric_gradient(vec3 position, vec3 normal) {
    vec3 dx = dFdx(position), dy = dFdy(position);
    vec2 tile_dx = dFdx(tile), tile_dy = dFdy(tile);
    vec3 across = cross(dy, normal), along = cross(normal, dx);
    float area = dot(dx, across);
    vec2 slopes = texture(fabric, tile / fabric_size).xy;
    vec3 gradient = across * dot(tile_dx, slopes) + along * dot(tile_dy, slopes);
    return abs(area) > 1e-30 ? gradient / area : vec3(0.0);
}
