#include "support/thread_pool.h"

#include <string>
#include <system_error>

#include "ruckle/types.h"

namespace ruckle {

namespace {

// The stages of a frame follow each other within microseconds, and to wake a thread takes up to a hundred. So one that waits looks again
// and again, some microseconds for itself, then some hundred in which it leaves the processor to whoever else has work, and then sleeps.
constexpr int polls_alone = 4000, polls_before_sleep = polls_alone + 1000;

// Returns the first other value.
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

}  // namespace

void Progress::wait_for(std::int64_t steps) const {
    for (int polls = 0; steps_.load(std::memory_order_acquire) < steps; ++polls) {
        if (polls >= polls_alone) {
            std::this_thread::yield();
        }
    }
}

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
    // until every thread has said that it has finished, even one that came too late for any item: the task lives on this stack
    for (int busy = busy_.load(std::memory_order_acquire); busy != 0;) {
        busy = wait_for_change(busy_, busy);
    }
}

void ThreadPool::wait_for_work(int thread) {
    std::uint32_t seen = 0;
    for (;;) {
        seen = wait_for_change(round_, seen);
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
