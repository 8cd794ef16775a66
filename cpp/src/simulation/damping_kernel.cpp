// Strain-rate damping, one element per SIMD lane; see damping_kernels.h.
#include "simulation/damping_kernels.h"

#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Sum of inverse masses (1/kg) below which all corners of a hinge are fixed.
constexpr float least_weight = 1e-20f;
// Squares of lengths (m²) and of areas (m⁴) below which a direction is undefined.
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

void damp_hinges(const BendArrays& hinges, float time_step, float friction, const float* points, float* velocities, int64_t begin,
                 int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        const int64_t first = hinges.block_starts[i / sweep_block] + i % sweep_block;
        Points p[4], v[4];
        Real k[4], weight = splat_real(0.0f);
        Triple rate = zero_triple();
        for (int q = 0; q < 4; ++q) {
            const int32_t* corner = hinges.corners + first + q * sweep_block;
            p[q] = gather(points, corner);
            v[q] = gather(velocities, corner);
            k[q] = load_real(hinges.coefficients + first + q * sweep_block);
            weight = weight + p[q].w * k[q] * k[q];
            rate = rate + v[q].x * k[q];
        }
        const Triple a = p[1].x - p[0].x, b = p[2].x - p[0].x, c = p[3].x - p[0].x;
        // sum of the normals of the two triangles
        const Triple normal = cross(a, b) + cross(b, c);
        const Real stiffness = time_step / load_real(hinges.compliance + i);
        const Real square = max(dot(normal, normal), splat_real(least_normal_square));
        const Real along = dot(rate, normal);
        // impulse of friction, which stops slow bending; the rest of the speed is damped, so that the impulse becomes (held +
        // stiffness · along) / (1 + stiffness · weight)
        Real held = splat_real(0.0f);
        if (friction > 0.0f) {
            const Real limit = friction * sqrt(square);
            held = max(min(along / max(weight, splat_real(least_weight)), limit), -1.0f * limit);
        }
        const Triple change = normal * ((held + along * stiffness) / (square * (1.0f + stiffness * weight)));
        for (int q = 0; q < 4; ++q) {
            v[q].x = v[q].x - change * (p[q].w * k[q]);
            scatter(velocities, hinges.corners + first + q * sweep_block, v[q]);
        }
    }
}

constexpr DampingKernels kernels = {.damp_edges = damp_edges, .damp_hinges = damp_hinges};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::DampingKernels ruckle::DampingKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
