// Loops of position-based constraints and of contact with rounded cones, one element per SIMD lane; see sweeps.h.
#include "simulation/sweeps.h"

#include "simulation/points.h"

namespace ruckle::RUCKLE_INSTRUCTION_SET {
namespace {

static_assert(sweep_block % lanes == 0);

inline Real of(const float* values, int64_t i) {
    return load<Real>(values + i);
}
inline bool any(Mask mask) {
    return lane_bits(mask) != 0;
}

// Lengths below this do not define a direction, m.
constexpr float least_length = 1e-9f;

void predict(float* points, float* velocities, float* predicted, const float* change, float keep, float step, int64_t begin,
             int64_t end) {
    const Floats<4> gain = load<Floats<4>>(change);
    for (int64_t i = begin; i < end; ++i) {
        Floats<4> x = load<Floats<4>>(points + 4 * i);
        // skips pinned vertices, whose position and velocity Pins::move has set
        if (x[3] > 0.0f) {
            const Floats<4> v = (load<Floats<4>>(velocities + 4 * i) + gain) * keep;
            x += v * step;
            store(velocities + 4 * i, v);
            store(points + 4 * i, x);
        }
        store(predicted + 4 * i, x);
    }
}

// Adds the pressure ½ ρ C_d area |v_n| v_n along the normal, and linear skin friction. Pressure changes the normal
// component v_n of the relative velocity by v_n a / (1 + a), with a = h ρ C_d area |v_n| / (2 mass). Skin friction
// removes the share factors.skin of the relative velocity. So pressure can stop a face of any mass, but cannot reverse
// its motion.
void push_by_air(const FaceArrays& faces, const float* points, const float* air, const AirFactors& factors, float* velocities,
                 int64_t begin, int64_t end) {
    const Triple wind = splat_triple(factors.wind);
    for (int64_t i = begin; i < end; i += lanes) {
        Triple relative = splat_triple((const float[3]){0.0f, 0.0f, 0.0f});
        Points v[3];
        Triple x[3];
        Real w[3];
        for (int q = 0; q < 3; ++q) {
            const int32_t* corner = faces.corners[q] + i;
            const Points p = gather(points, corner);
            x[q] = p.x;
            w[q] = p.w;
            v[q] = gather(velocities, corner);
            relative = relative + (air ? gather(air, corner).x : wind) - v[q].x;
        }
        // one relative velocity per face: the mean of its corners
        relative = relative * splat_real(1.0f / 3.0f);
        const Triple doubled = cross(x[1] - x[0], x[2] - x[0]);
        // twice the area; the lower bound avoids a division by zero for a collapsed face, on which pressure is then 0
        const Real area = max(length_of(doubled), splat_real(1e-20f));
        const Triple normal = doubled * (1.0f / area);
        const Real third = of(faces.mass_third, i), along = dot(relative, normal);
        const Real a = factors.pressure * abs<lanes>(along) * area / (3.0f * third);
        const Triple change = normal * (along * a / (1.0f + a)) + relative * splat_real(factors.skin);
        for (int q = 0; q < 3; ++q) {
            // weight: a third of the face's mass over the mass of the vertex; a vertex sums the changes of all its
            // faces
            v[q].x = v[q].x + change * (third * w[q]);
            scatter(velocities, faces.corners[q] + i, v[q]);
        }
    }
}

void solve_edges(const EdgeArrays& edges, float step_squared, float compression, float* points, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        Points a = gather(points, edges.corners[0] + i), b = gather(points, edges.corners[1] + i);
        const Triple d = a.x - b.x;
        const Real length = length_of(d), excess = length - of(edges.length, i);
        // springs are softer in compression: coarse cloth shortens instead of buckling (cloth.h)
        const Real share = excess < 0.0f ? splat_real(compression) : splat_real(1.0f);
        const Real k = of(edges.stiffness, i) * step_squared * share;
        // λ / length of the constraint with compliance 1 / (stiffness h²)
        const Real s = -excess * k / (max(length, splat_real(least_length)) * ((a.w + b.w) * k + 1.0f));
        a.x = a.x + d * (s * a.w);
        b.x = b.x - d * (s * b.w);
        scatter(points, edges.corners[0] + i, a);
        scatter(points, edges.corners[1] + i, b);
    }
}

void solve_bends(const BendArrays& bends, float inverse_step_squared, float* points, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        const int64_t first = bends.block_starts[i / sweep_block] + i % sweep_block,
                      last = bends.block_starts[i / sweep_block + 1];
        Real weight = of(bends.compliance, i) * inverse_step_squared;
        Triple c = zero_triple();
        for (int64_t q = first; q < last; q += sweep_block) {
            const Points p = gather(points, bends.corners + q);
            const Real k = of(bends.coefficients, q);
            // Σ w |∇C|²: the gradients are the coefficients if the normal is constant
            weight = weight + p.w * k * k;
            c = c + p.x * k;
        }
        // the rest bend rotates with the ring; cloth that is flat at rest (default) does not need the normal
        if (bends.curvature) {
            const Triple normal = ring_normal(bends.corners, first, last, sweep_block, points);
            c = c - normal * (of(bends.curvature, i) / max(length_of(normal), splat_real(1e-12f)));
        }
        c = c * (1.0f / max(weight, splat_real(1e-20f)));
        for (int64_t q = first; q < last; q += sweep_block) {
            Points p = gather(points, bends.corners + q);
            p.x = p.x - c * (p.w * of(bends.coefficients, q));
            scatter(points, bends.corners + q, p);
        }
    }
}

