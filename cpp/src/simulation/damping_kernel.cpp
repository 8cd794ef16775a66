// Strain-rate damping, one element per lane; see damping_kernels.h.
#include "simulation/damping_kernels.h"

#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Smaller squares of lengths and areas do not define a direction, m² and m⁴.
constexpr float least_square = 1e-18f, least_normal_square = 1e-24f;

void damp_edges(const EdgeArrays& edges, float time_step, const float* points, float* velocities, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        const Points a = gather(points, edges.corners[0] + i), b = gather(points, edges.corners[1] + i);
        Points u = gather(velocities, edges.corners[0] + i), v = gather(velocities, edges.corners[1] + i);
        const Triple d = a.x - b.x;
        const Real square = max(dot(d, d), splat_real(least_square));
        const Real c = load_real(edges.stiffness + i) * time_step;
        const Real s = -dot(u.x - v.x, d) * c / (square * ((a.w + b.w) * c + 1.0f));
        u.x = u.x + d * (s * a.w);
        v.x = v.x - d * (s * b.w);
        scatter(velocities, edges.corners[0] + i, u);
        scatter(velocities, edges.corners[1] + i, v);
    }
}

void damp_bends(const BendArrays& bends, float time_step, const float* points, float* velocities, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        const int64_t first = bends.block_starts[i / sweep_block] + i % sweep_block,
                      last = bends.block_starts[i / sweep_block + 1];
        Real weight = splat_real(0.0f);
        Triple rate = zero_triple();
        for (int64_t q = first; q < last; q += sweep_block) {
            const Real k = load_real(bends.coefficients + q);
            weight = weight + gather(points, bends.corners + q).w * k * k;
            rate = rate + gather(velocities, bends.corners + q).x * k;
        }
        const Triple normal = ring_normal(bends.corners, first, last, sweep_block, points);
        const Real c = time_step / load_real(bends.compliance + i);
        const Real square = max(dot(normal, normal), splat_real(least_normal_square));
        const Triple change = normal * (dot(rate, normal) * c / (square * (1.0f + c * weight)));
        for (int64_t q = first; q < last; q += sweep_block) {
            Points v = gather(velocities, bends.corners + q);
            v.x = v.x - change * (gather(points, bends.corners + q).w * load_real(bends.coefficients + q));
            scatter(velocities, bends.corners + q, v);
        }
    }
}

constexpr DampingKernels kernels = {.damp_edges = damp_edges, .damp_bends = damp_bends};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::DampingKernels ruckle::DampingKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
