"""Updates the reference shape of every triangle during the animation (thesis 4.2)."""

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
    """Update the reference triangles for a new frame (thesis 4.2).

    If the label is stretch and both principal stretches are above 1, the current triangle becomes the reference. If the
    label is compression, the reference moves toward the current triangle: B inv((1 - ρ) Σ + ρ I) Aᵀ current with F = A
    Σ Bᵀ. If the label is rest, the reference does not change.

    Parameters
    ----------
    reference, current : (T, 2, 2) float, mesh units
        Edge matrices of the reference triangles and of the current triangles.
    labels : (T,) int
        0 compression, 1 rest, 2 stretch.
    relaxation : float, in [0, 1]
        ρ for a time step of 1/30 s.
    dt : float, seconds
        Time since the previous frame. ρ = 1 - (1 - relaxation)^(30 dt).

    Returns
    -------
    (T, 2, 2) float32, mesh units
        Edge matrices of the new reference triangles.

    Raises
    ------
    ValueError
        Numbers of triangles differ, an entry is not finite, a label is above 2, or `relaxation` or `dt` is out of its
        range.
    """
    return _core.update_reference(
        float32("reference", reference),
        float32("current", current),
        labels_uint8("labels", labels),
        relaxation=number("relaxation", relaxation),
        dt=number("dt", dt),
    )
