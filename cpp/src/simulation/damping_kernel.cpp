// The loops of strain-rate damping, compiled once per instruction set: RUCKLE_INSTRUCTION_SET names it. See sweeps.h.
//
// Each element reduces one rate of strain by an implicit step: it can stop that motion but never reverse it, so that damping never adds
// energy.
#include "simulation/points.h"
#include "simulation/sweeps.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Squares of lengths and areas below these have no direction, m² and m⁴.
constexpr float least_square = 1e-18f, least_normal_square = 1e-24f;

}  // namespace

void damp_edges(const EdgeArrays& edges, float time_step, const float* points, float* velocities, int64_t begin, int64_t end);
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

void damp_bends(const BendArrays& bends, float time_step, const float* points, float* velocities, int64_t begin, int64_t end);
void damp_bends(const BendArrays& bends, float time_step, const float* points, float* velocities, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        Points v[4];
        Triple x[4], rate = zero_triple();
        Real k[4], w[4], weight = splat_real(0.0f);
        for (int q = 0; q < 4; ++q) {
            const Points p = gather(points, bends.corners[q] + i);
            v[q] = gather(velocities, bends.corners[q] + i);
            k[q] = load_real(bends.coefficients[q] + i);
            x[q] = p.x;
            w[q] = p.w;
            weight = weight + w[q] * k[q] * k[q];
            rate = rate + v[q].x * k[q];
        }
        const Triple normal = cross(x[1] - x[0], x[2] - x[3]);
        const Real c = time_step / load_real(bends.compliance + i);
        const Real square = max(dot(normal, normal), splat_real(least_normal_square));
        const Triple change = normal * (dot(rate, normal) * c / (square * (1.0f + c * weight)));
        for (int q = 0; q < 4; ++q) {
            v[q].x = v[q].x - change * (w[q] * k[q]);
            scatter(velocities, bends.corners[q] + i, v[q]);
        }
    }
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
