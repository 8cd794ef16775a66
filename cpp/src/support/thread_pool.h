// Threads that share work with the caller. Starting a task does not allocate.
//
// A "round" is one task. The "gate" counts the threads that have joined the round. run() does not wait for threads that
// have not joined: when all items are taken, the gate closes. So on a busy machine, the caller may do all work alone.
//
// A child process after fork() has only the calling thread. The first use of a pool in the child starts the threads
// again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace ruckle {

// Distance in bytes between numbers that different threads write. Processors load cache lines of 64 bytes in pairs.
inline constexpr std::size_t cache_line = 128;

// Progress of one thread in a shared task. A thread that reads a step also sees all memory that was written before it.
class alignas(cache_line) Progress {
  public:
    void reach(std::int64_t steps) { steps_.store(steps, std::memory_order_release); }
    // Waits until `steps` is reached. Polls without sleeping, because waiting within a task takes only microseconds.
    void wait_for(std::int64_t steps) const;

  private:
    std::atomic<std::int64_t> steps_{0};
};

class ThreadPool {
  public:
    // thread_count includes the calling thread, >= 1. Throws ResourceError if the system cannot start that many
    // threads; already started threads are stopped first.
    explicit ThreadPool(int thread_count);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int thread_count() const { return thread_count_; }

    // Calls task(item, thread) for every item in [0, item_count), in any order, with thread in [0, thread_count).
    // Returns after all calls have ended. Must not be called by two threads at a time. If a task throws, no further
    // item starts; after all threads have stopped, the first exception is rethrown.
    template <class Task>
    void run(std::int64_t item_count, Task&& task) {
        run_erased(
            item_count,
            [](void* context, std::int64_t item, int thread) {
                (*static_cast<std::remove_reference_t<Task>*>(context))(item, thread);
            },
            &task);
    }

    // Calls task(member, member_count) simultaneously on member_count threads, and returns after all calls have ended.
    // Members may wait for each other, because all of them run. If all threads join within microseconds, member_count
    // is thread_count. Each thread then has the same member number in each call, so that its cache contains the data of
    // its last call. A task that throws must first release members that wait for it.
    template <class Task>
    void run_together(Task&& task) {
        run_erased(
            together,
            [](void* context, std::int64_t member, int member_count) {
                (*static_cast<std::remove_reference_t<Task>*>(context))(static_cast<int>(member), member_count);
            },
            &task);
    }

  private:
    static constexpr std::int64_t together = -1;  // used instead of the number of items in run_together

    using Call = void (*)(void*, std::int64_t, int);
    void run_erased(std::int64_t item_count, Call call, void* context);
    void start_threads();
    void restart_after_fork();
    void forget_threads();
    void stop();
    void wait_for_work(int thread, std::uint32_t seen);
    bool join(std::uint32_t round, int& arrival);
    int gather_members(std::uint32_t round);
    int await_members(std::uint32_t round) const;
    void work(int thread, int arrival, int member_count) noexcept;
    void take_items(int thread);

    int thread_count_;
    unsigned fork_count_;
    std::vector<std::thread> threads_;
    Call call_ = nullptr;
    void* context_ = nullptr;
    std::int64_t item_count_ = 0;
    int patience_ = 64'000;  // number of polls in which run_together waits for other threads; used only by the caller
    std::exception_ptr error_;
    alignas(cache_line) std::atomic<std::int64_t> next_item_{0};
    alignas(cache_line) std::atomic<std::uint32_t> round_{0};
    // High half: number of the round that threads may join, or 0. Low half: number of threads that have joined and not
    // left.
    alignas(cache_line) std::atomic<std::uint64_t> gate_{0};
    // High half: number of a round. Low half: number of its members.
    alignas(cache_line) std::atomic<std::uint64_t> members_{0};
    std::atomic<bool> failed_{false};
    std::atomic<bool> stop_{false};
};

// Calls task(begin, end, thread) for chunks of [0, count) on the pool. Calls it once for [0, count) without a pool,
// with one thread, or if one chunk is enough; not at all if `count` is 0.
template <class Task>
void for_chunks(ThreadPool* pool, std::int64_t count, std::int64_t chunk, Task&& task) {
    if (count == 0) {
        return;
    }
    if (!pool || pool->thread_count() == 1 || count <= chunk) {
        task(std::int64_t{0}, count, 0);
        return;
    }
    pool->run((count + chunk - 1) / chunk, [&](std::int64_t item, int thread) {
        const std::int64_t begin = item * chunk;
        task(begin, begin + chunk < count ? begin + chunk : count, thread);
    });
}

}  // namespace ruckle
