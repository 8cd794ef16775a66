// Distances of points to triangles, one pair per SIMD lane; only for kernels (see numeric/lanes.h).
#pragma once

#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {

// Distance of a point to a triangle.
struct Nearness {
    Real square;  // squared distance of the point
    Real height;  // height over the plane, times the length of the normal cross(ab, ac)
    Mask over;    // true if the closest point is inside the triangle
};

// Returns the distance of p from the triangle (a, b, c). Uses six dot products: distances to the three edges, and to
// the plane if its foot point is inside the triangle. The rounding error of `square` is a few units in the last place
// of the largest squared length. The lengths in cloth contact are some millimetres.
inline Nearness nearness(Triple p, Triple a, Triple b, Triple c) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f);
    const Triple ab = b - a, ac = c - a, ap = p - a;
    const Real bb = dot(ab, ab), cc = dot(ac, ac), bc = dot(ab, ac), pb = dot(ap, ab), pc = dot(ap, ac), pp = dot(ap, ap);
    const Real along_ab = min(max(pb / bb, zero), one), along_ac = min(max(pc / cc, zero), one);
    const Real far = bb + cc - 2.0f * bc, across = pc - pb - bc + bb;
    const Real along_bc = min(max(across / far, zero), one);
    const Real to_ab = pp + along_ab * (along_ab * bb - 2.0f * pb);
    const Real to_ac = pp + along_ac * (along_ac * cc - 2.0f * pc);
    const Real to_bc = pp - 2.0f * pb + bb + along_bc * (along_bc * far - 2.0f * across);
    // barycentric coordinates of b and c, times the determinant
    const Real determinant = bb * cc - bc * bc, weight_b = cc * pb - bc * pc, weight_c = bb * pc - bc * pb;
    Nearness n;
    n.over = (weight_b > 0.0f) & (weight_c > 0.0f) & (weight_b + weight_c < determinant);
    const Triple normal = cross(ab, ac);
    n.height = dot(normal, ap);
    const Real to_plane = n.height * n.height / max(dot(normal, normal), splat_real(1e-30f));
    n.square = n.over ? to_plane : min(to_ab, min(to_ac, to_bc));
    return n;
}

}  // namespace ruckle::RUCKLE_INSTRUCTION_SET
