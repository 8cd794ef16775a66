// The loops over all triangles, compiled once per instruction set and chosen once per process.
//
// Each works on the triangles [begin, end) of whole arrays, so that threads can share them. Arrays are plain memory
// because the kernels must not instantiate inline code that the linker could share (see lanes.h); their shapes and
// meaning are those of the stage headers.
#pragma once

#include <stdint.h>

namespace ruckle {

// As StretchSpans; a null pointer leaves the result out.
struct StretchArrays {
    float* min;
    float* max;
    float* compression;
    float* axis;
    uint8_t* degenerate;
};

// The constants of the costs, made for exponents to base 2.
struct CostFactors {
    float rest;      // -log2(e) / (2 σ²)
    float blend;     // -log2(e) / (4 σ²)
    float alpha;     // -log2(e) α
    float beta;      // -log2(e) β
    float exponent;  // (1/30) / dt
};

// What the costs are computed from; degenerate may be null.
struct CostInputs {
    const float* compression;
    const float* max;
    const uint8_t* degenerate;
    CostFactors factors;
};

// Lanes of the widest kernels.
inline constexpr int most_lanes = 8;

// Labels are struck out per pair (l, m) of different labels: l by m.
inline constexpr int label_pair_count = 6;
inline constexpr int label_pairs[label_pair_count][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};

// A set of labels still possible is a byte, bit l for label l; 0 stands for no triangle at all.
inline constexpr int label_set_count = 8;
inline constexpr uint8_t all_labels = 7;

// What striking out needs to know of the pairwise costs, in units.
struct LabelTables {
    float scale;       // units per cost
    float limit;       // units at which a cost is cut off
    int32_t order[3];  // column of the costs that holds label l of the solver
    // temporal[l][p]: cost of the solver's label l when the user's previous label was p; padded to 8
    alignas(32) int32_t temporal[3][8];
    // least[S][(l, m)]: the least of B(l, k) - B(m, k) over the labels k in the set S of a neighbour; padded to 8
    alignas(32) int32_t least[label_set_count][8];
};

// Unary costs of the labels 0, 1, 2 of the solver, one array each.
struct UnitCosts {
    int32_t* of[3];
};

// Of paths: paths/balls.h, paths/carrier_arrays.h, paths/path_patch.h, paths/moving_line.h, paths/path_columns.h,
// paths/path_cover.h.
struct DistanceTriangle;
struct BallBlock;
struct MetBalls;
struct CarrierArrays;
struct PathPatch;
struct MovingLine;
struct LinePoints;
struct ProfileRow;
struct PathColumns;
struct PathCover;
struct SeedCover;
// Of the surface: ruckle/surface/height_block.h, surface/normal_arrays.h, surface/patch.h.
struct HeightBlock;
struct NormalArrays;
struct Patch;
struct PatchPoints;
// Of the cloth simulator: simulation/sweeps.h, simulation/contact_kernels.h, simulation/block_kernels.h.
struct SweepKernels;
struct ContactKernels;
struct BlockKernels;

// Of modulated patterns: patterns/pattern_patch.h, patterns/modulation_kernel.h.
struct PatternPatch;
struct ModulatedTriangles;
struct ReferenceTriangles;
struct ReachedTriangles;
struct ModulatedVertices;
struct FollowedVertices;

// Of wrinkle waves: waves/wave_kernels.h.
struct WaveKernels;

// Of learned upsampling: upsampling/operator_kernel.h, upsampling/system_kernel.h.
struct OperatorBlocks;
struct OperatorProduct;
struct DenseProduct;
struct DetailRow;
struct SymmetricSystem;
// Of pose space: pose_space/detail_kernel.h.
struct DetailTerm;
struct BoundVertices;

struct Kernels {
    const char* name;
    void (*edge_matrices)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* matrices);
    void (*stretch)(const float* reference, const float* current, StretchArrays result, int64_t begin, int64_t end);
    void (*label_costs)(const CostInputs& inputs, int64_t begin, int64_t end, float* costs);
    void (*update_reference)(const float* reference, const float* current, const uint8_t* labels, float relaxation,
                             float* updated, StretchArrays field, int64_t begin, int64_t end);
    // Rounds costs to units, strikes out the labels that lose against any neighbours, and lists the triangles that are
    // still open from open[begin] on; returns their number. previous may be null.
    int64_t (*round_costs)(const float* costs, const uint8_t* previous, const LabelTables& tables, int neighbor_count,
                           int64_t begin, int64_t end, UnitCosts units, uint8_t* sets, int32_t* open);
    // The same for costs that label_costs would give, without writing them down.
    int64_t (*round_label_costs)(const CostInputs& inputs, const uint8_t* previous, const LabelTables& tables, int neighbor_count,
                                 int64_t begin, int64_t end, UnitCosts units, uint8_t* sets, int32_t* open);
    // Strikes labels out of the open triangles of [begin, end) again and again, until no neighbour's set helps any
    // further; returns the number of triangles still open, which open lists afterwards. Sets outside the range are read,
    // and may shrink meanwhile in another thread: sets only shrink, and a larger set never strikes out too much. queue
    // is scratch for end - begin indices; queued (T) is all 0 before and after. neighbors has neighbor_count per
    // triangle, -1 where there is none; sets[-1] must be 0.
    int64_t (*strike_out)(UnitCosts units, const int32_t* neighbors, int neighbor_count, const LabelTables& tables, int64_t begin,
                          int64_t end, int32_t* open, int64_t open_count, int32_t* queue, uint8_t* queued, uint8_t* sets);
    // Which of up to 64 balls meet a triangle, and from which it turns away; the rest of the last block may hold anything.
    MetBalls (*meeting_balls)(const DistanceTriangle& triangle, const BallBlock* blocks, int count);
    // What takes gradients at rest to the cloth now: of the listed faces [begin, end), then of the listed vertices [begin, end).
    void (*carry_faces)(const CarrierArrays& arrays, int64_t begin, int64_t end);
    void (*gather_carriers)(const CarrierArrays& arrays, int64_t begin, int64_t end);
    // Adds the heights of the lines that reach a coarse triangle.
    void (*add_path_heights)(const PathPatch& patch, const HeightBlock& block);
    // The same of modulated patterns.
    void (*add_pattern_heights)(const PatternPatch& patch, const HeightBlock& block);
    // Normals of the faces [begin, end) and of their corners; then of the vertices [begin, end) from the corners around them.
    void (*weigh_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);
    void (*gather_normals)(const NormalArrays& arrays, int64_t begin, int64_t end);
    // Positions and normals from heights and gradients; count may be rounded up to a multiple of point_block.
    void (*finish_patch)(const Patch& patch, const PatchPoints& points, int64_t count);
    // For tables (numeric/packing.h): a share of each value times the factor; of each vertex four words, its position and the direction
    // of its normal.
    void (*pack_shares)(const float* values, float factor, uint32_t* shares, int64_t count);
    void (*pack_vertices)(const float* positions, const float* normals, uint32_t* words, int64_t count);
    // True when every value is finite.
    bool (*all_finite)(const float* values, int64_t count);
    const SweepKernels* cloth;
    const ContactKernels* contact;
    const BlockKernels* block;
    // The products E, F, G of the edges from vertex 0 of each triangle.
    void (*gram)(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* grams);
    // What the deformation of each triangle is measured by, from the gram of its reference.
    void (*measure_reference)(const ReferenceTriangles& triangles, int64_t begin, int64_t end);
    // What each triangle asks of the patterns, which of them are to answer, and what they offer.
    void (*modulate)(const ModulatedTriangles& triangles, int64_t begin, int64_t end);
    // The area that factors, linear over each triangle, leave missing in it, and how fast they mend it.
    void (*reached)(const ReachedTriangles& triangles, int64_t begin, int64_t end);
    // Factors of the vertices [begin, end) from the triangles around them, and their correction by what they reached.
    void (*gather_factors)(const ModulatedVertices& vertices, int64_t begin, int64_t end);
    void (*correct_factors)(const ModulatedVertices& vertices, const float* reached, int64_t begin, int64_t end);
    void (*follow_factors)(const FollowedVertices& vertices, int64_t begin, int64_t end);
    // Fine positions of the blocks [begin, end) of the learned operator's rows.
    void (*multiply_operator)(const OperatorProduct& product, int64_t begin, int64_t end);
    // A product with weights that all rows share, and one row of the fine grid with what the network adds to it.
    void (*multiply_dense)(const DenseProduct& product);
    void (*add_detail)(const DetailRow& row);
    // Solves a symmetric system for its right-hand sides; false where it is not positive, and rows hold nothing of use.
    bool (*solve_system)(const SymmetricSystem& system);
    // Adds what a joint's samples say to the details of some blocks of vertices.
    void (*add_details)(const DetailTerm& term, int64_t count, const float* before, float* details);
    // Puts the fine vertices [begin, end), multiples of detail_lanes, over the coarse cloth; returns how many found no turn there.
    int64_t (*place_vertices)(const BoundVertices& vertices, int64_t begin, int64_t end);
    // Unit normals (V, 3) of positions (V, 4), weighted by the areas of the faces around; of_faces (F, 4) is overwritten. Vertex v has
    // the faces vertex_faces[offsets[v] .. offsets[v + 1]).
    void (*area_normals)(const float* positions, const int32_t* faces, int64_t face_count, const int32_t* offsets,
                         const int32_t* vertex_faces, int64_t vertex_count, float* of_faces, float* normals);
    // Moves the samples of a drawn line toward its path.
    void (*move_line)(MovingLine& line);
    // Smooths and shapes the points of a path's line; false where the wrinkle is higher than the table of heights tells.
    bool (*shape_line)(const LinePoints& line);
    // Width and height along a wrinkle, of whole blocks of most_lanes; false where something lies beyond the table.
    bool (*spread_profile)(const ProfileRow& profile, const float* along, int64_t count, float* widths, float* heights);
    // What the energy of a path asks of its vertices.
    void (*measure_path)(PathColumns& path);
    // The first segment of a path that covers a point (3); -1: none does.
    int32_t (*covering_segment)(const PathCover& path, const float* point);
    // Whether a path covers more than half of the vertices of another one, of which only these are read.
    bool (*covers_most)(const PathCover& path, const PathCover& asked);
    // Whether each seed point is covered by its segment.
    bool (*covers_seeds)(const SeedCover& seeds);
    // How many rows a block of `multiply_operator` has.
    const OperatorBlocks* operator_blocks;
    const WaveKernels* waves;
};

// The fastest kernels that this processor runs. The environment variable RUCKLE_INSTRUCTION_SET may name a lesser set.
const Kernels& kernels();

}  // namespace ruckle
