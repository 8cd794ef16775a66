// Vectors in space out of rows of four, for the kernels alone (see numeric/lanes.h); the fourth numbers take no part.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

// Three products in the order in which the rest of the core sums those of a Vector3.
template <int N>
inline Floats<N> dot(Quads<N> a, Quads<N> b) {
    return a.a * b.a + (a.b * b.b + a.c * b.c);
}
template <int N>
inline Quads<N> cross(Quads<N> a, Quads<N> b) {
    return {a.b * b.c - a.c * b.b, a.c * b.a - a.a * b.c, a.a * b.b - a.b * b.a, Floats<N>{}};
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
