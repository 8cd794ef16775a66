// Path stages as functions: trace, smooth_path, optimize_path, wrinkle_shape, wrinkle_curve, draw_curve.
#include <cmath>
#include <memory>

#include "array.h"
#include "ruckle/paths/parameters.h"
#include "ruckle/paths/path.h"
#include "ruckle/paths/persist.h"
#include "ruckle/paths/shape.h"
#include "ruckle/paths/trace.h"
#include "wrinkle_row.h"

namespace ruckle::bindings {

namespace {

// The arrays of a Cloth, which are checked and kept alive.
struct ClothArguments {
    ClothArguments(const Topology& mesh, py::handle points, py::handle stretch)
        : topology(mesh), positions(copy_finite(points, "positions", {Extent("V", mesh.vertex_count), 3})) {
        // Python passes the members of Stretch as a tuple, in order
        const auto parts = py::cast<py::tuple>(stretch);
        const Extent count("T", mesh.face_count());
        min = copy_finite(parts[0], "stretch.min", {count});
        max = copy_finite(parts[1], "stretch.max", {count});
        compression = copy_finite(parts[2], "stretch.compression", {count});
        axis = copy_finite(parts[3], "stretch.axis", {count, 2});
        degenerate = copy_array<bool>(parts[4], "stretch.degenerate", {count});
        // in a Wrinkler, an earlier stage computes these matrices; a single stage must compute them here
        current.resize(static_cast<std::size_t>(mesh.face_count()));
        edge_matrices(items<Vector3>(positions), topology.faces, current);
    }

    // Returns a span of non-const elements, as the members of Cloth require. The cast is safe, because a Cloth is only
    // read.
    template <class Item, class Scalar>
    static std::span<Item> readable(const py::array_t<Scalar>& array) {
        return {reinterpret_cast<Item*>(const_cast<Scalar*>(array.data())), items<Item>(array).size()};
    }
    Cloth cloth() const {
        return {topology, items<Vector3>(positions), current,
                StretchSpans{readable<float>(min), readable<float>(max), readable<float>(compression), readable<Vector2>(axis),
                             readable<std::uint8_t>(degenerate)}};
    }

