// Members behind the C handle of modulated patterns.
#pragma once

#include <optional>
#include <vector>

#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/ruckle_c_patterns.h"

struct ruckle_modulator {
    ruckle::Modulator core;
    // evaluator of heights; created on first use, because most engines displace on the graphics card
    std::optional<ruckle::PatternHeights> heights{};
    std::vector<ruckle::Word> texels{};

    ruckle::PatternHeights& source() { return heights ? *heights : heights.emplace(core.grid(), core.heights()); }
};
