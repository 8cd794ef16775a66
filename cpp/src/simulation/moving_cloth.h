// The cloth that all stages of a substep read and move.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numeric/dispatch.h"
#include "ruckle/simulation/cloth.h"
#include "simulation/constraints.h"
#include "simulation/numbering.h"
#include "simulation/part_team.h"
#include "simulation/rows.h"
#include "simulation/sweeps.h"

namespace ruckle {

struct MovingCloth {
    MovingCloth(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                const ClothOptions& options);

    // Moves the origin by whole metres, so that positions are not rounded, if the distance of the center of the cloth's
    // bounding box from it exceeds origin_reach along an axis. Returns the vector by which the origin moved, or zero.
    Vector3 recenter();

    // True for free cloth without a margin. It may rest in the creases of a body.
    bool rests_in_creases() const { return !is_tracked && options.margin == 0.0f; }
    ContactFactors contact_factors() const;

    const ClothOptions options;
    const Numbering numbering;
    const Topology topology;  // vertices are in the order of the numbering, as in all arrays below
    const Constraints constraints;
    const std::size_t vertex_count, row_count;
    const std::vector<float> attachment;  // (V) attachment in [0, 1]; 1: pinned, 0: free
    bool is_tracked = false;              // true if the cloth tracks a coarse simulation

    // Rows of x, y, z and the inverse mass, relative to the origin. The fourth number of velocities is 0.
    Rows points, velocities, predicted;
    Vector3 origin = Vector3::Zero();

    // values of the current frame
    float dt = 0.0f, h = 0.0f;   // s, durations of the frame and of a substep
    float fastest_speed = 0.0f;  // m/s, of all vertices at the start of the frame; 0 without bodies

    PartTeam team;
    const SweepKernels& sweeps = kernels<SweepKernels>();

  private:
    std::vector<float> complete(std::span<const float> given) const;
};

}  // namespace ruckle
