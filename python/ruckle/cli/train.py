"""`ruckle train`: train an upsampling model of a garment from simulated pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ruckle.cli.console import Voice, output_options, section
from ruckle.experiments.sweeps.executors import dask_cluster
from ruckle.experiments.sweeps.workers import LocalPool
from ruckle.io import load
from ruckle.mesh.animation import Animation
from ruckle.offline.simulation.pair import load_pair, pair_folders
from ruckle.offline.upsampling.derived import derive_coarse
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.learn import PRIORS, HarmonicPenalties, PriorName
from ruckle.offline.upsampling.locality import Locality
from ruckle.offline.upsampling.neural_detail import DetailMotion, learn_detail
from ruckle.offline.upsampling.oscillations import fit_oscillations, normal_residual, with_oscillations
from ruckle.offline.upsampling.training import Penalties, Trainer
from ruckle.upsampling.model import UpsamplingModel

__all__ = ["train"]


@click.command()
@click.argument(
    "folders", metavar="DIR...", nargs=-1, type=click.Path(path_type=Path, file_okay=False, exists=True),
)  # fmt: skip
@click.option(
    "--pair", "caches", multiple=True, nargs=2, type=click.Path(path_type=Path, exists=True), metavar="COARSE FINE",
    help="Animations of another simulator for one motion, such as point caches: of the coarse mesh, and of the fine "
    "mesh that tracks it; may be repeated.",
)  # fmt: skip
@click.option(
    "--fine", "alone", multiple=True, type=click.Path(path_type=Path, exists=True), metavar="FINE",
    help="A fine animation; the coarse animation is computed from it. Needs --rest; may be repeated. The model is less "
    "accurate for the cloth of a game than a model of --pair.",
)  # fmt: skip
@click.option(
    "--rest", nargs=2, type=click.Path(path_type=Path, exists=True), metavar="COARSE FINE",
    help="With --pair and --fine: two files, whose first frames are the coarse and the fine mesh at rest.  [default: "
    "those of the first pair]",
)  # fmt: skip
@click.option(
    "--tests", type=click.IntRange(0, 512), default=60, show_default=True,
    help="With --pair and --fine: number of Laplacian eigenvectors in which the fine cloth tracks the coarse cloth.",
)  # fmt: skip
@click.option(
    "--output", "-o", required=True, type=click.Path(path_type=Path), metavar="NAME.upsampling.npz",
    help="File to write.",
)  # fmt: skip
@click.option(
    "--prior", type=click.Choice(PRIORS), default="smooth", show_default=True,
    help="Fine shape to which detail is added, and the result in motions unlike the training: a smooth surface, the "
    "coarse triangles, Loop subdivision, or none.",
)  # fmt: skip
@click.option(
    "--gamma", nargs=2, type=float, metavar="LOW HIGH",
    help="Penalties of the first and the last Laplacian eigenvector, as in the paper, in place of --local.",
)  # fmt: skip
@click.option(
    "--exponent",
    type=float,
    default=HarmonicPenalties().exponent,
    show_default=True,
    help="With --gamma: exponent with which the penalties rise from LOW to HIGH; larger values delay the rise.",
)
@click.option(
    "--local", nargs=2, type=float, metavar="STRENGTH REACH",
    help="Penalty of the nearest coarse vertices, and the distance over which it rises by e, in mean coarse edges.  "
    "[default: the values with the least error on motions left out]",
)  # fmt: skip
@click.option(
    "--detail", type=click.FloatRange(0, 1), default=0.5, show_default=True,
    help="Factor of the learned detail: 0.5 has the least error, but looks too smooth. With 1, motions that were left "
    "out have 0.8 of the energy of the fine simulation.",
)  # fmt: skip
@click.option(
    "--mirror", is_flag=True,
    help="Also learn from mirror images of all motions; needs no simulation, but a symmetric garment.",
)  # fmt: skip
@click.option(
    "--oscillations", type=click.IntRange(0, 16), default=0, show_default=True,
    help="Also search the longest motion for this number of free oscillations, such as those of flags; those that "
    "reduce the error in its last third are kept.",
)  # fmt: skip
@click.option(
    "--neural", is_flag=True,
    help="Also train a small network that adds detail; both meshes of the garment must be grids. Takes some minutes.",
)  # fmt: skip
@click.option(
    "--precision",
    type=click.Choice(("half", "single")),
    default="half",
    show_default=True,
    help="Precision of the file.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of processes that read DIRs; the result does not depend on it.",
)
@click.option(
    "--dask", metavar="ADDRESS", help="Use the Dask cluster of the scheduler at this address instead of processes."
)
@click.option(
    "--cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder that stores Laplacian eigenvectors for the next run; they take a minute for 7,000 vertices.",
)  # fmt: skip
@output_options
def train(
    folders: tuple[Path, ...],
    caches: tuple[tuple[Path, Path], ...],
    alone: tuple[Path, ...],
    rest: tuple[Path, Path] | None,
    tests: int,
    output: Path,
    prior: PriorName,
    gamma: tuple[float, float] | None,
    exponent: float,
    local: tuple[float, float] | None,
    detail: float,
    mirror: bool,
    oscillations: int,
    neural: bool,
    precision: Any,
    workers: int | None,
    dask: str | None,
    cache: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn how a coarse garment's fine mesh moves, from simulated pairs.

    DIR is a folder that 'ruckle simulate' has written, or a folder with several of these; a motion and its variants,
    such as its mirror image, count as one motion. Use --pair for cloth of other simulators; faces and order of vertices
    must be those of the game's mesh. Additional motions improve the model more than additional frames of one motion;
    six motions are few. 'ruckle upsample', and --upsample of other commands, read the file.
    """
    voice = Voice(as_json, quiet)
    if alone and rest is None:
        raise ValueError("rest: --fine needs both meshes at rest; add --rest COARSE FINE")
    with voice.progress("reading", 1.0) as advance:
        motions: list[Motion] = [*_motions(folders, caches), *((None, fine) for fine in alone)]
        if not motions:
            where = folders[0] if folders else "pair"
            raise ValueError(f"{where}: contains no training pair; 'ruckle simulate' makes pairs")
        trainer = _trainer(motions[0], rest, prior=prior, tests=tests, cache=cache)
        if workers is not None or dask is not None:
            with LocalPool(workers or 1) if dask is None else dask_cluster(dask) as executor:
                trainer.add_folders([motion for motion in motions if isinstance(motion, Path)], executor)
        for motion in motions:
            if not (isinstance(motion, Path) and (workers or dask)):
                _add(trainer, motion)
            advance(1.0 / len(motions))
    if mirror:
        trainer.add_mirror_images()
    model = trainer.train(penalties=_penalties(gamma, exponent, local), detail=detail)
    if neural:
        model = _with_detail(trainer, model, motions, voice, _penalties(gamma, exponent, local), mirror)
    if oscillations:
        model = _with_oscillations(trainer, model, motions, oscillations, voice)
    model.save(output, precision=precision)
    report = {**model.report, "frequencies_hz": model.frequencies.tolist()}
    _say_report(report, voice)
    voice.say(f"written  {output}")
    voice.report({"output": str(output), **report})


