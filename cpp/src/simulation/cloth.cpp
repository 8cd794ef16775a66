#include "ruckle/simulation/cloth.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

#include "numeric/finite.h"
#include "simulation/cloth_state.h"
#include "simulation/limits.h"
#include "simulation/options.h"
#include "support/saved_state.h"

namespace ruckle {

namespace {

void require_reach(std::span<const Vector3> positions, const char* name) {
    for (const Vector3& position : positions) {
        if (!(position.cwiseAbs().maxCoeff() <= largest_coordinate)) {
            throw std::invalid_argument(std::string(name) + ": expected coordinates of at most 1e15 m");
        }
    }
}

}  // namespace

ClothSimulation::ClothSimulation(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                                 const ClothOptions& options) {
    require_sound(options);
    require_attachment(attachment, rest.size());
    require_finite(rest);
    require_reach(rest, "rest");
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
    for (int index = 0; index < s.cloth.options.substeps; ++index) {
        s.substep(index, clock);
    }
    s.measure();
    if (s.stats.refused_vertex >= 0) {
        s.refuse();
        return ClothStatus::exploded;
    }
    s.accept();
    s.timings.total = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return ClothStatus::done;
}

void ClothSimulation::place(std::span<const Vector3> positions, std::span<const Vector3> velocities) {
    const auto require = [&](std::span<const Vector3> given, const char* name) {
        if (given.size() != state_->cloth.vertex_count || !all_finite(given)) {
            throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(state_->cloth.vertex_count) +
                                        " finite vectors, one per vertex");
        }
    };
    require(positions, "positions");
    require_reach(positions, "positions");
    if (!velocities.empty()) {
        require(velocities, "velocities");
    }
    state_->place(positions, velocities);
}

void ClothSimulation::collide_with(std::span<const Face> body_faces, int body_vertex_count) {
    State& s = *state_;
    s.body.emplace(s.cloth, s.face_contact ? &*s.face_contact : nullptr, body_faces, body_vertex_count);
    s.identity.body = hash_bytes(std::as_bytes(body_faces));
}

void ClothSimulation::track(std::span<const float> tests, int test_count) {
    State& s = *state_;
    if (test_count < 1 || tests.size() != static_cast<std::size_t>(test_count) * s.cloth.vertex_count) {
        throw std::invalid_argument("tests: expected at least one row of " + std::to_string(s.cloth.vertex_count) + " numbers");
    }
    std::vector<float> arranged;
    for (std::size_t first = 0; first < tests.size(); first += s.cloth.vertex_count) {
        const std::vector<float> row = s.cloth.numbering.arrange(tests.subspan(first, s.cloth.vertex_count));
        arranged.insert(arranged.end(), row.begin(), row.end());
    }
    s.tracking.emplace(s.cloth, arranged, test_count);
    s.cloth.is_tracked = true;
    s.identity.tests = hash_bytes(std::as_bytes(tests));
}

bool ClothSimulation::is_placed() const {
    return state_->is_placed;
}
int ClothSimulation::vertex_count() const {
    return static_cast<int>(state_->cloth.vertex_count);
}
int ClothSimulation::frame_count() const {
    return state_->frame_count;
}
const ClothOptions& ClothSimulation::options() const {
    return state_->cloth.options;
}
// Writes positions in world coordinates, by adding the origin.
void ClothSimulation::positions(std::span<Vector3> out) const {
    for (std::size_t v = 0; v < state_->cloth.vertex_count; ++v) {
        out[static_cast<std::size_t>(state_->cloth.numbering.given[v])] = state_->cloth.points.vector(v) + state_->cloth.origin;
    }
}
void ClothSimulation::velocities(std::span<Vector3> out) const {
    for (std::size_t v = 0; v < state_->cloth.vertex_count; ++v) {
        out[static_cast<std::size_t>(state_->cloth.numbering.given[v])] = state_->cloth.velocities.vector(v);
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
    for (std::size_t v = 0; v < s.cloth.vertex_count; ++v) {
        const Eigen::Vector3d x = (s.cloth.points.vector(v) + s.cloth.origin).cast<double>(),
                              u = s.cloth.velocities.vector(v).cast<double>();
        // pins move pinned vertices, so their energy is not included
        if (const double mass = static_cast<double>(s.cloth.constraints.masses[v]); s.cloth.points[v][3] > 0.0f) {
            energy.kinetic += 0.5 * mass * u.squaredNorm();
            energy.gravity -= mass * s.cloth.options.gravity.cast<double>().dot(x);
        }
    }
    energy.stretch = stretch_energy(s.cloth.constraints.edges, s.cloth.options.compression, s.cloth.points.values());
    energy.bending = s.elasticity.bending_energy();
    return energy;
}

}  // namespace ruckle
