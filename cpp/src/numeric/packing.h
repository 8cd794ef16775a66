// Packs numbers into 32-bit words of a table that shaders/common/cloth_table.glsl reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ruckle {

// Returns the bits of a float.
inline std::uint32_t word_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Returns the bits of the nearest 16-bit float. The magnitude is clamped to 65504, also for NaN. Magnitudes below 2^-14
// become 0, because many graphics cards round such numbers to 0.
inline std::uint32_t half_of(float value) {
    const std::uint32_t bits = word_of(value), size = std::min(bits & 0x7fffffffu, 0x477fe000u);
    // a number in the middle of two 16-bit floats is rounded to the even one
    const std::uint32_t rounded = size < 0x38800000u ? 0u : (size - 0x38000000u + 0xfffu + ((size >> 13) & 1u)) >> 13;
    return ((bits >> 16) & 0x8000u) | rounded;
}

// Converts the bits of a 16-bit float from half_of to a float.
inline float float_of(std::uint32_t half) {
    const std::uint32_t size = half & 0x7fffu, bits = (half & 0x8000u) << 16 | (size == 0 ? 0u : (size << 13) + 0x38000000u);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns two 16-bit floats in one word, the first in the lower half.
inline std::uint32_t halves(float first, float second) {
    return half_of(first) | half_of(second) << 16;
}

// Returns a value, clamped to [-1, 1], as a 16-bit multiple of 1 / 32767. NaN (from surfaces that have overflowed)
// becomes -1, because std::max returns its first argument.
inline std::uint32_t share_of(float value) {
    const float bounded = std::min(1.0f, std::max(-1.0f, value));
    // add 32768.5 before the conversion, because it rounds toward 0, and subtract 32768 after it
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(32767.0f * bounded + 32768.5f) - 32768) & 0xffffu;
}

// Returns two numbers packed by share_of in one word, the first in the lower half.
inline std::uint32_t shares(float first, float second) {
    return share_of(first) | share_of(second) << 16;
}

// Returns share × most, rounded to the nearest integer and clamped to [0, most]; 0 for NaN.
inline std::uint32_t whole_share(float share, float most) {
    return static_cast<std::uint32_t>(std::min(most, std::max(0.0f, share * most + 0.5f)));
}

// Returns share × most, rounded down and clamped to [0, most]; 0 for NaN.
inline std::uint32_t least_share(float share, float most) {
    return static_cast<std::uint32_t>(std::min(most, std::max(0.0f, share * most)));
}

}  // namespace ruckle