    const Topology& topology;
    py::array_t<float> positions, min, max, compression, axis;
    py::array_t<bool> degenerate;
    std::vector<Matrix2> current;
};

Path path_of(const Topology& topology, py::handle edges, py::handle t) {
    const auto on = copy_array<std::int32_t>(edges, "edges", {"n"});
    const auto at = copy_finite(t, "t", {Extent("n", on.size())});
    return make_path(topology, items<std::int32_t>(on), items<float>(at));
}

py::typing::List<py::typing::Tuple<Ints, Floats>> bind_trace(const Topology& topology, Array<float> positions,
                                                             StretchTuple stretch, float r_min, float tau, float grow_tau,
                                                             float least_aspect, std::uint64_t seed, bool smooth) {
    require_in_range(wrinkle_radius_parameter, shortest_decimal(r_min));
    require_in_range(wrinkler_parameters,
                     WrinklerOptions{.r_min = r_min, .tau = tau, .grow_tau = grow_tau, .least_aspect = least_aspect});
    const ClothArguments arguments(topology, positions, stretch);
    const TraceOptions options{
        .r_min = r_min, .tau = tau, .grow_tau = grow_tau, .least_aspect = least_aspect, .seed = seed, .smooth = smooth};
    // the pool is used only by this call; it has the capacity of a Wrinkler's pool
    PathPool pool(topology, path_capacity(topology));
    without_gil([&] { trace_frame(arguments.cloth(), options, pool); });
    py::list paths;
    for (const std::int32_t slot : pool.slots()) {
        const auto edges = std::as_const(pool).edges(slot);
        const auto count = static_cast<py::ssize_t>(edges.size());
        paths.append(py::make_tuple(copied<std::int32_t>(edges, {count}), copied<float>(std::as_const(pool).t(slot), {count})));
    }
    return paths;
}

py::array_t<float> bind_smooth_path(const Topology& topology, Array<float> positions, Array<int> edges, Array<float> t) {
    const auto points = copy_finite(positions, "positions", {Extent("V", topology.vertex_count), 3});
    Path path = path_of(topology, edges, t);
    // an empty pool, because there are no other paths that this path could cross
    const PathPool none(topology, 0);
    smooth_path(topology, items<Vector3>(points), none, -1, path);
    return copied<float>(path.t, {path.count});
}

py::array_t<double> bind_optimize_path(const Topology& topology, Array<float> positions, Array<float> previous,
                                       StretchTuple stretch, Array<int> edges, Array<float> t, float alpha, float straightness,
                                       float length_unit, float dt) {
    const ClothArguments arguments(topology, positions, stretch);
    const auto before = copy_finite(previous, "previous", {Extent("V", topology.vertex_count), 3});
    require_above(length_unit, 0.0f, "length_unit", "a finite length above 0");
    require_in_range(frame_time_parameter, shortest_decimal(dt));
    require_at_least_0(alpha, "alpha");
    require_at_least_0(straightness, "straightness");
    const Path path = path_of(topology, edges, t);
    auto result = new_array<double>({static_cast<py::ssize_t>(path.count)});
    const PersistOptions options{.alpha = alpha, .straightness = straightness, .length_unit = length_unit, .dt = dt};
    optimize_path(arguments.cloth(), items<Vector3>(before), options, path, mutable_items<double>(result));
    return result;
}

WrinkleProfile profile_of(float r_min, float kappa, float size, float fade) {
    require_in_range(wrinkle_radius_parameter, shortest_decimal(r_min));
    require_share(kappa, "kappa");
    require_share(size, "size");
    require_share(fade, "fade");
    return WrinkleProfile(WrinkleSize{kappa, size, fade, 0.0f}, r_min);
}

void require_cuts(float first, float last) {
    require_share(first, "cuts[0]");
    require_share(last, "cuts[1]");
}

py::typing::Tuple<Floats, Floats, float, float, float, float> bind_wrinkle_shape(Array<float> points, float kappa, float r_min,
                                                                                 float cut_first, float cut_last, float size,
                                                                                 float fade) {
    const auto where = copy_finite(points, "points", {"n", 3});
    if (where.shape(0) < 2) {
        throw std::invalid_argument("points: a wrinkle has at least 2 vertices, got " + std::to_string(where.shape(0)));
    }
    auto widths = new_array<float>({where.shape(0)}), heights = new_array<float>({where.shape(0)});
    require_cuts(cut_first, cut_last);
    const WrinkleProfile profile = profile_of(r_min, kappa, size, fade);
    std::vector<float> lengths(static_cast<std::size_t>(where.shape(0) - 1));
    segment_lengths(items<Vector3>(where), lengths);
    std::array<float, 2> extent;
    wrinkle_shape(lengths, {cut_first, cut_last}, profile, mutable_items<float>(widths), mutable_items<float>(heights), extent);
    return py::make_tuple(widths, heights, profile.width, profile.perimeter, extent[0], extent[1]);
}

py::typing::Tuple<Floats, Floats, Floats, Ints> bind_wrinkle_curve(const Topology& topology, Array<float> positions,
                                                                   Array<int> edges, Array<float> t, float cut_first,
                                                                   float cut_last, float kappa, float r_min, float size,
                                                                   float fade, int per_segment) {
    const auto points = copy_finite(positions, "positions", {Extent("V", topology.vertex_count), 3});
    // the number of samples is checked because it determines the sizes of the arrays below
    if (per_segment < 1 || per_segment > 64) {
        throw std::invalid_argument("samples: expected an integer in [1, 64], got " + std::to_string(per_segment));
    }
    require_cuts(cut_first, cut_last);
    const Path path = path_of(topology, edges, t);
    std::vector<Matrix2> current(static_cast<std::size_t>(topology.face_count()));
    edge_matrices(items<Vector3>(points), topology.faces, current);
    const py::ssize_t count = (path.count - 1) * per_segment + 1;
    auto curve = new_array<float>({count, 3}), widths = new_array<float>({count}), heights = new_array<float>({count});
    auto faces = new_array<std::int32_t>({count - 1});
    wrinkle_curve({topology, items<Vector3>(points), current, {}}, path, {cut_first, cut_last},
                  profile_of(r_min, kappa, size, fade), per_segment, mutable_items<Vector3>(curve), mutable_items<float>(widths),
                  mutable_items<float>(heights));
    for (int i = 0; i + 1 < path.count; ++i) {
        // all samples of a path segment are in the triangle of the segment
        std::fill_n(faces.mutable_data() + i * per_segment, per_segment, path.faces[i]);
    }
    return py::make_tuple(curve, widths, heights, faces);
}

// Returns the samples of a new drawn line: on the path itself, and at full height.
py::array_t<CurveRow> bind_draw_curve(const Topology& topology, Array<float> positions, Array<float> rest, Array<int> edges,
                                      Array<float> t, float cut_first, float cut_last, float width, float perimeter, float fade) {
    const Extent vertices("V", topology.vertex_count);
    const auto points = copy_finite(positions, "positions", {vertices, 3}), at_rest = copy_finite(rest, "rest", {vertices, 3});
    require_cuts(cut_first, cut_last);
    require_at_least_0(width, "width");
    require_at_least_0(perimeter, "perimeter");
    require_share(fade, "fade");
    const Path path = path_of(topology, edges, t);
    std::vector<Matrix2> current(static_cast<std::size_t>(topology.face_count()));
    edge_matrices(items<Vector3>(points), topology.faces, current);
    // the caller passes width, perimeter and fade of an existing wrinkle. The options from which they were computed are
    // not known here, so a default profile is constructed, and its members are replaced
    WrinkleProfile profile({}, 1.0f);
    profile.width = width, profile.perimeter = perimeter, profile.crest_scale = fade;
    const auto count = static_cast<std::size_t>(path.count);
    std::array<Vector3, most_path_vertices> places;
    for (int i = 0; i < path.count; ++i) {
        places[i] = point_on_edge(topology, items<Vector3>(points), path.edges[i], path.t[i]);
    }
    std::array<float, most_path_vertices> lengths;
    segment_lengths(std::span(places).first(count), lengths);
    CurveLine line;
    draw_curve({topology, items<Vector3>(points), current, {}}, RestCloth(topology, items<Vector3>(at_rest)),
               {.edges = std::span(path.edges).first(count),
                .t = std::span(path.t).first(count),
                .faces = std::span(path.faces).first(count - 1),
                .lengths = std::span(lengths).first(count - 1),
                .cuts = {cut_first, cut_last},
                .profile = profile},
               line);
    return copied<CurveRow>(line.used(), {static_cast<py::ssize_t>(line.count)});
}

}  // namespace

void bind_paths(py::module_& module) {
    module.def("trace", &bind_trace, Names("topology, positions, stretch, *, r_min, tau, grow_tau, least_aspect, seed, smooth"));
    module.def("smooth_path", &bind_smooth_path, Names("topology, positions, edges, t"));
    module.def("optimize_path", &bind_optimize_path,
               Names("topology, positions, previous, stretch, edges, t, *, alpha, straightness, length_unit, dt"));
    module.def("wrinkle_shape", &bind_wrinkle_shape, Names("points, *, kappa, r_min, cut_first, cut_last, size, fade"));
    module.def("wrinkle_curve", &bind_wrinkle_curve,
               Names("topology, positions, edges, t, *, cut_first, cut_last, kappa, r_min, size, fade, samples"));
    module.def("draw_curve", &bind_draw_curve,
               Names("topology, positions, rest, edges, t, *, cut_first, cut_last, width, perimeter, fade"));
    module.def(
        "height_ratio",
        [](float ratio) {
            require_above(ratio, std::nextafter(1.0f, 0.0f), "ratio", "a finite number of at least 1");
            return height_ratio(ratio);
        },
        Names("ratio"));
    module.def("cross_section", py::vectorize(cross_section), Names("u"));
    module.def("wrinkle_radius", &wrinkle_radius, Names("r_min, kappa"));
}

}  // namespace ruckle::bindings
