// The struct behind a garment handle of the C interface. It contains the handles of its layers, and the mesh that all
// clones share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "c_call.h"
#include "c_wrinkler.h"
#include "patterns/modulator_c.h"
#include "ruckle/field/strain.h"
#include "ruckle/ruckle_c_garment.h"
#include "ruckle/surface/refinement.h"
#include "surface/normals.h"
#include "waves/waves_c.h"

namespace ruckle::c {

struct Destroy {
    void operator()(ruckle_topology* topology) const { ruckle_destroy_topology(topology); }
    void operator()(ruckle_wrinkler* wrinkler) const { ruckle_destroy(wrinkler); }
    void operator()(ruckle_waves* waves) const { ruckle_waves_destroy(waves); }
};
template <class Object>
using Owned = std::unique_ptr<Object, Destroy>;

// Mesh and rest pose of a garment, shared by all its clones.
struct GarmentMesh {
    std::vector<Vector3> rest;  // (V) rest positions, mesh units
    std::vector<Face> faces;    // (T) faces after welding (ruckle_weld)
    // (V) for each vertex, the vertex that replaces it in welded faces: a coincident vertex with a smaller index, or
    // itself
    std::vector<std::int32_t> joined;
    std::vector<Matrix2> rest_edges;  // (T) edge matrices at rest
    Owned<ruckle_topology> topology;

    // Returns the normals of the calling thread, which all garments of this mesh use.
    Normals& normals() const {
        const std::scoped_lock lock(mutex);
        // other threads may add elements, but the address of an element does not change
        return normals_by_thread.try_emplace(std::this_thread::get_id(), *topology->core, nullptr).first->second;
    }

    mutable std::mutex mutex{};
    mutable std::map<std::thread::id, Normals> normals_by_thread{};
};

}  // namespace ruckle::c

struct ruckle_garment {
    std::shared_ptr<const ruckle::c::GarmentMesh> mesh;
    ruckle_options path_options;
    bool with_paths;
    ruckle::c::Owned<ruckle_wrinkler> wrinkler{};
    ruckle::c::Owned<ruckle_waves> waves{};
    ruckle_modulator* pattern = nullptr;
    std::vector<ruckle::Vector3> positions{};      // (V) positions of the last step
    std::vector<ruckle::Vector3> incoming_fine{};  // (N) fine positions of the next step
    // true if the last step succeeded; false before the first step, and after a reset or restore
    bool has_frame = false;
    // (T) relative increase of area by the current layer and by the paths; (flat area) / (area with the heights of
    // previous layers). Empty if the garment has only paths
    std::vector<float> gains{}, path_gains{}, remaining{};
    float waiting = 0.0f;  // time since the last step of waves and pattern, s
    ruckle::StrainScratch strain{};
    std::array<ruckle_height_source, 2> sources{};
    std::vector<std::byte> backup{};

    std::int32_t vertex_count() const { return static_cast<std::int32_t>(mesh->rest.size()); }
    const float* points() const { return positions.data()->data(); }

    // Creates the wrinkler and sizes all arrays. Sets the rest pose if the garment has paths.
    ruckle_status make_wrinkler() {
        ruckle_wrinkler* made = nullptr;
        RUCKLE_TRY(ruckle::c::create_shared(mesh->topology.get(), &path_options, false, &made))
        wrinkler.reset(made);
        positions.resize(mesh->rest.size());
        return with_paths ? ruckle_set_rest(made, mesh->rest.data()->data(), vertex_count()) : RUCKLE_OK;
    }

    // Divides `remaining` by 1 + gains of a layer (stack.h).
    void leave() {
        std::ranges::transform(remaining, gains, remaining.begin(),
                               [](float share, float gain) { return share / (1.0f + gain); });
    }

    // Steps the waves with the area that earlier layers leave, and divides `remaining` by 1 + their gains for a pattern.
    ruckle_status step_waves(float dt) {
        // null for a whole area, because the waves check all given shares
        const float* const left = with_paths || wrinkler->refinement ? remaining.data() : nullptr;
        RUCKLE_TRY(ruckle_waves_step(waves.get(), points(), vertex_count(), dt, left))
        if (pattern) {
            waves->source().update(positions, waves->core);
            waves->source().measure_gains(gains);
            leave();
        }
        return RUCKLE_OK;
    }

    // Processes one displayed frame, after all checks: steps the paths, then waves, then the pattern. Each layer gets
    // the area that the previous layers leave.
    //
    // may_step  false: layers do not step, except in their first frame; the time is added to the next step
    ruckle_status step_layers(float dt, bool may_step) {
        if (wrinkler->refinement || waves || pattern) {
            gains.resize(mesh->faces.size());
            remaining.assign(mesh->faces.size(), 1.0f);
        }
        if (wrinkler->refinement) {
            ruckle::measure_shape_gains(*wrinkler->refinement, wrinkler->fine_cloth, positions, gains);
            leave();
        }
        if (with_paths) {
            const std::span<const float> left =
                wrinkler->refinement ? std::span<const float>(remaining) : std::span<const float>();
            RUCKLE_TRY(ruckle::c::take_picture(*wrinkler, positions, dt, left, may_step))
        }
        waiting += dt;
        if (has_frame && !may_step) {
            return RUCKLE_OK;
        }
        dt = std::exchange(waiting, 0.0f);
        if (with_paths && (waves || pattern)) {
            if (path_gains.empty() || wrinkler->clock.has_stepped()) {
                path_gains.resize(gains.size());
                ruckle::c::measure_gains(*wrinkler, positions, path_gains);
            }
            gains = path_gains;
            leave();
        }
        if (waves) {
            RUCKLE_TRY(step_waves(dt))
        }
        return pattern ? ruckle_modulator_step(pattern, points(), vertex_count(), dt, nullptr, remaining.data()) : RUCKLE_OK;
    }

    // Copies and checks the positions of a frame, then processes the frame. If a check fails, the garment does not
    // change. `fine`: positions of the shape layer, or null without this layer.
    ruckle_status take_frame(const void* from, std::int32_t stride, float dt, bool may_step, const void* fine = nullptr,
                             std::int32_t fine_stride = 0);

    // Fills `sources` with the height sources of waves and pattern, for the positions of the last step, and sets their
    // `count`.
    ruckle_status list_sources(const ruckle_surface_options* options, std::int32_t& count) {
        count = 0;
        if (waves) {
            RUCKLE_TRY(ruckle_waves_heights(waves.get(), points(), vertex_count(), &sources[0]))
            // use the caller's edge length, but not less than half of the default length, because twelve edges per wave
            // suffice
            const float wanted = options ? options->edge_length : 0.0f;
            sources[0].edge_length = wanted > 0.0f ? std::max(wanted, 0.5f * sources[0].edge_length) : sources[0].edge_length;
            ++count;
        }
        ruckle_height_source& last = sources[static_cast<std::size_t>(count)];
        count += pattern != nullptr;
        return pattern ? ruckle_modulator_heights(pattern, points(), vertex_count(), &last) : RUCKLE_OK;
    }
};
