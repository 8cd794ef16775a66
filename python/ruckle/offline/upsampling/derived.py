"""Coarse frames computed from fine frames, for fine simulations without coarse cloth.

A model can be trained with these frames in place of simulated coarse frames. However, the coarse cloth of the game then
moves slightly differently, so the model fits less well. Simulated pairs give better models.
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
    """Return coarse frames (F, M, 3) float32 whose lowest harmonics equal those of fine frames, metres.

    Harmonics are Laplacian eigenvectors of the fine mesh. The coarse vertices p of each frame minimise
    ‖T (B p - p_f)‖² + ε ‖C p‖², with the fine vertices p_f, the lowest harmonics T, the linear map B, and the stiffness
    C of the coarse mesh. The second term determines the part of p outside the harmonics. All frames share one
    factorisation.

    Parameters
    ----------
    garment : Garment
    harmonics : Harmonics
        Harmonics of the garment's fine mesh.
    fine : (F, N, 3) float, metres
    tests : int
        Number of harmonics that are matched.
    smoothness : float
        ε, relative to the weight of the harmonics; above 0.

    Raises
    ------
    ValueError
        Frames have another number of vertices than the fine mesh, or a number is out of range.
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
    # relative to the centre of each frame, because float32 has limited precision
    center = frames.mean(axis=1, dtype=np.float64, keepdims=True)
    wanted = np.einsum("rn,fnx->rfx", moments, frames - center, optimize=True)
    found = np.linalg.solve(normal, known.T @ wanted.reshape(count, -1)).reshape(-1, len(frames), 3)
    return float32("coarse", found.transpose(1, 0, 2) + center)
