"""Reads and writes NPZ, NumPy's archive format, which stores an animation exactly.

The arrays are positions (F, V, 3), faces (T, 3) and fps. Optional arrays are uv and uv_faces, rest_positions (V, 3),
mask (V,), name, height (mesh units), and up ("y" or "z"). A skeleton consists of joint_names (B,), joint_parents (B,)
with -1 for roots, bone_matrices (F, B, 3, 4) from rest to frame, and rest_joints (B, 3). A file may contain joints (F,
B, 3), their positions in every frame, instead of rest_joints. If no height is stated, the reader estimates it from
these positions. skin_weights (V, B) are the influences of the bones, which terms of masks such as "-bone:hand*" select.
Other arrays are ignored.
"""

from __future__ import annotations

import io
import re
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import positive_number
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.reading import animation_of, character_height
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation, Up, up_name, vertical_extent
from ruckle.mesh.groups import GroupKind, VertexGroups
from ruckle.mesh.skeleton import Skeleton, require_bones

__all__ = ["Archive", "arrays_of", "describe", "read", "read_array", "write"]

# For the time limit: estimated nanoseconds for opening an array, and for decompressing one byte.
OPENING_TIME, UNPACKING_TIME = 1e5, 4.0

# Longest allowed header of an array, in bytes. NumPy writes a few hundred bytes, and parses this text as Python.
LONGEST_HEADER = 10_000

# Header of an array as NumPy writes it: type, order, and shape. NumPy itself parses it as Python, ten times slower.
HEADER = re.compile(
    rb"\{'descr': '([<>|][fiubU]\d{1,4})', 'fortran_order': (True|False), "
    rb"'shape': \((|\d{1,18},|\d{1,18}(?:, \d{1,18})+)\), \} *\n"
)

# Number of compressed bytes from which the header of an array is read.
FIRST_BYTES = 1024

# ZIP format: size in bytes of the header before a member's name, and flag bit of an encrypted member.
LOCAL_HEADER, ENCRYPTED = 30, 1

# Exceptions that zipfile, zlib and NumPy's header parser raise for a damaged archive.
DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, TypeError, KeyError, IndexError,
    RuntimeError, SyntaxError, tokenize.TokenError, MemoryError, OverflowError, AttributeError,
)  # fmt: skip


def read(
    path: Path,
    budget: Budget,
    *,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
    up: Up | None = None,
) -> Animation:
    """Read an animation.

    Parameters
    ----------
    path : the file
    budget : Budget
    fps : frames per second, optional
        Replaces the rate in the file.
    name : str, optional
        Replaces the name in the file. The default is the file's stem.
    height : mesh units, optional
        Replaces the array `height`. The default is the first of these: this array, `character_height_m` of the JSON
        file of the same stem, the vertical extent of `joints` in the first frame, the vertical extent of the mesh.
    up : {"y", "z"}, optional
        Replaces the axis in the file. If the file does not state an axis, the default is "y".
    """
    archive = Archive(path, budget)
    positions = archive.array("positions", "f")
    if fps is None:
        if "fps" not in archive.names:
            raise FormatError(f"{path}: holds no array 'fps', so the frame rate must be given (fps=)")
        fps = archive.number("fps")
    if name is None:
        name = archive.text("name") if "name" in archive.names else path.stem
    if up is None:
        up = archive.up()
    skeleton, bones = _skeleton(archive, positions.shape[0] if positions.ndim else 0)
    return animation_of(
        path,
        positions,
        archive.array("faces", "iu"),
        fps=fps,
        uv=archive.optional("uv", "f"),
        uv_faces=archive.optional("uv_faces", "iu"),
        rest_positions=archive.optional("rest_positions", "f"),
        name=name,
        height=_height(archive, up) if height is None else height,
        up=up,
        skeleton=skeleton,
        bones=bones,
        mask=archive.optional("mask", "f"),
        groups=_bone_groups(archive, skeleton, positions.shape[1] if positions.ndim == 3 else 0),
    )


def write(animation: Animation, path: Path) -> None:
    """Write an animation. The arrays that `read` returns are bitwise equal."""
    with replacing(path) as file:
        np.savez_compressed(file, **arrays_of(animation))  # type: ignore[arg-type]


