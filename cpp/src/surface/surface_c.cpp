// surface_c.cpp: C interface of the wrinkled surface: fine meshes, and tables for the GPU.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "c_call.h"
#include "c_wrinkler.h"

namespace {

using namespace ruckle::c;

// Converts a height source of the C interface. The result refers to `given`.
ruckle::HeightSource to_core(const ruckle_height_source& given, int face_count) {
    // a lambda without captures converts to a function pointer; `object` is the caller's struct, which exists during
    // the call
    const auto add = [](const void* object, const ruckle::HeightBlock& block) {
        const auto& source = *static_cast<const ruckle_height_source*>(object);
        const auto& b = block.barycentric;
        const auto& g = block.gradient;
        const ruckle_height_points points{block.face, block.count, {b[0], b[1], b[2]}, block.height, {g[0], g[1], g[2]}};
        source.add(source.user, &points);
    };
    const std::size_t bend_count = given.bends ? static_cast<std::size_t>(face_count) : 0;
    return {.object = &given, .add = add, .bends = {given.bends, bend_count}, .edge_length = given.edge_length};
}

ruckle_status check_surface(const ruckle_surface_options& chosen, std::span<const std::int32_t> levels) {
    if (!(std::isfinite(chosen.edge_length) && chosen.edge_length >= 0.0f)) {
        return fail(RUCKLE_BAD_OPTION, "edge_length: expected a finite length of at least 0, got %g",
                    static_cast<double>(chosen.edge_length));
    }
    if (chosen.base_level < 1 || chosen.base_level > ruckle::most_surface_level) {
        return fail(RUCKLE_BAD_OPTION, "base_level: expected an integer in [1, %d], got %d", ruckle::most_surface_level,
                    chosen.base_level);
    }
    const auto wrong = std::find_if(levels.begin(), levels.end(),
                                    [](std::int32_t level) { return level < 1 || level > ruckle::most_surface_level; });
    if (wrong != levels.end()) {
        return fail(RUCKLE_BAD_OPTION, "edge_levels: expected integers in [1, %d], got %d", ruckle::most_surface_level, *wrong);
    }
    return RUCKLE_OK;
}

ruckle_status check_sources(std::span<const ruckle_height_source> sources) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (!sources[i].add) {
            // checked here once, instead of in every call for a block of points
            return fail(RUCKLE_NULL_ARGUMENT, "sources: source %zu has no function `add`", i);
        }
        if (!(std::isfinite(sources[i].edge_length) && sources[i].edge_length > 0.0f)) {
            return fail(RUCKLE_BAD_OPTION, "sources: expected a finite edge_length above 0, got %g of source %zu",
                        static_cast<double>(sources[i].edge_length), i);
        }
    }
    return RUCKLE_OK;
}

ruckle_status check_count(const ruckle_height_source* sources, std::int32_t count) {
    if (count < 0) {
        return fail(RUCKLE_BAD_OPTION, "source_count: expected at least 0, got %d", count);
    }
    return count > 0 && !sources ? fail_null("sources") : RUCKLE_OK;
}

// Appends the texels that a height source writes for shaders.
void append_texels(const ruckle_height_source& source, std::vector<ruckle::Word>& table) {
    const std::size_t first = table.size();
    const std::int32_t count = source.write_texels(source.user, nullptr, 0);
    table.resize(first + static_cast<std::size_t>(count) * ruckle::texel_words);
    source.write_texels(source.user, table.data() + first, count);
}

// Returns the surface for a wrinkler, and creates it at the first call: the wrinkler's own surface, or the surface that
// this thread uses for all wrinklers of the topology.
Raised& surface_of(ruckle_wrinkler& wrinkler) {
    const ruckle::Topology& topology = wrinkler.core.topology();
    const int threads = wrinkler.core.options().threads;
    if (wrinkler.refinement) {
        return wrinkler.raised ? *wrinkler.raised : wrinkler.raised.emplace(*wrinkler.refinement, threads);
    }
    if (wrinkler.surfaces) {
        const std::scoped_lock lock(wrinkler.surfaces->mutex);
        // other threads may add elements, but the address of an element does not change
        return wrinkler.surfaces->by_thread.try_emplace(std::this_thread::get_id(), topology, threads).first->second;
    }
    return wrinkler.raised ? *wrinkler.raised : wrinkler.raised.emplace(topology, threads);
}