// The two columns of a face's deformation gradient F; squared principal stretches; eigenvector (v0, v1) of FᵀF for the
// larger one.
struct Deformation {
    Triple f0, f1;
    Real largest_squared, least_squared;
    Real v0, v1;
};

inline Deformation deformation(const Triple (&x)[3], const Real (&inverse)[4]) {
    Deformation r;
    const Triple e1 = x[1] - x[0], e2 = x[2] - x[0];
    r.f0 = e1 * inverse[0] + e2 * inverse[2];
    r.f1 = e1 * inverse[1] + e2 * inverse[3];
    const Real c00 = dot(r.f0, r.f0), c01 = dot(r.f0, r.f1), c11 = dot(r.f1, r.f1);
    // eigenvalues of FᵀF, the squares of the principal stretches, in closed form
    const Real mean = 0.5f * (c00 + c11), half = 0.5f * (c00 - c11), spread = sqrt(half * half + c01 * c01);
    r.largest_squared = mean + spread;
    r.least_squared = mean - spread;
    // uses the form of the eigenvector that avoids cancellation
    const Mask first_longer = half >= 0.0f;
    const Real a = first_longer ? half + spread : c01, b = first_longer ? c01 : spread - half;
    const Real length = sqrt(a * a + b * b);
    const Mask has_direction = length > 1e-12f;
    r.v0 = has_direction ? a / length : splat_real(1.0f);
    r.v1 = has_direction ? b / length : splat_real(0.0f);
    return r;
}

// Moves the corners p so that the principal stretch |F y| changes by a share of the way to `wanted`. The scalar
// constraint has the gradients u (g_q · y) with u = F y / |F y|; g_q are the gradients of the linear basis functions.
// Lanes outside the mask do not change.
inline void correct_stretch(const Deformation& d, Real y0, Real y1, Real wanted, float share, Mask mask, const Real (&inverse)[4],
                            Points (&p)[3]) {
    const Triple image = d.f0 * y0 + d.f1 * y1;
    const Real stretch = length_of(image);
    Real g[3];
    g[1] = inverse[0] * y0 + inverse[1] * y1;
    g[2] = inverse[2] * y0 + inverse[3] * y1;
    g[0] = -g[1] - g[2];
    const Real square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    const Real weighted = p[0].w * g[0] * g[0] + p[1].w * g[1] * g[1] + p[2].w * g[2] * g[2];
    // the lower bound prevents a large move if two corners are pinned and the third cannot change the stretch
    const Real sum = max(weighted, 0.1f * max(p[0].w, max(p[1].w, p[2].w)) * square);
    const Mask sound = mask & (stretch > 1e-6f) & (sum > 0.0f);
    const Real s = sound ? share * (wanted - stretch) / (stretch * sum) : splat_real(0.0f);
    for (int q = 0; q < 3; ++q) {
        p[q].x = p[q].x + image * (s * p[q].w * g[q]);
    }
}

