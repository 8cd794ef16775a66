// The kernels of all instruction sets compute identical bits.
#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>

#include "check.h"
#include "field/label_kernel.h"
#include "field/stretch_kernel.h"
#include "meshes.h"
#include "numeric/dispatch.h"
#include "numeric/finite_kernel.h"
#include "numeric/functions.h"
#include "surface/normal_kernel.h"
#include "surface/room_kernel.h"

namespace ruckle {

namespace tests {

namespace {

// Returns the instruction sets that this processor supports; the first is the baseline.
std::vector<InstructionSet> instruction_sets() {
    std::vector<InstructionSet> all = {InstructionSet::baseline};
    if (instruction_set() >= InstructionSet::x86_64_v3) {
        all.push_back(InstructionSet::x86_64_v3);
    }
    return all;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// All results of the kernels of one instruction set for one random input.
struct Outputs {
    std::vector<float> matrices, min, max, compression, axis, costs, updated, field_min, field_max, field_axis;
    std::vector<std::uint8_t> degenerate, field_degenerate;
    bool finite = false;

    friend bool operator==(const Outputs& a, const Outputs& b) {
        return same_bits(a.matrices, b.matrices) && same_bits(a.min, b.min) && same_bits(a.max, b.max) &&
               same_bits(a.compression, b.compression) && same_bits(a.axis, b.axis) && same_bits(a.costs, b.costs) &&
               same_bits(a.updated, b.updated) && same_bits(a.field_min, b.field_min) && same_bits(a.field_max, b.field_max) &&
               same_bits(a.field_axis, b.field_axis) && same_bits(a.degenerate, b.degenerate) &&
               same_bits(a.field_degenerate, b.field_degenerate) && a.finite == b.finite;
    }
};

// Returns a random coordinate of any magnitude, sometimes 0, so that every branch of a kernel runs.
float coordinate(Random& random) {
    const int kind = random.below(40);
    const float value = random.unit() - 0.5f;
    return kind == 0 ? 0.0f : kind == 1 ? value * 1e25f : kind == 2 ? value * 1e-25f : value;
}

Outputs compute(InstructionSet set, std::uint64_t seed, std::int64_t face_count, float exponent) {
    Random random(seed);
    const auto count = static_cast<std::size_t>(face_count);
    std::vector<float> positions(3 * 3 * count), reference(4 * count);
    std::vector<std::int32_t> faces(3 * count);
    std::vector<std::uint8_t> labels(count);
    for (float& p : positions) {
        p = coordinate(random);
    }
    for (std::size_t i = 0; i < faces.size(); ++i) {
        faces[i] = static_cast<std::int32_t>(i);
    }
    for (std::size_t i = 0; i < count; ++i) {
        reference[4 * i] = coordinate(random) + 0.5f;
        reference[4 * i + 1] = coordinate(random);
        reference[4 * i + 3] = coordinate(random) + 0.5f;
        labels[i] = static_cast<std::uint8_t>(random.below(3));
    }
    Outputs out;
    out.matrices.resize(4 * count);
    for (auto* values : {&out.min, &out.max, &out.compression, &out.field_min, &out.field_max}) {
        values->resize(count);
    }
    out.axis.resize(2 * count), out.field_axis.resize(2 * count), out.costs.resize(3 * count), out.updated.resize(4 * count);
    out.degenerate.resize(count), out.field_degenerate.resize(count);
    const StretchKernels& kernels = kernels_of<StretchKernels>(set);
    kernels.edge_matrices(positions.data(), faces.data(), 0, face_count, out.matrices.data());
    kernels.stretch(reference.data(), out.matrices.data(),
                    {out.min.data(), out.max.data(), out.compression.data(), out.axis.data(), out.degenerate.data()}, 0,
                    face_count);
    kernels_of<LabelKernels>(set).label_costs(
        {out.compression.data(), out.max.data(), out.degenerate.data(), {-288.5f, -144.3f, -13.0f, -129.8f, exponent}}, 0,
        face_count, out.costs.data());
    kernels.update_reference(
        reference.data(), out.matrices.data(), labels.data(), 0.05f, out.updated.data(),
        {out.field_min.data(), out.field_max.data(), nullptr, out.field_axis.data(), out.field_degenerate.data()}, 0, face_count);
    out.finite = kernels_of<FiniteKernels>(set).all_finite(out.costs.data(), 3 * face_count);
    return out;
}

}  // namespace

TEST(instruction_sets_agree_bit_for_bit) {
    const std::vector<InstructionSet> all = instruction_sets();
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        // all lengths of the remainder after whole vectors, and all exponents with separate branches in the kernel
        const auto face_count = static_cast<std::int64_t>(seed % 37);
        const float exponent = seed % 3 == 0 ? 1.0f : seed % 3 == 1 ? 2.0f : 1.7f;
        const Outputs expected = compute(all[0], seed, face_count, exponent);
        CHECK(expected.finite);
        for (const InstructionSet set : all) {
            CHECK(compute(set, seed, face_count, exponent) == expected);
        }
    }
}

namespace {

// Normals that a kernel computes on random triangles with common vertices.
struct FoundNormals {
    std::vector<float> positions;
    std::vector<std::int32_t> faces;
    std::vector<float> of_faces, of_corners, vertices, roundness;

