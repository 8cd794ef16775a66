#include "ruckle/pose_space/joint.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "constants.h"
#include "numeric/functions.h"

namespace ruckle {

namespace {

using Vector = Eigen::Vector3d;
using Quaternion = Eigen::Quaterniond;

// Length of a part of a unit quaternion below which its direction is undefined.
constexpr double tiny = 1e-9;

// Rounds an interpolation weight to a multiple of 1 / share_steps. Rounding errors of angles then do not matter: a
// joint exactly at a sample reads only that sample, and a rotation of the whole body does not change the bits of the
// result.
double in_steps(double share) {
    return std::round(share * share_steps) / share_steps;
}

// Smallest swing, radians, at which details begin to fade: 120 degrees. Larger: details fade faster towards 180
// degrees. Smaller: details of joints that bend beyond their examples fade too early.
constexpr double swing_fall_off = 2.0 / 3.0 * std::numbers::pi;

// Returns the equivalent angle in [-π, π).
double wrapped(double angle) {
    constexpr double pi = std::numbers::pi, turn = 2.0 * pi;
    return angle - turn * std::floor((angle + pi) / turn);
}

// Returns the twist of the rotation q about an axis: twice the arc tangent of the quaternion's component along the axis
// over w. Also writes result.swing, the angle of the remaining rotation, and result.undefined_twist; an undefined twist
// is returned as 0.
double twist_about(const Quaternion& q, const Vector& axis, JointAngles& result) {
    const double along = q.vec().dot(axis), of_twist = std::sqrt(q.w() * q.w() + along * along);
    result.swing = 2.0 * arc_tangent((q.vec() - along * axis).norm(), of_twist);
    result.undefined_twist = of_twist < tiny;
    return result.undefined_twist ? 0.0 : wrapped(2.0 * arc_tangent(along, q.w()));
}

// Returns axis times angle of a rotation; the angle is at most π.
Vector rotation_vector(Quaternion q) {
    // q and -q represent one rotation; uses the one with an angle of at most π
    if (q.w() < 0.0) {
        q.coeffs() = -q.coeffs();
    }
    const double sine = q.vec().norm();
    // q.vec() has the length sin(angle / 2); for a tiny angle, this equals angle / 2
    return sine < tiny ? Vector(2.0 * q.vec()) : Vector(q.vec() * (2.0 * arc_tangent(sine, q.w()) / sine));
}

}  // namespace

JointAngles joint_angles(const Matrix3& rotation, const Matrix3& axes, JointKind kind) {
    JointAngles result;
    const Quaternion q(Eigen::Matrix3d{rotation});
    if (kind == JointKind::hinge) {
        result.values[0] = twist_about(q, axes.row(0).transpose(), result);
        return result;
    }
    const Vector along = axes.row(2).transpose();
    const double twist = twist_about(q, along, result);
    Quaternion turn = Quaternion::Identity();
    if (!result.undefined_twist) {
        // quaternion of the twist: the part of the rotation about the axis, computed without sine and cosine
        turn.w() = q.w();
        turn.vec() = along * q.vec().dot(along);
        turn.normalize();
    }
    // rotation = swing · twist; the axis of the swing is orthogonal to the bone, so its third component is 0
    const Vector swing = axes * rotation_vector(q * turn.conjugate());
    result.values = {swing[0], swing[1], twist};
    return result;
}

namespace {

// Two samples of an axis, the interpolation weight of the second, and the angle minus the nearest sample if it is
// outside all samples, radians; else 0.
struct Interval {
    std::int32_t low, high;
    double share, outside;
};

// Returns the two samples around an angle, with a weight rounded by in_steps. For an angle outside all samples, the
// nearest sample has all the weight. An axis with one sample returns this sample twice.
Interval interval_of(const std::vector<double>& axis, double given) {
    const double angle = std::clamp(given, axis.front(), axis.back());
    const auto count = static_cast<std::int32_t>(axis.size());
    // index of the first sample of the interval; the last sample belongs to the interval before it
    const auto above = static_cast<std::int32_t>(std::upper_bound(axis.begin(), axis.end(), angle) - axis.begin());
    const std::int32_t low = std::clamp(above - 1, 0, std::max(count - 2, 0));
    const double share = count > 1 ? in_steps((angle - axis[low]) / (axis[low + 1] - axis[low])) : 0.0;
    return {low, std::min(low + 1, count - 1), share, given - angle};
}

// Like interval_of, for a twist, whose period is a full turn. In the gap from the last sample to the first sample one
// turn later, the nearer sample is used. In the middle half of the gap, both are blended so that the result does not
// jump.
Interval twist_interval_of(const std::vector<double>& axis, double given) {
    constexpr double turn = 2.0 * std::numbers::pi;
    if (axis.size() < 2) {
        return interval_of(axis, given);
    }
    const auto from = [&](double sample) { return given - sample - turn * std::round((given - sample) / turn); };
    // adds whole turns to the angle, so that it is in the turn that starts at the first sample
    const double angle = given - turn * std::floor((given - axis.front()) / turn);
    const double gap = turn - (axis.back() - axis.front()), beyond = angle - axis.back();
    if (beyond <= 0.0 || !(gap > 0.0)) {
        return interval_of(axis, std::min(angle, axis.back()));
    }
    const double way = std::clamp(2.0 * beyond / gap - 0.5, 0.0, 1.0), share = in_steps(way * way * (3.0 - 2.0 * way));
    const double outside = beyond < 0.5 * gap ? from(axis.back()) : from(axis.front());
    return {static_cast<std::int32_t>(axis.size()) - 1, 0, share, outside};
}

}  // namespace

GridCell grid_cell(std::span<const std::vector<double>> axes, std::span<const double> angles) {
    GridCell cell;
    cell.corner_count = 1;
    std::array<double, most_corners> weights{1.0};
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const auto count = static_cast<std::int32_t>(axes[d].size());
        const auto [low, high, share, outside] =
            d + 1 == axes.size() ? twist_interval_of(axes[d], angles[d]) : interval_of(axes[d], angles[d]);
        cell.outside[d] = outside;
        // each axis splits every corner of the cell into two: at the first and at the second sample of this axis
        const GridCell before = cell;
        const std::array<double, most_corners> weights_before = weights;
        cell.corner_count = 0;
        for (int i = 0; i < before.corner_count; ++i) {
            for (const auto& [sample, weight] : {std::pair(low, 1.0 - share), std::pair(high, share)}) {
                if (weight > 0.0) {
                    // sample numbers: the last axis varies fastest
                    cell.samples[cell.corner_count] = before.samples[i] * count + sample;
                    weights[cell.corner_count++] = weights_before[i] * weight;
                }
            }
        }
    }
    for (int i = 0; i < cell.corner_count; ++i) {
        cell.weights[i] = static_cast<float>(weights[i]);
    }
    // clears entries after the last corner, so that equal cells compare equal
    std::fill(cell.samples.begin() + cell.corner_count, cell.samples.end(), 0);
    return cell;
}

double kept_share(std::span<const std::vector<double>> axes, const JointAngles& found) {
    const auto reach = [](const std::vector<double>& axis) { return std::max(std::abs(axis.front()), std::abs(axis.back())); };
    double begin = swing_fall_off;
    if (axes.size() == most_angles) {
        begin = std::max(begin, std::sqrt(reach(axes[0]) * reach(axes[0]) + reach(axes[1]) * reach(axes[1])));
    }
    if (found.swing <= begin) {
        return 1.0;
    }
    // `tiny` avoids a division by 0 if the grid covers swings up to 180 degrees; the share is then 0 only at 180
    // degrees
    const double way = std::min((found.swing - begin) / std::max(std::numbers::pi - begin, tiny), 1.0);
    return in_steps(1.0 - way * way * (3.0 - 2.0 * way));
}

}  // namespace ruckle
