"""The wrinkles of a run as flat arrays with offsets, and back again: see `ruckle.io.results` for their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.paths.frame import Wrinkle

if TYPE_CHECKING:
    from ruckle.io.npz import Archive

__all__ = ["OFFSETS", "PER_POINT", "PER_WRINKLE", "WrinkleArrays"]


@dataclass(frozen=True)
class Column:
    """One array: type and shape of a row, and what a wrinkle gives for it."""

    dtype: type[np.generic]
    of: Callable[[Wrinkle], Any]
    entry: tuple[int, ...] = ()


OFFSETS = ("wrinkle_frame_offsets", "wrinkle_point_offsets")

PER_WRINKLE = {
    "wrinkle_ids": Column(np.int64, lambda w: w.id),
    "wrinkle_ages": Column(np.float32, lambda w: w.age),
    "wrinkle_fading": Column(np.bool_, lambda w: w.fading),
    "wrinkle_perimeters": Column(np.float32, lambda w: w.perimeter),
    "wrinkle_kappas": Column(np.float32, lambda w: w.kappa),
    "wrinkle_sizes": Column(np.float32, lambda w: w.size),
    "wrinkle_fades": Column(np.float32, lambda w: w.fade),
    "wrinkle_crests": Column(np.float32, lambda w: w.crest),
    "wrinkle_full_widths": Column(np.float32, lambda w: w.full_width),
    "wrinkle_cuts": Column(np.float32, lambda w: w.cuts, (2,)),
    "wrinkle_extents": Column(np.float32, lambda w: w.extent, (2,)),
}

PER_POINT = {
    "wrinkle_edges": Column(np.int32, lambda w: w.edges),
    "wrinkle_t": Column(np.float32, lambda w: w.t),
    # a polyline has one segment less than vertices: the last row keeps the arrays of equal length
    "wrinkle_faces": Column(np.int32, lambda w: np.append(w.faces, -1)),
    "wrinkle_points": Column(np.float32, lambda w: w.points, (3,)),
    "wrinkle_widths": Column(np.float32, lambda w: w.width),
    "wrinkle_heights": Column(np.float32, lambda w: w.height),
}


class WrinkleArrays(Sequence[list[Wrinkle]]):
    """The wrinkles of every frame, kept as flat arrays: item f is the list that `Frame.wrinkles` was.

    Attributes
    ----------
    arrays : dict of str to array
        By their names in the file, read-only.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        for array in arrays.values():
            array.flags.writeable = False

    @classmethod
    def read(cls, archive: Archive, frame_count: int, edge_count: int, face_count: int) -> WrinkleArrays:
        """Read and check the arrays of a run's file.

        Raises
        ------
        FormatError
            An array is missing, or does not fit the others; the sentence names it.
        """
        frame_offsets = _offsets(archive, "wrinkle_frame_offsets", frame_count)
        point_offsets = _offsets(archive, "wrinkle_point_offsets", int(frame_offsets[-1]))
        arrays = {"wrinkle_frame_offsets": frame_offsets, "wrinkle_point_offsets": point_offsets}
        for columns, rows in ((PER_WRINKLE, frame_offsets[-1]), (PER_POINT, point_offsets[-1])):
            for name, column in columns.items():
                arrays[name] = _rows(archive, name, column, int(rows))
        last = np.zeros(point_offsets[-1], bool)
        last[point_offsets[1:][np.diff(point_offsets) > 0] - 1] = True
        _check_range(archive, arrays, "wrinkle_edges", 0, edge_count - 1)
        _check_range(archive, arrays, "wrinkle_t", 0, 1)
        inner = {"wrinkle_faces": arrays["wrinkle_faces"][~last]}
        _check_range(archive, inner, "wrinkle_faces", 0, face_count - 1)
        return cls(arrays)

    def __len__(self) -> int:
        return len(self.arrays["wrinkle_frame_offsets"]) - 1

    @overload
    def __getitem__(self, frame: int) -> list[Wrinkle]: ...

    @overload
    def __getitem__(self, frame: slice) -> list[list[Wrinkle]]: ...

    def __getitem__(self, frame: int | slice) -> list[Wrinkle] | list[list[Wrinkle]]:
        if isinstance(frame, slice):
            return [self[k] for k in range(*frame.indices(len(self)))]
        if not -len(self) <= frame < len(self):
            raise IndexError(f"frame: expected one of {len(self)} frames, got {frame}")
        start, stop = self.arrays["wrinkle_frame_offsets"][frame % len(self) :][:2]
        return [self._wrinkle(row) for row in range(start, stop)]

    def __iter__(self) -> Iterator[list[Wrinkle]]:
        return (self[frame] for frame in range(len(self)))

    def __repr__(self) -> str:
        return f"WrinkleArrays({len(self.arrays['wrinkle_ids'])} wrinkles in {len(self)} frames)"

    def _wrinkle(self, row: int) -> Wrinkle:
        start, stop = self.arrays["wrinkle_point_offsets"][row : row + 2]
        one = {name: self.arrays[f"wrinkle_{name}"][row] for name in ("cuts", "extents")}
        number = {name: self.arrays[name][row].item() for name in PER_WRINKLE if not PER_WRINKLE[name].entry}
        points = {name: self.arrays[name][start:stop] for name in PER_POINT}
        return Wrinkle(
            id=number["wrinkle_ids"],
            age=number["wrinkle_ages"],
            fading=number["wrinkle_fading"],
            edges=points["wrinkle_edges"],
            t=points["wrinkle_t"],
            faces=points["wrinkle_faces"][:-1],
            points=points["wrinkle_points"],
            width=points["wrinkle_widths"],
            height=points["wrinkle_heights"],
            perimeter=number["wrinkle_perimeters"],
            cuts=one["cuts"],
            extent=one["extents"],
            kappa=number["wrinkle_kappas"],
            size=number["wrinkle_sizes"],
            fade=number["wrinkle_fades"],
            crest=number["wrinkle_crests"],
            full_width=number["wrinkle_full_widths"],
        )


def _offsets(archive: Archive, name: str, count: int) -> NDArray[np.int64]:
    """Return offsets of `count` items: from 0, never falling."""
    offsets = archive.array(name, "i")
    if offsets.shape != (count + 1,) or offsets.dtype != np.int64:
        raise FormatError(
            f"{archive.path}: array '{name}' is {offsets.dtype} {offsets.shape}, expected int64 {(count + 1,)}"
        )
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise FormatError(f"{archive.path}: array '{name}' does not count up from 0")
    return offsets


def _rows(archive: Archive, name: str, column: Column, count: int) -> NDArray[Any]:
    found = archive.array(name, np.dtype(column.dtype).kind)
    expected = (count, *column.entry)
    if found.shape != expected or found.dtype != column.dtype:
        raise FormatError(
            f"{archive.path}: array '{name}' is {found.dtype} {found.shape}, "
            f"expected {np.dtype(column.dtype)} {expected}"
        )
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        row = int(np.argwhere(~np.isfinite(found))[0, 0])
        raise FormatError(f"{archive.path}: array '{name}' is not finite in row {row}")
    return found


def _check_range(archive: Archive, arrays: dict[str, NDArray[Any]], name: str, least: int, most: int) -> None:
    outside = np.flatnonzero((arrays[name] < least) | (arrays[name] > most))
    if len(outside):
        value = arrays[name][outside[0]]
        raise FormatError(f"{archive.path}: array '{name}' holds {value}, allowed are {least} to {most}")
