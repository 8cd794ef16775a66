"""Figure 8.1: "Impact of different choices of parameter values τ and R_min", wrinkles and work.

"As expected, performance decreases as the number of wrinkles increases (τ decreases)"; of the times shown (69, 33, 22,
12 ms) those for the larger R_min are the lower ones: fewer wrinkles fit. Time is not asserted; the work is, as the
number of path vertices that a frame solves for.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import still_sample
from ruckle.figures.peters2015.parameters import R_MINS, TAUS, Setting, measure
from ruckle.mesh.animation import Animation
from ruckle.samples import sample, samples

Settings = dict[tuple[float, str], Setting]


@pytest.fixture(scope="module")
def all_settings() -> list[Settings]:
    return [measure(sample(name)) for name in samples()]


def check_falling(settings: Settings) -> None:
    for r_min in R_MINS:
        low, high = (settings[tau, r_min] for tau in TAUS)
        assert high.unknowns < low.unknowns
    for tau in TAUS:
        narrow, wide = (settings[tau, r_min] for r_min in R_MINS)
        assert wide.unknowns < narrow.unknowns
        assert wide.wrinkles < narrow.wrinkles


def test_property_work_falls_as_either_parameter_rises(all_settings: list[Settings]) -> None:
    for settings in all_settings:
        check_falling(settings)


def test_property_numbers_fall_on_the_whole(all_settings: list[Settings]) -> None:
    for r_min in R_MINS:
        ratios = [settings[TAUS[1], r_min].wrinkles / settings[TAUS[0], r_min].wrinkles for settings in all_settings]
        assert np.median(ratios) < 0.95
    for tau in TAUS:
        ratios = [settings[tau, R_MINS[1]].wrinkles / settings[tau, R_MINS[0]].wrinkles for settings in all_settings]
        assert np.median(ratios) < 0.7


def test_property_on_real_motion(sequence: Animation) -> None:
    check_falling(measure(sequence))


def test_exact_the_settings_are_the_thesiss() -> None:
    found = measure(still_sample("sawing", 3))
    assert set(found) == {(1.15, "0.5%"), (1.25, "0.5%"), (1.15, "1%"), (1.25, "1%")}
    assert all(setting.wrinkles == 0.0 for setting in found.values())
    assert all(setting.clip.r_min == pytest.approx(float(r[:-1]) * 0.0175) for (_, r), setting in found.items())


def test_reject_equal_settings_do_not_fall() -> None:
    settings = measure(sample("sawing"), taus=(1.25,), r_mins=("1%",))
    same = {(tau, r_min): settings[1.25, "1%"] for tau in TAUS for r_min in R_MINS}
    with pytest.raises(AssertionError):
        check_falling(same)
