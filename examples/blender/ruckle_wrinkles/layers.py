# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers of a garment: wrinkle paths, waves, and a picture of folds, each upon the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import FineMesh, Library, Modulator, PatternGrid, Waves, Wrinkler

Array = NDArray[Any]

# Most parts of an edge: the library's limit.
MOST_PARTS = 64

# Limits of the largest slope: the library needs more than 0, and takes 10 at most.
LEAST_SLOPE, STEEPEST = 1e-3, 10.0

# Factor of the parts of edges until the mesh has few enough vertices.
COARSER = 0.95

# Length of the waves that were not set, in least radii: the library's default.
WAVE_LENGTH = 7.0


@dataclass(frozen=True)
class Picture:
    """A picture of folds.

    Attributes
    ----------
    values : bytes
        float32 heights, row by row from below.
    width : int
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
    """Values of the panel.

    Attributes
    ----------
    r_min : float
        Least radius of a wrinkle, in units of the world.
    paths, waves : bool
        The layers.
    picture : Picture, optional
        Folds of the third layer.
    amplitude : float
        Strength of all layers.
    tau : float
        Compression above which wrinkle paths form.
    wavelength : float
        Distance of two waves, in units of the world; 0 for 7 least radii.
    steepest : float
        Largest slope of waves and pictures at strength 1; 0 for the library's default.
    seed : int
    detail : float
        Length of fine edges, in least radii.
    most_vertices : int
        Fine edges become longer if the mesh would have more vertices than this, about; 0 for no limit.
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


class Layers:
    """The layers of a look on one mesh. Cloth that a layer takes up is not folded again by the next one.

    Parameters
    ----------
    library : Library
    faces : (T, 3) int32, welded
    rest : (V, 3) float32
        The cloth at rest: the bind pose, or the first frame.
    look : Look
    bind : bool
        `rest` is a bind pose, from which paths measure compression too.
    uv : (T, 3, 2) float32, optional
        Texture coordinates of the picture.
    """

    def __init__(
        self, library: Library, faces: Array, rest: Array, look: Look, *, bind: bool, uv: Array | None
    ) -> None:
        options = library.default_options()
        options.r_min, options.amplitude = look.r_min if look.paths else 0.0, look.amplitude
        options.tau, options.seed = look.tau, look.seed
        self._paths = Wrinkler(library, faces, len(rest), options)
        if bind:
            self._paths.set_rest(rest)
        options.r_min = 0.0
        self._bare = Wrinkler(library, faces, len(rest), options)
        self._look = look
        # areas need no more than this
        self._levels = fine_levels(rest, self._paths, replace(look, detail=2.0, most_vertices=0))
        self._fine: tuple[Look | None, Array] = None, self._levels
        self._others: list[Waves | Modulator] = []
        if look.waves:
            self._others.append(Waves(library, faces, rest, _wave_options(library, look)))
        if look.picture is not None:
            if uv is None:
                raise ValueError("Picture of folds: expected a mesh with a UV map, found none")
            self._others.append(_modulator(library, faces, rest, look, look.picture, uv))

    def step(self, positions: Array, dt: float) -> None:
        """Take the next frame: positions (V, 3) float32, seconds since the one before."""
        self._paths.step(positions, dt)
        for number, layer in enumerate(self._others):
            layer.step(positions, dt, self._left_by(number, positions))

    def levels(self, mesh: Array, look: Look) -> Array:
        """Return the parts (E,) int32 of each edge of the mesh (V, 3) for a look that may differ in detail."""
        if self._fine[0] != look:
            self._fine = look, fine_levels(mesh, self._paths, look)
        return self._fine[1]

    def displace(self, positions: Array, levels: Array) -> FineMesh:
        """Return the fine mesh of the last frame."""
        return self._paths.displace(positions, levels, [layer.heights(positions) for layer in self._others])

    def base(self, positions: Array, levels: Array) -> FineMesh:
        """Return the same mesh without wrinkles."""
        self._bare.step(positions, 1.0)
        return self._bare.displace(positions, levels)

    def reset(self) -> None:
        """Forget every frame."""
        for layer in (self._paths, *self._others):
            layer.reset()

    def state(self) -> tuple[bytes, ...]:
        """Return the state of each layer."""
        return tuple(layer.state() for layer in (self._paths, *self._others))

    def restore(self, state: Sequence[bytes]) -> None:
        """Continue from states."""
        for layer, part in zip((self._paths, *self._others), state, strict=True):
            layer.restore(part)

    def _left_by(self, number: int, positions: Array) -> Array | None:
        """Return the share (T,) of each triangle that the layers before leave; None if they leave all of it."""
        if number == 0 and not self._look.paths:
            return None
        sources = [layer.heights(positions) for layer in self._others[:number]]
        raised = self._paths.displace(positions, self._levels, sources)
        count = int(raised.face_coarse_faces.max()) + 1
        flat, high = (
            np.bincount(fine.face_coarse_faces, _areas(fine), count)
            for fine in (self.base(positions, self._levels), raised)
        )
        return np.clip(flat / np.maximum(high, 1e-30), 1e-3, 1.0).astype(np.float32)


def _areas(fine: FineMesh) -> Array:
    """Return twice the areas of the fine faces (M,); faster than np.cross."""
    a, b, c = (fine.positions[fine.faces[:, k]].T for k in range(3))
    (ux, uy, uz), (vx, vy, vz) = b - a, c - a
    result: Array = np.sqrt((uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2)
    return result


def _wave_options(library: Library, look: Look) -> Any:
    options = library.default_options("ruckle_waves", "ruckle_wave_options")
    options.r_min, options.wavelength = look.r_min, look.wavelength or WAVE_LENGTH * look.r_min
    options.gain, options.steepest = look.amplitude * options.gain, _steepest(look, options)
    options.seed = look.seed
    return options


def _steepest(look: Look, options: Any) -> float:
    """Return the largest slope; without a factor, the limit would undo a greater strength."""
    return min(max(look.amplitude * (look.steepest or options.steepest), LEAST_SLOPE), STEEPEST)


def _modulator(library: Library, faces: Array, rest: Array, look: Look, picture: Picture, uv: Array) -> Modulator:
    grid = PatternGrid(library, faces, rest, (look.wavelength or WAVE_LENGTH * look.r_min) / 8.0)
    heights = picture.sample(np.einsum("nk,nkc->nc", grid.barycentric, uv[grid.faces]))
    options = library.default_options("ruckle_modulator", "ruckle_modulator_options")
    options.scale, options.steepest, options.r_min = look.amplitude, _steepest(look, options), look.r_min
    # only the shape of a pattern matters, and its mean would raise the whole cloth
    return Modulator(grid, heights - heights.mean(dtype=np.float32), options)


def fine_levels(rest: Array, wrinkler: Wrinkler, look: Look) -> Array:
    """Return the parts (E,) int32 of each edge: as fine as the detail, or coarser to limit the vertices."""
    ends = rest[wrinkler.edges]
    wanted = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / (look.detail * look.r_min)
    levels = np.clip(np.ceil(wanted), 1, MOST_PARTS)
    # measured on garments: equal edges would need n² / 2 vertices
    while look.most_vertices and levels.max() > 1:
        if 0.7 * (levels[wrinkler.face_edges].max(axis=1) ** 2).sum() <= look.most_vertices:
            break
        wanted *= COARSER
        levels = np.clip(np.ceil(wanted), 1, MOST_PARTS)
    return levels.astype(np.int32)
