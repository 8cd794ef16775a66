"""The two kinds of layer results: heights over the coarse mesh, or a shape (a fine mesh that replaces this mesh)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance
from ruckle.arrays import Float32, Int32, float32, int32, shaped, triangles
from ruckle.mesh.topology import same_mesh
from ruckle.surface.frame import Details, LayerFrame

__all__ = [
    "BlendedShape",
    "FineShape",
    "HeightFrame",
    "RefinedMesh",
    "ScaledHeights",
    "ShapeFrame",
    "interpolate",
    "sampled",
    "shapes_of",
]

# `area_gains` divides each side of a face into at most this number of parts, and samples one height per small triangle.
MOST_SAMPLE_PARTS = 16


def interpolate(values: Float32, faces: Int32, barycentric: Float32) -> Float32:
    """Interpolate vertex values (V, n) at N points with the vertices `faces` (N, 3) of their faces: (N, n) float32."""
    result: Float32 = (values[faces] * barycentric[:, :, None]).sum(axis=1, dtype=np.float32)
    return result


class HeightFrame(LayerFrame, ABC):
    """One frame of a layer that raises the surface along its normals.

    A custom layer implements `heights`. For the parameters see `LayerFrame`. `length_unit` must be above 0; fine edges
    have half this length.

    Examples
    --------
    Waves along x, a centimetre high:

    >>> class Waves(ruckle.HeightFrame):
    ...     def heights(self, faces, barycentric):
    ...         x = self.points(faces, barycentric)[:, 0]
    ...         slopes = np.cos(50 * x)[:, None] * [0.5, 0.0, 0.0]
    ...         return 0.01 * np.sin(50 * x), slopes
    >>> class WavesLayer:
    ...     def __init__(self, topology):
    ...         self.topology = topology
    ...
    ...     def step(self, positions, dt=1 / 30):
    ...         return Waves(positions, self.topology, length_unit=0.02)
    ...
    ...     def reset(self):
    ...         pass
    """

    # file in shaders/common that evaluates the heights on the graphics card; None if such a shader does not exist
    shader: ClassVar[str | None] = None

    @abstractmethod
    def heights(self, faces: Int32, barycentric: Float32) -> tuple[ArrayLike, ArrayLike]:
        """Return the heights at points of the coarse mesh.

        Parameters
        ----------
        faces : (N,) int32
            Coarse faces.
        barycentric : (N, 3) float32
            Barycentric coordinates of each point in its face.

        Returns
        -------
        heights : (N,) float, mesh units
            Heights. They must be continuous across the edges of faces.
        gradients : (N, 3) float
            Gradients of the heights along the flat coarse cloth, as vectors in space.
        """

    @property
    def bends(self) -> Float32 | None:
        """(T,) float32, per mesh unit: largest second derivative in each face; negative for a face without heights.

        Large values shorten the fine edges. None means that all faces have heights, and that slopes change little over
        the length of a fine edge.
        """
        return None

    @property
    def edge_length(self) -> float:
        """Edge length of a fine mesh that shows the heights, mesh units."""
        return 0.5 * self.length_unit

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: relative growth of each coarse face's area by the layer.

        This is the mean of √(1 + ‖∇h‖²) - 1 over sample points. The points of a face are about as dense as fine
        vertices.
        """
        corners, (_, gradients) = self.positions[self.topology.faces], self._samples
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, None]
        squares = (across**2).sum(axis=2)
        along_normal = (gradients * across).sum(axis=2) ** 2 / np.where(squares > 0.0, squares, 1.0)
        slopes = np.maximum((gradients**2).sum(axis=2) - along_normal, 0.0)
        result: Float32 = (np.sqrt(1.0 + slopes) - 1.0).mean(axis=1, dtype=np.float32)
        return result

    @property
    def highest(self) -> float:
        """Largest absolute height over the base, mesh units, at the sample points of `area_gains`."""
        return float(np.abs(self._samples[0]).max(initial=0.0))

    @cached_property
    def _samples(self) -> tuple[Float32, Float32]:
        """Heights (T, n) and gradients (T, n, 3) at n points of every face."""
        corners, count = self.positions[self.topology.faces], self.topology.face_count
        side = float(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1).mean())
        parts = int(np.clip(np.ceil(side / self.edge_length), 1, MOST_SAMPLE_PARTS)) if self.edge_length > 0.0 else 1
        faces = np.repeat(np.arange(count, dtype=np.int32), parts**2)
        heights, gradients = sampled(self, faces, np.tile(_middles(parts), (count, 1)))
        return heights.reshape(count, -1), gradients.reshape(count, -1, 3)

    def points(self, faces: Int32, barycentric: Float32) -> Float32:
        """Return the positions of points on the flat coarse cloth: (N, 3) float32, mesh units."""
        return interpolate(self.positions, self.topology.faces[faces], barycentric)

    @property
    def height_range(self) -> tuple[float, float] | None:
        """Largest heights along the normal and against the normal, mesh units, >= 0; None if unknown.

        Only other layers of cloth within this distance limit the heights. If unknown, the distance is eight edge
        lengths.
        """
        return None

    def scaled(self, share: float) -> HeightFrame:
        """Return a frame whose heights are `share` (0 to 1) times the heights of this frame."""
        return ScaledHeights(self, share)

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.HeightSource:
        """Return the object of the compiled core that evaluates the heights.

        The object of this class calls `heights`. Layers that are computed in the core override this method.

        Parameters
        ----------
        kept : _core.HeightSource, optional
            The source of the previous frame from the layer with the same index in the stack. It is reused if possible.
        edge_length : float, mesh units, optional
            Length of the fine edges, which replaces `edge_length` of the layer.
        threads : int
        """
        if not self.length_unit > 0.0:
            raise ValueError(
                f"length_unit: expected a length above 0 of a frame with heights, got {self.length_unit:g} "
                f"of {type(self).__name__}"
            )
        bends = None if self.bends is None else float32("bends", self.bends)
        return _core.SampledHeights(
            self.topology, bends=bends, edge_length=edge_length or self.edge_length, height_range=self.height_range
        )


