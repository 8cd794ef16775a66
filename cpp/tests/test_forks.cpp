// Checks objects with threads in a process that forks: the child process has only the calling thread.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "check.h"
#include "meshes.h"
#include "ruckle/paths/wrinkler.h"
#include "support/saved_state.h"
#include "support/thread_pool.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>

namespace ruckle::tests {

namespace {

// Runs the task in a child process. Returns true if it has succeeded; a child that hangs is ended by a signal.
template <class Task>
bool child_succeeds(Task task) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(task() ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

bool counts_well(ThreadPool& pool) {
    std::array<int, 100> done{};
    pool.run(100, [&](std::int64_t item, int) { ++done[static_cast<std::size_t>(item)]; });
    std::atomic<int> members{0};
    int expected = 0;
    pool.run_together([&](int member, int member_count) {
        ++members;
        if (member == 0) {
            expected = member_count;
        }
    });
    return std::ranges::all_of(done, [](int count) { return count == 1; }) && members == expected;
}

}  // namespace

TEST(exact_a_pool_works_in_200_children) {
    ThreadPool pool(3);
    for (int i = 0; i < 200; ++i) {
        CHECK(counts_well(pool));
        CHECK(child_succeeds([&] {
            // the task must also succeed in a child of the child
            return counts_well(pool) && counts_well(pool) && child_succeeds([&] { return counts_well(pool); });
        }));
    }
}

TEST(degenerate_a_pool_ends_in_a_child_that_has_not_used_it) {
    for (int i = 0; i < 20; ++i) {
        auto pool = std::make_unique<ThreadPool>(3);
        CHECK(child_succeeds([&] {
            pool.reset();
            return true;
        }));
    }
}

TEST(property_a_wrinkler_goes_on_in_a_child_with_the_same_bits) {
    const Mesh mesh = cloth(66, 66, false);
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), {.r_min = 0.2f, .tau = 1.25f, .threads = 2});
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 4; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        CHECK(wrinkler.step(positions) == StepStatus::done);
    }
    move(mesh, 4.0f / 30.0f, positions);
    int channel[2];
    CHECK(pipe(channel) == 0);
    CHECK(child_succeeds([&] {
        const bool stepped = wrinkler.step(positions) == StepStatus::done;
        const std::uint64_t hash = hash_bytes(wrinkler.state());
        return stepped && write(channel[1], &hash, sizeof hash) == sizeof hash;
    }));
    CHECK(wrinkler.step(positions) == StepStatus::done);
    std::uint64_t hash = 0;
    CHECK(read(channel[0], &hash, sizeof hash) == sizeof hash && hash == hash_bytes(wrinkler.state()));
    close(channel[0]);
    close(channel[1]);
}

}  // namespace ruckle::tests
#endif
