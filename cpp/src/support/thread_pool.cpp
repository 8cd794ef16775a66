// Runs tasks on several threads; thread_pool.h explains rounds, the gate and members.
#include "support/thread_pool.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "ruckle/types.h"

namespace ruckle {

namespace {

// Number of polls of a waiting thread before it yields the processor, and before it sleeps: some microseconds, then
// some hundred microseconds. The next stage of a frame starts within microseconds, but waking a thread takes up to a
// hundred.
constexpr int polls_alone = 4000, polls_before_sleep = polls_alone + 1000;
// Limits of the number of polls (ThreadPool::patience_) for which the caller of run_together waits for other threads to
// join. If threads were late in the last rounds, the caller waits 2 to 4 microseconds. If all joined in time, it waits
// 60 to 120, the time that the system needs to wake a thread.
constexpr int least_patience = 2000, most_patience = 64'000;

constexpr std::uint64_t joined_mask = 0xffffffffu;

// Waits until the value differs from `known`, and returns it.
template <class T>
T wait_for_change(const std::atomic<T>& value, T known) {
    for (int polls = 0;; ++polls) {
        if (const T now = value.load(std::memory_order_acquire); now != known) {
            return now;
        }
        if (polls >= polls_before_sleep) {
            value.wait(known, std::memory_order_acquire);
        } else if (polls >= polls_alone) {
            std::this_thread::yield();
        }
    }
}

// Number of forks between the first process and this process.
std::atomic<unsigned> fork_count{0};

void watch_forks() {
#if defined(__unix__) || defined(__APPLE__)
    // if registering fails, this throws, and the next pool tries again
    static const bool is_watching = [] {
        if (pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); }) != 0) {
            throw std::bad_alloc();
        }
        return true;
    }();
    static_cast<void>(is_watching);
#endif
}

}  // namespace

void Progress::wait_for(std::int64_t steps) const {
    for (int polls = 0; steps_.load(std::memory_order_acquire) < steps; ++polls) {
        if (polls >= polls_alone) {
            std::this_thread::yield();
        }
    }
}

ThreadPool::ThreadPool(int thread_count) : thread_count_(thread_count) {
    watch_forks();
    fork_count_ = fork_count.load(std::memory_order_relaxed);
    threads_.reserve(static_cast<std::size_t>(thread_count - 1));
    try {
        start_threads();
    } catch (const std::system_error&) {
        // the destructor does not run if the constructor throws, and destroying a thread that is not joined ends the
        // process
        const std::size_t started = threads_.size() + 1;
        stop();
        throw ResourceError("threads: the system starts only " + std::to_string(started) + " of " + std::to_string(thread_count) +
                            "; use fewer, or raise the system's limit");
    } catch (...) {
        stop();
        throw;
    }
}

ThreadPool::~ThreadPool() {
    if (fork_count_ != fork_count.load(std::memory_order_relaxed)) {
        forget_threads();
    }
    stop();
}

// Starts thread_count_ - 1 threads, because the caller also works.
void ThreadPool::start_threads() {
    const std::uint32_t seen = round_.load(std::memory_order_relaxed);
    for (int thread = 1; thread < thread_count_; ++thread) {
        threads_.emplace_back([this, thread, seen] { wait_for_work(thread, seen); });
    }
}

// Removes the thread objects after a fork without joining, because the threads exist only in the parent process.
void ThreadPool::forget_threads() {
    for (std::thread& thread : threads_) {
        std::construct_at(&thread);
    }
    threads_.clear();
}

void ThreadPool::restart_after_fork() {
    fork_count_ = fork_count.load(std::memory_order_relaxed);
    forget_threads();
    gate_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    try {
        start_threads();
    } catch (...) {
        // a step must not fail if threads cannot be started; the caller and the started threads do the work
    }
}

