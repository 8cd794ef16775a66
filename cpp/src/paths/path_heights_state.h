// State of PathHeights that remains from frame to frame, in the order in which an update fills it. A face is "reached"
// if a curve point affects heights in it (reach.h).
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

// Bounding box of the cloth at rest. GPU tables store the positions of points as cells of a grid in this box.
struct LineBox {
    LineBox() = default;
    explicit LineBox(std::span<const Vector3> rest);

    Vector3 low = Vector3::Zero();
    // side of a grid cell, mesh units; 1 / longest side of the box, 0 if this side is 0
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
    // (V) positions of the frame, and rest positions, mesh units
    std::vector<Vector3> positions, rest;
    bool has_rest = false;
    std::vector<RestingTriangle> resting;  // (T) edges, normal and area of each triangle at rest
    std::vector<Vector3> normals;          // (V) vertex normals at rest: unit, or zero
    std::vector<Word> rest_words;          // (V, 4) rest position and normal of each vertex, in the format of GPU tables
    LineBox box;
    std::vector<Carrier> face_carriers;  // (T) gradient matrices of the faces around reached vertices
    // (V) gradient matrices of the reached vertices, from the cloth at rest to the current cloth; other entries are
    // undefined
    std::vector<Carrier> carriers;
    float share = 1.0f;  // weight of the lines of the later step (DrawnLines::share)
    // index of the first point of the later step's lines; the points of the earlier step precede it
    std::int32_t first_later = 0;
    std::vector<std::int64_t> ids;  // id of each wrinkle, indexed by CurvePoint::wrinkle
    // (V) largest b_kv h_k / r_k at each vertex (PathHeights::smoothing), for the lines of the earlier and of the later
    // step
    std::vector<float> steepest[2];
    // (V) weight of the smooth base surface at each vertex, in [0, 1]; 0: no smoothing
    std::vector<float> smoothing;
    DrawnPoints lines;
    std::vector<float> bends;  // curvature of the cross-section ("bend") at each curve point, 1 / mesh units
    Reach reach;
    // row j: for each point, the largest bend of the 2^j points that begin with it
    std::vector<float> maxima;
    std::vector<float> run_bends;  // largest bend of the points of each face in reach.faces()
    // (T) largest bend of the points of each face, including the points of `given`; -1 for a face without points
    std::vector<float> face_bends;
    const PackedLines* given = nullptr;       // packed lines of the earlier step, or null
    std::vector<std::int32_t> reached_faces;  // faces that any points reach, including the points of `given`, ascending
    // (V) index of each vertex in reached_vertices; -1: no reached face contains the vertex
    std::vector<std::int32_t> vertex_numbers;
    std::vector<std::int32_t> reached_vertices;  // vertices of reached faces, in the order of the faces
    std::vector<std::int32_t> carried_faces;     // all faces around reached vertices
    std::vector<std::int32_t> normal_numbers;    // index of a point's stored normal if faces turn away from the point; else -1
    // packed lines of the last table: of the earlier step, of the later step
    std::array<PackedLines, 2> sets;
    // length of fine edges (PathHeights::update), mesh units
    float edge_length = 0.0f;
};

}  // namespace ruckle
