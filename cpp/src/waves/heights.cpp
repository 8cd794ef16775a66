#include "ruckle/waves/heights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Geometry>

#include "numeric/dispatch.h"
#include "numeric/packing.h"
#include "waves/wave_limits.h"
#include "waves/wave_rest.h"

namespace ruckle {

WaveHeights::WaveHeights(const WaveField& field)
    : rest_(field.rest()),
      positions_(rest_->positions),
      patches_(rest_->topology->faces.size()),
      vertices_(positions_.size(), WaveVertex{Vector3::Zero(), 0.0f, 0.0f, 0.0f}),
      before_(vertices_),
      bends_(rest_->topology->faces.size(), -1.0f) {}

float WaveHeights::edge_length() const {
    return *rest_->options.wavelength / (6.0f * fine_ratio);
}
int WaveHeights::face_count() const {
    return rest_->topology->face_count();
}

void WaveHeights::mix(std::span<const WaveVertex> later, float share) {
    later_.assign(later.begin(), later.end());
    share_ = share;
    constexpr float pi = std::numbers::pi_v<float>;
    const auto shorter = [share](float from, float to) {
        const float turn = to - from;
        return from + share * (turn > pi ? turn - 2.0f * pi : turn < -pi ? turn + 2.0f * pi : turn);
    };
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        const WaveVertex &from = before_[v], &to = later_[v];
        vertices_[v] = {from.covector + share * (to.covector - from.covector), shorter(from.phase, to.phase),
                        shorter(from.fine_phase, to.fine_phase), from.amplitude + share * (to.amplitude - from.amplitude)};
    }
    measure_patches();
}

void WaveHeights::update(std::span<const Vector3> positions, std::span<const WaveVertex> vertices) {
    assert(positions.size() == positions_.size() && vertices.size() == vertices_.size());
    std::ranges::copy(vertices, before_.begin());
    show(positions);
}

void WaveHeights::update(std::span<const Vector3> positions, const WaveField& field) {
    assert(positions.size() == positions_.size() && field.rest_positions().size() == vertices_.size());
    field.write_vertices(before_);
    show(positions);
}

// Sets the positions, and the state before_ without a later state.
void WaveHeights::show(std::span<const Vector3> positions) {
    std::ranges::copy(positions, positions_.begin());
    vertices_ = before_;
    share_ = 0.0f;
    measure_patches();
}

// Returns bounds of the heights in this frame. With the options q = sharpness and o = detail, the profile without lift is
// in [-1 - sag - o, 1 + 2 q + sag + o].
HeightRange WaveHeights::range() const {
    const WaveOptions& o = rest_->options;
    const float lower = 1.0f + o.sag + o.detail, offset = profile()[3];
    float amplitude = 0.0f;
    for (const WaveVertex& vertex : vertices_) {
        amplitude = std::max(amplitude, vertex.amplitude);
    }
    const float upper = lower + 2.0f * o.sharpness;
    return {amplitude * std::max(upper + offset, 0.0f), amplitude * std::max(lower - offset, 0.0f)};
}

void WaveHeights::measure_patches() {
    const WaveOptions& o = rest_->options;
    // largest second derivative of the profile
    const float bend = 1.0f + 4.0f * (o.sharpness + o.sag) + fine_ratio * fine_ratio * o.detail;
    for (std::size_t face = 0; face < patches_.size(); ++face) {
        const Face& f = rest_->topology->faces[face];
        WavePatch& patch = patches_[face];
        const Vector3 normal = (positions_[f[1]] - positions_[f[0]]).cross(positions_[f[2]] - positions_[f[0]]);
        const float square = normal.squaredNorm();
        // the slope is 0 on a degenerate face
        const float inverse = square > std::numeric_limits<float>::min() ? 1.0f / square : 0.0f;
        float highest = 0.0f, longest = 0.0f;
        for (int v = 0; v < 3; ++v) {
            const WaveVertex& own = vertices_[f[v]];
            for (int j = 0; j < 3; ++j) {
                // products are summed in the order of the shader, so that both get equal bits
                const Vector3 way = rest_->positions[f[j]] - rest_->positions[f[v]];
                patch.turns[v][j] = own.covector[0] * way[0] + own.covector[1] * way[1] + own.covector[2] * way[2];
            }
            const float length = own.covector.norm();
            patch.phases[v] = own.phase, patch.fine_phases[v] = own.fine_phase;
            patch.amplitudes[v] = own.amplitude;
            patch.sags[v] = length > 0.0f ? -o.sag * own.covector[1] / length : 0.0f;
            const Vector3 across = inverse * normal.cross(positions_[f[(v + 2) % 3]] - positions_[f[(v + 1) % 3]]);
            std::copy_n(across.data(), 3, patch.gradients[v]);
            highest = std::max(highest, own.amplitude), longest = std::max(longest, length);
        }
        // a bend of -1 marks a face without visible heights
        bends_[face] = highest > 0.0f ? highest * longest * longest * bend : -1.0f;
    }
}

void WaveHeights::add_heights(const HeightBlock& block) const {
    const auto [sharpness, detail, sag, offset] = profile();
    kernels<WaveKernels>().add_heights(patches_[block.face], {sharpness, detail, fine_ratio, offset}, block);
}

void WaveHeights::measure_gains(std::span<float> gains) const {
    const float square = profile_slope_square(rest_->options);
    std::ranges::transform(patches_, gains.begin(), [=](const WavePatch& patch) {
        float sum = 0.0f;
        for (int v = 0; v < 3; ++v) {
            Vector3 slope = Vector3::Zero();
            for (int j = 0; j < 3; ++j) {
                const float* const gradient = patch.gradients[j];
                slope += patch.turns[v][j] * Vector3(gradient[0], gradient[1], gradient[2]);
            }
            // mean over a wave of a cosine's squared slope: half of (amplitude · wave number)²
            sum += 0.5f * square * patch.amplitudes[v] * patch.amplitudes[v] * slope.squaredNorm();
        }
        return std::sqrt(1.0f + sum / 3.0f) - 1.0f;
    });
}

std::size_t WaveHeights::rest_texel_count() const {
    return rest_->topology->faces.size() + vertices_.size();
}
void WaveHeights::write_rest_texels(std::span<std::array<float, 4>> table) const {
    // the conversion is exact, because float32 represents integers up to 2^24
    const auto number = [](std::int32_t v) { return static_cast<float>(v); };
    const auto next = std::ranges::transform(rest_->topology->faces, table.begin(), [&](const Face& f) {
        return std::array{number(f[0]), number(f[1]), number(f[2]), 0.0f};
    });
    std::ranges::transform(rest_->positions, next.out, [](const Vector3& p) { return std::array{p[0], p[1], p[2], 0.0f}; });
}
std::array<float, 4> WaveHeights::profile() const {
    const WaveOptions& o = rest_->options;
    return {o.sharpness, o.detail, o.sag, o.lift * (1.0f - 2.0f * o.sharpness + o.detail)};
}

std::array<Word, texel_words> texel_of(const WaveVertex& vertex) {
    const Vector3& w = vertex.covector;
    return {halves(w[0], w[1]), halves(w[2], vertex.amplitude), word_of(vertex.phase), word_of(vertex.fine_phase)};
}

void WaveHeights::append_texels(std::vector<Word>& table) const {
    const auto append = [&table](const std::vector<WaveVertex>& vertices) {
        for (const WaveVertex& vertex : vertices) {
            const auto texel = texel_of(vertex);
            table.insert(table.end(), texel.begin(), texel.end());
        }
    };
    append(before_);
    if (share_ > 0.0f) {
        append(later_);
    }
}

}  // namespace ruckle
