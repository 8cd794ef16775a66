// Return true if every number of an array is finite.
#pragma once

#include <span>

#include "numeric/dispatch.h"
#include "numeric/finite_kernel.h"
#include "ruckle/types.h"

namespace ruckle {

inline bool all_finite(std::span<const float> values) {
    return kernels<FiniteKernels>().all_finite(values.data(), static_cast<int64_t>(values.size()));
}
inline bool all_finite(std::span<const Vector3> values) {
    return all_finite(std::span(reinterpret_cast<const float*>(values.data()), 3 * values.size()));
}
inline bool all_finite(std::span<const Matrix2> values) {
    return all_finite(std::span(reinterpret_cast<const float*>(values.data()), 4 * values.size()));
}

}  // namespace ruckle
