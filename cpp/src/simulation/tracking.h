// Tracks a coarse simulation exactly: x += W Tᵀ (T W Tᵀ)⁻¹ (T B p - T x). This is the smallest motion, weighted by
// mass, after which the moments T x of the cloth equal those of the coarse cloth p (Kavan et al. 2011, equation 6). T:
// test functions; W: inverse masses; B: interpolation of coarse positions at fine vertices.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <vector>

#include "simulation/sweeps.h"
#include "support/thread_pool.h"

namespace ruckle {

// Range of residuals for which tracking is applied, m.
struct TrackedRange {
    double least = 0.0, largest = std::numeric_limits<double>::infinity();
};

class Tracking {
  public:
    // tests: (R, V) row by row. points: rows with the inverse masses.
    // Throws std::invalid_argument if the tests are (nearly) linearly dependent on the free vertices.
    Tracking(std::span<const float> tests, int test_count, std::span<const float> points);

    int test_count() const { return test_count_; }

    // Moves the free vertices so that their moments equal the targets (R, 3), which are moments about the world's
    // origin; `origin` is the origin of the points. Returns false and does not move vertices if the residual is outside
    // `range`.
    bool apply(const SweepKernels& sweeps, ThreadPool* pool, std::span<const double> targets, const Eigen::Vector3d& origin,
               const TrackedRange& range, std::span<float> points);

    // Returns |targets - moments| / |moments of a uniform shift by 1 m|, m.
    double residual(const SweepKernels& sweeps, ThreadPool* pool, std::span<const double> targets, const Eigen::Vector3d& origin,
                    std::span<const float> points);

  private:
    void sum_moments(const SweepKernels& sweeps, ThreadPool* pool, const float* points);
    void find_missing(std::span<const double> targets, const Eigen::Vector3d& origin);

    int test_count_, padded_count_;
    std::int64_t vertex_count_;
    std::vector<float> tests_;          // (V, padded R), zeros after the last test
    Eigen::MatrixXd inverse_;           // (R, R) matrix (T W Tᵀ)⁻¹
    Eigen::VectorXd unit_moments_;      // (R) row sums of T: moments of a uniform shift of the cloth by 1 m
    std::vector<float> partial_sums_;   // partial sums of each chunk of vertices: (3, padded R)
    Eigen::MatrixXd moments_, change_;  // (R, 3): moments, then targets minus moments; inverse_ times that
    std::vector<float> coefficients_;   // (3, padded R) coefficients of move_by_tests
};

}  // namespace ruckle
