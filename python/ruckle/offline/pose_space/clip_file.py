"""Export of training clips as glTF files with an animated skeleton, for other programs that simulate cloth."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import instance
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.rotation import rotation_vectors
from ruckle.mesh.skeleton import Skeleton
from ruckle.offline.pose_space.plan import TrainingClip

__all__ = ["save_clip"]

# Type of 32-bit floating-point numbers in a glTF accessor.
FLOAT = 5126

# Numbers in a GLB file (glTF 2.0, section 4.4): "glTF" as an integer, version, and types of the JSON and binary chunks.
MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942


def save_clip(skeleton: Skeleton, clip: TrainingClip, path: str | os.PathLike[str]) -> None:
    """Write a training clip as binary glTF: nodes in the order of the skeleton, a skin, and one animation.

    An existing file is replaced.

    Parameters
    ----------
    skeleton : Skeleton
        Skeleton of the clip.
    clip : TrainingClip
    path : path

    Raises
    ------
    ValueError
        The clip has another number of bones than the skeleton.
    OSError
        The file cannot be written.
    """
    count = instance("skeleton", skeleton, Skeleton).joint_count
    if clip.bones.shape[1] != count:
        raise ValueError(f"clip: expected {count} bones, as the skeleton has joints, got {clip.bones.shape[1]}")
    times = np.arange(len(clip.bones)) / clip.fps
    turns = _quaternions(skeleton.joint_rotations(clip.bones))
    inverse = np.tile(np.eye(4), (count, 1, 1))
    # glTF stores matrices in column-major order
    inverse[:, 3, :3] = -skeleton.rest_joints
    roots = np.flatnonzero(skeleton.parents < 0)
    places = (
        np.einsum("frij,rj->fri", clip.bones[:, roots, :, :3], skeleton.rest_joints[roots]) + clip.bones[:, roots, :, 3]
    )
    arrays = [times, inverse, *turns.transpose(1, 0, 2), *places.transpose(1, 0, 2)]
    channels = [(joint, "rotation") for joint in range(count)] + [(int(root), "translation") for root in roots]
    document = {
        "asset": {"version": "2.0", "generator": "ruckle"},
        "scene": 0,
        "scenes": [{"nodes": roots.tolist()}],
        "nodes": [_node(skeleton, joint) for joint in range(count)],
        "skins": [{"joints": list(range(count)), "inverseBindMatrices": 1}],
        "animations": [
            {
                "name": "training",
                "samplers": [{"input": 0, "output": 2 + number} for number in range(len(channels))],
                "channels": [
                    {"sampler": number, "target": {"node": node, "path": kind}}
                    for number, (node, kind) in enumerate(channels)
                ],
            }
        ],
        **_accessors(arrays),
    }
    content = b"".join(array.astype("<f4").tobytes() for array in arrays)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with replacing(as_path("path", path)) as file:
        file.write(struct.pack("<III", MAGIC, VERSION, 12 + 8 + len(text) + 8 + len(content)))
        file.write(struct.pack("<II", len(text), JSON_CHUNK) + text)
        file.write(struct.pack("<II", len(content), BINARY_CHUNK) + content)


def _node(skeleton: Skeleton, joint: int) -> dict[str, object]:
    above = int(skeleton.parents[joint])
    offset = skeleton.rest_joints[joint] - (skeleton.rest_joints[above] if above >= 0 else 0.0)
    node: dict[str, object] = {"name": skeleton.names[joint], "translation": offset.tolist()}
    below = np.flatnonzero(skeleton.parents == joint).tolist()
    return {**node, "children": below} if below else node


def _accessors(arrays: list[NDArray[np.float64]]) -> dict[str, object]:
    """Return the glTF entries (buffer, views, accessors) for arrays that are stored one after another in one buffer."""
    kinds = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
    views, accessors, offset = [], [], 0
    for number, array in enumerate(arrays):
        views.append({"buffer": 0, "byteOffset": offset, "byteLength": 4 * array.size})
        kind = kinds[array.size // len(array)]
        accessors.append({"bufferView": number, "componentType": FLOAT, "count": len(array), "type": kind})
        offset += 4 * array.size
    # glTF requires the minimum and the maximum of the key times
    accessors[0] |= {"min": [0.0], "max": [float(np.float32(arrays[0].max()))]}
    return {"buffers": [{"byteLength": offset}], "bufferViews": views, "accessors": accessors}


def _quaternions(rotations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotation matrices (..., 3, 3) as quaternions (x, y, z, w) with w >= 0."""
    vectors = rotation_vectors(rotations)
    half = 0.5 * np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.concatenate([vectors * 0.5 * np.sinc(half / np.pi), np.cos(half)], axis=-1)
