// Limits heights by the mask of the mesh and by the free space ("room") before the next layer of cloth. Crowding is the
// inverse of this space. The same computation as apply_mask, apply_room and slope_of (cpp/src/surface/surface.cpp);
// formula: cpp/src/surface/room.h.
#include "common/height_sample.glsl"

// Returns the gradient, over a flat triangle, of the linear function with the given values at its corners.
//
// first, second  edges from corner 0 to corners 1 and 2
vec3 slope_over(vec3 first, vec3 second, vec3 values) {
    vec3 across = cross(first, second);
    float square = dot(across, across);
    vec3 rise = (values.y - values.x) * cross(second, across) + (values.z - values.x) * cross(across, first);
    return square > 0.0 ? rise / square : vec3(0.0);
}

// Returns a height that ends before the next layer of cloth.
//
// crowding  along the normal and against it, 1 / mesh units
// outside, inside  gradients of both numbers over the flat triangle
HeightSample within_room(HeightSample own, vec2 crowding, vec3 outside, vec3 inside) {
    float side = own.height > 0.0 ? 1.0 : -1.0;
    float most = own.height > 0.0 ? crowding.x : crowding.y;
    vec3 slope = own.height > 0.0 ? outside : inside;
    float filled = abs(own.height) * most;
    if (filled <= 0.5) {
        return own;
    }
    float rest = 0.25 / filled;
    float room = side / most;
    return HeightSample((1.0 - rest) * room, rest / filled * own.gradient + (2.0 * rest - 1.0) * room / most * slope);
}

// limit   mask in [0, 1]; crowding (inverse of the room) along the normal and against it, 1 / mesh units
// slopes  their gradients over the flat triangle, one in each column
HeightSample limited(HeightSample whole, vec3 limit, mat3 slopes) {
    HeightSample own = HeightSample(limit.x * whole.height, limit.x * whole.gradient + whole.height * slopes[0]);
    return within_room(own, limit.yz, slopes[1], slopes[2]);
}
