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

// Of a quaternion, beside 1: below it a direction means nothing.
constexpr double tiny = 1e-9;

// A share of a cell's width in whole steps: a joint at a sample reads that sample alone, and one that has not moved, but whose bones
// have turned together, is where it was.
double in_steps(double share) {
    return std::round(share * share_steps) / share_steps;
}

// An angle in [-π, π).
double wrapped(double angle) {
    constexpr double pi = std::numbers::pi, turn = 2.0 * pi;
    return angle - turn * std::floor((angle + pi) / turn);
}

// Twice the arc tangent of a quaternion's part along an axis: the angle about it that is nearest to the rotation.
double twist_about(const Quaternion& q, const Vector& axis, bool& undefined) {
    const double along = q.vec().dot(axis);
    undefined = std::sqrt(q.w() * q.w() + along * along) < tiny;
    return undefined ? 0.0 : wrapped(2.0 * arc_tangent(along, q.w()));
}

// Axis times angle of a rotation, of at most π.
Vector rotation_vector(Quaternion q) {
    // q and -q are one rotation: this one turns by π at most
    if (q.w() < 0.0) {
        q.coeffs() = -q.coeffs();
    }
    const double sine = q.vec().norm();
    // twice the half angle, whose sine it still is
    return sine < tiny ? Vector(2.0 * q.vec()) : Vector(q.vec() * (2.0 * arc_tangent(sine, q.w()) / sine));
}

}  // namespace

JointAngles joint_angles(const Matrix3& rotation, const Matrix3& axes, JointKind kind) {
    JointAngles result;
    const Quaternion q(Eigen::Matrix3d{rotation});
    if (kind == JointKind::hinge) {
        result.values[0] = twist_about(q, axes.row(0).transpose(), result.undefined_twist);
        return result;
    }
    const Vector along = axes.row(2).transpose();
    const double twist = twist_about(q, along, result.undefined_twist);
    Quaternion turn = Quaternion::Identity();
    if (!result.undefined_twist) {
        // the turn by the twist, without its sine and cosine: what of the rotation lies along the axis
        turn.w() = q.w();
        turn.vec() = along * q.vec().dot(along);
        turn.normalize();
    }
    // rotation = swing twist: what is left turns about an axis across the bone, so that its third component is 0
    const Vector swing = axes * rotation_vector(q * turn.conjugate());
    result.values = {swing[0], swing[1], twist};
    return result;
}

GridCell grid_cell(std::span<const std::vector<double>> axes, std::span<const double> angles) {
    GridCell cell;
    cell.corner_count = 1;
    std::array<double, most_corners> weights{1.0};
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const std::vector<double>& axis = axes[d];
        const auto count = static_cast<std::int32_t>(axis.size());
        // beyond the samples nothing is known: the nearest is taken, and how far off it is reported
        const double angle = std::clamp(angles[d], axis.front(), axis.back());
        cell.outside[d] = angles[d] - angle;
        // the interval that holds the angle; at the last sample the one before it
        const auto above = static_cast<std::int32_t>(std::upper_bound(axis.begin(), axis.end(), angle) - axis.begin());
        const std::int32_t low = std::clamp(above - 1, 0, std::max(count - 2, 0));
        const double share = count > 1 ? in_steps((angle - axis[low]) / (axis[low + 1] - axis[low])) : 0.0;
        // every corner so far twice: at the lower sample, and at the upper one
        const GridCell before = cell;
        const std::array<double, most_corners> weights_before = weights;
        cell.corner_count = 0;
        for (int i = 0; i < before.corner_count; ++i) {
            for (const auto& [sample, weight] : {std::pair(low, 1.0 - share), std::pair(low + 1, share)}) {
                if (weight > 0.0) {
                    // the number of a sample in the grid, row by row: this axis varies faster than those before
                    cell.samples[cell.corner_count] = before.samples[i] * count + sample;
                    weights[cell.corner_count++] = weights_before[i] * weight;
                }
            }
        }
    }
    for (int i = 0; i < cell.corner_count; ++i) {
        cell.weights[i] = static_cast<float>(weights[i]);
    }
    // of equal cells every member is equal, those beyond the last corner, too
    std::fill(cell.samples.begin() + cell.corner_count, cell.samples.end(), 0);
    return cell;
}

}  // namespace ruckle
