// The flat buffer in which what a class has made of its frames travels.
//
//     header     mark, version, size of all of it, checksum of all that follows
//     identity   vertices and faces of the mesh and a hash of them; all else that must be the same where the state is restored:
//                every option but the number of threads, which changes no bit
//     state      what the class's `exchange` shows
//
// Numbers are as memory has them: to a machine with the other byte order a state is one of another version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "support/state_bytes.h"

namespace ruckle {

inline constexpr std::size_t state_header_size = 28;

// Whose state it is.
struct StateKind {
    const char* owner;         // as sentences name it: "a Wrinkler"
    std::array<char, 8> mark;  // ends in what shows at once when a transfer has taken the bytes for text
    std::uint32_t version;     // to be raised when the state changes in order, type or meaning
};

// The mesh, as a state knows it.
struct StateMesh {
    std::int32_t vertex_count, face_count;
    std::uint64_t hash;
};

std::uint64_t hash_bytes(std::span<const std::byte> bytes);
// Faces alone: positions are those of a frame, and part of the state.
template <class Topology>
StateMesh state_mesh_of(const Topology& topology) {
    return {topology.vertex_count, topology.face_count(), hash_bytes(std::as_bytes(std::span(topology.faces)))};
}

// Leaves room for the header, and writes the mesh. Whatever else the state belongs to comes next.
void begin_state(const StateMesh& mesh, StateWriter& state);
// Fills in the header of a state that is complete.
void sign_state(const StateKind& kind, std::span<std::byte> state);
void require_room(std::size_t needed, std::size_t room);

// Bytes that a state takes of which write(writer) shows all but header and mesh.
std::size_t size_of_state(const StateMesh& mesh, const auto& write) {
    StateWriter measured;
    begin_state(mesh, measured);
    write(measured);
    return measured.size();
}

// Writes it. Throws StateError unless it fills the room.
void save_state(const StateKind& kind, const StateMesh& mesh, std::span<std::byte> room, const auto& write) {
    StateWriter writer(room);
    begin_state(mesh, writer);
    write(writer);
    // a writer without room goes on counting, so that the sentence can say how much it takes
    require_room(writer.size(), room.size());
    sign_state(kind, room);
}

// Checks header and mesh, and returns a reader of what follows. Throws StateError for bytes that are no state, are cut or changed,
// or belong to another version or mesh.
StateReader open_state(const StateKind& kind, const StateMesh& mesh, std::span<const std::byte> state);
// Throws StateError where the state has another number here.
void require_same(const StateKind& kind, const char* name, std::uint64_t number, StateReader& state);

// Shows visit an option as whole numbers, which differ where the option does.
void show_numbers(float value, const auto& visit) {
    visit(__builtin_bit_cast(std::uint32_t, value));
}
void show_numbers(const std::optional<float>& value, const auto& visit) {
    // one that was not set is the bits of no float
    visit(value ? __builtin_bit_cast(std::uint32_t, *value) : std::uint64_t{1} << 32);
}
template <std::size_t rows, std::size_t columns>
void show_numbers(const std::array<std::array<float, columns>, rows>& matrix, const auto& visit) {
    for (const auto& row : matrix) {
        for (const float number : row) {
            show_numbers(number, visit);
        }
    }
}
void show_numbers(const Vector3& vector, const auto& visit) {
    for (const float number : vector) {
        show_numbers(number, visit);
    }
}
template <class Whole>
    requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>)
void show_numbers(Whole value, const auto& visit) {
    visit(static_cast<std::uint64_t>(value));
}

// Shows visit(name, number) all options of a table on which results depend.
template <class Table, class Options>
void show_options(const Table& table, const Options& options, const auto& visit) {
    for (const auto& option : table) {
        const auto visit_number = [&](std::uint64_t number) { visit(option.parameter.name, number); };
        // neither changes a bit of a result, and a state may go on with another
        const std::string_view name = option.parameter.name;
        if (name != "threads" && name != "record_substeps") {
            std::visit([&](auto member) { show_numbers(options.*member, visit_number); }, option.member);
        }
    }
}

}  // namespace ruckle
