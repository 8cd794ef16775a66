// Divides cloth into small blocks with bounding boxes, to find candidates for self-contact and crossings.
//
// A block has up to eight faces connected by edges. It also has their edges, except those of earlier blocks, and some
// of their vertices. Two blocks are tested if their boxes overlap. Connected blocks are skipped if all their faces have
// similar normals ("flat"): cloth that stretches little can touch itself only if its normals turn (Volino and
// Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "simulation/block_kernels.h"

namespace ruckle {

// Elements (faces, edges or vertices) of all blocks in one list. Each block is padded to a multiple of box_block.
struct BlockElements {
    // index of each element in the mesh; -1 for padding, whose corners repeat the last element
    std::vector<std::int32_t> elements;
    std::array<std::vector<std::int32_t>, 3> corners;  // vertices of each element; edges use two columns, vertices one
    std::vector<std::int32_t> starts{0}, ends;         // start and end of each block in the list; padding follows the end
    // box of each element: low x, y, z, then high x, y, z, m
    std::array<std::vector<float>, 6> bounds;

    BoxColumns boxes();
    void put(std::int32_t element, std::span<const std::int32_t> its_corners);
    // Ends the current block: pads it to a multiple of box_block and allocates the boxes of its elements.
    void end_block();
};

class ClothBlocks {
  public:
    explicit ClothBlocks(const Topology& topology);
    ClothBlocks(const ClothBlocks&) = delete;
    ClothBlocks& operator=(const ClothBlocks&) = delete;

    std::size_t count() const { return count_; }
    std::size_t block_of(std::int32_t face) const {
        return static_cast<std::size_t>(face_blocks_[static_cast<std::size_t>(face)]);
    }
    // Returns the block of a vertex; the vertex must have a face.
    std::size_t owner_of(std::int32_t vertex) const {
        return static_cast<std::size_t>(owners_[static_cast<std::size_t>(vertex)]);
    }

    // Computes the boxes and normal cones of all blocks, and the boxes of their faces. This function and those below do
    // not allocate.
    void bound(const Sweep& sweep);
    // Calls meet(block, other) once for each pair of blocks whose boxes overlap, and meet(block, block) for each block
    // that may touch itself. Skips connected blocks that are flat together; flatness: cosine, see
    // BlockKernels::find_flat. Call bound() first.
    template <class Meet>
    void for_meeting(float flatness, Meet meet);

    // Marks the blocks of faces around the given vertices, and unmarks all others. has_moved, bound_moved and for_moved
    // refer to the marked blocks; for_moved pairs them with all blocks.
    void move(std::span<const std::int32_t> vertices);
    bool has_moved(std::size_t block) const { return has_moved_[block]; }
    void bound_moved(const Sweep& sweep);
    template <class Meet>
    void for_moved(float flatness, Meet meet);

    // Return pairs (element, face) without a common corner, of an element of `block` and a face of `faces_of`.
    // find_edges: the boxes of edge and face overlap. find_vertices: vertex and face are near (Approach). The result is
    // valid until the next call.
    std::span<const MetPair> find_edges(std::size_t block, std::size_t faces_of, const Sweep& sweep);
    std::span<const MetPair> find_vertices(std::size_t block, std::size_t faces_of, const Sweep& sweep, const Approach& approach);
    std::int32_t face_at(std::int32_t number) const { return faces_.elements[static_cast<std::size_t>(number)]; }
    std::int32_t edge_at(std::int32_t number) const { return edges_.elements[static_cast<std::size_t>(number)]; }
    std::int32_t vertex_at(std::int32_t number) const { return vertices_.elements[static_cast<std::size_t>(number)]; }

  private:
    void take_faces();
    void take_edges();
    void take_vertices();
    void find_neighbors();
    std::span<const std::int32_t> faces_around(std::int32_t vertex) const;
    std::span<const std::int32_t> faces_of(std::size_t block) const;
    BlockColumns columns();
    void find_flat(float flatness);
    void find_flat_moved(float flatness);
    void sort();
    void choose(std::size_t block);
    // true if a block is connected with the chosen block and flat together with it
    bool is_flat(std::size_t other) const { return flat_with_[other] == chosen_; }
    std::span<const std::int32_t> find_overlapping(std::array<std::vector<float>, 6>& boxes, std::size_t of, std::size_t begin,
                                                   std::size_t end);
    Box common_box(std::size_t block, std::size_t other) const;

    const BlockKernels& kernels_;
    const Topology& topology_;
    std::size_t count_ = 0;
    std::vector<std::int32_t> face_blocks_, owners_;  // block of each face (T) and of each vertex (V)
    BlockElements faces_, edges_, vertices_;
    // position of three corners, m, then mean velocity of each face, m/s
    std::array<std::vector<float>, 12> face_points_;
    FaceColumns face_columns_;  // pointers to the arrays above, for kernels
    ElementColumns edge_columns_, vertex_columns_;
    // Triples of blocks, sorted by the first: a block, a block connected with it (or itself), and the block that
    // connects both. The third block equals the second if the first two share an edge. The triples of block b start at
    // neighbor_starts_[b].
    std::vector<std::int32_t> neighbor_starts_;
    std::array<std::vector<std::int32_t>, 3> triples_;
    std::vector<std::uint8_t> are_flat_;   // 1 if the triple is flat together
    std::vector<std::int32_t> flat_with_;  // for each block: the last chosen block with which it is flat; -1: none
    std::int32_t chosen_ = 0;
    std::array<std::vector<float>, 6> boxes_, sorted_boxes_;
    std::vector<float> cones_;
    std::vector<std::uint8_t> has_edge_boxes_, has_vertex_boxes_, has_moved_;  // flags of each block
    std::vector<std::int32_t> order_, overlapping_, moved_;
    std::vector<MetPair> met_;
};

template <class Meet>
void ClothBlocks::for_meeting(float flatness, Meet meet) {
    find_flat(flatness);
    sort();
    std::size_t end = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const auto block = static_cast<std::size_t>(order_[i]);
        choose(block);
        if (!is_flat(block)) {
            meet(block, block);
        }
        // `end` is the first sorted block whose box begins after this box ends, along the sorted axis
        for (end = std::max(end, i + 1); end < count_ && sorted_boxes_[0][end] <= sorted_boxes_[3][i]; ++end) {
        }
        for (const std::int32_t j : find_overlapping(sorted_boxes_, i, i + 1, end)) {
            const auto other = static_cast<std::size_t>(order_[static_cast<std::size_t>(j)]);
            if (!is_flat(other)) {
                meet(block, other);
            }
        }
    }
}

template <class Meet>
void ClothBlocks::for_moved(float flatness, Meet meet) {
    find_flat_moved(flatness);
    for (const std::int32_t moved : moved_) {
        const auto block = static_cast<std::size_t>(moved);
        choose(block);
        for (const std::int32_t other : find_overlapping(boxes_, block, 0, count_)) {
            const auto o = static_cast<std::size_t>(other);
            // a pair of two marked blocks is visited only once, at the block with the smaller index
            if ((!has_moved_[o] || other >= moved) && !is_flat(o)) {
                meet(block, o);
            }
        }
    }
}

}  // namespace ruckle
