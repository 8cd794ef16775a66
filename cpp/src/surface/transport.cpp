#include "surface/transport.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

using Sides = Eigen::Matrix<float, 3, 2>;

Sides sides_of(std::span<const Vector3> positions, const Face& corners) {
    Sides sides;
    sides.col(0) = positions[corners[1]] - positions[corners[0]];
    sides.col(1) = positions[corners[2]] - positions[corners[0]];
    return sides;
}

}  // namespace

void Transport::measure(const Refinement& refinement, std::span<const Vector3> positions,
                        std::span<const Vector3> coarse_positions) {
    const Topology &fine = refinement.topology(), &coarse = refinement.coarse();
    flat_.resize(positions.size());
    matrices_.assign(positions.size(), Matrix3::Zero());
    areas_.assign(positions.size(), 0.0f);
    for (std::int32_t face = 0; face < fine.face_count(); ++face) {
        for (int k = 0; k < 3; ++k) {
            const CoarsePoint point = refinement.locate(face, Vector3::Unit(k), coarse_positions);
            const Face& corners = coarse.faces[point.face];
            // every face of a vertex computes this point, with equal results except for rounding
            flat_[fine.faces[face][k]] = coarse_positions[corners[0]] * point.barycentric[0] +
                                         coarse_positions[corners[1]] * point.barycentric[1] +
                                         coarse_positions[corners[2]] * point.barycentric[2];
        }
    }
    for (const Face& corners : fine.faces) {
        const Sides flat = sides_of(flat_, corners), shape = sides_of(positions, corners);
        const Eigen::Matrix2f gram = shape.transpose() * shape;
        const float area = 0.5f * std::sqrt(std::max(gram.determinant(), 0.0f));
        // skip degenerate faces, whose matrix is undefined; the negated comparison also skips NaN
        if (!(2.0f * area > sliver_ratio * gram.trace())) {
            continue;
        }
        const Matrix3 weighted = area * (shape * gram.inverse() * flat.transpose());
        for (int k = 0; k < 3; ++k) {
            matrices_[corners[k]] += weighted;
            areas_[corners[k]] += area;
        }
    }
    for (std::size_t vertex = 0; vertex < matrices_.size(); ++vertex) {
        // if all faces around are degenerate, gradients remain unchanged
        matrices_[vertex] = areas_[vertex] > 0.0f ? Matrix3(matrices_[vertex] / areas_[vertex]) : Matrix3(Matrix3::Identity());
    }
}

Vector3 Transport::gradient(const Face& corners, const Vector3& barycentric, const Vector3& coarse_gradient) const {
    const Matrix3 matrix =
        matrices_[corners[0]] * barycentric[0] + matrices_[corners[1]] * barycentric[1] + matrices_[corners[2]] * barycentric[2];
    return matrix * coarse_gradient;
}

}  // namespace ruckle
