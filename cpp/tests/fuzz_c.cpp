// Turns arbitrary bytes into calls of the C interface. Each call must succeed or return an error with one sentence, and
// never crash.
//
// With Clang's -fsanitize=fuzzer this file is a target of libFuzzer; with fuzz_driver.cpp it runs on reproducible
// bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz_c_input.h"
#include "ruckle/ruckle_c_poses.h"

namespace {

using namespace ruckle::tests;

ruckle_options read_options(Bytes& bytes) {
    ruckle_options options;
    ruckle_default_options(&options);
    for (float ruckle_options::* option :
         {&ruckle_options::amplitude, &ruckle_options::tau, &ruckle_options::grow_tau, &ruckle_options::least_aspect,
          &ruckle_options::aspect, &ruckle_options::path_alpha, &ruckle_options::straightness, &ruckle_options::length_change,
          &ruckle_options::fade_in, &ruckle_options::fade_out, &ruckle_options::sigma, &ruckle_options::alpha,
          &ruckle_options::beta, &ruckle_options::relaxation}) {
        options.*option = read_number(bytes, options.*option);
    }
    for (float& cost : options.pairwise) {
        cost = bytes.below(64) ? cost : read_number(bytes, static_cast<float>(bytes.below(5)));
    }
    options.r_min = read_number(bytes, 0.01f + 0.002f * static_cast<float>(bytes.byte()));
    options.seed = bytes.word();
    options.coherent = bytes.below(8) ? 1 : bytes.below(3) - 1;
    options.method = read_count(bytes, bytes.below(4));
    options.threads = bytes.below(64) ? 1 : bytes.below(2) ? 0 : -1;
    return options;
}

bool all_finite(const float* values, std::int32_t count) {
    return ruckle::tests::all_finite(std::span(values, static_cast<std::size_t>(count)));
}

void read_wrinkles(Bytes& bytes, const ruckle_wrinkler* wrinkler) {
    ruckle_wrinkle wrinkle;
    const std::int32_t index = read_count(bytes, bytes.below(4));
    if (done(ruckle_get_wrinkle(wrinkler, index, read_pointer(bytes, &wrinkle)))) {
        require(index >= 0 && index < ruckle_wrinkle_count(wrinkler) && wrinkle.point_count >= 2, "wrinkles have two points");
        require(all_finite(wrinkle.points, 3 * wrinkle.point_count) && all_finite(wrinkle.widths, wrinkle.point_count) &&
                    all_finite(wrinkle.heights, wrinkle.point_count),
                "wrinkles are finite");
    }
    // the arrays have exactly the given capacity, so that the address sanitizer reports writes past their end
    const std::int32_t wrinkles = bytes.below(8) ? ruckle_wrinkle_count(wrinkler) : bytes.below(3);
    const std::int32_t points = bytes.below(8) ? ruckle_point_count(wrinkler) : bytes.below(40);
    const auto n = static_cast<std::size_t>(points), w = static_cast<std::size_t>(wrinkles);
    std::vector<std::int64_t> ids(w);
    std::vector<std::int32_t> offsets(w + 1), edges(n);
    std::vector<float> t(n), positions(3 * n), widths(n), heights(n);
    const ruckle_wrinkle_arrays arrays = {wrinkles,         points,        read_pointer(bytes, ids.data()),
                                          offsets.data(),   edges.data(),  t.data(),
                                          positions.data(), widths.data(), read_pointer(bytes, heights.data())};
    if (done(ruckle_copy_wrinkles(wrinkler, read_pointer(bytes, &arrays)))) {
        require(offsets[static_cast<std::size_t>(ruckle_wrinkle_count(wrinkler))] == ruckle_point_count(wrinkler),
                "offsets end at the number of points");
    }
}

void read_field(const ruckle_wrinkler* wrinkler) {
    const std::int32_t face_count = ruckle_face_count(wrinkler);
    require(all_finite(ruckle_compression(wrinkler), face_count) && all_finite(ruckle_axis(wrinkler), 2 * face_count) &&
                all_finite(ruckle_reference(wrinkler), 4 * face_count),
            "the field is finite");
    const std::uint8_t* labels = ruckle_labels(wrinkler);
    require(std::all_of(labels, labels + face_count, [](std::uint8_t label) { return label <= 2; }), "labels are 0, 1 and 2");
    const std::int32_t* edges = ruckle_edges(wrinkler);
    for (std::int32_t i = 0; i < ruckle_edge_count(wrinkler); ++i) {
        require(edges[2 * i] < edges[2 * i + 1] && edges[2 * i + 1] < ruckle_vertex_count(wrinkler), "edges name two vertices");
    }
    require(ruckle_frame_count(wrinkler) >= 0, "frames are counted");
    ruckle_timings timings;
    ruckle_stats stats;
    require(done(ruckle_get_timings(wrinkler, &timings)) && done(ruckle_get_stats(wrinkler, &stats)), "there are numbers");
    require(stats.wrinkles == ruckle_wrinkle_count(wrinkler), "both count the same wrinkles");
    call_count += 10;
}

// A height source of the caller; its heights are 0 on the edges of triangles. Several threads call add_ripples at the
// same time.
struct Ripples {
    float height;
    std::int32_t face_count;
};

void add_ripples(void* user, const ruckle_height_points* points) {
    const auto& ripples = *static_cast<const Ripples*>(user);
    require(points->face >= 0 && points->face < ripples.face_count && points->count > 0, "there are points on a triangle");
    for (std::int32_t i = 0; i < points->count; ++i) {
        const float a = points->barycentric[0][i], b = points->barycentric[1][i], c = points->barycentric[2][i];
        require(std::abs(a + b + c - 1.0f) < 1e-3f, "weights sum to 1");
        points->heights[i] += ripples.height * a * b * c;
        points->gradients[i % 3][i] += ripples.height;
    }
}

void displace(Bytes& bytes, ruckle_wrinkler* wrinkler, const std::vector<float>& positions, std::int32_t vertex_count) {
    ruckle_surface_options options;
    ruckle_default_surface_options(&options);
    options.edge_length = read_number(bytes, 0.1f * static_cast<float>(bytes.below(4)));
    options.curved = bytes.below(2);
    options.base_level = read_count(bytes, 1 + bytes.below(6));
    Ripples ripples = {read_number(bytes, 0.01f * static_cast<float>(bytes.byte())), ruckle_face_count(wrinkler)};
    std::vector<float> bends(static_cast<std::size_t>(ripples.face_count));
    for (float& bend : bends) {
        bend = read_number(bytes, static_cast<float>(bytes.below(5)) - 1.0f);
    }
    std::array<ruckle_height_source, 2> sources;
    for (ruckle_height_source& source : sources) {
        source = {bytes.below(24) ? add_ripples : nullptr, &ripples,
                  read_number(bytes, 0.1f + 0.1f * static_cast<float>(bytes.byte())), bytes.below(2) ? bends.data() : nullptr,
                  nullptr};
    }
    const int source_count = bytes.below(64) ? bytes.below(3) : -1;
    ruckle_fine_mesh mesh;
    const float* given = read_pointer(bytes, positions.data());
    const std::int32_t count = read_count(bytes, vertex_count);
    const ruckle_surface_options* chosen = read_pointer(bytes, &options);
    const bool raised = bytes.below(4)
                            ? done(ruckle_displace_layers(wrinkler, given, count, chosen, read_pointer(bytes, sources.data()),
                                                          source_count, read_pointer(bytes, &mesh)))
                            : done(ruckle_displace(wrinkler, given, count, chosen, read_pointer(bytes, &mesh)));
    if (raised) {
        for (std::int32_t i = 0; i < 3 * mesh.face_count; ++i) {
            require(mesh.faces[i] >= 0 && mesh.faces[i] < mesh.vertex_count, "fine faces name vertices that are there");
        }
        require(all_finite(mesh.positions, 3 * mesh.vertex_count) || !all_finite(positions.data(), 3 * vertex_count) ||
                    !(std::abs(ripples.height) < 1e15f),
                "the fine mesh is finite");
    }
}

void describe_parameter(Bytes& bytes) {
    ruckle_parameter parameter;
    if (done(ruckle_get_parameter(read_count(bytes, bytes.below(20)), read_pointer(bytes, &parameter)))) {
        require(std::strlen(parameter.name) > 0 && std::strlen(parameter.help) > 0, "every parameter has a name and a meaning");
    }
}

constexpr StateCalls<ruckle_wrinkler> wrinkler_calls{ruckle_state_size, ruckle_save_state, ruckle_restore_state};
constexpr StateCalls<ruckle_pose_synthesizer> pose_calls{ruckle_pose_synthesizer_state_size, ruckle_pose_synthesizer_save_state,
                                                         ruckle_pose_synthesizer_restore_state};

// Saves the state, and restores it unchanged or damaged.
void restore_state(Bytes& bytes, ruckle_wrinkler* wrinkler) {
    std::vector<std::uint8_t> state(ruckle_state_size(wrinkler));
    const std::size_t room = bytes.below(24) ? state.size() : bytes.byte();
    if (done(ruckle_save_state(read_pointer(bytes, wrinkler), read_pointer(bytes, state.data()), room))) {
        wrinkler_calls.restore_spoiled(bytes, wrinkler, state);
    }
}

// Creates examples of one joint for a mesh that is its own coarse mesh, sometimes with a mistake; then steps some
// frames.
void use_examples(Bytes& bytes, const std::vector<ruckle::Face>& faces, const std::vector<float>& rest) {
    constexpr int bone_count = 2, angle_count = 3;
    const auto count = static_cast<std::int32_t>(rest.size() / 3), face_count = static_cast<std::int32_t>(faces.size());
    const auto n = static_cast<std::size_t>(count);
    std::vector<std::int32_t> all(n), bound(n);
    std::vector<float> barycentric(3 * n), weights(n, 0.5f), skin(bone_count * n, 0.5f), distances(n, 0.1f);
    std::vector<std::int16_t> details(3 * angle_count * n);
    for (std::int32_t v = 0; v < count; ++v) {
        all[static_cast<std::size_t>(v)] = read_count(bytes, v);
        bound[static_cast<std::size_t>(v)] = read_count(bytes, face_count ? v % face_count : 0);
        details[static_cast<std::size_t>(v)] = static_cast<std::int16_t>(bytes.word());
    }
    for (float& weight : barycentric) {
        weight = read_number(bytes, 0.25f);
    }
    std::array<double, angle_count> angles = {-1.0, 0.0, static_cast<double>(read_number(bytes, 1.0f))};
    ruckle_pose_joint joint = {"joint",
                               read_count(bytes, 0),
                               read_count(bytes, 1),
                               read_count(bytes, RUCKLE_HINGE),
                               {1, 0, 0, 0, 1, 0, 0, 0, static_cast<double>(read_number(bytes, 1.0f))},
                               // wrong counts are only too small, because with a larger count the library would read
                               // past the array
                               {bytes.below(24) ? angle_count : bytes.below(4) - 1, 1, 1},
                               {read_pointer(bytes, angles.data()), angles.data(), angles.data()},
                               bytes.below(24) ? count : -1,
                               read_pointer(bytes, all.data()),
                               weights.data(),
                               details.data(),
                               read_number(bytes, 1e-4f)};
    const std::int32_t* corners = faces.empty() ? nullptr : faces[0].data();
    const ruckle_pose_examples examples = {count,
                                           face_count,
                                           corners,
                                           rest.data(),
                                           count,
                                           face_count,
                                           corners,
                                           read_pointer(bytes, bound.data()),
                                           barycentric.data(),
                                           rest.data(),
                                           bone_count,
                                           1,
                                           &joint,
                                           read_pointer(bytes, skin.data()),
                                           distances.data()};
    const ruckle_pose_options options = {read_count(bytes, bytes.below(4)), read_number(bytes, 1.0f), read_number(bytes, 0.1f)};
    ruckle_pose_synthesizer* synthesizer = nullptr;
    if (done(ruckle_pose_synthesizer_create(read_pointer(bytes, &examples), read_pointer(bytes, &options),
                                            read_pointer(bytes, &synthesizer)))) {
        for (int frame = 0; frame < 3; ++frame) {
            std::array<float, 12 * bone_count> bones = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0};
            bones[static_cast<std::size_t>(bytes.below(12 * bone_count))] = read_number(bytes, 0.0f);
            pose_calls.step_and_restore(bytes, synthesizer, [&] {
                return ruckle_pose_synthesizer_step(synthesizer, read_pointer(bytes, rest.data()), read_count(bytes, count),
                                                    read_pointer(bytes, bones.data()), read_count(bytes, bone_count));
            });
        }
        require(ruckle_pose_synthesizer_vertex_count(synthesizer) == count, "the fine mesh has its vertices");
    }
    ruckle_pose_synthesizer_destroy(synthesizer);
}

