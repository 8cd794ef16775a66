// damping_kernel: the loops of strain-rate damping over the columns of edges and hinges.
#pragma once

#include "simulation/sweeps.h"

namespace ruckle {

struct DampingKernels {
    // Damps the rate of change of edge lengths by dashpots of damping time times stiffness; time_step: that time times h, s².
    void (*damp_edges)(const EdgeArrays& edges, float time_step, const float* points, float* velocities, int64_t begin,
                       int64_t end);
    // Damps rates of bending along the normals of hinges. Damping of the whole vector would take angular momentum away.
    void (*damp_bends)(const BendArrays& bends, float time_step, const float* points, float* velocities, int64_t begin,
                       int64_t end);

    static const DampingKernels baseline, x86_64_v3;
};

}  // namespace ruckle
