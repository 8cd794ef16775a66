// stack: the layers of one frame together.
//
// At most one layer gives the shape, any number gives heights over it, added in order. So that cloth is not wrinkled twice, every
// layer sees what the ones before it leave:
//     remaining = Π 1 / (1 + gain)      gain: by what share of its flat area a layer enlarges a coarse face
// A layer multiplies by it what it takes lengths across its folds, or the area it wants, from: with gain 0.2 of those before,
// cloth that has lost a quarter of its length (compression 1.33) asks for folds as if by 1.11.
//
//     begin(stack, topology, positions);
//     upsampler.step(...);            add_shape(stack, refinement, upsampler.positions());
//     wrinkler.step(positions, dt);   add_heights(stack, source_of(path_heights), gains);
//     update(surface, stack, options);
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "ruckle/surface/refinement.h"
#include "ruckle/surface/surface.h"

namespace ruckle {

// What takes the frames of an animation, one after the other.
template <class Object>
concept Layer = requires(Object& layer, std::span<const Vector3> positions, float dt) {
    layer.step(positions, dt);
    layer.reset();
};

// One frame's layers. Views; valid as long as what was added.
struct Stack {
    std::span<const Vector3> positions{};  // (V) of the coarse mesh, mesh units
    const Refinement* refinement = nullptr;
    std::span<const Vector3> shape{};  // (N) positions of the refined mesh, mesh units
    std::vector<HeightSource> heights{};
    std::vector<float> remaining{};    // (T) in (0, 1]
    std::vector<float> shape_gains{};  // (T) what the shape took of it
};

// Empties the stack for the next frame. Allocates nothing once it has seen the mesh.
void begin(Stack& stack, const Topology& topology, std::span<const Vector3> positions);

// Throws std::invalid_argument, in one sentence, where there is a shape already.
void add_shape(Stack& stack, const Refinement& refinement, std::span<const Vector3> shape);

// gains  (T) by what share of its flat area the source enlarges each coarse face; empty: hands everything on
void add_heights(Stack& stack, const HeightSource& source, std::span<const float> gains = {});

// Takes the layers of a frame. The surface was made from the stack's refinement, or, without a shape, from the coarse topology.
void update(Surface& surface, const Stack& stack, const SurfaceOptions& options);

}  // namespace ruckle
