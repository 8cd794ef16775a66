"""Figure 8.2: folds painted into the texture, next to dynamic wrinkles with and without the painted folds.

Painted folds are the same in every frame. Dynamic wrinkles appear at the same joints, and also on the chest, where
painted folds would be meaningless. They are absent where the motion does not compress the cloth, such as under a
hanging arm. The strokes here imitate the texture of an artist: a lit and a shaded side along each line, on the front.
The pictures come from `ruckle.Renderer`, which raises GraphicsError if the machine does not have OpenGL.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, sqrt

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import Drawing, canvas, panels
from ruckle.experiments.figures.peters2015.motions import play_motion
from ruckle.experiments.figures.regions import BOXES
from ruckle.io.texels import cover
from ruckle.mesh.animation import Animation
from ruckle.scene.camera import Camera
from ruckle.scene.framing import busiest_frame
from ruckle.scene.look import Look
from ruckle.scene.renderer import Extras, Renderer

__all__ = ["STROKES", "Comparison", "draw", "measure", "paint"]

Float64 = NDArray[np.float64]

STROKES = np.array(
    [
        # strokes across the elbow
        ((-0.246, 0.712), (-0.196, 0.678)),
        ((-0.226, 0.728), (-0.186, 0.692)),
        ((-0.212, 0.744), (-0.170, 0.708)),
        # strokes from the armpit over chest and sleeve
        ((-0.098, 0.748), (-0.066, 0.768)),
        ((-0.096, 0.736), (-0.060, 0.738)),
        ((-0.095, 0.724), (-0.062, 0.712)),
        ((-0.110, 0.762), (-0.138, 0.780)),
        # strokes at the waist, which begin at the side
        ((-0.092, 0.606), (-0.050, 0.594)),
        ((-0.092, 0.588), (-0.040, 0.572)),
        ((-0.092, 0.568), (-0.056, 0.560)),
    ]
)
"""End points (S, 2, 2) of strokes on the character's right in the front view of frame 0, relative to its height."""

# Half width of a stroke relative to the character's height, and its largest relative change of brightness.
HALF_WIDTH, DEPTH = 0.0065, 0.45

# Side length of the texture in texels, and its brightness without strokes.
TEXTURE, PLAIN = 1024, 205

# Boxes in the front view of the first frame, as in `regions`. The middle of the chest does not have strokes.
PLACES = {
    "right elbow": BOXES["right elbow"],
    "left elbow": BOXES["left elbow"],
    "waist": BOXES["waist"],
    "under the right arm": ((-0.145, 0.70), (-0.06, 0.79)),
    "middle of the chest": ((-0.055, 0.66), (0.055, 0.82)),
}

# Width and height of a rendered picture, pixels.
SIZE = 480


@dataclass(frozen=True, eq=False)
class Comparison:
    """Painted strokes and the wrinkles of a clip.

    Attributes
    ----------
    painted, wrinkled : dict of str to float
        Length of strokes, and of wrinkles in all frames, per area of each place in `PLACES`, divided by the same ratio
        of the whole front.
    angles : dict of str to float, degrees
        Mean angle between wrinkles and the nearest stroke, weighted by length, for places with both; 45 is random.
    moving : dict of str to float
        Standard deviation of the wrinkle length in each place, divided by the mean; 0 for painted strokes.
    """

    painted: dict[str, float]
    wrinkled: dict[str, float]
    angles: dict[str, float]
    moving: dict[str, float]


def measure(clip: Clip, strokes: Float64 = STROKES) -> Comparison:
    """Compare strokes with the wrinkles of a clip in the front view of its first frame."""
    animation = clip.animation
    rest = animation.positions[0].astype(np.float64)
    first, last = np.moveaxis(_both_sides(strokes), 1, 0)
    painted = _pieces(np.linspace(first, last, 21, axis=1))
    frames = [_at_rest(clip, rest, k) / animation.height for k in range(len(clip))]
    found = np.concatenate(frames)
    low, high = rest[:, :2].min(axis=0) / animation.height, rest[:, :2].max(axis=0) / animation.height
    places = {name: (np.array(first), np.array(last)) for name, (first, last) in PLACES.items()}

    def density(pieces: Float64, box: tuple[Float64, Float64]) -> float:
        if not len(pieces):
            return 0.0
        share = float(np.prod(box[1] - box[0]) / np.prod(high - low))
        return _length(pieces[_inside(pieces, box)]) / _length(pieces) / share

    moving = {}
    for name, box in places.items():
        lengths = np.array([_length(pieces[_inside(pieces, box)]) for pieces in frames])
        moving[name] = float(lengths.std() / lengths.mean()) if lengths.any() else 0.0
    both = [name for name, box in places.items() if _inside(found, box).any() and _inside(painted, box).any()]
    return Comparison(
        {name: density(painted, box) for name, box in places.items()},
        {name: density(found, box) for name, box in places.items()},
        {name: _angle(found[_inside(found, places[name])], painted) for name in both},
        moving,
    )


