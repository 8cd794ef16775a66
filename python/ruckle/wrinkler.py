"""The stateful heart of ruckle: feed it the frames of an animation, one step each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from operator import index
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.animation import Animation
from ruckle.stages import PAIRWISE, Method, Stretch, float32, int32, weld

__all__ = ["Frame", "Stats", "Timings", "Wrinkler", "run"]


class Timings(TypedDict):
    """Milliseconds per stage of one step, in pipeline order."""

    stretch: float
    label: float
    reference: float
    total: float


class Stats(TypedDict):
    """Counts of triangles in one frame."""

    compression_labels: int
    rest_labels: int
    stretch_labels: int
    label_changes: int
    degenerate: int


class Frame:
    """What one step found. Its arrays are read-only and stay valid after later steps.

    Attributes
    ----------
    index : int
        0 for the first frame since the start or the last reset.
    """

    def __init__(self, snapshot: _core.Snapshot, index: int) -> None:
        self._snapshot = snapshot
        self.index = index

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """(T,) uint8: 0 compression, 1 rest, 2 stretch."""
        return self._snapshot.labels

    @cached_property
    def motion(self) -> Stretch:
        """Stretch from the previous frame to this one: what the labels are made from. Its axis is all zero."""
        maximum, compression, degenerate = self._snapshot.motion
        minimum = 1.0 / compression
        axis = np.zeros((len(compression), 2), np.float32)
        for array in (minimum, axis):
            array.flags.writeable = False
        return Stretch(minimum, maximum, compression, axis, degenerate)

    @cached_property
    def stretch(self) -> Stretch:
        """Stretch from the reference to the current triangles: the wrinkling field."""
        return Stretch(*self._snapshot.field)

    @property
    def compression(self) -> NDArray[np.float32]:
        """(T,) float32, `stretch.compression`: 1 is none, grows with compression."""
        return self.stretch.compression

    @cached_property
    def current(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the current triangles."""
        return self._snapshot.current

    @cached_property
    def reference(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the reference triangles."""
        return self._snapshot.reference

    @cached_property
    def timings(self) -> Timings:
        """Milliseconds per stage."""
        return self._snapshot.timings

    @cached_property
    def stats(self) -> Stats:
        """Counts of triangles."""
        return self._snapshot.stats

    def __repr__(self) -> str:
        stats = self.stats
        return (
            f"Frame({self.index}: {stats['compression_labels']} compression, {stats['rest_labels']} rest, "
            f"{stats['stretch_labels']} stretch, largest compression {self.compression.max():.3g})"
        )


class Wrinkler:
    """Follows a garment through its animation and keeps the state that wrinkles need.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices of a triangle mesh, manifold with boundary. See `for_animation` for meshes split at UV seams.
    vertex_count : int
        Number of vertices V of every frame.
    sigma, alpha, beta : float
        Label costs, see `ruckle.label_costs`.
    pairwise, method
        Labeling, see `ruckle.solve_labels`.
    relaxation : float, in [0, 1]
        Reference update per 1/30 s, see `ruckle.update_reference`.
    threads : int
        Threads that share a step; more than one helps from some ten thousand triangles. The result is the same bits
        for any number.

    Raises
    ------
    MeshError
        Faces that are no manifold mesh.
    ValueError
        A parameter out of its range.
    """

    def __init__(
        self,
        faces: ArrayLike,
        vertex_count: int,
        *,
        sigma: float = 0.05,
        alpha: float = 9.0,
        beta: float = 90.0,
        pairwise: ArrayLike = PAIRWISE,
        method: Method = "exact",
        relaxation: float = 0.05,
        threads: int = 1,
    ) -> None:
        self._core = _core.Wrinkler(
            int32("faces", faces),
            index(vertex_count),
            sigma=sigma,
            alpha=alpha,
            beta=beta,
            pairwise=float32("pairwise", pairwise),
            method=method,
            relaxation=relaxation,
            threads=threads,
        )

    @classmethod
    def for_animation(cls, animation: Animation, **parameters: Any) -> Wrinkler:
        """Make a Wrinkler for an animation's mesh, joining vertices that UV seams have split.

        Vertices that coincide in the first frame count as one; positions and results keep the animation's order.
        `parameters` are those of `Wrinkler`.
        """
        return cls(weld(animation.positions[0], animation.faces), animation.vertex_count, **parameters)

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self._core.topology

    @property
    def frame_count(self) -> int:
        """Steps done since the start or the last reset."""
        return self._core.frame_count

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0) -> Frame:
        """Advance to the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; means nothing on the first one.

        Returns
        -------
        Frame

        Raises
        ------
        MeshError
            A position that is not finite, or another number of vertices; names frame and vertex. The state is then
            unchanged.
        """
        number = self._core.frame_count
        return Frame(self._core.step(float32("positions", positions), dt), number)

    def reset(self) -> None:
        """Forget every frame: the next step is the first."""
        self._core.reset()

    def __repr__(self) -> str:
        topology = self.topology
        return (
            f"Wrinkler({topology.face_count} faces, {topology.vertex_count} vertices, {self.frame_count} frames done)"
        )


def run(animation: Animation, **parameters: Any) -> Iterator[Frame]:
    """Step through an animation, one `Frame` for each of its frames.

    Parameters
    ----------
    animation : Animation
    **parameters
        Those of `Wrinkler`.
    """
    wrinkler = Wrinkler.for_animation(animation, **parameters)
    for positions in animation.positions:
        yield wrinkler.step(positions, 1.0 / animation.fps)