// Calls the functions of one wrinkler in random order.
void use(Bytes& bytes, ruckle_wrinkler* wrinkler, std::int32_t vertex_count) {
    std::vector<float> positions(3 * static_cast<std::size_t>(vertex_count));
    while (!bytes.empty()) {
        switch (bytes.below(9)) {
            case 0: read_wrinkles(bytes, wrinkler); break;
            case 1:
                // called rarely, because displace() is by far the slowest call
                if (bytes.below(16) == 0) {
                    displace(bytes, wrinkler, positions, vertex_count);
                }
                break;
            case 2: describe_parameter(bytes); break;
            case 3: read_field(wrinkler); break;
            case 4:
                if (bytes.below(16) == 0) {
                    ruckle_reset(read_pointer(bytes, wrinkler));
                    ++call_count;
                } else if (bytes.below(8) == 0) {
                    done(ruckle_set_rest(read_pointer(bytes, wrinkler), read_pointer(bytes, positions.data()),
                                         read_count(bytes, vertex_count)));
                }
                break;
            case 5: restore_state(bytes, wrinkler); break;
            default: {
                // each frame moves only some vertices, so that parts of the cloth rest
                for (float& coordinate : positions) {
                    coordinate = bytes.below(3) ? coordinate : bytes.coordinate();
                }
                const bool stepped = done(ruckle_step(read_pointer(bytes, wrinkler), read_pointer(bytes, positions.data()),
                                                      read_count(bytes, vertex_count), read_number(bytes, 1.0f / 30.0f)));
                accepted_frame_count += stepped;
                for (float& coordinate : positions) {
                    coordinate = std::isfinite(coordinate) ? coordinate : 0.0f;
                }
            }
        }
    }
}

}  // namespace

