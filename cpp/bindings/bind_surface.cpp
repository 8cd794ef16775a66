// Surfaces: Refinement, Surface, FineMesh.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include <pybind11/stl.h>

#include "array.h"
#include "height_source.h"
#include "ruckle/surface/fitting.h"
#include "ruckle/surface/surface.h"

namespace ruckle::bindings {

namespace {

// Returns a fine mesh over a coarse mesh. It refers to the coarse topology.
std::unique_ptr<Refinement> make_refinement(const Topology& coarse, Array<int> faces, Array<int> coarse_faces,
                                            Array<float> barycentric) {
    const auto fine = require_faces(faces);
    const auto holders = copy_array<std::int32_t>(coarse_faces, "coarse_faces", {"N"});
    const auto weights = copy_finite(barycentric, "barycentric", {Extent("N", holders.size()), 3});
    const RefinedMesh mesh{items<Face>(fine), items<std::int32_t>(holders), items<Vector3>(weights)};
    return without_gil([&] { return std::make_unique<Refinement>(coarse, mesh); });
}

py::array_t<float> area_gains(const Refinement& refinement, Array<float> positions, Array<float> coarse_positions) {
    const auto shape = copy_finite(positions, "positions", {Extent("N", refinement.topology().vertex_count), 3});
    const auto coarse = copy_finite(coarse_positions, "coarse_positions", {Extent("V", refinement.coarse().vertex_count), 3});
    return computed<float>({refinement.coarse().face_count()}, [&](auto gains) {
        measure_shape_gains(refinement, items<Vector3>(shape), items<Vector3>(coarse), gains);
    });
}

// A Surface that Python threads may share. Each call locks the surface and its height sources.
class SharedSurface {
  public:
    SharedSurface(const Topology& mesh, int threads) : topology(mesh), coarse(mesh), surface(mesh, threads) {
        // starts with all vertices at one point, so that queries before the first update return values
        surface.update(zeros(mesh), {}, {});
    }
    SharedSurface(const Refinement& refinement, int threads)
        : topology(refinement.topology()), coarse(refinement.coarse()), surface(refinement, threads) {
        surface.update({zeros(topology), zeros(coarse)}, {}, {});
    }

    bool is_refined() const { return &topology != &coarse; }

    // Calls work() while the surface and all its sources are locked. Sources are locked in the order of their
    // addresses, so that two surfaces with common sources cannot deadlock.
    template <class Work>
    auto alone(const Work& work) {
        const std::scoped_lock lock(mutex);
        std::vector<SharedSource*> ordered;
        for (const auto& source : sources) {
            ordered.push_back(source.get());
        }
        std::ranges::sort(ordered);
        ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
        // duplicate sources are removed, because a mutex must not be locked twice
        std::vector<std::unique_lock<std::mutex>> locks;
        for (SharedSource* source : ordered) {
            locks.emplace_back(source->mutex);
        }
        return work();
    }

    const Topology &topology, &coarse;
    Surface surface;
    std::vector<std::shared_ptr<SharedSource>> sources;
    DrawOrder order;
    std::vector<Word> table;
    std::mutex mutex;

