// Compiled once per instruction set: RUCKLE_INSTRUCTION_SET names it. The formula of path_heights.h; the shaders hold its twin.
#include "numeric/kernels.h"
#include "numeric/triples.h"
#include "paths/path_patch.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

inline Triple select(Mask mask, Triple a, Triple b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
inline Triple zero_triple() {
    return {splat_real(0.0f), splat_real(0.0f), splat_real(0.0f)};
}

struct Elevation {
    Real height;
    Triple gradient;
};

// Takes a segment's height where it is the highest of its wrinkle so far.
inline void raise(const PathSegment& s, Triple p, Elevation& best) {
    const Triple first = splat_triple(s.first), second = splat_triple(s.second);
    const Triple from_first = p - first, to_second = second - p;
    const Real a = dot(from_first, splat_triple(s.first_normal)) * s.inverse_cosine[0];
    const Real b = dot(to_second, splat_triple(s.second_normal)) * s.inverse_cosine[1];
    // where both planes meet it is 0 / 0: the mask below leaves such points out
    const Real x = a / (a + b);
    const Triple away = from_first - (second - first) * x;  // p - c
    const Real half_width = s.half_width[0] + s.half_width[1] * x;
    const Real distance_squared = dot(away, away);
    const Mask inside = (a >= 0.0f) & (b >= 0.0f) & (a + b > 0.0f) & (distance_squared < half_width * half_width);
    // most segments of a list reach only some of its points
    if (lane_bits(inside) == 0) {
        return;
    }
    const Real crest = s.height[0] + s.height[1] * x, slope = s.slope[0] + s.slope[1] * x;
    const Real u = sqrt(distance_squared) / half_width, rest = 1.0f - u;
    const Mask inner = u <= 1.0f / 3.0f;
    const Real profile = inner ? 1.0f - 3.0f * u * u : 1.5f * rest * rest;
    const Real height = crest * profile;
    const Mask higher = inside & (height > best.height);
    // B'(u) / u, so that nothing is divided by a distance of zero
    const Real fall = inner ? splat_real(-6.0f) : -3.0f * rest / u;
    const Triple gradient = away * (crest * fall / (half_width * half_width)) + splat_triple(s.direction) * (slope * profile);
    best.height = higher ? height : best.height;
    best.gradient = select(higher, gradient, best.gradient);
}

// h = (Σ h_w⁴)^(1/4) and its gradient Σ (h_w / h)³ ∇h_w.
struct Blend {
    Real fourth_powers = splat_real(0.0f);
    Triple gradient = zero_triple();

    void add(const Elevation& one) {
        const Real cube = one.height * one.height * one.height;
        fourth_powers += cube * one.height;
        gradient = gradient + one.gradient * cube;
    }
    Elevation result() const {
        const Real root = sqrt(fourth_powers), height = sqrt(root);
        const Real cube = root * height;
        return {height, gradient * (cube > 0.0f ? 1.0f / cube : splat_real(0.0f))};
    }
};

inline Elevation elevation(const PathPatch& patch, Triple p) {
    Blend blend;
    for (int i = 0; i < patch.list_count;) {
        Elevation highest{splat_real(0.0f), zero_triple()};
        // lists are sorted by wrinkle: both triangles of an edge add the same terms in the same order, and give the same bits
        const int32_t wrinkle = patch.segments[patch.list[i]].wrinkle;
        for (; i < patch.list_count && patch.segments[patch.list[i]].wrinkle == wrinkle; ++i) {
            raise(patch.segments[patch.list[i]], p, highest);
        }
        blend.add(highest);
    }
    return blend.result();
}

inline void add_to(float* array, Real value) {
    store(array, load<Real>(array) + value);
}

}  // namespace

extern void add_path_heights(const PathPatch& patch, const HeightBlock& block);
void add_path_heights(const PathPatch& patch, const HeightBlock& block) {
    for (int64_t i = 0; i < block.count; i += native_lanes) {
        const Real b[3] = {load<Real>(block.barycentric[0] + i), load<Real>(block.barycentric[1] + i),
                           load<Real>(block.barycentric[2] + i)};
        const Elevation e = elevation(patch, interpolate(patch.corners, b));
        add_to(block.height + i, e.height);
        add_to(block.gradient[0] + i, e.gradient.x);
        add_to(block.gradient[1] + i, e.gradient.y);
        add_to(block.gradient[2] + i, e.gradient.z);
    }
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
