// Garments for C (ruckle_c_garment.h). A garment contains handles of its layers. Functions of a garment call the C
// functions of the layers.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "c_call.h"
#include "c_garment.h"
#include "numeric/finite.h"
#include "ruckle/field/parameters.h"
#include "ruckle/field/stretch.h"
#include "support/per_thread.h"

namespace {

using namespace ruckle::c;
using ruckle::Face;
using ruckle::Vector3;

// stride of packed positions, bytes
constexpr std::int32_t packed_stride = 3 * sizeof(float);

// Copies positions with any stride (bytes; 0: packed) and alignment.
void copy_positions(const void* from, std::int32_t stride, std::span<Vector3> positions) {
    const auto* bytes = static_cast<const std::byte*>(from);
    if ((stride == 0 || stride == packed_stride) && !positions.empty()) {
        std::memcpy(positions.data()->data(), bytes, positions.size_bytes());
        return;
    }
    for (Vector3& position : positions) {
        std::memcpy(position.data(), bytes, packed_stride);
        bytes += stride;
    }
}

ruckle_status check_stride(std::int32_t stride) {
    return stride == 0 || stride >= packed_stride
               ? RUCKLE_OK
               : fail(RUCKLE_BAD_OPTION, "stride: expected 0 or at least %d bytes, got %d", packed_stride, stride);
}

ruckle_status check_mesh(const ruckle_garment_mesh& mesh) {
    RUCKLE_REQUIRE(mesh.rest, mesh.indices)
    RUCKLE_TRY(check_counts(mesh.vertex_count, mesh.face_count))
    if (mesh.index_size != 2 && mesh.index_size != 4) {
        return fail(RUCKLE_BAD_OPTION, "index_size: expected 2 or 4 bytes, got %d", mesh.index_size);
    }
    return check_stride(mesh.stride);
}

template <class Index>
void copy_indices(const void* from, std::span<Face> faces) {
    const auto* bytes = static_cast<const std::byte*>(from);
    for (Face& face : faces) {
        for (std::int32_t& corner : face) {
            Index index;
            std::memcpy(&index, bytes, sizeof index);
            bytes += sizeof index;
            // an index that is too large becomes negative; the constructor of Topology then throws
            corner = static_cast<std::int32_t>(index);
        }
    }
}

// Copies, welds and checks a mesh. Writes `result` only on success.
ruckle_status make_mesh(const ruckle_garment_mesh& given, std::shared_ptr<const GarmentMesh>& result) {
    auto mesh = std::make_shared<GarmentMesh>();
    mesh->rest.resize(static_cast<std::size_t>(given.vertex_count));
    copy_positions(given.rest, given.stride, mesh->rest);
    RUCKLE_TRY(check_finite(mesh->rest))
    std::vector<Face> faces(static_cast<std::size_t>(given.face_count));
    given.index_size == 2 ? copy_indices<std::uint16_t>(given.indices, faces) : copy_indices<std::uint32_t>(given.indices, faces);
    mesh->faces = given.weld ? ruckle::weld(mesh->rest, faces) : faces;
    mesh->joined.resize(mesh->rest.size());
    for (std::size_t v = 0; v < mesh->joined.size(); ++v) {
        mesh->joined[v] = static_cast<std::int32_t>(v);
    }
    ruckle_topology* topology = nullptr;
    RUCKLE_TRY(ruckle_create_topology(mesh->faces.data()->data(), given.face_count, given.vertex_count, &topology))
    mesh->topology.reset(topology);
    // compute `joined` only now, because ruckle_create_topology has checked the vertex numbers
    for (std::size_t f = 0; f < faces.size(); ++f) {
        for (std::size_t k = 0; k < 3; ++k) {
            mesh->joined[static_cast<std::size_t>(faces[f][k])] = mesh->faces[f][k];
        }
    }
    mesh->rest_edges.resize(faces.size());
    ruckle::edge_matrices(mesh->rest, mesh->faces, mesh->rest_edges);
    result = std::move(mesh);
    return RUCKLE_OK;
}

// Returns options of a wrinkler without paths, for garments that have only other layers.
ruckle_options without_paths() {
    ruckle_options options;
    ruckle_default_options(&options);
    options.r_min = 0.0f;
    return options;
}

}  // namespace

