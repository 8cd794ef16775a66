// Processes a corner of a triangle that is drawn flat, because wrinkles do not reach it or only normals matter at its
// distance.
//
// Reads   the cloth's table; for each corner, the numbers of its vertex and of the edge to the next corner
// Writes  the inputs of every fragment shader
//
// The curved base passes through the corners, so these triangles match tessellated neighbours exactly.
#include "common/scene.glsl"
#include "common/cloth_table.glsl"
#include "common/depth_bias.glsl"
uniform float depth_bias;        // mesh units, added to the depth of a body

in ivec2 corner_numbers;
in vec2 corner_uv;
#ifdef COLORS
in vec4 corner_color;
out vec4 face_color;
#endif
#ifdef FABRIC
in vec2 corner_tile;
out vec2 tile;
#endif
#ifdef HEM
in int open_sides;               // bit k is 1 if the side from corner k to k + 1 is on the boundary
flat out int hem_sides;
#endif
#ifdef LIMITS
in vec3 corner_limit;
out vec3 limit;
out mat3 limit_slopes;
#endif

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
    ClothVertex vertex = cloth_vertex(corner_numbers.x);
    vec3 position = vertex.position;
    flat_ws = position;
    // wrinkles and patterns are not evaluated
    at_rest = normal_at_rest = vec3(0.0);
    carrier = mat3(0.0);
    barycentric = vec3(0.0);
    int face = gl_VertexID / 3;
#ifdef HEM
    hem_sides = open_sides;
#endif
#if defined(WAVES) || defined(HEM)
    // waves change the normal of every pixel, with or without tessellation
    barycentric[gl_VertexID % 3] = 1.0;
#endif
    position_ws = position;
    normal_ws = corner_normal(face, gl_VertexID % 3, vertex.normal);
    uv = corner_uv;
#ifdef COLORS
    face_color = corner_color;
#endif
#ifdef FABRIC
    tile = corner_tile;
#endif
#ifdef LIMITS
    // the slopes of the limits are set to 0, because they depend on the other corners; this error affects only waves on
    // triangles that are not subdivided
    limit = corner_limit;
    limit_slopes = mat3(0.0);
#endif
    patch_entry = ivec3(0, 0, face);
    given_height = 0.0;
    given_gradient = vec3(0.0);
    float behind = depth_bias;
#ifdef LIMITS
    // the mask of a body is 0 where the body is not under cloth, such as eyes in a face
    behind *= corner_limit.x;
#endif
#ifdef COLORS
    // the depth of faces in the colour of the garment, such as collars, is not increased, because they are outside of
    // the body
    behind = corner_color.w < -0.5 ? 0.0 : behind;
#endif
    gl_Position = biased(position, max(behind, inside_bias(position, vertex.normal)));
}
