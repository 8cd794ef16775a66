"""Runs a Wrinkler on motions that are given by formulas, and compares the results exactly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshes import Mesh
from ruckle import Frame, Wrinkler

# times of 31 frames from 0 to 1 second, in seconds
SECOND = list(np.arange(31) / 30)


def play(mesh: Mesh, frames: NDArray[Any], dt: float = 1 / 30, **options: Any) -> list[Frame]:
    wrinkler = Wrinkler(mesh.faces, mesh.vertex_count, **{"r_min": 0.0, **options})
    return [wrinkler.step(positions, dt) for positions in frames]


def assert_equal_frames(a: Frame, b: Frame, order: Any = slice(None)) -> None:
    """Assert that both frames are equal except for timings.

    Triangle i of `a` is compared with triangle `order[i]` of `b`.
    """
    np.testing.assert_array_equal(a.labels, b.labels[order])
    np.testing.assert_array_equal(a.reference, b.reference[order])
    np.testing.assert_array_equal(a.current, b.current[order])
    for ours, theirs in ((a.stretch, b.stretch), (a.motion, b.motion)):
        for name in ("min", "max", "compression", "axis", "degenerate"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name)[order])
    assert a.stats == b.stats
