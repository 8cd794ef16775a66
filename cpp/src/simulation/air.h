// Wind forces on the faces of the cloth: pressure along the normal, and skin friction.
#pragma once

#include <span>

#include "simulation/moving_cloth.h"

namespace ruckle {

class Air {
  public:
    explicit Air(MovingCloth& cloth) : cloth_(cloth), at_vertices_(cloth.row_count) {}

    // Stores the velocity of the air for the next frame. wind: (1) uniform, or (V) one velocity per vertex, m/s; empty
    // for still air.
    void take(std::span<const Vector3> wind);
    // Adds the wind forces of one substep to the velocities of a thread's vertices. Does nothing if there is neither
    // wind nor air drag.
    void blow(PartWorker& worker);

  private:
    MovingCloth& cloth_;
    Rows at_vertices_;  // velocity of the air at each vertex; unused if the wind is uniform
    Vector3 wind_ = Vector3::Zero();
    bool blows_ = false, is_uniform_ = true;
};

}  // namespace ruckle
