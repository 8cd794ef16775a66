// A step of wrinkles from examples never allocates, not even the first one; a rejected step does not change anything.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "check.h"
#include "counting_new.h"
#include "meshes.h"
#include "ruckle/pose_space/synthesizer.h"

namespace ruckle::tests {

namespace {

// Cloth that is its own fine mesh, with two joints: a ball joint with 2 x 1 x 2 samples, and a hinge with 3.
PoseSynthesizer synthesizer(const Mesh& mesh) {
    const Topology topology(mesh.faces, static_cast<int>(mesh.positions.size()));
    std::vector<std::int32_t> coarse_faces(mesh.positions.size()), all(mesh.positions.size());
    std::vector<Vector3> barycentric(mesh.positions.size()), rest_details(mesh.positions.size(), Vector3(0.0f, 0.0f, 0.1f));
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        all[v] = static_cast<std::int32_t>(v);
        coarse_faces[v] = topology.vertex_faces[topology.vertex_offsets[v]];
        const Face& face = topology.faces[coarse_faces[v]];
        barycentric[v] = (face.array() == all[v]).cast<float>();
    }
    const std::span<const std::int32_t> first(all.data(), all.size() * 2 / 3), last(all.data() + all.size() / 3, first.size());
    const std::vector<float> weights(first.size(), 0.5f);
    std::vector<std::int16_t> details(4 * 3 * first.size());
    for (std::size_t i = 0; i < details.size(); ++i) {
        details[i] = static_cast<std::int16_t>(i % 97 * 100);
    }
    const std::span<const std::int16_t> samples(details);
    PoseJoint ball, hinge;
    ball.name = "ball";
    ball.child_bone = 1;
    ball.kind = JointKind::ball;
    ball.angles = {{0.0, 1.0}, {0.0}, {-1.0, 0.0}};
    ball.vertices = first;
    ball.weights = weights;
    ball.details = samples;
    ball.step = 1e-5f;
    hinge = ball;
    hinge.name = "hinge";
    hinge.parent_bone = 1;
    hinge.child_bone = 2;
    hinge.kind = JointKind::hinge;
    hinge.angles = {{-1.0, 0.0, 1.0}};
    hinge.vertices = last;
    hinge.details = samples.first(3 * 3 * last.size());
    return PoseSynthesizer(Binding(topology, mesh.positions, coarse_faces, barycentric), rest_details, mesh.faces,
                           std::vector<PoseJoint>{ball, hinge}, 3);
}

// Returns bones that rotate about x, each by more than the one before.
std::vector<BoneMatrix> bones(float angle) {
    std::vector<BoneMatrix> result(3, BoneMatrix::Zero());
    for (int b = 0; b < 3; ++b) {
        const float c = std::cos(angle * static_cast<float>(b)), s = std::sin(angle * static_cast<float>(b));
        result[b](0, 0) = 1.0f;
        result[b](1, 1) = result[b](2, 2) = c;
        result[b](2, 1) = s;
        result[b](1, 2) = -s;
    }
    return result;
}

}  // namespace

TEST(pose_steps_allocate_nothing) {
    Mesh mesh = cloth(12, 9, false);
    PoseSynthesizer layer = synthesizer(mesh);
    std::vector<std::vector<BoneMatrix>> poses;
    for (int frame = 0; frame < 20; ++frame) {
        poses.push_back(bones(0.03f * static_cast<float>(frame)));
    }
    const long before = allocation_count();
    for (const auto& pose : poses) {
        CHECK(layer.step(mesh.positions, pose) == PoseStatus::done);
    }
    CHECK(layer.stats().moved == 2 && layer.step(mesh.positions, poses.back()) == PoseStatus::done && layer.stats().moved == 0);
    CHECK(allocation_count() == before && layer.frame_count() == 21);
}

TEST(refused_poses_change_nothing) {
    Mesh mesh = cloth(12, 9, false);
    PoseSynthesizer layer = synthesizer(mesh), other = synthesizer(mesh);
    const auto sound = bones(0.2f), next = bones(0.3f);
    CHECK(layer.step(mesh.positions, sound) == PoseStatus::done && other.step(mesh.positions, sound) == PoseStatus::done);
    const long before = allocation_count();
    const std::span<const Vector3> positions(mesh.positions);
    CHECK(layer.step(positions.first(3), next) == PoseStatus::wrong_vertex_count);
    CHECK(layer.step(positions, std::span(next).first(2)) == PoseStatus::wrong_bone_count);
    auto damaged = next;
    damaged[2](0, 3) = std::numeric_limits<float>::quiet_NaN();
    CHECK(layer.step(positions, damaged) == PoseStatus::not_finite && layer.refused_joint() == 1);
    auto sheared = next;
    sheared[1](0, 1) = 0.2f;
    CHECK(layer.step(positions, sheared) == PoseStatus::not_rigid && layer.refused_joint() == 0);
    std::swap(mesh.positions[4][1], damaged[2](0, 3));
    CHECK(layer.step(positions, next) == PoseStatus::not_finite && layer.refused_joint() == -1);
    std::swap(mesh.positions[4][1], damaged[2](0, 3));
    // the two allocations are those of the copied bones above
    CHECK(allocation_count() == before + 2 && layer.frame_count() == 1);
    CHECK(layer.step(positions, sound) == PoseStatus::done && layer.stats().moved == 0);
    CHECK(std::ranges::equal(layer.positions(), other.positions()));
}

}  // namespace ruckle::tests
