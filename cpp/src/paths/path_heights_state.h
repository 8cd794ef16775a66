// Members of PathHeights that persist from frame to frame, in the order in which an update fills them.
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

// Box around the cloth at rest, in which tables place points.
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
    std::vector<Vector3> normals;          // (V) at rest: unit, or zero
    std::vector<Word> rest_words;          // (V, 4) both of them, in the format of tables
    LineBox box;
    std::vector<Carrier> face_carriers;  // (T) of the faces around reached vertices
    std::vector<Carrier> carriers;       // (V) of gradients, from rest to now, of the reached vertices
    float share = 1.0f;                  // of the later lines
    std::int32_t first_later = 0;        // first point of them; the points of the earlier lines precede it
    std::vector<std::int64_t> ids;       // of the wrinkles, by their number
    std::vector<float> steepest[2];      // (V) slopes of the earlier and of the later lines
    std::vector<float> smoothing;        // (V)
    DrawnPoints lines;
    std::vector<float> bends;  // 1 / mesh units, of each point
    Reach reach;
    std::vector<float> maxima;                // of the bends from each point on, for one point, two, four, ...
    std::vector<float> run_bends;             // of the faces of the reach: maximum over their points
    std::vector<float> face_bends;            // (T) the same with the given lines, -1 without points
    const PackedLines* given = nullptr;       // earlier lines
    std::vector<std::int32_t> reached_faces;  // ascending
    // (V) of the vertices of faces that points reach, from 0 in the order of the faces; -1 for the others
    std::vector<std::int32_t> vertex_numbers;
    std::vector<std::int32_t> reached_vertices;  // in the order of their numbers
    std::vector<std::int32_t> carried_faces;     // those around them
    std::vector<std::int32_t> normal_numbers;    // of points that faces turn away from; -1 for the others
    std::array<PackedLines, 2> sets;             // of the last table: earlier, later
    float edge_length = 0.0f;
};

}  // namespace ruckle
