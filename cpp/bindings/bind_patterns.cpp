// Patterns: PatternGrid, Moments, the stages of modulation, Modulator.
#include <algorithm>
#include <memory>
#include <mutex>

#include "array.h"
#include "frame.h"
#include "height_source.h"
#include "remaining.h"
#include "ruckle/field/parameters.h"
#include "ruckle/patterns/heights.h"
#include "ruckle/patterns/modulator.h"
#include "ruckle/patterns/noise.h"
#include "shared.h"
#include "tables.h"

namespace ruckle::bindings {

namespace {

std::unique_ptr<PatternGrid> make_grid(const Topology& topology, Array<float> rest, float spacing, ArrayOrNone<int> edge_parts) {
    const auto points = copy_finite(rest, "rest", {Extent("V", topology.vertex_count), 3});
    if (edge_parts.is_none()) {
        return without_gil([&] { return std::make_unique<PatternGrid>(topology, items<Vector3>(points), spacing); });
    }
    const auto parts = copy_array<std::int32_t>(edge_parts, "edge_parts", {Extent("E", topology.edge_count())});
    return without_gil(
        [&] { return std::make_unique<PatternGrid>(topology, items<Vector3>(points), items<std::int32_t>(parts)); });
}

py::array_t<float> require_heights(const PatternGrid& grid, Array<float> heights) {
    const auto array = copy_finite(heights, "heights", {"K", Extent("N", grid.node_count())});
    if (array.shape(0) < 1 || array.shape(0) > most_patterns) {
        throw std::invalid_argument("heights: expected 1 to " + std::to_string(most_patterns) + " patterns, got " +
                                    std::to_string(array.shape(0)));
    }
    return array;
}

py::array_t<float> bind_slopes(const PatternGrid& grid, Array<float> heights) {
    const auto values = require_finite(heights, "heights", {Extent("N", grid.node_count())});
    return computed<float, Vector2>({grid.cell_count(), 2}, [&](auto out) { cell_slopes(grid, items<float>(values), out); });
}

py::array_t<float> bind_gradients(const PatternGrid& grid, Array<float> heights) {
    const auto values = require_finite(heights, "heights", {Extent("N", grid.node_count())});
    return computed<float, Vector3>({grid.node_count(), 3}, [&](auto out) { node_gradients(grid, items<float>(values), out); });
}

py::array_t<float> bind_wave_heights(const PatternGrid& grid, Array<float> waves, Array<float> phases, float reach) {
    const Extent faces("T", grid.topology.face_count());
    const auto vectors = require_finite(waves, "waves", {faces, 3}), angles = require_finite(phases, "phases", {faces});
    return computed<float>({grid.node_count()},
                           [&](auto out) { wave_heights(grid, items<Vector3>(vectors), items<float>(angles), reach, out); });
}

std::unique_ptr<Moments> bind_moments(const PatternGrid& grid, Array<float> heights) {
    const auto values = require_heights(grid, heights);
    return without_gil([&] {
        return std::make_unique<Moments>(pattern_moments(grid, items<float>(values), static_cast<int>(values.shape(0))));
    });
}

py::array_t<float> bind_gram(Array<float> positions, Array<int> faces) {
    const auto points = require_finite(positions, "positions", {"V", 3});
    const auto indices = require_faces(faces);
    require_corners(items<Face>(indices), points.shape(0));
    return computed<float, Vector3>({indices.shape(0), 3},
                                    [&](auto out) { gram(items<Vector3>(points), items<Face>(indices), out); });
}

py::array_t<float> require_gram(py::handle grams, const char* name, const Moments& moments) {
    return require_finite(grams, name, {Extent("T", moments.face_count()), 3});
}
py::array_t<float> require_weights(py::handle weights, const Moments& moments) {
    return require_finite(weights, "weights", {Extent("K", moments.pattern_count), Extent("T", moments.face_count())});
}

py::array_t<float> bind_fold_weights(Array<float> rest, Array<float> current, const Moments& moments, float sharpness) {
    const auto before = require_gram(rest, "rest", moments), now = require_gram(current, "current", moments);
    return computed<float>({moments.pattern_count, moments.face_count()},
                           [&](auto out) { fold_weights(items<Vector3>(before), items<Vector3>(now), moments, sharpness, out); });
}

py::array_t<float> bind_target_area(Array<float> rest, Array<float> current, const Moments& moments, Array<float> weights,
                                    float rest_slope, bool conserve_length, float slack) {
    const auto before = require_gram(rest, "rest", moments), now = require_gram(current, "current", moments);
    const auto shares = require_weights(weights, moments);
    return computed<float>({moments.face_count()}, [&](auto out) {
        target_area(items<Vector3>(before), items<Vector3>(now), moments, items<float>(shares),
                    {rest_slope, conserve_length, slack}, out);
    });
}

py::array_t<float> bind_modulation(Array<float> current, const Moments& moments, Array<float> weights, Array<float> target,
                                   ArrayOrNone<float> excess, const Topology& topology, ArrayOrNone<float> largest,
                                   int corrections) {
    // the counts are compared because face numbers index the moments
    if (topology.face_count() != moments.face_count()) {
        throw std::invalid_argument("topology: expected " + std::to_string(moments.face_count()) +
                                    " triangles, as the moments have, got " + std::to_string(topology.face_count()));
    }
    const auto now = require_gram(current, "current", moments), shares = require_weights(weights, moments);
    const auto targets = require_finite(target, "target", {Extent("T", moments.face_count())});
    const auto given = optional_finite(excess, "excess", {Extent("T", moments.face_count())});
    const auto limits =
        optional_finite(largest, "largest", {Extent("V", topology.vertex_count), Extent("K", moments.pattern_count)});
    return computed<float>({topology.vertex_count, moments.pattern_count}, [&](auto out) {
        // the workspace is used only by this call; the stages do not store data between calls
        ModulationWorkspace workspace;
        modulation(items<Vector3>(now), moments, items<float>(shares), items<float>(targets), items<float>(given), topology,
                   items<float>(limits), corrections, workspace, out);
    });
}

using SharedModulator = Shared<Modulator>;

std::unique_ptr<SharedModulator> make_modulator(const PatternGrid& grid, Array<float> heights, ArrayOrNone<float> paint,
                                                const OptionsDict& given) {
    const auto values = require_heights(grid, heights);
    const auto painted = optional_finite(paint, "paint", {Extent("V", grid.topology.vertex_count)});
    const ModulatorOptions options = options_from(modulator_parameters, given);
    return without_gil(
        [&] { return std::make_unique<SharedModulator>(grid, items<float>(values), items<float>(painted), options); });
}

// Returns the factors as an array (V, K). The core stores them in rows of four.
py::array_t<float> factors_of(const Modulator& modulator) {
    const py::ssize_t count = modulator.moments().pattern_count, vertices = modulator.grid().topology.vertex_count;
    auto factors = new_array<float>({vertices, count});
    for (py::ssize_t v = 0; v < vertices; ++v) {
        std::copy_n(modulator.factors().data() + 4 * v, count, factors.mutable_data() + count * v);
    }
    return factors;
}

// Computes the next frame. Returns factors (V, K), weights (K, T), targets (T), timings and stats.
py::typing::Tuple<Floats, Floats, Floats, ModulatorTimingsDict, ModulatorStatsDict> step_modulator(
    SharedModulator& shared, Array<float> positions, float dt, ArrayOrNone<float> reference, ArrayOrNone<float> remaining) {
    const Modulator& modulator = shared.core;
    const Topology& topology = modulator.grid().topology;
    const Extent faces("T", topology.face_count());
    const auto points = copy_frame(positions, topology.vertex_count, modulator);
    const auto matrices = optional_finite(reference, "reference", {faces, 2, 2});
    const auto left = require_remaining(remaining, topology);
    const auto [lock, status] = shared.hold(
        [&](Modulator& core) { return core.step(items<Vector3>(points), dt, items<Matrix2>(matrices), items<float>(left)); });
    if (status != StepStatus::done) {
        throw_refused_step(status, name_of_frame(modulator.frame_count()), items<Vector3>(points), dt);
    }
    const py::ssize_t count = modulator.moments().pattern_count;
    return py::make_tuple(factors_of(modulator), copied<float>(modulator.weights(), {count, topology.face_count()}),
                          copied<float>(modulator.targets(), {topology.face_count()}), dict_of(modulator.timings()),
                          dict_of(modulator.stats()));
}

// Patterns whose heights change over time, as a height source for surfaces.
class SharedPatternHeights : public SharedSource {
  public:
    // The object refers to the grid; `keep_alive` in bind_patterns keeps the grid alive. Copies share the patterns, but
    // have their own factors.
    SharedPatternHeights(const PatternGrid& grid, std::span<const float> heights) : grid_(grid), heights_(grid_, heights) {}
    SharedPatternHeights(const SharedPatternHeights& other) : grid_(other.grid_), heights_(other.heights_) {}

