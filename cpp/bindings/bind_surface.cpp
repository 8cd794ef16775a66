// The surface stage: Surface, FineMesh.
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>

#include <pybind11/stl.h>

#include "array.h"
#include "ruckle/paths/path_heights.h"
#include "ruckle/surface/surface.h"
#include "wrinkle_row.h"

namespace ruckle::bindings {

namespace {

// A Surface that Python threads may share: each call has it alone.
struct SharedSurface {
    SharedSurface(const Topology& mesh, int threads) : topology(mesh), heights(mesh, threads), surface(mesh, threads) {
        surface.update(std::vector<Vector3>(static_cast<std::size_t>(mesh.vertex_count), Vector3(0.0f, 0.0f, 0.0f)), {}, {});
    }

    const Topology& topology;
    PathHeights heights;
    Surface surface;
    std::vector<Wrinkle> wrinkles;
    DrawOrder order;
    std::mutex mutex;
};

std::unique_ptr<SharedSurface> make_surface(const Topology& topology, int threads) {
    if (threads < 1) {
        throw std::invalid_argument("threads: expected an integer of at least 1, got " + std::to_string(threads));
    }
    return std::make_unique<SharedSurface>(topology, threads);
}

// Wrinkles as arrays: vertices of wrinkle i are [offsets[i], offsets[i + 1]).
struct PackedWrinkles {
    PackedWrinkles(py::handle vertex_offsets, py::handle vertex_edges, py::handle vertex_t, py::handle vertex_faces,
                   py::handle vertex_heights, py::handle wrinkle_profiles)
        : offsets(require_array<std::int32_t>(vertex_offsets, "offsets", {"W + 1"})),
          edges(require_array<std::int32_t>(vertex_edges, "edges", {"n"})),
          t(require_finite(vertex_t, "t", {Extent("n", edges.size())})),
          faces(require_array<std::int32_t>(vertex_faces, "faces", {Extent("n", edges.size())})),
          heights(require_finite(vertex_heights, "heights", {Extent("n", edges.size())})),
          profiles(require_array<ProfileRow>(wrinkle_profiles, "profiles", {Extent("W", offsets.size() - 1)})) {
        bool sound = offsets.size() > 0 && offsets.data()[0] == 0 && offsets.data()[offsets.size() - 1] == edges.size();
        for (py::ssize_t i = 0; sound && i + 1 < offsets.size(); ++i) {
            sound = offsets.data()[i] <= offsets.data()[i + 1];
        }
        if (!sound) {
            throw std::invalid_argument("offsets: expected numbers that rise from 0 to the number of vertices, " +
                                        std::to_string(edges.size()));
        }
    }

    int count() const { return static_cast<int>(offsets.size()) - 1; }
    Wrinkle wrinkle(int i) const {
        const auto first = static_cast<std::size_t>(offsets.data()[i]),
                   size = static_cast<std::size_t>(offsets.data()[i + 1]) - first;
        const ProfileRow& profile = profiles.data()[i];
        Wrinkle result{};
        result.width = profile.middle_width;
        result.perimeter = profile.perimeter;
        result.size.fade = profile.fade;
        result.cuts = profile.cuts;
        result.edges = items<std::int32_t>(edges).subspan(first, size);
        result.t = items<float>(t).subspan(first, size);
        result.faces = items<std::int32_t>(faces).subspan(first, size ? size - 1 : 0);
        result.heights = items<float>(heights).subspan(first, size);
        return result;
    }

