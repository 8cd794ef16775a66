"""Figure 7.1: "Projection of a point p to the wrinkle segment v_i v_i+1".

"Projecting to the wrinkle path using the Euclidean closest-point is a discontinuous operation in the vicinity of the
medial axis of the path, leading to discontinuities in the offsets. We avoid such discontinuities by using a modified
projection."
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.peters2015.projection import Bend, measure
from ruckle.figures.peters2015.raised_sheet import R_MIN


@pytest.fixture(scope="module", params=[40.0, 60.0, 80.0], ids=lambda angle: f"{angle:.0f}_degrees")
def bend(request: pytest.FixtureRequest) -> Bend:
    return measure(request.param)


def test_property_the_closest_point_jumps_where_ours_does_not(bend: Bend) -> None:
    position, height = bend.closest.jumps
    assert position > 0.1
    assert height > 0.005
    ours, raised = bend.modified.jumps
    assert ours < 0.005
    assert raised < 0.001


def test_exact_the_core_has_the_heights_of_the_modified_projection(bend: Bend) -> None:
    np.testing.assert_allclose(bend.core, bend.modified.height, atol=1e-5 * R_MIN)
    assert np.abs(np.diff(bend.core)).max() < 0.001 * R_MIN


def test_reject_the_core_does_not_take_the_closest_point(bend: Bend) -> None:
    assert np.abs(bend.core - bend.closest.height).max() > 0.003 * R_MIN


def test_degenerate_a_straight_path_has_one_projection() -> None:
    straight = measure(0.0)
    np.testing.assert_allclose(straight.modified.height, straight.closest.height, atol=2e-3 * R_MIN)
    assert straight.closest.jumps[0] < 0.005