    int face_count() const override { return grid_.topology.face_count(); }
    HeightSource source() const override { return source_of(heights_); }
    void append_texels(std::vector<Word>& table) const override { heights_.append_texels(table); }
    float edge_length() const { return heights_.edge_length(); }
    int pattern_count() const { return heights_.pattern_count(); }
    bool shares_patterns(const SharedPatternHeights& other) const { return heights_.shares_patterns(other.heights_); }

    void update(Array<float> positions, Array<float> factors) {
        const Extent vertices("V", grid_.topology.vertex_count);
        const auto points = require_finite(positions, "positions", {vertices, 3});
        const auto given = require_finite(factors, "factors", {vertices, Extent("K", heights_.pattern_count())});
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            heights_.update(items<Vector3>(points), rows_of_four(items<float>(given)));
        });
    }

    // Returns (N, 4) texels of the patterns for shaders, constant over all frames.
    py::array_t<float> pattern_texels() const {
        return computed<float, PatternTexel>({static_cast<py::ssize_t>(heights_.pattern_texel_count()), 4},
                                             [&](auto out) { heights_.write_pattern_texels(out); });
    }

  private:
    // Returns factors in the layout of the modulator: one texel per vertex, 0 after the last pattern.
    std::vector<float> rows_of_four(std::span<const float> factors) const {
        const auto count = static_cast<std::size_t>(heights_.pattern_count());
        std::vector<float> rows(factors.size() / count * most_patterns);
        for (std::size_t v = 0; v < factors.size() / count; ++v) {
            std::copy_n(factors.data() + count * v, count, rows.data() + most_patterns * v);
        }
        return rows;
    }

