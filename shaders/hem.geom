// Draws the thickness of cloth at its open sides: a half tube from the outside to the inside of the cloth.
//
// Reads   fine triangles of the coarse triangles with open sides
// Writes  the inputs of studio.frag with HEM
//
//     p - r N + r (cos a N + sin a B), a from 0 to pi
// N: normal of the cloth; B: direction out of the cloth at its side; r: half of the thickness
#include "common/scene.glsl"
layout(triangles) in;
layout(triangle_strip, max_vertices = 20) out;
uniform float thickness;         // thickness of the cloth, mesh units

in vec3 barycentric[];
in vec3 position_ws[];
in vec3 normal_ws[];
in vec2 uv[];
flat in int hem_sides[];
#ifdef COLORS
in vec4 face_color[];
#endif
#ifdef FABRIC
in vec2 tile[];
#endif

out Hem {
    vec3 position_ws;
    vec3 normal_ws;
    vec2 uv;
#ifdef COLORS
    vec4 face_color;
#endif
#ifdef FABRIC
    vec2 tile;
#endif
} hem;

const int PARTS = 4;

void emit(int corner, vec3 outward, float angle) {
    float radius = 0.5 * thickness;
    vec3 normal = normalize(normal_ws[corner]);
    vec3 around = cos(angle) * normal + sin(angle) * outward;
    hem.position_ws = position_ws[corner] + radius * (around - normal);
    hem.normal_ws = around;
    hem.uv = uv[corner];
#ifdef COLORS
    hem.face_color = face_color[corner];
#endif
#ifdef FABRIC
    hem.tile = tile[corner];
#endif
    gl_Position = clip_from_ws * vec4(hem.position_ws, 1.0);
    EmitVertex();
}

void main() {
    for (int side = 0; side < 3; ++side) {
        // a fine side is on a coarse side if the barycentric coordinate of the opposite corner is 0 at both ends
        int opposite = (side + 2) % 3;
        for (int first = 0; first < 3; ++first) {
            int second = (first + 1) % 3, third = (first + 2) % 3;
            float off = barycentric[first][opposite] + barycentric[second][opposite];
            bool is_open = (hem_sides[0] >> side & 1) == 1 && off == 0.0;
            vec3 along = position_ws[second] - position_ws[first];
            if (!is_open || dot(along, along) == 0.0) {
                continue;
            }
            vec3 from_third = position_ws[first] - position_ws[third];
            vec3 outward[2];
            for (int end = 0; end < 2; ++end) {
                vec3 normal = normalize(normal_ws[end == 0 ? first : second]);
                vec3 across = normalize(cross(along, normal));
                outward[end] = dot(across, from_third) < 0.0 ? -across : across;
            }
            for (int part = 0; part <= PARTS; ++part) {
                float angle = 3.14159265 * float(part) / float(PARTS);
                emit(first, outward[0], angle);
                emit(second, outward[1], angle);
            }
            EndPrimitive();
        }
    }
}
