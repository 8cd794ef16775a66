#include "ruckle/surface/surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>

#include "constants.h"
#include "numeric/dispatch.h"
#include "surface/patch_kernel.h"
#include "surface/state.h"

namespace ruckle {

namespace {

// Returns the number of consecutive points in the same face from `begin` on, at most point_block. Kernels process
// points of one face only, so points that are sorted by face are faster.
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

Vector3 weights_at(const PatchPoints& points, int i) {
    return {points.barycentric[0][i], points.barycentric[1][i], points.barycentric[2][i]};
}

void add_height(const PatchPoints& points, int i, float height, const Vector3& gradient) {
    points.height[i] += height;
    for (int k = 0; k < 3; ++k) {
        points.gradient[k][i] += gradient[k];
    }
}

// Points of one coarse face, with memory for one block.
struct CoarseBlock {
    std::int32_t face = -1;
    int count = 0;
    alignas(32) float columns[7][point_block] = {};

    void append(const Vector3& barycentric) {
        for (int k = 0; k < 3; ++k) {
            columns[k][count] = barycentric[k];
        }
        ++count;
    }
    HeightBlock view() {
        return {face, count, {columns[0], columns[1], columns[2]}, columns[3], {columns[4], columns[5], columns[6]}};
    }
    void add_heights(std::span<const HeightSource> sources) {
        for (const HeightSource& source : sources) {
            // a negative bend means that the source's height is 0 in this face
            if (source.bend(face) >= 0.0f) {
                source.add(source.object, view());
            }
        }
    }
    float height(int i) const { return columns[3][i]; }
    Vector3 gradient(int i) const { return {columns[4][i], columns[5][i], columns[6][i]}; }
};

}  // namespace

Patch Surface::State::patch(std::int32_t face) const {
    Patch result;
    for (int k = 0; k < 3; ++k) {
        const std::int32_t vertex = topology.faces[face][k];
        // kernels read plain arrays (numeric/lanes.h) instead of Eigen types
        put(positions[vertex], result.corners[k]);
        put(normals.of_vertices()[vertex], result.normals[k]);
        put(base.bulges()[topology.face_edges[face][k]], result.bulges[k]);
    }
    return result;
}

CoarsePoint Surface::State::locate(std::int32_t face, const Vector3& barycentric) const {
    // without a refinement, the surface's mesh is the coarse mesh
    return refinement ? refinement->locate(face, barycentric, coarse_positions) : CoarsePoint{face, barycentric};
}

void NumberedSamples::add_to(const HeightBlock& block) const {
    for (int i = 0; i < block.count && !samples.heights.empty(); ++i) {
        const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)]);
        block.height[i] += samples.heights[number];
        for (int k = 0; k < 3; ++k) {
            block.gradient[k][i] += samples.gradients[number][k];
        }
    }
}

// Adds the heights of all sources and samples to `points` of a face, then multiplies them by the mask and limits them
// by the crowding. Does nothing if the face has neither heights nor samples.
void Surface::State::raise(std::int32_t face, const PatchPoints& points, int count, const NumberedSamples& samples) const {
    // skips faces without heights, and blocks without points, such as the inside of an undivided face
    if (count == 0 || (!levels.is_raised(face) && samples.samples.heights.empty())) {
        return;
    }
    if (refinement) {
        // sources are defined on coarse faces only
        raise_refined(face, points, count, samples);
        return;
    }
    const auto& b = points.barycentric;
    const auto& g = points.gradient;
    const HeightBlock block{face, count, {b[0], b[1], b[2]}, points.height, {g[0], g[1], g[2]}};
    for (const HeightSource& source : sources) {
        if (source.bend(face) >= 0.0f) {
            source.add(source.object, block);
        }
    }
    samples.add_to(block);
    apply_mask(block);
    apply_room(block);
}

// Returns the gradient over a coarse face of a linear function with these values at the corners.
Vector3 Surface::State::slope_of(std::int32_t face, const std::array<float, 3>& values) const {
    const std::vector<Vector3>& flat = refinement ? coarse_positions : positions;
    const Face& corners = (refinement ? refinement->coarse() : topology).faces[face];
    const Vector3 first = flat[corners[1]] - flat[corners[0]], second = flat[corners[2]] - flat[corners[0]];
    const Vector3 across = first.cross(second);
    const float square = across.squaredNorm();
    // the gradient is 0 for a degenerate face
    return square > 0.0f
               ? Vector3(((values[1] - values[0]) * second.cross(across) + (values[2] - values[0]) * across.cross(first)) /
                         square)
               : Vector3(0.0f, 0.0f, 0.0f);
}

