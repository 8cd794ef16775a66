// Loops of strain-rate damping, compiled once per instruction set (see numeric/dispatch.h).
//
// The kernels change only velocities, after the constraints of a substep have moved the points. Each element reduces
// one rate of strain by an implicit step. The step can stop the motion but never reverse it, so that damping never adds
// energy.
#pragma once

#include <stdint.h>

#include "simulation/sweeps.h"

namespace ruckle {

struct DampingKernels {
    // Damps the rate of change of edge lengths, with dashpots of damping time · stiffness. time_step: damping time · h,
    // s².
    void (*damp_edges)(const EdgeArrays& edges, float time_step, const float* points, float* velocities, int64_t begin,
                       int64_t end);
    // Damps the rate of bending along the normals of hinges, and stops it by Coulomb friction. Damping of the whole
    // bending vector would reduce angular momentum. Uses the first four corners of each element, because the fifth
    // repeats the first. time_step: as above, with the damping time of bending. friction: moment of a hinge per width · h,
    // N s.
    void (*damp_hinges)(const BendArrays& hinges, float time_step, float friction, const float* points, float* velocities,
                        int64_t begin, int64_t end);

    static const DampingKernels baseline, x86_64_v3;
};

}  // namespace ruckle
