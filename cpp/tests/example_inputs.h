// The inputs of the examples in the headers: a squeezed sheet, and results of earlier stages.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "meshes.h"
#include "ruckle/ruckle.h"

namespace ruckle::tests {

// Returns the sheet in frame k, squeezed along x by another 3 % in each frame.
inline std::vector<Vector3> squeezed(const Mesh& mesh, int k) {
    std::vector<Vector3> result = mesh.positions;
    for (Vector3& p : result) {
        p[0] *= 1.0f - 0.03f * static_cast<float>(k);
    }
    return result;
}

// Members have the names that the examples use.
struct ExampleInputs {
    Mesh mesh = tests::cloth(9, 9, false);
    std::vector<Face> faces = mesh.faces;
    std::vector<Vector3> rest = mesh.positions, previous_positions = squeezed(mesh, 9), positions = squeezed(mesh, 10);
    int vertex_count = mesh.vertex_count(), bone_count = 2;
    float dt = 1.0f / 60.0f;
    std::vector<std::vector<Vector3>> frames{rest, squeezed(mesh, 3), squeezed(mesh, 6), previous_positions, positions};
    std::shared_ptr<const Topology> shared_topology = std::make_shared<Topology>(faces, vertex_count);
    const Topology& topology = *shared_topology;

    // inputs for the stages of wrinkle paths
    std::vector<Matrix2> reference = matrices(rest), current = matrices(positions);
    std::vector<float> least = numbers(faces.size()), greatest = least, compressions = least;
    std::vector<Vector2> axes = std::vector<Vector2>(faces.size());
    std::vector<std::uint8_t> collapsed = std::vector<std::uint8_t>(faces.size()), previous = collapsed, labels = collapsed;
    StretchSpans field{least, greatest, compressions, axes, collapsed}, motion = field;
    Cloth cloth{topology, positions, current, field};
    PathPool pool{topology, path_capacity(topology)};
    std::vector<std::int32_t> edges{topology.face_edges[40][0], topology.face_edges[40][1]};
    std::vector<float> t{0.4f, 0.6f};
    Wrinkler wrinkler = make_wrinkler();

    // two labels; all triangles prefer the first
    std::vector<float> costs = numbers(2 * faces.size()), pairwise{0.0f, 1.0f, 1.0f, 0.0f};

    // inputs for height sources and surfaces
    WaveField waves{shared_topology, rest};
    std::vector<WaveVertex> vertices = std::vector<WaveVertex>(rest.size());
    PatternGrid grid{topology, rest, 0.25f};
    std::vector<float> node_heights = numbers(static_cast<std::size_t>(grid.node_count()), 0.01f);
    Modulator modulator{grid, node_heights};
    PathHeights path_heights{topology};
    PatternHeights pattern{grid, modulator.heights()}, heights = pattern;
    std::vector<Vector3> grams = std::vector<Vector3>(faces.size());
    Moments moments = pattern_moments(grid, node_heights, 1);
    Surface surface{topology};
    FineMesh fine = displaced();
    Binding binding{topology, rest, fine.coarse_faces, fine.barycentric};
    std::vector<std::int32_t> point_faces{0, 5};
    std::vector<Vector3> point_weights{{0.2f, 0.3f, 0.5f}, {1.0f, 0.0f, 0.0f}};
    Stack stack;

    // inputs for learned layers and the simulation
    std::vector<float> identity = numbers(rest.size() * rest.size());
    UpsamplingModel model{.coarse_vertex_count = vertex_count, .rows = identity, .fine_faces = faces};
    Matrix3 rotation = Matrix3::Identity();
    std::vector<BoneMatrix> bones = std::vector<BoneMatrix>(2, BoneMatrix::Identity());
    std::vector<float> attachment = numbers(rest.size()), skin_weights = numbers(2 * rest.size(), 0.5f);
    std::vector<Vector3> simulated = rest, rest_details;
    std::vector<PoseJoint> joints;
    std::vector<std::byte> bytes;  // not a valid file, so that readers throw
    std::vector<std::int32_t> items = std::vector<std::int32_t>(256);

    ExampleInputs() {
        stretch(reference, current, field);
        trace_frame(cloth, {.r_min = 0.2f, .tau = 1.2f, .grow_tau = 1.1f}, pool);
        for (const auto& frame : frames) {
            wrinkler.step(frame, dt);
            waves.step(frame, dt);
            modulator.step(frame, dt);
        }
        waves.write_vertices(vertices);
        gram(positions, faces, grams);
        rest_details.assign(fine.positions.size(), Vector3(0.0f, 0.0f, 0.01f));
        attachment[0] = attachment[8] = 1.0f;
        for (std::size_t v = 0; v < rest.size(); ++v) {
            identity[v * (rest.size() + 1)] = 1.0f;
        }
    }

    // Placeholder for the use of a result in examples.
    template <class... Results>
    void draw(const Results&... results) {
        drawn += sizeof...(results);
    }
    std::size_t drawn = 0;

  private:
    Wrinkler make_wrinkler() const {
        WrinklerOptions options;
        options.tau = 1.1f;
        options.r_min = 0.2f;
        return Wrinkler(faces, vertex_count, options);
    }
    FineMesh displaced() {
        FineMesh result;
        surface.update(positions, {}, {.base_level = 2});
        surface.displace(result);
        return result;
    }
    std::vector<Matrix2> matrices(const std::vector<Vector3>& shape) const {
        std::vector<Matrix2> result(faces.size());
        edge_matrices(shape, faces, result);
        return result;
    }
    static std::vector<float> numbers(std::size_t count, float value = 0.0f) { return std::vector<float>(count, value); }
};

}  // namespace ruckle::tests
