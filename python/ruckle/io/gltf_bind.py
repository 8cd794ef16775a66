"""The bind pose of a glTF skin: its skeleton, and the mesh before skinning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_meshes import Geometry, Skin, Target
from ruckle.io.gltf_scene import Scene
from ruckle.mesh.skeleton import Skeleton

__all__ = ["bind_pose", "skeleton_of"]


def skeleton_of(scene: Scene, skin: Skin) -> Skeleton | None:
    """Return the skeleton in the bind pose; None if an inverse bind matrix is singular, or a joint or name repeats."""
    try:
        at_rest = np.linalg.inv(skin.inverse_bind)[:, :3, 3]
    except np.linalg.LinAlgError:
        return None
    numbers = {node: number for number, node in enumerate(skin.joints)}
    if len(numbers) < len(skin.joints) or not np.isfinite(at_rest).all():
        return None
    parents, names = [], dict[str, None]()
    for number, node in enumerate(skin.joints):
        above = scene.tree.parents[node]
        while above != -1 and above not in numbers:
            above = scene.tree.parents[above]
        parents.append(numbers.get(above, -1))
        name = scene.tree.entries[node].text("name") or f"joint {number}"
        names[f"{name} {number}" if name in names else name] = None
    return Skeleton(list(names), parents, at_rest) if len(names) == len(parents) else None


def bind_pose(scene: Scene, target: Target, geometry: Geometry, skin: Skin) -> NDArray[np.float32] | None:
    """Return the positions (V, 3) before skinning, scaled to the size of the mesh in the scene.

    Return None if all stored edges have length 0, or if a position overflows float32.

    The stored positions may have another unit, which the joint matrices convert to scene units. The scale factor is the
    total edge length of the skinned mesh at rest, divided by that of the stored positions.
    """
    standing = scene.pose(target, geometry, skin, None, np.zeros(1))[0]
    stored = _edge_length(geometry.positions, geometry.faces)
    if stored == 0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        positions = (geometry.positions * (_edge_length(standing, geometry.faces) / stored)).astype(np.float32)
    return positions if np.isfinite(positions).all() else None


def _edge_length(positions: NDArray[np.floating], faces: NDArray[np.int64]) -> float:
    """Return the sum of all edge lengths. An edge with two faces is added twice."""
    corners = positions[faces].astype(np.float64)
    return float(np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2).sum())
