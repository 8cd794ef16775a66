// Blending of sampled details, placement of fine vertices, and area-weighted normals; see detail_kernel.h.
#include "pose_space/detail_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

typedef int16_t Shorts __attribute__((vector_size(2 * detail_lanes)));

// Prefetch distance in blocks: memory latency is about ten blocks, and hardware prefetchers restart at every page.
constexpr int64_t blocks_ahead = 16;

// Loads eight integers and converts them to floats, on every instruction set.
inline Floats<8> load_steps(const int16_t* from) {
    return __builtin_convertvector(load<Shorts>(from), Floats<8>);
}

// Writes details = before + share Σ weight sample for `count` blocks of fine vertices, for one joint. The number of
// grid corners K is a template parameter, so that one loop reads all sampled rows.
template <int K>
void add_term(const DetailTerm& term, int64_t count, const float* before, float* details) {
    for (int64_t block = 0; block < count; ++block) {
        Floats<8> sum[3] = {};
        for (int k = 0; k < K; ++k) {
            const int16_t* row = term.rows[k] + detail_block * block;
            __builtin_prefetch(row + detail_block * blocks_ahead);
            for (int axis = 0; axis < 3; ++axis) {
                sum[axis] += term.weights[k] * load_steps(row + detail_lanes * axis);
            }
        }
        const Floats<8> share = load_steps(term.shares + detail_lanes * block);
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t at = detail_block * block + detail_lanes * axis;
            store(details + at, load<Floats<8>>(before + at) + share * sum[axis]);
        }
    }
}

void add_details(const DetailTerm& term, int64_t count, const float* before, float* details) {
    switch (term.corner_count) {
        case 1: return add_term<1>(term, count, before, details);
        case 2: return add_term<2>(term, count, before, details);
        case 3: return add_term<3>(term, count, before, details);
        case 4: return add_term<4>(term, count, before, details);
        case 5: return add_term<5>(term, count, before, details);
        case 6: return add_term<6>(term, count, before, details);
        case 7: return add_term<7>(term, count, before, details);
        default: return add_term<8>(term, count, before, details);
    }
}

template <int N>
struct Turns {
    Quads<N> position, tangent, normal;
};

template <int N>
inline Quads<N> times(Floats<N> weights, const float* row) {
    return {weights * row[0], weights * row[1], weights * row[2], weights * row[3]};
}
template <int N>
inline Quads<N> sum(const Quads<N>& a, const Quads<N>& b) {
    return {a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d};
}

// Returns the weighted means of the rows of coarse vertices (position, tangent, normal) for N fine vertices.
template <int N>
inline Turns<N> mixed(const BoundVertices& v, int64_t i) {
    const int64_t block = i / detail_lanes, lane = i % detail_lanes;
    const auto of_entry = [&v, lane](int32_t entry) {
        const Floats<N> weights = load<Floats<N>>(v.weights + detail_lanes * (int64_t)entry + lane);
        const float* row = v.rows + 12 * (int64_t)v.corners[entry];
        return Turns<N>{times<N>(weights, row), times<N>(weights, row + 4), times<N>(weights, row + 8)};
    };
    Turns<N> result = of_entry(v.first_entries[block]);
    for (int32_t entry = v.first_entries[block] + 1; entry < v.first_entries[block + 1]; ++entry) {
        const Turns<N> next = of_entry(entry);
        result = {sum<N>(result.position, next.position), sum<N>(result.tangent, next.tangent),
                  sum<N>(result.normal, next.normal)};
    }
    return result;
}

template <int N>
inline Floats<N> dot(const Quads<N>& a, const Quads<N>& b) {
    return a.a * b.a + a.b * b.b + a.c * b.c;
}

// Normalises vectors that are long enough, and returns a mask of these lanes. Other vectors do not change.
template <int N>
inline Ints<N> normalize(Quads<N>& v) {
    const Floats<N> length = sqrt(dot<N>(v, v));
    const Ints<N> sound = length > least_frame_length;
    const Floats<N> inverse = 1.0f / (sound ? length : splat<N>(1.0f));
    v = {v.a * inverse, v.b * inverse, v.c * inverse, v.d};
    return sound;
}

// Writes rows of four floats to the output rows with the given numbers.
template <int N>
inline void scatter(float* to, const int32_t* numbers, const Quads<N>& q) {
    const auto put = [&](int k, Floats<4> row) { store(to + 4 * (int64_t)numbers[k], row); };
    if constexpr (N == 8) {
        const RowPairs pairs = row_pairs(q);
        for (int k = 0; k < 4; ++k) {
            put(k, __builtin_shufflevector(pairs.rows[k], pairs.rows[k], 0, 1, 2, 3));
            put(4 + k, __builtin_shufflevector(pairs.rows[k], pairs.rows[k], 4, 5, 6, 7));
        }
    } else {
        float rows[4 * N];
        store_quads<N>(rows, q);
        for (int k = 0; k < N; ++k) {
            put(k, load<Floats<4>>(rows + 4 * k));
        }
    }
}

