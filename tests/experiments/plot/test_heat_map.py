"""Heat maps of sweeps: the number that is printed in each cell."""

from itertools import product
from typing import Any

import pytest
from matplotlib.figure import Figure

from ruckle.experiments.plot import draw_heat_map

Rows = list[dict[str, Any]]


def rows(**axes: list[Any]) -> Rows:
    """Return one row per combination of values. `wrinkles` is the index of the row; `coverage` is always missing."""
    choices = (dict(zip(axes, choice, strict=True)) for choice in product(*axes.values()))
    return [choice | {"wrinkles": float(number), "coverage": None} for number, choice in enumerate(choices)]


def without(table: Rows, row: int, value: float | None) -> Rows:
    return [{**entry, "wrinkles": value} if k == row else entry for k, entry in enumerate(table)]


def numbers(figure: Figure) -> dict[tuple[int, int], float]:
    """Return the number printed in each cell, by (column, row)."""
    places = ((*text.get_position(), text.get_text()) for text in figure.axes[0].texts)
    return {(int(column), int(row)): float(number) for column, row, number in places}


@pytest.mark.parametrize(
    ("table", "axes", "across", "down", "expected"),
    [
        pytest.param(
            rows(tau=[1.2, 1.3, 1.4], r_min_percent=[0.5, 1.0]), ["tau", "r_min_percent"],
            ["1.2", "1.3", "1.4"], ["0.5", "1"], [[0, 2, 4], [1, 3, 5]], id="two parameters",
        ),
        pytest.param(
            rows(animation=["a", "b"], grow_tau=[None, 1.2]), ["animation", "grow_tau"],
            ["none", "1.2"], ["a", "b"], [[0, 1], [2, 3]], id="animations go down beside one parameter",
        ),
        pytest.param(
            rows(animation=["a", "b"], tau=[1.2, 1.4], method=["exact", "swap"], seed=[0, 1]),
            ["animation", "tau", "method", "seed"],
            ["1.2", "1.4"], ["exact", "swap"], [[4.5, 8.5], [6.5, 10.5]], id="mean over the rest",
        ),
        pytest.param(
            without(rows(grow_tau=[float("nan"), 1.2], seed=[0, 1]), 0, float("nan")), ["grow_tau"],
            ["none", "1.2"], None, [[1.0, 2.5]], id="a table read back",
        ),
        pytest.param(rows(tau=[1.2]), (), None, None, [[0]], id="one run"),
    ],
)  # fmt: skip
def test_heat_map_exact_cells(table: Rows, axes: Any, across: Any, down: Any, expected: list[list[float]]) -> None:
    figure = draw_heat_map(table, axes, metrics=["wrinkles"])
    assert numbers(figure) == {(i, j): value for j, row in enumerate(expected) for i, value in enumerate(row)}
    for axis, words in ((figure.axes[0].xaxis, across), (figure.axes[0].yaxis, down)):
        assert words in (None, [label.get_text() for label in axis.get_ticklabels()])
    figure.canvas.draw()


def test_heat_map_exact_cells_and_panels_without_runs() -> None:
    table = without(rows(tau=[1.2, 1.4], seed=[0, 1]), 3, None)
    figure = draw_heat_map(table, ["tau", "seed"], metrics=["wrinkles", "coverage"])
    assert len(figure.axes) == 1
    assert set(numbers(figure)) == {(0, 0), (0, 1), (1, 0)}


def test_heat_map_exact_values_that_hardly_differ_have_one_colour() -> None:
    table = [{"tau": tau, "wrinkles": value} for tau, value in ((1, 100.0), (2, 101.0), (3, 100.0))]
    shares = draw_heat_map(table, ["tau"], metrics=["wrinkles"]).axes[0].images[0].get_array()
    assert shares.max() == pytest.approx(1 / 10.1)


@pytest.mark.parametrize(
    ("axes", "metrics", "sentence"),
    [
        (["tau"], ["beauty"], "metrics: no column is called 'beauty', allowed are tau, wrinkles, coverage"),
        (["seed"], ["wrinkles"], "axes: no column is called 'seed', allowed are"),
        (["tau"], ["coverage"], "metrics: no run has a number for any of coverage"),
    ],
)
def test_heat_map_reject(axes: list[str], metrics: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        draw_heat_map(rows(tau=[1.2, 1.4]), axes, metrics=metrics)