    const PatternGrid& grid_;
    PatternHeights heights_;
};

// Returns the getter of a property: a view (V, K) of an array with one number per vertex and pattern.
auto per_pattern(std::vector<float> Moments::* member) {
    return [member](py::object self) {
        const auto& moments = self.cast<const Moments&>();
        const auto vertices = static_cast<py::ssize_t>((moments.*member).size()) / moments.pattern_count;
        return view<float>((moments.*member).data(), {vertices, moments.pattern_count}, self);
    };
}

void bind_grid(py::module_& module) {
    py::class_<PatternGrid>(module, "PatternGrid")
        .def(py::init(&make_grid), Names("topology, rest, *, spacing, edge_parts"))
        .def_property_readonly(
            "topology", [](const PatternGrid& grid) -> const Topology& { return grid.topology; },
            py::return_value_policy::reference_internal)
        .def_property_readonly("rest", view_of<float>(&PatternGrid::rest))
        .def_property_readonly("edge_parts", view_of<std::int32_t>(&PatternGrid::edge_parts))
        .def_property_readonly("face_parts", view_of<std::int32_t>(&PatternGrid::face_parts))
        .def_property_readonly("cell_offsets", view_of<std::int32_t>(&PatternGrid::cell_offsets))
        .def_property_readonly("faces", view_of<std::int32_t>(&PatternGrid::node_faces))
        .def_property_readonly("barycentric", view_of<float>(&PatternGrid::node_barycentric))
        .def("slopes", &bind_slopes, Names("heights"))
        .def("gradients", &bind_gradients, Names("heights"));

    py::class_<Moments>(module, "Moments")
        .def_readonly("pattern_count", &Moments::pattern_count)
        .def_property_readonly("rest", view_of<float>(&Moments::rest))
        .def_property_readonly("planes",
                               [](py::object self) {
                                   const auto& moments = self.cast<const Moments&>();
                                   return view<float>(moments.values.data(),
                                                      {pair_count(moments.pattern_count), 3, moments.face_count()}, self);
                               })
        .def_property_readonly("bend", [](const Moments& moments) { return py::make_tuple(moments.bend[0], moments.bend[1]); })
        .def_property_readonly("upright", view_of<float>(&Moments::upright))
        .def_property_readonly("mean_square", view_of<float>(&Moments::mean_square))
        .def_property_readonly("steepness", per_pattern(&Moments::steepness))
        .def_property_readonly("highest", per_pattern(&Moments::highest));
}

}  // namespace

