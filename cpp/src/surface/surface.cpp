#include "ruckle/surface/surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "constants.h"
#include "numeric/kernels.h"
#include "ruckle/field/stretch.h"
#include "surface/state.h"

namespace ruckle {

namespace {

Vector3 unit_or_zero(const Vector3& v) {
    const float length = v.norm();
    return length > 0.0f ? Vector3(v / length) : Vector3(0.0f, 0.0f, 0.0f);
}

// From the length of the mean normal around a vertex: 1 where all agree, cos(θ/2) on a fold by θ.
float roundness_at(float agreement) {
    const float x = std::clamp((agreement - folded_agreement) / (round_agreement - folded_agreement), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// Parts of a fine edge for a section that bends so much: the gap of a chord of length e is bend e² / 8.
float refinement(float bend, float edge_length) {
    return std::clamp(std::sqrt(bend * edge_length / (8.0f * largest_chord_gap)), 1.0f, most_refinement);
}

}  // namespace

void Surface::State::measure_normals() {
    for_chunks(pool.get(), topology.face_count(), normals_per_share, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t face = begin; face < end; ++face) {
            const Face& corners = topology.faces[face];
            const Vector3 &a = positions[corners[0]], &b = positions[corners[1]], &c = positions[corners[2]];
            const Vector3 first = b - a, second = c - a, third = c - b, across = first.cross(second);
            const float area = across.norm();
            const Vector3 normal = area > 0.0f ? Vector3(across / area) : Vector3(0.0f, 0.0f, 0.0f);
            const float at_a = std::atan2(area, first.dot(second)), at_b = std::atan2(area, -first.dot(third));
            weighted_normals[face] = {normal * at_a, normal * at_b, normal * (std::numbers::pi_v<float> - at_a - at_b)};
        }
    });
    for_chunks(pool.get(), topology.vertex_count, normals_per_share, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t vertex = begin; vertex < end; ++vertex) {
            Vector3 sum(0.0f, 0.0f, 0.0f);
            float sum_of_lengths = 0.0f;
            for (std::int32_t i = topology.vertex_offsets[vertex]; i < topology.vertex_offsets[vertex + 1]; ++i) {
                const std::int32_t face = topology.vertex_faces[i];
                const Face& corners = topology.faces[face];
                const Vector3& normal = weighted_normals[face][corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2];
                sum += normal;
                sum_of_lengths += normal.norm();
            }
            normals[vertex] = unit_or_zero(sum);
            roundness[vertex] = sum_of_lengths > 0.0f ? roundness_at(sum.norm() / sum_of_lengths) : 0.0f;
        }
    });
}

void Surface::State::draw_curves(std::span<const Wrinkle> wrinkles) {
    vertices.clear();
    vertex_faces.clear();
    if (!wrinkles.empty()) {
        edge_matrices(positions, topology.faces, current);
    }
    const Cloth cloth{topology, positions, current, {}};
    for (std::size_t number = 0; number < wrinkles.size(); ++number) {
        append_curve(cloth, wrinkles[number], static_cast<int>(number), samples, vertices, vertex_faces);
    }
}

void Surface::State::prepare_segments() {
    segments.resize(vertices.size());
    for (std::size_t i = 0; i + 1 < vertices.size(); ++i) {
        const CurveVertex &v = vertices[i], &w = vertices[i + 1];
        if (v.last != 0.0f) {
            continue;
        }
        const Vector3 step = w.position - v.position;
        const float length = step.norm();
        const Vector3 direction = length > 0.0f ? Vector3(step / length) : Vector3(0.0f, 0.0f, 0.0f);
        segments[i] = {{v.position[0], v.position[1], v.position[2]},
                       {w.position[0], w.position[1], w.position[2]},
                       {direction[0], direction[1], direction[2]},
                       {v.normal[0], v.normal[1], v.normal[2]},
                       {w.normal[0], w.normal[1], w.normal[2]},
                       {1.0f / direction.dot(v.normal), 1.0f / direction.dot(w.normal)},
                       {v.half_width, w.half_width - v.half_width},
                       {v.height, w.height - v.height},
                       {v.slope, w.slope - v.slope},
                       static_cast<std::int32_t>(v.wrinkle)};
    }
}

// At the crest the section H B(u) bends by H B''(0) / r², B''(0) = -6: nowhere more.
void Surface::State::measure_bends() {
    segment_bends.resize(vertices.size());
    for (std::size_t i = 0; i + 1 < vertices.size(); ++i) {
        const CurveVertex &v = vertices[i], &w = vertices[i + 1];
        const float half_width = std::min(v.half_width, w.half_width);
        segment_bends[i] = half_width > 0.0f ? 6.0f * std::max(v.height, w.height) / (half_width * half_width) : 0.0f;
    }
    for (std::size_t face = 0; face < face_bends.size(); ++face) {
        float largest = 0.0f;
        for (std::int32_t i = reach.offsets()[face]; i < reach.offsets()[face + 1]; ++i) {
            largest = std::max(largest, segment_bends[reach.segments()[i]]);
        }
        face_bends[face] = largest;
    }
}

