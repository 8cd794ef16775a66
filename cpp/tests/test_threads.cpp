// The thread pool and stages that use it: results, and possible races for the thread sanitizer.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>

#include "check.h"
#include "meshes.h"
#include "ruckle/paths/path_heights.h"
#include "ruckle/surface/surface.h"
#include "simulation/part_team.h"
#include "support/thread_pool.h"

namespace ruckle::tests {

namespace {

// Returns the wrinkled surface after some frames, from a new wrinkler and a new surface.
FineMesh play(const Mesh& mesh, const Topology& topology, LabelMethod method, int threads) {
    const WrinklerOptions options{.r_min = 0.2f, .tau = 1.25f, .method = method, .threads = threads};
    Wrinkler wrinkler(mesh.faces, mesh.vertex_count(), options);
    std::vector<Vector3> positions;
    for (int frame = 0; frame < 4; ++frame) {
        move(mesh, static_cast<float>(frame) / 30.0f, positions);
        wrinkler.step(positions);
    }
    std::vector<Wrinkle> wrinkles;
    for (int i = 0; i < wrinkler.wrinkle_count(); ++i) {
        wrinkles.push_back(wrinkler.wrinkle(i));
    }
    CHECK(wrinkles.size() > 10);
    PathHeights heights(topology, threads);
    heights.update(positions, wrinkler.rest(), wrinkles, 1.0f);
    Surface surface(topology, threads);
    surface.update(positions, std::array{source_of(heights)}, {.curved = true});
    FineMesh fine;
    surface.displace(fine);
    return fine;
}

bool same(const FineMesh& a, const FineMesh& b) {
    return a.positions == b.positions && a.normals == b.normals && a.heights == b.heights && a.faces == b.faces;
}

}  // namespace

TEST(a_pool_does_every_item_once) {
    ThreadPool pool(4);
    // the counts are not atomic, so that the thread sanitizer reports unordered access by two threads
    std::vector<int> done(1000, 0);
    std::vector<std::int64_t> by_thread(4, 0);
    for (int round = 0; round < 300; ++round) {
        const std::int64_t count = round % 50 == 0 ? 1000 : round % 7;
        pool.run(count, [&](std::int64_t item, int thread) {
            ++done[static_cast<std::size_t>(item)];
            ++by_thread[static_cast<std::size_t>(thread)];
        });
        // pauses are so long that the threads sleep
        std::this_thread::sleep_for(std::chrono::milliseconds(round % 100 == 0 ? 20 : 0));
    }
    std::int64_t expected = 0;
    for (int round = 0; round < 300; ++round) {
        expected += round % 50 == 0 ? 1000 : round % 7;
    }
    CHECK(std::accumulate(done.begin(), done.end(), std::int64_t{0}) == expected);
    CHECK(std::accumulate(by_thread.begin(), by_thread.end(), std::int64_t{0}) == expected);
    CHECK(done.back() == 6);
}

TEST(chunks_cover_a_range_without_overlap) {
    ThreadPool pool(3);
    for (const std::int64_t count : {0, 1, 63, 64, 65, 128, 1000}) {
        for (ThreadPool* shared : {&pool, static_cast<ThreadPool*>(nullptr)}) {
            std::vector<int> covered(static_cast<std::size_t>(count), 0);
            for_chunks(shared, count, 64, [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t i = begin; i < end; ++i) {
                    ++covered[static_cast<std::size_t>(i)];
                }
            });
            CHECK(covered == std::vector<int>(static_cast<std::size_t>(count), 1));
        }
    }
}

TEST(exact_members_of_a_team_see_what_others_have_done) {
    ThreadPool pool(3);
    std::array<Progress, 3> progress;
    std::array<std::int64_t, 3> done{};
    std::atomic<int> call_count{0};
    int expected = 0;
    for (std::int64_t round = 1; round <= 500; ++round) {
        int members = 0;
        pool.run_together([&](int member, int member_count) {
            const auto own = static_cast<std::size_t>(member);
            ++call_count;
            if (member == 0) {
                members = member_count;
            }
            // a chain: each member waits until the previous member has reached the same round
            if (own > 0) {
                progress[own - 1].wait_for(round);
                CHECK(done[own - 1] == round);
            }
            done[own] = round;
            progress[own].reach(round);
        });
        CHECK(members >= 1 && members <= 3);
        expected += members;
    }
    CHECK(call_count == expected);
}

// Sleeping threads join late or not at all; the result is complete without them.
TEST(exact_a_caller_does_the_work_of_threads_that_come_late) {
    ThreadPool pool(3);
    for (int round = 0; round < 50; ++round) {
        // a pause in which all threads fall asleep
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::int64_t sum = 0;
        std::mutex mutex;
        pool.run(4, [&](std::int64_t item, int) {
            const std::scoped_lock lock(mutex);
            sum += item;
        });
        CHECK(sum == 6);
        std::atomic<int> shares{0};
        pool.run_together([&](int member, int member_count) { shares += member < member_count ? 6 / member_count : 0; });
        CHECK(shares == 6);
    }
}

