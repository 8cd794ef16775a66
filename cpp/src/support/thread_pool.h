// A few threads that wait for work to share. Handing out work allocates nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ruckle {

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

    // Calls task(thread) once on every thread, and returns when all are done. What a thread has written in one call is in its cache
    // for the next.
    template <class Task>
    void run_on_each(Task&& task) {
        run_erased(on_each, [](void* context, std::int64_t, int thread) { (*static_cast<Task*>(context))(thread); }, &task);
    }

  private:
    static constexpr std::size_t line = 64;
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
    // each on a cache line of its own: threads poll one while others write the next
    alignas(line) std::atomic<std::int64_t> next_item_{0};
    alignas(line) std::atomic<std::uint32_t> round_{0};
    alignas(line) std::atomic<int> busy_{0};
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

// Runs task(begin, end) over [0, count) in equal parts of whole blocks, the same thread for the same part in every call.
template <class Task>
void for_parts(ThreadPool* pool, std::int64_t count, std::int64_t block, std::int64_t least, Task&& task) {
    if (!pool || pool->thread_count() == 1 || count < least) {
        task(std::int64_t{0}, count);
        return;
    }
    const std::int64_t threads = pool->thread_count(), part = (count + threads * block - 1) / (threads * block) * block;
    pool->run_on_each([&](int thread) {
        const std::int64_t begin = std::min(thread * part, count), end = std::min(begin + part, count);
        if (begin < end) {
            task(begin, end);
        }
    });
}

}  // namespace ruckle
