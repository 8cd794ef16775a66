// Chooses seed points and traces paths from them. All computations are in the planes of single triangles. At an edge,
// the components of a direction along and across the edge are reused in the next triangle, which is equivalent to
// unfolding the two triangles.
#include "ruckle/paths/trace.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

#include "numeric/dispatch.h"
#include "paths/coverage_kernel.h"
#include "paths/geometry.h"
#include "ruckle/paths/shape.h"
#include "support/per_thread.h"

namespace ruckle {

namespace {

// Returns a random number for a counter with the splitmix64 finaliser: every bit of the result depends on every bit of
// the counter.
std::uint64_t scramble(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Returns a uniform number in [0, 1) from the lowest 24 bits, which float32 represents exactly on every machine.
float unit(std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits & 0xffffffu)) * 0x1p-24f;
}

// Returns the random bits of seed point `number` of a face.
std::uint64_t random_bits(std::uint64_t key, std::int32_t face, std::int32_t number) {
    return scramble(key ^ (static_cast<std::uint64_t>(face) * most_seeds_per_face + number));
}

// Returns a uniformly distributed point of a triangle, not too close to its boundary, as barycentric coordinates of
// vertices 1 and 2. seed_points (coverage_kernel.cpp) must compute the same point.
Vector2 random_point(std::uint64_t bits) {
    float u = unit(bits), v = unit(bits >> 24);
    // reflect points of the other half of the square into the triangle
    if (u + v > 1.0f) {
        u = 1.0f - u;
        v = 1.0f - v;
    }
    constexpr float span = 1.0f - 3.0f * seed_margin;
    return {seed_margin + span * u, seed_margin + span * v};
}

// True if the compression of a triangle does not have an axis (thesis 5.1): the triangle is collapsed, undeformed, or
// compressed almost equally in all directions.
bool lacks_axis(const StretchSpans& field, std::int32_t face) {
    const float low = field.min[face], high = field.max[face];
    return field.axis[face].isZero(0.0f) || high - low < open_direction_ratio * (high + low);
}

// Point at which a ray leaves a face: t on a mesh edge (path.h).
struct Exit {
    std::int32_t edge;
    float t;
};

// Returns the side through which the ray leaves the face, or -1 if it does not cross any side. The side `entered` is
// ignored (-1: none).
int exit_side(const Matrix2& current, const Vector2& from, const Vector2& direction, int entered) {
    int best = -1;
    float nearest = 0.0f;
    for (int side = 0; side < 3; ++side) {
        const Vector2 start = corner(current, side), vector = corner(current, (side + 1) % 3) - start;
        // corners are counterclockwise: the ray leaves through a side that it crosses from left to right
        const float outward = cross(direction, vector);
        if (side == entered || !(outward > 0.0f)) {
            continue;
        }
        const float distance = cross(start - from, vector) / outward;
        if (best < 0 || distance < nearest) {
            best = side;
            nearest = distance;
        }
    }
    return best;
}

// Returns the point at which the ray leaves the face; nothing if the ray does not cross any side. The point is at least
// edge_margin away from mesh vertices: behind a vertex, the next triangle would be ambiguous.
std::optional<Exit> exit_of(const Cloth& cloth, std::int32_t face, const Vector2& from, const Vector2& direction, int entered) {
    const Matrix2& current = cloth.current[face];
    const int side = exit_side(current, from, direction, entered);
    if (side < 0) {
        return std::nullopt;
    }
    const Vector2 start = corner(current, side), vector = corner(current, (side + 1) % 3) - start;
    const float s = cross(from - start, direction) / cross(vector, direction);
    if (!std::isfinite(s)) {
        return std::nullopt;
    }
    const std::int32_t edge = cloth.topology.face_edges[face][side];
    return Exit{edge, off_vertices(along_side(cloth.topology, face, side, edge, std::clamp(s, 0.0f, 1.0f)))};
}

// Returns the direction in which a path continues in the next face, with components along the edge between both faces
// and into the next face: the direction of the field, or a direction along the edge if the field points back at the
// edge. Returns nothing if the path ends on the edge, because it would turn too sharply (least_turn_cosine), or because
// edge and field differ too much (least_slide_cosine). arriving: direction of the path before the edge. field:
// direction of wrinkles in the next face, with arbitrary sign. Both have the same components as the result.
std::optional<Vector2> continued(const Vector2& arriving, const Vector2& field) {
    // choose the sign that continues the path
    const Vector2 ahead = field.dot(arriving) < 0.0f ? Vector2(-field) : field;
    if (ahead.dot(arriving) < least_turn_cosine) {
        return std::nullopt;
    }
    if (ahead[1] > slide_sine) {
        return ahead;
    }
    // the fields on both sides point at the edge: a path that follows them would oscillate between the two triangles
    const Vector2 slide(ahead[0] < 0.0f ? -1.0f : 1.0f, slide_sine);
    if (ahead.dot(slide) < least_slide_cosine) {
        return std::nullopt;
    }
    return slide;
}

// Returns the direction of the path's last segment, with components along its last edge and into the next face. Returns
// nothing if the segment has length 0.
std::optional<Vector2> arriving_direction(const Cloth& cloth, const Path& path) {
    const int last = path.count - 1;
    const std::int32_t face = path.faces[last - 1], edge = path.edges[last];
    const Matrix2& current = cloth.current[face];
    const Vector2 step = point_in_face(cloth.topology, current, face, edge, path.t[last]) -
                         point_in_face(cloth.topology, current, face, path.edges[last - 1], path.t[last - 1]);
    const float length = step.norm();
    if (!(length > 0.0f)) {
        return std::nullopt;
    }
    Vector2 ahead = EdgeFrame(cloth.topology, current, face, edge).components(step / length);
    // the direction out of this face is the direction into the next face
    ahead[1] = std::max(-ahead[1], slide_sine);
    return ahead;
}

// Returns the point at which a path that enters `face` at its last edge leaves this face. Returns nothing if the path
// ends on the edge.
std::optional<Exit> next_exit(const Cloth& cloth, const Path& path, std::int32_t face) {
    const int last = path.count - 1;
    const std::int32_t edge = path.edges[last];
    const Matrix2& current = cloth.current[face];
    const EdgeFrame frame(cloth.topology, current, face, edge);
    std::optional<Vector2> ahead = arriving_direction(cloth, path);
    // if the compression does not have an axis, the path continues in a straight line (thesis 5.1)
    if (ahead && !lacks_axis(cloth.field, face)) {
        ahead = continued(*ahead, frame.components(quarter_turn(cloth.field.axis[face])));
    }
    if (!ahead) {
        return std::nullopt;
    }
    const Vector2 from = point_in_face(cloth.topology, current, face, edge, path.t[last]);
    return exit_of(cloth, face, from, frame.vector(*ahead), side_of(cloth.topology, face, edge));
}

// Returns the half width of a full-grown wrinkle at the compression of a triangle.
float half_width_in(const Cloth& cloth, std::int32_t face, float r_min) {
    return wrinkle_radius(r_min, share_lost(cloth.field.compression[face]));
}

// Returns t at which an edge intersects the straight line between two points, with the two triangles unfolded into a
// plane. Unfolding does not change positions along the edge and distances from it. Not finite if all points are
// collinear.
float straight_t(const Topology& topology, std::span<const Vector3> positions, std::int32_t edge, const Vector3& before,
                 const Vector3& after) {
    const auto& [v1, v2] = topology.edges[edge];
    const Vector3& origin = positions[v2];
    const Vector3 vector = positions[v1] - origin;
    const float length_squared = vector.squaredNorm();
    const auto along = [&](const Vector3& p) { return (p - origin).dot(vector) / length_squared; };
    const float s0 = along(before), s2 = along(after);
    const float h0 = (before - origin - s0 * vector).norm(), h2 = (after - origin - s2 * vector).norm();
    return (s0 * h2 + s2 * h0) / (h0 + h2);
}

}  // namespace

