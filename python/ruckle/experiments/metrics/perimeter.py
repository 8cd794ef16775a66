"""Comparison of the length of wrinkle cross-sections with the perimeter, the length of cloth across the wrinkle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.paths.frame import Wrinkle
from ruckle.paths.shape import cross_section

__all__ = ["perimeter_ratio"]

# Number of samples of a half cross-section. The polyline is then shorter than the curve by less than 0.001 %.
_SAMPLES = 256


def perimeter_ratio(wrinkle: Wrinkle) -> NDArray[np.float64]:
    """Return the length of the cross-section at each vertex, divided by the wrinkle's perimeter.

    The ratio is 1 if cloth length is conserved. The cross-section is measured as a polyline, independently of the
    formula for its height (thesis 6). The ratio is below 1 for wrinkles that fade, and for vertices whose height is
    limited to prevent jumps.

    Parameters
    ----------
    wrinkle : Wrinkle
        A wrinkle with n vertices.

    Returns
    -------
    (n,) float64
    """
    u = np.linspace(0.0, 1.0, _SAMPLES + 1)
    bump = cross_section(u).astype(np.float64)
    across = 0.5 * wrinkle.width.astype(np.float64)[:, None] * np.diff(u)
    up = wrinkle.height.astype(np.float64)[:, None] * np.diff(bump)
    return np.asarray(2.0 * np.hypot(across, up).sum(axis=1) / wrinkle.perimeter)
