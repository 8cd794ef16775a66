// Coverage tests: a path covers a point if the distance between them is below a limit.
#include "paths/coverage_kernel.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Returns a mask: in each lane, true if the squared distance of the point from the segment is below `square`. Uses the
// formula of PathPool::covered_by.
inline Mask is_covered(Triple point, Triple start, Triple end, Real square) {
    const Triple along = end - start, to = point - start;
    const Real length_squared = product(along, along), none = splat_real(0.0f);
    // if products overflow, the result is NaN and the point is not covered
    const Real share = min(splat_real(1.0f), max(none, product(to, along) / length_squared));
    const Triple apart = to - along * (length_squared > 0.0f ? share : none);
    return product(apart, apart) < square;
}

inline Mask first_lanes(int count) {
    return lane_numbers() < count;
}

// Loads the points [i, i + native_lanes) of a path.
inline Triple points_from(const PathCoverage& path, int i) {
    const Quads<native_lanes> q = load_triples<native_lanes>(path.points + 3 * (int64_t)i);
    return {q.a, q.b, q.c};
}
// Moves every number to the previous lane, and puts `next` into the last lane.
template <int N>
inline Floats<N> shifted(Floats<N> a, float next) {
    if constexpr (N == 8) {
        return __builtin_shufflevector(a, splat<N>(next), 1, 2, 3, 4, 5, 6, 7, 8);
    } else {
        return __builtin_shufflevector(a, splat<N>(next), 1, 2, 3, 4);
    }
}
inline Triple shifted(Triple a, const float* next) {
    return {shifted<native_lanes>(a.x, next[0]), shifted<native_lanes>(a.y, next[1]), shifted<native_lanes>(a.z, next[2])};
}

// Returns a mask of the points near the path's bounding box. The path cannot cover the other points.
inline Mask is_near(const PathCoverage& path, Triple points) {
    const Triple apart = points - splat_triple(path.middle);
    Mask far = {};
    far |= abs<native_lanes>(apart.x) - path.half[0] > path.far;
    far |= abs<native_lanes>(apart.y) - path.half[1] > path.far;
    far |= abs<native_lanes>(apart.z) - path.half[2] > path.far;
    return ~far;
}

// Returns a bit mask of the lanes in `asked` whose points the path covers.
inline int covered_lanes(const PathCoverage& path, Triple points, int asked) {
    int covered = 0;
    for (int k = 0; k + 1 < path.count && covered != asked; ++k) {
        const float* start = path.points + 3 * (int64_t)k;
        covered |= asked & lane_bits(is_covered(points, splat_triple(start), splat_triple(start + 3), splat_real(path.square)));
    }
    return covered;
}

// Returns the positions of the seed points [i, i + native_lanes), computed from their random bits. They equal the
// points of random_point (trace.cpp).
inline Triple seed_points(const SeedCoverage& seeds, int i) {
    const auto unit = [&](const int32_t* bits) { return to_floats<native_lanes>(load<Mask>(bits + i) & 0xffffff) * 0x1p-24f; };
    const Real u = unit(seeds.second), v = unit(seeds.third);
    const Mask far = u + v > 1.0f;
    constexpr float span = 1.0f - 3.0f * seed_margin;
    const Real second = seed_margin + span * (far ? 1.0f - u : u), third = seed_margin + span * (far ? 1.0f - v : v);
    return splat_triple(seeds.corners[0]) * (1.0f - second - third) + splat_triple(seeds.corners[1]) * second +
           splat_triple(seeds.corners[2]) * third;
}

// Returns a mask of the seed points [i, i + native_lanes) that are covered by their segments. Lanes after the last
// point are undefined.
inline Mask covered_seeds(const SeedCoverage& seeds, int i) {
    Floats<4> firsts[native_lanes], lasts[native_lanes];
    const int last = seeds.count - 1 - i;
    for (int lane = 0; lane < native_lanes; ++lane) {
        // a segment has six numbers, which are read by two overlapping loads of four numbers
        const float* segment = seeds.segments[i + (lane < last ? lane : last)];
        firsts[lane] = load<Floats<4>>(segment), lasts[lane] = load<Floats<4>>(segment + 2);
    }
    const auto start = transpose<native_lanes>(firsts), end = transpose<native_lanes>(lasts);
    const Real distance = load_real(seeds.distances + i);
    return is_covered(seed_points(seeds, i), {start.a, start.b, start.c}, {end.b, end.c, end.d}, distance * distance);
}

bool covers_seeds(const SeedCoverage& seeds) {
    static_assert(SeedCoverage::most % native_lanes == 0);
    bool all = true;
    for (int i = 0; i < seeds.count && all; i += native_lanes) {
        all = lane_bits(~covered_seeds(seeds, i) & first_lanes(seeds.count - i)) == 0;
    }
    return all;
}

int32_t covering_segment(const PathCoverage& path, const float* point) {
    const Triple asked = splat_triple(point);
    const int last = path.count - 1;
    for (int i = 0; i < last; i += native_lanes) {
        const int next = i + native_lanes < last ? i + native_lanes : last;
        const Triple start = points_from(path, i), end = shifted(start, path.points + 3 * (int64_t)next);
        if (const int covering = lane_bits(is_covered(asked, start, end, splat_real(path.square)) & first_lanes(last - i));
            covering != 0) {
            return i + __builtin_ctz((unsigned)covering);
        }
    }
    return -1;
}

bool covers_most(const PathCoverage& path, const PathCoverage& asked) {
    int near[PathCoverage::most / native_lanes], left = 0;
    for (int i = 0; i < asked.count; i += native_lanes) {
        const int lanes = lane_bits(is_near(path, points_from(asked, i)) & first_lanes(asked.count - i));
        near[i / native_lanes] = lanes;
        left += __builtin_popcount((unsigned)lanes);
    }
    // the loop ends as soon as the remaining vertices cannot change the majority, usually after few vertices
    int inside = 0;
    for (int i = 0; i < asked.count && 2 * inside <= asked.count && 2 * (inside + left) > asked.count; i += native_lanes) {
        const int lanes = near[i / native_lanes];
        if (lanes != 0) {
            inside += __builtin_popcount((unsigned)covered_lanes(path, points_from(asked, i), lanes));
            left -= __builtin_popcount((unsigned)lanes);
        }
    }
    return 2 * inside > asked.count;
}

constexpr CoverageKernels kernels = {
    .covering_segment = covering_segment, .covers_most = covers_most, .covers_seeds = covers_seeds};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::CoverageKernels ruckle::CoverageKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
