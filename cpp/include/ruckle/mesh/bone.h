// bone: the transformation of a bone of a skeleton.
#pragma once

#include <Eigen/Core>

namespace ruckle {

// From rest to the frame: rotation left, translation right.
using BoneMatrix = Eigen::Matrix<float, 3, 4, Eigen::RowMajor | Eigen::DontAlign>;

}  // namespace ruckle
