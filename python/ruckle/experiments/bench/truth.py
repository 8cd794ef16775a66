"""`ruckle bench truth`: wrinkles of every layer against tracked fine simulations of the same motion.

Measures: `metrics.Fidelity`. Beside the layers stand what they are to be read by: the truth itself
without what is narrower than a fold, which no wrinkle can better; the coarse mesh alone; the truth played
backwards, whose folds are as true, in other places; and the truth with its folds turned by 90 degrees, a control that
must fail.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

import ruckle
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    machine,
    new_table,
    print_table,
    without_nan,
    write_csv,
)
from ruckle.experiments.metrics.truth import Fidelity, Truth
from ruckle.offline.simulation.pair import TrainingPair, load_pair, pair_folders
from ruckle.stack import Layer
from ruckle.surface.frame import CoarseFrame, LayerFrame

__all__ = ["bench_truth", "layers_of", "rows_of", "truth_of"]

# Names of the rows that are no layers.
LIMIT, BARE, BACKWARDS, CONTROL = (
    "truth, as wide as folds",
    "coarse mesh alone",
    "truth, backwards",
    "truth, turned by 90°",
)

# 0.5 % of a wearer of 1.7 m.
R_MIN = 0.0085

# Distance of two folds of noise over the least radius: as `ruckle.animation_patterns` has it.
PATTERN_WAVE = 5.0

# Compression from which on paths are also tried: simulated cloth without a wearer's bends is compressed by less.
LOW_TAU, LOW_GROW_TAU = 1.03, 1.015


@dataclass(frozen=True)
class Measure:
    """One column: how it is headed and printed, and from which value to which the truth is met."""

    heading: str
    form: Callable[[float], str]
    least: float = -math.inf
    most: float = math.inf

    def met(self, value: float) -> bool:
        """Return whether a value is near the truth; one that is not a number is not."""
        return self.least <= value <= self.most

    @property
    def goal(self) -> str:
        """The bounds in words."""
        bounds = [(f">= {self.least:g}", self.least), (f"<= {self.most:g}", self.most)]
        return " ".join(text for text, bound in bounds if math.isfinite(bound))


def _plain(form: str) -> Callable[[float], str]:
    return lambda value: "-" if math.isnan(value) else form.format(value)


MEASURES = {
    "angle": Measure("direction °", _plain("{:.0f}"), most=30.0),
    "precision": Measure("precision", _plain("{:.2f}"), least=0.75),
    "recall": Measure("recall", _plain("{:.2f}"), least=0.5),
    "amplitude": Measure("amplitude", _plain("{:.2f}"), 0.5, 1.5),
    "amplitude_error": Measure("by compression", _plain("{:.2f}"), most=0.5),
    "wavelength": Measure("wavelength mm", lambda value: "-" if math.isnan(value) else f"{1000 * value:.0f}"),
    "wavelength_error": Measure("octaves off", _plain("{:.2f}"), most=0.5),
    "length": Measure("length", _plain("{:.2f}")),
    "change": Measure("change", _plain("{:.2f}"), most=1.5),
}


class BareLayer:
    """The coarse mesh as it came."""

    def __init__(self, truth: Truth) -> None:
        self._topology = truth.topology

    def step(self, positions: Any, dt: float = 1.0 / 30.0) -> LayerFrame:
        """Return the frame without anything on it."""
        return CoarseFrame(positions, self._topology)

    def reset(self) -> None:
        """Forget nothing."""


def truth_of(pair: TrainingPair, *, r_min: float = R_MIN) -> Truth:
    """Return what a pair's layers are measured against; pairs shorter than two seconds are measured from half on."""
    begin = min(1.0, 0.5 * pair.coarse.frame_count / pair.coarse.fps)
    rests = pair.coarse_rest, pair.fine_rest
    return Truth(pair.coarse, pair.fine.positions, pair.fine.faces, *rests, r_min=r_min, begin=begin)


