// Saved states: a restored object computes identical bits. Bytes that are not a saved state are rejected, or the
// object still computes valid results.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "check.h"
#include "meshes.h"
#include "paths/wrinkler_parts.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/simulation/cloth.h"

namespace ruckle::tests {

namespace {

using State = std::vector<std::byte>;

// Options with many short wrinkles that appear and disappear.
constexpr WrinklerOptions lively{
    .r_min = 0.2f, .tau = 1.25f, .grow_tau = 1.25f, .least_aspect = 0.0f, .fade_in = 0.1f, .fade_out = 0.1f};

// Steps the wrinkler through the frames [first, last).
void play(const Mesh& mesh, int first, int last, Wrinkler& wrinkler) {
    std::vector<Vector3> positions;
    for (int frame = first; frame < last; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        CHECK(wrinkler.step(positions, frame % 2 == 0 ? 1.0f / 30.0f : 1.0f / 60.0f) == StepStatus::done);
    }
}

Wrinkler played(const Mesh& mesh, const WrinklerOptions& options, int frame_count) {
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), options);
    play(mesh, 0, frame_count, wrinkler);
    return wrinkler;
}

bool are_equal(const StretchSpans& a, const StretchSpans& b) {
    return std::ranges::equal(a.min, b.min) && std::ranges::equal(a.max, b.max) && std::ranges::equal(a.axis, b.axis) &&
           std::ranges::equal(a.compression, b.compression) && std::ranges::equal(a.degenerate, b.degenerate);
}

bool are_equal(const Wrinkle& a, const Wrinkle& b) {
    return a.id == b.id && a.age == b.age && a.fading == b.fading && a.extent == b.extent && a.width == b.width &&
           a.cuts == b.cuts && std::ranges::equal(a.points, b.points) && std::ranges::equal(a.widths, b.widths) &&
           std::ranges::equal(a.heights, b.heights);
}

// Returns true if the readable results of the last frame are equal.
bool show_the_same(const Wrinkler& a, const Wrinkler& b) {
    bool same = a.wrinkle_count() == b.wrinkle_count() && a.options().r_min == b.options().r_min &&
                a.options().least_aspect == b.options().least_aspect && a.stats().trace.tried == b.stats().trace.tried &&
                are_equal(a.field(), b.field()) && are_equal(a.motion(), b.motion());
    for (int i = 0; same && i < a.wrinkle_count(); ++i) {
        same = are_equal(a.wrinkle(i), b.wrinkle(i));
    }
    return same;
}

std::string refusal(auto& layer, std::span<const std::byte> state) {
    try {
        layer.restore(state);
    } catch (const StateError& error) {
        return error.what();
    }
    return "";
}

bool all_finite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

// Checks the guarantees of a step that do not depend on the state before.
void check_results(const Wrinkler& wrinkler) {
    const StretchSpans field = wrinkler.field();
    CHECK(all_finite(field.min) && all_finite(field.max) && all_finite(field.compression));
    CHECK(wrinkler.paths().is_sound());
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        const Wrinkle wrinkle = wrinkler.wrinkle(i);
        CHECK(all_finite(wrinkle.widths) && all_finite(wrinkle.heights) && wrinkle.size.fade >= 0.0f);
    }
}

// Writes one suspicious number at a random offset. Aligned offsets hit integers.
void spoil(Random& random, State& state) {
    constexpr std::uint32_t troubles[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 0x7fc00000,
                                          0x7f800000, 0xff800000, 0x7f7fffff, 0x00000001, 0x3f800001, 0x5f3759df};
    const int words = static_cast<int>(state.size() - state_header_size) / 4;
    std::byte* at = state.data() + state_header_size + 4 * random.below(words);
    if (random.below(2) == 0) {
        const std::uint32_t trouble = troubles[random.below(std::size(troubles))];
        std::memcpy(at, &trouble, sizeof trouble);
    } else {
        at[random.below(4)] ^= static_cast<std::byte>(1 << random.below(8));
    }
}

// Returns a state with some suspicious numbers, sometimes of another length, with a valid header.
State spoil(const StateKind& kind, const State& honest, int run) {
    Random random(static_cast<std::uint64_t>(run));
    State spoiled = honest;
    for (int change = 0; change <= random.below(3); ++change) {
        spoil(random, spoiled);
    }
    if (random.below(16) == 0) {
        spoiled.resize(state_header_size + random.below(static_cast<int>(spoiled.size())));
    }
    sign_state(kind, spoiled);
    return spoiled;
}

}  // namespace

