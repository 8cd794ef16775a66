// surface: the wrinkled surface of one frame, over any point of the coarse mesh (thesis 7).
//
// Every wrinkle becomes a curve of short segments. Over a point p, segment k between the curve vertices v and w rises as
// follows (figure 7.1): the joint planes through v and w enclose p at the share x of the way from one to the other, measured along
// the segment; c = v + x (w - v) is the point of the crest that answers to p, and with u = |p - c| / half width
//     height = H B(u),   B: ruckle::cross_section
//     gradient = H B'(u) / half width (p - c) / |p - c| + H' B(u) d       (d: direction of the segment, H' = dH/ds)
// Neighbouring segments share the plane at their joint and agree there, so that the height is continuous where the
// closest point of a polyline is not. Within a wrinkle the highest segment counts; wrinkles that overlap blend as
// h = (Σ h_w⁴)^(1/4). The surface point is q + h N, with N the interpolated vertex normal and q the base point: p itself, or
// p on a curved patch (Phong tessellation, Boubekeur and Alexa 2008):
//     q = p + 3/4 Σ b_i s_i ((P_i - p)·N_i) N_i
// The roundness s_i of a vertex is 1 where the triangles around it make a smooth surface, and falls to 0 at folds and
// corners, whose normal says nothing about either side. Heights are always those over the flat p. To a known viewpoint the base
// is curved only near the outline, where it shows: each edge's own share of q fades to zero where the cloth faces the eye.
//
// Guarantees: heights and gradients are continuous functions of p; both triangles of an edge give the same bits on it;
// levels of tessellation belong to edges, so that the fine mesh is watertight; the same bits for any thread count and
// instruction set; once buffers have grown to an animation's needs, nothing is allocated.
//
// Departs from the paper: joint planes that would cross within a wrinkle's reach are turned apart, and where that is not
// enough the wrinkle is narrowed (the paper's projection folds over itself in sharp bends); overlaps blend smoothly instead of by
// the maximum; displacement goes along interpolated normals, because the triangle's own normal tears the cloth at edges;
// edges are finer where wrinkles are tight; patches are curved by their vertices' roundness, because through the normals of a hem its two layers would pierce each other.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ruckle/mesh/topology.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/types.h"

namespace ruckle {

inline constexpr int most_surface_level = 64;  // what every OpenGL tessellates

// From where the surface is seen.
struct Viewpoint {
    Vector3 eye{0.0f, 0.0f, 0.0f};  // mesh units
    float gap =
        0.0f;  // > 0: largest gap between a curved edge and its chords per distance from the eye, such as a third of a pixel
};

struct SurfaceOptions {
    // mesh units, > 0 where there are wrinkles: length of fine edges, of which R_min / 2 shows every wrinkle; as little as half
    // of it where wrinkles are so tight that the chords of their section would show as teeth
    float edge_length = 0.0f;

    bool curved = false;  // base: curved patches through the vertex normals, or the flat triangles of the paper
    int base_level = 4;   // in [1, 64]: level of curved edges without wrinkles, less where edge_length needs less

    // curved edges get as many parts as show from here, at most base_level, and inside the outline none; empty: seen from all sides
    std::optional<Viewpoint> viewpoint{};

