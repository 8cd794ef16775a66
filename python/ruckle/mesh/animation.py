"""An animated coarse mesh: the result of every reader and the input of all layers."""

from __future__ import annotations

import math
import os
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import LARGEST_COUNT, choice, found, instance, mistyped, positive_number, whole_number
from ruckle.arrays import contiguous, first_true
from ruckle.errors import MeshError
from ruckle.mesh.colors import FaceColors, require_colors
from ruckle.mesh.groups import VertexGroups
from ruckle.mesh.mask import require_mask
from ruckle.mesh.rotation import nearest_rotations
from ruckle.mesh.sewing import Sewing
from ruckle.mesh.skeleton import Skeleton, require_bones

__all__ = [
    "UPRIGHT",
    "UP_AXES",
    "Animation",
    "Up",
    "frame_count_of",
    "likely_up",
    "own_extent",
    "require_animation",
    "rest_pose",
    "up_name",
    "vertical_extent",
]

Up = Literal["y", "z"]

UP_AXES: dict[Up, int] = {"y": 1, "z": 2}
"""Index of the coordinate that points up. In glTF files, it is Y.

For files without this information, Y is assumed.
"""

UPRIGHT: dict[Up, NDArray[np.float64]] = {
    "y": np.eye(3),
    "z": np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)]),
}
"""Rotation for each up axis, which turns a mesh upright: Y points up, and the front is +Z.

Its rows are the axes of the upright mesh in the mesh's own coordinates. If Z points up, the front is -Y, as in
modelling programs.
"""

# A time is regarded as the time of a stored frame if they differ by at most this number of frames. Key times are often
# float32: 3.9833 s at 60 fps is frame 238.99998. Without this tolerance, the last frame would be lost.
FRAME_TOLERANCE = 1e-3

# Largest allowed rounding step of the positions (gap between adjacent float32 numbers), relative to the mesh's extent.
# The step grows away from the origin, and rounding then distorts the cloth. The jacket of the samples gets 7 % fewer
# wrinkles at this limit, 40 % fewer at twice this step, and twice as many at eight times this step.
COARSEST_STEP = 1e-3

# A mesh is flat if its vertical extent is below this share of its largest extent. The height of a flat mesh is its
# largest extent.
FLAT = 1e-2

# If Y is up, a vertical extent below this share of the extent along Z means that the up axis is probably wrong (and the
# other way around). A horizontal sleeve is at this limit: it is three times as long as thick.
LYING = 1 / 3

# Largest number of frames that `Animation.at_rate` may create: 36 minutes at 30 frames per second.
MOST_FRAMES = 2**16

