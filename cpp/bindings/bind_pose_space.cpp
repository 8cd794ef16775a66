// Wrinkles from examples in pose space: joint angles, grid cells, Binding, PoseSynthesizer.
#include <memory>
#include <mutex>
#include <optional>

#include "array.h"
#include "frame.h"
#include "ruckle/pose_space/synthesizer.h"
#include "shared.h"
#include "tables.h"

namespace ruckle::bindings {

namespace {

JointKind require_kind(const std::string& word) {
    for (const JointKind kind : {JointKind::hinge, JointKind::ball}) {
        if (word == joint_kind_words[static_cast<std::size_t>(kind)]) {
            return kind;
        }
    }
    throw std::invalid_argument("kind: expected \"hinge\" or \"ball\", got \"" + word + "\"");
}

Matrix3 require_matrix(py::handle values, const char* name) {
    return Eigen::Map<const Matrix3>(require_array<double>(values, name, {3, 3}).data());
}

py::array_t<double> angles_of(const std::array<double, most_angles>& values, JointKind kind) {
    return copied<double>(values, {angle_count(kind)});
}

py::array_t<double> bind_joint_angles(Array<double> rotation, Array<double> axes, const std::string& word) {
    const JointKind kind = require_kind(word);
    return angles_of(joint_angles(require_matrix(rotation, "rotation"), require_matrix(axes, "axes"), kind).values, kind);
}

std::vector<std::vector<double>> rows_of_angles(const py::sequence& axes) {
    std::vector<std::vector<double>> rows;
    for (const py::handle axis : axes) {
        const auto values = require_array<double>(axis, "angles", {"S"});
        rows.emplace_back(values.data(), values.data() + values.size());
    }
    return rows;
}

// Returns the samples (K) around the angles, their weights (K), and for each axis (D) the radians outside the grid.
py::typing::Tuple<Ints, Floats, py::array_t<double>> bind_grid_cell(const py::sequence& axes, Array<double> angles) {
    const auto rows = rows_of_angles(axes);
    const auto values = require_array<double>(angles, "angles", {Extent("D", static_cast<py::ssize_t>(rows.size()))});
    const GridCell cell = grid_cell(rows, items<double>(values));
    return py::make_tuple(copied<std::int32_t>(cell.samples, {cell.corner_count}),
                          copied<float>(cell.weights, {cell.corner_count}), copied<double>(cell.outside, {values.size()}));
}

std::unique_ptr<Binding> make_binding(const Topology& coarse, Array<float> rest, Array<int> coarse_faces,
                                      Array<float> barycentric) {
    const auto points = copy_finite(rest, "rest", {Extent("C", coarse.vertex_count), 3});
    const auto faces = copy_array<std::int32_t>(coarse_faces, "coarse_faces", {"V"});
    const auto weights = copy_finite(barycentric, "barycentric", {Extent("V", faces.shape(0)), 3});
    return without_gil([&] {
        return std::make_unique<Binding>(coarse, items<Vector3>(points), items<std::int32_t>(faces), items<Vector3>(weights));
    });
}

// Returns rows (C, 3, 4) of the coarse cloth: position, tangent, normal.
py::array_t<float> bind_measure(const Binding& binding, Array<float> positions) {
    const auto points = require_finite(positions, "positions", {Extent("C", binding.coarse_count()), 3});
    return computed<float, CoarseRow>({binding.coarse_count(), 3, 4}, [&](auto rows) {
        BindingScratch scratch(binding.coarse);
        binding.measure(items<Vector3>(points), rows, scratch);
    });
}

using AngleList = py::typing::List<py::array_t<double>>;

struct SharedSynthesizer : Shared<PoseSynthesizer> {
    using Shared::Shared;
    std::vector<JointKind> kinds;
    std::vector<std::string> names;
};

std::unique_ptr<SharedSynthesizer> make_synthesizer(
    const Binding& binding, Array<float> rest_details, Array<int> faces, const Rows& given, int bone_count,
    const OptionsDict& options, const std::optional<py::typing::Tuple<Array<float>, Array<float>, Array<float>>>& skin) {
    const auto details = copy_finite(rest_details, "rest_details", {Extent("V", binding.vertex_count()), 3});
    const auto triangles = require_faces(faces);
    std::vector<PoseJoint> joints;
    std::vector<JointKind> kinds;
    std::vector<std::string> names;
    // keeps the arrays alive to which the spans of the joints refer
    std::vector<py::array> kept;
    for (const py::handle entry : given) {
        const auto joint = py::cast<py::dict>(entry);
        const auto vertices = copy_array<std::int32_t>(joint["vertices"], "vertices", {"n"});
        const auto weights = copy_finite(joint["weights"], "weights", {Extent("n", vertices.shape(0))});
        const auto samples = require_array<std::int16_t>(joint["details"], "details", {"S", Extent("n", vertices.shape(0)), 3});
        kinds.push_back(require_kind(py::cast<std::string>(joint["kind"])));
        names.push_back(py::cast<std::string>(joint["name"]));
        joints.push_back({names.back(), py::cast<std::int32_t>(joint["parent_bone"]), py::cast<std::int32_t>(joint["child_bone"]),
                          kinds.back(), require_matrix(joint["axes"], "axes"), rows_of_angles(joint["angles"]),
                          items<std::int32_t>(vertices), items<float>(weights), items<std::int16_t>(samples),
                          py::cast<float>(joint["step"])});
        kept.insert(kept.end(), {vertices, weights, samples});
    }
    const PoseOptions chosen = options_from(pose_parameters, options);
    CoarseSkin coarse;
    if (skin) {
        const auto rest = copy_finite((*skin)[0], "rest", {Extent("C", binding.coarse_count()), 3});
        const auto weights = copy_finite((*skin)[1], "weights", {Extent("C", binding.coarse_count()), Extent("B", bone_count)});
        const auto seen = copy_finite((*skin)[2], "seen", {Extent("C", binding.coarse_count())});
        coarse = {items<Vector3>(rest), items<float>(weights), items<float>(seen)};
        kept.insert(kept.end(), {rest, weights, seen});
    }
    return without_gil([&] {
        auto shared = std::make_unique<SharedSynthesizer>(binding, items<Vector3>(details), items<Face>(triangles), joints,
                                                          bone_count, chosen, coarse);
        shared->kinds = kinds;
        shared->names = names;
        return shared;
    });
}

[[noreturn]] void throw_refused(const SharedSynthesizer& shared, PoseStatus status, std::span<const Vector3> positions) {
    const std::string place = name_of_frame(shared.core.frame_count());
    const int joint = shared.core.refused_joint();
    if (status == PoseStatus::not_rigid) {
        throw std::invalid_argument("bones: " + place + "a bone of joint " + shared.names[joint] +
                                    " scales one way more than another, or shears; bones must be rigid");
    }
    if (joint >= 0) {
        throw std::invalid_argument("bones: " + place + "a bone of joint " + shared.names[joint] + " is not finite");
    }
    require_finite_vertices(place, positions);
    throw std::logic_error("a frame was refused for no reason");
}

AngleList angles_of(const SharedSynthesizer& shared, std::span<const std::array<double, most_angles>> values) {
    AngleList result;
    for (std::size_t j = 0; j < values.size(); ++j) {
        result.append(angles_of(values[j], shared.kinds[j]));
    }
    return result;
}

// Computes the next frame. Returns positions (V, 3), normals (V, 3), angles of the joints, radians by which these
// angles are outside the grids, timings and stats.
py::typing::Tuple<Floats, Floats, AngleList, AngleList, PoseTimingsDict, PoseStatsDict> step_synthesizer(
    SharedSynthesizer& shared, Array<float> positions, Array<float> bones) {
    const PoseSynthesizer& synthesizer = shared.core;
    const auto points = copy_frame(positions, synthesizer.binding().coarse_count(), synthesizer);
    const auto matrices = copy_array<float>(bones, "bones", {Extent("B", synthesizer.bone_count()), 3, 4});
    const auto [lock, status] =
        shared.hold([&](PoseSynthesizer& core) { return core.step(items<Vector3>(points), items<BoneMatrix>(matrices)); });
    if (status != PoseStatus::done) {
        throw_refused(shared, status, items<Vector3>(points));
    }
    const py::ssize_t count = synthesizer.binding().vertex_count();
    auto fine = new_array<float>({count, 3});
    const auto out = mutable_items<Vector3>(fine);
    const auto found = synthesizer.positions();
    for (std::size_t v = 0; v < found.size(); ++v) {
        out[v] = Vector3(found[v][0], found[v][1], found[v][2]);
    }
    return py::make_tuple(fine, copied<float>(synthesizer.normals(), {count, 3}), angles_of(shared, synthesizer.angles()),
                          angles_of(shared, synthesizer.outside()), dict_of(synthesizer.timings()), dict_of(synthesizer.stats()));
}

}  // namespace

void bind_pose_space(py::module_& module) {
    module.def("joint_angles", &bind_joint_angles, Names("rotation, axes, kind"));
    module.def("grid_cell", &bind_grid_cell, Names("axes, angles"));
    module.def(
        "merge_shares",
        [](Array<float> weights, const std::string& rule) {
            // weights has one row per vertex, with the weights of its joints; each row is merged separately
            auto shares = copy_finite(weights, "weights", {"V", "J"});
            const auto chosen = static_cast<MergeRule>(index_of(rule, described(pose_parameters, "merge")));
            for (py::ssize_t v = 0; v < shares.shape(0); ++v) {
                merge_shares({shares.mutable_data() + v * shares.shape(1), static_cast<std::size_t>(shares.shape(1))}, chosen);
            }
            return shares;
        },
        Names("weights, rule"));

    py::class_<Binding>(module, "Binding")
        .def(py::init(&make_binding), Names("topology, rest, coarse_faces, barycentric"))
        .def("measure", &bind_measure, Names("positions"));

    py::class_<SharedSynthesizer> synthesizer(module, "PoseSynthesizer");
    bind_state(synthesizer);
    synthesizer.def(py::init(&make_synthesizer), Names("binding, rest_details, faces, joints, bone_count, options, skin"))
        .def("step", &step_synthesizer, Names("positions, bones"))
        .def_property_readonly("detail_bytes", [](const SharedSynthesizer& shared) { return shared.core.detail_bytes(); });
}

}  // namespace ruckle::bindings
