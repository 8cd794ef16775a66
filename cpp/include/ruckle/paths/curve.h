// curve: the drawn line of a wrinkle. The line consists of samples on the cloth. They move gradually toward the
// wrinkle's path.
//
// Paths slide, rotate and are rebuilt, but displayed wrinkles must not jump. Therefore each wrinkle has a drawn line:
// samples that move with the cloth, each with a half width and a height. In each frame a sample has a goal. For this
// goal, the path is smoothed over about a half width. The goal is the closest point q of the smoothed path, with the
// half width w* and the height h* of the wrinkle's profile at q (shape.h). If a sample at x with half width w and
// height h jumped to its goal, the drawn surface would change by about
//     δ = |h* - h| + 2 max(h, h*) / min(w, w*) (|q - x| + |w* - w|)
// because the sides of the cross-section have slope 2 h / w. Therefore height, width and position change in one frame
// only by the share min(1, most_surface_change R_min dt 30 / δ) of their difference to the goal.
//
// The height of a sample fades to 0 if the sample cannot reach the path: the path is too far away, reverses its
// direction or turns sharply. After a group of such neighbouring samples has faded to 0, new samples on the path
// replace them. Samples beyond an end of the path also fade. If the path has become longer, samples of height 0 are
// added.
//
// Lengths are measured on the cloth at rest. So if a path does not move over the cloth, its drawn line does not change,
// even if the cloth deforms. A half width w of the frame is converted to rest with the deformation F from rest to the
// frame: w_rest = w |F t| / det F, with the unit vector t along the wrinkle.
//
// Example:
//     for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
//         for (const ruckle::CurveSample& sample : wrinkler.wrinkle(i).curve) {
//             draw(sample.face, sample.weights, sample.height);
//         }
//     }
#pragma once

#include <array>
#include <span>

#include "ruckle/paths/path.h"
#include "ruckle/paths/rest_cloth.h"
#include "ruckle/paths/shape.h"
#include "ruckle/types.h"

namespace ruckle {

// One point of a drawn line.
struct CurveSample {
    // coarse face that contains the sample
    std::int32_t face;
    Vector3 weights;   // barycentric coordinates in the face: each at least 0, sum 1
    float half_width;  // half width of the wrinkle at this point at rest, mesh units
    float height;      // height of the crest at this point, mesh units
};

// largest number of samples of a line
inline constexpr int most_curve_samples = 128;

// The samples of one line, in order.
struct CurveLine {
    int count = 0;
    std::array<CurveSample, most_curve_samples> samples;

    std::span<const CurveSample> used() const { return std::span(samples).first(static_cast<std::size_t>(count)); }
};

// The properties of a wrinkle toward which its drawn line moves.
struct CurveGoal {
    std::span<const std::int32_t> edges;  // (n) mesh edge of each path vertex
    std::span<const float> t;             // (n) position of each path vertex on its edge (path.h)
    std::span<const std::int32_t> faces;  // (n - 1) triangle of each segment
    std::span<const float> lengths;       // (n - 1) lengths of the segments on the cloth of the frame, mesh units
    // shares of the first and the last segment that are outside the wrinkle, in [0, 1] (path.h)
    std::array<float, 2> cuts;
    WrinkleProfile profile;
};

struct CurveOptions {
    float r_min = 0.0f;  // smallest wrinkle radius, mesh units, > 0
    // time since the previous frame, s
    float dt = reference_frame_time;
};

// Replaces `line` by a new line on the path of a wrinkle, at full height. The line has no samples if the wrinkle does
// not have a width and a height.
void draw_curve(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, CurveLine& line);

// Moves a line toward its path for one frame, adds and removes samples, and writes the result to `line`. `before`
// contains the samples of the line in the previous frame, at most most_curve_samples. It may share memory with `line`.
// If it is empty, the line starts at height 0.
void follow_path(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, const CurveOptions& options,
                 std::span<const CurveSample> before, CurveLine& line);

// Returns the largest height that is treated as 0, mesh units.
float flat_height(float r_min);

}  // namespace ruckle
