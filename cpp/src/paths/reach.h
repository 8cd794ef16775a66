// Finds the triangles that each point of a drawn line reaches (affects). The search walks over the surface, so that a
// wrinkle of a sleeve does not appear on the torso, even if both touch.
//
// A point has a sphere, whose radius is the largest distance at which its sample has an effect. A point reaches a face
// if three conditions hold. The sphere intersects the triangle. Some part of the triangle faces the point: φ > 0 there
// (path_heights.h). A chain of faces that satisfy the first two conditions connects the face with the point's own face;
// neighbours in a chain share an edge, or a vertex inside the sphere that joins several fans without a common edge. If
// a point of an edge is inside the sphere, both of its faces are reached, so that heights do not jump across edges.
//
// If cloth inside the sphere faces away from the point, chains appear and disappear as the point moves. Each face
// therefore has an opening in [0, 1] for the point. The opening of a chain is the minimum over its edges of min(1 - d²
// / (ρ r)², φ), with d the distance from the point to the edge and φ at the edge. The opening of a face is the maximum
// over all chains that end at it. It is the g_k of path_heights.h: it limits the weight of the sample, so that heights
// change continuously. At an edge, the openings of both faces are equal, or they are too large to limit a weight.
//
// With a cache (ruckle/paths/kept_reach.h), the runs of a line may also contain points that do not reach the face.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "paths/path_height_kernel.h"
#include "paths/reach_kernel.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/paths/kept_reach.h"
#include "ruckle/paths/path_heights.h"
#include "support/thread_pool.h"

namespace ruckle {

// Mesh edge with precomputed vectors: from one end, `side` to the other end. Each edge is stored once, so that
// distances in both of its faces have the same bits.
struct ReachEdge {
    Vector3 from, side;
    float square;  // squared length of `side`
};

class Reach {
  public:
    // pool: threads for the search; null for one thread. Must outlive this object.
    Reach(const Topology& topology, ThreadPool* pool);

    // Sets the cloth for the search, and computes its triangles and edges. The spans must remain valid until the last
    // collect.
    //
    // positions    (V) vertex positions, in the same pose as the points
    // normals      (V) vertex normals: unit, or zero
    void set_ground(std::span<const Vector3> positions, std::span<const Vector3> normals);

    // Finds the faces that the points reach. The results are faces() and runs().
    //
    // point_faces  the face that contains each point
    void collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces);

