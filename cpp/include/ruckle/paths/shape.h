// shape: computes width and height along a wrinkle (thesis 6).
//
// λ̃ is the compression of the cloth across a wrinkle: (reference length) / (current length). κ = 1 - 1/λ̃ is the share
// of the length that the cloth has lost. κ determines the width and the perimeter (length of the cross-section):
//     r = R_min (1 - 2/π) / κ        width 2r        perimeter P = 2r / (1 - κ)
// At κ = 1 - 2/π the cross-section is a half circle of radius R_min. P is equal everywhere along the wrinkle. The width
// changes smoothly from 2r in the middle to P at the ends. The height follows from the length P of the cross-section,
// so it is zero at the ends.
//
// The cross-section is a uniform quadratic B-spline over the width. With u = (distance from the crest) / (half width),
// the cross-section is height × (1 - 3u²) up to u = 1/3, and height × (3/2)(1 - u)² from u = 1/3 to 1. It is C1, and
// its slope is 0 at the rim. For η = height / half width, (length of the cross-section) / width is exactly
//     ½ [√(1 + 4η²) + asinh(2η) / (2η)]
// (both pieces are arcs of parabolas with slopes from 0 to 2η).
//
// Departs from the paper: if a wrinkle is shorter than `aspect` widths, its height and width are reduced in proportion
// to its length, because short wrinkles look like pills. κ is smoothed over time. A new wrinkle fades in; a wrinkle
// that has lost its compression fades out. The height of a crest changes by at most most_height_change R_min per 1/30
// s.
//
// Example:
//     const ruckle::ShapeOptions options{.r_min = 0.01f};
//     const ruckle::WrinkleSize size = ruckle::settled_size({.compression = 1.5f, .length = 0.2f, .fading = false}, options);
//     float width, height;
//     ruckle::WrinkleProfile(size, options.r_min).at(0.5f, width, height);  // in the middle
#pragma once

#include <cstdint>
#include <span>

#include "ruckle/paths/parameters.h"
#include "ruckle/paths/path.h"
#include "ruckle/types.h"

namespace ruckle {

inline constexpr float largest_share_lost = 0.36338022763f;  // 1 - 2/π: κ of the half circle

// Returns κ = 1 - 1/λ̃ for the compression λ̃, clamped to [0, 1 - 2/π].
float share_lost(float compression);
// Returns the radius r of a full-grown wrinkle, mesh units. A kappa below 0.001 is replaced by 0.001.
float wrinkle_radius(float r_min, float kappa);
// Returns the perimeter P of a full-grown wrinkle, mesh units.
float wrinkle_perimeter(float r_min, float kappa);
// Returns η = height / half width of the cross-section whose length is ratio >= 1 times its width. The error is at most
// 1e-5 for ratios up to 3.
float height_ratio(float ratio);
// Returns the height of the cross-section at u = (distance from the crest) / (half width), for a crest of height 1; 0
// if |u| >= 1.
float cross_section(float u);

struct ShapeOptions {
    float r_min = 0.0f;  // smallest wrinkle radius, mesh units, > 0
    // factor of heights, >= 0; with 1, folds absorb exactly the length that the cloth has lost
    float amplitude = WrinklerOptions{}.amplitude;
    float grow_tau = WrinklerOptions{}.tau;  // compression below which a wrinkle fades, > 1
    // ratio of length to width below which a wrinkle gets a smaller width and height, >= 0; 0: all have full size
    float aspect = WrinklerOptions{}.aspect;
    float fade_in = WrinklerOptions{}.fade_in;    // s, >= 0
    float fade_out = WrinklerOptions{}.fade_out;  // s, >= 0
    // time since the previous frame, s
    float dt = reference_frame_time;
};

// Current size of one wrinkle; changes over time.
struct WrinkleSize {
    float kappa = 0.0f;  // share of the length that the cloth has lost, smoothed in time
    float size = 0.0f;   // factor of width and height, in [0, 1]; below 1 for short wrinkles (`aspect`)
    float fade = 0.0f;   // factor of the height, in [0, 1]; below 1 while the wrinkle fades in or out
    float crest = 0.0f;  // height in the middle of the wrinkle, mesh units
};

// Properties of a wrinkle that determine its size.
struct SizeTarget {
    float compression;  // largest λ̃ along the wrinkle
    float length;       // length of the wrinkle between its ends, mesh units
    bool fading;        // true if the wrinkle must disappear
};

// Returns the size that a wrinkle reaches after a long time with this target: fully faded in, or faded out if
// target.fading.
WrinkleSize settled_size(const SizeTarget& target, const ShapeOptions& options);
// Returns the share of the difference to its target by which a smoothed size changes in a frame (`share` below), from
// options.dt. The call is slow: compute the share once for all wrinkles.
float size_share(const ShapeOptions& options);
// Changes kappa and size by `share` of the difference to the target, and fade linearly within fade_in or fade_out. If
// the crest would change by more than most_height_change R_min per 1/30 s, all changes are reduced. A new wrinkle
// (kappa = 0) starts with the kappa and size of its target.
void update_size(const SizeTarget& target, const ShapeOptions& options, float share, WrinkleSize& size);

struct ProfileRow;

// Profile of a wrinkle: computes width and height at positions along the wrinkle.
struct WrinkleProfile {
    // width 2r in the middle, and perimeter P; both multiplied by WrinkleSize::size, mesh units
    float width, perimeter;
    float crest_scale;  // factor of heights: fade times amplitude

    WrinkleProfile(const WrinkleSize& size, float r_min, float amplitude = 1.0f);
    // Computes width and height at a position along the wrinkle. along: 0 and 1 are the ends of the wrinkle; other
    // values are clamped to [0, 1].
    void at(float along, float& local_width, float& height) const;
    // Computes width and height at several positions. All spans have the same length. local_widths or heights may share
    // the memory of `along`.
    void at(std::span<const float> along, std::span<float> local_widths, std::span<float> heights) const;
    ProfileRow row() const;  // profile for kernels (paths/line_kernel.h)
};

// Computes width and height at the vertices of a path. `cuts` are the shares of the first and the last segment outside the
// wrinkle.
//
// lengths         (n - 1) lengths of the segments, mesh units
// widths, heights  (n) results at the vertices, mesh units
// extent          result: positions of both ends of the wrinkle, as length along the polyline, mesh units
void wrinkle_shape(std::span<const float> lengths, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   std::span<float> widths, std::span<float> heights, std::array<float, 2>& extent);

// Computes a smooth curve through a path for display (thesis 6): one cubic Bezier segment per triangle, in the triangle's plane.
// The tangent at an edge is the mean direction of the two adjacent segments, unfolded. Control points remain inside the triangle.
//
// per_segment  samples per segment, >= 1
// points       ((n - 1) per_segment + 1) or more, result; sample i is in the triangle of segment i / per_segment
// widths, heights  results, as many as points; mesh units
void wrinkle_curve(const Cloth& cloth, const Path& path, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   int per_segment, std::span<Vector3> points, std::span<float> widths, std::span<float> heights);

}  // namespace ruckle
