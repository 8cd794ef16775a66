// Sines, cosines and arc tangents of several numbers at once, one per lane; for kernels only (see numeric/lanes.h).
//
// Guarantees: the same bits for any number of lanes; absolute errors below 4e-7 for angles up to 1e3, below 1e-6 radians for arc
// tangents.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

template <int N>
struct Turns {
    Floats<N> cosine, sine;
};

// Sine and cosine of an angle in radians, clamped to 1e6.
template <int N>
inline Turns<N> turns_of(Floats<N> angle) {
    const Floats<N> bounded = min(max(angle, splat<N>(-1e6f)), splat<N>(1e6f));
    const Ints<N> quarter = nearest<N>(bounded * 0.636619772f);
    // the rest of the nearest quarter turn, at most π/4; π/2 in two parts, because it has more digits than a float
    const Floats<N> whole = to_floats<N>(quarter), x = (bounded - whole * 1.5703125f) - whole * 4.83826794897e-4f, s = x * x;
    // Taylor series; left out: x^9 / 9! < 4e-7 and x^10 / 10! < 3e-8
    const Floats<N> sine = x * (((s * (-1.0f / 5040) + 1.0f / 120) * s - 1.0f / 6) * s + 1.0f);
    const Floats<N> cosine = (((s * (1.0f / 40320) - 1.0f / 720) * s + 1.0f / 24) * s - 0.5f) * s + 1.0f;
    const Ints<N> odd = (quarter & 1) != 0;
    const Floats<N> first = odd ? sine : cosine, second = odd ? cosine : sine;
    return {(((quarter + 1) & 2) != 0) ? -first : first, ((quarter & 2) != 0) ? -second : second};
}

// Angle of the direction (x, y), in [-π, π]; that of (0, 0) is 0 or π.
template <int N>
inline Floats<N> arc_tangent(Floats<N> y, Floats<N> x) {
    const Floats<N> up = abs<N>(y), along = abs<N>(x);
    const Floats<N> low = min(up, along), high = max(max(up, along), splat<N>(1e-30f));
    // measured from 0 or from π/4, so that the tangent is at most tan(π/8)
    const Ints<N> steep = low > high * 0.41421356f;
    const Floats<N> t = (steep ? low - high : low) / (steep ? low + high : high), s = t * t;
    // Taylor series; left out: t^13 / 13 < 9e-7
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