class ScaledHeights(HeightFrame):
    """A frame whose heights are `share` times the heights of another frame.

    Parameters
    ----------
    frame : HeightFrame
    share : float, in [0, 1]
    """

    def __init__(self, frame: HeightFrame, share: float) -> None:
        super().__init__(
            frame.positions, frame.topology, faces=frame.faces, length_unit=frame.length_unit, index=frame.index
        )
        self._frame, self._share = frame, share

    def heights(self, faces: Int32, barycentric: Float32) -> tuple[Float32, Float32]:
        """Return heights and gradients; see `HeightFrame.heights`."""
        heights, gradients = sampled(self._frame, faces, barycentric)
        return self._share * heights, self._share * gradients

    @property
    def bends(self) -> Float32 | None:
        """(T,) float32: `bends` of the original frame."""
        return self._frame.bends

    @property
    def edge_length(self) -> float:
        """Edge length of a fine mesh that shows the heights, mesh units."""
        return self._frame.edge_length

    @property
    def height_range(self) -> tuple[float, float] | None:
        """`share` times the largest heights of the original frame."""
        found = self._frame.height_range
        return None if found is None else (self._share * found[0], self._share * found[1])

    @property
    def details(self) -> Details:
        """Details of the original frame, with amounts multiplied by `share`."""
        found = self._frame.details
        return found._replace(amounts=self._share * found.amounts)


def sampled(frame: HeightFrame, faces: Int32, barycentric: Float32) -> tuple[Float32, Float32]:
    """Call `frame.heights`; return the heights (N,) and gradients (N, 3) as float32.

    Raise TypeError if the result is not a pair, and ValueError if a shape is wrong or a number is not finite.
    """
    name = f"{type(frame).__name__}.heights"
    answer = frame.heights(faces, barycentric)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise TypeError(f"{name}: expected a pair of heights and gradients, got {type(answer).__name__}")
    heights, gradients = (np.asarray(part, np.float32) for part in answer)
    for part, array, shape in (("heights", heights, (len(faces),)), ("gradients", gradients, (len(faces), 3))):
        if array.shape != shape:
            raise ValueError(f"{name}: expected {part} of shape {shape}, got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite {part}, got {array[~np.isfinite(array)][0]}")
    return heights, gradients