def _with_detail(
    trainer: Trainer,
    model: UpsamplingModel,
    motions: list[Motion],
    voice: Voice,
    penalties: Penalties | None,
    mirror: bool,
) -> UpsamplingModel:
    with voice.progress("learning detail", 1.0) as advance:
        shown = [_detail_motion(motion, trainer) for motion in motions]
        model = learn_detail(trainer, model, shown, penalties=penalties, mirror=mirror, progress=advance)
    neural = model.report["neural"]
    voice.say(
        f"neural detail: {neural['matrix_share']:.2f} of the matrix's, {neural['network_share']:.2f} of the network's"
    )
    for name, numbers in neural["left_out"].items():
        voice.say(
            f"{name}, not learnt: {numbers['ratio']:.3f} of the error of linear interpolation, which is better in "
            f"{numbers['worse_frames']:.0%} of the frames"
        )
    return model


def _with_oscillations(
    trainer: Trainer, model: UpsamplingModel, motions: list[Motion], pairs: int, voice: Voice
) -> UpsamplingModel:
    """Fit oscillations to the residual of the longest motion, print their frequencies, and return the new model."""
    longest = max(trainer.motions, key=lambda motion: motion.statistics.frames).name
    coarse, fine = next(_frames(motion, trainer) for motion in motions if _name(motion) == longest)
    found = fit_oscillations(normal_residual(model, coarse.positions, fine.positions), fine.fps, pairs=pairs)
    rates = ", ".join(f"{one.frequency:.2f} Hz" for one in found)
    voice.say(f"oscillations of {longest}: {rates or 'none that helps on later frames'}")
    return with_oscillations(model, found)


