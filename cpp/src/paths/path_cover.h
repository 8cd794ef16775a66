// The vertices of a path, as the kernel that asks what the path covers sees them. Plain memory, as all that kernels share (see
// numeric/lanes.h).
#pragma once

#include <stdint.h>

namespace ruckle {

struct PathCover {
    static constexpr int most = 128;  // points (path.h)

    const float* points;  // (count, 3), mesh units; after these, whatever makes up whole lanes may be read
    int32_t count;        // at least 2
    float square;         // of the distance up to which its segments cover
    // a box around the points, and how far from it nothing is covered any more
    float middle[3], half[3], far;
};

}  // namespace ruckle
