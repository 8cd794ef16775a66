// Members of a Surface that persist between frames, in the order in which an update computes them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ruckle/surface/surface.h"
#include "support/thread_pool.h"
#include "surface/base.h"
#include "surface/creases.h"
#include "surface/displace.h"
#include "surface/levels.h"
#include "surface/normals.h"
#include "surface/patch_kernel.h"
#include "surface/room.h"
#include "surface/transport.h"

namespace ruckle {

// A selection of HeightSamples, by the numbers of their points.
struct NumberedSamples {
    const HeightSamples& samples;
    std::span<const std::int32_t> numbers;

    NumberedSamples from(int first) const { return {samples, numbers.subspan(static_cast<std::size_t>(first))}; }
    // Adds the heights and gradients of the first block.count numbers to the points of a block.
    void add_to(const HeightBlock& block) const;
};

struct Surface::State {
    State(const Topology& mesh, const Refinement* refined, int threads)
        : topology(mesh),
          refinement(refined),
          pool(threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr),
          positions(static_cast<std::size_t>(mesh.vertex_count)),
          normals(mesh, pool.get()),
          creases(mesh),
          base(mesh),
          levels(mesh, refined),
          room(refined ? refined->coarse() : mesh),
          tessellator(mesh, threads) {}

    void update(std::span<const HeightSource> given, const SurfaceOptions& options);
    Patch patch(std::int32_t face) const;
    CoarsePoint locate(std::int32_t face, const Vector3& barycentric) const;
    void raise(std::int32_t face, const PatchPoints& points, int count, const NumberedSamples& samples) const;
    void raise_refined(std::int32_t face, const PatchPoints& points, int count, const NumberedSamples& samples) const;
    void measure_room();
    Vector3 slope_of(std::int32_t face, const std::array<float, 3>& corners) const;
    void apply_mask(const HeightBlock& block) const;
    void apply_room(const HeightBlock& block) const;
    void write_coarse_points(std::int32_t face, const Batch& batch, FineMesh& fine) const;
    void write_carried(std::span<Word> table) const;
    template <class Work>
    void for_batches(FineMesh& fine, const Work& work);
    bool is_divided(std::int32_t face) const;
    void sort_by_depth(const Vector3& toward_eye, DrawOrder& result);

    const Topology& topology;      // topology of the surface's mesh
    const Refinement* refinement;  // null if the surface's mesh is the coarse mesh
    std::unique_ptr<ThreadPool> pool;
    // vertices of the surface's mesh; vertices of the coarse mesh, only with a refinement
    std::vector<Vector3> positions, coarse_positions;
    Transport transport;
    Normals normals;
    Creases creases;
    Base base;
    std::vector<HeightSource> sources;
    std::vector<float> mask, roundness;  // mask: (V) of the coarse mesh, or empty; roundness: (V) roundness times mask
    Levels levels;
    Room room;                             // room around the coarse mesh
    std::optional<Normals> room_normals;   // normals of the coarse mesh; only with a refinement
    std::vector<std::uint8_t> raised_now;  // (T) coarse faces with heights
    Tessellator tessellator;
    std::vector<float> nearness;       // (T) position of each face along the direction toward the viewer
    std::vector<Word> bulge_shares;    // (E, 3) components of the bulges in units of the table
    std::vector<std::int32_t> starts;  // counting sort: position of the next face of each key
};

}  // namespace ruckle
