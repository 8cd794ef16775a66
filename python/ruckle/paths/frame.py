"""The result of one step of a `Wrinkler`: labels, fields and wrinkles."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import mesh_length
from ruckle.arrays import Float32, Int32, Labels, float32, int32, labels_uint8
from ruckle.errors import MeshError
from ruckle.field.stretch import Stretch
from ruckle.mesh.topology import mesh_topology
from ruckle.paths.parameters import Stats, Timings
from ruckle.paths.wrinkles import (
    CURVE_SAMPLE,
    POINT,
    WRINKLE,
    Curves,
    Wrinkle,
    WrinkleColumns,
    columns_of,
    draw_line,
    with_lines,
)
from ruckle.surface.frame import Details
from ruckle.surface.layers import HeightFrame

__all__ = [
    "CURVE_SAMPLE",
    "POINT",
    "WRINKLE",
    "Curves",
    "Frame",
    "Stats",
    "Timings",
    "Wrinkle",
    "WrinkleColumns",
    "columns_of",
]

REST = 1


class Snapshot(Protocol):
    """Protocol of the compiled core's result of one step. `Frame` explains its attributes."""

    @property
    def labels(self) -> Labels: ...
    @property
    def current(self) -> Float32: ...
    @property
    def reference(self) -> Float32: ...
    @property
    def motion(self) -> tuple[Float32, Float32, NDArray[np.bool_]]: ...
    @property
    def field(self) -> tuple[Float32, Float32, Float32, Float32, NDArray[np.bool_]]: ...
    @property
    def wrinkles(self) -> tuple[NDArray[Any], ...]: ...
    @property
    def rest(self) -> Float32: ...
    @property
    def timings(self) -> Timings: ...
    @property
    def stats(self) -> Stats: ...


