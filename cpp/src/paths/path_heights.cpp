#include "ruckle/paths/path_heights.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <vector>

#include "numeric/kernels.h"
#include "paths/curve.h"
#include "paths/path_patch.h"
#include "paths/reach.h"
#include "ruckle/field/stretch.h"
#include "support/thread_pool.h"

namespace ruckle {

namespace {

// 1 / mesh units. At the crest the section H B(u) bends by H B''(0) / r², B''(0) = -6: nowhere more.
float section_bend(const CurveVertex& v, const CurveVertex& w) {
    // the narrower and the higher end, so that the bound holds all along the segment
    const float half_width = std::min(v.half_width, w.half_width);
    return half_width > 0.0f ? 6.0f * std::max(v.height, w.height) / (half_width * half_width) : 0.0f;
}

PathSegment segment_between(const CurveVertex& v, const CurveVertex& w) {
    const Vector3 step = w.position - v.position;
    const float length = step.norm();
    const Vector3 direction = length > 0.0f ? Vector3(step / length) : Vector3(0.0f, 0.0f, 0.0f);
    return {.first = {v.position[0], v.position[1], v.position[2]},
            .second = {w.position[0], w.position[1], w.position[2]},
            .direction = {direction[0], direction[1], direction[2]},
            .first_normal = {v.normal[0], v.normal[1], v.normal[2]},
            .second_normal = {w.normal[0], w.normal[1], w.normal[2]},
            .inverse_cosine = {1.0f / direction.dot(v.normal), 1.0f / direction.dot(w.normal)},
            .half_width = {v.half_width, w.half_width - v.half_width},
            .height = {v.height, w.height - v.height},
            .slope = {v.slope, w.slope - v.slope},
            .wrinkle = static_cast<std::int32_t>(v.wrinkle)};
}

// Length of the cross-section over its width, less 1.
float section_gain(const CurveVertex& vertex) {
    if (!(vertex.height > 0.0f && vertex.half_width > 0.0f)) {
        return 0.0f;
    }
    // the slope at the sides of the two parabolas, from which their lengths follow (shape.h)
    const float slope = 2.0f * vertex.height / vertex.half_width;
    return 0.5f * (std::sqrt(1.0f + slope * slope) + std::asinh(slope) / slope) - 1.0f;
}

// Calls visit(first segment, count) for the runs of consecutive segments of a list. A wrinkle's last vertex begins no segment, so
// that no run goes from one wrinkle to the next.
template <class Visit>
void for_runs(std::span<const std::int32_t> list, const Visit& visit) {
    for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
        for (end = begin + 1; end < list.size() && list[end] == list[end - 1] + 1; ++end) {
        }
        visit(list[begin], static_cast<std::int32_t>(end - begin));
    }
}

}  // namespace

struct PathHeights::State {
    State(const Topology& mesh, int threads)
        : topology(mesh),
          pool(threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr),
          positions(static_cast<std::size_t>(mesh.vertex_count)),
          current(mesh.faces.size()),
          reach(mesh, pool.get()),
          face_bends(mesh.faces.size(), -1.0f) {}

    void draw_curves(std::span<const Wrinkle> wrinkles);
    void prepare_segments();
    void measure_bends();
    template <class Visit>
    void for_segments(const Visit& visit) const;

    const Topology& topology;
    std::unique_ptr<ThreadPool> pool;
    std::vector<Vector3> positions;
    std::vector<Matrix2> current;  // (T) edge matrices
    CurveSamples samples;
    std::vector<CurveVertex> vertices;
    std::vector<std::int32_t> vertex_faces;  // a face that holds each curve vertex
    Reach reach;
    std::vector<PathSegment> segments;  // as many as curve vertices
    std::vector<float> segment_bends;
    std::vector<float> face_bends;  // (T) the largest of its segments, -1 where there are none
    float edge_length = 0.0f;
};

// Calls visit(i) for every segment from curve vertex i to i + 1.
template <class Visit>
void PathHeights::State::for_segments(const Visit& visit) const {
    // wrinkle after wrinkle without gaps: only the mark of a last vertex parts them
    for (std::size_t i = 0; i + 1 < vertices.size(); ++i) {
        if (vertices[i].last == 0.0f) {
            visit(i);
        }
    }
}

void PathHeights::State::draw_curves(std::span<const Wrinkle> wrinkles) {
    vertices.clear();
    vertex_faces.clear();
    // only curves need them
    if (!wrinkles.empty()) {
        edge_matrices(positions, topology.faces, current);
    }
    // no stretch: a curve asks where the cloth lies, not how it is deformed
    const Cloth cloth{topology, positions, current, {}};
    for (std::size_t number = 0; number < wrinkles.size(); ++number) {
        append_curve(cloth, wrinkles[number], static_cast<int>(number), samples, vertices, vertex_faces);
    }
}

// By the number of their first vertex, as the lists name them here and in the shaders' tables.
void PathHeights::State::prepare_segments() {
    segments.resize(vertices.size());
    for_segments([&](std::size_t i) { segments[i] = segment_between(vertices[i], vertices[i + 1]); });
}

