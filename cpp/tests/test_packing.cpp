// Unpacked words of tables are equal to the packed values, with the precision that the shaders require.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "numeric/dispatch.h"
#include "numeric/packing.h"
#include "ruckle/types.h"
#include "surface/texel_kernel.h"

namespace ruckle::tests {

namespace {

// the same unpacking as in shaders/common/cloth_table.glsl
float from_half(std::uint32_t half) {
    const std::uint32_t bits = (half & 0x8000u) << 16 | (half & 0x7fffu) << 13;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return std::ldexp(value, 112);
}

float from_share(std::uint32_t share) {
    return static_cast<float>(static_cast<std::int16_t>(share & 0xffffu)) / 32767.0f;
}

Vector3 from_direction(std::uint32_t word) {
    const float x = from_share(word), y = from_share(word >> 16);
    Vector3 along(x, y, 1.0f - std::abs(x) - std::abs(y));
    if (along[2] < 0.0f) {
        along[0] = std::copysign(1.0f - std::abs(y), x);
        along[1] = std::copysign(1.0f - std::abs(x), y);
    }
    return along.normalized();
}

}  // namespace

TEST(halves_are_the_nearest) {
    CHECK(half_of(1.0f) == 0x3c00u && half_of(-2.0f) == 0xc000u && half_of(0.0f) == 0u && half_of(65504.0f) == 0x7bffu);
    // ties round to even; numbers out of range are clamped, or become 0
    CHECK(half_of(1.0f + 0x1p-11f) == 0x3c00u && half_of(1.0f + 3 * 0x1p-11f) == 0x3c02u && half_of(2.0f - 0x1p-12f) == 0x4000u);
    CHECK(half_of(1e9f) == 0x7bffu && half_of(-std::numeric_limits<float>::infinity()) == 0xfbffu && half_of(6e-5f) == 0u);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> exponents(-13.9f, 15.9f);
    for (int i = 0; i < 10000; ++i) {
        const float value = std::exp2(exponents(random)) * (i % 2 ? 1.0f : -1.0f);
        CHECK(std::abs(from_half(half_of(value)) - value) <= 0x1p-11f * std::abs(value));
    }
    CHECK(halves(1.0f, -2.0f) == 0xc0003c00u);
}

TEST(shares_are_within_half_a_step) {
    for (int i = -1000; i <= 1000; ++i) {
        const float value = 0.001f * static_cast<float>(i);
        const std::uint32_t word = shares(value, -value);
        CHECK(std::abs(from_share(word) - value) <= 1.6e-5f && std::abs(from_share(word >> 16) + value) <= 1.6e-5f);
    }
    CHECK(shares(1.1f, -1.1f) == shares(1.0f, -1.0f));
    const float endless = std::numeric_limits<float>::infinity();
    CHECK(shares(endless, -endless) == shares(1.0f, -1.0f) && shares(std::nanf(""), 0.0f) == shares(-1.0f, 0.0f));
}

TEST(whole_shares_stay_in_their_range) {
    for (int i = 0; i <= 1000; ++i) {
        const float share = 0.001f * static_cast<float>(i), most = 1048575.0f;
        const auto nearest = static_cast<float>(whole_share(share, most)), least = static_cast<float>(least_share(share, most));
        CHECK(std::abs(nearest - share * most) <= 0.5f && least <= share * most && least > share * most - 1.0f);
    }
    const float endless = std::numeric_limits<float>::infinity();
    CHECK(whole_share(endless, 4094.0f) == 4094u && whole_share(-endless, 4094.0f) == 0u && whole_share(1.0f, 4094.0f) == 4094u);
    CHECK(whole_share(std::nanf(""), 4094.0f) == 0u && least_share(std::nanf(""), 65535.0f) == 0u &&
          least_share(2.0f, 7.0f) == 7u);
}

TEST(directions_are_within_7e_5) {
    std::vector<Vector3> units{Vector3(0.0f, 0.0f, 0.0f)};
    for (int k = 0; k < 3; ++k) {
        units.insert(units.end(), {Vector3::Unit(k), -Vector3::Unit(k)});
    }
    const std::size_t exact = units.size();
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (int i = 0; i < 20000; ++i) {
        Vector3 unit(normal(random), normal(random), normal(random));
        if (i % 4 == 0) {
            unit[i / 4 % 3] = 0.0f;
        }
        units.push_back(unit.normalized());
    }
    std::vector<std::uint32_t> words(units.size());
    kernels<TexelKernels>().pack_directions(units.data()->data(), words.data(), static_cast<std::int64_t>(units.size()));
    constexpr std::uint32_t no_direction = 0x80008000u;
    CHECK(words[0] == no_direction);
    float worst = 0.0f;
    for (std::size_t i = 1; i < units.size(); ++i) {
        CHECK(words[i] != no_direction);
        const float error = (from_direction(words[i]) - units[i]).norm();
        CHECK(i >= exact || error < 1e-6f);
        worst = std::max(worst, error);
    }
    CHECK(worst > 1e-5f && worst < 7e-5f);
}

}  // namespace ruckle::tests
