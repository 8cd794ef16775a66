// stack: combines the layers of one frame.
//
// At most one layer gives the shape. Any number of layers add heights over it, in order. To avoid wrinkling cloth twice, each layer
// reads the area that the previous ones leave:
//     remaining = Π 1 / (1 + gain)      gain: share by which a layer enlarges a coarse face over its flat area
// A layer multiplies its compression across folds, or the area that it must add, by `remaining`. Example: with gain 0.2 of previous
// layers, cloth that has lost a quarter of its length (compression 1.33) gets folds as if by 1.11.
//
// Example:
//     ruckle::begin(stack, topology, positions);
//     modulator.step(positions, dt, {}, stack.remaining);
//     pattern.update(positions, modulator.factors());
//     ruckle::add_heights(stack, ruckle::source_of(pattern));
//     ruckle::update(surface, stack, {.curved = true});
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "ruckle/surface/refinement.h"
#include "ruckle/surface/surface.h"

namespace ruckle {

// Concept of a layer that steps through the frames of an animation in order.
template <class Object>
concept Layer = requires(Object& layer, std::span<const Vector3> positions, float dt) {
    layer.step(positions, dt);
    layer.reset();
};

// The layers of one frame. Views; valid as long as the layers that were added.
struct Stack {
    std::span<const Vector3> positions{};  // (V) of the coarse mesh, mesh units
    const Refinement* refinement = nullptr;
    std::span<const Vector3> shape{};  // (N) positions of the refined mesh, mesh units
    std::vector<HeightSource> heights{};
    std::vector<float> remaining{};    // (T) in (0, 1]
    std::vector<float> shape_gains{};  // (T) the gains of the shape
};

// Empties the stack for the next frame. Allocates nothing once it has seen the mesh.
void begin(Stack& stack, const Topology& topology, std::span<const Vector3> positions);

// Throws std::invalid_argument with one sentence if the stack already has a shape.
void add_shape(Stack& stack, const Refinement& refinement, std::span<const Vector3> shape);

// gains  (T) share by which the source enlarges each coarse face over its flat area; empty: it leaves `remaining` unchanged
void add_heights(Stack& stack, const HeightSource& source, std::span<const float> gains = {});

// Updates the surface to the layers of a frame. It must belong to the refinement of the stack or, without a shape, to the coarse
// topology.
void update(Surface& surface, const Stack& stack, const SurfaceOptions& options);

}  // namespace ruckle
