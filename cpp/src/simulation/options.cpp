#include "simulation/options.h"

#include <stdexcept>
#include <string>

namespace ruckle {

void require_sound(const ClothOptions& options) {
    require_in_range(material_parameters, options.material);
    require_in_range(cloth_parameters, options);
    if (!options.gravity.allFinite()) {
        throw std::invalid_argument("gravity: every component must be finite");
    }
}

// The attachment is checked separately, because it is an array of the mesh and not an option.
void require_attachment(std::span<const float> attachment, std::size_t vertex_count) {
    if (!attachment.empty() && attachment.size() != vertex_count) {
        throw std::invalid_argument("attachment: expected " + std::to_string(vertex_count) + " numbers, one per vertex, got " +
                                    std::to_string(attachment.size()));
    }
    for (std::size_t v = 0; v < attachment.size(); ++v) {
        if (!(attachment[v] >= 0.0f && attachment[v] <= 1.0f)) {
            throw std::invalid_argument("attachment: expected numbers in [0, 1], got " + std::to_string(attachment[v]));
        }
    }
}

}  // namespace ruckle
