#include "support/thread_pool.h"

#include <string>
#include <system_error>

#include "ruckle/types.h"

namespace ruckle {

namespace {

// Polls before sleeping: the stages of one frame follow each other within microseconds, and waking a thread takes longer.
constexpr int polls_before_sleep = 4000;

}  // namespace

ThreadPool::ThreadPool(int thread_count) {
    // one less: the thread that calls works, too
    threads_.reserve(static_cast<std::size_t>(thread_count - 1));
    for (int thread = 1; thread < thread_count; ++thread) {
        try {
            threads_.emplace_back([this, thread] { wait_for_work(thread); });
        } catch (const std::system_error&) {
            // no destructor follows a constructor that throws, and a thread that nobody joins ends the process
            stop();
            throw ResourceError("threads: the system gives " + std::to_string(thread) + " of " + std::to_string(thread_count) +
                                "; ask for fewer, or raise its limit");
        } catch (...) {
            stop();
            throw;
        }
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

void ThreadPool::stop() {
    stop_ = true;
    // a new round without items wakes all of them, and each sees stop_ before it looks for work
    ++round_;
    round_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::take_items(int thread) {
    if (item_count_ == on_each) {
        call_(context_, thread, thread);
        return;
    }
    for (;;) {
        // whoever is free takes the next one: items differ in length, and threads in speed
        const std::int64_t item = next_item_.fetch_add(1, std::memory_order_relaxed);
        if (item >= item_count_) {
            return;
        }
        call_(context_, item, thread);
    }
}

void ThreadPool::run_erased(std::int64_t item_count, Call call, void* context) {
    call_ = call;
    context_ = context;
    item_count_ = item_count;
    next_item_.store(0, std::memory_order_relaxed);
    busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    // releases what was written above: a thread that sees the new round sees the task with it
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_items(0);
    int polls = 0;
    // until every thread has said that it has finished, even one that came too late for any item: the task lives on this stack
    for (int busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire)) {
        if (++polls > polls_before_sleep) {
            busy_.wait(busy, std::memory_order_acquire);
        }
    }
}

void ThreadPool::wait_for_work(int thread) {
    std::uint32_t seen = 0;
    for (;;) {
        int polls = 0;
        std::uint32_t round = round_.load(std::memory_order_acquire);
        while (round == seen) {
            if (++polls > polls_before_sleep) {
                round_.wait(seen, std::memory_order_acquire);
            }
            round = round_.load(std::memory_order_acquire);
        }
        seen = round;
        if (stop_) {
            return;
        }
        take_items(thread);
        // only the last one wakes the caller
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            busy_.notify_one();
        }
    }
}

}  // namespace ruckle
