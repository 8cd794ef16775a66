#include "simulation/cloth_blocks.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "numeric/dispatch.h"

namespace ruckle {

namespace {

// Divides the faces of a mesh into blocks of up to box_block faces that are connected by edges.
class BlockMaker {
  public:
    explicit BlockMaker(const Topology& topology) : topology_(topology), block_of_(topology.faces.size(), -1) {}

    // Returns the block of each face. Call it once.
    std::vector<std::int32_t> make() {
        std::int32_t block = 0;
        for (std::int32_t first = 0; first < topology_.face_count(); ++first) {
            // each further block starts at a face next to existing blocks, so that single faces rarely remain
            for (std::int32_t seed = first; seed >= 0; seed = best_of(rim_, -1)) {
                if (block_of_[static_cast<std::size_t>(seed)] < 0) {
                    grow(seed, block++);
                }
            }
        }
        return std::move(block_of_);
    }

  private:
    // Returns how many neighbours of a face are in a block; block -1: how many are not in a block yet.
    int count_around(std::int32_t face, std::int32_t block) const {
        const auto& around = topology_.face_neighbors[static_cast<std::size_t>(face)];
        return static_cast<int>(std::count_if(around.begin(), around.end(), [&](std::int32_t next) {
            return next >= 0 && block_of_[static_cast<std::size_t>(next)] == block;
        }));
    }

