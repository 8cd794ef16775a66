#include "simulation/tracking.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "simulation/limits.h"

namespace ruckle {

Tracking::Tracking(std::span<const float> tests, int test_count, std::span<const float> points)
    : test_count_(test_count),
      padded_count_((test_count + test_block - 1) / test_block * test_block),
      vertex_count_(static_cast<std::int64_t>(tests.size()) / test_count) {
    const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> given(tests.data(), test_count,
                                                                                                        vertex_count_);
    const Eigen::Map<const Eigen::Matrix<float, 4, Eigen::Dynamic>> rows(points.data(), 4, vertex_count_);
    // computed in double, because the matrix is inverted once and its inverse is used in every substep
    const Eigen::MatrixXd t = given.cast<double>();
    // lazy products, because blocked products take long to compile
    const Eigen::MatrixXd weighted = t * rows.row(3).transpose().cast<double>().asDiagonal();
    const Eigen::MatrixXd schur = weighted.lazyProduct(t.transpose());
    const Eigen::LLT<Eigen::MatrixXd> factors(schur);
    // condition number in the 1-norm, estimated (Hager 1984); infinite if the factorization fails
    const double condition = factors.info() == Eigen::Success ? 1 / factors.rcond() : std::numeric_limits<double>::infinity();
    // the comparison is negated, so that NaN is also rejected
    if (!(condition < largest_condition)) {
        throw std::invalid_argument("tests: " + std::to_string(test_count) +
                                    " test functions are nearly dependent on the free vertices (condition number " +
                                    std::to_string(condition) + "); use fewer test functions");
    }
    inverse_ = factors.solve(Eigen::MatrixXd::Identity(test_count, test_count));
    unit_moments_ = t.rowwise().sum();
    // the tests of a vertex are consecutive, because sweeps iterate over vertices
    tests_.assign(static_cast<std::size_t>(vertex_count_ * padded_count_), 0.0f);
    for (std::int64_t v = 0; v < vertex_count_; ++v) {
        for (int r = 0; r < test_count; ++r) {
            tests_[static_cast<std::size_t>(v * padded_count_ + r)] = given(r, v);
        }
    }
    const std::int64_t chunks = (vertex_count_ + tracking_chunk - 1) / tracking_chunk;
    partial_sums_.assign(static_cast<std::size_t>(3 * chunks * padded_count_), 0.0f);
    coefficients_.assign(static_cast<std::size_t>(3 * padded_count_), 0.0f);
    moments_.resize(test_count, 3);
    change_.resize(test_count, 3);
}

// Writes the moments of the points to moments_. Adds the sums of the chunks in order, so that the result does not
// depend on the number of threads.
void Tracking::sum_moments(const SweepKernels& sweeps, ThreadPool* pool, const float* points) {
    const std::int64_t chunks = (vertex_count_ + tracking_chunk - 1) / tracking_chunk;
    for_chunks(pool, chunks, 1, [&](std::int64_t first, std::int64_t last, int) {
        for (std::int64_t c = first; c < last; ++c) {
            const std::int64_t begin = c * tracking_chunk, end = std::min(begin + tracking_chunk, vertex_count_);
            sweeps.sum_moments(tests_.data(), padded_count_, points, begin, end,
                               &partial_sums_[static_cast<std::size_t>(3 * c * padded_count_)]);
        }
    });
    // sums chunks in double, because float32 is precise enough only for sums over one chunk (tracking_chunk)
    moments_.setZero();
    for (std::int64_t c = 0; c < chunks; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
            const float* sums = &partial_sums_[static_cast<std::size_t>((3 * c + axis) * padded_count_)];
            moments_.col(axis) += Eigen::Map<const Eigen::VectorXf>(sums, test_count_).cast<double>();
        }
    }
}

// Replaces the moments in moments_ by targets minus moments.
void Tracking::find_missing(std::span<const double> targets, const Eigen::Vector3d& origin) {
    for (int r = 0; r < test_count_; ++r) {
        for (int axis = 0; axis < 3; ++axis) {
            // make the target relative to the cloth's origin: subtract the moment of a shift of all points by `origin`
            moments_(r, axis) =
                targets[static_cast<std::size_t>(3 * r + axis)] - origin[axis] * unit_moments_[r] - moments_(r, axis);
        }
    }
}

bool Tracking::apply(const SweepKernels& sweeps, ThreadPool* pool, std::span<const double> targets, const Eigen::Vector3d& origin,
                     const TrackedRange& range, std::span<float> points) {
    const double off = residual(sweeps, pool, targets, origin, points);
    if (off < range.least || off > range.largest) {
        return false;
    }
    // lazy, because Eigen's blocked product allocates
    change_.noalias() = inverse_.lazyProduct(moments_);
    for (int axis = 0; axis < 3; ++axis) {
        for (int r = 0; r < test_count_; ++r) {
            coefficients_[static_cast<std::size_t>(axis * padded_count_ + r)] = static_cast<float>(change_(r, axis));
        }
    }
    for_chunks(pool, vertex_count_, tracking_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        sweeps.move_by_tests(tests_.data(), padded_count_, coefficients_.data(), points.data(), begin, end);
    });
    return true;
}

double Tracking::residual(const SweepKernels& sweeps, ThreadPool* pool, std::span<const double> targets,
                          const Eigen::Vector3d& origin, std::span<const float> points) {
    sum_moments(sweeps, pool, points.data());
    find_missing(targets, origin);
    // the result is the length of a uniform shift of the cloth that would change the moments by an equal norm
    return moments_.norm() / unit_moments_.norm();
}

}  // namespace ruckle
