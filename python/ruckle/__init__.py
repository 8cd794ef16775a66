"""Real-time dynamic wrinkles for coarse animated cloth.

>>> animation = ruckle.sample("sawing")
>>> frames = list(ruckle.run(animation))
>>> frames[90]
Frame(90: 9 compression, 708 rest, 17 stretch, largest compression 2.28, 34 wrinkles)

The stages of the pipeline are pure functions (`stretch`, `label_costs`, `solve_labels`, `update_reference`, `trace`,
`optimize_path`, `wrinkle_shape`); `Wrinkler` runs them frame by frame. The method is C. Peters, A Method for Real-Time
Dynamic Cloth Wrinkling, 2015.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ruckle._core import __version__
from ruckle.errors import FormatError, GraphicsError, MeshError
from ruckle.field.label import PAIRWISE, Labeling, label_costs, solve_label_sequence, solve_labels
from ruckle.field.reference import update_reference
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.io import describe, load, sample_gltf
from ruckle.io.results import load_run
from ruckle.mesh.animation import Animation
from ruckle.mesh.joining import join
from ruckle.mesh.skeleton import Skeleton
from ruckle.mesh.skinning import linear_blend_skinning
from ruckle.mesh.topology import Topology, weld
from ruckle.parameters import Parameter
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.paths.persist import optimize_path
from ruckle.paths.shape import cross_section, height_ratio, wrinkle_curve, wrinkle_shape
from ruckle.paths.trace import smooth_path, trace
from ruckle.paths.wrinkler import Wrinkler, run
from ruckle.patterns.files import load_patterns, save_patterns
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.images import image_pattern
from ruckle.patterns.linear import wrinkling_coefficients
from ruckle.patterns.modulation import Moments, fold_weights, gram, modulation, pattern_moments, target_area
from ruckle.patterns.modulator import Modulation, Modulator
from ruckle.patterns.noise import compression_axes, noise_pattern
from ruckle.patterns.paint import load_paint
from ruckle.patterns.paths import choose_frames, path_pattern
from ruckle.patterns.pattern import Pattern, function_pattern
from ruckle.patterns.sources import animation_patterns
from ruckle.patterns.strokes import stroke_pattern
from ruckle.pose_space.binding import Binding, apply, bind, details, transfer
from ruckle.pose_space.build import build_poses, collect, collect_poses
from ruckle.pose_space.check import PoseCheck, check_poses
from ruckle.pose_space.contact import KeptOutside, lower_skin, push_out
from ruckle.pose_space.database import PoseDatabase, PoseJoint
from ruckle.pose_space.files import load_poses
from ruckle.pose_space.fit import fit_windows
from ruckle.pose_space.interpolation import interpolate, interpolate_arc, interpolate_screw
from ruckle.pose_space.joint import Cell, cell, joint_angles, joint_rotation
from ruckle.pose_space.mirror import mirror_joint
from ruckle.pose_space.plan import PosePlan, TrainingClip, load_plan, plan_poses
from ruckle.pose_space.refine import refine_plan
from ruckle.pose_space.settle import settle_poses
from ruckle.pose_space.synthesizer import PoseFrame, PoseSynthesizer
from ruckle.pose_space.wear import wear
from ruckle.pose_space.weights import merge, region_weights
from ruckle.samples import sample, sample_body, samples
from ruckle.settings import Settings, load_settings
from ruckle.simulation import MATERIALS, ClothFrame, ClothSimulation, Material, Simulated
from ruckle.stack import Layer, Stack, StackFrame, StackState
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import CoarseFrame, LayerFrame
from ruckle.surface.layers import FineShape, HeightFrame, RefinedMesh, ShapeFrame
from ruckle.surface.surface import Surface, displace
from ruckle.sweeps import Sweep, sweep
from ruckle.upsampling import (
    Garment,
    Harmonics,
    Locality,
    Profile,
    Trainer,
    TrainingStatistics,
    UpsampledFrame,
    Upsampler,
    UpsamplingModel,
    load_model,
    train,
)
from ruckle.waves.wave_field import WaveField, WaveFrame

if TYPE_CHECKING:
    from ruckle import figures, film, laboratory, metrics, plot, scene, view  # noqa: F401
    from ruckle.scene.renderer import Renderer

__all__ = [
    "MATERIALS",
    "PAIRWISE",
    "Animation",
    "Binding",
    "Cell",
    "ClothFrame",
    "ClothSimulation",
    "CoarseFrame",
    "FineMesh",
    "FineShape",
    "FormatError",
    "Frame",
    "Garment",
    "GraphicsError",
    "Harmonics",
    "HeightFrame",
    "KeptOutside",
    "Labeling",
    "Layer",
    "LayerFrame",
    "Locality",
    "Material",
    "MeshError",
    "Modulation",
    "Modulator",
    "Moments",
    "Parameter",
    "Pattern",
    "PatternGrid",
    "PoseCheck",
    "PoseDatabase",
    "PoseFrame",
    "PoseJoint",
    "PosePlan",
    "PoseSynthesizer",
    "Profile",
    "RefinedMesh",
    "Renderer",
    "Settings",
    "ShapeFrame",
    "Simulated",
    "Skeleton",
    "Stack",
    "StackFrame",
    "StackState",
    "Stretch",
    "Surface",
    "Sweep",
    "Topology",
    "Trainer",
    "TrainingClip",
    "TrainingStatistics",
    "UpsampledFrame",
    "Upsampler",
    "UpsamplingModel",
    "WaveField",
    "WaveFrame",
    "Wrinkle",
    "Wrinkler",
    "__version__",
    "animation_patterns",
    "apply",
    "bind",
    "build_poses",
    "cell",
    "check_poses",
    "choose_frames",
    "collect",
    "collect_poses",
    "compression_axes",
    "cross_section",
    "describe",
    "details",
    "displace",
    "edge_matrices",
    "fit_windows",
    "fold_weights",
    "function_pattern",
    "gram",
    "height_ratio",
    "image_pattern",
    "interpolate",
    "interpolate_arc",
    "interpolate_screw",
    "join",
    "joint_angles",
    "joint_rotation",
    "label_costs",
    "linear_blend_skinning",
    "load",
    "load_model",
    "load_paint",
    "load_patterns",
    "load_plan",
    "load_poses",
    "load_run",
    "load_settings",
    "lower_skin",
    "merge",
    "mirror_joint",
    "modulation",
    "noise_pattern",
    "optimize_path",
    "path_pattern",
    "pattern_moments",
    "plan_poses",
    "push_out",
    "refine_plan",
    "region_weights",
    "run",
    "sample",
    "sample_body",
    "sample_gltf",
    "samples",
    "save_patterns",
    "settle_poses",
    "smooth_path",
    "solve_label_sequence",
    "solve_labels",
    "stretch",
    "stroke_pattern",
    "sweep",
    "target_area",
    "trace",
    "train",
    "transfer",
    "update_reference",
    "wear",
    "weld",
    "wrinkle_curve",
    "wrinkle_shape",
    "wrinkling_coefficients",
]


def __dir__() -> list[str]:
    # with what is imported on first use, and without what is imported for types alone
    return sorted({*globals(), *__all__, *_ROOMS} - {"TYPE_CHECKING", "annotations", "import_module"})


# What few programs use, and what is slow to import, is imported when it is used.
_ROOMS = ("figures", "film", "laboratory", "metrics", "plot", "scene", "view")


def __getattr__(name: str) -> object:
    if name in _ROOMS:
        return import_module(f"ruckle.{name}")
    if name == "Renderer":
        return import_module("ruckle.view").Renderer
    raise AttributeError(f"module 'ruckle' has no attribute '{name}'")
