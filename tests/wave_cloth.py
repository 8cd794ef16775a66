"""Sheets, tubes, motions and random points on triangles, for tests of waves."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshes import Float64, Int32, Mesh, grid, mesh, rolled
from ruckle import WaveField, WaveFrame

# Options without noise, fading and slack, so that the result is exactly the formula of the paper.
PLAIN: dict[str, Any] = {
    "gain": 1.0,
    "slack": 0.0,
    "steepest": 10.0,
    "irregularity": 0.0,
    "hem": 1.0,
    "hang": 0.0,
    "coherence": 0.0,
}
R_MIN = 0.01


def sheet(cells: int = 24, size: float = 0.6) -> Mesh:
    flat = grid(cells + 1, cells + 1)
    return mesh("sheet", flat.positions * size / cells, flat.faces)


def cylinder(rows: int = 24, columns: int = 24, radius: float = 0.1, height: float = 0.6) -> Mesh:
    r, c = np.mgrid[0:rows, 0:columns]
    angle = 2 * np.pi * c / columns
    points = np.stack([radius * np.cos(angle), height * r / (rows - 1), radius * np.sin(angle)], axis=-1)
    # the winding of the faces gives normals that point outward
    return mesh("cylinder", points, np.array(rolled(rows, columns, False))[:, ::-1])


def uneven(cloth: Mesh) -> Mesh:
    """Return a copy of a mesh with randomly moved vertices, so that it is not symmetric."""
    moved = cloth.positions + 0.004 * np.random.default_rng(6).normal(size=cloth.positions.shape)
    return mesh(f"uneven_{cloth.name}", moved, cloth.faces)


def waves_on(cloth: Mesh, **options: Any) -> WaveField:
    return WaveField(cloth.topology, cloth.positions, **{"r_min": R_MIN, **options})


def anywhere(cloth: Mesh, count: int = 2000) -> tuple[Int32, NDArray[np.float32]]:
    """Return random points of a mesh as face indices and barycentric coordinates."""
    random = np.random.default_rng(5)
    faces = random.integers(0, len(cloth.faces), count).astype(np.int32)
    return faces, random.dirichlet((1.0, 1.0, 1.0), count).astype(np.float32)


def settled(field: WaveField, positions: Float64, frames: int = 60) -> WaveFrame:
    """Return the last frame after `frames` steps with the same positions."""
    for _ in range(frames):
        frame = field.step(positions)
    return frame


def swinging(cloth: Mesh, seconds: float) -> Float64:
    """Return the positions of the cloth at a time in seconds of a slow swing, in which it is bent and compressed."""
    x, y, z = cloth.positions.T
    push = 0.15 * (1 - np.cos(2.0 * seconds))
    return np.stack([x * (1 - push), y + 0.1 * np.sin(1.5 * seconds + 4 * x), z + 0.2 * push * np.sin(5 * y)], axis=1)
