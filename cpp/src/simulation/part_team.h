// Threads that process the parts of a cloth together (numbering.h). Each thread ("member") has a range of consecutive
// parts. If all threads are available, each has the same parts in every run, so that its data remain in its cache. A
// member waits only for its two neighbours, at the borders of their parts, except for the rare constraints between
// parts that are not adjacent: all members wait for these. The processing order makes waiting rare. With fewer members,
// each member has more parts, and the results have identical bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "simulation/constraints.h"
#include "simulation/numbering.h"
#include "support/thread_pool.h"

namespace ruckle {

class PartTeam;

// One member of the team. All members must make the same calls in the same order.
class PartWorker {
  public:
    // Calls sweep(begin, end) for the batches within the member's parts, then for the batches that join a part to the
    // next part. The first member also processes the other batches (round 2), while all members wait.
    template <class Sweep>
    void sweep(const Batches& batches, Sweep sweep);

    // Calls loop(begin, end) for the rows of the member's parts, a whole number of blocks.
    template <class Loop>
    void rows(Loop loop);

    // Calls move(vertex) for the listed vertices in the member's parts. ascending: vertices in ascending order.
    template <class Move>
    void vertices(std::span<const std::int32_t> ascending, Move move);

    // True for the first member; it measures times and processes round 2.
    bool is_first() const { return member_ == 0; }

  private:
    friend PartTeam;
    PartWorker(PartTeam& team, std::size_t member, std::size_t member_count, std::int64_t share);
    void wait_for_previous() const;
    void advance();

    PartTeam& team_;
    std::size_t member_, member_count_;
    std::int64_t first_, last_;  // range of the member's parts, [first_, last_)
    std::int64_t steps_ = 0;     // progress: number of finished steps; each call of sweep or rows has two
};

class PartTeam {
  public:
    // Throws ResourceError if the system does not provide all threads.
    PartTeam(const Numbering& numbering, int thread_count)
        : part_count_(numbering.part_count),
          part_size_(numbering.part_size),
          row_count_(numbering.first_spare),
          progress_(static_cast<std::size_t>(thread_count)) {
        if (thread_count > 1) {
            pool_.emplace(thread_count);
        }
    }

    // Calls work(worker) on every member that has parts, and returns after all calls. Does not allocate. If a call
    // throws, the other members finish, and then the first exception is thrown here.
    template <class Work>
    void run(Work work) {
        if (!pool_ || part_count_ < 2) {
            PartWorker worker(*this, 0, 1, part_count_);
            work(worker);
            return;
        }
        for (Progress& progress : progress_) {
            progress.reach(0);
        }
        left_over_.reach(0);
        pool_->run_together([&](int thread, int thread_count) {
            const std::int64_t share = (part_count_ + thread_count - 1) / thread_count;
            const auto member = static_cast<std::size_t>(thread);
            const auto member_count = static_cast<std::size_t>((part_count_ + share - 1) / share);
            if (member < member_count) {
                work_as(PartWorker(*this, member, member_count, share), work);
            }
        });
    }

    // Threads for work that is not divided into parts; null if there is only one thread.
    ThreadPool* pool() { return pool_ ? &*pool_ : nullptr; }

  private:
    friend PartWorker;

    template <class Work>
    void work_as(PartWorker worker, Work& work) {
        try {
            work(worker);
        } catch (...) {
            // marks this member as finished forever, so that other members do not wait for it
            constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
            progress_[worker.member_].reach(end);
            if (worker.is_first()) {
                left_over_.reach(end);
            }
            throw;
        }
    }

    std::int64_t part_count_, part_size_, row_count_;
    std::vector<Progress> progress_;  // number of steps that each member has finished
    Progress left_over_;
    std::optional<ThreadPool> pool_;
};

inline PartWorker::PartWorker(PartTeam& team, std::size_t member, std::size_t member_count, std::int64_t share)
    : team_(team),
      member_(member),
      member_count_(member_count),
      first_(static_cast<std::int64_t>(member) * share),
      last_(std::min(first_ + share, team.part_count_)) {}

// Waits until the member before this one (member_ - 1) has finished all calls of sweep and rows before the current
// call, including the batches that join its last part to this member's first part. The first member does not wait.
inline void PartWorker::wait_for_previous() const {
    if (member_ > 0) {
        team_.progress_[member_ - 1].wait_for(steps_);
    }
}

inline void PartWorker::advance() {
    team_.progress_[member_].reach(++steps_);
}

template <class Sweep>
void PartWorker::sweep(const Batches& batches, Sweep sweep) {
    const auto go_over = [&](std::int64_t part) {
        const auto p = static_cast<std::size_t>(part);
        for (auto b = static_cast<std::size_t>(batches.parts[p]); b < static_cast<std::size_t>(batches.parts[p + 1]); ++b) {
            sweep(batches.starts[b], batches.starts[b + 1]);
        }
    };
    const std::int64_t joins = batches.rounds[1], left_over = batches.rounds[2];
    // The first part shares a border with the previous member; the last of the joining batches shares vertices with the
    // next member. Both are processed last in their round, so that members rarely wait.
    for (std::int64_t part = last_ - 1; part > first_; --part) {
        go_over(part);
    }
    wait_for_previous();
    go_over(first_);
    advance();
    for (std::int64_t part = first_; part < last_ - 1; ++part) {
        go_over(joins + part);
    }
    if (member_ + 1 < member_count_) {
        team_.progress_[member_ + 1].wait_for(steps_);
    }
    go_over(joins + last_ - 1);
    advance();
    // constraints between non-adjacent parts (rare) are solved by the first member; the others wait
    if (batches.parts[static_cast<std::size_t>(left_over)] == batches.parts[static_cast<std::size_t>(left_over) + 1]) {
        return;
    }
    if (is_first()) {
        for (std::size_t member = 0; member < member_count_; ++member) {
            team_.progress_[member].wait_for(steps_);
        }
        go_over(left_over);
        team_.left_over_.reach(steps_);
    }
    team_.left_over_.wait_for(steps_);
}

template <class Loop>
void PartWorker::rows(Loop loop) {
    wait_for_previous();
    loop(first_ * team_.part_size_, last_ == team_.part_count_ ? team_.row_count_ : last_ * team_.part_size_);
    advance();
    advance();
}

template <class Move>
void PartWorker::vertices(std::span<const std::int32_t> ascending, Move move) {
    rows([&](std::int64_t begin, std::int64_t end) {
        const auto first = std::lower_bound(ascending.begin(), ascending.end(), begin);
        for (auto vertex = first; vertex != ascending.end() && *vertex < end; ++vertex) {
            move(static_cast<std::size_t>(*vertex));
        }
    });
}

}  // namespace ruckle
