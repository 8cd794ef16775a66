// Heights and gradients of modulated patterns at surface points. ruckle/patterns/heights.h explains the formula, which
// the shaders also use.
#include "patterns/pattern_height_kernel.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

constexpr int N = native_lanes;
using Real = Floats<N>;

// For each lane, the cell that contains a point: three lattice points and their interpolation weights.
struct Cells {
    alignas(32) int32_t points[3][N];
    alignas(32) float shares[3][N];
};

inline float clamp(float x, float most) {
    return x > 0.0f ? (x < most ? x : most) : 0.0f;
}
inline Real clamp(Real x, Real most) {
    return min(max(x, Real{}), most);
}

// Returns the index of the lattice point (i, j) of a face, which is i parts toward vertex 1 and j parts toward vertex
// 2.
template <class Index>
inline Index place(int32_t parts, Index i, Index j) {
    return j * (parts + 1) - ((j * (j - 1)) >> 1) + i;
}

// Finds the cells of points inside a face. second, third: barycentric coordinates of vertices 1 and 2.
inline void find_cells(int32_t parts, Real second, Real third, Cells& cells) {
    const Real x = second * (float)parts, y = third * (float)parts;
    const Ints<N> i = to_ints<N>(clamp(x, splat<N>((float)(parts - 1))));
    const Ints<N> j = to_ints<N>(clamp(y, (float)(parts - 1) - to_floats<N>(i)));
    const Real one = splat<N>(1.0f), s = clamp(x - to_floats<N>(i), one), t = clamp(y - to_floats<N>(j), one);
    const Ints<N> low = place(parts, i, j), high = low + (parts + 1 - j);
    // points beyond the diagonal of the square are in the turned cell, if this cell exists
    const Ints<N> turned = (s + t > 1.0f) & (i + j + 1 < parts);
    store(cells.points[0], turned ? high + 1 : low);
    store(cells.points[1], low + 1);
    store(cells.points[2], high);
    store(cells.shares[0], turned ? s + t - 1.0f : max(1.0f - s - t, Real{}));
    store(cells.shares[1], turned ? 1.0f - t : s);
    store(cells.shares[2], turned ? 1.0f - s : t);
}

// Finds the two nodes for points on a side of a face. The position is computed from the barycentric coordinate of the
// edge's vertex with the larger index. Both faces of the edge pass the same number, so both faces get the same bits.
// Changes only the given lanes.
inline void find_cells_on_side(const PatternPatch& patch, int side, const Real (&b)[3], Ints<N> lanes, Cells& cells) {
    const bool rising = patch.sides[side] > 0;
    const int32_t parts = patch.parts, own = rising ? patch.sides[side] : -patch.sides[side];
    const Real x = b[rising ? (side + 1) % 3 : side] * (float)own;
    const Ints<N> step = to_ints<N>(clamp(x, splat<N>((float)(own - 1))));
    const Real share = clamp(x - to_floats<N>(step), splat<N>(1.0f));
    // the nodes of the edge are lattice points of the face, because both numbers of parts are powers of two and the
    // edge has at most as many parts
    const int32_t stride = parts / own;
    const auto node = [&](Ints<N> from_low) {
        const Ints<N> along = (rising ? from_low : own - from_low) * stride;
        return side == 0 ? along : side == 1 ? place(parts, parts - along, along) : place(parts, Ints<N>{}, parts - along);
    };
    const auto put = [&](auto* to, auto value) { store(to, lanes ? value : load<decltype(value)>(to)); };
    const Ints<N> first = node(step);
    put(cells.points[0], first);
    put(cells.points[1], node(step + 1));
    // the third corner is the first corner again, with weight 0
    put(cells.points[2], first);
    put(cells.shares[0], 1.0f - share);
    put(cells.shares[1], share);
    put(cells.shares[2], Real{});
}

inline void find_cells_on_sides(const PatternPatch& patch, const Real (&b)[3], Cells& cells) {
    // process side 0 last, so that it determines the cell at corners of the face, as in shaders/common/pattern.glsl
    for (int side = 2; side >= 0; --side) {
        // compare with exactly 0: callers pass exact zeros on edges. Rounding near an edge is harmless, because heights
        // are continuous there
        const Ints<N> lanes = b[(side + 2) % 3] == 0.0f;
        if (lane_bits(lanes)) {
            find_cells_on_side(patch, side, b, lanes, cells);
        }
    }
}

// Values of the frame at the corners of a face, broadcast to all lanes. They are stored in memory, because the
// processor does not have enough registers.
template <int K>
struct Corners {
    Real factors[K][3];
    Real transport[3][3][3];  // J of each corner: indices column, axis, corner
    Real growths[K][3][3];    // ∇m of each corner: indices pattern, axis, corner

    explicit Corners(const PatternPatch& patch) {
        for (int corner = 0; corner < 3; ++corner) {
            const float* from = patch.corners[corner];
            for (int k = 0; k < K; ++k) {
                factors[k][corner] = splat<N>(from[k]);
            }
            for (int axis = 0; axis < 3; ++axis) {
                for (int column = 0; column < 3; ++column) {
                    transport[column][axis][corner] = splat<N>(from[4 + 4 * column + axis]);
                }
                for (int k = 0; k < K; ++k) {
                    growths[k][axis][corner] = splat<N>(from[16 + 4 * k + axis]);
                }
            }
        }
    }
};

// Interpolates corner values linearly over the face.
inline Real blend(const Real (&corners)[3], const Real (&b)[3]) {
    return b[0] * corners[0] + b[1] * corners[1] + b[2] * corners[2];
}

