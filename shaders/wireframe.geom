// Computes the distance of each corner of a fine triangle from the opposite side, in pixels. With these distances, the
// fragment shader draws the sides as lines of constant width (Bærentzen et al. 2006, single-pass wireframe rendering).
#include "common/scene.glsl"
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec3 at_rest[];
in vec3 normal_at_rest[];
in mat3 carrier[];
in vec3 barycentric[];
in vec3 position_ws[];
in vec3 normal_ws[];
flat in ivec3 patch_entry[];
in vec3 given_gradient[];
#ifdef LIMITS
in vec3 limit[];
in mat3 limit_slopes[];
out vec3 wire_limit;
out mat3 wire_limit_slopes;
#endif

out vec3 wire_rest;
out vec3 wire_rest_normal;
out mat3 wire_carrier;
out vec3 wire_barycentric;
out vec3 wire_normal_ws;
flat out ivec3 wire_entry;
out vec3 wire_gradient;
noperspective out vec3 wire_distances;
flat out float wire_size;  // height of the triangle over its longest side, pixels

vec2 pixel(int corner) {
    return 0.5 * picture_size * gl_in[corner].gl_Position.xy / gl_in[corner].gl_Position.w;
}

void main() {
    vec2 sides[3] = vec2[](pixel(2) - pixel(1), pixel(0) - pixel(2), pixel(1) - pixel(0));
    vec3 lengths = max(vec3(length(sides[0]), length(sides[1]), length(sides[2])), 1e-6);
    float area = abs(sides[0].x * sides[1].y - sides[0].y * sides[1].x);
    for (int i = 0; i < 3; ++i) {
        wire_rest = at_rest[i];
        wire_rest_normal = normal_at_rest[i];
        wire_carrier = carrier[i];
        wire_barycentric = barycentric[i];
        wire_normal_ws = normal_ws[i];
        wire_entry = patch_entry[i];
        wire_gradient = given_gradient[i];
#ifdef LIMITS
        wire_limit = limit[i];
        wire_limit_slopes = limit_slopes[i];
#endif
        wire_size = area / max(lengths.x, max(lengths.y, lengths.z));
        wire_distances = vec3(0.0);
        wire_distances[i] = area / lengths[i];
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
    EndPrimitive();
}
