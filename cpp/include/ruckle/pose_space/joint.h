// joint: converts the rotation of a joint to angles, and finds the grid samples around these angles. The examples of a
// joint were made at the angles of a regular grid, the samples.
//
// The rotation of a joint is that of the child bone relative to the parent bone, both measured from the rest pose, in
// the parent's rest axes. A joint has three axes, the orthonormal rows of a matrix; the last one is along the bone. A
// hinge rotates about the first axis. A ball joint rotates by exp(swing about the first two axes) exp(twist about the
// last axis), which has no gimbal lock. (Wang et al. 2010, section 4, use "three angles" and do not give their order.)
//
// Example:
//     const std::vector<std::vector<double>> samples{{0.0, 0.8, 1.6}};  // radians
//     const ruckle::JointAngles angles = ruckle::joint_angles(rotation, ruckle::Matrix3::Identity(), ruckle::JointKind::hinge);
//     const ruckle::GridCell cell = ruckle::grid_cell(samples, std::span(angles.values).first(1));
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/types.h"

namespace ruckle {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor | Eigen::DontAlign>;

// A hinge has one angle. A ball joint has three: swing about the first axis, swing about the second axis, twist about
// the last axis.
enum class JointKind : std::uint8_t { hinge, ball };
inline constexpr const char* joint_kind_words[] = {"hinge", "ball"};  // in the order of JointKind
inline constexpr int most_angles = 3, most_corners = 8;

constexpr int angle_count(JointKind kind) {
    return kind == JointKind::hinge ? 1 : most_angles;
}

struct JointAngles {
    std::array<double, most_angles> values{};  // radians; twist and hinge angles are in [-π, π); unused entries are 0
    double swing = 0.0;                        // radians in [0, π]: angle of the rotation without its twist
    bool undefined_twist = false;              // true for a swing by π: the twist is then not unique and set to 0
};

// Returns the angles of a joint.
//
// rotation  (3, 3) rotation of the child bone relative to its parent since the rest pose
// axes      (3, 3) orthonormal rows: axes of the joint. Row 0 is the axis of a hinge, row 2 that of a ball's twist
JointAngles joint_angles(const Matrix3& rotation, const Matrix3& axes, JointKind kind);

// The samples around given angles, with their weights for multilinear interpolation. Samples with weight 0 are not
// included.
struct GridCell {
    int corner_count = 0;
    std::array<std::int32_t, most_corners> samples{};  // sample numbers in the grid, whose last axis varies fastest
    std::array<float, most_corners> weights{};         // interpolation weights; their sum is 1
    // per axis, radians: angle minus the nearest sample; 0 inside the grid
    std::array<double, most_angles> outside{};

    bool operator==(const GridCell&) const = default;
};

// Returns the grid cell that contains `angles`. The grid is not extrapolated: an angle outside uses the nearest sample
// of its axis. The last axis (the angle of a hinge, or the twist of a ball joint) has the period 2π. In the gap from
// its last sample to its first sample one turn later, the nearer sample is used; in the middle half of the gap, both
// are blended. The weights are continuous functions of the angles.
//
// axes    D lists of sampled angles, radians, strictly increasing; an axis with one sample does not affect the result
// angles  (D) radians
GridCell grid_cell(std::span<const std::vector<double>> axes, std::span<const double> angles);

// Returns the factor in [0, 1] by which a joint's details are multiplied. It is 1 for swings up to 120 degrees, or up
// to the largest swing in the grid if that is larger. It then falls to 0 at 180 degrees, because a small rotation there
// can change the twist by any angle.
double kept_share(std::span<const std::vector<double>> axes, const JointAngles& found);

}  // namespace ruckle
