// Calls the kernel of update_reference (field/stretch_kernel.cpp).
#include "ruckle/field/reference.h"

#include <cassert>
#include <cmath>

#include "field/stretch_arrays.h"
#include "field/stretch_kernel.h"
#include "numeric/dispatch.h"
#include "numeric/functions.h"

namespace ruckle {

// Returns the relaxation for the time of one frame. The relaxation per second does not depend on the frame rate.
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