def paint(animation: Animation, strokes: Float64 = STROKES) -> NDArray[np.uint8]:
    """Return a texture (TEXTURE, TEXTURE, 3) of plain fabric with the strokes, for the animation's UV coordinates."""
    uv, faces = animation.uv, animation.faces if animation.uv_faces is None else animation.uv_faces
    if uv is None:
        raise ValueError(f"{animation.name}: has no texture coordinates, which painted strokes need")
    texels = cover(uv[faces], TEXTURE)
    corners = animation.positions[0][animation.faces[texels.faces]].astype(np.float64)
    points = (texels.barycentric[:, :, None] * corners).sum(axis=1)[:, :2] / animation.height
    sides = corners[:, 1:] - corners[:, :1]
    in_front = np.cross(sides[:, 0], sides[:, 1])[:, 2] > 0.0
    shade = np.zeros(len(points))
    for first, last in _both_sides(strokes):
        along = (last - first) / np.linalg.norm(last - first)
        share = np.clip((points - first) @ along / np.linalg.norm(last - first), 0.0, 1.0)
        off = points - first - share[:, None] * (last - first)
        # the upper side of a stroke is lit
        above = np.array([-along[1], along[0]]) * (1.0 if along[0] > 0 else -1.0)
        s = (off @ above) / HALF_WIDTH
        shade += sqrt(2.0 * e) * s * np.exp(-((off**2).sum(axis=1) / HALF_WIDTH**2)) * np.sin(np.pi * share)
    picture = np.full((TEXTURE, TEXTURE, 3), PLAIN, np.uint8)
    values = PLAIN * (1.0 + DEPTH * np.clip(shade, -1.0, 1.0) * in_front)
    picture[texels.rows, texels.columns] = np.clip(values, 0, 255).astype(np.uint8)[:, None]
    return picture


def draw(sample: str = "sawing") -> Drawing:
    """Draw the painted folds on the coarse garment, our wrinkles, and both together."""
    clip = play_sample(sample, tau=1.25)
    frame = clip.frames[busiest_frame(clip.frames)]
    camera = Camera.framing(frame.positions, aspect=1.0, azimuth=0.0, elevation=0.0)
    look = Look(background="#ffffff")
    texture = paint(clip.animation)
    extras = Extras(uv=clip.animation.uv, uv_faces=clip.animation.uv_faces, albedo=texture)
    plain = Extras(uv=clip.animation.uv, uv_faces=clip.animation.uv_faces, albedo=np.full_like(texture, PLAIN))
    with Renderer(SIZE, SIZE, look=look) as renderer:
        pictures = {
            "painted": renderer.render(frame.coarse, camera=camera, **extras),
            "ours": renderer.render(frame, camera=camera, **plain),
            "ours, with the same texture": renderer.render(frame, camera=camera, **extras),
        }
    figure = canvas(10.5, 3.7)
    for axes, (name, picture) in zip(panels(figure, 1, 3)[0], pictures.items(), strict=True):
        axes.imshow(picture)
        axes.set_title(name)
        axes.set_axis_off()
    found = measure(play_motion(sample))
    return Drawing(
        figure,
        seen=f"At the elbows wrinkles are within {found.angles['left elbow']:.0f} and "
        f"{found.angles['right elbow']:.0f} degrees of the painted strokes. In the middle of the chest, without "
        f"strokes, they are {found.wrinkled['middle of the chest']:.1f} times as dense as on the whole front. "
        f"Under the right arm they are {found.wrinkled['under the right arm']:.1f} times as dense, and strokes "
        f"{found.painted['under the right arm']:.1f} times. Strokes are the same in every frame.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {frame.index}; τ = {clip.tau:g}; strokes are our own",
    )


def _both_sides(strokes: Float64) -> Float64:
    return np.concatenate([strokes, strokes * (-1.0, 1.0)])


def _pieces(lines: Float64) -> Float64:
    """Return the segments (n, 2, 2) of polylines (m, k, 2)."""
    pieces: Float64 = np.stack([lines[:, :-1], lines[:, 1:]], axis=2).reshape(-1, 2, 2)
    return pieces


def _at_rest(clip: Clip, rest: Float64, k: int) -> Float64:
    """Return the path segments (n, 2, 2) of frame k at the same places of the first frame's cloth, front side only."""
    result = [np.empty((0, 2, 2))]
    for wrinkle in clip.frames[k].wrinkles:
        first, second = np.moveaxis(rest[clip.topology.edges[wrinkle.edges]], 1, 0)
        t = wrinkle.t[:, None].astype(np.float64)
        points = first * t + second * (1.0 - t)
        corners = rest[clip.topology.faces[wrinkle.faces]]
        in_front = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0.0
        result.append(np.stack([points[:-1, :2], points[1:, :2]], axis=1)[in_front])
    return np.concatenate(result)


def _length(pieces: Float64) -> float:
    return float(np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1).sum())


def _inside(pieces: Float64, box: tuple[Float64, Float64]) -> NDArray[np.bool_]:
    middle = pieces.mean(axis=1)
    return np.asarray(((middle >= box[0]) & (middle <= box[1])).all(axis=1))


def _angle(pieces: Float64, strokes: Float64) -> float:
    """Return the mean angle between segments and their nearest strokes in degrees, weighted by length."""
    distances = np.linalg.norm(pieces.mean(axis=1)[:, None] - strokes.mean(axis=1)[None], axis=2)
    nearest = strokes[distances.argmin(axis=1)]
    ours, theirs = pieces[:, 1] - pieces[:, 0], nearest[:, 1] - nearest[:, 0]
    lengths = np.linalg.norm(ours, axis=1)
    cosines = np.abs((ours * theirs).sum(axis=1)) / np.maximum(lengths * np.linalg.norm(theirs, axis=1), 1e-30)
    return float(np.degrees((np.arccos(np.clip(cosines, 0.0, 1.0)) * lengths).sum() / lengths.sum()))
