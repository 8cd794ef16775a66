"""`ruckle bench paths`: quality and speed of wrinkle paths on garments, with the median and the goal of each value.

Quality comes from `measure_paths` at 30 frames per second. The table also compares with paths that are traced from
scratch in every frame (Peters 2015, figure 5.2), and with the wrinkles of the same motion at 60 frames per second. The
core measures the times. A frame's time is the minimum over the repeats. The last table shows how times grow with the
number of wrinkles of the first garment (`ruckle.experiments.bench.growth`).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.experiments.bench.growth import measure_growth, print_growth
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    least_over_repeats,
    machine,
    new_table,
    open_scene,
    print_table,
    without_nan,
    write_csv,
)
from ruckle.experiments.metrics import measure_paths, measure_surface_change, path_points, segment_distances
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.paths.parameters import DEFAULTS

__all__ = ["bench_paths"]

# Frames per second: the rate of Peters's thesis, at which quality is measured, and a higher rate for comparison.
RATE, FASTER = 30.0, 60.0

# Range of kappa (the relative loss of cloth length) in which the length of the cross-section is checked.
KAPPAS = (0.02, 1.0 - 2.0 / math.pi)
# Number of chords with which the length of a cross-section is measured, to an accuracy of 0.1 %.
CHORDS = 2000


@dataclass(frozen=True)
class Figure:
    """One column: its heading, its number format, the goal of its median as text, and a test of the goal."""

    heading: str
    form: str
    goal: str = ""
    reached: Callable[[float], bool] = bool

    def text(self, value: float) -> str:
        """Return a value as text of a table cell."""
        return "-" if math.isnan(value) else self.form.format(value)


def at_least(bound: float) -> Callable[[float], bool]:
    """Return a function that is true for values of at least `bound`, and for NaN."""
    return lambda value: math.isnan(value) or value >= bound


def at_most(bound: float) -> Callable[[float], bool]:
    """Return a function that is true for values of at most `bound`, and for NaN."""
    return lambda value: math.isnan(value) or value <= bound


FIGURES = {
    "coverage": Figure("area within\na width", "{:.0%}", ">= 85%", at_least(0.85)),
    "direction_error": Figure("angle to\nthe field", "{:.1f}°", "<= 15°", at_most(15.0)),
    "turning_p90": Figure("turning\np90", "{:.1f}°", "< 25°", at_most(25.0)),
    "drift_p95": Figure("drift p95,\nwidths", "{:.2f}", "<= 0.5", at_most(0.5)),
    "height_change": Figure("height change,\nr_min", "{:.3f}", "<= 0.15", at_most(0.15)),
    # change of height at fixed points of the cloth, on the drawn surface
    "surface_p99": Figure("surface\np99", "{:.3f}", "<= 0.11", at_most(0.11)),
    "surface_p999": Figure("p99.9", "{:.3f}", "<= 0.25", at_most(0.25)),
    "surface_largest": Figure("largest,\nr_min", "{:.2f}", "<= 0.6", at_most(0.6)),
    "pills": Figure("pills", "{:.0%}", "<= 10%", at_most(0.10)),
    "line_bends": Figure("drawn bends\n> 30°", "{:.1%}", "<= 5%", at_most(0.05)),
    "bends": Figure("path bends\n> 30°", "{:.0%}"),
    "independent_drift": Figure("drift traced\nanew", "{:.0f} x", ">= 5 x", at_least(5.0)),
    "independent_height": Figure("height traced\nanew", "{:.0f} x", ">= 5 x", at_least(5.0)),
    "rate_count": Figure("wrinkles\n60 : 30 fps", "{:.2f}", "0.9 - 1.1", lambda value: not abs(value - 1) > 0.1),
    "rate_distance": Figure("apart 60 : 30,\nwidths", "{:.2f}", "<= 1", at_most(1.0)),
    "wrinkles": Figure("wrinkles", "{:.1f}"),
    "length": Figure("length,\nheights", "{:.1%}"),
    "short": Figure("< 3\nwidths", "{:.0%}"),
    "fading": Figure("fading", "{:.0%}"),
    # no goal is checked here, because the goal is for one garment size, and the median is over all sizes
    "microseconds": Figure("frame\nµs p50", "{:.0f}"),
    "spread": Figure("p99 :\np50", "{:.1f}", "<= 3", at_most(3.0)),
}


@click.command("paths")
@click.argument("garments", nargs=-1, metavar="[FILE|SAMPLE]...")
@click.option(
    "--scenes",
    type=click.Path(path_type=Path),
    help="Folder of NPZ garments, or a folder that contains data/sequences.  [default: the folder in RUCKLE_SHARED, "
    "else ../shared, else the samples]",
)
@click.option(
    "--tau",
    "taus",
    type=float,
    multiple=True,
    default=(1.4, 1.25),
    show_default=True,
    help="Compression above which wrinkles form; may be repeated.",
)
@click.option("--r-min", default=DEFAULTS["r_min"], show_default=True, help="Minimum radius of a wrinkle.")
@click.option(
    "--thesis", is_flag=True, help="Use the rules of the thesis: wrinkles have any length, and remain only above tau."
)
@click.option(
    "--repeats",
    default=3,
    show_default=True,
    help="Number of runs of each animation; the least time of each frame is used.",
)
@csv_option
@json_option
def bench_paths(
    garments: tuple[str, ...],
    scenes: Path | None,
    taus: tuple[float, ...],
    r_min: str,
    thesis: bool,
    repeats: int,
    csv_path: Path | None,
    as_json: bool,
) -> None:
    """Measure quality and speed of wrinkle paths over garments, against their goals."""

    def parameters_of(tau: float) -> dict[str, Any]:
        return {"tau": tau, "r_min": r_min} | ({"grow_tau": tau, "least_aspect": 0.0} if thesis else {})

    animations = [open_scene(name) for name in garments or find_scenes(scenes)]
    check_profiles()
    rows = [
        {"tau": tau, "scene": animation.name, **figures_of(animation, repeats, **parameters_of(tau))}
        for tau in taus
        for animation in animations
    ]
    grower = at_rate(animations[0], RATE)
    growth = measure_growth(grower, repeats, taus[0], parameters_of)
    medians = [{"tau": tau, "scene": "median", **_medians(rows, tau)} for tau in taus]
    if csv_path:
        write_csv(csv_path, rows + medians)
    if as_json:
        plain = [without_nan(row) for row in rows + medians]
        click.echo(json.dumps({**machine(), "r_min": r_min, "rows": plain, "growth": asdict(growth)}))
        return
    for tau, median in zip(taus, medians, strict=True):
        _print_table(
            f"tau {tau:g}, r_min {r_min}{', thesis' if thesis else ''}",
            [row for row in rows if row["tau"] == tau],
            median,
        )
    print_growth(growth, grower.name)


def find_scenes(folder: Path | None) -> list[str]:
    """Return the garment files of a folder, without static bodies.

    The default folder is the environment variable RUCKLE_SHARED, otherwise ../shared. If ../shared does not contain
    garments, the names of the samples are returned.

    Raises
    ------
    ValueError
        The folder was given, or named by RUCKLE_SHARED, but does not contain garments.
    """
    named = folder or (Path(os.environ["RUCKLE_SHARED"]) if "RUCKLE_SHARED" in os.environ else None)
    folder = named or Path("../shared")
    sequences = folder / "data" / "sequences"
    files = sorted((sequences if sequences.is_dir() else folder).glob("*.npz"))
    found = [str(path) for path in files if not path.name.startswith("body_")]
    if named and not found:
        raise ValueError(f"{named}: holds no garment, neither *.npz nor data/sequences/*.npz")
    return found or ruckle.samples()


def figures_of(animation: Animation, repeats: int, **parameters: Any) -> dict[str, float]:
    """Return the values of all columns for one garment, NaN if missing.

    `parameters` are those of `Wrinkler.for_animation`.
    """
    slow = at_rate(animation, RATE)
    ours = measure_paths(slow, **parameters)
    anew = measure_paths(slow, coherent=False, **parameters)
    microseconds = step_microseconds(slow, repeats, **parameters)
    p50, p99 = np.percentile(microseconds, (50, 99))
    count, distance = rate_agreement(animation, **parameters)
    surface = measure_surface_change(slow, **parameters)
    return {
        "coverage": ours.coverage,
        "direction_error": ours.direction_error,
        "turning_p90": ours.turning_p90,
        "drift_p95": ours.drift_p95,
        "height_change": ours.height_change,
        "surface_p99": surface.p99,
        "surface_p999": surface.p999,
        "surface_largest": surface.largest,
        "pills": ours.pills,
        "line_bends": ours.line_bends,
        "bends": ours.bends,
        "independent_drift": _ratio(anew.drift_p95, ours.drift_p95),
        "independent_height": _ratio(anew.height_change, ours.height_change),
        "rate_count": count,
        "rate_distance": distance,
        "wrinkles": ours.wrinkles,
        "length": ours.length / animation.height,
        "short": ours.short,
        "fading": ours.fading,
        "microseconds": float(p50),
        "spread": float(p99 / p50),
    }


def at_rate(animation: Animation, rate: float) -> Animation:
    """Return every n-th frame, so that the rate is close to `rate` frames per second."""
    step = max(1, round(animation.fps / rate))
    return replace(animation.cut(0, animation.frame_count, step), fps=animation.fps / step)


def step_microseconds(animation: Animation, repeats: int, **parameters: Any) -> NDArray[np.float64]:
    """Return the microseconds of each frame, measured by the core. Raise an error if a repeat has other wrinkles."""
    wrinkler = ruckle.Wrinkler.for_animation(animation, **parameters)
    first: dict[int, Frame] = {}

    def measure(index: int) -> float:
        frame = wrinkler.step(animation.positions[index], 1.0 / animation.fps)
        if index in first:
            require_equal(first[index].wrinkles, frame.wrinkles, f"{animation.name}, frame {index}")
        else:
            require_on_cloth(frame, animation.name)
            first[index] = frame
        return frame.timings["total"] * 1e3

    return least_over_repeats(repeats, animation.frame_count, measure, wrinkler.reset)


def rate_agreement(animation: Animation, **parameters: Any) -> tuple[float, float]:
    """Compare the wrinkles of one motion at 30 and at 60 frames per second, at common times.

    Both results are NaN if the animation does not have twice as many frames at 60 as at 30 frames per second.

    Returns
    -------
    count : float
        Mean number of wrinkles at 60 frames per second, divided by the number at 30.
    distance : float, widths
        Median distance of wrinkle pairs that are mutual nearest neighbours, in wrinkle widths.
    """
    fast, slow = at_rate(animation, FASTER), at_rate(animation, RATE)
    if round(fast.fps / slow.fps) != 2:
        return math.nan, math.nan
    runs = [[frame.wrinkles for frame in ruckle.run(each, **parameters)] for each in (slow, fast)]
    pairs = list(zip(runs[0], runs[1][::2], strict=True))
    slow_count, fast_count = (sum(len(pair[k]) for pair in pairs) for k in range(2))
    distances = np.concatenate([np.empty(0), *(matched_distances(*pair) for pair in pairs)])
    return _ratio(fast_count, slow_count), float(np.median(distances)) if len(distances) else math.nan


def matched_distances(some: Sequence[Wrinkle], others: Sequence[Wrinkle]) -> NDArray[np.float64]:
    """Return the distances, in wrinkle widths, of pairs of wrinkles that are mutual nearest neighbours."""
    if not some or not others:
        return np.empty(0)
    apart = np.array([[_distance(one, other) for other in others] for one in some])
    nearest, back = apart.argmin(axis=1), apart.argmin(axis=0)
    rows = np.flatnonzero(back[nearest] == np.arange(len(some)))
    return np.array([apart[row, nearest[row]] / some[row].full_width for row in rows.tolist()])


def check_profiles() -> None:
    """Raise an error if the length of a cross-section differs from the perimeter of the wrinkle by more than 1 %."""
    u = np.linspace(-1.0, 1.0, CHORDS + 1)
    section = ruckle.cross_section(np.abs(u)).astype(np.float64)
    for kappa in np.linspace(*KAPPAS, 20):
        line = np.array([[x, 0.0, 0.0] for x in np.linspace(0.0, 1.0, 21)])
        width, height, perimeter = ruckle.wrinkle_shape(line, kappa=float(kappa), r_min=0.01)
        middle = len(line) // 2
        chords = np.hypot(np.diff(u * width[middle] / 2), np.diff(section * height[middle]))
        if abs(chords.sum() / perimeter - 1) > 0.01:
            raise click.ClickException(
                f"wrong result: at kappa {kappa:.3f} the profile is {chords.sum():.5g} long, not {perimeter:.5g}"
            )


def require_on_cloth(frame: Frame, name: str) -> None:
    """Raise an error if a wrinkle's points are off their edges, or if neighbouring points do not share a triangle."""
    for wrinkle in frame.wrinkles:
        expected = path_points(frame.topology, frame.positions, wrinkle.edges, wrinkle.t)
        # tolerance for the rounding of float32 positions far from the origin
        slack = 1e-5 * float(np.abs(frame.positions).max())
        sides = frame.topology.face_edges[wrinkle.faces]
        joined = (sides == wrinkle.edges[:-1, None]).any(axis=1) & (sides == wrinkle.edges[1:, None]).any(axis=1)
        if not (joined.all() and np.allclose(wrinkle.points, expected, rtol=0.0, atol=slack)):
            raise click.ClickException(f"wrong result: {name}: {wrinkle} is not on the cloth")


