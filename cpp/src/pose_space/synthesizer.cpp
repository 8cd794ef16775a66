#include "ruckle/pose_space/synthesizer.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "constants.h"
#include "numeric/dispatch.h"
#include "numeric/finite.h"
#include "numeric/functions.h"
#include "pose_space/detail_kernel.h"
#include "support/saved_state.h"
#include "support/stage_clock.h"

namespace ruckle {

namespace {

// Largest number of joints: a set of joints is a 64-bit mask.
constexpr std::size_t most_joints = 64;

constexpr StateKind pose_state{"a PoseSynthesizer", {'r', 'u', 'c', 'k', 'l', 'P', '\x1a', '\n'}, 1};

void require(bool holds, const std::string& name, const std::string& expected) {
    if (!holds) {
        throw std::invalid_argument(name + ": expected " + expected);
    }
}

std::size_t sample_count(const PoseJoint& joint) {
    return std::accumulate(joint.angles.begin(), joint.angles.end(), std::size_t{1},
                           [](std::size_t product, const auto& axis) { return product * axis.size(); });
}

void require_sound(const PoseJoint& joint, int vertex_count, int bone_count) {
    const std::string name = "joint " + joint.name;
    const auto is_bone = [&](std::int32_t bone) { return bone >= 0 && bone < bone_count; };
    require(is_bone(joint.parent_bone) && is_bone(joint.child_bone), name, "bones below " + std::to_string(bone_count));
    require(joint.angles.size() == static_cast<std::size_t>(angle_count(joint.kind)), name,
            std::to_string(angle_count(joint.kind)) + " axes of angles, got " + std::to_string(joint.angles.size()));
    for (const auto& axis : joint.angles) {
        // the comparison is negated, so that NaN is also rejected
        const bool rising =
            std::adjacent_find(axis.begin(), axis.end(), [](double a, double b) { return !(a < b); }) == axis.end();
        require(!axis.empty() && rising && std::isfinite(axis.front()) && std::isfinite(axis.back()), name,
                "angles that strictly increase");
    }
    const std::size_t count = joint.vertices.size();
    const bool rising = std::ranges::adjacent_find(joint.vertices, std::ranges::greater_equal{}) == joint.vertices.end();
    require(rising && (count == 0 || (joint.vertices.front() >= 0 && joint.vertices.back() < vertex_count)), name,
            "strictly increasing vertices below " + std::to_string(vertex_count));
    const bool bounded = std::ranges::all_of(joint.weights, [](float weight) { return weight >= 0.0f && weight <= 1.0f; });
    require(joint.weights.size() == count && bounded, name, "a weight in [0, 1] for each vertex");
    require(joint.details.size() == 3 * count * sample_count(joint), name,
            std::to_string(sample_count(joint)) + " samples of " + std::to_string(count) + " details each");
    require(std::isfinite(joint.step) && joint.step > 0.0f, name, "a finite step above 0");
    require((joint.axes * joint.axes.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < rigid_tolerance, name,
            "orthonormal axes");
}

void require_sound(const CoarseSkin& skin, int coarse_count, int bone_count) {
    const auto count = static_cast<std::size_t>(coarse_count);
    require(skin.rest.size() == count && skin.seen.size() == count &&
                skin.weights.size() == count * static_cast<std::size_t>(bone_count),
            "trust", "0 where the examples have no skin of the coarse cloth");
    const auto not_negative = [](float value) { return std::isfinite(value) && value >= 0.0f; };
    require(std::ranges::all_of(skin.weights, not_negative) && std::ranges::all_of(skin.seen, not_negative) &&
                std::ranges::all_of(skin.rest, [](const Vector3& position) { return position.allFinite(); }),
            "skin", "finite positions, and weights and distances of at least 0");
}

// Blocks of vertices that are affected by the same set of joints.
struct VertexGroup {
    std::uint64_t joints = 0;
    std::int64_t first_block = 0, block_count = 0;
};

// Samples of one joint in the order of the groups: each sample is a row of blocks.
struct Samples {
    std::vector<std::int16_t> details;       // (S, row) details of each sample, in units
    std::vector<std::int16_t> shares;        // (blocks * 8) share of the joint at each vertex
    std::vector<std::int64_t> first_blocks;  // (groups) index of the group's first block in a row; -1: not affected by the joint
    std::int64_t row = 0;
    float scale = 0.0f;  // unit of details times unit of shares
};

}  // namespace

// State of a PoseSynthesizer and all memory of a step, allocated at construction, because a step must not allocate.
struct PoseSynthesizer::State {
    State(Binding bound, std::span<const Vector3> given_details, std::span<const Face> faces, std::span<const PoseJoint> given,
          int bones, const PoseOptions& o, const CoarseSkin& skin)
        : binding(std::move(bound)), fine(faces, binding.vertex_count()), options(o), bone_count(bones), scratch(binding.coarse) {
        if (options.trust > 0.0f) {
            skin_rest.assign(skin.rest.begin(), skin.rest.end());
            skin_weights.assign(skin.weights.begin(), skin.weights.end());
            seen.assign(skin.seen.begin(), skin.seen.end());
        }
        joints.assign(given.begin(), given.end());
        order_vertices();
        bind_blocks(given_details);
        details = rest_details;
        // samples in the order in which steps read them, so that memory is read sequentially
        for (std::size_t j = 0; j < joints.size(); ++j) {
            samples.push_back(ordered(joints[j], j));
        }
        set_shares();
        for (PoseJoint& joint : joints) {
            // clears the spans, because the caller's memory must not be read after construction
            joint.vertices = {};
            joint.weights = {};
            joint.details = {};
        }
        cells.resize(joints.size());
        next_cells.resize(joints.size());
        angles.resize(joints.size());
        next_angles.resize(joints.size());
        outside.resize(joints.size());
        rows.resize(static_cast<std::size_t>(binding.coarse_count()));
        // one additional row, for the padding vertices of blocks; it is never read
        positions.assign(static_cast<std::size_t>(binding.vertex_count()) + 1, {});
        face_normals.assign(4 * fine.faces.size(), 0.0f);
        normals.assign(static_cast<std::size_t>(binding.vertex_count()), Vector3(0.0f, 0.0f, 0.0f));
    }

