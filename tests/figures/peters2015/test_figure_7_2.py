"""Figure 7.2: "Result without (left) and with wrinkle blending (right)".

"We compute the offset independently for each path and then use the maximum of the offsets as the new offset." Ours is a
smooth maximum: never below the maximum, equal to it where one wrinkle reaches, without its crease.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.peters2015.blending import Meeting, measure
from ruckle.figures.peters2015.raised_sheet import R_MIN


@pytest.fixture(scope="module")
def meeting() -> Meeting:
    return measure()


def test_property_without_blending_there_are_cliffs(meeting: Meeting) -> None:
    alone = max(meeting.cliff(heights) for heights in meeting.alone)
    assert meeting.cliff(meeting.overlaid) > 0.5
    assert meeting.cliff(meeting.blended) < 1.5 * alone


def test_property_blended_is_a_smooth_maximum(meeting: Meeting) -> None:
    highest = meeting.alone.max(axis=0)
    assert (meeting.blended >= highest - 1e-6).all()
    assert (meeting.blended <= 2**0.25 * highest + 1e-6).all()


def test_exact_one_wrinkle_alone_is_unchanged(meeting: Meeting) -> None:
    single = (meeting.alone > 0.0).sum(axis=0) == 1
    assert single.any()
    np.testing.assert_allclose(meeting.blended[single], meeting.alone.max(axis=0)[single], atol=1e-6 * R_MIN)


def test_property_the_crease_of_the_plain_maximum_is_gone(meeting: Meeting) -> None:
    # where both wrinkles are equally high, the plain maximum bends sharply
    def sharpest(heights: np.ndarray) -> float:
        bends = np.abs(np.diff(heights, n=2, axis=1))
        both = (meeting.alone[:, :, 1:-1] > 0.1 * R_MIN).all(axis=0)
        return float(bends[both].max())

    assert sharpest(meeting.blended) < 0.7 * sharpest(meeting.alone.max(axis=0))
