// surface: computes the fine surface over a coarse mesh, displaced by height sources (thesis 7).
//
// The surface point over p is q + h N, with N the interpolated vertex normal, h the sum of the sources' heights (heights.h) and q
// the base point: p itself, or p on a curved patch (Phong tessellation, Boubekeur and Alexa 2008):
//     q = p + 3/4 Σ b_i s_i ((P_i - p)·N_i) N_i
// The roundness s_i of a vertex is 1 if the triangles around it form a smooth surface. It decreases to 0 at folds and corners,
// where the mean normal describes neither side. Heights are always evaluated at the flat p. If the viewpoint is known, the base
// is curved only near the outline, where curvature is visible: each edge's share of q decreases to 0 if the cloth faces the eye.
//
// If a source has `smoothing` (heights.h), the base around its heights is smooth from every viewpoint, and q also bends with the
// strains around the vertices (cpp/src/surface/base.h). Otherwise a straight fold would have a visible kink at each coarse edge:
// 18 degrees and more on garments of a thousand triangles.
//
// Guarantees: both triangles of an edge compute the same bits for points on it, if the sources do. Tessellation levels belong to
// edges, so that the fine mesh is watertight. Results have the same bits for any thread count and instruction set. Nothing
// allocates after buffers have become large enough for an animation.
//
// Departs from the paper: displacement is along interpolated normals, because displacement along triangle normals tears the cloth
// at edges. Edges are finer if heights have strong curvature. Roundness limits curved patches, because the two layers of a hem
// would otherwise intersect.
//
// Example:
//     ruckle::Surface surface(topology);
//     surface.update(positions, std::array{ruckle::source_of(heights)}, {.curved = true});
//     ruckle::FineMesh fine;
//     surface.displace(fine);
//     draw(fine.positions, fine.faces);
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/surface/heights.h"
#include "ruckle/surface/refinement.h"
#include "ruckle/surface/texels.h"
#include "ruckle/types.h"

namespace ruckle {

inline constexpr int most_surface_level = 64;  // the limit of every OpenGL

using FaceLevels = std::array<float, 4>;  // levels of a face's edges (in the order of face_edges), then of its inside

// Viewpoint of the surface.
struct Viewpoint {
    Vector3 eye{0.0f, 0.0f, 0.0f};  // mesh units
    // > 0: largest gap between a curved edge and its chords per distance from the eye, such as a third of a pixel
    float gap = 0.0f;
};

struct SurfaceOptions {
    bool curved = false;  // true: the base consists of curved patches; false: flat triangles, as in the paper
    int base_level = 4;   // in [1, 64]: level of curved edges without heights

    // mesh units, >= 0: parts of curved edges without heights are not shorter than this; 0: no limit, always base_level
    float edge_length = 0.0f;

    // Curved edges are divided only near the outline that is seen from here, and only as finely as is visible, at most
    // base_level. Empty: they are divided everywhere
    std::optional<Viewpoint> viewpoint{};

    // (E) in [1, 64]: fixed levels of all edges; empty: levels are computed from the edge lengths of the sources
    std::span<const std::int32_t> edge_levels{};

    // (V) of the coarse mesh, in [0, 1]: factor of heights and of the curvature of the base, linear in each coarse face. A face
    // whose corners are all 0 remains flat and undivided. Empty: 1
    std::span<const float> mask{};
};

// Fine mesh of a shape layer, and the coarse mesh that height sources use.
struct FineShape {
    std::span<const Vector3> positions;         // (N) of the refined mesh, mesh units
    std::span<const Vector3> coarse_positions;  // (V) mesh units
};

// Points of the surface, one array per quantity.
struct SurfacePoints {
    std::span<Vector3> positions;  // mesh units
    std::span<Vector3> normals;    // unit, or zero if the coarse normal is zero
    std::span<float> heights;      // mesh units, over the base
};

// A triangle mesh of the surface. Its first vertices are those of the surface's mesh, with the same numbers. Then come vertices
// inside each edge, from the lower to the higher vertex, and vertices inside each face.
struct FineMesh {
    std::vector<Vector3> positions;               // (N) mesh units
    std::vector<Vector3> normals;                 // (N) unit
    std::vector<float> heights;                   // (N) mesh units
    std::vector<std::int32_t> coarse_faces;       // (N) a coarse face that contains the vertex; -1 for unused vertices
    std::vector<Vector3> barycentric;             // (N) weights in that face
    std::vector<Face> faces;                      // (M) with the winding of the coarse faces
    std::vector<std::int32_t> face_coarse_faces;  // (M) the coarse face that contains the fine one
};

// Draw order of the triangles, from near to far, so that the GPU does not shade hidden fragments.
struct DrawOrder {
    struct Draw {
        std::int32_t first, count;  // the faces [first, first + count) of the order
        bool divided;               // true if these faces need tessellation
    };
    std::vector<std::array<std::int32_t, 3>> corners;  // (T) numbers 3 f + k of the corners of face f
    std::vector<Draw> draws;
};

class Surface {
  public:
    // Makes the surface of a coarse mesh, or of a mesh that refines it. With a refinement, V, E and T below are the counts of
    // vertices, edges and faces of the refined mesh; FineMesh::coarse_faces are still coarse. threads >= 1. Keeps a reference to
    // the argument.
    explicit Surface(const Topology& topology, int threads = 1);
    explicit Surface(const Refinement& refinement, int threads = 1);
    ~Surface();
    Surface(Surface&&) noexcept;
    Surface& operator=(Surface&&) noexcept;

