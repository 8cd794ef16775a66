"""What one step of a `Wrinkler` found: a frame with its labels, its fields and its wrinkles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance, mesh_length, mistyped
from ruckle.arrays import Float32, Int32, Labels, float32, labels_uint8
from ruckle.field.stretch import Stretch
from ruckle.surface.frame import Curves, Details, LayerFrame

__all__ = ["SCALARS", "Frame", "Stats", "Timings", "Wrinkle", "WrinkleColumns", "columns_of"]

REST = 1


class Timings(TypedDict):
    """Milliseconds per stage of one step, in pipeline order."""

    stretch: float
    label: float
    reference: float
    persist: float
    trace: float
    shape: float
    total: float


class Stats(TypedDict):
    """Counts of one frame: triangles, then wrinkles.

    `slid`, `rebuilt`, `clamped` are neighbourhoods of mesh vertices that paths passed over, were rebuilt around, and
    could not be rebuilt around; `extended`, `trimmed` are segments gained and lost at the ends; `tried` are seeds
    traced, `refused` is 1 where there was no room for another wrinkle.
    """

    compression_labels: int
    rest_labels: int
    stretch_labels: int
    label_changes: int
    degenerate: int
    wrinkles: int
    fading: int
    born: int
    died: int
    slid: int
    rebuilt: int
    clamped: int
    extended: int
    trimmed: int
    tried: int
    refused: int


@dataclass(frozen=True, slots=True, eq=False)
class Wrinkle:
    """One wrinkle of a frame: a polyline with vertices on mesh edges, its widths and heights. Arrays are read-only.

    Attributes
    ----------
    id : int
        Counts from 0 in order of birth; the same wrinkle keeps it as long as it lives.
    age : float, seconds
    fading : bool
        It has lost its compression and fades away.
    edges : (n,) int32
        Mesh edge of each vertex.
    t : (n,) float32, in [0, 1]
        Vertex = lower edge vertex * t + higher edge vertex * (1 - t) (thesis 5.1).
    faces : (n - 1,) int32
        Triangle of each segment.
    points : (n, 3) float32, mesh units
    width : (n,) float32, mesh units
        Full width of the cross-section: 2r in the middle of the wrinkle, the perimeter at its ends.
    height : (n,) float32, mesh units
        Zero at and beyond the ends.
    perimeter : float, mesh units
        Length of the cloth across the wrinkle.
    cuts : (2,) float32
        Shares of the first and the last segment that lie beyond the wrinkle's ends.
    extent : (2,) float32, mesh units
        The wrinkle's ends as length along the polyline.
    kappa : float
        Share of its length that the cloth has lost across the wrinkle, smoothed in time.
    size, fade : float, in [0, 1]
        Factor of all measures because the wrinkle is short; factor of its height because it is young or fading.
    crest : float, mesh units
        Largest height, in the middle of the wrinkle.
    full_width : float, mesh units
        Width in the middle before the factor `size`.
    """

    id: int
    age: float
    fading: bool
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    width: NDArray[np.float32]
    height: NDArray[np.float32]
    perimeter: float
    cuts: NDArray[np.float32]
    extent: NDArray[np.float32]
    kappa: float
    size: float
    fade: float
    crest: float
    full_width: float

    @property
    def length(self) -> float:
        """Length between the wrinkle's ends, mesh units."""
        return float(self.extent[1] - self.extent[0])

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        return (
            f"Wrinkle({self.id}: {len(self)} vertices, age {self.age:.3g} s, length {self.length:.3g}, "
            f"width {self.full_width * self.size:.3g}, crest {self.crest:.3g}{', fading' if self.fading else ''})"
        )


SCALARS = (
    "age", "kappa", "size", "fade", "crest", "width", "perimeter", "full_width",
    "first_cut", "last_cut", "begin", "end", "fading",
)  # fmt: skip
"""Columns of `WrinkleColumns.scalars`."""


class WrinkleColumns(NamedTuple):
    """All wrinkles of a frame, oldest first; vertices of wrinkle i are [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    ids : (W,) int64
    scalars : (W, 13) float32
        The numbers named in `SCALARS`.
    offsets : (W + 1,) int32
    edges, t, faces, points, widths, heights : (n, ...)
        Of all `Wrinkle`, one after the other; the face of a wrinkle's last vertex is -1.
    """

    ids: NDArray[np.int64]
    scalars: NDArray[np.float32]
    offsets: NDArray[np.int32]
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    widths: NDArray[np.float32]
    heights: NDArray[np.float32]


