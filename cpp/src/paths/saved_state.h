// The flat buffer in which the state of a Wrinkler travels.
//
//     header     mark, version, size of all of it, checksum of all that follows
//     identity   vertices and faces of the mesh and a hash of them; every option but the number of threads, which changes no bit
//     state      what Wrinkler::Parts::exchange shows
//
// Numbers are as memory has them: to a machine with the other byte order a state is one of another version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ruckle/paths/parameters.h"
#include "support/state_bytes.h"

namespace ruckle {

// To be raised when the state changes in order, type or meaning.
inline constexpr std::uint32_t state_version = 3;
inline constexpr std::size_t state_header_size = 28;

std::uint64_t hash_mesh(const Topology& topology);

// Leaves room for the header, and writes what the state belongs to.
void begin_state(const Topology& topology, std::uint64_t mesh_hash, const WrinklerOptions& given, StateWriter& state);
// Fills in the header of a state that is complete.
void sign_state(std::span<std::byte> state);

// Checks header and identity, and returns a reader of what follows. Throws StateError for bytes that are no state, are cut or
// changed, or belong to another version, mesh or set of options.
StateReader open_state(const Topology& topology, std::uint64_t mesh_hash, const WrinklerOptions& given,
                       std::span<const std::byte> state);

}  // namespace ruckle
