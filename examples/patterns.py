"""Draw one frame of a garment with wrinkle paths, with a pattern that rises and falls, and with both.

python examples/patterns.py patterns.png
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import ruckle
from ruckle.view import Camera

INDEX = 83

animation = ruckle.sample("sawing")
waves = ruckle.animation_patterns(animation, "noise", wavelength="2.5%")


def paths() -> ruckle.Layer:
    """Return a layer of wrinkle paths."""
    return ruckle.Wrinkler.for_animation(animation)


def pattern() -> ruckle.Layer:
    """Return a layer of waves that keep the length of the cloth."""
    return ruckle.Modulator.for_animation(animation, waves)


wearer = ruckle.sample_body("sawing")
body = ruckle.CoarseFrame(wearer.positions[INDEX], wearer.faces)
renderer = ruckle.Renderer(560, 700)
camera = Camera.framing(np.concatenate([animation.positions[INDEX], body.positions]), azimuth=35.0)
pictures = []
for layer in (paths(), pattern(), ruckle.Stack([paths(), pattern()])):
    for positions in animation.positions[: INDEX + 1]:
        frame = layer.step(positions, 1 / animation.fps)
    pictures.append(renderer.render(frame, camera=camera, body=body))
picture = Path(sys.argv[1] if len(sys.argv) > 1 else "out/patterns.png")
picture.parent.mkdir(parents=True, exist_ok=True)
Image.fromarray(np.concatenate(pictures, axis=1)).save(picture)