    // Returns the listed face with the most neighbours in the block; -1 if the list is empty. Ties: fewest neighbours
    // without a block, then smallest index. block -1: ignores the first criterion. First removes faces that are already
    // in a block from the list.
    std::int32_t best_of(std::vector<std::int32_t>& faces, std::int32_t block) {
        std::erase_if(faces, [&](std::int32_t face) { return block_of_[static_cast<std::size_t>(face)] >= 0; });
        const auto rank = [&](std::int32_t face) {
            return std::tuple(block < 0 ? 0 : -count_around(face, block), count_around(face, -1), face);
        };
        const auto best = std::min_element(faces.begin(), faces.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
        return best == faces.end() ? -1 : *best;
    }

    // Fills a block with up to box_block faces connected by edges: the seed, then always the best face next to the
    // block. Appends the faces without a block around it to rim_.
    void grow(std::int32_t seed, std::int32_t block) {
        std::vector<std::int32_t> near;
        std::int32_t face = seed;
        for (int count = 0; count < box_block && face >= 0; ++count) {
            block_of_[static_cast<std::size_t>(face)] = block;
            for (const std::int32_t next : topology_.face_neighbors[static_cast<std::size_t>(face)]) {
                if (next >= 0 && block_of_[static_cast<std::size_t>(next)] < 0) {
                    near.push_back(next);
                    rim_.push_back(next);
                }
            }
            face = best_of(near, block);
        }
    }

    const Topology& topology_;
    std::vector<std::int32_t> block_of_, rim_;
};

// Sorts numbers and removes duplicates.
void sort_out(std::vector<std::int32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

BoxColumns columns_of(std::array<std::vector<float>, 6>& bounds) {
    return {{bounds[0].data(), bounds[1].data(), bounds[2].data()}, {bounds[3].data(), bounds[4].data(), bounds[5].data()}};
}

}  // namespace

BoxColumns BlockElements::boxes() {
    return columns_of(bounds);
}

void BlockElements::put(std::int32_t element, std::span<const std::int32_t> its_corners) {
    elements.push_back(element);
    for (std::size_t q = 0; q < its_corners.size(); ++q) {
        corners[q].push_back(its_corners[q]);
    }
}

void BlockElements::end_block() {
    ends.push_back(static_cast<std::int32_t>(elements.size()));
    while (elements.size() % box_block != 0) {
        elements.push_back(-1);
        for (std::vector<std::int32_t>& corner : corners) {
            if (!corner.empty()) {
                corner.push_back(corner.back());
            }
        }
    }
    starts.push_back(static_cast<std::int32_t>(elements.size()));
    for (std::vector<float>& bound : bounds) {
        bound.resize(elements.size());
    }
}

ClothBlocks::ClothBlocks(const Topology& topology) : kernels_(kernels<BlockKernels>()), topology_(topology) {
    take_faces();
    take_edges();
    take_vertices();
    find_neighbors();
    for (std::size_t k = 0; k < 6; ++k) {
        // padded, because kernels read whole blocks
        boxes_[k].resize(count_ + box_block);
        sorted_boxes_[k].resize(count_ + box_block);
    }
    for (std::vector<float>& points : face_points_) {
        points.resize(faces_.elements.size());
    }
    face_columns_ = {{faces_.corners[0].data(), faces_.corners[1].data(), faces_.corners[2].data()}, faces_.boxes(), {}, {}};
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t q = 0; q < 3; ++q) {
            face_columns_.points[q][k] = face_points_[3 * q + k].data();
        }
        face_columns_.velocity[k] = face_points_[9 + k].data();
    }
    edge_columns_ = {{edges_.corners[0].data(), edges_.corners[1].data()}, edges_.boxes()};
    vertex_columns_ = {{vertices_.corners[0].data(), vertices_.corners[0].data()}, vertices_.boxes()};
    cones_.resize(4 * count_);
    flat_with_.resize(count_);
    has_edge_boxes_.resize(count_);
    has_vertex_boxes_.resize(count_);
    has_moved_.resize(count_);
    moved_.reserve(count_);
    order_.resize(count_);
    std::iota(order_.begin(), order_.end(), 0);
    overlapping_.resize(count_);
    // memory for all pairs: a block has at most 3 box_block edges (more than vertices), another block box_block faces
    met_.resize(3 * box_block * box_block);
}

std::span<const std::int32_t> ClothBlocks::faces_around(std::int32_t vertex) const {
    const auto begin = topology_.vertex_offsets.begin() + vertex;
    return std::span(topology_.vertex_faces)
        .subspan(static_cast<std::size_t>(*begin), static_cast<std::size_t>(*(begin + 1) - *begin));
}

void ClothBlocks::take_faces() {
    face_blocks_ = BlockMaker(topology_).make();
    count_ = static_cast<std::size_t>(*std::max_element(face_blocks_.begin(), face_blocks_.end())) + 1;
    std::vector<std::vector<std::int32_t>> blocks(count_);
    for (std::size_t f = 0; f < face_blocks_.size(); ++f) {
        blocks[static_cast<std::size_t>(face_blocks_[f])].push_back(static_cast<std::int32_t>(f));
    }
    for (const std::vector<std::int32_t>& block : blocks) {
        for (const std::int32_t face : block) {
            const Face& corners = topology_.faces[static_cast<std::size_t>(face)];
            faces_.put(face, std::array{corners[0], corners[1], corners[2]});
        }
        faces_.end_block();
    }
}

std::span<const std::int32_t> ClothBlocks::faces_of(std::size_t block) const {
    const std::span<const std::int32_t> all = std::span(faces_.elements).subspan(block * box_block, box_block);
    return all.first(static_cast<std::size_t>(std::find(all.begin(), all.end(), -1) - all.begin()));
}

void ClothBlocks::take_edges() {
    std::vector<std::uint8_t> is_taken(topology_.edges.size());
    for (std::size_t block = 0; block < count_; ++block) {
        for (const std::int32_t face : faces_of(block)) {
            for (const std::int32_t edge : topology_.face_edges[static_cast<std::size_t>(face)]) {
                if (!std::exchange(is_taken[static_cast<std::size_t>(edge)], 1)) {
                    edges_.put(edge, topology_.edges[static_cast<std::size_t>(edge)]);
                }
            }
        }
        edges_.end_block();
    }
}

// Assigns each vertex to the adjacent block that has the fewest vertices so far, so that almost all blocks have at most
// eight.
void ClothBlocks::take_vertices() {
    std::vector<std::vector<std::int32_t>> blocks(count_);
    for (std::int32_t v = 0; v < topology_.vertex_count; ++v) {
        std::vector<std::int32_t>* least = nullptr;
        for (const std::int32_t face : faces_around(v)) {
            std::vector<std::int32_t>& block = blocks[block_of(face)];
            least = !least || block.size() < least->size() ? &block : least;
        }
        // a vertex without faces does not get a block
        if (least) {
            least->push_back(v);
        }
    }
    owners_.resize(static_cast<std::size_t>(topology_.vertex_count));
    for (std::size_t block = 0; block < count_; ++block) {
        for (const std::int32_t v : blocks[block]) {
            vertices_.put(v, std::array{v});
            owners_[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(block);
        }
        vertices_.end_block();
    }
}

// Builds the list of triples (triples_): for each block, the blocks with a common vertex that are connected with it by
// edges, directly or through one other block.
void ClothBlocks::find_neighbors() {
    std::vector<std::vector<std::int32_t>> by_edges(count_), by_vertices(count_);
    for (std::size_t f = 0; f < face_blocks_.size(); ++f) {
        const auto block = static_cast<std::size_t>(face_blocks_[f]);
        for (const std::int32_t next : topology_.face_neighbors[f]) {
            if (next >= 0) {
                by_edges[block].push_back(face_blocks_[static_cast<std::size_t>(next)]);
            }
        }
        for (const std::int32_t v : topology_.faces[f]) {
            for (const std::int32_t next : faces_around(v)) {
                by_vertices[block].push_back(face_blocks_[static_cast<std::size_t>(next)]);
            }
        }
    }
    for (std::size_t block = 0; block < count_; ++block) {
        sort_out(by_edges[block]);
        sort_out(by_vertices[block]);
    }
    neighbor_starts_.push_back(0);
    for (std::size_t block = 0; block < count_; ++block) {
        const std::vector<std::int32_t>& own = by_edges[block];
        for (const std::int32_t other : by_vertices[block]) {
            const std::vector<std::int32_t>& theirs = by_edges[static_cast<std::size_t>(other)];
            const bool joined = other == static_cast<std::int32_t>(block) || std::binary_search(own.begin(), own.end(), other);
            const auto both = std::find_first_of(own.begin(), own.end(), theirs.begin(), theirs.end());
            if (joined || both != own.end()) {
                triples_[0].push_back(static_cast<std::int32_t>(block));
                triples_[1].push_back(other);
                triples_[2].push_back(joined ? other : *both);
            }
        }
        neighbor_starts_.push_back(static_cast<std::int32_t>(triples_[1].size()));
    }
    for (std::vector<std::int32_t>& blocks : triples_) {
        // padded, because kernels read whole blocks
        blocks.resize((blocks.size() + box_block - 1) / box_block * box_block);
    }
    are_flat_.resize(triples_[0].size());
}

BlockColumns ClothBlocks::columns() {
    return {columns_of(boxes_), cones_.data()};
}

void ClothBlocks::bound(const Sweep& sweep) {
    kernels_.bound_faces(face_columns_, sweep, 0, static_cast<std::int64_t>(count_), columns());
    std::fill(has_edge_boxes_.begin(), has_edge_boxes_.end(), 0);
    std::fill(has_vertex_boxes_.begin(), has_vertex_boxes_.end(), 0);
}

void ClothBlocks::move(std::span<const std::int32_t> vertices) {
    for (const std::int32_t block : moved_) {
        has_moved_[static_cast<std::size_t>(block)] = 0;
    }
    moved_.clear();
    for (const std::int32_t v : vertices) {
        for (const std::int32_t face : faces_around(v)) {
            if (const std::size_t block = block_of(face); !std::exchange(has_moved_[block], 1)) {
                moved_.push_back(static_cast<std::int32_t>(block));
            }
        }
    }
}

void ClothBlocks::bound_moved(const Sweep& sweep) {
    for (const std::int32_t block : moved_) {
        kernels_.bound_faces(face_columns_, sweep, block, block + 1, columns());
        has_edge_boxes_[static_cast<std::size_t>(block)] = has_vertex_boxes_[static_cast<std::size_t>(block)] = 0;
    }
}

void ClothBlocks::find_flat(float flatness) {
    std::fill(flat_with_.begin(), flat_with_.end(), -1);
    kernels_.find_flat({{triples_[0].data(), triples_[1].data(), triples_[2].data()}}, cones_.data(), flatness, 0,
                       static_cast<std::int64_t>(are_flat_.size()), are_flat_.data());
}

// Sorts the blocks by the lower bounds of their boxes, along the longest axis of the cloth.
void ClothBlocks::sort() {
    std::array<float, 3> lengths;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto begin = boxes_[k].begin(), end = begin + static_cast<std::ptrdiff_t>(count_);
        const auto [least, largest] = std::minmax_element(begin, end);
        lengths[k] = *largest - *least;
    }
    const auto axis = static_cast<std::size_t>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
    const std::vector<float>& lows = boxes_[axis];
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
        const float x = lows[static_cast<std::size_t>(a)], y = lows[static_cast<std::size_t>(b)];
        return x != y ? x < y : a < b;
    });
    // copies the boxes in this order; the sorted axis becomes the first axis
    for (std::size_t k = 0; k < 6; ++k) {
        const std::vector<float>& from = boxes_[k < 3 ? (axis + k) % 3 : 3 + (axis + k) % 3];
        for (std::size_t i = 0; i < count_; ++i) {
            sorted_boxes_[k][i] = from[static_cast<std::size_t>(order_[i])];
        }
    }
}

