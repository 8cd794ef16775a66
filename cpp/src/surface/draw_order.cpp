// Sorts triangles by depth, and divides the sequence into draw calls.
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "surface/state.h"

namespace ruckle {

namespace {

// Number of depth intervals of the sort. Triangles in one interval are not sorted further.
constexpr std::size_t depth_steps = 1 << 12;

// Number of depth ranges (turns). In each range, divided triangles are drawn first and then plain triangles, because
// the two kinds need different shader programs. Larger: more draw calls. Smaller: more fragments are shaded and later
// hidden.
constexpr std::size_t turns = 4, turn_steps = depth_steps / turns;

// Returns an upper bound of the number of fine vertices of a triangle with these levels.
std::int64_t vertices_made(const FaceLevels& levels) {
    const auto n = static_cast<std::int64_t>(std::max({2.0f, levels[0], levels[1], levels[2], levels[3]}));
    return (3 * n * n + 6 * n + 4) / 4;
}

}  // namespace

bool Surface::State::is_divided(std::int32_t face) const {
    return levels.of_faces()[face][3] > 1.0f || levels.is_raised(face);
}

// Writes the corners of all faces to the result, sorted from near to far by three keys (counting sort): depth range,
// then divided before plain faces, then depth interval. depth_steps intervals divide the depths from the nearest to the
// farthest face equally. Faces of one interval remain in ascending order. Faces with depth NaN count as nearest.
void Surface::State::sort_by_depth(const Vector3& toward_eye, DrawOrder& result) {
    const std::int32_t face_count = topology.face_count();
    float nearest = -std::numeric_limits<float>::infinity(), farthest = -nearest;
    nearness.resize(static_cast<std::size_t>(face_count));
    for (std::int32_t face = 0; face < face_count; ++face) {
        const Face& corners = topology.faces[face];
        nearness[face] = toward_eye.dot(positions[corners[0]] + positions[corners[1]] + positions[corners[2]]);
        nearest = std::max(nearest, nearness[face]), farthest = std::min(farthest, nearness[face]);
    }
    const float scale = nearest > farthest ? static_cast<float>(depth_steps - 1) / (nearest - farthest) : 0.0f;
    const auto key_of = [&](std::int32_t face) {
        // the depth is NaN if the positions are so large that a sum overflows; the face then comes first
        const float depth = (nearest - nearness[face]) * scale;
        const std::size_t step = depth > 0.0f ? std::min(static_cast<std::size_t>(depth), depth_steps - 1) : 0;
        return step + step / turn_steps * turn_steps + (is_divided(face) ? 0 : turn_steps);
    };
    starts.assign(2 * depth_steps + 1, 0);
    for (std::int32_t face = 0; face < face_count; ++face) {
        ++starts[key_of(face) + 1];
    }
    for (std::size_t step = 1; step < starts.size(); ++step) {
        starts[step] += starts[step - 1];
    }
    result.corners.resize(static_cast<std::size_t>(face_count));
    for (std::int32_t face = 0; face < face_count; ++face) {
        result.corners[starts[key_of(face)]++] = {3 * face, 3 * face + 1, 3 * face + 2};
    }
}

void Surface::order(const Vector3& toward_eye, std::int64_t vertices_per_draw, DrawOrder& result) {
    State& s = *state_;
    s.sort_by_depth(toward_eye, result);
    result.draws.clear();
    std::int64_t made = 0;
    for (std::int32_t rank = 0; rank < s.topology.face_count(); ++rank) {
        const std::int32_t face = result.corners[rank][0] / 3;
        const bool divided = s.is_divided(face);
        const std::int64_t own = divided ? vertices_made(s.levels.of_faces()[face]) : 0;
        if (result.draws.empty() || result.draws.back().divided != divided || made + own > vertices_per_draw) {
            result.draws.push_back({rank, 0, divided});
            made = 0;
        }
        made += own;
        ++result.draws.back().count;
    }
}

}  // namespace ruckle
