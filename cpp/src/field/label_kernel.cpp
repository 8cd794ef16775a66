// Unary costs of the labels (thesis 4.1.2, equations 4.4 to 4.7), and elimination of labels that cannot be optimal; see
// label_kernel.h. Below, (4.5) is an equation of the thesis.
#include "field/label_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Costs of the labels compression, rest and stretch, one triangle per lane.
template <int N>
struct Costs {
    Floats<N> of[3];
};

// Converts a stretch over the frame's time to a stretch over 1/30 s, clamped to [1 / rate_limit, rate_limit]. Frames of
// 1/30 s and 1/60 s do not require logarithms.
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

// Returns the costs of the triangles [i, i + N); all 0 for collapsed triangles.
template <int N>
[[gnu::always_inline]] inline Costs<N> costs_of(const CostInputs& inputs, int64_t i) {
    const CostFactors& k = inputs.factors;
    const Floats<N> a = rate<N>(load<Floats<N>>(inputs.compression + i), k.exponent);
    const Floats<N> b = rate<N>(load<Floats<N>>(inputs.max + i), k.exponent);
    const Floats<N> da = a - 1.0f, db = b - 1.0f;
    const Floats<N> rest = 1.0f - exp2<N>((da * da + db * db) * k.rest);
    // c(a, b) and c(b, a) of (4.5): the label with the larger stretch costs `winner`, the opposite label costs `loser`
    const Floats<N> larger = max(a, b), smaller = min(a, b);
    // the exponentials of (4.5), called H and h in the thesis
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

// Table of eliminated labels: the index has bit k if label_pairs[k] = (l, m) eliminates label l; the entry has bit l if
// label l is eliminated.
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

// Does the work of LabelKernels::round_costs, for the unary costs that costs_at<N>(i) returns.
template <class CostsAt>
inline int64_t round_all(CostsAt costs_at, const uint8_t* previous, const LabelTables& tables, int neighbor_count, int64_t begin,
                         int64_t end, UnitCosts units, uint8_t* sets, int32_t* open) {
    // label l is eliminated by label m if u[l] - u[m] exceeds margin[l][m], the largest difference that the neighbours
    // can make
    int32_t margin[3][3];
    for (int k = 0; k < label_pair_count; ++k) {
        margin[label_pairs[k][0]][label_pairs[k][1]] = -neighbor_count * tables.least[all_labels][k];
    }
    int32_t* next_open = open + begin;
    for_lanes(begin, end, [&, units, sets]<int N>(int64_t i) {
        const Costs<N> costs = costs_at.template operator()<N>(i);
        // subtract the smallest of the three costs, so that units remain small; only differences of costs affect labels
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
        // append triangles with more than one remaining label to the list of undecided triangles
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

// Returns a set that another thread may change. A relaxed atomic access is as fast as a plain access here.
inline uint8_t load_set(const uint8_t* set) {
    return __atomic_load_n(set, __ATOMIC_RELAXED);
}

// Returns the set of labels of triangle i that remain, given the current sets of its neighbours.
template <int neighbor_count>
inline uint8_t struck_set(UnitCosts units, const int32_t* around, const LabelTables& tables, int64_t i, const uint8_t* sets) {
    const int32_t u0 = units.of[0][i], u1 = units.of[1][i], u2 = units.of[2][i];
    // one lane per pair (l, m): lower bound of (cost of l) - (cost of m) for all remaining labels of the neighbours
    Ints<8> gain = Ints<8>{u0, u0, u1, u1, u2, u2, 0, 0} - Ints<8>{u1, u2, u0, u2, u0, u1, 0, 0};
    for (int k = 0; k < neighbor_count; ++k) {
        gain += load<Ints<8>>(tables.least[load_set(sets + around[k])]);
    }
    return load_set(sets + i) & ~struck_labels.of[lane_bits(gain > 0)];
}

// Does the work of LabelKernels::eliminate_labels, for a constant number of neighbours.
template <int neighbor_count>
int64_t eliminate_labels_of(UnitCosts units, const int32_t* neighbors, const LabelTables& tables, int64_t begin, int64_t end,
                            int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued, uint8_t* sets) {
    // the first pass visits all undecided triangles in ascending order. After that, only triangles whose neighbours
    // have lost a label are visited
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
            // queue undecided neighbours with an index below last_seen. In the first pass, skip neighbours with a
            // larger index: the pass has still to visit them
            if (n >= begin && n < last_seen && !queued[n] && !decided(load_set(sets + n))) {
                queued[n] = 1;
                queue[count++] = (int32_t)n;
            }
        }
    };
    for (int64_t k = 0; k < open_count; ++k) {
        visit(open[k], open[k]);
    }
    // visit the queued neighbours: they may lose labels, too, which may queue further triangles
    while (count > 0) {
        const int64_t i = queue[--count];
        queued[i] = 0;
        visit(i, end);
    }
    // remove decided triangles from the list, without branches, because the processor cannot predict which triangles
    // are undecided
    int64_t left_open = 0;
    for (int64_t k = 0; k < open_count; ++k) {
        const int32_t i = open[k];
        open[left_open] = i;
        left_open += !decided(load_set(sets + i));
    }
    return left_open;
}

int64_t eliminate_labels(UnitCosts units, const int32_t* neighbors, int neighbor_count, const LabelTables& tables, int64_t begin,
                         int64_t end, int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued, uint8_t* sets) {
    // three neighbours in a frame, five in a sequence; a constant number lets the compiler unroll the loops
    const auto run = neighbor_count == 3 ? eliminate_labels_of<3> : eliminate_labels_of<5>;
    return run(units, neighbors, tables, begin, end, open, open_count, queue, queued, sets);
}

constexpr LabelKernels kernels = {.label_costs = label_costs,
                                  .round_costs = round_costs,
                                  .round_label_costs = round_label_costs,
                                  .eliminate_labels = eliminate_labels};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::LabelKernels ruckle::LabelKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
