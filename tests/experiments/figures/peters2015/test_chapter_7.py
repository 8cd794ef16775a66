"""Chapter 7: projection of points onto a path, and blending of the heights of several paths."""

import numpy as np
import pytest

from ruckle.experiments.figures.peters2015 import blending, projection
from ruckle.experiments.figures.peters2015.blending import Meeting
from ruckle.experiments.figures.peters2015.projection import Bend
from ruckle.experiments.figures.peters2015.raised_sheet import R_MIN


# Figure 7.1: the closest point on a path is discontinuous at the medial axis of the path. Our projection is continuous.
@pytest.fixture(scope="module", params=[40.0, 60.0, 80.0], ids=lambda angle: f"{angle:.0f}_degrees")
def bend(request: pytest.FixtureRequest) -> Bend:
    return projection.measure(request.param)


def test_property_the_closest_point_jumps_and_our_weighted_mean_does_not(bend: Bend) -> None:
    position, height = bend.closest.jumps
    assert position > 0.1
    assert height > 0.005
    ours, raised = bend.means.jumps
    assert ours < 0.005
    assert raised < 0.001


def test_exact_the_core_has_the_heights_of_the_means(bend: Bend) -> None:
    np.testing.assert_allclose(bend.core, bend.means.height, atol=1e-5 * R_MIN)
    assert np.abs(np.diff(bend.core)).max() < 0.001 * R_MIN


def test_degenerate_a_straight_path_has_one_projection() -> None:
    straight = projection.measure(0.0)
    # heights differ slightly, because our projection averages heights along the path
    np.testing.assert_allclose(straight.means.height, straight.closest.height, atol=4e-2 * R_MIN)
    assert straight.closest.jumps[0] < 0.01


# Figure 7.2: the smooth maximum of heights does not have a crease between two wrinkles. If only one wrinkle is near, it
# is equal to the maximum.
@pytest.fixture(scope="module")
def meeting() -> Meeting:
    return blending.measure()


def test_property_without_blending_heights_jump(meeting: Meeting) -> None:
    alone = max(meeting.cliff(heights) for heights in meeting.alone)
    assert meeting.cliff(meeting.overlaid) > 0.5
    assert meeting.cliff(meeting.blended) < 1.5 * alone


def test_property_blended_heights_bend_less_than_their_maximum(meeting: Meeting) -> None:
    # the plain maximum has a sharp crease at points where both wrinkles have the same height
    def sharpest(heights: np.ndarray) -> float:
        bends = np.abs(np.diff(heights, n=2, axis=1))
        both = (meeting.alone[:, :, 1:-1] > 0.1 * R_MIN).all(axis=0)
        return float(bends[both].max())

    assert sharpest(meeting.blended) < 0.7 * sharpest(meeting.alone.max(axis=0))
