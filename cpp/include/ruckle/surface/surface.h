// surface: computes a fine surface over a coarse mesh and displaces it by height sources (thesis 7).
//
// The surface point over a point p of the flat coarse mesh is q + h N. N is the interpolated vertex normal and h the
// sum of the sources' heights (heights.h). The base point q is p, or a point of a curved patch (Phong tessellation,
// Boubekeur and Alexa 2008):
//     q = p + 3/4 Σ b_i s_i ((P_i - p)·N_i) N_i
// The roundness s_i of a vertex is 1 if the triangles around it form a smooth surface. It decreases to 0 at folds and
// corners, where the mean normal fits none of the faces. Heights are always evaluated at the flat p. If the viewpoint
// is known, the base is curved only near the outline, where curvature is visible. The part of the sum that belongs to
// an edge then decreases to 0 if the cloth next to the edge faces the viewer or faces away.
//
// If a source has `smoothing` (heights.h), the base around its heights is smooth from every viewpoint. q then also
// depends on the strains around the vertices (cpp/src/surface/base.h). Without smoothing, a straight fold has a visible
// kink at each coarse edge: 18 degrees and more on garments of a thousand triangles.
//
// Guarantees: the fine mesh is watertight, because both triangles of an edge use the same tessellation level and the
// same vertices on it. Equal inputs give identical bits on any number of threads and any instruction set. Nothing
// allocates once the buffers are large enough for an animation.
//
// Departs from the paper: displacement is along interpolated normals, because displacement along triangle normals tears
// the cloth at edges. Edges are divided more finely if heights have strong curvature. Roundness limits curved patches,
// because the two layers of a hem would otherwise intersect.
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

inline constexpr int most_surface_level = 64;  // the maximum that every OpenGL implementation supports

using FaceLevels = std::array<float, 4>;  // levels of a face's edges (in the order of face_edges), then of its inside

// Viewpoint of the surface.
struct Viewpoint {
    Vector3 eye{0.0f, 0.0f, 0.0f};  // position of the eye, mesh units
    // largest allowed gap between a curved edge and its chords, divided by the distance from the eye, > 0; for example
    // the angle of a third of a pixel in radians
    float gap = 0.0f;
};

struct SurfaceOptions {
    bool curved = false;  // true: the base consists of curved patches; false: flat triangles, as in the paper
    int base_level = 4;   // in [1, 64]: number of parts of a curved edge without heights

    // > 0: curved edges without heights are divided into parts of about this length, mesh units, but at most into
    // base_level parts. 0: into exactly base_level parts. Not used with a viewpoint
    float edge_length = 0.0f;

    // Viewpoint of the picture. Curved edges are then divided only near the outline of the cloth as seen from this
    // point, so finely that parts are not visible, but at most into base_level parts. Empty: curved edges are divided
    // everywhere
    std::optional<Viewpoint> viewpoint{};

    // (E) in [1, 64]: fixed levels of all edges. Empty: levels are computed from the bends and edge lengths of the
    // sources
    std::span<const std::int32_t> edge_levels{};

    // (V, vertices of the coarse mesh) in [0, 1]: factor of the heights and of the curvature of the base, interpolated
    // linearly in each coarse face. A face with 0 at all corners remains flat and undivided. Empty: 1 everywhere
    std::span<const float> mask{};
};

// Fine mesh of a shape layer, and the coarse mesh that height sources use.
struct FineShape {
    std::span<const Vector3> positions;         // (N) vertices of the refined mesh, mesh units
    std::span<const Vector3> coarse_positions;  // (V) vertices of the coarse mesh, mesh units
};

// Points of the surface, one array per quantity.
struct SurfacePoints {
    std::span<Vector3> positions;  // points of the surface, mesh units
    std::span<Vector3> normals;    // unit, or zero if the coarse normal is zero
    std::span<float> heights;      // heights over the base, mesh units
};

// A triangle mesh of the surface. Its first vertices are those of the surface's mesh, with the same numbers. The
// vertices inside each edge follow, from its lower to its higher vertex, and then the vertices inside each face.
struct FineMesh {
    std::vector<Vector3> positions;               // (N) positions of the fine vertices, mesh units
    std::vector<Vector3> normals;                 // (N) unit normals
    std::vector<float> heights;                   // (N) heights over the base, mesh units
    std::vector<std::int32_t> coarse_faces;       // (N) a coarse face that contains the vertex; -1 for unused vertices
    std::vector<Vector3> barycentric;             // (N) barycentric coordinates in that face
    std::vector<Face> faces;                      // (M) with the winding of the coarse faces
    std::vector<std::int32_t> face_coarse_faces;  // (M) the coarse face that contains the fine one
};

