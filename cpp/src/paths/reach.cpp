#include "paths/reach.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "constants.h"
#include "numeric/dispatch.h"
#include "paths/distance.h"
#include "paths/reach_kernel.h"

namespace ruckle {

namespace {

// The lowest bits, up to 64.
std::uint64_t ones(int count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

// Added to openings: covers what distances are rounded by, so that both faces of an edge see the same.
constexpr float opening_margin = 1e-4f;

// How much of a sample counts at a place of the cloth: near, and facing it.
float nearness(const CurvePoint& point, const Vector3& place) {
    return 1.0f - (place - point.position).squaredNorm() * point.inverse_reach_square;
}
float facing_share(const CurvePoint& point, const Vector3& normal) {
    const float x = std::clamp(1.0f + 2.0f * normal.dot(point.normal), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// The place on an edge that is nearest to a point.
Vector3 nearest_on(const ReachEdge& edge, const Vector3& point) {
    const float along = edge.side.dot(point - edge.from);
    return edge.square > 0.0f ? Vector3(edge.from + std::clamp(along / edge.square, 0.0f, 1.0f) * edge.side) : edge.from;
}

// Whether the faces around a vertex fall apart into several fans, which no walk over edges connects.
bool is_pinched(const Topology& topology, int vertex) {
    const auto around =
        std::span(topology.vertex_faces)
            .subspan(topology.vertex_offsets[vertex],
                     static_cast<std::size_t>(topology.vertex_offsets[vertex + 1] - topology.vertex_offsets[vertex]));
    // grows while it is walked: what can be reached from the first face over edges that hold the vertex
    std::vector<std::int32_t> fan;
    const auto join = [&](std::int32_t face) {
        const bool beside = std::find(around.begin(), around.end(), face) != around.end();
        if (beside && std::find(fan.begin(), fan.end(), face) == fan.end()) {
            fan.push_back(face);
        }
    };
    if (!around.empty()) {
        join(around[0]);
    }
    for (std::size_t i = 0; i < fan.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            // across the two edges that hold the vertex
            if (topology.faces[fan[i]][k] == vertex || topology.faces[fan[i]][(k + 1) % 3] == vertex) {
                join(topology.face_neighbors[fan[i]][k]);
            }
        }
    }
    return fan.size() < around.size();
}

}  // namespace

Reach::Reach(const Topology& topology, ThreadPool* pool)
    : topology_(topology),
      pool_(pool),
      pinched_(static_cast<std::size_t>(topology.vertex_count)),
      has_pinched_(topology.faces.size()),
      triangles_(topology.faces.size()),
      edges_(topology.edges.size()),
      walks_(static_cast<std::size_t>(pool ? pool->thread_count() : 1), Walk(topology.faces.size())),
      run_offsets_(topology.faces.size() + 1, 0) {
    faces_.reserve(topology.faces.size());
    // once: it depends on the mesh alone
    for (int vertex = 0; vertex < topology.vertex_count; ++vertex) {
        pinched_[vertex] = is_pinched(topology, vertex);
    }
    std::transform(topology.faces.begin(), topology.faces.end(), has_pinched_.begin(), [&](const Face& corners) {
        return static_cast<std::uint8_t>(pinched_[corners[0]] | pinched_[corners[1]] | pinched_[corners[2]]);
    });
}

// What grows during a walk; marks and rows have their full size from the beginning.
void Reach::Walk::reserve_as(const Walk& other) {
    const auto reserve = [&](auto part) { (this->*part).reserve((other.*part).capacity()); };
    reserve(&Walk::faces);
    reserve(&Walk::sets);
    reserve(&Walk::waiting);
    reserve(&Walk::asking);
    reserve(&Walk::openings);
    reserve(&Walk::opened);
    reserve(&Walk::most);
}

void Reach::Walk::begin(std::int32_t point_count) {
    words = (static_cast<std::size_t>(point_count) + 63) / 64;
    // a new number instead of clearing a mark per face for every wrinkle
    ++round;
    faces.clear();
    sets.clear();
    waiting.clear();
}

inline std::size_t Reach::row_of(const Curve& curve, std::int32_t face, Walk& walk) const {
    if (walk.met[face] != walk.round) {
        visit(curve, face, walk);
    }
    return static_cast<std::size_t>(walk.rows[face]);
}

void Reach::visit(const Curve& curve, std::int32_t face, Walk& walk) const {
    walk.met[face] = walk.round;
    walk.rows[face] = static_cast<std::int32_t>(walk.faces.size());
    walk.faces.push_back(face);
    // all points of the wrinkle at once: it is short, and they are compared eight at a time
    const DistanceTriangle& triangle = triangles_[static_cast<std::size_t>(face)];
    for (std::size_t word = 0; word < walk.words; ++word) {
        const BallBlock* blocks = balls_.data() + curve.first_block + word * (64 / ball_lanes);
        const int count = std::min(curve.count - 64 * static_cast<int>(word), 64);
        const MetBalls met = kernels<ReachKernels>().meeting_balls(triangle, blocks, count);
        walk.sets.push_back({.near = met.near, .turning = met.turning});
    }
}

// Hands those of 64 points that are near enough to a face, to the set with this number.
inline void Reach::hand(std::size_t number, std::uint64_t points, Walk& walk) {
    PointSet& set = walk.sets[number];
    // no point is handed to a face twice, which ends the walk
    const std::uint64_t reached = points & set.near & ~set.reached;
    if (reached != 0) {
        if (set.fresh == 0) {
            walk.waiting.push_back(static_cast<std::int32_t>(number));
        }
        set.reached |= reached;
        set.fresh |= reached;
    }
}

// Hands points that reach a face on to the faces beside it.
void Reach::spread(const Ground& ground, const Curve& curve, std::size_t number, Walk& walk) const {
    const std::uint64_t fresh = std::exchange(walk.sets[number].fresh, 0);
    // most wrinkles have one set for each row
    const std::size_t words = walk.words, row = words == 1 ? number : number / words, word = number - row * words;
    const std::int32_t face = walk.faces[row];
    for (int k = 0; k < 3; ++k) {
        if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
            hand(row_of(curve, neighbor, walk) * words + word, fresh, walk);
        }
    }
    for (int k = 0; k < 3 && has_pinched_[face] != 0; ++k) {
        const std::int32_t vertex = topology_.faces[face][k];
        if (!pinched_[vertex]) {
            continue;
        }
        // no edge leads from one fan to the next: a point goes over the vertex itself, where its ball holds it
        std::uint64_t near = 0;
        for (std::uint64_t bits = fresh; bits != 0; bits &= bits - 1) {
            const std::size_t point = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
            if (holds(balls_[curve.first_block + point / ball_lanes], static_cast<int>(point % ball_lanes),
                      ground.positions[vertex])) {
                near |= bits & -bits;
            }
        }
        for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
            hand(row_of(curve, topology_.vertex_faces[i], walk) * words + word, near, walk);
        }
    }
}

void Reach::follow(const Ground& ground, const Curve& curve, Walk& walk) const {
    walk.begin(curve.count);
    for (std::int32_t point = 0, end = 0; point < curve.count; point = end) {
        const std::int32_t face = ground.point_faces[curve.first + point];
        for (end = point + 1; end < curve.count && end % 64 != 0 && ground.point_faces[curve.first + end] == face; ++end) {
        }
        hand(row_of(curve, face, walk) * walk.words + static_cast<std::size_t>(point / 64), ones(end - point) << (point % 64),
             walk);
    }
    // a set waits again whenever another hands it something new
    for (std::size_t next = 0; next < walk.waiting.size(); ++next) {
        spread(ground, curve, static_cast<std::size_t>(walk.waiting[next]), walk);
    }
    find_openings(ground, curve, walk);
    for (std::size_t row = 0; row < walk.faces.size(); ++row) {
        // many faces are visited in vain
        std::uint64_t reached = 0;
        for (std::size_t word = 0; word < walk.words; ++word) {
            reached |= walk.sets[row * walk.words + word].reached;
        }
        if (reached != 0) {
            add_runs(curve, row, walk);
        }
    }
}

// What reaches a face, in ascending order, which deal_out keeps.
void Reach::add_runs(const Curve& curve, std::size_t row, Walk& walk) const {
    const std::size_t begin = walk.found.size(), rows = walk.faces.size();
    const auto add = [&](const PathRun& run) {
        if (walk.found.size() > begin) {
            PathRun& last = walk.found.back().run;
            if (last.first + last.count == run.first && last.opening == run.opening && last.turns == run.turns) {
                last.count += run.count;
                return;
            }
        }
        walk.found.push_back({walk.faces[row], run});
    };
    const float* openings = walk.openings.data() + row;
    for (std::size_t word = 0; word < walk.words; ++word) {
        const PointSet& set = walk.sets[row * walk.words + word];
        const std::int32_t first = curve.first + static_cast<std::int32_t>(64 * word);
        const std::uint64_t asking = walk.asking[word];
        for (std::uint64_t bits = set.reached; bits != 0;) {
            const int at = std::countr_zero(bits);
            if ((asking >> at & 1) == 0) {
                const int count = std::countr_one((bits & ~asking) >> at);
                add({first + at, count, 1.0f, 0});
                bits &= ~(ones(count) << at);
                continue;
            }
            const float opening = openings[rows * static_cast<std::size_t>(std::popcount(asking & ones(at)))];
            // 0: a way that is shut
            if (opening > 0.0f) {
                add({first + at, 1, opening, opening < 1.0f || (set.turning >> at & 1) != 0});
            }
            bits &= bits - 1;
        }
        openings += rows * static_cast<std::size_t>(std::popcount(asking));
    }
}

// Of points from which the cloth turns away within their balls; others do not ask.
void Reach::find_openings(const Ground& ground, const Curve& curve, Walk& walk) const {
    const std::size_t rows = walk.faces.size();
    walk.asking.assign(walk.words, 0);
    std::size_t count = 0;
    for (std::size_t word = 0; word < walk.words; ++word) {
        std::uint64_t asking = 0;
        for (std::size_t i = word; i < walk.sets.size(); i += walk.words) {
            asking |= walk.sets[i].turning;
        }
        walk.asking[word] = asking;
        count += static_cast<std::size_t>(std::popcount(asking));
    }
    // most wrinkles
    if (count == 0) {
        return;
    }
    walk.openings.assign(rows * count, 0.0f);
    walk.most.resize(rows);
    float* openings = walk.openings.data();
    for (std::size_t word = 0; word < walk.words; ++word) {
        for (std::uint64_t bits = walk.asking[word]; bits != 0; bits &= bits - 1) {
            open_ways(ground, curve, static_cast<std::int32_t>(64 * word) + std::countr_zero(bits), openings, walk);
            openings += rows;
        }
    }
}

// The widest ways from a point's own face to all that it reaches: a face goes on offering whenever a wider one comes to it.
//
// openings  of each row: 0 as long as no way leads there
void Reach::open_ways(const Ground& ground, const Curve& curve, std::int32_t point, float* openings, Walk& walk) const {
    const CurvePoint& own = ground.points[curve.first + point];
    const std::size_t word = static_cast<std::size_t>(point) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (point % 64);
    const auto offer = [&](std::int32_t face, float most) {
        if (walk.met[face] != walk.round) {
            return;
        }
        const std::int32_t row = walk.rows[face];
        if (most > openings[row] && (walk.sets[static_cast<std::size_t>(row) * walk.words + word].reached & bit) != 0) {
            if (openings[row] == 0.0f) {
                walk.opened.push_back(row);
            }
            openings[row] = most;
            walk.waiting.push_back(row);
        }
    };
    walk.waiting.clear();
    walk.opened.clear();
    offer(ground.point_faces[curve.first + point], 1.0f);
    for (std::size_t next = 0; next < walk.waiting.size(); ++next) {
        const std::int32_t row = walk.waiting[next], face = walk.faces[static_cast<std::size_t>(row)];
        const Face& corners = topology_.faces[face];
        const float widest = openings[row];
        float nearest = 0.0f;
        std::array<float, 3> shares;
        for (int k = 0; k < 3; ++k) {
            shares[k] = facing_share(own, ground.normals[corners[k]]);
        }
        for (int k = 0; k < 3; ++k) {
            const float near = nearness(own, nearest_on(edges_[topology_.face_edges[face][k]], own.position));
            nearest = std::max(nearest, near);
            if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
                offer(neighbor, std::min({widest, near, std::max(shares[k], shares[(k + 1) % 3])}));
            }
            if (const std::int32_t vertex = corners[k]; pinched_[vertex]) {
                const float most = std::min({widest, nearness(own, ground.positions[vertex]), shares[k]});
                for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
                    offer(topology_.vertex_faces[i], most);
                }
            }
        }
        walk.most[static_cast<std::size_t>(row)] = std::min(nearest, std::max({shares[0], shares[1], shares[2]}));
    }
    for (const std::int32_t row : walk.opened) {
        // what counts for less anyway does not ask
        float& found = openings[row];
        const bool matters = found < walk.most[row] || lies_over(ground, own, walk.faces[row]);
        found = matters ? std::min(found + opening_margin, 1.0f) : 1.0f;
    }
}