PROFILE = [SCALARS.index(name) for name in ("width", "perimeter", "fade", "first_cut", "last_cut")]
"""Columns of `Curves.profiles`."""


def columns_of(wrinkles: Sequence[Wrinkle]) -> WrinkleColumns:
    """Return wrinkles as flat arrays: what `Frame.wrinkles` is made from."""
    if not isinstance(wrinkles, Sequence):
        raise mistyped("wrinkles", "a sequence of Wrinkle", wrinkles)
    for number, wrinkle in enumerate(wrinkles):
        instance(f"wrinkles[{number}]", wrinkle, Wrinkle)
    scalars = [
        (w.age, w.kappa, w.size, w.fade, w.crest, w.full_width * w.size, w.perimeter, w.full_width, *w.cuts, *w.extent,
         w.fading)
        for w in wrinkles
    ]  # fmt: skip
    return WrinkleColumns(
        np.array([w.id for w in wrinkles], np.int64),
        np.array(scalars, np.float32).reshape(-1, len(SCALARS)),
        np.cumsum([0, *map(len, wrinkles)], dtype=np.int32),
        _joined([w.edges for w in wrinkles], np.int32),
        _joined([w.t for w in wrinkles], np.float32),
        _joined([np.append(w.faces, -1) for w in wrinkles], np.int32),
        _joined([w.points for w in wrinkles], np.float32, 3),
        _joined([w.width for w in wrinkles], np.float32),
        _joined([w.height for w in wrinkles], np.float32),
    )


def _joined(parts: Sequence[ArrayLike], dtype: type[np.generic], *entry: int) -> NDArray[Any]:
    """Return arrays one after the other, of any number."""
    return np.concatenate([np.empty((0, *entry), dtype), *map(np.asarray, parts)], dtype=dtype, casting="same_kind")


class Snapshot(Protocol):
    """What one step found, as the core gives it: see `Frame` for what each entry means."""

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
    def wrinkles(
        self,
    ) -> tuple[NDArray[np.int64], Float32, Int32, Int32, Float32, Int32, Float32, Float32, Float32]: ...
    @property
    def timings(self) -> Timings: ...
    @property
    def stats(self) -> Stats: ...


