// The loops of a wave step, compiled once per instruction set (numeric/dispatch.h). All arguments are plain memory.
//
// A vector in the tangent plane of a vertex is two numbers in the vertex's own basis. A symmetric tensor is (trace; difference of
// its eigenvalues times cos 2β, sin 2β), with β the angle of its main axis. A basis turned by θ turns the last two by 2θ.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"
#include "ruckle/waves/wave_patch.h"

namespace ruckle {

// Values that depend only on the rest pose and the options. A half edge points from a vertex to a neighbour; those of a vertex
// are consecutive.
struct WaveMesh {
    int64_t vertex_count, face_count, edge_count;
    // faces (T): inverse of the edge matrix [[u, w], [0, z]] at rest; 0 if the face has collapsed
    const float* inverse_edges[3];
    const int32_t* faces;  // (T, 3)
    // vertices (V + 1) and their faces (3 T), as Topology
    const int32_t *vertex_offsets, *vertex_faces;
    const float* corner_turns;  // (3 T, 4) share of the area around the vertex; the same times cos 2θ, sin 2θ; 0
    // half edges (H)
    const int32_t *half_offsets, *half_ends;  // (V + 1), (H)
    const float* half_turns;                  // (H, 4) 1, cos 2θ, sin 2θ, 0; θ turns the end's basis into the vertex's
    const float* half_slopes;                 // (H, 2) K: W = Σ K d, with d the differences of a linear function, 1 / mesh units
    // edges (E) from vertex i to j
    const int32_t *edge_vertices, *edge_halves;  // (E, 2) i, j; half edges i -> j, j -> i
    const float* edge_vectors[2][2];             // [end][axis] P_j - P_i in the basis of i, of j; mesh units
    const float* edge_turns[2];                  // cos θ, sin θ
    const int32_t* order;                        // (V) vertices sorted by colour: neighbours have different colours
    // vertices (V)
    const float* wave_numbers;  // k, 1 / mesh units
    const float* gains;         // slope over ε/√ε
    const float* limits;        // factor of amplitudes: hem times paint, in [0, 1]
    const float* drapes[2];     // pull of gravity and of short sleeves on the direction: strength times cos 2β, sin 2β
    const float* bends[2];      // cos, sin of the angle by which the direction is rotated (irregularity)
    const float* keeps;         // 1 / (1 + x) of the smoothing
    const float* spreads;       // x / (1 + x) over the number of neighbours
    const float* reaches;       // longest edge, mesh units
};

// State of a garment between frames: one number per vertex in each array.
struct WaveColumns {
    float* covector[2];  // W, 1 / mesh units
    float* phase;        // φ and φ₂, radians in [-π, π]
    float* fine_phase;
    float* amplitude;  // mesh units
    float* tensor[3];  // smoothed over the cloth and in time
    float* pull[2];    // of the covector toward the gradient of its phase, 1 / mesh units
};

// Values of one frame.
struct WaveScratch {
    const float* positions;  // (V, 3) of the frame, mesh units
    const float* remaining;  // (T), or null
    float* face_tensors;     // (T, 4) trace, cos, sin; lost length
    float* sources;          // (V, 4) the same, means around vertices
    float* tensors;          // (V, 4) smoothed; 0
    float* aims[2];          // (V) wanted covector, from the field and the pull
    float* targets;          // (V) wanted amplitude
    float* weights;          // (V) weight of a vertex in sums of its neighbours
    float* totals;           // (V) sum of the neighbours' weights
    float* waves;            // (V, 4) weight times z = e^{iφ}, e^{iφ₂}
    float* next_waves;       // (V, 4) at birth
    float* edge_waves[3];    // (E) cos ω, -sin ω, sign of the agreement of both covectors
    float* half_waves;       // (H, 4) e^{-iω}, e^{-iρω}
    float* half_signs;       // (H) -1 if the neighbour's covector has the opposite direction
    float* half_rests;       // (H, 2) remaining difference of phases, radians; its cosine times the neighbour's weight
};

// The options, and numbers derived from them and from dt.
struct WaveNumbers {
    float r_min, slack, slid_share, steepest, sharpness, detail, ratio, sag, lift;
    float profile_slope;  // slope of the profile over that of a cosine: S
    float coherence;      // exponent
    float tensor_share, amplitude_share;
    float bound;  // largest change of a height, mesh units
    bool first;
};

struct WaveKernels {
    // Computes compression and its axis of the faces [begin, end), in the bases of their first edges.
    void (*measure_faces)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes the means of these tensors over the faces around the vertices [begin, end).
    void (*gather_tensors)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // One sweep S <- (M + x mean S) / (1 + x) over order[begin .. end).
    void (*smooth_tensors)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes z = e^{iφ} of the vertices [begin, end).
    void (*start_waves)(const WaveColumns& columns, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes the wanted covectors and amplitudes from the tensors.
    void (*aim)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                int64_t begin, int64_t end);
    // Computes the phase differences along the edges [begin, end) from the covectors.
    void (*turn_edges)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveScratch& scratch, int64_t begin, int64_t end);
    // One sweep z <- unit(z + .7 mean of the neighbours' predictions) over order[begin .. end), from `from` to `to`.
    void (*sweep_phases)(const WaveMesh& mesh, const WaveScratch& scratch, const float* from, float* to, int64_t begin,
                         int64_t end);
    // Makes the phases consistent along a tree: each vertex of `order` gets the prediction of its parent along its half edge;
    // with half edge -1, its phase does not change.
    void (*follow_tree)(const WaveMesh& mesh, const WaveScratch& scratch, const int32_t* order, const int32_t* halves);
    // Computes the remaining phase difference of each half edge, and its cosine.
    void (*compare_phases)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Moves covectors toward the gradients of their phases, and reduces amplitudes if phases of neighbours disagree.
    void (*pull_covectors)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns,
                           const WaveScratch& scratch, int64_t begin, int64_t end);
    // Moves covectors, phases and amplitudes as far as the bound allows. Returns the number of vertices that it limited.
    int64_t (*move)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                    int64_t begin, int64_t end);
    // Adds the heights at the points of a face.
    void (*add_heights)(const WavePatch& patch, const WaveProfile& profile, const HeightBlock& block);

    static const WaveKernels baseline, x86_64_v3;
};

}  // namespace ruckle
