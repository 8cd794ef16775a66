// What the rest shape of a cloth fixes: masses, and the elements that the sweeps go over, in batches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/simulation/cloth.h"
#include "simulation/sweeps.h"

namespace ruckle {

// Elements of a batch share no vertex; batch b is [starts[b], starts[b + 1]), a whole number of blocks. -1 pads.
struct Batches {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> starts;
};

// Batches by first fit in order of index, so that the sweeps have no direction. corners: (n, corner_count) vertices.
Batches batch(std::span<const std::int32_t> corners, int corner_count, int vertex_count);

struct Edges {
    Batches batches;
    std::array<std::vector<std::int32_t>, 2> corners;
    std::vector<float> length, stiffness;  // m, N/m
    EdgeArrays arrays() const;
};

// Two triangles about an inner edge (0, 1) with opposite corners 2 and 3 (Bergou et al. 2006): the energy is
// ½ k_b 3 / (A0 + A1) |Σ K_q x_q|², zero for a flat pair.
struct Bends {
    Batches batches;
    std::array<std::vector<std::int32_t>, 4> corners;
    std::array<std::vector<float>, 4> coefficients;
    std::vector<float> compliance, curvature;
    BendArrays arrays() const;
};

struct Triangles {
    Batches batches;
    std::array<std::vector<std::int32_t>, 3> corners;
    std::array<std::vector<float>, 4> inverse;
    std::vector<float> mass_third;
    FaceArrays arrays() const;
};

struct Constraints {
    // Throws MeshError for positions that are not finite and for faces without area.
    // attachment: (V), or empty
    Constraints(const Topology& topology, std::span<const Vector3> rest, std::span<const float> attachment,
                const ClothOptions& options);

    std::vector<float> masses;  // (V) kg; 0 where no face is
    Edges edges;
    Bends bends;
    Triangles faces;
    Triangles held;  // those of faces that have an attached corner
};

// Energies of the constraints, J. points: four floats per vertex.
double stretch_energy(const Edges& edges, float compression, std::span<const float> points);
double bending_energy(const Bends& bends, std::span<const float> points);

// Largest ratio of an edge's length to its rest length, with a vertex of that edge; not a number where a point is not.
struct LongestEdge {
    float stretch;
    std::int32_t vertex;
};
LongestEdge longest_edge(const Edges& edges, std::span<const float> points);

}  // namespace ruckle