void SeedSet::choose(std::span<const Matrix2> current, float r_min, std::uint64_t seed) {
    counts.resize(current.size());
    for (std::size_t face = 0; face < current.size(); ++face) {
        const float area = 0.5f * std::abs(current[face].determinant());
        // one point per square with side 2 r_min, the smallest width: paths from closer points would cover each other
        const float wanted = std::ceil(area / (4.0f * r_min * r_min));
        // the comparison is also false if the area has overflowed
        const bool few = wanted < static_cast<float>(most_seeds_per_face);
        counts[face] = static_cast<std::uint8_t>(few ? std::max(static_cast<std::int32_t>(wanted), 1) : most_seeds_per_face);
    }
    begin(seed);
}

void SeedSet::begin(std::uint64_t seed) {
    notes.assign(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), no_segment);
    pauses.clear();
    pauses.reserve(notes.size());
    clock = 0.0;
    scatter(seed, 0);
}

void SeedSet::scatter(std::uint64_t seed, std::uint64_t counter) {
    key = scramble(scramble(seed) ^ counter);
    for (const Pause& pause : pauses) {
        notes[pause.point] = no_segment;
    }
    pauses.clear();
}

Vector2 SeedSet::position(std::int32_t face, std::int32_t number) const {
    return random_point(random_bits(key, face, number));
}

