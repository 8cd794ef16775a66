// Elastic forces of the cloth: edge springs, bending, damping of the strain rates, and strain limits.
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

    // Each of these functions moves the vertices of a thread's elements in one substep: one sweep over edges, one over
    // bending elements, strain_sweeps sweeps over triangles. A sweep propagates a pull over one edge only, so more
    // substeps help more than more sweeps.
    void solve_edges(PartWorker& worker);
    void solve_bends(PartWorker& worker);
    void limit_strain(PartWorker& worker);

    // Stiffness-proportional damping of the velocities: force = damping time · stiffness · strain rate, as in a
    // Kelvin-Voigt solid. Only strain rates are damped, so that falling, swinging and rotating cloth does not become
    // slower.
    void damp(PartWorker& worker);

    // Limits the stretch of triangles to `largest` on all threads, in sweeps until no triangle exceeds it, but at most
    // `most_sweeps`.
    void yield(const Triangles& triangles, int most_sweeps, float largest);
    // Moves all triangles to the strain limits of the material on all threads, in `sweeps` sweeps.
    void pull_together(int sweeps);

    double bending_energy() const { return bends_.energy(cloth_.points.values()); }  // bending energy, J

  private:
    bool limit(const Triangles& triangles, float least, float largest, float share, PartWorker& worker);

    MovingCloth& cloth_;
    Bends bends_, hinges_;  // bends_ resists bending, hinges_ damps it
    const DampingKernels& damping_kernels_ = kernels<DampingKernels>();
};

}  // namespace ruckle
