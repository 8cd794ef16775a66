// Wrinkle paths: Wrinkler, the results of its steps (Snapshot), StepClock, Crowd.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "array.h"
#include "frame.h"
#include "remaining.h"
#include "ruckle/crowd.h"
#include "ruckle/paths/parameters.h"
#include "ruckle/paths/wrinkle_clock.h"
#include "ruckle/paths/wrinkler.h"
#include "shared.h"
#include "tables.h"
#include "wrinkle_row.h"

namespace ruckle::bindings {

namespace {

// Results of one step, copied from the Wrinkler so that they outlive the next step.
struct Snapshot {
    explicit Snapshot(const Wrinkler& w)
        : labels(w.labels().begin(), w.labels().end()),
          current(w.current().begin(), w.current().end()),
          reference(w.reference().begin(), w.reference().end()),
          motion(w.motion()),
          field(w.field()),
          wrinkles(w),
          rest(w.rest().begin(), w.rest().end()),
          r_min(w.options().r_min.value_or(0.0f)),
          timings(w.timings()),
          stats(w.stats()) {}

    // All wrinkles, oldest first. Wrinkle i has the vertices [offsets[i], offsets[i + 1]) and the samples
    // [curve_offsets[i], curve_offsets[i + 1]).
    struct Wrinkles {
        explicit Wrinkles(const Wrinkler& w) {
            offsets.push_back(0);
            curve_offsets.push_back(0);
            for (int i = 0; i < w.wrinkle_count(); ++i) {
                const Wrinkle one = w.wrinkle(i);
                const auto append = [](auto& all, const auto& part) { all.insert(all.end(), part.begin(), part.end()); };
                rows.push_back(row_of(one));
                append(edges, one.edges);
                append(t, one.t);
                append(faces, one.faces);
                // faces gets one entry per vertex, like the other arrays. The last vertex of a path does not start a
                // segment, so its entry is -1.
                faces.push_back(-1);
                append(points, one.points);
                append(widths, one.widths);
                append(heights, one.heights);
                offsets.push_back(static_cast<std::int32_t>(edges.size()));
                append(curves, rows_of(one.curve));
                curve_offsets.push_back(static_cast<std::int32_t>(curves.size()));
            }
        }

        std::vector<WrinkleRow> rows;
        std::vector<std::int32_t> offsets, edges, faces, curve_offsets;
        std::vector<float> t, widths, heights;
        std::vector<Vector3> points;
        std::vector<CurveRow> curves;
    };

    struct Stretches {
        explicit Stretches(const StretchSpans& s)
            : min(s.min.begin(), s.min.end()),
              max(s.max.begin(), s.max.end()),
              compression(s.compression.begin(), s.compression.end()),
              axis(s.axis.begin(), s.axis.end()),
              degenerate(s.degenerate.begin(), s.degenerate.end()) {}

        std::vector<float> min, max, compression;
        std::vector<Vector2> axis;
        std::vector<std::uint8_t> degenerate;
    };

