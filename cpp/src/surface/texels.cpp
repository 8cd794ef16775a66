// The table that shaders read (shaders/common/tables.glsl): one piece, because every upload has its price.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "surface/state.h"

namespace ruckle {

namespace {

constexpr std::size_t face_texels = 7;

Texel texel(const Vector3& v, float fourth) {
    return {v[0], v[1], v[2], fourth};
}

// Calls visit(first segment, count) for the runs of consecutive segments of a list. A wrinkle's last vertex begins no segment, so
// that no run goes from one wrinkle to the next.
template <class Visit>
void for_runs(std::span<const std::int32_t> list, Visit&& visit) {
    for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
        for (end = begin + 1; end < list.size() && list[end] == list[end - 1] + 1; ++end) {
        }
        visit(list[begin], static_cast<std::int32_t>(end - begin));
    }
}

}  // namespace

std::size_t Surface::State::first_curve_texel() const {
    return face_texels * topology.faces.size() + 2 * positions.size();
}

std::size_t Surface::texel_count() const {
    const State& s = *state_;
    std::size_t runs = 0;
    for (int face = 0; face < s.topology.face_count(); ++face) {
        for_runs(s.reach.list(face), [&](std::int32_t, std::int32_t) { ++runs; });
    }
    return s.first_curve_texel() + 3 * s.vertices.size() + runs;
}

void Surface::write_texels(std::span<Texel> texels) const {
    const State& s = *state_;
    assert(texels.size() >= texel_count());
    const std::size_t first_curve = s.first_curve_texel();
    std::size_t next_run = first_curve + 3 * s.vertices.size();
    for (int face = 0; face < s.topology.face_count(); ++face) {
        Texel* own = texels.data() + face_texels * static_cast<std::size_t>(face);
        for (int k = 0; k < 3; ++k) {
            own[k] = texel(s.base.bulges()[s.topology.face_edges[face][k]], s.levels[face][k]);
            own[4 + k] = texel(s.creases.corner_normals()[face][k], 0.0f);
        }
        const std::size_t begin = next_run;
        for_runs(s.reach.list(face), [&](std::int32_t segment, std::int32_t count) {
            const CurveVertex& vertex = s.vertices[segment];
            texels[next_run++] = {static_cast<float>(first_curve + 3 * static_cast<std::size_t>(segment)),
                                  static_cast<float>(count), vertex.wrinkle, 0.0f};
        });
        own[3] = {static_cast<float>(begin), static_cast<float>(next_run), static_cast<float>(face), s.levels[face][3]};
    }
    Texel* vertex_texels = texels.data() + face_texels * s.topology.faces.size();
    for (std::size_t vertex = 0; vertex < s.positions.size(); ++vertex) {
        vertex_texels[2 * vertex] = texel(s.positions[vertex], 0.0f);
        vertex_texels[2 * vertex + 1] = texel(s.normals[vertex], 0.0f);
    }
    static_assert(sizeof(CurveVertex) == 3 * sizeof(Texel));
    if (!s.vertices.empty()) {
        std::memcpy(texels.data() + first_curve, s.vertices.data(), s.vertices.size() * sizeof(CurveVertex));
    }
}

}  // namespace ruckle