  private:
    static std::vector<Vector3> zeros(const Topology& mesh) {
        return std::vector<Vector3>(static_cast<std::size_t>(mesh.vertex_count), Vector3(0.0f, 0.0f, 0.0f));
    }
};

// mesh: a Topology or a Refinement
std::unique_ptr<SharedSurface> make_surface(MeshObject mesh, int threads) {
    require_threads(threads);
    // one constructor in Python accepts both types
    return py::isinstance<Refinement>(mesh) ? std::make_unique<SharedSurface>(mesh.cast<const Refinement&>(), threads)
                                            : std::make_unique<SharedSurface>(mesh.cast<const Topology&>(), threads);
}

void require_levels(std::span<const std::int32_t> levels) {
    for (std::size_t edge = 0; edge < levels.size(); ++edge) {
        if (levels[edge] < 1 || levels[edge] > most_surface_level) {
            throw std::invalid_argument("edge_levels: edge " + std::to_string(edge) + " has level " +
                                        std::to_string(levels[edge]) + ", allowed are 1 to " +
                                        std::to_string(most_surface_level));
        }
    }
}

void require_mask(std::span<const float> mask) {
    for (const float share : mask) {
        if (!(share >= 0.0f && share <= 1.0f)) {
            throw std::invalid_argument("mask: expected numbers in [0, 1], got " + std::to_string(share));
        }
    }
}

// Returns the viewpoint from an array (4): position of the eye, and the gap.
Viewpoint require_viewpoint(py::handle numbers) {
    const auto array = copy_finite(numbers, "viewpoint", {4});
    const float* v = array.data();
    if (!(v[3] > 0.0f)) {
        throw std::invalid_argument("viewpoint: expected a gap above 0 as the fourth number, got " + std::to_string(v[3]));
    }
    return {Vector3(v[0], v[1], v[2]), v[3]};
}

SurfaceOptions require_options(float edge_length, bool curved, int base_level) {
    if (!(std::isfinite(edge_length) && edge_length >= 0.0f)) {
        throw std::invalid_argument("edge_length: expected a finite length of at least 0, got " + std::to_string(edge_length));
    }
    if (base_level < 1 || base_level > most_surface_level) {
        throw std::invalid_argument("base_level: expected an integer in [1, " + std::to_string(most_surface_level) + "], got " +
                                    std::to_string(base_level));
    }
    return {.curved = curved, .base_level = base_level, .edge_length = edge_length};
}

void require_sources(const std::vector<std::shared_ptr<SharedSource>>& sources, int face_count) {
    for (const auto& source : sources) {
        if (source->face_count() != face_count) {
            throw std::invalid_argument("sources: expected heights over " + std::to_string(face_count) + " coarse faces, got " +
                                        std::to_string(source->face_count()));
        }
    }
}

void update(SharedSurface& shared, Array<float> positions, std::vector<std::shared_ptr<SharedSource>> sources, float edge_length,
            bool curved, int base_level, ArrayOrNone<float> viewpoint, ArrayOrNone<int> edge_levels,
            ArrayOrNone<float> coarse_positions, ArrayOrNone<float> mask) {
    const auto points = copy_finite(positions, "positions", {Extent("V", shared.topology.vertex_count), 3});
    SurfaceOptions options = require_options(edge_length, curved, base_level);
    // sources must belong to a mesh with equally many faces, because they use coarse face numbers as indices
    require_sources(sources, shared.coarse.face_count());
    if (!viewpoint.is_none()) {
        options.viewpoint = require_viewpoint(viewpoint);
    }
    const Extent coarse("V", shared.coarse.vertex_count);
    const auto fixed = optional_array<std::int32_t>(edge_levels, "edge_levels", {Extent("E", shared.topology.edge_count())});
    options.edge_levels = items<std::int32_t>(fixed);
    require_levels(options.edge_levels);
    const auto shares = optional_finite(mask, "mask", {coarse});
    options.mask = items<float>(shares);
    require_mask(options.mask);
    const auto flat = shared.is_refined() ? copy_finite(coarse_positions, "coarse_positions", {coarse, 3}) : points;
    without_gil([&] {
        {
            // after the swap, the old sources are destroyed at the end of this call, with the GIL held
            const std::scoped_lock lock(shared.mutex);
            shared.sources.swap(sources);
        }
        shared.alone([&] {
            // the list of views is rebuilt in each update, because an update of a source may move its arrays
            std::vector<HeightSource> views;
            for (const auto& source : shared.sources) {
                views.push_back(source->source());
            }
            if (shared.is_refined()) {
                shared.surface.update({items<Vector3>(points), items<Vector3>(flat)}, views, options);
            } else {
                shared.surface.update(items<Vector3>(points), views, options);
            }
        });
    });
}

// Arguments of a query, checked: faces of the surface's mesh, and barycentric coordinates.
struct Points {
    Points(const SharedSurface& shared, py::handle where, py::handle weights)
        : faces(copy_array<std::int32_t>(where, "faces", {"N"})),
          barycentric(copy_finite(weights, "barycentric", {Extent("N", faces.size()), 3})) {
        require_indices(items<std::int32_t>(faces), shared.topology.face_count(), "faces");
        const auto rows = items<Vector3>(barycentric);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            require_weights(rows[row], row);
        }
    }

    py::array_t<std::int32_t> faces;
    py::array_t<float> barycentric;
};

// Heights (N,) and gradients (N, 3) that Python has computed; empty for None.
struct Samples {
    Samples(py::handle given_heights, py::handle given_gradients, py::ssize_t count) {
        if (!given_heights.is_none()) {
            heights = require_finite(given_heights, "heights", {Extent("N", count)});
            gradients = require_finite(given_gradients, "gradients", {Extent("N", count), 3});
        }
    }
    HeightSamples spans() const { return {items<float>(heights), items<Vector3>(gradients)}; }

