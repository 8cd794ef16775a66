// The height sources of the core: PathHeights; and SampledHeights, for layers that Python evaluates.
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "array.h"
#include "height_source.h"
#include "ruckle/paths/path_heights.h"
#include "wrinkle_row.h"

namespace ruckle::bindings {

namespace {

// Wrinkles as arrays: vertices of wrinkle i are [offsets[i], offsets[i + 1]).
struct PackedWrinkles {
    PackedWrinkles(py::handle vertex_offsets, py::handle vertex_edges, py::handle vertex_t, py::handle vertex_faces,
                   py::handle vertex_heights, py::handle wrinkle_profiles)
        : offsets(copy_array<std::int32_t>(vertex_offsets, "offsets", {"W + 1"})),
          edges(copy_array<std::int32_t>(vertex_edges, "edges", {"n"})),
          t(copy_finite(vertex_t, "t", {Extent("n", edges.size())})),
          faces(copy_array<std::int32_t>(vertex_faces, "faces", {Extent("n", edges.size())})),
          heights(copy_finite(vertex_heights, "heights", {Extent("n", edges.size())})),
          profiles(copy_array<ProfileRow>(wrinkle_profiles, "profiles", {Extent("W", offsets.size() - 1)})) {
        // offsets decide where the other arrays are read
        bool sound = offsets.size() > 0 && offsets.data()[0] == 0 && offsets.data()[offsets.size() - 1] == edges.size();
        for (py::ssize_t i = 0; sound && i + 1 < offsets.size(); ++i) {
            sound = offsets.data()[i] <= offsets.data()[i + 1];
        }
        if (!sound) {
            throw std::invalid_argument("offsets: expected numbers that rise from 0 to the number of vertices, " +
                                        std::to_string(edges.size()));
        }
    }

    int count() const { return static_cast<int>(offsets.size()) - 1; }
    Wrinkle wrinkle(int i) const {
        const auto first = static_cast<std::size_t>(offsets.data()[i]),
                   size = static_cast<std::size_t>(offsets.data()[i + 1]) - first;
        const ProfileRow& profile = profiles.data()[i];
        // views of the arrays, and of the rest only what heights depend on
        Wrinkle result{};
        result.width = profile.middle_width;
        result.perimeter = profile.perimeter;
        result.size.fade = profile.fade;
        result.cuts = profile.cuts;
        result.edges = items<std::int32_t>(edges).subspan(first, size);
        result.t = items<float>(t).subspan(first, size);
        result.faces = items<std::int32_t>(faces).subspan(first, size ? size - 1 : 0);
        result.heights = items<float>(heights).subspan(first, size);
        return result;
    }

