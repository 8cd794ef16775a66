// tables: all tables of options by name.
//
// Generated from cpp/options/*.toml by `make options`: edit those files.
// clang-format off
#pragma once

#include <stdexcept>
#include <string>

#include "options.h"
#include "ruckle/field/parameters.h"
#include "ruckle/paths/parameters.h"
#include "ruckle/patterns/parameters.h"
#include "ruckle/pose_space/parameters.h"
#include "ruckle/simulation/parameters.h"
#include "ruckle/upsampling/parameters.h"
#include "ruckle/waves/parameters.h"
#include "ruckle/paths/wrinkler.h"
#include "ruckle/simulation/cloth.h"

namespace ruckle::bindings {

inline Rows rows_named(const std::string& name) {
    if (name == "label_cost_parameters") {
        return rows_of(label_cost_parameters);
    }
    if (name == "label_parameters") {
        return rows_of(label_parameters);
    }
    if (name == "reference_parameters") {
        return rows_of(reference_parameters);
    }
    if (name == "wrinkler_parameters") {
        return rows_of(wrinkler_parameters);
    }
    if (name == "modulator_parameters") {
        return rows_of(modulator_parameters);
    }
    if (name == "pose_parameters") {
        return rows_of(pose_parameters);
    }
    if (name == "material_parameters") {
        return rows_of(material_parameters);
    }
    if (name == "cloth_parameters") {
        return rows_of(cloth_parameters);
    }
    if (name == "upsampler_parameters") {
        return rows_of(upsampler_parameters);
    }
    if (name == "wave_parameters") {
        return rows_of(wave_parameters);
    }
    throw std::invalid_argument("no table of options is called " + name);
}

struct TimingsDict : py::dict {};
struct StatsDict : py::dict {};
struct ModulatorTimingsDict : py::dict {};
struct ModulatorStatsDict : py::dict {};
struct PoseTimingsDict : py::dict {};
struct PoseStatsDict : py::dict {};
struct ClothTimingsDict : py::dict {};
struct ClothStatsDict : py::dict {};
struct ClothEnergyDict : py::dict {};
struct UpsamplerTimingsDict : py::dict {};
struct WaveTimingsDict : py::dict {};
struct WaveStatsDict : py::dict {};

inline TimingsDict dict_of(const StageTimings& found) {
    TimingsDict result;
    result["stretch"] = found.stretch;
    result["label"] = found.label;
    result["reference"] = found.reference;
    result["persist"] = found.persist;
    result["trace"] = found.trace;
    result["shape"] = found.shape;
    result["total"] = found.total;
    return result;
}

inline StatsDict dict_of(const FrameStats& found) {
    StatsDict result;
    result["compression_labels"] = found.label_counts[compression_label];
    result["rest_labels"] = found.label_counts[rest_label];
    result["stretch_labels"] = found.label_counts[stretch_label];
    result["label_changes"] = found.label_changes;
    result["degenerate"] = found.degenerate_count;
    result["wrinkles"] = found.wrinkle_count;
    result["fading"] = found.fading_count;
    result["born"] = found.trace.born;
    result["died"] = found.died;
    result["slid"] = found.persist.slid;
    result["rebuilt"] = found.persist.rebuilt;
    result["clamped"] = found.persist.clamped;
    result["extended"] = found.persist.extended;
    result["trimmed"] = found.persist.trimmed;
    result["tried"] = found.trace.tried;
    result["refused"] = found.trace.full;
    return result;
}

inline ModulatorTimingsDict dict_of(const ModulatorTimings& found) {
    ModulatorTimingsDict result;
    result["gram"] = found.gram;
    result["fold"] = found.fold;
    result["modulate"] = found.modulate;
    result["follow"] = found.follow;
    result["total"] = found.total;
    return result;
}

inline ModulatorStatsDict dict_of(const ModulatorStats& found) {
    ModulatorStatsDict result;
    result["limited"] = found.limited;
    result["hurried"] = found.hurried;
    result["degenerate"] = found.degenerate;
    result["flat_patterns"] = found.flat_patterns;
    return result;
}

inline PoseTimingsDict dict_of(const PoseTimings& found) {
    PoseTimingsDict result;
    result["angles"] = found.angles;
    result["details"] = found.details;
    result["frames"] = found.frames;
    result["place"] = found.place;
    result["normals"] = found.normals;
    result["total"] = found.total;
    return result;
}

inline PoseStatsDict dict_of(const PoseStats& found) {
    PoseStatsDict result;
    result["moved"] = found.moved;
    result["clamped"] = found.clamped;
    result["undefined_twists"] = found.undefined_twists;
    result["collapsed"] = found.collapsed;
    result["unturned"] = found.unturned;
    result["faded"] = found.faded;
    return result;
}

inline ClothTimingsDict dict_of(const ClothTimings& found) {
    ClothTimingsDict result;
    result["air"] = found.air;
    result["edges"] = found.edges;
    result["bends"] = found.bends;
    result["self_contact"] = found.self_contact;
    result["strain"] = found.strain;
    result["tracking"] = found.tracking;
    result["bodies"] = found.bodies;
    result["other"] = found.other;
    result["total"] = found.total;
    return result;
}

inline ClothStatsDict dict_of(const ClothStats& found) {
    ClothStatsDict result;
    result["largest_speed"] = found.largest_speed;
    result["settled_share"] = found.settled_share;
    result["largest_edge_stretch"] = found.largest_edge_stretch;
    result["tracking_residual"] = found.tracking_residual;
    result["contact_residual"] = found.contact_residual;
    result["self_pairs"] = found.self_pair_count;
    result["dropped_pairs"] = found.dropped_pair_count;
    result["crossings"] = found.crossing_count;
    return result;
}

inline ClothEnergyDict dict_of(const ClothEnergy& found) {
    ClothEnergyDict result;
    result["kinetic"] = found.kinetic;
    result["gravity"] = found.gravity;
    result["stretch"] = found.stretch;
    result["bending"] = found.bending;
    return result;
}

inline UpsamplerTimingsDict dict_of(const UpsamplerTimings& found) {
    UpsamplerTimingsDict result;
    result["multiply"] = found.multiply;
    result["detail"] = found.detail;
    result["normals"] = found.normals;
    result["oscillate"] = found.oscillate;
    result["attach"] = found.attach;
    result["total"] = found.total;
    return result;
}

inline WaveTimingsDict dict_of(const WaveTimings& found) {
    WaveTimingsDict result;
    result["field"] = found.field;
    result["direction"] = found.direction;
    result["phase"] = found.phase;
    result["pull"] = found.pull;
    result["amplitude"] = found.amplitude;
    result["total"] = found.total;
    return result;
}

inline WaveStatsDict dict_of(const WaveStats& found) {
    WaveStatsDict result;
    result["limited"] = found.limited;
    result["degenerate"] = found.degenerate;
    return result;
}

}  // namespace ruckle::bindings

