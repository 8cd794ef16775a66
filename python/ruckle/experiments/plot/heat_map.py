"""Heat maps of a parameter sweep: one panel per metric over the first two swept parameters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ruckle.experiments.plot.colors import COMPRESSION_MAP, INK, MUTED

__all__ = ["MAPPED", "draw_heat_map"]

MAPPED: Mapping[str, tuple[str, str]] = {
    "coverage": ("compressed area within a width of a wrinkle", "{:.0%}"),
    "direction_error": ("angle of wrinkles to the field, degrees", "{:.1f}"),
    "turning_p90": ("turning of wrinkles, p90, degrees", "{:.1f}"),
    "drift_p95": ("drift over the cloth per frame, p95, widths", "{:.3f}"),
    "wrinkles": ("wrinkles alive", "{:.1f}"),
    "born": ("wrinkles born per second", "{:.1f}"),
    "label_changes": ("label changes per triangle and second", "{:.2f}"),
    "total_p50": ("time of a frame, p50, ms", "{:.3f}"),
}
"""Metrics that are drawn by default, with their titles and number formats."""

# Lengths in inches.
CELL_WIDTH, CELL_HEIGHT = 0.62, 0.45
LEAST_PANEL, MOST_PANEL = 2.6, 6.5
MOST_WIDTH = 14.0
# Smallest height of a panel, which is enough for the name of the vertical axis.
LEAST_HEIGHT = 0.95
LEFT, RIGHT, TOP, BOTTOM = 1.25, 0.2, 0.45, 0.75
BETWEEN_COLUMNS, BETWEEN_ROWS = 0.35, 0.55
RESOLUTION = 130

PANELS_PER_LINE = 4
# Width in inches; panels with narrower cells show colours without numbers.
LEAST_NUMBER = 0.38
# The colour range is at least this fraction of the largest number, so that nearly equal numbers have similar colours.
LEAST_SPAN = 0.1
# Above this position in the colour map (0 to 1), numbers are white instead of dark.
DARK_FROM = 0.55


def draw_heat_map(
    rows: Sequence[Mapping[str, Any]], axes: Sequence[str] = (), *, metrics: Collection[str] = MAPPED
) -> Figure:
    """Draw metrics of a sweep as matrices: the first swept parameter is horizontal, the second vertical.

    Metrics are averaged over all other swept parameters and over animations. If only one parameter was swept,
    animations are the vertical axis. Failed runs are ignored. A cell without runs is crossed out.

    Parameters
    ----------
    rows : sequence of mappings
        `Sweep.rows`, or rows of a table file: ``pandas.read_parquet(path).to_dict("records")``.
    axes : sequence of str
        `Sweep.axes`, the names of the swept columns.
    metrics : collection of str
        Names of numeric columns. Columns without any number are ignored.

    Returns
    -------
    matplotlib Figure
        Not registered with pyplot.

    Raises
    ------
    ValueError
        A column does not exist, or there are no numbers to draw.
    """
    for name, columns in (("axes", axes), ("metrics", metrics)):
        for column in columns:
            if rows and column not in rows[0]:
                raise ValueError(f"{name}: no column is called '{column}', allowed are {', '.join(rows[0])}")
    shown = [metric for metric in metrics if any(_known(row[metric]) for row in rows)]
    if not shown:
        raise ValueError(f"metrics: no run has a number for any of {', '.join(metrics)}")
    across, down, rest = _directions(axes)
    x_values, y_values = _values(rows, across), _values(rows, down)
    width = float(np.clip(CELL_WIDTH * len(x_values), LEAST_PANEL, MOST_PANEL))
    height = max(LEAST_HEIGHT, CELL_HEIGHT * len(y_values)) if down else CELL_HEIGHT
    lines = math.ceil(len(shown) / min(PANELS_PER_LINE, max(1, int(MOST_WIDTH / width))))
    per_line = math.ceil(len(shown) / lines)
    size = (
        LEFT + per_line * width + (per_line - 1) * BETWEEN_COLUMNS + RIGHT,
        TOP + lines * height + (lines - 1) * BETWEEN_ROWS + BOTTOM,
    )
    figure = Figure(figsize=size, dpi=RESOLUTION, facecolor="white")
    for number, metric in enumerate(shown):
        line, index = divmod(number, per_line)
        left, top = LEFT + index * (width + BETWEEN_COLUMNS), size[1] - TOP - line * (height + BETWEEN_ROWS)
        panel = figure.add_axes((left / size[0], (top - height) / size[1], width / size[0], height / size[1]))
        _paint(panel, _matrix(rows, metric, (across, x_values), (down, y_values)), metric, width / len(x_values))
        # only the lowest panel of each column has labels on the horizontal axis
        last = number + per_line >= len(shown)
        _ticks(panel, (across, x_values) if last else (None, x_values), (down, y_values) if index == 0 else None)
    if rest:
        note = f"mean over {', '.join(_heading(column) for column in rest)}"
        figure.text(1 - RIGHT / size[0], 0.1 / size[1], note, ha="right", va="bottom", fontsize=7.5, color=MUTED)
    return figure


def _directions(axes: Sequence[str]) -> tuple[str | None, str | None, list[str]]:
    """Return the column of the horizontal axis, the column of the vertical axis, and the columns to average over."""
    # animations do not have an order, so they are an axis only if fewer than two parameters are swept
    ordered = [column for column in axes if column != "animation"] + [c for c in axes if c == "animation"]
    across, down, *others = [*ordered, None, None][: max(2, len(ordered))]
    return across, down, [column for column in others if column is not None]


def _values(rows: Sequence[Mapping[str, Any]], column: str | None) -> list[Any]:
    """Return the distinct values of a column in order of appearance; [None] if `column` is None."""
    return [None] if column is None else list(dict.fromkeys(_plain(row[column]) for row in rows))


def _matrix(
    rows: Sequence[Mapping[str, Any]],
    metric: str,
    across: tuple[str | None, list[Any]],
    down: tuple[str | None, list[Any]],
) -> NDArray[np.float64]:
    """Return a matrix with the mean of a metric for each pair of values; NaN for pairs without runs."""
    cells: list[list[list[float]]] = [[[] for _ in across[1]] for _ in down[1]]
    for row in rows:
        if _known(row[metric]):
            i, j = (0 if column is None else values.index(_plain(row[column])) for column, values in (down, across))
            cells[i][j].append(row[metric])
    return np.array([[np.mean(found) if found else np.nan for found in line] for line in cells])


def _paint(panel: Axes, matrix: NDArray[np.float64], metric: str, cell: float) -> None:
    """Paint a matrix of a metric. Numbers are written if the width of a cell, inches, is at least `LEAST_NUMBER`."""
    title, form = MAPPED.get(metric, (metric, "{:.3g}"))
    low, high = np.nanmin(matrix), np.nanmax(matrix)
    shares = (matrix - low) / max(high - low, LEAST_SPAN * max(abs(low), abs(high)), np.finfo(float).tiny)
    panel.imshow(np.ma.masked_invalid(shares), cmap=COMPRESSION_MAP, vmin=0.0, vmax=1.0, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        if np.isnan(value):
            panel.plot([j - 0.3, j + 0.3], [i + 0.3, i - 0.3], color=MUTED, linewidth=0.7)
        elif cell >= LEAST_NUMBER:
            color = "white" if shares[i, j] > DARK_FROM else INK
            panel.text(j, i, form.format(value), ha="center", va="center", fontsize=7.5, color=color)
    panel.set_title(title, fontsize=8.5, color=INK, loc="left", pad=5, parse_math=False)
    # white lines between the cells
    panel.set_xticks(np.arange(-0.5, matrix.shape[1]), minor=True)
    panel.set_yticks(np.arange(-0.5, matrix.shape[0]), minor=True)
    panel.grid(which="minor", color="white", linewidth=1.2)
    panel.tick_params(which="both", length=0)
    panel.spines[:].set_visible(False)


def _ticks(panel: Axes, across: tuple[str | None, list[Any]], down: tuple[str | None, list[Any]] | None) -> None:
    """Write the values of both axes. If an axis is None, its labels are omitted."""
    for column, values, axis in ((*across, panel.xaxis), (*(down or (None, [])), panel.yaxis)):
        if column is None:
            axis.set_ticks([])
            continue
        axis.set_ticks(range(len(values)), [_word(value) for value in values], fontsize=8, color=INK)
        axis.set_label_text(_heading(column), fontsize=8, color=MUTED)
    if across[0] is not None and max(len(_word(value)) for value in across[1]) * len(across[1]) > 40:
        panel.tick_params(axis="x", labelrotation=90)


def _heading(column: str) -> str:
    return f"{column.removesuffix('_percent')} in % of height" if column.endswith("_percent") else column


def _word(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Return a table cell; None in place of NaN, because NaN is not equal to itself."""
    return None if value is None or value != value else value


def _known(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == value
