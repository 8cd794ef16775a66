// Compiled once per instruction set: RUCKLE_INSTRUCTION_SET names it. See kernels.h and lanes.h.
#include "numeric/kernels.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

void edge_matrices(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* matrices) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<4> first[N], second[N];
        for (int k = 0; k < N; ++k) {
            const int32_t* face = faces + 3 * (i + k);
            const Floats<4> origin = load_triple(positions + 3 * (int64_t)face[0]);
            first[k] = load_triple(positions + 3 * (int64_t)face[1]) - origin;
            second[k] = load_triple(positions + 3 * (int64_t)face[2]) - origin;
        }
        const Quads<N> e = transpose<N>(first), f = transpose<N>(second);
        const Floats<N> length = sqrt(e.a * e.a + e.b * e.b + e.c * e.c);
        // how far the second edge reaches across the first is |e × f| / |e|: √(|f|² - along²) would cancel in slivers
        const Floats<N> x = e.b * f.c - e.c * f.b, y = e.c * f.a - e.a * f.c, z = e.a * f.b - e.b * f.a;
        // a first edge of no length leaves a triangle without area, whatever its direction
        const Floats<N> inverse = length > 0.0f ? 1.0f / length : splat<N>(0.0f);
        const Floats<N> along = (e.a * f.a + e.b * f.b + e.c * f.c) * inverse;
        const Floats<N> across = sqrt(x * x + y * y + z * z) * inverse;
        // and so do edges whose products overflow: infinite or NaN, they fail the comparison
        const Floats<N> zero = splat<N>(0.0f);
        const Ints<N> fits = length + abs<N>(along) + across <= __FLT_MAX__;
        store_quads<N>(matrices + 4 * i, {fits ? length : zero, fits ? along : zero, zero, fits ? across : zero});
    });
}

template <int N>
inline bool any(Ints<N> mask) {
    return lane_bits(mask) != 0;
}

// F = A Σ Bᵀ of a triangle, by the closed form of 2x2 matrices: with the angles a, b of A and B,
// (e, h) = (σ1 + σ2)/2 (cos, sin)(a - b) and (f, g) = (σ1 - σ2)/2 (cos, sin)(a + b).
template <int N>
struct Deformation {
    Floats<N> a, b, c, d;  // F, row after row; the identity where degenerate
    Floats<N> e, h, f, g;
    Floats<N> mean, spread;  // (σ1 + σ2)/2, (σ1 - σ2)/2
    Floats<N> max, determinant;
    Ints<N> degenerate;     // all bits set or none
    Ints<N> adopt_current;  // the reference has collapsed and the current triangle is sound
};

template <int N>
inline Deformation<N> deformation(Quads<N> r, Quads<N> u) {
    const Floats<N> area_r = r.a * r.d - r.b * r.c, area_u = u.a * u.d - u.b * u.c;
    const Floats<N> size_r = r.a * r.a + r.b * r.b + r.c * r.c + r.d * r.d;
    const Floats<N> size_u = u.a * u.a + u.b * u.b + u.c * u.c + u.d * u.d;
    // an area below the normal numbers has no digits left, and its inverse overflows
    const Floats<N> least = splat<N>(__FLT_MIN__);
    const Ints<N> sound_r = area_r > max(sliver_ratio * size_r, least), sound_u = area_u > max(sliver_ratio * size_u, least);
    const Ints<N> outgrown = area_u > area_ratio_limit * area_r, collapsed = area_r > area_ratio_limit * area_u;
    const Ints<N> sound = sound_r & sound_u & ~(outgrown | collapsed);

    const Floats<N> inverse = 1.0f / area_r;
    Deformation<N> t;
    t.degenerate = ~sound;
    t.adopt_current = sound_u & (~sound_r | outgrown);
    t.a = (u.a * r.d - u.b * r.c) * inverse;
    t.b = (u.b * r.a - u.a * r.b) * inverse;
    t.c = (u.c * r.d - u.d * r.c) * inverse;
    t.d = (u.d * r.a - u.c * r.b) * inverse;
    t.determinant = area_u * inverse;
    // rare: the blends are left out for lanes that are all sound
    if (any<N>(t.degenerate)) {
        const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);
        t.a = sound ? t.a : one;
        t.b = sound ? t.b : zero;
        t.c = sound ? t.c : zero;
        t.d = sound ? t.d : one;
        t.determinant = sound ? t.determinant : one;
    }
    t.e = (t.a + t.d) * 0.5f;
    t.f = (t.a - t.d) * 0.5f;
    t.g = (t.c + t.b) * 0.5f;
    t.h = (t.c - t.b) * 0.5f;
    t.mean = sqrt(t.e * t.e + t.h * t.h);
    t.spread = sqrt(t.f * t.f + t.g * t.g);
    t.max = t.mean + t.spread;
    return t;
}

