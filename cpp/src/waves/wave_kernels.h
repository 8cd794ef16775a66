// Loops of a wave step, compiled once per instruction set (numeric/dispatch.h). All arguments are plain memory.
//
// A vector in the tangent plane of a vertex is two numbers, in the basis of the vertex. A symmetric tensor is (trace,
// difference of its eigenvalues times cos 2β, the same difference times sin 2β), with β the angle of its main axis. If
// the basis is rotated by θ, the last two numbers are rotated by 2θ.
#pragma once

#include <stdint.h>

#include "ruckle/surface/height_block.h"
#include "ruckle/waves/wave_patch.h"

namespace ruckle {

// Number of vertices in a group, which kernels process together.
inline constexpr int wave_group = 8;

// The half edges and the faces at the vertices of a group are stored in rows: a row has one of each vertex, in its lane.
// A half edge points from the vertex to a neighbour. If a vertex has fewer neighbours or faces than others of its group,
// its last entries are padding: vertex V, face T, and zeros. Values that different loops read are in different arrays.

// Faces of a row.
struct WaveFaces {
    int32_t faces[wave_group];
    float shares[wave_group];    // area of the face divided by the area of all faces around the vertex
    float turns[2][wave_group];  // share times cos 2θ, sin 2θ; θ rotates the basis of the face to that of the vertex
};
// Neighbours of a row.
struct WaveEnds {
    int32_t ends[wave_group];
    float turns[2][wave_group];  // cos θ, sin θ; θ rotates the basis of the neighbour to that of the vertex
};
// Edges of a row.
struct WaveEdges {
    float vectors[2][2][wave_group];  // [end][axis] P_j - P_v in the basis of the vertex, of the neighbour; mesh units
};
// Gradients of a row: Σ K d is the gradient of a linear function with differences d along the edges.
struct WaveSlopes {
    float slopes[2][wave_group];  // K, 1 / mesh units
};

// Values that depend only on the rest pose and the options.
struct WaveMesh {
    int64_t vertex_count, face_count, slot_count, row_count;
    // faces (T): inverse of the edge matrix [[u, w], [0, z]] at rest; 0 if the face is degenerate
    const float* inverse_edges[3];
    const int32_t* faces;  // (T, 3) vertices of each face
    // slots (S): vertices sorted by colour, in groups of eight; neighbours have different colours. An empty slot
    // contains vertex V, whose values in WaveScratch are 0.
    const int32_t* slots;
    const int32_t* group_rows;  // (S / 8 + 1) first row of each group
    // rows (R)
    const WaveFaces* faces_around;
    const WaveEnds* ends;
    const WaveEdges* edges;
    const WaveSlopes* slopes;
    const float* keeps;    // (S) 1 / (1 + x), with x the strength of the smoothing
    const float* spreads;  // (S) x / (1 + x), divided by the number of neighbours
    // vertices (V)
    const float* wave_numbers;  // k = 2π / wavelength, 1 / mesh units
    const float* gains;         // factor of √ε in the slope; ε: lost length
    const float* limits;        // factor of amplitudes in [0, 1]: hem factor times paint
    const float* drapes[2];     // influence of gravity and short sleeves on the direction: strength times cos 2β, sin 2β
    const float* bends[2];      // cos, sin of the angle by which irregularity rotates the direction
    const float* reaches;       // longest edge at the vertex, mesh units
};

// State of a garment between frames: arrays with one number per vertex.
struct WaveColumns {
    float* covector[2];  // covector (wave vector) W, 1 / mesh units
    float* phase;        // φ and φ₂, radians in [-π, π]
    float* fine_phase;
    float* amplitude;  // amplitude a, mesh units
    float* tensor[3];  // compression tensor, smoothed over the cloth and in time
    float* pull[2];    // correction of the covector towards the gradient of its phase, 1 / mesh units
};

// Factors for the waves that neighbours predict along the half edges of a row.
struct WaveTurns {
    float waves[4][wave_group];  // real and imaginary part of e^{-iω}, then of e^{-iρω}
    float signs[wave_group];     // -1 if the neighbour's covector has the opposite direction
};

// Intermediate values of one frame. The last rows, for vertex V and for face T, are 0.
struct WaveScratch {
    const float* positions;  // (V, 3) of the frame, mesh units
    const float* remaining;  // (T) share of the area that other layers have not used; null: 1
    float* face_tensors;     // (T + 1, 4) tensor of each face (trace, cos, sin); lost length
    float* sources;          // (V + 1, 4) means of face_tensors around each vertex
    float* tensors;          // (V + 1, 4) smoothed tensor (trace, cos, sin); 0
    // (V + 1, 4) wanted covector (direction of the tensor plus the pull), weight in sums over neighbours, and wanted
    // amplitude
    float* aims;
    float* waves;       // (V + 1, 4) weight times z = e^{iφ}, weight times e^{iφ₂}
    float* next_waves;  // result of a phase sweep: `waves`, or a second buffer (V + 1, 4) in the first frame
    // (V + 1, 4) gradient of the phase differences that the covectors do not explain; agreement with the neighbours'
    // phases in [0, 1]; 0
    float* gradients;
    float* targets;    // (V) wanted amplitude, reduced if the phases of neighbours disagree
    float* weights;    // (S) weight of the slot's vertex in sums over neighbours
    float* totals;     // (S) sum of the neighbours' weights
    WaveTurns* turns;  // (R) predictions along the half edges of each row
};

// The options, and numbers derived from them and from dt.
struct WaveNumbers {
    float r_min, slack, slid_share, resting_share, taut_share, steepest, sharpness, detail, ratio, sag, lift;
    float profile_slope;  // S: root mean square slope of the profile, divided by that of a cosine
    float coherence;      // exponent of the agreement of phases in the amplitude
    float tensor_share, amplitude_share;
    float bound;  // largest change of a height in this step, mesh units
    bool first;
};

// All data of one step of a garment.
struct WaveStep {
    const WaveMesh& mesh;
    WaveNumbers numbers;
    WaveColumns columns;
    WaveScratch scratch;
};

// A stage of a step, for the faces, vertices or slots [begin, end).
using WaveStage = void (*)(const WaveStep& step, int64_t begin, int64_t end);

struct WaveKernels {
    // Faces: writes the compression tensor and the lost length, in the bases of the first edges.
    WaveStage measure_faces;
    // Slots: writes the sources, which are means of the face tensors around the vertices.
    WaveStage gather_tensors;
    // Vertices: writes the tensors from which the smoothing starts: those of the last frame, or the sources in the first
    // frame.
    WaveStage start_tensors;
    // Slots: smooths the tensors S in one sweep S <- (M + x mean S) / (1 + x). M: source; mean S: mean over the
    // neighbours.
    WaveStage smooth_tensors;
    // Vertices: writes waves: z = e^{iφ} and e^{iφ₂} times the weight.
    WaveStage start_waves;
    // Vertices: writes aims: the wanted covectors, weights and amplitudes, from the tensors.
    WaveStage aim;
    // Slots: writes turns: the phase differences along the half edges, from the covectors.
    WaveStage turn;
    // Slots: runs one sweep z <- unit(z + .7 mean of the neighbours' predictions) from `waves` to `next_waves`.
    WaveStage sweep_phases;
    // Makes phases consistent along a tree. Each vertex of `order` gets the phase that its parent predicts along the
    // half edge in `halves`, which is given as 8 row + lane. If this number is -1, the phase does not change.
    void (*follow_tree)(const WaveStep& step, const int32_t* order, const int32_t* halves);
    // Slots: writes gradients: the gradient of the phase differences that covectors do not explain, and the agreement
    // with the neighbours' phases.
    WaveStage compare_phases;
    // Vertices: updates the pull of covectors towards the gradients of their phases. Writes targets: the wanted
    // amplitudes, reduced if the phases of neighbours disagree.
    WaveStage pull_covectors;
    // Vertices: moves covectors, phases and amplitudes as far as the bound allows. Returns the number of limited
    // vertices.
    int64_t (*move)(const WaveStep& step, int64_t begin, int64_t end);
    // Adds the heights of the waves and their gradients at points of a face.
    void (*add_heights)(const WavePatch& patch, const WaveProfile& profile, const HeightBlock& block);

    static const WaveKernels baseline, x86_64_v3;
};

}  // namespace ruckle
