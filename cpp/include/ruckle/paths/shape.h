// shape: width and height along a wrinkle (thesis 6).
//
// With κ = 1 - 1/λ̃, the share of its length that the cloth has lost across the wrinkle:
//     r = R_min (1 - 2/π) / κ        width 2r        perimeter P = 2r / (1 - κ)
// At κ = 1 - 2/π this is a half circle of radius R_min. P is constant along the wrinkle; the width is 2r in its middle and
// P at its ends, smoothly in between; the height follows from both by length conservation, so it is zero at the ends.
//
// The cross-section is the uniform quadratic B-spline over the width: with u the distance from the crest over half the
// width, height × (1 - 3u²) up to u = 1/3 and height × (3/2)(1 - u)² beyond. It is C1, and its slope is 0 at the rim.
// For η = height / half width its length over the width is exactly
//     ½ [√(1 + 4η²) + asinh(2η) / (2η)]
// (both pieces are arcs of parabolas whose slope runs from 0 to 2η, so that their lengths add up to the parabola's).
//
// Departs from the paper: height and width of a wrinkle shorter than `aspect` widths shrink in proportion to its length, because
// short wrinkles look like pills. κ is smoothed over time. A newborn wrinkle fades in, one that has lost its compression fades
// out, and no crest moves faster than most_height_change.
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

inline constexpr float largest_share_lost = 0.36338022763f;  // 1 - 2/π: the half circle

// κ = 1 - 1/λ̃, in [0, 1 - 2/π].
float share_lost(float compression);
// r of a full-grown wrinkle. κ below 0.001 counts as that.
float wrinkle_radius(float r_min, float kappa);
// P of a full-grown wrinkle.
float wrinkle_perimeter(float r_min, float kappa);
// η of the cross-section whose length over its width is ratio >= 1; error 1e-5 up to ratio 3.
float height_ratio(float ratio);
// Height of the cross-section at u = distance from the crest / half width, for a crest of height 1.
float cross_section(float u);

struct ShapeOptions {
    float r_min = 0.0f;                             // mesh units, > 0
    float amplitude = WrinklerOptions{}.amplitude;  // >= 0: heights are multiplied by it; at 1 the cloth keeps its length
    float grow_tau = WrinklerOptions{}.tau;         // > 1: below this compression a wrinkle fades
    float aspect = WrinklerOptions{}.aspect;        // >= 0: full size from this many widths of length on; 0 for full size always
    float fade_in = WrinklerOptions{}.fade_in;      // s, >= 0
    float fade_out = WrinklerOptions{}.fade_out;    // s, >= 0
    float dt = reference_frame_time;
};

// State of the size of one wrinkle.
struct WrinkleSize {
    float kappa = 0.0f;  // share of length lost, smoothed in time
    float size = 0.0f;   // in [0, 1]: the aspect rule
    float fade = 0.0f;   // in [0, 1]
    float crest = 0.0f;  // height in the middle, mesh units
};

// Target of the size of a wrinkle.
struct SizeTarget {
    float compression;  // largest λ̃ along the wrinkle
    float length;       // mesh units
    bool fading;        // the wrinkle has lost its compression
};

// Steady state of the size for this length and compression: no fade, no smoothing.
WrinkleSize settled_size(const SizeTarget& target, const ShapeOptions& options);
// The share by which the size of a wrinkle approaches its target in a frame. It is not cheap:
// compute it once for all wrinkles.
float size_share(const ShapeOptions& options);
// Moves the size of a wrinkle by `share` of the way to its target; the crest changes by at most
// most_height_change R_min per 1/30 s.
void update_size(const SizeTarget& target, const ShapeOptions& options, float share, WrinkleSize& size);

struct ProfileRow;

// Profile of a wrinkle: width and height along it.
struct WrinkleProfile {
    float width, perimeter;  // full width 2r in the middle, and P; both scaled by the size
    float crest_scale;       // heights are multiplied by this: the fade, times the amplitude

    WrinkleProfile(const WrinkleSize& size, float r_min, float amplitude = 1.0f);
    // along in [0, 1]: 0 and 1 are the wrinkle's ends, outside counts as the end
    void at(float along, float& local_width, float& height) const;
    // The same for several; local_widths and heights have as many entries, and one of them may be `along`.
    void at(std::span<const float> along, std::span<float> local_widths, std::span<float> heights) const;
    ProfileRow row() const;  // for kernels (paths/line_kernel.h)
};

// Width and height at the vertices of a path. The ends of the wrinkle are `cuts` inside the first and last segment.
//
// lengths         (n - 1) of the segments, mesh units
// widths, heights (n) mesh units
// extent          result: begin and end of the wrinkle, as length along the polyline
void wrinkle_shape(std::span<const float> lengths, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   std::span<float> widths, std::span<float> heights, std::array<float, 2>& extent);

// Smooth curve through a path for display (thesis 6): one cubic Bezier segment per triangle, in the triangle's plane. Tangents at
// edges average those of the two adjacent segments, unfolded; handles remain inside the triangle.
//
// per_segment  samples per segment, >= 1
// points       ((n - 1) per_segment + 1) or more, result; sample i is in the triangle of segment i / per_segment
// widths, heights  the same number
void wrinkle_curve(const Cloth& cloth, const Path& path, const std::array<float, 2>& cuts, const WrinkleProfile& profile,
                   int per_segment, std::span<Vector3> points, std::span<float> widths, std::span<float> heights);

}  // namespace ruckle
