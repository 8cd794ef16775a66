"""Readers of array arguments: each returns a C-contiguous, aligned array of the type that the core expects.

Real arrays may have any real or integer type, index arrays any integer type; arrays of other types raise ValueError.
Error messages contain the argument's name.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import found

__all__ = [
    "Float32",
    "Int32",
    "Labels",
    "contiguous",
    "finite",
    "finite_rows",
    "first_true",
    "float32",
    "float64",
    "int32",
    "labels_uint8",
    "make_read_only",
    "shaped",
    "triangles",
    "triangles_of",
]

Float32 = NDArray[np.float32]
Int32 = NDArray[np.int32]
Labels = NDArray[np.uint8]

Kind = TypeVar("Kind", bound=np.generic)


def contiguous(array: NDArray[Any], kind: type[Kind]) -> NDArray[Kind]:
    """Return an array of one type and of the same shape, C-contiguous and aligned; copies only if necessary."""
    # `np.require` takes ten times as long as this test
    if array.dtype == kind and array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.require(array, kind, ("C", "A"))


def finite(names: str, result: Float32) -> Float32:
    """Return `result`, computed from the arguments `names`. ValueError if a number in `result` is not finite."""
    if not np.isfinite(result).all():
        raise ValueError(f"{names}: expected numbers whose products and quotients stay within float32")
    return result


def finite_rows(name: str, values: ArrayLike, shape: tuple[str | int, ...]) -> NDArray[np.float64]:
    """Return `values` as float64 rows of `shape` (see `shaped`); ValueError if a number is not finite in float32."""
    rows = shaped(name, float64(name, values), shape)
    sound = np.abs(rows) <= np.finfo(np.float32).max
    if not sound.all():
        where = first_true(~sound)
        raise ValueError(f"{name}: expected finite numbers within float32, found {rows[where]:g} at {where}")
    return rows


def first_true(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the index of the first True in `mask`. The mask must contain at least one True."""
    return tuple(int(index) for index in np.unravel_index(np.argmax(mask), mask.shape))


def float32(name: str, values: ArrayLike) -> Float32:
    """Return `values` as a C-contiguous float32 array; copy them only if type or layout differ."""
    array = _array_of(name, values, "fiu", "real numbers")
    # a number too large for float32 becomes infinity; the core then raises an error with the argument's name
    with np.errstate(over="ignore"):
        return contiguous(array, np.float32)


def float64(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a C-contiguous float64 array; copy them only if type or layout differ."""
    return contiguous(_array_of(name, values, "fiu", "real numbers"), np.float64)


def int32(name: str, values: ArrayLike) -> Int32:
    """Return `values` as a C-contiguous int32 array, copied only if type or layout differ; ValueError on overflow."""
    array = _array_of(name, values, "iu", "integers")
    if array.dtype != np.int32 and array.size:
        bounds = np.iinfo(np.int32)
        least, most = int(array.min()), int(array.max())
        if least < bounds.min or most > bounds.max:
            found = least if least < bounds.min else most
            raise ValueError(f"{name}: {found} does not fit 32 bits")
    return contiguous(array, np.int32)


def labels_uint8(name: str, values: ArrayLike) -> Labels:
    """Return `values` as C-contiguous uint8 labels; ValueError if one is not 0, 1 or 2. uint8 input is not checked."""
    array = _array_of(name, values, "iu", "integer labels")
    if array.dtype != np.uint8 and array.size and not 0 <= int(array.min()) <= int(array.max()) <= 2:
        raise ValueError(f"{name}: labels are 0, 1 and 2, found {int(array.min())} to {int(array.max())}")
    return contiguous(array, np.uint8)


def small_integers(name: str, values: ArrayLike) -> Labels:
    """Return `values` as a C-contiguous uint8 array; ValueError if an integer is not in 0 to 255."""
    array = _array_of(name, values, "iu", "integers")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) <= 255:
        raise ValueError(f"{name}: expected integers from 0 to 255, found {int(array.min())} to {int(array.max())}")
    return contiguous(array, np.uint8)


def shaped(name: str, array: NDArray[Kind], shape: tuple[str | int, ...]) -> NDArray[Kind]:
    """Return `array` if it has `shape`; otherwise raise ValueError. A letter in `shape` allows any size there."""
    fits = len(shape) == array.ndim and all(
        isinstance(want, str) or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(map(str, shape)) + "," * (len(shape) == 1)
        raise ValueError(f"{name}: expected an array of shape ({wanted}), got {array.shape}")
    return array


def make_read_only(value: object) -> None:
    """Make an array, or all arrays in a tuple, read-only; arrays are writeable after unpickling."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for part in value:
            make_read_only(part)


def triangles_of(name: str, values: ArrayLike, vertex_count: int) -> Int32:
    """Return faces (T, 3) as int32. ValueError if the shape is wrong or a vertex index is out of range."""
    faces = shaped(name, triangles(name, values), ("T", 3))
    sound = (faces >= 0) & (faces < vertex_count)
    if not sound.all():
        where = first_true(~sound)
        known = f"a mesh of {vertex_count} vertices has 0 to {vertex_count - 1}"
        raise ValueError(f"{name}: face {where[0]} names vertex {faces[where]}; {known}")
    return faces


def triangles(name: str, values: ArrayLike) -> Int32:
    """Return faces as int32; the shape is not checked. ValueError for larger polygons: the user must split them."""
    faces = int32(name, values)
    if faces.ndim == 2 and faces.shape[1] > 3:
        raise ValueError(
            f"{name}: expected triangles, an array of shape (T, 3), got {faces.shape}; split larger polygons first"
        )
    return faces


def _array_of(name: str, values: ArrayLike, kinds: str, expected: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name}: expected {expected} in rows of equal length, got {found(values)}") from error
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name}: expected {expected}, got {found(array if array.dtype.kind not in 'OU' else values)}")
    return array
