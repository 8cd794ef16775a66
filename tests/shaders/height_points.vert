// Height and slope of all layers at points of triangles. A test compares them with the CPU implementation.
#include "common/heights.glsl"

in vec3 weights;
in int face;
in ivec3 vertices;

out vec4 sample_out;

void main() {
    vec3 rest = vec3(0.0), normal = vec3(0.0);
    mat3 carrier = mat3(0.0);
    for (int k = 0; k < 3; ++k) {
        RestVertex own = rest_vertex(vertices[k]);
        rest += weights[k] * own.position;
        normal += weights[k] * own.normal;
        carrier += weights[k] * own.carrier;
    }
    HeightSample found = layer_heights(CoarsePoint(rest, normal, carrier, weights, cloth_entry(face)), 0.0, NO_HEIGHT);
    sample_out = vec4(found.gradient, found.height);
    gl_Position = vec4(0.0);
}
