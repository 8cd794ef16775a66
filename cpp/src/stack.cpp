#include "ruckle/stack.h"

#include <cassert>
#include <stdexcept>

namespace ruckle {

namespace {

// Divides `remaining` by 1 + gains.
void hand_on(std::span<const float> gains, std::span<float> remaining) {
    assert(gains.size() == remaining.size());
    for (std::size_t face = 0; face < gains.size(); ++face) {
        // the result is a product over all layers, so it does not depend on their order
        remaining[face] /= 1.0f + gains[face];
    }
}

}  // namespace

void begin(Stack& stack, const Topology& topology, std::span<const Vector3> positions) {
    stack.positions = positions;
    stack.refinement = nullptr;
    stack.shape = {};
    // clear() does not free memory, which is reused
    stack.heights.clear();
    stack.remaining.assign(topology.faces.size(), 1.0f);
}

void add_shape(Stack& stack, const Refinement& refinement, std::span<const Vector3> shape) {
    if (stack.refinement) {
        throw std::invalid_argument("stack: expected at most one layer that gives a shape, got two");
    }
    stack.shape_gains.resize(stack.remaining.size());
    // the gains of a shape, like those of heights, are relative to the area of the flat coarse cloth
    measure_shape_gains(refinement, shape, stack.positions, stack.shape_gains);
    hand_on(stack.shape_gains, stack.remaining);
    stack.refinement = &refinement;
    stack.shape = shape;
}

void add_heights(Stack& stack, const HeightSource& source, std::span<const float> gains) {
    stack.heights.push_back(source);
    if (!gains.empty()) {
        hand_on(gains, stack.remaining);
    }
}

void update(Surface& surface, const Stack& stack, const SurfaceOptions& options) {
    if (stack.refinement) {
        surface.update({stack.shape, stack.positions}, stack.heights, options);
    } else {
        surface.update(stack.positions, stack.heights, options);
    }
}

}  // namespace ruckle
