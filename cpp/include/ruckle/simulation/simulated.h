// simulated: coarse cloth on an animated character, for games. Input: the bones of a frame. Output: positions for any layer.
//
//     Simulated skirt(rest, faces, attachment, wearer, options);
//     while (playing) {
//         skirt.step(bones, dt);
//         wrinkler.step(skirt.positions(), dt);
//     }
//
// Once per frame, this class computes the positions of pins, rounded cones and body skin from the bones, and then calls
// ClothSimulation::step. Its guarantees are those of ClothSimulation.
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

// The animated character that wears the cloth, in the rest pose. The constructor copies all arrays. Each row of weights
// has one weight >= 0 per bone, and their sum should be 1 (not checked). A point whose weights are all 0 does not move.
struct Wearer {
    int bone_count = 0;                        // number of bones B, >= 1
    std::span<const float> weights;            // (V, B) skin weights of the cloth, for its pins and initial positions
    std::span<const RoundedCone> cones;        // (C) rounded cones of the body at rest
    std::span<const std::int32_t> cone_bones;  // (C) in [0, B): the bone that moves each cone
    std::span<const Face> body_faces;          // triangles of the body mesh; empty: no body mesh
    std::span<const Vector3> body;             // (N) m: vertices of the body mesh
    std::span<const float> body_weights;       // (N, B) skin weights of the body mesh
};

class Simulated {
  public:
    // See ClothSimulation for the arguments. Also throws std::invalid_argument if counts, bone numbers or weights of
    // `wearer` are invalid.
    Simulated(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment, const Wearer& wearer,
              const ClothOptions& options = {});

    // Advances the cloth by one frame. Returns `done`, or the reason for which the frame was rejected; positions() then
    // returns the last accepted frame. The first frame places all vertices with their skin weights. Its pose should be
    // close to the rest pose, because other poses may make layers intersect.
    //
    // bones  (B) transformations from rest to the end of the frame
    // dt     s
    // wind   (1) or (V) m/s, or empty for still air
    ClothStatus step(std::span<const BoneMatrix> bones, float dt, std::span<const Vector3> wind = {});

    // Makes the next step place the cloth, like the first step.
    void reset() { cloth_.place(pins_.rest, {}); }

    // Saved state of the cloth, see ClothSimulation.
    std::vector<std::byte> state() const { return cloth_.state(); }
    std::size_t state_size() const { return cloth_.state_size(); }
    void save(std::span<std::byte> state) const { cloth_.save(state); }
    void restore(std::span<const std::byte> state);

    int bone_count() const { return bone_count_; }
    // (V) m, after the last step; before the first step, the rest pose
    std::span<const Vector3> positions() const { return positions_; }
    ClothSimulation& cloth() { return cloth_; }
    const ClothSimulation& cloth() const { return cloth_; }

  private:
    // Points that bones move. For each point, only the bones with positive weights are stored.
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