// Multiplies the heights of a block by the mask m: a height becomes m h, and its gradient m ∇h + h ∇m. Does nothing
// without a mask.
void Surface::State::apply_mask(const HeightBlock& block) const {
    if (mask.empty()) {
        return;
    }
    const Face& corners = (refinement ? refinement->coarse() : topology).faces[block.face];
    const std::array shares{mask[corners[0]], mask[corners[1]], mask[corners[2]]};
    if (shares[0] == 1.0f && shares[1] == 1.0f && shares[2] == 1.0f) {
        return;
    }
    const Vector3 slope = slope_of(block.face, shares);
    for (int i = 0; i < block.count; ++i) {
        const auto& weights = block.barycentric;
        const float share = weights[0][i] * shares[0] + weights[1][i] * shares[1] + weights[2][i] * shares[2];
        for (int k = 0; k < 3; ++k) {
            block.gradient[k][i] = share * block.gradient[k][i] + block.height[i] * slope[k];
        }
        block.height[i] *= share;
    }
}

// Limits the heights of a block by the distance to the next layer of cloth (room.h), and changes their gradients
// accordingly.
void Surface::State::apply_room(const HeightBlock& block) const {
    const std::span<const Crowding> crowding = room.of_vertices();
    if (crowding.empty()) {
        return;
    }
    const Face& corners = (refinement ? refinement->coarse() : topology).faces[block.face];
    const auto corner_values = [&](float Crowding::* side) {
        return std::array{crowding[corners[0]].*side, crowding[corners[1]].*side, crowding[corners[2]].*side};
    };
    const std::array outside = corner_values(&Crowding::outside), inside = corner_values(&Crowding::inside);
    const auto is_free = [](float limit) { return limit == 0.0f; };
    if (std::ranges::all_of(outside, is_free) && std::ranges::all_of(inside, is_free)) {
        return;
    }
    const Vector3 outside_slope = slope_of(block.face, outside), inside_slope = slope_of(block.face, inside);
    for (int i = 0; i < block.count; ++i) {
        const auto& weights = block.barycentric;
        const auto& [values, slope] =
            block.height[i] > 0.0f ? std::pair(outside, outside_slope) : std::pair(inside, inside_slope);
        const float at = weights[0][i] * values[0] + weights[1][i] * values[1] + weights[2][i] * values[2];
        const LimitedHeight end = limited(block.height[i], at);
        for (int k = 0; k < 3; ++k) {
            block.gradient[k][i] = end.by_height * block.gradient[k][i] + end.by_crowding * slope[k];
        }
        block.height[i] = end.height;
    }
}

// Like raise(), for a surface with a refinement. Points of a face may be in several coarse faces, and gradients are
// transported from the coarse cloth to the shape.
void Surface::State::raise_refined(std::int32_t face, const PatchPoints& points, int count,
                                   const NumberedSamples& samples) const {
    for (int begin = 0; begin < count;) {
        CoarseBlock block;
        for (int i = begin; i < count && block.count < point_block; ++i) {
            const CoarsePoint point = locate(face, weights_at(points, i));
            // the point is in another coarse face: the next block begins with this point and locates it again
            if (block.count > 0 && point.face != block.face) {
                break;
            }
            block.face = point.face;
            block.append(point.barycentric);
        }
        block.add_heights(sources);
        samples.from(begin).add_to(block.view());
        apply_mask(block.view());
        apply_room(block.view());
        for (int i = 0; i < block.count; ++i) {
            const Vector3 weights = weights_at(points, begin + i);
            add_height(points, begin + i, block.height(i), transport.gradient(topology.faces[face], weights, block.gradient(i)));
        }
        begin += block.count;
    }
}

Surface::Surface(const Topology& topology, int threads) : state_(std::make_unique<State>(topology, nullptr, threads)) {}
Surface::Surface(const Refinement& refinement, int threads)
    : state_(std::make_unique<State>(refinement.topology(), &refinement, threads)) {}
Surface::~Surface() = default;
Surface::Surface(Surface&&) noexcept = default;
Surface& Surface::operator=(Surface&&) noexcept = default;

void Surface::update(std::span<const Vector3> positions, std::span<const HeightSource> sources, const SurfaceOptions& options) {
    State& s = *state_;
    assert(!s.refinement && positions.size() == s.positions.size());
    // copied, because evaluate and displace use them after the caller's arrays have become invalid
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.update(sources, options);
}

