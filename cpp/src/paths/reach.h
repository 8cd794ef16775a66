// Which points of drawn lines reach which triangles, found over the surface: an arm does not wrinkle the torso that it touches.
//
// A point reaches a face where the ball around it meets the closed triangle, where that has not turned away from the point altogether
// (path_heights.h), and where it can be walked to from the point's own face over such faces that share a vertex or an edge within
// the ball. Whatever lies within the ball on an edge lies in both its faces,
// so that crossing it makes no height jump.
//
// Where the cloth turns away from a point within its ball, the ways to what lies behind open and close as the point moves, and a face
// far along such a way may lie near. So each of its faces has an opening: of the ways there over faces that it reaches, the widest,
// as wide as the narrowest edge that it crosses; an edge is as wide as min(1 - d² / (ρ r)², φ) at its best, with d the distance from
// it and φ how much the cloth there faces the point. A sample counts for no more than that (path_heights.h), and what opens or closes
// does so from 0. On an edge both of its faces have one opening, or such as do not matter there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "paths/path_height_kernel.h"
#include "paths/reach_kernel.h"
#include "ruckle/mesh/topology.h"
#include "ruckle/paths/path_heights.h"
#include "support/thread_pool.h"

namespace ruckle {

// From the same vertex for both of its faces, which must find the same bits.
struct ReachEdge {
    Vector3 from, side;
    float square;  // of its length
};

class Reach {
  public:
    // pool: null for one thread; must outlive this.
    Reach(const Topology& topology, ThreadPool* pool);

    // What points lie on; the spans must outlive the last collect.
    //
    // positions    (V) in which the points lie
    // normals      (V) unit, or zero
    void set_ground(std::span<const Vector3> positions, std::span<const Vector3> normals);

    // point_faces  the face that holds each point
    void collect(std::span<const CurvePoint> points, std::span<const std::int32_t> point_faces);

    std::span<const std::int32_t> faces() const { return faces_; }  // that have runs, ascending

    // Ascending per face, and as long as can be.
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

    // Of 64 points, one bit each: what is near enough to a face, from which of that it turns away in part, what reaches it, and of
    // that what has not been handed on.
    struct PointSet {
        std::uint64_t near = 0, turning = 0, reached = 0, fresh = 0;
    };

    // What the points lie on.
    struct Ground {
        std::span<const Vector3> positions, normals;
        std::span<const CurvePoint> points;
        std::span<const std::int32_t> point_faces;
    };

    // The walk of one wrinkle, with a row of sets per face visited.
    struct Walk {
        explicit Walk(std::size_t face_count) : met(face_count, 0), rows(face_count, 0) {}
        void reserve_as(const Walk& other);
        void begin(std::int32_t point_count);

        std::vector<std::uint32_t> met;  // (T) the round in which a face was last visited
        std::vector<std::int32_t> rows;  // (T) its row in that round
        std::uint32_t round = 0;
        std::vector<std::int32_t> faces;  // of each row
        std::size_t words = 0;            // sets per row
        std::vector<PointSet> sets;
        std::vector<std::int32_t> waiting;  // sets with fresh points; rows to which a wider way leads
        std::vector<std::uint64_t> asking;  // the points that a row turns away from in part, one bit each
        std::vector<float> openings;        // of each asking point, for each row
        std::vector<std::int32_t> opened;   // rows to which a way of the point last followed leads
        std::vector<float> most;            // of each row: what its sides let through at most, of the point last followed
        std::vector<FaceRun> found;         // results of all wrinkles of this thread
    };

    // The points of a wrinkle, joined to the walk that found where they reach.
    struct Curve {
        std::int32_t first, count;
        std::size_t first_block;  // of its balls: whole blocks
        int thread;
        std::size_t begin, end;  // in the walk's found
    };

    void append_balls(std::span<const CurvePoint> curve);
    void follow(const Ground& ground, const Curve& curve, Walk& walk) const;
    std::size_t row_of(const Curve& curve, std::int32_t face, Walk& walk) const;
    void visit(const Curve& curve, std::int32_t face, Walk& walk) const;
    static void hand(std::size_t number, std::uint64_t points, Walk& walk);
    void spread(const Ground& ground, const Curve& curve, std::size_t number, Walk& walk) const;
    void find_openings(const Ground& ground, const Curve& curve, Walk& walk) const;
    void open_ways(const Ground& ground, const Curve& curve, std::int32_t point, float* openings, Walk& walk) const;
    void add_runs(const Curve& curve, std::size_t row, Walk& walk) const;
    bool lies_over(const Ground& ground, const CurvePoint& point, std::int32_t face) const;
    void deal_out();

    const Topology& topology_;
    ThreadPool* pool_;
    std::span<const Vector3> positions_, normals_;
    std::vector<std::uint8_t> pinched_;        // (V) faces meet here that do not meet at an edge
    std::vector<std::uint8_t> has_pinched_;    // (T) such a corner
    std::vector<DistanceTriangle> triangles_;  // (T) where the points lie
    std::vector<ReachEdge> edges_;             // (E)
    std::vector<Walk> walks_;                  // one per thread
    std::vector<Curve> curves_;                // in order
    std::vector<BallBlock> balls_;
    std::vector<std::int32_t> faces_;
    std::vector<std::int32_t> run_offsets_;  // (T + 1)
    std::vector<PathRun> runs_;              // by face, and within each face by point
};

}  // namespace ruckle
