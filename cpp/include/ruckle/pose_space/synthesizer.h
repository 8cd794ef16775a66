// synthesizer: the stateful class of examples in pose space. Fine shapes were simulated for each joint at several angles. A step
// interpolates them at the current joint angles, merges those of all joints, and adds the result to the coarse cloth (Wang,
// Hecht, Ramamoorthi, O'Brien 2010, Example-Based Wrinkle Synthesis for Clothing Animation).
//
// One step: angles (of all joints), details (of joints that have moved), frames (of the coarse cloth), place (all fine vertices),
// normals.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. The result depends on the pose
// of the frame only, although details are read only for joints that have moved. The same frames give the same bits on any
// instruction set.
//
// **Departs from the paper:** details are relative to the coarse cloth, in frames that rotate with it, instead of posed meshes
// (binding.h), so that they can be interpolated linearly. Shares of joints keep the energy of wrinkles instead of the mean
// (merge.h).
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

// One joint and its samples on a grid of angles. Spans are read only by the constructor of PoseSynthesizer.
struct PoseJoint {
    std::string name;  // for messages
    std::int32_t parent_bone = 0, child_bone = 0;
    JointKind kind = JointKind::hinge;
    Matrix3 axes = Matrix3::Identity();
    std::vector<std::vector<double>> angles;  // radians, sampled along each axis; S samples in all, the last axis fastest
    std::span<const std::int32_t> vertices;   // (n) fine vertices that the joint moves, strictly increasing
    std::span<const float> weights;           // (n) in [0, 1]: input of merge_shares
    std::span<const std::int16_t> details;    // (S, n, 3) details minus those at rest, in units of `step`
    float step = 1.0f;                        // mesh units
};

// Skin weights of the coarse cloth, and its distance from the skinned positions in the examples. The option `trust` needs them.
struct CoarseSkin {
    std::span<const Vector3> rest;   // (C) positions at rest, mesh units
    std::span<const float> weights;  // (C, B) shares of the bones, >= 0
    std::span<const float> seen;     // (C) mesh units, >= 0: largest distance in the examples
};

// Result of a step.
enum class PoseStatus {
    done,
    wrong_vertex_count,
    wrong_bone_count,
    not_finite,  // a position, or an entry of a joint's bone
    not_rigid,   // the matrix of a joint's bone scales axes differently, or shears
};

class PoseSynthesizer {
  public:
    // rest_details  (V) details of the rest pose, in the frames of the coarse cloth, mesh units
    // faces         (F) faces of the fine mesh
    // bone_count    B
    // skin          read only if options.trust is above 0
    // Throws std::invalid_argument with one sentence if an argument is invalid.
    PoseSynthesizer(Binding binding, std::span<const Vector3> rest_details, std::span<const Face> faces,
                    std::span<const PoseJoint> joints, int bone_count, const PoseOptions& options = {},
                    const CoarseSkin& skin = {});
    ~PoseSynthesizer();
    PoseSynthesizer(PoseSynthesizer&&) noexcept;
    PoseSynthesizer& operator=(PoseSynthesizer&&) noexcept;

    // Computes the fine mesh of the next frame.
    //
    // positions  (C) of the coarse cloth, mesh units
    // bones      (B) transformations from rest to this frame
    PoseStatus step(std::span<const Vector3> positions, std::span<const BoneMatrix> bones) noexcept;

    // Forgets every frame: the next step reads the details of all joints.
    void reset();

    // Returns the state as bytes: only the number of frames, because a result does not depend on previous frames. A
    // PoseSynthesizer of the same fine mesh and options can restore it and continues with the same bits. The next step reads the
    // details of all joints.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Binding& binding() const;
    const PoseOptions& options() const;
    int joint_count() const;
    int bone_count() const;
    int frame_count() const;
    std::size_t detail_bytes() const;  // memory of all samples

    // Results of the last step; valid until the next one.
    std::span<const std::array<float, 4>> positions() const;           // (V) mesh units; the fourth number is 0
    std::span<const Vector3> normals() const;                          // (V) unit, weighted by area; 0 if all faces collapsed
    std::span<const std::array<double, most_angles>> angles() const;   // (J) radians
    std::span<const std::array<double, most_angles>> outside() const;  // (J) radians beyond the grid
    const PoseTimings& timings() const;
    const PoseStats& stats() const;
    int refused_joint() const;  // joint of the error in a frame that was not_finite or not_rigid; -1: its positions

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
