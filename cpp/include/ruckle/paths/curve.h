// curve: the drawn line of a wrinkle, as points of the cloth that follow the wrinkle's path.
//
// Paths slide, turn and are rebuilt; the picture must not jump with them. The drawn line therefore consists of samples that are
// fixed to the cloth, each with a half width and a height, and approaches its path gradually. In each frame a sample has a goal:
// the closest point q of the path's line, smoothed over about a half width, with the half width w* and the height h* of the profile
// at q (shape.h). The change of drawn heights that the goal asks for is
//     δ = |h* - h| + 2 max(h, h*) / min(w, w*) (|q - x| + |w* - w|)
// because the sides of the section have slope 2 h / w. The sample moves by the share min(1, most_surface_change R_min dt 30 / δ)
// of the difference in height, width and position: one bound on all changes of a frame.
//
// Samples that cannot follow, because the path is out of reach, runs back or turns sharply, fade; once a whole stretch has
// faded, it restarts on the path. Samples past an end of the path fade, too. If the path has grown, samples of height 0 join.
//
// Lengths are rest lengths, in which cloth never folds or bends: while a path is fixed to the cloth, its drawn line does not
// change. Half widths are therefore converted: by the deformation F from rest to now, w_rest = w |F t| / det F with t along the
// wrinkle.
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
    std::int32_t face;
    Vector3 weights;   // barycentric: of the face's vertices, at least 0, sum 1
    float half_width;  // in rest positions, mesh units
    float height;      // mesh units
};

inline constexpr int most_curve_samples = 128;

// The samples of one line, in order.
struct CurveLine {
    int count = 0;
    std::array<CurveSample, most_curve_samples> samples;

    std::span<const CurveSample> used() const { return std::span(samples).first(static_cast<std::size_t>(count)); }
};

// The part of a wrinkle that its line follows.
struct CurveGoal {
    std::span<const std::int32_t> edges;  // (n) of its path
    std::span<const float> t;             // (n)
    std::span<const std::int32_t> faces;  // (n - 1)
    std::span<const float> lengths;       // (n - 1) of its segments on the cloth of the frame, mesh units
    std::array<float, 2> cuts;
    WrinkleProfile profile;
};

struct CurveOptions {
    float r_min = 0.0f;  // mesh units, > 0
    float dt = reference_frame_time;
};

// Draws the line of a wrinkle on its path, at full height.
void draw_curve(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, CurveLine& line);

// Moves a line, given by its samples `before`, toward its path for one frame; an empty line starts at height 0. `before` has at
// most most_curve_samples entries and may be the samples of `line`.
void follow_path(const Cloth& cloth, const RestCloth& rest, const CurveGoal& goal, const CurveOptions& options,
                 std::span<const CurveSample> before, CurveLine& line);

// Largest height of a line that counts as flat.
float flat_height(float r_min);

}  // namespace ruckle
