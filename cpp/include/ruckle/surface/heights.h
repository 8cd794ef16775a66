// heights: the interface of height sources, which displace a surface.
//
// A height source evaluates points of the coarse mesh. Each call gets one block of points of one face. The source
// *adds* its values to two arrays:
//     height    along the normal of the base, mesh units
//     gradient  ∇h along the flat coarse cloth, a vector in space; its normal component is ignored
// The surface computes position and normal from the sums h and ∇h over all sources. N is the interpolated normal, q the
// base point:
//     position = q + h N        normal = N - (∇h - (∇h·N) N), normalised
//
// Heights must be continuous across edges. Rounding errors of a source may differ between the two faces of an edge,
// because the surface evaluates each point of the edge in only one of these faces. Heights are added in the order of
// the sources.
//
// Example:
//     const ruckle::HeightSource source = ruckle::source_of(heights);  // heights: of waves, a pattern or paths
//     std::vector<float> values(point_faces.size());
//     std::vector<ruckle::Vector3> gradients(point_faces.size());
//     ruckle::sample(source, point_faces, point_weights, values, gradients);
#pragma once

#include <concepts>
#include <optional>
#include <span>

#include "ruckle/surface/height_block.h"
#include "ruckle/types.h"

namespace ruckle {

// Bounds of the heights of a source, mesh units, >= 0: the largest height along the normal, and against it.
struct HeightRange {
    float outside = 0.0f, inside = 0.0f;
};

// Limits of the heights at a vertex between layers of cloth, 1 / mesh units. `outside` is about the inverse of the free
// distance along the normal, `inside` that against the normal. 0: no limit. Formula: cpp/src/surface/room.h.
struct Crowding {
    float outside = 0.0f, inside = 0.0f;
};

// A height source as the surface uses it, with one indirect call per block of points. It refers to an object, which
// must outlive it.
struct HeightSource {
    const void* object = nullptr;
    void (*add)(const void* object, const HeightBlock& block) = nullptr;

    // (T) 1 / mesh units: largest second derivative of the heights in each coarse face. If it is larger, the edges of
    // the face are divided more finely. A negative value marks a face without heights, which is not evaluated. Empty: 0
    // in all faces.
    std::span<const float> bends{};

    float edge_length = 0.0f;  // mesh units, > 0: length of fine edges where `bends` is 0

    // Bounds of the heights in this frame. Empty: eight edge lengths in both directions.
    std::optional<HeightRange> range{};

    // Input for a smooth base surface under heights that cross coarse edges (surface.h). Empty: the source does not
    // need a smooth base. At each vertex, a surface uses the largest `smoothing` of all sources. It uses `rest` of the
    // first source with a smoothing.
    std::span<const float> smoothing{};  // (V) in [0, 1]: weight of the smooth base
    std::span<const Vector3> rest{};     // (V) positions at rest, mesh units

    float bend(std::int32_t face) const { return bends.empty() ? 0.0f : bends[face]; }
    HeightRange bounds() const { return range.value_or(HeightRange{8.0f * edge_length, 8.0f * edge_length}); }
};

// Concept of a height source.
template <class Source>
concept HeightFunction = requires(const Source& source, const HeightBlock& block) {
    { source.add_heights(block) } -> std::same_as<void>;
    { source.bends() } -> std::convertible_to<std::span<const float>>;
    { source.edge_length() } -> std::convertible_to<float>;
};

// Concept of a height source that needs a smooth base.
template <class Source>
concept SmoothingFunction = requires(const Source& source) {
    { source.smoothing() } -> std::convertible_to<std::span<const float>>;
    { source.rest() } -> std::convertible_to<std::span<const Vector3>>;
};

// Concept of a height source that knows the bounds of its heights.
template <class Source>
concept BoundedFunction = requires(const Source& source) {
    { source.range() } -> std::convertible_to<HeightRange>;
};

// Makes a HeightSource that refers to an object.
template <HeightFunction Source>
HeightSource source_of(const Source& source) {
    HeightSource result{
        .object = &source,
        .add = [](const void* object, const HeightBlock& block) { static_cast<const Source*>(object)->add_heights(block); },
        .bends = source.bends(),
        .edge_length = source.edge_length()};
    if constexpr (BoundedFunction<Source>) {
        result.range = source.range();
    }
    if constexpr (SmoothingFunction<Source>) {
        result.smoothing = source.smoothing();
        result.rest = source.rest();
    }
    return result;
}
template <HeightFunction Source>
HeightSource source_of(const Source&& source) = delete;

// Writes the heights and gradients of one source at given points.
//
// faces               (N) coarse faces
// barycentric         (N) barycentric coordinates, which sum to 1
// heights, gradients  (N) results: heights in mesh units, and dimensionless gradients
void sample(const HeightSource& source, std::span<const std::int32_t> faces, std::span<const Vector3> barycentric,
            std::span<float> heights, std::span<Vector3> gradients);

// Heights that the caller has computed for each point, for example by a source in another language. Empty arrays: none.
struct HeightSamples {
    std::span<const float> heights{};      // (N) height at each point, mesh units
    std::span<const Vector3> gradients{};  // (N) gradient of the height at each point
};

}  // namespace ruckle