void ThreadPool::stop() {
    stop_ = true;
    // a new round without work wakes all threads
    ++round_;
    round_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void ThreadPool::take_items(int thread) {
    for (;;) {
        // each free thread gets the next item, because items differ in length and threads in speed
        const std::int64_t item = next_item_.fetch_add(1, std::memory_order_relaxed);
        if (item >= item_count_) {
            return;
        }
        call_(context_, item, thread);
    }
}

// Does the work of one thread in a round, and stores an exception in error_. arrival: number of threads that have
// joined before, including the caller.
void ThreadPool::work(int thread, int arrival, int member_count) noexcept {
    try {
        if (item_count_ == together) {
            call_(context_, member_count == thread_count_ ? thread : arrival, member_count);
        } else {
            take_items(thread);
        }
    } catch (...) {
        if (!failed_.exchange(true, std::memory_order_relaxed)) {
            // writing error_ is safe, because the caller reads it after this thread has left the round
            error_ = std::current_exception();
        }
        // makes all further items invalid; half of the largest number, because other threads still increment it
        next_item_.store(std::numeric_limits<std::int64_t>::max() / 2, std::memory_order_relaxed);
    }
}

// Waits some microseconds for all threads to join, then closes the gate and adapts patience_. Returns and publishes the
// number of members.
int ThreadPool::gather_members(std::uint32_t round) {
    for (int polls = 0; polls < patience_; ++polls) {
        if ((gate_.load(std::memory_order_relaxed) & joined_mask) == threads_.size()) {
            break;
        }
    }
    const std::uint64_t count = (gate_.fetch_and(joined_mask, std::memory_order_acq_rel) & joined_mask) + 1;
    const bool all_came = count == threads_.size() + 1;
    patience_ = all_came ? std::min(2 * patience_, most_patience) : std::max(patience_ / 2, least_patience);
    members_.store(std::uint64_t{round} << 32 | count, std::memory_order_release);
    members_.notify_all();
    return static_cast<int>(count);
}

// Waits until the caller has published the number of members of the round, and returns it.
int ThreadPool::await_members(std::uint32_t round) const {
    std::uint64_t members = members_.load(std::memory_order_acquire);
    while (members >> 32 != round) {
        members = wait_for_change(members_, members);
    }
    return static_cast<int>(members & joined_mask);
}

void ThreadPool::run_erased(std::int64_t item_count, Call call, void* context) {
    if (fork_count_ != fork_count.load(std::memory_order_relaxed)) {
        restart_after_fork();
    }
    // all threads have left the last round and none has joined the next, so this write is not a race
    call_ = call;
    context_ = context;
    item_count_ = item_count;
    next_item_.store(0, std::memory_order_relaxed);
    std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    // 0 means that threads must not join
    round += round == 0;
    // publishes the task to threads that join
    gate_.store(std::uint64_t{round} << 32, std::memory_order_release);
    round_.store(round, std::memory_order_release);
    round_.notify_all();
    work(0, 0, item_count == together ? gather_members(round) : 0);
    // closes the gate and waits for the threads that have joined, because they use the local variables of this call
    std::uint64_t joined = gate_.fetch_and(joined_mask, std::memory_order_acq_rel) & joined_mask;
    while (joined != 0) {
        joined = wait_for_change(gate_, joined);
    }
    if (failed_.load(std::memory_order_relaxed)) {
        failed_.store(false, std::memory_order_relaxed);
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

// Joins a round if its gate is open; else returns false. arrival: see work().
bool ThreadPool::join(std::uint32_t round, int& arrival) {
    std::uint64_t gate = gate_.load(std::memory_order_acquire);
    while (gate >> 32 == round) {
        if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
            arrival = static_cast<int>(gate & joined_mask) + 1;
            return true;
        }
    }
    return false;
}

// Loop of a thread of the pool: waits for a round, joins it, works and leaves, until stop(). seen: last known round.
void ThreadPool::wait_for_work(int thread, std::uint32_t seen) {
    for (;;) {
        seen = wait_for_change(round_, seen);
        if (stop_) {
            return;
        }
        int arrival = 0;
        if (!join(seen, arrival)) {
            continue;
        }
        work(thread, arrival, item_count_ == together ? await_members(seen) : 0);
        // the last thread that leaves wakes the caller
        if ((gate_.fetch_sub(1, std::memory_order_acq_rel) & joined_mask) == 1) {
            gate_.notify_one();
        }
    }
}

}  // namespace ruckle
