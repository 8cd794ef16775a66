#include "ruckle/surface/texels.h"

#include <algorithm>
#include <limits>

#include "numeric/packing.h"
#include "surface/state.h"

namespace ruckle {

void Surface::write_texels(std::vector<Word>& table) const {
    const State& s = *state_;
    const SurfaceLayout layout(s.topology);
    const auto parted = s.creases.parted_faces();
    table.assign(texel_words * texels_for(layout.parted + 4 * parted.size()), 0u);
    Word* const words = table.data();
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
    for (std::size_t edge = 0; edge < s.topology.edges.size(); ++edge) {
        Word* own = words + layout.edges + SurfaceLayout::edge_words * edge;
        const Vector3 bulge = s.base.bulges()[edge] * inverse;
        own[0] = shares(bulge[0], bulge[1]);
        own[1] = shares(bulge[2], 0.0f) | static_cast<Word>(s.levels.of_edges()[edge]) << 16;
    }
    for (std::size_t vertex = 0; vertex < s.positions.size(); ++vertex) {
        Word* own = words + layout.vertices + texel_words * vertex;
        std::transform(s.positions[vertex].data(), s.positions[vertex].data() + 3, own, word_of);
        own[3] = direction_word(s.normals.of_vertices()[vertex]);
    }
    // no runs yet: paths write other lists (PathHeights::append_texels), without them these hold
    Word *list = words + layout.parted, *next = list + parted.size();
    std::int32_t begun = 0;
    const auto begin_lists = [&](std::int32_t end) {
        std::fill(words + SurfaceLayout::faces + begun, words + SurfaceLayout::faces + end, static_cast<Word>(list - words));
        begun = end;
    };
    for (const std::int32_t face : parted) {
        begin_lists(face + 1);
        words[SurfaceLayout::faces + static_cast<std::size_t>(face)] |= SurfaceLayout::has_normals;
        *list++ = static_cast<Word>(next - words);
        const auto& normals = s.creases.corner_normals()[face];
        next = std::transform(normals.begin(), normals.end(), next, direction_word);
    }
    begin_lists(s.topology.face_count() + 1);
}

}  // namespace ruckle
