// Crowding for the kit: the inverse of the free space for heights between layers of cloth, computed by the class Room
// (surface/room.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "c_call.h"
#include "c_wrinkler.h"
#include "surface/normals.h"
#include "surface/room.h"
#include "waves/waves_c.h"

namespace {

using namespace ruckle;

// Measures the free space around the waves of one garment.
struct WaveRoom {
    explicit WaveRoom(ruckle_waves& own) : waves(own) {}

    ruckle_waves& waves;
    Normals normals{waves.core.topology(), nullptr};
    Room room{waves.core.topology()};
    std::vector<std::uint8_t> raised = std::vector<std::uint8_t>(waves.core.topology().faces.size());

    // open  (V) factor of the heights at each vertex, or null for 1
    const Crowding* measure(std::span<const Vector3> positions, const float* open) {
        WaveHeights& heights = waves.source();
        heights.update(positions, waves.core);
        const HeightSource source = source_of(heights);
        const auto& faces = waves.core.topology().faces;
        for (std::size_t face = 0; face < faces.size(); ++face) {
            const auto is_open = [&](std::int32_t vertex) { return !open || open[vertex] > 0.0f; };
            raised[face] = source.bend(static_cast<std::int32_t>(face)) >= 0.0f && std::ranges::any_of(faces[face], is_open);
        }
        normals.measure(positions);
        room.measure(positions, normals.of_vertices(), source.bounds(), raised);
        return room.of_vertices().data();
    }
};

// The layers of several garments of one wearer. Their vertices and faces are concatenated.
struct WearerRoom {
    WearerRoom(std::span<const Face> faces, int vertex_count) : topology(faces, vertex_count) {}

    const Topology topology;
    Normals normals{topology, nullptr};
    Room room{topology};
    std::vector<std::uint8_t> raised = std::vector<std::uint8_t>(topology.faces.size());
    // bounds over all garments, of waves and of paths
    HeightRange waves{}, paths{};

    // Adds heights of the garment whose first face is `first` and which has `count` faces.
    void add(std::size_t first, std::size_t count, const HeightSource& source, HeightRange& range) {
        const HeightRange own = source.bounds();
        range.outside = std::max(range.outside, own.outside), range.inside = std::max(range.inside, own.inside);
        for (std::size_t face = 0; face < count; ++face) {
            raised[first + face] = raised[first + face] != 0 || source.bend(static_cast<std::int32_t>(face)) >= 0.0f;
        }
    }

    // open  (V) share of the heights at each vertex
    const Crowding* measure(std::span<const Vector3> positions, const float* open) {
        for (std::size_t face = 0; face < raised.size(); ++face) {
            const auto is_open = [&](std::int32_t vertex) { return open[vertex] > 0.0f; };
            raised[face] = raised[face] != 0 && std::ranges::any_of(topology.faces[face], is_open);
        }
        normals.measure(positions);
        const HeightRange range{waves.outside + paths.outside, waves.inside + paths.inside};
        room.measure(positions, normals.of_vertices(), range, raised);
        std::ranges::fill(raised, std::uint8_t{0});
        waves = paths = {};
        return room.of_vertices().data();
    }
};

}  // namespace

extern "C" {

WearerRoom* ruckle_web_wearer_create(const std::int32_t* faces, std::int32_t face_count, std::int32_t vertex_count) {
    return std::make_unique<WearerRoom>(ruckle::c::as_faces(faces, face_count), vertex_count).release();
}

void ruckle_web_wearer_destroy(WearerRoom* room) {
    delete room;
}

// Adds the heights of a garment: its waves and its wrinkler, of which one may be null. `positions` are those of the last
// step of the waves.
void ruckle_web_wearer_add(WearerRoom* room, std::int32_t first, std::int32_t count, ruckle_waves* waves, const float* positions,
                           const ruckle_wrinkler* wrinkler) {
    const auto start = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
    if (waves) {
        WaveHeights& heights = waves->source();
        heights.update(ruckle::c::as_positions(positions, waves->core.topology().vertex_count), waves->core);
        room->add(start, size, source_of(heights), room->waves);
    }
    if (wrinkler && wrinkler->raised) {
        room->add(start, size, source_of(wrinkler->raised->heights), room->paths);
    }
}

// The crowding (V, 2) at these positions, valid until the next call.
const Crowding* ruckle_web_wearer_measure(WearerRoom* room, const float* positions, const float* open) {
    return room->measure(ruckle::c::as_positions(positions, room->topology.vertex_count), open);
}

// Returns an object that measures the crowding of waves; null if the mesh has only one layer. `waves` must outlive the
// result.
WaveRoom* ruckle_web_room_create(ruckle_waves* waves) {
    auto room = std::make_unique<WaveRoom>(*waves);
    return room->room.is_shared() ? room.release() : nullptr;
}

void ruckle_web_room_destroy(WaveRoom* room) {
    delete room;
}

// Returns the crowding (V, 2), 1 / mesh units, along the normals and against them; valid until the next call.
// positions: those of the last step of the waves.
const Crowding* ruckle_web_room_measure(WaveRoom* room, const float* positions, const float* open) {
    return room->measure(ruckle::c::as_positions(positions, room->waves.core.topology().vertex_count), open);
}

// Returns the crowding (V, 2) of a wrinkler's last table with all its layers; null if the mesh has only one layer.
const Crowding* ruckle_web_crowding(const ruckle_wrinkler* wrinkler) {
    const std::span<const Crowding> found = wrinkler->raised->surface.crowding();
    return found.empty() ? nullptr : found.data();
}
}
