// Functions of numeric/functions.h for kernels, with the same bits: one number per SIMD lane. A vector has half as many
// lanes in double precision as in float32.
#pragma once

#include "numeric/lanes.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

template <int N>
inline Doubles<N> splat_double(double value) {
    return Doubles<N>{} + value;
}

// Returns the absolute value: clears the sign bit.
template <int N>
inline Doubles<N> wide_abs(Doubles<N> a) {
    return (Doubles<N>)((Longs<N>)a & 0x7fffffffffffffff);
}

// Returns c₀ + c₁ x + c₂ x² + ..., with the coefficients c₀, c₁, ... as arguments.
template <int N, class... Rest>
inline Doubles<N> polynomial(Doubles<N> x, double first, Rest... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return splat_double<N>(first);
    } else {
        return first + x * polynomial<N>(x, rest...);
    }
}

// Returns the results of arc_tangent in numeric/functions.h, computed by the same operations in the same order.
// Comments there explain the steps.
template <int N>
inline Doubles<N> wide_arc_tangent(Doubles<N> y, Doubles<N> x) {
    constexpr double pi = 3.14159265358979323846;
    const Doubles<N> zero = {}, one = splat_double<N>(1.0);
    const Doubles<N> up = wide_abs<N>(y), along = wide_abs<N>(x);
    Doubles<N> low = up < along ? up : along, high = up < along ? along : up;
    const Doubles<N> sum = low + high;
    const Longs<N> has_ratio = (high > 0.0) & (high <= __DBL_MAX__);
    const Doubles<N> alone = sum != sum ? sum : ((low == high) & (high > 0.0)) ? one : zero;
    low = has_ratio ? low : alone;
    high = has_ratio ? high : one;
    const Longs<N> middle = low > 0.198912367379658 * high, steep = low > 0.66817863791929892 * high;
    const Doubles<N> tangent = steep ? one : middle ? splat_double<N>(0.41421356237309505) : zero;
    const Doubles<N> from = steep ? splat_double<N>(pi / 4) : middle ? splat_double<N>(pi / 8) : zero;
    const Doubles<N> t = (low - tangent * high) / (high + tangent * low);
    Doubles<N> angle = from + t * polynomial<N>(t * t, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13);
    angle = up <= along ? angle : pi / 2 - angle;
    angle = (Longs<N>)x < 0 ? pi - angle : angle;
    return (Longs<N>)y < 0 ? -angle : angle;
}

// Returns the angles of the directions (x, y) in radians, in [-π, π], computed in double precision.
template <int N>
inline Floats<N> arc_tangent(Floats<N> y, Floats<N> x) {
    constexpr int part = N == 1 ? 1 : N / 2;
    Floats<N> angles;
    for (int begin = 0; begin < N; begin += part) {
        const auto wide = [begin](const Floats<N>& from) {
            return __builtin_convertvector(load<Floats<part>>((const float*)&from + begin), Doubles<part>);
        };
        store((float*)&angles + begin, __builtin_convertvector(wide_arc_tangent<part>(wide(y), wide(x)), Floats<part>));
    }
    return angles;
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
