// Limits heights by the mask of the mesh and by the free space ("room") before the next layer of cloth. The same
// computation as apply_mask and apply_room (cpp/src/surface/surface.cpp); formula of the room: cpp/src/surface/room.h.
#include "common/height_sample.glsl"

// limit   mask in [0, 1]; crowding (inverse of the room) along the normal and against it, 1 / mesh units
HeightSample limited(HeightSample whole, vec3 limit, mat3 slopes) {
    HeightSample own = HeightSample(limit.x * whole.height, limit.x * whole.gradient + whole.height * slopes[0]);
    bool is_outside = own.height > 0.0;
    float crowding = is_outside ? limit.y : limit.z;
    float use = abs(own.height) * crowding;
    if (use <= 0.5) {
        return own;
    }
    vec3 slope = is_outside ? slopes[1] : slopes[2];
    float rest = 0.25 / use, room = (is_outside ? 1.0 : -1.0) / crowding;
    return HeightSample((1.0 - rest) * room, rest / use * own.gradient + (2.0 * rest - 1.0) * room / crowding * slope);
}