void Surface::State::choose_levels(const SurfaceOptions& options) {
    const auto reached = [&](std::int32_t face) { return face >= 0 && reach.offsets()[face + 1] > reach.offsets()[face]; };
    const auto level_of = [&](std::size_t edge) {
        const auto& faces = topology.edge_faces[edge];
        const int under = base.levels()[edge];
        const bool active = reached(faces[0]) || reached(faces[1]);
        if (!(options.edge_length > 0.0f) || (!active && (options.viewpoint || under == 1))) {
            return under;
        }
        const auto& ends = topology.edges[edge];
        const float bend = std::max(face_bends[faces[0]], faces[1] >= 0 ? face_bends[faces[1]] : 0.0f);
        const float parts =
            (positions[ends[0]] - positions[ends[1]]).norm() / options.edge_length * refinement(bend, options.edge_length);
        const int most = active ? most_surface_level : under, least = options.viewpoint ? under : 1;
        return std::max(least, static_cast<int>(std::ceil(std::min(parts, static_cast<float>(most)))));
    };
    for (std::size_t edge = 0; edge < edge_levels.size(); ++edge) {
        edge_levels[edge] = options.edge_levels.empty() ? level_of(edge) : options.edge_levels[edge];
    }
    for (std::size_t face = 0; face < levels.size(); ++face) {
        const auto& edges = topology.face_edges[face];
        const int a = edge_levels[edges[0]], b = edge_levels[edges[1]], c = edge_levels[edges[2]];
        levels[face] = {static_cast<float>(a), static_cast<float>(b), static_cast<float>(c),
                        static_cast<float>(std::max({a, b, c}))};
    }
}

Patch Surface::State::patch(std::int32_t face) const {
    Patch result;
    for (int k = 0; k < 3; ++k) {
        const std::int32_t vertex = topology.faces[face][k];
        std::copy_n(positions[vertex].data(), 3, result.corners[k]);
        std::copy_n(normals[vertex].data(), 3, result.normals[k]);
        std::copy_n(base.bulges()[topology.face_edges[face][k]].data(), 3, result.bulges[k]);
    }
    result.segments = segments.data();
    result.list = reach.segments().data() + reach.offsets()[face];
    result.list_count = reach.offsets()[face + 1] - reach.offsets()[face];
    return result;
}

Surface::Surface(const Topology& topology, int threads) : state_(std::make_unique<State>(topology, threads)) {}
Surface::~Surface() = default;
Surface::Surface(Surface&&) noexcept = default;
Surface& Surface::operator=(Surface&&) noexcept = default;

void Surface::update(std::span<const Vector3> positions, std::span<const Wrinkle> wrinkles, const SurfaceOptions& options) {
    State& s = *state_;
    assert(positions.size() == s.positions.size());
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.measure_normals();
    s.creases.measure(s.weighted_normals, s.normals);
    s.base.measure(s.positions, s.normals, s.roundness, options);
    s.draw_curves(wrinkles);
    s.reach.collect(s.positions, s.vertices, s.vertex_faces);
    s.prepare_segments();
    s.measure_bends();
    s.choose_levels(options);
}

std::span<const CurveVertex> Surface::curve_vertices() const {
    return state_->vertices;
}
std::span<const std::int32_t> Surface::face_offsets() const {
    return state_->reach.offsets();
}
std::span<const std::int32_t> Surface::face_segments() const {
    return state_->reach.segments();
}
std::span<const std::int32_t> Surface::edge_levels() const {
    return state_->edge_levels;
}
std::span<const std::array<float, 4>> Surface::levels() const {
    return state_->levels;
}
std::span<const Vector3> Surface::vertex_normals() const {
    return state_->normals;
}
std::span<const std::array<Vector3, 3>> Surface::corner_normals() const {
    return state_->creases.corner_normals();
}
std::span<const float> Surface::vertex_roundness() const {
    return state_->roundness;
}

void Surface::evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric,
                       const SurfacePoints& result) const {
    const State& s = *state_;
    alignas(32) float in[3][patch_block], out[7][patch_block];
    const PatchPoints block{{in[0], in[1], in[2]}, {out[0], out[1], out[2]}, {out[3], out[4], out[5]}, out[6]};
    for (std::size_t begin = 0; begin < faces.size();) {
        // as many points of one face as follow each other; the rest of the block repeats the first
        std::size_t count = 1;
        while (count < patch_block && begin + count < faces.size() && faces[begin + count] == faces[begin]) {
            ++count;
        }
        for (std::size_t i = 0; i < patch_block; ++i) {
            for (int k = 0; k < 3; ++k) {
                in[k][i] = barycentric[begin + (i < count ? i : 0)][k];
            }
        }
        kernels().evaluate_patch(s.patch(faces[begin]), block, patch_block);
        for (std::size_t i = 0; i < count; ++i) {
            result.positions[begin + i] = {out[0][i], out[1][i], out[2][i]};
            result.normals[begin + i] = {out[3][i], out[4][i], out[5][i]};
            result.heights[begin + i] = out[6][i];
        }
        begin += count;
    }
}

void Surface::displace(FineMesh& fine) {
    State& s = *state_;
    s.tessellator.plan(s.edge_levels, fine);
    for_chunks(s.pool.get(), s.topology.face_count(), faces_per_share, [&](std::int64_t begin, std::int64_t end, int thread) {
        for (auto face = static_cast<std::int32_t>(begin); face < end; ++face) {
            s.tessellator.fill(face, s.patch(face), thread, fine);
        }
    });
    // vertices that no face uses stay where they are
    for (int vertex = 0; vertex < s.topology.vertex_count; ++vertex) {
        if (s.topology.vertex_offsets[vertex] == s.topology.vertex_offsets[vertex + 1]) {
            fine.positions[vertex] = s.positions[vertex];
            fine.normals[vertex] = fine.barycentric[vertex] = Vector3(0.0f, 0.0f, 0.0f);
            fine.heights[vertex] = 0.0f;
            fine.coarse_faces[vertex] = -1;
        }
    }
}

}  // namespace ruckle
