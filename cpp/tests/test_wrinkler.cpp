// The Wrinkler class: rejected frames, reset, moves, threads.
#include "ruckle/paths/wrinkler.h"

#include <algorithm>
#include <limits>
#include <string>

#include "check.h"
#include "meshes.h"

namespace ruckle::tests {

namespace {

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
bool same(std::span<float> a, std::span<float> b) {
    return same(std::span<const float>(a), std::span<const float>(b));
}

bool same_wrinkles(const Wrinkler& a, const Wrinkler& b) {
    bool equal = a.wrinkle_count() == b.wrinkle_count();
    for (int i = 0; equal && i < a.wrinkle_count(); ++i) {
        const Wrinkle one = a.wrinkle(i), other = b.wrinkle(i);
        equal = one.id == other.id && same(one.edges, other.edges) && same(one.t, other.t) && same(one.heights, other.heights);
    }
    return equal;
}

bool same_results(const Wrinkler& a, const Wrinkler& b) {
    const StretchSpans f = a.field(), g = b.field(), m = a.motion(), n = b.motion();
    return same(a.labels(), b.labels()) && same(a.reference(), b.reference()) && same(a.current(), b.current()) &&
           same(f.compression, g.compression) && same(f.max, g.max) && same(f.min, g.min) && same(m.compression, n.compression) &&
           same(m.max, n.max) && a.frame_count() == b.frame_count() && a.stats().label_changes == b.stats().label_changes &&
           same_wrinkles(a, b);
}

std::string refusal(std::span<const Face> faces, int vertex_count, const WrinklerOptions& options = {}) {
    try {
        const Wrinkler wrinkler(faces, vertex_count, options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(refused_frames_leave_the_state_as_it_was) {
    const Mesh mesh = cloth(9, 9, false);
    Wrinkler plain(mesh.faces, mesh.vertex_count()), disturbed(mesh.faces, mesh.vertex_count());
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 30; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        std::vector<Vector3> broken = positions;
        for (const float bad : {NAN, INFINITY, -INFINITY}) {
            broken.back()[2] = bad;
            CHECK(disturbed.step(broken) == StepStatus::not_finite);
        }
        broken.pop_back();
        CHECK(disturbed.step(broken) == StepStatus::wrong_vertex_count);
        CHECK(disturbed.step({}) == StepStatus::wrong_vertex_count);
        for (const float bad : {0.0f, -1.0f, NAN, INFINITY}) {
            CHECK(disturbed.step(positions, bad) == StepStatus::wrong_time);
        }
        CHECK(disturbed.frame_count() == frame);
        CHECK(plain.step(positions) == StepStatus::done && disturbed.step(positions) == StepStatus::done);
        CHECK(same_results(plain, disturbed));
    }
}

TEST(reset_starts_anew) {
    const Mesh mesh = cloth(9, 9, true);
    Wrinkler fresh(mesh.faces, mesh.vertex_count()), used(mesh.faces, mesh.vertex_count());
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 10; ++frame) {
        move(mesh, 5.0f + static_cast<float>(frame) / 15.0f, positions);
        used.step(positions);
    }
    used.reset();
    CHECK(used.frame_count() == 0);
    for (int frame = 0; frame < 10; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        fresh.step(positions);
        used.step(positions);
        CHECK(same_results(fresh, used));
    }
}

TEST(a_moved_wrinkler_goes_on) {
    const Mesh mesh = cloth(9, 9, false);
    const Mesh other = cloth(4, 4, true);
    Wrinkler stays(mesh.faces, mesh.vertex_count()), source(mesh.faces, mesh.vertex_count());
    Wrinkler target(other.faces, other.vertex_count());
    std::vector<Vector3> positions;
    const auto step_both = [&](int frame, Wrinkler& moved) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        stays.step(positions);
        CHECK(moved.step(positions) == StepStatus::done);
        CHECK(same_results(stays, moved));
    };
    for (int frame = 0; frame < 5; ++frame) {
        step_both(frame, source);
    }
    target = std::move(source);
    for (int frame = 5; frame < 10; ++frame) {
        step_both(frame, target);
    }
    Wrinkler last(std::move(target));
    for (int frame = 10; frame < 15; ++frame) {
        step_both(frame, last);
    }
}

TEST(threads_change_no_bit) {
    const Mesh mesh = cloth(70, 70, false);
    CHECK(mesh.faces.size() > 8192);
    Wrinkler alone(mesh.faces, mesh.vertex_count());
    Wrinkler pair(mesh.faces, mesh.vertex_count(), {.threads = 2});
    Wrinkler trio(mesh.faces, mesh.vertex_count(), {.threads = 3});
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 12; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        alone.step(positions);
        pair.step(positions);
        trio.step(positions);
        CHECK(same_results(alone, pair));
        CHECK(same_results(alone, trio));
    }
    CHECK(*std::ranges::min_element(alone.stats().label_counts) > 100 && alone.wrinkle_count() > 100);
}

TEST(options_that_are_not_set_are_derived) {
    const std::vector<Vector3> tall = {{0, 1, 0}, {9, 3, 0}}, flat = {{0, 1, 0}, {4, 1, 2}}, point = {{1, 1, 1}, {1, 1, 1}};
    const WrinklerOptions derived = resolved({.tau = 1.5f}, tall);
    CHECK(derived.r_min == 0.01f && derived.grow_tau == 1.25f);
    CHECK(resolved({}, flat).r_min == 0.02f && resolved({}, point).r_min == 0.0f);
    CHECK(!resolved({}).r_min && resolved({.r_min = 0.5f}, tall).r_min == 0.5f);
    CHECK(resolved({.tau = 1.5f, .grow_tau = 1.5f}, tall).grow_tau == 1.5f);
}

TEST(lengths_that_are_not_set_follow_each_first_frame) {
    const Mesh mesh = cloth(9, 9, false);
    std::vector<Vector3> larger = mesh.positions;
    for (Vector3& position : larger) {
        position *= 2.0f;
    }
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count());
    CHECK(!wrinkler.options().r_min && wrinkler.options().grow_tau == 1.2f);
    wrinkler.step(mesh.positions);
    wrinkler.step(larger);
    CHECK(wrinkler.options().r_min == 0.04f);
    wrinkler.reset();
    wrinkler.step(larger);
    CHECK(wrinkler.options().r_min == 0.08f);
}