    // Returns the index of a detail component. Blocks of eight vertices contain all x, then all y, then all z
    // (detail_kernel.h).
    static std::size_t at(std::size_t slot, int axis) {
        return slot / detail_lanes * detail_block + static_cast<std::size_t>(axis * detail_lanes) + slot % detail_lanes;
    }

    // Fills vertices, slots and groups: sorts the vertices by the set of their joints and pads each set to whole
    // blocks, so that long runs of a joint's rows are read. Within a set, vertices are sorted by the vertices of their
    // coarse face, so that the vertices of a block share coarse vertices.
    void order_vertices() {
        const auto count = static_cast<std::size_t>(binding.vertex_count());
        std::vector<std::uint64_t> sets(count, 0);
        for (std::size_t j = 0; j < joints.size(); ++j) {
            for (const std::int32_t vertex : joints[j].vertices) {
                sets[vertex] |= std::uint64_t{1} << j;
            }
        }
        std::vector<std::int32_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        const auto place = [&](std::int32_t vertex) {
            const Face& face = binding.corners[vertex];
            return std::tuple(sets[vertex], face[0], face[1], face[2], vertex);
        };
        std::ranges::sort(order, std::ranges::less{}, place);
        slots.resize(count);
        for (std::size_t i = 0; i < count;) {
            VertexGroup group{sets[order[i]], static_cast<std::int64_t>(vertices.size()) / detail_lanes, 0};
            for (; i < count && sets[order[i]] == group.joints; ++i) {
                slots[order[i]] = static_cast<std::int32_t>(vertices.size());
                vertices.push_back(order[i]);
            }
            // padding vertices are written to the row after the last vertex
            vertices.resize((vertices.size() + detail_lanes - 1) / detail_lanes * detail_lanes, static_cast<std::int32_t>(count));
            group.block_count = static_cast<std::int64_t>(vertices.size()) / detail_lanes - group.first_block;
            groups.push_back(group);
        }
    }