// Transposes four of the eight numbers of each lane: numbers 4 Part to 4 Part + 3.
template <int Part>
inline Quads<N> transpose_half(const Floats<8> (&rows)[N]) {
    constexpr int o = 4 * Part;
    Floats<4> halves[N];
    for (int lane = 0; lane < N; ++lane) {
        halves[lane] = __builtin_shufflevector(rows[lane], rows[lane], o, o + 1, o + 2, o + 3);
    }
    return transpose<N>(halves);
}

// Interpolates gradient and height of each pattern at the points of the cells. If the number of patterns is even, each
// load reads two adjacent patterns.
template <int K>
inline void find_patterns(const float* values, const Cells& cells, Quads<N> (&patterns)[K]) {
    constexpr int width = K % 2 == 0 ? 8 : 4;
    using Values = Floats<width>;
    Values rows[4 * K / width][N];
    alignas(32) int32_t places[3][N];
    for (int c = 0; c < 3; ++c) {
        store(places[c], load<Ints<N>>(cells.points[c]) * (4 * K));
    }
    for (int lane = 0; lane < N; ++lane) {
        const float* corners[3];
        for (int c = 0; c < 3; ++c) {
            corners[c] = values + places[c][lane];
        }
        for (int part = 0; part < 4 * K / width; ++part) {
            rows[part][lane] = cells.shares[0][lane] * load<Values>(corners[0] + width * part) +
                               cells.shares[1][lane] * load<Values>(corners[1] + width * part) +
                               cells.shares[2][lane] * load<Values>(corners[2] + width * part);
        }
    }
    if constexpr (width == 8) {
        for (int part = 0; part < K / 2; ++part) {
            patterns[2 * part] = transpose_half<0>(rows[part]);
            patterns[2 * part + 1] = transpose_half<1>(rows[part]);
        }
    } else {
        for (int k = 0; k < K; ++k) {
            patterns[k] = transpose<N>(rows[k]);
        }
    }
}

inline void add_to(float* array, Real value) {
    store(array, load<Real>(array) + value);
}

// Prefetches the lattice of a face, unless it has more than two nodes per point. Many points read most of the lattice
// in an order that the processor cannot predict. If all cache lines are requested at once, they arrive together.
template <int K>
inline void prefetch_lattice(const PatternPatch& patch, int64_t points) {
    const int64_t nodes = (int64_t)(patch.parts + 1) * (patch.parts + 2) / 2;
    constexpr int64_t line = 64 / sizeof(float);
    for (int64_t i = 0; nodes <= 2 * points && i < 4 * K * nodes; i += line) {
        __builtin_prefetch(patch.values + i);
    }
}

inline void load_point(const HeightBlock& block, int64_t i, Real (&b)[3]) {
    for (int corner = 0; corner < 3; ++corner) {
        b[corner] = load<Real>(block.barycentric[corner] + i);
    }
}

// Finds the cells of the points [i, i + N) of a block.
inline void find_all_cells(const PatternPatch& patch, const HeightBlock& block, int64_t i, Cells& cells) {
    Real b[3];
    load_point(block, i, b);
    find_cells(patch.parts, b[1], b[2], cells);
    if (lane_bits((b[0] == 0.0f) | (b[1] == 0.0f) | (b[2] == 0.0f))) {
        find_cells_on_sides(patch, b, cells);
    }
}

// Adds heights and gradients of K patterns at all points of a block.
template <int K>
void add_all(const PatternPatch& patch, const HeightBlock& block) {
    prefetch_lattice<K>(patch, block.count);
    const Corners<K> corners(patch);
    // find the cells of the next vector before the work on this vector: loads depend on the cells, and finding them
    // takes as long as all other work
    Cells cells[2];
    find_all_cells(patch, block, 0, cells[0]);
    for (int64_t i = 0, turn = 0; i < block.count; i += N, turn ^= 1) {
        if (i + N < block.count) {
            find_all_cells(patch, block, i + N, cells[turn ^ 1]);
        }
        Real b[3];
        load_point(block, i, b);
        Quads<N> patterns[K];
        find_patterns<K>(patch.values, cells[turn], patterns);
        Real height, at_rest[3], gradient[3];
        for (int k = 0; k < K; ++k) {
            const Quads<N>& own = patterns[k];
            const Real factor = blend(corners.factors[k], b);
            // ∇(m f) = m ∇f + f ∇m: gradients of the pattern f and of its factor m
            const auto add = [k](Real& sum, Real value) { sum = k == 0 ? value : sum + value; };
            add(height, factor * own.d);
            add(at_rest[0], factor * own.a), add(at_rest[1], factor * own.b), add(at_rest[2], factor * own.c);
            for (int axis = 0; axis < 3; ++axis) {
                add(gradient[axis], own.d * blend(corners.growths[k][axis], b));
            }
        }
        add_to(block.height + i, height);
        for (int axis = 0; axis < 3; ++axis) {
            for (int column = 0; column < 3; ++column) {
                gradient[axis] += at_rest[column] * blend(corners.transport[column][axis], b);
            }
            add_to(block.gradient[axis] + i, gradient[axis]);
        }
    }
}

void add_pattern_heights(const PatternPatch& patch, const HeightBlock& block) {
    void (*const all[])(const PatternPatch&, const HeightBlock&) = {add_all<1>, add_all<2>, add_all<3>, add_all<4>};
    // there is one instance per number of patterns, so that the compiler unrolls loops over patterns
    all[patch.pattern_count - 1](patch, block);
}

constexpr PatternHeightKernels kernels = {.add_pattern_heights = add_pattern_heights};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::PatternHeightKernels ruckle::PatternHeightKernels::RUCKLE_INSTRUCTION_SET =
    ruckle::RUCKLE_INSTRUCTION_SET::kernels;
