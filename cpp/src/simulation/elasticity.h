// Forces inside the cloth: springs of edges, bending, damping of their rates, and limits of strain.
#pragma once

#include <span>

#include "simulation/bending.h"
#include "simulation/damping_kernels.h"
#include "simulation/moving_cloth.h"

namespace ruckle {

class Elasticity {
  public:
    // rest: (V) in the order of the numbering.
    Elasticity(MovingCloth& cloth, std::span<const Vector3> rest);

    // One sweep per substep: a sweep carries a pull over one edge, so more substeps help more than more sweeps.
    void solve_edges(PartWorker& worker);
    void solve_bends(PartWorker& worker);
    void limit_strain(PartWorker& worker);

    // Stiffness-proportional damping of the velocities: a force of `time` times the elastic stiffness times the rate of strain,
    // as in a Kelvin-Voigt solid. It acts on rates of strain alone, so that falling, swinging and turning cloth loses no speed.
    void damp(PartWorker& worker);

    // Sweeps until no triangle stretches beyond the largest ratio, at most a given number of times.
    void yield(const Triangles& triangles, int most_sweeps, float largest);
    // Sweeps all triangles back to the limits of the material.
    void pull_together(int sweeps);

    double bending_energy() const { return bends_.energy(cloth_.points.values()); }  // J

  private:
    bool limit(const Triangles& triangles, float least, float largest, float share, PartWorker& worker);

    MovingCloth& cloth_;
    Bends bends_, hinges_;  // the first resists bending, the second damps it
    const DampingKernels& damping_kernels_ = kernels<DampingKernels>();
};

}  // namespace ruckle
