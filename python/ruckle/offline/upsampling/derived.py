"""Computes coarse frames from fine ones, for fine caches without coarse cloth. Harmonics: Laplacian eigenvectors.

A model can be trained with these in place of simulated coarse frames. The coarse cloth of the game then moves slightly
differently, and the model fits it less well, so simulated pairs are better.
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
    """Return coarse frames (F, M, 3) float32, metres, with the lowest harmonics of fine ones.

    Minimises ‖T (B p - p_f)‖² + ε ‖C p‖² with the lowest harmonics T, the linear map B, and the stiffness C of the
    coarse mesh, which determines the part beyond the harmonics. One factorisation is used for all frames.

    Parameters
    ----------
    garment : Garment
    harmonics : Harmonics
        Harmonics of the garment's fine mesh.
    fine : (F, N, 3) float, metres
    tests : int
        Number of harmonics.
    smoothness : float
        ε, relative to the weight of the harmonics; above 0.

    Raises
    ------
    ValueError
        Frames belong to another mesh, or a number is out of its range.
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
    # relative to their centres, because of the limited precision of float32
    center = frames.mean(axis=1, dtype=np.float64, keepdims=True)
    wanted = np.einsum("rn,fnx->rfx", moments, frames - center, optimize=True)
    found = np.linalg.solve(normal, known.T @ wanted.reshape(count, -1)).reshape(-1, len(frames), 3)
    return float32("coarse", found.transpose(1, 0, 2) + center)
