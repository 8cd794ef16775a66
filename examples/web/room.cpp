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

}  // namespace

extern "C" {

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
