// Modulated patterns for C: ruckle_c_patterns.h.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "c_call.h"
#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/ruckle_c_patterns.h"

struct ruckle_pattern_grid {
    ruckle::PatternGrid core;
};

struct ruckle_modulator {
    ruckle::Modulator core;
    // made when first asked for: most engines displace on the graphics card
    std::optional<ruckle::PatternHeights> heights{};
};

namespace {

using namespace ruckle::c;

static_assert(RUCKLE_CONSERVE_LENGTH == static_cast<int>(ruckle::Conserve::length));
static_assert(RUCKLE_CONSERVE_AREA == static_cast<int>(ruckle::Conserve::area));

ruckle::ModulatorOptions to_core(const ruckle_modulator_options& given) {
    return {.rest_slope = given.rest_slope,
            .conserve = static_cast<ruckle::Conserve>(given.conserve),
            .slack = given.slack,
            .sharpness = given.sharpness,
            .corrections = given.corrections,
            .steepest = given.steepest,
            .highest = set(given.highest),
            .scale = given.scale,
            .bias = given.bias,
            .smoothing = given.smoothing,
            .r_min = set(given.r_min),
            .threads = given.threads};
}

std::size_t face_count_of(const ruckle_modulator& modulator) {
    return modulator.core.grid().topology.faces.size();
}

// The core tells that a number is not as it must be; which one, is looked for here, once it is known.
ruckle_status fail_numbers(std::span<const ruckle::Vector3> positions, std::span<const ruckle::Matrix2> reference,
                           std::span<const float> remaining) {
    if (!std::ranges::all_of(positions, is_finite)) {
        return fail_not_finite(positions);
    }
    const auto broken = std::ranges::find_if_not(reference, [](const ruckle::Matrix2& edges) { return edges.allFinite(); });
    if (broken != reference.end()) {
        return fail(RUCKLE_NOT_FINITE, "reference: triangle %td is not finite", broken - reference.begin());
    }
    const auto outside = std::ranges::find_if_not(remaining, [](float share) { return share > 0.0f && share <= 1.0f; });
    return fail(RUCKLE_NOT_FINITE, "remaining: expected a number in (0, 1] for each triangle, got %g",
                outside == remaining.end() ? std::nan("") : static_cast<double>(*outside));
}

}  // namespace

ruckle_status ruckle_pattern_grid_create(const int32_t* faces, int32_t face_count, const float* rest, int32_t vertex_count,
                                         float spacing, ruckle_pattern_grid** grid) {
    if (!grid) {
        return fail_null("grid");
    }
    *grid = nullptr;
    if (!faces || !rest) {
        return fail_null(!faces ? "faces" : "rest");
    }
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    return guarded([&] {
        const auto given = as_positions(rest, vertex_count);
        const std::vector<ruckle::Vector3> points(given.begin(), given.end());
        if (!std::ranges::all_of(points, is_finite)) {
            return fail_not_finite(points);
        }
        const ruckle::Topology topology(as_faces(faces, face_count), vertex_count);
        *grid = new ruckle_pattern_grid{ruckle::PatternGrid(topology, points, spacing)};
        return RUCKLE_OK;
    });
}

void ruckle_pattern_grid_destroy(ruckle_pattern_grid* grid) {
    delete grid;
}

int32_t ruckle_pattern_grid_node_count(const ruckle_pattern_grid* grid) {
    return grid ? grid->core.node_count() : 0;
}

const int32_t* ruckle_pattern_grid_faces(const ruckle_pattern_grid* grid) {
    return grid ? grid->core.node_faces.data() : nullptr;
}

const float* ruckle_pattern_grid_barycentric(const ruckle_pattern_grid* grid) {
    return grid ? grid->core.node_barycentric[0].data() : nullptr;
}

void ruckle_modulator_default_options(ruckle_modulator_options* options) {
    if (!options) {
        return;
    }
    // all by name, so that an option that the core gains cannot be forgotten here
    const auto [rest_slope, conserve, slack, sharpness, corrections, steepest, highest, scale, bias, smoothing, r_min, threads] =
        ruckle::ModulatorOptions{};
    *options = {.rest_slope = rest_slope,
                .conserve = static_cast<std::int32_t>(conserve),
                .slack = slack,
                .sharpness = sharpness,
                .corrections = corrections,
                .steepest = steepest,
                .highest = highest.value_or(RUCKLE_UNSET),
                .scale = scale,
                .bias = bias,
                .smoothing = smoothing,
                .r_min = r_min.value_or(RUCKLE_UNSET),
                .threads = threads};
}

int32_t ruckle_modulator_parameter_count(void) {
    return static_cast<std::int32_t>(std::size(ruckle::modulator_parameters));
}

ruckle_status ruckle_modulator_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return describe(ruckle::modulator_parameters, index, parameter);
}

