"""Claims of the figures of Hadap et al. 1999, tested with our measurements."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.experiments.figures.hadap1999 import factor, folding


@pytest.fixture(scope="module")
def square() -> folding.Pulled:
    return folding.measure()


def test_property_figure_5_the_linear_factor_is_accurate_only_near_rest() -> None:
    sweep = factor.measure()
    near, far = abs(sweep.stretches - 0.99).argmin(), 0
    assert sweep.linear[near] == pytest.approx(sweep.exact[near], rel=0.01)
    assert abs(sweep.linear[far] / sweep.exact[far] - 1.0) > 0.1
    # far from the rest shape, the factor of the paper depends on which corner of the triangle is the first
    assert abs(sweep.turned[far] - sweep.linear[far]) > 0.02
    np.testing.assert_allclose(sweep.closed[sweep.exact > 0.5], sweep.exact[sweep.exact > 0.5], rtol=0.02)


def test_exact_figures_7_and_8_the_square_keeps_its_area(square: folding.Pulled) -> None:
    flat, wanted, raised = square.areas.T
    assert flat.min() < 0.8 * wanted[0]
    np.testing.assert_allclose(raised, wanted, rtol=0.02)
    np.testing.assert_allclose(wanted, 1.0, rtol=1e-4)


def test_property_figures_9_and_10_each_pull_has_its_own_pattern(square: folding.Pulled) -> None:
    rising, falling = square.factors.T
    first, second = square.amounts > 0.1, square.amounts < -0.1
    assert (rising[first] > 5 * falling[first]).all()
    assert (falling[second] > 5 * rising[second]).all()
    # the square is flat again when it has returned to its first position
    assert square.factors[[0, -1]].max() < 0.02 * square.factors.max()


def test_property_figure_11_the_rule_prefers_the_smaller_factor() -> None:
    weights = folding.opposed_weights(np.array([[0.7, 1.3], [1.0, 1.0], [1.3, 0.7]]), 0.5, 2.0)[:, 0]
    assert weights[0] > 0.9
    assert weights[1] == pytest.approx(0.5)
    assert weights[2] == pytest.approx(1.0 - weights[0])
