"""Figures 6.1 and 6.2: the parameters and the final shape of the cross-section.

"The width is 2r and the perimeter is 2r / (1 - κ)" in the middle; "at the wrinkle end points we set the width to be
equal to the perimeter [...] the height is, by construction, zero"; the contour is a quadratic B-spline that "smoothly
blends with the surrounding surface".
"""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.peters2015.cross_section import FULL_KAPPA, KAPPAS, Profile, measure
from ruckle.paths.shape import cross_section


@pytest.fixture(params=KAPPAS, ids=lambda kappa: f"kappa_{kappa:.2f}")
def profile(request: pytest.FixtureRequest) -> Profile:
    return measure(request.param, length=60.0)


def test_exact_radius_width_and_perimeter(profile: Profile) -> None:
    radius = FULL_KAPPA / profile.kappa
    assert profile.width[profile.middle] == pytest.approx(2.0 * radius, rel=1e-5)
    assert profile.perimeter == pytest.approx(2.0 * radius / (1.0 - profile.kappa), rel=1e-5)


def test_exact_the_largest_compression_is_a_half_circle() -> None:
    full = measure(FULL_KAPPA)
    assert full.width.min() == pytest.approx(2.0, rel=1e-6)
    assert full.perimeter == pytest.approx(pi, rel=1e-6)
    beyond = measure(0.6)
    assert beyond.perimeter == pytest.approx(pi, rel=1e-6)


def test_property_every_cross_section_is_as_long_as_the_perimeter(profile: Profile) -> None:
    np.testing.assert_allclose(profile.lengths, profile.perimeter, rtol=1e-3)


def test_exact_nothing_is_left_at_the_ends(profile: Profile) -> None:
    for end in (0, -1):
        assert profile.width[end] == pytest.approx(profile.perimeter, rel=1e-6)
        assert profile.height[end] == 0.0


def test_property_wider_and_lower_toward_the_ends(profile: Profile) -> None:
    half = profile.middle + 1
    assert (np.diff(profile.width[:half]) <= 1e-6).all()
    assert (np.diff(profile.height[:half]) >= -1e-6).all()
    np.testing.assert_allclose(profile.width, profile.width[::-1], rtol=1e-5)
    # smoothly: no step along the wrinkle is a large part of the height
    assert np.abs(np.diff(profile.height)).max() < 0.06 * profile.height.max()


def test_property_the_contour_meets_the_cloth_without_slope_or_kink(profile: Profile) -> None:
    assert profile.slope < 0.01
    u = np.linspace(0.0, 1.5, 3001)
    slopes = np.diff(cross_section(u).astype(np.float64)) / np.diff(u)
    assert np.abs(np.diff(slopes)).max() < 0.02
    # what this guards against: a circular arc of the same height meets the cloth at a right angle
    arc = np.sqrt(np.maximum(1.0 - u**2, 0.0))
    assert np.abs(np.diff(np.diff(arc) / np.diff(u))).max() > 1.0


def test_property_more_compression_is_narrower_with_the_same_kind_of_shape() -> None:
    profiles = [measure(kappa) for kappa in KAPPAS]
    assert (np.diff([profile.width[profile.middle] for profile in profiles]) < 0.0).all()
    steepness = [profile.height[profile.middle] / profile.width[profile.middle] for profile in profiles]
    assert (np.diff(steepness) > 0.0).all()