// The column of A that belongs to the smaller stretch: half the double angle 2a = (a + b) + (a - b), found as the
// bisector between it and the x axis or, where that would cancel, the y axis.
template <int N>
inline void store_axis(float* axis, const Deformation<N>& t, Ints<N> directed) {
    const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);
    // equal stretches have no axis of their own
    directed = directed & (t.spread > isotropic_ratio * t.mean);
    const Floats<N> x = t.f * t.e - t.g * t.h, y = t.f * t.h + t.g * t.e;
    const Floats<N> length = t.mean * t.spread;  // of (x, y)
    const Floats<N> far = length + abs<N>(x);
    const Floats<N> scale = 1.0f / sqrt(directed ? 2.0f * length * far : one);
    const Floats<N> larger = far * scale, smaller = abs<N>(y) * scale;
    const Ints<N> flat = x >= 0.0f;
    const Floats<N> cos_a = flat ? larger : smaller, sin_a = copy_sign<N>(flat ? smaller : larger, y);
    const Floats<N> out_x = directed ? -sin_a : zero, out_y = directed ? cos_a : zero;
    if constexpr (N == 1) {
        axis[0] = out_x[0], axis[1] = out_y[0];
    } else if constexpr (N == 4) {
        store(axis, __builtin_shufflevector(out_x, out_y, 0, 4, 1, 5));
        store(axis + 4, __builtin_shufflevector(out_x, out_y, 2, 6, 3, 7));
    } else {
        store(axis, __builtin_shufflevector(out_x, out_y, 0, 8, 1, 9, 2, 10, 3, 11));
        store(axis + 8, __builtin_shufflevector(out_x, out_y, 4, 12, 5, 13, 6, 14, 7, 15));
    }
}

// Where the results of the stages may be left out.
template <int N>
inline void store_stretches(StretchArrays result, int64_t i, Floats<N> min, Floats<N> max, Floats<N> compression) {
    if (result.max) {
        store(result.max + i, max);
    }
    if (result.min) {
        store(result.min + i, min);
    }
    if (result.compression) {
        store(result.compression + i, compression);
    }
}

void stretch(const float* reference, const float* current, StretchArrays result, int64_t begin, int64_t end) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        const auto t = deformation<N>(load_quads<N>(reference + 4 * i), load_quads<N>(current + 4 * i));
        // both from the larger stretch: the difference of two nearly equal numbers would lose all digits
        store_stretches<N>(result, i, t.determinant / t.max, t.max, t.max / t.determinant);
        if (result.axis) {
            store_axis<N>(result.axis + 2 * i, t, ~t.degenerate);
        }
        if (result.degenerate) {
            store_bytes<N>(result.degenerate + i, t.degenerate & 1);
        }
    });
}

// The costs of compression, rest and stretch.
template <int N>
struct Costs {
    Floats<N> of[3];
};

// A stretch over the frame's time as a stretch over 1/30 s. Whole fractions of 1/30 s are common and cheap.
template <int N>
inline Floats<N> rate(Floats<N> stretch, float exponent) {
    Floats<N> rate = stretch;
    if (exponent == 2.0f) {
        rate = stretch * stretch;
    } else if (exponent != 1.0f) {
        rate = exp2<N>(log2<N>(stretch) * exponent);
    }
    return min(max(rate, splat<N>(1.0f / rate_limit)), splat<N>(rate_limit));
}

