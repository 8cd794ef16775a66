"""Waves on a plane, a cylinder and a cone, compressed in ways for which the correct folds are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.experiments.figures.drawing import Drawing, canvas, panels, show_cloth
from ruckle.experiments.plot.space import Projection
from ruckle.mesh.topology import Topology
from ruckle.surface.surface import displace
from ruckle.waves.wave_field import WaveField, WaveFrame

__all__ = ["Shape", "draw", "shapes"]

# Mesh units: least radius of the waves, and height of the shapes.
R_MIN, HEIGHT = 0.012, 0.7
# Compression of plane and cone; distance by which the cylinder's top edge is turned, relative to the height.
COMPRESSION, TWIST = 1.15, 0.6
# Number of steps of 1/30 s.
FRAMES = 60


@dataclass(frozen=True)
class Shape:
    """A mesh at rest and in its compressed state.

    Attributes
    ----------
    title : str
    faces : (T, 3) int32
    rest, moved : (V, 3) float32, mesh units
    projection : Projection
    """

    title: str
    faces: Int32
    rest: Float32
    moved: Float32
    projection: Projection

    def settle(self) -> WaveFrame:
        """Return the waves after the compressed shape has been constant for two seconds."""
        field = WaveField(
            Topology(self.faces, len(self.rest)), self.rest, r_min=R_MIN, irregularity=0.0, gain=1.0, slack=0.0
        )
        for _ in range(FRAMES):
            frame = field.step(self.moved)
        return frame


def _grid(rows: int, columns: int, *, closed: bool) -> tuple[NDArray[np.float64], NDArray[np.float64], Int32]:
    """Return u and v in [0, 1] of each vertex of a grid, and its faces; `closed` joins last and first column."""
    across = columns if closed else columns + 1
    v, u = np.mgrid[0 : rows + 1, 0:across]
    r, c = np.mgrid[0:rows, 0:columns]
    a, b = r * across + c, r * across + (c + 1) % across
    faces = np.stack([np.stack([a, b, a + across], -1), np.stack([b, b + across, a + across], -1)], 2)
    return u.ravel() / columns, v.ravel() / rows, faces.reshape(-1, 3).astype(np.int32)


def _tube(bottom: float, top: float, *, twist: float, press: float, title: str) -> Shape:
    """Return a tube from its radii. Its top is turned by `twist` (along the bottom's circle), its height / `press`."""
    u, v, faces = _grid(18, 24, closed=True)
    radius, angle = bottom + (top - bottom) * v, -2 * np.pi * u

    def placed(turn: float, height: float) -> Float32:
        around = angle + turn * v
        points = np.stack([radius * np.cos(around), height * HEIGHT * v, radius * np.sin(around)], 1)
        return points.astype(np.float32)

    return Shape(title, faces, placed(0.0, 1.0), placed(twist / bottom, 1.0 / press), Projection(20.0, 12.0))


def shapes() -> list[Shape]:
    """Return the three compressed shapes."""
    u, v, faces = _grid(16, 16, closed=False)
    flat = HEIGHT * np.stack([u, v, np.zeros_like(u)], 1)
    axis = np.array([np.cos(0.6), np.sin(0.6), 0.0])
    moved = flat - np.outer(flat @ axis, axis) * (1 - 1 / COMPRESSION)
    plane = Shape("plane, pressed at 34°", faces, flat.astype(np.float32), moved.astype(np.float32), Projection(0, 0))
    cylinder = _tube(0.16, 0.16, twist=TWIST * HEIGHT, press=1.0, title="cylinder, twisted")
    cone = _tube(0.28, 0.05, twist=0.0, press=COMPRESSION, title="cone, pressed along its axis")
    return [plane, cylinder, cone]


def draw() -> Drawing:
    """Draw the fine mesh of each shape."""
    figure = canvas(10, 4.2)
    gains = []
    for axes, shape in zip(panels(figure, 1, 3)[0], shapes(), strict=True):
        frame = shape.settle()
        fine = displace(frame, base="flat", edge_length=0.5 * R_MIN)
        show_cloth(axes, fine.positions, fine.faces, projection=shape.projection)
        axes.set_title(shape.title)
        gains.append(float(frame.area_gains.mean()))
    seen = (
        "One plane wave on the plane; diagonal folds on the twisted cylinder; rings on the cone. "
        f"The folds add {gains[0]:.1%}, {gains[1]:.1%} and {gains[2]:.1%} of area."
    )
    return Drawing(figure, seen, f"r_min {R_MIN:g}, wavelength 7 r_min, gain 1, no irregularity")
