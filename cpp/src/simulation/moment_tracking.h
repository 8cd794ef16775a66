// Moment tracking: fine cloth follows a coarse simulation in each substep (tracking.h), and restores moments that
// bodies change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/moving_cloth.h"
#include "simulation/tracking.h"

namespace ruckle {

class MomentTracking {
  public:
    // tests: (R, V) in the order of the numbering. Throws std::invalid_argument like the constructor of Tracking.
    MomentTracking(MovingCloth& cloth, std::span<const float> tests, int test_count);

    std::size_t target_count() const;  // number of values in the targets of a frame: substeps · R · 3

    // targets: (substeps, R, 3) m², moments of the coarse cloth after each substep. The array must exist until the end
    // of the frame.
    void take(std::span<const double> targets) { targets_ = targets; }

    // Stages of a substep, in this order. follow moves the cloth to its targets. Call contact with bodies between
    // begin_contact and end_contact. follow_around_contact then holds the vertices that bodies moved, and moves the
    // cloth around them to restore the moments, in at most contact_rounds rounds. It does nothing if bodies moved no
    // vertex, or if the residual is below contact_tolerance or above largest_contact_residual.
    void follow(int substep);
    void begin_contact() { untouched_.values() = cloth_.points.values(); }
    void end_contact();
    void follow_around_contact(int substep);

    // Returns the error of the moments after a substep, in m: the length of a uniform shift of the whole cloth that would
    // change the moments by the same norm.
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
