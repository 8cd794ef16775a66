// Masses and constraint elements from the rest shape of a cloth, in batches for the sweeps.
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

// Elements of a batch share no vertex. Batch b is [starts[b], starts[b + 1]), a whole number of blocks; -1 pads. Batches [parts[p],
// parts[p + 1]) form part p. They share no vertex with those of other parts of the same round. Round r has the parts [rounds[r],
// rounds[r + 1]).
struct Batches {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int64_t> parts{0}, rounds{0};
};

// The first round has elements within parts of the cloth, the second those that join neighbours, the third all others. Within a
// part, elements fill batches by first fit in order of index, so that the sweeps do not have a direction. corners: (n,
// corner_count) vertices.
Batches batch(std::span<const std::int32_t> corners, int corner_count, const Numbering& numbering);
// The same for elements of different lengths; element e has the corners [element_starts[e], element_starts[e + 1]).
Batches batch(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners, const Numbering& numbering);

// The spare vertex that pads each block of sweep_block elements. It never moves. Each part of a round has its own, because sweeps
// write all vertices that they read.
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
    Triangles held;  // those of faces that have an attached corner
};

// Energy of the edges, J. points: four floats per vertex.
double stretch_energy(const Edges& edges, float compression, std::span<const float> points);

// Largest ratio of an edge's length to its rest length, with a vertex of that edge; NaN if a point is NaN.
struct LongestEdge {
    float stretch;
    std::int32_t vertex;
};
LongestEdge longest_edge(const Edges& edges, std::span<const float> points);

}  // namespace ruckle
