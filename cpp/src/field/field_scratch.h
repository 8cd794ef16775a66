// Memory of the field stages that contains no results after a step; a thread uses it for several garments.
#pragma once

#include <vector>

#include "ruckle/field/label.h"
#include "ruckle/types.h"

namespace ruckle {

struct FieldScratch {
    LabelWorkspace labels;
    std::vector<Matrix2> previous;  // (T) edge matrices of the previous frame
};

}  // namespace ruckle
