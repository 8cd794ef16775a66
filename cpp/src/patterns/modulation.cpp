#include "ruckle/patterns/modulation.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "constants.h"
#include "numeric/dispatch.h"
#include "patterns/modulation_kernel.h"
#include "patterns/modulation_stages.h"

namespace ruckle {

namespace {

// Returns the pointer of a span; null if the span is empty.
const float* start(std::span<const float> values) {
    return values.empty() ? nullptr : values.data();
}

}  // namespace

std::vector<float> triangle_blocks(const Moments& moments) {
    const auto rows = static_cast<std::size_t>(block_rows(moments.pattern_count)), faces = moments.areas.size();
    const std::size_t products = moments.values.size() / std::max<std::size_t>(faces, 1), first_product = rows - products;
    std::vector<float> blocks((faces + block_triangles - 1) / block_triangles * rows * block_triangles);
    for (std::size_t face = 0; face < faces; ++face) {
        float* block = blocks.data() + face / block_triangles * rows * block_triangles + face % block_triangles;
        // compare_with writes all rows that depend on the reference: 0 to 4, and 6 to 5 + 2 K for K patterns
        block[5 * block_triangles] = moments.areas[face];
        for (std::size_t k = 0; k < products; ++k) {
            // `upright` reduces the squared slopes: heights are along interpolated normals, which are not perpendicular
            // to the triangle
            block[(first_product + k) * block_triangles] = moments.values[k * faces + face] * moments.upright[face];
        }
    }
    return blocks;
}

void compare_with(std::span<const Vector3> reference, const Moments& moments, std::span<float> blocks) {
    assert(reference.size() == moments.rest.size());
    ReferenceTriangles triangles{moments.pattern_count, reinterpret_cast<const float*>(reference.data()), {}, blocks.data()};
    for (std::size_t k = 0; k < moments.mean_square.size(); ++k) {
        // squared slope at which the presence of a pattern is 1/2; presence_slope is relative to the pattern's root
        // mean square slope
        triangles.least_squares[k] = presence_slope * presence_slope * moments.mean_square[k];
    }
    kernels<ModulationKernels>().measure_reference(triangles, 0, moments.face_count());
}

ModulatedTriangles modulated_triangles(std::span<const float> blocks, std::span<const Vector3> current, const Moments& moments) {
    assert(current.size() == moments.rest.size());
    ModulatedTriangles triangles{};
    // the caller sets further pointers. Outputs whose pointer is null are not computed; inputs whose pointer is null
    // are computed by the kernel
    triangles.pattern_count = moments.pattern_count;
    triangles.face_count = moments.face_count();
    triangles.blocks = blocks.data();
    triangles.current = reinterpret_cast<const float*>(current.data());
    triangles.bend = moments.bend.data();
    return triangles;
}

TargetNumbers target_numbers(const TargetOptions& options) {
    // the kernel computes squared areas, so square the options here, once
    const float share = 1.0f - options.slack;
    return {options.rest_slope * options.rest_slope, share * share, options.conserve_length};
}

namespace {

// Returns the blocks for a given reference shape.
std::vector<float> compared_blocks(std::span<const Vector3> reference, const Moments& moments) {
    std::vector<float> blocks = triangle_blocks(moments);
    compare_with(reference, moments, blocks);
    return blocks;
}

}  // namespace

void fold_weights(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments, float sharpness,
                  std::span<float> weights) {
    assert(weights.size() == static_cast<std::size_t>(moments.pattern_count) * rest.size());
    const std::vector<float> blocks = compared_blocks(rest, moments);
    ModulatedTriangles triangles = modulated_triangles(blocks, current, moments);
    triangles.sharpness = sharpness;
    triangles.weights = weights.data();
    // this kernel computes all stages, but skips results whose pointers are null
    kernels<ModulationKernels>().modulate(triangles, 0, triangles.face_count);
}

void target_area(std::span<const Vector3> rest, std::span<const Vector3> current, const Moments& moments,
                 std::span<const float> weights, const TargetOptions& options, std::span<float> targets) {
    assert(targets.size() == rest.size());
    const std::vector<float> blocks = compared_blocks(rest, moments);
    ModulatedTriangles triangles = modulated_triangles(blocks, current, moments);
    triangles.given_weights = start(weights);
    triangles.target = target_numbers(options);
    triangles.targets = targets.data();
    kernels<ModulationKernels>().modulate(triangles, 0, triangles.face_count);
}

void ModulationWorkspace::resize(int face_count, int vertex_count, int pattern_count) {
    const auto faces = static_cast<std::size_t>(face_count), vertices = static_cast<std::size_t>(vertex_count);
    // rows have four numbers for any number of patterns: a kernel reads a row with one load, and a shader with one
    // texel
    demands.resize(8 * faces);
    energies.resize(static_cast<std::size_t>(energy_rows(pattern_count)) * ((faces + block_triangles - 1) / block_triangles) *
                    block_triangles);
    reached.resize(2 * faces);
    weights.resize(4 * vertices);
    limits.resize(4 * vertices);
    factors.resize(4 * vertices);
    largest.resize(4 * vertices);
}

void pad_limits(std::span<const float> limits, int vertex_count, int pattern_count, std::span<float> rows) {
    // a limit without effect; its product with a weight is finite, because weights are at most 1
    constexpr float none = std::numeric_limits<float>::max();
    for (int v = 0; v < vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            rows[static_cast<std::size_t>(4 * v + k)] = k >= pattern_count ? 0.0f
                                                        : limits.empty()
                                                            ? none
                                                            : limits[static_cast<std::size_t>(v * pattern_count + k)];
        }
    }
}