void ClothBlocks::find_flat_moved(float flatness) {
    std::fill(flat_with_.begin(), flat_with_.end(), -1);
    for (const std::int32_t block : moved_) {
        // rounded to whole SIMD blocks, which may include triples of other cloth blocks
        const std::int64_t begin = neighbor_starts_[static_cast<std::size_t>(block)] / box_block * box_block;
        const std::int64_t end = (neighbor_starts_[static_cast<std::size_t>(block) + 1] + box_block - 1) / box_block * box_block;
        kernels_.find_flat({{triples_[0].data(), triples_[1].data(), triples_[2].data()}}, cones_.data(), flatness, begin, end,
                           are_flat_.data());
    }
}

// Marks the blocks that are flat together with `block`; valid until the next call.
void ClothBlocks::choose(std::size_t block) {
    for (auto i = static_cast<std::size_t>(neighbor_starts_[block]); i < static_cast<std::size_t>(neighbor_starts_[block + 1]);
         ++i) {
        if (are_flat_[i]) {
            flat_with_[static_cast<std::size_t>(triples_[1][i])] = static_cast<std::int32_t>(block);
        }
    }
    chosen_ = static_cast<std::int32_t>(block);
}

std::span<const std::int32_t> ClothBlocks::find_overlapping(std::array<std::vector<float>, 6>& boxes, std::size_t of,
                                                            std::size_t begin, std::size_t end) {
    const Box box{{boxes[0][of], boxes[1][of], boxes[2][of]}, {boxes[3][of], boxes[4][of], boxes[5][of]}};
    const std::int64_t count = kernels_.find_overlapping(columns_of(boxes), box, static_cast<std::int64_t>(begin),
                                                         static_cast<std::int64_t>(end), overlapping_.data());
    return std::span(overlapping_).first(static_cast<std::size_t>(count));
}