template <int N>
[[gnu::always_inline]] inline Costs<N> costs_of(const CostInputs& inputs, int64_t i) {
    const CostFactors& k = inputs.factors;
    const Floats<N> a = rate<N>(load<Floats<N>>(inputs.compression + i), k.exponent);
    const Floats<N> b = rate<N>(load<Floats<N>>(inputs.max + i), k.exponent);
    const Floats<N> da = a - 1.0f, db = b - 1.0f;
    const Floats<N> rest = 1.0f - exp2<N>((da * da + db * db) * k.rest);
    // c(a, b) and c(b, a) of (4.5) are one branch each: the larger argument's label gets the first
    const Floats<N> larger = max(a, b), smaller = min(a, b);
    // H and h of (4.5)
    const Floats<N> slow = exp2<N>(k.alpha * (larger - 1.0f));
    const Floats<N> fast = exp2<N>(k.beta * (larger - 1.0f));
    const Floats<N> blend = exp2<N>((a - b) * (a - b) * k.blend);
    const Floats<N> winner = (slow - fast) * blend + fast;
    const Floats<N> loser = smaller / larger * (exp2<N>(k.alpha * (smaller - 1.0f)) - 1.0f) + 1.0f;
    Costs<N> costs = {{a > b ? winner : loser, rest, b > a ? winner : loser}};
    if (inputs.degenerate) {
        const Ints<N> collapsed = load_bytes<N>(inputs.degenerate + i) != 0;
        if (any<N>(collapsed)) {
            for (Floats<N>& cost : costs.of) {
                cost = collapsed ? splat<N>(0.0f) : cost;
            }
        }
    }
    return costs;
}

void label_costs(const CostInputs& given, int64_t begin, int64_t end, float* costs) {
    const CostInputs inputs = given;
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        const Costs<N> c = costs_of<N>(inputs, i);
        store_triples<N>(costs + 3 * i, c.of[0], c.of[1], c.of[2]);
    });
}

void update_reference(const float* reference, const float* current, const uint8_t* labels, float relaxation, float* updated,
                      StretchArrays field, int64_t begin, int64_t end) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        const Quads<N> r = load_quads<N>(reference + 4 * i), u = load_quads<N>(current + 4 * i);
        Deformation<N> t = deformation<N>(r, u);
        const Ints<N> label = load_bytes<N>(labels + i);
        const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);

        const Ints<N> relax = (label == 0) & ~t.degenerate;
        // stretched in both directions: nothing is left of a fold, and the reference starts anew
        const Ints<N> unfolded = (label == 2) & (t.determinant > t.max);  // σ2 > 1
        const Ints<N> replace = unfolded | t.adopt_current;
        Floats<N> max_new = t.max, min_new = t.determinant / t.max;
        // most triangles rest, and keep their reference (4.2)
        if (any<N>(relax | replace)) {
            // σ -> keep σ + ρ, and F' = keep F + ρ A Bᵀ has the same A and B
            const Floats<N> rho = relax ? splat<N>(relaxation) : zero, keep = 1.0f - rho;
            const Floats<N> share = rho / t.mean, cos_ab = t.e * share, sin_ab = t.h * share;
            const Floats<N> fa = keep * t.a + cos_ab, fb = keep * t.b - sin_ab;
            const Floats<N> fc = keep * t.c + sin_ab, fd = keep * t.d + cos_ab;
            max_new = replace ? one : keep * max_new + rho;
            min_new = replace ? one : keep * min_new + rho;
            const Floats<N> inverse = 1.0f / (min_new * max_new);
            const auto choose = [&](Floats<N> relaxed, Floats<N> now, Floats<N> before) {
                return replace ? now : (relax ? relaxed : before);
            };
            store_quads<N>(
                updated + 4 * i,
                {choose((fd * u.a - fb * u.c) * inverse, u.a, r.a), choose((fd * u.b - fb * u.d) * inverse, u.b, r.b),
                 choose((fa * u.c - fc * u.a) * inverse, u.c, r.c), choose((fa * u.d - fc * u.b) * inverse, u.d, r.d)});
        } else if (updated != reference) {
            store_quads<N>(updated + 4 * i, r);
        }

        // the stretches to the new reference are known: it need not be measured again
        store_stretches<N>(field, i, min_new, max_new, 1.0f / min_new);
        if (field.axis) {
            store_axis<N>(field.axis + 2 * i, t, ~(replace | t.degenerate));
        }
        if (field.degenerate) {
            store_bytes<N>(field.degenerate + i, t.degenerate & ~t.adopt_current & 1);
        }
    });
}