    friend bool operator==(const FoundNormals& a, const FoundNormals& b) {
        return same_bits(a.of_faces, b.of_faces) && same_bits(a.of_corners, b.of_corners) && same_bits(a.vertices, b.vertices) &&
               same_bits(a.roundness, b.roundness);
    }
};

FoundNormals find_normals(InstructionSet set, std::uint64_t seed, int face_count) {
    Random random(seed);
    const int vertex_count = face_count / 2 + 3;
    FoundNormals found;
    for (int i = 0; i < 3 * vertex_count; ++i) {
        // coordinates are limited so that areas are finite: the bits of a NaN may differ between instruction sets
        found.positions.push_back(std::clamp(coordinate(random), -1e9f, 1e9f));
    }
    std::vector<std::vector<std::int32_t>> around(static_cast<std::size_t>(vertex_count));
    for (int i = 0; i < 3 * face_count; ++i) {
        found.faces.push_back(random.below(vertex_count));
        around[static_cast<std::size_t>(found.faces.back())].push_back(i);
    }
    std::vector<std::int32_t> offsets = {0}, corners;
    for (const auto& some : around) {
        corners.insert(corners.end(), some.begin(), some.end());
        offsets.push_back(static_cast<std::int32_t>(corners.size()));
    }
    const auto faces = static_cast<std::size_t>(face_count), vertices = static_cast<std::size_t>(vertex_count);
    found.of_faces.resize(4 * faces), found.of_corners.resize(12 * faces);
    found.vertices.resize(3 * vertices), found.roundness.resize(vertices);
    const NormalArrays arrays{found.positions.data(), found.faces.data(),      offsets.data(),        corners.data(),
                              found.of_faces.data(),  found.of_corners.data(), found.vertices.data(), found.roundness.data()};
    const NormalKernels& kernels = kernels_of<NormalKernels>(set);
    kernels.weigh_normals(arrays, 0, face_count);
    kernels.gather_normals(arrays, 0, vertex_count);
    return found;
}

}  // namespace

TEST(normals_agree_bit_for_bit_and_are_weighted_by_angle) {
    const std::vector<InstructionSet> all = instruction_sets();
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const int face_count = static_cast<int>(seed % 37);
        const FoundNormals found = find_normals(all[0], seed, face_count);
        for (const InstructionSet set : all) {
            CHECK(find_normals(set, seed, face_count) == found);
        }
        for (int face = 0; face < face_count; ++face) {
            const auto corner = [&](int k) {
                return Eigen::Map<const Vector3>(found.positions.data() + 3 * found.faces[3 * face + k]);
            };
            const Vector3 first = corner(1) - corner(0), second = corner(2) - corner(0);
            const Vector3 across = first.cross(second);
            const float area = across.norm();
            const Vector3 normal = area > 0.0f ? Vector3(across / area) : Vector3(0.0f, 0.0f, 0.0f);
            // the result must be identical to that of the scalar function of the core
            const Vector3 expected = normal * arc_tangent(area, first.dot(second));
            CHECK(std::memcmp(expected.data(), &found.of_corners[12 * face], 3 * sizeof(float)) == 0);
        }
    }
}

namespace {

// Returns the crowding of random points and faces in three layers: faces outside and inside, then points.
std::vector<float> find_crowding(InstructionSet set, std::uint64_t seed) {
    Random random(seed);
    constexpr int vertex_count = 24;
    std::vector<float> positions;
    for (int i = 0; i < 4 * vertex_count; ++i) {
        positions.push_back(i % 4 == 3 ? 0.0f : random.unit());
    }
    std::vector<RoomBlock> blocks(3);
    for (RoomBlock& block : blocks) {
        for (int column = 0; column < RoomBlock::width; ++column) {
            block.layers[column] = random.below(3);
            for (auto& corners : block.corners) {
                corners[column] = random.below(vertex_count);
            }
        }
    }
    std::vector<RoomPoint> points(10);
    for (RoomPoint& point : points) {
        point = {.position = {random.unit(), random.unit(), random.unit(), 0.0f},
                 .normal = {random.unit(), random.unit(), random.unit(), 0.0f},
                 .layer = random.below(3),
                 .outside = 0.0f,
                 .inside = 0.0f};
    }
    const RoomKernels& kernels = kernels_of<RoomKernels>(set);
    kernels.measure(positions.data(), blocks.data(), 3);
    const float low[4] = {0.0f, 0.0f, 0.0f, 0.0f}, high[4] = {1.0f, 1.0f, 0.9f, 0.0f};
    kernels.meet({.least_gap = 1e-5f,
                  .reach = 0.4f,
                  .widest = 0.06f,
                  .free_outside = 6.0f,
                  .free_inside = 8.0f,
                  .share = 0.5f,
                  .by_agreement = 0.1f},
                 {low, high}, points.data(), 10, blocks.data(), 3);
    std::vector<float> found;
    for (const RoomBlock& block : blocks) {
        found.insert(found.end(), block.outside, block.outside + RoomBlock::width);
        found.insert(found.end(), block.inside, block.inside + RoomBlock::width);
    }
    for (const RoomPoint& point : points) {
        found.push_back(point.outside), found.push_back(point.inside);
    }
    return found;
}

}  // namespace

TEST(crowding_agrees_bit_for_bit) {
    const std::vector<InstructionSet> all = instruction_sets();
    int crowded = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::vector<float> expected = find_crowding(all[0], seed);
        crowded += std::any_of(expected.begin(), expected.end(), [](float value) { return value > 0.0f; }) ? 1 : 0;
        for (const InstructionSet set : all) {
            CHECK(same_bits(find_crowding(set, seed), expected));
        }
    }
    CHECK(crowded > 100);
}

