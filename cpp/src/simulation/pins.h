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

    // Sets all pins to the current positions of their vertices, so that the first frame does not move them.
    void place();
    // Subtracts `by` from all pins, because the origin of coordinates has moved by this vector.
    void shift(const Vector3& by);
    // Stores the pins at the end of the frame. pins: (V) m, world coordinates, read at attached vertices; empty: pins
    // do not move.
    void take(std::span<const Vector3> pins);
    void accept() { std::swap(last_, next_); }

    // Moves a thread's pinned vertices linearly between frames, and sets their velocities. share: time since the start
    // of the frame divided by its duration, at the end of the substep.
    void move(float share, PartWorker& worker);
    // Pulls a thread's partly attached vertices with springs of angular frequency attachment_rate · attachment, solved
    // implicitly.
    void pull(float share, PartWorker& worker);

    const Rows& rows() const { return last_; }
    Rows& rows() { return last_; }

  private:
    MovingCloth& cloth_;
    Rows last_, next_;                           // pin positions at the last frame and at this frame
    std::vector<std::int32_t> pinned_, pulled_;  // fully attached, and partly attached vertices
};

}  // namespace ruckle
