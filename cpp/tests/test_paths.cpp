// Paths from edges and t; paths of one frame; searches for near paths. Results of BoxFilter and PathPool are compared
// with those of a search of all pairs in double precision.
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include "check.h"
#include "meshes.h"
#include "paths/box_filter.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/runs.h"

namespace ruckle::tests {

namespace {

struct Boxes {
    std::vector<Box> boxes;
    std::vector<std::int32_t> numbers;

    const Box& operator()(std::int32_t number) const { return boxes[static_cast<std::size_t>(number)]; }
};

Vector3 random_vector(Random& random) {
    return {random.unit(), random.unit(), random.unit()};
}

// Returns random boxes. A quarter of their numbers is missing, like the slots of dead paths.
Boxes random_boxes(int count, float spread, float size, Random& random) {
    Boxes boxes;
    for (int i = 0; i < count; ++i) {
        const Vector3 center = spread * random_vector(random);
        boxes.boxes.push_back({center, size * random_vector(random)});
        if (random.below(4) > 0) {
            boxes.numbers.push_back(i);
        }
    }
    return boxes;
}

// Returns the numbers of the boxes that the filter finds; each occurs at most once.
std::vector<std::int32_t> shown(const BoxFilter& filter, const Vector3& center, const Vector3& half, float distance) {
    std::vector<std::int32_t> numbers;
    CHECK(!filter.any_near(center, half, distance, [&](std::int32_t number) {
        numbers.push_back(number);
        return false;
    }));
    CHECK(std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end());
    return numbers;
}

bool contains(const std::vector<std::int32_t>& numbers, std::int32_t number) {
    return std::ranges::find(numbers, number) != numbers.end();
}

bool overlap(const Boxes& boxes, std::int32_t i, const Vector3& center, const Vector3& half, float distance) {
    const Eigen::Array3d apart = (boxes.boxes[i].center.cast<double>() - center.cast<double>()).array().abs();
    return (apart <= (boxes.boxes[i].half + half).cast<double>().array() + static_cast<double>(distance)).all();
}

double distance(const Vector3& point, const Vector3& a, const Vector3& b) {
    const Eigen::Vector3d along = (b.cast<double>() - a.cast<double>()), to = point.cast<double>() - a.cast<double>();
    const double length_squared = along.squaredNorm();
    const double s = length_squared > 0.0 ? std::clamp(to.dot(along) / length_squared, 0.0, 1.0) : 0.0;
    return (to - s * along).norm();
}

double distance(const Vector3& point, std::span<const Vector3> line) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        least = std::min(least, distance(point, line[i], line[i + 1]));
    }
    return least;
}

// Returns true if a path covers the point within this reach. Callers use a slightly larger or smaller reach than the
// pool.
bool covers(const PathPool& pool, const Vector3& point, float half_width, double reach, int except) {
    return std::ranges::any_of(pool.slots(), [&](std::int32_t slot) {
        return slot != except &&
               distance(point, pool.points(slot)) < reach * static_cast<double>(pool.half_width(slot) + half_width);
    });
}

bool crowded(const PathPool& pool, int slot, double reach, std::span<const std::uint8_t> ignored) {
    const auto end = std::ranges::find(pool.slots(), slot);
    return std::any_of(pool.slots().begin(), end, [&](std::int32_t older) {
        const double near = reach * static_cast<double>(pool.half_width(older) + pool.half_width(slot));
        const auto inside = std::ranges::count_if(
            pool.points(slot), [&](const Vector3& point) { return distance(point, pool.points(older)) < near; });
        return !ignored[static_cast<std::size_t>(older)] && 2 * inside > pool.vertex_count(slot);
    });
}

struct Answers {
    int yes = 0, no = 0, doubtful = 0;

    // Checks the answer if the exact result is certain. Counts it as doubtful if it depends on rounding.
    void check(bool found, bool at_least, bool at_most) {
        doubtful += at_least != at_most;
        if (at_least == at_most) {
            CHECK(found == at_least);
            ++(found ? yes : no);
        }
    }
};

