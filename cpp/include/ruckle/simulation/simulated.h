// simulated: coarse cloth at run time, as a game uses it. Bones go in; positions come out and feed any layer.
//
//     Simulated skirt(rest, faces, attachment, wearer, options);
//     while (playing) {
//         skirt.step(bones, dt);
//         wrinkler.step(skirt.positions(), dt);
//     }
//
// This class poses pins, rounded cones and body skin by bones, once per frame. ClothSimulation does the rest, and its guarantees
// hold: steps allocate nothing and never throw, and a refused frame changes nothing.
//
// Example:
//     ruckle::Simulated cloth(rest, faces, attachment, {.bone_count = bone_count, .weights = skin_weights});
//     cloth.step(bones, 1.0f / 60.0f);
//     draw(cloth.positions());
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ruckle/mesh/bone.h"
#include "ruckle/simulation/cloth.h"
#include "ruckle/types.h"

namespace ruckle {

// The wearer of the cloth, at rest. Spans are read during construction and not kept. Weights are dense rows of shares >= 0.
struct Wearer {
    int bone_count = 0;                        // B, >= 1
    std::span<const float> weights;            // (V, B) shares of the bones in each cloth vertex, as if it were skin
    std::span<const RoundedCone> cones;        // (C)
    std::span<const std::int32_t> cone_bones;  // (C) in [0, B)
    std::span<const Face> body_faces;          // of a mesh that the cloth remains outside of; empty for none
    std::span<const Vector3> body;             // (N) m
    std::span<const float> body_weights;       // (N, B)
};

class Simulated {
  public:
    // As for ClothSimulation; also throws std::invalid_argument for a wearer of other counts, bones or weights.
    Simulated(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment, const Wearer& wearer,
              const ClothOptions& options = {});

    // bones  (B) from rest to the end of the frame
    // wind   (1) or (V) m/s, or empty for still air
    // The first frame places the cloth as if it were skin. Begin near the rest pose, so that no layers are entangled.
    ClothStatus step(std::span<const BoneMatrix> bones, float dt, std::span<const Vector3> wind = {});

    // Treats the next frame as the first.
    void reset() { cloth_.place(pins_.rest, {}); }

    // The cloth's state.
    std::vector<std::byte> state() const { return cloth_.state(); }
    std::size_t state_size() const { return cloth_.state_size(); }
    void save(std::span<std::byte> state) const { cloth_.save(state); }
    void restore(std::span<const std::byte> state);

    int bone_count() const { return bone_count_; }
    std::span<const Vector3> positions() const { return positions_; }  // (V) m, after the last step; at rest before the first
    ClothSimulation& cloth() { return cloth_; }
    const ClothSimulation& cloth() const { return cloth_; }

  private:
    // Points that follow bones. Each stores only the few bones that move it.
    struct Skin {
        std::vector<Vector3> rest, posed;
        std::vector<std::int32_t> starts, bones;
        std::vector<float> shares;
        void pose(std::span<const BoneMatrix> matrices);
    };
    static Skin skin(std::span<const Vector3> rest, std::span<const float> weights, int bone_count, const char* name);

    ClothSimulation cloth_;
    int bone_count_;
    Skin pins_, body_;
    std::vector<RoundedCone> cones_, posed_cones_;
    std::vector<std::int32_t> cone_bones_;
    std::vector<Vector3> positions_;
};

}  // namespace ruckle
