"""Training clips as glTF files: the nodes in the file have the same motion as the joints of the clip."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from posed_arm import SKELETON, plan
from ruckle.offline.pose_space.clip_file import save_clip


def read(path: Path) -> tuple[dict[str, Any], bytes]:
    content = path.read_bytes()
    magic, version, length = struct.unpack_from("<III", content)
    assert (magic, version, length) == (0x46546C67, 2, len(content))
    size, _ = struct.unpack_from("<II", content, 12)
    return json.loads(content[20 : 20 + size]), content[20 + size + 8 :]


def accessor(document: dict[str, Any], binary: bytes, number: int) -> Any:
    entry = document["accessors"][number]
    start = document["bufferViews"][entry["bufferView"]]["byteOffset"]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[entry["type"]]
    return np.frombuffer(binary, "<f4", entry["count"] * width, start).reshape(entry["count"], width)


def matrix(quaternion: Any) -> Any:
    """Return the rotation matrix (3, 3) of a unit quaternion (x, y, z, w)."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_exact_nodes_move_as_the_bones_do(tmp_path: Path) -> None:
    clip = plan().clip()
    save_clip(SKELETON, clip, tmp_path / "clip.glb")
    document, binary = read(tmp_path / "clip.glb")
    nodes, [animation] = document["nodes"], document["animations"]
    assert [node["name"] for node in nodes] == list(SKELETON.names)
    times = accessor(document, binary, 0)[:, 0]
    assert_allclose(times, np.arange(len(clip.bones)) / clip.fps, atol=1e-6)
    values = {
        (channel["target"]["node"], channel["target"]["path"]): accessor(
            document, binary, animation["samplers"][channel["sampler"]]["output"]
        )
        for channel in animation["channels"]
    }
    inverse = accessor(document, binary, document["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4)
    for frame in (0, clip.sample_frames[3], clip.sample_frames[-1], len(times) - 1):
        world = []
        for joint, node in enumerate(nodes):
            local = np.eye(4)
            local[:3, :3] = matrix(values[joint, "rotation"][frame])
            moved = values.get((joint, "translation"))
            local[:3, 3] = node["translation"] if moved is None else moved[frame]
            above = SKELETON.parents[joint]
            world.append(local if above < 0 else world[above] @ local)
            # glTF stores matrices column by column
            bone = world[joint] @ inverse[joint].T
            assert_allclose(bone[:3], clip.bones[frame, joint], atol=1e-5)


def test_reject_clips_of_another_skeleton(tmp_path: Path) -> None:
    clip = plan().clip()
    with pytest.raises(ValueError, match="clip: expected 3 bones, as the skeleton has joints, got 2"):
        save_clip(SKELETON, replace(clip, bones=clip.bones[:, :2]), tmp_path / "clip.glb")
