// reference: the temporally adaptive rest shape of each triangle, and the wrinkling field (thesis 4.2).
//
// The rest shape of the cloth is unknown. Each triangle therefore has a reference triangle. Its update depends on the
// label of the triangle:
//     stretch      if both principal stretches are above 1, a hidden fold has opened: the reference becomes the current
//                  triangle. Otherwise it does not change
//     compression  the reference moves toward the current triangle: the axes of the stretch between both triangles do
//                  not change, and both principal stretches move toward 1
//     rest         the reference does not change, so that wrinkles persist through a held pose
// The wrinkling field is the stretch from the updated reference to the current triangle.
//
// Guarantees: results are finite, and equal for any instruction set and thread count. If a current triangle has
// collapsed, its reference does not change. If a reference has collapsed, it is replaced by the first current triangle
// that has not collapsed.
//
// Example:
//     std::vector<ruckle::Matrix2> updated(faces.size());
//     ruckle::update_reference(reference, current, labels, {}, updated, field);
#pragma once

#include <span>

#include "ruckle/field/parameters.h"
#include "ruckle/field/stretch.h"
#include "ruckle/types.h"

namespace ruckle {

// Updates the reference triangles, and computes the stretch from them to the current triangles.
//
// reference  (T) edge matrices of the previous frame's reference triangles
// current    (T) edge matrices of this frame
// labels     (T) Label of each triangle
// updated    (T) result: the new reference triangles; may be the same memory as `reference`
// field      result: stretch from the new reference to the current triangle; each of its spans may be empty
//
// Departs from the paper: the relaxed reference is F'^-1 [u1 u2] with F' = (1-ρ) F + ρ A Bᵀ. This equals the formula of
// the thesis, B Σ'^-1 Aᵀ [u1 u2], but requires only the rotation A Bᵀ instead of a singular value decomposition. The
// relaxation ρ = 1 - (1 - relaxation)^(30 dt) does not depend on the frame rate.
void update_reference(std::span<const Matrix2> reference, std::span<const Matrix2> current, std::span<const std::uint8_t> labels,
                      const ReferenceOptions& options, std::span<Matrix2> updated, StretchSpans field);

}  // namespace ruckle