    py::array_t<float> heights, gradients;
};

py::typing::Tuple<Floats, Floats, Floats> evaluate(SharedSurface& shared, Array<int> faces, Array<float> barycentric,
                                                   ArrayOrNone<float> heights, ArrayOrNone<float> gradients) {
    const Points points(shared, faces, barycentric);
    const py::ssize_t count = points.faces.size();
    const Samples samples(heights, gradients, count);
    // creates the arrays with the GIL, then fills them without the GIL
    auto positions = new_array<float>({count, 3}), normals = new_array<float>({count, 3}), above = new_array<float>({count});
    const SurfacePoints result{mutable_items<Vector3>(positions), mutable_items<Vector3>(normals), mutable_items<float>(above)};
    without_gil([&] {
        shared.alone([&] {
            shared.surface.evaluate(items<std::int32_t>(points.faces), items<Vector3>(points.barycentric), result,
                                    samples.spans());
        });
    });
    return py::make_tuple(positions, normals, above);
}

py::typing::Tuple<Ints, Floats> locate(SharedSurface& shared, Array<int> faces, Array<float> barycentric) {
    const Points points(shared, faces, barycentric);
    auto coarse_faces = new_array<std::int32_t>({points.faces.size()});
    auto weights = new_array<float>({points.faces.size(), 3});
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.surface.locate(items<std::int32_t>(points.faces), items<Vector3>(points.barycentric),
                              mutable_items<std::int32_t>(coarse_faces), mutable_items<Vector3>(weights));
    });
    return py::make_tuple(coarse_faces, weights);
}

std::unique_ptr<FineMesh> plan(SharedSurface& shared) {
    return without_gil([&] {
        auto fine = std::make_unique<FineMesh>();
        const std::scoped_lock lock(shared.mutex);
        shared.surface.plan(*fine);
        return fine;
    });
}

// Returns the displaced fine mesh. heights, gradients: values from Python for each fine vertex at the current levels,
// or None.
std::unique_ptr<FineMesh> displace(SharedSurface& shared, ArrayOrNone<float> heights, ArrayOrNone<float> gradients) {
    const py::ssize_t count = heights.is_none() ? 0 : static_cast<py::ssize_t>(py::len(heights));
    const Samples samples(heights, gradients, count);
    return without_gil([&] {
        return shared.alone([&] {
            auto fine = std::make_unique<FineMesh>();
            // the count is checked under the lock, because another thread may have changed the levels since the heights
            // were computed
            if (count > 0 && shared.surface.fine_vertex_count() != static_cast<std::size_t>(count)) {
                throw std::invalid_argument("heights: expected one for each of " +
                                            std::to_string(shared.surface.fine_vertex_count()) + " fine vertices, got " +
                                            std::to_string(count));
            }
            shared.surface.displace(*fine, samples.spans());
            return fine;
        });
    });
}

// Writes the GPU table into the first rows of a uint32 array (N, 4), one texel per row; writes nothing if the array is
// too short. Returns the first row of each source, and then the total number of rows.
std::vector<std::size_t> write_texels(SharedSurface& shared, py::array_t<Word, py::array::c_style> texels) {
    // mutable_data throws for a read-only array, so it is called while the GIL is held
    const std::span<Word> room(texels.mutable_data(), static_cast<std::size_t>(texels.size()));
    return without_gil([&] {
        return shared.alone([&] {
            std::size_t carried_words = 0;
            for (const auto& source : shared.sources) {
                carried_words = std::max(carried_words, source->carried_words());
            }
            shared.surface.write_texels(shared.table, carried_words);
            std::vector<std::size_t> firsts = {shared.table.size() / texel_words};
            for (const auto& source : shared.sources) {
                source->append_texels(shared.table);
                firsts.push_back(shared.table.size() / texel_words);
            }
            if (shared.table.size() <= room.size()) {
                std::copy(shared.table.begin(), shared.table.end(), room.begin());
            }
            return firsts;
        });
    });
}

// Writes corners in drawing order into an int32 array (T, 3). Returns for each draw call: first face, number of faces,
// and true if these faces need tessellation.
py::typing::List<py::typing::Tuple<int, int, bool>> order(SharedSurface& shared, const std::array<float, 3>& toward_eye,
                                                          std::int64_t vertices_per_draw,
                                                          py::array_t<std::int32_t, py::array::c_style> corners) {
    if (corners.size() != 3 * static_cast<py::ssize_t>(shared.topology.faces.size())) {
        throw std::invalid_argument("corners: expected three for each of " + std::to_string(shared.topology.faces.size()) +
                                    " faces, got " + std::to_string(corners.size()));
    }
    std::int32_t* result = corners.mutable_data();
    const std::vector<DrawOrder::Draw> draws = without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.surface.order({toward_eye[0], toward_eye[1], toward_eye[2]}, vertices_per_draw, shared.order);
        // the corners are copied into the caller's array, which is uploaded to the graphics card
        std::copy_n(shared.order.corners[0].data(), 3 * shared.order.corners.size(), result);
        return shared.order.draws;
    });
    py::list listed;
    for (const DrawOrder::Draw& draw : draws) {
        listed.append(py::make_tuple(draw.first, draw.count, draw.divided));
    }
    return listed;
}

