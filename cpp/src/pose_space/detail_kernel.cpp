// The loops of pose space over fine vertices and faces, compiled once per instruction set.
#include "pose_space/detail_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

namespace {

typedef int16_t Shorts __attribute__((vector_size(2 * detail_lanes)));

// By eight in both instruction sets: the baseline does them in two halves.
inline Floats<8> load_steps(const int16_t* from) {
    return __builtin_convertvector(load<Shorts>(from), Floats<8>);
}

// The number of corners is known where it is compiled, so that all rows are read side by side.
template <int K>
void add_term(const DetailTerm& term, int64_t count, float* details) {
    for (int64_t block = 0; block < count; ++block) {
        Floats<8> sum[3] = {};
        for (int k = 0; k < K; ++k) {
            const int16_t* row = term.rows[k] + detail_block * block;
            for (int axis = 0; axis < 3; ++axis) {
                sum[axis] += term.weights[k] * load_steps(row + detail_lanes * axis);
            }
        }
        const Floats<8> share = load_steps(term.shares + detail_lanes * block);
        for (int axis = 0; axis < 3; ++axis) {
            float* at = details + detail_block * block + detail_lanes * axis;
            store(at, load<Floats<8>>(at) + share * sum[axis]);
        }
    }
}

}  // namespace

void add_details(const DetailTerm& term, int64_t count, float* details) {
    switch (term.corner_count) {
        case 1: return add_term<1>(term, count, details);
        case 2: return add_term<2>(term, count, details);
        case 3: return add_term<3>(term, count, details);
        case 4: return add_term<4>(term, count, details);
        case 5: return add_term<5>(term, count, details);
        case 6: return add_term<6>(term, count, details);
        case 7: return add_term<7>(term, count, details);
        default: return add_term<8>(term, count, details);
    }
}

namespace {

template <int N>
struct Turns {
    Quads<N> position, tangent, normal;
};

// The coarse rows of N fine vertices, mixed by their weights.
template <int N>
inline Turns<N> mixed(const BoundVertices& v, int64_t i) {
    Floats<4> position[N], tangent[N], normal[N];
    for (int k = 0; k < N; ++k) {
        const int32_t* corners = v.corners + 3 * (i + k);
        const Floats<4> weights = load<Floats<4>>(v.barycentric + 4 * (i + k));
        position[k] = tangent[k] = normal[k] = Floats<4>{};
        for (int corner = 0; corner < 3; ++corner) {
            const float* row = v.rows + 12 * (int64_t)corners[corner];
            position[k] += weights[corner] * load<Floats<4>>(row);
            tangent[k] += weights[corner] * load<Floats<4>>(row + 4);
            normal[k] += weights[corner] * load<Floats<4>>(row + 8);
        }
    }
    return {transpose<N>(position), transpose<N>(tangent), transpose<N>(normal)};
}

template <int N>
inline Floats<N> dot(const Quads<N>& a, const Quads<N>& b) {
    return a.a * b.a + a.b * b.b + a.c * b.c;
}

// Of unit length, and whether it had a length.
template <int N>
inline Ints<N> normalize(Quads<N>& v) {
    const Floats<N> length = sqrt(dot<N>(v, v));
    const Ints<N> sound = length > least_frame_length;
    const Floats<N> inverse = 1.0f / (sound ? length : splat<N>(1.0f));
    v = {v.a * inverse, v.b * inverse, v.c * inverse, v.d};
    return sound;
}

template <int N>
inline int64_t place(const BoundVertices& v, int64_t i) {
    Turns<N> t = mixed<N>(v, i);
    Ints<N> sound = normalize<N>(t.normal);
    const Floats<N> along = dot<N>(t.tangent, t.normal);
    Quads<N> e = {t.tangent.a - along * t.normal.a, t.tangent.b - along * t.normal.b, t.tangent.c - along * t.normal.c,
                  t.tangent.d};
    sound &= normalize<N>(e);
    const Floats<N> zero = splat<N>(0.0f), one = splat<N>(1.0f);
    // without a turn, what lies there stays as it was at rest
    const Quads<N> n = {sound ? t.normal.a : zero, sound ? t.normal.b : zero, sound ? t.normal.c : one, zero};
    e = {sound ? e.a : one, sound ? e.b : zero, sound ? e.c : zero, zero};
    const Quads<N> b = {n.b * e.c - n.c * e.b, n.c * e.a - n.a * e.c, n.a * e.b - n.b * e.a, zero};
    const float* detail = v.details + detail_block * (i / detail_lanes) + i % detail_lanes;
    const Floats<N> strength = v.strength * (one - t.position.d);
    const Floats<N> x = strength * load<Floats<N>>(detail), y = strength * load<Floats<N>>(detail + detail_lanes),
                    z = strength * load<Floats<N>>(detail + 2 * detail_lanes);
    float rows[4 * N];
    store_quads<N>(rows, {t.position.a + (e.a * x + b.a * y + n.a * z), t.position.b + (e.b * x + b.b * y + n.b * z),
                          t.position.c + (e.c * x + b.c * y + n.c * z), zero});
    int64_t lost = 0;
    for (int k = 0; k < N; ++k) {
        store(v.positions + 4 * (int64_t)v.vertices[i + k], load<Floats<4>>(rows + 4 * k));
        lost += sound[k] == 0;
    }
    return lost;
}

inline Floats<4> cross(Floats<4> a, Floats<4> b) {
    // two products of the components turned by one, and the difference turned on
    const Floats<4> turned = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
    return __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
}

}  // namespace

int64_t place_vertices(const BoundVertices& vertices, int64_t begin, int64_t end) {
    int64_t lost = 0;
    for (int64_t i = begin; i < end; i += native_lanes) {
        lost += place<native_lanes>(vertices, i);
    }
    return lost;
}

void area_normals(const float* positions, const int32_t* faces, int64_t face_count, const int32_t* offsets,
                  const int32_t* vertex_faces, int64_t vertex_count, float* of_faces, float* normals) {
    for (int64_t face = 0; face < face_count; ++face) {
        const int32_t* corners = faces + 3 * face;
        const Floats<4> origin = load<Floats<4>>(positions + 4 * (int64_t)corners[0]);
        store(of_faces + 4 * face, cross(load<Floats<4>>(positions + 4 * (int64_t)corners[1]) - origin,
                                         load<Floats<4>>(positions + 4 * (int64_t)corners[2]) - origin));
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
        // zero where all faces have collapsed
        const Floats<N> inverse = length > 0.0f ? 1.0f / (length > 0.0f ? length : splat<N>(1.0f)) : splat<N>(0.0f);
        store_triples<N>(normals + 3 * vertex, n.a * inverse, n.b * inverse, n.c * inverse);
    });
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
