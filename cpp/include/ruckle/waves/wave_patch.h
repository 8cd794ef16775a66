// wave_patch: input of the kernel (SIMD code) that evaluates waves on one coarse face. Formulas: heights.h. Kernels
// read only plain structs.
//
// Example:
//     ruckle::WavePatch patch{};
//     patch.amplitudes[0] = 0.01f;
#pragma once

namespace ruckle {

// One coarse face. v, j and corner are the indices 0 to 2 of its vertices.
struct WavePatch {
    float turns[3][3];  // [v][j] change of the phase from vertex v to vertex j: W_v · (P_j - P_v)
    // φ and φ₂, radians; a, mesh units; d
    float phases[3], fine_phases[3], amplitudes[3], sags[3];
    float gradients[3][3];  // [corner][axis] gradients of the barycentric coordinates on the current face
};

// Shape of the wave profile, constant for all faces: q, o, ρ and the constant term (lift) in heights.h.
struct WaveProfile {
    float sharpness, detail, ratio, offset;
};

}  // namespace ruckle
