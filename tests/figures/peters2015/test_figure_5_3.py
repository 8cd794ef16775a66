"""Figure 5.3: "An example wrinkle updated to better match a new field".

Repropagating "can drastically move the traced wrinkles following even minor directional change in the field"; the
optimisation turns them frame by frame.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.peters2015.turning_path import measure


@pytest.mark.parametrize("angle", [-25.0, 10.0, 25.0])
def test_property_a_path_turns_to_the_new_field(angle: float) -> None:
    found = measure(angle=angle)
    assert found.errors[0] == pytest.approx(abs(angle), abs=1.0)
    assert (np.diff(found.errors) < 0.0).all()
    assert found.errors[-1] < 0.5 * found.errors[0]


@pytest.mark.parametrize("angle", [-25.0, 10.0, 25.0])
def test_property_no_frame_moves_it_drastically(angle: float) -> None:
    found = measure(angle=angle)
    assert found.step < 0.1 * found.jump
    assert np.abs(np.diff(found.errors)).max() < 0.1 * abs(angle)


def test_exact_without_the_field_nothing_turns() -> None:
    found = measure(alpha=0.0)
    np.testing.assert_allclose(found.lines, found.lines[:1].repeat(len(found.lines), axis=0), atol=1e-5)


def test_exact_the_same_field_keeps_the_path() -> None:
    found = measure(angle=0.0)
    assert found.errors.max() < 0.5
    assert found.step < 1e-3