    // Writes the rest details in blocks. For each block, lists its coarse vertices (corners) with their weights for the
    // eight fine vertices (entry_weights).
    void bind_blocks(std::span<const Vector3> given_details) {
        rest_details.assign(3 * vertices.size(), 0.0f);
        for (std::size_t begin = 0; begin < vertices.size(); begin += detail_lanes) {
            // each coarse vertex once, in ascending order, so that sums are identical on every machine
            std::map<std::int32_t, std::array<float, detail_lanes>> entries;
            for (std::size_t slot = begin; slot < begin + detail_lanes && vertices[slot] < binding.vertex_count(); ++slot) {
                const std::int32_t vertex = vertices[slot];
                for (int corner = 0; corner < 3; ++corner) {
                    rest_details[at(slot, corner)] = given_details[vertex][corner];
                    entries[binding.corners[vertex][corner]][slot - begin] += binding.barycentric[vertex][corner];
                }
            }
            first_entries.push_back(static_cast<std::int32_t>(corners.size()));
            for (const auto& [corner, weights] : entries) {
                corners.push_back(corner);
                entry_weights.push_back(weights);
            }
        }
        first_entries.push_back(static_cast<std::int32_t>(corners.size()));
    }

    // Returns one joint's samples with vertices in the order of the slots. Padding is 0.
    Samples ordered(const PoseJoint& joint, std::size_t number) const {
        Samples result;
        std::int64_t blocks = 0;
        for (const VertexGroup& group : groups) {
            const bool has = (group.joints >> number & 1) != 0;
            result.first_blocks.push_back(has ? blocks : -1);
            blocks += has ? group.block_count : 0;
        }
        result.row = detail_block * blocks;
        result.details.assign(sample_count(joint) * static_cast<std::size_t>(result.row), 0);
        result.shares.assign(static_cast<std::size_t>(detail_lanes * blocks), 0);
        result.scale = joint.step / largest_share;
        const std::size_t count = joint.vertices.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t slot = slot_in(result, joint.vertices[i]);
            for (std::size_t s = 0; s < sample_count(joint); ++s) {
                for (int axis = 0; axis < 3; ++axis) {
                    result.details[s * static_cast<std::size_t>(result.row) + at(slot, axis)] =
                        joint.details[3 * (s * count + i) + static_cast<std::size_t>(axis)];
                }
            }
        }
        return result;
    }

    // Returns the index of a vertex in the samples of one joint.
    std::size_t slot_in(const Samples& joint, std::int32_t vertex) const {
        const std::int64_t slot = slots[vertex];
        const auto above =
            std::upper_bound(groups.begin(), groups.end(), slot / detail_lanes,
                             [](std::int64_t block, const VertexGroup& group) { return block < group.first_block; });
        const auto p = static_cast<std::size_t>(above - groups.begin() - 1);
        return static_cast<std::size_t>(slot + detail_lanes * (joint.first_blocks[p] - groups[p].first_block));
    }

    // Converts the joint weights at each vertex to shares (merge_shares), and writes them to the samples of the joints
    // as 16-bit integers.
    void set_shares() {
        std::vector<std::vector<float>> weights(vertices.size());
        for (const PoseJoint& joint : joints) {
            for (std::size_t i = 0; i < joint.vertices.size(); ++i) {
                weights[slots[joint.vertices[i]]].push_back(joint.weights[i]);
            }
        }
        for (auto& of_vertex : weights) {
            merge_shares(of_vertex, options.merge);
        }
        // joints are in the order of the weights above, so each joint gets the next share of the vertex
        std::vector<std::size_t> taken(vertices.size(), 0);
        for (std::size_t j = 0; j < joints.size(); ++j) {
            for (const std::int32_t vertex : joints[j].vertices) {
                const std::int32_t slot = slots[vertex];
                const float share = weights[slot][taken[slot]++];
                samples[j].shares[slot_in(samples[j], vertex)] = static_cast<std::int16_t>(std::lround(share * largest_share));
            }
        }
    }