TEST(faces_and_options_that_cannot_be_used_are_refused) {
    const std::vector<Face> one = {{0, 1, 2}};
    CHECK(refusal(one, 3).empty());
    CHECK(refusal({}, 3).find("no triangle") != std::string::npos);
    CHECK(refusal(one, 2).find("names vertex 2") != std::string::npos);
    const std::vector<Face> fan = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    CHECK(refusal(fan, 5).find("edge (0, 1) belongs to 3 faces") != std::string::npos);
    CHECK(refusal(one, 3, {.sigma = 0.0f}).find("sigma") == 0);
    CHECK(refusal(one, 3, {.alpha = -1.0f}).find("alpha") == 0);
    CHECK(refusal(one, 3, {.beta = NAN}).find("beta") == 0);
    CHECK(refusal(one, 3, {.relaxation = 2.0f}).find("relaxation") == 0);
    CHECK(refusal(one, 3, {.threads = 0}).find("threads") == 0);
}

TEST(welding_joins_seams) {
    const std::vector<Vector3> positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0f, 1, 0}, {1, 0, -0.0f}, {1, 1, 0}};
    const std::vector<Face> joined = weld(positions, std::vector<Face>{{0, 1, 2}, {3, 4, 5}});
    CHECK(joined[1] == Face(2, 1, 5));
}

}  // namespace ruckle::tests
