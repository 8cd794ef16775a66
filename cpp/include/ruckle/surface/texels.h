// texels: the table that shaders read (shaders/common/tables.glsl), with T faces and V vertices:
//     7 f + k, k < 3   side k of face f: its bulge, as in surface/base.h, and level
//     7 f + 3          face f: two numbers that a height source may set, 0 else; f; level inside
//     7 f + 4 + k      corner k of face f: its normal to light by; 0
//     7 T + 2 v        vertex v: position; 0
//     7 T + 2 v + 1    its normal; 0
//     then             what height sources append
// One piece, because every upload has its price.
#pragma once

#include <array>
#include <cstddef>

#include "ruckle/mesh/topology.h"

namespace ruckle {

// Four numbers; whole ones stand as floats, exact up to 2^24.
using Texel = std::array<float, 4>;

inline constexpr std::size_t face_texels = 7, entry_texel = 3, corner_texels = 4, vertex_texels = 2;

// Texels of the surface alone: where those of the first height source begin.
inline std::size_t surface_texel_count(const Topology& topology) {
    return face_texels * topology.faces.size() + vertex_texels * static_cast<std::size_t>(topology.vertex_count);
}

}  // namespace ruckle