void PathHeights::State::measure_bends() {
    segment_bends.resize(vertices.size());
    for_segments([&](std::size_t i) { segment_bends[i] = section_bend(vertices[i], vertices[i + 1]); });
    for (std::int32_t face = 0; face < topology.face_count(); ++face) {
        float largest = -1.0f;
        for (const std::int32_t segment : reach.list(face)) {
            largest = std::max(largest, segment_bends[segment]);
        }
        face_bends[face] = largest;
    }
}

PathHeights::PathHeights(const Topology& topology, int threads) : state_(std::make_unique<State>(topology, threads)) {}
PathHeights::~PathHeights() = default;
PathHeights::PathHeights(PathHeights&&) noexcept = default;
PathHeights& PathHeights::operator=(PathHeights&&) noexcept = default;

void PathHeights::update(std::span<const Vector3> positions, std::span<const Wrinkle> wrinkles, float edge_length) {
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    // copies: the surface asks this source again after update, when the caller's arrays may be gone
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.edge_length = edge_length;
    s.draw_curves(wrinkles);
    s.reach.collect(s.positions, s.vertices, s.vertex_faces);
    s.prepare_segments();
    s.measure_bends();
}

std::span<const CurveVertex> PathHeights::curve_vertices() const {
    return state_->vertices;
}
std::span<const std::int32_t> PathHeights::face_offsets() const {
    return state_->reach.offsets();
}
std::span<const std::int32_t> PathHeights::face_segments() const {
    return state_->reach.segments();
}
std::span<const float> PathHeights::bends() const {
    return state_->face_bends;
}
float PathHeights::edge_length() const {
    return state_->edge_length;
}

void PathHeights::add_heights(const HeightBlock& block) const {
    const State& s = *state_;
    const auto list = s.reach.list(block.face);
    // most coarse faces of a garment
    if (list.empty()) {
        return;
    }
    const Face& face = s.topology.faces[block.face];
    const Vector3 &a = s.positions[face[0]], &b = s.positions[face[1]], &c = s.positions[face[2]];
    const PathPatch patch{.corners = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}, {c[0], c[1], c[2]}},
                          .segments = s.segments.data(),
                          .list = list.data(),
                          .list_count = static_cast<std::int32_t>(list.size())};
    kernels().add_path_heights(patch, block);
}

void PathHeights::measure_gains(std::span<float> gains) const {
    const State& s = *state_;
    assert(gains.size() == s.topology.faces.size());
    std::ranges::fill(gains, 0.0f);
    s.for_segments([&](std::size_t i) {
        const float half = 0.5f * (s.vertices[i + 1].position - s.vertices[i].position).norm();
        // each half counts where its own end lies
        for (const std::size_t end : {i, i + 1}) {
            gains[s.vertex_faces[end]] += half * 2.0f * s.vertices[end].half_width * section_gain(s.vertices[end]);
        }
    });
    for (std::size_t face = 0; face < gains.size(); ++face) {
        const Face& corners = s.topology.faces[face];
        const Vector3& origin = s.positions[corners[0]];
        const float area = 0.5f * (s.positions[corners[1]] - origin).cross(s.positions[corners[2]] - origin).norm();
        gains[face] = area > 0.0f ? gains[face] / area : 0.0f;
    }
}

// Counted when somebody asks: runs are for shaders alone.
std::size_t PathHeights::texel_count() const {
    const State& s = *state_;
    std::size_t runs = 0;
    for (std::int32_t face = 0; face < s.topology.face_count(); ++face) {
        for_runs(s.reach.list(face), [&](std::int32_t, std::int32_t) { ++runs; });
    }
    return 3 * s.vertices.size() + runs;
}

void PathHeights::write_texels(std::span<Texel> table) const {
    const State& s = *state_;
    const std::size_t first_curve = surface_texel_count(s.topology);
    assert(table.size() >= first_curve + texel_count());
    std::size_t next_run = first_curve + 3 * s.vertices.size();
    for (std::int32_t face = 0; face < s.topology.face_count(); ++face) {
        Texel& entry = table[face_texels * static_cast<std::size_t>(face) + entry_texel];
        // exact, because float32 holds whole numbers up to 2^24
        entry[0] = static_cast<float>(next_run);
        for_runs(s.reach.list(face), [&](std::int32_t segment, std::int32_t count) {
            table[next_run++] = {static_cast<float>(first_curve + 3 * static_cast<std::size_t>(segment)),
                                 static_cast<float>(count), s.vertices[segment].wrinkle, 0.0f};
        });
        entry[1] = static_cast<float>(next_run);
    }
    if (!s.vertices.empty()) {
        // a curve vertex lies in memory as its three texels do (path_heights.h)
        std::memcpy(table.data() + first_curve, s.vertices.data(), s.vertices.size() * sizeof(CurveVertex));
    }
}

}  // namespace ruckle
