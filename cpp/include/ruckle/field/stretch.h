// stretch: computes the principal stretches of each triangle and their axis (thesis 4.1.1).
//
// Each triangle is mapped to its own plane with the x axis along its first edge. The deformation gradient
// F = [u1 u2][ū1 ū2]^-1 (4.1) maps the reference triangle to the current triangle. With F = A Σ Bᵀ, the stretch tensor
// sqrt(FᵀF) (4.2) has the eigenvalues Σ and the eigenvectors B. The columns of B are directions in the reference
// triangle. Wrinkles need these directions on the *current* surface: the columns of A.
//
// Guarantees: results are finite for finite input, equal for any instruction set and thread count, and unchanged by
// rigid motion up to rounding. If a triangle or its reference has collapsed (constants.h: sliver_ratio,
// area_ratio_limit), it is marked degenerate; its stretches are 1 and its axis is zero.
//
// Example:
//     std::vector<ruckle::Matrix2> reference(faces.size()), current(faces.size());
//     ruckle::edge_matrices(rest, faces, reference);
//     ruckle::edge_matrices(positions, faces, current);
//     std::vector<float> compression(faces.size());
//     ruckle::stretch(reference, current, {.compression = compression});
#pragma once

#include <span>

#include "ruckle/types.h"

namespace ruckle {

// Results of stretch(). Results whose span is empty are not computed.
struct StretchSpans {
    std::span<float> min;  // (T) λ_min: smaller principal stretch, (current length) / (reference length)
    std::span<float> max;  // (T) λ_max: larger principal stretch
    // (T) λ̃_min = 1 / λ_min: (reference length) / (current length); above 1 if compressed
    std::span<float> compression;
    std::span<Vector2> axis;             // (T) unit axis of λ_min in the plane of the current triangle; zero if undefined
    std::span<std::uint8_t> degenerate;  // (T) 1 if the triangle or its reference has collapsed

    // Returns the results of the triangles [first, first + count).
    StretchSpans part(std::size_t first, std::size_t count) const {
        const auto cut = [&](auto span) { return span.empty() ? span : span.subspan(first, count); };
        return {cut(min), cut(max), cut(compression), cut(axis), cut(degenerate)};
    }
};

// Computes the edge vectors of each triangle in its own plane.
//
// positions  (V) vertex positions, mesh units
// faces      (T) vertex indices in [0, V)
// matrices   (T) columns are the edge vectors from vertex 0; the first is (length, 0), the second has y >= 0
void edge_matrices(std::span<const Vector3> positions, std::span<const Face> faces, std::span<Matrix2> matrices);

// Computes the principal stretches of each triangle from its reference to its current shape.
//
// reference, current  (T) edge matrices. If their orientations are opposite, the triangle is marked degenerate
//
// Departs from the paper: λ̃_min is computed as λ_max / det F, and λ_min as the inverse of λ̃_min. The textbook formula
// for λ_min subtracts two nearly equal numbers, which loses all digits in strongly compressed triangles.
void stretch(std::span<const Matrix2> reference, std::span<const Matrix2> current, StretchSpans result);

}  // namespace ruckle
