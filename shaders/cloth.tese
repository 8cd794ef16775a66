// A fine vertex: the smooth cloth under the wrinkles, raised by their height along its normal (thesis section 7).
//
// Reads   corner_*: world space, mesh units
// Writes  the inputs of every fragment shader
//
//     p = Σ b_i P_i            N = Σ b_i N_i
//     q = p + 3/4 Σ b_i s_i ((P_i - p)·N_i) N_i   Phong tessellation, Boubekeur & Alexa 2008, equation (6)
//     q + h(p) N / |N|
// The roundness s_i of a corner is 0 at folds, so that the two layers of a hem do not pierce each other.
// Departs from the paper: along the interpolated normal; the triangle's own would tear the surface at its edges.
//
// `precise` keeps the two triangles of an edge from rounding differently, and equal spacing is what llvmpipe draws
// without holes. A corner's weight on the opposite edge is exactly 0, and the sum of the other two commutes.
#include "common/scene.glsl"
#include "common/tables.glsl"
#include "common/wrinkles.glsl"
#include "common/setback.glsl"
layout(triangles, equal_spacing, ccw) in;

in vec3 corner_position_ws[];
in vec3 corner_normal_ws[];
in vec3 corner_shading_ws[];
in float corner_roundness[];
in vec2 corner_place[];
patch in ivec3 shared_entry;

out vec3 flat_ws;
out vec3 place_ws;
out vec3 normal_ws;
out vec2 texture_place;
flat out ivec3 patch_entry;

void main() {
    precise vec3 b = gl_TessCoord;
    precise vec3 p = b.x * corner_position_ws[0] + b.y * corner_position_ws[1] + b.z * corner_position_ws[2];
    precise vec3 normal = b.x * corner_normal_ws[0] + b.y * corner_normal_ws[1] + b.z * corner_normal_ws[2];
    precise vec3 bulge = vec3(0.0);
    precise vec3 bulges[3];
    for (int i = 0; i < 3; ++i) {
        precise float above = dot(corner_position_ws[i] - p, corner_normal_ws[i]);
        bulges[i] = (b[i] * corner_roundness[i]) * (above * corner_normal_ws[i]);
    }
    bulge = bulges[0] + bulges[1] + bulges[2];
    precise float normal_size = length(normal);
    precise float height = displacement * wrinkle_relief(p, shared_entry.xy).height;
    precise vec3 place = p + curvature * bulge + (normal_size > 0.0 ? height / normal_size : 0.0) * normal;
    flat_ws = p;
    place_ws = place;
    normal_ws = b.x * corner_shading_ws[0] + b.y * corner_shading_ws[1] + b.z * corner_shading_ws[2];
    texture_place = b.x * corner_place[0] + b.y * corner_place[1] + b.z * corner_place[2];
    patch_entry = shared_entry;
    gl_Position = set_back(place, normal_size > 0.0 ? setback_of(place, normal / normal_size) : 0.0);
}
