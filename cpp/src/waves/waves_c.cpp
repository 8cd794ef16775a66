// Wrinkle waves for C: ruckle_c_waves.h.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "c_call.h"
#include "ruckle/ruckle_c_waves.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"

struct ruckle_waves {
    ruckle::WaveField core;
    // made when first asked for: most engines displace on the graphics card
    std::optional<ruckle::WaveHeights> heights{};
    std::vector<ruckle::WaveVertex> vertices{};
    std::vector<ruckle::Word> texels{};

    ruckle::WaveHeights& source() { return heights ? *heights : heights.emplace(core); }
    std::span<const ruckle::WaveVertex> found() {
        vertices.resize(core.rest_positions().size());
        core.write_vertices(vertices);
        return vertices;
    }
};

namespace {

using namespace ruckle::c;

ruckle_status check(const ruckle_waves& waves, const float* positions, std::int32_t vertex_count) {
    if (const ruckle_status status = check_vertex_count(waves.core.topology().vertex_count, vertex_count)) {
        return status;
    }
    const auto points = as_positions(positions, vertex_count);
    return std::ranges::all_of(points, is_finite) ? RUCKLE_OK : fail_not_finite(points);
}

ruckle_wave_options to_c(const ruckle::WaveOptions& o) {
    return {o.r_min.value_or(RUCKLE_UNSET),
            o.wavelength.value_or(RUCKLE_UNSET),
            o.gain,
            o.slack,
            o.steepest,
            o.sharpness,
            o.detail,
            o.sag,
            o.lift,
            o.irregularity,
            o.coherence,
            o.anisotropy,
            o.hem,
            o.calm,
            o.seed,
            o.threads};
}

ruckle::WaveOptions to_core(const ruckle_wave_options& o) {
    return {set(o.r_min), set(o.wavelength), o.gain,      o.slack,      o.steepest, o.sharpness, o.detail, o.sag,
            o.lift,       o.irregularity,    o.coherence, o.anisotropy, o.hem,      o.calm,      o.seed,   o.threads};
}

// The first that is null of some pointers with their names.
const char* first_null(std::initializer_list<std::pair<const void*, const char*>> pointers) {
    const auto found = std::ranges::find(pointers, nullptr, &std::pair<const void*, const char*>::first);
    return found == pointers.end() ? nullptr : found->second;
}

}  // namespace

