// Vectors in space, one per SIMD lane; for kernels only (see numeric/lanes.h).
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

using Real = Floats<native_lanes>;
using Mask = Ints<native_lanes>;

inline Real splat_real(float value) {
    return splat<native_lanes>(value);
}
inline Real load_real(const float* from) {
    return load<Real>(from);
}
// Returns 0, 1, 2, ... in the lanes.
inline Mask lane_numbers() {
    Mask lanes;
    for (int k = 0; k < native_lanes; ++k) {
        lanes[k] = k;
    }
    return lanes;
}

// Vectors in space, one per lane. Eigen's types cannot be used here: the linker could share their inline functions with
// code for other instruction sets.
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
// Returns the dot product, in the summation order of Eigen's Vector3.
inline Real product(Triple a, Triple b) {
    return a.x * b.x + (a.y * b.y + a.z * b.z);
}
inline Triple select(Mask mask, Triple a, Triple b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
inline Triple zero_triple() {
    return {splat_real(0.0f), splat_real(0.0f), splat_real(0.0f)};
}
inline Triple splat_triple(const float* v) {
    return {splat_real(v[0]), splat_real(v[1]), splat_real(v[2])};
}

// Loads the vectors [i, i + native_lanes) from the columns x, y and z.
template <class Columns>
inline Triple load_columns(const Columns& columns, int64_t i) {
    return {load_real(columns[0] + i), load_real(columns[1] + i), load_real(columns[2] + i)};
}
template <class Columns>
inline void store_columns(Columns& columns, int64_t i, Triple v) {
    store(columns[0] + i, v.x), store(columns[1] + i, v.y), store(columns[2] + i, v.z);
}

// Interpolates vectors at the corners of a triangle with barycentric coordinates b. On an edge, one term is exactly
// zero, so both triangles of the edge get the same bits.
inline Triple interpolate(const float (&values)[3][3], const Real (&b)[3]) {
    return splat_triple(values[0]) * b[0] + splat_triple(values[1]) * b[1] + splat_triple(values[2]) * b[2];
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
