// bone: the transformation of a bone of a skeleton.
//
// Example:
//     ruckle::BoneMatrix bone = ruckle::BoneMatrix::Identity();  // no rotation
//     bone.col(3) = Eigen::Vector3f(0.0f, 0.1f, 0.0f);
#pragma once

#include <Eigen/Core>

namespace ruckle {

// Affine map from the rest pose to the current frame. Columns 0 to 2 are the rotation, column 3 is the translation.
using BoneMatrix = Eigen::Matrix<float, 3, 4, Eigen::RowMajor | Eigen::DontAlign>;

}  // namespace ruckle
