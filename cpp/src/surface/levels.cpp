// Computes the number of parts (level) of each edge; see levels.h. In the comments below, a face is "raised" if a
// source has heights in it, and the "bend" of a source in a face is the largest second derivative of its heights
// (ruckle/surface/heights.h).
#include "surface/levels.h"

#include <algorithm>
#include <cmath>

#include "constants.h"

namespace ruckle {

namespace {

// Returns the factor, in [1, most_refinement], by which fine edges of this length must become shorter for heights with
// this bend (second derivative). Then the gap between the height curve and the fine edges is at most largest_chord_gap
// edge lengths, unless most_refinement limits the factor. A chord of length e has the gap bend e² / 8.
float parts_for_bend(float bend, float edge_length) {
    return std::clamp(std::sqrt(bend * edge_length / (8.0f * largest_chord_gap)), 1.0f, most_refinement);
}

// Rounds up to an integer of at most `most`. Clamps before the conversion to an integer, which is undefined for larger
// floats.
std::int32_t whole_parts(float parts, std::int32_t most) {
    return static_cast<std::int32_t>(std::ceil(std::min(parts, static_cast<float>(most))));
}

}  // namespace

Levels::Levels(const Topology& topology, const Refinement* refinement)
    : topology_(topology),
      refinement_(refinement),
      edges_(topology.edges.size(), 1),
      faces_(topology.faces.size(), {1.0f, 1.0f, 1.0f, 1.0f}),
      raised_(topology.faces.size(), false) {}

void Levels::choose(std::span<const Vector3> positions, std::span<const std::int32_t> base_levels,
                    std::span<const HeightSource> sources, const SurfaceOptions& options) {
    find_raised(sources);
    lower_masked(options.mask);
    const auto is_masked = [mask = refinement_ ? std::span<const float>() : options.mask](std::int32_t vertex) {
        return !mask.empty() && mask[vertex] == 0.0f;
    };
    // local copies, because the compiler would reload members for every edge
    const auto* edge_faces = topology_.edge_faces.data();
    const std::uint8_t* raised_faces = raised_.data();
    const auto level_of = [&, edge_faces, raised_faces](std::size_t edge) {
        const auto& faces = edge_faces[edge];
        // an edge has heights if one of its faces has heights, because both faces share the level of the edge
        const bool raised = raised_faces[faces[0]] != 0 || (faces[1] >= 0 && raised_faces[faces[1]] != 0);
        const auto& [a, b] = topology_.edges[edge];
        const std::int32_t under = is_masked(a) && is_masked(b) ? 1 : base_levels[edge];
        // most edges of a garment have no heights, and a base level that is 1 or does not depend on the length
        if (!raised && (under == 1 || !(options.edge_length > 0.0f))) {
            return under;
        }
        const float length = (positions[a] - positions[b]).norm();
        const std::int32_t parts = raised ? whole_parts(parts_for_heights(edge, length, sources), most_surface_level)
                                          : whole_parts(length / options.edge_length, under);
        // with a viewpoint, the level is at least that of the base, whose curve is visible at the outline
        return std::max(options.viewpoint ? under : 1, parts);
    };
    std::int32_t* levels = edges_.data();
    for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
        levels[edge] = options.edge_levels.empty() ? level_of(edge) : options.edge_levels[edge];
    }
    for (std::size_t face = 0; face < faces_.size(); ++face) {
        const auto& edges = topology_.face_edges[face];
        const std::int32_t a = levels[edges[0]], b = levels[edges[1]], c = levels[edges[2]];
        faces_[face] = {static_cast<float>(a), static_cast<float>(b), static_cast<float>(c),
                        static_cast<float>(std::max({a, b, c}))};
    }
}

// Returns the largest bend of a source in the coarse faces that contain the corners of a face; without a refinement,
// the bend in the face itself.
float Levels::bend(const HeightSource& source, std::int32_t face) const {
    if (!refinement_) {
        return source.bend(face);
    }
    const auto holders = refinement_->coarse_faces(face);
    return std::max({source.bend(holders[0]), source.bend(holders[1]), source.bend(holders[2])});
}

// Marks the faces in which a source has heights; with a refinement, those with a corner in such a coarse face.
void Levels::find_raised(std::span<const HeightSource> sources) {
    std::fill(raised_.begin(), raised_.end(), false);
    for (const HeightSource& source : sources) {
        if (!refinement_ && !source.bends.empty()) {
            std::transform(source.bends.begin(), source.bends.end(), raised_.begin(), raised_.begin(),
                           [](float bend, std::uint8_t raised) { return static_cast<std::uint8_t>(raised | (bend >= 0.0f)); });
            continue;
        }
        for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
            raised_[face] = raised_[face] || bend(source, face) >= 0.0f;
        }
    }
}

// Marks faces as not raised if the mask is 0 at all of their corners. Does nothing if the mask is empty.
void Levels::lower_masked(std::span<const float> mask) {
    if (mask.empty()) {
        return;
    }
    const Topology& coarse = refinement_ ? refinement_->coarse() : topology_;
    const auto is_flat = [&](std::int32_t face) {
        return std::ranges::all_of(coarse.faces[face], [&](std::int32_t vertex) { return mask[vertex] == 0.0f; });
    };
    for (std::int32_t face = 0; face < topology_.face_count(); ++face) {
        const bool flat = refinement_ ? std::ranges::all_of(refinement_->coarse_faces(face), is_flat) : is_flat(face);
        raised_[face] = raised_[face] != 0 && !flat;
    }
}

// Returns the number of parts of an edge, not yet rounded, with which the heights of all sources in both faces are
// resolved; 0 if no source has heights there.
float Levels::parts_for_heights(std::size_t edge, float length, std::span<const HeightSource> sources) const {
    const auto& faces = topology_.edge_faces[edge];
    float most = 0.0f;
    for (const HeightSource& source : sources) {
        const float largest = std::max(bend(source, faces[0]), faces[1] >= 0 ? bend(source, faces[1]) : -1.0f);
        if (largest >= 0.0f) {
            most = std::max(most, length / source.edge_length * parts_for_bend(largest, source.edge_length));
        }
    }
    return most;
}

}  // namespace ruckle
