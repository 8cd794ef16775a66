#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <vector>

#include "array.h"
#include "ruckle/simulation/crossings.h"
#include "ruckle/simulation/simulated.h"

namespace ruckle::bindings {

namespace {

// A ClothSimulation that Python threads may share: each call has it alone.
struct SharedCloth {
    SharedCloth(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                const ClothOptions& options)
        : cloth(rest, faces, attachment, options) {}

    ClothSimulation cloth;
    // what a frame must bring from now on: its arrays are checked before the mutex is taken
    int body_vertex_count = 0, test_count = 0;
    std::mutex mutex;
};

// Does work with the simulation alone: never waits for it with the GIL, which its owner needs to finish.
template <class Shared, class Work>
auto alone(Shared& shared, const Work& work) {
    return without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        return work();
    });
}

// Cloth that somebody wears; each call has it alone.
struct SharedWorn {
    SharedWorn(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
               const Wearer& wearer, const ClothOptions& options)
        : simulated(rest, faces, attachment, wearer, options) {}

    Simulated simulated;
    std::mutex mutex;
};

// An argument that may be None, as an array or as an empty one.
py::array_t<float> optional_array(py::handle value, const char* name, std::initializer_list<Extent> shape) {
    return value.is_none() ? py::array_t<float>(0) : copy_array<float>(value, name, shape);
}

std::unique_ptr<ClothOptions> make_options(const ClothMaterial& material, int substeps, int strain_sweeps, float compression,
                                           bool rest_curvature, float attachment_rate, py::handle gravity, float margin,
                                           float contact_spacing, float self_distance, bool record_substeps, int threads) {
    const auto down = copy_finite(gravity, "gravity", {3});
    return std::make_unique<ClothOptions>(ClothOptions{.material = material,
                                                       .substeps = substeps,
                                                       .strain_sweeps = strain_sweeps,
                                                       .compression = compression,
                                                       .rest_curvature = rest_curvature,
                                                       .attachment_rate = attachment_rate,
                                                       .gravity = items<Vector3>(down)[0],
                                                       .margin = margin,
                                                       .contact_spacing = contact_spacing,
                                                       .self_distance = self_distance,
                                                       .record_substeps = record_substeps,
                                                       .threads = threads});
}

std::unique_ptr<SharedCloth> make_cloth(py::handle rest, py::handle faces, py::handle attachment, const ClothOptions& options) {
    const auto points = copy_finite(rest, "rest", {"V", 3});
    const auto indices = require_faces(faces);
    const auto shares = optional_array(attachment, "attachment", {Extent("V", points.shape(0))});
    return without_gil([&] {
        return std::make_unique<SharedCloth>(items<Vector3>(points), items<Face>(indices), items<float>(shares), options);
    });
}

std::unique_ptr<SharedWorn> make_worn(py::handle rest, py::handle faces, py::handle attachment, py::handle weights,
                                      py::handle cones, py::handle cone_bones, py::handle body, py::handle body_faces,
                                      py::handle body_weights, const ClothOptions& options) {
    const auto points = copy_finite(rest, "rest", {"V", 3});
    const auto indices = require_faces(faces);
    const auto shares = optional_array(attachment, "attachment", {Extent("V", points.shape(0))});
    const auto skin = copy_finite(weights, "weights", {Extent("V", points.shape(0)), "B"});
    const Extent bone_count("B", skin.shape(1));
    const auto limbs = copy_finite(cones, "cones", {"C", 8});
    const auto owners = copy_array<std::int32_t>(cone_bones, "cone_bones", {Extent("C", limbs.shape(0))});
    const auto figure = copy_finite(body, "body", {"N", 3});
    const auto figure_faces = copy_array<std::int32_t>(body_faces, "body_faces", {"M", 3});
    const auto figure_skin = copy_finite(body_weights, "body_weights", {Extent("N", figure.shape(0)), bone_count});
    const Wearer wearer{.bone_count = require_vertex_count(skin.shape(1)),
                        .weights = items<float>(skin),
                        .cones = items<RoundedCone>(limbs),
                        .cone_bones = items<std::int32_t>(owners),
                        .body_faces = items<Face>(figure_faces),
                        .body = items<Vector3>(figure),
                        .body_weights = items<float>(figure_skin)};
    return without_gil([&] {
        return std::make_unique<SharedWorn>(items<Vector3>(points), items<Face>(indices), items<float>(shares), wearer, options);
    });
}