Box ClothBlocks::common_box(std::size_t block, std::size_t other) const {
    Box both;
    for (std::size_t k = 0; k < 3; ++k) {
        both.low[k] = std::max(boxes_[k][block], boxes_[k][other]);
        both.high[k] = std::min(boxes_[k + 3][block], boxes_[k + 3][other]);
    }
    return both;
}

// Boxes of edges and vertices are computed at the first call for a block, because only few blocks overlap in smooth
// cloth.
std::span<const MetPair> ClothBlocks::find_edges(std::size_t block, std::size_t faces_of, const Sweep& sweep) {
    const std::int64_t begin = edges_.starts[block];
    if (!std::exchange(has_edge_boxes_[block], 1)) {
        kernels_.bound_elements(edge_columns_, sweep, begin, edges_.starts[block + 1]);
    }
    const std::int64_t count =
        kernels_.find_meeting(edge_columns_, begin, edges_.ends[block], face_columns_, static_cast<std::int64_t>(faces_of),
                              common_box(block, faces_of), met_.data());
    return std::span(met_).first(static_cast<std::size_t>(count));
}

std::span<const MetPair> ClothBlocks::find_vertices(std::size_t block, std::size_t faces_of, const Sweep& sweep,
                                                    const Approach& approach) {
    const std::int64_t begin = vertices_.starts[block];
    if (!std::exchange(has_vertex_boxes_[block], 1)) {
        kernels_.bound_elements(vertex_columns_, sweep, begin, vertices_.starts[block + 1]);
    }
    const std::int64_t count = kernels_.find_near(vertex_columns_, begin, vertices_.ends[block], face_columns_,
                                                  static_cast<std::int64_t>(faces_of), sweep, approach, met_.data());
    return std::span(met_).first(static_cast<std::size_t>(count));
}

}  // namespace ruckle