// Discards the surface of a wrinkler after an exception, which may have interrupted a change of its arrays.
void forget_surface(ruckle_wrinkler& wrinkler) {
    wrinkler.raised.reset();
    if (wrinkler.surfaces) {
        const std::scoped_lock lock(wrinkler.surfaces->mutex);
        wrinkler.surfaces->by_thread.erase(std::this_thread::get_id());
    }
}

// Writes the wrinkles of the last step to raised.wrinkles. If the wrinkler has a paint, their drawn lines are copies in
// raised.painted, with heights multiplied by the paint. with_earlier: the wrinkles of the step before come first.
void list_wrinkles(const ruckle_wrinkler& wrinkler, bool with_earlier, Raised& raised) {
    const ruckle::Wrinkler& core = wrinkler.core;
    // clear() keeps the memory, so that frames do not allocate after the first ones
    raised.wrinkles.clear();
    raised.painted.clear();
    if (with_earlier) {
        wrinkler.clock.append_earlier(raised.wrinkles);
    }
    raised.earlier_count = raised.wrinkles.size();
    for (int i = 0; i < core.wrinkle_count(); ++i) {
        raised.wrinkles.push_back(core.wrinkle(i));
    }
    const std::vector<float>& paint = wrinkler.paint.shown;
    if (paint.empty()) {
        return;
    }
    for (const ruckle::Wrinkle& wrinkle : raised.wrinkles) {
        for (ruckle::CurveSample sample : wrinkle.curve) {
            const ruckle::Face& corners = core.topology().faces[sample.face];
            sample.height *= sample.weights.dot(ruckle::Vector3(paint[corners[0]], paint[corners[1]], paint[corners[2]]));
            raised.painted.push_back(sample);
        }
    }
    // spans are set at the end, because the vector may move its elements while it grows
    std::size_t first = 0;
    for (ruckle::Wrinkle& wrinkle : raised.wrinkles) {
        wrinkle.curve = std::span(raised.painted).subspan(first, wrinkle.curve.size());
        first += wrinkle.curve.size();
    }
}

// Returns the default length of fine edges: half of the minimum wrinkle radius, which resolves every wrinkle
// (path_heights.h).
float fine_edge_length(const ruckle_wrinkler& wrinkler) {
    return 0.5f * wrinkler.core.options().r_min.value_or(0.0f);
}

// Returns true if the earlier lines of the new table equal the later lines of the wrinkler's last table, so that they
// are already packed.
bool has_packed(const ruckle_wrinkler& wrinkler, const ruckle_surface_options& chosen) {
    return !chosen.curved && wrinkler.clock.interval() > 0.0f && wrinkler.packed_frame == wrinkler.core.frame_count() - 1;
}

// Updates a surface to a frame of the wrinkler.
//
// kept  cache of the faces that the drawn lines reach, for a table; null for other results
void update_surface(ruckle_wrinkler& wrinkler, const ruckle_surface_options& chosen, std::span<const std::int32_t> levels,
                    std::span<const ruckle_height_source> sources, ruckle::KeptReach* kept, Raised& raised) {
    const ruckle::Wrinkler& core = wrinkler.core;
    auto& [heights, surface, wrinkles, earlier_count, painted, stack, fine, table, source_texels, positions] = raised;
    const bool is_packed = kept && has_packed(wrinkler, chosen);
    list_wrinkles(wrinkler, !is_packed, raised);
    const float edge_length = chosen.edge_length > 0.0f ? chosen.edge_length : fine_edge_length(wrinkler);
    const std::span<const ruckle::Wrinkle> listed(wrinkles);
    heights.update(positions, core.rest(),
                   {.earlier = listed.first(earlier_count),
                    .later = listed.subspan(earlier_count),
                    .share = wrinkler.clock.share(),
                    .kept = kept,
                    .packed = is_packed ? &wrinkler.packed : nullptr},
                   edge_length);
    ruckle::begin(stack, core.topology(), positions);
    if (wrinkler.refinement) {
        ruckle::add_shape(stack, *wrinkler.refinement, wrinkler.fine_cloth);
    }
    ruckle::add_heights(stack, ruckle::source_of(heights));
    for (const ruckle_height_source& source : sources) {
        ruckle::add_heights(stack, to_core(source, core.topology().face_count()));
    }
    ruckle::update(
        surface, stack,
        {.curved = chosen.curved != 0, .base_level = chosen.base_level, .edge_length = edge_length, .edge_levels = levels});
}