[[noreturn]] void throw_refused(ClothStatus status, const ClothSimulation& cloth, float dt) {
    const std::string where = "frame " + std::to_string(cloth.frame_count()) + ": ";
    const std::string vertex = std::to_string(cloth.stats().refused_vertex);
    std::array<char, 80> sentence{};
    switch (status) {
        case ClothStatus::wrong_time:
            // without Python's own formatting: the lock is released here
            std::snprintf(sentence.data(), sentence.size(), "dt: expected a finite number of seconds of at least 1e-9, got %g",
                          static_cast<double>(dt));
            throw std::invalid_argument(sentence.data());
        // every other count was checked with its array: only that of cones depends on the frames before
        case ClothStatus::wrong_count:
            throw std::invalid_argument(where + "cones: expected as many as in the frames before, and at most 128");
        case ClothStatus::not_finite:
            throw MeshError(
                where +
                "every pin of an attached vertex, wind, cone, body vertex and target must be finite, and no radius below 0");
        default:
            throw MeshError(
                where + "the cloth explodes at vertex " + vertex +
                ", where an edge is longer than three times its rest length; smaller steps, a slower motion or a start "
                "outside of the body help");
    }
}

py::array_t<float> positions_of(SharedCloth& shared) {
    auto array = new_array<float>({shared.cloth.vertex_count(), 3});
    alone(shared, [&, out = mutable_items<Vector3>(array)] { shared.cloth.positions(out); });
    return array;
}

// The mesh of a body may be given once, and then must be in every frame; test functions likewise.
void collide_with(SharedCloth& shared, py::handle faces, py::ssize_t vertex_count) {
    const auto indices = copy_array<std::int32_t>(faces, "body_faces", {"T", 3});
    const int count = require_vertex_count(vertex_count);
    alone(shared, [&] {
        shared.cloth.collide_with(items<Face>(indices), count);
        shared.body_vertex_count = count;
    });
}

void track(SharedCloth& shared, py::handle tests) {
    const auto rows = copy_finite(tests, "tests", {"R", Extent("V", shared.cloth.vertex_count())});
    const int count = require_vertex_count(rows.shape(0));
    alone(shared, [&] {
        shared.cloth.track(items<float>(rows), count);
        shared.test_count = count;
    });
}

py::array_t<float> step_cloth(SharedCloth& shared, float dt, py::handle pins, py::handle wind, py::handle cones, py::handle body,
                              py::handle targets, float extra_damping) {
    const auto vertex_count = static_cast<py::ssize_t>(shared.cloth.vertex_count());
    const auto pinned = optional_array(pins, "pins", {Extent("V", vertex_count), 3});
    const auto air = optional_array(wind, "wind", {"V", 3});
    // either of two extents, which no shape in a message can say
    if (air.ndim() == 2 && air.shape(0) != 1 && air.shape(0) != vertex_count) {
        throw std::invalid_argument("wind: expected 1 or " + std::to_string(vertex_count) + " vectors, got " +
                                    std::to_string(air.shape(0)));
    }
    const auto limbs = optional_array(cones, "cones", {"C", 8});
    const auto skin = body.is_none() && shared.body_vertex_count == 0
                          ? py::array_t<float>(0)
                          : copy_array<float>(body, "body", {Extent("B", shared.body_vertex_count), 3});
    const auto moments =
        targets.is_none() && shared.test_count == 0
            ? py::array_t<double>(0)
            : copy_array<double>(targets, "targets",
                                 {Extent("substeps", shared.cloth.options().substeps), Extent("R", shared.test_count), 3});
    const ClothInputs inputs{.dt = dt,
                             .pins = items<Vector3>(pinned),
                             .wind = items<Vector3>(air),
                             .cones = items<RoundedCone>(limbs),
                             .body = items<Vector3>(skin),
                             .targets = items<double>(moments),
                             .extra_damping = extra_damping};
    alone(shared, [&] {
        // thrown under the lock, because the sentence names a vertex and a frame that another thread may change
        if (const ClothStatus status = shared.cloth.step(inputs); status != ClothStatus::done) {
            throw_refused(status, shared.cloth, dt);
        }
    });
    return positions_of(shared);
}

py::array_t<float> step_worn(SharedWorn& shared, py::handle bones, float dt, py::handle wind) {
    const auto matrices = copy_array<float>(bones, "bones", {Extent("B", shared.simulated.bone_count()), 3, 4});
    const auto air = optional_array(wind, "wind", {1, 3});
    auto array = new_array<float>({shared.simulated.cloth().vertex_count(), 3});
    alone(shared, [&, out = mutable_items<Vector3>(array)] {
        const ClothStatus status = shared.simulated.step(items<BoneMatrix>(matrices), dt, items<Vector3>(air));
        if (status != ClothStatus::done) {
            throw_refused(status, shared.simulated.cloth(), dt);
        }
        std::ranges::copy(shared.simulated.positions(), out.begin());
    });
    return array;
}

