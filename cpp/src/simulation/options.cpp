#include "simulation/options.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace ruckle {

namespace {

void require(bool allowed, const char* name, float value, const char* range) {
    if (!allowed) {
        throw std::invalid_argument(std::string(name) + ": expected " + range + ", got " + std::to_string(value));
    }
}

}  // namespace

void require_sound(const ClothOptions& options) {
    const auto at_least_zero = [](const char* name, float value) {
        require(std::isfinite(value) && value >= 0.0f, name, value, "a finite number of at least 0");
    };
    const ClothMaterial& m = options.material;
    require(std::isfinite(m.density) && m.density > 0.0f, "density", m.density, "a finite number above 0");
    require(std::isfinite(m.stretch) && m.stretch > 0.0f, "stretch", m.stretch, "a finite number above 0");
    at_least_zero("bending", m.bending);
    at_least_zero("damping", m.damping);
    at_least_zero("bend_damping", m.bend_damping);
    at_least_zero("edge_damping", m.edge_damping);
    at_least_zero("air_drag", m.air_drag);
    at_least_zero("dynamic_friction", m.dynamic_friction);
    // what slides would else be held more firmly than what rests
    require(std::isfinite(m.static_friction) && m.static_friction >= m.dynamic_friction, "static_friction", m.static_friction,
            "a finite number of at least dynamic_friction");
    at_least_zero("thickness", m.thickness);
    // 1 is rest: limits that exclude it would never let the cloth be still
    require(m.least_stretch >= 0.0f && m.least_stretch <= 1.0f, "least_stretch", m.least_stretch, "a number in [0, 1]");
    require(std::isfinite(m.largest_stretch) && m.largest_stretch >= 1.0f, "largest_stretch", m.largest_stretch,
            "a finite number of at least 1");
    require(options.compression >= 0.0f && options.compression <= 1.0f, "compression", options.compression, "a number in [0, 1]");
    at_least_zero("attachment_rate", options.attachment_rate);
    at_least_zero("margin", options.margin);
    at_least_zero("contact_spacing", options.contact_spacing);
    at_least_zero("self_distance", options.self_distance);
    require(options.substeps >= 1 && options.substeps <= 256, "substeps", static_cast<float>(options.substeps), "1 to 256");
    require(options.strain_sweeps >= 0 && options.strain_sweeps <= 16, "strain_sweeps", static_cast<float>(options.strain_sweeps),
            "0 to 16");
    require(options.threads >= 1 && options.threads <= 256, "threads", static_cast<float>(options.threads), "1 to 256");
    if (!options.gravity.allFinite()) {
        throw std::invalid_argument("gravity: every component must be finite");
    }
}

// Apart from the options, because it is an array of the mesh.
void require_attachment(std::span<const float> attachment, std::size_t vertex_count) {
    if (!attachment.empty() && attachment.size() != vertex_count) {
        throw std::invalid_argument("attachment: expected " + std::to_string(vertex_count) + " numbers, one per vertex, got " +
                                    std::to_string(attachment.size()));
    }
    for (std::size_t v = 0; v < attachment.size(); ++v) {
        require(attachment[v] >= 0.0f && attachment[v] <= 1.0f, "attachment", attachment[v], "numbers in [0, 1]");
    }
}

}  // namespace ruckle
