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
    // bending elements, strain_sweeps sweeps over triangles. A strain sweep moves triangles back by limit_share of the
    // way to the limits. A sweep propagates a pull by about one edge. For an equal number of sweeps, more substeps
    // improve the result more than more sweeps per substep (Macklin et al. 2019).
    void solve_edges(PartWorker& worker);
    void solve_bends(PartWorker& worker);
    void limit_strain(PartWorker& worker);

    // Damping of the velocities: force = damping time · stiffness · strain rate, as in a Kelvin-Voigt solid, and Coulomb
    // friction of bending, which does not depend on the rate. Only strain rates are damped, so that falling, swinging
    // and rotating cloth does not become slower.
    void damp(PartWorker& worker);

    // Limits the stretch of triangles to `largest`, on all threads. Repeats the sweep until a sweep finds no triangle
    // above this limit, at most `most_sweeps` times; some triangles may then still exceed it.
    void limit_stretch_to(const Triangles& triangles, int most_sweeps, float largest);
    // Moves all triangles beyond the strain limits of the material back to these limits, on all threads, in `sweeps`
    // sweeps.
    void pull_together(int sweeps);

    double bending_energy() const { return bends_.energy(cloth_.points.values()); }  // bending energy, J

  private:
    bool limit(const Triangles& triangles, float least, float largest, float share, PartWorker& worker);

    MovingCloth& cloth_;
    Bends bends_, hinges_;  // bends_ resists bending, hinges_ damps it
    const DampingKernels& damping_kernels_ = kernels<DampingKernels>();
};

}  // namespace ruckle