    // Returns the rotation of a bone; empty if the bone is singular, shears, mirrors or scales non-uniformly. A uniform
    // scale is allowed, because it is a change of units, and is removed.
    static std::optional<Matrix3> rotation(const BoneMatrix& bone) {
        Matrix3 result = bone.leftCols<3>().cast<double>();
        // determinant: 1 for a rotation, negative for a reflection
        const double volume = result.determinant();
        if (!(volume > 0.0)) {
            return {};
        }
        result /= cube_root(volume);
        const double error = (result * result.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff();
        return error < rigid_tolerance ? std::optional(result) : std::nullopt;
    }

    // Computes the angles and grid cells of all joints, and counts statistics. Returns not_finite or not_rigid for an
    // invalid bone, and then sets refused_joint. Results are stored separately from those of the last frame, which a
    // rejected frame must not change.
    PoseStatus find_cells(std::span<const BoneMatrix> bones) {
        next_stats = {};
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const PoseJoint& joint = joints[j];
            const BoneMatrix &parent = bones[joint.parent_bone], &child = bones[joint.child_bone];
            // refused_joint is reported if a bone of this joint is invalid
            refused_joint = static_cast<int>(j);
            if (!parent.allFinite() || !child.allFinite()) {
                return PoseStatus::not_finite;
            }
            const auto from = rotation(parent), to = rotation(child);
            if (!from || !to) {
                return PoseStatus::not_rigid;
            }
            // the child's rotation relative to its parent, which does not depend on the rotation of the whole body
            const JointAngles found = joint_angles(from->transpose() * *to, joint.axes, joint.kind);
            next_cells[j] = grid_cell(joint.angles, found.values);
            const double kept = kept_share(joint.angles, found);
            for (float& weight : next_cells[j].weights) {
                weight *= static_cast<float>(kept);
            }
            next_angles[j] = found.values;
            next_stats.undefined_twists += found.undefined_twist;
            const auto& beyond = next_cells[j].outside;
            next_stats.clamped += std::ranges::any_of(beyond, [](double angle) { return std::abs(angle) > clamped_angle; });
        }
        return PoseStatus::done;
    }

    // Accepts the new grid cells. Sums the details of groups with a joint that has moved; the details of other groups
    // are not read, which saves time.
    void read_details() {
        std::uint64_t moved = 0;
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const GridCell &before = cells[j], &now = next_cells[j];
            const bool same = has_details && before.samples == now.samples && before.weights == now.weights;
            moved |= same ? 0 : std::uint64_t{1} << j;
            next_stats.moved += !same;
            cells[j] = now;
            outside[j] = now.outside;
            angles[j] = next_angles[j];
        }
        for (std::size_t p = 0; p < groups.size(); ++p) {
            const VertexGroup& group = groups[p];
            if ((group.joints & moved) != 0) {
                const std::int64_t begin = detail_block * group.first_block;
                // restarts from the rest pose even if only one joint has moved, because incremental sums would
                // accumulate rounding errors
                const float* before = rest_details.data() + begin;
                for (std::size_t j = 0; j < joints.size(); ++j) {
                    if ((group.joints >> j & 1) != 0) {
                        const DetailTerm added = term(samples[j], cells[j], p);
                        kernels<DetailKernels>().add_details(added, group.block_count, before, details.data() + begin);
                        before = details.data() + begin;
                    }
                }
            }
        }
    }

    // Returns the samples, weights and shares of one joint for one group, as input of the kernel.
    static DetailTerm term(const Samples& joint, const GridCell& cell, std::size_t group) {
        DetailTerm result{};
        result.corner_count = cell.corner_count;
        for (int k = 0; k < cell.corner_count; ++k) {
            result.rows[k] = joint.details.data() + cell.samples[k] * joint.row + detail_block * joint.first_blocks[group];
            // the weight includes the units of details and shares, which saves a product per vertex
            result.weights[k] = cell.weights[k] * joint.scale;
        }
        result.shares = joint.shares.data() + detail_lanes * joint.first_blocks[group];
        return result;
    }

    // Writes to `rows` the share by which details are reduced at each coarse vertex, and counts reduced vertices. The
    // examples do not apply to cloth that is farther from its skinned position than in the examples, such as a skirt in
    // the wind. The share is 0 up to the distance in the examples, and rises linearly to 1 over the distance
    // options.trust. Does nothing if the option trust is 0.
    void fade(std::span<const Vector3> now, std::span<const BoneMatrix> bones) {
        for (std::size_t c = 0; c < seen.size(); ++c) {
            Vector3 skinned(0.0f, 0.0f, 0.0f);
            const float* weights = skin_weights.data() + c * bones.size();
            for (std::size_t b = 0; b < bones.size(); ++b) {
                if (weights[b] > 0.0f) {
                    skinned += weights[b] * (bones[b].leftCols<3>() * skin_rest[c] + bones[b].col(3));
                }
            }
            const float beyond = (now[c] - skinned).norm() - seen[c];
            // `trusted` is false for NaN, so details fade if the matrix of a bone without joints, which is not checked,
            // is invalid
            const bool trusted = beyond <= 0.0f;
            rows[c].position[3] = trusted ? 0.0f : beyond < options.trust ? beyond / options.trust : 1.0f;
            next_stats.faded += !trusted;
        }
    }

