// Height of a character, the length unit of options that are given in percent.
#pragma once

#include <span>

#include "ruckle/types.h"

namespace ruckle {

// Height of a person: the extent along Y if the mesh is upright, or its largest extent if it is flat.
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
