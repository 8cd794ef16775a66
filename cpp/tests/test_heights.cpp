// Height sources: a source in closed form, alone, with other sources, and together with wrinkle paths.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "check.h"
#include "meshes.h"
#include "ruckle/paths/path_heights.h"
#include "ruckle/surface/surface.h"

namespace ruckle::tests {

namespace {

// Waves along x over the faces left of `edge`: h = size sin(x).
class Waves {
  public:
    Waves(const Mesh& mesh, float size, float edge) : mesh_(mesh), size_(size) {
        for (const Face& face : mesh.faces) {
            const float x = std::min({mesh.positions[face[0]][0], mesh.positions[face[1]][0], mesh.positions[face[2]][0]});
            bends_.push_back(x < edge ? size : -1.0f);
        }
    }

    void add_heights(const HeightBlock& block) const {
        const Face& face = mesh_.faces[block.face];
        for (int i = 0; i < block.count; ++i) {
            float x = 0.0f;
            for (int k = 0; k < 3; ++k) {
                x += block.barycentric[k][i] * mesh_.positions[face[k]][0];
            }
            block.height[i] += size_ * std::sin(x);
            block.gradient[0][i] += size_ * std::cos(x);
        }
    }
    std::span<const float> bends() const { return bends_; }
    float edge_length() const { return 0.25f; }

  private:
    const Mesh& mesh_;
    float size_;
    std::vector<float> bends_;
};

bool is_near(const Vector3& a, const Vector3& b) {
    return (a - b).norm() < 1e-5f;
}

FineMesh displaced(Surface& surface, const Mesh& mesh, std::span<const HeightSource> sources, const HeightSamples& samples = {}) {
    FineMesh fine;
    surface.update(mesh.positions, sources, {});
    surface.displace(fine, samples);
    return fine;
}

}  // namespace

TEST(a_source_in_closed_form_raises_the_surface_where_it_is) {
    const Mesh mesh = cloth(6, 9, false);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const Waves waves(mesh, 0.3f, 4.0f);
    Surface surface(topology, 2);
    const FineMesh fine = displaced(surface, mesh, std::array{source_of(waves)});
    int raised = 0;
    for (std::size_t i = 0; i < fine.positions.size(); ++i) {
        const Vector3& p = fine.positions[i];
        const float h = 0.3f * std::sin(p[0]), slope = 0.3f * std::cos(p[0]);
        // skips points near the border of the waves (x = 4), where the height depends on the face that computes it
        if (p[0] < 3.99f) {
            CHECK(std::abs(p[2] - h) < 1e-6f && std::abs(fine.heights[i] - h) < 1e-6f);
            CHECK(is_near(fine.normals[i], Vector3(-slope, 0.0f, 1.0f).normalized()));
            ++raised;
        } else if (p[0] > 4.01f) {
            CHECK(p[2] == 0.0f && fine.heights[i] == 0.0f && fine.normals[i] == Vector3(0.0f, 0.0f, 1.0f));
        }
    }
    CHECK(raised > 300);
    // an edge of length 1 has four parts; the diagonals are longer
    CHECK(std::ranges::count(surface.edge_levels(), 1) > 0 && std::ranges::count(surface.edge_levels(), 4) > 0);
    CHECK(std::ranges::max(surface.edge_levels()) == 6);
}

TEST(sources_add_up_and_the_shortest_edges_count) {
    const Mesh mesh = cloth(6, 9, false);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const Waves waves(mesh, 0.2f, 4.0f), more(mesh, 0.1f, 9.0f), sum(mesh, 0.3f, 4.0f);
    Surface surface(topology);
    const FineMesh both = displaced(surface, mesh, std::array{source_of(waves), source_of(more)});
    for (std::size_t i = 0; i < both.positions.size(); ++i) {
        const float x = both.positions[i][0], size = x < 3.99f ? 0.3f : 0.1f;
        CHECK(std::abs(x - 4.0f) < 0.02f || std::abs(both.heights[i] - size * std::sin(x)) < 1e-6f);
    }
    HeightSource coarse = source_of(waves);
    coarse.edge_length = 10.0f;
    const HeightSource fine = source_of(sum);
    displaced(surface, mesh, std::array{coarse, fine});
    const std::vector<std::int32_t> levels(surface.edge_levels().begin(), surface.edge_levels().end());
    displaced(surface, mesh, std::array{fine});
    CHECK(std::ranges::equal(levels, surface.edge_levels()));
}

TEST(samples_are_a_source_that_somebody_else_evaluates) {
    const Mesh mesh = cloth(6, 9, false);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const Waves waves(mesh, 0.3f, 20.0f);
    Surface surface(topology);
    const FineMesh expected = displaced(surface, mesh, std::array{source_of(waves)});
    // uses fixed equal levels, and a second source without heights
    HeightSource silent = source_of(waves);
    silent.add = [](const void*, const HeightBlock&) {};
    surface.update(mesh.positions, std::array{silent}, {});
    FineMesh fine;
    surface.plan(fine);
    CHECK(fine.faces == expected.faces && fine.coarse_faces == expected.coarse_faces);
    CHECK(fine.barycentric == expected.barycentric && fine.face_coarse_faces == expected.face_coarse_faces);
    std::vector<Vector3> gradients(expected.heights.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        gradients[i] = {0.3f * std::cos(expected.positions[i][0]), 0.0f, 0.0f};
    }
    const HeightSamples samples{expected.heights, gradients};
    surface.displace(fine, samples);
    std::vector<Vector3> positions(gradients.size()), normals(gradients.size());
    std::vector<float> heights(gradients.size());
    surface.evaluate(fine.coarse_faces, fine.barycentric, {positions, normals, heights}, samples);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        CHECK(is_near(fine.positions[i], expected.positions[i]) && is_near(fine.normals[i], expected.normals[i]));
        CHECK(positions[i] == fine.positions[i] && normals[i] == fine.normals[i] && heights[i] == fine.heights[i]);
    }
}

