"""Drop a square of polyester, interlock, cotton and denim over a ball, and draw each of them at rest.

python examples/cloth.py cloth.png
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import ruckle
from ruckle.film.caption import captioned
from ruckle.simulation import grid_sheet
from ruckle.view import Camera

MATERIALS = ["jacket", "interlock", "cotton", "denim"]
SIDE, RADIUS, HEIGHT = 1.2, 0.25, 0.7  # metres: side of the square, radius of the ball, height of its center
SPACING = 0.02
SECONDS = 2.0


def square(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return points of a flat square just above the ball."""
    return np.stack([SIDE * (u - 0.5), 0 * u + HEIGHT + RADIUS + 0.01, SIDE * (v - 0.5)], 1)


def ball(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return points of a sphere: u is the longitude, v runs from pole to pole, both in [0, 1]."""
    around, down = 2 * np.pi * u, np.pi * (0.01 + 0.98 * v)
    points = np.stack([np.cos(around) * np.sin(down), np.cos(down), np.sin(around) * np.sin(down)], 1)
    return RADIUS * points + [0, HEIGHT, 0]


count = round(SIDE / SPACING) + 1
rest, faces = grid_sheet(count, count, square)
body, body_faces = grid_sheet(64, 32, ball, closed=True, inside_out=True)
shapes = []
for material in MATERIALS:
    cloth = ruckle.ClothSimulation(rest, faces, material=material, self_distance=0.008)
    cloth.collide_with(body_faces, len(body))
    for _ in range(round(60 * SECONDS)):
        frame = cloth.step(1 / 60, body=body)
    shapes.append(frame.positions)
camera = Camera.framing(np.concatenate([*shapes, body]), azimuth=20.0, elevation=15.0, aspect=0.9)
renderer = ruckle.Renderer(396, 440)
wearer = ruckle.CoarseFrame(body, body_faces)
row = [
    captioned(renderer.render(ruckle.CoarseFrame(shape, faces), camera=camera, body=wearer), material)
    for shape, material in zip(shapes, MATERIALS, strict=True)
]
picture = Path(sys.argv[1] if len(sys.argv) > 1 else "out/cloth.png")
picture.parent.mkdir(parents=True, exist_ok=True)
Image.fromarray(np.concatenate(row, axis=1)).save(picture)