// Draw order of the triangles, from near to far in four depth ranges; in each range, triangles that need tessellation
// come first. The GPU then rejects most hidden fragments before shading.
struct DrawOrder {
    struct Draw {
        std::int32_t first, count;  // the faces [first, first + count) of the order
        bool divided;               // true if these faces need tessellation
    };
    std::vector<std::array<std::int32_t, 3>> corners;  // (T) numbers 3 f + k of the corners k of each face f
    std::vector<Draw> draws;
};

class Surface {
  public:
    // Constructs the surface of a coarse mesh, or of a refinement. With a refinement, V, E and T below are the counts
    // of the refined mesh, but FineMesh::coarse_faces are faces of the coarse mesh. Keeps a reference to the first
    // argument. threads >= 1.
    explicit Surface(const Topology& topology, int threads = 1);
    explicit Surface(const Refinement& refinement, int threads = 1);
    ~Surface();
    Surface(Surface&&) noexcept;
    Surface& operator=(Surface&&) noexcept;

    // Computes normals, base surface, tessellation levels and crowding (limits of heights between layers of cloth) of a
    // frame. Other functions use these results.
    //
    // positions  (V) mesh units, finite
    // sources    sources of this frame; their objects must exist until the last call of evaluate or displace
    void update(std::span<const Vector3> positions, std::span<const HeightSource> sources, const SurfaceOptions& options);
    void update(const FineShape& shape, std::span<const HeightSource> sources, const SurfaceOptions& options);

    // Results of the last update; valid until the next one.
    std::span<const std::int32_t> edge_levels() const;  // (E) number of parts of each edge
    std::span<const FaceLevels> levels() const;         // (T) levels of each face
    // (V) unit normals, weighted by angle; zero if all faces around are degenerate
    std::span<const Vector3> vertex_normals() const;
    std::span<const float> vertex_roundness() const;  // (V) in [0, 1]: s_i of the formula above

    // (V, vertices of the coarse mesh) limits of the heights between its connected components, such as a shirt and
    // trousers, so that heights do not pierce the next component. Empty if the mesh has only one component.
    std::span<const Crowding> crowding() const;

    // Returns (T) the normals for lighting of the three corners of each face. At a hem or crease, the faces on both
    // sides have different normals.
    std::vector<std::array<Vector3, 3>> corner_normals() const;

    // Writes the GPU table of the last update without heights (texels.h). Its size is a multiple of texel_words.
    //
    // carried_words  number of words to reserve for a source, a multiple of texel_words
    void write_texels(std::vector<Word>& table, std::size_t carried_words = 0) const;
    // faces with a corner at a crease, where the corner has a normal of its own; ascending
    std::span<const std::int32_t> parted_faces() const;

    // Writes new positions, and the normals that belong to them, into a table with a flat base (SurfaceOptions::curved
    // was false). Overwrites the normals and creases of the last update: call update() before other functions.
    //
    // positions     (V) new vertex positions, mesh units, finite
    // parted_faces  parted_faces() of the update from which the table was written. A corner whose crease has
    //               disappeared gets its vertex normal
    // table         the table, at least up to SurfaceLayout::edges
    void carry_texels(std::span<const Vector3> positions, std::span<const std::int32_t> parted_faces, std::span<Word> table);

    // Writes the draw order of all faces for a viewer, from near to far, and divides it into draws.
    //
    // toward_eye         direction from the surface to the viewer
    // vertices_per_draw  approximate limit of fine vertices per draw; a single face may exceed it
    void order(const Vector3& toward_eye, std::int64_t vertices_per_draw, DrawOrder& result);

    // Writes positions, normals and heights of points of the surface, after the last update.
    //
    // faces        (N) faces of the surface's mesh
    // barycentric  (N) barycentric coordinates, which sum to 1
    // samples      (N) further heights, which are added; they belong to the coarse points that `locate` returns
    void evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result,
                  const HeightSamples& samples = {}) const;

    // Returns the coarse points for points of the surface's mesh. Without a refinement the result equals the arguments.
    //
    // coarse_faces, coarse_barycentric  (N) results
    void locate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, std::span<std::int32_t> coarse_faces,
                std::span<Vector3> coarse_barycentric) const;

    std::size_t fine_vertex_count() const;  // number of vertices of the fine mesh (N) at the levels of the last update

    // Writes the parts of the fine mesh that do not depend on heights: faces, coarse faces and barycentric coordinates.
    // Resizes all arrays; positions, normals and heights are undefined.
    void plan(FineMesh& fine);

    // Writes the fine mesh for the levels of the last update: all arrays of `fine`. Faces are divided in OpenGL's
    // pattern of nested triangles with equal spacing.
    //
    // samples  (N) further heights, which are added, of the fine vertices in the order of `plan`
    void displace(FineMesh& fine, const HeightSamples& samples = {});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