# Shape of an array. A letter in place of a number allows any size of this axis.
Shape = tuple[str | int, ...]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Animation:
    """A triangle mesh with constant faces and moving vertices.

    The arrays are read-only and C-contiguous. An array with the right type and layout is not copied.

    Parameters
    ----------
    positions : (F, V, 3) float, mesh units
        Vertex positions in every frame. They are converted to float32.
    faces : (T, 3) integers
        Vertex indices of every triangle, from 0, counterclockwise seen from outside.
    fps : float, frames per second
        Frame rate of `positions`.
    uv : (V, 2) or (U, 2) float, optional
        Texture coordinates: one per vertex, or U texture coordinates that `uv_faces` refers to. v points up. In glTF
        files, v points down, so readers convert it.
    uv_faces : (T, 3) integers, optional
        Index into `uv` of each face corner, if texture coordinates do not have the indices of vertices.
    rest_positions : (V, 3) float, mesh units, optional
        Pose of the undeformed cloth, such as the bind pose of a skinned mesh, at any position in space; see
        `Wrinkler.for_animation`.
    name : str
        Name of the animation in tables and file names.
    height : float, mesh units, optional
        Height of the character that wears the mesh, to which wrinkle sizes in percent refer. Default: the vertical
        extent of the first frame, or its largest extent if the mesh is flat. If the mesh is only a garment, this guess
        (`height_is_guess`) is too small.
    up : {"y", "z"}
        Axis that points up. It affects the height and the view of pictures. Positions do not change.
    skeleton : Skeleton, optional
        Bones of the character that wears the mesh.
    bones : (F, B, 3, 4) float, optional
        Bone matrices from rest to every frame: rotation left, translation in mesh units right.
    colors : FaceColors, optional
        Colours of the faces from the file, for pictures.
    mask : (V,) float, in [0, 1], optional
        Factor, at each vertex, of wrinkles and of the curvature of the smooth surface below them: 0 for skin and
        armour, which keep their shape. The methods `for_animation` of `Wrinkler`, `Modulator` and `WaveField` apply it.
        `ruckle.load` sets it for characters.
    groups : VertexGroups, optional
        Names of meshes, materials and bones with their vertices, from which `ruckle.make_mask` makes masks.
    sewing : Sewing, optional
        Patches and buttons in texture coordinates, for pictures.

    Raises
    ------
    MeshError
        An array has a wrong type or shape, or is empty. A position is not finite, or a float64 position is so far from
        the origin that float32 cannot represent the cloth. A face contains an unknown vertex, or one vertex twice. The
        height cannot be estimated. The message contains the frame, vertex or face.
    ValueError
        `fps` or `height` is not a finite number above 0, `up` is another axis, the bones do not match the skeleton or
        the frames, the mask does not match the vertices, or the colours do not match the faces.
    TypeError
        `fps` or `height` is not a number, `name` or `up` is not a string, or `skeleton`, `colors`, `groups` or `sewing`
        is not an object of its class.

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
    rest_positions: NDArray[np.float32] | None
    name: str
    height: float
    up: Up
    skeleton: Skeleton | None
    bones: NDArray[np.float32] | None
    colors: FaceColors | None
    mask: NDArray[np.float32] | None
    groups: VertexGroups | None
    sewing: Sewing | None

    def __init__(
        self,
        positions: ArrayLike,
        faces: ArrayLike,
        *,
        fps: float = 30.0,
        uv: ArrayLike | None = None,
        uv_faces: ArrayLike | None = None,
        rest_positions: ArrayLike | None = None,
        name: str = "",
        height: float | None = None,
        up: Up = "y",
        skeleton: Skeleton | None = None,
        bones: ArrayLike | None = None,
        colors: FaceColors | None = None,
        mask: ArrayLike | None = None,
        groups: VertexGroups | None = None,
        sewing: Sewing | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise mistyped("name", "a string", name)
        up = up_name(up)
        points = _float_array("positions", positions, ("F", "V", 3))
        if points.shape[0] == 0:
            raise MeshError(f"positions: an animation needs at least one frame, got shape {points.shape}")
        triangles = _index_array("faces", faces, points.shape[1], "vertex")
        _check_distinct(triangles)
        _check_finite(points)
        stature = _guessed_height(points[0], triangles, up) if height is None else positive_number("height", height)
        if np.asarray(positions).dtype.itemsize > points.dtype.itemsize:
            _check_resolved(points)
        texture, texture_faces = _texture(uv, uv_faces, points.shape[1], triangles.shape[0])
        fields: dict[str, Any] = {
            "positions": points,
            "faces": triangles,
            "fps": positive_number("fps", fps),
            "uv": texture,
            "uv_faces": texture_faces,
            "rest_positions": None if rest_positions is None else _rest(rest_positions, points.shape[1]),
            "name": name,
            "height": stature,
            "up": up,
            "skeleton": skeleton,
            "bones": require_bones(skeleton, bones, points.shape[0]),
            "colors": None if colors is None else require_colors(colors, triangles.shape[0]),
            "mask": None if mask is None else require_mask(mask, points.shape[1]),
            "groups": None if groups is None else instance("groups", groups, VertexGroups),
            "sewing": None if sewing is None else instance("sewing", sewing, Sewing),
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

    @property
    def height_is_guess(self) -> bool:
        """True if `height` equals the estimate from the first frame, even if this number was given."""
        return self.height == own_extent(self.positions[0], self.faces, self.up)

    def at_rate(self, fps: float) -> Animation:
        """Return the same motion at another frame rate. Positions and bones are interpolated linearly in time.

        The first frame is kept. The last new frame is at the time of the last old frame, or just before it. If a new
        frame has the time of an old frame, it has the same bits.

        Parameters
        ----------
        fps : float, frames per second

        Raises
        ------
        ValueError, TypeError
            `fps` is not a finite number above 0, or it would increase the number of frames to more than 65,536.
        """
        fps = positive_number("fps", fps)
        count, most = self.duration * fps + 1, max(MOST_FRAMES, self.frame_count)
        if count >= most + 1:
            raise ValueError(f"fps: gives {count:,.0f} frames, expected at most {most:,}")
        # times of the new frames, in frames of the old rate
        times = np.arange(frame_count_of(self.duration, fps)) * (self.fps / fps)
        nearest = np.round(times)
        times = np.where(np.abs(times - nearest) < FRAME_TOLERANCE, nearest, times)
        before = np.minimum(times.astype(np.intp), self.frame_count - 1)
        after = np.minimum(before + 1, self.frame_count - 1)
        positions = np.empty((times.size, self.vertex_count, 3), np.float32)
        # interpolate frame by frame, so that the temporary float64 arrays are small
        for frame, share in enumerate(times - before):
            positions[frame] = (1 - share) * self.positions[before[frame]] + share * self.positions[after[frame]]
        bones = None if self.bones is None else _mixed_bones(self.bones, before, after, times - before)
        return replace(self, positions=positions, bones=bones, fps=fps)

    def with_mask(self, mask: ArrayLike | None) -> Animation:
        """Return the same animation with another mask. The other arrays are shared, not copied.

        Parameters
        ----------
        mask : (V,) float, in [0, 1], or None
            See `ruckle.make_mask`.

        Raises
        ------
        ValueError
            The mask has a wrong length, or a number in it is out of its range.
        """
        other = copy(self)
        object.__setattr__(other, "mask", None if mask is None else require_mask(mask, self.vertex_count))
        return other

    def cut(self, start: int, stop: int, step: int = 1) -> Animation:
        """Return every `step`-th of the frames [start, stop), at the same frame rate.

        Parameters
        ----------
        start, stop : int
            0 <= start < stop <= F.
        step : int
            At least 1.

        Raises
        ------
        ValueError
            The range is empty or exceeds the frames, or `step` is below 1.
        """
        start, stop, step = (
            whole_number(name, value, -LARGEST_COUNT)
            for name, value in (("start", start), ("stop", stop), ("step", step))
        )
        if not 0 <= start < stop <= self.frame_count or step < 1:
            raise ValueError(f"start, stop, step: {start}, {stop}, {step} select none of {self.frame_count} frames")
        bones = None if self.bones is None else self.bones[start:stop:step]
        return replace(self, positions=self.positions[start:stop:step], bones=bones)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the animation to a file. The file name's extension selects the format.

        `.npz` files contain everything with all bits, except colours, groups and sewing. `.abc` files contain
        positions, faces, texture coordinates and frame rate. `.pc2` and `.mdd` files contain the positions, and `.mdd`
        files also the frame rate; the mesh is written to an `.obj` file of the same name. Existing files are replaced,
        except the `.obj` file, which must contain the same faces.

        Parameters
        ----------
        path : path of the file

        Raises
        ------
        FormatError
            The extension is unknown, or the file cannot be written.
        ModuleNotFoundError
            The format `.abc` requires a package that is not installed.
        """
        # imported from the package, which loads the file formats on first use
        from ruckle import save

        save(self, path)

    def __repr__(self) -> str:
        texture = "" if self.uv is None else ", uv"
        skeleton = "" if self.skeleton is None else f", {_counted(self.skeleton.joint_count, 'joint')}"
        return (
            f"Animation({self.name!r}: {_counted(self.frame_count, 'frame')} at {self.fps:g} fps "
            f"({self.duration:.3g} s), {_counted(self.vertex_count, 'vertex', 'vertices')}, "
            f"{_counted(self.face_count, 'face')}{texture}{skeleton}, height {self.height:.4g})"
        )


