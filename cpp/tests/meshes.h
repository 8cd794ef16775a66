// Procedural cloth for the tests: sheets and sleeves, a motion for these meshes, and reproducible random numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "ruckle/types.h"

namespace ruckle::tests {

struct Mesh {
    std::vector<Vector3> positions;
    std::vector<Face> faces;

    int vertex_count() const { return static_cast<int>(positions.size()); }
};

// Returns a mesh of rows x columns vertices, one unit apart. round: the columns form a closed sleeve.
inline Mesh cloth(int rows, int columns, bool round) {
    Mesh mesh;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            const float angle = 2.0f * std::numbers::pi_v<float> * static_cast<float>(c) / static_cast<float>(columns);
            const float radius = static_cast<float>(columns) / (2.0f * std::numbers::pi_v<float>);
            const auto x = static_cast<float>(c), y = static_cast<float>(r);
            mesh.positions.push_back(round ? Vector3(radius * std::cos(angle), y, radius * std::sin(angle))
                                           : Vector3(x, y, 0.0f));
        }
    }
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c < (round ? columns : columns - 1); ++c) {
            const int a = r * columns + c, b = r * columns + (c + 1) % columns;
            mesh.faces.push_back({a, b, a + columns});
            mesh.faces.push_back({b, b + columns, a + columns});
        }
    }
    return mesh;
}

// Writes the positions of the mesh at a time to `moved`: waves compress some triangles and stretch others, while some
// rest.
inline void move(const Mesh& mesh, float seconds, std::vector<Vector3>& moved) {
    moved.resize(mesh.positions.size());
    for (std::size_t v = 0; v < moved.size(); ++v) {
        const Vector3& p = mesh.positions[v];
        const float wave = std::sin(0.7f * p[1] + 6.0f * seconds), ripple = std::cos(0.9f * p[0] - 7.0f * seconds);
        moved[v] = p + Vector3(0.5f * wave + 0.2f * ripple, 0.5f * ripple, 0.4f * wave * ripple);
    }
}

// The generator xorshift64*, with equal numbers on every machine.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    // Returns an integer in [0, bound).
    int below(int bound) { return static_cast<int>(next() % static_cast<std::uint32_t>(bound)); }
    // Returns a number in [0, 1).
    float unit() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
    std::uint32_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1du) >> 32);
    }

  private:
    std::uint64_t state_;
};

}  // namespace ruckle::tests
