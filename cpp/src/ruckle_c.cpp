#include "ruckle/ruckle_c.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_call.h"
#include "c_options.h"
#include "c_wrinkler.h"

namespace {

using namespace ruckle::c;

// Copies items into the caller's array, from `index` on. Does nothing if the array is NULL.
template <class Item>
void copy_to(Item* array, std::int32_t index, std::span<const std::type_identity_t<Item>> items) {
    if (array) {
        std::copy(items.begin(), items.end(), array + index);
    }
}

bool has_clock(const ruckle_wrinkler& wrinkler) {
    return wrinkler.clock.interval() > 0.0f;
}

}  // namespace

void ruckle::c::Paint::set(std::span<const float> shares, std::size_t vertex_count, bool at_once) {
    // the comparison is false for NaN
    const auto outside =
        std::find_if_not(shares.begin(), shares.end(), [](float share) { return share >= 0.0f && share <= 1.0f; });
    if (outside != shares.end()) {
        throw std::invalid_argument("paint: expected numbers in [0, 1], got " + std::to_string(*outside) + " at vertex " +
                                    std::to_string(outside - shares.begin()));
    }
    if (shares.empty() && shown.empty()) {
        return;
    }
    std::vector<float> given(shares.begin(), shares.end());
    given.resize(vertex_count, 1.0f);
    if (shown.empty()) {
        shown.assign(vertex_count, 1.0f);
    }
    target = std::move(given);
    if (at_once) {
        shown = target;
    }
}

bool ruckle::c::Paint::approach(float dt) {
    const float most = dt / RUCKLE_PAINT_TIME;
    bool changes = false;
    for (std::size_t v = 0; v < shown.size(); ++v) {
        const float change = std::clamp(target[v] - shown[v], -most, most);
        changes = changes || change != 0.0f;
        shown[v] += change;
    }
    return changes;
}

const char* ruckle_error_message(void) {
    return last_sentence();
}

const char* ruckle_version(void) {
    return RUCKLE_VERSION;
}

