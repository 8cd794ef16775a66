// surface: the fine surface over a coarse mesh in one frame, displaced by height sources (thesis 7).
//
// The surface point over p is q + h N, with N the interpolated vertex normal, h the sum of the sources' heights (heights.h) and q
// the base point: p itself, or p on a curved patch (Phong tessellation, Boubekeur and Alexa 2008):
//     q = p + 3/4 Σ b_i s_i ((P_i - p)·N_i) N_i
// The roundness s_i of a vertex is 1 if the triangles around it form a smooth surface. It falls to 0 at folds and corners, whose
// normal describes neither side. Heights always belong to the flat p. If the viewpoint is known, the base is curved only near the
// outline, which shows it: each edge's own share of q fades to zero as the cloth turns to the eye.
//
// If a source asks for it (heights.h), the curved base is smooth from every viewpoint and fades in from rest. Otherwise a
// straight fold across coarse edges shows each of them as a kink: of a fifth of a right angle and more on garments of a thousand
// triangles. There q also bends by the strains around the vertices: surface/base.h.
//
// Guarantees: both triangles of an edge give the same bits on it, if the sources do. Tessellation levels belong to edges, so that
// the fine mesh is watertight. Results are the same bits for any thread count and instruction set. Nothing allocates once buffers
// have grown to an animation's needs.
//
// Departs from the paper: displacement goes along interpolated normals, because the triangle's own normal tears the cloth at
// edges. Edges are finer in regions of bending heights. Patches are curved by their vertices' roundness: with the normals of a
// hem its two layers would pierce each other.
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

using FaceLevels = std::array<float, 4>;  // of a face's edges as in face_edges, then inside

// Viewpoint of the surface.
struct Viewpoint {
    Vector3 eye{0.0f, 0.0f, 0.0f};  // mesh units
    // > 0: largest gap between a curved edge and its chords per distance from the eye, such as a third of a pixel
    float gap = 0.0f;
};

struct SurfaceOptions {
    bool curved = false;  // base: curved patches through the vertex normals, or the flat triangles of the paper
    int base_level = 4;   // in [1, 64]: level of curved edges without heights

    // mesh units, >= 0: curved edges without heights get no shorter parts than this; 0 for base_level always
    float edge_length = 0.0f;

    // curved edges get as many parts as are visible from here, at most base_level, and none inside the outline; empty: all
    // viewpoints
    std::optional<Viewpoint> viewpoint{};

    // (E) in [1, 64]: fixed levels of all edges; empty: from the edge lengths of the sources
    std::span<const std::int32_t> edge_levels{};

    // (V) of the coarse mesh, in [0, 1]: factor of heights and of the curved base, linear in each coarse face. Faces whose
    // corners are 0 remain flat and undivided. Empty: 1
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

// A triangle mesh of the surface. Order of the vertices: those of the surface's mesh under their own numbers; those inside each of
// its edges, from the lower to the higher vertex; those inside each of its faces.
struct FineMesh {
    std::vector<Vector3> positions;               // (N) mesh units
    std::vector<Vector3> normals;                 // (N) unit
    std::vector<float> heights;                   // (N) mesh units
    std::vector<std::int32_t> coarse_faces;       // (N) a coarse face that contains the vertex; -1 for unused vertices
    std::vector<Vector3> barycentric;             // (N) weights in that face
    std::vector<Face> faces;                      // (M) wound as the coarse ones
    std::vector<std::int32_t> face_coarse_faces;  // (M) the coarse face that holds the fine one
};

// Draw order of the triangles, from near to far: hidden fragments are not shaded.
struct DrawOrder {
    struct Draw {
        std::int32_t first, count;  // faces, by their rank in the order
        bool divided;               // they need the tessellator
    };
    std::vector<std::array<std::int32_t, 3>> corners;  // (T) numbers 3 f + k of the corners of face f
    std::vector<Draw> draws;
};

class Surface {
  public:
    // Over the coarse mesh, or over a mesh that refines it. With a refinement all counts below of vertices (V), edges (E) and faces
    // (T) are those of the refined mesh, and fine vertices keep their coarse faces. threads >= 1. Keeps a reference.
    explicit Surface(const Topology& topology, int threads = 1);
    explicit Surface(const Refinement& refinement, int threads = 1);
    ~Surface();
    Surface(Surface&&) noexcept;
    Surface& operator=(Surface&&) noexcept;

    // Updates normals, base and levels to a frame.
    //
    // positions  (V) mesh units, finite
    // sources    of this frame, in order; evaluate and displace call their objects, which must live until then
    void update(std::span<const Vector3> positions, std::span<const HeightSource> sources, const SurfaceOptions& options);
    void update(const FineShape& shape, std::span<const HeightSource> sources, const SurfaceOptions& options);

    // Results of the last update; valid until the next one.
    std::span<const std::int32_t> edge_levels() const;  // (E)
    std::span<const FaceLevels> levels() const;         // (T)
    std::span<const Vector3> vertex_normals() const;    // (V) weighted by angle; zero if all triangles have collapsed
    std::span<const float> vertex_roundness() const;    // (V) in [0, 1]: share of the curved patch at a vertex

    // (V) of the coarse mesh: limits of heights between its connected components, such as a shirt over trousers. Heights end before
    // the next component. Empty for a mesh in one piece.
    std::span<const Crowding> crowding() const;

    // (T) normals for lighting, separate for each side of a hem or crease. Computed by each call.
    std::vector<std::array<Vector3, 3>> corner_normals() const;

    // The shader table of the last update, without heights (texels.h): whole texels.
    //
    // carried_words  reserved for a source: whole texels
    void write_texels(std::vector<Word>& table, std::size_t carried_words = 0) const;
    std::span<const std::int32_t> parted_faces() const;  // faces with corners at creases, ascending

    // Rewrites positions and normals in the table of an earlier update with a flat base, for cloth that has moved. Does not read the
    // last update, and leaves a surface that needs an update before all other calls.
    //
    // parted_faces  those of that update; a corner that has left its crease gets the normal of its vertex
    // table         at least its first part, up to the edges
    void carry_texels(std::span<const Vector3> positions, std::span<const std::int32_t> parted_faces, std::span<Word> table);

    // toward_eye         direction from the surface to the viewer
    // vertices_per_draw  approximate limit of fine vertices per draw; a single face may exceed it
    void order(const Vector3& toward_eye, std::int64_t vertices_per_draw, DrawOrder& result);

    // faces        (N) of the surface's mesh
    // barycentric  (N) weights of their vertices, which sum to 1
    // samples      (N) heights to add to those of the sources, at the coarse points that `locate` returns
    void evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result,
                  const HeightSamples& samples = {}) const;

    // Coarse points of points on the surface's mesh. Without a refinement: the input.
    //
    // coarse_faces, coarse_barycentric  (N) results
    void locate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, std::span<std::int32_t> coarse_faces,
                std::span<Vector3> coarse_barycentric) const;

    std::size_t fine_vertex_count() const;  // N of the fine mesh

    // Coarse points of the fine vertices, and the fine faces: the part of the fine mesh that does not depend on heights.
    void plan(FineMesh& fine);

    // Tessellates the surface by its levels: OpenGL's pattern of nested triangles, equal spacing.
    //
    // samples  (N) heights of the fine vertices to add to those of the sources, in the order of `plan`
    void displace(FineMesh& fine, const HeightSamples& samples = {});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