const SeedSet::Pause* SeedSet::pause_of(std::int32_t point) const {
    if (notes[point] < first_pause) {
        return nullptr;
    }
    std::size_t i = static_cast<std::size_t>(notes[point] - first_pause);
    while (pauses[i].point != point) {
        i += pause_notes;
    }
    return &pauses[i];
}

void SeedSet::add_pause(const Pause& pause) {
    if (const Pause* before = pause_of(pause.point)) {
        pauses[static_cast<std::size_t>(before - pauses.data())] = pause;
    } else {
        notes[pause.point] = note_of_pause(pauses.size());
        pauses.push_back(pause);
    }
}

void SeedSet::end_pauses() {
    for (std::size_t i = pauses.size(); i-- > 0;) {
        if (clock < pauses[i].until) {
            continue;
        }
        notes[pauses[i].point] = no_segment;
        // move the last pause into the gap. The loop runs backwards, so it has already tested the last pause: its
        // pause has not ended
        if (i + 1 < pauses.size()) {
            pauses[i] = pauses.back();
            notes[pauses[i].point] = note_of_pause(i);
        }
        pauses.pop_back();
    }
}

void SeedSet::set_segment(std::int32_t point, std::int32_t segment) {
    if (notes[point] < first_pause) {
        notes[point] = static_cast<std::uint16_t>(segment >= 0 && segment < no_segment ? segment : no_segment);
    }
}

bool grow_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, int slot, Path& path,
               std::int32_t& blocker) {
    const int last = path.count - 1;
    const std::int32_t edge = path.edges[last], face = across(cloth.topology, path.faces[last - 1], edge);
    if (path.count == most_path_vertices || face < 0 || cloth.field.degenerate[face] ||
        !(cloth.field.compression[face] > options.grow_tau) || path.visits(face)) {
        return false;
    }
    const auto exit = next_exit(cloth, path, face);
    if (!exit || path.crosses(exit->edge) || pool.blocked(face, edge, path.t[last], exit->edge, exit->t, slot)) {
        return false;
    }
    const Vector3 end = point_on_edge(cloth.topology, cloth.positions, exit->edge, exit->t);
    if (pool.covers(end, half_width_in(cloth, face, options.r_min), growth_clearance, slot, blocker)) {
        return false;
    }
    path.append(face, exit->edge, exit->t);
    return true;
}

bool trace_path(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, std::int32_t face, const Vector2& point,
                Path& path) {
    if (cloth.field.degenerate[face] || lacks_axis(cloth.field, face)) {
        return false;
    }
    const Vector2 direction = quarter_turn(cloth.field.axis[face]);
    const auto back = exit_of(cloth, face, point, -direction, -1), forth = exit_of(cloth, face, point, direction, -1);
    if (!back || !forth || back->edge == forth->edge || pool.blocked(face, back->edge, back->t, forth->edge, forth->t, -1)) {
        return false;
    }
    path.count = 0;
    path.append(-1, back->edge, back->t);
    path.append(face, forth->edge, forth->t);
    // grow the path at both ends, from the seed's triangle
    std::int32_t blocker = -1;
    while (grow_path(cloth, options, pool, -1, path, blocker)) {
    }
    path.reverse();
    while (grow_path(cloth, options, pool, -1, path, blocker)) {
    }
    return true;
}

void smooth_path(const Topology& topology, std::span<const Vector3> positions, const PathPool& pool, int slot, Path& path) {
    const auto point = [&](int i) { return point_on_edge(topology, positions, path.edges[i], path.t[i]); };
    // compute all targets from the old path, so that the result does not depend on the direction of the path
    std::array<float, most_path_vertices> target;
    for (int i = 1; i + 1 < path.count; ++i) {
        const float straight = straight_t(topology, positions, path.edges[i], point(i - 1), point(i + 1));
        target[i] = std::isfinite(straight) ? path.t[i] + 0.5f * (off_vertices(straight) - path.t[i]) : path.t[i];
    }
    for (int i = 1; i + 1 < path.count; ++i) {
        const auto [low, high] = pool.free_interval(path.edges[i], path.t[i], slot);
        if (low <= high) {
            path.t[i] = std::clamp(target[i], low, high);
        }
    }
}

