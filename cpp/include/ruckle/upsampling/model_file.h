// model_file: reads a model file that `ruckle train` has written, from bytes in memory.
//
// Files are NPZ archives without compression. python/ruckle/upsampling/model.py lists their arrays.
//
// Example:
//     const ruckle::UpsamplingFile file = ruckle::read_upsampling_file(bytes);  // of skirt.upsampling.npz
//     ruckle::Upsampler upsampler(file.model());
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/upsampling/upsampler.h"

namespace ruckle {

struct UpsamplingFile {
    int coarse_vertex_count = 0;          // M, number of coarse vertices
    std::vector<float> rows{};            // (N, M) learned matrix
    std::vector<Face> coarse_faces{};     // (T) faces of the coarse mesh
    std::vector<Face> fine_faces{};       // (F) faces of the fine mesh
    std::vector<std::int32_t> holders{};  // (N) coarse face that contains each fine vertex at rest
    std::vector<Vector3> barycentric{};   // (N) barycentric coordinates in that face, for texture coordinates and skin weights
    // (N) in [0, 1]: weight of the pin (target position) of each vertex
    std::vector<float> attachment{};
    std::vector<float> oscillations{};  // (2P, N) mesh units: shapes of the oscillations
    std::vector<float> frequencies{};   // (P) Hz: frequencies of the oscillations
    // Arrays of the neural detail. DetailModel (neural_detail.h) describes them. Empty if the model has no network.
    std::vector<std::int32_t> detail_grids{};  // (5) rows, columns, fine rows, fine columns; 1 if closed, else 0
    std::vector<Vector3> coarse_rest{};        // (M) mesh units: coarse positions at rest
    std::vector<float> detail_feature_mean{}, detail_feature_size{}, detail_first{}, detail_first_bias{}, detail_second{},
        detail_second_bias{}, detail_patches{}, detail_mean{}, detail_gains{};

    // Returns the model for an Upsampler. Its spans refer to these arrays, so this object must exist until the
    // Upsampler is constructed.
    UpsamplingModel model() const;
};

// Throws FileError with one sentence if the bytes are not a model file, are incomplete, or contain arrays of
// inconsistent shapes. The Upsampler checks the values in the arrays.
UpsamplingFile read_upsampling_file(std::span<const std::byte> file);

}  // namespace ruckle
