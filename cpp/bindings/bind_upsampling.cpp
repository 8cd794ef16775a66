// Learned upsampling: Upsampler, and the solver for its training.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "array.h"
#include "frame.h"
#include "ruckle/field/parameters.h"
#include "ruckle/upsampling/upsampler.h"
#include "shared.h"
#include "tables.h"
#include "upsampling/local_systems.h"

namespace ruckle::bindings {

namespace {

using SharedUpsampler = Shared<Upsampler>;

// The arrays of DetailModel: grids (sizes and closed), rest, and nine arrays in the order of its members. The core
// checks their sizes.
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

std::unique_ptr<SharedUpsampler> make_upsampler(Array<float> rows, Array<int> fine_faces, Array<float> attachment,
                                                Array<float> oscillations, Array<float> frequencies, const OptionsDict& given,
                                                const std::optional<OptionsDict>& detail) {
    const auto entries = require_finite(rows, "rows", {"N", "M"});
    const auto count = require_vertex_count(entries.shape(0)), columns = require_vertex_count(entries.shape(1));
    const auto corners = copy_array<std::int32_t>(fine_faces, "fine_faces", {"F", 3});
    const auto shares = require_finite(attachment, "attachment", {Extent("N", count)});
    const auto hertz = require_finite(frequencies, "frequencies", {"P"});
    const auto shapes = require_finite(oscillations, "oscillations", {Extent("2P", 2 * hertz.shape(0)), Extent("N", count)});
    const UpsamplerOptions options = options_from(upsampler_parameters, given);
    // `network` keeps the arrays alive until the upsampler has copied them
    const DetailArrays network = detail ? detail_arrays(*detail) : DetailArrays{};
    return without_gil([&] {
        const UpsamplingModel model{columns,
                                    items<float>(entries),
                                    items<Face>(corners),
                                    items<float>(shares),
                                    items<float>(shapes),
                                    items<float>(hertz),
                                    network.model()};
        return std::make_unique<SharedUpsampler>(model, options);
    });
}

// Computes the next frame. Returns positions (N, 3) and timings.
py::typing::Tuple<Floats, UpsamplerTimingsDict> step_upsampler(SharedUpsampler& shared, Array<float> positions, float dt,
                                                               float gain, ArrayOrNone<float> pins) {
    const Upsampler& upsampler = shared.core;
    const py::ssize_t count = upsampler.fine_vertex_count();
    const auto points = copy_frame(positions, upsampler.coarse_vertex_count(), upsampler);
    const auto held = optional_array<float>(pins, "pins", {Extent("N", count), 3});
    auto fine = new_array<float>({count, 3});
    const auto [lock, status] = shared.hold([&, out = mutable_items<Vector3>(fine)](Upsampler& core) {
        const StepStatus done = core.step(items<Vector3>(points), dt, gain, items<Vector3>(held));
        if (done == StepStatus::done) {
            std::ranges::copy(core.positions(), out.begin());
        }
        return done;
    });
    if (status != StepStatus::done) {
        throw_refused_step(status, name_of_frame(upsampler.frame_count()), items<Vector3>(points), dt,
                           "the pin of an attached vertex is not finite; every coordinate must be finite");
    }
    return py::make_tuple(fine, dict_of(upsampler.timings()));
}

// Returns the correction (N, M) of the learned matrix (local_systems.h).
py::array_t<double> solve_systems(Array<double> gram, Array<double> penalties, Array<double> right, Array<double> sums,
                                  Array<int> offsets, Array<int> vertices, Array<double> shares) {
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
    require_indices(places, fine, "vertices");
    auto change = new_array<double>({fine, coarse});
    const std::size_t solved = without_gil([&, out = mutable_items<double>(change)] {
        std::ranges::fill(out, 0.0);
        return solve_local_systems({static_cast<std::size_t>(coarse), items<double>(products), items<double>(diagonals),
                                    items<double>(rows), items<double>(added), cuts, places, items<double>(weights)},
                                   out);
    });
    if (solved < static_cast<std::size_t>(coarse)) {
        throw std::invalid_argument("penalties: those of coarse vertex " + std::to_string(solved) +
                                    " are too small: its linear system is singular");
    }
    return change;
}

}  // namespace

void bind_upsampling(py::module_& module) {
    module.def("solve_local_systems", &solve_systems, Names("gram, penalties, right, sums, offsets, vertices, shares"));

    py::class_<SharedUpsampler> upsampler(module, "Upsampler");
    bind_state(upsampler);
    upsampler
        .def(py::init(&make_upsampler), Names("rows, fine_faces, attachment, oscillations, frequencies, options, detail=None"))
        .def("step", &step_upsampler, Names("positions, dt, gain, pins"))
        .def_property_readonly("operator_bytes", [](const SharedUpsampler& shared) { return shared.core.operator_bytes(); });
}

}  // namespace ruckle::bindings
