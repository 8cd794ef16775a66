// Contact of cloth with rounded cones, which approximate the body.
#pragma once

#include <span>
#include <vector>

#include "simulation/cones.h"
#include "simulation/moving_cloth.h"

namespace ruckle {

class ConeContact {
  public:
    explicit ConeContact(MovingCloth& cloth);

    // Returns true if the number of cones equals that of the last frame, or if this is the first frame and the number
    // is at most most_cones.
    bool fits(std::span<const RoundedCone> cones) const;
    bool is_first() const { return last_.empty(); }
    void forget() { last_.clear(); }

    // Stores the cones at the end of the frame. first: treats the cones as unmoved in this frame.
    void take(std::span<const RoundedCone> cones, bool first);
    void accept() { std::swap(last_, next_); }
    bool is_any() const { return !next_.empty(); }

    // Pushes the cloth out of the cones. before, now: time since the start of the frame divided by its duration, at the
    // start and at the end of the substep.
    void push_out(float before, float now);

    std::span<const RoundedCone> last() const { return last_; }
    void restore(std::span<const RoundedCone> last) { last_.assign(last.begin(), last.end()); }

  private:
    MovingCloth& cloth_;
    std::vector<RoundedCone> last_, next_;
    std::vector<ConeStep> steps_;
};

}  // namespace ruckle
