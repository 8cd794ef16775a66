"""Writes a sleeve with an elbow as a GLB file, which Panda3D loads as an Actor (an animated model)."""

from pathlib import Path

import numpy as np

from gltf_writer import Writer

LENGTH, RADIUS, ROWS, COLUMNS, FRAMES = 0.6, 0.07, 22, 14, 30


def write_sleeve(path: Path, *, outside: bool = False, color: tuple[float, ...] | None = None) -> None:
    """Write a GLB file of a tube along x. Its second half bends by 80 degrees in one second.

    Parameters
    ----------
    path : the file
    outside : bool
        True if the mesh is not a child of its armature.
    color : four floats, optional
        Base colour of the material; by default without material.
    """
    x, turn = np.meshgrid(
        np.linspace(0, LENGTH, ROWS), np.linspace(0, 2 * np.pi, COLUMNS, endpoint=False), indexing="ij"
    )
    points = np.stack([x, RADIUS * np.cos(turn), RADIUS * np.sin(turn)], axis=-1).reshape(-1, 3)
    rows, columns = np.meshgrid(np.arange(ROWS - 1), np.arange(COLUMNS), indexing="ij")
    a, b = rows * COLUMNS + columns, rows * COLUMNS + (columns + 1) % COLUMNS
    squares = np.stack([a, b, a + COLUMNS, b, b + COLUMNS, a + COLUMNS], axis=-1)
    share = np.clip((points[:, 0] - LENGTH / 2) / (2 * RADIUS) + 0.5, 0, 1)
    weights = np.stack([1 - share, share, 0 * share, 0 * share], axis=1)
    writer = Writer()
    attributes = {
        "POSITION": writer.accessor(points, min=points.min(0).tolist(), max=points.max(0).tolist()),
        "NORMAL": writer.accessor(points * [0, 1 / RADIUS, 1 / RADIUS]),
        "JOINTS_0": writer.accessor(np.tile([0, 1, 0, 0], (len(points), 1)), "u2"),
        "WEIGHTS_0": writer.accessor(weights),
    }
    primitive = {"attributes": attributes, "indices": writer.accessor(squares.reshape(-1), "u2")}
    if color is not None:
        writer.add("materials", {"name": "linen", "pbrMetallicRoughness": {"baseColorFactor": color}})
        primitive["material"] = 0
    mesh = writer.mesh(primitive, name="sleeve")
    elbow = [LENGTH / 2, 0.0, 0.0]
    writer.root["nodes"] = [
        {"name": "shoulder", "children": [1]},
        {"name": "elbow", "translation": elbow},
        {"name": "sleeve", "mesh": mesh, "skin": 0},
        {"name": "rig", "children": [0] if outside else [0, 2]},
    ]
    binding = np.tile(np.eye(4), (2, 1, 1))
    binding[1, :3, 3] = -np.array(elbow)
    matrices = writer.accessor(binding.transpose(0, 2, 1).reshape(2, 16))
    writer.root |= {
        "skins": [{"joints": [0, 1], "inverseBindMatrices": matrices, "skeleton": 3}],
        "scenes": [{"nodes": [3, 2] if outside else [3]}],
        "scene": 0,
    }
    times = np.linspace(0, 1, FRAMES + 1)
    half = np.radians(40) * times
    rotations = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1)
    writer.animate(1, "rotation", times, rotations)
    writer.root["animations"][0]["name"] = "bend"
    path.write_bytes(writer.glb())