TEST(paths_leave_to_others_what_they_do_not_take) {
    const Mesh mesh = cloth(12, 12, false);
    std::vector<Vector3> squeezed;
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    for (int frame = 0; frame < 40; ++frame) {
        squeezed = mesh.positions;
        for (Vector3& p : squeezed) {
            p[0] *= std::max(1.0f - 0.04f * static_cast<float>(frame), 0.6f);
        }
        wrinkler.step(squeezed);
    }
    std::vector<Wrinkle> wrinkles;
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        wrinkles.push_back(wrinkler.wrinkle(i));
    }
    PathHeights heights(wrinkler.topology());
    heights.update(squeezed, wrinkler.rest(), wrinkles, 0.1f);
    std::vector<float> gains(mesh.faces.size());
    heights.measure_gains(gains);
    // compares with the gain of the fine mesh: its area divided by that of the flat sheet, whose faces have equal areas
    Surface surface(wrinkler.topology());
    surface.update(squeezed, std::array{source_of(heights)}, {});
    FineMesh fine;
    surface.displace(fine);
    double area = 0.0, gain = 0.0;
    for (const Face& face : fine.faces) {
        const Vector3 a = fine.positions[face[1]] - fine.positions[face[0]],
                      b = fine.positions[face[2]] - fine.positions[face[0]];
        area += 0.5 * a.cross(b).norm();
    }
    for (const float share : gains) {
        CHECK(share >= 0.0f);
        gain += share / static_cast<double>(gains.size());
    }
    const double expected = area / (11.0 * 11.0 * 0.6) - 1.0;
    // the drawn surface is slightly lower than its samples, because it averages them
    CHECK(expected > 0.02 && std::abs(gain - expected) < 0.12 * expected);
}

// The cache of reached faces lists more samples than a search, but the additional samples have no effect.
TEST(heights_have_the_same_bits_with_and_without_the_cache) {
    const Mesh mesh = cloth(16, 24, true);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    PathHeights with(wrinkler.topology()), without(wrinkler.topology());
    KeptReach kept;
    constexpr std::array<std::array<float, 8>, 3> barycentric = {{{1.0f, 0.0f, 0.0f, 0.5f, 0.5f, 0.0f, 0.25f, 0.125f},
                                                                  {0.0f, 1.0f, 0.0f, 0.5f, 0.0f, 0.5f, 0.25f, 0.625f},
                                                                  {0.0f, 0.0f, 1.0f, 0.0f, 0.5f, 0.5f, 0.5f, 0.25f}}};
    using Numbers = std::array<std::array<float, 8>, 4>;
    const auto heights_in = [&](const PathHeights& heights, std::int32_t face) {
        Numbers result{};
        heights.add_heights({face,
                             8,
                             {barycentric[0].data(), barycentric[1].data(), barycentric[2].data()},
                             result[0].data(),
                             {result[1].data(), result[2].data(), result[3].data()}});
        return result;
    };
    std::vector<Vector3> positions;
    std::map<std::int64_t, std::size_t> sizes;
    std::size_t listed_with = 0, listed_without = 0;
    int differences = 0, raised = 0, resized = 0;
    for (int frame = 0; frame < 60; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
        std::vector<Wrinkle> wrinkles;
        for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
            wrinkles.push_back(wrinkler.wrinkle(i));
            std::size_t& size = sizes[wrinkles.back().id];
            resized += size > 0 && size != wrinkles.back().curve.size();
            size = wrinkles.back().curve.size();
        }
        with.update(positions, wrinkler.rest(), {.later = wrinkles, .kept = &kept}, 0.1f);
        without.update(positions, wrinkler.rest(), {.later = wrinkles}, 0.1f);
        for (std::int32_t face = 0; face < wrinkler.topology().face_count(); ++face) {
            const Numbers found = heights_in(with, face), expected = heights_in(without, face);
            differences += found != expected;
            raised += expected != Numbers{};
        }
        listed_with += with.face_lists().points.size();
        listed_without += without.face_lists().points.size();
    }
    CHECK(differences == 0 && raised > 1000);
    // the cache was used, also for lines that had gained or lost samples
    CHECK(listed_with > listed_without && resized > 100);
}

}  // namespace ruckle::tests
