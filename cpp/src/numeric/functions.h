// Elementary functions with the same bits on every machine. C libraries round differently; these functions use only IEEE 754
// operations (+ - * / and square root) in double precision.
//
// Guarantees: float results are within 0.501 units in the last place. Double results have relative errors below 2e-11;
// logarithm, asinh and cube root are within 4 units in the last place.
//
// Method: the argument is reduced to a small range around 0 or around a few constants, and a Taylor series is evaluated
// there.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace ruckle {

// Returns c₀ + c₁ x + c₂ x² + ..., with the coefficients c₀, c₁, ... as arguments.
template <class... Rest>
double polynomial(double x, double first, Rest... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return first;
    } else {
        return first + x * polynomial(x, rest...);
    }
}

struct SineAndCosine {
    float sine, cosine;
};

// Returns sine and cosine of an angle in radians, |angle| <= 1e5.
inline SineAndCosine sine_and_cosine(double angle) {
    // adding this number rounds a value to an integer, whose lowest bits are then the lowest bits of the sum
    constexpr double to_whole = 0x1.8p52;
    const double turned = angle * (2.0 / std::numbers::pi) + to_whole, quarters = turned - to_whole;
    // x is the angle minus the nearest multiple of π/2, |x| <= π/4. π/2 is subtracted in two parts, because π/2 has
    // more digits than a double
    const double x = (angle - quarters * 0x1.921fb544p+0) - quarters * 0x1.0b4611a626331p-34, s = x * x;
    // omitted terms: x^13 / 13! < 7e-12 and x^14 / 14! < 4e-13
    const double sine = x * polynomial(s, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800);
    const double cosine = polynomial(s, 1.0, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600);
    const auto quarter = __builtin_bit_cast(std::uint64_t, turned) & 3;
    const double first = quarter & 1 ? cosine : sine, second = quarter & 1 ? sine : cosine;
    return {static_cast<float>(quarter & 2 ? -first : first),
            static_cast<float>(quarter == 1 || quarter == 2 ? -second : second)};
}

// Returns the angle of the direction (x, y) in radians, in [-π, π]. The angle of (0, 0) is 0, or ±π if x is -0, as in
// std::atan2.
inline double arc_tangent(double y, double x) {
    const double up = std::abs(y), along = std::abs(x);
    double low = up < along ? up : along, high = up < along ? along : up;
    if (!(high > 0.0 && high <= std::numeric_limits<double>::max())) {
        // replace the ratio of two zeros (by 0) or of two infinities (by 1), which is undefined; NaN remains NaN
        low = std::isinf(high) && low == high ? 1.0 : std::isnan(low + high) ? low + high : 0.0;
        high = 1.0;
    }
    // t is the tangent of the difference to the nearest of the angles 0, π/8 and π/4, so |t| is at most tan(π/16)
    const bool middle = low > 0.198912367379658 * high, steep = low > 0.66817863791929892 * high;
    const double tangent = steep ? 1.0 : middle ? 0.41421356237309505 : 0.0;
    const double from = steep ? std::numbers::pi / 4 : middle ? std::numbers::pi / 8 : 0.0;
    const double t = (low - tangent * high) / (high + tangent * low);
    // omitted term: t^15 / 15 < 2e-12
    double angle = from + t * polynomial(t * t, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13);
    angle = up <= along ? angle : std::numbers::pi / 2 - angle;
    angle = std::signbit(x) ? std::numbers::pi - angle : angle;
    return std::signbit(y) ? -angle : angle;
}

inline float arc_tangent(float y, float x) {
    return static_cast<float>(arc_tangent(static_cast<double>(y), static_cast<double>(x)));
}

// Returns ln((1 + s) / (1 - s)) for |s| <= 0.172.
inline double logarithm_of_ratio(double s) {
    // omitted term: s^23 / 23, below 1e-18 of the result
    return 2.0 * s *
           polynomial(s * s, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21);
}

// Returns the natural logarithm of a positive normal number.
inline double logarithm(double x) {
    // x = m 2^e with m in [√½, √2)
    const auto bits = static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, x)) - 0x3fe6a09e667f3bcd;
    const auto exponent = static_cast<double>(bits >> 52);
    const double m = __builtin_bit_cast(double, (bits & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    return exponent * std::numbers::ln2 + logarithm_of_ratio((m - 1.0) / (m + 1.0));
}

// Returns e^x. x is clamped to ±700, where e^x is outside the range of floats. NaN remains NaN.
inline double exponential(double x) {
    x = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
    if (std::isnan(x)) {
        return x;
    }
    // e^x = 2^n e^r with |r| <= ln 2 / 2
    const double n = std::rint(x * std::numbers::log2e), r = (x - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b4p-40;
    // omitted term: r^10 / 10! < 7e-12
    const double scaled =
        polynomial(r, 1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880);
    return scaled * __builtin_bit_cast(double, (static_cast<std::int64_t>(n) + 1023) << 52);
}

// Returns e^x in single precision; 0 or infinity if the result is outside the range of floats.
inline float exponential(float x) {
    return static_cast<float>(exponential(static_cast<double>(x)));
}

// Returns base^exponent for base >= 0. For base 0: 1 if the exponent is 0, infinity if it is negative, else 0.
inline float power(float base, float exponent) {
    if (base == 0.0f) {
        return exponent == 0.0f ? 1.0f : exponent > 0.0f ? 0.0f : std::numeric_limits<float>::infinity();
    }
    return static_cast<float>(exponential(static_cast<double>(exponent) * logarithm(static_cast<double>(base))));
}

// Returns the cube root of a positive normal number.
inline double cube_root(double x) {
    // one Newton step doubles the number of correct digits
    const double first = exponential(logarithm(x) / 3.0);
    return first - (first - x / (first * first)) / 3.0;
}

// Returns asinh x = ln(x + √(1 + x²)) for 0 <= x <= 1e100.
inline double inverse_hyperbolic_sine(double x) {
    // excess is x + √(1 + x²) - 1, computed without a difference of nearly equal numbers
    const double excess = x + x * x / (1.0 + std::sqrt(1.0 + x * x));
    return excess < 0.4 ? logarithm_of_ratio(excess / (2.0 + excess)) : logarithm(1.0 + excess);
}

}  // namespace ruckle
