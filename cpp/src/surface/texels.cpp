#include "ruckle/surface/texels.h"

#include <algorithm>
#include <limits>

#include "numeric/dispatch.h"
#include "numeric/packing.h"
#include "surface/state.h"
#include "surface/texel_kernel.h"

namespace ruckle {

void Surface::write_texels(std::vector<Word>& table, std::size_t carried_words) const {
    State& s = *state_;
    const auto parted = s.creases.parted_faces();
    const SurfaceLayout layout(s.topology, parted.size(), carried_words);
    table.resize(texel_words * texels_for(layout.lists + parted.size()));
    Word* const words = table.data();
    // sets words to 0 that are not written below: words of wrinkle paths, and the padding of each part's last texel
    std::fill(words, words + SurfaceLayout::header, 0u);
    std::fill(words + layout.records, words + layout.lists, 0u);
    std::fill(words + layout.carried, words + layout.edges, 0u);
    for (const std::size_t end : {layout.carried, layout.faces, layout.records, table.size()}) {
        std::fill(words + end - texel_words, words + end, 0u);
    }
    // the largest component is above 0, because bulges are divided by it
    float largest = std::numeric_limits<float>::min();
    for (const Vector3& bulge : s.base.bulges()) {
        largest = std::max(largest, bulge.cwiseAbs().maxCoeff());
    }
    const float inverse = 1.0f / largest;
    words[SurfaceLayout::edges_word] = static_cast<Word>(layout.edges);
    words[SurfaceLayout::faces_word] = static_cast<Word>(layout.faces);
    words[SurfaceLayout::records_word] = static_cast<Word>(layout.records);
    words[SurfaceLayout::bulge_unit] = word_of(largest);
    words[SurfaceLayout::carriers_word] = static_cast<Word>(layout.carried);
    s.bulge_shares.resize(3 * s.topology.edges.size());
    if (!s.bulge_shares.empty()) {
        kernels<TexelKernels>().pack_shares(s.base.bulges().data()->data(), inverse, s.bulge_shares.data(),
                                            static_cast<std::int64_t>(s.bulge_shares.size()));
    }
    const Word* share = s.bulge_shares.data();
    Word* edge = words + layout.edges;
    for (const std::int32_t level : s.levels.of_edges()) {
        edge[0] = share[0] | share[1] << 16;
        edge[1] = share[2] | static_cast<Word>(level) << 16;
        share += 3, edge += SurfaceLayout::edge_words;
    }
    s.write_carried(table);
    // Writes lists that contain only corner normals, without runs of path points. Tables with paths use other lists
    // (PathHeights::append_texels).
    Word* list = words + layout.lists;
    auto normals = static_cast<Word>(layout.parted_normals);
    std::int32_t begun = 0;
    const auto begin_lists = [&](std::int32_t end) {
        std::fill(words + layout.faces + begun, words + layout.faces + end, static_cast<Word>(list - words));
        begun = end;
    };
    for (const std::int32_t face : parted) {
        begin_lists(face + 1);
        words[layout.faces + static_cast<std::size_t>(face)] |= SurfaceLayout::has_normals;
        *list++ = normals;
        normals += 3;
    }
    begin_lists(s.topology.face_count() + 1);
}

// Writes positions, vertex normals, and corner normals at creases to a table.
void Surface::State::write_carried(std::span<Word> table) const {
    if (!positions.empty()) {
        kernels<TexelKernels>().pack_vertices(positions.data()->data(), normals.of_vertices().data()->data(),
                                              table.data() + SurfaceLayout::vertices,
                                              static_cast<std::int64_t>(positions.size()));
    }
    if (const auto parted = creases.parted_normals(); !parted.empty()) {
        kernels<TexelKernels>().pack_directions(parted.data()->data()->data(),
                                                table.data() + SurfaceLayout::vertices + texel_words * positions.size(),
                                                static_cast<std::int64_t>(3 * parted.size()));
    }
}

void Surface::carry_texels(std::span<const Vector3> positions, std::span<const std::int32_t> parted_faces,
                           std::span<Word> table) {
    State& s = *state_;
    std::copy(positions.begin(), positions.end(), s.positions.begin());
    s.normals.measure(s.positions);
    s.creases.measure(s.normals, parted_faces);
    s.write_carried(table);
}

std::span<const std::int32_t> Surface::parted_faces() const {
    return state_->creases.parted_faces();
}

}  // namespace ruckle