class Frame(HeightFrame):
    """The result of one step of a `Wrinkler`. Its arrays are read-only and remain valid after later steps.

    Attributes
    ----------
    positions : (V, 3) float32, mesh units
        Positions of the coarse vertices.
    topology : Topology
        Topology of the Wrinkler.
    faces : (T, 3) int32
        The triangles with the animation's own vertex indices. At UV seams, these differ from `topology.faces`.
    length_unit : float, mesh units
        `r_min`, the minimum radius of a wrinkle.
    index : int
        0 for the first frame after construction or the last reset.
    paint : (V,) float32, optional
        Factor of the drawn heights at each vertex, from the Wrinkler.
    earlier : Curves, optional
        Drawn lines of the second last step of a `ruckle.WrinkleClock`, which displays blends of two steps; None in a
        frame of a Wrinkler. The height of the surface is then (1 - `share`) (height by `earlier`) + `share` (height by
        `curves`).
    share : float, in [0, 1]
        Weight of `curves`.
    """

    earlier: Curves | None = None
    share: float = 1.0

    def __init__(
        self,
        snapshot: Snapshot,
        positions: ArrayLike,
        topology: _core.Topology,
        *,
        faces: Int32 | None = None,
        length_unit: float = 0.0,
        index: int = 0,
        paint: Float32 | None = None,
    ) -> None:
        super().__init__(positions, topology, faces=faces, length_unit=length_unit, index=index)
        self._snapshot = snapshot
        self.paint = paint

    @classmethod
    def of(
        cls,
        positions: ArrayLike,
        topology: _core.Topology,
        wrinkles: Sequence[Wrinkle] = (),
        *,
        r_min: float,
        faces: Int32 | None = None,
        labels: ArrayLike | None = None,
        reference: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        index: int = 0,
    ) -> Frame:
        """Make a frame from wrinkles that were made by hand or read from a file.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        topology : Topology
        wrinkles : sequence of Wrinkle
            Wrinkles on this mesh.
        r_min : float, mesh units
            Minimum radius of a wrinkle.
        faces : (T, 3) int32, optional
            The triangles with the animation's own vertex indices; default: `topology.faces`.
        labels : (T,) int, optional
            Label of each triangle; default: rest.
        reference : (T, 2, 2) float, mesh units, optional
            Edge matrices of the reference triangles. Default: computed from `positions`, so that no triangle is
            compressed.
        rest : (V, 3) float, mesh units, optional
            Positions of the cloth in which distances to drawn lines are measured; default: `positions`.
        index : int

        Returns
        -------
        Frame
            Frame whose `motion` is zero and whose timings are 0.

        Raises
        ------
        TypeError
            `wrinkles` is not a sequence of Wrinkle.
        ValueError
            The shape of an array does not match the mesh.
        """
        points = float32("positions", positions)
        at_rest = points if rest is None else float32("rest", rest)
        mesh = mesh_topology(topology)
        columns = columns_of(wrinkles)
        lines = [draw_line(f"wrinkles[{i}]", wrinkle, points, at_rest, mesh) for i, wrinkle in enumerate(wrinkles)]
        given = _Given(points, at_rest, mesh.faces, with_lines(columns, lines), labels, reference)
        return cls(given, points, topology, faces=faces, length_unit=mesh_length("r_min", r_min), index=index)

    shader = "wrinkles.glsl"

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """(T,) uint8: label of each triangle: 0 compression, 1 rest, 2 stretch."""
        return self._snapshot.labels

    @cached_property
    def motion(self) -> Stretch:
        """Stretch from the previous frame to this frame, from which the labels are computed.

        The member `axis` is (0, 0) for every triangle.
        """
        maximum, compression, degenerate = self._snapshot.motion
        minimum = 1.0 / compression
        axis = np.zeros((len(compression), 2), np.float32)
        for array in (minimum, axis):
            array.flags.writeable = False
        return Stretch(minimum, maximum, compression, axis, degenerate)

    @cached_property
    def stretch(self) -> Stretch:
        """The wrinkling field: stretch from the reference triangles to the current triangles."""
        return Stretch(*self._snapshot.field)

    @property
    def compression(self) -> NDArray[np.float32]:
        """(T,) float32: `stretch.compression`; 1 without compression, larger with compression."""
        return self.stretch.compression

    @cached_property
    def current(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the current triangles."""
        return self._snapshot.current

    @cached_property
    def reference(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the reference triangles."""
        return self._snapshot.reference

    @cached_property
    def rest(self) -> NDArray[np.float32]:
        """(V, 3) float32, mesh units: rest pose (or the first frame) in which distances to drawn lines are measured."""
        return self._snapshot.rest if len(self._snapshot.rest) else self.positions

    @cached_property
    def curves(self) -> Curves:
        """Drawn lines of the wrinkles, with heights multiplied by `paint`: the input of `_core.PathHeights`."""
        samples = self.columns.curves
        if self.paint is not None:
            samples = samples.copy()
            corners = self.paint[self.topology.faces[samples["face"]]]
            samples["height"] *= (corners * samples["barycentric"]).sum(axis=1, dtype=np.float32)
        return Curves(self.columns.curve_offsets, samples)

    def heights(self, faces: ArrayLike, barycentric: ArrayLike) -> tuple[Float32, Float32]:
        """Return heights (N,), mesh units, and gradients (N, 3) of the wrinkles at points of the cloth (thesis 7).

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Barycentric coordinates of each point in its face.

        Raises
        ------
        ValueError
            A face does not exist, or an array has a wrong shape.
        """
        return self.path_heights.heights(int32("faces", faces), float32("barycentric", barycentric))

    def moved(self, positions: ArrayLike) -> Frame:
        """Return a frame with the same wrinkles on the cloth at other positions.

        Drawn lines move with the cloth. Labels, fields and the points of `wrinkles` remain those of this frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs.
        """
        points = float32("positions", positions)
        if points.shape != self.positions.shape or not np.isfinite(points).all():
            raise MeshError(
                f"positions: expected finite numbers of shape {self.positions.shape}, got shape {points.shape}"
            )
        return self.changed(positions=points.copy())

    def scaled(self, share: float) -> Frame:
        """Return a frame whose heights are `share` (0 to 1) times the heights of this frame."""
        kept = _kept_of(self._snapshot)
        return self.changed(_snapshot=kept._replace(wrinkles=tuple(self.columns.scaled(share))))

    def joined(self, other: Frame) -> Frame:
        """Return a frame with the wrinkles of both. If both use an id, the wrinkle of this frame gets a new id.

        Labels and fields remain those of this frame. The other frame must be of the same mesh; this is not checked.
        """
        kept = _kept_of(self._snapshot)
        return self.changed(_snapshot=kept._replace(wrinkles=tuple(self.columns.joined(other.columns))))

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: relative increase of each coarse face's area by the wrinkles.

        Computed from the lengths of cross-sections (thesis 6). The face that contains the crest of a cross-section gets
        the whole gain, even if the wrinkle extends over neighbouring faces.
        """
        return self.path_heights.area_gains()

    @property
    def highest(self) -> float:
        """Height of the highest drawn crest, mesh units."""
        return float(self.curves.samples["height"].max(initial=0.0))

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.PathHeights:
        """Return the object of the core that evaluates the heights; `kept` if it can be reused. See `HeightFrame`."""
        source = kept if isinstance(kept, _core.PathHeights) else _core.PathHeights(self.topology, threads=threads)
        earlier = self.earlier or (None, None)
        source.update(
            self.positions, self.rest, *self.curves, edge_length=edge_length or self.edge_length,
            earlier_offsets=earlier[0], earlier_samples=earlier[1], share=self.share,
        )  # fmt: skip
        return source

    @cached_property
    def path_heights(self) -> _core.PathHeights:
        """Object of the core that evaluates the heights of this frame's drawn lines. It is made once."""
        return self.core_source(None, edge_length=None, threads=1)

    @cached_property
    def details(self) -> Details:
        """One detail per wrinkle: its middle point; the amount is the crest's height times the length."""
        middles = [(w.faces[len(w.faces) // 2], w.points[len(w) // 2]) for w in self.wrinkles]
        faces, points = zip(*middles, strict=True) if middles else ((), ())
        return Details(
            np.array(faces, np.int32),
            np.array(points, np.float64).reshape(-1, 3),
            np.array([w.crest * w.length for w in self.wrinkles], np.float64),
        )

    @property
    def columns(self) -> WrinkleColumns:
        """The wrinkles as flat arrays; `wrinkles` has the same wrinkles as objects."""
        return WrinkleColumns(*self._snapshot.wrinkles)

    @cached_property
    def wrinkles(self) -> list[Wrinkle]:
        """All wrinkles of the frame, also fading wrinkles; oldest first."""
        return self.columns.wrinkles()

    @cached_property
    def timings(self) -> Timings:
        """Milliseconds per stage of the step that computed this frame."""
        return self._snapshot.timings

    @cached_property
    def stats(self) -> Stats:
        """Counts of triangles and wrinkles; see `Stats`."""
        return self._snapshot.stats

    def __repr__(self) -> str:
        stats = self.stats
        return (
            f"Frame({self.index}: {stats['compression_labels']} compression, {stats['rest_labels']} rest, "
            f"{stats['stretch_labels']} stretch, largest compression {self.compression.max():.3g}, "
            f"{stats['wrinkles']} wrinkles)"
        )


class _Kept(NamedTuple):
    """Result of a step as plain arrays, for frames that were pickled or copied."""

    labels: Labels
    current: Float32
    reference: Float32
    motion: tuple[Float32, Float32, NDArray[np.bool_]]
    field: tuple[Float32, Float32, Float32, Float32, NDArray[np.bool_]]
    wrinkles: tuple[NDArray[Any], ...]
    rest: Float32
    timings: Timings
    stats: Stats


def _kept_of(found: Snapshot) -> _Kept:
    return _Kept(*(getattr(found, name) for name in _Kept._fields))


def _kept(found: _core.Snapshot) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the function and arguments that rebuild a snapshot as `_Kept`, for pickle."""
    return _Kept, tuple(_kept_of(found))


copyreg.pickle(_core.Snapshot, _kept)


class _Given:
    """Input of `Frame.of` in the form of a `Snapshot`."""

    def __init__(
        self,
        positions: Float32,
        rest: Float32,
        faces: Int32,
        wrinkles: WrinkleColumns,
        labels: ArrayLike | None,
        reference: ArrayLike | None,
    ) -> None:
        self.current = _core.edge_matrices(positions, faces)
        self.reference = self.current if reference is None else float32("reference", reference).copy()
        self.wrinkles = wrinkles
        self.rest = np.array(rest)
        self.rest.flags.writeable = False
        self.labels = np.full(len(faces), REST, np.uint8) if labels is None else labels_uint8("labels", labels).copy()
        if self.labels.shape != (len(faces),):
            raise ValueError(f"labels: expected one for each of {len(faces)} triangles, got shape {self.labels.shape}")
        self.field = _core.stretch(self.reference, self.current)

    @property
    def motion(self) -> tuple[Float32, Float32, NDArray[np.bool_]]:
        ones = np.ones(len(self.labels), np.float32)
        return ones, ones, self.field[-1]

    @property
    def timings(self) -> Timings:
        return Timings(stretch=0.0, label=0.0, reference=0.0, persist=0.0, trace=0.0, shape=0.0, total=0.0)

    @property
    def stats(self) -> Stats:
        compression, rest, stretch = np.bincount(self.labels, minlength=3).tolist()
        rows = self.wrinkles.rows
        return Stats(
            compression_labels=compression, rest_labels=rest, stretch_labels=stretch, label_changes=0,
            degenerate=int(self.field[-1].sum()), wrinkles=len(rows), fading=int(rows["fading"].sum()), born=0, died=0,
            slid=0, rebuilt=0, clamped=0, extended=0, trimmed=0, tried=0, refused=0,
        )  # fmt: skip