void Surface::update(const FineShape& shape, std::span<const HeightSource> sources, const SurfaceOptions& options) {
    State& s = *state_;
    assert(s.refinement && shape.positions.size() == s.positions.size());
    std::copy(shape.positions.begin(), shape.positions.end(), s.positions.begin());
    s.coarse_positions.assign(shape.coarse_positions.begin(), shape.coarse_positions.end());
    // gradients of heights are transported from the coarse mesh to the shape (transport.h)
    s.transport.measure(*s.refinement, s.positions, s.coarse_positions);
    s.update(sources, options);
}

void Surface::State::update(std::span<const HeightSource> given, const SurfaceOptions& options) {
    sources.assign(given.begin(), given.end());
    // each stage uses the results of earlier stages; heights are evaluated later, by evaluate() and displace()
    normals.measure(positions);
    creases.measure(normals);
    mask.assign(options.mask.begin(), options.mask.end());
    std::span<const float> rounded = normals.roundness();
    if (!mask.empty() && !refinement) {
        roundness.resize(mask.size());
        std::ranges::transform(rounded, mask, roundness.begin(), std::multiplies<>());
        rounded = roundness;
    }
    base.measure(positions, normals.of_vertices(), rounded,
                 refinement ? std::span<const HeightSource>() : std::span<const HeightSource>(sources), options);
    levels.choose(positions, base.levels(), sources, options);
    measure_room();
}

// Computes the crowding between layers of the coarse mesh. Does nothing if the mesh has only one layer.
void Surface::State::measure_room() {
    if (!room.is_shared()) {
        return;
    }
    const Topology& coarse = refinement ? refinement->coarse() : topology;
    HeightRange range;
    raised_now.assign(coarse.faces.size(), 0);
    for (const HeightSource& source : sources) {
        const HeightRange own = source.bounds();
        range.outside += own.outside, range.inside += own.inside;
        for (std::int32_t face = 0; face < coarse.face_count(); ++face) {
            raised_now[face] = raised_now[face] != 0 || source.bend(face) >= 0.0f;
        }
    }
    for (std::int32_t face = 0; face < coarse.face_count() && !mask.empty(); ++face) {
        const bool open = std::ranges::any_of(coarse.faces[face], [&](std::int32_t vertex) { return mask[vertex] > 0.0f; });
        raised_now[face] = raised_now[face] != 0 && open;
    }
    if (refinement) {
        if (!room_normals) {
            room_normals.emplace(coarse, pool.get());
        }
        room_normals->measure(coarse_positions);
    }
    room.measure(refinement ? coarse_positions : positions, (refinement ? *room_normals : normals).of_vertices(), range,
                 raised_now);
}

std::span<const std::int32_t> Surface::edge_levels() const {
    return state_->levels.of_edges();
}
std::span<const FaceLevels> Surface::levels() const {
    return state_->levels.of_faces();
}
std::span<const Vector3> Surface::vertex_normals() const {
    return state_->normals.of_vertices();
}
std::vector<std::array<Vector3, 3>> Surface::corner_normals() const {
    const auto of_vertices = state_->normals.of_vertices();
    std::vector<std::array<Vector3, 3>> result;
    for (const Face& corners : state_->topology.faces) {
        result.push_back({of_vertices[corners[0]], of_vertices[corners[1]], of_vertices[corners[2]]});
    }
    const auto parted = state_->creases.parted_faces();
    for (std::size_t i = 0; i < parted.size(); ++i) {
        result[parted[i]] = state_->creases.parted_normals()[i];
    }
    return result;
}
std::span<const float> Surface::vertex_roundness() const {
    return state_->normals.roundness();
}
std::span<const Crowding> Surface::crowding() const {
    return state_->room.of_vertices();
}

