// stack: combines the layers of one frame. A layer is one method that wrinkles the cloth, such as wrinkle paths, a
// pattern or upsampling.
//
// At most one layer replaces the shape of the cloth. Any number of layers add heights to this shape, one after the
// other. To avoid wrinkling the cloth twice, each layer reads the share of the compression that the previous layers
// have not yet used, for each coarse face:
//     remaining = Π 1 / (1 + gain)      gain of a layer: (area with its heights or shape) / (flat area) - 1
// A layer multiplies its compression across folds, or the area that it must add, by `remaining`. Example: cloth that
// has lost a quarter of its length has compression 1.33. If the previous layer has gain 0.2, the next layer uses
// compression 1.33 / 1.2 = 1.11.
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

// A class that processes the frames of an animation in order.
template <class Object>
concept Layer = requires(Object& layer, std::span<const Vector3> positions, float dt) {
    layer.step(positions, dt);
    layer.reset();
};

// The layers of one frame. Spans and sources refer to data of the added layers, so the layers must exist as long as the
// stack is used.
struct Stack {
    std::span<const Vector3> positions{};  // (V) positions of the coarse mesh, mesh units
    // fine mesh of the shape, and its map to the coarse mesh; null if no layer has set a shape
    const Refinement* refinement = nullptr;
    std::span<const Vector3> shape{};  // (N) vertex positions of this fine mesh, mesh units
    std::vector<HeightSource> heights{};
    std::vector<float> remaining{};    // (T) product of 1 / (1 + gain) over all layers, in (0, 1]
    std::vector<float> shape_gains{};  // (T) gain of the shape (formula: top of this file)
};

// Removes all layers and sets the positions of the next frame. Allocates only if the stack has not been used with a
// mesh of this size.
void begin(Stack& stack, const Topology& topology, std::span<const Vector3> positions);

// Sets the shape of the frame, and multiplies `remaining` by 1 / (1 + gain) of the shape. Throws std::invalid_argument
// with one sentence if the stack already has a shape.
void add_shape(Stack& stack, const Refinement& refinement, std::span<const Vector3> shape);

// Adds a height source on top of the previous sources, and multiplies `remaining` by 1 / (1 + gain).
//
// gains  (T) gain of the source (formula: top of this file); empty: `remaining` does not change
void add_heights(Stack& stack, const HeightSource& source, std::span<const float> gains = {});

// Updates the surface with the layers of a frame. The surface must have been constructed from the refinement of the
// stack or, if the stack does not have a shape, from the coarse topology.
void update(Surface& surface, const Stack& stack, const SurfaceOptions& options);

}  // namespace ruckle
