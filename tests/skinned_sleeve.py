"""A skinned sleeve as a glTF file in centimetres, with two materials, a seam, texture coordinates and two clips."""

from pathlib import Path
from typing import Any

import numpy as np

from gltf_writer import Writer
from ruckle.simulation.sheet import grid_faces

COLUMNS, ROWS, RADIUS, LENGTH = 12, 13, 7.0, 60.0
FRAMES, ANGLE = 13, np.radians(100.0)
# scale of the root joint, which converts centimetres to metres
SCALE = 0.01
R_MIN = 0.009


def bones(frame: int, *, mirrored: bool) -> Any:
    """Return the matrices (2, 3, 4) of both bones, which move the stored vertices of the sleeve to the scene."""
    turn = ANGLE * frame / (FRAMES - 1)
    side = np.diag([-1.0 if mirrored else 1.0, 1.0, 1.0])
    root = np.hstack([SCALE * side, np.zeros((3, 1))])
    c, s = np.cos(turn), np.sin(turn)
    elbow = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    at = np.array([LENGTH / 2, 0.0, 0.0])
    return np.stack([root, SCALE * side @ np.hstack([elbow, (at - elbow @ at)[:, None]])])


def sleeve(path: Path, *, mirrored: bool = False, shaded: bool = True) -> Path:
    """Write a skinned sleeve whose elbow bends, and return its path.

    If not `shaded`, omit vertex colours and tangents.
    """
    writer = Writer()
    u, v = (a.ravel() for a in np.meshgrid(np.arange(COLUMNS + 1) / COLUMNS, np.linspace(0.0, 1.0, ROWS)))
    points = np.stack([LENGTH * v, RADIUS * np.cos(2 * np.pi * u), RADIUS * np.sin(2 * np.pi * u)], axis=1)
    seam = u == 1.0
    points[seam] = points[np.flatnonzero(seam) - COLUMNS]
    around = grid_faces(COLUMNS + 1, ROWS)
    centres = points[around].mean(axis=1)
    out = np.einsum(
        "ti,ti->t", np.cross(*(points[around][:, k] - points[around][:, 0] for k in (1, 2))), centres * [0, 1, 1]
    )
    faces = np.where((out < 0)[:, None], around[:, ::-1], around)
    share = np.clip((points[:, 0] - LENGTH / 2) / 10.0 + 0.5, 0.0, 1.0)
    attributes = {
        "POSITION": writer.accessor(points),
        "NORMAL": writer.accessor(points * [0, 1, 1] / RADIUS),
        "TEXCOORD_0": writer.accessor(np.stack([u, v], axis=1)),
        "TEXCOORD_1": writer.accessor(np.stack([v, u], axis=1)),
        "TANGENT": writer.accessor(np.tile([1.0, 0.0, 0.0, -1.0], (len(points), 1))),
        "COLOR_0": writer.accessor(
            np.stack([255 * v, 0 * v, 255 - 255 * v, 255 + 0 * v], axis=1), "u1", normalized=True
        ),
        "JOINTS_0": writer.accessor(np.tile([0, 1, 0, 0], (len(points), 1)), "u1"),
        "WEIGHTS_0": writer.accessor(np.stack([1 - share, share, 0 * share, 0 * share], axis=1)),
    }
    if not shaded:
        del attributes["COLOR_0"], attributes["TANGENT"]
    lower = points[faces][:, :, 0].mean(axis=1) < LENGTH / 2
    primitives = []
    for name, chosen, color in (("lower", lower, [0.8, 0.5, 0.3, 1.0]), ("upper", ~lower, [0.3, 0.6, 0.8, 1.0])):
        surface = {"baseColorFactor": color, "metallicFactor": 0.0}
        material = writer.add(
            "materials", {"name": name, "extras": {"kept": True}, "pbrMetallicRoughness": surface, "doubleSided": True}
        )
        indices = writer.accessor(faces[chosen].ravel(), "u2")
        primitives.append({"attributes": attributes, "indices": indices, "material": material})
    writer.mesh(*primitives, name="sleeve")
    writer.add("nodes", {"mesh": 0, "skin": 0, "name": "sleeve"})
    side = -SCALE if mirrored else SCALE
    writer.add("nodes", {"name": "root", "children": [2], "scale": [side, SCALE, SCALE]})
    writer.add("nodes", {"name": "elbow", "translation": [LENGTH / 2, 0, 0]})
    bind = np.stack([np.eye(4), np.eye(4)])
    bind[1, 0, 3] = -LENGTH / 2
    writer.add(
        "skins", {"joints": [1, 2], "inverseBindMatrices": writer.accessor(bind.transpose(0, 2, 1).reshape(2, 16))}
    )
    writer.root |= {"scene": 0, "scenes": [{"nodes": [0, 1]}], "extensionsUsed": ["KHR_materials_unlit"]}
    turns = ANGLE / 2 * np.arange(FRAMES) / (FRAMES - 1)
    quaternions = np.stack([0 * turns, 0 * turns, np.sin(turns), np.cos(turns)], axis=1)
    for start in (0.0, 0.5):
        writer.animate(2, "rotation", start + np.arange(FRAMES) / 30.0, quaternions)
    return writer.save(path)
