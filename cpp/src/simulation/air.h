// Wind forces on the faces of the cloth: pressure along the normal, and skin friction.
#pragma once

#include <span>

#include "simulation/moving_cloth.h"

namespace ruckle {

class Air {
  public:
    explicit Air(MovingCloth& cloth) : cloth_(cloth), at_vertices_(cloth.row_count) {}

    // wind  (1) or (V) m/s; empty: still air
    void take(std::span<const Vector3> wind);
    void blow(PartWorker& worker);

  private:
    MovingCloth& cloth_;
    Rows at_vertices_;
    Vector3 wind_ = Vector3::Zero();
    bool blows_ = false, is_uniform_ = true;
};

}  // namespace ruckle