// Whether a point is nearer to the inside of a face than to its sides.
bool Reach::lies_over(const Ground& ground, const CurvePoint& point, std::int32_t face) const {
    const Face& corners = topology_.faces[face];
    const Vector3 &a = ground.positions[corners[0]], &b = ground.positions[corners[1]], &c = ground.positions[corners[2]];
    const Vector3 across = (b - a).cross(c - a);
    return (b - a).cross(point.position - a).dot(across) > 0.0f && (c - b).cross(point.position - b).dot(across) > 0.0f &&
           (a - c).cross(point.position - c).dot(across) > 0.0f;
}

// By face, and within each face by point: wrinkles come in order, and each wrinkle's points of one face too.
void Reach::deal_out() {
    std::fill(run_offsets_.begin(), run_offsets_.end(), 0);
    std::size_t count = 0;
    for (const Walk& walk : walks_) {
        count += walk.found.size();
        for (const FaceRun& found : walk.found) {
            ++run_offsets_[found.face + 1];
        }
    }
    faces_.clear();
    std::int32_t end = 0;
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        // most faces of a garment have none
        if (std::int32_t& own = run_offsets_[face + 1]; own > 0) {
            faces_.push_back(face);
            end += own;
        }
        run_offsets_[face + 1] = end;
    }
    runs_.resize(count);
    // any thread may take any wrinkle next time: what one has needed, all have room for
    for (Walk& walk : walks_) {
        walk.found.reserve(runs_.capacity());
        for (const Walk& other : walks_) {
            walk.reserve_as(other);
        }
    }
    // filled from behind, so that each face's end becomes its beginning
    for (auto curve = curves_.rbegin(); curve != curves_.rend(); ++curve) {
        const std::vector<FaceRun>& found = walks_[curve->thread].found;
        for (std::size_t i = curve->end; i-- > curve->begin;) {
            runs_[--run_offsets_[found[i].face + 1]] = found[i].run;
        }
    }
    std::copy(run_offsets_.begin() + 1, run_offsets_.end(), run_offsets_.begin());
    run_offsets_.back() = static_cast<std::int32_t>(count);
}

