"""The camera path of a film: it shows the whole garment in every frame, and follows a garment that travels."""

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

__all__ = ["VIEWS", "amount_seen", "busiest_frame", "camera_path", "close_up", "view_direction"]

Float64 = NDArray[np.float64]

VIEWS = {
    "three-quarter": (28.0, 8.0),
    "front": (0.0, 5.0),
    "left": (90.0, 5.0),
    "right": (-90.0, 5.0),
    "back": (180.0, 5.0),
    "above": (28.0, 55.0),
    "orbit": (28.0, 8.0),
}
"""Azimuth and elevation of the camera, degrees; left is the garment's own. "orbit" goes once round it."""

# A garment whose middle moves by more than this share of its size travels, and the camera goes with it.
TRAVEL = 0.5
# Seconds over which the camera smooths the garment's way: it must not bounce with each step.
CALM = 0.6
# Number of frames that decide the distance of the camera.
MEASURED = 64
# Points on the circle that a turning garment sweeps.
RING = 24

# Extent of a close-up, as a share of the character's height, and its largest angle to the horizon, degrees.
NEAR = 0.18
STEEPEST = 35.0
# Wrinkles within this share of the character's height count for how much there is to see at a point.
NEIGHBOURHOOD = 0.09


def view_direction(view: str | tuple[float, float]) -> tuple[float, float]:
    """Return the azimuth and elevation (degrees) of a named view; numbers are themselves.

    Raises
    ------
    ValueError
        No view of that name.
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
    """Return the camera of every frame of a film.

    Parameters
    ----------
    animation : Animation
    frames : range
        Frames of the animation.
    aspect : float
        Width over height of the picture.
    view : str or (float, float)
        A name of `VIEWS`, or azimuth and elevation in degrees, at the first frame.
    turn : float, degrees
        By how much the camera walks round the garment from the first frame to the end of the film.
    body : Animation, optional
        Shown whole as well; its frames are the animation's.
    """
    azimuth, elevation = view_direction(view)
    turn = turn or (360.0 if view == "orbit" else 0.0)
    shown = [animation] if body is None else [animation, body]
    positions = np.concatenate([one.positions[:, np.unique(one.faces)] for one in shown], axis=1)
    middles = _middles(positions, frames, animation.fps)
    measured = slice(None, None, max(1, len(frames) // MEASURED))
    seen = (positions[frames.start : frames.stop : frames.step][measured] - middles[measured, None]).reshape(-1, 3)
    points = _swept(seen, animation.up) if turn else seen
    camera = Camera.framing(points, aspect=aspect, azimuth=azimuth, elevation=elevation, up=animation.up)
    path = []
    standing = [camera] * len(frames)
    if not turn:
        about = [positions[frame] - middle for frame, middle in zip(frames, middles, strict=True)]
        standing = approaching(camera, about, aspect=aspect, rate=animation.fps / frames.step)
    for number, (camera, middle) in enumerate(zip(standing, middles, strict=True)):
        x, y, z = (np.asarray(camera.target) + middle).tolist()
        walked = turn * number / len(frames)
        path.append(replace(camera, target=(x, y, z), azimuth=(azimuth + walked + 180.0) % 360.0 - 180.0))
    return path


def busiest_frame(frames: Iterable[LayerFrame]) -> int:
    """Return the number of the frame with most to see: height times length, summed over its wrinkles."""
    return int(np.argmax([frame.details.amounts.sum() for frame in frames]))


def amount_seen(frame: LayerFrame, view: str | tuple[float, float], *, up: Up = "y") -> float:
    """Return how much a view shows of the wrinkles: height times length of each, by how it is turned to the view.

    Parameters
    ----------
    frame : LayerFrame
    view : str or (float, float)
        A name of `VIEWS`, or azimuth and elevation in degrees.
    up : {"y", "z"}
        The axis that points up.

    Returns
    -------
    float, square mesh units
    """
    azimuth, elevation = view_direction(view)
    toward = Camera(azimuth=azimuth, elevation=elevation, up=up).axes[2]
    return float(frame.details.amounts @ np.maximum(_normals(frame) @ toward, 0.0))


def close_up(frame: LayerFrame, *, height: float, up: Up = "y") -> Camera | None:
    """Return a camera that looks straight at the densest wrinkles; None without wrinkles.

    Parameters
    ----------
    frame : LayerFrame
    height : float, mesh units
        Height of the character: a little less than a fifth of it fills the picture.
    up : {"y", "z"}
        The axis that points up.
    """
    _, middles, amounts = frame.details
    if not len(amounts):
        return None
    normals = _normals(frame)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    # points that face away are not visible
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
    """Return the normal (n, 3) of the cloth in the middle of every wrinkle."""
    return unit(face_crosses(frame.positions, frame.topology.faces[frame.details.faces]))


def _middles(positions: NDArray[np.float32], frames: range, fps: float) -> Float64:
    """Return the points that the camera follows, (len(frames), 3): constant for a garment that does not travel."""
    low, high = positions.min(axis=1).astype(np.float64), positions.max(axis=1).astype(np.float64)
    middles = (low + high) / 2
    chosen = middles[frames.start : frames.stop : frames.step]
    if (np.ptp(chosen, axis=0) <= TRAVEL * (high - low).max()).all():
        return np.broadcast_to((chosen.min(axis=0) + chosen.max(axis=0)) / 2, chosen.shape)
    return smoothed(middles, max(1, round(CALM * fps)))[frames.start : frames.stop : frames.step]


def _swept(points: NDArray[np.floating], up: Up) -> Float64:
    """Return points around the volume that a garment sweeps when it turns about the vertical axis."""
    upright = points @ UPRIGHT[up].T
    radius = float(np.linalg.norm(upright[:, ::2], axis=1).max())
    angles = np.linspace(0.0, 2 * np.pi, RING, endpoint=False)
    ring = radius * np.stack([np.sin(angles), np.zeros(RING), np.cos(angles)], axis=1)
    heights = upright[:, 1].min(), upright[:, 1].max()
    return np.concatenate([ring + np.array([0.0, height, 0.0]) for height in heights]) @ UPRIGHT[up]
