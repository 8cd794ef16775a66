// Tests the surface with threads, and the pattern of its fine mesh.
#include <algorithm>
#include <map>

#include "check.h"
#include "meshes.h"
#include "numeric/packing.h"
#include "ruckle/paths/path_heights.h"
#include "ruckle/surface/surface.h"
#include "ruckle/surface/texels.h"
#include "surface/tessellation.h"

namespace ruckle::tests {

namespace {

std::vector<Wrinkle> wrinkles_of(const Wrinkler& wrinkler) {
    std::vector<Wrinkle> wrinkles;
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        wrinkles.push_back(wrinkler.wrinkle(i));
    }
    return wrinkles;
}

// Returns the number of triangles at each undirected edge.
std::map<std::pair<int, int>, int> edge_uses(const std::vector<Face>& faces) {
    std::map<std::pair<int, int>, int> uses;
    for (const Face& face : faces) {
        for (int k = 0; k < 3; ++k) {
            const int a = face[k], b = face[(k + 1) % 3];
            ++uses[{std::min(a, b), std::max(a, b)}];
        }
    }
    return uses;
}

}  // namespace

TEST(inner_patterns_are_triangles_with_one_outline) {
    for (int level = 3; level <= most_surface_level; ++level) {
        const InnerPattern pattern = inner_pattern(level);
        int outline = 0;
        for (const auto& [edge, uses] : edge_uses(pattern.faces)) {
            CHECK(uses <= 2);
            outline += uses == 1;
        }
        CHECK(outline == 3 * (level - 2));
        float area = 0.0f;
        for (const Face& face : pattern.faces) {
            const auto at = [&](int k, int c) { return pattern.barycentric[c][face[k]]; };
            const float twice = (at(1, 0) - at(0, 0)) * (at(2, 1) - at(0, 1)) - (at(1, 1) - at(0, 1)) * (at(2, 0) - at(0, 0));
            CHECK(twice > 0.0f);
            area += twice;
        }
        const float share = static_cast<float>(level - 2) / static_cast<float>(level);
        CHECK(std::abs(area - share * share) < 1e-4f);
    }
}

TEST(surfaces_are_the_same_on_any_number_of_threads) {
    const Mesh mesh = cloth(20, 30, true);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    PathHeights heights_alone(wrinkler.topology(), 1), heights_shared(wrinkler.topology(), 3);
    Surface alone(wrinkler.topology(), 1), shared(wrinkler.topology(), 3);
    FineMesh a, b;
    std::vector<Vector3> positions;
    std::size_t listed = 0;
    for (int frame = 0; frame < 6; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
        const std::vector<Wrinkle> wrinkles = wrinkles_of(wrinkler);
        for (const auto& [heights, surface] : {std::pair(&heights_alone, &alone), {&heights_shared, &shared}}) {
            heights->update(positions, wrinkler.rest(), wrinkles, 0.1f);
            surface->update(positions, std::array{source_of(*heights)}, {.curved = frame % 2 == 0, .edge_length = 0.1f});
        }
        alone.displace(a);
        shared.displace(b);
        listed += heights_alone.face_lists().points.size();
        CHECK(heights_alone.face_lists().points == heights_shared.face_lists().points);
        CHECK(a.positions == b.positions && a.normals == b.normals && a.heights == b.heights);
        CHECK(a.faces == b.faces && a.coarse_faces == b.coarse_faces && a.barycentric == b.barycentric);
    }
    CHECK(listed > 1000);
}

// Values derived from the rest shape are cached between frames. Another rest shape must not reuse them.
TEST(heights_follow_the_rest_of_each_frame) {
    const Mesh mesh = cloth(20, 30, true);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 10; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
    }
    const std::vector<Wrinkle> wrinkles = wrinkles_of(wrinkler);
    const std::vector<Vector3> rest(wrinkler.rest().begin(), wrinkler.rest().end());
    std::vector<Vector3> drawn_out = rest;
    for (Vector3& p : drawn_out) {
        p[0] *= 1.3f;
    }
    PathHeights kept(wrinkler.topology());
    for (const std::vector<Vector3>& each : {rest, drawn_out, rest}) {
        PathHeights fresh(wrinkler.topology());
        kept.update(positions, each, wrinkles, 0.1f);
        fresh.update(positions, each, wrinkles, 0.1f);
        Surface surface(wrinkler.topology());
        surface.update(positions, {}, {});
        std::vector<Word> expected, found;
        surface.write_texels(expected, fresh.carried_words());
        surface.write_texels(found, kept.carried_words());
        fresh.append_texels(expected);
        kept.append_texels(found);
        CHECK(kept.curve_points().size() > 100 && found == expected);
    }
}

// Lines that are copied from the previous table have the same words as lines that are packed again.
TEST(a_table_takes_the_lines_of_the_table_before) {
    const Mesh mesh = cloth(20, 30, true);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    std::vector<Vector3> positions;
    std::vector<std::vector<CurveSample>> curves;
    std::vector<Wrinkle> earlier;
    PathHeights heights(wrinkler.topology());
    Surface surface(wrinkler.topology());
    const auto table_of = [&](const DrawnLines& lines) {
        std::vector<Word> table;
        heights.update(positions, wrinkler.rest(), lines, 0.1f);
        surface.update(positions, {}, {});
        surface.write_texels(table, heights.carried_words());
        heights.append_texels(table);
        return table;
    };
    PackedLines packed;
    std::size_t compared = 0;
    for (int frame = 0; frame < 12; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
        const std::vector<Wrinkle> later = wrinkles_of(wrinkler);
        const std::vector<Word> expected = table_of({.earlier = earlier, .later = later, .share = 0.5f});
        if (frame > 0) {
            CHECK(table_of({.later = later, .share = 0.5f, .packed = &packed}) == expected);
            compared += packed.size();
        }
        heights.keep_later(packed);
        // the lines are copied, because the next step replaces them
        earlier = later, curves.clear();
        for (const Wrinkle& wrinkle : later) {
            curves.emplace_back(wrinkle.curve.begin(), wrinkle.curve.end());
        }
        for (std::size_t i = 0; i < earlier.size(); ++i) {
            earlier[i].curve = curves[i];
        }
    }
    CHECK(compared > 1000);
}

TEST(packed_lines_take_another_unit) {
    PackedLines lines;
    lines.points = {0, 0, 1001u | 1001u << 16, 0};
    lines.weights = {halves(1.0f, -0.5f)};
    lines.unit = 1.0f;
    lines.set_unit(2.0f);
    // half widths are rounded down
    CHECK(lines.unit == 2.0f && lines.points[2] == (500u | 501u << 16) && lines.weights[0] == halves(0.25f, -0.5f));
    lines.set_unit(0.5f);
    CHECK(lines.points[2] == (2000u | 2004u << 16) && lines.weights[0] == halves(4.0f, -0.5f));
}

}  // namespace ruckle::tests
