// C interface of simulated cloth: ruckle_c_cloth.h.
#include "ruckle/ruckle_c_cloth.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "ruckle/simulation/simulated.h"

struct ruckle_cloth {
    // wearer: null for cloth without a wearer
    ruckle_cloth(std::span<const ruckle::Vector3> rest_pose, std::span<const ruckle::Face> faces,
                 std::span<const float> attachment, const ruckle::Wearer* wearer, const ruckle::ClothOptions& options)
        : core(wearer ? worn.emplace(rest_pose, faces, attachment, *wearer, options).cloth()
                      : plain.emplace(rest_pose, faces, attachment, options)),
          rest(rest_pose.begin(), rest_pose.end()),
          positions(rest),
          velocities(rest.size(), ruckle::Vector3::Zero()) {}
    void refresh() {
        core.positions(positions);
        core.velocities(velocities);
    }
    void reset() {
        if (worn) {
            worn->reset();
        } else {
            core.place(rest, {});
            refresh();
        }
    }

    std::optional<ruckle::ClothSimulation> plain;  // exactly one of `plain` and `worn` is set
    std::optional<ruckle::Simulated> worn;
    ruckle::ClothSimulation& core;  // `plain`, or the simulation in `worn`
    std::vector<ruckle::Vector3> rest, positions, velocities;
};

namespace {

using namespace ruckle::c;
using ruckle::ClothStatus;

static_assert(sizeof(ruckle_rounded_cone) == sizeof(ruckle::RoundedCone));
static_assert(sizeof(ruckle::BoneMatrix) == 12 * sizeof(float));

std::span<const ruckle::RoundedCone> as_cones(const ruckle_rounded_cone* cones, std::int32_t count) {
    return as_span(reinterpret_cast<const ruckle::RoundedCone*>(cones), static_cast<std::size_t>(count));
}

ruckle_status check_wearer(const ruckle_wearer& wearer) {
    if (wearer.bone_count < 0 || wearer.cone_count < 0 || wearer.body_vertex_count < 0 || wearer.body_face_count < 0) {
        return fail(RUCKLE_BAD_OPTION, "wearer: expected counts of at least 0");
    }
    const char* name = !wearer.weights                                    ? "weights"
                       : wearer.cone_count && !wearer.cones               ? "cones"
                       : wearer.cone_count && !wearer.cone_bones          ? "cone_bones"
                       : wearer.body_vertex_count && !wearer.body         ? "body"
                       : wearer.body_vertex_count && !wearer.body_weights ? "body_weights"
                       : wearer.body_face_count && !wearer.body_faces     ? "body_faces"
                                                                          : nullptr;
    return name ? fail_null(name) : RUCKLE_OK;
}

ruckle::Wearer to_core(const ruckle_wearer& wearer, std::int32_t vertex_count) {
    const auto bones = static_cast<std::size_t>(wearer.bone_count), cones = static_cast<std::size_t>(wearer.cone_count);
    return {.bone_count = wearer.bone_count,
            .weights = as_span(wearer.weights, bones * static_cast<std::size_t>(vertex_count)),
            .cones = as_cones(wearer.cones, wearer.cone_count),
            .cone_bones = as_span(wearer.cone_bones, cones),
            .body_faces = as_faces(wearer.body_faces, wearer.body_face_count),
            .body = as_positions(wearer.body, wearer.body_vertex_count),
            .body_weights = as_span(wearer.body_weights, bones * static_cast<std::size_t>(wearer.body_vertex_count))};
}

ruckle_status create(const float* rest, std::int32_t vertex_count, const std::int32_t* faces, std::int32_t face_count,
                     const float* attachment, const ruckle_wearer* wearer, const ruckle_cloth_options* options,
                     ruckle_cloth** cloth) {
    RUCKLE_REQUIRE(rest, faces)
    if (vertex_count < 1 || face_count < 0) {
        return fail_count(vertex_count, face_count);
    }
    if (wearer) {
        RUCKLE_TRY(check_wearer(*wearer))
    }
    ruckle::ClothOptions core_options;
    RUCKLE_TRY(choose(options, core_options))
    return create_object(cloth, [&] {
        const auto points = as_positions(rest, vertex_count);
        const auto corners = as_faces(faces, face_count);
        const auto shares = as_span(attachment, static_cast<std::size_t>(vertex_count));
        std::optional<ruckle::Wearer> who;
        if (wearer) {
            who = to_core(*wearer, vertex_count);
        }
        return new ruckle_cloth(points, corners, shares, who ? &*who : nullptr, core_options);
    });
}

// Copies the positions and velocities of the cloth if the frame was simulated. Otherwise returns an error that explains
// why the core rejected the frame.
ruckle_status answer(ruckle_cloth& cloth, ClothStatus status, float dt) {
    switch (status) {
        case ClothStatus::done: cloth.refresh(); return RUCKLE_OK;
        case ClothStatus::wrong_time:
            return fail(RUCKLE_WRONG_TIME,
                        "dt: expected a finite number of seconds of at least 1e-9, and extra_damping at least 0, got %g",
                        static_cast<double>(dt));
        case ClothStatus::wrong_count:
            return fail(RUCKLE_BAD_OPTION,
                        "cones, wind: expected as many cones as in earlier frames, at most 128, and wind for 0, 1 or %d vertices",
                        cloth.core.vertex_count());
        case ClothStatus::not_finite:
            return fail(RUCKLE_NOT_FINITE,
                        "inputs: pins of attached vertices, wind, cones and bones must be finite, and radii at least 0");
        default:
            return fail(RUCKLE_EXPLODED,
                        "frame %d: the cloth explodes at vertex %d, where an edge is longer than three times its rest length",
                        cloth.core.frame_count(), cloth.core.stats().refused_vertex);
    }
}

}  // namespace

