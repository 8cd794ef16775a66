"""Computes the stretch of every triangle (thesis 4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance
from ruckle.arrays import Float32, float32, triangles

__all__ = ["Stretch", "edge_matrices", "stretch", "stretch_arrays", "stretch_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Principal stretches of every triangle (thesis 4.1.1).

    Attributes
    ----------
    min, max : (T,) float32
        Smaller and larger principal stretch. A stretch is current length / reference length.
    compression : (T,) float32
        1 / min: 1 without compression, above 1 with compression (λ̃_min in the thesis).
    axis : (T, 2) float32
        Unit axis of the smaller stretch on the *current* triangle, in the triangle's frame of `edge_matrices`; its sign
        is arbitrary. (0, 0) if the axis is undefined: no deformation, equal stretches, or a collapsed triangle.
    degenerate : (T,) bool
        True if the triangle or its reference has collapsed; its stretches are then 1. Default: False everywhere.
    """

    min: Float32
    max: Float32
    compression: Float32
    axis: Float32
    degenerate: NDArray[np.bool_] = None  # type: ignore[assignment]  # filled in below

    def __post_init__(self) -> None:
        instance("max", self.max, np.ndarray)
        if self.degenerate is None:
            object.__setattr__(self, "degenerate", np.zeros(len(self.max), np.bool_))

    def __len__(self) -> int:
        return len(self.max)

    def __repr__(self) -> str:
        if not len(self):
            return "Stretch(0 triangles)"
        return (
            f"Stretch({len(self)} triangles, min {self.min.min():.3g}, max {self.max.max():.3g}, "
            f"{np.count_nonzero(self.degenerate)} degenerate)"
        )


def stretch_of(value: object) -> Stretch:
    """Return a `Stretch` unchanged; raise TypeError for any other value, such as one of its arrays."""
    return instance("stretch", value, Stretch, "ruckle.stretch(reference, current) makes one")


def stretch_arrays(stretch: Stretch) -> tuple[Float32, Float32, Float32, Float32, NDArray[np.bool_]]:
    """Return the arrays of a stretch in the order that the core expects."""
    field = stretch_of(stretch)
    return (
        float32("stretch.min", field.min),
        float32("stretch.max", field.max),
        float32("stretch.compression", field.compression),
        float32("stretch.axis", field.axis),
        np.ascontiguousarray(field.degenerate),
    )


def edge_matrices(positions: ArrayLike, faces: ArrayLike) -> Float32:
    """Return the edge vectors of every triangle in its own plane, with the x axis along its first edge.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int

    Returns
    -------
    (T, 2, 2) float32, mesh units
        The columns are the edge vectors from vertex 0 to vertices 1 and 2 (thesis 4.1.1).

    Raises
    ------
    ValueError
        An array has a wrong shape, or a position is not finite.
    MeshError
        An index is out of range.
    """
    return _core.edge_matrices(float32("positions", positions), triangles("faces", faces))


def stretch(reference: ArrayLike, current: ArrayLike) -> Stretch:
    """Compute the stretch of each triangle from its reference shape to its current shape.

    The stretches are the singular values of the deformation gradient F = current @ inv(reference) (thesis 4.1, 4.2).
    The axis is the left singular vector of the smaller singular value.

    Parameters
    ----------
    reference, current : (T, 2, 2) float, mesh units
        Edge matrices of the reference triangles and of the current triangles.

    Returns
    -------
    Stretch
        Stretches of T triangles.

    Raises
    ------
    ValueError
        Shapes are wrong, numbers of triangles differ, or an entry is not finite. Collapsed triangles are allowed.

    Examples
    --------
    A square that has lost 20 % of its width:

    >>> square, faces = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), [[0, 1, 2], [0, 2, 3]]
    >>> before, after = (ruckle.edge_matrices(points, faces) for points in (square, square * [0.8, 1.0, 1.0]))
    >>> ruckle.stretch(before, after)
    Stretch(2 triangles, min 0.8, max 1, 0 degenerate)
    """
    return Stretch(*_core.stretch(float32("reference", reference), float32("current", current)))
