#include "ruckle/surface/texels.h"

#include <algorithm>
#include <limits>

#include "numeric/dispatch.h"
#include "numeric/packing.h"
#include "surface/state.h"
#include "surface/texel_kernel.h"

namespace ruckle {

void Surface::write_texels(std::vector<Word>& table) const {
    State& s = *state_;
    const SurfaceLayout layout(s.topology);
    const auto parted = s.creases.parted_faces();
    table.resize(texel_words * texels_for(layout.parted + 4 * parted.size()));
    Word* const words = table.data();
    // zero all words that are not written below: those of paths, and the end of each part's last texel
    std::fill(words + SurfaceLayout::lines, words + SurfaceLayout::faces, 0u);
    std::fill(words + layout.records, words + layout.parted, 0u);
    for (const std::size_t end : {layout.edges, layout.vertices, table.size()}) {
        std::fill(words + end - texel_words, words + end, 0u);
    }
    // above 0, because bulges are divided by it
    float largest = std::numeric_limits<float>::min();
    for (const Vector3& bulge : s.base.bulges()) {
        largest = std::max(largest, bulge.cwiseAbs().maxCoeff());
    }
    const float inverse = 1.0f / largest;
    words[0] = static_cast<Word>(layout.edges);
    words[1] = static_cast<Word>(layout.vertices);
    words[2] = static_cast<Word>(layout.records);
    words[3] = word_of(largest);
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
    if (!s.positions.empty()) {
        kernels<TexelKernels>().pack_vertices(s.positions.data()->data(), s.normals.of_vertices().data()->data(),
                                              words + layout.vertices, static_cast<std::int64_t>(s.positions.size()));
    }
    // without runs: paths write other lists (PathHeights::append_texels), and these are used without paths
    Word *list = words + layout.parted, *next = list + parted.size();
    std::int32_t begun = 0;
    const auto begin_lists = [&](std::int32_t end) {
        std::fill(words + SurfaceLayout::faces + begun, words + SurfaceLayout::faces + end, static_cast<Word>(list - words));
        begun = end;
    };
    for (std::size_t i = 0; i < parted.size(); ++i) {
        const std::int32_t face = parted[i];
        begin_lists(face + 1);
        words[SurfaceLayout::faces + static_cast<std::size_t>(face)] |= SurfaceLayout::has_normals;
        *list++ = static_cast<Word>(next - words);
        const auto& normals = s.creases.parted_normals()[i];
        next = std::transform(normals.begin(), normals.end(), next, direction_word);
    }
    begin_lists(s.topology.face_count() + 1);
}

}  // namespace ruckle
