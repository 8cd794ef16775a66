// Topology, and stages of the field as functions: stretch, strains, labels, reference triangles.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "array.h"
#include "numeric/dispatch.h"
#include "ruckle/field/label.h"
#include "ruckle/field/many_labels.h"
#include "ruckle/field/reference.h"
#include "ruckle/field/strain.h"
#include "ruckle/field/stretch.h"
#include "ruckle/mesh/topology.h"
#include "support/thread_pool.h"
#include "tables.h"

namespace ruckle::bindings {

namespace {

std::shared_ptr<Topology> make_topology(Array<int> faces, py::ssize_t vertex_count) {
    const auto indices = require_faces(faces);
    const int count = require_vertex_count(vertex_count);
    return without_gil([&] { return std::make_shared<Topology>(items<Face>(indices), count); });
}

py::array_t<float> bind_edge_matrices(Array<float> positions, Array<int> faces) {
    const auto points = require_finite(positions, "positions", {"V", 3});
    const auto indices = require_faces(faces);
    require_corners(items<Face>(indices), points.shape(0));
    return computed<float, Matrix2>({indices.shape(0), 2, 2},
                                    [&](auto out) { edge_matrices(items<Vector3>(points), items<Face>(indices), out); });
}

// The result arrays of `stretch`: min, max, compression, axis, degenerate.
struct StretchResult {
    explicit StretchResult(py::ssize_t face_count)
        : min(new_array<float>({face_count})),
          max(new_array<float>({face_count})),
          compression(new_array<float>({face_count})),
          axis(new_array<float>({face_count, 2})),
          degenerate(new_array<bool>({face_count})) {}

    StretchSpans spans() {
        return {mutable_items<float>(min), mutable_items<float>(max), mutable_items<float>(compression),
                mutable_items<Vector2>(axis), mutable_items<std::uint8_t>(degenerate)};
    }
    StretchTuple tuple() const { return py::make_tuple(min, max, compression, axis, degenerate); }

