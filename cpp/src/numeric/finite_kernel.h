// Kernel of all_finite (numeric/finite.h).
#pragma once

#include <stdint.h>

namespace ruckle {

struct FiniteKernels {
    // True if every value is finite.
    bool (*all_finite)(const float* values, int64_t count);

    static const FiniteKernels baseline, x86_64_v3;
};

}  // namespace ruckle
