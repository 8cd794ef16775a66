"""Heat maps of sweeps: which number stands in which cell."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="pictures need matplotlib")

from matplotlib.figure import Figure

from ruckle.plot import draw_heat_map


def rows(**axes: list[Any]) -> list[dict[str, Any]]:
    """Return a row for every combination; `wrinkles` counts them."""
    found = []
    for number, choice in enumerate(product(*axes.values())):
        found.append({**dict(zip(axes, choice, strict=True)), "wrinkles": float(number), "coverage": None})
    return found


def numbers(figure: Figure, panel: int = 0) -> dict[tuple[int, int], str]:
    """Return the text of every cell of a panel, by column and row."""
    return {(int(t.get_position()[0]), int(t.get_position()[1])): t.get_text() for t in figure.axes[panel].texts}


def words(figure: Figure, panel: int = 0) -> tuple[list[str], list[str], str, str]:
    axes = figure.axes[panel]
    across, down = ([label.get_text() for label in axis.get_ticklabels()] for axis in (axes.xaxis, axes.yaxis))
    return across, down, axes.get_xlabel(), axes.get_ylabel()


def test_heat_map_exact_two_parameters() -> None:
    table = rows(tau=[1.2, 1.3, 1.4], r_min_percent=[0.5, 1.0])
    figure = draw_heat_map(table, ["tau", "r_min_percent"], metrics=["wrinkles", "coverage"])
    # no run has a coverage
    assert len(figure.axes) == 1
    assert numbers(figure) == {(i, j): f"{2 * i + j:.1f}" for i in range(3) for j in range(2)}
    assert words(figure) == (["1.2", "1.3", "1.4"], ["0.5", "1"], "tau", "r_min in % of height")
    assert figure.axes[0].get_title(loc="left") == "wrinkles alive"
    figure.canvas.draw()


def test_heat_map_exact_means_over_the_rest() -> None:
    table = rows(animation=["a", "b"], tau=[1.2, 1.4], method=["exact", "swap"], seed=[0, 1])
    figure = draw_heat_map(table, ["animation", "tau", "method", "seed"], metrics=["wrinkles"])
    # seeds differ by 1, animations by 8
    assert numbers(figure) == {(i, j): f"{4 * i + 2 * j + 4.5:.1f}" for i in range(2) for j in range(2)}
    assert words(figure)[2:] == ("tau", "method")
    assert [text.get_text() for text in figure.texts] == ["mean over seed, animation"]


def test_heat_map_exact_animations_go_down_beside_one_parameter() -> None:
    figure = draw_heat_map(
        rows(animation=["a", "b"], grow_tau=[None, 1.2]), ["animation", "grow_tau"], metrics=["wrinkles"]
    )
    assert words(figure) == (["none", "1.2"], ["a", "b"], "grow_tau", "animation")
    assert numbers(figure) == {(i, j): f"{i + 2 * j:.1f}" for i in range(2) for j in range(2)}


def test_heat_map_exact_a_table_read_back() -> None:
    table = rows(grow_tau=[float("nan"), 1.2], seed=[0, 1])
    table[0]["wrinkles"] = float("nan")
    figure = draw_heat_map(table, ["grow_tau"], metrics=["wrinkles"])
    assert numbers(figure) == {(0, 0): "1.0", (1, 0): "2.5"}
    assert words(figure)[0] == ["none", "1.2"]


def test_heat_map_exact_cells_without_runs_are_crossed() -> None:
    table = rows(tau=[1.2, 1.4], seed=[0, 1])
    table[3]["wrinkles"] = None
    figure = draw_heat_map(table, ["tau", "seed"], metrics=["wrinkles"])
    assert set(numbers(figure)) == {(0, 0), (0, 1), (1, 0)}
    [line] = figure.axes[0].lines
    assert list(line.get_xdata()) == [0.7, 1.3]


def test_heat_map_exact_what_hardly_differs_looks_alike() -> None:
    table = [{"tau": tau, "wrinkles": value} for tau, value in ((1, 100.0), (2, 101.0), (3, 100.0))]
    shares = draw_heat_map(table, ["tau"], metrics=["wrinkles"]).axes[0].images[0].get_array()
    assert shares is not None
    assert shares.max() == pytest.approx(1 / 10.1)


def test_heat_map_degenerate_one_run_and_many_values() -> None:
    assert numbers(draw_heat_map(rows(tau=[1.2]), metrics=["wrinkles"])) == {(0, 0): "0.0"}
    crowded = draw_heat_map(rows(seed=list(range(50))), ["seed"], metrics=["wrinkles"])
    assert numbers(crowded) == {}
    crowded.canvas.draw()


@pytest.mark.parametrize(
    ("axes", "metrics", "sentence"),
    [
        (["tau"], ["beauty"], "metrics: no column is called 'beauty', allowed are tau, wrinkles, coverage"),
        (["seed"], ["wrinkles"], "metrics: no column is called 'seed', allowed are"),
        (["tau"], ["coverage"], "metrics: no run has a number for any of coverage"),
    ],
)
def test_heat_map_reject(axes: list[str], metrics: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        draw_heat_map(rows(tau=[1.2, 1.4]), axes, metrics=metrics)
