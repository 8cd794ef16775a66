"""An animated coarse mesh: what every format is read into and what the whole pipeline starts from."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.errors import MeshError

__all__ = ["UP_AXIS", "Animation", "frame_count_of", "positive_number", "vertical_extent"]

# glTF prescribes +Y as up, and the NPZ layout follows it; formats that do not say are read the same way.
UP_AXIS = 1

# Share of a frame by which a time may miss a stored frame and still count as that frame: key times are often
# float32, where 3.9833 s at 60 fps is 238.99998 frames; without it the last frame would be lost.
FRAME_TOLERANCE = 1e-3

# A letter stands for any extent, as in the documentation; a number for exactly that one.
Shape = tuple[str | int, ...]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Animation:
    """A triangle mesh of fixed topology whose vertices move from frame to frame.

    The arrays are read-only and C-contiguous. An array that already has the stored type and layout is not
    copied.

    Parameters
    ----------
    positions : (F, V, 3) float32 or float64, mesh units
        Vertex positions of every frame; float64 is rounded to float32.
    faces : (T, 3) integers
        Vertex indices of every triangle, from 0, counterclockwise seen from outside.
    fps : float, frames per second
        Frame rate of `positions`.
    uv : (V, 2) or (U, 2) float32 or float64, optional
        Texture coordinates as the file stores them: one per vertex, or U of them indexed by `uv_faces`.
    uv_faces : (T, 3) integers, optional
        Indices into `uv` of every triangle, where texture coordinates are indexed separately.
    name : str
        What tables and file names call this animation.
    height : float, mesh units, optional
        Height of the character that wears the mesh: the length that a wrinkle size given in percent refers
        to. Without it the mesh's own vertical (Y) extent in the first frame is taken, or its largest extent
        where it lies flat.

    Raises
    ------
    MeshError
        An array has the wrong type or shape or is empty; a position is not finite (names frame and vertex); a
        face refers to a missing vertex or to one vertex twice (names the face); no height can be estimated.
    ValueError
        `fps` or `height` is not a finite number above 0, or `name` is not a string.

    Examples
    --------
    >>> import numpy as np
    >>> corners = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]])
    >>> Animation(np.concatenate([corners, corners + 1.0]), [[0, 1, 2]], fps=24, name="flag")
    Animation('flag': 2 frames at 24 fps (0.0417 s), 3 vertices, 1 face, height 2)
    """

    positions: NDArray[np.float32]
    faces: NDArray[np.int32]
    fps: float
    uv: NDArray[np.float32] | None
    uv_faces: NDArray[np.int32] | None
    name: str
    height: float

    def __init__(
        self,
        positions: ArrayLike,
        faces: ArrayLike,
        *,
        fps: float = 30.0,
        uv: ArrayLike | None = None,
        uv_faces: ArrayLike | None = None,
        name: str = "",
        height: float | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name: expected a string, got {type(name).__name__}")
        points = _float_array("positions", positions, ("F", "V", 3))
        if points.shape[0] == 0:
            raise MeshError(f"positions: an animation needs at least one frame, got shape {points.shape}")
        triangles = _index_array("faces", faces, points.shape[1], "vertex")
        _check_distinct(triangles)
        _check_finite(points)
        texture, texture_faces = _texture(uv, uv_faces, points.shape[1], triangles.shape[0])
        fields: dict[str, Any] = {
            "positions": points,
            "faces": triangles,
            "fps": positive_number("fps", fps),
            "uv": texture,
            "uv_faces": texture_faces,
            "name": name,
            "height": _own_height(points[0]) if height is None else positive_number("height", height),
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    @property
    def frame_count(self) -> int:
        """Number of frames F."""
        return int(self.positions.shape[0])

    @property
    def vertex_count(self) -> int:
        """Number of vertices V."""
        return int(self.positions.shape[1])

    @property
    def face_count(self) -> int:
        """Number of triangles T."""
        return int(self.faces.shape[0])

    @property
    def duration(self) -> float:
        """Time from the first to the last frame, in seconds."""
        return (self.frame_count - 1) / self.fps

    def at_rate(self, fps: float) -> Animation:
        """Return the same motion at another frame rate, positions interpolated linearly in time.

        The first frame stays; the last new frame is the last that does not lie behind the old one's end. A
        new frame that falls on an old one is that frame, bit for bit.

        Parameters
        ----------
        fps : float, frames per second

        Raises
        ------
        ValueError
            `fps` is not a finite number above 0.
        """
        fps = positive_number("fps", fps)
        places = np.arange(frame_count_of(self.duration, fps)) * (self.fps / fps)
        nearest = np.round(places)
        places = np.where(np.abs(places - nearest) < FRAME_TOLERANCE, nearest, places)
        before = np.minimum(places.astype(np.intp), self.frame_count - 1)
        after = np.minimum(before + 1, self.frame_count - 1)
        positions = np.empty((places.size, self.vertex_count, 3), np.float32)
        # frame by frame, so that float64 intermediates stay the size of one frame
        for frame, share in enumerate(places - before):
            positions[frame] = (1 - share) * self.positions[before[frame]] + share * self.positions[after[frame]]
        return replace(self, positions=positions, fps=fps)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the animation to a file; the extension decides the format.

        `.npz` keeps everything exactly. `.pc2` and `.mdd` keep the positions and write the mesh beside them
        as `.obj` (PC2 does not keep the frame rate). Files are overwritten, except an `.obj` of another
        topology.

        Parameters
        ----------
        path : path of the file

        Raises
        ------
        FormatError
            The extension is unknown, or the file cannot be written.
        """
        # imported here because the formats import this module
        from ruckle.io import save

        save(self, path)

    def __repr__(self) -> str:
        texture = "" if self.uv is None else ", uv"
        return (
            f"Animation({self.name!r}: {_counted(self.frame_count, 'frame')} at {self.fps:g} fps "
            f"({self.duration:.3g} s), {_counted(self.vertex_count, 'vertex', 'vertices')}, "
            f"{_counted(self.face_count, 'face')}{texture}, height {self.height:.4g})"
        )


