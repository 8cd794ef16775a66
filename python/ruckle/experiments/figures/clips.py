"""Animated garments for the figures, at the frame rate of Peters's thesis, with the frames of a Wrinkler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import length
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.io.samples import sample
from ruckle.mesh.animation import Animation
from ruckle.mesh.geometry import edge_lengths, triangle_areas
from ruckle.mesh.topology import Topology, topology_of
from ruckle.paths.frame import Frame
from ruckle.paths.parameters import DEFAULTS
from ruckle.paths.wrinkler import Wrinkler

__all__ = ["RATE", "Clip", "motions_of", "play", "play_sample", "still_sample"]

RATE = 30.0
"""Frames per second of the data in Peters's thesis."""


@dataclass(frozen=True, eq=False)
class Clip:
    """An animation and the frames that a Wrinkler computes from it.

    Attributes
    ----------
    animation : Animation
    topology : Topology
        Topology in which vertices that were split at UV seams are merged.
    frames : list of Frame
    tau : float
    r_min : float, mesh units
    """

    animation: Animation
    topology: Topology
    frames: list[Frame]
    tau: float
    r_min: float

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def mean_edge(self) -> float:
        """Mean edge length of the first frame, mesh units."""
        return float(edge_lengths(self.animation.positions[0], self.topology.edges).mean())

    @cached_property
    def motions(self) -> list[Stretch]:
        """Stretch between each frame and the next frame; the list starts with the motion into the second frame."""
        return motions_of(self.animation, self.topology)

    def areas(self, frame: int) -> NDArray[np.float64]:
        """Return the area (T,) of every triangle in a frame, square mesh units."""
        return triangle_areas(self.animation.positions[frame], self.topology.faces)


def motions_of(animation: Animation, topology: Topology) -> list[Stretch]:
    """Return the stretch between each frame and the next; the list starts with the motion into the second frame."""
    shapes = (edge_matrices(positions, topology.faces) for positions in animation.positions)
    return [stretch(before, after) for before, after in pairwise(shapes)]


def play(
    animation: Animation, *, tau: float = DEFAULTS["tau"], r_min: float | str = DEFAULTS["r_min"], **parameters: Any
) -> Clip:
    """Run a Wrinkler on an animation, resampled to 30 frames per second; the clip contains the resampled animation.

    Parameters
    ----------
    animation : Animation
    tau, r_min, **parameters
        Parameters of `Wrinkler.for_animation`.
    """
    resampled = animation.at_rate(RATE)
    wrinkler = Wrinkler.for_animation(resampled, tau=tau, r_min=r_min, **parameters)
    frames = [wrinkler.step(positions, 1.0 / RATE) for positions in resampled.positions]
    return Clip(resampled, topology_of(resampled), frames, tau, length(r_min, resampled.height))


@lru_cache(maxsize=24)
def play_sample(name: str, **parameters: Any) -> Clip:
    """Run a Wrinkler on a sample at 30 frames per second; the last results are cached."""
    return play(sample(name), **parameters)


def still_sample(name: str, frame_count: int = 30) -> Animation:
    """Return `frame_count` copies of a sample's first frame, without its texture coordinates and sewing.

    It is a negative control: tests of statements about motion must fail on it.
    """
    moving = sample(name)
    positions = np.repeat(moving.positions[:1], frame_count, axis=0)
    return Animation(positions, moving.faces, fps=RATE, name=f"still {name}", height=moving.height)