ruckle_status ruckle_modulator_create(const ruckle_pattern_grid* grid, const float* heights, int32_t pattern_count,
                                      const float* paint, const ruckle_modulator_options* options, ruckle_modulator** modulator) {
    if (!modulator) {
        return fail_null("modulator");
    }
    *modulator = nullptr;
    if (!grid || !heights) {
        return fail_null(!grid ? "grid" : "heights");
    }
    if (pattern_count < 1 || pattern_count > ruckle::most_patterns) {
        return fail(RUCKLE_BAD_OPTION, "pattern_count: expected an integer in [1, %d], got %d", ruckle::most_patterns,
                    pattern_count);
    }
    ruckle_modulator_options chosen;
    ruckle_modulator_default_options(&chosen);
    chosen = options ? *options : chosen;
    // before the cast: an enumeration of the core has no value beyond its own
    if (chosen.conserve < RUCKLE_CONSERVE_LENGTH || chosen.conserve > RUCKLE_CONSERVE_AREA) {
        return fail(RUCKLE_BAD_OPTION, "conserve: expected a ruckle_conserve, 0 or 1, got %d", chosen.conserve);
    }
    return guarded([&] {
        const auto vertices = static_cast<std::size_t>(grid->core.topology.vertex_count);
        const std::size_t count = static_cast<std::size_t>(pattern_count) * static_cast<std::size_t>(grid->core.node_count());
        const std::span<const float> painted(paint, paint ? vertices : 0);
        *modulator = new ruckle_modulator{ruckle::Modulator(grid->core, {heights, count}, painted, to_core(chosen))};
        return RUCKLE_OK;
    });
}

void ruckle_modulator_destroy(ruckle_modulator* modulator) {
    delete modulator;
}

ruckle_status ruckle_modulator_step(ruckle_modulator* modulator, const float* positions, int32_t vertex_count, float dt,
                                    const float* reference, const float* remaining) {
    if (!modulator || !positions) {
        return fail_null(!modulator ? "modulator" : "positions");
    }
    if (const ruckle_status status = check_vertex_count(modulator->core.grid().topology.vertex_count, vertex_count)) {
        return status;
    }
    const std::size_t faces = face_count_of(*modulator);
    const auto points = as_positions(positions, vertex_count);
    static_assert(sizeof(ruckle::Matrix2) == 4 * sizeof(float));
    const std::span matrices(reinterpret_cast<const ruckle::Matrix2*>(reference), reference ? faces : 0);
    const std::span shares(remaining, remaining ? faces : 0);
    // both counts are right: only the numbers can be wrong
    return guarded([&] {
        switch (modulator->core.step(points, dt, matrices, shares)) {
            case ruckle::StepStatus::done: return RUCKLE_OK;
            case ruckle::StepStatus::wrong_vertex_count: return RUCKLE_WRONG_VERTEX_COUNT;
            case ruckle::StepStatus::not_finite: return fail_numbers(points, matrices, shares);
            case ruckle::StepStatus::wrong_time: break;
        }
        return fail(RUCKLE_WRONG_TIME, "dt: expected a number of seconds in (0, 1e6], got %g", static_cast<double>(dt));
    });
}

void ruckle_modulator_reset(ruckle_modulator* modulator) {
    if (modulator) {
        modulator->core.reset();
    }
}

size_t ruckle_modulator_state_size(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.state_size() : 0;
}

ruckle_status ruckle_modulator_save_state(const ruckle_modulator* modulator, void* state, size_t capacity) {
    return save_state("modulator", modulator, state, capacity);
}

ruckle_status ruckle_modulator_restore_state(ruckle_modulator* modulator, const void* state, size_t size) {
    return restore_state("modulator", modulator, state, size);
}

int32_t ruckle_modulator_pattern_count(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.moments().pattern_count : 0;
}

int32_t ruckle_modulator_frame_count(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.frame_count() : 0;
}

const float* ruckle_modulator_factors(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.factors().data() : nullptr;
}

const float* ruckle_modulator_weights(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.weights().data() : nullptr;
}

const float* ruckle_modulator_targets(const ruckle_modulator* modulator) {
    return modulator ? modulator->core.targets().data() : nullptr;
}

ruckle_status ruckle_modulator_heights(ruckle_modulator* modulator, const float* positions, int32_t vertex_count,
                                       ruckle_height_source* source) {
    if (!modulator || !positions || !source) {
        return fail_null(!modulator ? "modulator" : !positions ? "positions" : "source");
    }
    if (const ruckle_status status = check_vertex_count(modulator->core.grid().topology.vertex_count, vertex_count)) {
        return status;
    }
    const auto points = as_positions(positions, vertex_count);
    if (!std::ranges::all_of(points, is_finite)) {
        return fail_not_finite(points);
    }
    return guarded([&] {
        if (!modulator->heights) {
            modulator->heights.emplace(modulator->core.grid(), modulator->core.heights());
        }
        modulator->heights->update(points, modulator->core.factors());
        const auto add = [](void* user, const ruckle_height_points* points) {
            const auto& [face, count, b, heights, g] = *points;
            static_cast<const ruckle::PatternHeights*>(user)->add_heights(
                {face, count, {b[0], b[1], b[2]}, heights, {g[0], g[1], g[2]}});
        };
        *source = {.add = add,
                   .user = &*modulator->heights,
                   .edge_length = modulator->heights->edge_length(),
                   .bends = modulator->heights->bends().data()};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_modulator_get_timings(const ruckle_modulator* modulator, ruckle_modulator_timings* timings) {
    if (!modulator || !timings) {
        return fail_null(!modulator ? "modulator" : "timings");
    }
    const ruckle::ModulatorTimings& found = modulator->core.timings();
    *timings = {found.gram, found.fold, found.modulate, found.follow, found.total};
    return RUCKLE_OK;
}

ruckle_status ruckle_modulator_get_stats(const ruckle_modulator* modulator, ruckle_modulator_stats* stats) {
    if (!modulator || !stats) {
        return fail_null(!modulator ? "modulator" : "stats");
    }
    const ruckle::ModulatorStats& found = modulator->core.stats();
    *stats = {found.limited, found.hurried, found.degenerate, found.flat_patterns};
    return RUCKLE_OK;
}
