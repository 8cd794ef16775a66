// Scratch memory of a step. Each thread has one StepScratch for all garments that it steps. So a crowd uses only the
// scratch memory of a few garments, which remains in the processor's cache.
#pragma once

#include <vector>

#include "field/field_scratch.h"
#include "paths/line_kernel.h"
#include "ruckle/paths/persist.h"
#include "support/per_thread.h"

namespace ruckle {

struct StepScratch {
    FieldScratch field;
    PersistWorkspace persist;
    std::vector<Vector3> positions;  // (V) positions of the frame
    std::vector<LineSample> drawn;   // drawn lines of the frame
};

// Returns the scratch of the calling thread. Its arrays grow to the size of the largest mesh that the thread steps.
inline StepScratch& step_scratch() {
    return of_this_thread<StepScratch>();
}

}  // namespace ruckle