// Which labels each pattern of won comparisons (label_pairs) strikes out.
struct StruckLabels {
    uint8_t of[64];
    constexpr StruckLabels() : of() {
        for (int bits = 0; bits < 64; ++bits) {
            for (int k = 0; k < label_pair_count; ++k) {
                of[bits] = (uint8_t)(of[bits] | (bits >> k & 1) << label_pairs[k][0]);
            }
        }
    }
};
constexpr StruckLabels struck_labels;

// Rounds the costs that costs_at<N>(i) gives; see Kernels::round_costs.
template <class CostsAt>
inline int64_t round_all(CostsAt costs_at, const uint8_t* previous, const LabelTables& tables, int neighbor_count, int64_t begin,
                         int64_t end, UnitCosts units, uint8_t* sets, int32_t* open) {
    // label l loses against m when u[l] - u[m] exceeds what the neighbours can make up for
    int32_t margin[3][3];
    for (int k = 0; k < label_pair_count; ++k) {
        margin[label_pairs[k][0]][label_pairs[k][1]] = -neighbor_count * tables.least[all_labels][k];
    }
    int32_t* next_open = open + begin;
    for_lanes(begin, end, [&, units, sets]<int N>(int64_t i) {
        const Costs<N> costs = costs_at.template operator()<N>(i);
        // only differences decide: without the least of the three, units stay small
        const Floats<N> least = min(min(costs.of[0], costs.of[1]), costs.of[2]);
        Ints<N> u[3];
        for (int l = 0; l < 3; ++l) {
            const Floats<N> scaled = (costs.of[tables.order[l]] - least) * tables.scale;
            u[l] = nearest<N>(min(scaled, splat<N>(tables.limit)));
        }
        if (previous) {
            const Ints<N> label = load_bytes<N>(previous + i);
            for (int l = 0; l < 3; ++l) {
                u[l] += look_up<N>(tables.temporal[l], label);
            }
        }
        const Ints<N> d01 = u[0] - u[1], d02 = u[0] - u[2], d12 = u[1] - u[2];
        const Ints<N> struck_0 = (d01 > margin[0][1]) | (d02 > margin[0][2]);
        const Ints<N> struck_1 = (d01 < -margin[1][0]) | (d12 > margin[1][2]);
        const Ints<N> struck_2 = (d02 < -margin[2][0]) | (d12 < -margin[2][1]);
        const Ints<N> left = (~struck_0 & 1) | (~struck_1 & 2) | (~struck_2 & 4);
        for (int l = 0; l < 3; ++l) {
            store(units.of[l] + i, u[l]);
        }
        store_bytes<N>(sets + i, left);
        // more than one bit: still open
        for (int bits = lane_bits((left & (left - 1)) != 0); bits; bits &= bits - 1) {
            *next_open++ = (int32_t)i + __builtin_ctz((unsigned)bits);
        }
    });
    return next_open - (open + begin);
}

int64_t round_costs(const float* costs, const uint8_t* previous, const LabelTables& tables, int neighbor_count, int64_t begin,
                    int64_t end, UnitCosts units, uint8_t* sets, int32_t* open) {
    const auto costs_at = [costs]<int N>(int64_t i) {
        const Quads<N> q = load_triples<N>(costs + 3 * i);
        return Costs<N>{{q.a, q.b, q.c}};
    };
    return round_all(costs_at, previous, tables, neighbor_count, begin, end, units, sets, open);
}

int64_t round_label_costs(const CostInputs& given, const uint8_t* previous, const LabelTables& tables, int neighbor_count,
                          int64_t begin, int64_t end, UnitCosts units, uint8_t* sets, int32_t* open) {
    const auto costs_at = [inputs = given]<int N>(int64_t i) { return costs_of<N>(inputs, i); };
    return round_all(costs_at, previous, tables, neighbor_count, begin, end, units, sets, open);
}