void bind_patterns(py::module_& module) {
    bind_grid(module);

    module.def("wave_heights", &bind_wave_heights, Names("grid, waves, phases, *, reach"));
    module.def("pattern_moments", &bind_moments, Names("grid, heights"));
    module.def("gram", &bind_gram, Names("positions, faces"));
    module.def("fold_weights", &bind_fold_weights, Names("rest, current, moments, *, sharpness"));
    module.def("target_area", &bind_target_area, Names("rest, current, moments, weights, *, rest_slope, conserve_length, slack"));
    module.def("modulation", &bind_modulation,
               Names("current, moments, weights, target, excess, topology, *, largest, corrections"));

    py::class_<SharedModulator> modulator(module, "Modulator");
    bind_state(modulator);
    modulator.def(py::init(&make_modulator), Names("grid, heights, paint, options"), py::keep_alive<1, 2>())
        .def("step", &step_modulator, Names("positions, dt, reference, remaining"))
        .def_property_readonly("r_min",
                               [](const SharedModulator& shared) { return shortest_decimal(*shared.core.options().r_min); })
        .def_property_readonly(
            "moments", [](const SharedModulator& shared) -> const Moments& { return shared.core.moments(); },
            py::return_value_policy::reference_internal)
        .def_property_readonly("heights", [](py::object self) {
            const Modulator& modulator = self.cast<const SharedModulator&>().core;
            return view<float>(modulator.heights().data(), {modulator.moments().pattern_count, modulator.grid().node_count()},
                               self);
        });

    py::class_<SharedPatternHeights, SharedSource, std::shared_ptr<SharedPatternHeights>>(module, "PatternHeights")
        .def(py::init([](const PatternGrid& grid, Array<float> heights) {
                 const auto values = require_heights(grid, heights);
                 return without_gil([&] { return std::make_shared<SharedPatternHeights>(grid, items<float>(values)); });
             }),
             Names("grid, heights"), py::keep_alive<1, 2>())
        .def(
            "copy", [](const SharedPatternHeights& shared) { return std::make_shared<SharedPatternHeights>(shared); },
            py::keep_alive<0, 1>())
        .def_property_readonly("edge_length", &SharedPatternHeights::edge_length)
        .def_property_readonly("pattern_count", &SharedPatternHeights::pattern_count)
        .def("pattern_texels", &SharedPatternHeights::pattern_texels)
        .def("shares_patterns", &SharedPatternHeights::shares_patterns, Names("other"))
        .def("update", &SharedPatternHeights::update, Names("positions, factors"));
}

}  // namespace ruckle::bindings
