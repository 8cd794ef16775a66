// Format of a saved state, in one buffer.
//
//     header     mark, version, size of the buffer, checksum of the bytes after the header
//     identity   vertex count, face count and hash of the mesh; then all other properties that must match to restore the
//                state: all options except those that do not affect results, such as the number of threads
//     state      the members that the class writes
//
// Numbers have the byte order of the machine, so on a machine with the other byte order the version does not match.
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

// Kind of a saved state: the class that has written it.
struct StateKind {
    const char* owner;         // class name for error messages, such as "a Wrinkler"
    std::array<char, 8> mark;  // contains bytes that change if the file is transferred as text
    std::uint32_t version;     // increase it if the order, types or meaning of the numbers change
};

// Identity of the mesh in a state.
struct StateMesh {
    std::int32_t vertex_count, face_count;
    std::uint64_t hash;
};

std::uint64_t hash_bytes(std::span<const std::byte> bytes);
// Returns the identity of a mesh. It depends only on the faces, because positions differ between frames.
template <class Topology>
StateMesh state_mesh_of(const Topology& topology) {
    return {topology.vertex_count, topology.face_count(), hash_bytes(std::as_bytes(std::span(topology.faces)))};
}

// Writes zeros as a header, then the identity of the mesh. The caller appends the remaining identity and the state.
void begin_state(const StateMesh& mesh, StateWriter& state);
// Writes the header of a complete state.
void sign_state(const StateKind& kind, std::span<std::byte> state);
void require_room(std::size_t needed, std::size_t room);

// Returns the size of a state in bytes. write(writer) writes everything after header and mesh.
std::size_t size_of_state(const StateMesh& mesh, const auto& write) {
    StateWriter measured;
    begin_state(mesh, measured);
    write(measured);
    return measured.size();
}

// Writes the state into `room`. Throws StateError if the size of `room` is not that of the state; `room` then contains
// no valid state.
void save_state(const StateKind& kind, const StateMesh& mesh, std::span<std::byte> room, const auto& write) {
    StateWriter writer(room);
    begin_state(mesh, writer);
    write(writer);
    // if `room` is too small, the writer skips numbers that do not fit but counts their bytes, so that the error
    // message can contain the size
    require_room(writer.size(), room.size());
    sign_state(kind, room);
}

// Checks header and mesh, and returns a reader of the remaining bytes. Throws StateError if the bytes are not a state,
// are truncated or changed, or are of another version or mesh.
StateReader open_state(const StateKind& kind, const StateMesh& mesh, std::span<const std::byte> state);
// Reads a number. Throws StateError if it differs from `number`.
void require_same(const StateKind& kind, const char* name, std::uint64_t number, StateReader& state);

// Calls visit(integer) with the bits of each number in an option's value.
void show_numbers(float value, const auto& visit) {
    visit(__builtin_bit_cast(std::uint32_t, value));
}
void show_numbers(const std::optional<float>& value, const auto& visit) {
    // 2^32 if the option is not set; no float has these bits
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

// Calls visit(name, number) for all options in a table that affect results.
template <class Table, class Options>
void show_options(const Table& table, const Options& options, const auto& visit) {
    for (const auto& option : table) {
        const auto visit_number = [&](std::uint64_t number) { visit(option.parameter.name, number); };
        // these two options do not affect results, so a state may be restored with other values
        const std::string_view name = option.parameter.name;
        if (name != "threads" && name != "record_substeps") {
            std::visit([&](auto member) { show_numbers(options.*member, visit_number); }, option.member);
        }
    }
}

}  // namespace ruckle
