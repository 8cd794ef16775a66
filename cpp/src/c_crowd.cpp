// Crowds of garments for C (ruckle_c_garment.h). One call steps all garments as tasks of the caller's job system.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <span>
#include <vector>

#include "c_call.h"
#include "c_garment.h"
#include "ruckle/crowd.h"

namespace {

using namespace ruckle::c;

constexpr std::size_t row_words = RUCKLE_TABLE_WIDTH * ruckle::texel_words;

// Writes the table of a garment to the caller's texels. If the texels of the last table remain valid, writes only the
// rows that depend on positions.
ruckle_status write_table(ruckle_garment_frame& frame) {
    ruckle_garment& garment = *frame.garment;
    const Carried& carried = garment.wrinkler->carried;
    const bool has_other_sources = garment.waves || garment.pattern;
    if (frame.keeps_texels && !carried.header.empty() && !has_other_sources && carried.row_count <= frame.row_capacity) {
        carry_table(*garment.wrinkler, garment.positions, frame.texels);
        frame.row_count = carried.table_rows;
        frame.written_count = carried.row_count;
        return RUCKLE_OK;
    }
    ruckle_table table;
    if (const ruckle_status status = ruckle_garment_make_table(&garment, frame.options, &table)) {
        return status;
    }
    frame.row_count = table.row_count;
    std::int32_t next = 0;
    frame.source_texel[0] = garment.waves ? table.source_texels[next++] : -1;
    frame.source_texel[1] = garment.pattern ? table.source_texels[next] : -1;
    if (table.row_count > frame.row_capacity) {
        garment.wrinkler->carried.header.clear();
        return fail(RUCKLE_TOO_SMALL, "texels: expected room for %d rows, got %d", table.row_count, frame.row_capacity);
    }
    std::copy_n(table.texels, row_words * static_cast<std::size_t>(table.row_count), frame.texels);
    frame.written_count = table.row_count;
    return RUCKLE_OK;
}

// Steps one garment and writes the results that the caller has requested: waves, strains and table. Stops at the first
// error.
ruckle_status run_frame(ruckle_garment_frame& frame, bool may_step) {
    frame.row_count = frame.written_count = 0;
    frame.source_texel[0] = frame.source_texel[1] = -1;
    RUCKLE_REQUIRE(frame.garment, frame.positions)
    ruckle_status status = frame.garment->take_frame(frame.positions, frame.stride, frame.dt, may_step);
    if (!status && frame.waves) {
        status = ruckle_garment_write_waves(frame.garment, frame.waves);
    }
    if (!status && frame.strains) {
        status = ruckle_garment_write_strains(frame.garment, frame.strains);
    }
    return status || !frame.texels ? status : write_table(frame);
}

// status of a frame whose task has not run
constexpr std::int32_t not_run = -1;

// The frames of one call, and the first frame that failed.
struct Batch {
    ruckle_garment_frame* frames;
    const std::uint8_t* steps;  // 1 for garments that may step in this frame; null: all may step
    std::mutex mutex{};
    std::int32_t failed = -1;
    std::array<char, 400> sentence{};

    // runs one frame. Exceptions are converted to a status, because they must not reach the caller's job system
    void run(std::int32_t index) noexcept {
        const ruckle_status status = guarded([&] { return run_frame(frames[index], !steps || steps[index] != 0); });
        frames[index].status = status;
        if (status != RUCKLE_OK) {
            const std::scoped_lock lock(mutex);
            if (failed < 0 || index < failed) {
                failed = index;
                std::snprintf(sentence.data(), sentence.size(), "%s", last_sentence());
            }
        }
    }
};

void run_task(void* context, std::int32_t index) {
    static_cast<Batch*>(context)->run(index);
}

// Runs all frames, by for_each or in a loop. Returns the error of the failed frame with the smallest index.
ruckle_status run_all(ruckle_garment_frame* frames, std::int32_t count, const std::uint8_t* steps, ruckle_for_each for_each,
                      void* user) {
    Batch batch{frames, steps};
    std::for_each_n(frames, count, [](ruckle_garment_frame& frame) { frame.status = not_run; });
    if (for_each) {
        for_each(user, count, run_task, &batch);
    } else {
        for (std::int32_t i = 0; i < count; ++i) {
            batch.run(i);
        }
    }
    const auto skipped = std::find_if(frames, frames + count, [](const auto& frame) { return frame.status == not_run; });
    if (skipped != frames + count) {
        return fail(RUCKLE_OUT_OF_RANGE, "for_each: must call the task for each of %d frames, but frame %td was left out", count,
                    skipped - frames);
    }
    return batch.failed < 0 ? RUCKLE_OK
                            : fail(static_cast<ruckle_status>(frames[batch.failed].status), "frames[%d]: %s", batch.failed,
                                   batch.sentence.data());
}

ruckle_status check_frames(const ruckle_garment_frame* frames, std::int32_t count) {
    if (count < 0) {
        return fail(RUCKLE_OUT_OF_RANGE, "count: expected at least 0, got %d", count);
    }
    return count > 0 && !frames ? fail_null("frames") : RUCKLE_OK;
}

}  // namespace

struct ruckle_crowd {
    ruckle_status plan(ruckle_garment_frame* frames, const float* distances, std::int32_t count, float budget_us);
    ruckle::CrowdMember take(std::int32_t index, const ruckle_garment_frame& frame, float distance);

