// The struct behind the handle of wrinkle waves in the C interface.
#pragma once

#include <memory>

#include "ruckle/ruckle_c_waves.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"

struct ruckle_waves {
    ruckle::WaveField core;
    // created when first used, because most engines compute heights on the graphics card only
    std::unique_ptr<ruckle::WaveHeights> heights{};

    ruckle::WaveHeights& source() {
        if (!heights) {
            heights = std::make_unique<ruckle::WaveHeights>(core);
        }
        return *heights;
    }
};
