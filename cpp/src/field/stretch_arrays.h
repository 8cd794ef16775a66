// Converts the spans of the field stages to the plain pointers of the kernels.
#pragma once

#include <cassert>
#include <span>

#include "field/stretch_kernel.h"
#include "ruckle/field/stretch.h"

namespace ruckle {

inline const float* floats(std::span<const Vector3> values) {
    return reinterpret_cast<const float*>(values.data());
}
inline const float* floats(std::span<const Matrix2> values) {
    return reinterpret_cast<const float*>(values.data());
}
inline float* floats(std::span<Matrix2> values) {
    return reinterpret_cast<float*>(values.data());
}
inline const std::int32_t* indices(std::span<const Face> values) {
    return reinterpret_cast<const std::int32_t*>(values.data());
}

// Converts the spans of results to pointers. An empty span becomes a null pointer, whose result the kernel does not
// compute.
inline StretchArrays arrays(const StretchSpans& spans, [[maybe_unused]] std::size_t face_count) {
    const auto start = [&](auto span) {
        assert(span.empty() || span.size() == face_count);
        return span.empty() ? nullptr : span.data();
    };
    return {start(spans.min), start(spans.max), start(spans.compression), reinterpret_cast<float*>(start(spans.axis)),
            start(spans.degenerate)};
}

}  // namespace ruckle
