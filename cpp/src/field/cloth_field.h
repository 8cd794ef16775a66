// The wrinkling field of one garment: reference triangles, labels, and results of the stages stretch, label and reference.
//
// Call measure, label (or take_labels) and update once per frame, in this order. After the first frame, these calls do
// not allocate if the scratch memory has been used with a mesh of this size.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "constants.h"
#include "field/field_scratch.h"
#include "ruckle/field/label.h"
#include "ruckle/field/reference.h"
#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "support/state_bytes.h"
#include "support/thread_pool.h"

namespace ruckle {

struct FieldOptions {
    LabelCostOptions costs{};
    LabelOptions labels{};
    float relaxation = ReferenceOptions{}.relaxation;
};

struct FieldCounts {
    std::array<int, label_count> labels;  // number of triangles with each label
    int label_changes;                    // number of triangles whose label has changed since the previous frame
    int degenerate;                       // number of collapsed triangles
};

class ClothField {
  public:
    ClothField(const Topology& topology, int threads);

    // The stages of a frame. measure computes edge matrices and the stretch since the previous frame. label computes the
    // labels. update changes the reference triangles and computes the stretch from them.
    //
    // first    true if there is not a previous frame; dt is then ignored
    // dt       seconds since the previous frame
    // scratch  memory of one thread; other fields may use it between two frames
    void measure(std::span<const Vector3> positions, bool first, FieldScratch& scratch);
    void label(const FieldOptions& options, bool first, float dt, FieldScratch& scratch);
    // Sets the labels of the frame to given labels (T), below label_count. Replaces a call of label().
    void take_labels(std::span<const std::uint8_t> labels);
    void update(const FieldOptions& options, bool first, float dt);
    // Reduces the compression by the length of cloth that other layers already use: multiplies each compression above 1
    // by `remaining`, but not below 1. Changes compression and min of stretches(). Does nothing if `remaining` is
    // empty.
    //
    // remaining  (T) in (0, 1], or empty: (flat area) / (area with the heights of other layers)
    void reduce_compression(std::span<const float> remaining);
    // Resets all labels to rest.
    void forget();

    std::span<const std::uint8_t> labels() const { return labels_; }
    std::span<const Matrix2> current() const { return current_; }
    std::span<const Matrix2> reference() const { return reference_; }
    // stretch from the previous frame to this frame; min and axis are empty
    StretchSpans motion() { return motion_.spans(); }
    // stretch from the reference triangles to this frame: the wrinkling field
    StretchSpans stretches() { return stretches_.spans(); }
    // Counts the triangles of the last frame.
    FieldCounts count() const;

    // Writes the results of the last frame, including all input of the next frame, to a StateWriter, or reads them from a
    // StateReader.
    template <class Field, class State>
    static void exchange(Field& field, State& state) {
        state.numbers(field.labels_, 0, label_count - 1, "a label");
        for (auto* matrices : {&field.current_, &field.reference_}) {
            state.numbers(*matrices, -largest_float, largest_float, "an edge matrix");
        }
        for (auto* stretches : {&field.motion_, &field.stretches_}) {
            for (auto* values : {&stretches->min, &stretches->max, &stretches->compression}) {
                state.numbers(*values, 0.0f, largest_float, "a stretch");
            }
            state.numbers(stretches->axis, -rounding_margin, rounding_margin, "an axis");
            state.numbers(stretches->degenerate, 0, 1, "whether a triangle has collapsed");
        }
    }

  private:
    // One array per result of a stage; unused arrays remain empty.
    struct Stretches {
        std::vector<float> min, max, compression;
        std::vector<Vector2> axis;
        std::vector<std::uint8_t> degenerate;

        StretchSpans spans() { return {min, max, compression, axis, degenerate}; }
    };
    template <class Stage>
    void for_faces(Stage stage);

    const Topology* topology_;
    std::optional<ThreadPool> pool_;
    std::vector<Matrix2> current_, reference_;
    Stretches motion_, stretches_;
    std::vector<std::uint8_t> labels_, previous_labels_;
};

}  // namespace ruckle