class Frame(LayerFrame):
    """What one step of a `Wrinkler` found. Its arrays are read-only and stay valid after later steps.

    Attributes
    ----------
    positions : (V, 3) float32, mesh units
        Of the coarse vertices, as they were given.
    topology : Topology
        The Wrinkler's.
    faces : (T, 3) int32
        The triangles as the animation names their vertices, where UV seams split some.
    length_unit : float, mesh units
        `r_min`, the least radius of a wrinkle.
    index : int
        0 for the first frame since the start or the last reset.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        positions: ArrayLike,
        topology: _core.Topology,
        *,
        faces: Int32 | None = None,
        length_unit: float = 0.0,
        index: int = 0,
    ) -> None:
        super().__init__(positions, topology, faces=faces, length_unit=length_unit, index=index)
        self._snapshot = snapshot

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
        index: int = 0,
    ) -> Frame:
        """Make a frame of wrinkles that were laid by hand or read from a file.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        topology : Topology
        wrinkles : sequence of Wrinkle
            On this mesh.
        r_min : float, mesh units
            Least radius of a wrinkle.
        faces : (T, 3) int32, optional
            The triangles as the animation names their vertices; those of `topology` when not given.
        labels : (T,) int, optional
            Rest when not given.
        reference : (T, 2, 2) float, mesh units, optional
            Edge matrices of the reference triangles; those of the positions, which are not compressed, when not given.
        index : int

        Returns
        -------
        Frame
            Its triangles have not moved, and its times are 0.

        Raises
        ------
        TypeError
            Something else than a sequence of Wrinkle.
        ValueError
            Arrays of another mesh.
        """
        points = float32("positions", positions)
        given = _Given(points, topology.faces, columns_of(wrinkles), labels, reference)
        return cls(given, points, topology, faces=faces, length_unit=mesh_length("r_min", r_min), index=index)

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """(T,) uint8: 0 compression, 1 rest, 2 stretch."""
        return self._snapshot.labels

    @cached_property
    def motion(self) -> Stretch:
        """Stretch from the previous frame to this one: what the labels are made from. Its axis is all zero."""
        maximum, compression, degenerate = self._snapshot.motion
        minimum = 1.0 / compression
        axis = np.zeros((len(compression), 2), np.float32)
        for array in (minimum, axis):
            array.flags.writeable = False
        return Stretch(minimum, maximum, compression, axis, degenerate)

    @cached_property
    def stretch(self) -> Stretch:
        """Stretch from the reference to the current triangles: the wrinkling field."""
        return Stretch(*self._snapshot.field)

    @property
    def compression(self) -> NDArray[np.float32]:
        """(T,) float32, `stretch.compression`: 1 is none, grows with compression."""
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
    def curves(self) -> Curves:
        """The wrinkles as a surface takes them."""
        columns = self.columns
        profiles = np.ascontiguousarray(columns.scalars[:, PROFILE])
        return Curves(columns.offsets, columns.edges, columns.t, columns.faces, columns.heights, profiles)

    @cached_property
    def details(self) -> Details:
        """The middle of every wrinkle, and its crest times its length."""
        middles = [(w.faces[len(w.faces) // 2], w.points[len(w) // 2]) for w in self.wrinkles]
        faces, points = zip(*middles, strict=True) if middles else ((), ())
        return Details(
            np.array(faces, np.int32),
            np.array(points, np.float64).reshape(-1, 3),
            np.array([w.crest * w.length for w in self.wrinkles], np.float64),
        )

    @property
    def columns(self) -> WrinkleColumns:
        """The wrinkles as flat arrays, from which `wrinkles` is made."""
        return WrinkleColumns(*self._snapshot.wrinkles)

    @cached_property
    def wrinkles(self) -> list[Wrinkle]:
        """Living wrinkles, oldest first."""
        ids, scalars, offsets, edges, t, faces, points, widths, heights = self.columns
        result = []
        for i, row in enumerate(scalars.tolist()):
            at = slice(offsets[i], offsets[i + 1])
            age, kappa, size, fade, crest, _, perimeter, full_width, *_, fading = row
            result.append(
                Wrinkle(
                    id=int(ids[i]),
                    age=age,
                    fading=bool(fading),
                    edges=edges[at],
                    t=t[at],
                    faces=faces[at][:-1],
                    points=points[at],
                    width=widths[at],
                    height=heights[at],
                    perimeter=perimeter,
                    cuts=scalars[i, 8:10],
                    extent=scalars[i, 10:12],
                    kappa=kappa,
                    size=size,
                    fade=fade,
                    crest=crest,
                    full_width=full_width,
                )
            )
        return result

    @cached_property
    def timings(self) -> Timings:
        """Milliseconds per stage."""
        return self._snapshot.timings

    @cached_property
    def stats(self) -> Stats:
        """Counts of triangles."""
        return self._snapshot.stats

    def __repr__(self) -> str:
        stats = self.stats
        return (
            f"Frame({self.index}: {stats['compression_labels']} compression, {stats['rest_labels']} rest, "
            f"{stats['stretch_labels']} stretch, largest compression {self.compression.max():.3g}, "
            f"{stats['wrinkles']} wrinkles)"
        )


class _Given:
    """Stands in for what a step found where wrinkles were laid by hand or read from a file: see `Frame.of`."""

    def __init__(
        self,
        positions: Float32,
        faces: Int32,
        wrinkles: WrinkleColumns,
        labels: ArrayLike | None,
        reference: ArrayLike | None,
    ) -> None:
        self.current = _core.edge_matrices(positions, faces)
        self.reference = self.current if reference is None else float32("reference", reference)
        self.wrinkles = wrinkles
        self.labels = np.full(len(faces), REST, np.uint8) if labels is None else labels_uint8("labels", labels)
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
        fading = int(self.wrinkles.scalars[:, SCALARS.index("fading")].sum())
        return Stats(
            compression_labels=compression, rest_labels=rest, stretch_labels=stretch, label_changes=0,
            degenerate=int(self.field[-1].sum()), wrinkles=len(self.wrinkles.ids), fading=fading, born=0, died=0,
            slid=0, rebuilt=0, clamped=0, extended=0, trimmed=0, tried=0, refused=0,
        )  # fmt: skip