    // (E) in [1, 64]: levels of all edges, for a topology that stays the same; empty: by edge_length where wrinkles are
    std::span<const std::int32_t> edge_levels{};
};

// One vertex of a wrinkle's curve, as three texels of four floats. Segment k joins vertices k and k + 1.
struct CurveVertex {
    Vector3 position{0.0f, 0.0f, 0.0f};
    float half_width = 0.0f;           // mesh units
    Vector3 normal{0.0f, 0.0f, 0.0f};  // unit normal of the joint plane, forward along the wrinkle
    float height = 0.0f;               // mesh units; 0 at both ends of a wrinkle
    float slope = 0.0f;                // dH/ds
    float wrinkle = 0.0f;              // its number in the list of wrinkles
    float last = 0.0f;                 // 1 at the wrinkle's last vertex, where no segment begins, else 0
    float unused = 0.0f;
};
static_assert(sizeof(CurveVertex) == 48);

// Points of the surface, one array per quantity.
struct SurfacePoints {
    std::span<Vector3> positions;  // mesh units
    std::span<Vector3> normals;    // unit, or zero where the coarse mesh has none
    std::span<float> heights;      // mesh units, over the base
};

// A triangle mesh of the surface. Vertices are those of the coarse mesh under their own numbers, then those inside each
// coarse edge from its lower to its higher vertex, then those inside each coarse face.
struct FineMesh {
    std::vector<Vector3> positions;               // (N) mesh units
    std::vector<Vector3> normals;                 // (N) unit
    std::vector<float> heights;                   // (N) mesh units
    std::vector<std::int32_t> coarse_faces;       // (N) a coarse face that holds the vertex; -1 where no face uses it
    std::vector<Vector3> barycentric;             // (N) where in that face
    std::vector<Face> faces;                      // (M) wound as the coarse ones
    std::vector<std::int32_t> face_coarse_faces;  // (M) the coarse face that holds the fine one
};

// Four numbers of the table that shaders read; whole numbers stand as floats, exact up to 2^24.
using Texel = std::array<float, 4>;

// In which order the triangles are drawn: from near to far, so that what is hidden need not be shaded.
struct DrawOrder {
    struct Draw {
        std::int32_t first, count;  // faces, as places in the order
        bool divided;               // they need the tessellator
    };
    std::vector<std::array<std::int32_t, 3>> corners;  // (T) numbers 3 f + k of the corners of face f
    std::vector<Draw> draws;
};

class Surface {
  public:
    // threads >= 1. Keeps a reference to the topology.
    explicit Surface(const Topology& topology, int threads = 1);
    ~Surface();
    Surface(Surface&&) noexcept;
    Surface& operator=(Surface&&) noexcept;

    // Takes a frame. What wrinkles name is copied; their paths must be valid on the topology.
    //
    // positions  (V) mesh units, finite
    void update(std::span<const Vector3> positions, std::span<const Wrinkle> wrinkles, const SurfaceOptions& options);

    // The last update; valid until the next one.
    std::span<const CurveVertex> curve_vertices() const;  // wrinkle after wrinkle
    std::span<const std::int32_t> face_offsets() const;   // (T + 1): the segments that reach face f are
    std::span<const std::int32_t> face_segments() const;  //   face_segments[face_offsets[f] .. face_offsets[f + 1]), ascending
    std::span<const std::int32_t> edge_levels() const;    // (E)
    std::span<const Texel> levels() const;                // (T) of the face's edges as in face_edges, then inside
    std::span<const Vector3> vertex_normals() const;      // (V) weighted by angle; zero where all triangles have collapsed
    std::span<const std::array<Vector3, 3>> corner_normals() const;  // (T) to light the cloth by: parted at hems and creases
    std::span<const float> vertex_roundness() const;  // (V) in [0, 1]: how much of the curved patch a vertex takes part in

    // Everything that shaders need of the last update, in one piece for upload; texel_count() in all:
    //     7 f + k, k < 3   side k of face f: its bulge, as in surface/base.h, and level
    //     7 f + 3          the runs that reach face f: number of the first one's texel, and one past the last one's; f; level inside
    //     7 f + 4 + k      corner k of face f: its normal to light by; 0
    //     7 T + 2 v        vertex v: position; 0
    //     7 T + 2 v + 1    its normal; 0
    //     then             three texels for each curve vertex
    //     then             runs of segments that follow each other: texel of the first one's first vertex, how many, wrinkle; 0
    std::size_t texel_count() const;
    void write_texels(std::span<Texel> texels) const;

    // toward_eye         direction from the surface to the viewer
    // vertices_per_draw  about as many fine vertices as one draw may make; a single face may exceed it
    void order(const Vector3& toward_eye, std::int64_t vertices_per_draw, DrawOrder& result);

    // faces        (N) coarse faces
    // barycentric  (N) weights of their vertices, which sum to 1
    void evaluate(std::span<const std::int32_t> faces, std::span<const Vector3> barycentric, const SurfacePoints& result) const;

    // Tessellates the surface by its levels: OpenGL's pattern of nested triangles, spaced equally.
    void displace(FineMesh& fine);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ruckle
