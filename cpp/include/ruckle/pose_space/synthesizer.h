// synthesizer: the stateful class of examples in pose space. For each joint, fine shapes were simulated at several
// angles. A step interpolates these shapes at the current joint angles, merges the results of all joints, and adds them
// to the coarse cloth (Wang, Hecht, Ramamoorthi, O'Brien 2010, Example-Based Wrinkle Synthesis for Clothing Animation).
//
// Order of a step: angles (of all joints), details (of joints that have moved), frames (of the coarse cloth), place
// (all fine vertices), normals.
//
// Guarantees: step does not allocate and never throws. A rejected frame does not change the state. The result depends
// only on the pose of the frame, although a step reads details only for joints that have moved. Equal inputs give
// identical bits on any instruction set.
//
// **Departs from the paper:** details are stored relative to the coarse cloth, in frames that rotate with it
// (binding.h), so that they can be interpolated linearly. The paper stores posed meshes. Joints are merged so that the
// energy of wrinkles is preserved, instead of by their mean (merge.h).
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

// A joint and its samples on a grid of angles. Spans are read only by the constructor of PoseSynthesizer.
struct PoseJoint {
    std::string name;  // name for error messages
    std::int32_t parent_bone = 0, child_bone = 0;
    JointKind kind = JointKind::hinge;
    Matrix3 axes = Matrix3::Identity();
    // sampled angles about each axis, radians; their combinations are the S samples, the last axis varies fastest
    std::vector<std::vector<double>> angles;
    std::span<const std::int32_t> vertices;  // (n) fine vertices that the joint affects, strictly increasing
    std::span<const float> weights;          // (n) in [0, 1]: input of merge_shares
    std::span<const std::int16_t> details;   // (S, n, 3) details minus rest details, in units of `step`
    float step = 1.0f;                       // mesh units: size of one unit of `details`
};

// Skin weights of the coarse cloth, and the largest distance of the coarse cloth from its skinned position in the
// examples. Required if options.trust > 0.
struct CoarseSkin {
    std::span<const Vector3> rest;   // (C) positions at rest, mesh units
    std::span<const float> weights;  // (C, B) skin weights of the bones, >= 0
    std::span<const float> seen;     // (C) mesh units, >= 0: largest distance from the skinned position in the examples
};

// Result of a step.
enum class PoseStatus {
    done,
    wrong_vertex_count,
    wrong_bone_count,
    not_finite,  // a position, or the matrix of a joint's bone, is NaN or infinite
    not_rigid,   // the matrix of a joint's bone shears, mirrors or scales non-uniformly
};

class PoseSynthesizer {
  public:
    // rest_details  (V) details of the rest pose: offsets of the fine vertices from the coarse cloth, in its local
    //               coordinate frames (binding.h), mesh units
    // faces         (F) faces of the fine mesh
    // bone_count    number of bones, whose matrices step() receives
    // skin          weights of the coarse mesh; read only if options.trust > 0
    // Throws std::invalid_argument with one sentence if an argument is invalid.
    PoseSynthesizer(Binding binding, std::span<const Vector3> rest_details, std::span<const Face> faces,
                    std::span<const PoseJoint> joints, int bone_count, const PoseOptions& options = {},
                    const CoarseSkin& skin = {});
    ~PoseSynthesizer();
    PoseSynthesizer(PoseSynthesizer&&) noexcept;
    PoseSynthesizer& operator=(PoseSynthesizer&&) noexcept;

    // Computes the fine mesh of the next frame. Returns `done`, or the reason for which the frame was rejected; the
    // state then does not change.
    //
    // positions  (C) of the coarse cloth, mesh units
    // bones      (B) transformations from the rest pose to this frame
    PoseStatus step(std::span<const Vector3> positions, std::span<const BoneMatrix> bones) noexcept;

    // Forgets all frames. The frame count restarts at 0, and the next step reads the details of all joints.
    void reset();

    // Returns the state as bytes: only the number of frames, because results do not depend on earlier frames. A
    // PoseSynthesizer with the same fine mesh and options can restore it, and then computes identical results. The next
    // step reads the details of all joints.
    std::vector<std::byte> state() const;
    std::size_t state_size() const;
    void save(std::span<std::byte> state) const;
    void restore(std::span<const std::byte> state);

    const Binding& binding() const;
    const PoseOptions& options() const;
    int joint_count() const;
    int bone_count() const;
    int frame_count() const;
    std::size_t detail_bytes() const;  // bytes that all samples use in memory

    // Results of the last step; valid until the next step.
    std::span<const std::array<float, 4>> positions() const;  // (V) mesh units; the fourth number is 0
    // (V) unit normals, weighted by face area; 0 if all faces are degenerate
    std::span<const Vector3> normals() const;
    std::span<const std::array<double, most_angles>> angles() const;  // (J) angles of each joint, radians
    // (J) radians by which each angle of a joint is outside the grid; 0 inside
    std::span<const std::array<double, most_angles>> outside() const;
    const PoseTimings& timings() const;
    const PoseStats& stats() const;
    int refused_joint() const;  // after not_finite or not_rigid: joint of the invalid bone; -1: a position is invalid

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
