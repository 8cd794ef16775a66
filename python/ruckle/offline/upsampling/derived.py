"""Coarse frames derived from fine ones, for fine caches that come without coarse cloth.

A fine simulation without its coarse cloth can be learnt from with these instead of simulated coarse frames. In the game
the coarse cloth then moves a little differently, and the learnt model fits it less well: simulate pairs if you can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ruckle.arguments import positive_number, whole_number
from ruckle.arrays import Float32, float32
from ruckle.offline.simulation.tracking import cotangent_stiffness
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.harmonics import Harmonics

__all__ = ["derive_coarse"]


def derive_coarse(
    garment: Garment, harmonics: Harmonics, fine: ArrayLike, *, tests: int = 60, smoothness: float = 1e-6
) -> Float32:
    """Return coarse frames (F, M, 3) float32, metres, whose lowest harmonics are those of fine ones.

    Minimises ‖T (B p - p_f)‖² + ε ‖C p‖²: T are the lowest harmonics, B the linear map, C the stiffness of the coarse
    mesh, which determines the part that the harmonics do not. One factorisation serves all frames.

    Parameters
    ----------
    garment : Garment
    harmonics : Harmonics
        Harmonics of its fine mesh.
    fine : (F, N, 3) float, metres
    tests : int
        How many harmonics.
    smoothness : float
        ε, as a share of the weight of the harmonics; above 0.

    Raises
    ------
    ValueError
        Frames of another mesh, or a number out of its range.
    """
    frames = float32("fine", fine)
    if frames.ndim != 3 or frames.shape[1:] != (garment.fine_count, 3) or not np.isfinite(frames).all():
        raise ValueError(f"fine: expected finite frames of {garment.fine_count} vertices, got shape {frames.shape}")
    count, weight = whole_number("tests", tests, 1, harmonics.count), positive_number("smoothness", smoothness)
    moments = (harmonics.vectors[:, :count] * harmonics.areas[:, None]).T
    known = moments @ garment.linear_map.toarray()
    stiffness = cotangent_stiffness(garment.coarse_rest, garment.coarse_faces).toarray()
    bent = stiffness.T @ stiffness
    normal = known.T @ known
    normal += weight * np.trace(normal) / np.trace(bent) * bent
    # relative to their centres, for the digits of single precision
    center = frames.mean(axis=1, dtype=np.float64, keepdims=True)
    wanted = np.einsum("rn,fnx->rfx", moments, frames - center, optimize=True)
    found = np.linalg.solve(normal, known.T @ wanted.reshape(count, -1)).reshape(-1, len(frames), 3)
    return float32("coarse", found.transpose(1, 0, 2) + center)
