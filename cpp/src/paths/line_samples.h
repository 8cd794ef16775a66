// Views CurveSample arrays as LineSample arrays, so that the compiler copies samples as blocks of memory. It copies
// Eigen vectors number by number.
#pragma once

#include <cstddef>
#include <span>

#include "paths/line_kernel.h"
#include "ruckle/paths/curve.h"

namespace ruckle {

static_assert(sizeof(LineSample) == sizeof(CurveSample) && offsetof(LineSample, weights) == offsetof(CurveSample, weights) &&
              offsetof(LineSample, height) == offsetof(CurveSample, height));
static_assert(most_line_samples == most_curve_samples);

inline const LineSample* as_lanes(const CurveSample* samples) {
    return reinterpret_cast<const LineSample*>(samples);
}
inline LineSample* as_lanes(CurveSample* samples) {
    return reinterpret_cast<LineSample*>(samples);
}

}  // namespace ruckle
