// Memory that a step uses, once per thread for all garments that the thread steps. A crowd needs the memory of a few garments,
// and finds it in the cache.
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
    std::vector<Vector3> positions;  // (V) of the frame
    std::vector<LineSample> drawn;   // the lines of the frame
};

// The scratch of the calling thread. It grows to the largest mesh that the thread steps.
inline StepScratch& step_scratch() {
    return of_this_thread<StepScratch>();
}

}  // namespace ruckle