ruckle_status ruckle_weld(const float* positions, int32_t vertex_count, const int32_t* faces, int32_t face_count,
                          int32_t* welded) {
    RUCKLE_REQUIRE(positions, faces, welded)
    RUCKLE_TRY(check_counts(vertex_count, face_count))
    return guarded([&] {
        const auto given = as_positions(positions, vertex_count);
        const std::vector<ruckle::Vector3> points(given.begin(), given.end());
        RUCKLE_TRY(check_finite(points))
        const std::vector<ruckle::Face> joined = ruckle::weld(points, as_faces(faces, face_count));
        std::copy(joined.begin(), joined.end(), reinterpret_cast<ruckle::Face*>(welded));
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_create(const int32_t* faces, int32_t face_count, int32_t vertex_count, const ruckle_options* options,
                            ruckle_wrinkler** wrinkler) {
    RUCKLE_RESULT(wrinkler)
    RUCKLE_REQUIRE(faces)
    RUCKLE_TRY(check_counts(vertex_count, face_count))
    ruckle::WrinklerOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    return create_object(
        wrinkler, [&] { return new ruckle_wrinkler{ruckle::Wrinkler(as_faces(faces, face_count), vertex_count, chosen)}; });
}

ruckle_status ruckle_create_topology(const int32_t* faces, int32_t face_count, int32_t vertex_count, ruckle_topology** topology) {
    RUCKLE_RESULT(topology)
    RUCKLE_REQUIRE(faces)
    RUCKLE_TRY(check_counts(vertex_count, face_count))
    return create_object(topology, [&] {
        auto core = std::make_shared<const ruckle::Topology>(as_faces(faces, face_count), vertex_count);
        return new ruckle_topology{std::move(core), std::make_shared<Surfaces>()};
    });
}

void ruckle_destroy_topology(ruckle_topology* topology) {
    delete topology;
}

ruckle_status ruckle::c::create_shared(const ruckle_topology* topology, const ruckle_options* options, bool keeps_field,
                                       ruckle_wrinkler** wrinkler) {
    RUCKLE_RESULT(wrinkler)
    RUCKLE_REQUIRE(topology)
    ruckle::WrinklerOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    return create_object(
        wrinkler, [&] { return new ruckle_wrinkler{ruckle::Wrinkler(topology->core, chosen, keeps_field), topology->surfaces}; });
}

ruckle_status ruckle_create_shared(const ruckle_topology* topology, const ruckle_options* options, ruckle_wrinkler** wrinkler) {
    return create_shared(topology, options, true, wrinkler);
}

void ruckle_destroy(ruckle_wrinkler* wrinkler) {
    // delete accepts a null pointer
    delete wrinkler;
}

ruckle_status ruckle_step(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count, float dt) {
    RUCKLE_REQUIRE(wrinkler, positions)
    RUCKLE_TRY(check_vertex_count(wrinkler->core.topology().vertex_count, vertex_count))
    return take_picture(*wrinkler, as_positions(positions, vertex_count), dt, {}, true);
}

ruckle_status ruckle::c::take_picture(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, float dt,
                                      std::span<const float> remaining, bool may_step) {
    return guarded([&] {
        switch (wrinkler.clock.step(wrinkler.core, positions, dt, remaining, may_step)) {
            case ruckle::StepStatus::done: {
                // the last GPU table is reused only if the drawn lines and their paint have not changed. Otherwise the
                // header is cleared, so that the next table is complete
                const bool is_repainted = wrinkler.paint.approach(dt);
                if (wrinkler.clock.has_stepped() || is_repainted) {
                    wrinkler.carried.header.clear();
                }
                if (is_repainted) {
                    wrinkler.packed_frame.reset();
                }
                return RUCKLE_OK;
            }
            case ruckle::StepStatus::wrong_vertex_count: return RUCKLE_WRONG_VERTEX_COUNT;
            case ruckle::StepStatus::not_finite: return fail_not_finite(positions);
            // no default case, so that the compiler warns about a missing status
            case ruckle::StepStatus::wrong_time: break;
        }
        return fail_time(dt);
    });
}

ruckle_status ruckle_set_clock(ruckle_wrinkler* wrinkler, float interval, float offset) {
    RUCKLE_REQUIRE(wrinkler)
    if (!(interval >= 0.0f && interval <= RUCKLE_LONGEST_INTERVAL)) {
        return fail(RUCKLE_OUT_OF_RANGE, "interval: expected seconds in [0, %g], got %g",
                    static_cast<double>(RUCKLE_LONGEST_INTERVAL), static_cast<double>(interval));
    }
    if (!(offset >= 0.0f && offset < 1.0f)) {
        return fail(RUCKLE_OUT_OF_RANGE, "offset: expected a share in [0, 1), got %g", static_cast<double>(offset));
    }
    if (wrinkler->core.frame_count() == 0) {
        wrinkler->clock = ruckle::WrinkleClock(interval, offset);
    } else {
        wrinkler->clock.set_interval(interval);
    }
    return RUCKLE_OK;
}

RUCKLE_ANSWER(int32_t, ruckle_has_stepped, wrinkler, wrinkler, wrinkler->clock.has_stepped())
RUCKLE_ANSWER(float, ruckle_blend_share, wrinkler, wrinkler, wrinkler->clock.share())

ruckle_status ruckle_set_rest(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count) {
    RUCKLE_REQUIRE(wrinkler)
    const int32_t count = positions ? vertex_count : 0, expected = positions ? wrinkler->core.topology().vertex_count : 0;
    RUCKLE_TRY(check_vertex_count(expected, count))
    const auto points = as_positions(positions, count);
    return guarded([&] {
        // the number of vertices is valid here, so a failure means that a position is not finite
        const bool is_taken = wrinkler->core.set_rest(points) == ruckle::StepStatus::done;
        if (is_taken) {
            wrinkler->clock.reset();
            wrinkler->refresh();
        }
        return is_taken ? RUCKLE_OK : fail_not_finite(points);
    });
}

ruckle_status ruckle_set_options(ruckle_wrinkler* wrinkler, const ruckle_options* options) {
    RUCKLE_REQUIRE(wrinkler)
    ruckle::WrinklerOptions chosen;
    RUCKLE_TRY(choose(options, chosen))
    return guarded([&] {
        wrinkler->core.set_options(chosen);
        wrinkler->carried.header.clear();
        wrinkler->packed_frame.reset();
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_set_paint(ruckle_wrinkler* wrinkler, const float* paint) {
    RUCKLE_REQUIRE(wrinkler)
    const auto vertices = static_cast<std::size_t>(wrinkler->core.topology().vertex_count);
    return guarded([&] {
        wrinkler->paint.set(as_span(paint, vertices), vertices, wrinkler->core.frame_count() == 0);
        return RUCKLE_OK;
    });
}

void ruckle_reset(ruckle_wrinkler* wrinkler) {
    reset(wrinkler);
}

// The following functions return 0 or NULL for a null pointer, because they cannot return a status.
RUCKLE_ANSWER(size_t, ruckle_state_size, wrinkler, wrinkler,
              wrinkler->core.state_size() + (has_clock(*wrinkler) ? wrinkler->clock.state_size() + sizeof(std::uint64_t) : 0))

// Writes the state of the wrinkler. If it has a clock, then writes the state of the clock and the size of the
// wrinkler's state.
ruckle_status ruckle_save_state(const ruckle_wrinkler* wrinkler, void* state, size_t capacity) {
    if (!wrinkler || !state || !has_clock(*wrinkler)) {
        return save_state("wrinkler", wrinkler, state, capacity);
    }
    const size_t size = ruckle_state_size(wrinkler);
    if (capacity < size) {
        return fail(RUCKLE_TOO_SMALL, "state: expected room for %zu bytes, got %zu", size, capacity);
    }
    return guarded([&] {
        const std::uint64_t own = wrinkler->core.state_size();
        const std::span room(static_cast<std::byte*>(state), size);
        wrinkler->core.save(room.first(own));
        wrinkler->clock.save(room.subspan(own, size - own - sizeof own));
        std::memcpy(room.data() + size - sizeof own, &own, sizeof own);
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_restore_state(ruckle_wrinkler* wrinkler, const void* state, size_t size) {
    if (!wrinkler || !state || !has_clock(*wrinkler)) {
        return restore_state("wrinkler", wrinkler, state, size);
    }
    const std::span bytes(static_cast<const std::byte*>(state), size);
    std::uint64_t own = 0;
    if (size >= sizeof own) {
        std::memcpy(&own, bytes.data() + size - sizeof own, sizeof own);
    }
    if (size < sizeof own || own > size - sizeof own) {
        return fail(RUCKLE_BAD_STATE, "state: not a state of a wrinkler with a clock");
    }
    return guarded([&] {
        // restore the clock into a copy, so that nothing has changed if the restore of the wrinkler then fails
        ruckle::WrinkleClock clock;
        clock.restore(bytes.subspan(own, size - own - sizeof own), wrinkler->core.topology());
        wrinkler->core.restore(bytes.first(own));
        wrinkler->clock = std::move(clock);
        wrinkler->refresh();
        return RUCKLE_OK;
    });
}

RUCKLE_ANSWER(int32_t, ruckle_vertex_count, wrinkler, wrinkler, wrinkler->core.topology().vertex_count)
RUCKLE_ANSWER(int32_t, ruckle_face_count, wrinkler, wrinkler, wrinkler->core.topology().face_count())
RUCKLE_ANSWER(int32_t, ruckle_edge_count, wrinkler, wrinkler, wrinkler->core.topology().edge_count())

// The following functions return arrays and counts of the core. Arrays of results are valid until the next step.
RUCKLE_ANSWER(const int32_t*, ruckle_edges, wrinkler, wrinkler, wrinkler->core.topology().edges[0].data())
RUCKLE_ANSWER(const int32_t*, ruckle_face_edges, wrinkler, wrinkler, wrinkler->core.topology().face_edges[0].data())
RUCKLE_ANSWER(int32_t, ruckle_frame_count, wrinkler, wrinkler, wrinkler->core.frame_count())
RUCKLE_ANSWER(const uint8_t*, ruckle_labels, wrinkler, wrinkler, wrinkler->core.labels().data())
RUCKLE_ANSWER(const float*, ruckle_compression, wrinkler, wrinkler, wrinkler->core.field().compression.data())
RUCKLE_ANSWER(const float*, ruckle_axis, wrinkler, wrinkler, reinterpret_cast<const float*>(wrinkler->core.field().axis.data()))
RUCKLE_ANSWER(const float*, ruckle_reference, wrinkler, wrinkler, wrinkler->core.reference().data()->data())
RUCKLE_ANSWER(int32_t, ruckle_wrinkle_count, wrinkler, wrinkler, wrinkler->core.wrinkle_count())

int32_t ruckle_point_count(const ruckle_wrinkler* wrinkler) {
    std::int32_t count = 0;
    for (int i = 0; i < ruckle_wrinkle_count(wrinkler); ++i) {
        count += static_cast<std::int32_t>(wrinkler->core.wrinkle(i).t.size());
    }
    return count;
}

ruckle_status ruckle_get_wrinkle(const ruckle_wrinkler* wrinkler, int32_t index, ruckle_wrinkle* wrinkle) {
    RUCKLE_REQUIRE(wrinkler, wrinkle)
    if (index < 0 || index >= wrinkler->core.wrinkle_count()) {
        return fail(RUCKLE_OUT_OF_RANGE, "index: expected one of %d wrinkles, from 0, got %d", wrinkler->core.wrinkle_count(),
                    index);
    }
    const ruckle::Wrinkle found = wrinkler->core.wrinkle(index);
    // these values are in the order of the members of ruckle_wrinkle
    *wrinkle = {found.id,
                found.age,
                found.fading,
                found.size.kappa,
                found.size.size,
                found.size.fade,
                found.size.crest,
                found.width,
                found.full_width,
                found.perimeter,
                {found.cuts[0], found.cuts[1]},
                {found.extent[0], found.extent[1]},
                static_cast<std::int32_t>(found.t.size()),
                found.edges.data(),
                found.t.data(),
                found.faces.data(),
                found.points[0].data(),
                found.widths.data(),
                found.heights.data()};
    return RUCKLE_OK;
}

ruckle_status ruckle_copy_wrinkles(const ruckle_wrinkler* wrinkler, const ruckle_wrinkle_arrays* arrays) {
    RUCKLE_REQUIRE(wrinkler, arrays)
    // compute the counts again, because the caller may have read them before the last step
    const std::int32_t wrinkle_count = wrinkler->core.wrinkle_count(), point_count = ruckle_point_count(wrinkler);
    // check both capacities first, so that no partial result is written
    if (arrays->wrinkle_capacity < wrinkle_count || arrays->point_capacity < point_count) {
        return fail(RUCKLE_TOO_SMALL, "arrays: expected room for %d wrinkles and %d points, got %d and %d", wrinkle_count,
                    point_count, arrays->wrinkle_capacity, arrays->point_capacity);
    }
    std::int32_t first = 0;
    for (std::int32_t i = 0; i < wrinkle_count; ++i) {
        const ruckle::Wrinkle found = wrinkler->core.wrinkle(i);
        copy_to(arrays->ids, i, std::span(&found.id, 1));
        copy_to(arrays->offsets, i, std::span(&first, 1));
        copy_to(arrays->edges, first, found.edges);
        copy_to(arrays->t, first, found.t);
        copy_to(arrays->points, 3 * first, std::span(found.points[0].data(), 3 * found.points.size()));
        copy_to(arrays->widths, first, found.widths);
        copy_to(arrays->heights, first, found.heights);
        first += static_cast<std::int32_t>(found.t.size());
    }
    // the last offset is the end of the last wrinkle
    copy_to(arrays->offsets, wrinkle_count, std::span(&first, 1));
    return RUCKLE_OK;
}

RUCKLE_NUMBERS(ruckle_get_timings, wrinkler, wrinkler, ruckle_timings, timings)
RUCKLE_NUMBERS(ruckle_get_stats, wrinkler, wrinkler, ruckle_stats, stats)
