"""Simulate a sleeve in poses of an elbow, and draw poses between them: coarse cloth, and cloth with wrinkles.

python examples/poses.py poses.png
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import ruckle
from ruckle.film.caption import captioned
from ruckle.mesh.animation import Animation
from ruckle.offline.simulation import Settler
from ruckle.simulation import Sheet, grid_sheet, smooth_attachment
from ruckle.simulation.body import Motion, skin
from ruckle.view import Camera

COLUMNS, ROWS = 60, 92
WIDTH, HEIGHT = 520, 420
SAMPLES = range(0, 61, 12)
SHOWN = (6, 30, 54)

SKELETON = ruckle.Skeleton(["chest", "arm", "elbow"], [-1, 0, 1], np.array([(-0.2, 0, 0), (0, 0, 0), (0.28, 0, 0)]))
CONES = np.array([(-0.05, 0, 0, 0.055, 0.28, 0, 0, 0.045), (0.28, 0, 0, 0.045, 0.56, 0, 0, 0.035)], np.float32)


def tube(columns: int, rows: int, wide: float, narrow: float, length: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a tube around the arm; `wide` and `narrow` are its radii at the ends, metres."""

    def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        radius = wide + (narrow - wide) * v
        return np.stack([length * v, radius * np.cos(2 * np.pi * u), radius * np.sin(2 * np.pi * u)], axis=1)

    return grid_sheet(columns, rows, around, closed=True, inside_out=True)


def skinned(points: np.ndarray, bones: np.ndarray) -> np.ndarray:
    """Return points (V, 3), skinned to the arm and the forearm as a game does."""
    share = np.clip((points[:, 0] - 0.28) / 0.1 + 0.5, 0, 1)
    return skin(points, np.stack([0 * share, 1 - share, share], axis=1), bones)


def cotton(sheet: Sheet) -> ruckle.ClothSimulation:
    """Return a simulation in which layers of cloth keep 2 mm distance, at the inner elbow for example."""
    return ruckle.ClothSimulation(sheet.rest, sheet.faces, sheet.attachment, self_distance=0.002)


plan = ruckle.plan_poses(SKELETON, {"elbow": SAMPLES}, axes={"elbow": [0, 0, 1]})
rest, faces = tube(COLUMNS, ROWS, 0.078, 0.06)
held = smooth_attachment(np.minimum(rest[:, 0], 0.5 - rest[:, 0]), 0.03)
sheet = Sheet(rest, faces, held, np.eye(3, dtype=np.float32)[np.where(rest[:, 0] < 0.28, 1, 2)])
motion = Motion(np.tile(np.eye(3, 4), (1, 3, 1, 1)), SKELETON.rest_joints, SKELETON.parents, SKELETON.names, 60.0)
fine = ruckle.settle_poses(plan, Settler(sheet, motion, CONES, [1, 2], make=cotton), sheet)

coarse, coarse_faces = tube(12, 20, 0.078, 0.06)
in_samples = Animation(np.array([skinned(coarse, bones) for bones in plan.sample_bones]), coarse_faces)
database = ruckle.build_poses(plan, fine, in_samples)
print(database)

layer = ruckle.PoseSynthesizer(database)
arm, arm_faces = tube(24, 60, 0.055, 0.035, length=0.56)
renderer = ruckle.Renderer(WIDTH, HEIGHT)
rows = []
for degrees in SHOWN:
    bones = SKELETON.pose(plan.rotations({"elbow": [np.radians(degrees)]}))
    frame = layer.step(skinned(coarse, bones), bones=bones)
    body = ruckle.CoarseFrame(skinned(arm, bones), arm_faces)
    camera = Camera.framing(body.positions, azimuth=-20.0, aspect=WIDTH / HEIGHT)
    pictures = [
        captioned(renderer.render(shown, camera=camera, body=body), f"{title}, elbow at {degrees}°")
        for title, shown in (("coarse", frame.coarse), ("with examples", frame))
    ]
    rows.append(np.concatenate(pictures, axis=0))
picture = Path(sys.argv[1] if len(sys.argv) > 1 else "out/poses.png")
picture.parent.mkdir(parents=True, exist_ok=True)
Image.fromarray(np.concatenate(rows, axis=1)).save(picture)
