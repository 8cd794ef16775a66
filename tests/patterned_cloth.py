"""Sheets of cloth with wave patterns, for the tests of patterns."""

import numpy as np

from meshes import Float64, Mesh, grid, scattered
from ruckle import Modulator, Pattern, PatternGrid, function_pattern

WAVELENGTH = 2.0


def sheet(rows: int = 9, columns: int = 9) -> Mesh:
    """Return a flat sheet. Neighbouring vertices have a distance of one unit."""
    return grid(rows, columns)


def grid_of(mesh: Mesh, parts: int = 8) -> PatternGrid:
    """Return a pattern grid that divides each edge of a mesh into the same number of parts."""
    topology = mesh.topology
    return PatternGrid(topology, mesh.positions, edge_parts=np.full(topology.edge_count, parts))


def mixed_grid(seed: int = 0) -> PatternGrid:
    """Return a pattern grid on an irregular sheet. Each edge is divided into 1, 2, 4 or 8 parts at random."""
    mesh = scattered(seed)
    topology = mesh.topology
    parts = 2 ** np.random.default_rng(seed).integers(0, 4, topology.edge_count)
    return PatternGrid(topology, mesh.positions, edge_parts=parts)


def waves(on: PatternGrid, angle: float = 0.0, *, wavelength: float = WAVELENGTH, amplitude: float = 1.0) -> Pattern:
    """Return a pattern of sine waves in the xy plane.

    Their height changes in the direction at `angle` (radians) to the x axis.
    """
    turn = 2 * np.pi / wavelength
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    return function_pattern(on, lambda points, _: amplitude * np.sin(turn * points @ axis), name=f"at {angle:.2f}")


def zigzag(on: PatternGrid) -> Pattern:
    """Return a triangle wave along x with period 1. Its slope is 1 or -1."""
    return function_pattern(on, lambda points, _: abs((points[:, 0] + 0.5) % 1.0 - 0.5), name="zigzag")


def crossed(on: PatternGrid) -> list[Pattern]:
    """Return two wave patterns, one along x and one along y."""
    return [waves(on), waves(on, np.pi / 2)]


def squeezed(positions: Float64, x: float = 1.0, y: float = 1.0) -> Float64:
    return positions * [x, y, 1.0]


def settled(patterns: list[Pattern], positions: Float64, **options: float) -> Float64:
    """Return the factors (V, K) of the patterns after one step at `positions`, without slack."""
    return Modulator(patterns, **{"slack": 0.0, **options}).step(positions).factors.astype(np.float64)
