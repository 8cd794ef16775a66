"""Compares our picture of a character with pictures that other programs draw from our export.

All programs draw one distant light and matt colours without reflections or shadows in the same way. Differences between
pictures are then caused only by positions, normals, materials, frames, axes and units.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import ruckle
from program import invoke
from ruckle.scene.camera import Camera
from ruckle.scene.look import Light, Look
from ruckle.scene.modes import MODES, Mode
from skinned_sleeve import R_MIN, sleeve

Picture = NDArray[np.uint8]

WIDTH, HEIGHT = 240, 180

# The frame in the pictures, and the frame rate.
FRAME, FPS = 10, 30.0

# Direction to the light, in camera space.
LIGHT = np.array([-0.5, 0.6, 0.62]) / np.linalg.norm([-0.5, 0.6, 0.62])

BACKGROUND = "#f2efe9"
PAPER = np.array([int(BACKGROUND[k : k + 2], 16) for k in (1, 3, 5)])

# Largest mean difference from our picture at which the test passes. The largest possible difference is 255.
ALIKE = 3.0

PARAMETERS: dict[str, Any] = {"r_min": R_MIN, "tau": 1.2}


class Character:
    """A sleeve that bends, and our pictures of it.

    Attributes
    ----------
    path : path of its GLB file
    picture, plain : (HEIGHT, WIDTH, 3) uint8
        Pictures with its materials, and in white.
    """

    def __init__(self, folder: Path) -> None:
        self.path = sleeve(folder / "sleeve.glb", shaded=False)
        animation = ruckle.load(self.path)
        *_, frame = ruckle.run(animation.cut(0, FRAME + 1), **PARAMETERS)
        assert max(wrinkle.crest for wrinkle in frame.wrinkles) > 0.002
        aspect = WIDTH / HEIGHT
        self.camera = Camera.framing(frame.positions, aspect=aspect, azimuth=-30.0, elevation=30.0)
        look = Look(cloth="#ffffff", key=Light(tuple(LIGHT.tolist()), 1.0), background=BACKGROUND)
        MODES["lambert"] = Mode((str(Path(__file__).parent / "lambert.frag"),), lit=True)  # type: ignore[index]
        with ruckle.Renderer(WIDTH, HEIGHT, look=look) as renderer:
            self.picture, self.plain = (
                renderer.render(frame, camera=self.camera, mode="lambert", colors=colors)  # type: ignore[arg-type]
                for colors in (animation.colors, None)
            )

    def export(self, path: Path, *words: object) -> Path:
        """Export this character by the command `export` with further arguments, and return the output path."""
        options = [word for name, value in PARAMETERS.items() for word in (f"--{name.replace('_', '-')}", value)]
        done = invoke("export", self.path, "-o", path, "--quiet", *options, *words)
        assert done.exit_code == 0, done.output
        return path

    def scene(self) -> dict[str, Any]:
        """Return camera and light as JSON values for other programs.

        Y is up; the camera matrix is stored column by column.
        """
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.camera.axes.T, self.camera.eye
        planes = {"near": self.camera.distance / 100, "far": self.camera.distance * 100}
        return {
            "width": WIDTH,
            "height": HEIGHT,
            "camera": {"matrix": matrix.T.ravel().tolist(), "angle": self.camera.field_of_view, **planes},
            "light": (self.camera.axes.T @ LIGHT).tolist(),
            "background": BACKGROUND,
        }

    def difference(self, picture: Picture, kept: Path | None = None, *, plain: bool = False) -> float:
        """Return the mean difference (0 to 255) of a picture from our picture.

        If `kept` is a path, also write both pictures and their difference, four times as strong, side by side. If
        `plain`, compare with our white picture.
        """
        own = self.plain if plain else self.picture
        gap = np.abs(picture.astype(int) - own)
        if kept is not None:
            Image.fromarray(np.concatenate([own, picture, np.clip(4 * gap, 0, 255).astype(np.uint8)], 1)).save(kept)
        return float(gap.mean())


def over_background(picture: NDArray[Any]) -> Picture:
    """Return a picture with alpha (H, W, 4) uint8, blended over the background."""
    share = picture[:, :, 3:] / 255.0
    result: Picture = np.rint(picture[:, :, :3] * share + (1.0 - share) * PAPER).astype(np.uint8)
    return result