TEST(a_restored_wrinkler_goes_on_with_the_same_bits) {
    WrinklerOptions independent = lively, unset = lively, flat = lively, moves = lively;
    independent.coherent = false;
    unset.r_min = std::nullopt;
    flat.r_min = 0.0f;
    moves.method = LabelMethod::expansion;
    for (const Mesh& mesh : {cloth(12, 14, false), cloth(10, 16, true)}) {
        for (WrinklerOptions options : {lively, independent, unset, flat, moves}) {
            Wrinkler wrinkler = played(mesh, options, 25);
            const State state = wrinkler.state();
            CHECK(wrinkler.wrinkle_count() > 5 || options.r_min == 0.0f);
            // restored by a new wrinkler, by one that has run other frames, and by the same one; the number of threads
            // may differ
            options.threads = 2;
            Wrinkler fresh(mesh.faces, mesh.vertex_count(), options), other = played(mesh, options, 40);
            fresh.restore(state);
            other.restore(state);
            CHECK(show_the_same(wrinkler, fresh) && show_the_same(wrinkler, other));
            CHECK(fresh.frame_count() == 25 && fresh.state() == state && other.state() == state);
            play(mesh, 25, 60, wrinkler);
            const State later = wrinkler.state();
            for (Wrinkler* restored : {&fresh, &other, &wrinkler}) {
                restored->restore(state);
                play(mesh, 25, 60, *restored);
                CHECK(restored->state() == later);
                CHECK(show_the_same(wrinkler, *restored));
            }
        }
    }
}

// A Wrinkler that does not keep the field recomputes the edge matrices of the previous frame.
TEST(wrinkles_are_the_same_if_the_field_is_not_kept) {
    const Mesh mesh = cloth(12, 14, false);
    const auto topology = std::make_shared<const Topology>(mesh.faces, mesh.vertex_count());
    for (const bool has_rest : {false, true}) {
        Wrinkler with(topology, lively), without(topology, lively, false), restored(topology, lively, false);
        if (has_rest) {
            with.set_rest(mesh.positions), without.set_rest(mesh.positions), restored.set_rest(mesh.positions);
        }
        play(mesh, 0, 25, with);
        play(mesh, 0, 25, without);
        restored.restore(without.state());
        CHECK(refusal(with, without.state()) ==
              "state: expected the bytes that were saved, got bytes with an impossible value: whether the field is kept");
        for (Wrinkler* other : {&without, &restored}) {
            play(mesh, 25, 50, *other);
        }
        play(mesh, 25, 50, with);
        CHECK(without.current().empty() && without.motion().max.empty() && without.field().compression.empty());
        CHECK(with.wrinkle_count() > 5 && with.wrinkle_count() == without.wrinkle_count());
        CHECK(std::ranges::equal(with.labels(), without.labels()) && std::ranges::equal(with.reference(), without.reference()));
        CHECK(without.state() == restored.state());
        for (int i = 0; i < with.wrinkle_count(); ++i) {
            CHECK(are_equal(with.wrinkle(i), without.wrinkle(i)));
        }
    }
}

TEST(a_state_before_the_first_frame_begins_anew) {
    const Mesh mesh = cloth(9, 9, false);
    WrinklerOptions options = lively;
    options.r_min = std::nullopt;
    Wrinkler fresh(mesh.faces, mesh.vertex_count(), options), used = played(mesh, options, 20);
    used.restore(fresh.state());
    CHECK(used.frame_count() == 0 && !used.options().r_min && used.wrinkle_count() == 0);
    play(mesh, 5, 20, fresh);
    play(mesh, 5, 20, used);
    CHECK(used.state() == fresh.state());
}

TEST(a_state_of_another_layout_has_another_version) {
    const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    Wrinkler wrinkler(std::vector<Face>{{0, 1, 2}}, 3, {.r_min = 1.0f});
    wrinkler.step(corners);
    CHECK(wrinkler_state.version == 4 && wrinkler.state_size() == 508);
}

