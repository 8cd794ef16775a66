// Searches over the surface for the faces that points of drawn lines reach (affect); reach.h defines reaching, chains
// and openings.
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

// Returns a mask with the lowest `count` bits set; count is at most 64.
std::uint64_t ones(int count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

// Largest number of samples of a line in the cache: the cache stores their indices with 16 bits.
constexpr std::int32_t most_kept_samples = 65535;

// Returns the radius of a point's sphere. A larger radius makes the search slower; with a smaller radius, heights would
// jump at the rim.
float reach_of(const CurvePoint& point) {
    return reach_margin * averaging_reach * point.half_width;
}

// Added to openings (reach.h). The margin is larger than the rounding of distances, so that rounding does not make the
// weights in both faces of an edge different.
constexpr float opening_margin = 1e-4f;

// Return the factors of the weight of a sample at a point of the cloth (path_heights.h): ν, which depends on the
// distance, and φ, which depends on the normal.
float nearness(const CurvePoint& point, const Vector3& place) {
    return 1.0f - (place - point.position).squaredNorm() * point.inverse_reach_square;
}
float facing_share(const CurvePoint& point, const Vector3& normal) {
    const float x = std::clamp(1.0f + 2.0f * normal.dot(point.normal), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// Returns the point of an edge that is closest to `point`.
Vector3 nearest_on(const ReachEdge& edge, const Vector3& point) {
    const float along = edge.side.dot(point - edge.from);
    return edge.square > 0.0f ? Vector3(edge.from + std::clamp(along / edge.square, 0.0f, 1.0f) * edge.side) : edge.from;
}

// True if the faces around a vertex form several fans without a common edge.
bool is_pinched(const Topology& topology, int vertex) {
    const auto around =
        std::span(topology.vertex_faces)
            .subspan(topology.vertex_offsets[vertex],
                     static_cast<std::size_t>(topology.vertex_offsets[vertex + 1] - topology.vertex_offsets[vertex]));
    // breadth-first search of the faces that are connected to the first face across edges at the vertex
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
            // neighbours across the two edges at the vertex
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
      searches_(static_cast<std::size_t>(pool ? pool->thread_count() : 1), Search(topology.faces.size())),
      run_offsets_(topology.faces.size() + 1, 0) {
    faces_.reserve(topology.faces.size());
    // pinched vertices depend on the mesh only
    for (int vertex = 0; vertex < topology.vertex_count; ++vertex) {
        pinched_[vertex] = is_pinched(topology, vertex);
    }
    std::transform(topology.faces.begin(), topology.faces.end(), has_pinched_.begin(), [&](const Face& corners) {
        return static_cast<std::uint8_t>(pinched_[corners[0]] | pinched_[corners[1]] | pinched_[corners[2]]);
    });
}

// Reserves as much memory as another search has. `met` and `rows` always have their full size.
void Reach::Search::reserve_as(const Search& other) {
    const auto reserve = [&](auto part) { (this->*part).reserve((other.*part).capacity()); };
    reserve(&Search::spheres);
    reserve(&Search::faces);
    reserve(&Search::sets);
    reserve(&Search::waiting);
    reserve(&Search::asking);
    reserve(&Search::openings);
    reserve(&Search::opened);
    reserve(&Search::most);
    reserve(&Search::middle);
}

void Reach::Search::begin(std::int32_t point_count) {
    words = (static_cast<std::size_t>(point_count) + 63) / 64;
    // a new number invalidates the marks of all faces without clearing them
    ++round;
    faces.clear();
    sets.clear();
    waiting.clear();
}

// Returns the row of a face in this search. Visits the face first if necessary.
inline std::size_t Reach::row_of(const Curve& curve, std::int32_t face, Search& search) const {
    if (search.met[face] != search.round) {
        visit(curve, face, search);
    }
    return static_cast<std::size_t>(search.rows[face]);
}

// Adds a row for a face, with the tests of all points of the wrinkle against the face.
void Reach::visit(const Curve& curve, std::int32_t face, Search& search) const {
    search.met[face] = search.round;
    search.rows[face] = static_cast<std::int32_t>(search.faces.size());
    search.faces.push_back(face);
    // test all points of the wrinkle against the face, eight points per vector
    const DistanceTriangle& triangle = triangles_[static_cast<std::size_t>(face)];
    for (std::size_t word = 0; word < search.words; ++word) {
        const SphereBlock* blocks = search.spheres.data() + word * (64 / sphere_lanes);
        const int count = std::min(curve.count - 64 * static_cast<int>(word), 64);
        const MetSpheres met = kernels<ReachKernels>().find_meeting(triangle, blocks, count);
        search.sets.push_back({.near = met.near, .turning = met.turning});
    }
}

// Adds those of `points` that are near the face of set `number` to the reached and fresh points of this set. Adds the
// set to the queue if it did not have fresh points.
inline void Reach::mark_reached(std::size_t number, std::uint64_t points, Search& search) {
    PointSet& set = search.sets[number];
    // each point enters a set only once, so the search ends
    const std::uint64_t reached = points & set.near & ~set.reached;
    if (reached != 0) {
        if (set.fresh == 0) {
            search.waiting.push_back(static_cast<std::int32_t>(number));
        }
        set.reached |= reached;
        set.fresh |= reached;
    }
}

// Propagates the fresh points of a set (reached, but not yet propagated) to the neighbours of its face. At pinched
// vertices, which join several fans without a common edge, also propagates them to all faces around the vertex.
void Reach::spread(const Ground& ground, const Curve& curve, std::size_t number, Search& search) const {
    const std::uint64_t fresh = std::exchange(search.sets[number].fresh, 0);
    // most wrinkles have one set per row: avoid the division
    const std::size_t words = search.words, row = words == 1 ? number : number / words, word = number - row * words;
    const std::int32_t face = search.faces[row];
    for (int k = 0; k < 3; ++k) {
        if (const std::int32_t neighbor = topology_.face_neighbors[face][k]; neighbor >= 0) {
            mark_reached(row_of(curve, neighbor, search) * words + word, fresh, search);
        }
    }
    for (int k = 0; k < 3 && has_pinched_[face] != 0; ++k) {
        const std::int32_t vertex = topology_.faces[face][k];
        if (!pinched_[vertex]) {
            continue;
        }
        // fans without a common edge: a point also reaches the other fans if its sphere contains the vertex
        std::uint64_t near = 0;
        for (std::uint64_t bits = fresh; bits != 0; bits &= bits - 1) {
            const std::size_t point = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
            if (holds(search.spheres[point / sphere_lanes], static_cast<int>(point % sphere_lanes), ground.positions[vertex])) {
                near |= bits & -bits;
            }
        }
        for (std::int32_t i = topology_.vertex_offsets[vertex]; i < topology_.vertex_offsets[vertex + 1]; ++i) {
            mark_reached(row_of(curve, topology_.vertex_faces[i], search) * words + word, near, search);
        }
    }
}

// Finds all faces that the points of a wrinkle reach. The result is in the point sets of the search. list_runs computes
// the openings later.
//
// growth  factor of the radii of the spheres: 1, or larger for the cache
void Reach::follow(const Ground& ground, const Curve& curve, float growth, Search& search) const {
    search.begin(curve.count);
    search.spheres.clear();
    for (std::int32_t i = 0; i < curve.count; ++i) {
        if (i % sphere_lanes == 0) {
            search.spheres.push_back(empty_block());
        }
        const CurvePoint& point = ground.points[curve.first + i];
        write_sphere(point.position, growth * reach_of(point), point.normal, i % sphere_lanes, search.spheres.back());
    }
    for (std::int32_t point = 0, end = 0; point < curve.count; point = end) {
        const std::int32_t face = ground.point_faces[curve.first + point];
        for (end = point + 1; end < curve.count && end % 64 != 0 && ground.point_faces[curve.first + end] == face; ++end) {
        }
        mark_reached(row_of(curve, face, search) * search.words + static_cast<std::size_t>(point / 64),
                     ones(end - point) << (point % 64), search);
    }
    // a set enters the queue again each time it receives fresh points
    for (std::size_t next = 0; next < search.waiting.size(); ++next) {
        spread(ground, curve, static_cast<std::size_t>(search.waiting[next]), search);
    }
}

// True if some visited face turns away from a point that is near it.
bool Reach::is_turning(const Search& search) {
    return std::ranges::any_of(search.sets, [](const PointSet& set) { return set.turning != 0; });
}

// Computes the openings of the last search, and appends its runs to search.found.
void Reach::list_runs(const Ground& ground, const Curve& curve, Search& search) const {
    find_openings(ground, curve, search);
    for (std::size_t row = 0; row < search.faces.size(); ++row) {
        // many visited faces are not reached: skip them
        std::uint64_t reached = 0;
        for (std::size_t word = 0; word < search.words; ++word) {
            reached |= search.sets[row * search.words + word].reached;
        }
        if (reached != 0) {
            add_runs(curve, row, search);
        }
    }
}

// Appends the runs of a face to search.found, in ascending order of points. Points with opening 0 are skipped.
void Reach::add_runs(const Curve& curve, std::size_t row, Search& search) const {
    const std::size_t begin = search.found.size(), rows = search.faces.size();
    const auto add = [&](const PathRun& run) {
        if (search.found.size() > begin) {
            PathRun& last = search.found.back().run;
            if (last.first + last.count == run.first && last.opening == run.opening && last.turns == run.turns) {
                last.count += run.count;
                return;
            }
        }
        search.found.push_back({search.faces[row], run});
    };
    const float* openings = search.openings.data() + row;
    for (std::size_t word = 0; word < search.words; ++word) {
        const PointSet& set = search.sets[row * search.words + word];
        const std::int32_t first = curve.first + static_cast<std::int32_t>(64 * word);
        const std::uint64_t asking = search.asking[word];
        for (std::uint64_t bits = set.reached; bits != 0;) {
            const int at = std::countr_zero(bits);
            if ((asking >> at & 1) == 0) {
                const int count = std::countr_one((bits & ~asking) >> at);
                add({first + at, count, 1.0f, 0});
                bits &= ~(ones(count) << at);
                continue;
            }
            const float opening = openings[rows * static_cast<std::size_t>(std::popcount(asking & ones(at)))];
            // an opening of 0 means that no chain of faces connects this face with the point
            if (opening > 0.0f) {
                add({first + at, 1, opening, opening < 1.0f || (set.turning >> at & 1) != 0});
            }
            bits &= bits - 1;
        }
        openings += rows * static_cast<std::size_t>(std::popcount(asking));
    }
}

// Computes the openings (reach.h) of points for which some cloth inside the sphere faces away. Sets `asking` to these
// points. For all other points the openings are 1.
void Reach::find_openings(const Ground& ground, const Curve& curve, Search& search) const {
    const std::size_t rows = search.faces.size();
    search.asking.assign(search.words, 0);
    std::size_t count = 0;
    for (std::size_t word = 0; word < search.words; ++word) {
        std::uint64_t asking = 0;
        for (std::size_t i = word; i < search.sets.size(); i += search.words) {
            asking |= search.sets[i].turning;
        }
        search.asking[word] = asking;
        count += static_cast<std::size_t>(std::popcount(asking));
    }
    // usually no point needs an opening below 1
    if (count == 0) {
        return;
    }
    search.openings.assign(rows * count, 0.0f);
    search.most.resize(rows);
    float* openings = search.openings.data();
    for (std::size_t word = 0; word < search.words; ++word) {
        for (std::uint64_t bits = search.asking[word]; bits != 0; bits &= bits - 1) {
            open_ways(ground, curve, static_cast<std::int32_t>(64 * word) + std::countr_zero(bits), openings, search);
            openings += rows;
        }
    }
}

// Computes the openings of one point with a label-correcting search for widest paths, from the point's own face over
// the faces that the point reaches.
//
// openings  result, one per row: 0 if no chain leads to the face; 1 if the opening does not limit any weight in it
void Reach::open_ways(const Ground& ground, const Curve& curve, std::int32_t point, float* openings, Search& search) const {
    const CurvePoint& own = ground.points[curve.first + point];
    const std::size_t word = static_cast<std::size_t>(point) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (point % 64);
    const auto offer = [&](std::int32_t face, float most) {
        if (search.met[face] != search.round) {
            return;
        }
        const std::int32_t row = search.rows[face];
        if (most > openings[row] && (search.sets[static_cast<std::size_t>(row) * search.words + word].reached & bit) != 0) {
            if (openings[row] == 0.0f) {
                search.opened.push_back(row);
            }
            openings[row] = most;
            search.waiting.push_back(row);
        }
    };
    search.waiting.clear();
    search.opened.clear();
    offer(ground.point_faces[curve.first + point], 1.0f);
    for (std::size_t next = 0; next < search.waiting.size(); ++next) {
        const std::int32_t row = search.waiting[next], face = search.faces[static_cast<std::size_t>(row)];
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
        search.most[static_cast<std::size_t>(row)] = std::min(nearest, std::max({shares[0], shares[1], shares[2]}));
    }
    for (const std::int32_t row : search.opened) {
        // an opening of at least min(ν, φ) in the whole face does not limit any weight: set it to 1. search.most bounds
        // min(ν, φ) on the sides of the face; if the point is over the face, ν is larger inside the face
        float& found = openings[row];
        const bool matters = found < search.most[row] || lies_over(ground, own, search.faces[row]);
        found = matters ? std::min(found + opening_margin, 1.0f) : 1.0f;
    }
}

// True if the projection of a curve point onto the plane of a face is inside the face.
bool Reach::lies_over(const Ground& ground, const CurvePoint& point, std::int32_t face) const {
    const Face& corners = topology_.faces[face];
    const Vector3 &a = ground.positions[corners[0]], &b = ground.positions[corners[1]], &c = ground.positions[corners[2]];
    const Vector3 across = (b - a).cross(c - a);
    return (b - a).cross(point.position - a).dot(across) > 0.0f && (c - b).cross(point.position - b).dot(across) > 0.0f &&
           (a - c).cross(point.position - c).dot(across) > 0.0f;
}

// Sorts the runs of all searches by face (counting sort) into runs_, and lists the faces with runs. The runs of a face
// remain in the order of wrinkles and points.
void Reach::deal_out() {
    std::fill(run_offsets_.begin(), run_offsets_.end(), 0);
    std::size_t count = 0;
    for (const Search& search : searches_) {
        count += search.found.size();
        for (const FaceRun& found : search.found) {
            ++run_offsets_[found.face + 1];
        }
    }
    faces_.clear();
    std::int32_t end = 0;
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        // most faces do not have runs
        if (std::int32_t& own = run_offsets_[face + 1]; own > 0) {
            faces_.push_back(face);
            end += own;
        }
        run_offsets_[face + 1] = end;
    }
    runs_.resize(count);
    // in the next frame, each thread may process other wrinkles: reserve the largest size for all searches
    for (Search& search : searches_) {
        search.found.reserve(runs_.capacity());
        for (const Search& other : searches_) {
            search.reserve_as(other);
        }
    }
    // iterate backwards, so that the end offset of each face becomes its start offset
    for (auto curve = curves_.rbegin(); curve != curves_.rend(); ++curve) {
        const std::vector<FaceRun>& found = searches_[curve->thread].found;
        for (std::size_t i = curve->end; i-- > curve->begin;) {
            runs_[--run_offsets_[found[i].face + 1]] = found[i].run;
        }
    }
    std::copy(run_offsets_.begin() + 1, run_offsets_.end(), run_offsets_.begin());
    run_offsets_.back() = static_cast<std::int32_t>(count);
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

// Splits the points into wrinkles, and clears the runs of the last search.
void Reach::find_curves(std::span<const CurvePoint> points) {
    curves_.clear();
    for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
        for (end = begin + 1; end < points.size() && points[end].wrinkle == points[begin].wrinkle; ++end) {
        }
        curves_.push_back({.first = static_cast<std::int32_t>(begin),
                           .count = static_cast<std::int32_t>(end - begin),
                           .wrinkle = static_cast<std::int32_t>(points[begin].wrinkle)});
    }
    for (Search& search : searches_) {
        search.found.clear();
    }
}

template <class Visit>
void Reach::for_curves(std::size_t first, std::size_t last, const Visit& visit) {
    for_chunks(pool_, static_cast<std::int64_t>(last - first), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
        Search& search = searches_[thread];
        for (std::int64_t i = begin; i < end; ++i) {
            Curve& curve = curves_[first + static_cast<std::size_t>(i)];
            // deal_out reads the results in the order of the curves, so the order is the same for any number of threads
            curve.thread = thread;
            curve.begin = search.found.size();
            visit(curve, search);
            curve.end = search.found.size();
        }
    });
}

void Reach::collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces) {
    const Ground ground{positions_, normals_, points, point_faces};
    find_curves(points);
    for_curves(0, curves_.size(), [&](Curve& curve, Search& search) {
        follow(ground, curve, 1.0f, search);
        list_runs(ground, curve, search);
    });
    deal_out();
}

// Appends the runs of a wrinkle to search.found: copies those of reused samples from the cache, and searches the faces of
// the samples in between with enlarged spheres. Returns false, without runs, if some cloth inside these spheres faces
// away from a point.
bool Reach::follow_part(const Ground& ground, const KeptReach& kept, const Curve& curve, Search& search) const {
    const auto [line, before, after] = curve.kept;
    const std::size_t begin = search.found.size();
    const Curve part{.first = curve.first + before, .count = curve.count - before - after, .wrinkle = curve.wrinkle};
    follow(ground, part, 1.0f + kept_margin, search);
    if (is_turning(search)) {
        return false;
    }
    list_runs(ground, part, search);
    search.middle.assign(search.found.begin() + begin, search.found.end());
    search.found.resize(begin);
    // joins runs of consecutive points in a face. From here on, rows[face] is the number of the last run of a face
    ++search.round;
    const auto add = [&](std::int32_t face, std::int32_t first, std::int32_t count) {
        if (count <= 0) {
            return;
        }
        std::int32_t& row = search.rows[face];
        if (search.met[face] == search.round) {
            PathRun& last = search.found[begin + static_cast<std::size_t>(row)].run;
            if (last.first + last.count == first) {
                last.count += count;
                return;
            }
        }
        search.met[face] = search.round;
        row = static_cast<std::int32_t>(search.found.size() - begin);
        search.found.push_back({face, {first, count, 1.0f, 0}});
    };
    for (const KeptReach::Run& run : kept.runs_of(*line)) {
        add(run.face, curve.first + run.first, std::min<std::int32_t>(run.count, before - run.first));
    }
    for (const FaceRun& found : search.middle) {
        add(found.face, found.run.first, found.run.count);
    }
    for (const KeptReach::Run& run : kept.runs_of(*line)) {
        const std::int32_t first = std::max<std::int32_t>(run.first, line->sample_count - after);
        add(run.face, curve.first + curve.count - line->sample_count + first, run.first + run.count - first);
    }
    return true;
}

// Copies the runs of a wrinkle from the cache if possible. Otherwise searches with enlarged spheres; if some cloth
// inside them faces away from a point, searches again with the exact spheres.
void Reach::follow_kept(const Ground& ground, std::int64_t id, const KeptReach& kept, Curve& curve, Search& search) const {
    const auto point = ground.points.begin() + curve.first;
    curve.kept = kept.find(
        id, curve.count, [&](std::int32_t i) { return point[i].position; }, [&](std::int32_t i) { return reach_of(point[i]); });
    const std::int32_t reused = curve.kept.before + curve.kept.after;
    // search a line again if most samples are new, because its cloth may not turn away any more
    if (2 * reused < curve.count) {
        curve.kept = {};
    }
    const KeptReach::Line* const line = curve.kept.line;
    curve.turning = line && line->turning;
    curve.wide = !curve.turning && curve.count <= most_kept_samples;
    if (line && curve.wide) {
        if (reused == curve.count && reused == line->sample_count) {
            for (const KeptReach::Run& run : kept.runs_of(*line)) {
                search.found.push_back({run.face, {curve.first + run.first, run.count, 1.0f, 0}});
            }
            return;
        }
        if (follow_part(ground, kept, curve, search)) {
            return;
        }
        curve.turning = true;
        curve.wide = false;
    }
    if (curve.wide) {
        follow(ground, curve, 1.0f + kept_margin, search);
        curve.turning = is_turning(search);
        curve.wide = !curve.turning;
    }
    // this line needs openings (reach.h). Larger spheres could change them, so search again with the exact spheres
    if (!curve.wide) {
        follow(ground, curve, 1.0f, search);
    }
    list_runs(ground, curve, search);
}

// Fills next_, the next contents of the cache, with the later lines: samples that are reused from the cache `before`, new
// samples, and the runs of this search. Lines that need openings are stored without runs.
void Reach::keep(const Ground& ground, std::span<const std::int64_t> ids, std::int32_t earlier, const KeptReach& before) {
    next_.clear();
    for (const Curve& curve : curves_) {
        if (curve.wrinkle < earlier) {
            continue;
        }
        next_.begin_line(ids[static_cast<std::size_t>(curve.wrinkle)], curve.turning);
        const auto& match = curve.kept;
        const auto stored = match.line ? before.samples_of(*match.line) : std::span<const KeptReach::Sample>();
        const std::int32_t end = curve.count - match.after, shift = static_cast<std::int32_t>(stored.size()) - curve.count;
        for (std::int32_t i = 0; i < curve.count; ++i) {
            const CurvePoint& point = ground.points[curve.first + i];
            next_.add_sample(i < match.before ? stored[i]
                             : i >= end       ? stored[i + shift]
                                              : KeptReach::Sample{point.position, (1.0f + kept_margin) * reach_of(point)});
        }
        const std::vector<FaceRun>& found = searches_[static_cast<std::size_t>(curve.thread)].found;
        for (std::size_t i = curve.begin; i < curve.end && curve.wide; ++i) {
            const PathRun& run = found[i].run;
            next_.add_run(
                {found[i].face, static_cast<std::uint16_t>(run.first - curve.first), static_cast<std::uint16_t>(run.count)});
        }
    }
}

void Reach::collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces,
                    std::span<const std::int64_t> ids, std::int32_t earlier, KeptReach& kept) {
    const Ground ground{positions_, normals_, points, point_faces};
    find_curves(points);
    for_curves(0, curves_.size(), [&](Curve& curve, Search& search) {
        follow_kept(ground, ids[static_cast<std::size_t>(curve.wrinkle)], kept, curve, search);
    });
    keep(ground, ids, earlier, kept);
    kept.assign(next_);
    deal_out();
}

}  // namespace ruckle
