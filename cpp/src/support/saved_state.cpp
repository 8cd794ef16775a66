#include "support/saved_state.h"

#include <string>

namespace ruckle {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw StateError("state: " + why);
}

// Returns the hash with a word mixed in. The function is bijective in the word, so that a change of a single word is
// always detected.
std::uint64_t hash_word(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

std::string mesh_name(std::int32_t vertex_count, std::int32_t face_count) {
    return "mesh of " + std::to_string(vertex_count) + " vertices and " + std::to_string(face_count) + " faces";
}

void require_same_mesh(const StateMesh& mesh, StateReader& state) {
    // counts are compared before the hash, so that the message can name the difference
    const auto vertex_count = state.number<std::int32_t>(), face_count = state.number<std::int32_t>();
    if (vertex_count != mesh.vertex_count || face_count != mesh.face_count) {
        refuse("expected the state of a " + mesh_name(mesh.vertex_count, mesh.face_count) + ", got that of a " +
               mesh_name(vertex_count, face_count));
    }
    if (state.number<std::uint64_t>() != mesh.hash) {
        refuse("expected the state of the same mesh, got that of another " + mesh_name(vertex_count, face_count));
    }
}

}  // namespace

// Returns a 64-bit hash. Processes eight bytes at a time, because saving a state takes only a few microseconds and its
// hash must not take longer.
std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
    std::uint64_t hash = bytes.size();
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        hash = hash_word(hash, word);
    }
    for (const std::byte byte : bytes) {
        hash = hash_word(hash, std::to_integer<std::uint64_t>(byte));
    }
    return hash;
}

void begin_state(const StateMesh& mesh, StateWriter& state) {
    // zeros as a header, which sign_state overwrites later
    state.numbers(std::array<std::uint8_t, state_header_size>{});
    state.number(mesh.vertex_count);
    state.number(mesh.face_count);
    state.number(mesh.hash);
}

void sign_state(const StateKind& kind, std::span<std::byte> state) {
    StateWriter header(state.first(state_header_size));
    header.numbers(kind.mark);
    header.number(kind.version);
    header.number(std::uint64_t{state.size()});
    header.number(hash_bytes(state.subspan(state_header_size)));
}

void require_room(std::size_t needed, std::size_t room) {
    if (needed != room) {
        refuse("expected room for " + std::to_string(needed) + " bytes, got " + std::to_string(room));
    }
}

StateReader open_state(const StateKind& kind, const StateMesh& mesh, std::span<const std::byte> state) {
    StateReader reader(state);
    std::array<char, std::tuple_size_v<decltype(kind.mark)>> found_mark{};
    if (state.size() >= state_header_size) {
        reader.numbers(found_mark);
    }
    if (found_mark != kind.mark) {
        refuse(std::string("expected bytes saved by ") + kind.owner + ", got " + std::to_string(state.size()) + " other bytes");
    }
    // the order of these tests matters: another version may have another checksum
    if (const auto version = reader.number<std::uint32_t>(); version != kind.version) {
        refuse("expected version " + std::to_string(kind.version) + ", got version " + std::to_string(version));
    }
    if (const auto size = reader.number<std::uint64_t>(); size != state.size()) {
        refuse("expected all " + std::to_string(size) + " bytes that were saved, got " + std::to_string(state.size()));
    }
    if (reader.number<std::uint64_t>() != hash_bytes(state.subspan(state_header_size))) {
        refuse("expected the bytes that were saved, got some that have changed since");
    }
    require_same_mesh(mesh, reader);
    return reader;
}

void require_same(const StateKind& kind, const char* name, std::uint64_t number, StateReader& state) {
    if (state.number<std::uint64_t>() != number) {
        refuse(std::string("expected the state of ") + kind.owner + " with the same options, got one with another " + name);
    }
}

}  // namespace ruckle
