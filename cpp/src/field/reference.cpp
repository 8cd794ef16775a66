// The stage in front of its kernel (field/stretch_kernel.cpp).
#include "ruckle/field/reference.h"

#include <cassert>
#include <cmath>

#include "field/stretch_arrays.h"
#include "field/stretch_kernel.h"
#include "numeric/dispatch.h"
#include "numeric/functions.h"

namespace ruckle {

// What is left of a stretch after one second must not depend on the number of frames in it.
float frame_relaxation(const ReferenceOptions& options) {
    return 1.0f - power(1.0f - options.relaxation, options.dt / reference_frame_time);
}

void update_reference(std::span<const Matrix2> reference, std::span<const Matrix2> current, std::span<const std::uint8_t> labels,
                      const ReferenceOptions& options, std::span<Matrix2> updated, StretchSpans field) {
    assert(reference.size() == current.size() && labels.size() == current.size() && updated.size() == current.size());
    kernels<StretchKernels>().update_reference(floats(reference), floats(current), labels.data(), frame_relaxation(options),
                                               floats(updated), arrays(field, current.size()), 0,
                                               static_cast<std::int64_t>(current.size()));
}

}  // namespace ruckle
