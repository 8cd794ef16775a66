#include "simulation/cones.h"

#include <algorithm>
#include <cmath>

namespace ruckle {

bool are_sound(std::span<const RoundedCone> cones) {
    return std::all_of(cones.begin(), cones.end(), [](const RoundedCone& c) {
        return c.first.allFinite() && c.second.allFinite() && std::isfinite(c.first_radius) && c.first_radius >= 0.0f &&
               std::isfinite(c.second_radius) && c.second_radius >= 0.0f;
    });
}

ConeStep cone_step(const RoundedCone& from, const RoundedCone& to, float before, float now, const Vector3& origin) {
    const auto mix = [](const auto& a, const auto& b, float t) { return a + (b - a) * t; };
    const Vector3 first = mix(from.first, to.first, now) - origin, second = mix(from.second, to.second, now) - origin;
    const Vector3 axis = second - first, first_move = (to.first - from.first) * (now - before);
    // motion in this substep, for friction; the position of the cone is that at the end of the substep
    const Vector3 second_move = (to.second - from.second) * (now - before);
    const float first_radius = mix(from.first_radius, to.first_radius, now);
    const float change = mix(from.second_radius, to.second_radius, now) - first_radius, square = axis.squaredNorm();
    ConeStep step{};
    Vector3::Map(step.first) = first;
    Vector3::Map(step.axis) = axis;
    Vector3::Map(step.first_move) = first_move;
    Vector3::Map(step.second_move) = second_move;
    // if one end sphere contains the other, the cone is this sphere
    step.first_radius = first_radius;
    step.radius_change = change;
    if (change * change < square) {
        // the normal leans by asin(change / length) towards the axis, so the closest center is ahead of the foot of the
        // perpendicular
        step.inverse_square = 1.0f / square;
        step.taper = change / (square * std::sqrt(1.0f - change * change / square));
    } else if (change > 0.0f) {
        // the second sphere contains the first and replaces it
        Vector3::Map(step.first) = second;
        Vector3::Map(step.axis).setZero();
        Vector3::Map(step.first_move) = second_move;
        step.first_radius = first_radius + change;
        step.radius_change = 0.0f;
    } else {
        Vector3::Map(step.axis).setZero();
        Vector3::Map(step.second_move) = first_move;
        step.radius_change = 0.0f;
    }
    return step;
}

}  // namespace ruckle