void place(SharedCloth& shared, py::handle positions, py::handle velocities) {
    const Extent count("V", shared.cloth.vertex_count());
    const auto points = copy_finite(positions, "positions", {count, 3});
    const auto speeds = velocities.is_none() ? py::array_t<float>(0) : copy_finite(velocities, "velocities", {count, 3});
    alone(shared, [&] { shared.cloth.place(items<Vector3>(points), items<Vector3>(speeds)); });
}

py::dict energy(SharedCloth& shared) {
    const ClothEnergy energy = alone(shared, [&] { return shared.cloth.energy(); });
    py::dict result;
    result["kinetic"] = energy.kinetic;
    result["gravity"] = energy.gravity;
    result["stretch"] = energy.stretch;
    result["bending"] = energy.bending;
    return result;
}

py::dict to_dict(const ClothTimings& t) {
    py::dict result;
    result["air"] = t.air;
    result["edges"] = t.edges;
    result["bends"] = t.bends;
    result["self_contact"] = t.self_contact;
    result["strain"] = t.strain;
    result["tracking"] = t.tracking;
    result["bodies"] = t.bodies;
    result["other"] = t.other;
    result["total"] = t.total;
    return result;
}

py::dict to_dict(const ClothStats& s) {
    py::dict result;
    result["largest_speed"] = s.largest_speed;
    result["settled_share"] = s.settled_share;
    result["largest_edge_stretch"] = s.largest_edge_stretch;
    result["tracking_residual"] = s.tracking_residual;
    result["contact_residual"] = s.contact_residual;
    result["self_pairs"] = s.self_pair_count;
    result["dropped_pairs"] = s.dropped_pair_count;
    result["crossings"] = s.crossing_count;
    return result;
}

std::unique_ptr<ClothMaterial> make_material(float density, float stretch, float bending, float damping, float air_drag,
                                             float static_friction, float dynamic_friction, float thickness, float least_stretch,
                                             float largest_stretch) {
    return std::make_unique<ClothMaterial>(ClothMaterial{density, stretch, bending, damping, air_drag, static_friction,
                                                         dynamic_friction, thickness, least_stretch, largest_stretch});
}

py::dict material_presets() {
    py::dict presets;
    for (const NamedMaterial& named : cloth_materials()) {
        presets[named.name] = named.material;
    }
    return presets;
}

// Each as the two vertices of the edge, and the face.
py::array_t<std::int32_t> bind_find_crossings(py::handle positions, py::handle faces) {
    const auto points = copy_finite(positions, "positions", {"V", 3});
    const auto indices = require_faces(faces);
    std::vector<std::array<std::int32_t, 3>> rows;
    without_gil(
        [&, at = items<Vector3>(points), triangles = items<Face>(indices), count = require_vertex_count(points.shape(0))] {
            const Topology topology(triangles, count);
            for (const auto& [edge, face] : find_crossings(at, topology)) {
                const auto& [first, second] = topology.edges[static_cast<std::size_t>(edge)];
                rows.push_back({first, second, face});
            }
        });
    auto result = new_array<std::int32_t>({static_cast<py::ssize_t>(rows.size()), 3});
    std::copy(rows.begin(), rows.end(), mutable_items<std::array<std::int32_t, 3>>(result).begin());
    return result;
}

void bind_options(py::module_& module) {
    py::class_<ClothMaterial>(module, "ClothMaterial")
        .def(py::init(&make_material), py::kw_only(), py::arg("density"), py::arg("stretch"), py::arg("bending"),
             py::arg("damping"), py::arg("air_drag"), py::arg("static_friction"), py::arg("dynamic_friction"),
             py::arg("thickness"), py::arg("least_stretch"), py::arg("largest_stretch"))
        .def_readonly("density", &ClothMaterial::density)
        .def_readonly("stretch", &ClothMaterial::stretch)
        .def_readonly("bending", &ClothMaterial::bending)
        .def_readonly("damping", &ClothMaterial::damping)
        .def_readonly("air_drag", &ClothMaterial::air_drag)
        .def_readonly("static_friction", &ClothMaterial::static_friction)
        .def_readonly("dynamic_friction", &ClothMaterial::dynamic_friction)
        .def_readonly("thickness", &ClothMaterial::thickness)
        .def_readonly("least_stretch", &ClothMaterial::least_stretch)
        .def_readonly("largest_stretch", &ClothMaterial::largest_stretch);
    module.def("cloth_materials", &material_presets);
    module.def("find_crossings", &bind_find_crossings, py::arg("positions"), py::arg("faces"));

    py::class_<ClothOptions>(module, "ClothOptions")
        .def(py::init(&make_options), py::kw_only(), py::arg("material"), py::arg("substeps"), py::arg("strain_sweeps"),
             py::arg("compression"), py::arg("rest_curvature"), py::arg("attachment_rate"), py::arg("gravity"), py::arg("margin"),
             py::arg("contact_spacing"), py::arg("self_distance"), py::arg("record_substeps"), py::arg("threads"));
}