def _middles(parts: int) -> Float32:
    """Return the centroids of the parts² equal triangles into which a face is divided: (parts², 3) float32."""
    upright = [(i + 1 / 3, j + 1 / 3) for i in range(parts) for j in range(parts - i)]
    inverted = [(i + 2 / 3, j + 2 / 3) for i in range(parts) for j in range(parts - i - 1)]
    a, b = np.array(upright + inverted).T / parts
    return np.stack([a, b, 1.0 - a - b], axis=1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class RefinedMesh:
    """A fine mesh of constant topology on the coarse mesh. Create it once, and share it between frames.

    Attributes
    ----------
    faces : (F, 3) int32
        Vertex indices of the fine triangles, which form a manifold mesh with or without boundary.
    coarse_faces : (N,) int32
        Index of a coarse face that contains the fine vertex.
    barycentric : (N, 3) float32
        Barycentric coordinates in that face.
    """

    faces: Int32
    coarse_faces: Int32
    barycentric: Float32

    def __post_init__(self) -> None:
        object.__setattr__(self, "faces", triangles("faces", self.faces).copy())
        object.__setattr__(self, "coarse_faces", int32("coarse_faces", self.coarse_faces).copy())
        object.__setattr__(self, "barycentric", float32("barycentric", self.barycentric).copy())

    def __reduce__(self) -> tuple[type[RefinedMesh], tuple[Int32, Int32, Float32]]:
        # do not pickle the compiled refinement; it is computed again after unpickling
        return RefinedMesh, (self.faces, self.coarse_faces, self.barycentric)

    @property
    def vertex_count(self) -> int:
        """Number of fine vertices N."""
        return len(self.coarse_faces)

    def core(self, topology: _core.Topology) -> _core.Refinement:
        """Return the core's refinement of a coarse topology by this mesh. It is created on first use.

        Raises
        ------
        MeshError
            The fine faces do not form a manifold mesh, or a fine vertex is not on the coarse mesh.
        """
        known: tuple[_core.Topology, _core.Refinement] | None = self.__dict__.get("_core")
        if known is None or not same_mesh(known[0], topology):
            known = topology, _core.Refinement(topology, self.faces, self.coarse_faces, self.barycentric)
            self.__dict__["_core"] = known
        return known[1]

    def __repr__(self) -> str:
        return f"RefinedMesh({self.vertex_count} vertices, {len(self.faces)} faces)"


@dataclass(frozen=True, eq=False)
class FineShape:
    """The fine mesh of a layer that replaces the coarse mesh, and its positions in one frame.

    Attributes
    ----------
    positions : (N, 3) float32, mesh units
        Positions of the vertices of `mesh`.
    mesh : RefinedMesh
        The fine mesh, which is the same object in all frames.

    Raises
    ------
    ValueError
        `positions` has a wrong shape.
    TypeError
        `mesh` is not a RefinedMesh.
    """

    positions: Float32
    mesh: RefinedMesh

    def __post_init__(self) -> None:
        instance("mesh", self.mesh, RefinedMesh)
        positions = shaped("positions", float32("positions", self.positions), (self.mesh.vertex_count, 3))
        object.__setattr__(self, "positions", positions)


class ShapeFrame(LayerFrame, ABC):
    """One frame of a layer that replaces the coarse mesh by a fine mesh. A custom layer implements `shape`.

    For the parameters see `LayerFrame`. `length_unit` is the length of the fine mesh's edges.
    """

    @property
    @abstractmethod
    def shape(self) -> FineShape:
        """The fine mesh and the positions of its vertices."""

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: relative growth of each coarse face's area by the layer."""
        shape = self.shape
        return shape.mesh.core(self.topology).area_gains(float32("positions", shape.positions), self.positions)


class BlendedShape(ShapeFrame):
    """A shape interpolated between two frames of one layer with the same coarse positions.

    Parameters
    ----------
    frame, other : ShapeFrame
    share : float, in [0, 1]
        Weight of `other`.
    """

    def __init__(self, frame: ShapeFrame, other: ShapeFrame, share: float) -> None:
        super().__init__(
            frame.positions, frame.topology, faces=frame.faces, length_unit=frame.length_unit, index=frame.index
        )
        first, second = frame.shape, other.shape
        mixed = (1.0 - share) * first.positions + share * second.positions
        self._shape = FineShape(mixed.astype(np.float32), first.mesh)

    @property
    def shape(self) -> FineShape:
        """The fine mesh and the positions of its vertices."""
        return self._shape


def shapes_of(frame: LayerFrame) -> list[ShapeFrame]:
    """Return the parts of a frame that replace the coarse mesh by a fine mesh. A stack has at most one."""
    return [part for part in frame.parts if isinstance(part, ShapeFrame)]
