#include "simulation/vertex_grid.h"

#include <algorithm>

#include "simulation/limits.h"
#include "simulation/sweeps.h"

namespace ruckle {

namespace {

Eigen::Array3f array_at(std::span<const float> rows, std::size_t vertex) {
    return Eigen::Map<const Eigen::Array3f>(&rows[4 * vertex]);
}

}  // namespace

VertexList::VertexList(std::size_t capacity) : vertices_(capacity) {
    for (std::size_t k = 0; k < 3; ++k) {
        positions_[k].resize(capacity + sweep_block);
        velocities_[k].resize(capacity + sweep_block);
    }
}

void VertexList::put(std::size_t slot, std::int32_t vertex, std::span<const float> points, std::span<const float> velocities) {
    vertices_[slot] = vertex;
    for (std::size_t k = 0; k < 3; ++k) {
        positions_[k][slot] = points[4 * static_cast<std::size_t>(vertex) + k];
        velocities_[k][slot] = velocities[4 * static_cast<std::size_t>(vertex) + k];
    }
}

VertexColumns VertexList::columns() const {
    return {{positions_[0].data(), positions_[1].data(), positions_[2].data()},
            {velocities_[0].data(), velocities_[1].data(), velocities_[2].data()}};
}

VertexGrid::VertexGrid(std::size_t capacity, float cell)
    : least_cell_(cell), starts_(most_cells + 2), cells_(capacity), vertices_(capacity), found_(capacity) {}

Eigen::Array3i VertexGrid::cell_of(const Eigen::Array3f& p) const {
    // boxes of faces reach beyond the vertices' own
    return ((p - low_) / cell_).cast<int>().max(0).min(count_ - 1);
}

bool VertexGrid::lay(std::span<const float> points, std::span<const float> velocities, std::size_t vertex_count) {
    Eigen::Array3f high = array_at(points, 0), slowest = array_at(velocities, 0), fastest = slowest;
    low_ = high;
    for (std::size_t v = 1; v < vertex_count; ++v) {
        low_ = low_.min(array_at(points, v));
        high = high.max(array_at(points, v));
        slowest = slowest.min(array_at(velocities, v));
        fastest = fastest.max(array_at(velocities, v));
    }
    if (!(high - low_).isFinite().all()) {
        return false;
    }
    fastest_difference_ = fastest - slowest;
    // a garment that is spread wide gets larger cells instead of more: there is room for so many
    for (cell_ = least_cell_;; cell_ *= 1.25f) {
        const Eigen::Array3f counts = (high - low_) / cell_ + 1.0f;
        if (counts.prod() <= static_cast<float>(most_cells)) {
            count_ = counts.cast<int>();
            return true;
        }
    }
}

// Vertices are sorted into cells, boxes are not: each looks into the cells that it meets.
void VertexGrid::sort(std::span<const std::int32_t> vertices, std::span<const float> points, std::span<const float> velocities) {
    const std::size_t cell_count = static_cast<std::size_t>(count_.prod());
    std::fill_n(starts_.begin(), cell_count + 2, 0);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        cells_[i] = index(cell_of(array_at(points, static_cast<std::size_t>(vertices[i]))));
        ++starts_[static_cast<std::size_t>(cells_[i]) + 2];
    }
    for (std::size_t c = 2; c < cell_count + 2; ++c) {
        starts_[c] += starts_[c - 1];
    }
    // filling advances each start to the next cell's
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const auto slot = static_cast<std::size_t>(starts_[static_cast<std::size_t>(cells_[i]) + 1]++);
        vertices_.put(slot, vertices[i], points, velocities);
    }
}

std::span<const std::int32_t> VertexGrid::find(const ContactKernels& kernels, const MovingBox& box) {
    // no vertex comes nearer than at the largest difference of speeds
    const Eigen::Array3f wide = (fastest_difference_ * box.time).min(box.farthest);
    const Eigen::Array3i first = cell_of(Eigen::Map<const Eigen::Array3f>(box.low) - wide);
    const Eigen::Array3i last = cell_of(Eigen::Map<const Eigen::Array3f>(box.high) + wide);
    // cells along z follow each other in the list: one run for each x and y
    const CellRange range{starts_.data(), {first[0], first[1], first[2]}, {last[0], last[1], last[2]}, {count_[1], count_[2]}};
    const std::int64_t count = kernels.find_in_cells(vertices_.columns(), range, box, found_.data());
    return {found_.data(), static_cast<std::size_t>(count)};
}

}  // namespace ruckle
