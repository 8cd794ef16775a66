// Packs shares and directions into table words, with one value per SIMD lane.
#include "surface/texel_kernel.h"

#include "numeric/quads.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Returns 16-bit codes of the values, clamped to [-1, 1]; NaN counts as -1.
template <int N>
inline Ints<N> share_of(Floats<N> value) {
    // with this order of arguments, max returns -1 for NaN
    const Floats<N> bounded = min(max(value, splat<N>(-1.0f)), splat<N>(1.0f));
    return (to_ints<N>(32767.0f * bounded + 32768.5f) - 32768) & 0xffff;
}

// Returns octahedral codes of unit vectors (Meyer et al. 2010): two 16-bit coordinates of the vector projected to an
// octahedron, whose lower half is folded outward. The error is below 7e-5. The code of zero vectors, which do not have
// a direction, and of vectors with NaN is 0x80008000.
template <int N>
inline Ints<N> direction_word(Quads<N> unit) {
    const Floats<N> size = abs<N>(unit.a) + abs<N>(unit.b) + abs<N>(unit.c);
    const Floats<N> x = unit.a / size, y = unit.b / size;
    const Ints<N> lower = unit.c < 0.0f;
    const Floats<N> along = lower ? copy_sign<N>(1.0f - abs<N>(y), x) : x, across = lower ? copy_sign<N>(1.0f - abs<N>(x), y) : y;
    const Ints<N> word = share_of<N>(along) | share_of<N>(across) << 16;
    return size > 0.0f ? word : Ints<N>{} + (int32_t)0x80008000;
}

void pack_shares(const float* values, float factor, uint32_t* shares, int64_t count) {
    for_lanes(0, count, [=]<int N>(int64_t i) { store(shares + i, share_of<N>(load<Floats<N>>(values + i) * factor)); });
}

void pack_vertices(const float* positions, const float* normals, uint32_t* words, int64_t count) {
    for_lanes(0, count, [=]<int N>(int64_t i) {
        const Ints<N> directions = direction_word<N>(load_triples<N>(normals + 3 * i));
        for (int k = 0; k < N; ++k) {
            uint32_t* own = words + 4 * (i + k);
            __builtin_memcpy(own, positions + 3 * (i + k), 3 * sizeof(float));
            own[3] = (uint32_t)directions[k];
        }
    });
}

void pack_directions(const float* directions, uint32_t* words, int64_t count) {
    for_lanes(0, count, [=]<int N>(int64_t i) { store(words + i, direction_word<N>(load_triples<N>(directions + 3 * i))); });
}

constexpr TexelKernels kernels = {.pack_shares = pack_shares, .pack_vertices = pack_vertices, .pack_directions = pack_directions};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::TexelKernels ruckle::TexelKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
