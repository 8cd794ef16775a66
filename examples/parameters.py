"""Draw one frame of a garment for several tau and r_min on one sheet, to compare the effects of both parameters.

python examples/parameters.py parameters.png
"""

import sys
from itertools import islice
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import ruckle
from ruckle.scene.body import Dressing
from ruckle.view import Camera

TAUS = (1.2, 1.4, 1.6)
RADII = ("0.3%", "0.5%", "1%")

animation = ruckle.sample("stretching")
index = 95
wearer = ruckle.sample_body("stretching")
dressing = Dressing(animation, wearer)
renderer = ruckle.Renderer(640, 640)
camera = Camera.framing(np.concatenate([animation.positions[index], wearer.positions[index]]), azimuth=20.0)

figure, axes = plt.subplots(len(RADII), len(TAUS), figsize=(9.6, 9.9), layout="constrained")
for row, r_min in zip(axes, RADII, strict=True):
    for ax, tau in zip(row, TAUS, strict=True):
        frames = ruckle.run(animation, tau=tau, r_min=r_min)
        frame = next(islice(frames, index, None))
        ax.imshow(renderer.render(frame, camera=camera, **dressing.extras(index, renderer.look)))
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_frame_on(False)
        if r_min == RADII[0]:
            ax.set_title(f"tau {tau:g}", fontsize=11)
        if tau == TAUS[0]:
            ax.set_ylabel(f"r_min {r_min}", fontsize=11)
picture = Path(sys.argv[1] if len(sys.argv) > 1 else "out/parameters.png")
picture.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(picture, dpi=110)
