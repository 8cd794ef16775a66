"""`ruckle bench stages`: every stage of the samples, with Table 8.1 of Peters's thesis, and the paths' least squares.

The core measures the times: one call of `Wrinkler.step` on one thread. A frame's time is the minimum over the repeats.
The table shows the median and the 95th percentile over the frames. The times exclude reading the animation, conversion
of results to Python, and drawing (see `ruckle bench render`). The thesis measures stretch, labels and references as
*reference*, and paths with their shape as *tracing*. Its machine was a Core i7-3930K.

The least squares of equation (5.2) are compared with SciPy's banded solver in the same run. One call of ours unfolds
the path, builds the system and solves it. One call of SciPy only solves the system.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np

import ruckle
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    machine,
    new_table,
    print_table,
    replace_between,
    write_csv,
)
from ruckle.experiments.figures.peters2015.table_8_1 import TABLE_8_1
from ruckle.mesh.animation import Animation

__all__ = ["bench_stages"]

STAGES = ("stretch", "label", "reference", "persist", "trace", "shape", "total")

# Size of the measured least-squares problem: number of paths and unknowns per path, as in a garment with many wrinkles.
PATHS, UNKNOWNS = 25, 40


@click.command("stages")
@click.option(
    "--repeats",
    default=10,
    show_default=True,
    help="Number of runs of each animation; the least time of each frame is used.",
)
@csv_option
@json_option
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Replace the table between the lines '<!-- bench stages -->' and '<!-- end -->' of this Markdown file.",
)
def bench_stages(repeats: int, csv_path: Path | None, as_json: bool, markdown: bool, into: Path | None) -> None:
    """Measure every stage of the samples, with the parameters of the thesis's Table 8.1."""
    rows = [stage_row(ruckle.sample(name), repeats) for name in ruckle.samples() if name in TABLE_8_1]
    squares = least_squares(repeats)
    if csv_path:
        write_csv(csv_path, [row | machine() for row in rows])
    if into:
        replace_between(into, "<!-- bench stages -->", "<!-- end -->", markdown_table(rows))
    if as_json:
        click.echo(json.dumps({**machine(), "rows": rows, "least_squares": squares}))
    elif markdown:
        click.echo(markdown_table(rows))
    else:
        _print_table(rows, squares)


def stage_row(animation: Animation, repeats: int) -> dict[str, Any]:
    """Return one table row: µs of every stage (median and 95th percentile) and the mean number of wrinkles.

    Raises
    ------
    click.ClickException
        A repeat found different wrinkles.
    """
    thesis = TABLE_8_1[animation.name]
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=thesis.tau, r_min=thesis.r_min)
    least = np.full((animation.frame_count, len(STAGES)), np.inf)
    counts: list[list[int]] = []
    for _ in range(repeats):
        wrinkler.reset()
        frames = [wrinkler.step(positions, 1.0 / animation.fps) for positions in animation.positions]
        timings: Sequence[dict[str, float]] = [dict(frame.timings) for frame in frames]  # type: ignore[arg-type]
        least = np.minimum(least, [[timing[stage] * 1e3 for stage in STAGES] for timing in timings])
        counts.append([frame.stats["wrinkles"] for frame in frames])
    if any(count != counts[0] for count in counts):
        raise click.ClickException(f"wrong result: {animation.name}: a second run gives different wrinkles")
    p50, p95 = np.percentile(least, [50, 95], axis=0)
    row: dict[str, Any] = {
        "scene": animation.name,
        "tau": thesis.tau,
        "r_min": thesis.r_min,
        "triangles": animation.face_count,
        "wrinkles": float(np.mean(counts[0])),
    }
    for stage, middle, high in zip(STAGES, p50, p95, strict=True):
        row |= {f"{stage}_p50": float(middle), f"{stage}_p95": float(high)}
    return row


