// Height sources: PathHeights of the core, and SampledHeights for layers that Python evaluates.
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <pybind11/stl.h>

#include "array.h"
#include "constants.h"
#include "height_source.h"
#include "ruckle/paths/path_heights.h"
#include "wrinkle_row.h"

namespace ruckle::bindings {

namespace {

// Drawn lines as arrays; line i has the samples [offsets[i], offsets[i + 1]).
struct PackedCurves {
    PackedCurves(py::handle sample_offsets, py::handle line_samples)
        : offsets(copy_array<std::int32_t>(sample_offsets, "offsets", {"W + 1"})),
          samples(copy_array<CurveRow>(line_samples, "samples", {"n"})) {
        // offsets are checked because wrong offsets would make the core read out of bounds
        bool sound = offsets.size() > 0 && offsets.data()[0] == 0 && offsets.data()[offsets.size() - 1] == samples.size();
        for (py::ssize_t i = 0; sound && i + 1 < offsets.size(); ++i) {
            sound = offsets.data()[i] <= offsets.data()[i + 1];
        }
        if (!sound) {
            throw std::invalid_argument("offsets: expected numbers that rise from 0 to the number of samples, " +
                                        std::to_string(samples.size()));
        }
    }

    int count() const { return static_cast<int>(offsets.size()) - 1; }
    std::span<const CurveSample> line(int i) const {
        const auto first = static_cast<std::size_t>(offsets.data()[i]), stop = static_cast<std::size_t>(offsets.data()[i + 1]);
        return samples_of({samples.data() + first, stop - first});
    }

    py::array_t<std::int32_t> offsets;
    py::array_t<CurveRow> samples;
};

// Throws if a sample of a line has an invalid face or coordinates. A line that was drawn on another mesh, or before UV
// seams were joined, would make the core read out of bounds.
void require_line(const Topology& topology, std::span<const CurveSample> line, int number) {
    const std::string name = "wrinkles: wrinkle " + std::to_string(number);
    for (const CurveSample& sample : line) {
        if (sample.face < 0 || sample.face >= topology.face_count()) {
            throw std::invalid_argument(name + " is not of this mesh: its line names face " + std::to_string(sample.face) +
                                        "; pass the faces from which its Wrinkler was made, with UV seams welded if they were");
        }
        if (!(sample.weights.minCoeff() >= -least_weight && std::abs(sample.weights.sum() - 1.0f) <= weight_tolerance)) {
            throw std::invalid_argument(name + " has a sample whose barycentric weights are not at least 0 with sum 1");
        }
        for (const float measure : {sample.half_width, sample.height}) {
            if (!(std::isfinite(measure) && measure >= 0.0f)) {
                throw std::invalid_argument(name + " has a sample with a half width or height of " + std::to_string(measure) +
                                            "; they are finite and at least 0");
            }
        }
    }
}

class SharedPathHeights : public SharedSource {
  public:
    // mesh: a Topology, which this object keeps alive
    SharedPathHeights(py::object mesh, int threads)
        : owner_(std::move(mesh)), topology_(owner_.cast<const Topology&>()), heights_(topology_, threads) {
        // starts with all vertices at one point, so that queries before the first update return values
        heights_.update(std::vector<Vector3>(static_cast<std::size_t>(topology_.vertex_count), Vector3(0.0f, 0.0f, 0.0f)), {},
                        DrawnLines{}, 0.0f);
    }

    int face_count() const override { return topology_.face_count(); }
    HeightSource source() const override { return source_of(heights_); }
    void append_texels(std::vector<Word>& table) const override { heights_.append_texels(table); }
    std::size_t carried_words() const override { return heights_.carried_words(); }

    const PathHeights& heights() const { return heights_; }

    // Sets the lines of one frame. earlier_offsets, earlier_samples: drawn lines of the previous step, or None. share:
    // weight of the later lines; None: 1.
    void update(Array<float> positions, Array<float> rest, Array<int> offsets, Array<CurveRow> samples, float edge_length,
                ArrayOrNone<int> earlier_offsets, ArrayOrNone<CurveRow> earlier_samples, std::optional<float> given_share) {
        const float share = given_share.value_or(1.0f);
        const Extent vertices("V", topology_.vertex_count);
        const auto points = copy_finite(positions, "positions", {vertices, 3}),
                   at_rest = copy_finite(rest, "rest", {vertices, 3});
        const PackedCurves packed(offsets, samples);
        std::optional<PackedCurves> earlier;
        if (!earlier_offsets.is_none()) {
            earlier.emplace(earlier_offsets, earlier_samples);
        }
        // the edge length is checked only with wrinkles, because it is not used without them
        if (packed.count() > 0 || (earlier && earlier->count() > 0)) {
            require_above(edge_length, 0.0f, "edge_length", "a finite length above 0");
        }
        require_share(share, "share");
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            take_lines(packed, later_);
            earlier_.clear();
            if (earlier) {
                take_lines(*earlier, earlier_);
            }
            heights_.update(items<Vector3>(points), items<Vector3>(at_rest),
                            {.earlier = earlier_, .later = later_, .share = share}, edge_length);
        });
    }