    py::array_t<std::int32_t> offsets, edges;
    py::array_t<float> t;
    py::array_t<std::int32_t> faces;
    py::array_t<float> heights;
    py::array_t<ProfileRow> profiles;
};

bool names_sides(const Topology& topology, std::int32_t face, std::int32_t a, std::int32_t b) {
    if (face < 0 || face >= topology.face_count() || a == b) {
        return false;
    }
    const auto& sides = topology.face_edges[face];
    const auto has = [&](std::int32_t edge) { return sides[0] == edge || sides[1] == edge || sides[2] == edge; };
    return has(a) && has(b);
}

// The path must run over this mesh: one made on another, or before UV seams were joined, reads out of bounds.
void require_path(const Topology& topology, const Wrinkle& wrinkle, int number) {
    const std::string name = "wrinkles: wrinkle " + std::to_string(number);
    const auto count = static_cast<int>(wrinkle.edges.size());
    if (count < 2 || count > most_path_vertices) {
        throw std::invalid_argument(name + " has " + std::to_string(count) + " vertices, allowed are 2 to " +
                                    std::to_string(most_path_vertices));
    }
    for (int i = 0; i < count; ++i) {
        if (!(wrinkle.t[i] >= 0.0f && wrinkle.t[i] <= 1.0f)) {
            throw std::invalid_argument(name + " has t = " + std::to_string(wrinkle.t[i]) + " at vertex " + std::to_string(i) +
                                        "; t lies in [0, 1]");
        }
        if (i + 1 < count && !names_sides(topology, wrinkle.faces[i], wrinkle.edges[i], wrinkle.edges[i + 1])) {
            throw std::invalid_argument(name + " does not run over this mesh: its vertices " + std::to_string(i) + " and " +
                                        std::to_string(i + 1) + " do not lie on two edges of face " +
                                        std::to_string(wrinkle.faces[i]) +
                                        "; pass the faces from which its Wrinkler was made, with UV seams welded if they were");
        }
    }
    for (const float measure : {wrinkle.width, wrinkle.perimeter, wrinkle.size.fade}) {
        if (!(std::isfinite(measure) && measure >= 0.0f)) {
            throw std::invalid_argument(name + " has a width, perimeter or fade of " + std::to_string(measure) +
                                        "; they are finite and at least 0");
        }
    }
    for (const float cut : wrinkle.cuts) {
        if (!(cut >= 0.0f && cut <= 1.0f)) {
            throw std::invalid_argument(name + " has a cut of " + std::to_string(cut) + "; cuts lie in [0, 1]");
        }
    }
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

// Eye and gap.
Viewpoint require_viewpoint(py::handle numbers) {
    const auto array = require_finite(numbers, "viewpoint", {4});
    const float* v = array.data();
    if (!(v[3] > 0.0f)) {
        throw std::invalid_argument("viewpoint: expected a gap above 0 after the eye, got " + std::to_string(v[3]));
    }
    return {Vector3(v[0], v[1], v[2]), v[3]};
}

void update(SharedSurface& shared, py::handle positions, py::handle offsets, py::handle edges, py::handle t, py::handle faces,
            py::handle heights, py::handle profiles, float edge_length, bool curved, int base_level, py::handle viewpoint,
            py::handle edge_levels) {
    const Topology& topology = shared.topology;
    const auto points = require_finite(positions, "positions", {Extent("V", topology.vertex_count), 3});
    const PackedWrinkles packed(offsets, edges, t, faces, heights, profiles);
    if (!(std::isfinite(edge_length) && (edge_length > 0.0f || (edge_length == 0.0f && packed.count() == 0)))) {
        throw std::invalid_argument("edge_length: expected a finite length above 0, got " + std::to_string(edge_length));
    }
    if (base_level < 1 || base_level > most_surface_level) {
        throw std::invalid_argument("base_level: expected an integer in [1, " + std::to_string(most_surface_level) + "], got " +
                                    std::to_string(base_level));
    }
    py::array_t<std::int32_t> fixed;
    SurfaceOptions options{.curved = curved, .base_level = base_level, .edge_length = edge_length};
    if (!viewpoint.is_none()) {
        options.viewpoint = require_viewpoint(viewpoint);
    }
    if (!edge_levels.is_none()) {
        fixed = require_array<std::int32_t>(edge_levels, "edge_levels", {Extent("E", topology.edge_count())});
        options.edge_levels = items<std::int32_t>(fixed);
        require_levels(options.edge_levels);
    }
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.wrinkles.clear();
        for (int i = 0; i < packed.count(); ++i) {
            shared.wrinkles.push_back(packed.wrinkle(i));
            require_path(topology, shared.wrinkles.back(), i);
        }
        shared.heights.update(items<Vector3>(points), shared.wrinkles, edge_length);
        shared.surface.update(items<Vector3>(points), std::array{source_of(shared.heights)}, options);
    });
}

py::tuple evaluate(SharedSurface& shared, py::handle faces, py::handle barycentric) {
    const auto where = require_array<std::int32_t>(faces, "faces", {"N"});
    const auto weights = require_finite(barycentric, "barycentric", {Extent("N", where.size()), 3});
    for (const std::int32_t face : items<std::int32_t>(where)) {
        if (face < 0 || face >= shared.topology.face_count()) {
            throw std::invalid_argument("faces: expected numbers from 0 to " + std::to_string(shared.topology.face_count() - 1) +
                                        ", got " + std::to_string(face));
        }
    }
    auto positions = new_array<float>({where.size(), 3}), normals = new_array<float>({where.size(), 3});
    auto heights = new_array<float>({where.size()});
    const SurfacePoints result{mutable_items<Vector3>(positions), mutable_items<Vector3>(normals), mutable_items<float>(heights)};
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.surface.evaluate(items<std::int32_t>(where), items<Vector3>(weights), result);
    });
    return py::make_tuple(positions, normals, heights);
}

