"""`ruckle train`: simulated pairs in, what was learnt of the garment out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ruckle.cli.console import Voice, output_options, section
from ruckle.simulation.pair import TrainingPair
from ruckle.upsampling.garment import Garment
from ruckle.upsampling.learn import PRIORS, PriorName, Profile
from ruckle.upsampling.oscillations import fit_oscillations, normal_residual, with_oscillations
from ruckle.upsampling.training import Trainer

__all__ = ["train"]


@click.command()
@click.argument(
    "folders", metavar="DIR...", nargs=-1, required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
)  # fmt: skip
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="NAME.upsampling.npz",
    help="File to write.",
)  # fmt: skip
@click.option(
    "--prior", type=click.Choice(PRIORS), default="smooth", show_default=True,
    help="What cloth falls back to that training has not shown: coarse triangles without or with their facets, Loop "
    "subdivision, or nothing.",
)  # fmt: skip
@click.option(
    "--gamma", nargs=2, type=float, metavar="LOW HIGH",
    help="Penalties of the first and the last harmonic.  [default: those with the least error on motions left out]",
)  # fmt: skip
@click.option("--exponent", type=float, default=8.0, show_default=True, help="With --gamma: how late they rise.")
@click.option(
    "--detail", type=click.FloatRange(0, 1), default=0.5, show_default=True,
    help="From smooth to rich; the least error is at 0.5, and looks smoother than cloth does.",
)  # fmt: skip
@click.option(
    "--oscillations", type=click.IntRange(0, 16), default=0, show_default=True,
    help="Also look for so many waves that swing by themselves in the longest motion, as of flags; those are kept that "
    "help on its last third.",
)  # fmt: skip
@click.option(
    "--precision", type=click.Choice(("half", "single")), default="half", show_default=True, help="Of the file."
)
@click.option(
    "--cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Keep the harmonics there, which take a minute for 7,000 vertices, for the next time.",
)  # fmt: skip
@output_options
def train(
    folders: tuple[Path, ...],
    output: Path,
    prior: PriorName,
    gamma: tuple[float, float] | None,
    exponent: float,
    detail: float,
    oscillations: int,
    precision: Any,
    cache: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn how a coarse garment's fine mesh moves, from simulated pairs.

    DIR is a folder that 'ruckle simulate' has filled, or one with several of them; pairs of one motion, such as
    its mirror image, count as one. Six motions are few, and frames of more motions help more than more frames of one.
    'ruckle upsample', and --upsample of other commands, read the file.
    """
    voice = Voice(as_json, quiet)
    paths = pair_folders(folders)
    trainer: Trainer | None = None
    with voice.progress("reading", len(paths)) as advance:
        for path in paths:
            pair = TrainingPair.read(path)
            if trainer is None:
                trainer = Trainer(Garment.of(pair), prior=prior, tests=pair.report.tests, cache=cache)
            trainer.add_pair(pair)
            advance(1)
    if trainer is None:
        raise ValueError(f"{folders[0]}: has no pair; 'ruckle simulate' makes some")
    profile = None if gamma is None else Profile(gamma[0], gamma[1], exponent)
    model = trainer.train(profile=profile, detail=detail)
    if oscillations:
        longest = max(trainer.motions, key=lambda motion: motion.statistics.frames).name
        pair = next(pair for pair in map(TrainingPair.read, paths) if pair.name == longest)
        residual = normal_residual(model, pair.coarse.positions, pair.fine.positions)
        found = fit_oscillations(residual, pair.fine.fps, pairs=oscillations)
        model = with_oscillations(model, found)
        rates = ", ".join(f"{one.frequency:.2f} Hz" for one in found)
        voice.say(f"oscillations of {longest}: {rates or 'none that helps on later frames'}")
    model.save(output, precision=precision)
    report = {**model.report, "frequencies_hz": model.frequencies.tolist()}
    rows = [
        (origin, f"{1000 * linear:.2f}", f"{1000 * error:.2f}", f"{error / linear:.3f}")
        for origin, linear, error in zip(
            report["origins"], report["linear_errors_m"], report["held_out_errors_m"], strict=False
        )
    ]
    if rows:
        voice.say(section("each motion, learnt from the others", ("<", ">linear mm", ">learnt mm", ">ratio"), rows))
    low, high = report["gamma"]
    voice.say(f"penalties {low:.3g} to {high:.3g}, exponent {report['exponent']:g}")
    voice.say(f"written  {output}")
    voice.report({"output": str(output), **report})


def pair_folders(folders: tuple[Path, ...]) -> list[Path]:
    """Return the folders of pairs among or in those given; a pair that has no report is not complete."""
    found = [folder if (folder / "report.json").exists() else None for folder in folders]
    inside = [sorted(path.parent for path in folder.glob("*/report.json")) for folder in folders]
    return [path for own, many in zip(found, inside, strict=True) for path in ([own] if own is not None else many)]
