// Heights and gradients of path wrinkles at surface points. ruckle/paths/path_heights.h explains the formula;
// shaders/common contains it in GLSL.
#include "paths/path_height_kernel.h"
#include "constants.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Smallest sum of sample weights at a point with a height. A smaller sum occurs only at the rim of a wrinkle, where
// each sample that still has a weight is almost averaging_reach half widths away and the height is 0. A division by
// such a sum would amplify rounding.
constexpr float least_weight_sum = 1e-30f;

// Smallest distance from a crest by which vectors are divided, in half widths. Smaller distances are rounding errors.
constexpr float least_distance = 1e-6f;

inline Real clamp(Real x, Real least, Real most) {
    return min(max(x, least), most);
}

// coefficients of the term 0.81 (ρ² (1 - 9/8 n) - 1/4) of path_heights.h, as a linear function of n
constexpr float spread_at_once = 0.81f * (averaging_reach * averaging_reach - 0.25f);
constexpr float spread_per_nearness = 0.81f * 1.125f * averaging_reach * averaging_reach;

struct HeightAndGradient {
    Real height;
    Triple gradient;
};

// Height and gradient of one wrinkle, and the direction and distance u (in half widths) from its crest.
struct Elevation {
    Real height;
    Triple gradient;
    Triple aside;  // direction away from the crest: unit, or shorter at branches of the line
    Real distance, inverse_half_width;
};

// Sums over the samples of one wrinkle around the point p. The weight is ω (path_heights.h).
struct Sums {
    Real weight = splat_real(0.0f), nearness = splat_real(0.0f), facing = splat_real(0.0f);
    Real half_width = splat_real(0.0f), height = splat_real(0.0f), slope = splat_real(0.0f);
    Triple off = zero_triple(), direction = zero_triple();

    // share(point, near) returns φ_k of a sample. `near` is the first factor of ν_k; share lowers it to ν_k if the opening
    // g_k is smaller than min(near, φ_k) (path_heights.h)
    template <class Share>
    void add(const PathPoint& point, Triple p, const Share& share) {
        const Triple away = p - splat_triple(point.position);
        const Real near = 1.0f - dot(away, away) * point.inverse_reach_square;
        // skip the sample if its sphere does not contain any of these points: most samples of a list reach only a part
        // of the face
        if (lane_bits(near > 0.0f) == 0) {
            return;
        }
        Real within = max(near, splat_real(0.0f));
        const Real turned = share(point, within);
        const Real own = within * within * within * point.weight * turned;
        weight += own;
        facing += own * turned;
        nearness += own * within;
        half_width += own * point.half_width;
        height += own * point.height;
        slope += own * point.slope;
        off = off + away * own;
        direction = direction + splat_triple(point.direction) * own;
    }

    // Returns the height and gradient of the wrinkle at p, and the direction and distance of p from the crest, by the
    // formula of path_heights.h. The height is 0 if the sum of weights is at most least_weight_sum.
    Elevation mean() const {
        const Mask some = weight > least_weight_sum;
        const Real inverse = some ? 1.0f / weight : splat_real(0.0f);
        const Real width = some ? half_width * inverse : splat_real(1.0f), mean_height = height * inverse, rise = slope * inverse;
        const Triple o = off * inverse, t = direction * inverse;
        const Real most = 0.3f * width, along = clamp(dot(o, t), -most, most);
        const Real crest = clamp(mean_height + along * rise, 0.8f * mean_height, 1.25f * mean_height);
        const Triple away = o - t * along;
        // u² is at least this estimate from the mean squared distance of the samples: between two branches of a line
        // the offsets cancel, although there is no crest
        const Real least = spread_at_once - spread_per_nearness * (nearness * inverse);
        const Real u = sqrt(max(dot(away, away) / (width * width), least)), outer = max(1.0f - u, splat_real(0.0f));
        const Mask inner = u <= 1.0f / 3.0f;
        const Real section = inner ? 1.0f - 3.0f * u * u : 1.5f * outer * outer;
        // fall is B'(u) / u; with this quotient, no division by a distance of zero occurs
        const Real fall = inner ? splat_real(-6.0f) : -3.0f * outer / u;
        // `shown` is exactly 1 if all samples face p. Triangles that skip the facing test then give the same bits; the
        // quotient could round differently
        const Real shown = facing < weight ? facing * inverse : splat_real(1.0f);
        const Real per_width = 1.0f / width;
        return {crest * section * shown, (away * (crest * fall * per_width * per_width) + t * (rise * section)) * shown,
                away * (per_width / max(u, splat_real(least_distance))), u, per_width};
    }
};