// Returns the getter of a property. It copies one result of the last update; later updates do not change the copy.
template <class Scalar, class Part>
auto copy_of(Part (Surface::*part)() const, std::initializer_list<py::ssize_t> entry) {
    return [part, entry = std::vector<py::ssize_t>(entry)](SharedSurface& shared) {
        return locked_copy<Scalar>(shared.mutex, [&] { return (shared.surface.*part)(); }, entry);
    };
}

// Returns the moved positions (N, 3) of a fine mesh.
py::array_t<float> fit_positions(Array<float> positions, Array<int> faces, Array<float> corner_normals, Array<float> shares,
                                 float length, float stiffness, int rounds, int steps) {
    const auto given = copy_finite(positions, "positions", {"N", 3});
    const auto corners = require_faces(faces);
    const auto normals = require_finite(corner_normals, "corner_normals", {Extent("M", corners.shape(0)), 3, 3});
    const auto parts = require_finite(shares, "shares", {Extent("N", given.shape(0))});
    require_indices(items<std::int32_t>(corners), given.shape(0), "faces");
    require_above(stiffness, 0.0f, "stiffness", "a finite number above 0");
    require_above(length, 0.0f, "length", "a finite length above 0");
    return computed<float, Vector3>({given.shape(0), 3}, [&](auto moved) {
        std::ranges::copy(items<Vector3>(given), moved.begin());
        fit_to_normals(items<Face>(corners), items<std::array<Vector3, 3>>(normals), items<float>(parts),
                       {length, stiffness, rounds, steps}, moved);
    });
}

// Returns the vectors (V, 3) from the vertices of a mesh to the limit surface of its subdivision.
py::array_t<float> offsets_to_limit(const Topology& topology, Array<float> positions) {
    const auto given = copy_finite(positions, "positions", {topology.vertex_count, 3});
    return computed<float, Vector3>({given.shape(0), 3}, [&](auto offsets) {
        std::ranges::copy(limit_offsets(topology, items<Vector3>(given)), offsets.begin());
    });
}

}  // namespace

void bind_surface(py::module_& module) {
    py::class_<FineMesh>(module, "FineMesh")
        .def_property_readonly("positions", view_of<float>(&FineMesh::positions))
        .def_property_readonly("normals", view_of<float>(&FineMesh::normals))
        .def_property_readonly("heights", view_of<float>(&FineMesh::heights))
        .def_property_readonly("coarse_faces", view_of<std::int32_t>(&FineMesh::coarse_faces))
        .def_property_readonly("barycentric", view_of<float>(&FineMesh::barycentric))
        .def_property_readonly("faces", view_of<std::int32_t>(&FineMesh::faces))
        .def_property_readonly("face_coarse_faces", view_of<std::int32_t>(&FineMesh::face_coarse_faces));

    module.def("fit_to_normals", &fit_positions,
               Names("positions, faces, corner_normals, shares, *, length, stiffness, rounds, steps"));
    module.def("limit_offsets", &offsets_to_limit, Names("topology, positions"));

    py::class_<Refinement>(module, "Refinement")
        .def(py::init(&make_refinement), Names("topology, faces, coarse_faces, barycentric"), py::keep_alive<1, 2>())
        .def_property_readonly("topology", &Refinement::topology, py::return_value_policy::reference_internal)
        .def("area_gains", &area_gains, Names("positions, coarse_positions"));

    py::class_<SharedSurface>(module, "Surface")
        .def(py::init(&make_surface), Names("mesh, *, threads"), py::keep_alive<1, 2>())
        .def("update", &update,
             Names("positions, sources, *, edge_length, curved, base_level, viewpoint, edge_levels, coarse_positions, "
                   "mask=None"))
        .def("plan", &plan)
        .def("displace", &displace, Names("heights=None, gradients=None"))
        .def("locate", &locate, Names("faces, barycentric"))
        .def("evaluate", &evaluate, Names("faces, barycentric, heights=None, gradients=None"))
        .def("write_texels", &write_texels, Names("texels!"))
        .def("order", &order, Names("toward_eye, *, vertices_per_draw, corners!"))
        .def_property_readonly("edge_levels", copy_of<std::int32_t>(&Surface::edge_levels, {}))
        .def_property_readonly("levels", copy_of<float>(&Surface::levels, {4}))
        .def_property_readonly("vertex_normals", copy_of<float>(&Surface::vertex_normals, {3}))
        .def_property_readonly("corner_normals", copy_of<float>(&Surface::corner_normals, {3, 3}))
        .def_property_readonly("crowding", copy_of<float>(&Surface::crowding, {2}))
        .def_property_readonly("vertex_roundness", copy_of<float>(&Surface::vertex_roundness, {}));
}

}  // namespace ruckle::bindings