float path_length(const Topology& topology, std::span<const Vector3> positions, const Path& path) {
    float length = 0.0f;
    Vector3 last = point_on_edge(topology, positions, path.edges[0], path.t[0]);
    for (int i = 1; i < path.count; ++i) {
        const Vector3 next = point_on_edge(topology, positions, path.edges[i], path.t[i]);
        length += (next - last).norm();
        last = next;
    }
    return length;
}

namespace {

struct Candidate {
    float compression;
    std::int32_t face, first;  // first: number of the first point of the face
};

// Scratch memory of a thread for all garments that the thread steps.
struct Candidates {
    std::vector<Candidate> list;
};

// Selects the seed points of one frame. Points of the most compressed triangles come first.
class Seeding {
  public:
    Seeding(const Cloth& cloth, const TraceOptions& options, const PathPool& pool, SeedSet& seeds)
        : cloth_(cloth), options_(options), pool_(pool), seeds_(seeds) {
        seeds_.clock += static_cast<double>(options.dt);
        seeds_.end_pauses();
    }

    // Lists the compressed triangles that may have a seed point that is neither covered nor paused, most compressed
    // first. For each point, only the path that covered the point last is tested, because this path usually still
    // covers the point.
    void collect(std::vector<Candidate>& candidates) {
        candidates.clear();
        candidates.reserve(cloth_.topology.faces.size());
        for (std::int32_t face = 0, first = 0; face < cloth_.topology.face_count(); first += seeds_.counts[face++]) {
            if (!(cloth_.field.compression[face] > options_.tau) || lacks_axis(cloth_.field, face)) {
                continue;
            }
            if (has_point(face, first)) {
                candidates.push_back({cloth_.field.compression[face], face, first});
            }
        }
        std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            // equal values are sorted by face number, so that the order does not depend on the sort algorithm
            return a.compression != b.compression ? a.compression > b.compression : a.face < b.face;
        });
    }

    // number: number of the point in the face
    bool is_free(const Candidate& candidate, std::int32_t number) {
        return !is_paused(candidate.face, candidate.first + number) && !is_covered(candidate, number);
    }

    // Makes a point pause for 1 to 1.9 times seed_pause. The duration depends on the point, so that points that start
    // to pause together do not return in the same frame.
    void add_pause(std::int32_t face, std::int32_t point) {
        const double pause = static_cast<double>(seed_pause) * (1.0 + static_cast<double>(point % 8) / 8.0);
        seeds_.add_pause({.until = seeds_.clock + pause, .compression = cloth_.field.compression[face], .point = point});
    }

  private:
    bool is_paused(std::int32_t face, std::int32_t point) const {
        const SeedSet::Pause* pause = seeds_.pause_of(point);
        // tolerance of half a frame, because sums of dt are not exact
        return pause && seeds_.clock + 0.5 * static_cast<double>(options_.dt) < pause->until &&
               cloth_.field.compression[face] < seed_wake_ratio * pause->compression;
    }

    Vector3 place(std::int32_t face, std::int32_t number) const {
        const Vector2 b = seeds_.position(face, number);
        const Face& f = cloth_.topology.faces[face];
        return cloth_.positions[f[0]] * (1.0f - b[0] - b[1]) + cloth_.positions[f[1]] * b[0] + cloth_.positions[f[2]] * b[1];
    }

    // True if the triangle has a point that is not paused, and that the segment in its note (SeedSet::notes) does not
    // cover any more. first: number of the triangle's first point
    bool has_point(std::int32_t face, std::int32_t first) const {
        const float half_width = half_width_in(cloth_, face, options_.r_min);
        SeedCoverage coverage;
        coverage.count = 0;
        for (std::int32_t number = 0; number < seeds_.counts[face]; ++number) {
            if (is_paused(face, first + number)) {
                continue;
            }
            float own_half_width;
            const std::int32_t note = seeds_.segment_of(first + number);
            const Vector3* const segment = note < 0 ? nullptr : pool_.segment(note, own_half_width);
            if (!segment) {
                return true;
            }
            const int i = coverage.count++;
            const std::uint64_t bits = random_bits(seeds_.key, face, number);
            // the kernel uses only the lowest 24 bits of each number
            coverage.second[i] = static_cast<std::int32_t>(bits), coverage.third[i] = static_cast<std::int32_t>(bits >> 24);
            coverage.segments[i] = segment->data();
            coverage.distances[i] = own_half_width + half_width;
        }
        const Face& f = cloth_.topology.faces[face];
        for (int k = 0; k < 3; ++k) {
            coverage.corners[k] = cloth_.positions[f[k]].data();
        }
        return !kernels<CoverageKernels>().covers_seeds(coverage);
    }

    // True if any path covers the point. Stores the covering segment in the point's note.
    bool is_covered(const Candidate& candidate, std::int32_t number) {
        const auto [compression, face, first] = candidate;
        std::int32_t blocker = seeds_.segment_of(first + number);
        const bool is_covered = pool_.covers(place(face, number), half_width_in(cloth_, face, options_.r_min), 1.0f, -1, blocker);
        seeds_.set_segment(first + number, blocker);
        return is_covered;
    }

    const Cloth& cloth_;
    const TraceOptions& options_;
    const PathPool& pool_;
    SeedSet& seeds_;
};

