// Kernel of all_finite; see finite_kernel.h.
#include "numeric/finite_kernel.h"

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

bool all_finite(const float* values, int64_t count) {
    // x - x is 0 for every finite x, and NaN otherwise; a sum with NaN is NaN
    Floats<native_lanes> wide = {};
    float narrow = 0.0f;
    for_lanes(0, count, [&]<int N>(int64_t i) {
        const Floats<N> x = load<Floats<N>>(values + i);
        if constexpr (N == 1) {
            // the tail of the array, one value at a time
            narrow += x[0] - x[0];
        } else {
            wide += x - x;
        }
    });
    for (int k = 0; k < native_lanes; ++k) {
        narrow += wide[k];
    }
    return narrow == 0.0f;
}

constexpr FiniteKernels kernels = {.all_finite = all_finite};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::FiniteKernels ruckle::FiniteKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