def require_equal(some: Sequence[Wrinkle], others: Sequence[Wrinkle], name: str) -> None:
    """Raise an error if a second run has other wrinkles than the first."""
    same = len(some) == len(others) and all(
        a.id == b.id and np.array_equal(a.edges, b.edges) and np.array_equal(a.t, b.t) and a.crest == b.crest
        for a, b in zip(some, others, strict=True)
    )
    if not same:
        raise click.ClickException(f"wrong result: {name}: a second run gives different wrinkles")


def _distance(one: Wrinkle, other: Wrinkle) -> float:
    line = other.visible_line
    return float(segment_distances(one.visible_line, line[:-1], line[1:]).min(axis=1).mean())


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan


def _medians(rows: Sequence[dict[str, Any]], tau: float) -> dict[str, float]:
    medians = {}
    for name in FIGURES:
        values = np.array([row[name] for row in rows if row["tau"] == tau])
        known = values[~np.isnan(values)]
        medians[name] = float(np.median(known)) if len(known) else math.nan
    return medians


def _print_table(title: str, rows: Sequence[dict[str, Any]], median: dict[str, Any]) -> None:
    table = new_table(title, ["scene", *(figure.heading for figure in FIGURES.values())])
    for row in rows:
        table.add_row(row["scene"], *(figure.text(row[name]) for name, figure in FIGURES.items()))
    table.add_section()
    table.add_row("median", *(figure.text(median[name]) for name, figure in FIGURES.items()))
    table.add_row("goal", *(figure.goal for figure in FIGURES.values()))
    table.add_row("", *(_verdict(figure, median[name]) for name, figure in FIGURES.items()))
    print_table(table)


def _verdict(figure: Figure, value: float) -> str:
    if not figure.goal or math.isnan(value):
        return ""
    return "reached" if figure.reached(value) else "missed"
