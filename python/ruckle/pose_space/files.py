"""Reads pose databases. NAME.poses.npz contains the meshes, the skeleton, and the samples of each joint."""

from __future__ import annotations

import json
import operator
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import positive_number
from ruckle.arrays import float32
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.mesh.skeleton import Skeleton
from ruckle.mesh.topology import Topology
from ruckle.pose_space.binding import WEIGHT_STEPS, Binding, unpacked_weights
from ruckle.pose_space.database import FORMAT, VERSION, PoseDatabase, PoseJoint
from ruckle.pose_space.skin import CoarseSkin

__all__ = ["load_poses"]

# Arrays of a file, and the allowed `dtype.kind` of each. `contents` is JSON text, because each further array would need
# a header. The text contains the unit, the notes, and for each joint: name, kind, bones, axes, angles and step.
ARRAYS = {
    "format": "U", "version": "iu", "contents": "U", "coarse_rest": "f", "coarse": "iu", "faces": "iu",
    "coarse_faces": "iu", "barycentric": "u", "rest_details": "f", "joint_names": "U", "joint_parents": "iu",
    "rest_joints": "f",
}  # fmt: skip

MOST_JOINTS = 64


def load_poses(path: str | os.PathLike[str], *, limit: float = 2.0**30) -> PoseDatabase:
    """Read a pose database from a file.

    Parameters
    ----------
    path : path
    limit : float, bytes
        Largest number of bytes of the sampled details.

    Returns
    -------
    PoseDatabase

    Raises
    ------
    FormatError
        The file is not a pose database, has a format version that is too new, is too large, or is damaged.
    FileNotFoundError
        The file is missing.
    """
    file = as_path("path", path)
    archive = Archive(file, Budget())
    _check_format(archive, file)
    try:
        return _database(archive, positive_number("limit", limit))
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{file}: is damaged ({error})") from error


def _check_format(archive: Archive, file: Path) -> None:
    missing = [name for name in ARRAYS if name not in archive.names]
    if missing or archive.text("format") != FORMAT:
        lacks = f"it has no {missing[0]}" if missing else "its format is another"
        raise FormatError(f"{file}: is no database of poses; {lacks}")
    version = archive.scalar("version", "iu")
    if version > VERSION:
        raise FormatError(f"{file}: has format version {version}; this ruckle reads up to {VERSION}")


def _database(archive: Archive, limit: float) -> PoseDatabase:
    held = {name: archive.array(name, kinds) for name, kinds in ARRAYS.items() if name not in ("format", "version")}
    contents = _read_contents(str(held["contents"].item()))
    names = _of_shape(held, "joint_names", (None,))
    skeleton = Skeleton([str(name) for name in names], held["joint_parents"], held["rest_joints"])
    rest = _of_shape(held, "coarse_rest", (None, 3))
    steps = _of_shape(held, "barycentric", (None, 2))
    if steps.astype(np.int64).sum(axis=1).max(initial=0) > WEIGHT_STEPS:
        raise ValueError("barycentric: expected weights that sum to 1 at most")
    topology = Topology(held["coarse"], len(rest))
    binding = Binding(topology, rest, held["coarse_faces"], unpacked_weights(steps))
    total = 0
    for number in range(len(contents["joints"])):
        shape, dtype = archive.header(f"joint_{number}_details")
        total += int(np.prod(shape, dtype=object)) * dtype.itemsize
        if total > limit:
            raise FormatError(
                f"{archive.path}: holds {total / 1e6:,.0f} MB of details, more than {limit / 1e6:,.0f} MB"
            )
    joints = tuple(_joint(archive, number, entry) for number, entry in enumerate(contents["joints"]))
    details = float32("rest_details", held["rest_details"])
    return PoseDatabase(
        skeleton, binding, held["faces"], details, joints, contents["unit"], contents["notes"], _skin(archive)
    )


def _skin(archive: Archive) -> CoarseSkin | None:
    """Return the skin weights of the coarse cloth; None if the file does not have them."""
    if "skin_weights" not in archive.names:
        return None
    return CoarseSkin(
        _shares(archive.array("skin_weights", "u")), float32("skin_distances", archive.array("skin_distances", "f"))
    )


def _read_contents(text: str) -> dict[str, Any]:
    """Return the unit, the notes and the entries of the joints. Raise ValueError if the contents are invalid."""
    try:
        contents = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"contents: are no JSON ({error})") from error
    kinds = {"unit": str, "notes": dict, "joints": list}
    if not isinstance(contents, dict) or any(not isinstance(contents.get(name), kind) for name, kind in kinds.items()):
        raise ValueError("contents: expected a unit, notes and joints")
    if not all(isinstance(value, (int, float, str)) for value in contents["notes"].values()):
        raise ValueError("notes: expected numbers and texts by name")
    if len(contents["joints"]) > MOST_JOINTS:
        raise ValueError(f"joints: expected at most {MOST_JOINTS}, got {len(contents['joints'])}")
    return contents


def _joint(archive: Archive, number: int, entry: Any) -> PoseJoint:
    def array(name: str, kinds: str) -> NDArray[Any]:
        return archive.array(f"joint_{number}_{name}", kinds)

    try:
        name, kind, step = str(entry["name"]), str(entry["kind"]), float(entry["step"])
        parent, child = (operator.index(bone) for bone in entry["bones"])
        axes = np.array(entry["axes"], np.float64)
        angles = tuple(np.array(axis, np.float64) for axis in entry["angles"])
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise ValueError(f"joints: entry {number} is incomplete ({error})") from error
    fitted = _shares(array("fitted", "u")) if f"joint_{number}_fitted" in archive.names else None
    return PoseJoint(
        name, parent, child, kind, axes, angles, array("vertices", "iu").astype(np.int32),  # type: ignore[arg-type]
        _shares(array("weights", "u")), array("details", "i"), step, fitted,
    )  # fmt: skip


def _of_shape(held: dict[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    array = held[name]
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name}: has shape {array.shape}")
    return array


def _shares(steps: NDArray[Any]) -> NDArray[np.float32]:
    return (steps / np.float64(WEIGHT_STEPS)).astype(np.float32)