def arrays_of(animation: Animation) -> dict[str, NDArray[Any]]:
    """Return the arrays that a file of the animation contains, by name."""
    arrays: dict[str, NDArray[Any]] = {
        "positions": animation.positions,
        "faces": animation.faces,
        "fps": np.array(animation.fps),
        "name": np.array(animation.name),
        "height": np.array(animation.height),
        "up": np.array(animation.up),
    }
    for name in ("uv", "uv_faces", "rest_positions", "mask"):
        if (array := getattr(animation, name)) is not None:
            arrays[name] = array
    if animation.skeleton is not None and animation.bones is not None:
        arrays |= {
            "joint_names": np.array(animation.skeleton.names),
            "joint_parents": animation.skeleton.parents,
            "rest_joints": animation.skeleton.rest_joints,
            "bone_matrices": animation.bones,
        }
    return arrays


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return shape and type of every array in the archive."""
    archive = Archive(path, budget)
    arrays = []
    for name in archive.names:
        shape, dtype = archive.header(name)
        arrays.append({"name": name, "shape": list(shape), "dtype": str(dtype)})
    return {"arrays": arrays}


class Archive:
    """The arrays of one NPZ file, which are read one by one within a budget."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path = path
        self.budget = budget
        content = budget.read(path)
        try:
            self._zip, self._content = zipfile.ZipFile(io.BytesIO(content)), memoryview(content)
        except DAMAGE as error:
            raise FormatError(f"{path}: is not an NPZ archive ({error})") from error
        members = [name for name in self._zip.namelist() if name.endswith(".npy")]
        self.names = [name.removesuffix(".npy") for name in members]
        self._read: dict[tuple[str, str], NDArray[Any]] = {}

    def header(self, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Return shape and type of an array without reading it."""
        with self._open(name) as file:
            shape, _, dtype = _read_header(file, f"{self.path}: array '{name}'")
        return shape, dtype

    def array(self, name: str, kinds: str) -> NDArray[Any]:
        """Return an array whose NumPy kind is one of `kinds`. Each array is read once."""
        if (name, kinds) not in self._read:
            with self._open(name) as file:
                self._read[name, kinds] = read_array(file, f"{self.path}: array '{name}'", kinds, self.budget)
        return self._read[name, kinds]

    def optional(self, name: str, kinds: str) -> NDArray[Any] | None:
        """Return an array as `array`, or None if it is not in the archive."""
        return self.array(name, kinds) if name in self.names else None

    def scalar(self, name: str, kinds: str) -> Any:
        """Return the single entry of an array as a Python value; FormatError if it has several."""
        found = self.array(name, kinds)
        try:
            return found.item()
        except (ValueError, SystemError) as error:
            # the array has several entries, or a text with invalid code points
            raise FormatError(f"{self.path}: array '{name}' is not one entry ({error})") from error

    def number(self, name: str) -> float:
        """Return the single entry of an array, which must be a number above 0."""
        entry = self.scalar(name, "fiu")
        try:
            return positive_number(name, entry)
        except ValueError as error:
            raise FormatError(f"{self.path}: {error}") from error

    def text(self, name: str) -> str:
        """Return the single entry of an array, which must be a string."""
        return str(self.scalar(name, "U"))

    def up(self) -> Up:
        """Return the up axis that the archive states; "y" without one."""
        try:
            return up_name(self.text("up")) if "up" in self.names else "y"
        except ValueError as error:
            raise error if isinstance(error, FormatError) else FormatError(f"{self.path}: {error}") from error

    def _open(self, name: str) -> BinaryIO:
        self.budget.spend(OPENING_TIME, f"{self.path}: array '{name}'")
        try:
            member = self._zip.getinfo(name + ".npy")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise NotImplementedError(f"compression method {member.compress_type}")
            return self._member(member)  # type: ignore[return-value]
        except KeyError as error:
            found = ", ".join(self.names) or "none"
            raise FormatError(f"{self.path}: holds no array '{name}', only: {found}") from error
        except DAMAGE as error:
            raise FormatError(f"{self.path}: array '{name}' cannot be opened ({error})") from error

    def _member(self, member: zipfile.ZipInfo) -> _MemberFile:
        """Return a member as a file object, which reads faster than that of zipfile. BadZipFile if it is damaged."""
        header = bytes(self._content[member.header_offset : member.header_offset + LOCAL_HEADER])
        if header[:4] != b"PK\3\4":
            raise zipfile.BadZipFile("its header is damaged")
        if member.flag_bits & ENCRYPTED:
            raise zipfile.BadZipFile("it is encrypted")
        begin = member.header_offset + LOCAL_HEADER
        begin += int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        return _MemberFile(self._content[begin : begin + member.compress_size], member)


class _MemberFile:
    """A file object that reads a member from memory. At the end, it compares the checksum."""

    def __init__(self, content: memoryview, member: zipfile.ZipInfo) -> None:
        self._content, self._left = content, member.file_size
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if member.compress_type == zipfile.ZIP_DEFLATED else None
        self._checksum, self._stated = 0, member.CRC
        self._piece = FIRST_BYTES

    def read(self, size: int) -> bytes | memoryview:
        size = min(size, self._left)
        found = self._take(size) if self._inflater is None else self._inflated(self._inflater, size)
        self._left -= len(found)
        self._checksum = zlib.crc32(found, self._checksum)
        if not self._left and self._checksum != self._stated:
            raise zipfile.BadZipFile("its checksum is wrong")
        return found

    def _take(self, size: int) -> memoryview:
        found, self._content = self._content[:size], self._content[size:]
        return found

    def _inflated(self, inflater: Any, size: int) -> bytes:
        found = b""
        while len(found) < size and not inflater.eof:
            # the header of an array is in the first piece; zlib copies the rest of a piece that is not used up
            piece = inflater.unconsumed_tail or self._take(self._piece)
            self._piece = len(self._content)
            if not len(piece):
                break
            found += inflater.decompress(piece, size - len(found))
        return found

    def __enter__(self) -> _MemberFile:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def read_array(file: BinaryIO, place: str, kinds: str, budget: Budget) -> NDArray[Any]:
    """Return the array of an NPY stream, whose NumPy kind must be in `kinds`. Error messages start with `place`."""
    shape, column_major, dtype = _read_header(file, place)
    if dtype.kind not in kinds:
        raise FormatError(f"{place} has the unusable type {dtype}")
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    # this includes the bytes, the array as float32, and a mask of finite numbers
    budget.hold(1.75 * size, f"{place} of shape {shape}")
    budget.spend(UNPACKING_TIME * size, f"{place} of shape {shape}")
    try:
        content = file.read(size)
        # zipfile checks the checksum at the end of the file
        surplus = file.read(1)
        if len(content) != size or surplus:
            raise ValueError(f"does not hold the {size} bytes that its header states")
        found = np.ndarray(shape, dtype, content, order="F" if column_major else "C")
        # members of an archive may be unaligned in memory
        return found if found.flags.aligned else found.copy(order="K")
    except DAMAGE as error:
        raise FormatError(f"{place} is damaged ({error})") from error


def _read_header(file: BinaryIO, place: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
        width, read = (
            (2, np.lib.format.read_array_header_1_0) if version == (1, 0) else (4, np.lib.format.read_array_header_2_0)
        )
        length = bytes(file.read(width))
        if int.from_bytes(length, "little") > LONGEST_HEADER:
            raise ValueError(f"of {int.from_bytes(length, 'little')} bytes")
        text = bytes(file.read(int.from_bytes(length, "little")))
        if usual := HEADER.fullmatch(text):
            shape = tuple(map(int, usual[3].replace(b",", b" ").split()))
            column_major, dtype = usual[2] == b"True", np.dtype(usual[1].decode())
        else:
            # NumPy reads from a copy of the header, so that it cannot read more than the checked number of bytes
            shape, column_major, dtype = read(io.BytesIO(length + text))
    except DAMAGE as error:
        raise FormatError(f"{place} has a damaged header ({error})") from error
    if any(extent < 0 for extent in shape):
        raise FormatError(f"{place} claims the shape {shape}")
    return shape, column_major, dtype


def _skeleton(archive: Archive, frame_count: int) -> tuple[Skeleton | None, NDArray[np.float32] | None]:
    """Return the skeleton and its bones (F, B, 3, 4). Return None for both if an array is missing."""
    placed = "rest_joints" if "rest_joints" in archive.names else "joints"
    if not {"joint_names", "joint_parents", "bone_matrices", placed} <= set(archive.names):
        return None, None
    names, parents = archive.array("joint_names", "U"), archive.array("joint_parents", "iu")
    bones, joints = archive.array("bone_matrices", "f"), archive.array(placed, "f")
    if placed == "joints":
        if bones.ndim != 4 or bones.shape[2:] != (3, 4) or joints.shape != (*bones.shape[:2], 3) or not len(joints):
            raise FormatError(
                f"{archive.path}: arrays 'joints' {joints.shape} and 'bone_matrices' {bones.shape} are not of shapes "
                "(F, B, 3) and (F, B, 3, 4)"
            )
        # invert p' = R p + t to compute the joints at rest
        joints = np.einsum("jba,jb->ja", bones[0, :, :, :3], joints[0] - bones[0, :, :, 3])
    try:
        skeleton = Skeleton([str(name) for name in names.ravel()], parents, joints)
        return skeleton, require_bones(skeleton, bones, frame_count)
    except ValueError as error:
        raise FormatError(f"{archive.path}: {error}") from error


def _bone_groups(archive: Archive, skeleton: Skeleton | None, vertex_count: int) -> VertexGroups | None:
    """Return the influences of the bones on the vertices; None if the file does not contain usable skin weights."""
    if skeleton is None or "skin_weights" not in archive.names:
        return None
    weights = archive.array("skin_weights", "f")
    if weights.shape != (vertex_count, len(skeleton.names)) or not np.isfinite(weights).all():
        return None
    # most weights are zero; store as many bones per vertex as a vertex has nonzero weights at most
    count = int(np.count_nonzero(weights, axis=1).max(initial=0))
    bones = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    kind = GroupKind(tuple(skeleton.names), bones, np.take_along_axis(weights, bones, axis=1))
    return VertexGroups({"bone": kind})


def _height(archive: Archive, up: Up) -> float | None:
    if "height" in archive.names:
        return archive.number("height")
    stated = character_height(archive.path, archive.budget)
    if stated is not None or "joints" not in archive.names:
        return stated
    joints = archive.array("joints", "f")
    if joints.ndim != 3 or joints.shape[2] != 3 or joints.size == 0:
        raise FormatError(f"{archive.path}: array 'joints' has the shape {joints.shape}, expected (F, J, 3)")
    if not np.isfinite(joints[0]).all():
        raise FormatError(f"{archive.path}: array 'joints' is not finite in its first frame")
    return vertical_extent(joints[0].astype(np.float64), up) or None
