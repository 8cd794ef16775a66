// Passes the spans of the stages to the kernels (field/stretch_kernel.cpp).
#include "ruckle/field/stretch.h"

#include <cassert>

#include "field/stretch_arrays.h"
#include "field/stretch_kernel.h"
#include "numeric/dispatch.h"

namespace ruckle {

void edge_matrices(std::span<const Vector3> positions, std::span<const Face> faces, std::span<Matrix2> matrices) {
    assert(matrices.size() == faces.size());
    kernels<StretchKernels>().edge_matrices(floats(positions), indices(faces), 0, static_cast<std::int64_t>(faces.size()),
                                            floats(matrices));
}

void stretch(std::span<const Matrix2> reference, std::span<const Matrix2> current, StretchSpans result) {
    assert(reference.size() == current.size());
    kernels<StretchKernels>().stretch(floats(reference), floats(current), arrays(result, current.size()), 0,
                                      static_cast<std::int64_t>(current.size()));
}

}  // namespace ruckle
