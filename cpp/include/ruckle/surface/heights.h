// heights: the interface of height sources, which displace a surface.
//
// A height source evaluates points of the coarse mesh, a block of one face at a time. It *adds* to two arrays:
//     height    along the normal of the base, mesh units
//     gradient  ∇h along the flat coarse cloth, a vector in space; its normal component is ignored
// From the sums over all sources, the surface computes position and normal, with N the interpolated normal and q the base point:
//     position = q + h N        normal = N - (∇h - (∇h·N) N), normalised
//
// Requirements: heights are continuous. Evaluated from both faces of an edge, a point on the edge has the same bits, because the
// surface evaluates it from one of them. Heights of several sources are added in the order of the sources.
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

// Largest heights of a source along the normal and against it, mesh units, >= 0.
struct HeightRange {
    float outside = 0.0f, inside = 0.0f;
};

// Limit of heights at a vertex between layers of cloth: 1 / (free distance along the normal) and 1 / (free distance against it),
// 1 / mesh units. 0: no limit. Formula: cpp/src/surface/room.h.
struct Crowding {
    float outside = 0.0f, inside = 0.0f;
};

// A height source as the surface uses it: one indirect call per face, none per point. A view; valid as long as its object.
struct HeightSource {
    const void* object = nullptr;
    void (*add)(const void* object, const HeightBlock& block) = nullptr;

    // (T) 1 / mesh units: the largest second derivative of the heights over each coarse face; larger values divide its edges more
    // finely. Negative for faces without heights, which are not evaluated. Empty: 0 everywhere.
    std::span<const float> bends{};

    float edge_length = 0.0f;  // mesh units, > 0: length of fine edges for heights without bends

    // Bounds of the heights in this frame. Empty: eight edge lengths in both directions.
    std::optional<HeightRange> range{};

    // Input for a smooth base surface under heights that cross coarse edges (surface.h). Empty: none. A surface uses the largest
    // `smoothing` of all sources, and `rest` of the first source that has it.
    std::span<const float> smoothing{};  // (V) in [0, 1]: weight of the smooth base
    std::span<const Vector3> rest{};     // (V) mesh units

    float bend(std::int32_t face) const { return bends.empty() ? 0.0f : bends[face]; }
    HeightRange bounds() const { return range.value_or(HeightRange{8.0f * edge_length, 8.0f * edge_length}); }
};

// A class that is a height source.
template <class Source>
concept HeightFunction = requires(const Source& source, const HeightBlock& block) {
    { source.add_heights(block) } -> std::same_as<void>;
    { source.bends() } -> std::convertible_to<std::span<const float>>;
    { source.edge_length() } -> std::convertible_to<float>;
};

// A class whose heights need a smooth base.
template <class Source>
concept SmoothingFunction = requires(const Source& source) {
    { source.smoothing() } -> std::convertible_to<std::span<const float>>;
    { source.rest() } -> std::convertible_to<std::span<const Vector3>>;
};

// A class that knows the bounds of its heights.
template <class Source>
concept BoundedFunction = requires(const Source& source) {
    { source.range() } -> std::convertible_to<HeightRange>;
};

// Returns the view of a height source that a surface uses.
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

// Evaluates one source at arbitrary points.
//
// faces               (N) coarse faces
// barycentric         (N) weights of their vertices, which sum to 1
// heights, gradients  (N) results, mesh units and dimensionless
void sample(const HeightSource& source, std::span<const std::int32_t> faces, std::span<const Vector3> barycentric,
            std::span<float> heights, std::span<Vector3> gradients);

// Heights that the caller has computed for each point, such as those of a source in another language. Empty: none.
struct HeightSamples {
    std::span<const float> heights{};      // (N) mesh units
    std::span<const Vector3> gradients{};  // (N)
};

}  // namespace ruckle