  private:
    void take_lines(const PackedCurves& packed, std::vector<Wrinkle>& wrinkles) {
        wrinkles.assign(static_cast<std::size_t>(packed.count()), Wrinkle{});
        for (int i = 0; i < packed.count(); ++i) {
            require_line(topology_, packed.line(i), i);
            // only the drawn line is set, because heights do not depend on other members of a wrinkle
            wrinkles[static_cast<std::size_t>(i)].curve = packed.line(i);
        }
    }

    py::object owner_;
    const Topology& topology_;
    PathHeights heights_;
    std::vector<Wrinkle> later_, earlier_;
};

// Height source of a layer whose heights Python samples. bends: as in HeightSource, negative for faces without heights.
// edge_length: length of fine edges that is small enough to show the heights.
class SampledHeights : public SharedSource {
  public:
    SampledHeights(const Topology& mesh, ArrayOrNone<float> bends, float edge_length,
                   std::optional<std::array<float, 2>> height_range)
        : face_count_(mesh.face_count()) {
        require_above(edge_length, 0.0f, "edge_length", "a finite length above 0");
        edge_length_ = edge_length;
        const auto given = optional_finite(bends, "bends", {Extent("T", face_count_)});
        bends_.assign(items<float>(given).begin(), items<float>(given).end());
        if (height_range) {
            const auto [outside, inside] = *height_range;
            if (!(outside >= 0.0f && inside >= 0.0f && std::isfinite(outside + inside))) {
                throw std::invalid_argument("height_range: expected two finite lengths of at least 0, got " +
                                            std::to_string(outside) + " and " + std::to_string(inside));
            }
            range_ = HeightRange{outside, inside};
        }
    }

    int face_count() const override { return face_count_; }
    HeightSource source() const override {
        // the function adds nothing, because evaluate and displace get these heights as samples
        return {.object = this,
                .add = [](const void*, const HeightBlock&) {},
                .bends = bends_,
                .edge_length = edge_length_,
                .range = range_};
    }

  private:
    int face_count_;
    std::vector<float> bends_;
    float edge_length_ = 0.0f;
    std::optional<HeightRange> range_;
};

py::typing::Tuple<Floats, Floats> sample_heights(const SharedSource& shared, Array<int> faces, Array<float> barycentric) {
    const auto where = copy_array<std::int32_t>(faces, "faces", {"N"});
    const auto weights = copy_finite(barycentric, "barycentric", {Extent("N", where.size()), 3});
    require_indices(items<std::int32_t>(where), shared.face_count(), "faces");
    auto heights = new_array<float>({where.size()}), gradients = new_array<float>({where.size(), 3});
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        // samples under the lock, because the source refers to arrays that the next update changes
        sample(shared.source(), items<std::int32_t>(where), items<Vector3>(weights), mutable_items<float>(heights),
               mutable_items<Vector3>(gradients));
    });
    return py::make_tuple(heights, gradients);
}

py::array_t<float> area_gains(const SharedPathHeights& shared) {
    return computed<float>({shared.face_count()}, [&](auto gains) {
        const std::scoped_lock lock(shared.mutex);
        shared.heights().measure_gains(gains);
    });
}

// Returns the getter of a property. It copies one result of the last update; later updates do not change the copy.
template <class Scalar, class Item>
auto copy_of(std::span<const Item> (PathHeights::*part)() const, std::initializer_list<py::ssize_t> entry) {
    return [part, entry = std::vector<py::ssize_t>(entry)](const SharedPathHeights& shared) {
        return locked_copy<Scalar>(shared.mutex, [&] { return (shared.heights().*part)(); }, entry);
    };
}

template <class Scalar>
auto copy_of(std::vector<Scalar> FaceLists::* part) {
    return [part](const SharedPathHeights& shared) {
        return locked_copy<Scalar>(shared.mutex, [&] { return shared.heights().face_lists().*part; }, {});
    };
}

}  // namespace

void bind_heights(py::module_& module) {
    PYBIND11_NUMPY_DTYPE(CurveRow, face, barycentric, half_width, height);
    module.attr("CURVE_SAMPLE") = py::dtype::of<CurveRow>();

    py::class_<SharedSource, std::shared_ptr<SharedSource>>(module, "HeightSource")
        .def("heights", &sample_heights, Names("faces, barycentric"));

    py::class_<SharedPathHeights, SharedSource, std::shared_ptr<SharedPathHeights>>(module, "PathHeights")
        .def(py::init([](TopologyObject topology, int threads) {
                 return std::make_shared<SharedPathHeights>(topology, require_threads(threads));
             }),
             Names("topology, *, threads"))
        .def("update", &SharedPathHeights::update,
             Names("positions, rest, offsets, samples, *, edge_length, earlier_offsets=None, earlier_samples=None, share=None"))
        .def("area_gains", &area_gains)
        .def_property_readonly("curve_points", copy_of<float>(&PathHeights::curve_points, {4, 4}))
        .def_property_readonly("face_offsets", copy_of(&FaceLists::offsets))
        .def_property_readonly("face_points", copy_of(&FaceLists::points))
        .def_property_readonly("face_openings", copy_of(&FaceLists::openings))
        .def_property_readonly("smoothing", copy_of<float>(&PathHeights::smoothing, {}));

    py::class_<SampledHeights, SharedSource, std::shared_ptr<SampledHeights>>(module, "SampledHeights")
        .def(py::init<const Topology&, ArrayOrNone<float>, float, std::optional<std::array<float, 2>>>(),
             Names("topology, *, bends, edge_length, height_range=None"));
}

}  // namespace ruckle::bindings
