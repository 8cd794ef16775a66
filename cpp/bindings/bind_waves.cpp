// Wrinkle waves: WaveField, and its heights as a height source for surfaces.
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "array.h"
#include "frame.h"
#include "height_source.h"
#include "options.h"
#include "remaining.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"
#include "shared.h"
#include "tables.h"
#include "typed.h"

namespace ruckle::bindings {

namespace {

using SharedWaveField = Shared<WaveField>;

// Returns the factors of the vertices; an empty array for None.
py::array_t<float> painted_from(ArrayOrNone<float> paint, const Topology& topology) {
    return paint.is_none() ? py::array_t<float>() : copy_finite(paint, "paint", {Extent("V", topology.vertex_count)});
}

// Returns a field that refers to the topology; `keep_alive` in bind_waves keeps the topology alive.
std::unique_ptr<SharedWaveField> make_field(const Topology& topology, Array<float> rest, ArrayOrNone<float> paint,
                                            const OptionsDict& given) {
    const auto points = copy_array<float>(rest, "rest", {Extent("V", topology.vertex_count), 3});
    const auto painted = painted_from(paint, topology);
    const WaveOptions options = options_from(wave_parameters, given);
    return without_gil([&] {
        const std::shared_ptr<const Topology> view(std::shared_ptr<void>(), &topology);
        return std::make_unique<SharedWaveField>(view, items<Vector3>(points), options, items<float>(painted));
    });
}

// Computes the next frame. Returns vertices (V, 6), timings and stats.
py::typing::Tuple<Floats, WaveTimingsDict, WaveStatsDict> step_field(SharedWaveField& shared, Array<float> positions, float dt,
                                                                     ArrayOrNone<float> remaining) {
    WaveField& field = shared.core;
    const auto points = copy_frame(positions, field.topology().vertex_count, field);
    const auto left = require_remaining(remaining, field.topology());
    // the lock is held until the results of the step are copied; it is acquired without the GIL
    std::unique_lock<std::mutex> lock(shared.mutex, std::defer_lock);
    const StepStatus status = without_gil([&] {
        lock.lock();
        return field.step(items<Vector3>(points), dt, items<float>(left));
    });
    if (status != StepStatus::done) {
        if (status == StepStatus::wrong_time) {
            require_in_range(frame_time_parameter, shortest_decimal(dt));
        }
        require_finite_vertices(name_of_frame(field.frame_count()), items<Vector3>(points));
        throw std::logic_error("a frame was refused for no reason");
    }
    auto vertices = new_array<float>({field.topology().vertex_count, 6});
    field.write_vertices(mutable_items<WaveVertex>(vertices));
    return py::make_tuple(vertices, dict_of(field.timings()), dict_of(field.stats()));
}

void set_paint(SharedWaveField& shared, ArrayOrNone<float> paint) {
    const auto painted = painted_from(paint, shared.core.topology());
    shared.alone([&](WaveField& field) { field.set_paint(items<float>(painted)); });
}

class SharedWaveHeights : public SharedSource {
  public:
    explicit SharedWaveHeights(const SharedWaveField& field) : heights_(field.core) {}
    SharedWaveHeights(const SharedWaveHeights& other) : heights_(other.heights_) {}

    int face_count() const override { return heights_.face_count(); }
    HeightSource source() const override {
        HeightSource found = source_of(heights_);
        found.edge_length = edge_length_ > 0.0f ? edge_length_ : found.edge_length;
        return found;
    }
    void append_texels(std::vector<Word>& table) const override { heights_.append_texels(table); }
    const WaveHeights& heights() const { return heights_; }

    // Sets the state of one frame. vertices: (V, 6), a result of WaveField.step. edge_length: length of fine edges, mesh
    // units; 0 or less: WaveHeights::edge_length, a part of the wavelength.
    void update(Array<float> positions, Array<float> vertices, float edge_length) {
        const auto count = static_cast<py::ssize_t>(heights_.vertices().size());
        const auto points = require_finite(positions, "positions", {Extent("V", count), 3});
        const auto given = require_finite(vertices, "vertices", {Extent("V", count), 6});
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            heights_.update(items<Vector3>(points), items<WaveVertex>(given));
            edge_length_ = edge_length;
        });
    }

