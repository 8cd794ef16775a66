// C interface of learned upsampling: ruckle_c_upsampling.h.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "ruckle/ruckle_c_upsampling.h"
#include "ruckle/upsampling/model_file.h"
#include "ruckle/upsampling/upsampler.h"

struct ruckle_upsampler {
    ruckle::Upsampler core;
    // arrays of the model file that the core does not store
    std::vector<ruckle::Face> coarse_faces{};
    std::vector<std::int32_t> holders{};
    std::vector<ruckle::Vector3> barycentric{};
};

namespace {

using namespace ruckle::c;

// Returns RUCKLE_OK, or an error that names the first invalid pointer or count of a model.
ruckle_status check_model(const ruckle_upsampling_model& model) {
    if (model.coarse_vertex_count < 1 || model.fine_vertex_count < 1) {
        return fail(RUCKLE_BAD_OPTION, "model: expected at least one coarse and one fine vertex, got %d and %d",
                    model.coarse_vertex_count, model.fine_vertex_count);
    }
    if (model.fine_face_count < 0 || model.oscillation_count < 0) {
        return fail(RUCKLE_BAD_OPTION, "model: expected counts of at least 0, got %d faces and %d oscillations",
                    model.fine_face_count, model.oscillation_count);
    }
    if (!model.rows || !model.fine_faces) {
        return fail_null(!model.rows ? "rows" : "fine_faces");
    }
    if (model.oscillation_count > 0 && !(model.oscillations && model.frequencies)) {
        return fail_null(!model.oscillations ? "oscillations" : "frequencies");
    }
    return RUCKLE_OK;
}

ruckle_status fail_numbers(const ruckle::Upsampler& core, std::span<const ruckle::Vector3> positions, float gain) {
    RUCKLE_TRY(check_finite(positions))
    if (!std::isfinite(gain)) {
        return fail(RUCKLE_NOT_FINITE, "gain: expected a finite number, got %g", static_cast<double>(gain));
    }
    return fail(RUCKLE_NOT_FINITE, "pins: expected finite positions of the attached ones of %d fine vertices",
                core.fine_vertex_count());
}

}  // namespace

ruckle_status ruckle_upsampler_create(const ruckle_upsampling_model* model, const ruckle_upsampler_options* options,
                                      ruckle_upsampler** upsampler) {
    RUCKLE_RESULT(upsampler)
    RUCKLE_REQUIRE(model)
    ruckle::UpsamplerOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    RUCKLE_TRY(check_model(*model))
    return create_object(upsampler, [&] {
        const auto coarse = static_cast<std::size_t>(model->coarse_vertex_count);
        const auto fine = static_cast<std::size_t>(model->fine_vertex_count);
        const auto pairs = static_cast<std::size_t>(model->oscillation_count);
        const ruckle::UpsamplingModel learnt{model->coarse_vertex_count,
                                             {model->rows, fine * coarse},
                                             as_faces(model->fine_faces, model->fine_face_count),
                                             {model->attachment, model->attachment ? fine : 0},
                                             {model->oscillations, 2 * pairs * fine},
                                             {model->frequencies, pairs},
                                             {}};
        return new ruckle_upsampler{ruckle::Upsampler(learnt, chosen)};
    });
}

ruckle_status ruckle_upsampler_create_from_memory(const void* file, size_t size, const ruckle_upsampler_options* options,
                                                  ruckle_upsampler** upsampler) {
    RUCKLE_RESULT(upsampler)
    RUCKLE_REQUIRE(file)
    ruckle::UpsamplerOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    return create_object(upsampler, [&] {
        ruckle::UpsamplingFile found = ruckle::read_upsampling_file({static_cast<const std::byte*>(file), size});
        return new ruckle_upsampler{ruckle::Upsampler(found.model(), chosen), std::move(found.coarse_faces),
                                    std::move(found.holders), std::move(found.barycentric)};
    });
}

RUCKLE_LAYER(upsampler, upsampler)

ruckle_status ruckle_upsampler_step(ruckle_upsampler* upsampler, const float* positions, int32_t vertex_count, float dt,
                                    float gain, const float* pins) {
    RUCKLE_REQUIRE(upsampler, positions)
    RUCKLE_TRY(check_vertex_count(upsampler->core.coarse_vertex_count(), vertex_count))
    const auto points = as_positions(positions, vertex_count);
    const auto held = as_positions(pins, pins ? upsampler->core.fine_vertex_count() : 0);
    return guarded([&] {
        return answer(upsampler->core.step(points, dt, gain, held), dt,
                      [&] { return fail_numbers(upsampler->core, points, gain); });
    });
}

RUCKLE_ANSWER(int32_t, ruckle_upsampler_coarse_vertex_count, upsampler, upsampler, upsampler->core.coarse_vertex_count())
RUCKLE_ANSWER(int32_t, ruckle_upsampler_coarse_face_count, upsampler, upsampler, upsampler->coarse_faces.size())
RUCKLE_ANSWER(int32_t, ruckle_upsampler_fine_vertex_count, upsampler, upsampler, upsampler->core.fine_vertex_count())
RUCKLE_ANSWER(int32_t, ruckle_upsampler_fine_face_count, upsampler, upsampler, upsampler->core.faces().size())

const int32_t* ruckle_upsampler_coarse_faces(const ruckle_upsampler* upsampler) {
    return upsampler && !upsampler->coarse_faces.empty() ? upsampler->coarse_faces[0].data() : nullptr;
}

const int32_t* ruckle_upsampler_fine_faces(const ruckle_upsampler* upsampler) {
    return upsampler && !upsampler->core.faces().empty() ? upsampler->core.faces()[0].data() : nullptr;
}

const int32_t* ruckle_upsampler_holders(const ruckle_upsampler* upsampler) {
    return upsampler && !upsampler->holders.empty() ? upsampler->holders.data() : nullptr;
}

const float* ruckle_upsampler_barycentric(const ruckle_upsampler* upsampler) {
    return upsampler && !upsampler->barycentric.empty() ? upsampler->barycentric[0].data() : nullptr;
}

RUCKLE_ANSWER(const float*, ruckle_upsampler_positions, upsampler, upsampler, upsampler->core.positions()[0].data())

ruckle_status ruckle_upsampler_write_normals(ruckle_upsampler* upsampler, float* normals) {
    RUCKLE_REQUIRE(upsampler, normals)
    upsampler->core.write_normals(
        {reinterpret_cast<ruckle::Vector3*>(normals), static_cast<std::size_t>(upsampler->core.fine_vertex_count())});
    return RUCKLE_OK;
}

RUCKLE_NUMBERS(ruckle_upsampler_get_timings, upsampler, upsampler, ruckle_upsampler_timings, timings)
