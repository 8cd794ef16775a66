"""Turn of fine normals per frame: zero for cloth at rest, large for flicker. The turn of the coarse mesh is removed."""

from dataclasses import replace

import numpy as np
import pytest

from cloth_meshes import squeezed_sheet
from meshes import rotation
from ruckle.experiments.metrics import measure_flicker, normal_turns

PARAMETERS = {"r_min": 0.3, "tau": 1.2}


def test_exact_turns() -> None:
    normals = np.eye(3)[[0, 0, 0, 1]]
    turned = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(normal_turns(turned, normals), [0.0, 90.0, 180.0, 0.0])
    small = np.array([[np.cos(1e-4), np.sin(1e-4), 0.0]])
    np.testing.assert_allclose(normal_turns(small, normals[:1]), np.degrees(1e-4), rtol=1e-6)


def test_exact_frozen_cloth_does_not_flicker() -> None:
    animation = squeezed_sheet(8, 6, frames=24, squeezing=8)
    held = np.concatenate([animation.positions, np.repeat(animation.positions[-1:], 60, axis=0)])
    long = measure_flicker(replace(animation, positions=held), **PARAMETERS)
    short = measure_flicker(animation, **PARAMETERS)
    assert short.fine > 0.1
    # the wrinkles do not change after they have grown, so a longer animation has a smaller mean turn
    assert long.fine < 0.5 * short.fine
    still = measure_flicker(replace(animation, positions=np.repeat(animation.positions[:1], 9, axis=0)), **PARAMETERS)
    assert (still.fine, still.coarse, still.worst) == (0.0, 0.0, 0.0)


def test_property_a_turn_of_the_whole_cloth_is_no_flicker() -> None:
    animation = squeezed_sheet(8, 6, frames=24, squeezing=8)
    angles = 0.05 * np.arange(animation.frame_count)
    turns = np.array([rotation(np.array([0.0, 1.0, 0.0]), angle) for angle in angles])
    turned = animation.positions @ turns.transpose(0, 2, 1)
    still, moving = (measure_flicker(a, **PARAMETERS) for a in (animation, replace(animation, positions=turned)))
    assert still.coarse == 0.0
    assert moving.coarse == pytest.approx(np.degrees(0.05), rel=1e-3)
    assert moving.excess < still.excess + 0.1


def test_property_independent_tracing_flickers() -> None:
    animation = squeezed_sheet(8, 6, frames=24, squeezing=8)
    coherent, independent = (measure_flicker(animation, coherent=c, **PARAMETERS) for c in (True, False))
    assert independent.excess > 3.0 * coherent.excess
    assert independent.worst > coherent.worst