    py::array_t<std::int32_t> offsets, edges;
    py::array_t<float> t;
    py::array_t<std::int32_t> faces;
    py::array_t<float> heights;
    py::array_t<ProfileRow> profiles;
};

bool names_sides(const Topology& topology, std::int32_t face, std::int32_t a, std::int32_t b) {
    if (face < 0 || face >= topology.face_count() || a == b) {
        return false;
    }
    const auto& sides = topology.face_edges[face];
    const auto has = [&](std::int32_t edge) { return sides[0] == edge || sides[1] == edge || sides[2] == edge; };
    return has(a) && has(b);
}

// The path must run over this mesh: one made on another, or before UV seams were joined, reads out of bounds.
void require_path(const Topology& topology, const Wrinkle& wrinkle, int number) {
    const std::string name = "wrinkles: wrinkle " + std::to_string(number);
    const auto count = static_cast<int>(wrinkle.edges.size());
    if (count < 2 || count > most_path_vertices) {
        throw std::invalid_argument(name + " has " + std::to_string(count) + " vertices, allowed are 2 to " +
                                    std::to_string(most_path_vertices));
    }
    for (int i = 0; i < count; ++i) {
        if (!(wrinkle.t[i] >= 0.0f && wrinkle.t[i] <= 1.0f)) {
            throw std::invalid_argument(name + " has t = " + std::to_string(wrinkle.t[i]) + " at vertex " + std::to_string(i) +
                                        "; t lies in [0, 1]");
        }
        if (i + 1 < count && !names_sides(topology, wrinkle.faces[i], wrinkle.edges[i], wrinkle.edges[i + 1])) {
            throw std::invalid_argument(name + " does not run over this mesh: its vertices " + std::to_string(i) + " and " +
                                        std::to_string(i + 1) + " do not lie on two edges of face " +
                                        std::to_string(wrinkle.faces[i]) +
                                        "; pass the faces from which its Wrinkler was made, with UV seams welded if they were");
        }
    }
    for (const float measure : {wrinkle.width, wrinkle.perimeter, wrinkle.size.fade}) {
        if (!(std::isfinite(measure) && measure >= 0.0f)) {
            throw std::invalid_argument(name + " has a width, perimeter or fade of " + std::to_string(measure) +
                                        "; they are finite and at least 0");
        }
    }
    for (const float cut : wrinkle.cuts) {
        if (!(cut >= 0.0f && cut <= 1.0f)) {
            throw std::invalid_argument(name + " has a cut of " + std::to_string(cut) + "; cuts lie in [0, 1]");
        }
    }
}

void require_edge_length(float edge_length) {
    if (!(std::isfinite(edge_length) && edge_length > 0.0f)) {
        throw std::invalid_argument("edge_length: expected a finite length above 0, got " + std::to_string(edge_length));
    }
}

class SharedPathHeights : public SharedSource {
  public:
    // mesh: a Topology, which must live as long as any surface that takes the heights
    SharedPathHeights(py::object mesh, int threads)
        : owner_(std::move(mesh)), topology_(owner_.cast<const Topology&>()), heights_(topology_, threads) {
        // cloth of one point and no wrinkle, so that questions before the first update have an answer
        heights_.update(std::vector<Vector3>(static_cast<std::size_t>(topology_.vertex_count), Vector3(0.0f, 0.0f, 0.0f)), {},
                        0.0f);
    }

    int face_count() const override { return topology_.face_count(); }
    HeightSource source() const override { return source_of(heights_); }
    std::size_t texel_count() const override { return heights_.texel_count(); }
    void write_texels(std::span<Texel> table) const override { heights_.write_texels(table); }

    const PathHeights& heights() const { return heights_; }

    void update(py::handle positions, py::handle offsets, py::handle edges, py::handle t, py::handle faces, py::handle heights,
                py::handle profiles, float edge_length) {
        const auto points = copy_finite(positions, "positions", {Extent("V", topology_.vertex_count), 3});
        const PackedWrinkles packed(offsets, edges, t, faces, heights, profiles);
        // without wrinkles no fine edge has a length
        if (packed.count() > 0) {
            require_edge_length(edge_length);
        }
        without_gil([&] {
            const std::scoped_lock lock(mutex);
            wrinkles_.clear();
            for (int i = 0; i < packed.count(); ++i) {
                wrinkles_.push_back(packed.wrinkle(i));
                require_path(topology_, wrinkles_.back(), i);
            }
            heights_.update(items<Vector3>(points), wrinkles_, edge_length);
        });
    }

  private:
    py::object owner_;
    const Topology& topology_;
    PathHeights heights_;
    std::vector<Wrinkle> wrinkles_;
};

// Where the heights are and how short edges must be, of a layer whose heights come as samples.
class SampledHeights : public SharedSource {
  public:
    SampledHeights(const Topology& mesh, py::handle bends, float edge_length) : face_count_(mesh.face_count()) {
        require_edge_length(edge_length);
        edge_length_ = edge_length;
        if (!bends.is_none()) {
            const auto given = copy_finite(bends, "bends", {Extent("T", face_count_)});
            bends_.assign(items<float>(given).begin(), items<float>(given).end());
        }
    }