// Queries a pool for points on and near its garment, and for all of its paths.
void compare(const PathPool& pool, std::span<const Vector3> positions, Random& random, Answers& covered, Answers& beset) {
    constexpr double slack = 1e-5;
    for (int i = 0; i < 100; ++i) {
        const Vector3 point =
            positions[random.below(static_cast<int>(positions.size()))] + 2.0f * random_vector(random) - Vector3::Ones();
        const float half_width = random.unit(), reach = i % 2 == 0 ? 1.0f : 0.3f;
        const int except =
            random.below(2) == 0 || pool.slots().empty() ? -1 : pool.slots()[random.below(static_cast<int>(pool.slots().size()))];
        std::int32_t blocker = -1;
        const bool found = pool.covers(point, half_width, reach, except, blocker);
        covered.check(found, covers(pool, point, half_width, static_cast<double>(reach) * (1.0 - slack), except),
                      covers(pool, point, half_width, static_cast<double>(reach) * (1.0 + slack), except));
        if (found) {
            CHECK(pool.covered_by(blocker, point, half_width, reach));
            CHECK(pool.covers(point, half_width, reach, except, blocker));
        }
    }
    std::vector<std::uint8_t> ignored(static_cast<std::size_t>(pool.capacity()));
    for (auto& each : ignored) {
        each = random.below(8) == 0;
    }
    for (const std::int32_t slot : pool.slots()) {
        const float reach = 0.35f + random.unit();
        beset.check(pool.crowded(slot, reach, ignored), crowded(pool, slot, static_cast<double>(reach) * (1.0 - slack), ignored),
                    crowded(pool, slot, static_cast<double>(reach) * (1.0 + slack), ignored));
    }
}

// Returns the mean share of the boxes that a filter finds around one of them.
double shown_share(int count, float spread, Random& random) {
    const Boxes boxes = random_boxes(count, spread, 1.0f, random);
    BoxFilter filter(count);
    filter.build(boxes.numbers, boxes);
    double sum = 0.0;
    for (const std::int32_t i : boxes.numbers) {
        sum += static_cast<double>(shown(filter, boxes.boxes[i].center, boxes.boxes[i].half, 0.0f).size());
    }
    return sum / static_cast<double>(boxes.numbers.size() * boxes.numbers.size());
}

std::string refusal(const Topology& topology, const std::vector<std::int32_t>& edges, const std::vector<float>& t) {
    try {
        make_path(topology, edges, t);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

// A flat sheet whose rows (along x) are shortened to `share` of their length, and its compression.
struct SqueezedSheet {
    explicit SqueezedSheet(float share) : mesh(cloth(12, 12, false)), topology(mesh.faces, mesh.vertex_count()) {
        const std::size_t count = mesh.faces.size();
        reference.resize(count);
        current.resize(count);
        edge_matrices(mesh.positions, topology.faces, reference);
        for (Vector3& position : mesh.positions) {
            position[0] *= share;
        }
        edge_matrices(mesh.positions, topology.faces, current);
        min.resize(count), max.resize(count), compression.resize(count), axis.resize(count), degenerate.resize(count);
        stretch(reference, current, {min, max, compression, axis, degenerate});
    }
    Cloth frame() { return {topology, mesh.positions, current, {min, max, compression, axis, degenerate}}; }

    Mesh mesh;
    Topology topology;
    std::vector<Matrix2> reference, current;
    std::vector<float> min, max, compression;
    std::vector<Vector2> axis;
    std::vector<std::uint8_t> degenerate;
};

}  // namespace

TEST(exact_two_edges_share_their_triangle) {
    const Mesh mesh = cloth(4, 5, true);
    const Topology topology(mesh.faces, mesh.vertex_count());
    for (std::int32_t a = 0; a < topology.edge_count(); ++a) {
        for (std::int32_t b = 0; b < topology.edge_count(); ++b) {
            std::int32_t expected = -1;
            for (std::int32_t face = topology.face_count(); a != b && face-- > 0;) {
                const auto& sides = topology.face_edges[static_cast<std::size_t>(face)];
                expected = std::ranges::count(sides, a) && std::ranges::count(sides, b) ? face : expected;
            }
            CHECK(a == b || shared_face(topology, a, b) == expected);
        }
    }
}

TEST(exact_a_path_is_made_of_its_edges) {
    // the path crosses a strip of four triangles from end to end
    const std::vector<Face> faces = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}};
    const Topology topology(faces, 6);
    const auto edge = [&](std::int32_t low, std::int32_t high) {
        const std::array<std::int32_t, 2> ends = {low, high};
        return static_cast<std::int32_t>(std::ranges::find(topology.edges, ends) - topology.edges.begin());
    };
    const std::vector<std::int32_t> edges = {edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 4), edge(4, 5)};
    const std::vector<float> t = {0.5f, 0.25f, 0.0f, 1.0f, 0.75f};
    const Path path = make_path(topology, edges, t);
    CHECK(path.count == 5 && std::equal(edges.begin(), edges.end(), path.edges.begin()));
    CHECK(std::equal(t.begin(), t.end(), path.t.begin()));
    for (std::int32_t i = 0; i < 4; ++i) {
        CHECK(path.faces[static_cast<std::size_t>(i)] == i);
    }
    CHECK(refusal(topology, edges, t).empty());
    CHECK(refusal(topology, {edges[0]}, {0.5f}) == "edges: a path has 2 to 128 vertices, got 1");
    CHECK(refusal(topology, edges, {0.5f}) == "t: expected one number for each of 5 edges, got 1");
    CHECK(refusal(topology, {edges[0], 9}, {0.5f, 0.5f}) == "edges: vertex 1 lies on edge 9; the mesh has edges 0 to 8");
    CHECK(refusal(topology, {edges[0], -1}, {0.5f, 0.5f}) == "edges: vertex 1 lies on edge -1; the mesh has edges 0 to 8");
    CHECK(refusal(topology, {edges[0], edges[1]}, {0.5f, 1.5f}) == "t: vertex 1 has 1.500000; t lies in [0, 1]");
    CHECK(refusal(topology, {edges[0], edges[1]}, {NAN, 0.5f}).find("t: vertex 0 has") == 0);
    for (const auto& broken : {std::vector{edges[0], edges[2]}, {edges[0], edges[0]}, {edges[0], edges[1], edges[0]}}) {
        CHECK(refusal(topology, broken, std::vector<float>(broken.size(), 0.5f)).find("edges: consecutive vertices") == 0);
    }
}