    py::array_t<float> min, max, compression, axis;
    py::array_t<bool> degenerate;
};

// Throws if the two arrays have different numbers of triangles. Either array may be the wrong one, so the message names
// both.
void require_as_many(const py::array_t<float>& reference, const py::array_t<float>& current) {
    if (reference.shape(0) != current.shape(0)) {
        throw std::invalid_argument("reference, current: expected as many triangles in both, got " +
                                    std::to_string(reference.shape(0)) + " and " + std::to_string(current.shape(0)));
    }
}

StretchTuple bind_stretch(Array<float> reference, Array<float> current) {
    const auto from = require_finite(reference, "reference", {"T", 2, 2});
    const auto to = require_finite(current, "current", {"T", 2, 2});
    require_as_many(from, to);
    StretchResult result(to.shape(0));
    without_gil([&, spans = result.spans()] { stretch(items<Matrix2>(from), items<Matrix2>(to), spans); });
    return result.tuple();
}

// Throws if a value is not positive: costs are divided by these values and use their logarithm.
void require_positive(const py::array_t<float>& values, const char* name) {
    for (py::ssize_t i = 0; i < values.size(); ++i) {
        if (!(values.data()[i] > 0.0f)) {
            throw std::invalid_argument(std::string(name) + ": triangle " + std::to_string(i) + " has " +
                                        std::to_string(values.data()[i]) + "; principal stretches are above 0");
        }
    }
}

py::array_t<float> bind_label_costs(Array<float> compression, Array<float> max, Array<bool> degenerate,
                                    const OptionsDict& given) {
    const auto a = require_finite(compression, "compression", {"T"});
    const auto b = require_finite(max, "max", {Extent("T", a.shape(0))});
    const auto collapsed = require_array<bool>(degenerate, "degenerate", {Extent("T", a.shape(0))});
    require_positive(a, "compression");
    require_positive(b, "max");
    const LabelCostOptions options = options_from(label_cost_parameters, given);
    require_in_range(label_cost_parameters, options);
    return computed<float>({a.shape(0), 3}, [&](auto out) {
        label_costs(items<float>(a), items<float>(b), items<std::uint8_t>(collapsed), options, out);
    });
}

// Throws if a cost is NaN or negative infinity, or if a triangle does not have a label with a finite cost. Positive
// infinity forbids a label.
void require_costs(std::span<const float> costs) {
    if (all_finite(costs)) {
        return;
    }
    // the loop runs only if a cost is not finite, because it is slow
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < costs.size(); i += 3) {
        int forbidden = 0;
        for (std::size_t l = 0; l < 3; ++l) {
            if (std::isnan(costs[i + l]) || costs[i + l] == -infinity) {
                throw std::invalid_argument("costs: label " + std::to_string(l) + " of triangle " + std::to_string(i / 3) +
                                            " costs " + std::to_string(costs[i + l]) +
                                            "; costs are finite, or +inf for a forbidden label");
            }
            forbidden += costs[i + l] == infinity;
        }
        if (forbidden == 3) {
            throw std::invalid_argument("costs: every label of triangle " + std::to_string(i / 3) +
                                        " is forbidden; leave one finite");
        }
    }
}

// Returns the options of a labelling. pairwise: (3, 3) float32 array. Throws if they do not define a solvable problem.
LabelOptions label_options(Array<float> pairwise, const std::string& method) {
    const auto options = options_from(label_parameters, py::dict(py::arg("pairwise") = pairwise, py::arg("method") = method));
    require_solvable(options);
    return options;
}

py::typing::Tuple<py::array_t<std::uint8_t>, double> bind_solve_labels(Array<float> costs, const Topology& topology,
                                                                       ArrayOrNone<std::uint8_t> previous, Array<float> pairwise,
                                                                       const std::string& method) {
    const LabelOptions options = label_options(pairwise, method);
    const py::ssize_t face_count = topology.face_count();
    const auto unary = copy_array<float>(costs, "costs", {Extent("T", face_count), 3});
    require_costs(items<float>(unary));
    const auto fixed = optional_array<std::uint8_t>(previous, "previous", {Extent("T", face_count)});
    require_labels(items<std::uint8_t>(fixed), "previous");
    auto labels = new_array<std::uint8_t>({face_count});
    const double energy = without_gil([&, out = mutable_items<std::uint8_t>(labels)] {
        // the workspace is used only by this call; a Wrinkler reuses one workspace for all frames
        LabelWorkspace workspace;
        solve_labels(items<float>(unary), topology, items<std::uint8_t>(fixed), options, workspace, out);
        return label_energy(items<float>(unary), topology, items<std::uint8_t>(fixed), options.pairwise, out);
    });
    return py::make_tuple(labels, energy);
}

py::typing::Tuple<py::array_t<std::uint8_t>, double> bind_solve_many_labels(Array<float> costs, const Topology& topology,
                                                                            ArrayOrNone<std::uint8_t> previous,
                                                                            Array<float> pairwise, ArrayOrNone<float> weights,
                                                                            const std::string& method) {
    const LabelMethod chosen = options_from(label_parameters, py::dict(py::arg("method") = method)).method;
    const Extent faces("T", topology.face_count());
    const auto unary = copy_finite(costs, "costs", {faces, "L"});
    const auto count = static_cast<int>(std::min<py::ssize_t>(unary.shape(1), most_labels + 1));
    if (count < 2 || count > most_labels) {
        throw std::invalid_argument("costs: expected from 2 to " + std::to_string(most_labels) + " labels, got " +
                                    std::to_string(unary.shape(1)));
    }
    const auto links = copy_finite(pairwise, "pairwise", {Extent("L", count), Extent("L", count)});
    const auto scales = optional_finite(weights, "edge_weights", {Extent("E", topology.edge_count())});
    const auto fixed = optional_array<std::uint8_t>(previous, "previous", {faces});
    if (std::ranges::any_of(items<float>(scales), [](float weight) { return weight < 0.0f; })) {
        throw std::invalid_argument("edge_weights: expected numbers of at least 0");
    }
    if (std::ranges::any_of(items<std::uint8_t>(fixed), [&](std::uint8_t label) { return label >= count; })) {
        throw std::invalid_argument("previous: expected labels from 0 to " + std::to_string(count - 1));
    }
    const ManyLabelProblem problem{.label_count = count,
                                   .costs = items<float>(unary),
                                   .pairwise = items<float>(links),
                                   .weights = items<float>(scales),
                                   .previous = items<std::uint8_t>(fixed)};
    require_solvable(problem, chosen);
    auto labels = new_array<std::uint8_t>({topology.face_count()});
    const double energy =
        without_gil([&, out = mutable_items<std::uint8_t>(labels)] { return solve_many_labels(problem, topology, chosen, out); });
    return py::make_tuple(labels, energy);
}

py::typing::Tuple<py::array_t<std::uint8_t>, double> bind_solve_label_sequence(Array<float> costs, const Topology& topology,
                                                                               Array<float> pairwise, const std::string& method,
                                                                               int threads) {
    const LabelOptions options = label_options(pairwise, method);
    const py::ssize_t face_count = topology.face_count();
    const auto unary = copy_array<float>(costs, "costs", {"F", Extent("T", face_count), 3});
    // nodes and arcs of the graph have 32-bit numbers, which limits the number of frames
    const py::ssize_t most_frames = std::numeric_limits<std::int32_t>::max() / 32 / face_count;
    if (unary.shape(0) > most_frames) {
        throw std::invalid_argument("costs: " + std::to_string(unary.shape(0)) + " frames of " + std::to_string(face_count) +
                                    " triangles are too many for one problem; at most " + std::to_string(most_frames) +
                                    " frames are");
    }
    // `threads` has the range of the Wrinkler's option
    require_in_range(described(wrinkler_parameters, "threads"), threads);
    require_costs(items<float>(unary));
    auto labels = new_array<std::uint8_t>({unary.shape(0), face_count});
    const double energy = without_gil([&, out = mutable_items<std::uint8_t>(labels)] {
        LabelWorkspace workspace;
        ThreadPool pool(threads);
        solve_label_sequence(items<float>(unary), topology, options, workspace, out, &pool);
        return label_energy(items<float>(unary), topology, {}, options.pairwise, out);
    });
    return py::make_tuple(labels, energy);
}

py::array_t<float> bind_update_reference(Array<float> reference, Array<float> current, Array<std::uint8_t> labels,
                                         float relaxation, float dt) {
    const auto before = require_finite(reference, "reference", {"T", 2, 2});
    const auto now = require_finite(current, "current", {"T", 2, 2});
    require_as_many(before, now);
    const auto given = copy_array<std::uint8_t>(labels, "labels", {Extent("T", now.shape(0))});
    require_labels(items<std::uint8_t>(given), "labels");
    const ReferenceOptions options{.relaxation = relaxation, .dt = dt};
    require_in_range(reference_parameters, options);
    return computed<float, Matrix2>({now.shape(0), 2, 2}, [&](auto out) {
        update_reference(items<Matrix2>(before), items<Matrix2>(now), items<std::uint8_t>(given), options, out, {});
    });
}

// Returns (V, 8) for each vertex: direction of the least strain, this strain, direction of the greatest strain, this
// strain.
py::array_t<float> bind_vertex_strains(const Topology& topology, Array<float> rest, Array<float> positions) {
    const auto edges = require_finite(rest, "rest", {Extent("T", topology.face_count()), 2, 2});
    const auto points = require_finite(positions, "positions", {Extent("V", topology.vertex_count), 3});
    return computed<float, VertexStrain>({topology.vertex_count, 8}, [&](auto out) {
        StrainScratch scratch;
        vertex_strains(topology, items<Matrix2>(edges), items<Vector3>(points), scratch, out);
    });
}

py::array_t<std::int32_t> bind_weld(Array<float> positions, Array<int> faces) {
    const auto points = require_finite(positions, "positions", {"V", 3});
    const auto indices = require_faces(faces);
    // the result array is created after the computation, because creating it needs the GIL
    const std::vector<Face> welded = without_gil([&] { return weld(items<Vector3>(points), items<Face>(indices)); });
    return copied<std::int32_t>(welded, {indices.shape(0), 3});
}

}  // namespace

