// Functions of the C interface for modulated patterns (ruckle_c_patterns.h).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "patterns/modulator_c.h"
#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/ruckle_c_patterns.h"

struct ruckle_pattern_grid {
    ruckle::PatternGrid core;
};

namespace {

using namespace ruckle::c;

std::size_t face_count_of(const ruckle_modulator& modulator) {
    return modulator.core.grid().topology.faces.size();
}

// Returns RUCKLE_NOT_FINITE with a message that names the invalid number, after the core has rejected the input.
ruckle_status fail_numbers(std::span<const ruckle::Vector3> positions, std::span<const ruckle::Matrix2> reference,
                           std::span<const float> remaining) {
    RUCKLE_TRY(check_finite(positions))
    const auto broken = std::ranges::find_if_not(reference, [](const ruckle::Matrix2& edges) { return edges.allFinite(); });
    if (broken != reference.end()) {
        return fail(RUCKLE_NOT_FINITE, "reference: triangle %td is not finite", broken - reference.begin());
    }
    const auto outside = std::ranges::find_if_not(remaining, [](float share) { return share > 0.0f && share <= 1.0f; });
    return fail(RUCKLE_NOT_FINITE, "remaining: expected a number in (0, 1] for each triangle, got %g",
                outside == remaining.end() ? std::nan("") : static_cast<double>(*outside));
}

// Callback write_texels of ruckle_height_source. Writes the texels if they fit into `capacity`. Returns their number.
std::int32_t write_texels(void* user, std::uint32_t* texels, std::int32_t capacity) {
    auto& modulator = *static_cast<ruckle_modulator*>(user);
    modulator.texels.clear();
    modulator.heights->append_texels(modulator.texels);
    const auto count = static_cast<std::int32_t>(modulator.texels.size() / ruckle::texel_words);
    if (count <= capacity) {
        std::ranges::copy(modulator.texels, texels);
    }
    return count;
}

}  // namespace

ruckle_status ruckle_pattern_grid_create(const int32_t* faces, int32_t face_count, const float* rest, int32_t vertex_count,
                                         float spacing, ruckle_pattern_grid** grid) {
    RUCKLE_RESULT(grid)
    RUCKLE_REQUIRE(faces, rest)
    RUCKLE_TRY(check_counts(vertex_count, face_count))
    return guarded([&] {
        const auto given = as_positions(rest, vertex_count);
        const std::vector<ruckle::Vector3> points(given.begin(), given.end());
        RUCKLE_TRY(check_finite(points))
        const ruckle::Topology topology(as_faces(faces, face_count), vertex_count);
        *grid = new ruckle_pattern_grid{ruckle::PatternGrid(topology, points, spacing)};
        return RUCKLE_OK;
    });
}

void ruckle_pattern_grid_destroy(ruckle_pattern_grid* grid) {
    delete grid;
}

RUCKLE_ANSWER(int32_t, ruckle_pattern_grid_node_count, pattern_grid, grid, grid->core.node_count())
RUCKLE_ANSWER(const int32_t*, ruckle_pattern_grid_faces, pattern_grid, grid, grid->core.node_faces.data())
RUCKLE_ANSWER(const float*, ruckle_pattern_grid_barycentric, pattern_grid, grid, grid->core.node_barycentric[0].data())

ruckle_status ruckle_modulator_create(const ruckle_pattern_grid* grid, const float* heights, int32_t pattern_count,
                                      const float* paint, const ruckle_modulator_options* options, ruckle_modulator** modulator) {
    RUCKLE_RESULT(modulator)
    RUCKLE_REQUIRE(grid, heights)
    if (pattern_count < 1 || pattern_count > ruckle::most_patterns) {
        return fail(RUCKLE_BAD_OPTION, "pattern_count: expected an integer in [1, %d], got %d", ruckle::most_patterns,
                    pattern_count);
    }
    ruckle::ModulatorOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    return create_object(modulator, [&] {
        const auto vertices = static_cast<std::size_t>(grid->core.topology.vertex_count);
        const std::size_t count = static_cast<std::size_t>(pattern_count) * static_cast<std::size_t>(grid->core.node_count());
        const std::span<const float> painted(paint, paint ? vertices : 0);
        return new ruckle_modulator{ruckle::Modulator(grid->core, {heights, count}, painted, chosen)};
    });
}