TEST(reject_a_task_that_throws_ends_when_all_threads_have_stopped) {
    ThreadPool pool(3);
    for (int round = 0; round < 400; ++round) {
        // kinds of failure: all items of the caller; all items of another thread; one item of any thread; all items
        const int kind = round % 4;
        std::vector<int> context(64, round);
        std::atomic<int> begun{0};
        bool caught = false;
        try {
            pool.run(64, [&](std::int64_t item, int thread) {
                ++begun;
                // the caller's stack must exist as long as a thread uses it
                CHECK(context[static_cast<std::size_t>(item)] == round);
                if ((kind == 0 && thread == 0) || (kind == 1 && thread != 0) || (kind == 2 && item == 20) || kind == 3) {
                    throw std::bad_alloc();
                }
            });
        } catch (const std::bad_alloc&) {
            caught = true;
        }
        context.assign(64, -1);
        CHECK(caught || kind == 0 || kind == 1);
        CHECK(caught || begun == 64);
        std::int64_t after = 0;
        std::mutex mutex;
        pool.run(8, [&](std::int64_t item, int) {
            const std::scoped_lock lock(mutex);
            after += item;
        });
        CHECK(after == 28);
    }
    for (int round = 0; round < 100; ++round) {
        bool caught = false;
        try {
            pool.run_together([&](int member, int member_count) {
                if (member == round % 3 % member_count) {
                    throw std::bad_alloc();
                }
            });
        } catch (const std::bad_alloc&) {
            caught = true;
        }
        CHECK(caught);
    }
}

// Any member may fail in any call. The other members must not wait for it forever.
TEST(reject_a_member_that_throws_between_others_that_wait) {
    const Mesh mesh = cloth(90, 90, false);
    const Numbering numbering(Topology(mesh.faces, mesh.vertex_count()));
    CHECK(numbering.part_count >= 3);
    PartTeam team(numbering, 3);
    std::vector<int> rows(static_cast<std::size_t>(numbering.first_spare), 0);
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> thrown{0};
        bool caught = false;
        try {
            team.run([&](PartWorker& worker) {
                int call = 0;
                for (; call < 4; ++call) {
                    worker.rows([&](std::int64_t begin, std::int64_t end) {
                        if (call == round % 4 && (round % 2 == 0) == worker.is_first() && thrown++ == 0) {
                            throw std::bad_alloc();
                        }
                        for (std::int64_t row = begin; row < end; ++row) {
                            ++rows[static_cast<std::size_t>(row)];
                        }
                    });
                }
            });
        } catch (const std::bad_alloc&) {
            caught = true;
        }
        CHECK(caught == (thrown > 0));
        std::fill(rows.begin(), rows.end(), 0);
        team.run([&](PartWorker& worker) {
            worker.rows([&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                    ++rows[static_cast<std::size_t>(row)];
                }
            });
        });
        CHECK(std::all_of(rows.begin(), rows.end(), [](int count) { return count == 1; }));
    }
}

TEST(exact_a_pool_ends_before_and_after_work) {
    for (int i = 0; i < 20; ++i) {
        ThreadPool pool(3);
        if (i % 2 == 0) {
            pool.run(1, [](std::int64_t, int) {});
        }
    }
}

TEST(wrinklers_in_several_threads_are_independent) {
    // the mesh has enough triangles for several threads in each stage
    const Mesh mesh = cloth(66, 66, false);
    CHECK(mesh.faces.size() > 8192);
    const Topology topology(mesh.faces, mesh.vertex_count());
    const std::array methods = {LabelMethod::exact, LabelMethod::expansion, LabelMethod::swap};
    std::array<FineMesh, 3> shared;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        threads.emplace_back([&, i] { shared[i] = play(mesh, topology, methods[i], 2); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < methods.size(); ++i) {
        CHECK(same(shared[i], play(mesh, topology, methods[i], 1)));
    }
}

TEST(wrinklers_that_share_a_topology_are_stepped_by_any_threads) {
    constexpr std::size_t count = 6, thread_count = 3;
    constexpr int frames = 12;
    const WrinklerOptions options{.r_min = 0.2f, .tau = 1.25f};
    // two garments, so that the scratch memory of a thread changes its size
    const std::array meshes = {cloth(14, 14, false), cloth(9, 16, true)};
    const auto mesh_of = [&](std::size_t i) -> const Mesh& { return meshes[i % 2]; };
    const auto advance = [&](Wrinkler& wrinkler, std::size_t i, int frame) {
        std::vector<Vector3> positions;
        move(mesh_of(i), static_cast<float>(frame + static_cast<int>(i)) / 30.0f, positions);
        CHECK(wrinkler.step(positions) == StepStatus::done);
    };
    std::vector<Wrinkler> crowd;
    std::array<std::shared_ptr<const Topology>, 2> topologies;
    for (std::size_t k = 0; k < topologies.size(); ++k) {
        topologies[k] = std::make_shared<const Topology>(meshes[k].faces, meshes[k].vertex_count());
    }
    for (std::size_t i = 0; i < count; ++i) {
        crowd.emplace_back(topologies[i % 2], options);
        // both garments share one rest pose
        CHECK(crowd.back().set_rest(mesh_of(i).positions) == StepStatus::done);
    }
    for (int frame = 0; frame < frames; ++frame) {
        std::vector<std::thread> threads;
        for (std::size_t k = 0; k < thread_count; ++k) {
            // each wrinkler runs on another thread in every frame
            threads.emplace_back([&, k] {
                for (std::size_t i = (k + static_cast<std::size_t>(frame)) % thread_count; i < count; i += thread_count) {
                    advance(crowd[i], i, frame);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        Wrinkler alone(mesh_of(i).faces, mesh_of(i).vertex_count(), options);
        CHECK(alone.set_rest(mesh_of(i).positions) == StepStatus::done);
        for (int frame = 0; frame < frames; ++frame) {
            advance(alone, i, frame);
        }
        CHECK(alone.wrinkle_count() > 2 && alone.state() == crowd[i].state());
        CHECK(&crowd[i].topology() == topologies[i % 2].get());
    }
}

}  // namespace ruckle::tests
