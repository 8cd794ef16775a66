// Edge matrices, stretch (4.1) and reference update (4.2), one triangle per SIMD lane.
#include "field/stretch_kernel.h"

#include "constants.h"
#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

void edge_matrices(const float* positions, const int32_t* faces, int64_t begin, int64_t end, float* matrices) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        Floats<4> first[N], second[N];
        for (int k = 0; k < N; ++k) {
            const int32_t* face = faces + 3 * (i + k);
            const Floats<4> origin = load_triple(positions + 3 * (int64_t)face[0]);
            first[k] = load_triple(positions + 3 * (int64_t)face[1]) - origin;
            second[k] = load_triple(positions + 3 * (int64_t)face[2]) - origin;
        }
        const Quads<N> e = transpose<N>(first), f = transpose<N>(second);
        const Floats<N> length = sqrt(e.a * e.a + e.b * e.b + e.c * e.c);
        // the height of the second edge above the first is |e × f| / |e|: the difference in √(|f|² - along²) would lose
        // all digits for slivers
        const Floats<N> x = e.b * f.c - e.c * f.b, y = e.c * f.a - e.a * f.c, z = e.a * f.b - e.b * f.a;
        // if the first edge has length 0, the matrix has determinant 0
        const Floats<N> inverse = length > 0.0f ? 1.0f / length : splat<N>(0.0f);
        const Floats<N> along = (e.a * f.a + e.b * f.b + e.c * f.c) * inverse;
        const Floats<N> across = sqrt(x * x + y * y + z * z) * inverse;
        // products that overflow are infinite or NaN and fail this comparison: such a triangle also gets a matrix with
        // determinant 0
        const Floats<N> zero = splat<N>(0.0f);
        const Ints<N> fits = length + abs<N>(along) + across <= __FLT_MAX__;
        store_quads<N>(matrices + 4 * i, {fits ? length : zero, fits ? along : zero, zero, fits ? across : zero});
    });
}

// The deformation gradient F = A Σ Bᵀ of a triangle (stretch.h) and its parts, by the closed form for 2x2 matrices. Let
// α and β be the angles of the rotations A and B, m = (σ1 + σ2)/2 and s = (σ1 - σ2)/2. Then (e, h) = m (cos(α - β),
// sin(α - β)) and (f, g) = s (cos(α + β), sin(α + β)).
template <int N>
struct Deformation {
    Floats<N> a, b, c, d;  // entries of F, row by row; the identity if degenerate
    Floats<N> e, h, f, g;
    Floats<N> mean, spread;  // mean (σ1 + σ2)/2 and half difference (σ1 - σ2)/2 of the stretches
    Floats<N> max, determinant;
    Ints<N> degenerate;  // mask of triangles that have collapsed, now or in the reference
    // mask of triangles whose reference has collapsed, or is much too small, but whose current shape has not collapsed
    Ints<N> adopt_current;
};

// Returns the deformation from the reference r to the current triangle u (edge matrices, row by row).
template <int N>
inline Deformation<N> deformation(Quads<N> r, Quads<N> u) {
    const Floats<N> area_r = r.a * r.d - r.b * r.c, area_u = u.a * u.d - u.b * u.c;
    const Floats<N> size_r = r.a * r.a + r.b * r.b + r.c * r.c + r.d * r.d;
    const Floats<N> size_u = u.a * u.a + u.b * u.b + u.c * u.c + u.d * u.d;
    // a subnormal area has few digits, and its inverse overflows
    const Floats<N> least = splat<N>(__FLT_MIN__);
    const Ints<N> sound_r = area_r > max(sliver_ratio * size_r, least), sound_u = area_u > max(sliver_ratio * size_u, least);
    const Ints<N> outgrown = area_u > area_ratio_limit * area_r, collapsed = area_r > area_ratio_limit * area_u;
    const Ints<N> sound = sound_r & sound_u & ~(outgrown | collapsed);

    const Floats<N> inverse = 1.0f / area_r;
    Deformation<N> t;
    t.degenerate = ~sound;
    t.adopt_current = sound_u & (~sound_r | outgrown);
    t.a = (u.a * r.d - u.b * r.c) * inverse;
    t.b = (u.b * r.a - u.a * r.b) * inverse;
    t.c = (u.c * r.d - u.d * r.c) * inverse;
    t.d = (u.d * r.a - u.c * r.b) * inverse;
    t.determinant = area_u * inverse;
    // degenerate triangles are rare: skip this selection if all triangles are sound. Degenerate triangles get the
    // identity
    if (any<N>(t.degenerate)) {
        const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);
        t.a = sound ? t.a : one;
        t.b = sound ? t.b : zero;
        t.c = sound ? t.c : zero;
        t.d = sound ? t.d : one;
        t.determinant = sound ? t.determinant : one;
    }
    t.e = (t.a + t.d) * 0.5f;
    t.f = (t.a - t.d) * 0.5f;
    t.g = (t.c + t.b) * 0.5f;
    t.h = (t.c - t.b) * 0.5f;
    t.mean = sqrt(t.e * t.e + t.h * t.h);
    t.spread = sqrt(t.f * t.f + t.g * t.g);
    t.max = t.mean + t.spread;
    return t;
}

