// Validation of the options of a cloth simulation.
#pragma once

#include <span>

#include "ruckle/simulation/cloth.h"

namespace ruckle {

// Throw std::invalid_argument with one sentence if an option is out of range, or if attachment has a wrong size or a
// value outside [0, 1].
void require_sound(const ClothOptions& options);
void require_attachment(std::span<const float> attachment, std::size_t vertex_count);

}  // namespace ruckle
