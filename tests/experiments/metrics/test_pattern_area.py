"""Errors of the area that modulated patterns give to a whole garment."""

import ruckle
from ruckle.experiments.metrics.pattern_area import area_errors


def test_property_defaults_leave_little_area_missing() -> None:
    # upper bounds of the relative errors; flat cloth without patterns has an error of 6 %
    bounds = {
        "crossed noise, no limits": 0.008,
        "crossed noise, defaults": 0.015,
        "baked paths with crossed noise, defaults": 0.015,
    }
    errors = {error.name: error for error in area_errors(ruckle.sample("sawing"), frames=3)}
    assert errors["flat"].regions > 0.05
    for name, bound in bounds.items():
        assert errors[name].regions <= bound, errors[name]
