// Patterns: heights that are equal in both faces of an edge, gradients, and cloth that preserves its length.
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"
#include "meshes.h"
#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"

namespace ruckle::tests {

namespace {

struct Point {
    float height;
    Vector3 gradient;
};

Point evaluate(const PatternHeights& heights, std::int32_t face, const Vector3& shares) {
    // memory for a block of points
    std::array<std::array<float, point_block>, 7> room{};
    room[0][0] = shares[0], room[1][0] = shares[1], room[2][0] = shares[2];
    heights.add_heights({face,
                         1,
                         {room[0].data(), room[1].data(), room[2].data()},
                         room[3].data(),
                         {room[4].data(), room[5].data(), room[6].data()}});
    return {room[3][0], Vector3(room[4][0], room[5][0], room[6][0])};
}

// Returns a grid whose edges have different numbers of parts.
PatternGrid mixed_grid(const Topology& topology, const Mesh& mesh, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::int32_t> parts;
    for (std::size_t edge = 0; edge < topology.edges.size(); ++edge) {
        parts.push_back(1 << random.below(5));
    }
    return PatternGrid(topology, mesh.positions, parts);
}

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> values(count);
    for (float& value : values) {
        value = random.unit() - 0.5f;
    }
    return values;
}

// Returns waves along x with the slope 1 or -1 in every cell, if edges have eight parts.
std::vector<float> zigzag(const PatternGrid& grid) {
    std::vector<float> heights;
    for (int node = 0; node < grid.node_count(); ++node) {
        const Face& f = grid.topology.faces[grid.node_faces[node]];
        const Vector3& shares = grid.node_barycentric[node];
        const float x = shares[0] * grid.rest[f[0]][0] + shares[1] * grid.rest[f[1]][0] + shares[2] * grid.rest[f[2]][0];
        heights.push_back(std::abs(x - std::round(x)));
    }
    return heights;
}

bool same_bits(const Point& a, const Point& b) {
    return std::memcmp(&a.height, &b.height, sizeof a.height) == 0 && a.gradient == b.gradient;
}

}  // namespace

TEST(pattern_heights_have_the_same_bits_on_both_faces_of_an_edge) {
    const Mesh mesh = cloth(6, 9, true);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const PatternGrid grid = mixed_grid(topology, mesh, 1);
    const auto nodes = static_cast<std::size_t>(grid.node_count());
    PatternHeights heights(grid, noise(2 * nodes, 2));
    std::vector<Vector3> moved;
    move(mesh, 0.4f, moved);
    heights.update(moved, noise(4 * moved.size(), 3));
    Random random(4);
    bool agree = true, high = false;
    for (std::size_t edge = 0; edge < topology.edges.size(); ++edge) {
        const auto& faces = topology.edge_faces[edge];
        if (faces[1] < 0) {
            continue;
        }
        for (int i = 0; i < 20; ++i) {
            const float share = i == 0 ? 0.0f : i == 1 ? 1.0f : random.unit();
            Point points[2];
            for (int side = 0; side < 2; ++side) {
                const Face& f = topology.faces[faces[static_cast<std::size_t>(side)]];
                Vector3 shares = Vector3::Zero();
                for (int k = 0; k < 3; ++k) {
                    shares[k] = f[k] == topology.edges[edge][0] ? 1.0f - share : f[k] == topology.edges[edge][1] ? share : 0.0f;
                }
                points[side] = evaluate(heights, faces[static_cast<std::size_t>(side)], shares);
            }
            agree &= same_bits(points[0], points[1]);
            high |= std::abs(points[0].height) > 0.05f;
        }
    }
    CHECK(agree);
    CHECK(high);
}

TEST(pattern_gradients_are_the_derivatives_of_heights) {
    // a plane over a flat sheet, and factors that increase along y: h = (0.3 x + 0.1 y) (1 + 0.2 y), on cloth with half
    // the width
    const Mesh mesh = cloth(5, 5, false);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const PatternGrid grid(topology, mesh.positions, 0.25f);
    std::vector<float> plane;
    for (int node = 0; node < grid.node_count(); ++node) {
        const Face& f = topology.faces[grid.node_faces[node]];
        const Vector3& shares = grid.node_barycentric[node];
        const Vector3 p = shares[0] * mesh.positions[f[0]] + shares[1] * mesh.positions[f[1]] + shares[2] * mesh.positions[f[2]];
        plane.push_back(0.3f * p[0] + 0.1f * p[1]);
    }
    std::vector<Vector3> narrow = mesh.positions;
    std::vector<float> factors(4 * narrow.size(), 0.0f);
    for (std::size_t v = 0; v < narrow.size(); ++v) {
        narrow[v][0] *= 0.5f;
        factors[4 * v] = 1.0f + 0.2f * narrow[v][1];
    }
    PatternHeights heights(grid, plane);
    heights.update(narrow, factors);
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        const Vector3 shares(0.2f, 0.5f, 0.3f);
        const Face& f = topology.faces[face];
        const Vector3 p = shares[0] * mesh.positions[f[0]] + shares[1] * mesh.positions[f[1]] + shares[2] * mesh.positions[f[2]];
        const float base = 0.3f * p[0] + 0.1f * p[1], factor = 1.0f + 0.2f * p[1];
        const Point found = evaluate(heights, face, shares);
        CHECK(std::abs(found.height - base * factor) < 1e-5f);
        CHECK((found.gradient - Vector3(0.6f * factor, 0.1f * factor + 0.2f * base, 0.0f)).norm() < 1e-4f);
    }
}

TEST(a_zigzag_keeps_its_length_and_stretched_cloth_is_flat) {
    const Mesh mesh = cloth(9, 9, false);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const PatternGrid grid(topology, mesh.positions, std::vector<std::int32_t>(topology.edges.size(), 8));
    ModulatorOptions options;
    options.slack = 0.0f;
    options.steepest = 1e3f;
    Modulator modulator(grid, zigzag(grid), {}, options);
    for (const float x : {1.2f, 0.9f, 0.6f, 0.3f}) {
        std::vector<Vector3> squeezed = mesh.positions;
        for (Vector3& p : squeezed) {
            p[0] *= x;
        }
        modulator.reset();
        CHECK(modulator.step(squeezed) == StepStatus::done);
        const float wanted = x < 1.0f ? std::sqrt(1.0f - x * x) : 0.0f;
        for (std::size_t v = 0; v < squeezed.size(); ++v) {
            CHECK(std::abs(modulator.factors()[4 * v] - wanted) < 2e-3f);
        }
    }
    CHECK(modulator.step(std::vector<Vector3>(3)) == StepStatus::wrong_vertex_count);
    CHECK(modulator.step(mesh.positions, 0.0f) == StepStatus::wrong_time);
}

}  // namespace ruckle::tests