TEST(states_of_something_else_are_refused) {
    const Mesh mesh = cloth(9, 9, false);
    Wrinkler wrinkler = played(mesh, lively, 20);
    const State state = wrinkler.state();
    const std::string size = std::to_string(state.size());

    WrinklerOptions options = lively;
    options.straightness = 1.0f;
    CHECK(refusal(wrinkler, played(mesh, options, 3).state()) ==
          "state: expected the state of a Wrinkler with the same options, got one with another straightness");
    options = lively;
    options.least_aspect = 3.0f;
    CHECK(refusal(wrinkler, played(mesh, options, 3).state()) ==
          "state: expected the state of a Wrinkler with the same options, got one with another least_aspect");
    const Mesh smaller = cloth(3, 4, false);
    CHECK(refusal(wrinkler, played(smaller, lively, 3).state()) ==
          "state: expected the state of a mesh of 81 vertices and 128 faces, got that of a mesh of 12 vertices and 12 faces");
    Mesh turned = mesh;
    turned.faces[5] = Face(turned.faces[5][1], turned.faces[5][2], turned.faces[5][0]);
    CHECK(refusal(wrinkler, played(turned, lively, 3).state()) ==
          "state: expected the state of the same mesh, got that of another mesh of 81 vertices and 128 faces");

    CHECK(refusal(wrinkler, {}) == "state: expected bytes saved by a Wrinkler, got 0 other bytes");
    CHECK(refusal(wrinkler, std::as_bytes(std::span("ruckle, but not a state at all"))) ==
          "state: expected bytes saved by a Wrinkler, got 31 other bytes");
    State changed = state;
    changed[8] = std::byte{7};
    CHECK(refusal(wrinkler, changed) == "state: expected version 4, got version 7");
    changed = state;
    changed.pop_back();
    CHECK(refusal(wrinkler, changed) ==
          "state: expected all " + size + " bytes that were saved, got " + std::to_string(changed.size()));
    sign_state(wrinkler_state, changed);
    CHECK(refusal(wrinkler, changed) ==
          "state: expected the bytes that were saved, got bytes with an impossible value: the length");
    changed = state;
    changed.push_back(std::byte{0});
    sign_state(wrinkler_state, changed);
    CHECK(refusal(wrinkler, changed) ==
          "state: expected the bytes that were saved, got bytes with an impossible value: the length");
    CHECK(wrinkler.state() == state);

    bool threw = false;
    try {
        changed.resize(state.size() - 1);
        wrinkler.save(changed);
    } catch (const StateError& error) {
        threw = error.what() == "state: expected room for " + size + " bytes, got " + std::to_string(changed.size());
    }
    CHECK(threw);
}

TEST(every_flipped_bit_is_noticed) {
    const Mesh mesh = cloth(3, 4, false);
    Wrinkler wrinkler = played(mesh, lively, 20);
    State state = wrinkler.state();
    const State before = state;
    for (std::size_t at = 0; at < state.size(); ++at) {
        state[at] ^= static_cast<std::byte>(1 << at % 8);
        CHECK(!refusal(wrinkler, state).empty());
        state[at] = before[at];
    }
    CHECK(wrinkler.state() == before);
}

TEST(bytes_that_nobody_has_saved_do_no_harm) {
    const Mesh mesh = cloth(9, 9, false);
    int refused = 0, taken = 0;
    for (const bool given : {true, false}) {
        WrinklerOptions options = lively;
        options.r_min = given ? lively.r_min : std::nullopt;
        Wrinkler wrinkler = played(mesh, options, 20);
        const State honest = wrinkler.state();
        for (int run = 0; run < 300; ++run) {
            const State spoiled = spoil(wrinkler_state, honest, run);
            const State before = wrinkler.state();
            if (!refusal(wrinkler, spoiled).empty()) {
                ++refused;
                CHECK(wrinkler.state() == before);
                continue;
            }
            ++taken;
            // after it has restored spoiled bytes, the wrinkler can still save its own state and restore it
            CHECK(refusal(wrinkler, wrinkler.state()).empty());
            play(mesh, 20, 23, wrinkler);
            check_results(wrinkler);
        }
    }
    CHECK(refused > 100 && taken > 100);
}

// Random changes of the state of patterns, which is validated number by number.
constexpr StateKind modulator_state{"a Modulator", {'r', 'u', 'c', 'k', 'l', 'M', '\x1a', '\n'}, 1};

