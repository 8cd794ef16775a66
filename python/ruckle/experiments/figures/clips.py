"""Garments of the figures: animations at the thesis's frame rate, and the frames of a Wrinkler on them."""

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
"""Frames per second of the thesis's data."""


@dataclass(frozen=True, eq=False)
class Clip:
    """An animation and the frames of a Wrinkler on it.

    Attributes
    ----------
    animation : Animation
    topology : Topology
        Vertices split at UV seams joined.
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
        """Stretch from each frame to the next, of the frames after the first."""
        return motions_of(self.animation, self.topology)

    def areas(self, frame: int) -> NDArray[np.float64]:
        """Return the area (T,) of every triangle in a frame, square mesh units."""
        return triangle_areas(self.animation.positions[frame], self.topology.faces)


def motions_of(animation: Animation, topology: Topology) -> list[Stretch]:
    """Return the stretch from each frame of an animation to the next, of the frames after the first."""
    shapes = (edge_matrices(positions, topology.faces) for positions in animation.positions)
    return [stretch(before, after) for before, after in pairwise(shapes)]


def play(
    animation: Animation, *, tau: float = DEFAULTS["tau"], r_min: float | str = DEFAULTS["r_min"], **parameters: Any
) -> Clip:
    """Run an animation at 30 frames per second.

    Parameters
    ----------
    animation : Animation
    tau, r_min, **parameters
        Those of `Wrinkler.for_animation`.
    """
    resampled = animation.at_rate(RATE)
    wrinkler = Wrinkler.for_animation(resampled, tau=tau, r_min=r_min, **parameters)
    frames = [wrinkler.step(positions, 1.0 / RATE) for positions in resampled.positions]
    return Clip(resampled, topology_of(resampled), frames, tau, length(r_min, resampled.height))


@lru_cache(maxsize=24)
def play_sample(name: str, **parameters: Any) -> Clip:
    """Run a packaged sample at 30 frames per second; results are cached."""
    return play(sample(name), **parameters)


def still_sample(name: str, frame_count: int = 30) -> Animation:
    """Return a sample without motion. It is a negative control: a test of a statement about motion must fail on it."""
    moving = sample(name)
    positions = np.repeat(moving.positions[:1], frame_count, axis=0)
    return Animation(positions, moving.faces, fps=RATE, name=f"still {name}", height=moving.height)