namespace {

ruckle_status require_frame(const ruckle_garment& garment) {
    return garment.has_frame ? RUCKLE_OK : fail(RUCKLE_BAD_STATE, "garment: expected a step before its results are read");
}

ruckle_status fail_without_waves() {
    return fail(RUCKLE_BAD_OPTION, "garment: expected a garment with waves, got one without");
}

// Positions of the next frame before they are checked. All garments of a thread share them.
struct IncomingPositions {
    std::vector<Vector3> values;  // (V) mesh units
};

ruckle_status check_frame(std::span<const Vector3> positions, float dt) {
    if (!ruckle::frame_time_parameter.range.contains(static_cast<double>(dt))) {
        return fail_time(dt);
    }
    return ruckle::all_finite(positions) ? RUCKLE_OK : fail_not_finite(positions);
}

// Replaces the row of each vertex by the row of the vertex with which it was joined: a vertex with a smaller index, or
// itself.
template <std::size_t columns>
void copy_joined(std::span<const std::int32_t> joined, float* rows) {
    for (std::size_t v = 0; v < joined.size(); ++v) {
        std::copy_n(rows + columns * static_cast<std::size_t>(joined[v]), columns, rows + columns * v);
    }
}

}  // namespace

ruckle_status ruckle_garment_create(const ruckle_garment_mesh* mesh, const ruckle_options* paths,
                                    const ruckle_wave_options* waves, ruckle_garment** garment) {
    RUCKLE_RESULT(garment)
    RUCKLE_REQUIRE(mesh)
    RUCKLE_TRY(check_mesh(*mesh))
    return guarded([&] {
        std::shared_ptr<const GarmentMesh> shared;
        RUCKLE_TRY(make_mesh(*mesh, shared))
        auto made = std::make_unique<ruckle_garment>(
            ruckle_garment{std::move(shared), paths ? *paths : without_paths(), paths && paths->r_min != 0.0f});
        RUCKLE_TRY(made->make_wrinkler())
        if (waves) {
            ruckle_waves* layer = nullptr;
            const GarmentMesh& own = *made->mesh;
            RUCKLE_TRY(ruckle_waves_create(own.faces.data()->data(), mesh->face_count, own.rest.data()->data(),
                                           mesh->vertex_count, nullptr, waves, &layer))
            made->waves.reset(layer);
        }
        *garment = made.release();
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_garment_clone(const ruckle_garment* garment, ruckle_garment** clone) {
    RUCKLE_RESULT(clone)
    RUCKLE_REQUIRE(garment)
    return guarded([&] {
        auto made = std::make_unique<ruckle_garment>(ruckle_garment{garment->mesh, garment->path_options, garment->with_paths});
        RUCKLE_TRY(made->make_wrinkler())
        made->wrinkler->refinement = garment->wrinkler->refinement;
        made->wrinkler->fine_cloth.resize(garment->wrinkler->fine_cloth.size());
        made->incoming_fine.resize(made->wrinkler->fine_cloth.size());
        made->wrinkler->paint = garment->wrinkler->paint;
        made->wrinkler->paint.shown = made->wrinkler->paint.target;
        made->wrinkler->clock.set_interval(garment->wrinkler->clock.interval());
        if (garment->waves) {
            ruckle_waves* layer = nullptr;
            RUCKLE_TRY(ruckle_waves_clone(garment->waves.get(), &layer))
            made->waves.reset(layer);
            ruckle_waves_reset(layer);
        }
        *clone = made.release();
        return RUCKLE_OK;
    });
}

void ruckle_garment_destroy(ruckle_garment* garment) {
    delete garment;
}

ruckle_status ruckle_garment_set_options(ruckle_garment* garment, const ruckle_options* paths, const ruckle_wave_options* waves) {
    RUCKLE_REQUIRE(garment)
    if ((paths && !garment->with_paths) || (waves && !garment->waves)) {
        return fail(RUCKLE_BAD_OPTION, "%s: expected NULL, because the garment was made without this layer",
                    paths && !garment->with_paths ? "paths" : "waves");
    }
    const ruckle_options before = garment->path_options;
    if (paths) {
        RUCKLE_TRY(ruckle_set_options(garment->wrinkler.get(), paths))
        garment->path_options = *paths;
    }
    const ruckle_status status = waves ? ruckle_waves_set_options(garment->waves.get(), waves) : RUCKLE_OK;
    if (status && paths) {
        // restore the old options of the paths; this cannot fail, because they were accepted before
        ruckle_set_options(garment->wrinkler.get(), &before);
        garment->path_options = before;
    }
    return status;
}

ruckle_status ruckle_garment_set_paint(ruckle_garment* garment, const float* paint) {
    RUCKLE_REQUIRE(garment)
    if (garment->waves) {
        RUCKLE_TRY(ruckle_waves_set_paint(garment->waves.get(), paint))
    }
    return ruckle_set_paint(garment->wrinkler.get(), paint);
}

ruckle_status ruckle_garment_set_pattern(ruckle_garment* garment, ruckle_modulator* pattern) {
    RUCKLE_REQUIRE(garment)
    if (pattern) {
        const auto& faces = pattern->core.grid().topology.faces;
        RUCKLE_TRY(check_vertex_count(garment->vertex_count(), pattern->core.grid().topology.vertex_count))
        if (!std::ranges::equal(faces, garment->mesh->faces)) {
            return fail(RUCKLE_BAD_MESH, "pattern: expected the faces of ruckle_garment_faces, got those of another mesh");
        }
    }
    garment->pattern = pattern;
    return RUCKLE_OK;
}

ruckle_status ruckle_garment_set_shape(ruckle_garment* garment, const ruckle_garment_shape* shape) {
    RUCKLE_REQUIRE(garment)
    if (shape) {
        RUCKLE_REQUIRE(shape->faces, shape->holders, shape->barycentric)
        RUCKLE_TRY(check_counts(shape->vertex_count, shape->face_count))
    }
    return guarded([&] {
        std::shared_ptr<const ruckle::Refinement> made;
        const std::size_t count = shape ? static_cast<std::size_t>(shape->vertex_count) : 0;
        std::vector<Vector3> now(count), next(count);
        if (shape) {
            made = std::make_shared<ruckle::Refinement>(
                garment->wrinkler->core.topology(),
                ruckle::RefinedMesh{
                    .faces = {reinterpret_cast<const Face*>(shape->faces), static_cast<std::size_t>(shape->face_count)},
                    .coarse_faces = {shape->holders, count},
                    .barycentric = {reinterpret_cast<const Vector3*>(shape->barycentric), count}});
        }
        // the following lines cannot fail, so the garment changes completely or not at all
        garment->wrinkler->raised.reset();
        garment->wrinkler->refinement = std::move(made);
        garment->wrinkler->fine_cloth = std::move(now);
        garment->incoming_fine = std::move(next);
        ruckle_garment_reset(garment);
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_garment_step(ruckle_garment* garment, const void* positions, int32_t stride, float dt) {
    RUCKLE_REQUIRE(garment, positions)
    return garment->take_frame(positions, stride, dt, true);
}

ruckle_status ruckle_garment_step_shape(ruckle_garment* garment, const void* positions, int32_t stride, const void* fine,
                                        int32_t fine_stride, float dt) {
    RUCKLE_REQUIRE(garment, positions, fine)
    return garment->take_frame(positions, stride, dt, true, fine, fine_stride);
}

ruckle_status ruckle_garment::take_frame(const void* from, std::int32_t stride, float dt, bool may_step, const void* fine,
                                         std::int32_t fine_stride) {
    if (wrinkler->refinement && !fine) {
        return fail(RUCKLE_BAD_OPTION, "garment: has a shape layer; call ruckle_garment_step_shape");
    }
    if (fine && !wrinkler->refinement) {
        return fail(RUCKLE_BAD_OPTION, "garment: expected a garment with a shape layer, got one without");
    }
    RUCKLE_TRY(check_stride(stride))
    RUCKLE_TRY(check_stride(fine_stride))
    return guarded([&] {
        // check a copy, because another thread may write to the input
        auto& incoming = ruckle::of_this_thread<IncomingPositions>().values;
        incoming.resize(positions.size());
        copy_positions(from, stride, incoming);
        ruckle_status status = check_frame(incoming, dt);
        if (!status && fine) {
            copy_positions(fine, fine_stride, incoming_fine);
            status = check_frame(incoming_fine, dt);
        }
        if (status) {
            return status;
        }
        std::ranges::copy(incoming, positions.begin());
        std::swap(wrinkler->fine_cloth, incoming_fine);
        status = step_layers(dt, may_step);
        has_frame = status == RUCKLE_OK;
        return status;
    });
}

ruckle_status ruckle_garment_set_clock(ruckle_garment* garment, float interval, float offset) {
    RUCKLE_REQUIRE(garment)
    if (!garment->with_paths) {
        return fail(RUCKLE_BAD_OPTION, "garment: expected a garment with paths, got one without");
    }
    return ruckle_set_clock(garment->wrinkler.get(), interval, offset);
}

void ruckle_garment_reset(ruckle_garment* garment) {
    if (garment) {
        ruckle_reset(garment->wrinkler.get());
        ruckle_waves_reset(garment->waves.get());
        ruckle_modulator_reset(garment->pattern);
        garment->has_frame = false;
        garment->waiting = 0.0f;
        garment->path_gains.clear();
    }
}

namespace {

// Sizes of the states of paths, pattern and waves, bytes. A garment's state consists of these sizes and then the three
// states.
using StateSizes = std::array<std::uint64_t, 3>;

StateSizes state_sizes(const ruckle_garment& garment) {
    return {ruckle_state_size(garment.wrinkler.get()), ruckle_modulator_state_size(garment.pattern),
            ruckle_waves_state_size(garment.waves.get())};
}

// Restores all parts, the paths last: after a failure, the other parts can return to their old states without memory,
// because their second restore does not allocate.
ruckle_status restore_parts(ruckle_garment& garment, const std::byte* bytes, const StateSizes& sizes) {
    const std::byte* const of_pattern = bytes + sizes[0];
    if (garment.pattern) {
        RUCKLE_TRY(ruckle_modulator_restore_state(garment.pattern, of_pattern, sizes[1]))
    }
    if (garment.waves) {
        RUCKLE_TRY(ruckle_waves_restore_state(garment.waves.get(), of_pattern + sizes[1], sizes[2]))
    }
    return ruckle_restore_state(garment.wrinkler.get(), bytes, sizes[0]);
}

}  // namespace

size_t ruckle_garment_state_size(const ruckle_garment* garment) {
    if (!garment) {
        return 0;
    }
    const StateSizes sizes = state_sizes(*garment);
    return sizeof sizes + sizes[0] + sizes[1] + sizes[2];
}

ruckle_status ruckle_garment_save_state(const ruckle_garment* garment, void* state, size_t capacity) {
    RUCKLE_REQUIRE(garment, state)
    const size_t size = ruckle_garment_state_size(garment);
    if (capacity < size) {
        return fail(RUCKLE_TOO_SMALL, "state: expected room for %zu bytes, got %zu", size, capacity);
    }
    const StateSizes sizes = state_sizes(*garment);
    auto* bytes = static_cast<std::byte*>(state);
    std::memcpy(bytes, sizes.data(), sizeof sizes);
    bytes += sizeof sizes;
    RUCKLE_TRY(ruckle_save_state(garment->wrinkler.get(), bytes, sizes[0]))
    bytes += sizes[0];
    if (garment->pattern) {
        RUCKLE_TRY(ruckle_modulator_save_state(garment->pattern, bytes, sizes[1]))
    }
    return garment->waves ? ruckle_waves_save_state(garment->waves.get(), bytes + sizes[1], sizes[2]) : RUCKLE_OK;
}

ruckle_status ruckle_garment_restore_state(ruckle_garment* garment, const void* state, size_t size) {
    RUCKLE_REQUIRE(garment, state)
    StateSizes sizes{};
    const auto* bytes = static_cast<const std::byte*>(state);
    if (size >= sizeof sizes) {
        std::memcpy(sizes.data(), bytes, sizeof sizes);
    }
    const std::uint64_t room = size < sizeof sizes ? 0 : size - sizeof sizes;
    const bool fits = sizes[0] <= room && sizes[1] <= room - sizes[0] && sizes[2] == room - sizes[0] - sizes[1];
    if (size < sizeof sizes || !fits || (sizes[1] > 0) != (garment->pattern != nullptr) ||
        (sizes[2] > 0) != (garment->waves != nullptr)) {
        return fail(RUCKLE_BAD_STATE, "state: not a state of a garment with these layers");
    }
    return guarded([&] {
        std::vector<std::byte>& backup = garment->backup;
        backup.resize(ruckle_garment_state_size(garment));
        StateSizes before{};
        ruckle_garment_save_state(garment, backup.data(), backup.size());
        std::memcpy(before.data(), backup.data(), sizeof before);
        const ruckle_status status = restore_parts(*garment, bytes + sizeof sizes, sizes);
        if (status) {
            // this call cannot fail, because it restores valid bytes. The error message of the first failure remains
            restore_parts(*garment, backup.data() + sizeof before, before);
        } else {
            garment->has_frame = false;
            garment->waiting = 0.0f;
            garment->path_gains.clear();
        }
        return status;
    });
}

RUCKLE_ANSWER(int32_t, ruckle_garment_vertex_count, garment, garment, garment->vertex_count())
RUCKLE_ANSWER(int32_t, ruckle_garment_face_count, garment, garment, garment->mesh->faces.size())
RUCKLE_ANSWER(const int32_t*, ruckle_garment_faces, garment, garment, garment->mesh->faces.data()->data())
RUCKLE_ANSWER(const ruckle_wrinkler*, ruckle_garment_wrinkler, garment, garment, garment->wrinkler.get())
RUCKLE_ANSWER(const ruckle_waves*, ruckle_garment_waves, garment, garment, garment->waves.get())

ruckle_status ruckle_garment_displace(ruckle_garment* garment, const ruckle_surface_options* options, ruckle_fine_mesh* mesh) {
    RUCKLE_REQUIRE(garment, mesh)
    std::int32_t count = 0;
    RUCKLE_TRY(require_frame(*garment))
    RUCKLE_TRY(garment->list_sources(options, count))
    return ruckle_displace_layers(garment->wrinkler.get(), garment->points(), garment->vertex_count(), options,
                                  garment->sources.data(), count, mesh);
}

ruckle_status ruckle_garment_make_table(ruckle_garment* garment, const ruckle_surface_options* options, ruckle_table* table) {
    RUCKLE_REQUIRE(garment, table)
    if (garment->wrinkler->refinement) {
        return fail(RUCKLE_BAD_OPTION, "garment: a table cannot contain its shape layer; call ruckle_garment_displace");
    }
    std::int32_t count = 0;
    RUCKLE_TRY(require_frame(*garment))
    RUCKLE_TRY(garment->list_sources(options, count))
    return ruckle_make_table_layers(garment->wrinkler.get(), garment->points(), garment->vertex_count(), options,
                                    garment->sources.data(), count, table);
}

ruckle_status ruckle_garment_write_waves(const ruckle_garment* garment, float* vertices) {
    RUCKLE_REQUIRE(garment, vertices)
    if (!garment->waves) {
        return fail_without_waves();
    }
    RUCKLE_TRY(require_frame(*garment))
    ruckle_waves_copy_vertices(garment->waves.get(), vertices);
    copy_joined<6>(garment->mesh->joined, vertices);
    return RUCKLE_OK;
}

ruckle_status ruckle_garment_write_vertices(ruckle_garment* garment, float* vertices) {
    RUCKLE_REQUIRE(garment, vertices)
    if (!garment->waves) {
        return fail_without_waves();
    }
    RUCKLE_TRY(require_frame(*garment))
    return guarded([&] {
        ruckle::Normals& all = garment->mesh->normals();
        all.measure(garment->positions);
        const std::span<const Vector3> normals = all.of_vertices();
        constexpr std::size_t columns = 12, wave_columns = sizeof(ruckle::WaveVertex) / sizeof(float);
        garment->waves->core.write_rows(vertices, columns);
        for (std::size_t v = 0; v < garment->positions.size(); ++v) {
            // `from` is at most v, so its waves are final
            const auto from = static_cast<std::size_t>(garment->mesh->joined[v]);
            float* const row = vertices + columns * v;
            std::memmove(row, vertices + columns * from, wave_columns * sizeof(float));
            std::memcpy(row + 6, garment->positions[v].data(), packed_stride);
            std::memcpy(row + 9, normals[from].data(), packed_stride);
        }
        return RUCKLE_OK;
    });
}

ruckle_status ruckle_garment_write_strains(ruckle_garment* garment, float* strains) {
    RUCKLE_REQUIRE(garment, strains)
    RUCKLE_TRY(require_frame(*garment))
    return guarded([&] {
        const std::span result(reinterpret_cast<ruckle::VertexStrain*>(strains), garment->positions.size());
        ruckle::vertex_strains(garment->wrinkler->core.topology(), garment->mesh->rest_edges, garment->positions, garment->strain,
                               result);
        copy_joined<8>(garment->mesh->joined, strains);
        return RUCKLE_OK;
    });
}
