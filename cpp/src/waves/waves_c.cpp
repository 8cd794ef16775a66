// C interface of wrinkle waves: ruckle_c_waves.h.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "ruckle/ruckle_c_waves.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"
#include "waves/waves_c.h"

namespace {

using namespace ruckle::c;

// Callback write_texels of ruckle_height_source. Writes the texels if they fit into `capacity`. Returns their number.
std::int32_t write_wave_texels(void* user, std::uint32_t* texels, std::int32_t capacity) {
    const auto vertices = static_cast<const ruckle_waves*>(user)->heights->vertices();
    const auto count = static_cast<std::int32_t>(vertices.size());
    if (count <= capacity) {
        for (const ruckle::WaveVertex& vertex : vertices) {
            texels = std::copy_n(ruckle::texel_of(vertex).begin(), 4, texels);
        }
    }
    return count;
}

}  // namespace

ruckle_status ruckle_waves_create(const int32_t* faces, int32_t face_count, const float* rest, int32_t vertex_count,
                                  const float* paint, const ruckle_wave_options* options, ruckle_waves** waves) {
    RUCKLE_REQUIRE(waves)
    *waves = nullptr;
    RUCKLE_REQUIRE(faces, rest)
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    ruckle::WaveOptions chosen;
    if (const ruckle_status status = choose(options, chosen)) {
        return status;
    }
    return guarded([&] {
        auto topology = std::make_shared<const ruckle::Topology>(as_faces(faces, face_count), vertex_count);
        const std::span<const float> painted = as_span(paint, static_cast<std::size_t>(vertex_count));
        *waves = new ruckle_waves{ruckle::WaveField(std::move(topology), as_positions(rest, vertex_count), chosen, painted)};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_clone(const ruckle_waves* waves, ruckle_waves** clone) {
    RUCKLE_REQUIRE(clone)
    *clone = nullptr;
    RUCKLE_REQUIRE(waves)
    return guarded([&] {
        *clone = new ruckle_waves{ruckle::WaveField(waves->core)};
        return RUCKLE_OK;
    });
}

void ruckle_waves_destroy(ruckle_waves* waves) {
    delete waves;
}

ruckle_status ruckle_waves_step(ruckle_waves* waves, const float* positions, int32_t vertex_count, float dt,
                                const float* remaining) {
    RUCKLE_REQUIRE(waves, positions)
    if (const ruckle_status status = check_vertex_count(waves->core.topology().vertex_count, vertex_count)) {
        return status;
    }
    const auto points = as_positions(positions, vertex_count);
    const std::span<const float> shares = as_span(remaining, waves->core.topology().faces.size());
    switch (waves->core.step(points, dt, shares)) {
        case ruckle::StepStatus::done: return RUCKLE_OK;
        case ruckle::StepStatus::wrong_vertex_count: return RUCKLE_WRONG_VERTEX_COUNT;
        case ruckle::StepStatus::wrong_time:
            return fail(RUCKLE_WRONG_TIME, "dt: expected a number of seconds in (0, 1e6], got %g", static_cast<double>(dt));
        case ruckle::StepStatus::not_finite: break;
    }
    return std::ranges::all_of(points, is_finite)
               ? fail(RUCKLE_NOT_FINITE, "remaining: expected a number in (0, 1] for each triangle")
               : fail_not_finite(points);
}

ruckle_status ruckle_waves_set_options(ruckle_waves* waves, const ruckle_wave_options* options) {
    RUCKLE_REQUIRE(waves)
    ruckle::WaveOptions chosen;
    if (const ruckle_status status = choose(options, chosen)) {
        return status;
    }
    return guarded([&] {
        waves->core.set_options(chosen);
        waves->heights.reset();
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_set_paint(ruckle_waves* waves, const float* paint) {
    RUCKLE_REQUIRE(waves)
    return guarded([&] {
        waves->core.set_paint(as_span(paint, waves->core.rest_positions().size()));
        waves->heights.reset();
        return RUCKLE_OK;
    });
}

void ruckle_waves_reset(ruckle_waves* waves) {
    if (waves) {
        waves->core.reset();
    }
}

RUCKLE_ANSWER(size_t, ruckle_waves_state_size, waves, waves, waves->core.state_size())

ruckle_status ruckle_waves_save_state(const ruckle_waves* waves, void* state, size_t capacity) {
    return save_state("waves", waves, state, capacity);
}
ruckle_status ruckle_waves_restore_state(ruckle_waves* waves, const void* state, size_t size) {
    return restore_state("waves", waves, state, size);
}

RUCKLE_ANSWER(int32_t, ruckle_waves_frame_count, waves, waves, waves->core.frame_count())

ruckle_status ruckle_waves_copy_vertices(const ruckle_waves* waves, float* vertices) {
    RUCKLE_REQUIRE(waves, vertices)
    waves->core.write_vertices({reinterpret_cast<ruckle::WaveVertex*>(vertices), waves->core.rest_positions().size()});
    return RUCKLE_OK;
}

ruckle_status ruckle_waves_write_rest_texels(const ruckle_waves* waves, float* texels, float* profile) {
    RUCKLE_REQUIRE(waves, texels, profile)
    return guarded([&] {
        const ruckle::WaveHeights source(waves->core);
        source.write_rest_texels({reinterpret_cast<std::array<float, 4>*>(texels), source.rest_texel_count()});
        std::ranges::copy(source.profile(), profile);
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_write_texels(const ruckle_waves* waves, uint32_t* texels) {
    RUCKLE_REQUIRE(waves, texels)
    for (std::size_t v = 0; v < waves->core.rest_positions().size(); ++v) {
        texels = std::copy_n(ruckle::texel_of(waves->core.vertex(v)).begin(), 4, texels);
    }
    return RUCKLE_OK;
}

ruckle_status ruckle_waves_heights(ruckle_waves* waves, const float* positions, int32_t vertex_count,
                                   ruckle_height_source* source) {
    RUCKLE_REQUIRE(waves, positions, source)
    if (const ruckle_status status = check_vertex_count(waves->core.topology().vertex_count, vertex_count)) {
        return status;
    }
    const auto points = as_positions(positions, vertex_count);
    if (!std::ranges::all_of(points, is_finite)) {
        return fail_not_finite(points);
    }
    return guarded([&] {
        waves->source().update(points, waves->core);
        const auto add = [](void* user, const ruckle_height_points* points) {
            const auto& [face, count, b, heights, g] = *points;
            static_cast<const ruckle_waves*>(user)->heights->add_heights(
                {face, count, {b[0], b[1], b[2]}, heights, {g[0], g[1], g[2]}});
        };
        *source = {.add = add,
                   .user = waves,
                   .edge_length = waves->heights->edge_length(),
                   .bends = waves->heights->bends().data(),
                   .write_texels = write_wave_texels};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_sample(ruckle_waves* waves, const int32_t* faces, const float* barycentric, int32_t count,
                                  float* heights, float* gradients) {
    RUCKLE_REQUIRE(waves, faces, barycentric, heights)
    const std::span<const std::int32_t> places = as_span(faces, static_cast<std::size_t>(std::max(count, 0)));
    const std::int32_t face_count = waves->core.topology().face_count();
    const auto outside = std::ranges::find_if_not(places, [=](std::int32_t face) { return face >= 0 && face < face_count; });
    if (outside != places.end()) {
        return fail(RUCKLE_OUT_OF_RANGE, "faces: expected numbers in [0, %d), got %d", face_count, *outside);
    }
    return guarded([&] {
        std::vector<ruckle::Vector3> slopes(places.size());
        ruckle::sample(ruckle::source_of(waves->source()), places, as_positions(barycentric, count), {heights, places.size()},
                       slopes);
        if (gradients) {
            std::copy_n(slopes.data()->data(), 3 * slopes.size(), gradients);
        }
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_get_timings(const ruckle_waves* waves, ruckle_wave_timings* timings) {
    return give("waves", waves, "timings", timings, [&] { return to_c(waves->core.timings()); });
}
ruckle_status ruckle_waves_get_stats(const ruckle_waves* waves, ruckle_wave_stats* stats) {
    return give("waves", waves, "stats", stats, [&] { return to_c(waves->core.stats()); });
}

void ruckle_waves_simulated_options(ruckle_wave_options* options) {
    if (options) {
        *options = to_c(ruckle::simulated_waves());
    }
}
