#include "ruckle/surface/surface.h"

#include <algorithm>
#include <cassert>

#include "constants.h"
#include "numeric/kernels.h"
#include "surface/state.h"

namespace ruckle {

namespace {

// Points from `begin` on that lie in one face: those that follow each other, at most a block.
std::size_t points_of_one_face(std::span<const std::int32_t> faces, std::size_t begin) {
    std::size_t count = 1;
    while (count < point_block && begin + count < faces.size() && faces[begin + count] == faces[begin]) {
        ++count;
    }
    return count;
}

void put(const Vector3& v, float (&to)[3]) {
    to[0] = v[0], to[1] = v[1], to[2] = v[2];
}

// number: of a point in the samples
void add_sample(const HeightSamples& samples, std::size_t number, const PatchPoints& points, int i) {
    points.height[i] += samples.heights[number];
    for (int k = 0; k < 3; ++k) {
        points.gradient[k][i] += samples.gradients[number][k];
    }
}

}  // namespace

Patch Surface::State::patch(std::int32_t face) const {
    Patch result;
    for (int k = 0; k < 3; ++k) {
        const std::int32_t vertex = topology.faces[face][k];
        put(positions[vertex], result.corners[k]);
        put(normals.of_vertices()[vertex], result.normals[k]);
        put(base.bulges()[topology.face_edges[face][k]], result.bulges[k]);
    }
    return result;
}

// Adds the heights of all sources at points of a face.
void Surface::State::raise(std::int32_t face, const PatchPoints& points, int count) const {
    if (!levels.is_raised(face)) {
        return;
    }
    const auto& b = points.barycentric;
    const auto& g = points.gradient;
    for (const HeightSource& source : sources) {
        if (source.bend(face) >= 0.0f) {
            source.add(source.object, {face, count, {b[0], b[1], b[2]}, points.height, {g[0], g[1], g[2]}});
        }
    }
}

Surface::Surface(const Topology& topology, int threads) : state_(std::make_unique<State>(topology, threads)) {}
Surface::~Surface() = default;
Surface::Surface(Surface&&) noexcept = default;
Surface& Surface::operator=(Surface&&) noexcept = default;

void Surface::update(std::span<const Vector3> positions, std::span<const HeightSource> sources, const SurfaceOptions& options) {
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.sources.assign(sources.begin(), sources.end());
    s.normals.measure(s.positions);
    s.creases.measure(s.normals.weighted(), s.normals.of_vertices());
    s.base.measure(s.positions, s.normals.of_vertices(), s.normals.roundness(), options);
    s.levels.choose(s.positions, s.base.levels(), s.sources, options);
}

std::span<const std::int32_t> Surface::edge_levels() const {
    return state_->levels.of_edges();
}
std::span<const Texel> Surface::levels() const {
    return state_->levels.of_faces();
}
std::span<const Vector3> Surface::vertex_normals() const {
    return state_->normals.of_vertices();
}
std::span<const std::array<Vector3, 3>> Surface::corner_normals() const {
    return state_->creases.corner_normals();
}
std::span<const float> Surface::vertex_roundness() const {
    return state_->normals.roundness();
}

void Surface::evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result,
                       const HeightSamples& samples) const {
    const State& s = *state_;
    alignas(32) float memory[patch_columns * point_block];
    const PatchPoints block = points_in(memory, point_block);
    for (std::size_t begin = 0; begin < faces.size();) {
        const std::size_t count = points_of_one_face(faces, begin);
        for (std::size_t i = 0; i < point_block; ++i) {
            // the rest of the block repeats the first, so that it holds numbers
            for (int k = 0; k < 3; ++k) {
                block.barycentric[k][i] = barycentric[begin + (i < count ? i : 0)][k];
            }
        }
        const Patch patch = s.patch(faces[begin]);
        clear_heights(block);
        s.raise(faces[begin], block, static_cast<int>(count));
        for (std::size_t i = 0; i < count && !samples.heights.empty(); ++i) {
            add_sample(samples, begin + i, block, static_cast<int>(i));
        }
        kernels().finish_patch(patch, block, point_block);
        for (std::size_t i = 0; i < count; ++i) {
            result.positions[begin + i] = {block.position[0][i], block.position[1][i], block.position[2][i]};
            result.normals[begin + i] = {block.normal[0][i], block.normal[1][i], block.normal[2][i]};
            result.heights[begin + i] = block.height[i];
        }
        begin += count;
    }
}

// Plans the fine mesh, and calls work(face, batch) for the fine vertices that each face owns.
template <class Work>
void Surface::State::for_batches(FineMesh& fine, const Work& work) {
    tessellator.plan(levels.of_edges(), fine);
    for_chunks(pool.get(), topology.face_count(), faces_per_share, [&](std::int64_t begin, std::int64_t end, int thread) {
        for (auto face = static_cast<std::int32_t>(begin); face < end; ++face) {
            const Batch& batch = tessellator.gather(face, thread);
            tessellator.write_layout(face, batch, fine);
            work(face, batch);
        }
    });
    // vertices that no face uses stay where they are
    for (int vertex = 0; vertex < topology.vertex_count; ++vertex) {
        if (topology.vertex_offsets[vertex] == topology.vertex_offsets[vertex + 1]) {
            fine.positions[vertex] = positions[vertex];
            fine.normals[vertex] = fine.barycentric[vertex] = Vector3(0.0f, 0.0f, 0.0f);
            fine.heights[vertex] = 0.0f;
            fine.coarse_faces[vertex] = -1;
        }
    }
}

void Surface::plan(FineMesh& fine) {
    state_->for_batches(fine, [](std::int32_t, const Batch&) {});
}

void Surface::displace(FineMesh& fine, const HeightSamples& samples) {
    const State& s = *state_;
    state_->for_batches(fine, [&](std::int32_t face, const Batch& batch) {
        clear_heights(batch.points());
        s.raise(face, batch.points(), batch.count());
        for (int i = 0; i < batch.count() && !samples.heights.empty(); ++i) {
            add_sample(samples, static_cast<std::size_t>(batch.vertices()[i]), batch.points(), i);
        }
        kernels().finish_patch(s.patch(face), batch.points(), batch.count());
        write_points(batch, fine);
    });
}

}  // namespace ruckle