inline bool decided(uint8_t set) {
    return (set & (set - 1)) == 0;
}

// The sets are shared between threads; a relaxed access costs nothing here.
inline uint8_t load_set(const uint8_t* set) {
    return __atomic_load_n(set, __ATOMIC_RELAXED);
}

// The labels that are left of one triangle's set.
template <int neighbor_count>
inline uint8_t struck_set(UnitCosts units, const int32_t* around, const LabelTables& tables, int64_t i, const uint8_t* sets) {
    const int32_t u0 = units.of[0][i], u1 = units.of[1][i], u2 = units.of[2][i];
    // one lane per pair (l, m): what l costs more than m, at least, whatever the neighbours choose among the labels they have left
    Ints<8> gain = Ints<8>{u0, u0, u1, u1, u2, u2, 0, 0} - Ints<8>{u1, u2, u0, u2, u0, u1, 0, 0};
    for (int k = 0; k < neighbor_count; ++k) {
        gain += load<Ints<8>>(tables.least[load_set(sets + around[k])]);
    }
    return load_set(sets + i) & ~struck_labels.of[lane_bits(gain > 0)];
}

template <int neighbor_count>
int64_t strike_out_all(UnitCosts units, const int32_t* neighbors, const LabelTables& tables, int64_t begin, int64_t end,
                       int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued, uint8_t* sets) {
    // the open triangles are seen once in order; later only those whose neighbourhood has changed
    int64_t count = 0;
    const auto visit = [&](int64_t i, int64_t last_seen) {
        const int32_t* around = neighbors + neighbor_count * i;
        const uint8_t left = struck_set<neighbor_count>(units, around, tables, i, sets);
        if (left == load_set(sets + i)) {
            return;
        }
        __atomic_store_n(sets + i, left, __ATOMIC_RELAXED);
        for (int k = 0; k < neighbor_count; ++k) {
            const int64_t n = around[k];
            // in the first pass, neighbours that are still to come are seen anyway
            if (n >= begin && n < last_seen && !queued[n] && !decided(load_set(sets + n))) {
                queued[n] = 1;
                queue[count++] = (int32_t)n;
            }
        }
    };
    for (int64_t k = 0; k < open_count; ++k) {
        visit(open[k], open[k]);
    }
    // a triangle that has lost a label may cost its neighbours one, and so on
    while (count > 0) {
        const int64_t i = queue[--count];
        queued[i] = 0;
        visit(i, end);
    }
    // without branches: which triangles stay open nothing can predict
    int64_t left_open = 0;
    for (int64_t k = 0; k < open_count; ++k) {
        const int32_t i = open[k];
        open[left_open] = i;
        left_open += !decided(load_set(sets + i));
    }
    return left_open;
}

int64_t strike_out(UnitCosts units, const int32_t* neighbors, int neighbor_count, const LabelTables& tables, int64_t begin,
                   int64_t end, int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued, uint8_t* sets) {
    // a frame, or a sequence of frames, with the number of neighbours known to the compiler
    const auto run = neighbor_count == 3 ? strike_out_all<3> : strike_out_all<5>;
    return run(units, neighbors, tables, begin, end, open, open_count, queue, queued, sets);
}

bool all_finite(const float* values, int64_t count) {
    // x - x is 0 for every finite x, and NaN otherwise; NaN survives every sum
    Floats<native_lanes> wide = {};
    float narrow = 0.0f;
    for_lanes(0, count, [&]<int N>(int64_t i) {
        const Floats<N> x = load<Floats<N>>(values + i);
        if constexpr (N == 1) {
            // the tail, one by one
            narrow += x[0] - x[0];
        } else {
            wide += x - x;
        }
    });
    for (int k = 0; k < native_lanes; ++k) {
        narrow += wide[k];
    }
    return narrow == 0.0f;
}

}  // namespace