    int face_count() const override { return face_count_; }
    HeightSource source() const override {
        // adds nothing: its heights come as samples with evaluate and displace
        return {.object = this, .add = [](const void*, const HeightBlock&) {}, .bends = bends_, .edge_length = edge_length_};
    }

  private:
    int face_count_;
    std::vector<float> bends_;
    float edge_length_ = 0.0f;
};

void require_coarse_faces(std::span<const std::int32_t> faces, int face_count) {
    for (const std::int32_t face : faces) {
        if (face < 0 || face >= face_count) {
            throw std::invalid_argument("faces: expected numbers from 0 to " + std::to_string(face_count - 1) + ", got " +
                                        std::to_string(face));
        }
    }
}

py::tuple sample_heights(const SharedSource& shared, py::handle faces, py::handle barycentric) {
    const auto where = copy_array<std::int32_t>(faces, "faces", {"N"});
    const auto weights = copy_finite(barycentric, "barycentric", {Extent("N", where.size()), 3});
    require_coarse_faces(items<std::int32_t>(where), shared.face_count());
    auto heights = new_array<float>({where.size()}), gradients = new_array<float>({where.size(), 3});
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        // asked under the lock, because the source is a view of what the next update changes
        sample(shared.source(), items<std::int32_t>(where), items<Vector3>(weights), mutable_items<float>(heights),
               mutable_items<Vector3>(gradients));
    });
    return py::make_tuple(heights, gradients);
}

py::array_t<float> area_gains(const SharedPathHeights& shared) {
    auto gains = new_array<float>({shared.face_count()});
    without_gil([&] {
        const std::scoped_lock lock(shared.mutex);
        shared.heights().measure_gains(mutable_items<float>(gains));
    });
    return gains;
}

// A copy of part of the last update: it stays as it is when the next one comes.
template <class Scalar, class Item>
auto copy_of(std::span<const Item> (PathHeights::*part)() const, std::initializer_list<py::ssize_t> entry) {
    return [part, entry = std::vector<py::ssize_t>(entry)](const SharedPathHeights& shared) {
        return locked_copy<Scalar>(shared.mutex, [&] { return (shared.heights().*part)(); }, entry);
    };
}

}  // namespace

void bind_heights(py::module_& module) {
    PYBIND11_NUMPY_DTYPE(ProfileRow, middle_width, perimeter, fade, cuts);
    module.attr("PROFILE") = py::dtype::of<ProfileRow>();

    py::class_<SharedSource, std::shared_ptr<SharedSource>>(module, "HeightSource")
        .def("heights", &sample_heights, py::arg("faces"), py::arg("barycentric"));

    py::class_<SharedPathHeights, SharedSource, std::shared_ptr<SharedPathHeights>>(module, "PathHeights")
        .def(py::init([](const py::object& topology, int threads) {
                 return std::make_shared<SharedPathHeights>(topology, require_threads(threads));
             }),
             py::arg("topology"), py::kw_only(), py::arg("threads"))
        .def("update", &SharedPathHeights::update, py::arg("positions"), py::arg("offsets"), py::arg("edges"), py::arg("t"),
             py::arg("faces"), py::arg("heights"), py::arg("profiles"), py::kw_only(), py::arg("edge_length"))
        .def("area_gains", &area_gains)
        .def_property_readonly("curve_vertices", copy_of<float>(&PathHeights::curve_vertices, {3, 4}))
        .def_property_readonly("face_offsets", copy_of<std::int32_t>(&PathHeights::face_offsets, {}))
        .def_property_readonly("face_segments", copy_of<std::int32_t>(&PathHeights::face_segments, {}));

    py::class_<SampledHeights, SharedSource, std::shared_ptr<SampledHeights>>(module, "SampledHeights")
        .def(py::init<const Topology&, py::handle, float>(), py::arg("topology"), py::kw_only(), py::arg("bends").none(true),
             py::arg("edge_length"));
}

}  // namespace ruckle::bindings
