// Sine, cosine and arc tangent of several numbers at once, one per SIMD lane; for kernels only (see numeric/lanes.h).
//
// Guarantees: a result has the same bits for any number of lanes. The absolute errors of sines and cosines are below
// 4e-7 for angles up to 1e3, and those of arc tangents are below 1e-6 radians.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

template <int N>
struct Turns {
    Floats<N> cosine, sine;
};

// Returns cosine and sine of angles in radians, which are clamped to ±1e6.
template <int N>
inline Turns<N> turns_of(Floats<N> angle) {
    const Floats<N> bounded = min(max(angle, splat<N>(-1e6f)), splat<N>(1e6f));
    const Ints<N> halves = nearest<N>(bounded * 0.318309886f);
    // x is the angle minus the nearest multiple of π, |x| <= π/2. π is subtracted in two parts, because π has more
    // digits than a float
    const Floats<N> whole = to_floats<N>(halves), x = (bounded - whole * 3.140625f) - whole * 9.67653589793e-4f, s = x * x;
    // polynomials with the smallest maximum error: 5e-9 (sine) and 5.3e-8 (cosine)
    const Floats<N> sine = x + x * s * (((s * 2.60004884e-6f - 1.98066126e-4f) * s + 8.33301726e-3f) * s - 1.66666571e-1f);
    const Floats<N> cosine = (((s * 2.31943182e-5f - 1.38559244e-3f) * s + 4.16639891e-2f) * s - 4.99999323e-1f) * s + 1.0f;
    // both results change their sign if the number of half turns is odd
    const Ints<N> sign = halves << 31;
    return {(Floats<N>)((Ints<N>)cosine ^ sign), (Floats<N>)((Ints<N>)sine ^ sign)};
}

// Returns the angles of the directions (x, y) in radians, in [-π, π]. The angle of (0, 0) is 0.
template <int N>
inline Floats<N> arc_tangent(Floats<N> y, Floats<N> x) {
    const Floats<N> up = abs<N>(y), along = abs<N>(x);
    const Floats<N> low = min(up, along), high = max(max(up, along), splat<N>(1e-30f));
    // t is the tangent of the difference to the nearer of the angles 0 and π/4, so |t| is at most tan(π/8)
    const Ints<N> steep = low > high * 0.41421356f;
    const Floats<N> t = (steep ? low - high : low) / (steep ? low + high : high), s = t * t;
    // Taylor series; the first omitted term is t^13 / 13 < 9e-7
    Floats<N> p = s * (-1.0f / 11) + 1.0f / 9;
    p = p * s - 1.0f / 7;
    p = p * s + 1.0f / 5;
    p = p * s - 1.0f / 3;
    Floats<N> angle = t + t * s * p + (steep ? splat<N>(0.785398163f) : splat<N>(0.0f));
    angle = up > along ? 1.57079633f - angle : angle;
    angle = x < 0.0f ? 3.14159265f - angle : angle;
    return copy_sign<N>(angle, y);
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