std::unique_ptr<FineMesh> displace(SharedSurface& shared) {
    return without_gil([&] {
        auto fine = std::make_unique<FineMesh>();
        const std::scoped_lock lock(shared.mutex);
        shared.surface.displace(*fine);
        return fine;
    });
}

// Fills the first rows of a float32 array (N, 4), which stays as it is where it is too short; how many rows there are to fill.
std::size_t write_texels(SharedSurface& shared, py::array_t<float, py::array::c_style> texels) {
    float* rows = texels.mutable_data();
    const std::span<Texel> room(reinterpret_cast<Texel*>(rows), static_cast<std::size_t>(texels.size()) / 4);
    return without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        const std::size_t count = surface_texel_count(shared.topology) + shared.heights.texel_count();
        if (count <= room.size()) {
            shared.surface.write_texels(room);
            shared.heights.write_texels(room);
        }
        return count;
    });
}

// Corners in the order of drawing into an int32 array (T, 3); of each draw the first face, how many, and whether they are divided.
py::list order(SharedSurface& shared, const std::array<float, 3>& toward_eye, std::int64_t vertices_per_draw,
               py::array_t<std::int32_t, py::array::c_style> corners) {
    const std::scoped_lock lock(shared.mutex);
    shared.surface.order({toward_eye[0], toward_eye[1], toward_eye[2]}, vertices_per_draw, shared.order);
    if (corners.size() != 3 * static_cast<py::ssize_t>(shared.order.corners.size())) {
        throw std::invalid_argument("corners: expected three for each of " + std::to_string(shared.order.corners.size()) +
                                    " faces, got " + std::to_string(corners.size()));
    }
    std::memcpy(corners.mutable_data(), shared.order.corners.data(), static_cast<std::size_t>(corners.nbytes()));
    py::list draws;
    for (const DrawOrder::Draw& draw : shared.order.draws) {
        draws.append(py::make_tuple(draw.first, draw.count, draw.divided));
    }
    return draws;
}

template <class Scalar, class Item>
auto view_of(std::vector<Item> FineMesh::* part) {
    return [part](py::object self) {
        const std::vector<Item>& values = self.cast<const FineMesh&>().*part;
        const auto count = static_cast<py::ssize_t>(values.size());
        if constexpr (sizeof(Item) == sizeof(Scalar)) {
            return view<Scalar>(values.data(), {count}, self);
        } else {
            return view<Scalar>(values.data(), {count, static_cast<py::ssize_t>(sizeof(Item) / sizeof(Scalar))}, self);
        }
    };
}