void Surface::evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result,
                       const HeightSamples& samples) const {
    const State& s = *state_;
    alignas(32) float memory[patch_columns * point_block];
    const PatchPoints block = points_in(memory, point_block);
    for (std::size_t begin = 0; begin < faces.size();) {
        // any order of faces is allowed, but points sorted by face are faster
        const std::size_t count = points_of_one_face(faces, begin);
        for (std::size_t i = 0; i < point_block; ++i) {
            // padding repeats the first point, so that it contains valid numbers
            for (int k = 0; k < 3; ++k) {
                block.barycentric[k][i] = barycentric[begin + (i < count ? i : 0)][k];
            }
        }
        const Patch patch = s.patch(faces[begin]);
        // heights start at 0, because sources add to them
        clear_heights(block);
        std::array<std::int32_t, point_block> numbers;
        std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(begin));
        s.raise(faces[begin], block, static_cast<int>(count), {samples, numbers});
        // finishes the whole block with its padding, because SIMD code takes the same time for a part of it
        kernels<PatchKernels>().finish_patch(patch, block, point_block);
        for (std::size_t i = 0; i < count; ++i) {
            result.positions[begin + i] = {block.position[0][i], block.position[1][i], block.position[2][i]};
            result.normals[begin + i] = {block.normal[0][i], block.normal[1][i], block.normal[2][i]};
            result.heights[begin + i] = block.height[i];
        }
        begin += count;
    }
}

std::size_t Surface::fine_vertex_count() const {
    std::size_t count = state_->positions.size();
    for (const std::int32_t level : state_->levels.of_edges()) {
        count += static_cast<std::size_t>(level) - 1;
    }
    // the fourth number is the level of the inside
    for (const FaceLevels& levels : state_->levels.of_faces()) {
        count += static_cast<std::size_t>(inner_vertex_count(static_cast<int>(levels[3])));
    }
    return count;
}

void Surface::locate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric,
                     std::span<std::int32_t> coarse_faces, std::span<Vector3> coarse_barycentric) const {
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const CoarsePoint point = state_->locate(faces[i], barycentric[i]);
        coarse_faces[i] = point.face, coarse_barycentric[i] = point.barycentric;
    }
}

// Replaces coarse faces and barycentric coordinates of a face's fine vertices and fine faces by those of the coarse
// mesh.
void Surface::State::write_coarse_points(std::int32_t face, const Batch& batch, FineMesh& fine) const {
    int i = 0;
    for (const std::int32_t vertex : batch.vertices()) {
        const CoarsePoint point = locate(face, weights_at(batch.points(), i++));
        fine.coarse_faces[vertex] = point.face, fine.barycentric[vertex] = point.barycentric;
    }
    // a face over several coarse faces gets the coarse face at its centroid
    const float third = 1.0f / 3.0f;
    tessellator.set_coarse_face(face, locate(face, {third, third, third}).face, fine);
}

// Numbers the fine vertices and faces, writes the fine faces and the coarse point of each fine vertex, and calls work(face,
// batch) for the fine vertices that are computed in each face.
template <class Work>
void Surface::State::for_batches(FineMesh& fine, const Work& work) {
    // numbers all fine vertices first, so that any thread can process any face
    tessellator.plan(levels.of_edges(), fine);
    for_chunks(pool.get(), topology.face_count(), faces_per_share, [&](std::int64_t begin, std::int64_t end, int thread) {
        for (auto face = static_cast<std::int32_t>(begin); face < end; ++face) {
            // each vertex on an edge or at a corner is only in the batch of the face with the smallest number
            const Batch& batch = tessellator.gather(face, thread);
            tessellator.write_layout(face, batch, fine);
            if (refinement) {
                write_coarse_points(face, batch, fine);
            }
            work(face, batch);
        }
    });
    // vertices without faces are copied without heights
    for (int vertex = 0; vertex < topology.vertex_count; ++vertex) {
        if (topology.vertex_offsets[vertex] == topology.vertex_offsets[vertex + 1]) {
            fine.positions[vertex] = positions[vertex];
            fine.normals[vertex] = fine.barycentric[vertex] = Vector3(0.0f, 0.0f, 0.0f);
            fine.heights[vertex] = 0.0f;
            fine.coarse_faces[vertex] = -1;
        }
    }
}

// Writes only the faces and coarse points. Callers evaluate their own heights at these points and pass them to
// `displace`.
void Surface::plan(FineMesh& fine) {
    state_->for_batches(fine, [](std::int32_t, const Batch&) {});
}

void Surface::displace(FineMesh& fine, const HeightSamples& samples) {
    const State& s = *state_;
    state_->for_batches(fine, [&](std::int32_t face, const Batch& batch) {
        clear_heights(batch.points());
        s.raise(face, batch.points(), batch.count(), {samples, batch.vertices()});
        kernels<PatchKernels>().finish_patch(s.patch(face), batch.points(), batch.count());
        write_points(batch, fine);
    });
}

}  // namespace ruckle
