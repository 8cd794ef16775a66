// Wrinkle waves: WaveField, and its heights as a source for surfaces.
#include <memory>
#include <mutex>
#include <vector>

#include "array.h"
#include "frame.h"
#include "height_source.h"
#include "options.h"
#include "remaining.h"
#include "ruckle/field/parameters.h"
#include "ruckle/waves/heights.h"
#include "ruckle/waves/wave_field.h"

namespace ruckle::bindings {

namespace {

// A WaveField that Python threads may share: each call has it alone.
struct SharedWaveField {
    py::object owner;  // of the topology
    WaveField field;
    std::mutex mutex;
};

std::unique_ptr<SharedWaveField> make_field(py::object mesh, py::handle rest, py::handle paint, const py::dict& given) {
    const auto& topology = mesh.cast<const Topology&>();
    const auto points = copy_array<float>(rest, "rest", {Extent("V", topology.vertex_count), 3});
    py::array_t<float> painted;
    if (!paint.is_none()) {
        painted = copy_finite(paint, "paint", {Extent("V", topology.vertex_count)});
    }
    const WaveOptions options = options_from(wave_parameters, given);
    return without_gil([&] {
        // not its own: `owner` keeps it
        const std::shared_ptr<const Topology> shared(std::shared_ptr<void>(), &topology);
        return std::unique_ptr<SharedWaveField>(
            new SharedWaveField{std::move(mesh), WaveField(shared, items<Vector3>(points), options, items<float>(painted)), {}});
    });
}

// vertices (V, 6), timings, stats
py::tuple step_field(SharedWaveField& shared, py::handle positions, float dt, py::handle remaining) {
    WaveField& field = shared.field;
    const auto points = copy_frame(positions, field.topology().vertex_count, field);
    const auto left = require_remaining(remaining, field.topology());
    // kept beyond the step, until its results are copied, but taken without the GIL
    std::unique_lock<std::mutex> lock(shared.mutex, std::defer_lock);
    const StepStatus status = without_gil([&] {
        lock.lock();
        return field.step(items<Vector3>(points), dt, items<float>(left));
    });
    if (status != StepStatus::done) {
        if (status == StepStatus::wrong_time) {
            require_in_range(field_parameters::dt, shortest_decimal(dt));
        }
        require_finite_vertices(name_of_frame(field.frame_count()), items<Vector3>(points));
        throw std::logic_error("a frame was refused for no reason");
    }
    auto vertices = new_array<float>({field.topology().vertex_count, 6});
    field.write_vertices(mutable_items<WaveVertex>(vertices));
    const WaveTimings& t = field.timings();
    py::dict timings, stats;
    timings["field"] = t.field;
    timings["direction"] = t.direction;
    timings["phase"] = t.phase;
    timings["pull"] = t.pull;
    timings["amplitude"] = t.amplitude;
    timings["total"] = t.total;
    stats["limited"] = field.stats().limited;
    stats["degenerate"] = field.stats().degenerate;
    return py::make_tuple(vertices, timings, stats);
}

class SharedWaveHeights : public SharedSource {
  public:
    explicit SharedWaveHeights(const SharedWaveField& field) : owner_(field.owner), heights_(field.field) {}
    SharedWaveHeights(const SharedWaveHeights& other) : owner_(other.owner_), heights_(other.heights_) {}

    int face_count() const override { return heights_.face_count(); }
    HeightSource source() const override {
        HeightSource found = source_of(heights_);
        found.edge_length = edge_length_ > 0.0f ? edge_length_ : found.edge_length;
        return found;
    }
    void append_texels(std::vector<Word>& table) const override { heights_.append_texels(table); }
    const WaveHeights& heights() const { return heights_; }

    // edge_length: mesh units; 0: that of the waves
    void update(py::handle positions, py::handle vertices, float edge_length) {
        const auto count = static_cast<py::ssize_t>(heights_.vertices().size());
        const auto points = require_finite(positions, "positions", {Extent("V", count), 3});
        const auto given = require_finite(vertices, "vertices", {Extent("V", count), 6});
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            heights_.update(items<Vector3>(points), items<WaveVertex>(given));
            edge_length_ = edge_length;
        });
    }

  private:
    py::object owner_;
    WaveHeights heights_;
    float edge_length_ = 0.0f;
};

py::array_t<float> area_gains(const SharedWaveHeights& shared) {
    auto gains = new_array<float>({shared.face_count()});
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.heights().measure_gains(mutable_items<float>(gains));
    });
    return gains;
}

}  // namespace

void bind_waves(py::module_& module) {
    module.def("wave_parameters", [] { return rows_of(wave_parameters); });
    module.def("simulated_waves", [] { return dict_of(wave_parameters, simulated_waves()); });

    py::class_<SharedWaveField>(module, "WaveField")
        .def(py::init(&make_field), py::arg("topology"), py::arg("rest"), py::arg("paint").none(true), py::arg("options"))
        .def("step", &step_field, py::arg("positions"), py::arg("dt"), py::arg("remaining").none(true))
        .def("reset",
             [](SharedWaveField& shared) {
                 const py::gil_scoped_release release;
                 const std::scoped_lock lock(shared.mutex);
                 shared.field.reset();
             })
        .def("state",
             [](SharedWaveField& shared) {
                 return bytes_of(without_gil([&] {
                     const std::scoped_lock lock(shared.mutex);
                     return shared.field.state();
                 }));
             })
        .def(
            "restore",
            [](SharedWaveField& shared, const py::bytes& state) {
                without_gil([&, bytes = state_view(state)] {
                    const std::scoped_lock lock(shared.mutex);
                    shared.field.restore(bytes);
                });
            },
            py::arg("state"))
        .def_property_readonly("options",
                               [](const SharedWaveField& shared) { return dict_of(wave_parameters, shared.field.options()); })
        .def_property_readonly("frame_count", [](const SharedWaveField& shared) { return shared.field.frame_count(); })
        .def_property_readonly("rest", [](py::object self) {
            const auto rest = self.cast<const SharedWaveField&>().field.rest_positions();
            return view<float>(rest.data(), {static_cast<py::ssize_t>(rest.size()), 3}, self);
        });

    py::class_<SharedWaveHeights, SharedSource, std::shared_ptr<SharedWaveHeights>>(module, "WaveHeights")
        .def(py::init<const SharedWaveField&>(), py::arg("field"))
        .def("copy", [](const SharedWaveHeights& shared) { return std::make_shared<SharedWaveHeights>(shared); })
        .def(
            "shares_rest",
            [](const SharedWaveHeights& shared, const SharedWaveHeights& other) {
                return shared.heights().shares_rest(other.heights());
            },
            py::arg("other"))
        .def_property_readonly("edge_length", [](const SharedWaveHeights& shared) { return shared.heights().edge_length(); })
        .def("area_gains", &area_gains)
        .def("update", &SharedWaveHeights::update, py::arg("positions"), py::arg("vertices"), py::kw_only(),
             py::arg("edge_length"));
}

}  // namespace ruckle::bindings