// Stores the axis of the smaller stretch, (-sin α, cos α); zero for lanes that are not in the mask `directed`, or if
// both stretches are equal. The vector (x, y) has the angle 2α = (α + β) + (α - β). So (cos α, sin α) bisects the angle
// between (x, y) and the positive x axis. If x < 0, the components are exchanged to avoid cancellation.
template <int N>
inline void store_axis(float* axis, const Deformation<N>& t, Ints<N> directed) {
    const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);
    // the axis is undefined if both stretches are equal
    directed = directed & (t.spread > isotropic_ratio * t.mean);
    const Floats<N> x = t.f * t.e - t.g * t.h, y = t.f * t.h + t.g * t.e;
    const Floats<N> length = t.mean * t.spread;  // length of the vector (x, y)
    const Floats<N> far = length + abs<N>(x);
    const Floats<N> scale = 1.0f / sqrt(directed ? 2.0f * length * far : one);
    const Floats<N> larger = far * scale, smaller = abs<N>(y) * scale;
    const Ints<N> flat = x >= 0.0f;
    const Floats<N> cos_a = flat ? larger : smaller, sin_a = copy_sign<N>(flat ? smaller : larger, y);
    const Floats<N> out_x = directed ? -sin_a : zero, out_y = directed ? cos_a : zero;
    if constexpr (N == 1) {
        axis[0] = out_x[0], axis[1] = out_y[0];
    } else if constexpr (N == 4) {
        store(axis, __builtin_shufflevector(out_x, out_y, 0, 4, 1, 5));
        store(axis + 4, __builtin_shufflevector(out_x, out_y, 2, 6, 3, 7));
    } else {
        store(axis, __builtin_shufflevector(out_x, out_y, 0, 8, 1, 9, 2, 10, 3, 11));
        store(axis + 8, __builtin_shufflevector(out_x, out_y, 4, 12, 5, 13, 6, 14, 7, 15));
    }
}

// Stores min, max and compression. Skips results whose pointer is null.
template <int N>
inline void store_stretches(StretchArrays result, int64_t i, Floats<N> min, Floats<N> max, Floats<N> compression) {
    if (result.max) {
        store(result.max + i, max);
    }
    if (result.min) {
        store(result.min + i, min);
    }
    if (result.compression) {
        store(result.compression + i, compression);
    }
}

void stretch(const float* reference, const float* current, StretchArrays result, int64_t begin, int64_t end) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        const auto t = deformation<N>(load_quads<N>(reference + 4 * i), load_quads<N>(current + 4 * i));
        // compute min and compression from max: the difference mean - spread would lose digits if both are nearly equal
        store_stretches<N>(result, i, t.determinant / t.max, t.max, t.max / t.determinant);
        if (result.axis) {
            store_axis<N>(result.axis + 2 * i, t, ~t.degenerate);
        }
        if (result.degenerate) {
            store_bytes<N>(result.degenerate + i, t.degenerate & 1);
        }
    });
}

void update_reference(const float* reference, const float* current, const uint8_t* labels, float relaxation, float* updated,
                      StretchArrays field, int64_t begin, int64_t end) {
    for_lanes(begin, end, [=]<int N>(int64_t i) {
        const Quads<N> r = load_quads<N>(reference + 4 * i), u = load_quads<N>(current + 4 * i);
        Deformation<N> t = deformation<N>(r, u);
        const Ints<N> label = load_bytes<N>(labels + i);
        const Floats<N> one = splat<N>(1.0f), zero = splat<N>(0.0f);

        const Ints<N> relax = (label == 0) & ~t.degenerate;
        // stretched in both directions (determinant > max means σ2 > 1): the fold has opened, and the current triangle
        // becomes the reference
        const Ints<N> unfolded = (label == 2) & (t.determinant > t.max);
        const Ints<N> replace = unfolded | t.adopt_current;
        Floats<N> max_new = t.max, min_new = t.determinant / t.max;
        // skip the update if no lane requires it: most triangles have the label rest, and their reference does not
        // change (4.2)
        if (any<N>(relax | replace)) {
            // relaxation: each stretch σ becomes (1 - ρ) σ + ρ. F' = (1 - ρ) F + ρ A Bᵀ has the same A and B as F
            const Floats<N> rho = relax ? splat<N>(relaxation) : zero, keep = 1.0f - rho;
            const Floats<N> share = rho / t.mean, cos_ab = t.e * share, sin_ab = t.h * share;
            const Floats<N> fa = keep * t.a + cos_ab, fb = keep * t.b - sin_ab;
            const Floats<N> fc = keep * t.c + sin_ab, fd = keep * t.d + cos_ab;
            max_new = replace ? one : keep * max_new + rho;
            min_new = replace ? one : keep * min_new + rho;
            const Floats<N> inverse = 1.0f / (min_new * max_new);
            const auto choose = [&](Floats<N> relaxed, Floats<N> now, Floats<N> before) {
                return replace ? now : (relax ? relaxed : before);
            };
            store_quads<N>(
                updated + 4 * i,
                {choose((fd * u.a - fb * u.c) * inverse, u.a, r.a), choose((fd * u.b - fb * u.d) * inverse, u.b, r.b),
                 choose((fa * u.c - fc * u.a) * inverse, u.c, r.c), choose((fa * u.d - fc * u.b) * inverse, u.d, r.d)});
        } else if (updated != reference) {
            store_quads<N>(updated + 4 * i, r);
        }

        // store the stretches from the new reference, which are known without a new decomposition
        store_stretches<N>(field, i, min_new, max_new, 1.0f / min_new);
        if (field.axis) {
            store_axis<N>(field.axis + 2 * i, t, ~(replace | t.degenerate));
        }
        if (field.degenerate) {
            store_bytes<N>(field.degenerate + i, t.degenerate & ~t.adopt_current & 1);
        }
    });
}

constexpr StretchKernels kernels = {.edge_matrices = edge_matrices, .stretch = stretch, .update_reference = update_reference};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::StretchKernels ruckle::StretchKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
