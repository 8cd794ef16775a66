// A step of the cloth simulator allocates nothing, from the first one on.
#include <algorithm>

#include "check.h"
#include "counting_new.h"
#include "meshes.h"
#include "ruckle/simulation/cloth.h"

namespace ruckle::tests {

TEST(cloth_steps_allocate_nothing) {
    Mesh mesh = cloth(20, 15, false);
    for (Vector3& p : mesh.positions) {
        p *= 0.05f;
    }
    std::vector<float> attachment(mesh.positions.size(), 0.0f);
    std::fill(attachment.begin(), attachment.begin() + 15, 1.0f);
    std::fill(attachment.begin() + 15, attachment.begin() + 30, 0.5f);
    ClothOptions options;
    options.record_substeps = true;
    ClothSimulation simulation(mesh.positions, mesh.faces, attachment, options);
    std::vector<Vector3> pins = mesh.positions;
    const std::vector<Vector3> wind = {{0.0f, 0.0f, 2.0f}};
    const std::vector<RoundedCone> cones(5, {{0.3f, 0.2f, 0.1f}, 0.1f, {0.5f, 0.2f, 0.1f}, 0.05f});
    const long before = allocation_count();
    for (int frame = 0; frame < 30; ++frame) {
        pins[0][1] += 0.001f;
        CHECK(simulation.step({.dt = 1.0f / 60.0f, .pins = pins, .wind = wind, .cones = cones, .body = {}, .targets = {}}) ==
              ClothStatus::done);
    }
    // a frame that is refused neither
    pins[0][1] = 100.0f;
    CHECK(simulation.step({.dt = 1.0f / 60.0f, .pins = pins, .wind = wind, .cones = cones, .body = {}, .targets = {}}) ==
          ClothStatus::exploded);
    CHECK(allocation_count() == before && simulation.frame_count() == 30);
}

}  // namespace ruckle::tests
