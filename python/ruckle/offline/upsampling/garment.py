"""A garment for training: the same surface at rest as a coarse and a fine mesh."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import instance
from ruckle.arrays import Float32, Int32, float32, shaped, triangles
from ruckle.errors import MeshError
from ruckle.mesh.closest import closest_points
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.pair import TrainingPair
from ruckle.offline.simulation.tracking import map_of

__all__ = ["Garment"]


# Largest difference between two copies of the same garment at rest, relative to its size. Copies differ by the rounding
# of the body to which the garment was fitted.
SAME_REST = 1e-5


@dataclass(frozen=True, eq=False)
class Garment:
    """Two meshes of one garment at rest. This class requires scipy (extra `ruckle[train]`).

    Attributes
    ----------
    coarse_rest : (M, 3) float, metres
    coarse_faces : (T, 3) int
        Both meshes are manifold, with or without boundary.
    fine_rest : (N, 3) float, metres
        Positions approximately on the surface of the coarse mesh.
    fine_faces : (S, 3) int
    attachment : (N,) float, in [0, 1], optional
        Attachment weight of each fine vertex to its pin; default 0.
    holders : (N,) int32
        Index of the coarse face nearest to each fine vertex.
    barycentric : (N, 3) float32
        Barycentric coordinates of each fine vertex in this face.
    linear_map : (N, M) sparse
        B, the matrix that interpolates coarse vertices at the fine vertices.

    Raises
    ------
    MeshError
        The faces are not a manifold mesh, or a position is not finite.
    ValueError
        An array has a wrong shape, or an attachment weight is outside [0, 1].
    """

    coarse_rest: Float32
    coarse_faces: Int32
    fine_rest: Float32
    fine_faces: Int32
    attachment: Float32 = None  # type: ignore[assignment]
    holders: Int32 = field(init=False)
    barycentric: Float32 = field(init=False)
    linear_map: Any = field(init=False)

    def __post_init__(self) -> None:
        for name in ("coarse", "fine"):
            rest, faces = _points(f"{name}_rest", getattr(self, f"{name}_rest")), getattr(self, f"{name}_faces")
            self._set(f"{name}_rest", rest.copy())
            self._set(f"{name}_faces", triangles(f"{name}_faces", faces).copy())
            _require_mesh(name, getattr(self, f"{name}_faces"), len(rest))
        shares = np.zeros(self.fine_count, np.float32) if self.attachment is None else self.attachment
        self._set("attachment", _shares(shaped("attachment", float32("attachment", shares), (self.fine_count,))).copy())
        holders, weights = closest_points(self.coarse_rest, self.coarse_faces, self.fine_rest)
        self._set("holders", holders.astype(np.int32))
        self._set("barycentric", weights.astype(np.float32))
        self._set("linear_map", map_of(holders, weights, self.coarse_faces, self.coarse_count))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def coarse_count(self) -> int:
        """Number M of coarse vertices."""
        return len(self.coarse_rest)

    @property
    def fine_count(self) -> int:
        """Number N of fine vertices."""
        return len(self.fine_rest)

    @property
    def size(self) -> float:
        """Diagonal of the fine mesh's bounding box at rest, metres."""
        return float(np.linalg.norm(np.ptp(self.fine_rest, axis=0)))

    @classmethod
    def of(cls, pair: TrainingPair) -> Garment:
        """Return the garment of a simulated pair."""
        instance("pair", pair, TrainingPair, "ruckle.offline.simulation.simulate_pair makes one, load_pair reads one")
        return cls(pair.coarse_rest, pair.coarse.faces, pair.fine_rest, pair.fine.faces, pair.attachment)

    def require_same(self, other: Garment, name: str) -> None:
        """Raise ValueError if another garment differs from this garment. `name` is the name of its motion."""
        for part in ("coarse_faces", "fine_faces"):
            if not np.array_equal(getattr(self, part), getattr(other, part)):
                raise ValueError(f"{name}: is of another garment; its {part} differ")
        for part in ("coarse_rest", "fine_rest"):
            mine, theirs = getattr(self, part), getattr(other, part)
            apart = float(np.abs(mine - theirs).max()) if mine.shape == theirs.shape else np.inf
            if apart > SAME_REST * self.size:
                raise ValueError(f"{name}: is of another garment; its {part} differs by {apart:.3g} m")

    def mirror_images(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return for each vertex the vertex nearest to its mirror image in the plane x = 0: coarse (M,), fine (N,).

        The triangulations need not be symmetric, because diagonals do not affect the cloth.

        Raises
        ------
        ValueError
            The rest positions or the attachment are not symmetric.
        """
        from scipy.spatial import cKDTree

        found = []
        for name in ("coarse", "fine"):
            rest = getattr(self, f"{name}_rest")
            apart, images = cKDTree(rest).query(rest * np.array([-1.0, 1.0, 1.0], np.float32))
            if apart.max() > SAME_REST * self.size:
                raise ValueError(
                    f"{name}_rest: expected a garment that is its own mirror image in the plane x = 0, got vertices up "
                    f"to {apart.max():.2g} m off"
                )
            found.append(images)
        if np.abs(self.attachment[found[1]] - self.attachment).max() > SAME_REST:
            raise ValueError("attachment: expected the same on both sides of the plane x = 0")
        return found[0], found[1]

    def linear(self, coarse: ArrayLike) -> Float32:
        """Return coarse positions (F, M, 3), linearly interpolated at the fine vertices, (F, N, 3) float32, metres."""
        corners = float32("coarse", coarse)[:, self.coarse_faces[self.holders]]
        return np.asarray(np.einsum("fnkx,nk->fnx", corners, self.barycentric), np.float32)

    def __repr__(self) -> str:
        return f"Garment({self.coarse_count} coarse and {self.fine_count} fine vertices, {self.size:.3g} m)"


def _require_mesh(name: str, faces: Int32, vertex_count: int) -> None:
    """Raise the error of `Topology` if faces are not a manifold mesh, with the argument's name."""
    try:
        Topology(faces, vertex_count)
    except ValueError as error:
        raise type(error)(f"{name}_{error}") from error


def _shares(attachment: Float32) -> Float32:
    # the comparison is also False for NaN, so NaN is rejected
    inside = (attachment >= 0.0) & (attachment <= 1.0)
    if not inside.all():
        vertex = int(np.argmin(inside))
        raise ValueError(f"attachment: expected numbers in [0, 1], got {attachment[vertex]:g} at vertex {vertex}")
    return attachment


def _points(name: str, positions: ArrayLike) -> Float32:
    array = shaped(name, float32(name, positions), ("V", 3))
    if not np.isfinite(array).all():
        vertex = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise MeshError(f"{name}: vertex {vertex} is not finite; every coordinate must be finite")
    return array
