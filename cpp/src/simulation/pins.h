// Attached vertices. A pinned vertex moves to its pin; a vertex that is attached in part is pulled toward its pin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulation/moving_cloth.h"

namespace ruckle {

class Pins {
  public:
    explicit Pins(MovingCloth& cloth);

    // Puts the pins at the vertices, so that the first frame does not move them.
    void place();
    void shift(const Vector3& by);
    // pins  (V) m, at the end of the frame; empty: they keep their positions
    void take(std::span<const Vector3> pins);
    void accept() { std::swap(last_, next_); }

    // Pinned vertices move straight and at constant speed, and nothing else moves them. share: of the frame that has passed.
    void move(float share, PartWorker& worker);
    // A spring of angular frequency attachment_rate · attachment, solved implicitly.
    void pull(float share, PartWorker& worker);

    const Rows& rows() const { return last_; }
    Rows& rows() { return last_; }

  private:
    MovingCloth& cloth_;
    Rows last_, next_;                           // at the last frame and at this one
    std::vector<std::int32_t> pinned_, pulled_;  // attached fully, and in part
};

}  // namespace ruckle
