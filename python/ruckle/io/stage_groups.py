"""Vertex groups of a mesh in a USD or Alembic stage, named by its prims, materials and joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.mesh.groups import GroupKind, VertexGroups

__all__ = ["names_of", "stage_groups"]

# Number of names at the end of a mesh's path from which its role is found: "Shirt" and "ShirtShape" of
# "/hero/Shirt/ShirtShape".
NAMED_PRIMS = 2


def names_of(mesh: dict[str, Any]) -> tuple[str, ...]:
    """Return the name of a mesh and the name of the prim above this mesh."""
    return tuple(reversed(mesh["path"].strip("/").split("/")[-NAMED_PRIMS:]))


def stage_groups(
    mesh: dict[str, Any], contents: dict[str, Any], polygons: NDArray[np.int64], faces: NDArray[np.int64]
) -> VertexGroups:
    """Return the named vertex groups of a mesh.

    Parameters
    ----------
    mesh, contents : entry of the mesh in the list of meshes, and its arrays
    polygons : (T,) int64
        Index of the polygon that contains each triangle.
    faces : (T, 3) int64

    Raises
    ------
    FormatError
        An index of a polygon or a joint is out of range.
    """
    count, names = contents["point_count"], names_of(mesh)
    numbers = np.broadcast_to(np.arange(len(names)), (count, len(names)))
    kinds = {"mesh": GroupKind(names, numbers, np.broadcast_to(1.0, numbers.shape))}
    materials, own = _materials(mesh, contents, polygons)
    inside = faces[(faces >= 0).all(axis=1) & (faces < count).all(axis=1)]
    if materials and len(inside) == len(faces):
        shares = np.zeros((count, len(materials)))
        np.add.at(shares, (faces, own[:, None]), 1.0)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
        kinds["material"] = GroupKind(materials, np.broadcast_to(np.arange(len(materials)), shares.shape), shares)
    joints = contents.get("joints", [])
    if joints:
        kinds["bone"] = _bones(mesh["path"], joints, contents["arrays"], count)
    return VertexGroups(kinds)


def _materials(
    mesh: dict[str, Any], contents: dict[str, Any], polygons: NDArray[np.int64]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the names of the materials of a mesh, and the index of each triangle's material.

    Both are empty if no used material has a name.
    """
    subsets = contents.get("subsets", [])
    bound = mesh.get("material", "")
    names = [bound, *subsets]
    of_polygons = np.zeros(int(polygons.max(initial=-1)) + 1, np.int64)
    for number in range(len(subsets)):
        indices = contents["arrays"][f"subset {number}"].astype(np.int64)
        # ignore polygons without triangles and invalid indices
        of_polygons[indices[(indices >= 0) & (indices < len(of_polygons))]] = number + 1
    used = np.unique(of_polygons[polygons])
    if not any(names[number] for number in used):
        return (), np.zeros(0, np.int64)
    table = np.zeros(len(names), np.int64)
    table[used] = np.arange(len(used))
    return tuple(names[number] for number in used), table[of_polygons[polygons]]


def _bones(path: str, joints: list[str], arrays: dict[str, NDArray[Any]], count: int) -> GroupKind:
    """Return the joints of a skin as vertex groups. The file stores the influences of all points in flat arrays."""
    indices, weights = arrays["joint_indices"], arrays["joint_weights"]
    if count == 0 or indices.size % count or indices.shape != weights.shape:
        raise FormatError(f"{path} has {indices.size} joint indices and {weights.size} weights for {count} points")
    numbers = indices.reshape(count, -1).astype(np.int64)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(joints):
        raise FormatError(f"{path} refers to joint {numbers.max()} of {len(joints)}")
    # joints have paths: the name of "Hips/Spine/Head" is "Head"
    names = tuple(joint.rsplit("/", 1)[-1] for joint in joints)
    return GroupKind(names, numbers, weights.reshape(count, -1).astype(np.float64))
