// Memory of the field stages that contains no results after a step; a thread uses it for several garments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ruckle/field/label.h"
#include "ruckle/field/stretch.h"
#include "ruckle/types.h"

namespace ruckle {

// Results of the field stages that are not input of the next frame.
struct FieldResults {
    // One array per result of a stage; unused arrays remain empty.
    struct Stretches {
        std::vector<float> min, max, compression;
        std::vector<Vector2> axis;
        std::vector<std::uint8_t> degenerate;

        StretchSpans spans() { return {min, max, compression, axis, degenerate}; }
    };

    // Sets the size of all arrays. New triangles are undeformed.
    void resize(std::size_t face_count) {
        current.resize(face_count, Matrix2::Zero());
        for (Stretches* found : {&motion, &field}) {
            found->max.resize(face_count, 1.0f);
            found->compression.resize(face_count, 1.0f);
            found->degenerate.resize(face_count, 0);
        }
        // labels depend only on max, compression and degenerate of the motion, so its min and axis remain empty
        field.min.resize(face_count, 1.0f);
        field.axis.resize(face_count, Vector2::Zero());
    }

    std::vector<Matrix2> current;  // (T) edge matrices of the frame
    // stretch from the previous frame to this frame; stretch from the reference triangles to this frame
    Stretches motion, field;
};

struct FieldScratch {
    LabelWorkspace labels;
    std::vector<Vector3> previous_positions;    // (V) positions of the previous frame
    std::vector<Matrix2> previous;              // (T) edge matrices of the previous frame
    std::vector<std::uint8_t> previous_labels;  // (T)
    FieldResults results;                       // used by fields that do not keep their results
};

}  // namespace ruckle