// Returns the half width of the full-grown wrinkle of a path, at the largest compression of its triangles.
float full_half_width(const Cloth& cloth, const Path& path, float r_min) {
    float strongest = 1.0f;
    for (int i = 0; i + 1 < path.count; ++i) {
        strongest = std::max(strongest, cloth.field.compression[path.faces[i]]);
    }
    return wrinkle_radius(r_min, share_lost(strongest));
}

// Traces a path through the seed point and adds it to the pool. Returns false if no path could be traced or the path is
// too short. Counts the result in `stats`.
bool begin_path(const Cloth& cloth, const TraceOptions& options, std::int32_t face, const Vector2& seed, PathPool& pool,
                TraceStats& stats) {
    Path path;
    ++stats.tried;
    if (!trace_path(cloth, options, pool, face, Vector2(cloth.current[face] * seed), path)) {
        ++stats.crossing;
        return false;
    }
    const float half_width = full_half_width(cloth, path, options.r_min);
    if (path_length(cloth.topology, cloth.positions, path) < 2.0f * options.least_aspect * half_width) {
        ++stats.too_short;
        return false;
    }
    if (options.smooth) {
        smooth_path(cloth.topology, cloth.positions, pool, -1, path);
    }
    const int slot = pool.insert(path);
    // use the full-grown width, so that no other path starts too close in this frame
    pool.set_half_width(slot, half_width);
    pool.measure(slot, cloth.positions);
    ++stats.born;
    return true;
}

}  // namespace

// The number of seeds per frame is limited to limit the time. If a garment crumples suddenly, wrinkles appear first at
// the largest compression, and elsewhere some frames later.
TraceStats seed_paths(const Cloth& cloth, const TraceOptions& options, SeedSet& seeds, PathPool& pool) {
    TraceStats stats;
    Seeding seeding(cloth, options, pool, seeds);
    std::vector<Candidate>& candidates = of_this_thread<Candidates>().list;
    seeding.collect(candidates);
    for (const Candidate& candidate : candidates) {
        const std::int32_t face = candidate.face;
        for (std::int32_t number = 0; number < seeds.counts[face]; ++number) {
            // test again, because a path that was added in this frame may cover the point
            if (!seeding.is_free(candidate, number)) {
                continue;
            }
            if (pool.full() || stats.tried == most_seeds_per_frame) {
                stats.full += pool.full();
                return stats;
            }
            if (!begin_path(cloth, options, face, seeds.position(face, number), pool, stats)) {
                seeding.add_pause(face, candidate.first + number);
            }
        }
    }
    return stats;
}

void trace_frame(const Cloth& cloth, const TraceOptions& options, PathPool& pool) {
    SeedSet seeds;
    seeds.choose(cloth.current, options.r_min, options.seed);
    // each call tries a limited number of seeds, so repeat it. With dt = 0, paused points remain paused, so the loop
    // ends
    TraceOptions at_once = options;
    at_once.dt = 0.0f;
    while (seed_paths(cloth, at_once, seeds, pool).tried > 0) {
    }
}

}  // namespace ruckle
