// Input of the kernel that evaluates waves on one coarse face (heights.h). Plain memory, as all data of kernels.
//
// Example:
//     ruckle::WavePatch patch{};
//     patch.amplitudes[0] = 0.01f;
#pragma once

namespace ruckle {

// A coarse face during evaluation (heights.h).
struct WavePatch {
    float turns[3][3];  // [v][j] W_v · (P_j - P_v)
    float phases[3], fine_phases[3], amplitudes[3], sags[3];
    float gradients[3][3];  // [corner][axis] of the barycentric coordinates on the current face
};

// The shape of a wave, the same everywhere.
struct WaveProfile {
    float sharpness, detail, ratio, offset;
};

}  // namespace ruckle