// Sums over the wrinkles w at a point for γ D, the depth of the valley between their crests (path_heights.h), with
// γ = valley_depth and D = max(0, -2 Σ_{a<b} v_a·v_b / Σ h_w). In the first sum, a and b are all pairs of wrinkles, so
// that a single wrinkle gives exactly 0. v_w = h_w s(u_w) n_w with the height h_w, the distance u_w and the direction
// n_w from the crest (the members height, distance, aside of Elevation), and s(u) = smoothstep(u / valley_lean). The
// gradient of D neglects changes of n_w.
struct Valleys {
    Real opposed = splat_real(0.0f), heights = splat_real(0.0f);
    Triple opposed_gradient = zero_triple(), heights_gradient = zero_triple(), leans = zero_triple();
    Triple turns[3] = {zero_triple(), zero_triple(), zero_triple()};  // Σ ∇(h s) n, for each component of n

    void add(const Elevation& one) {
        const Real y = min(one.distance * (1.0f / valley_lean), splat_real(1.0f)), share = y * y * (3.0f - 2.0f * y);
        const Triple& n = one.aside;
        const Triple lean = n * (one.height * share);
        const Triple change =
            one.gradient * share + n * (one.height * (6.0f / valley_lean * y * (1.0f - y)) * one.inverse_half_width);
        opposed -= dot(lean, leans);
        opposed_gradient =
            opposed_gradient - (change * dot(n, leans) + turns[0] * lean.x + turns[1] * lean.y + turns[2] * lean.z);
        leans = leans + lean;
        turns[0] = turns[0] + change * n.x, turns[1] = turns[1] + change * n.y, turns[2] = turns[2] + change * n.z;
        heights += one.height;
        heights_gradient = heights_gradient + one.gradient;
    }
    // Subtracts γ D from the height, and its gradient from the gradient.
    void dig(Real& height, Triple& gradient) const {
        const Mask some = opposed > 0.0f;
        const Real scale = some ? 2.0f * valley_depth / heights : splat_real(0.0f), depth = opposed * scale;
        height -= some ? depth : splat_real(0.0f);
        gradient = gradient - (opposed_gradient * scale - heights_gradient * (some ? depth / heights : splat_real(0.0f)));
    }
};

// Sums for the blend of several wrinkles: h = (Σ h_w⁴)^(1/4) - γ D, and its gradient Σ (h_w / h)³ ∇h_w - γ ∇D.
struct Blend {
    Real fourth_powers = splat_real(0.0f);
    Triple gradient = zero_triple();
    // most points are on one wrinkle: the valley terms of this wrinkle are computed only if a second wrinkle follows
    int count = 0;
    Elevation first;
    Valleys valleys;

    void add(const Elevation& one) {
        if (lane_bits(one.height > 0.0f) == 0) {
            return;
        }
        const Real cube = one.height * one.height * one.height;
        fourth_powers += cube * one.height;
        gradient = gradient + one.gradient * cube;
        if (count++ == 0) {
            first = one;
            return;
        }
        if (count == 2) {
            valleys.add(first);
        }
        valleys.add(one);
    }
    HeightAndGradient result() const {
        const Real root = sqrt(fourth_powers);
        Real height = sqrt(root);
        const Real cube = root * height;
        Triple slope = gradient * (cube > 0.0f ? 1.0f / cube : splat_real(0.0f));
        if (count > 1) {
            valleys.dig(height, slope);
        }
        return {height, slope};
    }
};