// A copy of part of the last update: it stays as it is when the next one comes.
template <class Scalar, class Whole, class Item>
auto copy_of(Whole SharedSurface::* whole, std::span<const Item> (Whole::*part)() const, py::ssize_t rows, py::ssize_t columns) {
    return [whole, part, rows, columns](SharedSurface& shared) {
        const py::gil_scoped_release release;
        const std::scoped_lock lock(shared.mutex);
        const std::span<const Item> values = (shared.*whole.*part)();
        const auto count = static_cast<py::ssize_t>(values.size());
        const py::gil_scoped_acquire acquire;
        py::array_t<Scalar> array(rows      ? py::array::ShapeContainer{count, rows, columns}
                                  : columns ? py::array::ShapeContainer{count, columns}
                                            : py::array::ShapeContainer{count});
        std::copy_n(reinterpret_cast<const Scalar*>(values.data()), array.size(), array.mutable_data());
        py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
        return array;
    };
}

}  // namespace

void bind_surface(py::module_& module) {
    PYBIND11_NUMPY_DTYPE(ProfileRow, middle_width, perimeter, fade, cuts);
    module.attr("PROFILE") = py::dtype::of<ProfileRow>();

    py::class_<FineMesh>(module, "FineMesh")
        .def_property_readonly("positions", view_of<float>(&FineMesh::positions))
        .def_property_readonly("normals", view_of<float>(&FineMesh::normals))
        .def_property_readonly("heights", view_of<float>(&FineMesh::heights))
        .def_property_readonly("coarse_faces", view_of<std::int32_t>(&FineMesh::coarse_faces))
        .def_property_readonly("barycentric", view_of<float>(&FineMesh::barycentric))
        .def_property_readonly("faces", view_of<std::int32_t>(&FineMesh::faces))
        .def_property_readonly("face_coarse_faces", view_of<std::int32_t>(&FineMesh::face_coarse_faces));

    py::class_<SharedSurface>(module, "Surface")
        .def(py::init(&make_surface), py::arg("topology"), py::kw_only(), py::arg("threads"), py::keep_alive<1, 2>())
        .def("update", &update, py::arg("positions"), py::arg("offsets"), py::arg("edges"), py::arg("t"), py::arg("faces"),
             py::arg("heights"), py::arg("profiles"), py::kw_only(), py::arg("edge_length"), py::arg("curved"),
             py::arg("base_level"), py::arg("viewpoint").none(true), py::arg("edge_levels").none(true))
        .def("displace", &displace)
        .def("evaluate", &evaluate, py::arg("faces"), py::arg("barycentric"))
        .def("write_texels", &write_texels, py::arg("texels").noconvert())
        .def("order", &order, py::arg("toward_eye"), py::kw_only(), py::arg("vertices_per_draw"), py::arg("corners").noconvert())
        .def_property_readonly("curve_vertices", copy_of<float>(&SharedSurface::heights, &PathHeights::curve_vertices, 3, 4))
        .def_property_readonly("face_offsets", copy_of<std::int32_t>(&SharedSurface::heights, &PathHeights::face_offsets, 0, 0))
        .def_property_readonly("face_segments", copy_of<std::int32_t>(&SharedSurface::heights, &PathHeights::face_segments, 0, 0))
        .def_property_readonly("edge_levels", copy_of<std::int32_t>(&SharedSurface::surface, &Surface::edge_levels, 0, 0))
        .def_property_readonly("levels", copy_of<float>(&SharedSurface::surface, &Surface::levels, 0, 4))
        .def_property_readonly("vertex_normals", copy_of<float>(&SharedSurface::surface, &Surface::vertex_normals, 0, 3))
        .def_property_readonly("corner_normals", copy_of<float>(&SharedSurface::surface, &Surface::corner_normals, 3, 3))
        .def_property_readonly("vertex_roundness", copy_of<float>(&SharedSurface::surface, &Surface::vertex_roundness, 0, 0));
}

}  // namespace ruckle::bindings
