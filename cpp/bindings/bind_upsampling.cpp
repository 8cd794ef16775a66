// Learned upsampling: Upsampler.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "array.h"
#include "frame.h"
#include "options.h"
#include "ruckle/field/parameters.h"
#include "ruckle/upsampling/upsampler.h"
#include "upsampling/local_systems.h"

namespace ruckle::bindings {

namespace {

// An Upsampler that Python threads may share: each call has it alone.
struct SharedUpsampler {
    Upsampler upsampler;
    std::mutex mutex;
};

// The arrays of neural detail; their sizes are checked by the core.
struct DetailArrays {
    py::array_t<std::int32_t> grids;
    py::array_t<float> rest;
    std::array<py::array_t<float>, 9> others;

    DetailModel model() const {
        if (grids.size() == 0) {
            return {};
        }
        const std::int32_t* g = grids.data();
        const auto flat = [this](std::size_t i) {
            return std::span<const float>(others[i].data(), static_cast<std::size_t>(others[i].size()));
        };
        return {g[0],    g[1],    g[2],    g[3],    g[4] != 0, items<Vector3>(rest), flat(0), flat(1), flat(2), flat(3),
                flat(4), flat(5), flat(6), flat(7), flat(8)};
    }
};

DetailArrays detail_arrays(const py::dict& given) {
    DetailArrays found{
        copy_array<std::int32_t>(given["grids"], "grids", {5}), copy_array<float>(given["rest"], "rest", {"M", 3}), {}};
    constexpr const char* names[] = {"feature_mean", "feature_size", "first", "first_bias", "second",
                                     "second_bias",  "patches",      "mean",  "gains"};
    for (std::size_t i = 0; i < found.others.size(); ++i) {
        found.others[i] = copy_array<float>(given[names[i]], names[i], {"n"});
    }
    return found;
}

std::unique_ptr<SharedUpsampler> make_upsampler(py::handle rows, py::handle fine_faces, py::handle attachment,
                                                py::handle oscillations, py::handle frequencies, const py::dict& given,
                                                const py::object& detail) {
    const auto entries = require_finite(rows, "rows", {"N", "M"});
    const auto count = require_vertex_count(entries.shape(0)), columns = require_vertex_count(entries.shape(1));
    const auto corners = copy_array<std::int32_t>(fine_faces, "fine_faces", {"F", 3});
    const auto shares = require_finite(attachment, "attachment", {Extent("N", count)});
    const auto hertz = require_finite(frequencies, "frequencies", {"P"});
    const auto shapes = require_finite(oscillations, "oscillations", {Extent("2P", 2 * hertz.shape(0)), Extent("N", count)});
    const UpsamplerOptions options = options_from(upsampler_parameters, given);
    // held until the upsampler has its copies
    const DetailArrays network = detail.is_none() ? DetailArrays{} : detail_arrays(detail.cast<py::dict>());
    return without_gil([&] {
        const UpsamplingModel model{columns,
                                    items<float>(entries),
                                    items<Face>(corners),
                                    items<float>(shares),
                                    items<float>(shapes),
                                    items<float>(hertz),
                                    network.model()};
        return std::unique_ptr<SharedUpsampler>(new SharedUpsampler{Upsampler(model, options), {}});
    });
}

[[noreturn]] void throw_refused(StepStatus status, int frame, std::span<const Vector3> positions, float dt) {
    if (status == StepStatus::wrong_time) {
        require_in_range(field_parameters::dt, shortest_decimal(dt));
    }
    const std::string where = name_of_frame(frame);
    require_finite_vertices(where, positions);
    throw MeshError(where + "the pin of an attached vertex is not finite; every coordinate must be");
}

// positions (N, 3), timings
py::tuple step_upsampler(SharedUpsampler& shared, py::handle positions, float dt, float gain, py::handle pins) {
    const Upsampler& upsampler = shared.upsampler;
    const py::ssize_t count = upsampler.fine_vertex_count();
    const auto points = copy_frame(positions, upsampler.coarse_vertex_count(), upsampler);
    py::array_t<float> held;
    if (!pins.is_none()) {
        held = copy_array<float>(pins, "pins", {Extent("N", count), 3});
    }
    auto fine = new_array<float>({count, 3});
    // kept beyond the step, until its results are copied, but taken without the GIL
    std::unique_lock<std::mutex> lock(shared.mutex, std::defer_lock);
    const StepStatus status = without_gil([&, out = mutable_items<Vector3>(fine)] {
        lock.lock();
        const StepStatus done = shared.upsampler.step(items<Vector3>(points), dt, gain, items<Vector3>(held));
        if (done == StepStatus::done) {
            std::ranges::copy(upsampler.positions(), out.begin());
        }
        return done;
    });
    if (status != StepStatus::done) {
        throw_refused(status, upsampler.frame_count(), items<Vector3>(points), dt);
    }
    const UpsamplerTimings& t = upsampler.timings();
    py::dict timings;
    timings["multiply"] = t.multiply;
    timings["detail"] = t.detail;
    timings["normals"] = t.normals;
    timings["oscillate"] = t.oscillate;
    timings["attach"] = t.attach;
    timings["total"] = t.total;
    return py::make_tuple(fine, timings);
}

// What operators that are learnt from nearby add to their prior, (N, M).
py::array_t<double> solve_systems(py::handle gram, py::handle penalties, py::handle right, py::handle sums, py::handle offsets,
                                  py::handle vertices, py::handle shares) {
    const auto rows = require_array<double>(right, "right", {"N", "M"});
    const py::ssize_t fine = require_vertex_count(rows.shape(0)), coarse = require_vertex_count(rows.shape(1));
    const auto products = require_array<double>(gram, "gram", {Extent("M", coarse), Extent("M", coarse)});
    const auto diagonals = require_array<double>(penalties, "penalties", {Extent("M", coarse), Extent("M", coarse)});
    const auto added = require_array<double>(sums, "sums", {Extent("N", fine)});
    const auto parts = copy_array<std::int32_t>(offsets, "offsets", {Extent("M + 1", coarse + 1)});
    const auto held = copy_array<std::int32_t>(vertices, "vertices", {"n"});
    const auto weights = require_array<double>(shares, "shares", {Extent("n", held.shape(0))});
    const auto cuts = items<std::int32_t>(parts), places = items<std::int32_t>(held);
    if (cuts.front() != 0 || cuts.back() != held.shape(0) || !std::ranges::is_sorted(cuts)) {
        throw std::invalid_argument("offsets: expected numbers that rise from 0 to " + std::to_string(held.shape(0)));
    }
    if (std::ranges::any_of(places, [fine](std::int32_t vertex) { return vertex < 0 || vertex >= fine; })) {
        throw std::invalid_argument("vertices: expected numbers in [0, " + std::to_string(fine) + ")");
    }
    auto change = new_array<double>({fine, coarse});
    const std::size_t solved = without_gil([&, out = mutable_items<double>(change)] {
        std::ranges::fill(out, 0.0);
        return solve_local_systems({static_cast<std::size_t>(coarse), items<double>(products), items<double>(diagonals),
                                    items<double>(rows), items<double>(added), cuts, places, items<double>(weights)},
                                   out);
    });
    if (solved < static_cast<std::size_t>(coarse)) {
        throw std::invalid_argument("penalties: those of coarse vertex " + std::to_string(solved) +
                                    " are too small to solve with");
    }
    return change;
}

}  // namespace

void bind_upsampling(py::module_& module) {
    module.def("solve_local_systems", &solve_systems, py::arg("gram"), py::arg("penalties"), py::arg("right"), py::arg("sums"),
               py::arg("offsets"), py::arg("vertices"), py::arg("shares"));
    module.def("upsampler_parameters", [] { return rows_of(upsampler_parameters); });

    py::class_<SharedUpsampler>(module, "Upsampler")
        .def(py::init(&make_upsampler), py::arg("rows"), py::arg("fine_faces"), py::arg("attachment"), py::arg("oscillations"),
             py::arg("frequencies"), py::arg("options"), py::arg("detail") = py::none())
        .def("step", &step_upsampler, py::arg("positions"), py::arg("dt"), py::arg("gain"), py::arg("pins").none(true))
        .def("reset",
             [](SharedUpsampler& shared) {
                 const py::gil_scoped_release release;
                 const std::scoped_lock lock(shared.mutex);
                 shared.upsampler.reset();
             })
        .def("state",
             [](SharedUpsampler& shared) {
                 return bytes_of(without_gil([&] {
                     const std::scoped_lock lock(shared.mutex);
                     return shared.upsampler.state();
                 }));
             })
        .def(
            "restore",
            [](SharedUpsampler& shared, const py::bytes& state) {
                without_gil([&, bytes = state_view(state)] {
                    const std::scoped_lock lock(shared.mutex);
                    shared.upsampler.restore(bytes);
                });
            },
            py::arg("state"))
        .def_property_readonly("frame_count", [](const SharedUpsampler& shared) { return shared.upsampler.frame_count(); })
        .def_property_readonly("operator_bytes", [](const SharedUpsampler& shared) { return shared.upsampler.operator_bytes(); });
}

}  // namespace ruckle::bindings
