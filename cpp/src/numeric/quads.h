// Products of vectors in space, one vector per SIMD lane; for kernels only (see numeric/lanes.h). Vectors are stored as
// rows of four numbers, whose fourth number is ignored.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

// Returns the dot product, in the summation order of Eigen's Vector3.
template <int N>
inline Floats<N> dot(Quads<N> a, Quads<N> b) {
    return a.a * b.a + (a.b * b.b + a.c * b.c);
}
template <int N>
inline Quads<N> cross(Quads<N> a, Quads<N> b) {
    return {a.b * b.c - a.c * b.b, a.c * b.a - a.a * b.c, a.a * b.b - a.b * b.a, Floats<N>{}};
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