// in paths/reach_kernel.cpp, paths/carrier_kernel.cpp, paths/line_kernel.cpp, paths/energy_kernel.cpp, paths/cover_kernel.cpp,
// paths/path_height_kernel.cpp, patterns/, surface/normal_kernel.cpp and surface/patch_kernel.cpp
MetBalls meeting_balls(const DistanceTriangle& triangle, const BallBlock* blocks, int count);
void move_line(MovingLine& line);
bool shape_line(const LinePoints& line);
bool spread_profile(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights);
void measure_path(PathColumns& path);
int32_t covering_segment(const PathCover& path, const float* point);
bool covers_most(const PathCover& path, const PathCover& asked);
bool covers_seeds(const SeedCover& seeds);
void carry_faces(const CarrierArrays& arrays, int64_t begin, int64_t end);
void gather_carriers(const CarrierArrays& arrays, int64_t begin, int64_t end);
void add_path_heights(const PathPatch& patch, const HeightBlock& block);
void add_pattern_heights(const PatternPatch& patch, const HeightBlock& block);
void weigh_normals(const NormalArrays& arrays, int64_t begin, int64_t end);
void gather_normals(const NormalArrays& arrays, int64_t begin, int64_t end);
void finish_patch(const Patch& patch, const PatchPoints& points, int64_t count);
void pack_shares(const float* values, float factor, uint32_t* shares, int64_t count);
void pack_vertices(const float* positions, const float* normals, uint32_t* words, int64_t count);
void gram(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* grams);
void measure_reference(const ReferenceTriangles& triangles, int64_t begin, int64_t end);
void modulate(const ModulatedTriangles& triangles, int64_t begin, int64_t end);
void reached(const ReachedTriangles& triangles, int64_t begin, int64_t end);
void gather_factors(const ModulatedVertices& vertices, int64_t begin, int64_t end);
void correct_factors(const ModulatedVertices& vertices, const float* reached, int64_t begin, int64_t end);
void follow_factors(const FollowedVertices& vertices, int64_t begin, int64_t end);
// in upsampling/operator_kernel.cpp
extern const OperatorBlocks operator_blocks;
void multiply_operator(const OperatorProduct& product, int64_t begin, int64_t end);
void multiply_dense(const DenseProduct& product);
void add_detail(const DetailRow& row);
// in upsampling/system_kernel.cpp
bool solve_system(const SymmetricSystem& system);
// in pose_space/detail_kernel.cpp
void add_details(const DetailTerm& term, int64_t count, const float* before, float* details);
int64_t place_vertices(const BoundVertices& vertices, int64_t begin, int64_t end);
void area_normals(const float* positions, const int32_t* faces, int64_t face_count, const int32_t* offsets,
                  const int32_t* vertex_faces, int64_t vertex_count, float* of_faces, float* normals);
// in simulation/sweep_kernel.cpp
extern const SweepKernels sweep_kernels;
// in simulation/contact_kernel.cpp
extern const ContactKernels contact_kernels;
// in simulation/block_kernel.cpp
extern const BlockKernels block_kernels;
// in waves/wave_kernel.cpp
extern const WaveKernels wave_kernels;

extern const Kernels kernels;
const Kernels kernels = {RUCKLE_INSTRUCTION_SET_NAME,
                         edge_matrices,
                         stretch,
                         label_costs,
                         update_reference,
                         round_costs,
                         round_label_costs,
                         strike_out,
                         meeting_balls,
                         carry_faces,
                         gather_carriers,
                         add_path_heights,
                         add_pattern_heights,
                         weigh_normals,
                         gather_normals,
                         finish_patch,
                         pack_shares,
                         pack_vertices,
                         all_finite,
                         &sweep_kernels,
                         &contact_kernels,
                         &block_kernels,
                         gram,
                         measure_reference,
                         modulate,
                         reached,
                         gather_factors,
                         correct_factors,
                         follow_factors,
                         multiply_operator,
                         multiply_dense,
                         add_detail,
                         solve_system,
                         add_details,
                         place_vertices,
                         area_normals,
                         move_line,
                         shape_line,
                         spread_profile,
                         measure_path,
                         covering_segment,
                         covers_most,
                         covers_seeds,
                         &operator_blocks,
                         &wave_kernels};

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