// Writes base + rotation · detail of N fine vertices to v.positions (ruckle/pose_space/binding.h). Details are
// multiplied by strength · (1 - share), with the interpolated share by which details are reduced. Returns the number of
// vertices without a rotation, whose details keep their rest directions.
template <int N>
inline int64_t place(const BoundVertices& v, int64_t i) {
    Turns<N> t = mixed<N>(v, i);
    // blended matrices are not rotations, so normal and tangent are orthonormalised
    Ints<N> sound = normalize<N>(t.normal);
    const Floats<N> along = dot<N>(t.tangent, t.normal);
    Quads<N> e = {t.tangent.a - along * t.normal.a, t.tangent.b - along * t.normal.b, t.tangent.c - along * t.normal.c,
                  t.tangent.d};
    sound &= normalize<N>(e);
    const Floats<N> zero = splat<N>(0.0f), one = splat<N>(1.0f);
    // without a rotation, details have their rest directions
    const Quads<N> n = {sound ? t.normal.a : zero, sound ? t.normal.b : zero, sound ? t.normal.c : one, zero};
    e = {sound ? e.a : one, sound ? e.b : zero, sound ? e.c : zero, zero};
    const Quads<N> b = {n.b * e.c - n.c * e.b, n.c * e.a - n.a * e.c, n.a * e.b - n.b * e.a, zero};
    const float* detail = v.details + detail_block * (i / detail_lanes) + i % detail_lanes;
    const Floats<N> strength = v.strength * (one - t.position.d);
    const Floats<N> x = strength * load<Floats<N>>(detail), y = strength * load<Floats<N>>(detail + detail_lanes),
                    z = strength * load<Floats<N>>(detail + 2 * detail_lanes);
    scatter<N>(v.positions, v.vertices + i,
               {t.position.a + (e.a * x + b.a * y + n.a * z), t.position.b + (e.b * x + b.b * y + n.b * z),
                t.position.c + (e.c * x + b.c * y + n.c * z), zero});
    return N - __builtin_popcount((unsigned)lane_bits(sound));
}

// Returns a row, or two rows side by side, with the components in the order y, z, x.
inline Floats<4> turned(Floats<4> a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
inline Floats<8> turned(Floats<8> a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3, 5, 6, 4, 7);
}

// Returns a × b, with one permutation less than the usual form.
template <class V>
inline V cross(V a, V b) {
    return turned(a * turned(b) - turned(a) * b);
}

inline Floats<8> side_by_side(Floats<4> a, Floats<4> b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

int64_t place_vertices(const BoundVertices& vertices, int64_t begin, int64_t end) {
    int64_t lost = 0;
    for (int64_t i = begin; i < end; i += native_lanes) {
        lost += place<native_lanes>(vertices, i);
    }
    return lost;
}

void area_normals(const float* positions, const int32_t* faces, int64_t face_count, const int32_t* offsets,
                  const int32_t* vertex_faces, int64_t vertex_count, float* of_faces, float* normals) {
    // a cross product of two sides has the length of twice the area, so sums around a vertex are weighted by area
    const auto corner = [=](int64_t i) { return load<Floats<4>>(positions + 4 * (int64_t)faces[i]); };
    int64_t face = 0;
    // processes two faces together
    for (; face + 1 < face_count; face += 2) {
        const auto corners = [=](int k) { return side_by_side(corner(3 * face + k), corner(3 * face + 3 + k)); };
        const Floats<8> origin = corners(0);
        store(of_faces + 4 * face, cross(corners(1) - origin, corners(2) - origin));
    }
    if (face < face_count) {
        const Floats<4> origin = corner(3 * face);
        store(of_faces + 4 * face, cross(corner(3 * face + 1) - origin, corner(3 * face + 2) - origin));
    }
    const auto sum_around = [=](int64_t vertex) {
        Floats<4> sum = {};
        for (int32_t i = offsets[vertex]; i < offsets[vertex + 1]; ++i) {
            sum += load<Floats<4>>(of_faces + 4 * (int64_t)vertex_faces[i]);
        }
        return sum;
    };
    for_lanes(0, vertex_count, [=]<int N>(int64_t vertex) {
        Floats<4> sums[N];
        for (int k = 0; k < N; ++k) {
            sums[k] = sum_around(vertex + k);
        }
        Quads<N> n = transpose<N>(sums);
        const Floats<N> length = sqrt(dot<N>(n, n));
        // the normal is zero if all faces of the vertex are degenerate
        const Floats<N> inverse = length > 0.0f ? 1.0f / (length > 0.0f ? length : splat<N>(1.0f)) : splat<N>(0.0f);
        store_triples<N>(normals + 3 * vertex, n.a * inverse, n.b * inverse, n.c * inverse);
    });
}

constexpr DetailKernels kernels = {.add_details = add_details, .place_vertices = place_vertices, .area_normals = area_normals};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::DetailKernels ruckle::DetailKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