int32_t ruckle_cloth_fabric_count(void) {
    return static_cast<int32_t>(std::size(ruckle::cloth_materials));
}

ruckle_status ruckle_cloth_get_fabric(int32_t index, const char** name, ruckle_cloth_material* material) {
    RUCKLE_REQUIRE(name, material)
    if (index < 0 || index >= ruckle_cloth_fabric_count()) {
        return fail(RUCKLE_OUT_OF_RANGE, "index: expected one of %d fabrics, from 0, got %d", ruckle_cloth_fabric_count(), index);
    }
    const ruckle::NamedMaterial& found = ruckle::cloth_materials[index];
    *name = found.name;
    *material = to_c(found.material);
    return RUCKLE_OK;
}

ruckle_status ruckle_cloth_find_material(const char* name, ruckle_cloth_material* material) {
    RUCKLE_REQUIRE(name, material)
    std::string names;
    for (const ruckle::NamedMaterial& known : ruckle::cloth_materials) {
        if (std::string_view(known.name) == name) {
            *material = to_c(known.material);
            return RUCKLE_OK;
        }
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    return fail(RUCKLE_BAD_OPTION, "name: expected one of %s, got '%s'", names.c_str(), name);
}

ruckle_status ruckle_cloth_create(const float* rest, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                                  const float* attachment, const ruckle_cloth_options* options, ruckle_cloth** cloth) {
    RUCKLE_RESULT(cloth)
    return create(rest, vertex_count, faces, face_count, attachment, nullptr, options, cloth);
}

ruckle_status ruckle_cloth_create_worn(const float* rest, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                                       const float* attachment, const ruckle_wearer* wearer, const ruckle_cloth_options* options,
                                       ruckle_cloth** cloth) {
    RUCKLE_RESULT(cloth)
    return wearer ? create(rest, vertex_count, faces, face_count, attachment, wearer, options, cloth) : fail_null("wearer");
}

RUCKLE_LAYER(cloth, cloth)

ruckle_status ruckle_cloth_step(ruckle_cloth* cloth, const ruckle_cloth_inputs* inputs, float dt) {
    RUCKLE_REQUIRE(cloth)
    if (cloth->worn) {
        return fail(RUCKLE_BAD_OPTION, "cloth: has a wearer; call ruckle_cloth_step_posed, which moves the wearer by bones");
    }
    const ruckle_cloth_inputs given = inputs ? *inputs : ruckle_cloth_inputs{};
    if (given.wind_count < 0 || given.cone_count < 0) {
        return fail(RUCKLE_BAD_OPTION, "inputs: expected counts of at least 0, got %d of wind and %d cones", given.wind_count,
                    given.cone_count);
    }
    const auto count = given.pins ? cloth->core.vertex_count() : 0;
    return guarded([&] {
        const ClothStatus status = cloth->core.step({.dt = dt,
                                                     .pins = as_positions(given.pins, count),
                                                     .wind = as_positions(given.wind, given.wind ? given.wind_count : 0),
                                                     .cones = as_cones(given.cones, given.cone_count),
                                                     .body = {},
                                                     .targets = {},
                                                     .extra_damping = given.extra_damping});
        return answer(*cloth, status, dt);
    });
}

ruckle_status ruckle_cloth_step_posed(ruckle_cloth* cloth, const float* bones, int32_t bone_count, float dt, const float* wind) {
    RUCKLE_REQUIRE(cloth, bones)
    if (!cloth->worn) {
        return fail(RUCKLE_BAD_OPTION, "cloth: has no wearer; call ruckle_cloth_step, or create it by ruckle_cloth_create_worn");
    }
    if (bone_count != cloth->worn->bone_count()) {
        return fail(RUCKLE_BAD_BONES, "bones: expected %d bones, got %d", cloth->worn->bone_count(), bone_count);
    }
    const std::span matrices(reinterpret_cast<const ruckle::BoneMatrix*>(bones), static_cast<std::size_t>(bone_count));
    return guarded([&] { return answer(*cloth, cloth->worn->step(matrices, dt, as_positions(wind, wind ? 1 : 0)), dt); });
}

ruckle_status ruckle_cloth_place(ruckle_cloth* cloth, const float* positions, const float* velocities) {
    RUCKLE_REQUIRE(cloth, positions)
    if (cloth->worn) {
        return fail(RUCKLE_BAD_OPTION,
                    "cloth: has a wearer, who places it in the first frame; call ruckle_cloth_reset to start again");
    }
    const auto count = cloth->core.vertex_count();
    const auto points = as_positions(positions, count), speeds = as_positions(velocities, velocities ? count : 0);
    if (!std::ranges::all_of(points, is_finite) || !std::ranges::all_of(speeds, is_finite)) {
        return fail(RUCKLE_NOT_FINITE, "positions and velocities: every number must be finite");
    }
    return guarded([&] {
        cloth->core.place(points, speeds);
        cloth->refresh();
        return RUCKLE_OK;
    });
}

RUCKLE_ANSWER(int32_t, ruckle_cloth_vertex_count, cloth, cloth, cloth->core.vertex_count())
RUCKLE_ANSWER(const float*, ruckle_cloth_positions, cloth, cloth, cloth->positions[0].data())
RUCKLE_ANSWER(const float*, ruckle_cloth_velocities, cloth, cloth, cloth->velocities[0].data())

RUCKLE_NUMBERS(ruckle_cloth_get_timings, cloth, cloth, ruckle_cloth_timings, timings)

RUCKLE_NUMBERS(ruckle_cloth_get_stats, cloth, cloth, ruckle_cloth_stats, stats)
