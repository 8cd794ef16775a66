// Fine cloth that follows a coarse simulation in each substep (tracking.h), and restores moments that bodies change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/moving_cloth.h"
#include "simulation/tracking.h"

namespace ruckle {

class MomentTracking {
  public:
    // tests: (R, V) in the order of the numbering. Throws std::invalid_argument as Tracking.
    MomentTracking(MovingCloth& cloth, std::span<const float> tests, int test_count);

    std::size_t target_count() const;  // of a frame

    // targets: (substeps, R, 3) moments that the coarse cloth has after each substep; must live through the frame.
    void take(std::span<const double> targets) { targets_ = targets; }

    // Stages of a substep. Vertices that bodies move between the last two are recorded: they do not move again. The cloth around
    // them restores the moments that bodies changed.
    void follow(int substep);
    void begin_contact() { untouched_.values() = cloth_.points.values(); }
    void end_contact();
    void follow_around_contact(int substep);

    // Distance of the moments from their targets, m.
    float residual(int substep);

  private:
    std::span<const double> targets_of(int substep) const;

    MovingCloth& cloth_;
    Tracking tracking_;
    std::span<const double> targets_;
    Rows untouched_;
    std::vector<std::int32_t> touched_;
};

}  // namespace ruckle
