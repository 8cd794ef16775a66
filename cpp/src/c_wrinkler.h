// Structs behind handles of the C interface: a wrinkler, and a topology that several wrinklers share. A "picture" is a
// displayed frame, with or without a step.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "ruckle/paths/path_heights.h"
#include "ruckle/paths/wrinkle_clock.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/ruckle_c.h"
#include "ruckle/stack.h"
#include "ruckle/surface/surface.h"

namespace ruckle::c {

// Factors of the heights at the vertices. Factors change gradually toward new values, so that heights do not jump.
struct Paint {
    // Sets the factors toward which the current factors move. shares: (V) in [0, 1], or empty for 1 everywhere.
    // at_once: the current factors change at once. Throws std::invalid_argument if a share is out of range.
    void set(std::span<const float> shares, std::size_t vertex_count, bool at_once);
    // Moves the current factors toward their targets, for a frame of dt seconds. Returns true if a factor has changed.
    bool approach(float dt);

    // (V) factors that were set, and current factors; both are empty until factors are set, and all factors are then 1
    std::vector<float> target{}, shown{};
};

// Data that carry_table needs to write the first rows of a wrinkler's last GPU table again. These rows depend on the
// positions of a frame; the other rows change only in a step.
struct Carried {
    std::vector<Word> header{};  // empty if the next displayed frame requires a complete table
    // PathHeights::reached_vertices and Surface::parted_faces at the time of the table
    std::vector<std::int32_t> vertices{}, parted_faces{};
    // number of rows that depend on positions; number of rows of the whole table
    std::int32_t row_count = 0, table_rows = 0;
};

// The displaced surface of a frame, and the memory of its results.
struct Raised {
    Raised(const Topology& topology, int threads) : heights(topology, threads), surface(topology, threads) {}
    Raised(const Refinement& fine_cloth, int threads) : heights(fine_cloth.coarse(), threads), surface(fine_cloth, threads) {}
    PathHeights heights;
    Surface surface;
    std::vector<Wrinkle> wrinkles{};  // wrinkles of the earlier step, then wrinkles of the last step
    std::size_t earlier_count = 0;
    std::vector<CurveSample> painted{};  // drawn lines of these wrinkles, with heights multiplied by the paint
    Stack stack{};
    FineMesh fine{};
    std::vector<Word> table{};
    std::vector<std::int32_t> source_texels{};
    // positions of the coarse mesh for this surface
    std::vector<Vector3> positions{};
};

// One surface per thread for all wrinklers of a topology, because a surface is several times larger than a wrinkler.
struct Surfaces {
    std::mutex mutex;
    std::map<std::thread::id, Raised> by_thread;
};

}  // namespace ruckle::c

struct ruckle_topology {
    std::shared_ptr<const ruckle::Topology> core;
    std::shared_ptr<ruckle::c::Surfaces> surfaces;
};

struct ruckle_wrinkler {
    ruckle::Wrinkler core;
    // surfaces of the shared topology; null if the topology is not shared
    std::shared_ptr<ruckle::c::Surfaces> surfaces{};
    // surface of this wrinkler if its topology is not shared; created on first use, because most engines displace on
    // the graphics card
    std::optional<ruckle::c::Raised> raised{};
    ruckle::c::Paint paint{};
    ruckle::WrinkleClock clock{};
    ruckle::KeptReach kept{};
    ruckle::PackedLines packed{};  // packed lines of the last table; used only if the wrinkler has a clock
    // frame count of the wrinkler at the step whose lines are in `packed`; empty: `packed` is not valid
    std::optional<int> packed_frame{};
    ruckle::c::Carried carried{};

    // mesh of the fine cloth and its positions (N), if the garment has a shape layer; else null and empty
    std::shared_ptr<const ruckle::Refinement> refinement{};
    std::vector<ruckle::Vector3> fine_cloth{};

    // Invalidates all caches: the reach of drawn lines, and the last table and its lines.
    void refresh() {
        kept.clear();
        carried.header.clear();
        packed_frame.reset();
    }
    void reset() {
        core.reset();
        clock.reset();
        refresh();
    }
};

namespace ruckle::c {

// Implements ruckle_create_shared.
//
// keeps_field  false: ruckle_compression and ruckle_axis return NULL, and the wrinkler takes less memory
ruckle_status create_shared(const ruckle_topology* topology, const ruckle_options* options, bool keeps_field,
                            ruckle_wrinkler** wrinkler);

// Computes the relative increase of each triangle's area by the wrinkles of the last step.
//
// gains  (T) result, >= 0
void measure_gains(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, std::span<float> gains);

// Processes one displayed frame: steps the wrinkles if a step is due and allowed, and updates the paint. Returns an
// error if the frame is invalid; the wrinkler then does not change.
//
// remaining  (T) (flat area) / (area with the heights of other layers), or empty
ruckle_status take_picture(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, float dt,
                           std::span<const float> remaining, bool may_step);

// Rewrites a GPU table for a displayed frame without a step: all words of the table that depend on the positions
// (header, vertices, corner normals at creases, gradient matrices). They are in the first wrinkler.carried.row_count
// rows.
//
// texels  these rows of the wrinkler's last table (the table for which `carried` was filled); updated. The function
//         reads only one word of them, which it has written itself, because reading mapped GPU memory is slow
void carry_table(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, std::uint32_t* texels);

}  // namespace ruckle::c
