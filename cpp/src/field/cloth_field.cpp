#include "field/cloth_field.h"

#include <algorithm>

#include "constants.h"
#include "field/graph/label_problem.h"
#include "field/stretch_arrays.h"

namespace ruckle {

ClothField::ClothField(const Topology& topology, int threads, bool keeps_results)
    : topology_(&topology), results_(keeps_results ? std::make_unique<FieldResults>() : nullptr) {
    const auto face_count = static_cast<std::size_t>(topology.face_count());
    positions_.assign(static_cast<std::size_t>(topology.vertex_count), Vector3::Zero());
    reference_.assign(face_count, Matrix2::Zero());
    labels_.assign(face_count, rest_label);
    if (results_) {
        results_->resize(face_count);
    }
    // on small meshes, starting a second thread takes longer than the work
    if (threads > 1 && topology.face_count() >= parallel_triangle_count) {
        pool_.emplace(threads);
    }
}

// Runs a stage over all triangles, on several threads if the mesh is large enough.
template <class Stage>
void ClothField::for_faces(Stage stage) {
    ThreadPool* pool = pool_ ? &*pool_ : nullptr;
    for_chunks(pool, topology_->face_count(), parallel_chunk, [&](std::int64_t begin, std::int64_t end, int) {
        stage(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    });
}

void ClothField::measure(std::span<const Vector3> positions, bool first, FieldScratch& scratch) {
    FieldResults& found = results(scratch);
    found.resize(labels_.size());
    std::vector<Matrix2>& previous = scratch.previous;
    previous.resize(labels_.size());
    scratch.previous_positions.assign(positions_.begin(), positions_.end());
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        if (results_) {
            std::copy_n(part(found.current).begin(), count, part(previous).begin());
        } else if (!first) {
            edge_matrices(positions_, part(topology_->faces), part(previous));
        }
        edge_matrices(positions, part(topology_->faces), part(found.current));
        // the first frame is compared with itself, so its motion is zero
        stretch(part(first ? found.current : previous), part(found.current), found.motion.spans().part(begin, count));
    });
    std::ranges::copy(positions, positions_.begin());
}

void ClothField::label(const FieldOptions& options, bool first, float dt, FieldScratch& scratch) {
    reserve_cuts(scratch.labels, labels_.size(), pool_ ? pool_->thread_count() : 1);
    scratch.previous_labels.assign(labels_.begin(), labels_.end());
    LabelCostOptions costs = options.costs;
    // the first frame has zero motion and no dt: any positive time is valid
    costs.dt = first ? reference_frame_time : dt;
    const std::span<const std::uint8_t> fixed = first ? std::span<const std::uint8_t>{} : scratch.previous_labels;
    FieldResults::Stretches& motion = results(scratch).motion;
    label_stretch(motion.compression, motion.max, motion.degenerate, costs, *topology_, fixed, options.labels, scratch.labels,
                  labels_, pool_ ? &*pool_ : nullptr);
}

void ClothField::take_labels(std::span<const std::uint8_t> labels, FieldScratch& scratch) {
    scratch.previous_labels.assign(labels_.begin(), labels_.end());
    labels_.assign(labels.begin(), labels.end());
}

void ClothField::update(const FieldOptions& options, bool first, float dt, FieldScratch& scratch) {
    const ReferenceOptions reference_options{.relaxation = options.relaxation, .dt = dt};
    FieldResults& found = results(scratch);
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        // the first frame is its own reference, so it is without compression
        update_reference(part(first ? found.current : reference_), part(found.current), part(labels_), reference_options,
                         part(reference_), found.field.spans().part(begin, count));
    });
}

void ClothField::reduce_compression(std::span<const float> remaining, FieldScratch& scratch) {
    FieldResults::Stretches& field = results(scratch).field;
    for (std::size_t face = 0; face < remaining.size(); ++face) {
        float& compression = field.compression[face];
        if (compression > 1.0f) {
            compression = std::max(1.0f, compression * remaining[face]);
            // min must remain 1 / compression
            field.min[face] = 1.0f / compression;
        }
    }
}

// Only labels are reset: a first frame does not read any other result of the previous frame.
void ClothField::forget() {
    std::fill(labels_.begin(), labels_.end(), rest_label);
}

FieldCounts ClothField::count(FieldScratch& scratch) {
    const std::vector<std::uint8_t>&before = scratch.previous_labels, &collapsed = results(scratch).field.degenerate;
    // this loop adds comparisons, so that the compiler can vectorise it
    int compressing = 0, stretching = 0, changed = 0, degenerate = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        compressing += labels_[i] == compression_label;
        stretching += labels_[i] == stretch_label;
        changed += labels_[i] != before[i];
        degenerate += collapsed[i];
    }
    return {.labels = {compressing, topology_->face_count() - compressing - stretching, stretching},
            .label_changes = changed,
            .degenerate = degenerate};
}

}  // namespace ruckle