    // Updates normals, base and levels to a frame.
    //
    // positions  (V) mesh units, finite
    // sources    of this frame, in order; their objects must exist until the last call of evaluate or displace
    void update(std::span<const Vector3> positions, std::span<const HeightSource> sources, const SurfaceOptions& options);
    void update(const FineShape& shape, std::span<const HeightSource> sources, const SurfaceOptions& options);

    // Results of the last update; valid until the next one.
    std::span<const std::int32_t> edge_levels() const;  // (E)
    std::span<const FaceLevels> levels() const;         // (T)
    std::span<const Vector3> vertex_normals() const;    // (V) weighted by angle; zero if all triangles have collapsed
    std::span<const float> vertex_roundness() const;    // (V) in [0, 1]: s_i of the formula above

    // (V) of the coarse mesh: limits of heights between its connected components, such as a shirt over trousers, so that heights
    // do not reach the next component. Empty if the mesh has only one component.
    std::span<const Crowding> crowding() const;

    // Returns the normals for lighting of each face's corners (T), separate for each side of a hem or crease. Computed by each
    // call.
    std::vector<std::array<Vector3, 3>> corner_normals() const;

    // Writes the GPU table of the last update, without heights (texels.h): whole texels.
    //
    // carried_words  number of words to reserve for a source: whole texels
    void write_texels(std::vector<Word>& table, std::size_t carried_words = 0) const;
    std::span<const std::int32_t> parted_faces() const;  // faces with corners at creases, ascending

    // Rewrites positions and normals in a table with a flat base, for cloth that has moved. Does not use the last update. Call
    // update() before any other function.
    //
    // parted_faces  parted_faces() of the update with which the table was made. A corner that is no longer at a crease gets the
    //               normal of its vertex
    // table         at least its first part, up to SurfaceLayout::edges
    void carry_texels(std::span<const Vector3> positions, std::span<const std::int32_t> parted_faces, std::span<Word> table);

    // Computes the draw order for a viewer.
    //
    // toward_eye         direction from the surface to the viewer
    // vertices_per_draw  approximate limit of fine vertices per draw; a single face may exceed it
    void order(const Vector3& toward_eye, std::int64_t vertices_per_draw, DrawOrder& result);

    // Computes points of the surface.
    //
    // faces        (N) of the surface's mesh
    // barycentric  (N) weights of their vertices, which sum to 1
    // samples      (N) heights to add to those of the sources, at the coarse points that `locate` returns
    void evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result,
                  const HeightSamples& samples = {}) const;

    // Returns the coarse points for points of the surface's mesh. Without a refinement these are the same points.
    //
    // coarse_faces, coarse_barycentric  (N) results
    void locate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, std::span<std::int32_t> coarse_faces,
                std::span<Vector3> coarse_barycentric) const;

    std::size_t fine_vertex_count() const;  // N of the fine mesh

    // Computes the part of the fine mesh that does not depend on heights: the coarse points of the fine vertices, and the fine
    // faces.
    void plan(FineMesh& fine);

    // Tessellates the surface with its levels, in OpenGL's pattern of nested triangles with equal spacing.
    //
    // samples  (N) heights of the fine vertices to add to those of the sources, in the order of `plan`
    void displace(FineMesh& fine, const HeightSamples& samples = {});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