void bind_cloth(py::module_& module) {
    py::class_<SharedCloth>(module, "ClothSimulation")
        .def(py::init(&make_cloth), py::arg("rest"), py::arg("faces"), py::arg("attachment"), py::arg("options"))
        .def("step", &step_cloth, py::arg("dt"), py::arg("pins"), py::arg("wind"), py::arg("cones"), py::arg("body"),
             py::arg("targets"), py::arg("extra_damping"))
        .def("collide_with", &collide_with, py::arg("faces"), py::arg("vertex_count"))
        .def("track", &track, py::arg("tests"))
        .def("place", &place, py::arg("positions"), py::arg("velocities"))
        .def("state", [](SharedCloth& shared) { return bytes_of(alone(shared, [&] { return shared.cloth.state(); })); })
        .def(
            "restore",
            [](SharedCloth& shared, const py::bytes& state) {
                alone(shared, [&, bytes = state_view(state)] { shared.cloth.restore(bytes); });
            },
            py::arg("state"))
        .def_property_readonly("vertex_count", [](const SharedCloth& shared) { return shared.cloth.vertex_count(); })
        .def_property_readonly("frame_count",
                               [](SharedCloth& shared) { return alone(shared, [&] { return shared.cloth.frame_count(); }); })
        .def_property_readonly("positions", &positions_of)
        .def_property_readonly("velocities",
                               [](SharedCloth& shared) {
                                   auto array = new_array<float>({shared.cloth.vertex_count(), 3});
                                   alone(shared, [&, out = mutable_items<Vector3>(array)] { shared.cloth.velocities(out); });
                                   return array;
                               })
        .def_property_readonly("substep_positions",
                               [](SharedCloth& shared) {
                                   // copied under the lock first: arrays of Python are made with the GIL, which must not be
                                   // waited for there
                                   const auto all = alone(shared, [&] {
                                       const auto found = shared.cloth.substep_positions();
                                       return std::vector<Vector3>(found.begin(), found.end());
                                   });
                                   const auto vertex_count = static_cast<py::ssize_t>(shared.cloth.vertex_count());
                                   auto array =
                                       new_array<float>({static_cast<py::ssize_t>(all.size()) / vertex_count, vertex_count, 3});
                                   std::copy(all.begin(), all.end(), mutable_items<Vector3>(array).begin());
                                   return array;
                               })
        // fixed by the rest shape: no lock is needed
        .def_property_readonly("masses",
                               [](const SharedCloth& shared) {
                                   const auto masses = shared.cloth.masses();
                                   auto array = new_array<float>({static_cast<py::ssize_t>(masses.size())});
                                   std::copy(masses.begin(), masses.end(), array.mutable_data());
                                   return array;
                               })
        .def_property_readonly("energy", &energy)
        .def_property_readonly("timings",
                               [](SharedCloth& shared) { return to_dict(alone(shared, [&] { return shared.cloth.timings(); })); })
        .def_property_readonly("stats",
                               [](SharedCloth& shared) { return to_dict(alone(shared, [&] { return shared.cloth.stats(); })); });
}

void bind_worn(py::module_& module) {
    py::class_<SharedWorn>(module, "Simulated")
        .def(py::init(&make_worn), py::arg("rest"), py::arg("faces"), py::arg("attachment"), py::arg("weights"), py::arg("cones"),
             py::arg("cone_bones"), py::arg("body"), py::arg("body_faces"), py::arg("body_weights"), py::arg("options"))
        .def("step", &step_worn, py::arg("bones"), py::arg("dt"), py::arg("wind"))
        .def("reset", [](SharedWorn& shared) { alone(shared, [&] { shared.simulated.reset(); }); })
        .def("state", [](SharedWorn& shared) { return bytes_of(alone(shared, [&] { return shared.simulated.state(); })); })
        .def(
            "restore",
            [](SharedWorn& shared, const py::bytes& state) {
                alone(shared, [&, bytes = state_view(state)] { shared.simulated.restore(bytes); });
            },
            py::arg("state"))
        .def_property_readonly(
            "frame_count",
            [](SharedWorn& shared) { return alone(shared, [&] { return shared.simulated.cloth().frame_count(); }); })
        .def_property_readonly(
            "timings",
            [](SharedWorn& shared) { return to_dict(alone(shared, [&] { return shared.simulated.cloth().timings(); })); })
        .def_property_readonly(
            "stats", [](SharedWorn& shared) { return to_dict(alone(shared, [&] { return shared.simulated.cloth().stats(); })); });
}

}  // namespace

void bind_simulation(py::module_& module) {
    bind_options(module);
    bind_cloth(module);
    bind_worn(module);
}

}  // namespace ruckle::bindings
