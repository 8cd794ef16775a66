// Rows (four floats per vertex), one per SIMD lane; only for kernels (see numeric/lanes.h).
#pragma once

#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

inline constexpr int lanes = native_lanes;

// One row per lane: x, y, z (a position or a velocity), and the fourth number w.
struct Points {
    Triple x;
    Real w;
};

inline Points gather(const float* points, const int32_t* vertices) {
    Floats<4> rows[lanes];
    for (int k = 0; k < lanes; ++k) {
        rows[k] = load<Floats<4>>(points + 4 * (int64_t)vertices[k]);
    }
    const Quads<lanes> q = transpose<lanes>(rows);
    return {{q.a, q.b, q.c}, q.d};
}
inline void scatter(float* points, const int32_t* vertices, const Points& p) {
    float rows[4 * lanes];
    store_quads<lanes>(rows, {p.x.x, p.x.y, p.x.z, p.w});
    for (int k = 0; k < lanes; ++k) {
        store(points + 4 * (int64_t)vertices[k], load<Floats<4>>(rows + 4 * k));
    }
}
inline Points load_points(const float* from) {
    const Quads<lanes> q = load_quads<lanes>(from);
    return {{q.a, q.b, q.c}, q.d};
}
inline void store_points(float* to, const Points& p) {
    store_quads<lanes>(to, {p.x.x, p.x.y, p.x.z, p.w});
}
inline Triple cross(Triple a, Triple b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Real length_of(Triple a) {
    return sqrt(dot(a, a));
}

// Returns the sum of cross products over the ring around the first corner, about twice its area times its normal.
// Corners are at first, first + block and so on, before `last`. Repeated last corners, which pad short elements, add 0.
inline Triple ring_normal(const int32_t* corners, int64_t first, int64_t last, int64_t block, const float* points) {
    const Triple center = gather(points, corners + first).x, start = gather(points, corners + first + block).x - center;
    Triple normal = cross(start, start), from = start;
    for (int64_t q = first + 2 * block; q < last; q += block) {
        const Triple to = gather(points, corners + q).x - center;
        normal = normal + cross(from, to);
        from = to;
    }
    return normal + cross(from, start);
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