    void place() {
        const BoundVertices bound{details.data(),
                                  reinterpret_cast<const float*>(rows.data()),
                                  first_entries.data(),
                                  corners.data(),
                                  reinterpret_cast<const float*>(entry_weights.data()),
                                  vertices.data(),
                                  options.strength,
                                  reinterpret_cast<float*>(positions.data())};
        const auto count = static_cast<std::int64_t>(vertices.size());
        // padding vertices have zero weights, so they do not have a rotation and are included in the kernel's count of
        // vertices without a rotation
        const std::int64_t filling = count - binding.vertex_count();
        next_stats.unturned = static_cast<int>(kernels<DetailKernels>().place_vertices(bound, 0, count) - filling);
    }

    void find_normals() {
        kernels<DetailKernels>().area_normals(reinterpret_cast<const float*>(positions.data()),
                                              reinterpret_cast<const std::int32_t*>(fine.faces.data()), fine.face_count(),
                                              fine.vertex_offsets.data(), fine.vertex_faces.data(), fine.vertex_count,
                                              face_normals.data(), reinterpret_cast<float*>(normals.data()));
    }

    // Writes the state after its header and mesh.
    void write(StateWriter& state) const {
        show_options(pose_parameters, options, [&](const char*, std::uint64_t number) { state.number(number); });
        state.number(frame_count);
    }

    Binding binding;
    Topology fine;
    StateMesh state_mesh = state_mesh_of(fine);
    PoseOptions options;
    int bone_count;
    std::vector<PoseJoint> joints;
    std::vector<VertexGroup> groups;
    std::vector<std::int32_t> vertices;  // (slots) vertex of each slot; V for padding
    std::vector<std::int32_t> slots;     // (V) slot of each vertex
    // (slots, 3) details in blocks: at rest, and in this frame
    std::vector<float> rest_details, details;
    // (blocks + 1) first entry of each block
    std::vector<std::int32_t> first_entries;
    std::vector<std::int32_t> corners;                           // (entries) coarse vertex of each entry
    std::vector<std::array<float, detail_lanes>> entry_weights;  // (entries) weights for eight fine vertices
    std::vector<Samples> samples;                                // (J) samples of each joint
    std::vector<GridCell> cells, next_cells;                     // (J) grid cells of each joint, last and this frame
    // (J) angles and distances outside the grid, radians
    std::vector<std::array<double, most_angles>> angles, next_angles, outside;
    std::vector<CoarseRow> rows;  // (C) state of each coarse vertex
    BindingScratch scratch;
    std::vector<Vector3> skin_rest;               // (C), or empty if options.trust is 0
    std::vector<float> skin_weights, seen;        // (C, B) weights and (C) distances of CoarseSkin
    std::vector<std::array<float, 4>> positions;  // (V + 1) fine positions, mesh units
    std::vector<float> face_normals;              // (F, 4) scratch: normals of the fine faces, of length 2 × area
    std::vector<Vector3> normals;                 // (V) unit vertex normals
    PoseTimings timings;
    PoseStats stats, next_stats;
    int refused_joint = -1;
    int frame_count = 0;
    bool has_details = false;  // true if `details` matches `cells`
};

PoseSynthesizer::PoseSynthesizer(Binding binding, std::span<const Vector3> rest_details, std::span<const Face> faces,
                                 std::span<const PoseJoint> joints, int bone_count, const PoseOptions& options,
                                 const CoarseSkin& skin) {
    require_in_range(pose_parameters, options);
    require(rest_details.size() == static_cast<std::size_t>(binding.vertex_count()), "rest_details",
            std::to_string(binding.vertex_count()) + " rows, got " + std::to_string(rest_details.size()));
    require(joints.size() <= most_joints, "joints",
            "at most " + std::to_string(most_joints) + ", got " + std::to_string(joints.size()));
    for (const PoseJoint& joint : joints) {
        require_sound(joint, binding.vertex_count(), bone_count);
    }
    if (options.trust > 0.0f) {
        require_sound(skin, binding.coarse_count(), bone_count);
    }
    state_ = std::make_unique<State>(std::move(binding), rest_details, faces, joints, bone_count, options, skin);
}
PoseSynthesizer::~PoseSynthesizer() = default;
PoseSynthesizer::PoseSynthesizer(PoseSynthesizer&&) noexcept = default;
PoseSynthesizer& PoseSynthesizer::operator=(PoseSynthesizer&&) noexcept = default;

