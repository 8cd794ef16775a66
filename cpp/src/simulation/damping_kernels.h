// The loops of strain-rate damping, compiled once per instruction set (see numeric/dispatch.h).
//
// They change velocities only, after the constraints of a substep have moved the points. Each element reduces one rate of strain by
// an implicit step: it can stop that motion but never reverse it, so that damping never adds energy.
#pragma once

#include <stdint.h>

#include "simulation/sweeps.h"

namespace ruckle {

struct DampingKernels {
    // Damps rates of change of edge lengths by dashpots of damping time times stiffness; time_step: that time times h, s².
    void (*damp_edges)(const EdgeArrays& edges, float time_step, const float* points, float* velocities, int64_t begin,
                       int64_t end);
    // Damps rates of bending along the normals of hinges. Damping the whole vector would reduce angular momentum. Reads the first
    // four corners of each element; the fifth repeats the first.
    void (*damp_hinges)(const BendArrays& hinges, float time_step, const float* points, float* velocities, int64_t begin,
                        int64_t end);

    static const DampingKernels baseline, x86_64_v3;
};

}  // namespace ruckle
