// Kernels of labelling: they compute the unary costs of labels (thesis 4.1.2, equations 4.4 to 4.7), and eliminate
// labels that cannot be optimal. A label of a triangle is eliminated if another label costs less for all remaining
// labels of the neighbours. The elimination uses costs rounded to integer units.
#pragma once

#include <stdint.h>

namespace ruckle {

// Constant factors of the unary costs (4.4 to 4.7), for exponentials with base 2.
struct CostFactors {
    float rest;      // factor of the exponent in the cost of rest: -log2(e) / (2 σ²)
    float blend;     // factor of the exponent of the blend between the two exponentials: -log2(e) / (4 σ²)
    float alpha;     // factor of the exponent of the slower exponential: -log2(e) α
    float beta;      // factor of the exponent of the faster exponential: -log2(e) β
    float exponent;  // (1/30 s) / dt: exponent that converts a stretch over dt to a stretch over 1/30 s
};

// Inputs of the unary costs: results of stretch(), one value per triangle (label.h). degenerate may be null.
struct CostInputs {
    const float* compression;
    const float* max;
    const uint8_t* degenerate;
    CostFactors factors;
};

// Pairs of labels that are compared. In the pair (l, m), label m eliminates label l if m always costs less.
inline constexpr int label_pair_count = 6;
inline constexpr int label_pairs[label_pair_count][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};

// Number of possible sets of labels. Bit l is set if label l remains. The empty set marks a missing neighbour.
inline constexpr int label_set_count = 8;
inline constexpr uint8_t all_labels = 7;

// Tables for the rounding and elimination of labels, computed from the pairwise costs.
struct LabelTables {
    float scale;       // number of units per 1 of the user's costs
    float limit;       // largest rounded cost, units; larger costs are clamped
    int32_t order[3];  // for each label of the solver, the user's label: column of the unary costs
    // temporal[l][p]: cost of the link to the previous frame between the solver's label l now and the user's label p in
    // the previous frame; padded to 8 numbers per row
    alignas(32) int32_t temporal[3][8];
    // least[S][(l, m)]: minimum of B(l, k) - B(m, k) over the labels k in the set S of a neighbour; padded to 8 numbers
    // per row
    alignas(32) int32_t least[label_set_count][8];
};

// Unary costs in units: one array of all triangles for each label 0, 1, 2 of the solver.
struct UnitCosts {
    int32_t* of[3];
};

struct LabelKernels {
    // Writes the unary costs (4.4 to 4.7) of the triangles [begin, end) to costs (T, 3); all 0 for collapsed triangles.
    void (*label_costs)(const CostInputs& inputs, int64_t begin, int64_t end, float* costs);
    // Rounds unary costs (T, 3) to units, and adds the costs of links to previous labels (T, user's order; may be
    // null). Writes the set of labels that can be optimal for some labels of the neighbours. Writes triangles with
    // several such labels to open, from open[begin] on, and returns their number.
    int64_t (*round_costs)(const float* costs, const uint8_t* previous, const LabelTables& tables, int neighbor_count,
                           int64_t begin, int64_t end, UnitCosts units, uint8_t* sets, int32_t* open);
    // Like round_costs, for the costs that label_costs would compute. The costs are not stored.
    int64_t (*round_label_costs)(const CostInputs& inputs, const uint8_t* previous, const LabelTables& tables, int neighbor_count,
                                 int64_t begin, int64_t end, UnitCosts units, uint8_t* sets, int32_t* open);
    // Eliminates labels of the undecided triangles in [begin, end) until the sets of the neighbours do not allow any
    // further elimination. Updates sets and `open`. Returns the number of triangles that are still undecided; they are
    // the first entries of `open`. Another thread may reduce sets outside the range at the same time: sets never grow,
    // and a set that is read too early only prevents an elimination. queue is scratch memory for end - begin indices.
    // queued (T) contains marks that are 0 before and after the call. neighbors has neighbor_count entries per
    // triangle, -1 for none; sets[-1] must be 0.
    int64_t (*eliminate_labels)(UnitCosts units, const int32_t* neighbors, int neighbor_count, const LabelTables& tables,
                                int64_t begin, int64_t end, int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued,
                                uint8_t* sets);

    static const LabelKernels baseline, x86_64_v3;
};

}  // namespace ruckle
