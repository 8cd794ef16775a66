"""A flat triangle mesh under a uniform compression field, for figures 5.3, 7.1 and 7.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ruckle.arrays import Float32
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.mesh.geometry import edge_lengths
from ruckle.mesh.topology import Topology

__all__ = ["Sheet", "compressed_sheet", "flat_sheet"]

CELLS = 8
ROW_HEIGHT = 0.9


@dataclass(frozen=True, eq=False)
class Sheet:
    """A mesh of nearly equilateral triangles with edges of about one mesh unit; positions (V, 3)."""

    topology: Topology
    positions: Float32

    @property
    def mean_edge(self) -> float:
        """Mean edge length, mesh units."""
        return float(edge_lengths(self.positions, self.topology.edges).mean())


def flat_sheet(cells: int = CELLS) -> Sheet:
    """Return a sheet of cells x cells pairs of triangles; every other row is shifted by half a cell."""
    side = cells + 1
    y, x = np.mgrid[0:side, 0:side].astype(float)
    positions = np.stack([(x + 0.5 * (y % 2)).ravel(), ROW_HEIGHT * y.ravel(), np.zeros(side * side)], axis=1)
    corner = (np.arange(cells)[:, None] * side + np.arange(cells)).ravel()
    odd = np.repeat(np.arange(cells) % 2 == 1, cells)
    lower = np.stack([corner, corner + 1, np.where(odd, corner + side + 1, corner + side)], axis=1)
    upper = np.stack([np.where(odd, corner, corner + 1), corner + side + 1, corner + side], axis=1)
    return Sheet(Topology(np.concatenate([lower, upper]), side * side), positions.astype(np.float32))


def compressed_sheet(sheet: Sheet, angle: float, amount: float = 1.6) -> Stretch:
    """Return the stretch of a sheet that was compressed by a factor `amount` along an axis at `angle` degrees to x."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    before = sheet.positions @ (turn @ np.diag([amount, 1.0, 1.0]) @ turn.T).T
    faces = sheet.topology.faces
    return stretch(edge_matrices(before, faces), edge_matrices(sheet.positions, faces))