def _say_report(report: dict[str, Any], voice: Voice) -> None:
    rows = [
        (origin, f"{1000 * linear:.2f}", f"{1000 * error:.2f}", f"{error / linear:.3f}")
        for origin, linear, error in zip(
            report["origins"], report["linear_errors_m"], report["held_out_errors_m"], strict=False
        )
    ]
    if rows:
        voice.say(section("each motion, learnt from the others", ("<", ">linear mm", ">learnt mm", ">ratio"), rows))
    if "reach" in report:
        voice.say(
            f"penalty {report['strength']:.3g}, reach {report['reach']:g} edges, gain {report['detail_gain']:.3g}"
        )
    else:
        low, high = report["gamma"]
        voice.say(f"penalties {low:.3g} to {high:.3g}, exponent {report['exponent']:g}")


def _penalties(
    gamma: tuple[float, float] | None, exponent: float, local: tuple[float, float] | None
) -> Penalties | None:
    """Return the penalties of --gamma or --local; None without both, so that `Trainer.train` chooses them."""
    if gamma is not None and local is not None:
        raise ValueError("gamma: expected --gamma or --local, got both")
    if local is not None:
        return Locality(*local)
    return None if gamma is None else HarmonicPenalties(*gamma, exponent)


# One training motion: the folder of a simulated pair, or two files. If the first file is None, coarse cloth is computed
# from the fine cloth.
Motion = Path | tuple[Path | None, Path]


def _motions(folders: tuple[Path, ...], caches: tuple[tuple[Path, Path], ...]) -> list[Motion]:
    """Return all motions: complete pairs (with a report) in or below `folders`, then the pairs of files `caches`."""
    return [*pair_folders(folders), *caches]


def _name(motion: Motion) -> str:
    return motion.resolve().name if isinstance(motion, Path) else motion[1].stem


def _frames(motion: Motion, trainer: Trainer | None = None) -> tuple[Animation, Animation]:
    """Load the coarse and the fine cloth of a motion; ValueError if their frame rates differ.

    If the coarse file is missing, the coarse cloth is computed from the fine cloth, for which `trainer` is required.
    """
    if isinstance(motion, tuple) and motion[0] is None:
        assert trainer is not None
        fine = load(motion[1])
        positions = derive_coarse(trainer.garment, trainer.harmonics, fine.positions, tests=trainer.tests)
        return Animation(positions, trainer.garment.coarse_faces, fps=fine.fps, name=fine.name), fine
    files = (motion / "coarse.npz", motion / "fine.npz") if isinstance(motion, Path) else motion
    coarse, fine = (load(file) for file in files if file is not None)
    if abs(coarse.fps - fine.fps) > 1e-3 * coarse.fps:
        raise ValueError(f"{files[1]}: has {fine.fps:g} frames per second, its coarse cloth {coarse.fps:g}")
    return coarse, fine


def _detail_motion(motion: Motion, trainer: Trainer) -> DetailMotion:
    """Return a motion for neural detail, with the name of the motion of which it is a variant."""
    coarse, fine = _frames(motion, trainer)
    if not isinstance(motion, Path):
        return DetailMotion(_name(motion), coarse.positions, fine.positions, coarse.fps)
    report = load_pair(motion).report
    plain = report.variant in ("", "plain")
    return DetailMotion(report.motion or _name(motion), coarse.positions, fine.positions, coarse.fps, plain)


def _trainer(first: Motion, rest: tuple[Path, Path] | None, *, tests: int, **options: Any) -> Trainer:
    """Return a trainer for the garment of the first motion, whose rest shapes are in its folder or in `rest`.

    Without `rest`, the first frames of two files are the rest shapes.
    """
    if isinstance(first, Path):
        pair = load_pair(first)
        return Trainer(Garment.of(pair), tests=pair.report.tests, **options)
    coarse, fine = _frames(first) if rest is None else (load(path) for path in rest)
    garment = Garment(coarse.positions[0], coarse.faces, fine.positions[0], fine.faces)
    return Trainer(garment, tests=tests, **options)


def _add(trainer: Trainer, motion: Motion) -> None:
    if isinstance(motion, Path):
        trainer.add_pair(load_pair(motion))
    else:
        coarse, fine = _frames(motion, trainer)
        trainer.add(_name(motion), coarse.positions, fine.positions)
