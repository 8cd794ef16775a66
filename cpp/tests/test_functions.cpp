// Compares the elementary functions of the core with long double. Errors are in units of the last place of the result.
#include <algorithm>
#include <cmath>
#include <limits>

#include "check.h"
#include "meshes.h"
#include "numeric/functions.h"

namespace ruckle::tests {

namespace {

// Returns the error in units of the last place of a float or double; the type Real determines the precision.
template <class Real>
double error(Real found, long double truth) {
    int exponent = 0;
    std::frexp(truth, &exponent);
    const int last = std::max(exponent - std::numeric_limits<Real>::digits,
                              std::numeric_limits<Real>::min_exponent - std::numeric_limits<Real>::digits);
    return static_cast<double>(std::abs(static_cast<long double>(found) - truth) / std::ldexp(1.0L, last));
}

constexpr int sample_count = 200000;
constexpr double nearly_rounded = 0.501;

// Returns a random number of either sign, with a magnitude whose logarithm is evenly distributed.
float number(Random& random, float least_exponent, float most_exponent) {
    const float size = std::exp2(least_exponent + (most_exponent - least_exponent) * random.unit());
    return random.below(2) ? size : -size;
}

}  // namespace

TEST(exact_functions_of_angles) {
    Random random{1};
    double worst = 0.0;
    for (int i = 0; i < sample_count; ++i) {
        const float angle = number(random, -40.0f, 16.6f);
        const auto [sine, cosine] = sine_and_cosine(angle);
        worst = std::max({worst, error(sine, std::sin(static_cast<long double>(angle))),
                          error(cosine, std::cos(static_cast<long double>(angle)))});
    }
    CHECK(worst < nearly_rounded);
    CHECK(sine_and_cosine(0.0f).sine == 0.0f && sine_and_cosine(0.0f).cosine == 1.0f);
}

TEST(exact_functions_arc_tangent) {
    Random random{2};
    double worst = 0.0;
    for (int i = 0; i < sample_count; ++i) {
        const float y = number(random, -20.0f, 20.0f), x = number(random, -20.0f, 20.0f);
        worst = std::max(worst, error(arc_tangent(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
    }
    CHECK(worst < nearly_rounded);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float y : {0.0f, -0.0f, 1.0f, -2.0f, 1e-42f, infinity, -infinity}) {
        for (const float x : {0.0f, -0.0f, 1.0f, -2.0f, 3e38f, infinity, -infinity}) {
            CHECK(arc_tangent(y, x) == static_cast<float>(std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
            CHECK(std::signbit(arc_tangent(y, x)) == std::signbit(y));
        }
    }
    CHECK(std::isnan(arc_tangent(std::nanf(""), 1.0f)) && std::isnan(arc_tangent(1.0f, std::nanf(""))));
}

TEST(exact_functions_exponential_and_power) {
    Random random{3};
    double worst = 0.0;
    for (int i = 0; i < sample_count; ++i) {
        const float x = 200.0f * random.unit() - 105.0f;
        const long double truth = std::exp(static_cast<long double>(x));
        if (truth < static_cast<long double>(std::numeric_limits<float>::max())) {
            worst = std::max(worst, error(exponential(x), truth));
        }
        const float base = std::abs(number(random, -10.0f, 10.0f)), exponent = number(random, -10.0f, 3.0f);
        worst = std::max(
            worst, error(power(base, exponent), std::pow(static_cast<long double>(base), static_cast<long double>(exponent))));
    }
    CHECK(worst < nearly_rounded);
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(exponential(0.0f) == 1.0f && exponential(1e6f) == infinity && exponential(-1e6f) == 0.0f);
    CHECK(std::isnan(exponential(std::nanf(""))));
    CHECK(power(0.0f, 0.0f) == 1.0f && power(0.0f, 2.0f) == 0.0f && power(0.0f, -1.0f) == infinity);
    CHECK(power(1.0f, 1e9f) == 1.0f && power(1.15f, 3e7f) == infinity && power(0.5f, 3e7f) == 0.0f);
}

TEST(exact_functions_in_doubles) {
    Random random{4};
    double worst = 0.0, worst_share = 0.0;
    for (int i = 0; i < sample_count; ++i) {
        const double x = std::exp2(60.0 * static_cast<double>(random.unit()) - 30.0);
        const auto truly = static_cast<long double>(x);
        worst = std::max({worst, error(logarithm(x), std::log(truly)), error(inverse_hyperbolic_sine(x), std::asinh(truly)),
                          error(cube_root(x), std::cbrt(truly))});
        const long double power_of_e = std::exp(40 / truly), angle = std::atan2(truly, 1.0L);
        if (x > 0.1) {
            worst_share = std::max(worst_share, static_cast<double>(std::abs(exponential(40.0 / x) / power_of_e - 1)));
        }
        worst_share = std::max(worst_share, static_cast<double>(std::abs(arc_tangent(x, 1.0) / angle - 1)));
    }
    CHECK(worst < 4.0);
    CHECK(worst_share < 2e-11);
    CHECK(logarithm(1.0) == 0.0 && inverse_hyperbolic_sine(0.0) == 0.0 && cube_root(1.0) == 1.0);
}

}  // namespace ruckle::tests
