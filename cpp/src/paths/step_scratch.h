// What a step needs from its beginning to its end: once per thread, whatever garments the thread steps. A crowd takes the memory
// of a few, and finds it in the cache.
#pragma once

#include <vector>

#include "field/field_scratch.h"
#include "paths/line_kernel.h"
#include "ruckle/paths/persist.h"

namespace ruckle {

struct StepScratch {
    FieldScratch field;
    PersistWorkspace persist;
    std::vector<Vector3> positions;  // (V) of the frame
    std::vector<LineSample> drawn;   // the lines of the frame
};

// Of the calling thread, until that ends. It grows to the largest mesh that the thread steps.
inline StepScratch& step_scratch() {
    thread_local StepScratch scratch;
    return scratch;
}

}  // namespace ruckle
