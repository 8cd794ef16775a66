// Threads that go over the parts of a cloth side by side (numbering.h). Each has some parts that follow each other, the same in every
// run: vertices would wander from cache to cache otherwise, which takes as long as a second thread saves. It waits for nobody but
// the thread before it and the one behind, where their parts meet, and goes over those parts at such times that it seldom has to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulation/constraints.h"
#include "simulation/numbering.h"
#include "support/thread_pool.h"

namespace ruckle {

class PartTeam;

// One of the threads. All of them make the same calls in the same order.
class PartWorker {
  public:
    // Calls sweep(begin, end) for the batches within the parts, then for those that join them to what follows.
    template <class Sweep>
    void sweep(const Batches& batches, Sweep sweep);

    // Calls loop(begin, end) for the rows of the parts, in whole blocks.
    template <class Loop>
    void rows(Loop loop);

    // Calls move(vertex) for those of some vertices, in ascending order, that lie in the parts.
    template <class Move>
    void vertices(std::span<const std::int32_t> ascending, Move move);

    // One tells the time for all.
    bool is_first() const { return thread_ == 0; }

  private:
    friend PartTeam;
    PartWorker(PartTeam& team, std::size_t thread);
    void wait_for_previous() const;
    void advance();

    PartTeam& team_;
    std::size_t thread_;
    std::int64_t first_, last_;  // parts
    std::int64_t steps_;         // two per call
};

class PartTeam {
  public:
    // Throws ResourceError where the system does not give as many threads.
    PartTeam(const Numbering& numbering, int thread_count)
        : part_count_(numbering.part_count),
          part_size_(numbering.part_size),
          row_count_(numbering.first_spare),
          share_((part_count_ + thread_count - 1) / thread_count),
          progress_(static_cast<std::size_t>((part_count_ + share_ - 1) / share_)) {
        if (thread_count > 1) {
            pool_.emplace(thread_count);
        }
    }

    // Calls work(worker) on every thread that has parts, and returns when all are done. Allocates nothing.
    template <class Work>
    void run(Work work) {
        auto on_thread = [&](int thread) {
            if (static_cast<std::size_t>(thread) < progress_.size()) {
                PartWorker worker(*this, static_cast<std::size_t>(thread));
                work(worker);
            }
        };
        if (progress_.size() > 1) {
            pool_->run_on_each(on_thread);
        } else {
            on_thread(0);
        }
    }

    // For work without parts; null for one thread.
    ThreadPool* pool() { return pool_ ? &*pool_ : nullptr; }

  private:
    friend PartWorker;
    std::int64_t part_count_, part_size_, row_count_;
    std::int64_t share_;  // parts of a thread
    std::vector<Progress> progress_;
    Progress left_over_;
    std::optional<ThreadPool> pool_;
};

inline PartWorker::PartWorker(PartTeam& team, std::size_t thread)
    : team_(team),
      thread_(thread),
      first_(static_cast<std::int64_t>(thread) * team.share_),
      last_(std::min(first_ + team.share_, team.part_count_)),
      steps_(team.progress_[thread].steps()) {}

// Until the thread before has joined its last part to the first one here, in the call before this one.
inline void PartWorker::wait_for_previous() const {
    if (thread_ > 0) {
        team_.progress_[thread_ - 1].wait_for(steps_);
    }
}

inline void PartWorker::advance() {
    team_.progress_[thread_].reach(++steps_);
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
    // the first part last, the last join last: both threads of a border come there from afar
    for (std::int64_t part = last_ - 1; part > first_; --part) {
        go_over(part);
    }
    wait_for_previous();
    go_over(first_);
    advance();
    for (std::int64_t part = first_; part < last_ - 1; ++part) {
        go_over(joins + part);
    }
    if (thread_ + 1 < team_.progress_.size()) {
        team_.progress_[thread_ + 1].wait_for(steps_);
    }
    go_over(joins + last_ - 1);
    advance();
    // what joins parts that do not follow each other, hardly ever anything: by one thread, while all others wait
    if (batches.parts[static_cast<std::size_t>(left_over)] == batches.parts[static_cast<std::size_t>(left_over) + 1]) {
        return;
    }
    if (is_first()) {
        for (const Progress& thread : team_.progress_) {
            thread.wait_for(steps_);
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