def layers_of(
    pair: TrainingPair,
    others: Sequence[TrainingPair] = (),
    *,
    r_min: float = R_MIN,
    poses: Path | None = None,
    cache: Path | None = None,
) -> Iterator[tuple[str, Layer]]:
    """Yield the layers that are measured on a pair, by name; what is learnt is learnt from other motions alone."""
    coarse = pair.coarse

    def paths(**parameters: Any) -> ruckle.Wrinkler:
        return ruckle.Wrinkler.for_animation(coarse, rest=pair.coarse_rest, r_min=r_min, **parameters)

    yield "paths", paths()
    yield f"paths, tau {LOW_TAU}", paths(tau=LOW_TAU, grow_tau=LOW_GROW_TAU)
    noise = ruckle.animation_patterns(coarse, "noise", wavelength=PATTERN_WAVE * r_min)
    yield "patterns", ruckle.Modulator.for_animation(coarse, noise, r_min=r_min)
    yield "patterns, no slack", ruckle.Modulator.for_animation(coarse, noise, r_min=r_min, slack=0.0)
    if others:
        trainer = ruckle.Trainer.of_pairs(others, cache=cache)
        chosen = trainer.choose().penalties
        model, rich = (trainer.train(penalties=chosen, detail=detail) for detail in (0.5, 1.0))
        yield "upsampling", ruckle.Upsampler(model)
        yield "upsampling, rich", ruckle.Upsampler(rich)
        yield "upsampling and paths", ruckle.Stack([ruckle.Upsampler(model), paths()])
    if poses is not None:
        yield "pose space", ruckle.PoseSynthesizer.for_animation(coarse, ruckle.load_poses(poses))


def rows_of(truth: Truth, layers: Iterator[tuple[str, Layer]]) -> Iterator[tuple[str, Fidelity]]:
    """Yield what is measured of the truth's limits and controls, and of every layer.

    Raises
    ------
    ClickException
        The measures would take the control for cloth, or the truth itself for something else.
    """
    for name, folds in (
        (LIMIT, truth.folds_of(truth.restricted())),
        (BARE, truth.folds_of(truth.positions_of(BareLayer(truth)))),
        (BACKWARDS, truth.backwards()),
        (CONTROL, truth.turned()),
    ):
        found = truth.compare(folds)
        # played backwards, folds lie elsewhere, and may be so far off that they count as others
        if name != BACKWARDS and is_met(found) != (name == LIMIT):
            raise click.ClickException(f"wrong measures: '{name}' is {'' if is_met(found) else 'not '}taken for cloth")
        yield name, found
    for name, layer in layers:
        yield name, truth.compare(truth.folds_of(truth.positions_of(layer)))


def is_met(found: Fidelity) -> bool:
    """Return whether every measure is near the truth."""
    return all(measure.met(getattr(found, name)) for name, measure in MEASURES.items())


@click.command("truth")
@click.argument(
    "folders", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path, file_okay=False, exists=True),
)  # fmt: skip
@click.option("--r-min", default=R_MIN, show_default=True, type=click.FloatRange(0, min_open=True), help="Metres.")
@click.option(
    "--poses", multiple=True, nargs=2, type=(str, click.Path(path_type=Path, dir_okay=False, exists=True)),
    metavar="SCENE FILE", help="Also measure a database of poses on a scene; may be repeated.",
)  # fmt: skip
@click.option(
    "--cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Keep the harmonics of upsampling there, for the next time.",
)  # fmt: skip
@csv_option
@json_option
def bench_truth(
    folders: tuple[Path, ...],
    r_min: float,
    poses: tuple[tuple[str, Path], ...],
    cache: Path | None,
    csv_path: Path | None,
    as_json: bool,
) -> None:
    """Measure every layer against fine simulations.

    DIR is a pair that 'ruckle simulate' has written, or a folder of pairs. The first motion of each scene is measured,
    upsampling learns from the others.
    """
    complete = pair_folders(folders)
    if not complete:
        raise click.ClickException(f"{folders[0]}: holds no pair; 'ruckle simulate' makes some")
    scenes: dict[str, list[TrainingPair]] = {}
    for folder in complete:
        pair = load_pair(folder)
        scenes.setdefault(pair.report.scene, []).append(pair)
    rows: list[dict[str, Any]] = []
    for scene, (pair, *others) in scenes.items():
        layers = layers_of(pair, others, r_min=r_min, poses=dict(poses).get(scene), cache=cache)
        found = list(rows_of(truth_of(pair, r_min=r_min), layers))
        rows += [{"garment": pair.name, "surface": name, **asdict(fidelity)} for name, fidelity in found]
        if not as_json:
            _print_table(pair.name, found)
    if csv_path:
        write_csv(csv_path, rows)
    if as_json:
        click.echo(json.dumps({**machine(), "rows": [without_nan(row) for row in rows]}))


def _print_table(title: str, found: Sequence[tuple[str, Fidelity]]) -> None:
    table = new_table(title, ["surface", *(measure.heading for measure in MEASURES.values()), "like cloth"])
    for name, fidelity in found:
        values = [(measure, getattr(fidelity, key)) for key, measure in MEASURES.items()]
        cells = [measure.form(value) + ("" if measure.met(value) else " *") for measure, value in values]
        table.add_row(name, *cells, "yes" if is_met(fidelity) else "no")
    table.add_section()
    table.add_row("bounds", *(measure.goal for measure in MEASURES.values()), "* out of bounds")
    print_table(table)