void bind_stages(py::module_& module) {
    const auto is_constructed = [](py::handle self) {
        auto* instance = reinterpret_cast<py::detail::instance*>(self.ptr());
        return instance->get_value_and_holder().holder_constructed();
    };
    py::class_<Topology, std::shared_ptr<Topology>>(module, "Topology")
        .def(py::init(&make_topology), Names("faces, vertex_count"))
        .def_readonly("vertex_count", &Topology::vertex_count)
        .def_property_readonly("face_count", &Topology::face_count)
        .def_property_readonly("edge_count", &Topology::edge_count)
        .def_property_readonly("faces", view_of<std::int32_t>(&Topology::faces))
        .def_property_readonly("edges", view_of<std::int32_t>(&Topology::edges))
        .def_property_readonly("face_edges", view_of<std::int32_t>(&Topology::face_edges))
        .def_property_readonly("face_neighbors", view_of<std::int32_t>(&Topology::face_neighbors))
        .def_property_readonly("edge_faces", view_of<std::int32_t>(&Topology::edge_faces))
        .def("__reduce__",
             [](py::object self) {
                 return py::make_tuple(py::type::of(self), py::make_tuple(self.attr("faces"), self.attr("vertex_count")));
             })
        .def("__repr__", [is_constructed](py::handle self) {
            // a traceback may print an object whose constructor has failed, and which does not contain a Topology
            if (!is_constructed(self)) {
                return std::string("Topology()");
            }
            const auto& t = self.cast<const Topology&>();
            const auto boundary = std::count_if(t.edge_faces.begin(), t.edge_faces.end(), [](const auto& f) { return f[1] < 0; });
            return "Topology(" + std::to_string(t.face_count()) + " faces, " + std::to_string(t.vertex_count) + " vertices, " +
                   std::to_string(t.edge_count()) + " edges, " + std::to_string(boundary) + " of them boundary)";
        });

    module.def("weld", &bind_weld, Names("positions, faces"));
    module.def("edge_matrices", &bind_edge_matrices, Names("positions, faces"));
    module.def("stretch", &bind_stretch, Names("reference, current"));
    module.def("vertex_strains", &bind_vertex_strains, Names("topology, rest, positions"));
    module.def("label_costs", &bind_label_costs, Names("compression, max, degenerate, options"));
    module.def("solve_many_labels", &bind_solve_many_labels,
               Names("costs, topology, *, previous, pairwise, edge_weights, method"));
    module.def("solve_labels", &bind_solve_labels, Names("costs, topology, *, previous, pairwise, method"));
    module.def("solve_label_sequence", &bind_solve_label_sequence, Names("costs, topology, *, pairwise, method, threads"));
    module.def("update_reference", &bind_update_reference, Names("reference, current, labels, *, relaxation, dt"));
    module.def("parameters", &rows_named, Names("table"));
    module.def("instruction_set", [] { return name_of(instruction_set()); });
}

}  // namespace ruckle::bindings
