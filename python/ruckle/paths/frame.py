"""What one step of a `Wrinkler` found: a frame with its labels, its fields and its wrinkles."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import found, instance, mesh_length, mistyped
from ruckle.arrays import Float32, Int32, Labels, float32, int32, labels_uint8
from ruckle.field.stretch import Stretch
from ruckle.mesh.topology import mesh_topology
from ruckle.surface.frame import Details
from ruckle.surface.layers import HeightFrame

__all__ = [
    "POINT",
    "PROFILE",
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

    @property
    def visible_line(self) -> NDArray[np.float64]:
        """(n, 3) float64, mesh units: the polyline between the wrinkle's ends."""
        line = self.points.astype(np.float64)
        first, last = line[1] - line[0], line[-1] - line[-2]
        line[0] += self.cuts[0] * first
        line[-1] -= self.cuts[1] * last
        return line

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        return (
            f"Wrinkle({self.id}: {len(self)} vertices, age {self.age:.3g} s, length {self.length:.3g}, "
            f"width {self.full_width * self.size:.3g}, crest {self.crest:.3g}{', fading' if self.fading else ''})"
        )


WRINKLE: np.dtype[np.void] = _core.WRINKLE
"""What a wrinkle has beside its path: the numbers of `Wrinkle`, and `middle_width`, its width in the middle."""

NUMBERS = tuple(name for name in WRINKLE.names or () if name != "middle_width")

POINT: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "edges": (np.int32, ()),
    "t": (np.float32, ()),
    "faces": (np.int32, ()),
    "points": (np.float32, (3,)),
    "widths": (np.float32, ()),
    "heights": (np.float32, ()),
}
"""Type and shape of what a wrinkle has at each vertex of its path."""


class WrinkleColumns(NamedTuple):
    """All wrinkles of a frame, oldest first; vertices of wrinkle i are [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    rows : (W,) `WRINKLE`
        A row for each wrinkle.
    offsets : (W + 1,) int32
    edges, t, faces, points, widths, heights : (n, ...)
        Of all `Wrinkle`, one after the other; the face of a wrinkle's last vertex is -1.
    """

    rows: NDArray[np.void]
    offsets: NDArray[np.int32]
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    widths: NDArray[np.float32]
    heights: NDArray[np.float32]

    def wrinkles(self) -> list[Wrinkle]:
        """Return views of them, one by one."""
        numbers = zip(*(_items(self.rows[name]) for name in NUMBERS), strict=True)
        return [
            Wrinkle(
                **dict(zip(NUMBERS, row, strict=True)),
                edges=self.edges[start:stop],
                t=self.t[start:stop],
                faces=self.faces[start : stop - 1],
                points=self.points[start:stop],
                width=self.widths[start:stop],
                height=self.heights[start:stop],
            )
            for row, (start, stop) in zip(numbers, pairwise(self.offsets.tolist()), strict=True)
        ]


def _items(column: NDArray[Any]) -> Sequence[Any]:
    """Return the rows of a column: plain numbers, or views where each is an array."""
    return column.tolist() if column.ndim == 1 else [*column]


PROFILE: np.dtype[np.void] = _core.PROFILE
"""What the cross-sections of a curve are made from."""


class Curves(NamedTuple):
    """Curves over the coarse mesh that raise it around them; vertices of curve i are [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    offsets : (W + 1,) int32
    edges : (n,) int32
        Mesh edge of each vertex.
    t : (n,) float32, in [0, 1]
        Vertex = lower edge vertex * t + higher edge vertex * (1 - t).
    faces : (n,) int32
        Triangle of the segment that begins at each vertex; that of a curve's last vertex means nothing.
    heights : (n,) float32, mesh units
        Of the crest at each vertex.
    profiles : (W,) `PROFILE`
        `middle_width` and `perimeter` of the cross-section, mesh units; `fade`, a factor of the height; `cuts`, the
        shares of the first and the last segment that lie beyond the curve's ends.
    """

    offsets: Int32
    edges: Int32
    t: Float32
    faces: Int32
    heights: Float32
    profiles: NDArray[np.void]


def columns_of(wrinkles: Sequence[Wrinkle]) -> WrinkleColumns:
    """Return wrinkles as flat arrays: what `Frame.wrinkles` is made from.

    Raises
    ------
    TypeError
        Something else than a sequence of Wrinkle.
    ValueError
        A wrinkle whose numbers or arrays are none of those that `Wrinkle` describes; the sentence names it.
    """
    if not isinstance(wrinkles, Sequence):
        raise mistyped("wrinkles", "a sequence of Wrinkle", wrinkles)
    rows = np.zeros(len(wrinkles), WRINKLE)
    parts: dict[str, list[NDArray[Any]]] = {
        name: [np.empty((0, *entry), dtype)] for name, (dtype, entry) in POINT.items()
    }
    for i, wrinkle in enumerate(wrinkles):
        name = f"wrinkles[{i}]"
        rows[i] = _row(name, instance(name, wrinkle, Wrinkle))
        for column, array in _points(name, wrinkle).items():
            parts[column].append(array)
    offsets = np.cumsum([0, *map(len, wrinkles)], dtype=np.int32)
    return WrinkleColumns(rows, offsets, **{name: np.concatenate(arrays) for name, arrays in parts.items()})


