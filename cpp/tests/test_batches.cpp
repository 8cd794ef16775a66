// Checks batches of sweeps over large cloth: every element occurs once, and parts that are processed at the same time
// do not share vertices.
#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"
#include "meshes.h"
#include "simulation/constraints.h"

namespace ruckle::tests {

namespace {

// Checks the guarantees of all rounds, parts and batches of triangles. Returns the number of parts in the first round.
std::int64_t check_batches(const Topology& topology, const Numbering& numbering) {
    const Batches b = batch({topology.faces[0].data(), 3 * topology.faces.size()}, 3, numbering);
    std::vector<int> count(topology.faces.size(), 0);
    for (std::size_t r = 0; r + 1 < b.rounds.size(); ++r) {
        std::vector<std::int64_t> part_of(numbering.given.size(), -1);
        for (std::int64_t p = b.rounds[r]; p < b.rounds[r + 1]; ++p) {
            for (auto k = static_cast<std::size_t>(b.parts[static_cast<std::size_t>(p)]);
                 k < static_cast<std::size_t>(b.parts[static_cast<std::size_t>(p) + 1]); ++k) {
                CHECK(b.starts[k] % sweep_block == 0 && b.starts[k] < b.starts[k + 1]);
                std::vector<std::int32_t> vertices;
                for (auto slot = static_cast<std::size_t>(b.starts[k]); slot < static_cast<std::size_t>(b.starts[k + 1]);
                     ++slot) {
                    if (const std::int32_t e = b.order[slot]; e >= 0) {
                        ++count[static_cast<std::size_t>(e)];
                        const Face& f = topology.faces[static_cast<std::size_t>(e)];
                        vertices.insert(vertices.end(), {f[0], f[1], f[2]});
                    }
                }
                std::sort(vertices.begin(), vertices.end());
                CHECK(std::adjacent_find(vertices.begin(), vertices.end()) == vertices.end());
                for (const std::int32_t v : vertices) {
                    std::int64_t& owner = part_of[static_cast<std::size_t>(v)];
                    CHECK(owner == -1 || owner == p);
                    owner = p;
                }
            }
        }
    }
    CHECK(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
    CHECK(b.starts.back() == static_cast<std::int64_t>(b.order.size()));
    return b.rounds[1];
}

}  // namespace

TEST(parts_of_large_cloth_share_no_vertex) {
    for (const bool round : {false, true}) {
        const Mesh mesh = cloth(60, 60, round);
        const Topology given(mesh.faces, mesh.vertex_count());
        const Numbering numbering(given);
        CHECK(numbering.part_count == 4);
        CHECK(check_batches(Topology(numbering.faces, mesh.vertex_count()), numbering) == 4);
        // the numbering contains every vertex and face of the mesh once
        std::vector<std::int32_t> vertices = numbering.given;
        std::sort(vertices.begin(), vertices.end());
        for (std::size_t v = 0; v < vertices.size(); ++v) {
            CHECK(vertices[v] == static_cast<std::int32_t>(v));
        }
        for (std::size_t f = 0; f < numbering.faces.size(); ++f) {
            for (int k = 0; k < 3; ++k) {
                CHECK(numbering.given[static_cast<std::size_t>(numbering.faces[f][k])] ==
                      mesh.faces[static_cast<std::size_t>(numbering.given_faces[f])][k]);
            }
        }
    }
}

// Faces that join distant vertices: few faces are within one part, and most join parts that are not neighbours.
Mesh tangle() {
    Mesh mesh;
    for (std::int32_t i = 0; i < 1300; ++i) {
        mesh.faces.push_back({i, 1300 + i * 7 % 1300, 2600 + i * 11 % 1300});
    }
    Random random(1);
    for (int v = 0; v < 3900; ++v) {
        mesh.positions.push_back(Vector3(random.unit(), random.unit(), random.unit()));
    }
    return mesh;
}

TEST(cloth_without_any_order_still_meets_each_element_once) {
    const Mesh mesh = tangle();
    const Topology given(mesh.faces, 3900);
    const Numbering numbering(given);
    CHECK(check_batches(Topology(numbering.faces, 3900), numbering) == numbering.part_count);
}

TEST(small_cloth_keeps_its_numbers) {
    const Mesh mesh = cloth(10, 20, false);
    const Numbering numbering(Topology(mesh.faces, mesh.vertex_count()));
    CHECK(numbering.part_count == 1 && numbering.faces == mesh.faces);
    CHECK(check_batches(Topology(mesh.faces, mesh.vertex_count()), numbering) == 1);
    std::vector<std::int32_t> same(mesh.positions.size());
    std::iota(same.begin(), same.end(), 0);
    CHECK(numbering.given == same);
}

TEST(threads_share_the_parts_of_cloth_with_the_same_bits) {
    Mesh sheet = cloth(60, 60, false);
    for (Vector3& p : sheet.positions) {
        p *= 0.02f;
    }
    for (const Mesh& mesh : {sheet, tangle()}) {
        std::vector<float> attachment(mesh.positions.size(), 0.0f);
        std::fill(attachment.begin(), attachment.begin() + 60, 1.0f);
        const std::vector<Vector3> wind = {{0.0f, 0.3f, 2.0f}};
        std::vector<std::vector<Vector3>> found;
        for (const int threads : {1, 2, 3, 7}) {
            ClothOptions options;
            options.threads = threads;
            ClothSimulation simulation(mesh.positions, mesh.faces, attachment, options);
            for (int frame = 0; frame < 5; ++frame) {
                CHECK(simulation.step({.pins = {}, .wind = wind, .cones = {}, .body = {}, .targets = {}}) == ClothStatus::done);
            }
            found.emplace_back(mesh.positions.size());
            simulation.positions(found.back());
        }
        CHECK(found[0] != mesh.positions && found[1] == found[0] && found[2] == found[0] && found[3] == found[0]);
    }
}

}  // namespace ruckle::tests