// Saves the data that carry_table needs to rewrite the first rows of a table for later pictures.
void remember_table(const Raised& raised, Carried& carried) {
    const auto header = raised.table.begin();
    carried.header.assign(header, header + ruckle::SurfaceLayout::header);
    const auto vertices = raised.heights.reached_vertices();
    carried.vertices.assign(vertices.begin(), vertices.end());
    const auto faces = raised.surface.parted_faces();
    carried.parted_faces.assign(faces.begin(), faces.end());
    const std::size_t words = raised.table[ruckle::SurfaceLayout::edges_word],
                      row_words = ruckle::texel_words * RUCKLE_TABLE_WIDTH;
    carried.row_count = static_cast<std::int32_t>((words + row_words - 1) / row_words);
    carried.table_rows = static_cast<std::int32_t>(raised.table.size() / row_words);
}

// Checks arguments, updates the surface to the frame and calls write(raised), which writes the result. Returns an error
// status if an argument is invalid.
//
// kept  cache of the faces that the drawn lines reach; null if levels must not depend on earlier frames
template <class Write>
ruckle_status raise(ruckle_wrinkler& wrinkler, const float* positions, std::int32_t vertex_count,
                    const ruckle_surface_options* options, std::span<const ruckle_height_source> sources, ruckle::KeptReach* kept,
                    const Write& write) {
    RUCKLE_TRY(check_vertex_count(wrinkler.core.topology().vertex_count, vertex_count))
    // if options is NULL, uses the defaults of the core
    ruckle_surface_options chosen;
    ruckle_default_surface_options(&chosen);
    chosen = options ? *options : chosen;
    const ruckle::Topology& drawn = wrinkler.refinement ? wrinkler.refinement->topology() : wrinkler.core.topology();
    const std::size_t level_count = chosen.edge_levels ? drawn.edges.size() : 0;
    const std::span<const std::int32_t> levels(chosen.edge_levels, level_count);
    RUCKLE_TRY(check_surface(chosen, levels))
    RUCKLE_TRY(check_sources(sources))
    const ruckle_status status = guarded([&] {
        const auto given = as_positions(positions, vertex_count);
        Raised& raised = surface_of(wrinkler);
        raised.positions.assign(given.begin(), given.end());
        RUCKLE_TRY(check_finite(raised.positions))
        update_surface(wrinkler, chosen, levels, sources, kept, raised);
        write(raised);
        return RUCKLE_OK;
    });
    if (status != RUCKLE_OK && status != RUCKLE_NOT_FINITE) {
        forget_surface(wrinkler);
    }
    return status;
}

}  // namespace

void ruckle::c::measure_gains(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, std::span<float> gains) {
    Raised& raised = surface_of(wrinkler);
    list_wrinkles(wrinkler, false, raised);
    raised.heights.update(positions, wrinkler.core.rest(), {.later = raised.wrinkles, .kept = &wrinkler.kept},
                          fine_edge_length(wrinkler));
    raised.heights.measure_gains(gains);
}

void ruckle::c::carry_table(ruckle_wrinkler& wrinkler, std::span<const Vector3> positions, std::uint32_t* texels) {
    Raised& raised = surface_of(wrinkler);
    const Carried& carried = wrinkler.carried;
    const std::span table(texels, texel_words * RUCKLE_TABLE_WIDTH * static_cast<std::size_t>(carried.row_count));
    std::ranges::copy(carried.header, table.begin());
    raised.surface.carry_texels(positions, carried.parted_faces, table);
    raised.heights.carry_texels(positions, wrinkler.core.rest(), wrinkler.clock.share(), carried.vertices, table);
}

