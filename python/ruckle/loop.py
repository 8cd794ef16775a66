"""Loops: wrinkles that repeat, without a jump, together with an animation that repeats.

Wrinkles depend on earlier frames, so they differ between two repetitions of an animation, even after many repetitions.
A lap is one repetition. `LoopedLayer` computes two laps and shows the second. Near the end of the second lap, it blends
the heights into the last heights of the first lap, because the start of the second lap continues from these heights.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import choice
from ruckle.arrays import Float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.stack import Layer, StackFrame, step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import BlendedShape, HeightFrame, ShapeFrame

__all__ = ["LOOPS", "Loop", "LoopedLayer", "loop_period", "looped"]

Loop = Literal["auto", "yes", "no"]
LOOPS = ("auto", "yes", "no")

Float64 = NDArray[np.float64]

# Two poses are equal if no vertex differs by more than this share of the longest side of the first pose's bounding box.
SAME_POSE = 1e-3

# A step is the displacement of all vertices between two poses. A clip repeats if the step from its last pose to its
# first pose continues the motion: the cosines of its angles to the clip's first and last steps are above SAME_WAY, and
# it is at most LONGEST_STEP times as long as the longer of these two steps.
SAME_WAY, LONGEST_STEP = 0.7, 1.2

# Duration in seconds of the blend at the end of a lap; at most half a lap. The heights of two laps differ by up to
# r_min, the least radius of a wrinkle. At 60 frames per second, the blend changes a height by r_min / 30 per frame.
FADE = 0.5


def loop_period(animation: Animation) -> int | None:
    """Return the number of frames after which an animation repeats; None if it does not repeat or does not move.

    An animation of at least three frames repeats in three cases. First: its last pose equals its first. Second: the
    step from the last pose to the first continues the motion (the clip ends one frame early). Third: a longer clip
    shows the same motion at least twice. The mean displacement of the mesh is removed before poses are compared, so a
    character may walk forward.

    Parameters
    ----------
    animation : Animation

    Examples
    --------
    >>> import numpy as np
    >>> sheet = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> waves = 0.1 * np.sin(np.linspace(0.0, 2 * np.pi, 9))[:, None, None] * sheet
    >>> loop_period(ruckle.Animation(sheet + waves, [[0, 1, 2]]))
    8
    """
    count, poses = animation.frame_count, animation.positions
    if count < 3:
        return None
    least = SAME_POSE * float(np.ptp(poses[0].astype(np.float64), axis=0).max())
    # if all poses are equal to the first, the clip does not repeat
    if not any(_size(_step(poses[0], pose)) > least for pose in poses[1:-1]):
        return None
    inner = _inner_period(poses, least)
    if inner is not None:
        return inner
    wrap = _step(poses[-1], poses[0])
    if _size(wrap) <= least:
        return count - 1
    steps = [_step(poses[k], poses[k + 1]) for k in (0, count - 2)]
    follows = all(_cosine(wrap, step) > SAME_WAY for step in steps)
    return count if follows and _size(wrap) <= LONGEST_STEP * max(map(_size, steps)) else None


def _inner_period(poses: Float32, least: float) -> int | None:
    """Return the least number of frames after which all poses repeat; None if they do not repeat.

    The clip must contain this period at least twice, with motion inside the period. Two poses are equal if their
    vertices differ by at most `least`, mesh units.
    """
    count = len(poses)
    for period in range(2, (count + 1) // 2):
        if _size(_step(poses[0], poses[period])) > least or _size(_step(poses[-1 - period], poses[-1])) > least:
            continue
        moves = any(_size(_step(poses[0], pose)) > least for pose in poses[1:period])
        if moves and all(_size(_step(poses[k], poses[k + period])) <= least for k in range(count - period)):
            return period
    return None


def looped(layer: Layer, animation: Animation, loop: Loop = "auto") -> Layer:
    """Return a layer whose frames repeat with the animation; the layer itself if the animation does not repeat.

    If it repeats, the given layer is reset, and the result steps it.

    Parameters
    ----------
    layer : Layer
    animation : Animation
        The steps of the layer receive its poses, in order.
    loop : {"auto", "yes", "no"}
        "auto": repeat if the animation repeats (`loop_period`). "yes": repeat in any case; an animation without a
        period is one lap, and its first pose comes after its last. "no": never repeat.

    Raises
    ------
    ValueError
        `loop` is another word, or it is "yes" and the animation has fewer than three frames.
    """
    choice("loop", loop, LOOPS)
    period = None if loop == "no" else loop_period(require_animation(animation))
    if period is None and loop == "yes":
        if animation.frame_count < 3:
            raise ValueError(f"loop: expected at least 3 frames to repeat, got {animation.frame_count}")
        period = animation.frame_count
    return layer if period is None else LoopedLayer(layer, animation, period)


class LoopedLayer:
    """A layer that repeats the frames of a second lap, whose end is blended into the end of the first lap.

    A lap is one repetition of the animation.

    Parameters
    ----------
    layer : Layer
    animation : Animation
        The steps of the layer receive its poses, in order.
    period : int
        Number of frames of one lap, at most `animation.frame_count`.
    """

    def __init__(self, layer: Layer, animation: Animation, period: int) -> None:
        self._layer, self._animation, self._period = layer, animation, period
        self._fading = max(1, min(round(FADE * animation.fps), period // 2))
        self.reset()

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next step is the first."""
        self._layer.reset()
        self._index = 0
        self._before: list[LayerFrame] = []
        self._lap: list[LayerFrame] = []

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, bones: ArrayLike | None = None) -> LayerFrame:
        """Return the next frame; the first call also computes the first lap.

        The arguments are ignored, because the animation contains the positions.
        """
        if self._index == 0:
            for number in range(self._period):
                frame = step_frame(self._layer, self._animation, number)
                if number >= self._period - self._fading:
                    self._before.append(frame)
        number, self._index = self._index, self._index + 1
        if number >= self._period:
            # the second lap is complete: repeat its frame, with the positions of this pose
            return _moved(self._lap[number % self._period], self._animation.positions[number])
        frame = step_frame(self._layer, self._animation, number)
        into = number - (self._period - self._fading)
        if into >= 0:
            frame = faded(frame, self._before[into], (into + 1) / (self._fading + 1), number)
        if number + self._period < self._animation.frame_count:
            # store this frame only if the clip is long enough to repeat it
            self._lap.append(frame)
        return frame


