// Products of vectors in space, which are rows of four numbers; for kernels only (see numeric/lanes.h). The fourth
// number is ignored.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

// Dot product, in the summation order that the core uses for a Vector3.
template <int N>
inline Floats<N> dot(Quads<N> a, Quads<N> b) {
    return a.a * b.a + (a.b * b.b + a.c * b.c);
}
template <int N>
inline Quads<N> cross(Quads<N> a, Quads<N> b) {
    return {a.b * b.c - a.c * b.b, a.c * b.a - a.a * b.c, a.a * b.b - a.b * b.a, Floats<N>{}};
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
