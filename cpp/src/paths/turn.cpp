// Rotates a whole path around its middle by changing every t. Each vertex moves along its edge until its displacement
// perpendicular to the path equals the displacement of the rotation.
#include "paths/turn.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "constants.h"
#include "paths/geometry.h"

namespace ruckle {

namespace {

// Returns d p / d t of a path vertex on an edge of the face, in the face's plane.
Vector2 slope_of(const Cloth& cloth, std::int32_t face, std::int32_t edge) {
    const int side = side_of(cloth.topology, face, edge);
    const Vector2 vector = corner(cloth.current[face], (side + 1) % 3) - corner(cloth.current[face], side);
    return cloth.topology.faces[face][side] == cloth.topology.edges[edge][0] ? Vector2(-vector) : vector;
}

// Returns the change of t that moves a path vertex by one mesh unit to the left of the path. `step` is the path segment
// at the vertex. The result is limited if edge and path are nearly parallel, and not finite if `step` has length 0.
float t_per_left(const Cloth& cloth, std::int32_t face, std::int32_t edge, const Vector2& step) {
    const Vector2 slope = slope_of(cloth, face, edge);
    const float left = slope.dot(quarter_turn(step)) / step.norm();
    return left / std::max(left * left, least_across * slope.squaredNorm());
}

// Returns the vector from path vertex i to the next vertex, in the plane of the segment's triangle.
Vector2 segment_of(const Cloth& cloth, const Path& path, int i) {
    const std::int32_t face = path.faces[i];
    const Matrix2& current = cloth.current[face];
    return point_in_face(cloth.topology, current, face, path.edges[i + 1], path.t[i + 1]) -
           point_in_face(cloth.topology, current, face, path.edges[i], path.t[i]);
}

// Segments of a path, and their mean angle to the direction of wrinkles in the field.
struct PathInField {
    std::array<Vector2, most_path_vertices> segments;
    std::array<float, most_path_vertices> where;  // length of the path up to each vertex, mesh units
    float length;
    // mean sine of the angle from path to field, weighted by length; positive if the field is rotated to the left of
    // the path
    float mean_sine;

    PathInField(const Cloth& cloth, const Path& path) {
        const int last = path.count - 1;
        float sum = 0.0f;
        where[0] = 0.0f;
        for (int i = 0; i < last; ++i) {
            const Vector2 step = segments[i] = segment_of(cloth, path, i);
            where[i + 1] = where[i] + step.norm();
            // the field does not have a sign: choose the direction along the path
            const Vector2 field = quarter_turn(cloth.field.axis[path.faces[i]]);
            sum += field.dot(step) < 0.0f ? cross(field, step) : cross(step, field);
        }
        length = where[last];
        mean_sine = sum / length;
    }
};

// Returns the angle by which the path rotates in this frame, radians; positive: to the left. The angle is the share
// min(1, turning × 30 dt) of the mean sine's part above idle_turn_sine, limited so that the ends move by at most `most`
// per 1/30 s.
float turning_angle(const PathInField& lie, const PersistOptions& options, float most) {
    const float frames = options.dt / reference_frame_time;
    const float limit = most * frames / (0.5f * lie.length);
    const float beyond = std::max(std::abs(lie.mean_sine) - idle_turn_sine, 0.0f);
    return std::copysign(std::min(std::min(options.turning * frames, 1.0f) * beyond, limit), lie.mean_sine);
}

}  // namespace

void turn_path(const Cloth& cloth, const PersistOptions& options, float most, const Path& path, std::span<float> t) {
    std::copy_n(path.t.begin(), path.count, t.begin());
    if (options.turning == 0.0f || path.count < least_turning_vertices) {
        return;
    }
    const PathInField lie(cloth, path);
    const float angle = turning_angle(lie, options, most), middle = 0.5f * lie.length;
    // return early if the path is aligned with the field well enough, as usual
    if (angle == 0.0f) {
        return;
    }
    for (int i = 0; i < path.count; ++i) {
        const int segment = std::min(i, path.count - 2);
        const float rate = t_per_left(cloth, path.faces[segment], path.edges[i], lie.segments[segment]);
        const float change = angle * (lie.where[i] - middle) * rate;
        // the change is not finite in a collapsed triangle
        t[i] += std::isfinite(change) ? change : 0.0f;
    }
}

}  // namespace ruckle
