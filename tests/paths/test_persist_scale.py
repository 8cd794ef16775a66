"""Persistence: in meters or centimeters, the least squares moves a path to the same places."""

from __future__ import annotations

import numpy as np
import pytest

import ruckle
from ruckle import Wrinkler
from shared_data import sequence_files

# As the Wrinkler has it, and as the thesis prints (5.2).
STRAIGHTNESSES = (1.5, 0.0)


@pytest.mark.parametrize("name", [*ruckle.samples(), *map(str, sequence_files())])
def test_exact_one_step_of_the_least_squares_is_the_same_in_any_unit(name: str) -> None:
    animation = ruckle.sample(name) if name in ruckle.samples() else ruckle.load(name)
    wrinkler = Wrinkler.for_animation(animation, tau=1.25)
    ends = animation.positions[0][wrinkler.topology.edges]
    unit = float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean())
    wrinkles: list[ruckle.Wrinkle] = []
    farthest = 0.0
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, 1.0 / animation.fps)
        for wrinkle in wrinkles if index % 15 == 14 else ():
            for straightness in STRAIGHTNESSES:
                # 100 is no power of two: every coordinate is rounded anew
                plain, scaled = (
                    ruckle.optimize_path(
                        wrinkler.topology,
                        positions * np.float32(factor),
                        animation.positions[index - 1] * np.float32(factor),
                        frame.stretch,
                        wrinkle.edges,
                        wrinkle.t,
                        straightness=straightness,
                        length_unit=unit * factor,
                    )
                    for factor in (1.0, 100.0)
                )
                np.testing.assert_allclose(plain, scaled, atol=1e-4, rtol=0.0)
                farthest = max(farthest, float(np.abs(plain - wrinkle.t).max()))
        wrinkles = frame.wrinkles
    assert farthest > 0.01