ruckle_status ruckle_waves_create(const int32_t* faces, int32_t face_count, const float* rest, int32_t vertex_count,
                                  const float* paint, const ruckle_wave_options* options, ruckle_waves** waves) {
    if (const char* missing = first_null({{waves, "waves"}})) {
        return fail_null(missing);
    }
    *waves = nullptr;
    if (const char* missing = first_null({{faces, "faces"}, {rest, "rest"}})) {
        return fail_null(missing);
    }
    if (vertex_count < 0 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    const ruckle::WaveOptions chosen = options ? to_core(*options) : ruckle::WaveOptions{};
    return guarded([&] {
        auto topology = std::make_shared<const ruckle::Topology>(as_faces(faces, face_count), vertex_count);
        const std::span<const float> painted = as_span(paint, static_cast<std::size_t>(vertex_count));
        *waves = new ruckle_waves{ruckle::WaveField(std::move(topology), as_positions(rest, vertex_count), chosen, painted)};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_clone(const ruckle_waves* waves, ruckle_waves** clone) {
    if (const char* missing = first_null({{clone, "clone"}})) {
        return fail_null(missing);
    }
    *clone = nullptr;
    if (const char* missing = first_null({{waves, "waves"}})) {
        return fail_null(missing);
    }
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
    if (const char* missing = first_null({{waves, "waves"}, {positions, "positions"}})) {
        return fail_null(missing);
    }
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

void ruckle_waves_reset(ruckle_waves* waves) {
    if (waves) {
        waves->core.reset();
    }
}

size_t ruckle_waves_state_size(const ruckle_waves* waves) {
    return waves ? waves->core.state_size() : 0;
}

ruckle_status ruckle_waves_save_state(const ruckle_waves* waves, void* state, size_t capacity) {
    return save_state("waves", waves, state, capacity);
}
ruckle_status ruckle_waves_restore_state(ruckle_waves* waves, const void* state, size_t size) {
    return restore_state("waves", waves, state, size);
}

int32_t ruckle_waves_frame_count(const ruckle_waves* waves) {
    return waves ? waves->core.frame_count() : 0;
}
const float* ruckle_waves_phases(const ruckle_waves* waves) {
    return waves ? waves->core.phases().data() : nullptr;
}
const float* ruckle_waves_fine_phases(const ruckle_waves* waves) {
    return waves ? waves->core.fine_phases().data() : nullptr;
}
const float* ruckle_waves_amplitudes(const ruckle_waves* waves) {
    return waves ? waves->core.amplitudes().data() : nullptr;
}

ruckle_status ruckle_waves_copy_vertices(const ruckle_waves* waves, float* vertices) {
    if (const char* missing = first_null({{waves, "waves"}, {vertices, "vertices"}})) {
        return fail_null(missing);
    }
    waves->core.write_vertices({reinterpret_cast<ruckle::WaveVertex*>(vertices), waves->core.rest_positions().size()});
    return RUCKLE_OK;
}

ruckle_status ruckle_waves_write_rest_texels(ruckle_waves* waves, float* texels, float* profile) {
    if (const char* missing = first_null({{waves, "waves"}, {texels, "texels"}, {profile, "profile"}})) {
        return fail_null(missing);
    }
    return guarded([&] {
        const ruckle::WaveHeights& source = waves->source();
        source.write_rest_texels({reinterpret_cast<std::array<float, 4>*>(texels), source.rest_texel_count()});
        std::ranges::copy(source.profile(), profile);
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_write_texels(ruckle_waves* waves, uint32_t* texels) {
    if (const char* missing = first_null({{waves, "waves"}, {texels, "texels"}})) {
        return fail_null(missing);
    }
    return guarded([&] {
        waves->texels.clear();
        ruckle::append_wave_texels(waves->found(), waves->texels);
        std::ranges::copy(waves->texels, texels);
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_heights(ruckle_waves* waves, const float* positions, int32_t vertex_count,
                                   ruckle_height_source* source) {
    if (const char* missing = first_null({{waves, "waves"}, {positions, "positions"}, {source, "source"}})) {
        return fail_null(missing);
    }
    if (const ruckle_status status = check(*waves, positions, vertex_count)) {
        return status;
    }
    return guarded([&] {
        waves->source().update(as_positions(positions, vertex_count), waves->found());
        const auto add = [](void* user, const ruckle_height_points* points) {
            const auto& [face, count, b, heights, g] = *points;
            static_cast<const ruckle_waves*>(user)->heights->add_heights(
                {face, count, {b[0], b[1], b[2]}, heights, {g[0], g[1], g[2]}});
        };
        *source = {
            .add = add, .user = waves, .edge_length = waves->heights->edge_length(), .bends = waves->heights->bends().data()};
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_waves_sample(ruckle_waves* waves, const int32_t* faces, const float* barycentric, int32_t count,
                                  float* heights, float* gradients) {
    if (const char* missing =
            first_null({{waves, "waves"}, {faces, "faces"}, {barycentric, "barycentric"}, {heights, "heights"}})) {
        return fail_null(missing);
    }
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
    if (const char* missing = first_null({{waves, "waves"}, {timings, "timings"}})) {
        return fail_null(missing);
    }
    const ruckle::WaveTimings& t = waves->core.timings();
    *timings = {t.field, t.direction, t.phase, t.pull, t.amplitude, t.total};
    return RUCKLE_OK;
}

ruckle_status ruckle_waves_get_stats(const ruckle_waves* waves, ruckle_wave_stats* stats) {
    if (const char* missing = first_null({{waves, "waves"}, {stats, "stats"}})) {
        return fail_null(missing);
    }
    *stats = {waves->core.stats().limited, waves->core.stats().degenerate};
    return RUCKLE_OK;
}

void ruckle_waves_default_options(ruckle_wave_options* options) {
    if (options) {
        *options = to_c({});
    }
}
void ruckle_waves_simulated_options(ruckle_wave_options* options) {
    if (options) {
        *options = to_c(ruckle::simulated_waves());
    }
}
int32_t ruckle_waves_parameter_count(void) {
    return static_cast<int32_t>(std::size(ruckle::wave_parameters));
}
ruckle_status ruckle_waves_get_parameter(int32_t index, ruckle_parameter* parameter) {
    return describe(ruckle::wave_parameters, index, parameter);
}
