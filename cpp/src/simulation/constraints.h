// Masses and constraint elements of a cloth, computed from its rest shape. Elements are arranged in batches for the
// sweeps.
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

// Order in which sweeps process elements. Two elements of a batch do not share a vertex. Batch b is the range
// [starts[b], starts[b + 1]) of `order`; its size is a multiple of sweep_block. Part p consists of the batches
// [parts[p], parts[p + 1]), and round r of the parts [rounds[r], rounds[r + 1]). Different parts of a round do not
// share vertices, so that threads can process them in parallel.
struct Batches {
    std::vector<std::int32_t> order;  // element indices; -1 for padding
    std::vector<std::int64_t> starts{0};
    std::vector<std::int64_t> parts{0}, rounds{0};
};

// Assigns elements to batches. Round 0 has the elements whose vertices are in one part of the cloth, round 1 elements
// that join two neighbouring parts, and round 2 all others. Each element is added to the first batch in which its
// vertices are free, so that sweeps do not have a preferred direction. corners: (n, corner_count) vertices.
Batches batch(std::span<const std::int32_t> corners, int corner_count, const Numbering& numbering);
// Overload for elements with different corner counts; the corners of element e are [element_starts[e], element_starts[e
// + 1]).
Batches batch(std::span<const std::int64_t> element_starts, std::span<const std::int32_t> corners, const Numbering& numbering);

// Returns one spare vertex per block of sweep_block elements, for its padding. Spare vertices never move. Each part of
// a round has its own spare vertex, because sweeps also write the vertices of padding.
std::vector<std::int32_t> spare_vertices(const Batches& batches, const Numbering& numbering);

// Throws MeshError if positions are not finite. Call it first, because later errors about lengths and areas would be
// less clear.
void require_finite(std::span<const Vector3> rest);

struct Edges {
    Batches batches;
    std::array<std::vector<std::int32_t>, 2> corners;
    std::vector<float> length, stiffness;  // rest length, m; stiffness, N/m
    EdgeArrays arrays() const;
};

// Triangle elements; members as in FaceArrays (sweeps.h).
struct Triangles {
    Batches batches;
    std::array<std::vector<std::int32_t>, 3> corners;
    std::array<std::vector<float>, 4> inverse;
    std::vector<float> mass_third;
    FaceArrays arrays() const;
};

struct Constraints {
    // Vertex arrays are in the order of the numbering. attachment: (V), or empty if no vertex is attached. Throws
    // MeshError if a face is degenerate.
    Constraints(const Topology& topology, const Numbering& numbering, std::span<const Vector3> rest,
                std::span<const float> attachment, const ClothOptions& options);

    std::vector<float> masses;  // (V) kg; 0 for vertices without faces
    Edges edges;
    Triangles faces;
    Triangles held;  // triangles with an attached or partly attached corner
};

// Returns the stretch energy of all edges, J.
//
// compression  ratio of the stiffness under compression to that under tension
// points       (V, 4) position, m, and inverse mass, 1/kg
double stretch_energy(const Edges& edges, float compression, std::span<const float> points);

// The edge with the largest ratio of length to rest length: this ratio and a vertex of the edge. If a point is NaN, the
// ratio is NaN, and the vertex is on the first edge found with such a point. Without edges: 0 and -1.
struct LongestEdge {
    float stretch;
    std::int32_t vertex;
};
LongestEdge longest_edge(const Edges& edges, std::span<const float> points);

}  // namespace ruckle
