// synthesizer: the stateful object. Fine shapes that were simulated once per joint are interpolated by joint angle, merged, and laid
// on the coarse cloth (Wang, Hecht, Ramamoorthi, O'Brien 2010, Example-Based Wrinkle Synthesis for Clothing Animation).
//
// One step: angles (of all joints), details (of the joints that have moved), frames (of the coarse cloth), place (all fine vertices),
// normals.
//
// Guarantees: step allocates nothing and never throws; a refused frame leaves the state as it was; details are read only for joints that
// have moved, and the result does not depend on when they did; the same frames give the same bits on any instruction set.
//
// **Departs from the paper:** details relative to the coarse cloth, in frames that turn with it, instead of posed meshes (binding.h), so
// that interpolation is linear in them; shares that keep the energy of wrinkles instead of a mean (merge.h).
//
// Example:
//     ruckle::PoseSynthesizer synthesizer(binding, rest_details, fine.faces, joints, bone_count);
//     synthesizer.step(positions, bones);
//     draw(synthesizer.positions(), synthesizer.normals());
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ruckle/mesh/bone.h"
#include "ruckle/pose_space/binding.h"
#include "ruckle/pose_space/joint.h"
#include "ruckle/pose_space/merge.h"
#include "ruckle/pose_space/parameters.h"

namespace ruckle {

// One joint and its samples on a grid of angles. Spans are read by the constructor of a PoseSynthesizer alone.
struct PoseJoint {
    std::string name;  // for messages
    std::int32_t parent_bone = 0, child_bone = 0;
    JointKind kind = JointKind::hinge;
    Matrix3 axes = Matrix3::Identity();
    std::vector<std::vector<double>> angles;  // of each axis; S samples in all, the last axis fastest
    std::span<const std::int32_t> vertices;   // (n) strictly increasing
    std::span<const float> weights;           // (n) in [0, 1], of the rule
    std::span<const std::int16_t> details;    // (S, n, 3) minus those at rest, in steps
    float step = 1.0f;                        // mesh units
};

// The coarse cloth as skin, and its distance from that in the examples, the basis of `trust`.
struct CoarseSkin {
    std::span<const Vector3> rest;   // (C) mesh units
    std::span<const float> weights;  // (C, B) shares of the bones, >= 0
    std::span<const float> seen;     // (C) mesh units, >= 0: largest distance in the examples
};

// The result of a frame.
enum class PoseStatus {
    done,
    wrong_vertex_count,
    wrong_bone_count,
    not_finite,  // a position, or an entry of a joint's bone
    not_rigid,   // a joint's bone that scales one way more than another, or shears
};

class PoseSynthesizer {
  public:
    // rest_details  (V) of the rest pose, in the frames of the coarse cloth, mesh units
    // faces         (F) of the fine mesh
    // bone_count    B
    // skin          read only if options.trust is above 0
    // Throws std::invalid_argument, in one sentence.
    PoseSynthesizer(Binding binding, std::span<const Vector3> rest_details, std::span<const Face> faces,
                    std::span<const PoseJoint> joints, int bone_count, const PoseOptions& options = {},
                    const CoarseSkin& skin = {});
    ~PoseSynthesizer();
    PoseSynthesizer(PoseSynthesizer&&) noexcept;
    PoseSynthesizer& operator=(PoseSynthesizer&&) noexcept;

    // positions  (C) of the coarse cloth, mesh units
    // bones      (B) from rest to this frame
    PoseStatus step(std::span<const Vector3> positions, std::span<const BoneMatrix> bones) noexcept;

    // Forgets every frame: the next step reads the details of all joints.
    void reset();

    // The state as bytes. A PoseSynthesizer of the same fine mesh and options can restore it and continue with the same bits, as
    // of a Wrinkler (paths/wrinkler.h). Examples do not have memory, so the state is the number of frames, without the results of
    // the last step. The next step reads the details of all joints.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Binding& binding() const;
    const PoseOptions& options() const;
    int joint_count() const;
    int bone_count() const;
    int frame_count() const;
    std::size_t detail_bytes() const;  // of all samples, as they are kept

    // Results of the last step; valid until the next one.
    std::span<const std::array<float, 4>> positions() const;           // (V) mesh units; the fourth number is 0
    std::span<const Vector3> normals() const;                          // (V) unit, weighted by area; zero if all faces collapsed
    std::span<const std::array<double, most_angles>> angles() const;   // (J) radians
    std::span<const std::array<double, most_angles>> outside() const;  // (J) radians beyond the grid
    const PoseTimings& timings() const;
    const PoseStats& stats() const;
    int refused_joint() const;  // of the last frame that was not_finite or not_rigid; -1 if the error was in its positions

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
