// Checks that step and the surface do not allocate after warm-up. All calls of operator new in this program are
// counted.
#include <algorithm>
#include <limits>

#include "check.h"
#include "counting_new.h"
#include "meshes.h"
#include "ruckle/paths/path_heights.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/surface/surface.h"
#include "ruckle/upsampling/upsampler.h"

namespace ruckle::tests {

namespace {

constexpr PairwiseCosts with_diagonal = {{{0.1f, 0.3f, 0.5f}, {0.3f, 0.1f, 0.3f}, {0.5f, 0.3f, 0.1f}}};

// Returns the number of allocations in 200 steps of fast motion, after some steps of warm-up.
long allocations(const Mesh& mesh, const WrinklerOptions& options) {
    constexpr int warm_up = 5, frame_count = 200;
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), options);
    std::vector<Vector3> positions;
    move(mesh, 0.0f, positions);
    std::array<long, label_count> seen{};
    long counted_before = 0, changes = 0, births = 0, deaths = 0;
    for (int frame = 0; frame < warm_up + frame_count; ++frame) {
        // an occasional jump affects more triangles than all earlier frames
        const float jump = frame % 37 == 36 ? 0.2f : 0.0f;
        move(mesh, static_cast<float>(frame) / 30.0f + jump, positions);
        if (frame == warm_up) {
            counted_before = allocation_count();
        }
        const StepStatus status = wrinkler.step(positions, frame % 2 == 0 ? 1.0f / 30.0f : 1.0f / 60.0f);
        if (status != StepStatus::done) {
            return -1;
        }
        for (int label = 0; label < label_count; ++label) {
            seen[static_cast<std::size_t>(label)] += wrinkler.stats().label_counts[static_cast<std::size_t>(label)];
        }
        changes += wrinkler.stats().label_changes;
        births += wrinkler.stats().trace.born;
        deaths += wrinkler.stats().died;
    }
    const long counted_after = allocation_count();
    // the test is useful only if all labels occur, and often change
    CHECK(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000 && changes > 1000);
    // the test also requires wrinkles that appear and disappear. If coherent is false, wrinkles are replaced in each
    // frame, and none fades to 0
    CHECK(options.r_min == 0.0f || (births > 100 && (deaths > 100 || !options.coherent)));
    return counted_after - counted_before;
}

}  // namespace

TEST(the_counter_counts) {
    const long before = allocation_count();
    const std::vector<int> memory(100);
    CHECK(allocation_count() == before + 1 && memory.size() == 100);
}

TEST(step_allocates_nothing_after_warm_up) {
    for (const Mesh& mesh : {cloth(20, 20, false), cloth(15, 24, true)}) {
        CHECK(allocations(mesh, {.r_min = 0.0f}) == 0);
    }
}

TEST(step_with_wrinkles_allocates_nothing_after_warm_up) {
    for (const bool coherent : {true, false}) {
        // short wrinkles, of which many appear and disappear
        const WrinklerOptions options{.r_min = 0.2f,
                                      .tau = 1.25f,
                                      .grow_tau = 1.25f,
                                      .least_aspect = 0.0f,
                                      .fade_in = 0.1f,
                                      .fade_out = 0.1f,
                                      .coherent = coherent};
        CHECK(allocations(cloth(20, 20, false), options) == 0);
        CHECK(allocations(cloth(15, 24, true), options) == 0);
    }
}

TEST(step_with_a_diagonal_allocates_nothing_after_warm_up) {
    CHECK(allocations(cloth(20, 20, false), {.r_min = 0.0f, .pairwise = with_diagonal}) == 0);
}

TEST(step_by_moves_allocates_nothing_after_warm_up) {
    for (const LabelMethod method : {LabelMethod::expansion, LabelMethod::swap, LabelMethod::independent}) {
        CHECK(allocations(cloth(20, 20, false), {.r_min = 0.0f, .method = method}) == 0);
    }
}

TEST(step_on_two_threads_allocates_nothing_after_warm_up) {
    const Mesh mesh = cloth(70, 70, false);
    CHECK(mesh.faces.size() > 8192);
    CHECK(allocations(mesh, {.r_min = 0.0f, .threads = 2}) == 0);
}

TEST(saving_and_restoring_allocate_nothing_once_they_have_seen_the_state) {
    const Mesh mesh = cloth(20, 20, false);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f});
    std::vector<Vector3> positions;
    std::vector<std::byte> state;
    for (int frame = 0; frame < 40; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
        state.resize(wrinkler.state_size());
        wrinkler.save(state);
        wrinkler.restore(state);
        const long before = allocation_count();
        wrinkler.save(state);
        wrinkler.restore(state);
        CHECK(allocation_count() == before);
    }
    CHECK(wrinkler.wrinkle_count() > 10);
}

