// Crowds of garments for C: one call on the caller's job system (ruckle_c_garment.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <mutex>

#include "c_call.h"
#include "c_garment.h"

namespace {

using namespace ruckle::c;

// A frame of a crowd: the step, then each result that the caller asks for.
ruckle_status run_frame(ruckle_garment_frame& frame) {
    frame.row_count = 0;
    frame.source_texel[0] = frame.source_texel[1] = -1;
    RUCKLE_REQUIRE(frame.garment)
    ruckle_status status = ruckle_garment_step(frame.garment, frame.positions, frame.stride, frame.dt);
    if (!status && frame.waves) {
        status = ruckle_garment_write_waves(frame.garment, frame.waves);
    }
    if (!status && frame.strains) {
        status = ruckle_garment_write_strains(frame.garment, frame.strains);
    }
    if (status || !frame.texels) {
        return status;
    }
    ruckle_table table;
    if ((status = ruckle_garment_make_table(frame.garment, frame.options, &table))) {
        return status;
    }
    frame.row_count = table.row_count;
    std::int32_t next = 0;
    frame.source_texel[0] = frame.garment->waves ? table.source_texels[next++] : -1;
    frame.source_texel[1] = frame.garment->pattern ? table.source_texels[next] : -1;
    if (table.row_count > frame.row_capacity) {
        return fail(RUCKLE_TOO_SMALL, "texels: expected room for %d rows, got %d", table.row_count, frame.row_capacity);
    }
    constexpr std::size_t row_words = RUCKLE_TABLE_WIDTH * ruckle::texel_words;
    std::copy_n(table.texels, row_words * static_cast<std::size_t>(table.row_count), frame.texels);
    return RUCKLE_OK;
}

constexpr std::int32_t not_run = -1;

// The frames of one call, and the first failure among them.
struct Crowd {
    ruckle_garment_frame* frames;
    std::mutex mutex{};
    std::int32_t failed = -1;
    std::array<char, 400> sentence{};

    // any exception would end in the caller's job system
    void run(std::int32_t index) noexcept {
        const ruckle_status status = guarded([&] { return run_frame(frames[index]); });
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
    static_cast<Crowd*>(context)->run(index);
}

}  // namespace

ruckle_status ruckle_garments_step(ruckle_garment_frame* frames, int32_t count, ruckle_for_each for_each, void* user) {
    if (count < 0) {
        return fail(RUCKLE_OUT_OF_RANGE, "count: expected at least 0, got %d", count);
    }
    if (count == 0) {
        return RUCKLE_OK;
    }
    RUCKLE_REQUIRE(frames)
    return guarded([&] {
        Crowd crowd{frames};
        std::for_each_n(frames, count, [](ruckle_garment_frame& frame) { frame.status = not_run; });
        if (for_each) {
            for_each(user, count, run_task, &crowd);
        } else {
            for (std::int32_t i = 0; i < count; ++i) {
                crowd.run(i);
            }
        }
        const auto skipped = std::find_if(frames, frames + count, [](const auto& frame) { return frame.status == not_run; });
        if (skipped != frames + count) {
            return fail(RUCKLE_OUT_OF_RANGE,
                        "for_each: expected a call of the task for each of %d frames, got none for frame %td", count,
                        skipped - frames);
        }
        return crowd.failed < 0 ? RUCKLE_OK
                                : fail(static_cast<ruckle_status>(frames[crowd.failed].status), "frames[%d]: %s", crowd.failed,
                                       crowd.sentence.data());
    });
}
