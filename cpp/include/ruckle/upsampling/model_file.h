// model_file: reads the model that `ruckle train` has learnt from the bytes of its file.
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
    int coarse_vertex_count = 0;          // M
    std::vector<float> rows{};            // (N, M)
    std::vector<Face> coarse_faces{};     // (T)
    std::vector<Face> fine_faces{};       // (F)
    std::vector<std::int32_t> holders{};  // (N) the coarse face that holds each fine vertex at rest
    std::vector<Vector3> barycentric{};   // (N) barycentric coordinates in that face, for texture coordinates and skin weights
    std::vector<float> attachment{};      // (N)
    std::vector<float> oscillations{};    // (2P, N) mesh units
    std::vector<float> frequencies{};     // (P) Hz
    // Arrays of a file with neural detail, described at DetailModel; otherwise empty.
    std::vector<std::int32_t> detail_grids{};  // rows, columns, fine rows, fine columns, closed
    std::vector<Vector3> coarse_rest{};        // (M) mesh units
    std::vector<float> detail_feature_mean{}, detail_feature_size{}, detail_first{}, detail_first_bias{}, detail_second{},
        detail_second_bias{}, detail_patches{}, detail_mean{}, detail_gains{};

    // Returns the input of an Upsampler. Its spans are views of these arrays.
    UpsamplingModel model() const;
};

// Throws FileError with one sentence if the bytes are not such a file, are incomplete, or contain arrays of inconsistent
// shapes. The values in the arrays are checked by the Upsampler.
UpsamplingFile read_upsampling_file(std::span<const std::byte> file);

}  // namespace ruckle
