"""Figure 4.2: the cost surfaces.

"We want the cost of the compression label to be large when λ̃_min <= 1, and want it to decrease both when λ̃_min
increases and when it increasingly dominates λ_max. We want a symmetric behavior for the cost of the stretch label."
Rest is "low when both are near 1, and grows as they move away". A tensor has
λ_min <= λ_max: below a b = 1 there is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("matplotlib")

from ruckle.figures.peters2015.label_costs import measure, on_grid

C, R, S = 0, 1, 2
Array = NDArray[Any]


def formula(a: Array, b: Array, *, inverse: bool) -> Array:
    """Return c(a, b) of (4.5) in float64; `inverse` takes b / a for its second branch, as the thesis is printed."""
    high, low = np.exp(-9.0 * (a - 1.0)), np.exp(-90.0 * (a - 1.0))
    ratio = b / a if inverse else a / b
    bell = (high - low) * np.exp(-0.5 * (a - b) ** 2 / (2 * 0.05**2)) + low
    return np.where(a > b, bell, ratio * (high - 1.0) + 1.0)


def serves_the_intent(values: Array, compression: Array, stretch: Array) -> bool:
    """Whether two cost surfaces do what the thesis wants of them where nothing is below 1."""
    a, b = on_grid(values)
    sound = (a >= 1.0) & (b >= 1.0)
    clear = sound & (np.abs(a - b) > 1e-6)
    cheaper = np.where(a > b, compression < stretch, stretch < compression)
    return bool((compression[sound] >= 0.0).all() and (stretch[sound] >= 0.0).all() and cheaper[clear].all())


def test_exact_costs_are_the_formulas() -> None:
    surfaces = measure()
    a, b = on_grid(surfaces.values)
    np.testing.assert_allclose(surfaces.costs[..., C], formula(a, b, inverse=False), rtol=1e-3, atol=3e-5)
    np.testing.assert_allclose(surfaces.costs[..., S], formula(b, a, inverse=False), rtol=1e-3, atol=3e-5)
    squared = (a - 1.0) ** 2 + (b - 1.0) ** 2
    np.testing.assert_allclose(surfaces.costs[..., R], 1.0 - np.exp(-squared / (2 * 0.05**2)), atol=3e-5)


def test_property_compression_costs_most_without_compression() -> None:
    surfaces = measure()
    none = surfaces.values <= 1.0
    assert (surfaces.costs[none, :, C] >= 1.0 - 1e-5).all()
    assert (surfaces.costs[~none, :, C] < 1.0).all()


def test_property_compression_costs_less_the_more_there_is() -> None:
    surfaces = measure()
    a, b = on_grid(surfaces.values)
    possible = (a * b >= 1.0)[:-1]
    assert (np.diff(surfaces.costs[..., C], axis=0)[possible] <= 1e-5).all()


def test_property_compression_costs_less_the_more_it_dominates() -> None:
    surfaces = measure()
    compressed = surfaces.values > 1.0
    assert (np.diff(surfaces.costs[compressed][..., C], axis=1) >= -1e-5).all()


def test_property_stretch_is_the_mirror_image() -> None:
    costs = measure().costs
    np.testing.assert_allclose(costs[..., S], costs[..., C].T, atol=1e-6)


def test_property_rest_is_cheapest_around_one_only() -> None:
    surfaces = measure()
    a, b = on_grid(surfaces.values)
    distance = np.hypot(a - 1.0, b - 1.0)
    rest = surfaces.costs.argmin(axis=2) == R
    assert rest[distance < 0.03].all()
    assert not rest[distance > 0.15].any()
    order = np.argsort(distance.ravel())
    assert (np.diff(surfaces.costs[..., R].ravel()[order]) >= -1e-5).all()


def test_property_the_dominating_label_is_cheaper_and_the_other_reading_fails() -> None:
    surfaces = measure()
    assert serves_the_intent(surfaces.values, surfaces.costs[..., C], surfaces.costs[..., S])
    a, b = on_grid(surfaces.values)
    other = formula(a, b, inverse=True), formula(b, a, inverse=True)
    assert not serves_the_intent(surfaces.values, *other)
