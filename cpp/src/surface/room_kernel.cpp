// Computes the crowding of points and faces, with one face per SIMD lane.
#include "surface/room_kernel.h"
#include "constants.h"
#include "numeric/quads.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

template <int N>
inline Quads<N> load_vectors(const float (&columns)[3][RoomBlock::width], int64_t i) {
    return {load<Floats<N>>(columns[0] + i), load<Floats<N>>(columns[1] + i), load<Floats<N>>(columns[2] + i), Floats<N>{}};
}
template <int N>
inline void store_vectors(float (&columns)[3][RoomBlock::width], int64_t i, Quads<N> v) {
    store(columns[0] + i, v.a), store(columns[1] + i, v.b), store(columns[2] + i, v.c);
}
template <int N>
inline Quads<N> minus(Quads<N> a, Quads<N> b) {
    return {a.a - b.a, a.b - b.b, a.c - b.c, Floats<N>{}};
}
template <int N>
inline Quads<N> unit(Quads<N> v) {
    const Floats<N> length = sqrt(dot<N>(v, v)), by = length > 0.0f ? 1.0f / length : Floats<N>{};
    return {v.a * by, v.b * by, v.c * by, Floats<N>{}};
}
// Clamps to [0, 1].
template <int N>
inline Floats<N> clamp(Floats<N> a) {
    return min(max(a, Floats<N>{}), splat<N>(1.0f));
}
template <int N>
inline float largest(Floats<N> a) {
    float most = a[0];
    for (int k = 1; k < N; ++k) {
        most = a[k] > most ? a[k] : most;
    }
    return most;
}

void measure_block(const float* positions, RoomBlock& block) {
    for_lanes(0, RoomBlock::width, [positions, &block]<int N>(int64_t i) {
        Quads<N> corners[3];
        for (int k = 0; k < 3; ++k) {
            Floats<4> rows[N];
            for (int lane = 0; lane < N; ++lane) {
                rows[lane] = load<Floats<4>>(positions + 4 * (int64_t)block.corners[k][i + lane]);
            }
            corners[k] = transpose<N>(rows);
        }
        const Quads<N> sides[3] = {minus<N>(corners[1], corners[0]), minus<N>(corners[2], corners[1]),
                                   minus<N>(corners[0], corners[2])};
        const Quads<N> across = cross<N>(sides[2], sides[0]);
        const Floats<N> area = sqrt(dot<N>(across, across));
        const Quads<N> normal = unit<N>(across);
        store_vectors<N>(block.normals, i, normal);
        // the offset of a degenerate face is infinite, so that it is not near any point
        store(block.offsets + i, area > 0.0f ? dot<N>(normal, corners[0]) : splat<N>(__builtin_inff()));
        Quads<N> ways[3];
        for (int k = 0; k < 3; ++k) {
            ways[k] = unit<N>(sides[k]);
        }
        for (int k = 0; k < 3; ++k) {
            // adds planes through corners, because the planes of the sides intersect far from the face at a sharp
            // corner
            const Quads<N> planes[2] = {cross<N>(ways[k], normal), unit<N>(minus<N>(ways[(k + 2) % 3], ways[k]))};
            for (int j = 0; j < 2; ++j) {
                store_vectors<N>(block.rim_normals[3 * j + k], i, planes[j]);
                store(block.rim_offsets[3 * j + k] + i, dot<N>(planes[j], corners[k]));
            }
        }
        store(block.outside + i, Floats<N>{}), store(block.inside + i, Floats<N>{});
    });
}

void measure(const float* positions, RoomBlock* blocks, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        measure_block(positions, blocks[i]);
    }
}

// Raises the crowding of a point, and of the faces in the columns [i, i + native_lanes) of a block, by their pairs
// (formula: room.h). Skips faces of the point's layer, and faces whose plane is not between least_gap and reach away.
inline void meet_faces(const RoomLimits& limits, RoomPoint& point, RoomBlock& block, int64_t i) {
    constexpr int N = native_lanes;
    const Quads<N> at = {splat<N>(point.position[0]), splat<N>(point.position[1]), splat<N>(point.position[2]), Floats<N>{}};
    const Quads<N> normal = load_vectors<N>(block.normals, i);
    const Floats<N> above = dot<N>(normal, at) - load<Floats<N>>(block.offsets + i), gap = abs<N>(above);
    const Ints<N> near = (gap > limits.least_gap) & (gap < limits.reach) & (load<Ints<N>>(block.layers + i) != point.layer);
    if (!any<N>(near)) {
        return;
    }
    // lateral distance of the point from the face, in the face's plane
    Floats<N> beside = {};
    for (int k = 0; k < 6; ++k) {
        beside = max(beside, dot<N>(load_vectors<N>(block.rim_normals[k], i), at) - load<Floats<N>>(block.rim_offsets[k] + i));
    }
    const Floats<N> wide = min(gap, splat<N>(limits.widest));
    const Floats<N> over = clamp<N>((widest_room_slope - beside / wide) * (1.0f / (widest_room_slope - full_room_slope)));
    const Ints<N> meets = near & (over > 0.0f);
    if (!any<N>(meets)) {
        return;
    }
    const Quads<N> other = {splat<N>(point.normal[0]), splat<N>(point.normal[1]), splat<N>(point.normal[2]), Floats<N>{}};
    const Floats<N> agreement = min(max(dot<N>(normal, other), splat<N>(-1.0f)), splat<N>(1.0f));
    const Floats<N> facing =
        clamp<N>((abs<N>(agreement) - widest_room_cosine) * (1.0f / (full_room_cosine - widest_room_cosine)));
    const Floats<N> inverse = over / ((limits.share + limits.by_agreement * agreement) * gap);
    const Floats<N> none = {}, own = facing * inverse;
    const auto raise = [&](float* kept, Ints<N> where, float free) {
        store(kept + i, max(where & meets ? inverse - free : none, load<Floats<N>>(kept + i)));
    };
    const Ints<N> is_above = above > 0.0f, is_along = -above * agreement > 0.0f;
    raise(block.outside, is_above, limits.free_outside);
    raise(block.inside, ~is_above, limits.free_inside);
    const float outside = largest<N>(is_along & meets ? own - limits.free_outside : none);
    const float inside = largest<N>(~is_along & meets ? own - limits.free_inside : none);
    point.outside = outside > point.outside ? outside : point.outside;
    point.inside = inside > point.inside ? inside : point.inside;
}

void meet(const RoomLimits& given, const RoomBox& box, RoomPoint* points, int64_t point_count, RoomBlock* blocks,
          int64_t block_count) {
    const RoomLimits limits = given;
    const Floats<4> least = load<Floats<4>>(box.low), most = load<Floats<4>>(box.high);
    for (int64_t p = 0; p < point_count; ++p) {
        RoomPoint& point = points[p];
        const Floats<4> at = load<Floats<4>>(point.position);
        if (any<4>((at < least) | (at > most))) {
            continue;
        }
        for (int64_t b = 0; b < block_count; ++b) {
            for (int64_t i = 0; i < RoomBlock::width; i += native_lanes) {
                meet_faces(limits, point, blocks[b], i);
            }
        }
    }
}

constexpr RoomKernels kernels = {.measure = measure, .meet = meet};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::RoomKernels ruckle::RoomKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
