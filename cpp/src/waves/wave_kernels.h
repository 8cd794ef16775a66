// Loops of a wave step, compiled once per instruction set (numeric/dispatch.h). All arguments are plain memory.
//
// A vector in the tangent plane of a vertex is two numbers, in the basis of the vertex. A symmetric tensor is (trace,
// difference of its eigenvalues times cos 2β, the same difference times sin 2β), with β the angle of its main axis.
// Rotating the basis by θ rotates the last two numbers by 2θ.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"
#include "ruckle/waves/wave_patch.h"

namespace ruckle {

// Vertices that a kernel processes at the same time.
inline constexpr int wave_group = 8;

// A half edge of each vertex of a group, and a face around it. A half edge points from the vertex to a neighbour. Vertices with
// fewer neighbours or faces than others of their group have vertex V and face T in the last rows, and zeros.
struct WaveRow {
    int32_t faces[wave_group], ends[wave_group];
    float shares[wave_group];         // of the face in the area around the vertex
    float face_turns[2][wave_group];  // the share times cos 2θ, sin 2θ; θ turns the face's basis into the vertex's
    float turns[2][wave_group];       // cos θ, sin θ; θ turns the neighbour's basis into the vertex's
    float vectors[2][2][wave_group];  // [end][axis] P_j - P_v in the basis of the vertex, of the neighbour; mesh units
    float slopes[2][wave_group];      // K: W = Σ K d, with d the differences of a linear function, 1 / mesh units
};

// Values that depend only on the rest pose and the options.
struct WaveMesh {
    int64_t vertex_count, face_count, slot_count, row_count;
    // faces (T): inverse of the edge matrix [[u, w], [0, z]] at rest; 0 if the face has collapsed
    const float* inverse_edges[3];
    const int32_t* faces;  // (T, 3)
    // slots (S): vertices sorted by colour in groups of eight; neighbours have different colours. A slot without a vertex has
    // vertex V, whose values in WaveScratch are 0.
    const int32_t* slots;
    const int32_t* group_rows;  // (S / 8 + 1) first row of each group
    const WaveRow* rows;        // (R)
    const float* keeps;         // (S) 1 / (1 + x) of the smoothing
    const float* spreads;       // (S) x / (1 + x) over the number of neighbours
    // vertices (V)
    const float* wave_numbers;  // k, 1 / mesh units
    const float* gains;         // slope over ε/√ε
    const float* limits;        // factor of amplitudes: hem times paint, in [0, 1]
    const float* drapes[2];     // pull of gravity and of short sleeves on the direction: strength times cos 2β, sin 2β
    const float* bends[2];      // cos, sin of the angle by which the direction is rotated (irregularity)
    const float* reaches;       // longest edge, mesh units
};

// State of a garment between frames: arrays with one number per vertex.
struct WaveColumns {
    float* covector[2];  // W, 1 / mesh units
    float* phase;        // φ and φ₂, radians in [-π, π]
    float* fine_phase;
    float* amplitude;  // mesh units
    float* tensor[3];  // smoothed over the cloth and in time
    float* pull[2];    // correction of the covector towards the gradient of its phase, 1 / mesh units
};

// Waves that the half edges of a row predict from their ends.
struct WaveTurns {
    float waves[4][wave_group];  // e^{-iω}, e^{-iρω}: cosines and sines
    float signs[wave_group];     // -1 if the neighbour's covector has the opposite direction
};

// Values of one frame. Row V of (V + 1) rows, and row T of the faces, are 0.
struct WaveScratch {
    const float* positions;  // (V, 3) of the frame, mesh units
    const float* remaining;  // (T), or null
    float* face_tensors;     // (T + 1, 4) trace, cos, sin; lost length
    float* sources;          // (V + 1, 4) the same, means around vertices
    float* tensors;          // (V + 1, 4) smoothed; 0
    float* aims;             // (V + 1, 4) wanted covector, from the field and the pull; weight in sums of neighbours; amplitude
    float* waves;            // (V + 1, 4) weight times z = e^{iφ}, e^{iφ₂}
    float* next_waves;       // (V + 1, 4) at birth
    float* gradients;        // (V + 1, 4) gradient of the phase less the covector; coherence of neighbours in [0, 1]; 0
    float* targets;          // (V) wanted amplitude, less where neighbours disagree
    float* weights;          // (S) weight of the vertex
    float* totals;           // (S) sum of the neighbours' weights
    WaveTurns* turns;        // (R)
};

// The options, and numbers derived from them and from dt.
struct WaveNumbers {
    float r_min, slack, slid_share, steepest, sharpness, detail, ratio, sag, lift;
    float profile_slope;  // S: mean slope of the profile relative to that of a cosine
    float coherence;      // exponent of the agreement of phases in the amplitude
    float tensor_share, amplitude_share;
    float bound;  // largest change of a height in this step, mesh units
    bool first;
};

struct WaveKernels {
    // Computes compression and its axis for the faces [begin, end), in the bases of their first edges.
    void (*measure_faces)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes the means of these tensors over the faces around the vertices of the slots [begin, end).
    void (*gather_tensors)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // One sweep S <- (M + x mean S) / (1 + x) over the slots [begin, end).
    void (*smooth_tensors)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes z = e^{iφ} for the vertices [begin, end).
    void (*start_waves)(const WaveColumns& columns, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Computes the wanted covectors and amplitudes of the vertices [begin, end) from the tensors.
    void (*aim)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                int64_t begin, int64_t end);
    // Computes the phase differences along the half edges of the slots [begin, end) from the covectors.
    void (*turn)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveScratch& scratch, int64_t begin, int64_t end);
    // One sweep z <- unit(z + .7 mean of the neighbours' predictions) over the slots [begin, end), from `from` to `to`.
    void (*sweep_phases)(const WaveMesh& mesh, const WaveScratch& scratch, const float* from, float* to, int64_t begin,
                         int64_t end);
    // Makes the phases consistent along a tree: each vertex of `order` gets the prediction of its parent along its half edge,
    // 8 (row) + (lane); with half edge -1, its phase does not change.
    void (*follow_tree)(const WaveMesh& mesh, const WaveScratch& scratch, const int32_t* order, const int32_t* halves);
    // Computes the gradients of the remaining phase differences of the slots [begin, end), and the coherence.
    void (*compare_phases)(const WaveMesh& mesh, const WaveScratch& scratch, int64_t begin, int64_t end);
    // Moves covectors towards the gradients of their phases. Reduces amplitudes if the phases of neighbours disagree.
    void (*pull_covectors)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns,
                           const WaveScratch& scratch, int64_t begin, int64_t end);
    // Moves covectors, phases and amplitudes as far as the bound allows. Returns the number of limited vertices.
    int64_t (*move)(const WaveMesh& mesh, const WaveNumbers& numbers, const WaveColumns& columns, const WaveScratch& scratch,
                    int64_t begin, int64_t end);
    // Adds the heights of the waves at points of a face.
    void (*add_heights)(const WavePatch& patch, const WaveProfile& profile, const HeightBlock& block);

    static const WaveKernels baseline, x86_64_v3;
};

}  // namespace ruckle
