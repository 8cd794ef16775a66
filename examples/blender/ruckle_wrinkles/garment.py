# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache of one garment: poses and states of the wrinkles per frame, from which any frame is computed."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .layers import Look, fine_levels, make_layers
from .library import FineMesh, LayeredGarment, Library

Array = NDArray[Any]
# Returns the positions (V, 3) of some frames, in the mesh's own space.
Reader = Callable[[Sequence[int]], Sequence[Array]]

# If poses of frames are missing, a read also includes later frames: READ_AHEAD - 1 frames after the last missing frame,
# because each call of a reader has a fixed cost. Larger values make jumps on the timeline slower.
READ_AHEAD = 12

# Duration in seconds of a blend at the end of a loop: the wrinkles fade to those of the previous lap, which continue in
# the first frame.
FADE = 0.5

# Largest size of the cache of states in bytes: about 3,000 frames of a jacket. Removed frames are computed again.
MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class Timeline:
    """The frames on which wrinkles depend: the motion from its first frame on, and a pre-roll before it.

    Attributes
    ----------
    first : int
        Frame at which the motion begins. Frames before the pre-roll, or before `first` in a loop, do not depend on
        other frames.
    dt : float
        Seconds from frame to frame.
    preroll : int
        Number of frames that are computed before the first frame.
    loop_last : int, optional
        Last frame of a repeating motion, whose pre-roll consists of the last frames of the loop. None without a loop.
    """

    first: int
    dt: float
    preroll: int = 0
    loop_last: int | None = None

    def source(self, step: int) -> int:
        """Return the frame whose pose a step uses. Steps before the first frame of a loop use frames at its end."""
        if step >= self.first or self.loop_last is None:
            return step
        return self.loop_last - (self.first - 1 - step) % (self.loop_last - self.first + 1)

    @property
    def period(self) -> int:
        """Number of frames of a repeating motion. 0 without a loop, or if the pre-roll is shorter than the loop."""
        period = 0 if self.loop_last is None else self.loop_last - self.first + 1
        return period if self.preroll >= period else 0

    def fade(self, frame: int) -> float:
        """Return the weight of the previous lap, in [0, 1). It is above 0 only at the end of a loop, to hide a jump."""
        fading = min(round(FADE / self.dt), self.period // 2)
        into = frame - (self.first + self.period - fading)
        return (into + 1) / (fading + 1) if 0 <= into < fading else 0.0

    def begin(self, frame: int) -> int | None:
        """Return the first step on which a frame depends. None for a frame before the motion, which is independent."""
        begin = self.first - self.preroll
        return None if frame < (begin if self.loop_last is None else self.first) else begin


@dataclass(frozen=True)
class Cloth:
    """The mesh of a garment.

    Attributes
    ----------
    rest : (V, 3) float32
        Positions without modifiers.
    faces : (T, 3) int32
    metric : (3, 3) float64
        Transforms mesh space to the space of the wrinkles: lengths of the world, Y up, without reflection.
    bind : bool
        True if compression is measured from `rest`, False if from the first frame.
    mask : (V,) float32, in [0, 1], optional
        Multiplies the heights.
    uv : (T, 3, 2) float32, optional
        Texture coordinates at triangle corners, for a picture of folds.
    """

    rest: Array
    faces: Array
    metric: Array = field(default_factory=lambda: np.eye(3))
    bind: bool = False
    mask: Array | None = None
    uv: Array | None = None


class Garment:
    """A garment whose frames may be shown in any order. The result depends only on the motion, not on the order.

    Parameters
    ----------
    library : Library
    cloth : Cloth

    Attributes
    ----------
    topology : str
        Hash of the faces of the last fine mesh, to detect a change of its topology.

    Raises
    ------
    ValueError
        The mesh or an option is wrong; the message is the library's sentence.
    """

    def __init__(self, library: Library, cloth: Cloth) -> None:
        self._library, self.cloth = library, cloth
        # if the metric is the identity, positions are not transformed, so that they remain free of rounding errors
        self._turned = not np.array_equal(cloth.metric, np.eye(3))
        self._inverse = np.linalg.inv(cloth.metric).astype(np.float32)
        self._scale = np.float32(np.cbrt(np.linalg.det(cloth.metric)))
        self._rest = self._to_wrinkles(cloth.rest)
        self._poses: dict[int, Array] = {}
        self._states: OrderedDict[tuple[Any, int], bytes] = OrderedDict()
        self._bytes = 0
        self._levels: tuple[Look, Array] | None = None
        self.topology = ""
        self._layers: tuple[Any, LayeredGarment] | None = None
        self._at: tuple[Any, int] | None = None

    def fine(self, look: Look, timeline: Timeline, frame: float, read: Reader) -> FineMesh:
        """Return the fine mesh of a frame. Between two frames, positions are interpolated linearly."""
        whole = int(np.floor(frame))
        found = self._faded(look, timeline, whole, read)
        share = np.float32(frame - whole)
        if share > 0.0:
            later = self._faded(look, timeline, whole + 1, read)
            found = replace(found, positions=found.positions + share * (later.positions - found.positions))
        return found

    def misses(self, frames: Sequence[int]) -> bool:
        """Return True if the pose of any of these frames is unknown."""
        return not self._poses.keys() >= {*frames}

    def learn(self, frames: Sequence[int], positions: Sequence[Array]) -> None:
        """Store poses that were read together with those of another garment. `positions` is empty if reading failed."""
        self._poses.update(zip(frames, map(self._to_wrinkles, positions), strict=False))

    def preview(self, positions: Array, look: Look, timeline: Timeline) -> FineMesh | None:
        """Return the fine mesh of a pose that the user edits, as the next step after the last shown frame.

        None if no frame was shown or the number of vertices differs.
        """
        if self._layers is None or len(positions) != len(self._rest):
            return None
        layers, self._at = self._layers[1], None
        layers.step(self._to_wrinkles(positions), timeline.dt)
        return self._shown(layers, look)

    def _faded(self, look: Look, timeline: Timeline, frame: int, read: Reader) -> FineMesh:
        """Return the fine mesh of a frame; near the end of a loop, a blend of this lap and the previous lap."""
        share = np.float32(timeline.fade(frame))
        if not share > 0.0:
            return self._fine(look, timeline, frame, read)
        before = self._fine(look, timeline, frame - timeline.period, read, begin=timeline.first - timeline.preroll)
        # computed last, because a preview continues from the last computed frame
        found = self._fine(look, timeline, frame, read)
        normals = found.normals + share * (before.normals - found.normals)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return replace(
            found,
            positions=found.positions + share * (before.positions - found.positions),
            normals=normals / np.where(lengths > 0.0, lengths, np.float32(1.0)),
            heights=found.heights + share * (before.heights - found.heights),
        )

    def _fine(self, look: Look, timeline: Timeline, frame: int, read: Reader, *, begin: int | None = None) -> FineMesh:
        # the cache key ignores the level of detail, which does not change the wrinkles
        key = (replace(look, detail=1.0, most_vertices=0), timeline)
        begin = timeline.begin(frame) if begin is None else begin
        if begin is None:
            self._fetch([timeline.first, frame], read)
            layers, self._at = self._layers_of(key, look, timeline.first), None
            layers.reset()
            layers.step(self._poses[frame], timeline.dt)
            return self._shown(layers, look)
        known = frame - 1
        while known >= begin and (key, known) not in self._states:
            known -= 1
        steps = range(max(known + 1, begin), frame + 1)
        self._fetch([timeline.first, *map(timeline.source, steps)], read)
        layers = self._layers_of(key, look, timeline.first)
        if self._at != (key, frame):
            self._go_to(layers, key, known if known >= begin else None)
            # the layers' state is unknown if a step raises an error
            self._at = None
            for step in steps:
                layers.step(self._poses[timeline.source(step)], timeline.dt)
                self._remember((key, step), layers.state())
            self._at = key, frame
        return self._shown(layers, look)

    def _go_to(self, layers: LayeredGarment, key: Any, step: int | None) -> None:
        if step is None:
            layers.reset()
        elif self._at != (key, step):
            layers.restore(self._states[key, step])
            self._states.move_to_end((key, step))

    def _shown(self, layers: LayeredGarment, look: Look) -> FineMesh:
        if self._levels is None or self._levels[0] != look:
            self._levels = look, fine_levels(self._rest, layers, look)
        levels = self._levels[1]
        self.topology = hashlib.sha256(layers.faces.tobytes() + levels.tobytes()).hexdigest()
        fine = layers.displace(levels)
        if self._turned:
            fine = replace(
                fine,
                positions=fine.positions @ self._inverse.T,
                normals=fine.normals @ (self.cloth.metric.astype(np.float32) / self._scale),
                heights=fine.heights / self._scale,
            )
        return fine

    @property
    def faces(self) -> Array:
        """Coarse faces (T, 3) int32, with vertices at one position joined. Available after the first frame."""
        assert self._layers is not None
        return self._layers[1].faces

    def _to_wrinkles(self, positions: Array) -> Array:
        if not self._turned:
            return np.ascontiguousarray(positions, np.float32)
        return np.ascontiguousarray((positions @ self.cloth.metric.T).astype(np.float32))

    def _fetch(self, frames: Sequence[int], read: Reader) -> None:
        missing = sorted({*frames} - {*self._poses})
        if not missing:
            return
        ahead = range(missing[-1] + 1, missing[-1] + READ_AHEAD)
        missing += [number for number in ahead if number not in self._poses]
        self._poses.update(zip(missing, map(self._to_wrinkles, read(missing)), strict=True))

    def _layers_of(self, key: Any, look: Look, first: int) -> LayeredGarment:
        if self._layers is None or self._layers[0] != key:
            rest = self._rest if self.cloth.bind else self._poses[first]
            made = make_layers(self._library, self.cloth.faces, rest, look, self.cloth.mask, self.cloth.uv)
            self._layers, self._at = (key, made), None
        return self._layers[1]

    def _remember(self, key: tuple[Any, int], state: bytes) -> None:
        self._bytes += len(state) - len(self._states.pop(key, b""))
        self._states[key] = state
        while self._bytes > MOST_BYTES:
            self._bytes -= len(self._states.popitem(last=False)[1])


def corner_values(fine: FineMesh, coarse: Array, values: Array) -> Array:
    """Interpolate values, such as UVs, from coarse corners (T, 3, n) to the corners of fine faces (M, 3, n)."""
    # a fine vertex may have its weights in a neighbouring coarse face: match the weights by coarse vertices
    named = coarse[fine.coarse_faces[fine.faces]]
    own = coarse[fine.face_coarse_faces]
    weights = fine.barycentric[fine.faces]
    matched = np.zeros_like(weights)
    for k in range(3):
        for j in range(3):
            matched[:, :, k] += np.where(named[:, :, j] == own[:, None, k], weights[:, :, j], np.float32(0.0))
    result: Array = np.einsum("mck,mkn->mcn", matched, values[fine.face_coarse_faces])
    return result


def metric_of(world: Array) -> Array:
    """Return the transform (3, 3) from mesh space to the space of the wrinkles, from the mesh's world matrix (3, 3).

    The world matrix is decomposed into a rotation or reflection and a symmetric stretch. The result is the stretch
    with a rotation that makes the world's Z axis the Y axis. Reflections are removed, because they would turn folds
    inward.
    """
    left, sizes, right = np.linalg.svd(np.asarray(world, np.float64))
    if sizes[-1] < 1e-9 * max(sizes[0], 1e-30):
        # the object is flat or has size 0, such as an object whose scale is animated from 0
        sizes = np.full(3, max(sizes[0], 1.0))
    stretch = right.T @ np.diag(sizes) @ right
    turn = left @ right
    up = turn.T @ np.array([0.0, 0.0, 1.0])
    return rotation_to_y(up) @ stretch


def rotation_to_y(direction: Array) -> Array:
    """Return the smallest rotation (3, 3) that turns a unit vector to +Y."""
    target = np.array([0.0, 1.0, 0.0])
    axis, cosine = np.cross(direction, target), float(direction @ target)
    if cosine < -1.0 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.eye(3) + cross + cross @ cross / (1.0 + cosine)
