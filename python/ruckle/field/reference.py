"""Keep a reference triangle for every triangle, which follows the animation (thesis 4.2)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import number
from ruckle.arrays import Float32, float32, labels_uint8
from ruckle.field.parameters import PARAMETERS

__all__ = ["update_reference"]


def update_reference(
    reference: ArrayLike,
    current: ArrayLike,
    labels: ArrayLike,
    *,
    relaxation: float = PARAMETERS["relaxation"].default,
    dt: float = 1.0 / 30.0,
) -> Float32:
    """Adapt the reference triangles to a new frame (thesis 4.2).

    Stretch: the reference becomes the current triangle if both principal stretches exceed 1. Compression: it relaxes
    toward the current triangle, B inv((1 - ρ) Σ + ρ I) Aᵀ current with F = A Σ Bᵀ. Rest: unchanged.

    Parameters
    ----------
    reference, current : (T, 2, 2) float, mesh units
        Edge matrices.
    labels : (T,) int
        0 compression, 1 rest, 2 stretch.
    relaxation : float, in [0, 1]
        ρ per 1/30 s.
    dt : float, seconds
        Time since the previous frame: ρ = 1 - (1 - relaxation)^(30 dt).

    Returns
    -------
    (T, 2, 2) float32, mesh units
        Edge matrices of the new reference triangles.

    Raises
    ------
    ValueError
        Unequal numbers of triangles, a label above 2, `relaxation` or `dt` out of range.
    """
    return _core.update_reference(
        float32("reference", reference),
        float32("current", current),
        labels_uint8("labels", labels),
        relaxation=number("relaxation", relaxation),
        dt=number("dt", dt),
    )