def _row(name: str, wrinkle: Wrinkle) -> NDArray[np.void]:
    """Return the numbers of a wrinkle that was laid by hand."""
    row = np.zeros((), WRINKLE)
    for field in NUMBERS:
        row[field] = _fitting(f"{name}.{field}", getattr(wrinkle, field), row[field].dtype, row[field].shape)
    row["middle_width"] = row["full_width"] * row["size"]
    return row


def _points(name: str, wrinkle: Wrinkle) -> dict[str, NDArray[Any]]:
    """Return what a wrinkle that was laid by hand has at its vertices."""
    n, arrays = np.size(wrinkle.edges), {}
    for column, (dtype, entry) in POINT.items():
        attribute = {"widths": "width", "heights": "height"}.get(column, column)
        shape = (n - 1 if column == "faces" else n, *entry)
        arrays[column] = _fitting(f"{name}.{attribute}", getattr(wrinkle, attribute), np.dtype(dtype), shape)
    return arrays | {"faces": np.append(arrays["faces"], np.int32(-1))}


def _fitting(name: str, value: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a number or array as the core takes it; ValueError where it has another kind or shape."""
    one, several, kinds = {
        "f": ("a finite number", "finite numbers", "fiu"),
        "i": ("an integer", "integers", "iu"),
        "b": ("True or False", "flags", "b"),
    }[dtype.kind]
    array = np.asarray(value)
    fits = array.dtype.kind in kinds and array.shape == shape and np.isfinite(array).all()
    if not fits or (dtype.kind == "i" and (array.astype(dtype) != array).any()):
        raise ValueError(f"{name}: expected {f'{several} of shape {shape}' if shape else one}, got {found(value)}")
    return array.astype(dtype)


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
    ) -> tuple[NDArray[np.void], Int32, Int32, Float32, Int32, Float32, Float32, Float32]: ...
    @property
    def timings(self) -> Timings: ...
    @property
    def stats(self) -> Stats: ...


class Frame(HeightFrame):
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
        given = _Given(points, mesh_topology(topology).faces, columns_of(wrinkles), labels, reference)
        return cls(given, points, topology, faces=faces, length_unit=mesh_length("r_min", r_min), index=index)

    in_shaders = True

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
        """The wrinkles as `_core.PathHeights` takes them."""
        columns = self.columns
        profiles = np.empty(len(columns.rows), PROFILE)
        for name in PROFILE.names or ():
            profiles[name] = columns.rows[name]
        return Curves(columns.offsets, columns.edges, columns.t, columns.faces, columns.heights, profiles)

    def heights(self, faces: ArrayLike, barycentric: ArrayLike) -> tuple[Float32, Float32]:
        """Return heights (N,), mesh units, and gradients (N, 3) of the wrinkles at points of the cloth (thesis 7).

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Weights of their vertices, which sum to 1.
        """
        return self.path_heights.heights(int32("faces", faces), float32("barycentric", barycentric))

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: by what share of its flat area the wrinkles enlarge each coarse face.

        From the lengths of their cross-sections (thesis 6); what lies beside the faces of a path counts as theirs.
        """
        return self.path_heights.area_gains()

    @property
    def highest(self) -> float:
        """Height of the highest crest, mesh units."""
        return float(self.columns.heights.max(initial=0.0))

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.PathHeights:
        """Return the wrinkles' heights as the core evaluates them; see `HeightFrame.core_source`."""
        source = kept if isinstance(kept, _core.PathHeights) else _core.PathHeights(self.topology, threads=threads)
        source.update(self.positions, *self.curves, edge_length=edge_length or self.edge_length)
        return source

    @cached_property
    def path_heights(self) -> _core.PathHeights:
        """The wrinkles as curves, which segments reach which face, and the heights that they make."""
        return self.core_source(None, edge_length=None, threads=1)

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
        return self.columns.wrinkles()

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


class _Kept(NamedTuple):
    """Stands in for what a step found where a frame has been pickled or copied."""

    labels: Labels
    current: Float32
    reference: Float32
    motion: tuple[Float32, Float32, NDArray[np.bool_]]
    field: tuple[Float32, Float32, Float32, Float32, NDArray[np.bool_]]
    wrinkles: tuple[NDArray[np.void], Int32, Int32, Float32, Int32, Float32, Float32, Float32]
    timings: Timings
    stats: Stats


def _kept(found: _core.Snapshot) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Tell pickle what to keep of a snapshot."""
    return _Kept, tuple(getattr(found, name) for name in _Kept._fields)


copyreg.pickle(_core.Snapshot, _kept)


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
        rows = self.wrinkles.rows
        return Stats(
            compression_labels=compression, rest_labels=rest, stretch_labels=stretch, label_changes=0,
            degenerate=int(self.field[-1].sum()), wrinkles=len(rows), fading=int(rows["fading"].sum()), born=0, died=0,
            slid=0, rebuilt=0, clamped=0, extended=0, trimmed=0, tried=0, refused=0,
        )  # fmt: skip
