"""Draw garments side by side: with wrinkle paths, noise, strokes, paths and strokes, and a drawn pattern.

python examples/patterns.py patterns.png
python examples/patterns.py patterns.png sawing:83 sweater.glb:150     one row for each garment and frame
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

import ruckle
from ruckle.film.caption import captioned
from ruckle.scene.body import Dressing
from ruckle.view import Camera

GARMENTS = ["sawing:83", "shoveling:104", "fist_pumping:76"]
TILE = 384  # width and height of the drawn image in texels
TITLES = ["paths", "noise", "strokes", "paths and strokes", "a drawn pattern"]
WAVES = 12  # number of folds along the height of the drawn image


def brush(turn: int) -> np.ndarray:
    """Return a repeating image of soft strokes along a diagonal, turned by `turn` quarter turns."""
    random = np.random.default_rng(turn % 3)
    tile = Image.new("L", (3 * TILE, 3 * TILE), 0)
    draw = ImageDraw.Draw(tile)
    along, side = np.array([1.0, 1.0]) / np.sqrt(2), np.array([-1.0, 1.0]) / np.sqrt(2)
    for row in range(WAVES):
        middle = TILE * np.array([random.random(), (row + 0.4 * random.random()) / WAVES])
        way = np.linspace(-0.5, 0.5, 24)[:, None] * TILE * random.uniform(0.4, 0.7)
        stroke = middle + way * along + random.uniform(-0.0004, 0.0004) * way**2 * side
        for shift in np.ndindex(3, 3):
            draw.line([tuple(p) for p in stroke + TILE * np.array(shift)], fill=255, width=TILE // WAVES // 3)
    soft = tile.filter(ImageFilter.GaussianBlur(TILE / WAVES / 6))
    return np.rot90(np.asarray(soft, float)[TILE : 2 * TILE, TILE : 2 * TILE], turn)


def drawn(animation: ruckle.Animation, wavelength: float) -> list[ruckle.Pattern]:
    """Return two patterns from images: strokes along both diagonals of the texture coordinates."""
    if animation.uv is None:
        raise SystemExit(f"{animation.name}: strokes are drawn over texture coordinates, of which there are none")
    topology = ruckle.Topology(ruckle.weld(animation.positions[0], animation.faces), animation.vertex_count)
    grid = ruckle.PatternGrid(topology, animation.positions[0], spacing=wavelength / 8)
    uv_faces = animation.faces if animation.uv_faces is None else animation.uv_faces
    # scales the texture coordinates so that the distance between folds is the wavelength
    edges = np.linalg.norm(np.diff(animation.positions[0][animation.faces[:, :2]], axis=1), axis=2)
    flat = np.linalg.norm(np.diff(animation.uv[uv_faces[:, :2]], axis=1), axis=2)
    scale = float(np.median(edges / np.maximum(flat, 1e-9))) / (WAVES * wavelength)
    return [
        ruckle.image_pattern(grid, brush(turn), uv=animation.uv, uv_faces=uv_faces, scale=scale, name=name)
        for turn, name in enumerate(("rising", "falling"))
    ]


def pictures(name: str, index: int, renderer: ruckle.Renderer) -> np.ndarray:
    """Draw one frame of a garment with each of the layers."""
    is_sample = name in ruckle.samples()
    animation = ruckle.sample(name) if is_sample else ruckle.load(name)
    waves, strokes = (ruckle.animation_patterns(animation, one, wavelength="2.5%") for one in ("noise", "strokes"))

    def paths() -> ruckle.Layer:
        return ruckle.Wrinkler.for_animation(animation)

    def single() -> ruckle.Layer:
        # limits the slope, because strokes are sharper than noise
        return ruckle.Modulator.for_animation(animation, strokes, steepest=1.0)

    noise = ruckle.Modulator.for_animation(animation, waves)
    image = ruckle.Modulator.for_animation(animation, drawn(animation, 0.025 * animation.height), steepest=1.2)
    wearer = ruckle.sample_body(name) if is_sample else None
    seen = np.concatenate([one.positions[index] for one in (animation, wearer) if one is not None])
    camera = Camera.framing(seen, azimuth=35.0, aspect=0.8)
    dressing = Dressing(animation, wearer)
    layers: list[ruckle.Layer] = [paths(), noise, single(), ruckle.Stack([paths(), single()]), image]
    row = []
    for title, layer in zip(TITLES, layers, strict=True):
        for positions in animation.positions[: index + 1]:
            frame = layer.step(positions, 1 / animation.fps)
        picture = renderer.render(frame, camera=camera, **dressing.extras(index, renderer.look))
        row.append(captioned(picture, title))
    return np.concatenate(row, axis=1)


picture = Path(sys.argv[1] if len(sys.argv) > 1 else "out/patterns.png")
picture.parent.mkdir(parents=True, exist_ok=True)
cells = ruckle.Renderer(400, 500)
chosen = [one.rpartition(":") for one in sys.argv[2:] or GARMENTS]
Image.fromarray(np.concatenate([pictures(name, int(index), cells) for name, _, index in chosen])).save(picture)