    void mix(Array<float> later, float share) {
        const auto count = static_cast<py::ssize_t>(heights_.vertices().size());
        const auto given = require_finite(later, "later", {Extent("V", count), 6});
        if (!(share >= 0.0f && share <= 1.0f)) {
            throw std::invalid_argument("share: expected a number in [0, 1], got " + std::to_string(share));
        }
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            heights_.mix(items<WaveVertex>(given), share);
        });
    }

    // Returns (N, 4) texels of the rest pose for shaders, constant over all frames.
    py::array_t<float> rest_texels() const {
        using Texel = std::array<float, 4>;
        auto texels = new_array<float>({static_cast<py::ssize_t>(heights_.rest_texel_count()), 4});
        heights_.write_rest_texels(mutable_items<Texel>(texels));
        return texels;
    }

    py::array_t<float> area_gains() const {
        auto gains = new_array<float>({face_count()});
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            heights_.measure_gains(mutable_items<float>(gains));
        });
        return gains;
    }

  private:
    WaveHeights heights_;
    float edge_length_ = 0.0f;
};

}  // namespace

void bind_waves(py::module_& module) {
    module.def("simulated_waves", [] { return OptionsDict(dict_of(wave_parameters, simulated_waves())); });

    py::class_<SharedWaveField> field(module, "WaveField");
    bind_state(field);
    field.def(py::init(&make_field), Names("topology, rest, paint, options"), py::keep_alive<1, 2>())
        .def("step", &step_field, Names("positions, dt, remaining"))
        .def(
            "set_options",
            [](SharedWaveField& shared, const OptionsDict& given) {
                const WaveOptions options = options_from(wave_parameters, given);
                shared.alone([&](WaveField& field) { field.set_options(options); });
            },
            Names("options"))
        .def("set_paint", &set_paint, Names("paint"))
        .def_property_readonly(
            "options", [](const SharedWaveField& shared) { return OptionsDict(dict_of(wave_parameters, shared.core.options())); })
        .def_property_readonly("rest", [](py::object self) {
            const auto rest = self.cast<const SharedWaveField&>().core.rest_positions();
            return view<float>(rest.data(), {static_cast<py::ssize_t>(rest.size()), 3}, self);
        });

    py::class_<SharedWaveHeights, SharedSource, std::shared_ptr<SharedWaveHeights>>(module, "WaveHeights")
        .def(py::init<const SharedWaveField&>(), Names("field"), py::keep_alive<1, 2>())
        .def(
            "copy", [](const SharedWaveHeights& shared) { return std::make_shared<SharedWaveHeights>(shared); },
            py::keep_alive<0, 1>())
        .def(
            "shares_rest",
            [](const SharedWaveHeights& shared, const SharedWaveHeights& other) {
                return shared.heights().shares_rest(other.heights());
            },
            Names("other"))
        .def_property_readonly("vertex_count", [](const SharedWaveHeights& shared) { return shared.heights().vertices().size(); })
        .def_property_readonly("profile",
                               [](const SharedWaveHeights& shared) {
                                   const auto [sharpness, detail, sag, offset] = shared.heights().profile();
                                   return std::tuple(sharpness, detail, sag, offset);
                               })
        .def_property_readonly("share", [](const SharedWaveHeights& shared) { return shared.heights().share(); })
        .def("mix", &SharedWaveHeights::mix, Names("later, share"))
        .def("rest_texels", &SharedWaveHeights::rest_texels)
        .def_property_readonly("edge_length", [](const SharedWaveHeights& shared) { return shared.heights().edge_length(); })
        .def("area_gains", &SharedWaveHeights::area_gains)
        .def("update", &SharedWaveHeights::update, Names("positions, vertices, *, edge_length"));
}

}  // namespace ruckle::bindings
