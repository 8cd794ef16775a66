// Pairs of line points and triangles that the points reach. The search runs over the surface, so that an arm does not wrinkle the
// torso that it touches.
//
// A point reaches a face under three conditions. Its sphere meets the closed triangle. The triangle does not turn away from the
// point completely (path_heights.h). A chain of such faces connects it with the point's own face; neighbours in the chain share an
// edge or a vertex inside the sphere. An edge point inside the sphere belongs to both faces, so heights do not jump across edges.
//
// If the cloth turns away from a point inside its sphere, chains open and close as the point moves. Each face therefore has an
// opening in [0, 1]: the maximum over all chains of the minimum over their edges of min(1 - d² / (ρ r)², φ). Here d is the distance
// of the edge and φ measures how much the cloth there faces the point. The opening bounds the weight of a sample (path_heights.h),
// so that chains open and close continuously. Both faces of an edge have the same opening there, or openings that have no effect.
//
// With a KeptReach the runs of a line may be wide: they contain points that do not reach the face (ruckle/paths/kept_reach.h).
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

// An edge. Both of its faces read it from the same vertex, so that they compute the same bits.
struct ReachEdge {
    Vector3 from, side;
    float square;  // of its length
};

class Reach {
  public:
    // pool: null for one thread; must outlive this.
    Reach(const Topology& topology, ThreadPool* pool);

    // The cloth of the points. The spans must outlive the last collect.
    //
    // positions    (V) in the same pose as the points
    // normals      (V) unit, or zero
    void set_ground(std::span<const Vector3> positions, std::span<const Vector3> normals);

    // point_faces  the face that holds each point
    void collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces);

    // The same with the reach of the step before, which it replaces.
    //
    // ids      of the wrinkles, by their number in the points
    // earlier  how many wrinkles belong to the step before: their reach is read and not replaced
    void collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces, std::span<const std::int64_t> ids,
                 std::int32_t earlier, KeptReach& kept);

    std::span<const std::int32_t> faces() const { return faces_; }  // faces with runs, ascending

    // Runs of maximal length, ascending per face.
    std::span<const PathRun> runs() const { return runs_; }  // of all faces
    std::span<const PathRun> runs(std::int32_t face) const {
        return std::span(runs_).subspan(static_cast<std::size_t>(run_offsets_[face]),
                                        static_cast<std::size_t>(run_offsets_[face + 1] - run_offsets_[face]));
    }

  private:
    struct FaceRun {
        std::int32_t face;
        PathRun run;
    };

    // Bit masks over 64 points: near the face; near but partly facing away; reaching it; reaching it and not yet propagated to its
    // neighbours.
    struct PointSet {
        std::uint64_t near = 0, turning = 0, reached = 0, fresh = 0;
    };

    // The cloth of the points.
    struct Ground {
        std::span<const Vector3> positions, normals;
        std::span<const CurvePoint> points;
        std::span<const std::int32_t> point_faces;
    };

    // The search of one wrinkle: one row of point sets per visited face.
    struct Search {
        std::vector<SphereBlock> spheres;  // of the wrinkle's points: whole blocks
        explicit Search(std::size_t face_count) : met(face_count, 0), rows(face_count, 0) {}
        void reserve_as(const Search& other);
        void begin(std::int32_t point_count);

        std::vector<std::uint32_t> met;  // (T) round of the last visit to each face
        std::vector<std::int32_t> rows;  // (T) its row in that round
        std::uint32_t round = 0;
        std::vector<std::int32_t> faces;  // of each row
        std::size_t words = 0;            // sets per row
        std::vector<PointSet> sets;
        std::vector<std::int32_t> waiting;  // queue of sets with fresh points; rows that a wider chain has reached
        std::vector<std::uint64_t> asking;  // bit masks of the points from which a row turns away in part
        std::vector<float> openings;        // openings of each asking point, for each row
        std::vector<std::int32_t> opened;   // rows that chains of the current point have reached
        std::vector<float> most;            // per row: upper bound of the weights of the current point
        std::vector<FaceRun> found;         // results of all wrinkles of this thread
    };

    // The points of one wrinkle, and the thread whose search holds their runs.
    struct Curve {
        std::int32_t first, count;
        std::int32_t wrinkle;
        int thread = 0;
        std::size_t begin = 0, end = 0;  // range in the search's found
        bool wide = false, turning = false;
        const KeptReach::Line* kept = nullptr;  // line that it follows
    };

    void find_curves(std::span<const CurvePoint> points);
    // visit(curve, search) for the curves [first, last)
    template <class Visit>
    void for_curves(std::size_t first, std::size_t last, const Visit& visit);
    void follow(const Ground& ground, const Curve& curve, float growth, Search& search) const;
    void follow_kept(const Ground& ground, std::int64_t id, const KeptReach& kept, Curve& curve, Search& search) const;
    void keep(const Ground& ground, std::span<const std::int64_t> ids, std::int32_t earlier, const KeptReach& before);
    static bool is_turning(const Search& search);
    void list_runs(const Ground& ground, const Curve& curve, Search& search) const;
    std::size_t row_of(const Curve& curve, std::int32_t face, Search& search) const;
    void visit(const Curve& curve, std::int32_t face, Search& search) const;
    static void hand(std::size_t number, std::uint64_t points, Search& search);
    void spread(const Ground& ground, const Curve& curve, std::size_t number, Search& search) const;
    void find_openings(const Ground& ground, const Curve& curve, Search& search) const;
    void open_ways(const Ground& ground, const Curve& curve, std::int32_t point, float* openings, Search& search) const;
    void add_runs(const Curve& curve, std::size_t row, Search& search) const;
    bool lies_over(const Ground& ground, const CurvePoint& point, std::int32_t face) const;
    void deal_out();

    const Topology& topology_;
    ThreadPool* pool_;
    std::span<const Vector3> positions_, normals_;
    std::vector<std::uint8_t> pinched_;        // (V) 1 if the faces of the vertex form several fans
    std::vector<std::uint8_t> has_pinched_;    // (T) 1 if a corner is pinched
    std::vector<DistanceTriangle> triangles_;  // (T) in the pose of the points
    std::vector<ReachEdge> edges_;             // (E)
    std::vector<Search> searches_;             // one per thread
    std::vector<Curve> curves_;                // in order
    KeptReach next_;                           // scratch
    std::vector<std::int32_t> faces_;
    std::vector<std::int32_t> run_offsets_;  // (T + 1)
    std::vector<PathRun> runs_;              // by face, and within each face by point
};

}  // namespace ruckle
