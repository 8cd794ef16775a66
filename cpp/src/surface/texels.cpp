#include "ruckle/surface/texels.h"

#include <cassert>

#include "surface/state.h"

namespace ruckle {

namespace {

Texel texel(const Vector3& v, float fourth) {
    return {v[0], v[1], v[2], fourth};
}

}  // namespace

void Surface::write_texels(std::span<Texel> table) const {
    const State& s = *state_;
    assert(table.size() >= surface_texel_count(s.topology));
    for (std::int32_t face = 0; face < s.topology.face_count(); ++face) {
        Texel* own = table.data() + face_texels * static_cast<std::size_t>(face);
        const Texel& levels = s.levels.of_faces()[face];
        for (int k = 0; k < 3; ++k) {
            own[k] = texel(s.base.bulges()[s.topology.face_edges[face][k]], levels[k]);
            own[corner_texels + k] = texel(s.creases.corner_normals()[face][k], 0.0f);
        }
        // no runs yet: paths write theirs over it (PathHeights::write_texels), without them there are none
        own[entry_texel] = {0.0f, 0.0f, static_cast<float>(face), levels[3]};
    }
    // the layout is that of common/tables.glsl
    Texel* next = table.data() + face_texels * s.topology.faces.size();
    for (std::size_t vertex = 0; vertex < s.positions.size(); ++vertex) {
        *next++ = texel(s.positions[vertex], 0.0f);
        *next++ = texel(s.normals.of_vertices()[vertex], 0.0f);
    }
}

}  // namespace ruckle
