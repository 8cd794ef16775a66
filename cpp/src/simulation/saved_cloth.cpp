// Saves and restores the state of a cloth simulation; functions of cloth.h.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "ruckle/simulation/cloth.h"
#include "simulation/cloth_state.h"
#include "simulation/cones.h"
#include "simulation/limits.h"
#include "support/saved_state.h"

namespace ruckle {

namespace {

constexpr StateKind cloth_state{"a ClothSimulation", {'r', 'u', 'c', 'k', 'l', 'C', '\x1a', '\n'}, 2};

static_assert(sizeof(RoundedCone) == 8 * sizeof(float) && sizeof(SelfPair) == 3 * sizeof(std::int32_t));

std::span<const float> numbers_of(std::span<const RoundedCone> cones) {
    return {reinterpret_cast<const float*>(cones.data()), 8 * cones.size()};
}
std::span<float> numbers_of(std::span<RoundedCone> cones) {
    return {reinterpret_cast<float*>(cones.data()), 8 * cones.size()};
}
std::span<const float> numbers_of(std::span<const Vector3> vectors) {
    return {reinterpret_cast<const float*>(vectors.data()), 3 * vectors.size()};
}

// Writes the length of a list, then its items.
void write_list(const auto& items, StateWriter& state) {
    state.number(static_cast<std::int32_t>(items.size()));
    state.numbers(items);
}

std::vector<float> read_finite(std::size_t count, const char* what, StateReader& state) {
    std::vector<float> numbers(count);
    state.numbers(numbers, -largest_float, largest_float, what);
    return numbers;
}

// Reads and returns a list of vectors, which must be empty or have `count` vectors. what: name of the list in the
// error.
std::vector<Vector3> read_vectors(std::size_t count, const char* what, StateReader& state) {
    const auto found = state.number<std::int32_t>();
    require_state(found == 0 || found == static_cast<std::int32_t>(3 * count), what);
    std::vector<Vector3> vectors(static_cast<std::size_t>(found) / 3);
    const std::vector<float> numbers = read_finite(static_cast<std::size_t>(found), what, state);
    for (std::size_t v = 0; v < vectors.size(); ++v) {
        vectors[v] = Eigen::Map<const Vector3>(&numbers[3 * v]);
    }
    return vectors;
}

// Only the nearest side and the facing side are saved; each frame searches for sides beyond creases again.
constexpr std::size_t saved_sides = 2;

void write(const NearBody& near, StateWriter& state) {
    state.numbers(std::span(near.faces).first(saved_sides));
    state.numbers(std::span(near.slack).first(saved_sides));
    state.number(near.give);
    state.number(static_cast<std::uint8_t>(near.pinched));
}

NearBody read_near(int face_count, StateReader& state) {
    NearBody near;
    std::uint8_t pinched = 0;
    state.numbers(std::span(near.faces).first(saved_sides), -1, face_count - 1, "a triangle of the body");
    state.numbers(std::span(near.slack).first(saved_sides), 0.0f, largest_float, "a distance");
    state.number(near.give, 0.0f, largest_float, "a distance");
    state.number(pinched, 0, 1, "a flag");
    near.pinched = pinched != 0;
    // a pinched vertex must be between two sides
    require_state(!near.pinched || std::min(near.faces[0], near.faces[1]) >= 0, "a triangle of the body");
    return near;
}

void write(const SelfContact& contact, StateWriter& state) {
    state.number(static_cast<std::int32_t>(contact.pair_count()));
    for (std::size_t i = 0; i < contact.pair_count(); ++i) {
        const auto [vertex, face, side] = contact.pair(i);
        state.numbers(std::array{vertex, face, side});
    }
    state.numbers(contact.gathered_points());
}

std::vector<SelfPair> read_pairs(const Topology& topology, std::size_t most, StateReader& state) {
    std::int32_t count = 0;
    state.number(count, 0, static_cast<std::int32_t>(most), "the number of pairs");
    std::vector<SelfPair> pairs(static_cast<std::size_t>(count));
    for (SelfPair& pair : pairs) {
        state.number(pair.vertex, 0, topology.vertex_count - 1, "a pair");
        state.number(pair.face, 0, topology.face_count() - 1, "a pair");
        state.number(pair.side, -1, 1, "a pair");
    }
    return pairs;
}

void write(const std::vector<Crossing>& crossings, StateWriter& state) {
    state.number(static_cast<std::int32_t>(crossings.size()));
    for (const auto& [edge, face] : crossings) {
        state.numbers(std::array{edge, face});
    }
}

std::vector<Crossing> read_crossings(const Topology& topology, std::size_t most, StateReader& state) {
    std::int32_t count = 0;
    state.number(count, 0, static_cast<std::int32_t>(most), "the number of crossings");
    std::vector<Crossing> crossings(static_cast<std::size_t>(count));
    for (Crossing& crossing : crossings) {
        state.number(crossing.edge, 0, topology.edge_count() - 1, "a crossing");
        state.number(crossing.face, 0, topology.face_count() - 1, "a crossing");
    }
    require_state(std::is_sorted(crossings.begin(), crossings.end()), "the order of crossings");
    return crossings;
}

}  // namespace

// Calls visit(name, number) for all values that must be equal in a saved state and in the simulation that restores it,
// except the mesh. Thread counts and recording may differ.
void ClothSimulation::State::show_identity(const auto& visit) const {
    show_options(material_parameters, cloth.options.material, visit);
    show_options(cloth_parameters, cloth.options, visit);
    visit("rest pose", identity.rest);
    visit("attachment", identity.attachment);
    visit("body", identity.body);
    visit("set of tests", identity.tests);
}

// Writes the state after its header and mesh.
void ClothSimulation::State::write(StateWriter& state) const {
    show_identity([&](const char*, std::uint64_t number) { state.number(number); });
    state.number(frame_count);
    state.number(static_cast<std::uint8_t>(is_placed));
    state.numbers(std::span(cloth.origin.data(), 3));
    for (const Rows* rows : {&cloth.points, &cloth.velocities, &pins.rows()}) {
        state.numbers(rows->values());
    }
    write_list(numbers_of(cones.last()), state);
    if (body) {
        write_list(numbers_of(body->last()), state);
        write_list(numbers_of(body->first()), state);
        for (const NearBody& near : body->near()) {
            ruckle::write(near, state);
        }
    }
    if (layers) {
        ruckle::write(layers->self_contact(), state);
        ruckle::write(layers->edge_pairs(), state);
        ruckle::write(layers->tangles(), state);
    }
}

// Reads a state. Throws if a value is invalid, and changes the simulation only after all values were found valid.
void ClothSimulation::State::load(StateReader& state) {
    int frames = 0;
    state.number(frames, 0, most_saved_frames, "the number of frames");
    std::uint8_t placed = 0;
    state.number(placed, 0, 1, "a flag");
    const std::vector<float> from = read_finite(3, "a position", state);
    std::array<std::vector<float>, 3> rows;
    for (std::vector<float>& found : rows) {
        found = read_finite(cloth.points.values().size(), "a position", state);
    }
    for (std::size_t i = 3; i < rows[0].size(); i += 4) {
        // positions relative to the moved origin may be up to twice the limit after placement, and twice as large again
        // during a frame
        require_state(Eigen::Map<const Vector3>(&rows[0][i - 3]).cwiseAbs().maxCoeff() <= 4.0f * largest_coordinate,
                      "a position");
        // inverse masses are constant between frames; the fourth number of a velocity must be 0, because kernels add it
        // to an inverse mass
        require_state(rows[0][i] == cloth.points.values()[i], "a mass");
        require_state(rows[1][i] == 0.0f && rows[2][i] == 0.0f, "a velocity");
    }
    std::int32_t cone_numbers = 0;
    state.number(cone_numbers, 0, 8 * static_cast<std::int32_t>(most_cones), "the number of cones");
    std::vector<RoundedCone> found_cones(static_cast<std::size_t>(cone_numbers) / 8);
    require_state(numbers_of(std::span(found_cones)).size() == static_cast<std::size_t>(cone_numbers), "the number of cones");
    state.numbers(numbers_of(std::span(found_cones)));
    require_state(are_sound(found_cones), "a cone");
    std::vector<Vector3> found_body, first_body;
    std::vector<NearBody> found_near;
    if (body) {
        const auto count = static_cast<std::size_t>(body->vertex_count());
        found_body = read_vectors(count, "the body", state);
        first_body = read_vectors(count, "the body", state);
        for (std::size_t i = 0; i < body->near().size(); ++i) {
            found_near.push_back(read_near(body->face_count(), state));
        }
    }
    LayerPairs pairs;
    if (layers) {
        pairs.self_pairs = read_pairs(cloth.topology, layers->self_contact().most_pairs(), state);
        pairs.gathered_points = read_finite(cloth.points.values().size(), "a position", state);
        pairs.edge_pairs = read_crossings(cloth.topology, layers->edge_pairs().capacity(), state);
        pairs.tangles = read_crossings(cloth.topology, layers->tangles().capacity(), state);
    }
    require_state(state.empty(), "the length");

    frame_count = frames;
    is_placed = placed != 0;
    cloth.origin = Eigen::Map<const Vector3>(from.data());
    std::swap(cloth.points.values(), rows[0]);
    std::swap(cloth.velocities.values(), rows[1]);
    std::swap(pins.rows().values(), rows[2]);
    cones.restore(found_cones);
    if (body) {
        body->restore(found_body, first_body, found_near);
    }
    if (layers) {
        layers->restore(pairs);
    }
}

std::size_t ClothSimulation::state_size() const {
    return size_of_state(state_mesh_of(state_->cloth.topology), [&](StateWriter& state) { state_->write(state); });
}

void ClothSimulation::save(std::span<std::byte> state) const {
    save_state(cloth_state, state_mesh_of(state_->cloth.topology), state, [&](StateWriter& writer) { state_->write(writer); });
}

std::vector<std::byte> ClothSimulation::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}

void ClothSimulation::restore(std::span<const std::byte> state) {
    StateReader reader = open_state(cloth_state, state_mesh_of(state_->cloth.topology), state);
    state_->show_identity([&](const char* name, std::uint64_t number) { require_same(cloth_state, name, number, reader); });
    state_->load(reader);
}

}  // namespace ruckle