def least_squares(repeats: int) -> dict[str, float] | None:
    """Return the µs of our and of SciPy's least squares for 25 paths of 40 unknowns; None if SciPy is not installed.

    Raises
    ------
    click.ClickException
        One of the two solvers failed.
    """
    try:
        from scipy.linalg import solveh_banded
    except ModuleNotFoundError:
        return None
    rows, columns = 3, UNKNOWNS + 1
    y, x = np.divmod(np.arange(rows * columns), columns)
    positions = np.column_stack([x + 0.5 * y, np.sin(0.7 * x) * 0.1, y]).astype(np.float32)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + columns])
    upper = np.column_stack([corner + 1, corner + columns + 1, corner + columns])
    topology = ruckle.Topology(np.concatenate([lower, upper]), len(positions))
    current = ruckle.edge_matrices(positions, topology.faces)
    field = ruckle.stretch(current * np.float32(1.5), current)
    # a path along the first strip of triangles, whose edges are alternately slanted and upright
    numbers = {tuple(edge): i for i, edge in enumerate(topology.edges.tolist())}
    strip = [(c + k, c + columns) for c in range(UNKNOWNS // 2) for k in (0, 1)]
    edges = np.array([numbers[tuple(sorted(pair))] for pair in strip], np.int32)
    t = np.full(len(edges), 0.5, np.float32)

    def ours() -> Any:
        return ruckle.optimize_path(topology, positions, positions, field, edges, t, length_unit=1.0)

    bands = np.array([np.full(UNKNOWNS, 1.0), np.full(UNKNOWNS, -4.0), np.full(UNKNOWNS, 7.0)])
    right = np.linspace(0.0, 1.0, UNKNOWNS)

    def theirs() -> Any:
        return solveh_banded(bands, right)

    if not (np.isfinite(ours()).all() and len(ours()) == UNKNOWNS and np.isfinite(theirs()).all()):
        raise click.ClickException("wrong result: a least-squares problem has no solution")
    return {"ours": _least_microseconds(ours, repeats), "scipy": _least_microseconds(theirs, repeats)}


def _least_microseconds(solve: Any, repeats: int) -> float:
    least = np.inf
    for _ in range(10 * repeats):
        start = perf_counter()
        for _ in range(PATHS):
            solve()
        least = min(least, perf_counter() - start)
    return 1e6 * least


def markdown_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return the Markdown table of docs/research.md: our milliseconds next to the milliseconds of Peters's thesis."""
    where = ", ".join(machine().values())
    lines = [
        f"Milliseconds per frame, median (95th percentile), one thread of {where}; the thesis's in italics.",
        "",
        "| sample | triangles | wrinkles | reference | tracing | both |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        thesis = TABLE_8_1[row["scene"]]
        reference = [sum(row[f"{stage}_{p}"] for stage in STAGES[:3]) * 1e-3 for p in ("p50", "p95")]
        tracing = [sum(row[f"{stage}_{p}"] for stage in STAGES[3:6]) * 1e-3 for p in ("p50", "p95")]
        both = [row[f"total_{p}"] * 1e-3 for p in ("p50", "p95")]
        cells = [
            f"{row['scene']}, τ {row['tau']:g}",
            str(row["triangles"]),
            f"{row['wrinkles']:.1f} *{thesis.wrinkles:g}*",
            f"{_span(reference)} *{thesis.reference:g}*",
            f"{_span(tracing)} *{thesis.tracing:g}*",
            f"{_span(both)} *{thesis.reference + thesis.tracing:.2f}*",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _span(times: Sequence[float]) -> str:
    return f"{times[0]:.3f} ({times[1]:.3f})"


def _print_table(rows: Sequence[dict[str, Any]], squares: dict[str, float] | None) -> None:
    headings = ("scene", "tau", "r_min", "tri.", "wrinkles", *STAGES)
    table = new_table("microseconds per frame, p50 / p95", headings)
    for row in rows:
        times = (f"{row[f'{stage}_p50']:.1f} / {row[f'{stage}_p95']:.1f}" for stage in STAGES)
        counts = (f"{row['tau']:g}", row["r_min"], str(row["triangles"]), f"{row['wrinkles']:.1f}")
        table.add_row(row["scene"], *counts, *times)
    print_table(table)
    if squares is None:
        click.echo('no peer for the least squares: pip install "scipy"', err=True)
    else:
        ratio = squares["scipy"] / squares["ours"]
        click.echo(
            f"least squares of {PATHS} paths with {UNKNOWNS} unknowns, called from Python: {squares['ours']:.0f} µs; "
            f"SciPy's banded solver alone {squares['scipy']:.0f} µs, {ratio:.1f} times as long"
        )