TEST(parts_of_an_array_give_the_bits_of_the_whole) {
    for (const InstructionSet set : instruction_sets()) {
        const Outputs whole = compute(set, 7, 33, 1.0f);
        std::vector<float> max(33, -1.0f);
        std::vector<float> unit(4 * 33, 0.0f);
        for (std::size_t i = 0; i < 33; ++i) {
            unit[4 * i] = unit[4 * i + 3] = 1.0f;
        }
        std::vector<float> expected(33);
        const auto stretch = kernels_of<StretchKernels>(set).stretch;
        stretch(unit.data(), whole.matrices.data(), {nullptr, expected.data(), nullptr, nullptr, nullptr}, 0, 33);
        for (const auto& [begin, end] : {std::pair{0, 5}, std::pair{5, 6}, std::pair{6, 33}}) {
            stretch(unit.data(), whole.matrices.data(), {nullptr, max.data(), nullptr, nullptr, nullptr}, begin, end);
        }
        CHECK(same_bits(max, expected));
    }
}

TEST(all_finite_sees_every_number) {
    for (const InstructionSet set : instruction_sets()) {
        const auto all_finite = kernels_of<FiniteKernels>(set).all_finite;
        for (int count = 0; count < 40; ++count) {
            std::vector<float> values(static_cast<std::size_t>(count), 3e38f);
            CHECK(all_finite(values.data(), count));
            for (float& value : values) {
                for (const float bad : {NAN, INFINITY, -INFINITY}) {
                    value = bad;
                    CHECK(!all_finite(values.data(), count));
                }
                value = -3e38f;
            }
        }
    }
}

}  // namespace tests
}  // namespace ruckle