RUCKLE_LAYER(modulator, modulator)

ruckle_status ruckle_modulator_step(ruckle_modulator* modulator, const float* positions, int32_t vertex_count, float dt,
                                    const float* reference, const float* remaining) {
    RUCKLE_REQUIRE(modulator, positions)
    RUCKLE_TRY(check_vertex_count(modulator->core.grid().topology.vertex_count, vertex_count))
    const std::size_t faces = face_count_of(*modulator);
    const auto points = as_positions(positions, vertex_count);
    static_assert(sizeof(ruckle::Matrix2) == 4 * sizeof(float));
    const std::span matrices(reinterpret_cast<const ruckle::Matrix2*>(reference), reference ? faces : 0);
    const std::span shares(remaining, remaining ? faces : 0);
    // both counts are valid, so an error can only be caused by the numbers
    return guarded([&] {
        return answer(modulator->core.step(points, dt, matrices, shares), dt,
                      [&] { return fail_numbers(points, matrices, shares); });
    });
}

RUCKLE_ANSWER(int32_t, ruckle_modulator_pattern_count, modulator, modulator, modulator->core.moments().pattern_count)
RUCKLE_ANSWER(const float*, ruckle_modulator_factors, modulator, modulator, modulator->core.factors().data())
RUCKLE_ANSWER(const float*, ruckle_modulator_weights, modulator, modulator, modulator->core.weights().data())
RUCKLE_ANSWER(const float*, ruckle_modulator_targets, modulator, modulator, modulator->core.targets().data())

ruckle_status ruckle_modulator_heights(ruckle_modulator* modulator, const float* positions, int32_t vertex_count,
                                       ruckle_height_source* source) {
    RUCKLE_REQUIRE(modulator, positions, source)
    RUCKLE_TRY(check_vertex_count(modulator->core.grid().topology.vertex_count, vertex_count))
    const auto points = as_positions(positions, vertex_count);
    RUCKLE_TRY(check_finite(points))
    return guarded([&] {
        modulator->source().update(points, modulator->core.factors());
        const auto add = [](void* user, const ruckle_height_points* points) {
            const auto& [face, count, b, heights, g] = *points;
            static_cast<const ruckle_modulator*>(user)->heights->add_heights(
                {face, count, {b[0], b[1], b[2]}, heights, {g[0], g[1], g[2]}});
        };
        *source = {.add = add,
                   .user = modulator,
                   .edge_length = modulator->heights->edge_length(),
                   .bends = modulator->heights->bends().data(),
                   .write_texels = write_texels};
        return RUCKLE_OK;
    });
}

int32_t ruckle_modulator_pattern_texel_count(ruckle_modulator* modulator) {
    std::int32_t count = 0;
    if (modulator) {
        guarded([&] {
            count = static_cast<std::int32_t>(modulator->source().pattern_texel_count());
            return RUCKLE_OK;
        });
    }
    return count;
}

ruckle_status ruckle_modulator_write_pattern_texels(ruckle_modulator* modulator, float* texels) {
    RUCKLE_REQUIRE(modulator, texels)
    return guarded([&] {
        static_assert(sizeof(ruckle::PatternTexel) == 4 * sizeof(float));
        const ruckle::PatternHeights& source = modulator->source();
        source.write_pattern_texels({reinterpret_cast<ruckle::PatternTexel*>(texels), source.pattern_texel_count()});
        return RUCKLE_OK;
    });
}

RUCKLE_NUMBERS(ruckle_modulator_get_timings, modulator, modulator, ruckle_modulator_timings, timings)

RUCKLE_NUMBERS(ruckle_modulator_get_stats, modulator, modulator, ruckle_modulator_stats, stats)