// Adds the samples of a run to the sums at p. normal: interpolated normal of the cloth at p, at rest; used only if
// run.turns is 1. Otherwise φ_k and the opening are 1.
inline void add_run(const PathPatch& patch, const PathRun& run, Triple p, Triple normal, Sums& sums) {
    const PathPoint *point = patch.points + run.first, *end = point + run.count;
    if (!run.turns) {
        for (; point < end; ++point) {
            sums.add(*point, p, [](const PathPoint&, Real&) { return splat_real(1.0f); });
        }
        return;
    }
    for (; point < end; ++point) {
        sums.add(*point, p, [&](const PathPoint& own, Real& near) {
            const Real x = clamp(1.0f + 2.0f * dot(normal, splat_triple(own.normal)), splat_real(0.0f), splat_real(1.0f));
            const Real share = x * x * (3.0f - 2.0f * x), most = min(near, share);
            near = run.opening < most ? near * (run.opening / most) : near;
            return share;
        });
    }
}

// Returns the blended height and gradient of the wrinkles in the runs [first, last) at p.
inline HeightAndGradient elevation(const PathPatch& patch, int first, int last, Triple p, Triple normal) {
    Blend blend;
    for (int i = first; i < last;) {
        Sums sums;
        // runs are sorted by wrinkle, so both triangles of an edge add the same terms in the same order and get the
        // same bits
        const float wrinkle = patch.points[patch.runs[i].first].wrinkle;
        for (; i < last && patch.points[patch.runs[i].first].wrinkle == wrinkle; ++i) {
            add_run(patch, patch.runs[i], p, normal, sums);
        }
        if (lane_bits(sums.weight > least_weight_sum) != 0) {
            blend.add(sums.mean());
        }
    }
    return blend.result();
}

// Returns the height and gradient at the barycentric coordinates b: the mean of the results for the lines of the
// earlier and the later step, with the weights 1 - patch.share and patch.share.
inline HeightAndGradient elevation(const PathPatch& patch, const Real (&b)[3]) {
    const Triple p = interpolate(patch.corners, b), normal = interpolate(patch.normals, b);
    const HeightAndGradient later = elevation(patch, patch.earlier_count, patch.run_count, p, normal);
    if (!(patch.share < 1.0f)) {
        return later;
    }
    const HeightAndGradient earlier = elevation(patch, 0, patch.earlier_count, p, normal);
    const Real share = splat_real(patch.share), rest = splat_real(1.0f - patch.share);
    return {earlier.height * rest + later.height * share, earlier.gradient * rest + later.gradient * share};
}

// Converts a gradient from the cloth at rest to the current cloth, with the matrices of the corners interpolated at b.
inline Triple carry(const PathPatch& patch, const Real (&b)[3], Triple gradient) {
    Triple result = zero_triple();
    for (int k = 0; k < 3; ++k) {
        const auto& rows = patch.carriers[k];
        const Triple own = {dot(splat_triple(rows[0]), gradient), dot(splat_triple(rows[1]), gradient),
                            dot(splat_triple(rows[2]), gradient)};
        result = result + own * b[k];
    }
    return result;
}

inline void add_to(float* array, Real value) {
    store(array, load_real(array) + value);
}

void add_path_heights(const PathPatch& patch, const HeightBlock& block) {
    for (int64_t i = 0; i < block.count; i += native_lanes) {
        const Real b[3] = {load_real(block.barycentric[0] + i), load_real(block.barycentric[1] + i),
                           load_real(block.barycentric[2] + i)};
        const HeightAndGradient e = elevation(patch, b);
        if (lane_bits(e.height > 0.0f) == 0) {
            continue;
        }
        const Triple gradient = carry(patch, b, e.gradient);
        add_to(block.height + i, e.height);
        add_to(block.gradient[0] + i, gradient.x);
        add_to(block.gradient[1] + i, gradient.y);
        add_to(block.gradient[2] + i, gradient.z);
    }
}

constexpr PathHeightKernels kernels = {.add_path_heights = add_path_heights};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::PathHeightKernels ruckle::PathHeightKernels::RUCKLE_INSTRUCTION_SET =
    ruckle::RUCKLE_INSTRUCTION_SET::kernels;