bool limit_stretch(const FaceArrays& faces, float least, float largest, float share, float* points, int64_t begin, int64_t end) {
    bool is_any = false;
    const Real least_squared = splat_real(least * least), largest_squared = splat_real(largest * largest);
    for (int64_t i = begin; i < end; i += lanes) {
        Points p[3];
        Triple x[3];
        Real inverse[4];
        for (int q = 0; q < 3; ++q) {
            p[q] = gather(points, faces.corners[q] + i);
            x[q] = p[q].x;
        }
        for (int q = 0; q < 4; ++q) {
            inverse[q] = of(faces.inverse[q], i);
        }
        const Deformation d = deformation(x, inverse);
        const Mask wide = d.largest_squared > largest_squared, narrow = d.least_squared < least_squared;
        // most faces are within the limits and are not written
        if (!any(wide | narrow)) {
            continue;
        }
        is_any = true;
        // if both principal stretches are below the lower limit or above the upper limit, both move to this limit
        const Mask small = d.largest_squared<least_squared, big = d.least_squared> largest_squared;
        const Real above = small ? splat_real(least) : splat_real(largest), below = big ? splat_real(largest) : splat_real(least);
        // both corrections use the deformation gradient from before the first correction
        correct_stretch(d, d.v0, d.v1, above, share, wide | small, inverse, p);
        correct_stretch(d, -d.v1, d.v0, below, share, narrow | big, inverse, p);
        for (int q = 0; q < 3; ++q) {
            scatter(points, faces.corners[q] + i, p[q]);
        }
    }
    return is_any;
}

// Position of a point relative to a cone. normal: unit vector from the closest center on the axis to the point; t:
// position of this center on the axis, from 0 to 1.
struct FromCone {
    Triple normal;
    Real gap;  // m, distance from the surface of the cone; negative inside
    Real t;
    Mask has_normal;
};

inline FromCone from_cone(const ConeStep& cone, Triple p) {
    const Triple axis = splat_triple(cone.axis), from_first = p - splat_triple(cone.first);
    const Real along = dot(from_first, axis) * cone.inverse_square;
    // the closest center is ahead of the foot of the perpendicular by taper · distance from the axis (cones.cpp)
    const Real from_axis = length_of(from_first - axis * along);
    const Real t = min(max(along + cone.taper * from_axis, splat_real(0.0f)), splat_real(1.0f));
    const Triple away = from_first - axis * t;
    const Real distance = length_of(away);
    return {away * (1.0f / max(distance, splat_real(least_length))), distance - cone.first_radius - cone.radius_change * t, t,
            distance > least_length};
}

// Returns the contact distance of the cone `own`, usually the thickness. The distance is smaller if another cone faces
// this cone, such as the other thigh, and the gap between both is less than twice the thickness: cloth pushed by each
// cone in turn would gain speed. The reduction is small in a wide fold, where the sides face each other only slightly.
inline Real distance_to_keep(const ConeStep* cones, int cone_count, int own, const ContactFactors& f, Triple p, Triple normal,
                             Real gap) {
    const Real zero = splat_real(0.0f), thickness = splat_real(f.thickness);
    Real missing = zero;
    for (int c = 0; c < cone_count; ++c) {
        if (c != own) {
            const FromCone other = from_cone(cones[c], p);
            const Real opposed = max(-dot(normal, other.normal), zero);
            missing = max(missing, opposed * (thickness - (gap + other.gap) * 0.5f));
        }
    }
    // several layers of cloth share the gap, on both sides of its middle, so the distance is reduced once more, by at
    // most f.layers
    return thickness - missing - min(missing, splat_real(f.layers));
}