def faded(frame: LayerFrame, other: LayerFrame, share: float, index: int) -> StackFrame:
    """Blend two frames of one pose: their heights and shapes get the weights (1 - `share`) and `share`.

    Parts of `frame` without heights and without a shape remain unchanged. The result has the frame number `index`.
    """
    layers: list[LayerFrame] = []
    for part, later in zip(frame.parts, other.parts, strict=True):
        if isinstance(part, ShapeFrame) and isinstance(later, ShapeFrame):
            layers.append(BlendedShape(part, later, share))
        elif isinstance(part, HeightFrame) and isinstance(later, HeightFrame):
            layers += [part.scaled(1.0 - share), later.scaled(share)]
        else:
            layers.append(part)
    return StackFrame(layers, [type(layer).__name__ for layer in layers], index)


def _moved(frame: LayerFrame, positions: Float32) -> LayerFrame:
    """Return a copy of a frame with other positions; in a stack, every layer gets these positions."""
    if isinstance(frame, StackFrame):
        layers = [_moved(layer, positions) for layer in frame.layers]
        return StackFrame(layers, [type(layer).__name__ for layer in layers], frame.index)
    return frame.changed(positions=np.array(positions))


def _step(pose: Float32, later: Float32) -> Float64:
    """Return the displacement of each vertex between two poses, minus the mean displacement."""
    moved = later.astype(np.float64) - pose
    centred: Float64 = moved - moved.mean(axis=0)
    return centred


def _size(step: Float64) -> float:
    return float(np.linalg.norm(step, axis=1).max())


def _cosine(step: Float64, other: Float64) -> float:
    return float((step * other).sum() / max(np.linalg.norm(step) * np.linalg.norm(other), np.finfo(float).tiny))
