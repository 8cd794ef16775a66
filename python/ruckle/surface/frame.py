"""The result of a layer in one frame: the input of pictures, fine meshes, files and measurements."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle._core import Topology as CoreTopology
from ruckle.arguments import instance
from ruckle.arrays import Float32, Int32, Labels, float32, make_read_only, triangles
from ruckle.errors import MeshError
from ruckle.field.stretch import Stretch
from ruckle.mesh.geometry import triangle_areas
from ruckle.mesh.topology import Topology, mesh_topology, weld

__all__ = ["CoarseFrame", "Details", "LayerFrame", "layer_frame"]


class Details(NamedTuple):
    """Positions and sizes of the visible details of a layer: one entry per wrinkle, or per face with folds.

    Attributes
    ----------
    faces : (n,) int32
        Coarse triangle that contains the middle of the detail.
    points : (n, 3) float64, mesh units
        Middle of the detail.
    amounts : (n,) float64, square mesh units
        Height times length of the detail, or another measure of its size.
    """

    faces: Int32
    points: NDArray[np.float64]
    amounts: NDArray[np.float64]

    @classmethod
    def of_faces(cls, frame: LayerFrame, gains: Float32, least: float) -> Details:
        """Return one detail per face whose relative area change `gains` (T,) is above `least`.

        The amounts are the added areas.
        """
        faces = np.flatnonzero(gains > least).astype(np.int32)
        corners = frame.positions[frame.topology.faces[faces]].astype(np.float64)
        flat = triangle_areas(frame.positions, frame.topology.faces[faces])
        return cls(faces, corners.mean(axis=1), flat * gains[faces])


NO_DETAILS = Details(np.empty(0, np.int32), np.empty((0, 3)), np.empty(0))


class LayerFrame:
    """Coarse cloth in one frame, with the result of a layer. Arrays are read-only. All parameters are also attributes.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
        Positions of the coarse vertices. They are copied.
    topology : Topology
    faces : (T, 3) int32, optional
        The triangles with the animation's own vertex indices, which differ at UV seams; default: `topology.faces`.
    length_unit : float, mesh units
        Typical length of the layer's details, such as the minimum radius of a wrinkle; 0 without details.
    index : int
        0 for the first frame after construction or the last reset.

    Raises
    ------
    MeshError
        The number of positions does not match the topology.
    ValueError
        The positions have a wrong shape.
    """

    # (V,) float32, in [0, 1]: factor of the heights and of the curvature of the base at each vertex; None means 1
    mask: Float32 | None = None

    def __init__(
        self,
        positions: ArrayLike,
        topology: CoreTopology,
        *,
        faces: Int32 | None = None,
        length_unit: float = 0.0,
        index: int = 0,
    ) -> None:
        # copy, because the caller may write the positions of the next frame into the same array
        self.positions = np.array(float32("positions", positions))
        self.positions.flags.writeable = False
        if self.positions.ndim != 2 or self.positions.shape[1] != 3:
            raise ValueError(f"positions: expected an array of shape (V, 3), got {self.positions.shape}")
        if len(self.positions) != mesh_topology(topology).vertex_count:
            raise MeshError(f"positions: expected {topology.vertex_count} vertices, got {len(self.positions)}")
        self.topology = topology
        self.faces = topology.faces if faces is None else faces
        self.length_unit = length_unit
        self.index = index

    @property
    def parts(self) -> tuple[LayerFrame, ...]:
        """The frames of all layers that this frame combines, from the cloth outward."""
        return (self,)

    @property
    def details(self) -> Details:
        """Positions of the visible details."""
        return NO_DETAILS

    @property
    def labels(self) -> Labels | None:
        """(T,) uint8: 0 compression, 1 rest, 2 stretch; None if the layer does not label triangles."""
        return None

    @property
    def stretch(self) -> Stretch | None:
        """Deformation of the cloth; None if the layer does not compute it."""
        return None

    @property
    def timings(self) -> Mapping[str, Any]:
        """Milliseconds per stage, in the order of the stages."""
        return {}

    @property
    def stats(self) -> Mapping[str, Any]:
        """Counts of the layer in this frame by name; empty if the layer does not count."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        # do not pickle cached properties, because they can be computed again
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(inspect.getattr_static(type(self), name, None), cached_property)
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        make_read_only(tuple(kept.values()))

    def changed(self, **fields: Any) -> Self:
        """Return a copy in which some attributes have other values. Cached properties are computed again."""
        copied = type(self).__new__(type(self))
        vars(copied).update(LayerFrame.__getstate__(self), **fields)
        make_read_only(tuple(fields.values()))
        return copied

    @property
    def coarse(self) -> CoarseFrame:
        """A frame of the same cloth without the layer's result, such as wrinkles."""
        bare = CoarseFrame(self.positions, self.topology, faces=self.faces, index=self.index)
        bare.mask = self.mask
        return bare

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.index}: {self.topology.face_count} triangles)"


class CoarseFrame(LayerFrame):
    """A frame of cloth, or of a body, without a layer's result.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    mesh : Topology, or (T, 3) int
        The connectivity. Faces are converted to a topology in which vertices at equal positions are joined. For many
        frames of one mesh, create the topology once.
    faces, index
        See `LayerFrame`. `faces` is ignored if `mesh` is an array of faces.

    Raises
    ------
    MeshError
        The faces do not form a manifold mesh, or the number of positions does not match the mesh.
    ValueError
        The positions have a wrong shape.
    """

    def __init__(
        self, positions: ArrayLike, mesh: CoreTopology | ArrayLike, *, faces: Int32 | None = None, index: int = 0
    ) -> None:
        if not isinstance(mesh, CoreTopology):
            faces = triangles("faces", mesh)
            mesh = Topology(weld(positions, faces), len(float32("positions", positions)))
        super().__init__(positions, mesh, faces=faces, index=index)


def layer_frame(frame: object) -> LayerFrame:
    """Return a frame unchanged. For any other object, raise a TypeError that explains how to get a frame."""
    return instance(
        "frame", frame, LayerFrame, "Wrinkler.step and ruckle.run make one, ruckle.CoarseFrame one without wrinkles"
    )
