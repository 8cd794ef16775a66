// The cloth's surface at a fragment: its height and unit normal. Needs scene and surface_in.
#include "common/heights.glsl"
#ifdef FABRIC
#include "common/fabric.glsl"
#endif

struct Surface {
    vec3 normal_ws;  // unit, with wrinkles, on the side that is seen
    float height;    // mesh units
    float steepness; // of the wrinkles
};

Surface surface_here() {
    HeightSample given = HeightSample(given_height, given_gradient);
    CoarsePoint here = CoarsePoint(at_rest, carrier, barycentric, patch_entry);
    HeightSample found = layer_heights(here, FOOTPRINT(barycentric), given);
    vec3 slope = bump * found.gradient;
    float steepness = length(slope);
    vec3 normal = raised_normal(normalize(normal_ws), slope);
#ifdef FABRIC
    normal = raised_normal(normal, fabric_gradient(position_ws, normal));
#endif
    if (faceted > 0.5) {
        vec3 facet = normalize(cross(dFdx(position_ws), dFdy(position_ws)));  // toward the viewer
        return Surface(facet, found.height, 0.0);
    }
    return Surface(gl_FrontFacing ? normal : -normal, found.height, steepness);
}
