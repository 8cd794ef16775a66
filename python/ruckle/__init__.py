"""Real-time dynamic wrinkles for coarse animated cloth.

>>> animation = ruckle.sample("sawing")
>>> for frame in ruckle.run(animation):
...     print(frame)

The stages of the pipeline are pure functions (`stretch`, `label_costs`, `solve_labels`, `update_reference`, `trace`,
`optimize_path`, `wrinkle_shape`); `Wrinkler` runs them frame by frame. The method is C. Peters, A Method for Real-Time
Dynamic Cloth Wrinkling, 2015.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ruckle._core import __version__
from ruckle.errors import FormatError, GraphicsError, MeshError
from ruckle.field.label import PAIRWISE, Labeling, label_costs, solve_label_sequence, solve_labels
from ruckle.field.reference import update_reference
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.io import describe, load, sample_gltf
from ruckle.mesh.animation import Animation
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
from ruckle.samples import sample, sample_body, samples
from ruckle.simulation import MATERIALS, ClothFrame, ClothSimulation, ClothState, Material
from ruckle.stack import Layer, Stack, StackFrame
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import CoarseFrame, LayerFrame
from ruckle.surface.layers import FineShape, HeightFrame, RefinedMesh, ShapeFrame
from ruckle.surface.surface import Surface, displace
from ruckle.sweeps import Sweep, sweep
from ruckle.upsampling import (
    Garment,
    Harmonics,
    Profile,
    Trainer,
    TrainingStatistics,
    UpsampledFrame,
    Upsampler,
    UpsamplingModel,
    load_model,
    train,
)

if TYPE_CHECKING:
    from ruckle.scene.renderer import Renderer

__all__ = [
    "MATERIALS",
    "PAIRWISE",
    "Animation",
    "ClothFrame",
    "ClothSimulation",
    "ClothState",
    "CoarseFrame",
    "FineMesh",
    "FineShape",
    "FormatError",
    "Frame",
    "Garment",
    "GraphicsError",
    "Harmonics",
    "HeightFrame",
    "Labeling",
    "Layer",
    "LayerFrame",
    "Material",
    "MeshError",
    "Modulation",
    "Modulator",
    "Moments",
    "Parameter",
    "Pattern",
    "PatternGrid",
    "Profile",
    "RefinedMesh",
    "Renderer",
    "ShapeFrame",
    "Stack",
    "StackFrame",
    "Stretch",
    "Surface",
    "Sweep",
    "Topology",
    "Trainer",
    "TrainingStatistics",
    "UpsampledFrame",
    "Upsampler",
    "UpsamplingModel",
    "Wrinkle",
    "Wrinkler",
    "__version__",
    "animation_patterns",
    "choose_frames",
    "compression_axes",
    "cross_section",
    "describe",
    "displace",
    "edge_matrices",
    "fold_weights",
    "function_pattern",
    "gram",
    "height_ratio",
    "image_pattern",
    "label_costs",
    "linear_blend_skinning",
    "load",
    "load_model",
    "load_paint",
    "load_patterns",
    "modulation",
    "noise_pattern",
    "optimize_path",
    "path_pattern",
    "pattern_moments",
    "run",
    "sample",
    "sample_body",
    "sample_gltf",
    "samples",
    "save_patterns",
    "smooth_path",
    "solve_label_sequence",
    "solve_labels",
    "stretch",
    "sweep",
    "target_area",
    "trace",
    "train",
    "update_reference",
    "weld",
    "wrinkle_curve",
    "wrinkle_shape",
    "wrinkling_coefficients",
]


def __dir__() -> list[str]:
    # with what is imported on first use, and without what is imported for types alone
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations"})


def __getattr__(name: str) -> object:
    # drawing is imported when it is used
    if name == "Renderer":
        from ruckle import view

        return view.Renderer
    raise AttributeError(f"module 'ruckle' has no attribute '{name}'")
