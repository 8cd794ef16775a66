// What a Surface keeps from frame to frame, in the order in which an update fills it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ruckle/surface/surface.h"
#include "support/thread_pool.h"
#include "surface/base.h"
#include "surface/creases.h"
#include "surface/curve.h"
#include "surface/displace.h"
#include "surface/patch.h"
#include "surface/reach.h"

namespace ruckle {

struct Surface::State {
    State(const Topology& mesh, int threads)
        : topology(mesh),
          pool(threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr),
          positions(static_cast<std::size_t>(mesh.vertex_count)),
          normals(positions.size()),
          roundness(positions.size()),
          current(mesh.faces.size()),
          weighted_normals(mesh.faces.size()),
          creases(mesh),
          base(mesh),
          reach(mesh, pool.get()),
          face_bends(mesh.faces.size(), 0.0f),
          edge_levels(mesh.edges.size(), 1),
          levels(mesh.faces.size(), {1.0f, 1.0f, 1.0f, 1.0f}),
          tessellator(mesh, threads) {}

    void measure_normals();
    void draw_curves(std::span<const Wrinkle> wrinkles);
    void prepare_segments();
    void measure_bends();
    void choose_levels(const SurfaceOptions& options);
    Patch patch(std::int32_t face) const;
    std::size_t first_curve_texel() const;
    bool is_divided(std::int32_t face) const;
    void sort_by_depth(const Vector3& toward_eye, DrawOrder& result);

    const Topology& topology;
    std::unique_ptr<ThreadPool> pool;
    std::vector<Vector3> positions, normals;
    std::vector<float> roundness;                          // (V)
    std::vector<Matrix2> current;                          // (T) edge matrices
    std::vector<std::array<Vector3, 3>> weighted_normals;  // (T) normal times angle, per corner
    Creases creases;
    Base base;
    CurveSamples samples;
    std::vector<CurveVertex> vertices;
    std::vector<std::int32_t> vertex_faces;  // a face that holds each curve vertex
    Reach reach;
    std::vector<PatchSegment> segments;            // as many as curve vertices
    std::vector<float> segment_bends, face_bends;  // 1 / mesh units: second derivative of the section, largest in each face
    std::vector<std::int32_t> edge_levels;
    std::vector<Texel> levels;
    Tessellator tessellator;
    std::vector<float> nearness;       // (T) of an order of drawing: grows toward the viewer
    std::vector<std::int32_t> places;  // where in it the next face at a step of depth goes
};

}  // namespace ruckle
