// What the rest shape of a cloth fixes: masses, and the elements that the sweeps go over, in batches.
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

// Elements of a batch share no vertex; batch b is [starts[b], starts[b + 1]), a whole number of blocks. -1 pads. Batches
// [parts[p], parts[p + 1]) follow each other, and share no vertex with those of other parts of the same round; round r has the
// parts [rounds[r], rounds[r + 1]).
struct Batches {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int64_t> parts{0}, rounds{0};
};

// First what lies within parts of the cloth, then what joins neighbours, then what is left. In each part batches by first fit in
// order of index, so that the sweeps have no direction. corners: (n, corner_count) vertices.
Batches batch(std::span<const std::int32_t> corners, int corner_count, const Numbering& numbering);
// The same for elements of different lengths; element e has the corners [element_starts[e], element_starts[e + 1]).
Batches batch(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners, const Numbering& numbering);

// The spare vertex that pads each block of sweep_block elements. It never moves; each part of a round has its own, because sweeps write
// what they have read.
std::vector<std::int32_t> spare_vertices(const Batches& batches, const Numbering& numbering);

// Throws MeshError for positions that are not finite, before lengths and areas would say so less clearly.
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
    // All of it in the order of the numbering; attachment: (V), or empty. Throws MeshError for faces without area.
    Constraints(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest,
                std::span<const float> attachment, const ClothOptions& options);

    std::vector<float> masses;  // (V) kg; 0 where no face is
    Edges edges;
    Triangles faces;
    Triangles held;  // those of faces that have an attached corner
};

// Energy of the edges, J. points: four floats per vertex.
double stretch_energy(const Edges& edges, float compression, std::span<const float> points);

// Largest ratio of an edge's length to its rest length, with a vertex of that edge; not a number where a point is not.
struct LongestEdge {
    float stretch;
    std::int32_t vertex;
};
LongestEdge longest_edge(const Edges& edges, std::span<const float> points);

}  // namespace ruckle
