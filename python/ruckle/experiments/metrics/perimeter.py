"""Length of the cross-sections of wrinkles, compared with the length that the cloth has lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.paths.frame import Wrinkle
from ruckle.paths.shape import cross_section

__all__ = ["perimeter_ratio"]

# Samples over a half width: the polyline through them is shorter than the curve by less than 1e-5.
_SAMPLES = 256


def perimeter_ratio(wrinkle: Wrinkle) -> NDArray[np.float64]:
    """Return the length of the cross-section at each vertex over the wrinkle's perimeter: 1 if length is conserved.

    The cross-section is measured as a polyline, not by the formula that made its height (thesis 6). A wrinkle that is
    fading in or out, and a vertex whose height is held back so that it does not jump, fall short of 1.

    Parameters
    ----------
    wrinkle : Wrinkle
        A wrinkle of n vertices.

    Returns
    -------
    (n,) float64
    """
    u = np.linspace(0.0, 1.0, _SAMPLES + 1)
    bump = cross_section(u).astype(np.float64)
    across = 0.5 * wrinkle.width.astype(np.float64)[:, None] * np.diff(u)
    up = wrinkle.height.astype(np.float64)[:, None] * np.diff(bump)
    return np.asarray(2.0 * np.hypot(across, up).sum(axis=1) / wrinkle.perimeter)