// Returns the cone at a time within this substep, as a share of the substep. Radii and taper are not updated, because
// they change little in a substep.
inline ConeStep cone_at(const ConeStep& cone, float share) {
    ConeStep at = cone;
    float square = 0.0f;
    for (int k = 0; k < 3; ++k) {
        at.first[k] = cone.first[k] - (1.0f - share) * cone.first_move[k];
        at.axis[k] = cone.axis[k] - (1.0f - share) * (cone.second_move[k] - cone.first_move[k]);
        square += at.axis[k] * at.axis[k];
    }
    at.inverse_square = cone.inverse_square > 0.0f && square > 0.0f ? 1.0f / square : 0.0f;
    return at;
}

// Returns the position of p relative to the cone at the end of the substep. If the cone has several samples in the
// substep, the normal is that of the first sample at which the vertex is closer to the cone than `distance`. The gap
// along this normal is negative even if the vertex has passed through the cone and is behind it now.
inline FromCone first_contact(const ConeStep& cone, Real distance, Triple p, Triple displacement) {
    FromCone contact = from_cone(cone, p);
    Mask is_open = distance > 0.0f;
    for (int k = 0; k + 1 < cone.samples && any(is_open); ++k) {
        const float share = (float)(k + 1) / (float)cone.samples;
        const FromCone at = from_cone(cone_at(cone, share), p - displacement * splat_real(1.0f - share));
        const Mask enters = is_open & at.has_normal & (at.gap < distance);
        if (!any(enters)) {
            continue;
        }
        is_open = is_open & ~enters;
        const Triple from_center = p - splat_triple(cone.first) - splat_triple(cone.axis) * at.t;
        const Real gap = dot(from_center, at.normal) - cone.first_radius - cone.radius_change * at.t;
        contact.normal = select(enters, at.normal, contact.normal);
        contact.gap = enters ? gap : contact.gap;
        contact.t = enters ? at.t : contact.t;
        contact.has_normal = contact.has_normal | enters;
    }
    return contact;
}

// Pushes the vertices p (one per lane) out of one cone, with friction; also writes `predicted`. Sets `moved` if a
// vertex touches the cone.
inline void push_out_of_cone(const ConeStep* cones, int cone_count, int own, const ContactFactors& f, const float* velocities,
                             Points& p, float* predicted, bool& moved) {
    const Real zero = splat_real(0.0f), one = splat_real(1.0f), thickness = splat_real(f.thickness);
    const ConeStep& cone = cones[own];
    const auto displacement_of = [&] {
        // total motion in this substep: prediction (velocity · step), then constraints
        return p.x - load_points(predicted).x + load_points(velocities).x * splat_real(f.step);
    };
    const auto [normal, gap, t, has_normal] =
        cone.samples > 1 ? first_contact(cone, thickness, p.x, displacement_of()) : from_cone(cone, p.x);
    if (!any((gap < thickness) & (p.w > 0.0f))) {
        return;
    }
    const Real keep = distance_to_keep(cones, cone_count, own, f, p.x, normal, gap), depth = keep - gap;
    const Mask touches = (depth > 0.0f) & (p.w > 0.0f) & has_normal;
    if (!any(touches)) {
        return;
    }
    Points before = load_points(predicted);
    const Triple displacement = displacement_of();
    const Triple move = splat_triple(cone.first_move) * (one - t) + splat_triple(cone.second_move) * t;
    const Triple slip = displacement - move;
    const Triple tangential = slip - normal * dot(slip, normal);
    // Coulomb friction on positions: the contact depth replaces the normal force
    const Real pressed = min(depth, splat_real(f.press));
    const Real slipped = length_of(tangential);
    const Mask sticks = slipped <= f.static_friction * pressed;
    const Real share = sticks ? one : min(one, f.dynamic_friction * pressed / max(slipped, splat_real(1e-20f)));
    // no friction if facing cones leave too little room: the depth is then not a pressure, and cloth that sticks to
    // both cones would tear
    const Mask rubs = touches & (keep >= thickness);
    // contact adds the speed of the body and at most `push` per substep to the cloth; the remaining depth is removed
    // without changing velocities
    const Real carried = min(max(dot(move, normal), zero), depth);
    const Real silent = max(depth - carried - f.push, zero);
    const Real pushed = touches ? depth : zero;
    p.x = p.x + normal * pushed - tangential * (rubs ? share : zero);
    // the predicted point moves with the rest of the push, so that this rest does not change the velocity
    before.x = before.x + normal * (touches ? silent : zero);
    store_points(predicted, before);
    moved = true;
}

