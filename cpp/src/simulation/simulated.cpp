#include "ruckle/simulation/simulated.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ruckle {

namespace {

Vector3 moved(const BoneMatrix& bone, const Vector3& point) {
    return bone.leftCols<3>() * point + bone.col(3);
}

void require_cones(const Wearer& wearer) {
    if (wearer.cones.size() != wearer.cone_bones.size()) {
        throw std::invalid_argument("cone_bones: expected one bone for each of " + std::to_string(wearer.cones.size()) +
                                    " cones, got " + std::to_string(wearer.cone_bones.size()));
    }
    for (const std::int32_t bone : wearer.cone_bones) {
        if (bone < 0 || bone >= wearer.bone_count) {
            throw std::invalid_argument("cone_bones: expected bones below " + std::to_string(wearer.bone_count) + ", got " +
                                        std::to_string(bone));
        }
    }
}

}  // namespace

// Returns points with their positive weights as lists, because most points have weights for only one to four of many
// bones. Throws std::invalid_argument if weights have a wrong size or are negative or not finite; `name` is the array
// in the message.
Simulated::Skin Simulated::skin(std::span<const Vector3> rest, std::span<const float> weights, int bone_count, const char* name) {
    const auto bones = static_cast<std::size_t>(bone_count);
    if (weights.size() != rest.size() * bones) {
        throw std::invalid_argument(std::string(name) + ": expected " + std::to_string(rest.size()) + " rows of " +
                                    std::to_string(bone_count) + " shares, got " + std::to_string(weights.size()) + " numbers");
    }
    Skin skin{{rest.begin(), rest.end()}, {rest.begin(), rest.end()}, {0}, {}, {}};
    for (std::size_t v = 0; v < rest.size(); ++v) {
        for (std::size_t b = 0; b < bones; ++b) {
            const float share = weights[v * bones + b];
            if (!(std::isfinite(share) && share >= 0.0f)) {
                throw std::invalid_argument(std::string(name) + ": expected finite shares of at least 0, got " +
                                            std::to_string(share) + " of vertex " + std::to_string(v));
            }
            if (share > 0.0f) {
                skin.bones.push_back(static_cast<std::int32_t>(b));
                skin.shares.push_back(share);
            }
        }
        skin.starts.push_back(static_cast<std::int32_t>(skin.bones.size()));
    }
    return skin;
}

void Simulated::Skin::pose(std::span<const BoneMatrix> matrices) {
    for (std::size_t v = 0; v < rest.size(); ++v) {
        const auto begin = static_cast<std::size_t>(starts[v]), end = static_cast<std::size_t>(starts[v + 1]);
        Vector3 sum = Vector3::Zero();
        for (std::size_t k = begin; k < end; ++k) {
            sum += moved(matrices[static_cast<std::size_t>(bones[k])], rest[v]) * shares[k];
        }
        // points without positive weights remain at rest
        posed[v] = begin < end ? sum : rest[v];
    }
}

Simulated::Simulated(std::span<const Vector3> rest, std::span<const Face> faces, std::span<const float> attachment,
                     const Wearer& wearer, const ClothOptions& options)
    : cloth_(rest, faces, attachment, options), bone_count_(wearer.bone_count), positions_(rest.begin(), rest.end()) {
    if (bone_count_ < 1) {
        throw std::invalid_argument("bone_count: expected at least 1, got " + std::to_string(bone_count_));
    }
    require_cones(wearer);
    pins_ = skin(rest, wearer.weights, bone_count_, "weights");
    body_ = skin(wearer.body, wearer.body_weights, bone_count_, "body_weights");
    if (!wearer.body_faces.empty()) {
        cloth_.collide_with(wearer.body_faces, static_cast<int>(wearer.body.size()));
    } else if (!wearer.body.empty()) {
        throw std::invalid_argument("body_faces: expected the triangles of " + std::to_string(wearer.body.size()) +
                                    " body vertices, got none");
    }
    cones_.assign(wearer.cones.begin(), wearer.cones.end());
    posed_cones_ = cones_;
    cone_bones_.assign(wearer.cone_bones.begin(), wearer.cone_bones.end());
}

ClothStatus Simulated::step(std::span<const BoneMatrix> bones, float dt, std::span<const Vector3> wind) {
    if (bones.size() != static_cast<std::size_t>(bone_count_)) {
        return ClothStatus::wrong_count;
    }
    // checks the bones before moving anything, because the first frame places the cloth with them
    if (!std::all_of(bones.begin(), bones.end(), [](const BoneMatrix& bone) { return bone.allFinite(); })) {
        return ClothStatus::not_finite;
    }
    pins_.pose(bones);
    body_.pose(bones);
    for (std::size_t c = 0; c < cones_.size(); ++c) {
        const BoneMatrix& bone = bones[static_cast<std::size_t>(cone_bones_[c])];
        posed_cones_[c].first = moved(bone, cones_[c].first);
        posed_cones_[c].second = moved(bone, cones_[c].second);
    }
    if (cloth_.is_placed()) {
        cloth_.place(pins_.posed, {});
    }
    const ClothStatus status =
        cloth_.step({.dt = dt, .pins = pins_.posed, .wind = wind, .cones = posed_cones_, .body = body_.posed, .targets = {}});
    if (status == ClothStatus::done) {
        cloth_.positions(positions_);
    }
    return status;
}

void Simulated::restore(std::span<const std::byte> state) {
    cloth_.restore(state);
    cloth_.positions(positions_);
}

}  // namespace ruckle
