// C interface of wrinkles from examples: ruckle_c_poses.h.
#include "ruckle/ruckle_c_poses.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "ruckle/pose_space/synthesizer.h"

struct ruckle_pose_synthesizer {
    ruckle::PoseSynthesizer core;
    std::vector<std::string> names;  // names of the joints, for error messages
};

namespace {

using namespace ruckle::c;

static_assert(RUCKLE_HINGE == static_cast<int>(ruckle::JointKind::hinge));
static_assert(RUCKLE_BALL == static_cast<int>(ruckle::JointKind::ball));

// Returns the name of the first missing part of a joint; null if the joint is complete.
const char* missing(const ruckle_pose_joint& joint) {
    const bool none = joint.vertex_count == 0;
    return !joint.name                          ? "name"
           : !none && !joint.vertices           ? "vertices"
           : !none && !joint.weights            ? "weights"
           : !none && !joint.details            ? "details"
           : !joint.angles[0]                   ? "angles"
           : joint.kind == RUCKLE_HINGE         ? nullptr
           : joint.angles[1] && joint.angles[2] ? nullptr
                                                : "angles";
}

// Checked before conversion: an enumeration of the core does not have other values, and counts must not be negative.
ruckle_status check(const ruckle_pose_joint& joint, std::int32_t number) {
    if (joint.kind != RUCKLE_HINGE && joint.kind != RUCKLE_BALL) {
        return fail(RUCKLE_BAD_OPTION, "joints: joint %d: kind: expected a ruckle_joint_kind, 0 or 1, got %d", number,
                    joint.kind);
    }
    if (const char* name = missing(joint)) {
        return fail(RUCKLE_NULL_ARGUMENT, "joints: joint %d: %s: expected a pointer, got NULL", number, name);
    }
    const int axes = ruckle::angle_count(static_cast<ruckle::JointKind>(joint.kind));
    if (joint.vertex_count < 0 ||
        std::any_of(joint.angle_counts, joint.angle_counts + axes, [](auto count) { return count < 1; })) {
        return fail(RUCKLE_BAD_OPTION, "joints: joint %d: expected a count of at least 0 vertices and 1 angle of every axis",
                    number);
    }
    return RUCKLE_OK;
}

ruckle::PoseJoint to_core(const ruckle_pose_joint& joint) {
    ruckle::PoseJoint result;
    result.name = joint.name;
    result.parent_bone = joint.parent_bone;
    result.child_bone = joint.child_bone;
    result.kind = static_cast<ruckle::JointKind>(joint.kind);
    std::copy_n(joint.axes, 9, result.axes.data());
    std::size_t samples = 1;
    for (int axis = 0; axis < ruckle::angle_count(result.kind); ++axis) {
        result.angles.emplace_back(joint.angles[axis], joint.angles[axis] + joint.angle_counts[axis]);
        samples *= static_cast<std::size_t>(joint.angle_counts[axis]);
    }
    const auto count = static_cast<std::size_t>(joint.vertex_count);
    result.vertices = as_span(joint.vertices, count);
    result.weights = as_span(joint.weights, count);
    result.details = as_span(joint.details, 3 * samples * count);
    result.step = joint.step;
    return result;
}

const char* missing(const ruckle_pose_examples& examples) {
    return !examples.coarse_faces                     ? "coarse_faces"
           : !examples.coarse_rest                    ? "coarse_rest"
           : !examples.faces                          ? "faces"
           : !examples.bound_faces                    ? "bound_faces"
           : !examples.barycentric                    ? "barycentric"
           : !examples.rest_details                   ? "rest_details"
           : examples.joint_count && !examples.joints ? "joints"
                                                      : nullptr;
}

ruckle_status check(const ruckle_pose_examples& examples) {
    if (const char* name = missing(examples)) {
        return fail_null(name);
    }
    RUCKLE_TRY(check_counts(examples.coarse_vertex_count, examples.coarse_face_count))
    RUCKLE_TRY(check_counts(examples.vertex_count, examples.face_count))
    if (examples.bone_count < 0 || examples.joint_count < 0) {
        return fail(RUCKLE_BAD_OPTION, "joints: expected counts of at least 0, got %d bones and %d joints", examples.bone_count,
                    examples.joint_count);
    }
    for (std::int32_t number = 0; number < examples.joint_count; ++number) {
        RUCKLE_TRY(check(examples.joints[number], number))
    }
    const auto count = static_cast<std::size_t>(examples.vertex_count);
    const auto finite = [](float value) { return std::isfinite(value); };
    const auto rest = as_positions(examples.coarse_rest, examples.coarse_vertex_count);
    const bool sound = std::ranges::all_of(rest, is_finite) &&
                       std::all_of(examples.barycentric, examples.barycentric + 3 * count, finite) &&
                       std::all_of(examples.rest_details, examples.rest_details + 3 * count, finite);
    return sound ? RUCKLE_OK : fail(RUCKLE_NOT_FINITE, "coarse_rest, barycentric, rest_details: every number must be finite");
}

ruckle_pose_synthesizer* make(const ruckle_pose_examples& e, const ruckle::PoseOptions& options) {
    std::vector<ruckle::PoseJoint> joints;
    std::vector<std::string> names;
    for (std::int32_t number = 0; number < e.joint_count; ++number) {
        joints.push_back(to_core(e.joints[number]));
        names.push_back(joints.back().name);
    }
    const auto coarse_count = static_cast<std::size_t>(e.coarse_vertex_count), count = static_cast<std::size_t>(e.vertex_count);
    const auto rest = as_positions(e.coarse_rest, e.coarse_vertex_count);
    const ruckle::Topology coarse(as_faces(e.coarse_faces, e.coarse_face_count), e.coarse_vertex_count);
    const ruckle::CoarseSkin skin{rest, as_span(e.skin_weights, coarse_count * static_cast<std::size_t>(e.bone_count)),
                                  as_span(e.skin_distances, coarse_count)};
    return new ruckle_pose_synthesizer{
        ruckle::PoseSynthesizer(
            ruckle::Binding(coarse, rest, as_span(e.bound_faces, count), as_positions(e.barycentric, e.vertex_count)),
            as_positions(e.rest_details, e.vertex_count), as_faces(e.faces, e.face_count), joints, e.bone_count, options, skin),
        names};
}

// Returns an error that says why the core rejected a frame, and names the joint or the vertex.
ruckle_status fail_frame(const ruckle_pose_synthesizer& synthesizer, ruckle::PoseStatus status,
                         std::span<const ruckle::Vector3> positions) {
    const int joint = synthesizer.core.refused_joint();
    if (joint < 0) {
        return fail_not_finite(positions);
    }
    const char* name = synthesizer.names[static_cast<std::size_t>(joint)].c_str();
    return status == ruckle::PoseStatus::not_finite
               ? fail(RUCKLE_NOT_FINITE, "bones: a bone of joint %s is not finite", name)
               : fail(RUCKLE_BAD_BONES,
                      "bones: a bone of joint %s scales one way more than another, or shears; bones must be rigid", name);
}

}  // namespace