long accepted_frame_count = 0, call_count = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
    Bytes bytes(input, size);
    const ruckle_options options = read_options(bytes);
    int vertex_count = 0;
    std::vector<ruckle::Face> faces = read_faces(bytes, vertex_count);
    const auto face_count = static_cast<std::int32_t>(faces.size());
    const std::int32_t* corners = faces.empty() ? nullptr : faces[0].data();
    std::vector<float> rest(3 * static_cast<std::size_t>(vertex_count));
    for (float& coordinate : rest) {
        coordinate = bytes.coordinate();
    }
    use_examples(bytes, faces, rest);
    std::vector<ruckle::Face> welded(faces.size());
    done(ruckle_weld(read_pointer(bytes, rest.data()), vertex_count, corners, face_count,
                     read_pointer(bytes, welded.empty() ? nullptr : welded[0].data())));
    ruckle_wrinkler* wrinkler = nullptr;
    // wrong counts are only too small, because with a larger count the library would read past the array
    const std::int32_t claimed = bytes.below(64) ? face_count : bytes.below(2) - 1;
    if (done(ruckle_create(read_pointer(bytes, corners), claimed, read_count(bytes, vertex_count), read_pointer(bytes, &options),
                           read_pointer(bytes, &wrinkler))) &&
        ruckle_vertex_count(wrinkler) == vertex_count) {
        use(bytes, wrinkler, vertex_count);
    }
    ruckle_destroy(wrinkler);
    return 0;
}
