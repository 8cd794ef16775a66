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
from ruckle.animation import Animation
from ruckle.curves import (
    cross_section,
    height_ratio,
    optimize_path,
    smooth_path,
    trace,
    wrinkle_curve,
    wrinkle_shape,
)
from ruckle.errors import FormatError, GraphicsError, MeshError
from ruckle.fine_mesh import FineMesh
from ruckle.io import describe, load, sample_gltf
from ruckle.samples import sample, samples
from ruckle.skinning import linear_blend_skinning
from ruckle.stages import (
    PAIRWISE,
    Labeling,
    Stretch,
    Topology,
    edge_matrices,
    label_costs,
    solve_label_sequence,
    solve_labels,
    stretch,
    update_reference,
    weld,
)
from ruckle.surface import Surface, displace
from ruckle.sweeps import Sweep, sweep
from ruckle.wrinkler import Frame, Wrinkle, Wrinkler, run

if TYPE_CHECKING:
    from ruckle.view.renderer import Renderer

__all__ = [
    "PAIRWISE",
    "Animation",
    "FineMesh",
    "FormatError",
    "Frame",
    "GraphicsError",
    "Labeling",
    "MeshError",
    "Renderer",
    "Stretch",
    "Surface",
    "Sweep",
    "Topology",
    "Wrinkle",
    "Wrinkler",
    "__version__",
    "cross_section",
    "describe",
    "displace",
    "edge_matrices",
    "height_ratio",
    "label_costs",
    "linear_blend_skinning",
    "load",
    "optimize_path",
    "run",
    "sample",
    "sample_gltf",
    "samples",
    "smooth_path",
    "solve_label_sequence",
    "solve_labels",
    "stretch",
    "sweep",
    "trace",
    "update_reference",
    "weld",
    "wrinkle_curve",
    "wrinkle_shape",
]


def __dir__() -> list[str]:
    # what is imported when it is used is there, too; what only types this file is not
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations"})


def __getattr__(name: str) -> object:
    # drawing is imported when it is used
    if name == "Renderer":
        from ruckle import view

        return view.Renderer
    raise AttributeError(f"module 'ruckle' has no attribute '{name}'")
