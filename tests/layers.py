"""Test layers whose values are given by formulas: waves as heights, and an arch as a fine shape."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from cloth_meshes import grid
from ruckle import Topology

Array = NDArray[Any]

COLUMNS, ROWS = 8, 6
SIZE, NUMBER = 0.02, 3.0
RADIUS = 40.0


class Given:
    """A layer that returns the same given frame in each step."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def step(self, positions: Any, dt: float = 1 / 30) -> Any:
        return self.frame

    def reset(self) -> None:
        pass


class Waves(ruckle.HeightFrame):
    """Heights SIZE sin(NUMBER x + phase)."""

    phase = 0.0

    def heights(self, faces: Array, barycentric: Array) -> tuple[Array, Array]:
        x = NUMBER * self.points(faces, barycentric)[:, 0] + self.phase
        return SIZE * np.sin(x), SIZE * NUMBER * np.cos(x)[:, None] * [1.0, 0.0, 0.0]


class WavesLayer:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.time = 0.0
        self.seen: list[Any] = []

    def step(self, positions: Array, dt: float = 1 / 30, *, remaining: Array | None = None) -> Waves:
        frame = Waves(positions, self.topology, length_unit=0.4)
        frame.phase = self.time
        self.time += dt
        self.seen.append(remaining)
        return frame

    def reset(self) -> None:
        self.time = 0.0


class Bent(ruckle.ShapeFrame):
    """A shape frame. The function `placed` moves the points of the coarse triangles to the fine vertices."""

    placed: Any
    mesh: ruckle.RefinedMesh

    @property
    def shape(self) -> ruckle.FineShape:
        corners = self.positions[self.topology.faces[self.mesh.coarse_faces]]
        flat = np.einsum("nk,nkc->nc", self.mesh.barycentric, corners)
        return ruckle.FineShape(self.placed(flat).astype(np.float32), self.mesh)


class BentLayer:
    """A layer with a shape. A given function moves the points (N, 3) of the flat cloth."""

    def __init__(self, topology: Topology, placed: Any, mesh: ruckle.RefinedMesh | None = None) -> None:
        self.topology, self.placed = topology, placed
        self.mesh = refined(topology) if mesh is None else mesh
        self.bones: Any = None

    def step(self, positions: Array, dt: float = 1 / 30, *, bones: Any = None) -> Bent:
        frame = Bent(positions, self.topology, length_unit=0.25)
        frame.placed, frame.mesh, self.bones = self.placed, self.mesh, bones
        return frame

    def reset(self) -> None:
        self.bones = None


def arch(flat: Array) -> Array:
    """Return the points (N, 3) of a flat sheet, rolled around an axis along y.

    Lengths along the sheet do not change.
    """
    angle = flat[:, 0] / RADIUS
    return np.stack([RADIUS * np.sin(angle), flat[:, 1], RADIUS * (np.cos(angle) - 1.0)], axis=1)


def stretched(flat: Array) -> Array:
    return flat * [1.5, 1.0, 1.0]


def sheet() -> tuple[Array, Topology]:
    positions, faces = grid(COLUMNS, ROWS)
    return positions, Topology(faces, len(positions))


def refined(topology: Topology, level: int = 4) -> ruckle.RefinedMesh:
    """Return a fine mesh of the sheet in which each coarse edge has `level` parts."""
    positions = np.random.default_rng(0).random((topology.vertex_count, 3))
    levels = np.full(topology.edge_count, level)
    fine = ruckle.displace(ruckle.CoarseFrame(positions, topology), base="flat", edge_levels=levels)
    return ruckle.RefinedMesh(fine.faces, fine.coarse_faces, fine.barycentric)
