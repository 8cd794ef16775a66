// The cloth that all stages of a substep read and move. It has no stage of its own.
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

    // Moves the origin by whole metres, which rounds no position, if the cloth's distance from it exceeds origin_reach. Returns
    // the move of the origin.
    Vector3 recenter();

    // Cloth that is neither tracked nor kept at a margin may rest in the creases of a body.
    bool rests_in_creases() const { return !is_tracked && options.margin == 0.0f; }
    ContactFactors contact_factors() const;

    const ClothOptions options;
    const Numbering numbering;
    const Topology topology;  // its vertices have the order of the numbering, as has everything below
    const Constraints constraints;
    const std::size_t vertex_count, row_count;
    const std::vector<float> attachment;  // (V)
    bool is_tracked = false;              // the cloth follows a coarse simulation

    // Rows of x, y, z and the inverse mass, relative to the origin. Those of velocities end in 0.
    Rows points, velocities, predicted;
    Vector3 origin = Vector3::Zero();

    // of the current frame
    float dt = 0.0f, h = 0.0f;   // s, of the frame and of a substep
    float fastest_speed = 0.0f;  // m/s, when the frame begins; 0 without bodies

    PartTeam team;
    const SweepKernels& sweeps = kernels<SweepKernels>();

  private:
    std::vector<float> complete(std::span<const float> given) const;
};

}  // namespace ruckle
