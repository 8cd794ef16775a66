"""The wrinkles of a frame in three forms: objects, flat arrays, and drawn lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arguments import found, instance, mistyped
from ruckle.arrays import Float32, Int32, float32, int32

__all__ = [
    "CURVE_SAMPLE",
    "POINT",
    "WRINKLE",
    "Curves",
    "Wrinkle",
    "WrinkleColumns",
    "columns_of",
    "draw_line",
    "with_lines",
]


@dataclass(frozen=True, slots=True, eq=False)
class Wrinkle:
    """One wrinkle of a frame: a polyline whose vertices are on mesh edges, with a width and a height at each vertex.

    The arrays are read-only.

    Attributes
    ----------
    id : int
        Number in the order of birth, from 0. It does not change during the wrinkle's life.
    age : float, seconds
    fading : bool
        True if the cloth under the wrinkle is no longer compressed, so that the wrinkle fades out.
    edges : (n,) int32
        Mesh edge of each vertex.
    t : (n,) float32, in [0, 1]
        Position on the edge: vertex = a * t + b * (1 - t). Of the edge's vertices, a has the smaller index and b the
        larger index (thesis 5.1).
    faces : (n - 1,) int32
        Triangle of each segment.
    points : (n, 3) float32, mesh units
    width : (n,) float32, mesh units
        Full width of the cross-section: twice the radius in the middle of the wrinkle, `perimeter` at its ends.
    height : (n,) float32, mesh units
        Height of the crest; 0 at the ends and outside them.
    perimeter : float, mesh units
        Length of the cloth along the full cross-section.
    cuts : (2,) float32
        Shares of the first and of the last segment that are outside the wrinkle's ends.
    extent : (2,) float32, mesh units
        Positions of the wrinkle's ends, as length along the polyline.
    kappa : float
        Share of its length that the cloth has lost across the wrinkle, smoothed over time.
    size, fade : float, in [0, 1]
        `size` multiplies all lengths; it is below 1 for a short wrinkle. `fade` multiplies the height; it is below 1
        while a wrinkle is young or fades out.
    crest : float, mesh units
        Largest height, in the middle of the wrinkle.
    full_width : float, mesh units
        Width in the middle, not multiplied by `size`.
    curve : (m,) `CURVE_SAMPLE`, optional
        Drawn line of the wrinkle, which moves more smoothly than the path. If None, as for a wrinkle made by hand, a
        line along the path is drawn.
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
    curve: NDArray[np.void] | None = None

    @property
    def length(self) -> float:
        """Length of the line between the wrinkle's ends, mesh units."""
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
"""Structured type with the scalars of a `Wrinkle`, and `middle_width`: `full_width` times `size`, mesh units."""

NUMBERS = tuple(name for name in WRINKLE.names or () if name != "middle_width")

CURVE_SAMPLE: np.dtype[np.void] = _core.CURVE_SAMPLE
"""Structured type of a sample of a drawn line. `face` and `barycentric` are its position on the cloth.

`half_width` is measured on the cloth at rest. `half_width` and `height` are in mesh units.
"""

POINT: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "edges": (np.int32, ()),
    "t": (np.float32, ()),
    "faces": (np.int32, ()),
    "points": (np.float32, (3,)),
    "widths": (np.float32, ()),
    "heights": (np.float32, ()),
}
"""Arrays of `WrinkleColumns` with one entry per path vertex: type and shape of an entry."""


class WrinkleColumns(NamedTuple):
    """All wrinkles of a frame as flat arrays, oldest wrinkle first.

    The vertices of wrinkle i are rows [offsets[i], offsets[i + 1]). The samples of its drawn line are rows
    [curve_offsets[i], curve_offsets[i + 1]) of `curves`.

    Attributes
    ----------
    rows : (W,) `WRINKLE`
        Scalars of each wrinkle.
    offsets : (W + 1,) int32
    edges, t, faces, points, widths, heights : (n, ...)
        Arrays of all wrinkles, concatenated. The face of a wrinkle's last vertex is -1, because no segment begins
        there.
    curve_offsets : (W + 1,) int32
    curves : (m,) `CURVE_SAMPLE`
        Samples of the drawn lines.
    """

    rows: NDArray[np.void]
    offsets: NDArray[np.int32]
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    widths: NDArray[np.float32]
    heights: NDArray[np.float32]
    curve_offsets: NDArray[np.int32]
    curves: NDArray[np.void]

    def scaled(self, share: float) -> WrinkleColumns:
        """Return a copy whose heights and crests, also those of drawn lines, are multiplied by `share` (0 to 1)."""
        rows, curves, factor = self.rows.copy(), self.curves.copy(), np.float32(share)
        rows["crest"] *= factor
        curves["height"] *= factor
        return self._replace(rows=rows, curves=curves, heights=factor * self.heights)

    def joined(self, other: WrinkleColumns) -> WrinkleColumns:
        """Return the wrinkles of `self`, then of `other`. If both use an id, the wrinkle of `self` gets a new id."""
        rows = self.rows.copy()
        twice = np.isin(rows["id"], other.rows["id"])
        last = max(rows["id"].max(initial=0), other.rows["id"].max(initial=0))
        rows["id"][twice] = last + 1 + np.arange(np.count_nonzero(twice), dtype=rows["id"].dtype)
        whole = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in (*POINT, "curves")}
        return WrinkleColumns(
            rows=np.concatenate([rows, other.rows]),
            offsets=np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            curve_offsets=np.concatenate([self.curve_offsets, self.curve_offsets[-1] + other.curve_offsets[1:]]),
            **whole,
        )

    def wrinkles(self) -> list[Wrinkle]:
        """Return the wrinkles as objects, with views of the arrays."""
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
                curve=self.curves[first:last],
            )
            for row, (start, stop), (first, last) in zip(
                numbers, pairwise(self.offsets.tolist()), pairwise(self.curve_offsets.tolist()), strict=True
            )
        ]