TEST(property_one_frame_has_paths_until_no_seed_is_left) {
    for (const float share : {0.5f, 0.6f, 0.7f}) {
        SqueezedSheet sheet(share);
        const TraceOptions options{.r_min = 0.3f, .tau = 1.3f, .grow_tau = 1.2f};
        PathPool pool(sheet.topology, path_capacity(sheet.topology));
        trace_frame(sheet.frame(), options, pool);
        CHECK(!pool.slots().empty() && pool.is_sound());
        // every seed point of every triangle has a path within reach; all triangles have equal compression
        std::int32_t blocker = -1;
        const float half_width = wrinkle_radius(options.r_min, share_lost(1.0f / share));
        int uncovered = 0;
        SeedSet seeds;
        seeds.choose(sheet.current, options.r_min, options.seed);
        for (std::size_t face = 0; face < sheet.mesh.faces.size(); ++face) {
            for (std::int32_t i = 0; i < seeds.counts[face]; ++i) {
                const Face& f = sheet.mesh.faces[face];
                const Vector2 b = seeds.position(static_cast<std::int32_t>(face), i);
                const Vector3 point = sheet.mesh.positions[f[0]] * (1.0f - b[0] - b[1]) + sheet.mesh.positions[f[1]] * b[0] +
                                      sheet.mesh.positions[f[2]] * b[1];
                uncovered += !pool.covers(point, half_width, 1.0f, -1, blocker);
            }
        }
        CHECK(uncovered == 0);
    }
}

TEST(exact_room_for_paths_follows_the_triangles) {
    const auto room = [](int rows) {
        const Mesh mesh = cloth(rows, rows, false);
        return path_capacity(Topology(mesh.faces, mesh.vertex_count()));
    };
    CHECK(room(3) == 64 && room(11) == 200 && room(60) == 4096);
}

TEST(property_runs_do_not_overlap) {
    Random random(5);
    Runs runs;
    // for each item of the list: the run that uses it, and the next free item if it is free
    std::vector<std::int32_t> owners(Runs::block_count(50) * Runs::block, -1), links(owners.size());
    const auto link = [&](std::int32_t item) -> std::int32_t& { return links[static_cast<std::size_t>(item)]; };
    std::array<std::array<std::int32_t, 2>, 50> taken{};  // first item and length; 0: without a run
    for (int round = 0; round < 20000; ++round) {
        const int run = random.below(50);
        auto& [first, length] = taken[static_cast<std::size_t>(run)];
        if (length > 0) {
            CHECK(std::all_of(owners.begin() + first, owners.begin() + first + length, [&](auto o) { return o == run; }));
            std::fill_n(owners.begin() + first, length, -1);
            runs.give_back(first, length, link);
        }
        // mostly short runs
        const int count = random.below(5) == 0 ? 0 : 1 + random.below(1 + random.below(128));
        length = count == 0 ? 0 : Runs::length_for(count);
        if (length > 0) {
            CHECK(length >= count && (length == Runs::shortest || length < 2 * count));
            first = runs.take(length, link);
            CHECK(first >= 0 && first + length <= static_cast<int>(owners.size()));
            CHECK(first / Runs::block == (first + length - 1) / Runs::block);
            CHECK(std::all_of(owners.begin() + first, owners.begin() + first + length, [](auto o) { return o < 0; }));
            std::fill_n(owners.begin() + first, length, run);
        }
    }
}

