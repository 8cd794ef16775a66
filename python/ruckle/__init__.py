"""Real-time dynamic wrinkles for coarse animated cloth.

>>> animation = ruckle.sample("sawing")
>>> frames = list(ruckle.run(animation))
>>> frames[90]
Frame(90: 9 compression, 703 rest, 22 stretch, largest compression 2.14, 39 wrinkles)

The stages of the pipeline are pure functions (`stretch`, `label_costs`, `solve_labels`, `update_reference`, `trace`,
`optimize_path`, `wrinkle_shape`); `Wrinkler` runs them frame by frame. The method is C. Peters, A Method for Real-Time
Dynamic Cloth Wrinkling, 2015.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruckle import film as film, scene as scene, simulation as simulation, upsampling as upsampling, view as view
    from ruckle._core import __version__ as __version__
    from ruckle.errors import FormatError as FormatError, GraphicsError as GraphicsError, MeshError as MeshError
    from ruckle.experiments import figures as figures, laboratory as laboratory, metrics as metrics, plot as plot
    from ruckle.experiments.sweeps import Sweep as Sweep, sweep as sweep
    from ruckle.field.label import (
        PAIRWISE as PAIRWISE,
        Labeling as Labeling,
        label_costs as label_costs,
        solve_label_sequence as solve_label_sequence,
        solve_labels as solve_labels,
    )
    from ruckle.field.reference import update_reference as update_reference
    from ruckle.field.strain import VertexStrain as VertexStrain, vertex_strain as vertex_strain
    from ruckle.field.stretch import Stretch as Stretch, edge_matrices as edge_matrices, stretch as stretch
    from ruckle.io import describe as describe, load as load, save as save
    from ruckle.io.gltf import sample_gltf as sample_gltf
    from ruckle.io.masks import make_mask as make_mask
    from ruckle.io.results import load_run as load_run
    from ruckle.io.samples import sample as sample, sample_body as sample_body, samples as samples
    from ruckle.mesh.animation import Animation as Animation
    from ruckle.mesh.joining import join as join
    from ruckle.mesh.skeleton import Skeleton as Skeleton
    from ruckle.mesh.skinning import linear_blend_skinning as linear_blend_skinning
    from ruckle.mesh.topology import Topology as Topology, weld as weld
    from ruckle.offline.patterns.noise import compression_axes as compression_axes, noise_pattern as noise_pattern
    from ruckle.offline.patterns.paths import choose_frames as choose_frames, path_pattern as path_pattern
    from ruckle.offline.patterns.sources import animation_patterns as animation_patterns
    from ruckle.offline.patterns.strokes import stroke_pattern as stroke_pattern
    from ruckle.offline.pose_space.build import (
        build_poses as build_poses,
        collect as collect,
        collect_poses as collect_poses,
    )
    from ruckle.offline.pose_space.check import PoseCheck as PoseCheck, check_poses as check_poses
    from ruckle.offline.pose_space.fit import fit_windows as fit_windows
    from ruckle.offline.pose_space.mirror import mirror_joint as mirror_joint
    from ruckle.offline.pose_space.plan import (
        PosePlan as PosePlan,
        TrainingClip as TrainingClip,
        load_plan as load_plan,
        plan_poses as plan_poses,
    )
    from ruckle.offline.pose_space.refine import refine_plan as refine_plan
    from ruckle.offline.pose_space.settle import settle_poses as settle_poses
    from ruckle.offline.upsampling.garment import Garment as Garment
    from ruckle.offline.upsampling.harmonics import Harmonics as Harmonics
    from ruckle.offline.upsampling.learn import HarmonicPenalties as HarmonicPenalties
    from ruckle.offline.upsampling.locality import Locality as Locality
    from ruckle.offline.upsampling.statistics import TrainingStatistics as TrainingStatistics
    from ruckle.offline.upsampling.training import Trainer as Trainer, train as train
    from ruckle.parameters import Parameter as Parameter
    from ruckle.paths.clock import ClockState as ClockState, WrinkleClock as WrinkleClock
    from ruckle.paths.crowd import Crowd as Crowd
    from ruckle.paths.frame import Frame as Frame
    from ruckle.paths.persist import optimize_path as optimize_path
    from ruckle.paths.shape import (
        cross_section as cross_section,
        height_ratio as height_ratio,
        wrinkle_curve as wrinkle_curve,
        wrinkle_shape as wrinkle_shape,
    )
    from ruckle.paths.trace import smooth_path as smooth_path, trace as trace
    from ruckle.paths.wrinkler import Wrinkler as Wrinkler, run as run
    from ruckle.paths.wrinkles import Wrinkle as Wrinkle
    from ruckle.patterns.files import load_patterns as load_patterns, save_patterns as save_patterns
    from ruckle.patterns.grid import PatternGrid as PatternGrid
    from ruckle.patterns.images import image_pattern as image_pattern
    from ruckle.patterns.linear import wrinkling_coefficients as wrinkling_coefficients
    from ruckle.patterns.modulation import (
        Moments as Moments,
        fold_weights as fold_weights,
        gram as gram,
        modulation as modulation,
        pattern_moments as pattern_moments,
        target_area as target_area,
    )
    from ruckle.patterns.modulator import Modulation as Modulation, Modulator as Modulator
    from ruckle.patterns.paint import load_paint as load_paint
    from ruckle.patterns.pattern import Pattern as Pattern, function_pattern as function_pattern
    from ruckle.pose_space.binding import (
        Binding as Binding,
        apply as apply,
        bind as bind,
        details as details,
        transfer as transfer,
    )
    from ruckle.pose_space.contact import KeptOutside as KeptOutside, lower_skin as lower_skin, push_out as push_out
    from ruckle.pose_space.database import PoseDatabase as PoseDatabase, PoseJoint as PoseJoint
    from ruckle.pose_space.files import load_poses as load_poses
    from ruckle.pose_space.interpolation import (
        interpolate as interpolate,
        interpolate_arc as interpolate_arc,
        interpolate_screw as interpolate_screw,
    )
    from ruckle.pose_space.joint import (
        Cell as Cell,
        cell as cell,
        joint_angles as joint_angles,
        joint_rotation as joint_rotation,
    )
    from ruckle.pose_space.synthesizer import PoseFrame as PoseFrame, PoseSynthesizer as PoseSynthesizer
    from ruckle.pose_space.wear import wear as wear
    from ruckle.pose_space.weights import merge as merge, region_weights as region_weights
    from ruckle.settings import Settings as Settings, load_settings as load_settings
    from ruckle.simulation.cloth import ClothFrame as ClothFrame, ClothSimulation as ClothSimulation
    from ruckle.simulation.material import MATERIALS as MATERIALS, Material as Material
    from ruckle.simulation.simulated import Simulated as Simulated
    from ruckle.stack import Layer as Layer, Stack as Stack, StackFrame as StackFrame, StackState as StackState
    from ruckle.surface.fine_mesh import FineMesh as FineMesh
    from ruckle.surface.frame import CoarseFrame as CoarseFrame, LayerFrame as LayerFrame
    from ruckle.surface.layers import (
        FineShape as FineShape,
        HeightFrame as HeightFrame,
        RefinedMesh as RefinedMesh,
        ShapeFrame as ShapeFrame,
    )
    from ruckle.surface.surface import Surface as Surface, displace as displace
    from ruckle.upsampling.model import UpsamplingModel as UpsamplingModel, load_model as load_model
    from ruckle.upsampling.upsampler import UpsampledFrame as UpsampledFrame, Upsampler as Upsampler
    from ruckle.view import Renderer as Renderer
    from ruckle.waves.wave_field import WaveField as WaveField, WaveFrame as WaveFrame

# The public names of each module; `import ruckle` loads a module when one of its names is used.
_NAMES = {
    "_core": "__version__",
    "errors": "FormatError GraphicsError MeshError",
    "parameters": "Parameter",
    "mesh.animation": "Animation",
    "mesh.joining": "join",
    "mesh.skeleton": "Skeleton",
    "mesh.skinning": "linear_blend_skinning",
    "mesh.topology": "Topology weld",
    "field.label": "Labeling PAIRWISE label_costs solve_label_sequence solve_labels",
    "field.reference": "update_reference",
    "field.strain": "VertexStrain vertex_strain",
    "field.stretch": "Stretch edge_matrices stretch",
    "surface.fine_mesh": "FineMesh",
    "surface.frame": "CoarseFrame LayerFrame",
    "surface.layers": "FineShape HeightFrame RefinedMesh ShapeFrame",
    "surface.surface": "Surface displace",
    "stack": "Layer Stack StackFrame StackState",
    "waves.wave_field": "WaveField WaveFrame",
    "paths.crowd": "Crowd",
    "paths.frame": "Frame",
    "paths.persist": "optimize_path",
    "paths.shape": "cross_section height_ratio wrinkle_curve wrinkle_shape",
    "paths.trace": "smooth_path trace",
    "paths.clock": "ClockState WrinkleClock",
    "paths.wrinkler": "Wrinkler run",
    "paths.wrinkles": "Wrinkle",
    "io": "describe load save",
    "io.gltf": "sample_gltf",
    "io.masks": "make_mask",
    "io.results": "load_run",
    "io.samples": "sample sample_body samples",
    "settings": "Settings load_settings",
    "patterns.files": "load_patterns save_patterns",
    "patterns.grid": "PatternGrid",
    "patterns.images": "image_pattern",
    "patterns.linear": "wrinkling_coefficients",
    "patterns.modulation": "Moments fold_weights gram modulation pattern_moments target_area",
    "patterns.modulator": "Modulation Modulator",
    "patterns.paint": "load_paint",
    "patterns.pattern": "Pattern function_pattern",
    "simulation.cloth": "ClothFrame ClothSimulation",
    "simulation.material": "MATERIALS Material",
    "simulation.simulated": "Simulated",
    "upsampling.model": "UpsamplingModel load_model",
    "upsampling.upsampler": "UpsampledFrame Upsampler",
    "pose_space.binding": "Binding apply bind details transfer",
    "pose_space.contact": "KeptOutside lower_skin push_out",
    "pose_space.database": "PoseDatabase PoseJoint",
    "pose_space.files": "load_poses",
    "pose_space.interpolation": "interpolate interpolate_arc interpolate_screw",
    "pose_space.joint": "Cell cell joint_angles joint_rotation",
    "pose_space.synthesizer": "PoseFrame PoseSynthesizer",
    "pose_space.wear": "wear",
    "pose_space.weights": "merge region_weights",
    "view": "Renderer",
    "offline.patterns.noise": "compression_axes noise_pattern",
    "offline.patterns.paths": "choose_frames path_pattern",
    "offline.patterns.sources": "animation_patterns",
    "offline.patterns.strokes": "stroke_pattern",
    "offline.upsampling.garment": "Garment",
    "offline.upsampling.harmonics": "Harmonics",
    "offline.upsampling.learn": "HarmonicPenalties",
    "offline.upsampling.locality": "Locality",
    "offline.upsampling.statistics": "TrainingStatistics",
    "offline.upsampling.training": "Trainer train",
    "offline.pose_space.build": "build_poses collect collect_poses",
    "offline.pose_space.check": "PoseCheck check_poses",
    "offline.pose_space.fit": "fit_windows",
    "offline.pose_space.mirror": "mirror_joint",
    "offline.pose_space.plan": "PosePlan TrainingClip load_plan plan_poses",
    "offline.pose_space.refine": "refine_plan",
    "offline.pose_space.settle": "settle_poses",
    "experiments.sweeps": "Sweep sweep",
}
_MODULES = {name: f"ruckle.{module}" for module, names in _NAMES.items() for name in names.split()}
_ROOMS = {
    name: f"ruckle.{group}{name}"
    for group, names in {
        "": ("film", "scene", "simulation", "upsampling", "view"),
        "experiments.": ("figures", "laboratory", "metrics", "plot"),
    }.items()
    for name in names
}

__all__ = sorted(_MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS} - {"TYPE_CHECKING", "annotations", "import_module"})


def __getattr__(name: str) -> object:
    if name in _MODULES:
        value: object = getattr(import_module(_MODULES[name]), name)
    elif name in _ROOMS:
        value = import_module(_ROOMS[name])
    else:
        raise AttributeError(f"module 'ruckle' has no attribute '{name}'")
    globals()[name] = value
    return value
