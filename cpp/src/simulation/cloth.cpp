#include "ruckle/simulation/cloth.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "numeric/finite.h"
#include "simulation/cloth_state.h"
#include "simulation/options.h"
#include "support/saved_state.h"

namespace ruckle {

ClothSimulation::ClothSimulation(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                                 const ClothOptions& options) {
    require_sound(options);
    require_attachment(attachment, rest.size());
    require_finite(rest);
    state_ = std::make_unique<State>(rest, faces, attachment, options);
}
ClothSimulation::~ClothSimulation() = default;
ClothSimulation::ClothSimulation(ClothSimulation&&) noexcept = default;
ClothSimulation& ClothSimulation::operator=(ClothSimulation&&) noexcept = default;

ClothStatus ClothSimulation::step(const ClothInputs& inputs) {
    State& s = *state_;
    const auto started = std::chrono::steady_clock::now();
    const ClothStatus status = s.check(inputs);
    if (status != ClothStatus::done) {
        return status;
    }
    s.timings = {};
    StageClock clock;
    s.take(inputs);
    clock.lap(s.timings.other);
    for (int index = 0; index < s.options.substeps; ++index) {
        s.substep(index, clock);
    }
    s.let_go();
    s.measure();
    if (s.stats.refused_vertex >= 0) {
        // all values that the substeps have changed; cones, bodies and pins of the frame before were kept separately
        std::swap(s.points, s.saved_points);
        std::swap(s.velocities, s.saved_velocities);
        std::swap(s.near_body, s.saved_near_body);
        if (s.self_contact) {
            s.self_contact->restore(s.saved_self_pairs, s.saved_gathered_points);
            s.impact_zones->restore(s.saved_tangles, s.saved_edge_pairs);
        }
        if (s.first_bodies) {
            // the next frame is again the first with bodies
            s.cones.clear();
            s.body_positions.clear();
        }
        return ClothStatus::exploded;
    }
    // the frame is accepted only here
    if (s.self_contact) {
        s.self_contact->end_frame(s.dt);
    }
    std::swap(s.pins, s.next_pins);
    std::swap(s.cones, s.next_cones);
    std::swap(s.body_positions, s.next_body);
    s.is_placed = false;
    ++s.frame_count;
    s.timings.total = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return ClothStatus::done;
}

void ClothSimulation::place(std::span<const Vector3> positions, std::span<const Vector3> velocities) {
    const auto require = [&](std::span<const Vector3> given, const char* name) {
        if (given.size() != state_->vertex_count || !all_finite(given)) {
            throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(state_->vertex_count) +
                                        " finite vectors, one per vertex");
        }
    };
    require(positions, "positions");
    if (!velocities.empty()) {
        require(velocities, "velocities");
    }
    state_->place(positions, velocities);
}

void ClothSimulation::collide_with(std::span<const Face> body_faces, int body_vertex_count) {
    State& s = *state_;
    s.body.emplace(body_faces, body_vertex_count);
    s.body_hash = hash_bytes(std::as_bytes(body_faces));
    // vertices must not remember a triangle of another body
    const std::size_t contact_count = s.vertex_count + (s.face_contact ? s.face_contact->point_count() : 0);
    s.near_body.assign(contact_count, {});
    s.saved_near_body.assign(contact_count, {});
    s.near_edges.reserve(s.topology.edges.size());
    s.is_near_edge.reserve(s.topology.edges.size());
    s.body_positions.reserve(static_cast<std::size_t>(body_vertex_count));
    s.next_body.reserve(static_cast<std::size_t>(body_vertex_count));
}

void ClothSimulation::track(std::span<const float> tests, int test_count) {
    State& s = *state_;
    if (test_count < 1 || tests.size() != static_cast<std::size_t>(test_count) * s.vertex_count) {
        throw std::invalid_argument("tests: expected at least one row of " + std::to_string(s.vertex_count) + " numbers");
    }
    std::vector<float> arranged;
    for (std::size_t first = 0; first < tests.size(); first += s.vertex_count) {
        const std::vector<float> row = s.numbering.arrange(tests.subspan(first, s.vertex_count));
        arranged.insert(arranged.end(), row.begin(), row.end());
    }
    s.tracking.emplace(arranged, test_count, s.points.values());
    s.tests_hash = hash_bytes(std::as_bytes(tests));
}

bool ClothSimulation::is_placed() const {
    return state_->is_placed;
}
int ClothSimulation::vertex_count() const {
    return static_cast<int>(state_->vertex_count);
}
int ClothSimulation::frame_count() const {
    return state_->frame_count;
}
const ClothOptions& ClothSimulation::options() const {
    return state_->options;
}
// In world coordinates: adds the origin.
void ClothSimulation::positions(std::span<Vector3> out) const {
    for (std::size_t v = 0; v < state_->vertex_count; ++v) {
        out[static_cast<std::size_t>(state_->numbering.given[v])] = state_->points.vector(v) + state_->origin;
    }
}
void ClothSimulation::velocities(std::span<Vector3> out) const {
    for (std::size_t v = 0; v < state_->vertex_count; ++v) {
        out[static_cast<std::size_t>(state_->numbering.given[v])] = state_->velocities.vector(v);
    }
}
std::span<const Vector3> ClothSimulation::substep_positions() const {
    return state_->substep_positions;
}
std::span<const float> ClothSimulation::masses() const {
    return state_->masses;
}
const ClothTimings& ClothSimulation::timings() const {
    return state_->timings;
}
const ClothStats& ClothSimulation::stats() const {
    return state_->stats;
}

ClothEnergy ClothSimulation::energy() const {
    const State& s = *state_;
    ClothEnergy energy;
    for (std::size_t v = 0; v < s.vertex_count; ++v) {
        const Eigen::Vector3d x = (s.points.vector(v) + s.origin).cast<double>(), u = s.velocities.vector(v).cast<double>();
        // pinned vertices are moved from outside: their energy does not count
        if (const double mass = static_cast<double>(s.constraints.masses[v]); s.points[v][3] > 0.0f) {
            energy.kinetic += 0.5 * mass * u.squaredNorm();
            energy.gravity -= mass * s.options.gravity.cast<double>().dot(x);
        }
    }
    energy.stretch = stretch_energy(s.constraints.edges, s.options.compression, s.points.values());
    energy.bending = s.bends.energy(s.points.values());
    return energy;
}

}  // namespace ruckle
