// joint: the rotation of a joint since rest, and the samples of its grid around that rotation.
//
// A joint turns everything behind it about its centre. Its rotation is that of the child's bone relative to the parent's, both
// from rest, in the parent's rest axes. Of three axes, orthonormal rows, a hinge turns about the first; the last is along the
// bone. A ball turns by exp(a swing about the first two) exp(a twist about the last), which does not have a gimbal lock (Wang et
// al. 2010, section 4, speaks of "three angles" and gives no order).
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

// A hinge has one angle, a ball three: swing about the first axis, about the second, twist about the last.
enum class JointKind : std::uint8_t { hinge, ball };
inline constexpr const char* joint_kind_words[] = {"hinge", "ball"};  // in the order of JointKind
inline constexpr int most_angles = 3, most_corners = 8;

constexpr int angle_count(JointKind kind) {
    return kind == JointKind::hinge ? 1 : most_angles;
}

struct JointAngles {
    std::array<double, most_angles> values{};  // radians; twists in [-π, π); 0 beyond the last
    double swing = 0.0;                        // radians in [0, π]: the rotation without its twist
    bool undefined_twist = false;              // after a swing by π any twist would do: 0
};

// rotation, axes  (3, 3) orthonormal
JointAngles joint_angles(const Matrix3& rotation, const Matrix3& axes, JointKind kind);

// The samples around angles, and their weights in multilinear interpolation; those of weight 0 are left out.
struct GridCell {
    int corner_count = 0;
    std::array<std::int32_t, most_corners> samples{};  // the last axis varies fastest
    std::array<float, most_corners> weights{};         // sum to 1
    std::array<double, most_angles> outside{};         // radians from the nearest sample; 0 within the grid

    bool operator==(const GridCell&) const = default;
};

// The grid is not extrapolated. Outside, the nearest sample of an axis is taken. The last axis is a twist, which is the same after a full
// turn: in the middle half of the gap between its last and its first sample the one blends into the other. The weights are continuous.
//
// axes    D strictly increasing rows of sampled angles, radians; one with a single sample is constant
// angles  (D)
GridCell grid_cell(std::span<const std::vector<double>> axes, std::span<const double> angles);

// The share of its details that a joint keeps, in [0, 1]. It falls from 1 where the swing leaves the grid, at 120 degrees or more, to 0
// at 180 degrees: there a small turn changes the twist by any amount.
double kept_share(std::span<const std::vector<double>> axes, const JointAngles& found);

}  // namespace ruckle
