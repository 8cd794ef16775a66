# SPDX-License-Identifier: GPL-3.0-or-later
"""One garment: its wrinkles in every frame that was seen, and the fine mesh of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import FineMesh, Library, Wrinkler

Array = NDArray[Any]

# Most parts of an edge: the library's limit.
MOST_PARTS = 64


@dataclass(frozen=True)
class Look:
    """Values of the panel.

    Attributes
    ----------
    r_min : float
        Least radius of a wrinkle, in the unit of the mesh.
    amplitude : float
        Factor of the height that keeps the length of the cloth.
    tau : float
        Compression above which wrinkles form.
    seed : int
    detail : float
        Length of fine edges, in least radii.
    """

    r_min: float
    amplitude: float = 1.0
    tau: float = 1.4
    seed: int = 0
    detail: float = 1.0


class Garment:
    """A mesh and its wrinkles. Frames may come in any order: a frame continues from the one before, if that is known.

    Parameters
    ----------
    library : Library
    positions : (V, 3) float32
        Positions of the mesh without modifiers.
    faces : (T, 3) int32
    look : Look
    mask : (V,) float32, in [0, 1], optional
        Multiplies the heights.

    Raises
    ------
    ValueError
        The mesh or an option is wrong; the message is the library's sentence.
    """

    def __init__(self, library: Library, positions: Array, faces: Array, look: Look, mask: Array | None = None) -> None:
        self.faces = library.weld(positions, faces)
        options = library.default_options()
        options.r_min, options.amplitude = look.r_min, look.amplitude
        options.tau, options.seed = look.tau, look.seed
        self._wrinkler = Wrinkler(library, self.faces, len(positions), options)
        self._mask, self._bare = mask, None
        if mask is not None:
            options.amplitude = 0.0
            # the same faces without heights: the mask blends between them and the wrinkles
            self._bare = Wrinkler(library, self.faces, len(positions), options)
        ends = positions[self._wrinkler.edges]
        lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        self._levels = np.clip(np.ceil(lengths / (look.detail * look.r_min)), 1, MOST_PARTS).astype(np.int32)
        self._states: dict[int, bytes] = {}
        self._at: int | None = None

    def frame(self, number: int, positions: Array, dt: float) -> FineMesh:
        """Return the fine mesh of a frame: its number, positions (V, 3) float32, and seconds since the one before."""
        if number in self._states:
            self._go_to(number)
        else:
            if number - 1 in self._states:
                self._go_to(number - 1)
            else:
                # the motion before this frame is unknown
                self._wrinkler.reset()
            self._wrinkler.step(positions, dt)
            self._states[number], self._at = self._wrinkler.state(), number
        fine = self._wrinkler.displace(positions, self._levels)
        return fine if self._mask is None else self._masked(fine, positions, dt)

    def _go_to(self, number: int) -> None:
        if self._at != number:
            self._wrinkler.restore(self._states[number])
            self._at = number

    def _masked(self, fine: FineMesh, positions: Array, dt: float) -> FineMesh:
        assert self._bare is not None
        assert self._mask is not None
        self._bare.step(positions, dt)
        base = self._bare.displace(positions, self._levels).positions
        corners = self._mask[self.faces[np.maximum(fine.coarse_faces, 0)]]
        weights = np.einsum("nk,nk->n", fine.barycentric, corners)[:, None]
        raised = base + weights * (fine.positions - base)
        return FineMesh(
            raised.astype(np.float32), fine.faces, fine.coarse_faces, fine.barycentric, fine.face_coarse_faces
        )


def corner_values(fine: FineMesh, coarse: Array, values: Array) -> Array:
    """Return values at corners of fine faces (M, 3, n), such as UVs, interpolated from coarse corners (T, 3, n)."""
    # a vertex may refer to a neighbouring face: weights are matched by coarse vertices
    named = coarse[fine.coarse_faces[fine.faces]]
    own = coarse[fine.face_coarse_faces]
    weights = fine.barycentric[fine.faces]
    matched = np.zeros_like(weights)
    for k in range(3):
        for j in range(3):
            matched[:, :, k] += np.where(named[:, :, j] == own[:, None, k], weights[:, :, j], np.float32(0.0))
    result: Array = np.einsum("mck,mkn->mcn", matched, values[fine.face_coarse_faces])
    return result
