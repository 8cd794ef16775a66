// Vectors in space, as many at once as there are lanes; for the kernels alone (see numeric/lanes.h).
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

using Real = Floats<native_lanes>;
using Mask = Ints<native_lanes>;

inline Real splat_real(float value) {
    return splat<native_lanes>(value);
}

// Not Eigen's: its inline functions would be shared with code for other processors.
struct Triple {
    Real x, y, z;
};

inline Triple operator+(Triple a, Triple b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Triple operator-(Triple a, Triple b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Triple operator*(Triple a, Real s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline Real dot(Triple a, Triple b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Triple splat_triple(const float* v) {
    return {splat_real(v[0]), splat_real(v[1]), splat_real(v[2])};
}

// Of three terms one is exactly zero on an edge: both triangles of the edge then get the same bits.
inline Triple interpolate(const float (&values)[3][3], const Real (&b)[3]) {
    return splat_triple(values[0]) * b[0] + splat_triple(values[1]) * b[1] + splat_triple(values[2]) * b[2];
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
