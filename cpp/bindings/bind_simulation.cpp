// Simulated cloth: ClothSimulation, Simulated (cloth on an animated body), fabrics, find_crossings.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <vector>

#include "array.h"
#include "ruckle/simulation/crossings.h"
#include "ruckle/simulation/simulated.h"
#include "shared.h"
#include "tables.h"

namespace ruckle::bindings {

namespace {

struct SharedCloth : Shared<ClothSimulation> {
    using Shared::Shared;
    // Sizes of the arrays `body` and `targets` of later frames. They are stored here, because arguments are checked
    // before the mutex is locked.
    int body_vertex_count = 0, test_count = 0;
};

// Cloth on an animated body. Its state and frame count are those of its simulation.
using SharedWorn = Shared<Simulated>;

ClothOptions cloth_options(const MaterialDict& material, const OptionsDict& given) {
    ClothOptions options = options_from(cloth_parameters, given);
    options.material = options_from(material_parameters, material);
    return options;
}

std::unique_ptr<SharedCloth> make_cloth(Array<float> rest, Array<int> faces, ArrayOrNone<float> attachment,
                                        const MaterialDict& material, const OptionsDict& given) {
    const ClothOptions options = cloth_options(material, given);
    const auto points = copy_finite(rest, "rest", {"V", 3});
    const auto indices = require_faces(faces);
    const auto shares = optional_array<float>(attachment, "attachment", {Extent("V", points.shape(0))});
    return without_gil([&] {
        return std::make_unique<SharedCloth>(items<Vector3>(points), items<Face>(indices), items<float>(shares), options);
    });
}

std::unique_ptr<SharedWorn> make_worn(Array<float> rest, Array<int> faces, ArrayOrNone<float> attachment, Array<float> weights,
                                      Array<float> cones, Array<int> cone_bones, Array<float> body, Array<int> body_faces,
                                      Array<float> body_weights, const MaterialDict& material, const OptionsDict& given) {
    const ClothOptions options = cloth_options(material, given);
    const auto points = copy_finite(rest, "rest", {"V", 3});
    const auto indices = require_faces(faces);
    const auto shares = optional_array<float>(attachment, "attachment", {Extent("V", points.shape(0))});
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
            // the message is formatted without Python, because the GIL is released here
            std::snprintf(sentence.data(), sentence.size(), "dt: expected a finite number of seconds of at least 1e-9, got %g",
                          static_cast<double>(dt));
            throw std::invalid_argument(sentence.data());
        // only the number of cones can be wrong here, because it depends on earlier frames; other counts were checked
        // with their arrays
        case ClothStatus::wrong_count:
            throw std::invalid_argument(where + "cones: expected as many as in earlier frames, at most 128");
        case ClothStatus::not_finite:
            throw MeshError(
                where + "pins of attached vertices, wind, cones, body vertices and targets must be finite, and radii at least 0");
        default:
            throw MeshError(
                where + "the cloth explodes at vertex " + vertex +
                ", where an edge is longer than three times its rest length; smaller steps, a slower motion or a start "
                "outside of the body help");
    }
}

// Returns an array (V, 3) that a member of the simulation has filled.
template <void (ClothSimulation::*part)(std::span<Vector3>) const>
py::array_t<float> vectors_of(SharedCloth& shared) {
    auto array = new_array<float>({shared.core.vertex_count(), 3});
    shared.alone([&, out = mutable_items<Vector3>(array)](auto&) { (shared.core.*part)(out); });
    return array;
}

const ClothSimulation& simulation_of(const ClothSimulation& cloth) {
    return cloth;
}
const ClothSimulation& simulation_of(const Simulated& worn) {
    return worn.cloth();
}
// Returns the getter of a property: numbers of the simulation as a dict.
template <class Object, class Numbers>
auto numbers_of(Numbers (ClothSimulation::*part)() const) {
    return [part](Object& shared) {
        return dict_of(shared.alone([part](const auto& core) { return (simulation_of(core).*part)(); }));
    };
}

// Adds a body mesh. It can be called once; every later frame must then contain the positions of the body.
void collide_with(SharedCloth& shared, Array<int> faces, py::ssize_t vertex_count) {
    const auto indices = copy_array<std::int32_t>(faces, "body_faces", {"T", 3});
    const int count = require_vertex_count(vertex_count);
    shared.alone([&](auto&) {
        shared.core.collide_with(items<Face>(indices), count);
        shared.body_vertex_count = count;
    });
}

void track(SharedCloth& shared, Array<float> tests) {
    const auto rows = copy_finite(tests, "tests", {"R", Extent("V", shared.core.vertex_count())});
    const int count = require_vertex_count(rows.shape(0));
    shared.alone([&](auto&) {
        shared.core.track(items<float>(rows), count);
        shared.test_count = count;
    });
}

py::array_t<float> step_cloth(SharedCloth& shared, float dt, ArrayOrNone<float> pins, ArrayOrNone<float> wind,
                              ArrayOrNone<float> cones, ArrayOrNone<float> body, ArrayOrNone<double> targets,
                              float extra_damping) {
    const auto vertex_count = static_cast<py::ssize_t>(shared.core.vertex_count());
    const auto pinned = optional_array<float>(pins, "pins", {Extent("V", vertex_count), 3});
    const auto air = optional_array<float>(wind, "wind", {"V", 3});
    // the size of `wind` is checked here, because two sizes are allowed and the message of optional_array can express
    // only one
    if (air.ndim() == 2 && air.shape(0) != 1 && air.shape(0) != vertex_count) {
        throw std::invalid_argument("wind: expected 1 or " + std::to_string(vertex_count) + " vectors, got " +
                                    std::to_string(air.shape(0)));
    }
    const auto limbs = optional_array<float>(cones, "cones", {"C", 8});
    const auto skin = body.is_none() && shared.body_vertex_count == 0
                          ? py::array_t<float>(0)
                          : copy_array<float>(body, "body", {Extent("B", shared.body_vertex_count), 3});
    const auto moments =
        targets.is_none() && shared.test_count == 0
            ? py::array_t<double>(0)
            : copy_array<double>(targets, "targets",
                                 {Extent("substeps", shared.core.options().substeps), Extent("R", shared.test_count), 3});
    const ClothInputs inputs{.dt = dt,
                             .pins = items<Vector3>(pinned),
                             .wind = items<Vector3>(air),
                             .cones = items<RoundedCone>(limbs),
                             .body = items<Vector3>(skin),
                             .targets = items<double>(moments),
                             .extra_damping = extra_damping};
    shared.alone([&](auto&) {
        // the error is created under the lock, because its message contains a vertex and a frame number that another
        // thread may change
        if (const ClothStatus status = shared.core.step(inputs); status != ClothStatus::done) {
            throw_refused(status, shared.core, dt);
        }
    });
    return vectors_of<&ClothSimulation::positions>(shared);
}

py::array_t<float> step_worn(SharedWorn& shared, Array<float> bones, float dt, ArrayOrNone<float> wind) {
    const auto matrices = copy_array<float>(bones, "bones", {Extent("B", shared.core.bone_count()), 3, 4});
    const auto air = optional_array<float>(wind, "wind", {1, 3});
    auto array = new_array<float>({shared.core.cloth().vertex_count(), 3});
    shared.alone([&, out = mutable_items<Vector3>(array)](auto&) {
        const ClothStatus status = shared.core.step(items<BoneMatrix>(matrices), dt, items<Vector3>(air));
        if (status != ClothStatus::done) {
            throw_refused(status, shared.core.cloth(), dt);
        }
        std::ranges::copy(shared.core.positions(), out.begin());
    });
    return array;
}

void place(SharedCloth& shared, Array<float> positions, ArrayOrNone<float> velocities) {
    const Extent count("V", shared.core.vertex_count());
    const auto points = copy_finite(positions, "positions", {count, 3});
    const auto speeds = optional_finite(velocities, "velocities", {count, 3});
    shared.alone([&](auto&) { shared.core.place(items<Vector3>(points), items<Vector3>(speeds)); });
}

py::typing::Dict<py::str, MaterialDict> fabrics() {
    py::dict found;
    for (const NamedMaterial& named : cloth_materials) {
        found[named.name] = dict_of(material_parameters, named.material);
    }
    return found;
}

// Returns the crossings as rows (K, 3): the two vertices of the edge, and the number of the face.
py::array_t<std::int32_t> bind_find_crossings(Array<float> positions, Array<int> faces) {
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
    return copied<std::int32_t>(rows, {static_cast<py::ssize_t>(rows.size()), 3});
}

void bind_cloth(py::module_& module) {
    py::class_<SharedCloth> cloth(module, "ClothSimulation");
    bind_state(cloth);
    cloth.def(py::init(&make_cloth), Names("rest, faces, attachment, material, options"))
        .def("step", &step_cloth, Names("dt, pins, wind, cones, body, targets, extra_damping"))
        .def("collide_with", &collide_with, Names("faces, vertex_count"))
        .def("track", &track, Names("tests"))
        .def("place", &place, Names("positions, velocities"))
        .def_property_readonly("vertex_count", [](const SharedCloth& shared) { return shared.core.vertex_count(); })
        .def_property_readonly("positions", &vectors_of<&ClothSimulation::positions>)
        .def_property_readonly("velocities", &vectors_of<&ClothSimulation::velocities>)
        .def_property_readonly("substep_positions",
                               [](SharedCloth& shared) {
                                   // copies the positions under the lock first: Python arrays need the GIL, and a
                                   // thread must not wait for the GIL under the lock
                                   const auto all = shared.alone([&](auto&) {
                                       const auto found = shared.core.substep_positions();
                                       return std::vector<Vector3>(found.begin(), found.end());
                                   });
                                   const auto vertex_count = static_cast<py::ssize_t>(shared.core.vertex_count());
                                   return copied<float>(all,
                                                        {static_cast<py::ssize_t>(all.size()) / vertex_count, vertex_count, 3});
                               })
        // masses are constant after construction, so a lock is not needed
        .def_property_readonly("masses",
                               [](const SharedCloth& shared) {
                                   const auto masses = shared.core.masses();
                                   return copied<float>(masses, {static_cast<py::ssize_t>(masses.size())});
                               })
        .def_property_readonly("energy", numbers_of<SharedCloth>(&ClothSimulation::energy))
        .def_property_readonly("timings", numbers_of<SharedCloth>(&ClothSimulation::timings))
        .def_property_readonly("stats", numbers_of<SharedCloth>(&ClothSimulation::stats));
}

void bind_worn(py::module_& module) {
    py::class_<SharedWorn> worn(module, "Simulated");
    bind_state(worn);
    worn.def(py::init(&make_worn),
             Names("rest, faces, attachment, weights, cones, cone_bones, body, body_faces, body_weights, material, options"))
        .def("step", &step_worn, Names("bones, dt, wind"))
        .def_property_readonly(
            "frame_count",
            [](SharedWorn& shared) { return shared.alone([&](auto&) { return shared.core.cloth().frame_count(); }); })
        .def_property_readonly("timings", numbers_of<SharedWorn>(&ClothSimulation::timings))
        .def_property_readonly("stats", numbers_of<SharedWorn>(&ClothSimulation::stats));
}

}  // namespace

void bind_simulation(py::module_& module) {
    module.def("cloth_materials", &fabrics);
    module.def("find_crossings", &bind_find_crossings, Names("positions, faces"));
    bind_cloth(module);
    bind_worn(module);
}

}  // namespace ruckle::bindings
