// Computes a fine vertex: the smooth cloth, displaced along its normal by the height of the layers (thesis section 7).
//
// Reads   corner_*: world space, mesh units
// Writes  the inputs of every fragment shader
//
//     p = Σ b_i P_i            N = Σ b_i N_i
//     q = p + Σ b_i b_j w_ij   Phong tessellation, Boubekeur & Alexa 2008, with the bulges w of the sides; under
//                              wrinkles, bulges also remove the kinks of folds at coarse edges (cpp/src/surface/base.h)
//     q + h N / |N|            h: height of the layers at the same point of the cloth at rest
// Departs from the paper: displaces along the interpolated normal, because the triangle's own normal would tear the
// surface at its edges.
//
// `precise` makes both triangles of an edge round in the same way. There, the weight of the opposite corner is exactly
// 0, and the sum of the two remaining terms does not depend on their order. With equal spacing, llvmpipe draws surfaces
// without holes.
#include "common/scene.glsl"
#include "common/heights.glsl"
#include "common/depth_bias.glsl"
layout(triangles, equal_spacing, ccw) in;
uniform float depth_bias;        // mesh units, added to the depth of a body

in vec3 corner_position_ws[];
in vec3 corner_normal_ws[];
in vec3 corner_shading_ws[];
in vec2 corner_uv[];
#ifdef COLORS
in vec4 corner_color_in[];
out vec4 face_color;
#endif
#ifdef FABRIC
in vec2 corner_tile_in[];
out vec2 tile;
#endif
#ifdef HEM
patch in int patch_open_sides;
flat out int hem_sides;
#endif
#ifdef LIMITS
#include "common/height_limit.glsl"
in vec3 corner_limit_in[];
patch in mat3 shared_limit_slopes;
out vec3 limit;
out mat3 limit_slopes;
#endif
in vec3 corner_rest[];
in vec3 corner_rest_normal[];
in mat3 corner_carrier[];
patch in vec3 first_bulge;
patch in vec3 second_bulge;
patch in vec3 third_bulge;
patch in ivec3 shared_entry;

out vec3 flat_ws;
out vec3 at_rest;
out vec3 normal_at_rest;
out mat3 carrier;
out vec3 barycentric;
out vec3 position_ws;
out vec3 normal_ws;
out vec2 uv;
flat out ivec3 patch_entry;
out float given_height;
out vec3 given_gradient;

void main() {
    precise vec3 b = gl_TessCoord;
    precise vec3 p = b.x * corner_position_ws[0] + b.y * corner_position_ws[1] + b.z * corner_position_ws[2];
    precise vec3 normal = b.x * corner_normal_ws[0] + b.y * corner_normal_ws[1] + b.z * corner_normal_ws[2];
    precise vec3 bulge = (b.x * b.y) * first_bulge + (b.y * b.z) * second_bulge + (b.z * b.x) * third_bulge;
    precise float normal_size = length(normal);
    precise vec3 rest = b.x * corner_rest[0] + b.y * corner_rest[1] + b.z * corner_rest[2];
    precise vec3 rest_normal = b.x * corner_rest_normal[0] + b.y * corner_rest_normal[1] + b.z * corner_rest_normal[2];
    CoarsePoint here = CoarsePoint(rest, rest_normal, mat3(0.0), b, shared_entry);
    precise float height = layer_heights(here, 0.0, NO_HEIGHT).height;
#ifdef LIMITS
    precise vec3 limit_here = b.x * corner_limit_in[0] + b.y * corner_limit_in[1] + b.z * corner_limit_in[2];
    height = limited(HeightSample(height, vec3(0.0)), limit_here, mat3(0.0)).height;
    limit = limit_here;
    limit_slopes = shared_limit_slopes;
#endif
    height *= displacement;
    precise vec3 position = p + bulging * bulge + (normal_size > 0.0 ? height / normal_size : 0.0) * normal;
    flat_ws = p;
    at_rest = rest;
    normal_at_rest = rest_normal;
    barycentric = b;
    carrier = b.x * corner_carrier[0] + b.y * corner_carrier[1] + b.z * corner_carrier[2];
    position_ws = position;
    normal_ws = b.x * corner_shading_ws[0] + b.y * corner_shading_ws[1] + b.z * corner_shading_ws[2];
#ifdef COLORS
    face_color = b.x * corner_color_in[0] + b.y * corner_color_in[1] + b.z * corner_color_in[2];
#endif
#ifdef FABRIC
    tile = b.x * corner_tile_in[0] + b.y * corner_tile_in[1] + b.z * corner_tile_in[2];
#endif
    uv = b.x * corner_uv[0] + b.y * corner_uv[1] + b.z * corner_uv[2];
    patch_entry = shared_entry;
#ifdef HEM
    hem_sides = patch_open_sides;
#endif
    given_height = 0.0;
    given_gradient = vec3(0.0);
    float behind = depth_bias;
#ifdef LIMITS
    // the mask of a body is 0 where the body is not under cloth, such as eyes in a face
    behind *= limit_here.x;
#endif
#ifdef COLORS
    // the depth of faces in the colour of the garment, such as collars, is not increased, because they are outside of
    // the body
    behind = face_color.w < -0.5 ? 0.0 : behind;
#endif
    gl_Position = biased(position, max(behind, normal_size > 0.0 ? inside_bias(position, normal / normal_size) : 0.0));
}