def positive_number(name: str, value: object) -> float:
    """Return `value` as a float; ValueError naming the argument unless it is a finite number above 0."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        number = float(value) if real else math.nan  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name}: expected a finite number above 0, got {value!r}")
    return number


def frame_count_of(duration: float, fps: float) -> int:
    """Return how many frames at `fps` (per second) fit into `duration` (seconds), both ends included."""
    return math.floor(duration * fps + FRAME_TOLERANCE) + 1


def vertical_extent(positions: NDArray[np.floating]) -> float:
    """Return the extent along the up axis of points (..., 3), in their units."""
    heights = positions[..., UP_AXIS]
    return float(heights.max()) - float(heights.min())


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def _mismatch(name: str, kind: str, shape: Shape, found: NDArray[Any]) -> MeshError:
    wanted = ", ".join(map(str, shape))
    return MeshError(f"{name}: expected {kind} of shape ({wanted}), got {found.dtype} {found.shape}")


def _fits(found: NDArray[Any], shape: Shape) -> bool:
    return found.ndim == len(shape) and all(
        isinstance(size, str) or size == actual for size, actual in zip(shape, found.shape, strict=True)
    )


def _as_array(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise MeshError(f"{name}: expected an array with rows of equal length ({error})") from error


def _float_array(name: str, values: ArrayLike, shape: Shape) -> NDArray[np.float32]:
    found = _as_array(name, values)
    # by kind and size, so that arrays of the other byte order are taken too
    if found.dtype.kind != "f" or found.dtype.itemsize not in (4, 8) or not _fits(found, shape):
        raise _mismatch(name, "float32 or float64", shape, found)
    # what float32 cannot hold becomes infinite, a signalling NaN quiet; the check for finiteness names both
    with np.errstate(over="ignore", invalid="ignore"):
        return _read_only(np.ascontiguousarray(found, dtype=np.float32))


def _index_array(name: str, values: ArrayLike, limit: int, noun: str) -> NDArray[np.int32]:
    """Return triangles as (T, 3) int32 after checking that every index is in [0, limit)."""
    found = _as_array(name, values)
    if found.shape == (0,) or (found.ndim == 2 and found.shape[0] == 0):
        raise MeshError(f"{name}: a mesh needs at least one face, got shape {found.shape}")
    if found.dtype.kind not in "iu" or not _fits(found, ("T", 3)):
        raise _mismatch(name, "integers", ("T", 3), found)
    if int(found.min()) < 0 or int(found.max()) >= limit:
        face, corner = np.argwhere((found < 0) | (found >= limit))[0]
        allowed = f"allowed are 0 to {limit - 1}" if limit else f"there is no {noun}"
        raise MeshError(f"{name}: face {face} refers to {noun} {found[face, corner]}, {allowed}")
    return _read_only(np.ascontiguousarray(found, dtype=np.int32))


def _check_distinct(faces: NDArray[np.int32]) -> None:
    first, second, third = faces.T
    repeated = (first == second) | (second == third) | (third == first)
    if repeated.any():
        face = int(np.argmax(repeated))
        raise MeshError(f"faces: face {face} uses one vertex twice {tuple(faces[face].tolist())}")


def _check_finite(positions: NDArray[np.float32]) -> None:
    finite = np.isfinite(positions)
    if not finite.all():
        frame, vertex, _ = np.argwhere(~finite)[0]
        found = tuple(positions[frame, vertex].tolist())
        raise MeshError(f"positions: frame {frame}, vertex {vertex} is not finite {found}")


def _texture(
    uv: ArrayLike | None, uv_faces: ArrayLike | None, vertex_count: int, face_count: int
) -> tuple[NDArray[np.float32] | None, NDArray[np.int32] | None]:
    if uv is None:
        if uv_faces is not None:
            raise MeshError("uv_faces: given without uv")
        return None, None
    coordinates = _float_array("uv", uv, ("U", 2))
    finite = np.isfinite(coordinates).all(axis=1)
    if not finite.all():
        raise MeshError(f"uv: coordinate {int(np.argmin(finite))} is not finite")
    if uv_faces is None:
        if coordinates.shape[0] != vertex_count:
            raise MeshError(
                f"uv: expected one coordinate for each of {vertex_count} vertices, "
                f"got {coordinates.shape[0]}; coordinates that are indexed separately need uv_faces"
            )
        return coordinates, None
    triangles = _index_array("uv_faces", uv_faces, coordinates.shape[0], "uv coordinate")
    if triangles.shape[0] != face_count:
        raise MeshError(f"uv_faces: expected one triangle for each of {face_count} faces, got {triangles.shape[0]}")
    return coordinates, triangles


def _own_height(first_frame: NDArray[np.float32]) -> float:
    extents = np.ptp(first_frame.astype(np.float64), axis=0)
    height = float(extents[UP_AXIS]) or float(extents.max())
    if height == 0:
        raise MeshError("positions: all vertices of frame 0 lie in one point, so the height must be given (height=)")
    return height


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written through; the caller's own array stays writable."""
    view = array.view()
    view.flags.writeable = False
    return view
