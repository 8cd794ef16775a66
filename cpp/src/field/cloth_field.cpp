#include "field/cloth_field.h"

#include <algorithm>
#include <utility>

#include "constants.h"
#include "field/graph/label_problem.h"
#include "field/stretch_arrays.h"

namespace ruckle {

ClothField::ClothField(const Topology& topology, int threads) : topology_(&topology) {
    const auto face_count = static_cast<std::size_t>(topology.face_count());
    for (auto* matrices : {&current_, &reference_}) {
        matrices->assign(face_count, Matrix2::Zero());
    }
    for (Stretches* found : {&motion_, &stretches_}) {
        // before the first frame, the cloth is treated as undeformed
        found->max.assign(face_count, 1.0f);
        found->compression.assign(face_count, 1.0f);
        found->degenerate.assign(face_count, 0);
    }
    // labels depend only on max, compression and degenerate of the motion, so its min and axis remain empty
    stretches_.min.assign(face_count, 1.0f);
    stretches_.axis.assign(face_count, Vector2::Zero());
    labels_.assign(face_count, rest_label);
    previous_labels_.assign(face_count, rest_label);
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
    std::vector<Matrix2>& previous = scratch.previous;
    previous.resize(current_.size());
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        std::copy_n(part(current_).begin(), count, part(previous).begin());
        edge_matrices(positions, part(topology_->faces), part(current_));
        // the first frame is compared with itself, so its motion is zero
        stretch(part(first ? current_ : previous), part(current_), motion_.spans().part(begin, count));
    });
}

void ClothField::label(const FieldOptions& options, bool first, float dt, FieldScratch& scratch) {
    reserve_cuts(scratch.labels, labels_.size(), pool_ ? pool_->thread_count() : 1);
    std::swap(previous_labels_, labels_);
    LabelCostOptions costs = options.costs;
    // the first frame has zero motion and no dt: any positive time is valid
    costs.dt = first ? reference_frame_time : dt;
    const std::span<const std::uint8_t> fixed = first ? std::span<const std::uint8_t>{} : previous_labels_;
    label_stretch(motion_.compression, motion_.max, motion_.degenerate, costs, *topology_, fixed, options.labels, scratch.labels,
                  labels_, pool_ ? &*pool_ : nullptr);
}

void ClothField::take_labels(std::span<const std::uint8_t> labels) {
    std::swap(previous_labels_, labels_);
    labels_.assign(labels.begin(), labels.end());
}

void ClothField::update(const FieldOptions& options, bool first, float dt) {
    const ReferenceOptions reference_options{.relaxation = options.relaxation, .dt = dt};
    for_faces([&](std::size_t begin, std::size_t count) {
        const auto part = [&](auto& values) { return std::span(values).subspan(begin, count); };
        // the first frame is its own reference, so it is without compression
        update_reference(part(first ? current_ : reference_), part(current_), part(labels_), reference_options, part(reference_),
                         stretches_.spans().part(begin, count));
    });
}

void ClothField::reduce_compression(std::span<const float> remaining) {
    for (std::size_t face = 0; face < remaining.size(); ++face) {
        float& compression = stretches_.compression[face];
        if (compression > 1.0f) {
            compression = std::max(1.0f, compression * remaining[face]);
            // min must remain 1 / compression
            stretches_.min[face] = 1.0f / compression;
        }
    }
}

// Only labels are reset: a first frame does not read any other result of the previous frame.
void ClothField::forget() {
    std::fill(labels_.begin(), labels_.end(), rest_label);
}

FieldCounts ClothField::count() const {
    // this loop adds comparisons, so that the compiler can vectorise it
    int compressing = 0, stretching = 0, changed = 0, degenerate = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        compressing += labels_[i] == compression_label;
        stretching += labels_[i] == stretch_label;
        changed += labels_[i] != previous_labels_[i];
        degenerate += stretches_.degenerate[i];
    }
    return {.labels = {compressing, topology_->face_count() - compressing - stretching, stretching},
            .label_changes = changed,
            .degenerate = degenerate};
}

}  // namespace ruckle
