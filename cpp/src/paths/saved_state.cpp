#include "paths/saved_state.h"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace ruckle {

namespace {

// Shows at once when a transfer has taken the bytes for text.
constexpr std::array<char, 8> mark = {'r', 'u', 'c', 'k', 'l', 'e', '\x1a', '\n'};

[[noreturn]] void refuse(const std::string& why) {
    throw StateError("state: " + why);
}

// One to one in the word, so that no change of a single word goes unnoticed.
std::uint64_t hash_word(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

// Eight bytes at a time: a state is saved in a few microseconds, and its checksum must not take longer.
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

// Shows visit an option as whole numbers, which differ where the option does.
void show(float value, const auto& visit) {
    visit(__builtin_bit_cast(std::uint32_t, value));
}
void show(const std::optional<float>& value, const auto& visit) {
    // one that was not set is the bits of no float
    visit(value ? __builtin_bit_cast(std::uint32_t, *value) : std::uint64_t{1} << 32);
}
void show(const PairwiseCosts& costs, const auto& visit) {
    for (const auto& row : costs) {
        for (const float cost : row) {
            show(cost, visit);
        }
    }
}
template <class Whole>
    requires(std::is_integral_v<Whole> || std::is_enum_v<Whole>)
void show(Whole value, const auto& visit) {
    visit(static_cast<std::uint64_t>(value));
}

// Shows visit(parameter, number) all that results depend on.
void show(const WrinklerOptions& options, const auto& visit) {
    for (const auto& option : wrinkler_parameters) {
        const auto visit_number = [&](std::uint64_t number) { visit(option.parameter, number); };
        // the number of threads changes no bit of a result, and a state may go on with another
        if (std::string_view(option.parameter.name) != "threads") {
            std::visit([&](auto member) { show(options.*member, visit_number); }, option.member);
        }
    }
}

std::string mesh_name(std::int32_t vertex_count, std::int32_t face_count) {
    return "mesh of " + std::to_string(vertex_count) + " vertices and " + std::to_string(face_count) + " faces";
}

void require_same_mesh(const Topology& topology, std::uint64_t mesh_hash, StateReader& state) {
    // counts before the hash: where they differ, the sentence can say how
    const auto vertex_count = state.number<std::int32_t>(), face_count = state.number<std::int32_t>();
    if (vertex_count != topology.vertex_count || face_count != topology.face_count()) {
        refuse("expected one of a " + mesh_name(topology.vertex_count, topology.face_count()) + ", got one of a " +
               mesh_name(vertex_count, face_count));
    }
    if (state.number<std::uint64_t>() != mesh_hash) {
        refuse("expected one of the same mesh, got one of another " + mesh_name(vertex_count, face_count));
    }
}

void require_same_options(const WrinklerOptions& given, StateReader& state) {
    show(given, [&](const Parameter& parameter, std::uint64_t number) {
        if (state.number<std::uint64_t>() != number) {
            refuse(std::string("expected one of a Wrinkler with the same options, got one with another ") + parameter.name);
        }
    });
}

}  // namespace

// Faces alone: positions are those of a frame, and part of the state.
std::uint64_t hash_mesh(const Topology& topology) {
    return hash_bytes(std::as_bytes(std::span(topology.faces)));
}

void begin_state(const Topology& topology, std::uint64_t mesh_hash, const WrinklerOptions& given, StateWriter& state) {
    // only sign_state knows the size and the checksum that stand here
    state.numbers(std::array<std::uint8_t, state_header_size>{});
    state.number(std::int32_t{topology.vertex_count});
    state.number(std::int32_t{topology.face_count()});
    state.number(mesh_hash);
    show(given, [&](const Parameter&, std::uint64_t number) { state.number(number); });
}

void sign_state(std::span<std::byte> state) {
    StateWriter header(state.first(state_header_size));
    header.numbers(mark);
    header.number(state_version);
    header.number(std::uint64_t{state.size()});
    header.number(hash_bytes(state.subspan(state_header_size)));
}

StateReader open_state(const Topology& topology, std::uint64_t mesh_hash, const WrinklerOptions& given,
                       std::span<const std::byte> state) {
    StateReader reader(state);
    std::array<char, mark.size()> found_mark{};
    if (state.size() >= state_header_size) {
        reader.numbers(found_mark);
    }
    if (found_mark != mark) {
        refuse("expected bytes that a Wrinkler has saved, got " + std::to_string(state.size()) + " others");
    }
    // each test makes the next one's answer mean something: a checksum of another version says nothing
    if (const auto version = reader.number<std::uint32_t>(); version != state_version) {
        refuse("expected version " + std::to_string(state_version) + ", got version " + std::to_string(version));
    }
    if (const auto size = reader.number<std::uint64_t>(); size != state.size()) {
        refuse("expected all " + std::to_string(size) + " bytes that were saved, got " + std::to_string(state.size()));
    }
    if (reader.number<std::uint64_t>() != hash_bytes(state.subspan(state_header_size))) {
        refuse("expected the bytes that were saved, got some that have changed since");
    }
    require_same_mesh(topology, mesh_hash, reader);
    require_same_options(given, reader);
    return reader;
}

}  // namespace ruckle
