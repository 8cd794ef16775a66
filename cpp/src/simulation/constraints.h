// Computes masses and constraint elements from the rest shape of a cloth, in batches for the sweeps.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/simulation/cloth.h"
#include "simulation/numbering.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Elements in batches, parts and rounds. Two elements of a batch have no common vertex. Batch b is [starts[b], starts[b + 1]) of
// the order; its size is a multiple of the block size, and unused entries are -1. Part p consists of the batches [parts[p],
// parts[p + 1]), round r of the parts [rounds[r], rounds[r + 1]). Different parts of a round have no common vertex, so that
// threads can process them at the same time.
struct Batches {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int64_t> parts{0}, rounds{0};
};

// Assigns elements to batches. The first round has elements within one part of the cloth, the second those that join neighbouring
// parts, the third all others. An element gets the first batch in which its vertices are free, so that sweeps have no preferred
// direction. corners: (n, corner_count) vertices.
Batches batch(std::span<const std::int32_t> corners, int corner_count, const Numbering& numbering);
// The same for elements of different lengths; element e has the corners [element_starts[e], element_starts[e + 1]).
Batches batch(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners, const Numbering& numbering);

// Returns for each block of sweep_block elements the spare vertex of its unused entries. Spare vertices never move. Each part of
// a round has its own, because sweeps write all vertices that they read.
std::vector<std::int32_t> spare_vertices(const Batches& batches, const Numbering& numbering);

// Throws MeshError if positions are not finite. Call it first: errors about lengths and areas would be less clear.
void require_finite(std::span<const Vector3> rest);

struct Edges {
    Batches batches;
    std::array<std::vector<std::int32_t>, 2> corners;
    std::vector<float> length, stiffness;  // m, N/m
    EdgeArrays arrays() const;
};

struct Triangles {
    Batches batches;
    std::array<std::vector<std::int32_t>, 3> corners;
    std::array<std::vector<float>, 4> inverse;
    std::vector<float> mass_third;
    FaceArrays arrays() const;
};

struct Constraints {
    // All arrays have the order of the numbering; attachment: (V), or empty. Throws MeshError for faces without area.
    Constraints(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest,
                std::span<const float> attachment, const ClothOptions& options);

    std::vector<float> masses;  // (V) kg; 0 for vertices without faces
    Edges edges;
    Triangles faces;
    Triangles held;  // triangles with an attached corner
};

// Returns the stretch energy of all edges, J.
//
// compression  stiffness under compression / stiffness under tension
// points       (V, 4) position, m, and inverse mass
double stretch_energy(const Edges& edges, float compression, std::span<const float> points);

// Largest (length / rest length) of all edges, with a vertex of that edge; NaN if a point is NaN.
struct LongestEdge {
    float stretch;
    std::int32_t vertex;
};
LongestEdge longest_edge(const Edges& edges, std::span<const float> points);

}  // namespace ruckle