def frame_count_of(duration: float, fps: float) -> int:
    """Return the number of frames at `fps` (per second) in `duration` (seconds), including both ends."""
    return math.floor(duration * fps + FRAME_TOLERANCE) + 1


def up_name(value: object) -> Up:
    """Return the checked name of the up axis. Capital letters are allowed."""
    return cast(Up, choice("up", value.lower() if isinstance(value, str) else value, get_args(Up)))


def require_animation(value: object) -> Animation:
    """Return an animation unchanged. For any other object, raise a TypeError that explains how to get an animation."""
    named = isinstance(value, (str, os.PathLike))
    return instance("animation", value, Animation, "ruckle.load and ruckle.sample make one" if named else "")


def rest_pose(animation: Animation, rest: ArrayLike | None) -> ArrayLike | None:
    """Return the rest pose that the option `rest` of `for_animation` selects; None for the pose of the first frame.

    Raise ValueError if `rest` is "bind" and the animation does not have a bind pose, or if it is another word.
    """
    if rest is None:
        return animation.rest_positions
    if not isinstance(rest, str):
        return rest
    if choice("rest", rest, ["bind", "first"]) == "bind" and animation.rest_positions is None:
        raise ValueError(f'rest: "bind" needs a bind pose, and {animation.name or "the animation"} does not have one')
    return animation.rest_positions if rest == "bind" else None


