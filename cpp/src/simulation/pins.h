// Attached vertices. A pinned vertex moves with its pin; a spring pulls a partly attached vertex to its pin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/moving_cloth.h"

namespace ruckle {

class Pins {
  public:
    explicit Pins(MovingCloth& cloth);

    // Places the pins at the vertices, so that the first frame does not move them.
    void place();
    void shift(const Vector3& by);
    // pins  (V) m, at the end of the frame; empty: pins do not move
    void take(std::span<const Vector3> pins);
    void accept() { std::swap(last_, next_); }

    // Moves pinned vertices linearly between frames. share: elapsed share of the frame at the end of the substep.
    void move(float share, PartWorker& worker);
    // Pulls partly attached vertices with springs of angular frequency attachment_rate · attachment, solved implicitly.
    void pull(float share, PartWorker& worker);

    const Rows& rows() const { return last_; }
    Rows& rows() { return last_; }

  private:
    MovingCloth& cloth_;
    Rows last_, next_;                           // pin positions at the last frame and at this frame
    std::vector<std::int32_t> pinned_, pulled_;  // fully attached, and partly attached vertices
};

}  // namespace ruckle
