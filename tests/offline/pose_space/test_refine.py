"""Refinement of grids until the error is below a tolerance, and differences between two visits of the same pose."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ruckle
from posed_arm import GRIDS, SKELETON, animation, coarse_at, coarse_mesh, fine_at, plan
from ruckle.offline.pose_space.plan import PosePlan
from ruckle.offline.pose_space.refine import Midpoint, refine_plan, rest_repeatability, rms

ELBOW = plan({"elbow": [0, 90]})


def refined(which: PosePlan = ELBOW, **options: Any) -> tuple[PosePlan, list[Midpoint]]:
    return refine_plan(which, lambda name, angles: fine_at({name: angles}), coarse_at, coarse_mesh()[1], **options)


def error_between(which: PosePlan) -> float:
    """Return the largest rms error half way between two neighbouring samples of the elbow."""
    binding = ruckle.bind(fine_at({}), *coarse_mesh())

    def details(angle: float) -> Any:
        bones = SKELETON.pose(which.rotations({"elbow": [angle]}))
        return ruckle.details(fine_at({"elbow": [angle]}), coarse_at(bones), binding)

    pairs = pairwise(which.joints[0].angles[0])
    return max(rms(details(0.5 * (a + b)) - 0.5 * (details(a) + details(b))) for a, b in pairs)


@pytest.mark.parametrize("tolerance", [5e-4, 1e-4])
def test_exact_grids_are_refined_until_midpoints_are_within_the_tolerance(tolerance: float) -> None:
    found, middles = refined(tolerance=tolerance)
    assert error_between(ELBOW) > tolerance
    assert error_between(found) <= tolerance
    # a midpoint becomes a sample exactly if its error is above the tolerance
    assert [m.is_added for m in middles] == [m.error > tolerance for m in middles]
    assert found.sample_count == 2 + sum(m.is_added for m in middles)
    added = sorted(m.degrees for m in middles if m.is_added)
    assert_allclose(np.degrees(found.joints[0].angles[0]), sorted([0, 90, *added]), atol=1e-9)


def test_exact_no_sample_is_added_if_the_error_is_below_the_repeatability() -> None:
    found, middles = refined(tolerance=1e-5, repeatability=1.0)
    assert repr(found) == repr(ELBOW)
    assert [m.is_added for m in middles] == [False]


def test_exact_intervals_have_a_least_width() -> None:
    found, _ = refined(plan({"elbow": [0, 10]}), tolerance=1e-9)
    assert_allclose(np.degrees(found.joints[0].angles[0]), [0, 5, 10])


def test_exact_axes_of_a_ball_are_refined_one_by_one() -> None:
    found, middles = refined(plan({"arm": [[-30, 0, 30], [0], [0, 40]]}), tolerance=1.0)
    assert [(m.axis, round(m.degrees), round(m.spacing)) for m in middles] == [(0, 15, 30), (0, -15, 30), (2, 20, 40)]
    assert found.sample_count == 6


def test_reject_tolerances() -> None:
    with pytest.raises(ValueError, match="tolerance: expected a finite number above 0"):
        refined(tolerance=0.0)
    with pytest.raises(TypeError, match="plan: expected a PosePlan"):
        refined(GRIDS, tolerance=1.0)  # type: ignore[arg-type]


def test_exact_repeatability_compares_the_last_frames_of_both_rests() -> None:
    clip = ELBOW.clip(hold=3)
    positions = np.tile(coarse_mesh()[0], (len(clip.bones), 1, 1))
    resting = partial(animation, faces=coarse_mesh()[1])
    assert rest_repeatability(clip, resting(list(positions))) == 0.0
    # The clip ends at rest, after both samples. The first sample is the rest pose, so the clip begins with many frames
    # at rest. The change by 30 mm and 40 mm is a displacement of 50 mm.
    positions[-1] += np.float32([0.03, 0.04, 0.0])
    positions[-2] += 1.0
    assert rest_repeatability(clip, resting(list(positions))) == pytest.approx(0.05, rel=1e-4)
    with pytest.raises(ValueError, match=f"cache: expected the {len(clip.bones)} frames of the training clip, got 1"):
        rest_repeatability(clip, resting(list(positions[:1])))
