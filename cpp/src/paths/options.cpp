#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "mesh/height.h"
#include "ruckle/paths/wrinkler.h"

namespace ruckle {

void require_sound(const WrinklerOptions& options) {
    require_in_range(wrinkler_parameters, options);
    require_solvable({.pairwise = options.pairwise, .method = options.method});
    for (const auto& row : options.pairwise) {
        for (const float cost : row) {
            // the exact method is limited to a range of costs (label.h). Test the limit here, because a step cannot
            // throw; unary costs are at most 1
            if (options.method == LabelMethod::exact && std::abs(static_cast<double>(cost)) > largest_exact_ratio) {
                throw std::invalid_argument("pairwise: expected costs of at most 2^36 for method=\"exact\", got " +
                                            std::to_string(cost) + "; use method=\"expansion\"");
            }
        }
    }
}

WrinklerOptions resolved(WrinklerOptions options, std::span<const Vector3> first_frame) {
    if (!options.grow_tau) {
        // tau is above 1, and grow_tau must be above 1 too, even after rounding
        options.grow_tau = std::max(std::nextafter(1.0f, 2.0f),
                                    static_cast<float>(1.0 + growing_share * (static_cast<double>(options.tau) - 1.0)));
    }
    if (!options.r_min && !first_frame.empty()) {
        options.r_min = static_cast<float>(std::min(least_radius_percent / 100.0 * height_of(first_frame), largest_length));
    }
    if (options.r_min && *options.r_min < least_radius) {
        options.r_min = 0.0f;
    }
    return options;
}

}  // namespace ruckle