    std::vector<std::uint8_t> labels;
    std::vector<Matrix2> current, reference;
    Stretches motion, field;
    Wrinkles wrinkles;
    std::vector<Vector3> rest;
    float r_min;
    StageTimings timings;
    FrameStats stats;
};

using SharedWrinkler = Shared<Wrinkler>;

[[noreturn]] void throw_refused(StepStatus status, const std::string& where, std::span<const Vector3> positions, float dt,
                                int vertex_count) {
    if (status == StepStatus::wrong_vertex_count) {
        throw_other_count(where, vertex_count, static_cast<py::ssize_t>(positions.size()));
    }
    throw_refused_step(status, where, positions, dt);
}

std::unique_ptr<Snapshot> step_wrinkler(SharedWrinkler& shared, Array<float> positions, float dt, ArrayOrNone<float> remaining,
                                        ArrayOrNone<std::uint8_t> given_labels) {
    const auto points = require_array<float>(positions, "positions", {"V", 3});
    const auto left = require_remaining(remaining, shared.core.topology());
    // labels are copied, because another thread may write into the argument
    const auto labels = optional_array<std::uint8_t>(given_labels, "labels", {Extent("T", shared.core.topology().face_count())});
    require_labels(items<std::uint8_t>(labels), "labels");
    return shared.alone([&, span = items<Vector3>(points)](Wrinkler& wrinkler) {
        const StepStatus status = wrinkler.step(span, dt, items<float>(left), items<std::uint8_t>(labels));
        if (status != StepStatus::done) {
            throw_refused(status, name_of_frame(wrinkler.frame_count()), span, dt, wrinkler.topology().vertex_count);
        }
        // results are copied before the mutex is released, because another thread may then step the Wrinkler
        return std::make_unique<Snapshot>(wrinkler);
    });
}

void set_rest(SharedWrinkler& shared, ArrayOrNone<float> positions) {
    const auto points = positions.is_none() ? py::array_t<float>() : require_array<float>(positions, "rest", {"V", 3});
    shared.alone([&, span = items<Vector3>(points)](Wrinkler& wrinkler) {
        const StepStatus status = wrinkler.set_rest(span);
        if (status != StepStatus::done) {
            throw_refused(status, "rest: ", span, reference_frame_time, wrinkler.topology().vertex_count);
        }
    });
}

std::unique_ptr<SharedWrinkler> make_wrinkler(std::shared_ptr<Topology> topology, const OptionsDict& given) {
    // options are read before the GIL is released, because they are Python objects
    const WrinklerOptions options = options_from(wrinkler_parameters, given);
    return without_gil([&] { return std::make_unique<SharedWrinkler>(std::move(topology), options); });
}

// Returns max, compression and degenerate of the stretch from the previous frame to this frame, as views.
py::typing::Tuple<Floats, Floats, py::array_t<bool>> motion_tuple(py::object self) {
    // min and axis are empty, because labels need only these three arrays
    const Snapshot::Stretches& s = self.cast<const Snapshot&>().motion;
    return py::make_tuple(view<float>(s.max, self), view<float>(s.compression, self), view<bool>(s.degenerate, self));
}

// Returns min, max, compression, axis and degenerate of the stretch from the reference triangles, as views.
StretchTuple field_tuple(py::object self) {
    const Snapshot::Stretches& s = self.cast<const Snapshot&>().field;
    return py::make_tuple(view<float>(s.min, self), view<float>(s.max, self), view<float>(s.compression, self),
                          view<float>(s.axis, self), view<bool>(s.degenerate, self));
}

// Returns the arrays of all wrinkles: rows, offsets, edges, t, faces, points, widths, heights, curve offsets, curves.
py::typing::Tuple<py::array_t<WrinkleRow>, Ints, Ints, Floats, Ints, Floats, Floats, Floats, Ints, py::array_t<CurveRow>>
wrinkles_tuple(py::object self) {
    const Snapshot::Wrinkles& w = self.cast<const Snapshot&>().wrinkles;
    return py::make_tuple(view<WrinkleRow>(w.rows, self), view<std::int32_t>(w.offsets, self), view<std::int32_t>(w.edges, self),
                          view<float>(w.t, self), view<std::int32_t>(w.faces, self), view<float>(w.points, self),
                          view<float>(w.widths, self), view<float>(w.heights, self), view<std::int32_t>(w.curve_offsets, self),
                          view<CurveRow>(w.curves, self));
}

void bind_snapshot(py::module_& module) {
    // this list of the members of WrinkleRow, in order, defines the dtype in Python
    PYBIND11_NUMPY_DTYPE(WrinkleRow, id, age, kappa, size, fade, crest, middle_width, perimeter, full_width, cuts, extent,
                         fading);
    module.attr("WRINKLE") = py::dtype::of<WrinkleRow>();
    py::class_<Snapshot>(module, "Snapshot")
        .def_property_readonly("labels", view_of<std::uint8_t>(&Snapshot::labels))
        .def_property_readonly("current", view_of<float>(&Snapshot::current, {2, 2}))
        .def_property_readonly("reference", view_of<float>(&Snapshot::reference, {2, 2}))
        .def_property_readonly("motion", &motion_tuple)
        .def_property_readonly("field", &field_tuple)
        .def_property_readonly("wrinkles", &wrinkles_tuple)
        .def_property_readonly("rest", view_of<float>(&Snapshot::rest))
        .def_property_readonly("r_min", [](const Snapshot& s) { return shortest_decimal(s.r_min); })
        .def_property_readonly("timings", [](const Snapshot& s) { return dict_of(s.timings); })
        .def_property_readonly("stats", [](const Snapshot& s) { return dict_of(s.stats); });
}

}  // namespace

namespace {

using TimesTuple = py::typing::Tuple<float, float, float, float, float, bool>;

void bind_clock(py::module_& module) {
    py::class_<StepClock>(module, "StepClock")
        .def(py::init<float, float>(), Names("interval, offset"))
        .def("is_due", &StepClock::is_due, Names("dt"))
        .def("step_time", &StepClock::step_time, Names("dt"))
        .def("advance", &StepClock::advance, Names("dt, steps"))
        .def("reset", &StepClock::reset)
        .def_property("interval", &StepClock::interval, &StepClock::set_interval)
        .def_property_readonly("blends", &StepClock::blends)
        .def_property_readonly("share", &StepClock::share)
        .def_property(
            "times",
            [](const StepClock& clock) -> TimesTuple {
                const StepClock::Times& t = clock.times();
                return py::make_tuple(t.interval, t.offset, t.period, t.waited, t.since_step, t.has_begun);
            },
            [](StepClock& clock, const TimesTuple& t) {
                const auto number = [&](std::size_t i) { return t[i].cast<float>(); };
                clock = StepClock({number(0), number(1), number(2), number(3), number(4), t[5].cast<bool>()});
            });

    py::class_<Crowd>(module, "Crowd")
        .def(py::init([](const std::array<float, 2>& distances, const std::array<float, 3>& intervals) {
                 return Crowd({.distances = distances, .intervals = intervals});
             }),
             Names("distances, intervals"))
        .def("interval", &Crowd::interval, Names("distance"))
        .def_static("offset", &Crowd::offset, Names("index"))
        .def("reset", &Crowd::reset)
        .def(
            "plan",
            [](Crowd& crowd, const std::vector<std::tuple<float, float, std::int32_t, bool, bool>>& members, float dt,
               float budget_us) {
                std::vector<CrowdMember> all;
                for (const auto& [distance, motion, triangle_count, is_due, must] : members) {
                    all.push_back({.distance = distance,
                                   .motion = motion,
                                   .dt = dt,
                                   .triangle_count = triangle_count,
                                   .paths_are_due = is_due,
                                   .must = must});
                }
                const std::span<const std::uint8_t> steps = crowd.plan(all, budget_us);
                return std::vector<bool>(steps.begin(), steps.end());
            },
            Names("members, dt, budget_us"))
        .def_property_readonly(
            "costs", [](const Crowd& crowd) { return std::array{crowd.options().step_cost, crowd.options().picture_cost}; });

    module.def(
        "cloth_motion",
        [](Array<float> before, Array<float> now) {
            const auto earlier = require_array<float>(before, "before", {"V", 3});
            const auto later = require_array<float>(now, "now", {Extent("V", earlier.shape(0)), 3});
            return cloth_motion(items<Vector3>(earlier), later.data());
        },
        Names("before, now"));
}

}  // namespace

void bind_wrinkler(py::module_& module) {
    bind_snapshot(module);
    bind_clock(module);
    py::class_<SharedWrinkler> wrinkler(module, "Wrinkler");
    bind_state(wrinkler);
    wrinkler.def(py::init(&make_wrinkler), Names("topology, options"))
        .def("step", &step_wrinkler, Names("positions, dt, remaining=None, labels=None"))
        .def("set_rest", &set_rest, Names("positions"))
        .def(
            "set_options",
            [](SharedWrinkler& shared, const OptionsDict& given) {
                const WrinklerOptions options = options_from(wrinkler_parameters, given);
                shared.alone([&](Wrinkler& wrinkler) { wrinkler.set_options(options); });
            },
            Names("options"))
        .def_property_readonly("topology", [](const SharedWrinkler& shared) {
            // the cast removes const, because pybind11 needs a pointer to a non-const object; the bound methods do not
            // change a topology
            return std::const_pointer_cast<Topology>(shared.core.shared_topology());
        });

    module.def(
        "resolved_options",
        [](const OptionsDict& given) -> OptionsDict {
            const WrinklerOptions options = options_from(wrinkler_parameters, given);
            require_sound(options);
            return dict_of(wrinkler_parameters, resolved(options));
        },
        Names("options"));
}

}  // namespace ruckle::bindings
