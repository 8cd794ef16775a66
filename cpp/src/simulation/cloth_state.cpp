#include "simulation/cloth_state.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "numeric/finite.h"
#include "numeric/functions.h"
#include "support/saved_state.h"

namespace ruckle {

ClothSimulation::State::State(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> given_attachment,
                              const ClothOptions& given)
    : options(given),
      rest_hash(hash_bytes(std::as_bytes(rest))),
      attachment_hash(hash_bytes(std::as_bytes(given_attachment))),
      numbering(Topology(faces, static_cast<int>(rest.size()))),
      topology(numbering.faces, static_cast<int>(rest.size())),
      constraints(topology, numbering, numbering.arrange(rest), numbering.arrange(given_attachment), given),
      bends(topology, numbering, numbering.arrange(rest), given, BendKind::rings),
      hinges(topology, numbering, numbering.arrange(rest), given, BendKind::hinges),
      vertex_count(rest.size()),
      row_count(whole_blocks(static_cast<std::size_t>(numbering.first_spare + numbering.part_count))),
      points(row_count),
      velocities(row_count),
      predicted(row_count),
      air(row_count),
      saved_points(row_count),
      saved_velocities(row_count),
      untouched(row_count),
      pinched_ways(row_count),
      pins(row_count),
      next_pins(row_count),
      attachment(numbering.arrange(given_attachment)),
      masses(rest.size()),
      team(numbering, given.threads) {
    // without attachment all vertices are free
    attachment.resize(vertex_count, 0.0f);
    for (std::size_t v = 0; v < vertex_count; ++v) {
        // a vertex without faces has zero mass and does not move
        const float mass = constraints.masses[v];
        masses[static_cast<std::size_t>(numbering.given[v])] = mass;
        // an inverse mass of 0 cannot be moved by any constraint: the sweeps need no test for pinned vertices
        points[v][3] = mass > 0.0f && attachment[v] < 1.0f ? 1.0f / mass : 0.0f;
        if (attachment[v] > 0.0f) {
            (attachment[v] < 1.0f ? pulled : pinned).push_back(static_cast<std::int32_t>(v));
        }
    }
    // reserves room for any frame: steps allocate nothing
    touched.reserve(vertex_count);
    pinched.reserve(vertex_count);
    cones.reserve(most_cones);
    next_cones.reserve(most_cones);
    cone_steps.reserve(most_cones);
    if (options.self_distance > 0.0f) {
        const std::vector<Vector3> arranged = numbering.arrange(rest);
        const float distance = options.self_distance, friction = options.material.dynamic_friction;
        blocks.emplace(topology);
        self_contact.emplace(topology, *blocks, arranged, row_count, distance, friction);
        impact_zones.emplace(topology, *blocks, arranged, row_count, distance, friction);
        held_masses.resize(vertex_count);
        saved_self_pairs.reserve(self_contact->most_pairs());
        saved_gathered_points = self_contact->gathered_points();
        saved_edge_pairs.reserve(impact_zones->edge_contact().pairs().capacity());
        saved_tangles.reserve(impact_zones->tangles().capacity());
    }
    if (options.record_substeps) {
        substep_positions.resize(static_cast<std::size_t>(options.substeps) * vertex_count);
    }
    place(rest, {});
    if (options.contact_spacing > 0.0f) {
        face_contact.emplace(topology, points, options.contact_spacing);
    }
}

void ClothSimulation::State::place(std::span<const Vector3> positions, std::span<const Vector3> speeds) {
    origin = positions[0].array().round();
    for (std::size_t v = 0; v < vertex_count; ++v) {
        // pins begin at the vertices, so that the first frame does not move them
        const auto as_given = static_cast<std::size_t>(numbering.given[v]);
        points.vector(v) = pins.vector(v) = positions[as_given] - origin;
        velocities.vector(v) = speeds.empty() ? Vector3(Vector3::Zero()) : speeds[as_given];
    }
    recenter();
    // forgets earlier bodies: those of the next frame count as unmoved
    cones.clear();
    body_positions.clear();
    std::fill(near_body.begin(), near_body.end(), NearBody{});
    if (self_contact) {
        self_contact->forget();
        impact_zones->place(points.values());
    }
    stats = {};
    is_placed = true;
}

// Moves the origin by whole metres, which rounds no position, if the cloth's distance from it exceeds origin_reach.
void ClothSimulation::State::recenter() {
    Vector3 low = points.vector(0), high = low;
    for (std::size_t v = 1; v < vertex_count; ++v) {
        low = low.cwiseMin(points.vector(v));
        high = high.cwiseMax(points.vector(v));
    }
    const Vector3 center = 0.5f * (low + high);
    if (center.cwiseAbs().maxCoeff() <= origin_reach) {
        return;
    }
    const Vector3 by = center.array().round();
    for (std::size_t v = 0; v < vertex_count; ++v) {
        points.vector(v) -= by;
        pins.vector(v) -= by;
    }
    if (self_contact) {
        self_contact->shift(by);
    }
    origin += by;
}

bool ClothSimulation::State::sizes_fit(const ClothInputs& inputs) const {
    const bool pins_fit = inputs.pins.empty() || inputs.pins.size() == vertex_count;
    const bool wind_fits = inputs.wind.size() <= 1 || inputs.wind.size() == vertex_count;
    // as many as in the frame before, from which each moves; any number in the first frame
    const bool cones_fit = (cones.empty() || inputs.cones.size() == cones.size()) && inputs.cones.size() <= most_cones;
    const bool body_fits = inputs.body.size() == (body ? static_cast<std::size_t>(body->vertex_count()) : 0);
    const std::size_t target_count = tracking ? 3 * static_cast<std::size_t>(options.substeps * tracking->test_count()) : 0;
    return pins_fit && wind_fits && cones_fit && body_fits && inputs.targets.size() == target_count;
}

// Checks all inputs before anything changes: a refused frame leaves the state as it was.
ClothStatus ClothSimulation::State::check(const ClothInputs& inputs) {
    if (!sizes_fit(inputs)) {
        return ClothStatus::wrong_count;
    }
    if (!(std::isfinite(inputs.dt) && inputs.dt >= least_frame_time && inputs.extra_damping >= 0.0f)) {
        return ClothStatus::wrong_time;
    }
    auto lost = std::numeric_limits<std::int32_t>::max();
    for (std::size_t v = 0; v < inputs.pins.size(); ++v) {
        const std::int32_t as_given = numbering.given[v];
        // pins of free vertices are not read, and may hold anything
        if (attachment[v] > 0.0f && !inputs.pins[static_cast<std::size_t>(as_given)].allFinite()) {
            lost = std::min(lost, as_given);
        }
    }
    if (lost < std::numeric_limits<std::int32_t>::max()) {
        stats.refused_vertex = lost;
        return ClothStatus::not_finite;
    }
    const bool targets_finite =
        std::all_of(inputs.targets.begin(), inputs.targets.end(), [](double target) { return std::isfinite(target); });
    // all other inputs are used if they are given
    const bool finite = all_finite(inputs.wind) && all_finite(inputs.body) && are_sound(inputs.cones) && targets_finite;
    return finite ? ClothStatus::done : ClothStatus::not_finite;
}

// Takes the inputs of this frame. Bodies of the first frame count as unmoved.
void ClothSimulation::State::take(const ClothInputs& inputs) {
    recenter();
    // to restore if the frame explodes
    saved_points = points;
    saved_velocities = velocities;
    dt = inputs.dt;
    h = dt / static_cast<float>(options.substeps);
    // vertices without a new pin keep the old one
    next_pins = pins;
    for (std::size_t v = 0; v < inputs.pins.size(); ++v) {
        if (attachment[v] > 0.0f) {
            next_pins.vector(v) = inputs.pins[static_cast<std::size_t>(numbering.given[v])] - origin;
        }
    }
    // fits the reserved room, because check refuses more
    next_cones.assign(inputs.cones.begin(), inputs.cones.end());
    next_body.assign(inputs.body.begin(), inputs.body.end());
    first_bodies = cones.empty() && body_positions.empty();
    // in the first frame they have not moved
    if (first_bodies) {
        cones.assign(next_cones.begin(), next_cones.end());
        body_positions.assign(next_body.begin(), next_body.end());
    }
    targets = inputs.targets;
    damping = options.material.damping + inputs.extra_damping;
    float fastest = 0.0f;
    for (std::size_t v = 0; v < vertex_count && (body || !next_cones.empty()); ++v) {
        fastest = std::max(fastest, velocities.vector(v).squaredNorm());
    }
    fastest_speed = std::sqrt(fastest);
    saved_near_body = near_body;
    if (self_contact) {
        saved_self_pairs.clear();
        for (std::size_t i = 0; i < self_contact->pair_count(); ++i) {
            saved_self_pairs.push_back(self_contact->pair(i));
        }
        saved_gathered_points = self_contact->gathered_points();
        saved_edge_pairs = impact_zones->edge_contact().pairs();
        saved_tangles = impact_zones->tangles();
        impact_zones->begin(points.values());
    }
    // still air also drags
    has_air = options.material.air_drag > 0.0f || !inputs.wind.empty();
    wind = inputs.wind.empty() ? Vector3(Vector3::Zero()) : inputs.wind[0];
    has_one_wind = inputs.wind.size() <= 1;
    for (std::size_t v = 0; !has_one_wind && v < vertex_count; ++v) {
        air.vector(v) = inputs.wind[static_cast<std::size_t>(numbering.given[v])];
    }
}

// Pinned vertices move straight and at constant speed, and nothing else moves them. The same holds for vertices that a body
// pinches.
void ClothSimulation::State::move_pins(float share, PartWorker& worker) {
    worker.vertices(pinned, [&](std::size_t v) {
        const Vector3 way = next_pins.vector(v) - pins.vector(v);
        points.vector(v) = pins.vector(v) + way * share;
        // gives a pinned vertex its velocity, for the air and for layers that touch it
        velocities.vector(v) = way / dt;
    });
    if (!pinched.empty()) {
        worker.vertices(pinched, [&](std::size_t v) {
            points.vector(v) += pinched_ways.vector(v);
            velocities.vector(v) = pinched_ways.vector(v) / h;
        });
    }
}

void ClothSimulation::State::blow(PartWorker& worker) {
    if (!has_air) {
        return;
    }
    const ClothMaterial& m = options.material;
    // mass and area grow in proportion: friction takes the same share of the speed from every face
    const float skin = h * 0.5f * air_density * skin_drag / m.density;
    // half the density, and half because the kernel's cross product of two edges is twice the area
    const AirFactors factors{h * 0.25f * air_density * m.air_drag, skin / (1.0f + skin), {wind[0], wind[1], wind[2]}};
    const float* at_vertices = has_one_wind ? nullptr : air.data();
    worker.sweep(constraints.faces.batches, [&, faces = constraints.faces.arrays()](std::int64_t begin, std::int64_t end) {
        sweeps.push_by_air(faces, points.data(), at_vertices, factors, velocities.data(), begin, end);
    });
}

void ClothSimulation::State::predict(PartWorker& worker) {
    const float change[4] = {h * options.gravity[0], h * options.gravity[1], h * options.gravity[2], 0.0f};
    // exact for any step, so that damping does not depend on the number of substeps
    const float keep = exponential(-damping * h);
    worker.rows([&](std::int64_t begin, std::int64_t end) {
        sweeps.predict(points.data(), velocities.data(), predicted.data(), change, keep, h, begin, end);
    });
}

// One sweep per substep: a sweep carries a pull over one edge, so more substeps help more than more sweeps.
void ClothSimulation::State::solve_edges(PartWorker& worker) {
    worker.sweep(constraints.edges.batches, [&, edges = constraints.edges.arrays()](std::int64_t begin, std::int64_t end) {
        sweeps.solve_edges(edges, h * h, options.compression, points.data(), begin, end);
    });
}

void ClothSimulation::State::solve_bends(PartWorker& worker) {
    // skipped without stiffness: the compliance would be infinite
    if (options.material.bending > 0.0f) {
        worker.sweep(bends.batches(), [&, arrays = bends.arrays()](std::int64_t begin, std::int64_t end) {
            sweeps.solve_bends(arrays, 1.0f / (h * h), points.data(), begin, end);
        });
    }
}

// A spring of angular frequency attachment_rate · attachment, solved implicitly.
void ClothSimulation::State::pull_to_pins(float share, PartWorker& worker) {
    worker.vertices(pulled, [&](std::size_t v) {
        // k / (1 + k) is below 1: the spring never overshoots its pin, however stiff
        const float rate = options.attachment_rate * attachment[v] * h, k = rate * rate;
        const Vector3 pin = pins.vector(v) + (next_pins.vector(v) - pins.vector(v)) * share;
        points.vector(v) += (pin - points.vector(v)) * (k / (1.0f + k));
    });
}

// Returns true if any of a thread's triangles exceeded a limit.
bool ClothSimulation::State::limit_stretch(const Triangles& triangles, float least, float largest, float share,
                                           PartWorker& worker) {
    bool is_any = false;
    worker.sweep(triangles.batches, [&, faces = triangles.arrays()](std::int64_t begin, std::int64_t end) {
        is_any |= sweeps.limit_stretch(faces, least, largest, share, points.data(), begin, end);
    });
    return is_any;
}

void ClothSimulation::State::limit_strain(PartWorker& worker) {
    const ClothMaterial& m = options.material;
    // before tracking, because limits after it gain nothing
    for (int sweep = 0; sweep < options.strain_sweeps; ++sweep) {
        limit_stretch(constraints.faces, m.least_stretch, m.largest_stretch, limit_share, worker);
    }
}

// Sweeps until no triangle exceeds the limit, at most a given number of times.
void ClothSimulation::State::yield(const Triangles& triangles, int most_sweeps) {
    // cloth may stretch more before a body that moves by the contact distance in a substep: its surroundings cannot follow at once
    const float distance = std::max(options.material.thickness + options.margin, 1e-3f);
    const float way = body ? body->fastest_step() + fastest_speed * h : 0.0f;
    const float largest = options.material.largest_stretch + yield_stretch * std::clamp(way / distance, 1.0f, fastest_yield);
    std::atomic<bool> is_beyond = true;
    for (int sweep = 0; sweep < most_sweeps && is_beyond.exchange(false); ++sweep) {
        team.run([&](PartWorker& worker) {
            if (limit_stretch(triangles, 0.0f, largest, 1.0f, worker)) {
                is_beyond = true;
            }
        });
    }
}

// Folds of tracked cloth snap over within a substep, and stretch single edges.
void ClothSimulation::State::yield_before_cones() {
    if (tracking && !body && options.strain_sweeps > 0) {
        yield(constraints.faces, tracked_yield_sweeps);
    }
}

// Contact and strain cannot both be met if parts of a body's mesh pinch the cloth, or it is too small for a pose. Cloth that yields
// to the body tears across it and explodes, so the body yields. Cones are convex: cloth slides off them, and rests in a bent elbow
// only if nothing pulls it back in. Held cloth cannot slide.
void ClothSimulation::State::yield_to_strain() {
    if ((body || !next_cones.empty()) && options.strain_sweeps > 0) {
        yield(body ? constraints.faces : constraints.held, tracking ? tracked_yield_sweeps : yield_sweeps);
        // a fast body would come through before the cloth around it can follow: contact comes last there
        if (body && !tracking && body->fastest_step() * static_cast<float>(options.substeps) + fastest_speed * dt > fast_way) {
            come_out(std::numeric_limits<float>::max());
        }
    }
}

void ClothSimulation::State::meet_cones(float before, float now) {
    if (next_cones.empty()) {
        return;
    }
    // once per substep instead of once per vertex
    cone_steps.clear();
    for (std::size_t c = 0; c < next_cones.size(); ++c) {
        ConeStep step = cone_step(cones[c], next_cones[c], before, now, origin);
        const float ends = std::max(Vector3::Map(step.first_move).norm(), Vector3::Map(step.second_move).norm());
        const float way = ends + fastest_speed * h;
        const float radius = step.first_radius + std::min(step.radius_change, 0.0f) + options.material.thickness;
        step.samples = std::clamp(static_cast<int>(way / (sample_way * std::max(radius, 1e-6f))) + 1, 1, most_samples);
        cone_steps.push_back(step);
    }
    const ContactFactors factors = contact_factors();
    team.run([&](PartWorker& worker) {
        worker.rows([&](std::int64_t begin, std::int64_t end) {
            sweeps.push_out_of_cones(cone_steps.data(), static_cast<int>(cone_steps.size()), factors, velocities.data(),
                                     points.data(), predicted.data(), begin, end);
        });
    });
}

// By one thread: most pairs share a vertex with others.
void ClothSimulation::State::keep_layers_apart(int index) {
    const float since = h * static_cast<float>(index);
    // searches within the frame only if vertices leave their predicted paths
    if (index == 0 || (index % self_interval == 0 && self_contact->is_due(points.values(), since))) {
        self_contact->gather(points.values(), velocities.values(), since, dt - since);
    }
    self_contact->solve(predicted.values(), velocities.values(), h, points.values());
}

// After everything that moves the cloth; at the latest at the end of each frame, so that frames show no crossings.
void ClothSimulation::State::take_back_crossings(int index) {
    if (!impact_zones || !(index + 1 == options.substeps || impact_zones->is_due(points.values()))) {
        return;
    }
    if (impact_zones->look(points.values(), velocities.values())) {
        follow_zones();
        impact_zones->look(points.values(), velocities.values());
    }
    impact_zones->begin(points.values());
}

// Lets the cloth around zones follow at once and without speed: strain limits of the next substep would throw it after them.
void ClothSimulation::State::follow_zones() {
    const std::span<const std::int32_t> held = impact_zones->zone_vertices();
    for (const std::int32_t v : held) {
        std::swap(points[static_cast<std::size_t>(v)][3], held_masses[static_cast<std::size_t>(v)]);
    }
    team.run([&](PartWorker& worker) {
        for (int sweep = 0; sweep < zone_sweeps; ++sweep) {
            limit_stretch(constraints.faces, options.material.least_stretch, options.material.largest_stretch, 1.0f, worker);
        }
    });
    for (const std::int32_t v : held) {
        std::swap(points[static_cast<std::size_t>(v)][3], held_masses[static_cast<std::size_t>(v)]);
    }
}

// Moments (R, 3) that the coarse cloth has after a substep.
std::span<const double> ClothSimulation::State::targets_of(int index) const {
    const auto count = 3 * static_cast<std::size_t>(tracking->test_count());
    return targets.subspan(static_cast<std::size_t>(index) * count, count);
}

void ClothSimulation::State::track(int index, bool last) {
    if (!tracking) {
        return;
    }
    // targets are moments about the world's origin, points are relative to the cloth's
    const Eigen::Vector3d from = origin.cast<double>();
    // once, because the move is exact: the moments then match up to rounding
    tracking->apply(sweeps, team.pool(), targets_of(index), from, {}, points.values());
    if (last) {
        stats.tracking_residual =
            static_cast<float>(tracking->residual(sweeps, team.pool(), targets_of(index), from, points.values()));
    }
}

// Bodies come last. Vertices that they move are recorded: tracking does not move these again.
void ClothSimulation::State::meet_bodies(int index, float before, float now) {
    if (tracking) {
        untouched.values() = points.values();
    }
    meet_cones(before, now);
    meet_body(index);
    touched.clear();
    for (std::size_t v = 0; tracking && v < vertex_count; ++v) {
        // compares bits: unmoved vertices are identical
        if (!std::equal(points[v], points[v] + 3, untouched[v])) {
            touched.push_back(static_cast<std::int32_t>(v));
        }
    }
}

// The surrounding cloth restores the moments that bodies changed. Vertices in contact do not move.
void ClothSimulation::State::track_around_contact(int index) {
    if (touched.empty()) {
        return;
    }
    // an inverse mass of 0 excludes a vertex from tracking
    for (const std::int32_t v : touched) {
        points[static_cast<std::size_t>(v)][3] = 0.0f;
    }
    // the inverse is that of all free vertices: each round leaves the share of those in contact
    const TrackedRange range{contact_tolerance, largest_contact_residual};
    for (int round = 0; round < contact_rounds; ++round) {
        if (!tracking->apply(sweeps, team.pool(), targets_of(index), origin.cast<double>(), range, points.values())) {
            break;
        }
    }
    for (const std::int32_t v : touched) {
        points[static_cast<std::size_t>(v)][3] = untouched[static_cast<std::size_t>(v)][3];
    }
}

void ClothSimulation::State::correct_velocities() {
    team.run([&](PartWorker& worker) {
        worker.rows([&](std::int64_t begin, std::int64_t end) {
            sweeps.correct_velocities(points.data(), predicted.data(), 1.0f / h, velocities.data(), begin, end);
        });
        damp_strain(worker);
    });
}

void ClothSimulation::State::substep(int index, StageClock& clock) {
    const float before = static_cast<float>(index) / static_cast<float>(options.substeps);
    const float now = static_cast<float>(index + 1) / static_cast<float>(options.substeps);
    if (impact_zones) {
        impact_zones->edge_contact().follow(points.values());
    }
    look_for_body(index);
    clock.lap(timings.bodies);
    // the order sets priorities: later constraints are fulfilled more exactly, and bodies come last
    team.run([&](PartWorker& worker) {
        const auto lap = [&](double& stage) {
            if (worker.is_first()) {
                clock.lap(stage);
            }
        };
        blow(worker);
        lap(timings.air);
        move_pins(now, worker);
        predict(worker);
        lap(timings.other);
        solve_edges(worker);
        lap(timings.edges);
        solve_bends(worker);
        lap(timings.bends);
        pull_to_pins(now, worker);
        if (!self_contact) {
            limit_strain(worker);
        }
    });
    // self-contact uses one thread
    if (self_contact) {
        keep_layers_apart(index);
        clock.lap(timings.self_contact);
        team.run([&](PartWorker& worker) { limit_strain(worker); });
        impact_zones->edge_contact().solve(predicted.values(), velocities.values(), h, points.values());
    }
    clock.lap(timings.strain);
    track(index, index + 1 == options.substeps);
    clock.lap(timings.tracking);
    yield_before_cones();
    clock.lap(timings.strain);
    meet_bodies(index, before, now);
    clock.lap(timings.bodies);
    yield_to_strain();
    clock.lap(timings.strain);
    track_around_contact(index);
    clock.lap(timings.tracking);
    // velocities follow from the positions after the constraints
    correct_velocities();
    clock.lap(timings.other);
    if (index + 1 == options.substeps) {
        if (tracking) {
            come_out(largest_way_out);
        }
        clock.lap(timings.bodies);
    }
    take_back_crossings(index);
    clock.lap(timings.self_contact);
    for (std::size_t v = 0; v < vertex_count && options.record_substeps; ++v) {
        const auto as_given = static_cast<std::size_t>(numbering.given[v]);
        substep_positions[static_cast<std::size_t>(index) * vertex_count + as_given] = points.vector(v) + origin;
    }
    clock.lap(timings.other);
}

// Clamps velocities to largest_speed, and returns false if one is not finite. A frame of microseconds whose pins jump gives speeds
// that later frames could not handle.
bool ClothSimulation::State::limit_speeds() {
    bool is_any_fast = false;
    for (std::size_t v = 0; v < vertex_count; ++v) {
        // also true of NaN
        is_any_fast |= !(velocities.vector(v).squaredNorm() <= largest_speed * largest_speed);
    }
    for (std::size_t v = 0; is_any_fast && v < vertex_count; ++v) {
        const Vector3 velocity = velocities.vector(v);
        if (!velocity.allFinite()) {
            return false;
        }
        // in double, because squares may overflow
        const double speed = velocity.cast<double>().norm();
        if (speed > static_cast<double>(largest_speed)) {
            velocities.vector(v) *= static_cast<float>(static_cast<double>(largest_speed) / speed);
        }
    }
    return true;
}

void ClothSimulation::State::measure() {
    const bool is_finite = limit_speeds();
    // squares until the end: one root per frame
    float fastest = 0.0f;
    std::size_t free_count = 0, settled = 0;
    for (std::size_t v = 0; v < vertex_count; ++v) {
        if (points[v][3] > 0.0f) {
            const float square = velocities.vector(v).squaredNorm();
            fastest = std::max(fastest, square);
            settled += square < settled_speed * settled_speed;
            ++free_count;
        }
    }
    const LongestEdge longest = longest_edge(constraints.edges, points.values());
    stats.largest_speed = std::sqrt(fastest);
    stats.settled_share = free_count ? static_cast<float>(settled) / static_cast<float>(free_count) : 1.0f;
    stats.largest_edge_stretch = longest.stretch;
    if (self_contact) {
        stats.self_pair_count = static_cast<int>(self_contact->pair_count());
        stats.dropped_pair_count = self_contact->dropped_count();
        stats.crossing_count = static_cast<int>(impact_zones->tangles().size());
    }
    if (tracking) {
        // after contact with bodies; tracking_residual is the same before contact
        stats.contact_residual = static_cast<float>(
            tracking->residual(sweeps, team.pool(), targets_of(options.substeps - 1), origin.cast<double>(), points.values()));
    }
    // false also for NaN, which longest_edge returns
    stats.refused_vertex =
        is_finite && longest.stretch <= exploded_stretch ? -1 : numbering.given[static_cast<std::size_t>(longest.vertex)];
}

}  // namespace ruckle