def likely_up(animation: Animation) -> Up:
    """Return the axis that probably points up: `animation.up`, or the other one if the mesh is much longer along it.

    Much longer: more than 1 / `LYING` = 3 times in the first frame. A flat mesh keeps its axis. Garments are tall. If a
    mesh is longer along another axis, the file's up axis is often wrong.
    """
    extents = _extents(animation.positions[0], animation.faces)
    other: Up = "z" if animation.up == "y" else "y"
    vertical, along_other = (float(extents[UP_AXES[axis]]) for axis in (animation.up, other))
    return other if FLAT * extents.max() < vertical < LYING * along_other else animation.up


def vertical_extent(positions: NDArray[np.floating], up: Up = "y") -> float:
    """Return the extent of points (..., 3) along the up axis, in the unit of the points."""
    heights = positions[..., UP_AXES[up]]
    return float(heights.max()) - float(heights.min())


def _mixed_bones(
    bones: NDArray[np.float32], before: NDArray[np.intp], after: NDArray[np.intp], share: NDArray[np.floating]
) -> NDArray[np.float32]:
    """Return bones interpolated between frames; at a stored frame, with the same bits.

    The (3, 3) part of an interpolated bone is the nearest rotation to the blended matrix, times the uniform scale of
    the bone in the frame before.
    """
    mixed: NDArray[np.float32] = bones[before]
    between = share > 0
    shares = share[between, None, None, None]
    blended = bones[before[between]] * (1 - shares) + bones[after[between]] * shares
    scale = np.cbrt(np.abs(np.linalg.det(bones[before[between], :, :, :3].astype(np.float64))))[..., None, None]
    blended[..., :3] = nearest_rotations(blended[..., :3]) * scale
    mixed[between] = blended
    return mixed


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def _mismatch(name: str, kind: str, shape: Shape, array: NDArray[Any], hint: str = "") -> MeshError:
    wanted = ", ".join(map(str, shape))
    return MeshError(f"{name}: expected {kind} of shape ({wanted}), got {array.dtype} {array.shape}{hint}")


def _polygons(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] > 3


def _fits(array: NDArray[Any], shape: Shape) -> bool:
    return array.ndim == len(shape) and all(
        isinstance(size, str) or size == actual for size, actual in zip(shape, array.shape, strict=True)
    )


