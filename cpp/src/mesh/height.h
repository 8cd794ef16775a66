// Height of a mesh, such as a character's clothes. Some options have defaults in percent of this height.
#pragma once

#include <span>

#include "ruckle/types.h"

namespace ruckle {

// Returns the height of a mesh, mesh units: the extent of its positions along Y. If this extent is 0 (a flat mesh),
// returns the largest extent.
//
// positions  (V) mesh units, finite, at least one
inline double height_of(std::span<const Vector3> positions) {
    Eigen::Array3d low = positions.front().cast<double>(), high = low;
    for (const Vector3& position : positions) {
        low = low.min(position.cast<double>().array());
        high = high.max(position.cast<double>().array());
    }
    const Eigen::Array3d extent = high - low;
    return extent[1] > 0.0 ? extent[1] : extent.maxCoeff();
}

}  // namespace ruckle
