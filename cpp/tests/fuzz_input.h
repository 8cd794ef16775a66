// Common to all fuzz targets: creates meshes and numbers from arbitrary bytes. The program aborts if an invariant is
// violated.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "ruckle/types.h"

// Numbers of accepted frames and of calls. The driver uses these numbers to check that not all inputs are rejected.
extern long accepted_frame_count, call_count;

namespace ruckle::tests {

// Reads numbers from arbitrary bytes. After the end of the bytes, all numbers are 0.
class Bytes {
  public:
    Bytes(const std::uint8_t* bytes, std::size_t size) : rest_(bytes, size) {}

    bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const std::uint8_t value = rest_.empty() ? 0 : rest_.front();
        rest_ = rest_.empty() ? rest_ : rest_.subspan(1);
        return value;
    }
    int below(int bound) { return byte() % bound; }
    std::uint32_t word() {
        std::uint32_t value = 0;
        for (int k = 0; k < 4; ++k) {
            value = value << 8 | byte();
        }
        return value;
    }
    // Returns usually a coordinate of a coarse lattice, so that triangles collapse and coincide; sometimes arbitrary
    // bits.
    float coordinate() {
        const std::uint8_t kind = byte();
        return kind == 255 ? std::bit_cast<float>(word()) : static_cast<float>(kind % 16) * 0.25f;
    }

  private:
    std::span<const std::uint8_t> rest_;
};

inline void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "invariant broken: %s\n", what);
        std::abort();
    }
}

inline bool all_finite(std::span<const float> values) {
    for (const float value : values) {
        if (!std::isfinite(value)) {
            return false;
        }
    }
    return true;
}
template <class Item>
bool all_finite(std::span<const Item> items) {
    for (const Item& item : items) {
        if (!item.allFinite()) {
            return false;
        }
    }
    return true;
}

// Returns a sheet or a sleeve without some of its faces, or arbitrary faces. Sets the number of vertices.
inline std::vector<Face> read_faces(Bytes& bytes, int& vertex_count) {
    std::vector<Face> faces;
    const int rows = 2 + bytes.below(5), columns = 2 + bytes.below(5), kind = bytes.below(8);
    vertex_count = rows * columns;
    if (kind == 0) {
        faces.resize(static_cast<std::size_t>(bytes.below(12)));
        for (Face& face : faces) {
            for (int k = 0; k < 3; ++k) {
                face[k] = bytes.below(vertex_count + 1) - (bytes.byte() == 255);
            }
        }
        return faces;
    }
    for (int v = 0; v + columns < vertex_count; ++v) {
        const bool at_seam = v % columns == columns - 1;
        const int beside = at_seam ? v + 1 - columns : v + 1;
        if ((at_seam && (kind < 5 || columns < 3)) || bytes.below(16) == 0) {
            continue;
        }
        faces.push_back({v, beside, v + columns});
        if (bytes.below(16)) {
            faces.push_back({beside, beside + columns, v + columns});
        }
    }
    return faces;
}

}  // namespace ruckle::tests