void Reach::append_balls(std::span<const CurvePoint> curve) {
    for (std::size_t i = 0; i < curve.size(); ++i) {
        // every wrinkle begins a block of its own: a face is compared with the points of one wrinkle and of no other
        if (i % ball_lanes == 0) {
            balls_.push_back(empty_block());
        }
        // a ball that is too large lists a point in vain, one that is too small opens the surface
        const float radius = reach_margin * averaging_reach * curve[i].half_width;
        write_ball(curve[i].position, radius, curve[i].normal, static_cast<int>(i % ball_lanes), balls_.back());
    }
}

void Reach::set_ground(std::span<const Vector3> positions, std::span<const Vector3> normals) {
    positions_ = positions, normals_ = normals;
    std::transform(topology_.edges.begin(), topology_.edges.end(), edges_.begin(), [&](const auto& edge) {
        const Vector3 side = positions[edge[1]] - positions[edge[0]];
        return ReachEdge{positions[edge[0]], side, side.squaredNorm()};
    });
    for (std::size_t face = 0; face < triangles_.size(); ++face) {
        const Face& corners = topology_.faces[face];
        DistanceTriangle& triangle = triangles_[face];
        triangle = distance_triangle(positions[corners[0]], positions[corners[1]], positions[corners[2]]);
        for (int k = 0; k < 3; ++k) {
            std::copy_n(normals[corners[k]].data(), 3, triangle.facing[k]);
        }
    }
}

void Reach::collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces) {
    const Ground ground{positions_, normals_, points, point_faces};
    balls_.clear();
    curves_.clear();
    for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
        for (end = begin + 1; end < points.size() && points[end].wrinkle == points[begin].wrinkle; ++end) {
        }
        // its blocks begin where those of the wrinkle before end
        curves_.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end - begin), balls_.size(), 0, 0, 0});
        append_balls(points.subspan(begin, end - begin));
    }
    for (Walk& walk : walks_) {
        walk.found.clear();
    }
    for_chunks(pool_, static_cast<std::int64_t>(curves_.size()), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
        Walk& walk = walks_[thread];
        for (std::int64_t i = begin; i < end; ++i) {
            Curve& curve = curves_[i];
            // found stays where it was found; read in the order of the curves, it is the same for any number of threads
            curve.thread = thread;
            curve.begin = walk.found.size();
            follow(ground, curve, walk);
            curve.end = walk.found.size();
        }
    });
    deal_out();
}

}  // namespace ruckle
