// Computes vertex normals, weighted by the angle of each corner, with one triangle per SIMD lane.
#include "surface/normal_kernel.h"
#include "constants.h"
#include "numeric/double_lanes.h"
#include "numeric/quads.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

template <int N>
inline Quads<N> scaled(Quads<N> v, Floats<N> by) {
    return {v.a * by, v.b * by, v.c * by, Floats<N>{}};
}

// Returns v / length, or zero if the length is 0, as for a degenerate face, so that the face does not affect the
// normals of its vertices.
template <int N>
inline Quads<N> divided_or_zero(Quads<N> v, Floats<N> length) {
    const Ints<N> known = length > 0.0f;
    const Floats<N> zero = {}, by = known ? length : splat<N>(1.0f);
    return {known ? v.a / by : zero, known ? v.b / by : zero, known ? v.c / by : zero, zero};
}

// Returns the roundness of a vertex from the length of its mean normal: 0 up to folded_agreement, 1 from
// round_agreement on, a smoothstep between. The length is 1 on flat cloth, and cos(θ/2) on a fold by the angle θ.
template <int N>
inline Floats<N> roundness_at(Floats<N> agreement) {
    const Floats<N> zero = {}, one = splat<N>(1.0f);
    Floats<N> x = (agreement - folded_agreement) / (round_agreement - folded_agreement);
    x = x < 0.0f ? zero : x > 1.0f ? one : x;
    return x * x * (3.0f - 2.0f * x);
}

void weigh_normals(const NormalArrays& given, int64_t begin, int64_t end) {
    const NormalArrays arrays = given;
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<4> rows[3][N];
        for (int k = 0; k < N; ++k) {
            const int32_t* face = arrays.faces + 3 * (i + k);
            const Floats<4> a = load_triple(arrays.positions + 3 * (int64_t)face[0]),
                            b = load_triple(arrays.positions + 3 * (int64_t)face[1]),
                            c = load_triple(arrays.positions + 3 * (int64_t)face[2]);
            rows[0][k] = b - a, rows[1][k] = c - a, rows[2][k] = c - b;
        }
        const Quads<N> first = transpose<N>(rows[0]), second = transpose<N>(rows[1]), third = transpose<N>(rows[2]);
        const Quads<N> across = cross<N>(first, second);
        const Floats<N> area = sqrt(dot<N>(across, across));
        const Quads<N> normal = divided_or_zero<N>(across, area);
        // compute the angles with arctangents: unlike acos, they are accurate in slivers, and edges of length 0 do not
        // cause NaN because no division is needed
        const Floats<N> at_a = arc_tangent<N>(area, dot<N>(first, second)), at_b = arc_tangent<N>(area, -dot<N>(first, third));
        const Floats<N> angles[3] = {at_a, at_b, 3.14159265f - at_a - at_b};
        store_quads<N>(arrays.of_faces + 4 * i, normal);
        for (int k = 0; k < 3; ++k) {
            Quads<N> weighted = scaled<N>(normal, angles[k]);
            weighted.d = sqrt(dot<N>(weighted, weighted));
            store_quads<N>(arrays.of_corners + 4 * (3 * i + k), weighted, 12);
        }
    });
}

void gather_normals(const NormalArrays& given, int64_t begin, int64_t end) {
    const NormalArrays arrays = given;
    for_lanes(begin, end, [=]<int N>(int64_t vertex) {
        Floats<4> sums[N];
        for (int k = 0; k < N; ++k) {
            sums[k] = Floats<4>{};
            for (int32_t i = arrays.vertex_offsets[vertex + k]; i < arrays.vertex_offsets[vertex + k + 1]; ++i) {
                sums[k] += load<Floats<4>>(arrays.of_corners + 4 * (int64_t)arrays.vertex_corners[i]);
            }
        }
        const Quads<N> sum = transpose<N>(sums);
        const Floats<N> length = sqrt(dot<N>(sum, sum));
        const Quads<N> normal = divided_or_zero<N>(sum, length);
        store_triples<N>(arrays.vertices + 3 * vertex, normal.a, normal.b, normal.c);
        // agreement = (length of the sum) / (sum of the lengths): 1 if all normals are equal, smaller if
        // they differ
        const Ints<N> known = sum.d > 0.0f;
        const Floats<N> agreement = length / (known ? sum.d : splat<N>(1.0f));
        store(arrays.roundness + vertex, known ? roundness_at<N>(agreement) : Floats<N>{});
    });
}

constexpr NormalKernels kernels = {.weigh_normals = weigh_normals, .gather_normals = gather_normals};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::NormalKernels ruckle::NormalKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
