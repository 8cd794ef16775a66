// The struct behind the handle of wrinkle waves in the C interface.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ruckle/ruckle_c_waves.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"

struct ruckle_waves {
    ruckle::WaveField core;
    // created when first used, because most engines compute heights on the graphics card only
    std::optional<ruckle::WaveHeights> heights{};
    std::vector<ruckle::WaveVertex> vertices{};
    std::vector<ruckle::Word> texels{};

    ruckle::WaveHeights& source() { return heights ? *heights : heights.emplace(core); }
    std::span<const ruckle::WaveVertex> found() {
        vertices.resize(core.rest_positions().size());
        core.write_vertices(vertices);
        return vertices;
    }
};
