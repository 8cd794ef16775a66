// A few threads that wait for work to share. Handing out work allocates nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace ruckle {

// Threads poll a number while others write the next. Processors fetch lines of 64 bytes in pairs.
inline constexpr std::size_t cache_line = 128;

// How far a thread has come with a task that several share. Who sees that sees all that the thread has written before.
class alignas(cache_line) Progress {
  public:
    std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }
    void reach(std::int64_t steps) { steps_.store(steps, std::memory_order_release); }
    // Never sleeps: within a task threads wait for microseconds.
    void wait_for(std::int64_t steps) const;

  private:
    std::atomic<std::int64_t> steps_{0};
};

class ThreadPool {
  public:
    // thread_count counts the calling thread too, >= 1. Throws ResourceError where the system does not give as many; those
    // that have started have ended then.
    explicit ThreadPool(int thread_count);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int thread_count() const { return static_cast<int>(threads_.size()) + 1; }

    // Calls task(item, thread) for every item in [0, item_count), in any order, with thread in [0, thread_count), and
    // returns when all are done. One caller at a time; tasks must not throw.
    template <class Task>
    void run(std::int64_t item_count, Task&& task) {
        run_erased(
            item_count, [](void* context, std::int64_t item, int thread) { (*static_cast<Task*>(context))(item, thread); },
            &task);
    }

    // Calls task(thread) once on every thread, all at the same time, and returns when all are done. What a thread has written in one
    // call is in its cache for the next.
    template <class Task>
    void run_on_each(Task&& task) {
        run_erased(
            on_each,
            [](void* context, std::int64_t, int thread) { (*static_cast<std::remove_reference_t<Task>*>(context))(thread); },
            &task);
    }

  private:
    // in place of a number of items: one for every thread, and no other's
    static constexpr std::int64_t on_each = -1;

    using Call = void (*)(void*, std::int64_t, int);
    void run_erased(std::int64_t item_count, Call call, void* context);
    void wait_for_work(int thread);
    void stop();
    void take_items(int thread);

    std::vector<std::thread> threads_;
    Call call_ = nullptr;
    void* context_ = nullptr;
    std::int64_t item_count_ = 0;
    alignas(cache_line) std::atomic<std::int64_t> next_item_{0};
    alignas(cache_line) std::atomic<std::uint32_t> round_{0};
    alignas(cache_line) std::atomic<int> busy_{0};
    std::atomic<bool> stop_{false};
};

// Runs task(begin, end, thread) over chunks of [0, count): on the pool when there is one, else as one chunk here.
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
