# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers of a garment in this order: wrinkle paths, waves, and folds from a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import LayeredGarment, Library, Modulator, PatternGrid

Array = NDArray[Any]

# Largest number of parts into which an edge is divided: the limit of the library.
MOST_PARTS = 64

# Smallest and largest value of the option `steepest`: the library accepts values above 0, up to 10.
LEAST_SLOPE, STEEPEST = 1e-3, 10.0

# Factor on the subdivision of edges, applied until the mesh has few enough vertices.
COARSER = 0.95

# Default wavelength as a multiple of r_min, as in the library.
WAVE_LENGTH = 7.0


@dataclass(frozen=True)
class Picture:
    """A picture of folds.

    Attributes
    ----------
    values : bytes
        float32 heights, row by row from bottom to top.
    width : int
        Pixels per row.
    """

    values: bytes
    width: int

    def sample(self, uv: Array) -> Array:
        """Return heights (N,) at texture coordinates (N, 2), interpolated between pixels; the picture repeats."""
        pixels = np.frombuffer(self.values, np.float32).reshape(-1, self.width)
        size = np.array([self.width, len(pixels)])
        place = uv * size - 0.5
        low = np.floor(place).astype(int)
        share = place - low
        found = np.zeros(len(uv))
        for dx in (0, 1):
            for dy in (0, 1):
                x, y = ((low + np.array([dx, dy])) % size).T
                weights = np.abs(1 - dx - share[:, 0]) * np.abs(1 - dy - share[:, 1])
                found += weights * pixels[y, x]
        return found.astype(np.float32)


@dataclass(frozen=True)
class Look:
    """The values of the panel that determine the wrinkles and the fine mesh.

    Attributes
    ----------
    r_min : float
        Minimum radius of a wrinkle, in units of the world.
    paths, waves : bool
        True if the garment has this layer.
    picture : Picture, optional
        Height map of the third layer.
    amplitude : float
        Factor on the heights of all layers.
    tau : float
        Compression above which wrinkle paths form.
    wavelength : float
        Distance between two waves, in units of the world; 0 for 7 `r_min`.
    steepest : float
        Largest slope of waves and pictures at strength 1; 0 for the library's default.
    seed : int
    detail : float
        Length of fine edges as a multiple of `r_min`.
    most_vertices : int
        Approximate limit of the number of fine vertices; fine edges become longer to satisfy it. 0 for no limit.
    """

    r_min: float
    paths: bool = True
    waves: bool = False
    picture: Picture | None = None
    amplitude: float = 1.0
    tau: float = 1.4
    wavelength: float = 0.0
    steepest: float = 0.0
    seed: int = 0
    detail: float = 1.0
    most_vertices: int = 0


def make_layers(
    library: Library, faces: Array, rest: Array, look: Look, mask: Array | None, uv: Array | None
) -> LayeredGarment:
    """Create the layers of a look on a mesh.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32
    rest : (V, 3) float32
        The uncompressed cloth.
    look : Look
    mask : (V,) float32, in [0, 1], optional
        Multiplies the heights.
    uv : (T, 3, 2) float32, optional
        Texture coordinates of the picture.
    """
    paths = library.default_options()
    paths.r_min, paths.amplitude, paths.tau, paths.seed = look.r_min, look.amplitude, look.tau, look.seed
    waves = _wave_options(library, look) if look.waves else None
    made = LayeredGarment(library, rest, faces, paths if look.paths else None, waves, mask)
    if look.picture is not None:
        if uv is None:
            raise ValueError("Picture of folds: expected a mesh with a UV map, found none")
        made.set_pattern(_modulator(library, made.faces, rest, look, mask, uv))
    return made


def _wave_options(library: Library, look: Look) -> Any:
    options = library.default_options("ruckle_waves", "ruckle_wave_options")
    options.r_min, options.wavelength = look.r_min, look.wavelength or WAVE_LENGTH * look.r_min
    options.gain, options.steepest = look.amplitude * options.gain, _steepest(look, options)
    options.seed = look.seed
    return options


def _steepest(look: Look, options: Any) -> float:
    """Return the largest slope. It is proportional to the strength; a constant limit would undo a greater strength."""
    return min(max(look.amplitude * (look.steepest or options.steepest), LEAST_SLOPE), STEEPEST)


def _modulator(library: Library, faces: Array, rest: Array, look: Look, mask: Array | None, uv: Array) -> Modulator:
    assert look.picture is not None
    grid = PatternGrid(library, faces, rest, (look.wavelength or WAVE_LENGTH * look.r_min) / 8.0)
    heights = look.picture.sample(np.einsum("nk,nkc->nc", grid.barycentric, uv[grid.faces]))
    options = library.default_options("ruckle_modulator", "ruckle_modulator_options")
    options.scale, options.steepest, options.r_min = look.amplitude, _steepest(look, options), look.r_min
    # subtracts the mean of the heights, which would raise the whole cloth
    return Modulator(grid, heights - heights.mean(dtype=np.float32), mask, options)


def fine_levels(rest: Array, garment: LayeredGarment, look: Look) -> Array:
    """Return the number of parts (E,) int32 of each edge, from the level of detail and the limit of vertices."""
    ends = rest[garment.edges]
    wanted = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / (look.detail * look.r_min)
    levels = np.clip(np.ceil(wanted), 1, MOST_PARTS)
    # n: largest number of parts of a face's edges. Measured on garments, a face has about 0.7 n² fine vertices; if all
    # its edges had n parts, it would have n² / 2
    while look.most_vertices and levels.max() > 1:
        if 0.7 * (levels[garment.face_edges].max(axis=1) ** 2).sum() <= look.most_vertices:
            break
        wanted *= COARSER
        levels = np.clip(np.ceil(wanted), 1, MOST_PARTS)
    return levels.astype(np.int32)
