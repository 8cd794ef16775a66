// What a wrinkle has beside its path, as a row of a NumPy array: the dtypes WRINKLE and PROFILE of ruckle._core.
#pragma once

#include <array>
#include <cstdint>

#include "ruckle/paths/wrinkler.h"

namespace ruckle::bindings {

// See ruckle.Wrinkle, whose attributes these are.
struct WrinkleRow {
    std::int64_t id;
    float age, kappa, size, fade, crest, middle_width, perimeter, full_width;
    std::array<float, 2> cuts, extent;
    bool fading;
};

inline WrinkleRow row_of(const Wrinkle& wrinkle) {
    return {.id = wrinkle.id,
            .age = wrinkle.age,
            .kappa = wrinkle.size.kappa,
            .size = wrinkle.size.size,
            .fade = wrinkle.size.fade,
            .crest = wrinkle.size.crest,
            .middle_width = wrinkle.width,
            .perimeter = wrinkle.perimeter,
            .full_width = wrinkle.full_width,
            .cuts = wrinkle.cuts,
            .extent = wrinkle.extent,
            .fading = wrinkle.fading};
}

// What a surface needs of it.
struct ProfileRow {
    float middle_width, perimeter, fade;
    std::array<float, 2> cuts;
};

}  // namespace ruckle::bindings
