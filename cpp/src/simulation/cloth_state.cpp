#include "simulation/cloth_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/finite.h"
#include "numeric/functions.h"
#include "support/saved_state.h"

namespace ruckle {

namespace {

// Added to yielding_stretch() for free cloth with a body mesh. Only above this sum, its stretch is limited after
// contact, although the limit may move it into the body.
constexpr float torn_stretch = 0.15f;

}  // namespace

ClothSimulation::State::State(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                              const ClothOptions& options)
    : identity{hash_bytes(std::as_bytes(rest)), hash_bytes(std::as_bytes(attachment))},
      cloth(rest, faces, attachment, options),
      elasticity(cloth, cloth.numbering.arrange(rest)),
      pins(cloth),
      air(cloth),
      cones(cloth),
      saved_points(cloth.row_count),
      saved_velocities(cloth.row_count),
      masses(rest.size()) {
    for (std::size_t v = 0; v < cloth.vertex_count; ++v) {
        masses[static_cast<std::size_t>(cloth.numbering.given[v])] = cloth.constraints.masses[v];
    }
    if (options.self_distance > 0.0f) {
        layers.emplace(cloth, elasticity, cloth.numbering.arrange(rest));
    }
    if (options.record_substeps) {
        substep_positions.resize(static_cast<std::size_t>(options.substeps) * cloth.vertex_count);
    }
    place(rest, {});
    if (options.contact_spacing > 0.0f) {
        face_contact.emplace(cloth.topology, cloth.points, options.contact_spacing);
    }
}

void ClothSimulation::State::place(std::span<const Vector3> positions, std::span<const Vector3> speeds) {
    cloth.origin = positions[0].array().round();
    for (std::size_t v = 0; v < cloth.vertex_count; ++v) {
        const auto as_given = static_cast<std::size_t>(cloth.numbering.given[v]);
        cloth.points.vector(v) = positions[as_given] - cloth.origin;
        cloth.velocities.vector(v) = speeds.empty() ? Vector3(Vector3::Zero()) : speeds[as_given];
    }
    pins.place();
    recenter();
    // forget the bodies of earlier frames, so that the bodies of the next frame are treated as unmoved
    cones.forget();
    if (body) {
        body->place();
    }
    if (layers) {
        layers->place();
    }
    stats = {};
    is_placed = true;
}

void ClothSimulation::State::recenter() {
    const Vector3 by = cloth.recenter();
    if (by != Vector3::Zero()) {
        pins.shift(by);
        if (layers) {
            layers->shift(by);
        }
    }
}

bool ClothSimulation::State::sizes_fit(const ClothInputs& inputs) const {
    const bool pins_fit = inputs.pins.empty() || inputs.pins.size() == cloth.vertex_count;
    const bool wind_fits = inputs.wind.size() <= 1 || inputs.wind.size() == cloth.vertex_count;
    const bool body_fits = inputs.body.size() == (body ? static_cast<std::size_t>(body->vertex_count()) : 0);
    const bool targets_fit = inputs.targets.size() == (tracking ? tracking->target_count() : 0);
    return pins_fit && wind_fits && cones.fits(inputs.cones) && body_fits && targets_fit;
}

// Returns the status of the inputs: done if they are valid. If the pin of an attached vertex is not finite, sets
// stats.refused_vertex to the first such vertex of the input mesh. Changes nothing else, because a rejected frame must
// not change the state.
ClothStatus ClothSimulation::State::check(const ClothInputs& inputs) {
    if (!sizes_fit(inputs)) {
        return ClothStatus::wrong_count;
    }
    if (!(std::isfinite(inputs.dt) && inputs.dt >= least_frame_time && inputs.extra_damping >= 0.0f)) {
        return ClothStatus::wrong_time;
    }
    auto lost = std::numeric_limits<std::int32_t>::max();
    for (std::size_t v = 0; v < inputs.pins.size(); ++v) {
        const std::int32_t as_given = cloth.numbering.given[v];
        // pins of free vertices are ignored and may be NaN
        if (cloth.attachment[v] > 0.0f && !inputs.pins[static_cast<std::size_t>(as_given)].allFinite()) {
            lost = std::min(lost, as_given);
        }
    }
    if (lost < std::numeric_limits<std::int32_t>::max()) {
        stats.refused_vertex = lost;
        return ClothStatus::not_finite;
    }
    const bool targets_finite =
        std::all_of(inputs.targets.begin(), inputs.targets.end(), [](double target) { return std::isfinite(target); });
    // all elements of the other inputs are used, so none of them may be NaN
    const bool finite = all_finite(inputs.wind) && all_finite(inputs.body) && are_sound(inputs.cones) && targets_finite;
    return finite ? ClothStatus::done : ClothStatus::not_finite;
}

// Reads the inputs of a frame, and saves the last frame for refuse(). In the first frame with bodies, bodies are
// treated as unmoved.
void ClothSimulation::State::take(const ClothInputs& inputs) {
    recenter();
    saved_points = cloth.points;
    saved_velocities = cloth.velocities;
    cloth.dt = inputs.dt;
    cloth.h = inputs.dt / static_cast<float>(cloth.options.substeps);
    damping = cloth.options.material.damping + inputs.extra_damping;
    pins.take(inputs.pins);
    air.take(inputs.wind);
    first_bodies = cones.is_first() && (!body || body->is_first());
    cones.take(inputs.cones, first_bodies);
    if (body) {
        body->take(inputs.body, first_bodies);
    }
    if (tracking) {
        tracking->take(inputs.targets);
    }
    float fastest = 0.0f;
    for (std::size_t v = 0; v < cloth.vertex_count && (body || cones.is_any()); ++v) {
        fastest = std::max(fastest, cloth.velocities.vector(v).squaredNorm());
    }
    cloth.fastest_speed = std::sqrt(fastest);
    if (layers) {
        layers->begin_frame();
    }
}

void ClothSimulation::State::accept() {
    if (layers) {
        layers->accept_frame();
    }
    pins.accept();
    cones.accept();
    if (body) {
        body->accept_frame();
    }
    is_placed = false;
    ++frame_count;
}

// Restores points, velocities, self-contact and body contact of the last frame. Pins, cones and bodies of the last
// frame are still stored, because only accept() replaces them.
void ClothSimulation::State::refuse() {
    std::swap(cloth.points, saved_points);
    std::swap(cloth.velocities, saved_velocities);
    if (layers) {
        layers->refuse_frame();
    }
    if (body) {
        body->refuse_frame();
    }
    if (first_bodies) {
        // the bodies of the next frame are treated as unmoved, as in this frame
        cones.forget();
        if (body) {
            body->forget();
        }
    }
}

void ClothSimulation::State::predict(PartWorker& worker) {
    const Vector3 gain = cloth.h * cloth.options.gravity;
    const float change[4] = {gain[0], gain[1], gain[2], 0.0f};
    // exact solution of dv/dt = -damping · v, so that damping does not depend on the number of substeps
    const float keep = exponential(-damping * cloth.h);
    worker.rows([&](std::int64_t begin, std::int64_t end) {
        cloth.sweeps.predict(cloth.points.data(), cloth.velocities.data(), cloth.predicted.data(), change, keep, cloth.h, begin,
                             end);
    });
}

// Returns the limit of stretch that has priority over contact: cloth that is stretched more is shortened, even if it
// then enters the body. The limit is largest_stretch + yield_stretch; with a body mesh, yield_stretch is multiplied by
// the motion of body and cloth per substep over the contact distance, in [1, fastest_yield], because the surrounding
// cloth cannot follow fast bodies in time.
float ClothSimulation::State::yielding_stretch() const {
    const ClothMaterial& m = cloth.options.material;
    const float distance = std::max(m.thickness + cloth.options.margin, 1e-3f);
    const float way = body ? body->fastest_step() + cloth.fastest_speed * cloth.h : 0.0f;
    return m.largest_stretch + yield_stretch * std::clamp(way / distance, 1.0f, fastest_yield);
}

// Limits the stretch of tracked cloth before contact with cones: its folds may snap within a substep and stretch single
// edges. Does nothing for free cloth and with a body mesh.
void ClothSimulation::State::yield_before_cones() {
    if (tracking && !body && cloth.options.strain_sweeps > 0) {
        elasticity.limit_stretch_to(cloth.constraints.faces, tracked_yield_sweeps, yielding_stretch());
    }
}

// Limits the stretch after contact. If contact and strain limits cannot both be satisfied, the cloth may enter the
// body, because otherwise it would tear and explode. With free cloth and a body mesh, the contact distance has
// decreased already (body_contact.cpp), so the limit is larger by torn_stretch. Without a mesh, only triangles with
// attached corners are limited: other cloth slides off the cones. Does nothing if a fast body has priority.
void ClothSimulation::State::yield_to_strain() {
    const bool body_wins = body && body->gives_way() && body->is_fast();
    if ((body || cones.is_any()) && !body_wins && cloth.options.strain_sweeps > 0) {
        const Constraints& constraints = cloth.constraints;
        const float reserve = body && body->gives_way() ? torn_stretch : 0.0f;
        elasticity.limit_stretch_to(body ? constraints.faces : constraints.held, tracking ? tracked_yield_sweeps : yield_sweeps,
                                    yielding_stretch() + reserve);
    }
}

void ClothSimulation::State::correct_velocities() {
    cloth.team.run([&](PartWorker& worker) {
        worker.rows([&](std::int64_t begin, std::int64_t end) {
            cloth.sweeps.correct_velocities(cloth.points.data(), cloth.predicted.data(), 1.0f / cloth.h, cloth.velocities.data(),
                                            begin, end);
        });
        elasticity.damp(worker);
    });
}

// Runs the stages in which all threads process their parts of the cloth: air, pins, prediction, edges, bends, springs
// to pins, and strain limits if layers are not kept apart.
void ClothSimulation::State::solve_inside(float now, StageClock& clock) {
    cloth.team.run([&](PartWorker& worker) {
        const auto lap = [&](double& stage) {
            if (worker.is_first()) {
                clock.lap(stage);
            }
        };
        air.blow(worker);
        lap(timings.air);
        pins.move(now, worker);
        if (body) {
            body->move_pinched(worker);
        }
        predict(worker);
        lap(timings.other);
        elasticity.solve_edges(worker);
        lap(timings.edges);
        elasticity.solve_bends(worker);
        lap(timings.bends);
        pins.pull(now, worker);
        if (!layers) {
            elasticity.limit_strain(worker);
        }
    });
}

void ClothSimulation::State::separate_layers(int index, StageClock& clock) {
    layers->keep_apart(index);
    clock.lap(timings.self_contact);
    cloth.team.run([&](PartWorker& worker) { elasticity.limit_strain(worker); });
    layers->keep_edges_apart();
}

// Pushes the cloth out of cones and the body mesh. Tracking records the moved vertices, because it must not move these
// vertices again.
void ClothSimulation::State::meet_bodies(int index, float before, float now) {
    if (tracking) {
        tracking->begin_contact();
    }
    cones.push_out(before, now);
    if (body) {
        body->push_out(index);
    }
    if (tracking) {
        tracking->end_contact();
    }
}

void ClothSimulation::State::record(int index) {
    for (std::size_t v = 0; v < cloth.vertex_count && cloth.options.record_substeps; ++v) {
        const auto as_given = static_cast<std::size_t>(cloth.numbering.given[v]);
        substep_positions[static_cast<std::size_t>(index) * cloth.vertex_count + as_given] =
            cloth.points.vector(v) + cloth.origin;
    }
}

// Runs one substep. Each stage may violate the constraints of earlier stages, so bodies come last.
void ClothSimulation::State::substep(int index, StageClock& clock) {
    const float before = static_cast<float>(index) / static_cast<float>(cloth.options.substeps);
    const float now = static_cast<float>(index + 1) / static_cast<float>(cloth.options.substeps);
    const bool is_last = index + 1 == cloth.options.substeps;
    if (layers) {
        layers->follow_edges();
    }
    if (body) {
        body->search(index);
    }
    clock.lap(timings.bodies);
    solve_inside(now, clock);
    if (layers) {
        separate_layers(index, clock);
    }
    clock.lap(timings.strain);
    if (tracking) {
        tracking->follow(index);
        stats.tracking_residual = is_last ? tracking->residual(index) : stats.tracking_residual;
    }
    clock.lap(timings.tracking);
    yield_before_cones();
    clock.lap(timings.strain);
    meet_bodies(index, before, now);
    clock.lap(timings.bodies);
    yield_to_strain();
    clock.lap(timings.strain);
    if (tracking) {
        tracking->follow_around_contact(index);
    }
    clock.lap(timings.tracking);
    // adds the position changes of the constraints to the velocities
    correct_velocities();
    clock.lap(timings.other);
    if (is_last && tracking && body) {
        body->come_out(largest_way_out);
    }
    clock.lap(timings.bodies);
    if (layers) {
        layers->take_back_crossings(index);
    }
    clock.lap(timings.self_contact);
    record(index);
    if (is_last && body) {
        body->let_go();
    }
    clock.lap(timings.other);
}

// Clamps velocities to largest_speed. Returns the first vertex whose distance from the origin exceeds
// largest_coordinate or whose velocity is not finite; -1 if there is none. A frame of microseconds in which pins jump
// causes speeds that later frames could not handle.
int ClothSimulation::State::limit_speeds() {
    for (std::size_t v = 0; v < cloth.vertex_count; ++v) {
        const Vector3 velocity = cloth.velocities.vector(v);
        // the comparison is negated, so that it is also true for NaN
        if (!(cloth.points.vector(v).squaredNorm() <= largest_coordinate * largest_coordinate) || !velocity.allFinite()) {
            return static_cast<int>(v);
        }
        // the norm is computed in double, because squares may overflow float
        if (!(velocity.squaredNorm() <= largest_speed * largest_speed)) {
            const double speed = velocity.cast<double>().norm();
            cloth.velocities.vector(v) *= static_cast<float>(std::min(1.0, static_cast<double>(largest_speed) / speed));
        }
    }
    return -1;
}

// Clamps the velocities and writes the statistics of the frame. Sets stats.refused_vertex (number in the input mesh) if
// an edge is longer than exploded_stretch rest lengths, or limit_speeds() finds a vertex; else to -1.
void ClothSimulation::State::measure() {
    int lost = limit_speeds();
    // compares squares, so that one square root per frame is enough
    float fastest = 0.0f;
    std::size_t free_count = 0, settled = 0;
    for (std::size_t v = 0; v < cloth.vertex_count; ++v) {
        if (cloth.points[v][3] > 0.0f) {
            const float square = cloth.velocities.vector(v).squaredNorm();
            fastest = std::max(fastest, square);
            settled += square < settled_speed * settled_speed;
            ++free_count;
        }
    }
    const LongestEdge longest = longest_edge(cloth.constraints.edges, cloth.points.values());
    stats.largest_speed = std::sqrt(fastest);
    stats.settled_share = free_count ? static_cast<float>(settled) / static_cast<float>(free_count) : 1.0f;
    stats.largest_edge_stretch = longest.stretch;
    if (layers) {
        stats.self_pair_count = static_cast<int>(layers->self_contact().pair_count());
        stats.dropped_pair_count = layers->self_contact().dropped_count();
        stats.crossing_count = static_cast<int>(layers->tangles().size());
    }
    if (tracking) {
        // contact_residual is measured after contact with bodies, tracking_residual before contact
        stats.contact_residual = tracking->residual(cloth.options.substeps - 1);
    }
    // the comparison is negated, so that it is also true for NaN, which longest_edge returns
    if (!(longest.stretch <= exploded_stretch)) {
        lost = longest.vertex;
    }
    stats.refused_vertex = lost < 0 ? -1 : cloth.numbering.given[static_cast<std::size_t>(lost)];
}

}  // namespace ruckle