namespace pybind11::detail {

template <>
struct handle_type_name<ruckle::bindings::TimingsDict> {
    static constexpr auto name = const_name("ruckle.paths.parameters.Timings");
};
template <>
struct handle_type_name<ruckle::bindings::StatsDict> {
    static constexpr auto name = const_name("ruckle.paths.parameters.Stats");
};
template <>
struct handle_type_name<ruckle::bindings::ModulatorTimingsDict> {
    static constexpr auto name = const_name("ruckle.patterns.parameters.ModulatorTimings");
};
template <>
struct handle_type_name<ruckle::bindings::ModulatorStatsDict> {
    static constexpr auto name = const_name("ruckle.patterns.parameters.ModulatorStats");
};
template <>
struct handle_type_name<ruckle::bindings::PoseTimingsDict> {
    static constexpr auto name = const_name("ruckle.pose_space.parameters.PoseTimings");
};
template <>
struct handle_type_name<ruckle::bindings::PoseStatsDict> {
    static constexpr auto name = const_name("ruckle.pose_space.parameters.PoseStats");
};
template <>
struct handle_type_name<ruckle::bindings::ClothTimingsDict> {
    static constexpr auto name = const_name("ruckle.simulation.parameters.ClothTimings");
};
template <>
struct handle_type_name<ruckle::bindings::ClothStatsDict> {
    static constexpr auto name = const_name("ruckle.simulation.parameters.ClothStats");
};
template <>
struct handle_type_name<ruckle::bindings::ClothEnergyDict> {
    static constexpr auto name = const_name("ruckle.simulation.parameters.ClothEnergy");
};
template <>
struct handle_type_name<ruckle::bindings::UpsamplerTimingsDict> {
    static constexpr auto name = const_name("ruckle.upsampling.parameters.UpsamplerTimings");
};
template <>
struct handle_type_name<ruckle::bindings::WaveTimingsDict> {
    static constexpr auto name = const_name("ruckle.waves.parameters.WaveTimings");
};
template <>
struct handle_type_name<ruckle::bindings::WaveStatsDict> {
    static constexpr auto name = const_name("ruckle.waves.parameters.WaveStats");
};

}  // namespace pybind11::detail