def _as_array(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise MeshError(f"{name}: expected an array with rows of equal length, got {found(values)}") from error
    if array.dtype == object:
        raise MeshError(f"{name}: expected an array of numbers, got {found(values)}")
    return array


def _float_array(name: str, values: ArrayLike, shape: Shape) -> NDArray[np.float32]:
    array = _as_array(name, values)
    # compare the kind of number instead of the dtype, so that both byte orders are allowed
    if array.dtype.kind not in "fiu" or not _fits(array, shape):
        raise _mismatch(name, "real numbers", shape, array)
    # Numbers too large for float32 become infinite, and signaling NaNs become quiet NaNs. A later check reports both.
    with np.errstate(over="ignore", invalid="ignore"):
        return _read_only(contiguous(array, np.float32))


def _index_array(name: str, values: ArrayLike, limit: int, noun: str) -> NDArray[np.int32]:
    """Return triangles as (T, 3) int32. Raise MeshError if an index is not in [0, limit)."""
    array = _as_array(name, values)
    if array.shape == (0,) or (array.ndim == 2 and array.shape[0] == 0):
        raise MeshError(f"{name}: a mesh needs at least one face, got shape {array.shape}")
    if array.dtype.kind not in "iu" or not _fits(array, ("T", 3)):
        raise _mismatch(name, "integers", ("T", 3), array, "; split larger polygons first" if _polygons(array) else "")
    if int(array.min()) < 0 or int(array.max()) >= limit:
        face, corner = first_true((array < 0) | (array >= limit))
        allowed = f"allowed are 0 to {limit - 1}" if limit else f"there is no {noun}"
        raise MeshError(f"{name}: face {face} refers to {noun} {array[face, corner]}, {allowed}")
    return _read_only(contiguous(array, np.int32))


def _check_distinct(faces: NDArray[np.int32]) -> None:
    first, second, third = faces.T
    repeated = (first == second) | (second == third) | (third == first)
    if repeated.any():
        face = int(np.argmax(repeated))
        raise MeshError(f"faces: face {face} uses one vertex twice: {tuple(faces[face].tolist())}")


def _rest(rest_positions: ArrayLike, vertex_count: int) -> NDArray[np.float32]:
    positions = _float_array("rest_positions", rest_positions, (vertex_count, 3))
    finite = np.isfinite(positions)
    if not finite.all():
        vertex, _ = first_true(~finite)
        raise MeshError(f"rest_positions: vertex {vertex} is not finite {tuple(positions[vertex].tolist())}")
    return positions


def _check_finite(positions: NDArray[np.float32]) -> None:
    finite = np.isfinite(positions)
    if not finite.all():
        frame, vertex, _ = first_true(~finite)
        point = tuple(positions[frame, vertex].tolist())
        raise MeshError(f"positions: frame {frame}, vertex {vertex} is not finite {point}")


def _texture(
    uv: ArrayLike | None, uv_faces: ArrayLike | None, vertex_count: int, face_count: int
) -> tuple[NDArray[np.float32] | None, NDArray[np.int32] | None]:
    """Return checked texture coordinates and texture faces, each None if not given; MeshError if they do not match."""
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


def _check_resolved(positions: NDArray[np.float32]) -> None:
    farthest = max(float(positions.max()), -float(positions.min()))
    step = float(np.spacing(np.float32(farthest)))
    # use float64, because the extent can exceed the largest float32
    extent = float(np.ptp(positions[0].astype(np.float64), axis=0).max())
    if extent > 0 and step > COARSEST_STEP * extent:
        raise MeshError(
            f"positions: lie up to {farthest:.6g} from the origin, where float32 resolves {step:.2g}, too coarse for a "
            f"mesh of {extent:.4g}; subtract one point near the mesh from all frames first"
        )


def _extents(first_frame: NDArray[np.float32], faces: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the extents (3,) of the triangles of a frame, mesh units. Vertices that no triangle uses do not count."""
    used = np.zeros(len(first_frame), bool)
    used[faces] = True
    counted = first_frame[used] if used.any() else first_frame
    extents: NDArray[np.float64] = np.ptp(counted.astype(np.float64), axis=0)
    return extents


def own_extent(first_frame: NDArray[np.float32], faces: NDArray[np.integer[Any]], up: Up) -> float:
    """Return the vertical extent of the first frame, mesh units; if the mesh is flat, its largest extent."""
    extents = _extents(first_frame, faces)
    vertical, largest = float(extents[UP_AXES[up]]), float(extents.max())
    return vertical if vertical > FLAT * largest else largest


def _guessed_height(first_frame: NDArray[np.float32], faces: NDArray[np.integer[Any]], up: Up) -> float:
    height = own_extent(first_frame, faces, up)
    if height == 0:
        raise MeshError("positions: all vertices of frame 0 lie in one point, so the height must be given (height=)")
    return height


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array. The array itself remains writable."""
    view = array.view()
    view.flags.writeable = False
    return view
