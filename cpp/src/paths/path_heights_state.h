// State of PathHeights that remains from frame to frame, in the order in which an update fills it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "paths/carrier_kernel.h"
#include "paths/line_points.h"
#include "paths/reach.h"
#include "ruckle/paths/path_heights.h"
#include "support/thread_pool.h"

namespace ruckle {

// Bounding box of the cloth at rest; GPU tables store points relative to this box.
struct LineBox {
    LineBox() = default;
    explicit LineBox(std::span<const Vector3> rest);

    Vector3 low = Vector3::Zero();
    float cell = 0.0f, inverse_extent = 0.0f;
};

struct PathHeights::State {
    State(const Topology& mesh, int threads)
        : topology(mesh),
          pool(threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr),
          positions(static_cast<std::size_t>(mesh.vertex_count)),
          rest(positions),
          resting(mesh.faces.size()),
          normals(positions),
          face_carriers(mesh.faces.size()),
          carriers(positions.size()),
          steepest{std::vector<float>(positions.size(), 0.0f), std::vector<float>(positions.size(), 0.0f)},
          smoothing(positions.size(), 0.0f),
          reach(mesh, pool.get()),
          face_bends(mesh.faces.size(), -1.0f),
          vertex_numbers(positions.size()) {}

    void take_points(const DrawnLines& lines);
    void take_rest(std::span<const Vector3> measured);
    void measure_normals();
    void measure_smoothing();
    void measure_bends();
    void find_maxima();
    void measure_carriers();
    void number_vertices();
    void number_normals(std::int32_t begin, std::int32_t end, PackedLines& result);
    void pack(std::int32_t begin, std::int32_t end, PackedLines& result);
    void pack_points(std::int32_t begin, std::int32_t end, PackedLines& result) const;
    void pack_runs(std::int32_t begin, std::int32_t end, PackedLines& result);
    void write_carriers(Word* next) const;

    const Topology& topology;
    std::unique_ptr<ThreadPool> pool;
    std::vector<Vector3> positions, rest;
    bool has_rest = false;
    std::vector<RestingTriangle> resting;  // (T)
    std::vector<Vector3> normals;          // (V) normals at rest: unit, or zero
    std::vector<Word> rest_words;          // (V, 4) rest position and normal of each vertex, in the format of GPU tables
    LineBox box;
    std::vector<Carrier> face_carriers;  // (T) gradient matrices of the faces around reached vertices
    std::vector<Carrier> carriers;       // (V) gradient matrices of the reached vertices, from rest to now
    float share = 1.0f;                  // weight of the later lines
    std::int32_t first_later = 0;        // first point of the later lines; points of the earlier lines precede it
    std::vector<std::int64_t> ids;       // ids of the wrinkles, by number
    std::vector<float> steepest[2];      // (V) steepest slopes of the earlier and of the later lines
    std::vector<float> smoothing;        // (V)
    DrawnPoints lines;
    std::vector<float> bends;  // curvature of the cross-section at each point, 1 / mesh units
    Reach reach;
    std::vector<float> maxima;                // largest bend of 1, 2, 4, ... consecutive points, from each point on
    std::vector<float> run_bends;             // for each reached face: largest bend of its points
    std::vector<float> face_bends;            // (T) run_bends including the given lines; -1 without points
    const PackedLines* given = nullptr;       // packed earlier lines, or null
    std::vector<std::int32_t> reached_faces;  // ascending
    // (V) index of each vertex in reached_vertices; -1: no reached face contains the vertex
    std::vector<std::int32_t> vertex_numbers;
    std::vector<std::int32_t> reached_vertices;  // vertices of reached faces, in the order of the faces
    std::vector<std::int32_t> carried_faces;     // faces around reached vertices
    std::vector<std::int32_t> normal_numbers;    // index of a point's stored normal if faces turn away from the point; else -1
    std::array<PackedLines, 2> sets;             // lines of the last table: earlier, later
    float edge_length = 0.0f;
};

}  // namespace ruckle
