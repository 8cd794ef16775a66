// The wrinkling field of one garment: reference triangles, labels, and results of the stages stretch, label and reference.
//
// Call measure, label (or take_labels) and update once per frame, in this order. After the first frame, these calls do
// not allocate if the scratch memory has been used with a mesh of this size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
    // keeps_results: true if results() remain after a frame; false if they are in the scratch memory
    ClothField(const Topology& topology, int threads, bool keeps_results);

    // The stages of a frame. measure computes edge matrices and the stretch since the previous frame. label computes the
    // labels. update changes the reference triangles and computes the stretch from them.
    //
    // first    true if there is not a previous frame; dt is then ignored
    // dt       seconds since the previous frame
    // scratch  memory of one thread, the same for all stages of a frame; other fields may use it between two frames
    void measure(std::span<const Vector3> positions, bool first, FieldScratch& scratch);
    void label(const FieldOptions& options, bool first, float dt, FieldScratch& scratch);
    // Sets the labels of the frame to given labels (T), below label_count. Replaces a call of label().
    void take_labels(std::span<const std::uint8_t> labels, FieldScratch& scratch);
    void update(const FieldOptions& options, bool first, float dt, FieldScratch& scratch);
    // Reduces the compression by the length of cloth that other layers already use: multiplies each compression above 1
    // by `remaining`, but not below 1. Changes compression and min of the field. Does nothing if `remaining` is empty.
    //
    // remaining  (T) in (0, 1], or empty: (flat area) / (area with the heights of other layers)
    void reduce_compression(std::span<const float> remaining, FieldScratch& scratch);
    // Resets all labels to rest.
    void forget();

    std::span<const std::uint8_t> labels() const { return labels_; }
    std::span<const Matrix2> reference() const { return reference_; }
    std::span<const Vector3> positions() const { return positions_; }  // (V) positions of the last frame
    // Results of the frame, during its stages.
    FieldResults& results(FieldScratch& scratch) { return results_ ? *results_ : scratch.results; }
    // Results of the last frame; null if they are not kept.
    FieldResults* kept_results() const { return results_.get(); }
    // Counts the triangles of the frame.
    FieldCounts count(FieldScratch& scratch);

    // Writes all input of the next frame, and the results if they are kept, to a StateWriter, or reads them from a
    // StateReader.
    template <class Field, class State>
    static void exchange(Field& field, State& state) {
        std::int32_t keeps = field.results_ != nullptr;
        state.number(keeps, keeps, keeps, "whether the field is kept");
        state.numbers(field.labels_, 0, label_count - 1, "a label");
        state.numbers(field.reference_, -largest_float, largest_float, "an edge matrix");
        state.numbers(field.positions_, -largest_float, largest_float, "a position");
        if (!field.results_) {
            return;
        }
        FieldResults& results = *field.results_;
        state.numbers(results.current, -largest_float, largest_float, "an edge matrix");
        for (auto* stretches : {&results.motion, &results.field}) {
            for (auto* values : {&stretches->min, &stretches->max, &stretches->compression}) {
                state.numbers(*values, 0.0f, largest_float, "a stretch");
            }
            state.numbers(stretches->axis, -rounding_margin, rounding_margin, "an axis");
            state.numbers(stretches->degenerate, 0, 1, "whether a triangle has collapsed");
        }
    }

  private:
    template <class Stage>
    void for_faces(Stage stage);

    const Topology* topology_;
    std::optional<ThreadPool> pool_;
    std::unique_ptr<FieldResults> results_;
    std::vector<Vector3> positions_;
    std::vector<Matrix2> reference_;
    std::vector<std::uint8_t> labels_;
};

}  // namespace ruckle
