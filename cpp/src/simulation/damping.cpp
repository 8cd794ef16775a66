// Strain-rate damping: a pass over the velocities after the constraints of a substep.
#include "simulation/cloth_state.h"
#include "simulation/damping_kernels.h"

namespace ruckle {

// Stiffness-proportional damping: a force of `time` times the elastic stiffness times the rate of strain, as in a Kelvin-Voigt
// solid. It acts on rates of strain alone, so that falling, swinging and turning cloth loses no speed.
void ClothSimulation::State::damp_strain(PartWorker& worker) {
    const ClothMaterial& m = options.material;
    const DampingKernels& damping_kernels = kernels<DampingKernels>();
    if (m.edge_damping > 0.0f) {
        worker.sweep(constraints.edges.batches, [&, edges = constraints.edges.arrays()](std::int64_t begin, std::int64_t end) {
            damping_kernels.damp_edges(edges, m.edge_damping * h, points.data(), velocities.data(), begin, end);
        });
    }
    if (m.bend_damping > 0.0f && m.bending > 0.0f) {
        worker.sweep(hinges.batches(), [&, arrays = hinges.arrays()](std::int64_t begin, std::int64_t end) {
            damping_kernels.damp_bends(arrays, m.bend_damping * h, points.data(), velocities.data(), begin, end);
        });
    }
}

}  // namespace ruckle