PoseStatus PoseSynthesizer::step(std::span<const Vector3> positions, std::span<const BoneMatrix> bones) noexcept {
    State& s = *state_;
    // rejects a frame before changing anything
    if (positions.size() != s.rows.size()) {
        return PoseStatus::wrong_vertex_count;
    }
    if (bones.size() != static_cast<std::size_t>(s.bone_count)) {
        return PoseStatus::wrong_bone_count;
    }
    StageClock clock;
    s.refused_joint = -1;
    if (!all_finite(positions)) {
        return PoseStatus::not_finite;
    }
    if (const PoseStatus status = s.find_cells(bones); status != PoseStatus::done) {
        return status;
    }
    s.timings.angles = clock.lap();
    s.read_details();
    s.timings.details = clock.lap();
    s.next_stats.collapsed = s.binding.measure(positions, s.rows, s.scratch);
    s.fade(positions, bones);
    s.timings.frames = clock.lap();
    s.place();
    s.timings.place = clock.lap();
    s.find_normals();
    s.timings.normals = clock.lap();
    s.timings.total = s.timings.angles + s.timings.details + s.timings.frames + s.timings.place + s.timings.normals;
    s.stats = s.next_stats;
    s.has_details = true;
    ++s.frame_count;
    return PoseStatus::done;
}

void PoseSynthesizer::reset() {
    state_->frame_count = 0;
    state_->has_details = false;
}

std::size_t PoseSynthesizer::state_size() const {
    return size_of_state(state_->state_mesh, [&](StateWriter& state) { state_->write(state); });
}

void PoseSynthesizer::save(std::span<std::byte> state) const {
    save_state(pose_state, state_->state_mesh, state, [&](StateWriter& writer) { state_->write(writer); });
}

std::vector<std::byte> PoseSynthesizer::state() const {
    std::vector<std::byte> bytes(state_size());
    save(bytes);
    return bytes;
}

void PoseSynthesizer::restore(std::span<const std::byte> state) {
    State& s = *state_;
    StateReader reader = open_state(pose_state, s.state_mesh, state);
    show_options(pose_parameters, s.options,
                 [&](const char* name, std::uint64_t number) { require_same(pose_state, name, number, reader); });
    int frames = 0;
    reader.number(frames, 0, most_saved_frames, "the number of frames");
    require_state(reader.empty(), "the length");
    s.frame_count = frames;
    s.has_details = false;
}

const Binding& PoseSynthesizer::binding() const {
    return state_->binding;
}
const PoseOptions& PoseSynthesizer::options() const {
    return state_->options;
}
int PoseSynthesizer::joint_count() const {
    return static_cast<int>(state_->joints.size());
}
int PoseSynthesizer::bone_count() const {
    return state_->bone_count;
}
int PoseSynthesizer::frame_count() const {
    return state_->frame_count;
}
std::size_t PoseSynthesizer::detail_bytes() const {
    return std::accumulate(state_->samples.begin(), state_->samples.end(), std::size_t{0},
                           [](std::size_t sum, const Samples& joint) { return sum + 2 * joint.details.size(); });
}
std::span<const std::array<float, 4>> PoseSynthesizer::positions() const {
    return {state_->positions.data(), state_->normals.size()};
}
std::span<const Vector3> PoseSynthesizer::normals() const {
    return state_->normals;
}
std::span<const std::array<double, most_angles>> PoseSynthesizer::angles() const {
    return state_->angles;
}
std::span<const std::array<double, most_angles>> PoseSynthesizer::outside() const {
    return state_->outside;
}
const PoseTimings& PoseSynthesizer::timings() const {
    return state_->timings;
}
const PoseStats& PoseSynthesizer::stats() const {
    return state_->stats;
}
int PoseSynthesizer::refused_joint() const {
    return state_->refused_joint;
}

}  // namespace ruckle
