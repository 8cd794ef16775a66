"""Chooses the camera of a picture, and its path in a film, so that the garment and its folds are visible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ruckle.mesh.animation import UPRIGHT, Animation, Up
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.scene.approach import approaching, smoothed
from ruckle.scene.camera import Camera
from ruckle.surface.frame import LayerFrame

__all__ = [
    "FOLD_VIEWS",
    "VIEWS",
    "amount_seen",
    "busiest_frame",
    "camera_path",
    "close_up",
    "fold_score",
    "fold_view",
    "picture_size",
    "shown_positions",
    "view_direction",
]

Float64 = NDArray[np.float64]

VIEWS = {
    "three-quarter": (28.0, 8.0),
    "front": (0.0, 5.0),
    "left": (90.0, 5.0),
    "right": (-90.0, 5.0),
    "back": (180.0, 5.0),
    "above": (28.0, 55.0),
    "orbit": (28.0, 8.0),
    "folds": (28.0, 8.0),
}
"""Azimuth and elevation of the camera, degrees, by name of the view. "left" is the garment's left.

In "orbit", the camera turns once around the garment. "folds" is a start value, which the direction with the most
visible folds replaces later.
"""

# The camera follows the garment if the garment's centre moves more than this share of its size.
TRAVEL = 0.5
# Seconds over which the garment's path is smoothed, so that the camera does not move up and down with each step.
CALM = 0.6
# The camera's distance is computed from about this number of frames, evenly distributed over the film.
MEASURED = 64
# If a camera turns by at most this angle (degrees) in a film, its distance may also decrease. In a larger turn, the
# change of distance would be visible.
SMALL_TURN = 60.0

# Shares of the wearer's height. Pictures do not show legs below a garment if they are longer than BARE_LEGS. Pictures
# show hands that are less than HANDS below the garment.
BARE_LEGS, HANDS = 0.36, 0.08

# For each entry: largest width / height of the subject, and the picture size (pixels) up to this ratio.
FORMATS = ((0.85, (720, 960)), (1.2, (840, 840)), (np.inf, (960, 720)))

# View "folds" chooses one of these directions (azimuth, elevation, degrees). The score of a view is multiplied by
# 1 + FRONT_BONUS cos(azimuth), so that views near the front are preferred.
FOLD_VIEWS = tuple((float(azimuth), 8.0) for azimuth in range(-75, 76, 15))
FRONT_BONUS = 0.6

# Close-up: height of the visible area as a share of the character's height, and largest angle of the camera to the
# horizontal plane in degrees.
NEAR = 0.18
STEEPEST = 35.0
# A close-up shows the point with most wrinkles within this distance, as a share of the character's height.
NEIGHBOURHOOD = 0.09


def view_direction(view: str | tuple[float, float]) -> tuple[float, float]:
    """Return azimuth and elevation (degrees) of a view by its name. A pair of numbers is returned unchanged.

    Raises
    ------
    ValueError
        A view of this name does not exist.
    """
    if not isinstance(view, str):
        return view
    if view not in VIEWS:
        raise ValueError(f"camera: expected one of {', '.join(VIEWS)} or AZIMUTH,ELEVATION in degrees, got '{view}'")
    return VIEWS[view]


def camera_path(
    animation: Animation,
    frames: range,
    *,
    aspect: float,
    view: str | tuple[float, float],
    turn: float = 0.0,
    body: Animation | None = None,
) -> list[Camera]:
    """Return the camera for every frame of a film. It shows the whole garment, and the head and hands of the wearer.

    The camera follows a garment that travels more than `TRAVEL`. If it turns by at most `SMALL_TURN`, it also moves
    nearer where less space is needed (`approaching`).

    Parameters
    ----------
    animation : Animation
    frames : range
        Frames of the animation.
    aspect : float
        Width of the picture divided by its height.
    view : str or (float, float)
        Direction of the first frame: a name in `VIEWS`, or azimuth and elevation in degrees.
    turn : float, degrees
        Angle by which the camera turns around the garment during the film. 0 means 360 for the view "orbit".
    body : Animation, optional
        The wearer of the garment, with the same frames.

    Raises
    ------
    ValueError
        A view of this name does not exist, or a number is out of its range.
    """
    azimuth, elevation = view_direction(view)
    turn = turn or (360.0 if view == "orbit" else 0.0)
    positions = shown_positions(animation, body)
    middles = _middles(positions, frames, animation.fps)
    walked = turn * np.arange(len(frames)) / len(frames)
    # a camera that turns around the cloth has the same view as a fixed camera if the cloth turns the other way
    about = [
        (positions[frame] - middle) @ _turned(-angle, animation.up).T
        for frame, middle, angle in zip(frames, middles, walked, strict=True)
    ]
    measured = np.concatenate(about[:: max(1, len(frames) // MEASURED)])
    camera = Camera.framing(measured, aspect=aspect, azimuth=azimuth, elevation=elevation, up=animation.up)
    near = [camera] * len(frames)
    if abs(turn) <= SMALL_TURN:
        near = approaching(camera, about, aspect=aspect, rate=animation.fps / frames.step)
    path = []
    for one, middle, angle in zip(near, middles, walked.tolist(), strict=True):
        x, y, z = (_turned(angle, animation.up) @ np.asarray(one.target) + middle).tolist()
        path.append(replace(one, target=(x, y, z), azimuth=(azimuth + angle + 180.0) % 360.0 - 180.0))
    return path


def shown_positions(animation: Animation, body: Animation | None) -> NDArray[np.float32]:
    """Return the points (F, n, 3) that a picture must show: the garment and parts of the wearer.

    The result contains the whole wearer, except if long bare legs are visible below the garment. Then parts that are
    more than `HANDS` below the garment in the first frame are omitted.
    """
    garment = animation.positions[:, np.unique(animation.faces)]
    if body is None:
        return garment
    worn = body.positions[:, np.unique(body.faces)]
    upward = UPRIGHT[animation.up][1].astype(np.float32)
    heights = worn[0] @ upward
    low, extent = float((garment[0] @ upward).min()), float(np.ptp(heights))
    bare_legs = low - float(heights.min()) > BARE_LEGS * extent
    kept = heights >= low - HANDS * extent if bare_legs else np.ones(len(heights), bool)
    return np.concatenate([garment, worn[:, kept]], axis=1)


def picture_size(
    animation: Animation, frames: range, *, view: str | tuple[float, float], body: Animation | None = None
) -> tuple[int, int]:
    """Return width and height, pixels, of pictures that garment and wearer fill; portrait if they are upright."""
    positions = shown_positions(animation, body)
    chosen = positions[frames.start : frames.stop : max(1, len(frames) // MEASURED) * frames.step]
    azimuth, elevation = view_direction(view)
    seen = chosen @ Camera(azimuth=azimuth, elevation=elevation, up=animation.up).axes[:2].T
    # use the median of the extents, so that a start with spread arms does not change the format
    widths, heights = np.ptp(seen, axis=1).T
    shape = float(np.median(widths / np.maximum(heights, 1e-6 * widths.max())))
    return next(size for limit, size in FORMATS if shape <= limit)


def fold_view(frames: Iterable[LayerFrame], *, up: Up = "y") -> tuple[float, float]:
    """Return the view (azimuth, elevation, degrees) in which most folds of these frames are visible.

    Views near the front get a bonus, because they show the wearer's face.
    """
    scores = np.zeros(len(FOLD_VIEWS))
    for frame in frames:
        scores += [fold_score(frame, view, up=up) for view in FOLD_VIEWS]
    return FOLD_VIEWS[int(np.argmax(scores))]


def fold_score(frame: LayerFrame, view: tuple[float, float], *, up: Up = "y") -> float:
    """Return `amount_seen` times a factor that is larger for views near the front."""
    return amount_seen(frame, view, up=up) * (1.0 + FRONT_BONUS * float(np.cos(np.radians(view[0]))))


def busiest_frame(frames: Iterable[LayerFrame]) -> int:
    """Return the index of the frame with the largest sum of wrinkle height times length."""
    return int(np.argmax([frame.details.amounts.sum() for frame in frames]))


def amount_seen(frame: LayerFrame, view: str | tuple[float, float], *, up: Up = "y") -> float:
    """Return the sum of height times length of all wrinkles, each times the cosine between its normal and the view.

    Wrinkles that face away count 0. Wrinkles behind other cloth are not excluded.

    Parameters
    ----------
    frame : LayerFrame
    view : str or (float, float)
        Name in `VIEWS`, or azimuth and elevation in degrees.
    up : {"y", "z"}
        Axis that points up.

    Returns
    -------
    float, square mesh units
    """
    azimuth, elevation = view_direction(view)
    toward = Camera(azimuth=azimuth, elevation=elevation, up=up).axes[2]
    return float(frame.details.amounts @ np.maximum(_normals(frame) @ toward, 0.0))


def close_up(frame: LayerFrame, *, height: float, up: Up = "y") -> Camera | None:
    """Return a camera that looks at the densest wrinkles along their normal; None if there are no wrinkles.

    Parameters
    ----------
    frame : LayerFrame
    height : float, mesh units
        Height of the character. The picture shows slightly less than a fifth of this height.
    up : {"y", "z"}
        Axis that points up.
    """
    _, middles, amounts = frame.details
    if not len(amounts):
        return None
    normals = _normals(frame)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    # The score of a wrinkle is a sum over near wrinkles, weighted by the cosine between the normals: a camera along
    # the normal does not see wrinkles that face away.
    together = (apart < NEIGHBOURHOOD * height) * np.clip(normals @ normals.T, 0.0, 1.0)
    best = int(np.argmax(together @ amounts))
    weights = together[best] * amounts / (together[best] @ amounts)
    x, y, z = (UPRIGHT[up] @ (weights @ normals)).tolist()
    elevation = float(np.clip(np.degrees(np.arctan2(y, np.hypot(x, z))), -STEEPEST, STEEPEST))
    target = weights @ middles
    square = target + NEAR * height / 2 * np.array([(-1, -1, 0), (1, 1, 0)])
    distance = Camera.framing(square, aspect=1.0, azimuth=0.0, elevation=0.0, margin=0.0).distance
    first, second, third = target.tolist()
    return Camera((first, second, third), distance, float(np.degrees(np.arctan2(x, z))), elevation, up=up)


def _normals(frame: LayerFrame) -> Float64:
    """Return the normal (n, 3) of the cloth at the middle of each wrinkle."""
    return unit(face_crosses(frame.positions, frame.topology.faces[frame.details.faces]))


def _middles(positions: NDArray[np.float32], frames: range, fps: float) -> Float64:
    """Return the centre of the picture for each frame, (len(frames), 3), mesh units.

    It is the smoothed centre of `positions`; it is constant if this centre moves by less than `TRAVEL` of their extent.
    """
    low, high = positions.min(axis=1).astype(np.float64), positions.max(axis=1).astype(np.float64)
    middles = (low + high) / 2
    chosen = middles[frames.start : frames.stop : frames.step]
    if (np.ptp(chosen, axis=0) <= TRAVEL * (high - low).max()).all():
        return np.broadcast_to((chosen.min(axis=0) + chosen.max(axis=0)) / 2, chosen.shape)
    return smoothed(middles, max(1, round(CALM * fps)))[frames.start : frames.stop : frames.step]


def _turned(angle: float, up: Up) -> Float64:
    """Return the rotation (3, 3) about the vertical axis by `angle`, degrees, to the viewer's right."""
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    axes = UPRIGHT[up]
    found: Float64 = axes.T @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ axes
    return found