Modulator modulated(const Mesh& mesh, int frame_count) {
    const PatternGrid grid(Topology(mesh.faces, mesh.vertex_count()), mesh.positions, 0.25f);
    Random random(3);
    std::vector<float> heights(2 * static_cast<std::size_t>(grid.node_count()));
    for (float& height : heights) {
        height = random.unit() - 0.5f;
    }
    Modulator modulator(grid, heights, {}, {.r_min = 0.2f});
    std::vector<Vector3> positions;
    for (int frame = 0; frame < frame_count; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        CHECK(modulator.step(positions) == StepStatus::done);
    }
    return modulator;
}

TEST(a_state_of_a_modulator_of_another_layout_has_another_version) {
    const Mesh mesh = cloth(3, 4, false);
    Modulator modulator = modulated(mesh, 3);
    State state = modulator.state();
    sign_state(modulator_state, state);
    CHECK(state == modulator.state() && state.size() == 408);
}

TEST(bytes_that_no_modulator_has_saved_do_no_harm) {
    const Mesh mesh = cloth(5, 6, false);
    Modulator modulator = modulated(mesh, 10);
    const State honest = modulator.state();
    std::vector<Vector3> positions;
    move(mesh, 0.4f, positions);
    int refused = 0, taken = 0;
    for (int run = 0; run < 400; ++run) {
        const State spoiled = spoil(modulator_state, honest, run);
        const State before = modulator.state();
        if (!refusal(modulator, spoiled).empty()) {
            ++refused;
            CHECK(modulator.state() == before);
            continue;
        }
        ++taken;
        CHECK(modulator.step(positions) == StepStatus::done && all_finite(modulator.factors()));
        modulator.restore(honest);
        CHECK(modulator.state() == honest);
    }
    CHECK(refused > 100 && taken > 100);
}

// Random changes of the state of a heap of cloth, with contact between its layers.
constexpr StateKind cloth_state{"a ClothSimulation", {'r', 'u', 'c', 'k', 'l', 'C', '\x1a', '\n'}, 2};

TEST(bytes_that_no_cloth_has_saved_do_no_harm) {
    Mesh mesh = cloth(12, 12, false);
    std::vector<Vector3> upright;
    for (Vector3& p : mesh.positions) {
        p *= 0.05f;
        upright.push_back({p[0], p[1] + 0.02f, p[2] + 0.02f * std::sin(9.0f * p[1])});
    }
    ClothOptions options;
    options.self_distance = 0.015f;
    ClothSimulation simulation(mesh.positions, mesh.faces, {}, options);
    simulation.place(upright, {});
    const std::vector<RoundedCone> floor = {{{0.5f, -20.0f, 0.0f}, 20.0f, {0.5f, -20.0f, 0.1f}, 20.0f}};
    const ClothInputs inputs{.dt = 1.0f / 60.0f, .pins = {}, .wind = {}, .cones = floor, .body = {}, .targets = {}};
    for (int frame = 0; frame < 40; ++frame) {
        CHECK(simulation.step(inputs) == ClothStatus::done);
    }
    CHECK(simulation.stats().self_pair_count > 50);
    const State honest = simulation.state();
    int refused = 0, taken = 0;
    for (int run = 0; run < 400; ++run) {
        const State spoiled = spoil(cloth_state, honest, run);
        const State before = simulation.state();
        if (!refusal(simulation, spoiled).empty()) {
            ++refused;
            CHECK(simulation.state() == before);
            continue;
        }
        ++taken;
        const ClothStatus status = simulation.step(inputs);
        CHECK(status == ClothStatus::done || status == ClothStatus::exploded);
        simulation.restore(honest);
        CHECK(simulation.state() == honest);
    }
    CHECK(refused > 50 && taken > 50);
    // replaces zero bytes by a number: the fourth number of a velocity must be 0, because a step adds it to a mass
    const float number = 0.25f;
    std::array<std::byte, sizeof number> nothing{};
    for (std::size_t i = state_header_size; i + sizeof number <= honest.size(); i += 7) {
        if (std::equal(nothing.begin(), nothing.end(), &honest[i])) {
            State spoiled = honest;
            std::memcpy(&spoiled[i], &number, sizeof number);
            sign_state(cloth_state, spoiled);
            if (refusal(simulation, spoiled).empty()) {
                simulation.step(inputs);
                simulation.restore(honest);
            }
        }
    }
    CHECK(simulation.state() == honest);
}

}  // namespace ruckle::tests
