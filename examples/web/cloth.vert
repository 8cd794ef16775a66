// A fine vertex of the cloth, raised by its wrinkles: cloth.vert, cloth.tesc and cloth.tese in one, because WebGL 2 lacks a
// tessellator. Each coarse triangle is an instance of a pattern with `parts` parts per side.
//
// Reads   the cloth's table; a vertex of the pattern; numbers of the triangle, of its corners' vertices and of its edges
// Writes  the inputs of every fragment shader
//
// The pattern's rim snaps to the levels of the triangle's edges: both triangles of an edge then have the same points on it.
#include "common/scene.glsl"
#include "common/heights.glsl"
#include "common/depth_bias.glsl"
uniform int parts;

layout(location = 0) in ivec3 place;     // barycentric coordinates times parts
layout(location = 1) in ivec4 triangle;  // its number; those of its vertices
layout(location = 2) in ivec4 edges;     // from each corner to the next; one unused

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

vec3 snapped(vec3 levels) {
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (place[(k + 2) % 3] == 0) {
            int level = int(levels[k]), step = (2 * place[next] * level + parts) / (2 * parts);
            vec3 b = vec3(0.0);
            b[next] = float(step) / float(level);
            b[k] = float(level - step) / float(level);
            return b;
        }
    }
    return vec3(place) / float(parts);
}

void main() {
    vec4 sides[3];
    for (int k = 0; k < 3; ++k) {
        sides[k] = cloth_edge(edges[k]);
    }
    vec3 b = snapped(vec3(sides[0].w, sides[1].w, sides[2].w));
    vec3 p = vec3(0.0), normal = vec3(0.0), shading = vec3(0.0), rest = vec3(0.0), rest_normal = vec3(0.0);
    mat3 carried = mat3(0.0);
    for (int k = 0; k < 3; ++k) {
        ClothVertex now = cloth_vertex(triangle[k + 1]);
        RestVertex before = rest_vertex(triangle[k + 1]);
        p += b[k] * now.position;
        normal += b[k] * now.normal;
        shading += b[k] * corner_normal(triangle.x, k, now.normal);
        rest += b[k] * before.position;
        rest_normal += b[k] * before.normal;
        carried += b[k] * before.carrier;
    }
    vec3 bulge = (b.x * b.y) * sides[0].xyz + (b.y * b.z) * sides[1].xyz + (b.z * b.x) * sides[2].xyz;
    float size = length(normal);
    vec3 outward = size > 0.0 ? normal / size : vec3(0.0);
    ivec3 entry = cloth_entry(triangle.x);
    CoarsePoint here = CoarsePoint(rest, rest_normal, mat3(0.0), b, entry);
    float height = displacement * layer_heights(here, 0.0, NO_HEIGHT).height;
    flat_ws = p;
    at_rest = rest;
    normal_at_rest = rest_normal;
    carrier = carried;
    barycentric = b;
    position_ws = p + bulging * bulge + height * outward;
    normal_ws = shading;
    uv = vec2(0.0);
    patch_entry = entry;
    given_height = 0.0;
    given_gradient = vec3(0.0);
    gl_Position = biased(position_ws, inside_bias(position_ws, outward));
}