ruckle_status ruckle_pose_synthesizer_create(const ruckle_pose_examples* examples, const ruckle_pose_options* options,
                                             ruckle_pose_synthesizer** synthesizer) {
    RUCKLE_RESULT(synthesizer)
    RUCKLE_REQUIRE(examples)
    ruckle::PoseOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    RUCKLE_TRY(check(*examples))
    return create_object(synthesizer, [&] { return make(*examples, chosen); });
}

RUCKLE_LAYER(pose_synthesizer, synthesizer)

ruckle_status ruckle_pose_synthesizer_step(ruckle_pose_synthesizer* synthesizer, const float* positions, int32_t vertex_count,
                                           const float* bones, int32_t bone_count) {
    RUCKLE_REQUIRE(synthesizer, positions, bones)
    ruckle::PoseSynthesizer& core = synthesizer->core;
    RUCKLE_TRY(check_vertex_count(core.binding().coarse_count(), vertex_count))
    if (bone_count != core.bone_count()) {
        return fail(RUCKLE_BAD_BONES, "bones: expected %d bones, got %d", core.bone_count(), bone_count);
    }
    static_assert(sizeof(ruckle::BoneMatrix) == 12 * sizeof(float));
    const std::span matrices(reinterpret_cast<const ruckle::BoneMatrix*>(bones), static_cast<std::size_t>(bone_count));
    const auto points = as_positions(positions, vertex_count);
    // both counts are correct here, so only the numbers can be invalid
    return guarded([&] {
        const ruckle::PoseStatus status = core.step(points, matrices);
        return status == ruckle::PoseStatus::done ? RUCKLE_OK : fail_frame(*synthesizer, status, points);
    });
}

RUCKLE_ANSWER(int32_t, ruckle_pose_synthesizer_vertex_count, pose_synthesizer, synthesizer,
              synthesizer->core.binding().vertex_count())
RUCKLE_ANSWER(int32_t, ruckle_pose_synthesizer_joint_count, pose_synthesizer, synthesizer, synthesizer->core.joint_count())
RUCKLE_ANSWER(const float*, ruckle_pose_synthesizer_positions, pose_synthesizer, synthesizer,
              reinterpret_cast<const float*>(synthesizer->core.positions().data()))
RUCKLE_ANSWER(const float*, ruckle_pose_synthesizer_normals, pose_synthesizer, synthesizer,
              reinterpret_cast<const float*>(synthesizer->core.normals().data()))
RUCKLE_ANSWER(const double*, ruckle_pose_synthesizer_angles, pose_synthesizer, synthesizer,
              reinterpret_cast<const double*>(synthesizer->core.angles().data()))
RUCKLE_ANSWER(const double*, ruckle_pose_synthesizer_outside, pose_synthesizer, synthesizer,
              reinterpret_cast<const double*>(synthesizer->core.outside().data()))

RUCKLE_NUMBERS(ruckle_pose_synthesizer_get_timings, pose_synthesizer, synthesizer, ruckle_pose_timings, timings)

RUCKLE_NUMBERS(ruckle_pose_synthesizer_get_stats, pose_synthesizer, synthesizer, ruckle_pose_stats, stats)