def _items(column: NDArray[Any]) -> Sequence[Any]:
    """Return one entry per wrinkle from a column: Python numbers, or views if each entry is an array."""
    return column.tolist() if column.ndim == 1 else [*column]


class Curves(NamedTuple):
    """Lines on the coarse mesh along which the surface rises.

    The samples of line i are rows [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    offsets : (W + 1,) int32
    samples : (m,) `CURVE_SAMPLE`
    """

    offsets: Int32
    samples: NDArray[np.void]


def columns_of(wrinkles: Sequence[Wrinkle]) -> WrinkleColumns:
    """Return wrinkles as flat arrays. `WrinkleColumns.wrinkles` is the inverse.

    Raises
    ------
    TypeError
        `wrinkles` is not a sequence of Wrinkle.
    ValueError
        A number or array of a wrinkle does not match the description in `Wrinkle`; the message contains its name.
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
    lines = [_line(f"wrinkles[{i}].curve", wrinkle.curve) for i, wrinkle in enumerate(wrinkles)]
    points = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return with_lines(WrinkleColumns(rows, offsets, **points, curve_offsets=NO_LINES, curves=NO_LINE), lines)


NO_LINES, NO_LINE = np.zeros(1, np.int32), np.empty(0, CURVE_SAMPLE)


def with_lines(columns: WrinkleColumns, lines: Sequence[NDArray[np.void]]) -> WrinkleColumns:
    """Return a copy with other drawn lines; `lines` has one array of samples per wrinkle, in order."""
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int32)
    return columns._replace(curve_offsets=offsets, curves=np.concatenate([NO_LINE, *lines]))


def _line(name: str, line: object) -> NDArray[np.void]:
    """Return the samples of a drawn line as `CURVE_SAMPLE`; an empty array for None. ValueError for another type.

    The values are checked later, when the line is drawn.
    """
    if line is None:
        return NO_LINE
    if not (isinstance(line, np.ndarray) and line.ndim == 1 and line.dtype.names == CURVE_SAMPLE.names):
        raise ValueError(f"{name}: expected samples of a line, got {found(line)}")
    return line.astype(CURVE_SAMPLE)


def draw_line(
    name: str, wrinkle: Wrinkle, positions: Float32, rest: Float32, topology: _core.Topology
) -> NDArray[np.void]:
    """Return the drawn line of a wrinkle. If the wrinkle does not have one, compute a line along its path.

    Raise ValueError, which begins with `name`, if the path does not match the mesh.
    """
    if wrinkle.curve is not None:
        return wrinkle.curve
    first, last = (float(cut) for cut in wrinkle.cuts)
    try:
        return _core.draw_curve(
            topology, positions, rest, int32("edges", wrinkle.edges), float32("t", wrinkle.t),
            cut_first=first, cut_last=last, width=float(wrinkle.full_width * wrinkle.size),
            perimeter=float(wrinkle.perimeter), fade=float(wrinkle.fade),
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{name} cannot be drawn on this mesh: {error}") from error


def _row(name: str, wrinkle: Wrinkle) -> NDArray[np.void]:
    """Return the scalars of a wrinkle as one `WRINKLE` record; ValueError if a scalar has a wrong type or shape."""
    row = np.zeros((), WRINKLE)
    for field in NUMBERS:
        row[field] = _fitting(f"{name}.{field}", getattr(wrinkle, field), row[field].dtype, row[field].shape)
    row["middle_width"] = row["full_width"] * row["size"]
    return row


def _points(name: str, wrinkle: Wrinkle) -> dict[str, NDArray[Any]]:
    """Return the checked arrays of a wrinkle in the form of `POINT`; the face of the last vertex is -1."""
    n, arrays = np.size(wrinkle.edges), {}
    for column, (dtype, entry) in POINT.items():
        attribute = {"widths": "width", "heights": "height"}.get(column, column)
        shape = (n - 1 if column == "faces" else n, *entry)
        arrays[column] = _fitting(f"{name}.{attribute}", getattr(wrinkle, attribute), np.dtype(dtype), shape)
    return arrays | {"faces": np.append(arrays["faces"], np.int32(-1))}


def _fitting(name: str, value: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a number or array as `dtype`; ValueError if its type or shape is wrong or a number is not finite."""
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
