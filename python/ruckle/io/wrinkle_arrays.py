"""Converts the wrinkles of a run to flat arrays with offsets, and back. The table in `ruckle.io.results` lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import first_true
from ruckle.errors import FormatError
from ruckle.paths.frame import CURVE_SAMPLE, POINT, WRINKLE, Wrinkle, WrinkleColumns

if TYPE_CHECKING:
    from ruckle.io.npz import Archive

__all__ = ["COLUMNS", "OFFSETS", "WrinkleArrays", "rows_of"]

OFFSETS = ("wrinkle_frame_offsets", "wrinkle_point_offsets", "wrinkle_curve_offsets")

ROWS = np.dtype([(name, WRINKLE[name]) for name in WRINKLE.names or ()])
"""The data type `WRINKLE` without padding bytes, so that equal wrinkles have equal bytes."""

COLUMNS = {
    **{name: (np.dtype(np.int64), ()) for name in OFFSETS},
    "wrinkles": (ROWS, ()),
    "wrinkle_curves": (CURVE_SAMPLE, ()),
    **{f"wrinkle_{name}": (np.dtype(dtype), entry) for name, (dtype, entry) in POINT.items()},
}
"""Type and shape of one row of every array, by the name of the array in the file."""


class WrinkleArrays(Sequence[list[Wrinkle]]):
    """The wrinkles of every frame as flat arrays. Item f is equal to `Frame.wrinkles` of frame f.

    Attributes
    ----------
    arrays : dict of str to array
        Read-only arrays, by their names in the file.
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
            An array is missing, or its shape does not match the other arrays. The message contains its name.
        """
        frame_offsets = _offsets(archive, "wrinkle_frame_offsets", frame_count)
        point_offsets = _offsets(archive, "wrinkle_point_offsets", int(frame_offsets[-1]))
        curve_offsets = _offsets(archive, "wrinkle_curve_offsets", int(frame_offsets[-1]))
        offsets = (frame_offsets, point_offsets, curve_offsets)
        arrays: dict[str, NDArray[Any]] = dict(zip(OFFSETS, offsets, strict=True))
        counted = {"wrinkles": frame_offsets, "wrinkle_curves": curve_offsets}
        for name in COLUMNS:
            if name not in OFFSETS:
                arrays[name] = _rows(archive, name, int(counted.get(name, point_offsets)[-1]))
        last = np.zeros(point_offsets[-1], bool)
        last[point_offsets[1:][np.diff(point_offsets) > 0] - 1] = True
        _check_range(archive, arrays, "wrinkle_edges", 0, edge_count - 1)
        _check_range(archive, arrays, "wrinkle_t", 0, 1)
        inner = {"wrinkle_faces": arrays["wrinkle_faces"][~last]}
        _check_range(archive, inner, "wrinkle_faces", 0, face_count - 1)
        samples = {"wrinkle_curves": arrays["wrinkle_curves"]["face"]}
        _check_range(archive, samples, "wrinkle_curves", 0, face_count - 1)
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
        first, last = self.arrays["wrinkle_frame_offsets"][frame % len(self) :][:2]
        offsets = self.arrays["wrinkle_point_offsets"][first : last + 1]
        points = {name: self.arrays[f"wrinkle_{name}"][offsets[0] : offsets[-1]] for name in POINT}
        samples = self.arrays["wrinkle_curve_offsets"][first : last + 1]
        return WrinkleColumns(
            self.arrays["wrinkles"][first:last],
            (offsets - offsets[0]).astype(np.int32),
            **points,
            curve_offsets=(samples - samples[0]).astype(np.int32),
            curves=self.arrays["wrinkle_curves"][samples[0] : samples[-1]],
        ).wrinkles()

    def __iter__(self) -> Iterator[list[Wrinkle]]:
        return (self[frame] for frame in range(len(self)))

    def __repr__(self) -> str:
        return f"WrinkleArrays({len(self.arrays['wrinkles'])} wrinkles in {len(self)} frames)"


def rows_of(columns: WrinkleColumns) -> dict[str, NDArray[Any]]:
    """Return the rows of one frame's wrinkles for every array except the offsets."""
    points = {f"wrinkle_{name}": np.asarray(getattr(columns, name)) for name in POINT}
    return {"wrinkles": columns.rows.astype(ROWS), "wrinkle_curves": columns.curves, **points}


def _offsets(archive: Archive, name: str, count: int) -> NDArray[np.int64]:
    """Return the offsets of `count` items. Raise FormatError unless they start at 0 and do not decrease."""
    offsets = archive.array(name, "i")
    if offsets.shape != (count + 1,) or offsets.dtype != np.int64:
        raise FormatError(
            f"{archive.path}: array '{name}' is {offsets.dtype} {offsets.shape}, expected int64 {(count + 1,)}"
        )
    if offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise FormatError(f"{archive.path}: array '{name}' does not count up from 0")
    return offsets


def _rows(archive: Archive, name: str, count: int) -> NDArray[Any]:
    dtype, entry = COLUMNS[name]
    array = archive.array(name, dtype.kind)
    expected = (count, *entry)
    if array.shape != expected or array.dtype != dtype:
        raise FormatError(f"{archive.path}: array '{name}' is {array.dtype} {array.shape}, expected {dtype} {expected}")
    for part in [array[field] for field in dtype.names] if dtype.names else [array]:
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            row = first_true(~np.isfinite(part))[0]
            raise FormatError(f"{archive.path}: array '{name}' is not finite in row {row}")
    return array


def _check_range(archive: Archive, arrays: dict[str, NDArray[Any]], name: str, least: int, most: int) -> None:
    outside = (arrays[name] < least) | (arrays[name] > most)
    if outside.any():
        value = arrays[name][first_true(outside)]
        raise FormatError(f"{archive.path}: array '{name}' holds {value}, allowed are {least} to {most}")
