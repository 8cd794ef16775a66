// Computes the matrices that convert gradients from rest to the current cloth; see carrier_kernel.h.
#include "paths/carrier_kernel.h"
#include "numeric/quads.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Let a triangle have the edges e1, e2 and the normal n, and at rest ē1, ē2 and n̄. The gradient of a function at rest
// is mapped to the current triangle by the matrix ((e2 × n) ē1 + (n × e1) ē2) / (2 area) + n n̄, with the current area.
// The stored matrix is multiplied by twice this area, which avoids the division and gives the weight of the face.
void carry_faces(const CarrierArrays& given, int64_t begin, int64_t end) {
    const CarrierArrays arrays = given;
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<4> edges[2][N], rest[3][N];
        for (int k = 0; k < N; ++k) {
            const int32_t number = arrays.listed_faces[i + k];
            const int32_t* face = arrays.faces + 3 * (int64_t)number;
            const Floats<4> origin = load_triple(arrays.positions + 3 * (int64_t)face[0]);
            edges[0][k] = load_triple(arrays.positions + 3 * (int64_t)face[1]) - origin;
            edges[1][k] = load_triple(arrays.positions + 3 * (int64_t)face[2]) - origin;
            const RestingTriangle& resting = arrays.resting[number];
            rest[0][k] = load<Floats<4>>(resting.first);
            rest[1][k] = load<Floats<4>>(resting.second);
            rest[2][k] = load<Floats<4>>(resting.normal);
        }
        const Quads<N> first = transpose<N>(edges[0]), second = transpose<N>(edges[1]);
        const Quads<N> rest_first = transpose<N>(rest[0]), rest_second = transpose<N>(rest[1]),
                       rest_normal = transpose<N>(rest[2]);
        const Quads<N> across = cross<N>(first, second);
        const Floats<N> area = sqrt(dot<N>(across, across)), zero = {};
        // faces that have collapsed, now or at rest, get weight 0
        const Ints<N> sound = (area > 0.0f) & (area <= __FLT_MAX__) & (rest_first.d > 0.0f) & (rest_first.d <= __FLT_MAX__);
        const Floats<N> length = sound ? area : splat<N>(1.0f);
        const Quads<N> normal = {across.a / length, across.b / length, across.c / length, zero};
        const Quads<N> to_first = cross<N>(second, normal), to_second = cross<N>(normal, first);
        const auto row = [&](Floats<N> along_first, Floats<N> along_second, Floats<N> along_normal,
                             Floats<N> fourth) -> Quads<N> {
            const auto sum = [&](Floats<N> a, Floats<N> b, Floats<N> c) {
                return sound ? along_first * a + along_second * b + along_normal * c : zero;
            };
            return {sum(rest_first.a, rest_second.a, rest_normal.a), sum(rest_first.b, rest_second.b, rest_normal.b),
                    sum(rest_first.c, rest_second.c, rest_normal.c), fourth};
        };
        Floats<4> results[3][N];
        store_quads<N>((float*)results[0], row(to_first.a, to_second.a, across.a, sound ? area : zero));
        store_quads<N>((float*)results[1], row(to_first.b, to_second.b, across.b, zero));
        store_quads<N>((float*)results[2], row(to_first.c, to_second.c, across.c, zero));
        for (int k = 0; k < N; ++k) {
            for (int r = 0; r < 3; ++r) {
                store(arrays.of_faces[arrays.listed_faces[i + k]].rows[r], results[r][k]);
            }
        }
    });
}

void gather_carriers(const CarrierArrays& arrays, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        const int32_t vertex = arrays.listed_vertices[i];
        Floats<4> sums[3] = {};
        for (int32_t k = arrays.vertex_offsets[vertex]; k < arrays.vertex_offsets[vertex + 1]; ++k) {
            const Carrier& face = arrays.of_faces[arrays.vertex_faces[k]];
            for (int r = 0; r < 3; ++r) {
                sums[r] += load<Floats<4>>(face.rows[r]);
            }
        }
        const float area = sums[0][3], inverse = area > 0.0f ? 1.0f / area : 0.0f;
        for (int r = 0; r < 3; ++r) {
            store(arrays.of_vertices[vertex].rows[r], sums[r] * inverse);
        }
    }
}

constexpr CarrierKernels kernels = {.carry_faces = carry_faces, .gather_carriers = gather_carriers};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::CarrierKernels ruckle::CarrierKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