    ruckle::Crowd core;
    std::vector<const ruckle_garment*> garments{};  // garment at each index in the previous frame
    std::vector<ruckle::CrowdMember> members{};
    std::vector<std::uint8_t> steps{};
    std::int32_t step_count = 0, wait_count = 0;
};

// Sets the step interval of a member, and returns its state for Crowd::plan.
ruckle::CrowdMember ruckle_crowd::take(std::int32_t index, const ruckle_garment_frame& frame, float distance) {
    ruckle_garment& garment = *frame.garment;
    const float interval = core.interval(distance);
    const ruckle_garment*& previous = garments[static_cast<std::size_t>(index)];
    if (previous != &garment) {
        core.forget(static_cast<std::size_t>(index));
        previous = &garment;
    }
    // a restored garment has no frame, but the clock of its saved state
    if (garment.with_paths && garment.wrinkler->core.frame_count() == 0) {
        garment.wrinkler->clock = ruckle::WrinkleClock(interval, ruckle::Crowd::offset(index));
    } else if (garment.with_paths) {
        garment.wrinkler->clock.set_interval(interval);
    }
    const std::size_t stride = frame.stride ? static_cast<std::size_t>(frame.stride) : sizeof(ruckle::Vector3);
    return {.distance = distance,
            .motion = garment.has_frame ? ruckle::cloth_motion(garment.positions, frame.positions, stride) : 0.0f,
            .dt = frame.dt,
            .triangle_count = static_cast<std::int32_t>(garment.mesh->faces.size()),
            .paths_are_due = garment.with_paths && garment.wrinkler->clock.is_due(frame.dt),
            .has_others = garment.waves || garment.pattern,
            .must = !garment.has_frame};
}

ruckle_status ruckle_crowd::plan(ruckle_garment_frame* frames, const float* distances, std::int32_t count, float budget_us) {
    garments.resize(static_cast<std::size_t>(count));
    members.assign(static_cast<std::size_t>(count), {});
    for (std::int32_t i = 0; i < count; ++i) {
        if (!(distances[i] >= 0.0f)) {
            return fail(RUCKLE_OUT_OF_RANGE, "distances: expected numbers of at least 0, got %g of frame %d",
                        static_cast<double>(distances[i]), i);
        }
    }
    for (std::int32_t i = 0; i < count; ++i) {
        // skip invalid frames here; run_frame returns an error for them later
        if (frames[i].garment && frames[i].positions && frames[i].stride >= 0 && frames[i].dt > 0.0f) {
            members[static_cast<std::size_t>(i)] = take(i, frames[i], distances[i]);
        }
    }
    const std::span<const std::uint8_t> chosen = core.plan(members, budget_us);
    steps.assign(chosen.begin(), chosen.end());
    step_count = wait_count = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (steps[i] != 0) {
            ++step_count;
        } else {
            wait_count += members[i].paths_are_due || members[i].has_others;
        }
    }
    return RUCKLE_OK;
}

ruckle_status ruckle_garments_step(ruckle_garment_frame* frames, int32_t count, ruckle_for_each for_each, void* user) {
    if (const ruckle_status status = check_frames(frames, count)) {
        return status;
    }
    return guarded([&] { return run_all(frames, count, nullptr, for_each, user); });
}

void ruckle_default_crowd_options(ruckle_crowd_options* options) {
    if (options) {
        const ruckle::CrowdOptions core;
        std::ranges::copy(core.distances, options->distances);
        std::ranges::copy(core.intervals, options->intervals);
        options->step_cost = core.step_cost;
        options->picture_cost = core.picture_cost;
        options->wave_cost = core.wave_cost;
    }
}

ruckle_status ruckle_crowd_create(const ruckle_crowd_options* options, ruckle_crowd** crowd) {
    RUCKLE_REQUIRE(crowd)
    *crowd = nullptr;
    ruckle::CrowdOptions chosen;
    if (options) {
        std::ranges::copy(options->distances, chosen.distances.begin());
        std::ranges::copy(options->intervals, chosen.intervals.begin());
        chosen.step_cost = options->step_cost;
        chosen.picture_cost = options->picture_cost;
        chosen.wave_cost = options->wave_cost;
    }
    return guarded([&] {
        *crowd = new ruckle_crowd{ruckle::Crowd(chosen)};
        return RUCKLE_OK;
    });
}

void ruckle_crowd_destroy(ruckle_crowd* crowd) {
    delete crowd;
}

ruckle_status ruckle_crowd_step(ruckle_crowd* crowd, ruckle_garment_frame* frames, const float* distances, int32_t count,
                                float budget_us, ruckle_for_each for_each, void* user) {
    RUCKLE_REQUIRE(crowd)
    if (const ruckle_status status = check_frames(frames, count)) {
        return status;
    }
    if (count > 0 && !distances) {
        return fail_null("distances");
    }
    if (!(budget_us >= 0.0f)) {
        return fail(RUCKLE_OUT_OF_RANGE, "budget_us: expected at least 0, got %g", static_cast<double>(budget_us));
    }
    return guarded([&] {
        const ruckle_status status = crowd->plan(frames, distances, count, budget_us);
        return status ? status : run_all(frames, count, crowd->steps.data(), for_each, user);
    });
}

RUCKLE_ANSWER(int32_t, ruckle_crowd_step_count, crowd, crowd, crowd->step_count)
RUCKLE_ANSWER(int32_t, ruckle_crowd_wait_count, crowd, crowd, crowd->wait_count)
