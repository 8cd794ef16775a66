// Fabric detail that is too fine for geometry: threads, stitches, ribs, grain. Included in programs with FABRIC.
//
// The texture is a tile that repeats: slopes along its width and height, brightness, squared slope. Mip levels are
// means. If a pixel covers more than a texel, slopes and brightness fade to their means, and the squared slope becomes
// roughness.
uniform sampler2D fabric;
uniform float fabric_size;  // width of the tile on the cloth, mesh units
uniform bool is_woven_across; // true: threads run along the tile's width; false: along its height

#ifdef SEWN
#include "common/sewing.glsl"
#endif

// Mip bias, so that threads fade before they are as fine as pixels. Smaller: moiré. Larger: threads are blurred.
const float BLUR = 1.6;

#ifndef HEM
in vec2 tile;               // position on the fabric, mesh units
#endif

struct FabricPoint {
    vec3 gradient;     // gradient of the height, along the surface
    vec3 along;        // unit direction of the threads, or 0
    float brightness;  // factor of the cloth's colour, with mean 1
    float variance;    // variance of the slopes within a pixel
#ifdef SEWN
    SewnPoint sewn;
#endif
};

// Returns the fabric at this fragment. Converts slopes on the tile to gradients in space like Mikkelsen 2010 (bump
// mapping without tangents).
FabricPoint fabric_here(vec3 position, vec3 normal) {
    vec3 dx = dFdx(position), dy = dFdy(position);
    vec2 tile_dx = dFdx(tile), tile_dy = dFdy(tile);
    vec3 across = cross(dy, normal), along = cross(normal, dx);
    float area = dot(dx, across);
    vec4 texel = texture(fabric, tile / fabric_size, BLUR);
    vec3 wide = across * tile_dx.x + along * tile_dy.x, high = across * tile_dx.y + along * tile_dy.y;
    FabricPoint found = FabricPoint(vec3(0.0), vec3(0.0), 1.0, 0.0
#ifdef SEWN
        , sewn_here(tile, sqrt(0.5 * (dot(tile_dx, tile_dx) + dot(tile_dy, tile_dy))))
#endif
    );
    if (abs(area) <= 1e-30) {
        return found;
    }
    // both directions are derived from the tile's height axis, which does not change at seams between projections
    vec3 threads = is_woven_across ? cross(normal, high) : high - dot(high, normal) * normal;
    float size = length(threads);
    vec2 slope = texel.xy;
#ifdef SEWN
    slope = mix(slope, vec2(0.0), found.sewn.button) + found.sewn.slope;
#endif
    found.gradient = (wide * slope.x + high * slope.y) / area;
    found.along = size > 0.0 ? threads / size : vec3(0.0);
    found.brightness = texel.z;
    found.variance = max(texel.w - dot(texel.xy, texel.xy), 0.0);
    return found;
}