void gather(const Topology& topology, const Moments& moments, int corrections, ModulationWorkspace& workspace, ThreadPool* pool) {
    const ModulatedVertices vertices{topology.vertex_offsets.data(), topology.vertex_faces.data(), workspace.demands.data(),
                                     workspace.largest.data(),       workspace.weights.data(),     workspace.limits.data(),
                                     workspace.factors.data()};
    const ReachedTriangles triangles{moments.pattern_count,    workspace.energies.data(),
                                     moments.bend.data(),      reinterpret_cast<const std::int32_t*>(topology.faces.data()),
                                     workspace.factors.data(), workspace.reached.data()};
    // passes over triangles and over vertices alternate. A vertex reads the results of its triangles, so that two
    // threads never add to the same sum
    const std::int64_t face_count = topology.face_count();
    for_chunks(pool, topology.vertex_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        kernels<ModulationKernels>().gather_factors(vertices, begin, end);
    });
    // if neighbouring triangles have different targets, the interpolated factors do not reach the target areas: compute
    // the missing areas and correct the factors
    for (int round = 0; round < corrections; ++round) {
        for_chunks(pool, face_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
            kernels<ModulationKernels>().reached(triangles, begin, end);
        });
        for_chunks(pool, topology.vertex_count, parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
            kernels<ModulationKernels>().correct_factors(vertices, workspace.reached.data(), begin, end);
        });
    }
}

void modulation(std::span<const Vector3> current, const Moments& moments, std::span<const float> weights,
                std::span<const float> targets, std::span<const float> excess, const Topology& topology,
                std::span<const float> largest, int corrections, ModulationWorkspace& workspace, std::span<float> factors) {
    // this call does nothing if the mesh size and the number of patterns are unchanged
    workspace.resize(topology.face_count(), topology.vertex_count, moments.pattern_count);
    pad_limits(largest, topology.vertex_count, moments.pattern_count, workspace.largest);
    const std::vector<float> blocks = compared_blocks(moments.rest, moments);
    ModulatedTriangles triangles = modulated_triangles(blocks, current, moments);
    triangles.given_weights = start(weights);
    triangles.given_target = start(targets);
    triangles.given_excess = start(excess);
    triangles.demands = workspace.demands.data();
    triangles.energies = workspace.energies.data();
    kernels<ModulationKernels>().modulate(triangles, 0, triangles.face_count);
    gather(topology, moments, corrections, workspace, nullptr);
    for (int v = 0; v < topology.vertex_count; ++v) {
        // copy the factors without the padding of the rows
        std::copy_n(workspace.factors.data() + 4 * v, moments.pattern_count, factors.data() + v * moments.pattern_count);
    }
}

}  // namespace ruckle
