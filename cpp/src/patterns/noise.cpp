#include "ruckle/patterns/noise.h"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "numeric/functions.h"

namespace ruckle {

namespace {

// Number of rounds in which phases are averaged with the phases of their neighbours. More rounds change little.
constexpr int phase_rounds = 4;

// A kernel affects only triangles for which the cosine between their normal and the kernel's normal is above this
// value.
constexpr float least_agreement = 0.3f;

// The cosine waves of all triangles (noise.h), and the triangles that each wave affects.
struct WaveKernels {
    const PatternGrid* grid;
    std::span<const Vector3> waves;
    float reach;
    std::vector<Vector3> centers{}, normals{};  // (T) centre and unit normal of each triangle at rest
    // Triangles that kernel t affects, beginning with its own triangle t: nearby[offsets[t] .. offsets[t + 1]).
    std::vector<std::int32_t> offsets{}, nearby{};

    std::span<const std::int32_t> reached(std::size_t t) const {
        return std::span(nearby).subspan(static_cast<std::size_t>(offsets[t]),
                                         static_cast<std::size_t>(offsets[t + 1] - offsets[t]));
    }
    float weight(const Vector3& offset) const {
        // the weight decreases smoothly to 0, so that a kernel does not cause a step at its boundary
        const float left = std::max(1.0f - offset.squaredNorm() / (reach * reach), 0.0f);
        return left * left;
    }
};

// Computes the centre and the normal of each triangle at rest.
void measure_triangles(WaveKernels& kernels) {
    const auto& rest = kernels.grid->rest;
    for (const Face& f : kernels.grid->topology.faces) {
        kernels.centers.push_back((rest[f[0]] + rest[f[1]] + rest[f[2]]) / 3.0f);
        kernels.normals.push_back((rest[f[1]] - rest[f[0]]).cross(rest[f[2]] - rest[f[0]]).normalized());
    }
}

// Fills offsets and nearby by a breadth-first search across edges, from every triangle. The search continues at
// triangles whose centre is closer than `reach` to that of the first triangle and whose normals agree with its normal
// (least_agreement).
void find_reached(WaveKernels& kernels) {
    const Topology& topology = kernels.grid->topology;
    // start triangle of the last search that visited each triangle, so that marks are never cleared
    std::vector<std::int32_t> seen_from(topology.faces.size(), -1);
    kernels.offsets.push_back(0);
    for (std::int32_t start = 0; start < topology.face_count(); ++start) {
        const auto holds = [&](std::int32_t face) {
            return (kernels.centers[start] - kernels.centers[face]).squaredNorm() < kernels.reach * kernels.reach &&
                   kernels.normals[start].dot(kernels.normals[face]) > least_agreement;
        };
        kernels.nearby.push_back(start);
        seen_from[start] = start;
        for (auto next = static_cast<std::size_t>(kernels.offsets.back()); next < kernels.nearby.size(); ++next) {
            const std::int32_t here = kernels.nearby[next];
            for (const std::int32_t face : topology.face_neighbors[here]) {
                if (face >= 0 && seen_from[face] != start && holds(face)) {
                    seen_from[face] = start;
                    kernels.nearby.push_back(face);
                }
            }
        }
        kernels.offsets.push_back(static_cast<std::int32_t>(kernels.nearby.size()));
    }
}

// Returns the weighted sum of (cos φ, sin φ) over the neighbours of kernel t, with φ the phase of a neighbour's wave at
// the centre of kernel t. The direction of the sum is the mean phase. Zero if kernel t does not have neighbours.
Eigen::Vector2d heard(const WaveKernels& kernels, std::size_t t, std::span<const double> phases) {
    Eigen::Vector2d total(0.0, 0.0);
    const Vector3& own = kernels.waves[t];
    for (const std::int32_t other : kernels.reached(t).subspan(1)) {
        const Vector3& wave = kernels.waves[other];
        const Vector3 offset = kernels.centers[t] - kernels.centers[other];
        // waves do not have a sign: use the sign of the neighbour's wave vector that agrees with the own wave vector
        const float along = own.dot(wave), sign = along < 0.0f ? -1.0f : 1.0f;
        const float agreement = std::abs(along) / std::max(own.norm() * wave.norm(), 1e-30f);
        // phase difference between the centres, with the mean of both wave vectors
        const float step = 0.5f * offset.dot(wave + sign * own);
        const auto [sine, cosine] = sine_and_cosine(sign * (phases[other] + step));
        total += kernels.weight(offset) * agreement * Eigen::Vector2d(cosine, sine);
    }
    return total;
}

// Returns the phases after the alignment of neighbouring waves.
std::vector<double> agreed_phases(const WaveKernels& kernels, std::span<const float> given) {
    std::vector<double> phases(given.begin(), given.end()), next(phases);
    for (int round = 0; round < phase_rounds; ++round) {
        for (std::size_t t = 0; t < phases.size(); ++t) {
            // read the phases of the previous round, so that the result does not depend on the order of the triangles
            const Eigen::Vector2d total = heard(kernels, t, phases);
            next[t] = total == Eigen::Vector2d(0.0, 0.0) ? phases[t] : arc_tangent(total[1], total[0]);
        }
        phases.swap(next);
    }
    return phases;
}

}  // namespace

void wave_heights(const PatternGrid& grid, std::span<const Vector3> waves, std::span<const float> phases, float reach,
                  std::span<float> heights) {
    WaveKernels kernels{.grid = &grid, .waves = waves, .reach = reach};
    measure_triangles(kernels);
    find_reached(kernels);
    const std::vector<double> agreed = agreed_phases(kernels, phases);
    for (std::size_t node = 0; node < heights.size(); ++node) {
        const auto face = static_cast<std::size_t>(grid.node_faces[node]);
        const Face& f = grid.topology.faces[face];
        const Vector3& shares = grid.node_barycentric[node];
        const Vector3 point = shares[0] * grid.rest[f[0]] + shares[1] * grid.rest[f[1]] + shares[2] * grid.rest[f[2]];
        float sum = 0.0f, amount = 1e-9f;
        // if kernel a affects triangle b, kernel b almost always affects triangle a. So the kernels that affect the
        // node's triangle are found in the list of triangles that its own kernel affects
        for (const std::int32_t kernel : kernels.reached(face)) {
            const Vector3 offset = point - kernels.centers[kernel];
            const float weight = kernels.weight(offset);
            if (weight > 0.0f) {
                sum += weight * sine_and_cosine(static_cast<double>(offset.dot(waves[kernel])) + agreed[kernel]).cosine;
                amount += weight;
            }
        }
        heights[node] = sum / amount;
    }
}

}  // namespace ruckle