void ruckle_default_surface_options(ruckle_surface_options* options) {
    if (options) {
        const ruckle::SurfaceOptions core;
        *options = {
            .edge_length = core.edge_length, .curved = core.curved, .base_level = core.base_level, .edge_levels = nullptr};
    }
}

ruckle_status ruckle_displace(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                              const ruckle_surface_options* options, ruckle_fine_mesh* mesh) {
    // uses only the wrinkles as height sources
    return ruckle_displace_layers(wrinkler, positions, vertex_count, options, nullptr, 0, mesh);
}

ruckle_status ruckle_displace_layers(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                     const ruckle_surface_options* options, const ruckle_height_source* sources,
                                     int32_t source_count, ruckle_fine_mesh* mesh) {
    RUCKLE_REQUIRE(wrinkler, positions, mesh)
    RUCKLE_TRY(check_count(sources, source_count))
    const std::span<const ruckle_height_source> others(sources, static_cast<std::size_t>(source_count));
    return raise(*wrinkler, positions, vertex_count, options, others, nullptr, [&](Raised& raised) {
        ruckle::FineMesh& fine = raised.fine;
        raised.surface.displace(fine);
        // the result points to memory that the next call overwrites
        *mesh = {.vertex_count = static_cast<std::int32_t>(fine.positions.size()),
                 .face_count = static_cast<std::int32_t>(fine.faces.size()),
                 .positions = fine.positions[0].data(),
                 .normals = fine.normals[0].data(),
                 .heights = fine.heights.data(),
                 .coarse_faces = fine.coarse_faces.data(),
                 .barycentric = fine.barycentric[0].data(),
                 .faces = fine.faces[0].data(),
                 .face_coarse_faces = fine.face_coarse_faces.data()};
    });
}

ruckle_status ruckle_make_table(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                const ruckle_surface_options* options, ruckle_table* table) {
    return ruckle_make_table_layers(wrinkler, positions, vertex_count, options, nullptr, 0, table);
}

ruckle_status ruckle_make_table_layers(ruckle_wrinkler* wrinkler, const float* positions, int32_t vertex_count,
                                       const ruckle_surface_options* options, const ruckle_height_source* sources,
                                       int32_t source_count, ruckle_table* table) {
    RUCKLE_REQUIRE(wrinkler, positions, table)
    RUCKLE_TRY(check_count(sources, source_count))
    const std::span<const ruckle_height_source> others(sources, static_cast<std::size_t>(source_count));
    const auto unknown = std::ranges::find(others, nullptr, &ruckle_height_source::write_texels);
    if (unknown != others.end()) {
        return fail(RUCKLE_BAD_OPTION, "sources: source %td has no function `write_texels`", unknown - others.begin());
    }
    return raise(*wrinkler, positions, vertex_count, options, others, &wrinkler->kept, [&](Raised& raised) {
        raised.surface.write_texels(raised.table, raised.heights.carried_words());
        raised.heights.append_texels(raised.table);
        if (wrinkler->clock.interval() > 0.0f) {
            raised.heights.keep_later(wrinkler->packed);
            wrinkler->packed_frame = wrinkler->core.frame_count();
        }
        raised.source_texels.clear();
        for (const ruckle_height_source& source : others) {
            raised.source_texels.push_back(static_cast<std::int32_t>(raised.table.size() / ruckle::texel_words));
            append_texels(source, raised.table);
        }
        const std::size_t count = raised.table.size() / ruckle::texel_words;
        const std::size_t row_count = (count + RUCKLE_TABLE_WIDTH - 1) / RUCKLE_TABLE_WIDTH;
        raised.table.resize(row_count * RUCKLE_TABLE_WIDTH * ruckle::texel_words);
        *table = {static_cast<std::int32_t>(row_count), static_cast<std::int32_t>(count), raised.table.data(),
                  raised.source_texels.data()};
        // remember the table only with a flat base and without other sources: a curved base and other sources can
        // change between steps
        if (others.empty() && !(options && options->curved)) {
            remember_table(raised, wrinkler->carried);
        } else {
            wrinkler->carried.header.clear();
        }
    });
}