TEST(exact_sieve_shows_every_box_that_is_near) {
    Random random(1);
    // distances of the boxes: crowded; far apart; too far from the origin for full precision; so far that squares
    // overflow; all at one point
    for (const float spread : {1.0f, 30.0f, 1e6f, 1e37f, 0.0f}) {
        for (const int count : {1, 63, 64, 65, 300}) {
            const Boxes boxes = random_boxes(count, spread, spread > 1e6f ? 0.1f * spread : 1.0f, random);
            BoxFilter filter(count);
            filter.build(boxes.numbers, boxes);
            for (int asked = 0; asked < 50; ++asked) {
                const Vector3 center = 1.5f * spread * random_vector(random), half = random_vector(random);
                const auto numbers = shown(filter, center, half, 0.5f);
                for (const std::int32_t i : boxes.numbers) {
                    CHECK(contains(numbers, i) || !overlap(boxes, i, center, half, 0.5f));
                }
            }
        }
    }
}

TEST(exact_sieve_shows_boxes_added_later) {
    Random random(2);
    Boxes boxes = random_boxes(200, 30.0f, 1.0f, random);
    BoxFilter filter(200);
    const auto first = std::span(boxes.numbers).first(60);
    filter.build(first, boxes);
    // new boxes are added while these boxes move
    for (std::size_t k = 0; k < boxes.numbers.size(); k += k < 60 ? 3 : 1) {
        const std::int32_t i = boxes.numbers[k];
        boxes.boxes[i].center += 10.0f * random_vector(random) - Vector3::Constant(5.0f);
        CHECK(filter.add(i, boxes.boxes[i]) == (i < 64 * ((first.back() + 64) / 64 + 1)));
    }
    for (int asked = 0; asked < 200; ++asked) {
        const Vector3 center = 30.0f * random_vector(random), half = random_vector(random);
        const auto numbers = shown(filter, center, half, 0.5f);
        for (const std::int32_t i : boxes.numbers) {
            CHECK(contains(numbers, i) || !overlap(boxes, i, center, half, 0.5f));
        }
    }
}

TEST(property_sieve_shows_few_boxes_that_are_not_near) {
    Random random(3);
    CHECK(shown_share(300, 30.0f, random) < 0.01);
    CHECK(shown_share(300, 0.1f, random) > 0.5);
}

TEST(degenerate_sieve_without_boxes_shows_none) {
    BoxFilter filter(10);
    CHECK(shown(filter, Vector3::Zero(), Vector3::Ones(), 1.0f).empty());
    filter.build({}, Boxes{});
    CHECK(shown(filter, Vector3::Zero(), Vector3::Ones(), 1.0f).empty());
    CHECK(filter.add(3, {Vector3::Zero(), Vector3::Ones()}));
    CHECK(contains(shown(filter, Vector3::Zero(), Vector3::Ones(), 1.0f), 3));
}

TEST(exact_searches_find_what_all_pairs_find) {
    Random random(4);
    Answers covered, beset;
    for (const bool round : {false, true}) {
        const Mesh mesh = cloth(20, 24, round);
        // many short wrinkles, which crowd each other
        const WrinklerOptions options{.r_min = 0.2f, .tau = 1.25f, .grow_tau = 1.25f, .least_aspect = 0.0f};
        for (const float tear : {0.0f, 0.3f, 100.0f}) {
            Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), options);
            std::vector<Vector3> positions;
            for (int frame = 0; frame < 10; ++frame) {
                move(mesh, static_cast<float>(frame) / 30.0f, positions);
                for (Vector3& position : positions) {
                    if (frame % 5 == 4 && random.below(10) == 0) {
                        position += tear * random_vector(random);
                    }
                }
                CHECK(wrinkler.step(positions) == StepStatus::done);
                compare(wrinkler.paths(), positions, random, covered, beset);
            }
        }
    }
    // the test is useful only if both answers are frequent
    CHECK(covered.yes > 500 && covered.no > 500 && beset.yes > 100 && beset.no > 100);
    CHECK(covered.doubtful + beset.doubtful < 100);
}

}  // namespace ruckle::tests