void push_out_of_cones(const ConeStep* cones, int cone_count, const ContactFactors& factors, const float* velocities,
                       float* points, float* predicted, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += lanes) {
        Points p = load_points(points + 4 * i);
        bool moved = false;
        for (int c = 0; c < cone_count; ++c) {
            push_out_of_cone(cones, cone_count, c, factors, velocities + 4 * i, p, predicted + 4 * i, moved);
        }
        // vertices that do not touch a cone, which are most, are not written
        if (moved) {
            store_points(points + 4 * i, p);
        }
    }
}

// Eight lanes on every instruction set, because the order of the sums over tests affects the result.
using Eight = Floats<8>;

void sum_moments(const float* tests, int test_count, const float* points, int64_t begin, int64_t end, float* sums) {
    for (int first = 0; first < test_count; first += test_block) {
        // reads each point once for 32 tests
        Eight x[4] = {}, y[4] = {}, z[4] = {};
        for (int64_t i = begin; i < end; ++i) {
            const float *p = points + 4 * i, *row = tests + i * test_count + first;
            for (int k = 0; k < 4; ++k) {
                const Eight t = load<Eight>(row + 8 * k);
                x[k] += t * p[0];
                y[k] += t * p[1];
                z[k] += t * p[2];
            }
        }
        for (int k = 0; k < 4; ++k) {
            store(sums + first + 8 * k, x[k]);
            store(sums + test_count + first + 8 * k, y[k]);
            store(sums + 2 * test_count + first + 8 * k, z[k]);
        }
    }
}

// Returns the sum of eight lanes in a fixed order, because the order affects the result.
inline float sum_of(Eight a) {
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

void move_by_tests(const float* tests, int test_count, const float* coefficients, float* points, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        Eight x = {}, y = {}, z = {};
        const float* row = tests + i * test_count;
        for (int k = 0; k < test_count; k += 8) {
            const Eight t = load<Eight>(row + k);
            x += t * load<Eight>(coefficients + k);
            y += t * load<Eight>(coefficients + test_count + k);
            z += t * load<Eight>(coefficients + 2 * test_count + k);
        }
        float* p = points + 4 * i;
        const float w = p[3];
        p[0] += w * sum_of(x);
        p[1] += w * sum_of(y);
        p[2] += w * sum_of(z);
    }
}

void correct_velocities(const float* points, const float* predicted, float inverse_step, float* velocities, int64_t begin,
                        int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
        // the fourth numbers, the inverse masses, are equal and cancel
        const Floats<4> change = load<Floats<4>>(points + 4 * i) - load<Floats<4>>(predicted + 4 * i);
        store(velocities + 4 * i, load<Floats<4>>(velocities + 4 * i) + change * inverse_step);
    }
}

constexpr SweepKernels kernels = {.predict = predict,
                                  .push_by_air = push_by_air,
                                  .solve_edges = solve_edges,
                                  .solve_bends = solve_bends,
                                  .limit_stretch = limit_stretch,
                                  .push_out_of_cones = push_out_of_cones,
                                  .sum_moments = sum_moments,
                                  .move_by_tests = move_by_tests,
                                  .correct_velocities = correct_velocities};

}  // namespace
}  // namespace ruckle::RUCKLE_INSTRUCTION_SET

constinit const ruckle::SweepKernels ruckle::SweepKernels::RUCKLE_INSTRUCTION_SET = ruckle::RUCKLE_INSTRUCTION_SET::kernels;
