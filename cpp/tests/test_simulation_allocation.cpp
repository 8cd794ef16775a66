// A step of the cloth simulator never allocates, not even the first one.
#include <algorithm>
#include <cmath>

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
    // a rejected frame does not allocate either
    pins[0][1] = 100.0f;
    CHECK(simulation.step({.dt = 1.0f / 60.0f, .pins = pins, .wind = wind, .cones = cones, .body = {}, .targets = {}}) ==
          ClothStatus::exploded);
    CHECK(allocation_count() == before && simulation.frame_count() == 30);
}

// Tests layers that contact keeps apart, and layers so close that edges cross and are rolled back.
TEST(cloth_that_keeps_its_layers_apart_allocates_nothing) {
    for (const float distance : {0.03f, 0.012f}) {
        Mesh mesh = cloth(20, 15, false);
        for (Vector3& p : mesh.positions) {
            p *= 0.05f;
        }
        ClothOptions options;
        options.self_distance = distance;
        ClothSimulation simulation(mesh.positions, mesh.faces, {}, options);
        // the sheet falls on its edge
        std::vector<Vector3> upright = mesh.positions;
        for (Vector3& p : upright) {
            p = {p[0], p[1] + 0.02f, p[2] + 0.02f * std::sin(9.0f * p[1])};
        }
        simulation.place(upright, {});
        const std::vector<RoundedCone> floor = {{{0.5f, -20.0f, 0.0f}, 20.0f, {0.5f, -20.0f, 0.1f}, 20.0f}};
        const long before = allocation_count();
        int most_pairs = 0;
        for (int frame = 0; frame < 60; ++frame) {
            CHECK(simulation.step({.dt = 1.0f / 60.0f, .pins = {}, .wind = {}, .cones = floor, .body = {}, .targets = {}}) ==
                  ClothStatus::done);
            CHECK(simulation.stats().crossing_count == 0);
            most_pairs = std::max(most_pairs, simulation.stats().self_pair_count);
        }
        CHECK(allocation_count() == before && most_pairs > 100);
        // games with rollback save the state in every frame
        std::vector<std::byte> state(simulation.state_size());
        const long saved = allocation_count();
        simulation.save(state);
        CHECK(allocation_count() == saved);
    }
}

TEST(cloth_whose_faces_meet_a_body_allocates_nothing) {
    Mesh mesh = cloth(10, 10, false);
    for (Vector3& p : mesh.positions) {
        p *= 0.1f;
    }
    Vector3 center = Vector3::Zero();
    for (const Vector3& p : mesh.positions) {
        center += p / static_cast<float>(mesh.positions.size());
    }
    ClothOptions options;
    options.contact_spacing = 0.02f;
    options.gravity.setZero();
    ClothSimulation simulation(mesh.positions, mesh.faces, {}, options);
    const std::vector<Face> faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    simulation.collide_with(faces, 4);
    std::vector<Vector3> body = {{-0.2f, 0.0f, -0.2f}, {0.2f, 0.0f, -0.2f}, {0.0f, 0.0f, 0.2f}, {0.0f, 0.4f, 0.0f}};
    for (Vector3& p : body) {
        p += center + Vector3(0.01f, -0.42f, 0.01f);
    }
    const long before = allocation_count();
    for (int frame = 0; frame < 30; ++frame) {
        for (Vector3& p : body) {
            p[1] += 0.004f;
        }
        CHECK(simulation.step({.dt = 1.0f / 60.0f, .pins = {}, .wind = {}, .cones = {}, .body = body, .targets = {}}) ==
              ClothStatus::done);
    }
    CHECK(allocation_count() == before && simulation.stats().largest_speed > 0.01f);
}

}  // namespace ruckle::tests
