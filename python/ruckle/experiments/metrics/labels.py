"""Quality of labelings: boundaries between labels, changes over time, and excess of the energy over the optimum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle._core import Topology
from ruckle.field.label import PAIRWISE, Labeling, solve_labels

__all__ = ["energy_gap", "label_boundaries", "label_changes", "label_shares"]


def _checked(labels: ArrayLike) -> NDArray[np.uint8]:
    array = np.asarray(labels)
    if array.ndim not in (1, 2) or array.dtype.kind not in "iu":
        raise ValueError(f"labels: expected integers of shape (T,) or (F, T), got {array.dtype} {array.shape}")
    return array.astype(np.uint8, copy=False)


def label_shares(labels: ArrayLike) -> tuple[float, float, float]:
    """Return the fractions of triangles with the labels compression, rest and stretch.

    Parameters
    ----------
    labels : (T,) or (F, T) int

    Returns
    -------
    compression, rest, stretch : float
        Fractions whose sum is 1.
    """
    array = _checked(labels)
    counts = np.bincount(array.ravel(), minlength=3) / max(array.size, 1)
    return float(counts[0]), float(counts[1]), float(counts[2])


def label_boundaries(labels: ArrayLike, topology: Topology) -> float:
    """Return the number of label boundaries per triangle; spatial smoothness reduces this number (thesis 8.3).

    Parameters
    ----------
    labels : (T,) or (F, T) int
    topology : Topology

    Returns
    -------
    float
        Number of inner edges between triangles with different labels, divided by T; mean over frames.
    """
    array = np.atleast_2d(_checked(labels))
    inner = topology.edge_faces[topology.edge_faces[:, 1] >= 0]
    return float((array[:, inner[:, 0]] != array[:, inner[:, 1]]).sum(axis=1).mean() / array.shape[1])


def label_changes(labels: ArrayLike) -> float:
    """Return the number of label changes per triangle and frame; temporal smoothness reduces it (thesis 8.4).

    Parameters
    ----------
    labels : (F, T) int

    Returns
    -------
    float
        Changes per triangle and frame; 0 for a single frame.
    """
    array = np.atleast_2d(_checked(labels))
    return float((array[1:] != array[:-1]).mean()) if len(array) > 1 else 0.0


def energy_gap(
    labeling: Labeling,
    costs: ArrayLike,
    topology: Topology,
    *,
    previous: ArrayLike | None = None,
    pairwise: ArrayLike = PAIRWISE,
) -> float:
    """Return the relative excess of a labeling's energy over the minimum energy, for one frame (thesis 4.3).

    Parameters
    ----------
    labeling : Labeling
        Labels and energy of one frame, from any method.
    costs : (T, 3) float
        Unary costs from which the labeling was computed.
    topology : Topology
    previous : (T,) int, optional
        Labels of the previous frame, if the labeling had temporal costs.
    pairwise : (3, 3) float
        Pairwise costs that allow the exact method.

    Returns
    -------
    float
        Excess divided by the minimum energy; 0 for an optimal labeling. If the minimum is not above 0, the excess.

    Raises
    ------
    ValueError
        The pairwise costs do not allow the exact method.
    """
    best = solve_labels(costs, topology, previous=previous, pairwise=pairwise, method="exact").energy
    excess = labeling.energy - best
    return excess / best if best > 0.0 else max(excess, 0.0)
