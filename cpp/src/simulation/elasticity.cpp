#include "simulation/elasticity.h"

#include <atomic>

#include "simulation/limits.h"

namespace ruckle {

Elasticity::Elasticity(MovingCloth& cloth, std::span<const Vector3> rest)
    : cloth_(cloth),
      bends_(cloth.topology, cloth.numbering, rest, cloth.options, BendKind::rings),
      hinges_(cloth.topology, cloth.numbering, rest, cloth.options, BendKind::hinges) {}

void Elasticity::solve_edges(PartWorker& worker) {
    const Edges& edges = cloth_.constraints.edges;
    worker.sweep(edges.batches, [&, arrays = edges.arrays()](std::int64_t begin, std::int64_t end) {
        cloth_.sweeps.solve_edges(arrays, cloth_.h * cloth_.h, cloth_.options.compression, cloth_.points.data(), begin, end);
    });
}

void Elasticity::solve_bends(PartWorker& worker) {
    // skipped if the bending stiffness is 0, because the compliance would be infinite
    if (cloth_.options.material.bending > 0.0f) {
        worker.sweep(bends_.batches(), [&, arrays = bends_.arrays()](std::int64_t begin, std::int64_t end) {
            cloth_.sweeps.solve_bends(arrays, 1.0f / (cloth_.h * cloth_.h), cloth_.points.data(), begin, end);
        });
    }
}

void Elasticity::damp(PartWorker& worker) {
    const ClothMaterial& m = cloth_.options.material;
    const float* points = cloth_.points.data();
    float* velocities = cloth_.velocities.data();
    if (m.edge_damping > 0.0f) {
        const Edges& edges = cloth_.constraints.edges;
        worker.sweep(edges.batches, [&, arrays = edges.arrays()](std::int64_t begin, std::int64_t end) {
            damping_kernels_.damp_edges(arrays, m.edge_damping * cloth_.h, points, velocities, begin, end);
        });
    }
    if ((m.bend_damping > 0.0f || m.bend_friction > 0.0f) && m.bending > 0.0f) {
        const float friction = hinge_share * m.bend_friction * cloth_.h;
        worker.sweep(hinges_.batches(), [&, arrays = hinges_.arrays()](std::int64_t begin, std::int64_t end) {
            damping_kernels_.damp_hinges(arrays, m.bend_damping * cloth_.h, friction, points, velocities, begin, end);
        });
    }
}

// Sweeps once over the worker's share of the triangles: principal stretches outside [least, largest] return by `share` of
// the way to this interval; other triangles do not change. Returns true if a stretch was outside.
bool Elasticity::limit(const Triangles& triangles, float least, float largest, float share, PartWorker& worker) {
    bool is_any = false;
    worker.sweep(triangles.batches, [&, faces = triangles.arrays()](std::int64_t begin, std::int64_t end) {
        is_any |= cloth_.sweeps.limit_stretch(faces, least, largest, share, cloth_.points.data(), begin, end);
    });
    return is_any;
}

void Elasticity::limit_strain(PartWorker& worker) {
    const ClothMaterial& m = cloth_.options.material;
    // limits are applied before tracking, because strain limits after tracking do not improve the result
    for (int sweep = 0; sweep < cloth_.options.strain_sweeps; ++sweep) {
        limit(cloth_.constraints.faces, m.least_stretch, m.largest_stretch, limit_share, worker);
    }
}

void Elasticity::limit_stretch_to(const Triangles& triangles, int most_sweeps, float largest) {
    std::atomic<bool> is_beyond = true;
    for (int sweep = 0; sweep < most_sweeps && is_beyond.exchange(false); ++sweep) {
        cloth_.team.run([&](PartWorker& worker) {
            if (limit(triangles, 0.0f, largest, 1.0f, worker)) {
                is_beyond = true;
            }
        });
    }
}

void Elasticity::pull_together(int sweeps) {
    const ClothMaterial& m = cloth_.options.material;
    cloth_.team.run([&](PartWorker& worker) {
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            limit(cloth_.constraints.faces, m.least_stretch, m.largest_stretch, 1.0f, worker);
        }
    });
}

}  // namespace ruckle
