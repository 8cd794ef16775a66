// Computes positions and normals of surface points. Formula: ruckle/surface/surface.h. The shaders use the same
// formula.
#include "surface/patch_kernel.h"
#include "numeric/triples.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

// Returns a / |a|, or zero for the zero vector.
inline Triple unit(Triple a) {
    const Real length = sqrt(dot(a, a));
    return a * (length > 0.0f ? 1.0f / length : splat_real(0.0f));
}

// Returns q = p + Σ b_i b_j w_ij (surface/base.h). On an edge, two of the three terms are exactly 0.
inline Triple curved_base(const Patch& patch, const Real (&b)[3], Triple p) {
    return p + (splat_triple(patch.bulges[0]) * (b[0] * b[1]) + splat_triple(patch.bulges[1]) * (b[1] * b[2]) +
                splat_triple(patch.bulges[2]) * (b[2] * b[0]));
}

void finish_patch(const Patch& patch, const PatchPoints& points, int64_t count) {
    for (int64_t i = 0; i < count; i += native_lanes) {
        const Real b[3] = {load_real(points.barycentric[0] + i), load_real(points.barycentric[1] + i),
                           load_real(points.barycentric[2] + i)};
        const Triple p = interpolate(patch.corners, b), normal = unit(interpolate(patch.normals, b));
        const Triple gradient = load_columns(points.gradient, i);
        const Triple surface = curved_base(patch, b, p) + normal * load_real(points.height + i);
        // uses only the tangential part of the gradient, which is the slope of the surface
        const Triple tangential = gradient - normal * dot(gradient, normal);
        const Triple shading = unit(normal - tangential);
        store_columns(points.position, i, surface);
        store_columns(points.normal, i, shading);
    }
}

constexpr PatchKernels kernels = {.finish_patch = finish_patch};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::PatchKernels ruckle::PatchKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