TEST(surfaces_allocate_nothing_once_they_have_seen_the_animation) {
    const Mesh mesh = cloth(20, 20, false);
    const WrinklerOptions options{.r_min = 0.2f, .tau = 1.25f};
    for (const int threads : {1, 2}) {
        long counted_before = 0, counted_after = 0;
        std::size_t listed = 0;
        Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), options);
        PathHeights heights(wrinkler.topology(), threads);
        Surface surface(wrinkler.topology(), threads);
        FineMesh fine;
        std::vector<Vector3> positions;
        std::vector<Wrinkle> wrinkles;
        wrinkles.reserve(1000);
        for (int round = 0; round < 2; ++round) {
            wrinkler.reset();
            counted_before = allocation_count();
            for (int frame = 0; frame < 30; ++frame) {
                move(mesh, static_cast<float>(frame) / 30.0f, positions);
                wrinkler.step(positions);
                wrinkles.clear();
                for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
                    wrinkles.push_back(wrinkler.wrinkle(i));
                }
                heights.update(positions, wrinkler.rest(), wrinkles, 0.1f);
                surface.update(positions, std::array{source_of(heights)}, {.curved = true, .edge_length = 0.1f});
                surface.displace(fine);
                listed += heights.curve_points().size();
            }
            counted_after = allocation_count();
        }
        CHECK(listed > 1000);
        CHECK(counted_after == counted_before);
    }
}

TEST(refused_frames_allocate_nothing) {
    const Mesh mesh = cloth(5, 5, false);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count());
    std::vector<Vector3> broken = mesh.positions;
    broken[3][1] = NAN;
    wrinkler.step(mesh.positions);
    const long before = allocation_count();
    const StepStatus status = wrinkler.step(broken);
    const long after = allocation_count();
    CHECK(status == StepStatus::not_finite && after == before);
}

TEST(upsampling_allocates_nothing) {
    const Mesh mesh = cloth(20, 21, false);
    const int fine = mesh.vertex_count(), coarse = 30;
    // each fine vertex is the mean of the coarse vertices, oscillates, and is attached
    const std::vector<float> rows(static_cast<std::size_t>(fine) * coarse, 1.0f / coarse);
    const std::vector<float> attachment(static_cast<std::size_t>(fine), 0.5f), shapes(2 * attachment.size(), 0.01f);
    const std::vector<float> frequencies{3.0f};
    // a network that adds zeros, on 5 x 6 and 20 x 21 vertices
    const std::span<const Vector3> rest(mesh.positions.data(), coarse);
    const std::vector<float> none(20 * 4 * detail_width * 4 * 3), ones(20, 1.0f);
    const auto zeros = [&](std::size_t count) { return std::span(none).first(count); };
    constexpr std::size_t width = detail_width, inputs = 9 * detail_features;
    const DetailModel detail{5,
                             6,
                             20,
                             21,
                             false,
                             rest,
                             zeros(detail_features),
                             std::span(ones).first(detail_features),
                             zeros(inputs * width),
                             zeros(5 * width),
                             zeros(9 * width * width),
                             zeros(5 * width),
                             none,
                             zeros(3 * static_cast<std::size_t>(fine)),
                             ones};
    const UpsamplingModel model{coarse, rows, mesh.faces, attachment, shapes, frequencies, detail};
    for (const int threads : {1, 2}) {
        for (const Precision precision : {Precision::half, Precision::single}) {
            Upsampler upsampler(model, {.precision = precision, .threads = threads});
            std::vector<Vector3> positions(coarse, Vector3(1.0f, 2.0f, 3.0f));
            const long before = allocation_count();
            for (int frame = 0; frame < 20; ++frame) {
                positions[0][0] = static_cast<float>(frame);
                CHECK(upsampler.step(positions, 0.01f, 1.0f, mesh.positions) == StepStatus::done);
                positions[0][0] = std::numeric_limits<float>::quiet_NaN();
                CHECK(upsampler.step(positions) == StepStatus::not_finite);
            }
            CHECK(allocation_count() == before && upsampler.frame_count() == 20);
        }
    }
}

TEST(modulation_allocates_nothing) {
    const Mesh mesh = cloth(15, 24, true);
    const PatternGrid grid(Topology(mesh.faces, mesh.vertex_count()), mesh.positions, 0.3f);
    std::vector<float> heights(3 * static_cast<std::size_t>(grid.node_count()));
    Random random(1);
    for (float& height : heights) {
        height = random.unit();
    }
    Modulator modulator(grid, heights);
    PatternHeights surface(grid, modulator.heights());
    std::vector<Vector3> positions;
    move(mesh, 0.0f, positions);
    const long before = allocation_count();
    float highest = 0.0f;
    for (int frame = 0; frame < 20; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        CHECK(modulator.step(positions) == StepStatus::done);
        surface.update(positions, modulator.factors());
        highest = std::max(highest, *std::max_element(modulator.factors().begin(), modulator.factors().end()));
    }
    CHECK(highest > 0.1f);
    CHECK(allocation_count() == before);
}

}  // namespace ruckle::tests