    // Finds the faces that the points reach. Uses the cache `kept` for lines that have hardly moved since the cache was
    // filled, and replaces its contents.
    //
    // ids      id of each wrinkle, indexed by CurvePoint::wrinkle
    // earlier  number of wrinkles of the earlier of two steps, which come first. All wrinkles read the cache; its new
    //          contents are the wrinkles of the later step
    void collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces, std::span<const std::int64_t> ids,
                 std::int32_t earlier, KeptReach& kept);

    std::span<const std::int32_t> faces() const { return faces_; }  // faces with runs, ascending

    // Runs of consecutive points, as long as possible. The runs of a face are sorted by point.
    std::span<const PathRun> runs() const { return runs_; }  // runs of all faces
    std::span<const PathRun> runs(std::int32_t face) const {
        return std::span(runs_).subspan(static_cast<std::size_t>(run_offsets_[face]),
                                        static_cast<std::size_t>(run_offsets_[face + 1] - run_offsets_[face]));
    }

  private:
    struct FaceRun {
        std::int32_t face;
        PathRun run;
    };

    // Bit masks over 64 points. near: the sphere intersects the face, and a part of the face faces the point. turning:
    // near, and a part of the face faces away. reached: the point reaches the face. fresh: reached, but not yet
    // propagated to neighbours.
    struct PointSet {
        std::uint64_t near = 0, turning = 0, reached = 0, fresh = 0;
    };

    // The cloth, and the curve points on it.
    struct Ground {
        std::span<const Vector3> positions, normals;
        std::span<const CurvePoint> points;
        std::span<const std::int32_t> point_faces;
    };

    // Scratch of the search of one wrinkle. Each visited face has one row of point sets.
    struct Search {
        std::vector<SphereBlock> spheres;  // spheres of the wrinkle's points, in whole blocks
        explicit Search(std::size_t face_count) : met(face_count, 0), rows(face_count, 0) {}
        void reserve_as(const Search& other);
        void begin(std::int32_t point_count);

        std::vector<std::uint32_t> met;   // (T) number of the last search that visited each face
        std::vector<std::int32_t> rows;   // (T) row of each face in the last search that visited it
        std::uint32_t round = 0;          // number of this search
        std::vector<std::int32_t> faces;  // face of each row
        std::size_t words = 0;            // number of point sets per row, each for 64 points
        // point sets of all rows
        std::vector<PointSet> sets;
        // queue of the search: point sets with fresh points. Queue of open_ways: rows whose opening has increased
        std::vector<std::int32_t> waiting;
        std::vector<std::uint64_t> asking;  // bit masks of points that need openings: some face is `turning` for the point
        std::vector<float> openings;        // openings of each point in `asking`, one number per row
        std::vector<std::int32_t> opened;   // rows of the faces that chains of the current point have reached
        std::vector<float> most;            // per row: upper bound of min(ν, φ) of the current point on the sides
        std::vector<FaceRun> found;         // runs of all wrinkles of this thread
        std::vector<FaceRun> middle;        // scratch of follow_part
    };

    // The points of one wrinkle, and the thread that searched for its faces.
    struct Curve {
        std::int32_t first, count;
        std::int32_t wrinkle;
        int thread = 0;
        std::size_t begin = 0, end = 0;  // the runs of this wrinkle are found[begin .. end) of the thread's search
        // wide: the runs are those of the enlarged spheres of the cache. turning: cloth inside the spheres faces away
        // from some point
        bool wide = false, turning = false;
        KeptReach::Match kept{};  // entry of the cache whose samples are reused, or null
    };

    void find_curves(std::span<const CurvePoint> points);
    // Calls visit(curve, search) for the curves [first, last).
    template <class Visit>
    void for_curves(std::size_t first, std::size_t last, const Visit& visit);
    void follow(const Ground& ground, const Curve& curve, float growth, Search& search) const;
    void follow_kept(const Ground& ground, std::int64_t id, const KeptReach& kept, Curve& curve, Search& search) const;
    bool follow_part(const Ground& ground, const KeptReach& kept, const Curve& curve, Search& search) const;
    void keep(const Ground& ground, std::span<const std::int64_t> ids, std::int32_t earlier, const KeptReach& before);
    static bool is_turning(const Search& search);
    void list_runs(const Ground& ground, const Curve& curve, Search& search) const;
    std::size_t row_of(const Curve& curve, std::int32_t face, Search& search) const;
    void visit(const Curve& curve, std::int32_t face, Search& search) const;
    static void mark_reached(std::size_t number, std::uint64_t points, Search& search);
    void spread(const Ground& ground, const Curve& curve, std::size_t number, Search& search) const;
    void find_openings(const Ground& ground, const Curve& curve, Search& search) const;
    void open_ways(const Ground& ground, const Curve& curve, std::int32_t point, float* openings, Search& search) const;
    void add_runs(const Curve& curve, std::size_t row, Search& search) const;
    bool lies_over(const Ground& ground, const CurvePoint& point, std::int32_t face) const;
    void deal_out();

    const Topology& topology_;
    ThreadPool* pool_;
    std::span<const Vector3> positions_, normals_;
    // (V) 1 if the faces of the vertex form several fans that are connected only by the vertex
    std::vector<std::uint8_t> pinched_;
    std::vector<std::uint8_t> has_pinched_;    // (T) 1 if a corner is pinched
    std::vector<DistanceTriangle> triangles_;  // (T) triangles for distance tests, in the pose of the points
    std::vector<ReachEdge> edges_;             // (E) edges in the pose of the points
    std::vector<Search> searches_;             // scratch of each thread
    std::vector<Curve> curves_;                // the wrinkles in the order of their points
    KeptReach next_;                           // scratch: the next contents of the cache
    // faces with runs, ascending
    std::vector<std::int32_t> faces_;
    std::vector<std::int32_t> run_offsets_;  // (T + 1) face f has the runs [run_offsets_[f], run_offsets_[f + 1])
    std::vector<PathRun> runs_;              // runs sorted by face, and by point within each face
};

}  // namespace ruckle
