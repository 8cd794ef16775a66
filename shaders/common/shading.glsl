// Height, unit normal and slope of the cloth at a fragment. Include common/scene.glsl and common/surface_in.glsl first.
#include "common/height_limit.glsl"
#include "common/heights.glsl"

// A back-facing triangle is treated as the outside if the cosine between the smooth normal and the direction to the eye
// is above -EDGE_ON. Drivers round corners, which can flip triangles that are seen edge-on. Larger: insides near
// outlines are as bright as outsides.
const float EDGE_ON = 0.1;

bool seen_from_outside() {
#ifdef HEM
    return true;
#else
    vec3 toward_eye = eye_ws.xyz - position_ws;
    return gl_FrontFacing || dot(normal_ws, toward_eye) > -EDGE_ON * length(normal_ws) * length(toward_eye);
#endif
}

struct Surface {
    vec3 normal_ws;  // unit, with wrinkles, on the visible side
    float height;    // mesh units
    float steepness; // slope of the heights, 0 if unknown
};

#ifdef HEM
Surface surface_here() {
    return Surface(normalize(normal_ws), 0.0, 0.0);
}
#else
Surface surface_here() {
    HeightSample given = HeightSample(given_height, given_gradient);
    CoarsePoint here = CoarsePoint(at_rest, normal_at_rest, carrier, barycentric, patch_entry);
    HeightSample found = layer_heights(here, FOOTPRINT(barycentric), given);
#ifdef LIMITS
    found = limited(found, limit, limit_slopes);
#endif
    vec3 slope = bump * found.gradient;
    float steepness = length(slope);
    vec3 normal = raised_normal(normalize(normal_ws), slope);
    if (faceted > 0.5) {
        // normal of the fine triangle, towards the viewer
        vec3 facet = normalize(cross(dFdx(position_ws), dFdy(position_ws)));
        return Surface(facet, found.height, 0.0);
    }
    return Surface(seen_from_outside() ? normal : -normal, found.height, steepness);
}
#endif
