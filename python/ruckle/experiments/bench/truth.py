"""`ruckle bench truth`: every method against fine simulations of sample garments, or against scenes from files.

A method adds folds to the coarse mesh. The rows are a second simulation (the best possible score), all methods, of
which the first is the bare coarse mesh, and three controls that must fail.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import click
import numpy as np

import ruckle
from ruckle.arrays import Float32
from ruckle.experiments.bench.methods import CONTROLS, METHODS, Method, learned, of_layer
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    machine,
    new_table,
    print_table,
    without_nan,
    write_csv,
)
from ruckle.experiments.metrics.truth import DRAPE_WIDTH, Fidelity, Truth
from ruckle.offline.simulation.pair import load_pair, pair_folders
from ruckle.offline.simulation.skinned import EDGE, SkinnedScene, open_skinned, simulate_skinned, skinned_scene
from ruckle.offline.simulation.truth_scene import TruthScene, load_truth, truth_of_pair
from ruckle.offline.simulation.wearers import SKINNED_SAMPLES, sample_garment, sample_hips, sample_motion, sample_wearer

__all__ = ["MEASURES", "Comparison", "bench_truth", "is_met", "rows_of"]

CEILING, TURNED = "second simulation", "truth, turned by 90°"

# Edge length of the fine mesh of the second simulation, divided by the edge length of the first simulation.
OTHER_EDGE = 0.94


@dataclass(frozen=True)
class Measure:
    """A column of the table: heading, digits, range of values that count as near to the simulation, and unit."""

    heading: str
    digits: int
    least: float = -math.inf
    most: float = math.inf
    unit: float = 1.0

    def met(self, value: float) -> bool:
        """Return True if a value is within the range; False for NaN."""
        return self.least <= value <= self.most

    def text(self, value: float) -> str:
        """Return a value as text of a table cell; a star marks a value out of the range."""
        if math.isnan(value):
            return "-"
        return f"{value / self.unit:.{self.digits}f}" + ("" if self.met(value) else " *")

    @property
    def goal(self) -> str:
        """The range as text."""
        bounds = [(f">= {self.least:g}", self.least), (f"<= {self.most:g}", self.most)]
        return " ".join(text for text, bound in bounds if math.isfinite(bound))


MEASURES = {
    "recall": Measure("recall", 2, least=0.75),
    "precision": Measure("precision", 2, least=0.75),
    "slope": Measure("slope", 2, 0.8, 1.25),
    "length": Measure("length", 2, 0.6, 1.5),
    "space": Measure("space", 2, least=0.75),
    "time": Measure("time", 2, least=0.6),
    "angle": Measure("angle °", 0, most=30.0),
    "along": Measure("along", 2, least=0.3),
    "wavelength": Measure("wave mm", 0, unit=1e-3),
    "autocorrelation": Measure("smooth", 2),
    "change": Measure("change", 2),
    "outward": Measure("outward mm", 1, unit=1e-3),
}
"""Columns in order. A surface looks like cloth if all columns with a range are within it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row of the table.

    Attributes
    ----------
    surface : str
    folds, drapes : Fidelity
        Agreement with the simulation at the kernel widths of folds (25 mm) and of drapes (60 mm).
    shown : (N, 3) float32, metres, optional
        The surface in the frame with the largest folds, for pictures.
    """

    surface: str
    folds: Fidelity
    drapes: Fidelity
    shown: Float32 | None


def is_met(found: Fidelity) -> bool:
    """Return True if every measure of the folds is within its range."""
    return all(measure.met(getattr(found, name)) for name, measure in MEASURES.items())


def rows_of(
    scene: TruthScene, methods: Mapping[str, Method], *, seconds: Sequence[TruthScene] = ()
) -> Iterator[Comparison]:
    """Yield a row for the second simulation, for each method and for each control.

    Parameters
    ----------
    scene : TruthScene
    methods : mapping of str to function
        Methods by name. The first one should be the bare coarse mesh.
    seconds : sequence of TruthScene
        Other simulations of the same garment in the same motion, of which the first is compared.

    Raises
    ------
    ClickException
        A control passes as cloth, so the measures are wrong.
    """
    folds, drapes = Truth(scene), Truth(scene, width=DRAPE_WIDTH * scene.scale)
    shown = folds.busiest_frame

    def compared(name: str, surfaces: Any) -> Comparison:
        picture = np.asarray(surfaces[shown], np.float32)
        return Comparison(name, folds.measure(surfaces), drapes.measure(surfaces), picture)

    for second in seconds[:1]:
        yield compared(CEILING, scene.resampled(second))
    for name, method in {**methods, **CONTROLS}.items():
        row = compared(name, list(method(scene)))
        _require_failure(row, name in CONTROLS)
        yield row
    turned = Comparison(TURNED, folds.compare(folds.turned()), drapes.compare(drapes.turned()), None)
    _require_failure(turned, True)
    yield turned


def _require_failure(row: Comparison, is_control: bool) -> None:
    if is_control and is_met(row.folds):
        raise click.ClickException(
            f"the measures are wrong: they accept the control '{row.surface}', which is not cloth"
        )


def methods_for(scene: TruthScene, others: Sequence[TruthScene], poses: Path | None = None) -> dict[str, Method]:
    """Return methods by name: `METHODS`; learned upsampling if `others` are given; a pose database if `poses` is."""
    found = dict(METHODS)
    if others:
        found["learned upsampling"] = learned(others)
        found["learned upsampling, rich"] = learned(others, detail=1.0)
    if poses is not None:
        database = ruckle.load_poses(poses)
        found["pose space"] = of_layer(lambda scene: ruckle.PoseSynthesizer.for_animation(scene.coarse, database))
    return found


def load_method(name: str) -> Method:
    """Load a function from a Python file; `name` is FILE:FUNCTION.

    Raises
    ------
    ClickException
        The file or the function does not exist.
    """
    path, _, function = name.rpartition(":")
    spec = spec_from_file_location(Path(path).stem, path) if Path(path).is_file() else None
    if spec is None or spec.loader is None:
        raise click.ClickException(f"method: expected FILE.py:FUNCTION, got '{name}'")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Method | None = getattr(module, function, None)
    if found is None:
        raise click.ClickException(f"method: {path} has no function '{function}'")
    return found


def packaged_scenes(
    garments: Sequence[str], cache: Path, *, edge: float = EDGE, frames: int | None = None, threads: int = 1
) -> list[TruthScene]:
    """Return simulations of each sample garment. Files in `cache` are reused; missing ones are simulated and written.

    Each garment is simulated twice in its own motion, on two different meshes, and once in the motion of the next
    garment. Learned methods train on the third simulation.
    """
    scenes = []
    for garment, next_one in zip(garments, np.roll(garments, -1).tolist(), strict=True):
        wanted = {"": partial(open_skinned, garment, edge=edge)}
        wanted["_second"] = partial(open_skinned, garment, edge=OTHER_EDGE * edge)
        if next_one != garment:
            wanted[f"_{next_one}"] = partial(teaching_scene, garment, next_one, edge=edge)
        for part, opened in wanted.items():
            path = cache / f"{garment}_{round(1e4 * edge)}{f'_{frames}' if frames else ''}{part}.npz"
            if not path.exists():
                simulate_skinned(opened(), frames=frames, threads=threads).save(path)
            scenes.append(load_truth(path))
    return scenes


def teaching_scene(garment: str, motion: str, *, edge: float) -> SkinnedScene:
    """Return the scene of a sample garment that moves with the motion of another sample."""
    moves = sample_motion(motion)
    worn = replace(sample_garment(garment), name=f"{garment} in {motion}")
    return skinned_scene(worn, moves, sample_wearer(), edge=edge, cones=sample_hips(moves))


def read_scenes(paths: Sequence[Path]) -> list[TruthScene]:
    """Return the scenes of files of `ruckle simulate --skinned`, and of folders with simulated pairs."""
    folders = pair_folders(path for path in paths if path.is_dir())
    return [load_truth(path) for path in paths if path.is_file()] + [truth_of_pair(load_pair(one)) for one in folders]


def same_mesh(a: TruthScene, b: TruthScene) -> bool:
    """Return True if two scenes have the same coarse and fine meshes."""
    return np.array_equal(a.faces, b.faces) and np.array_equal(a.coarse.faces, b.coarse.faces)


@click.command("truth")
@click.argument("paths", nargs=-1, metavar="[FILE|DIR]...", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--garment", "garments", multiple=True, type=click.Choice(SKINNED_SAMPLES), default=("stretching", "shoveling"),
    show_default=True, help="Packaged garment to simulate if no FILE is given; may be repeated.",
)  # fmt: skip
@click.option(
    "--cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", default=Path("truth"),
    show_default=True, help="Folder that stores simulations of packaged garments.",
)  # fmt: skip
@click.option(
    "--edge",
    type=click.FloatRange(0.004, 0.05),
    default=EDGE,
    show_default=True,
    help="Length of edges of the fine mesh, metres.",
)
@click.option("--frames", type=click.IntRange(60), default=None, help="Largest number of frames to simulate.")
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option(
    "--poses", multiple=True, nargs=2, type=(str, click.Path(path_type=Path, dir_okay=False, exists=True)),
    metavar="SCENE FILE", help="Also measure the database of poses FILE on the scene SCENE; may be repeated.",
)  # fmt: skip
@click.option(
    "--method", "own", multiple=True, metavar="FILE:FUNCTION",
    help="Also measure your own method, a function in a Python file; may be repeated.",
)  # fmt: skip
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder into which to write one picture per scene, with all surfaces in a row.",
)  # fmt: skip
@csv_option
@json_option
def bench_truth(
    paths: tuple[Path, ...],
    garments: tuple[str, ...],
    cache: Path,
    edge: float,
    frames: int | None,
    threads: int,
    poses: tuple[tuple[str, Path], ...],
    own: tuple[str, ...],
    pictures: Path | None,
    csv_path: Path | None,
    as_json: bool,
) -> None:
    """Measure every method against fine simulations.

    FILE is a scene of 'ruckle simulate --skinned', DIR a pair or a folder of pairs of 'ruckle simulate'. Without FILE
    and DIR, the command simulates packaged garments, each also in the motions of the others as training data. If two
    scenes have the same garment and motion but different meshes, their agreement is the best score that a method can
    reach. If two scenes have the same meshes but different motions, learned methods are trained on the other scene.
    """
    made: dict[str, Any] = {"edge": edge, "frames": frames, "threads": threads}
    scenes = read_scenes(paths) if paths else packaged_scenes(garments, cache, **made)
    if not scenes:
        raise click.ClickException(f"{paths[0]}: expected a scene or a pair, found none; 'ruckle simulate' makes some")
    first: dict[str, TruthScene] = {}
    for scene in scenes:
        # sample garments in the motion of another sample are only used for training
        if paths or scene.name in garments:
            first.setdefault(scene.name, scene)
    rows: list[dict[str, Any]] = []
    for scene in first.values():
        seconds = [one for one in scenes if one.name == scene.name and one is not scene]
        others = [one for one in scenes if one.name != scene.name and same_mesh(one, scene)]
        methods = methods_for(scene, others, dict(poses).get(scene.name)) | {
            Path(name).name: load_method(name) for name in own
        }
        found = list(rows_of(scene, methods, seconds=seconds))
        rows += _flat_rows(scene.name, found)
        if pictures is not None:
            _draw(scene, found, pictures)
        if not as_json:
            _print_tables(scene.name, found)
    if csv_path:
        write_csv(csv_path, rows)
    if as_json:
        click.echo(json.dumps({**machine(), "rows": [without_nan(row) for row in rows]}))


def _flat_rows(name: str, found: Sequence[Comparison]) -> list[dict[str, Any]]:
    return [
        {"scene": name, "surface": row.surface, "width": width, **asdict(part)}
        for row in found
        for width, part in (("folds", row.folds), ("drapes", row.drapes))
    ]


def _draw(scene: TruthScene, found: Sequence[Comparison], folder: Path) -> None:
    from ruckle.experiments.bench.truth_pictures import draw_rows

    surfaces = {row.surface: row.shown for row in found if row.shown is not None}
    draw_rows(scene, Truth(scene).busiest_frame, surfaces, folder / f"{scene.name}.jpg")


def _print_tables(title: str, found: Sequence[Comparison]) -> None:
    for width in ("folds", "drapes"):
        headings = ["surface", *(measure.heading for measure in MEASURES.values())]
        table = new_table(f"{title}, {width}", [*headings, "like cloth"] if width == "folds" else headings)
        for row in found:
            fidelity: Fidelity = getattr(row, width)
            cells = [measure.text(getattr(fidelity, name)) for name, measure in MEASURES.items()]
            verdict = ["yes" if is_met(fidelity) else "no"] if width == "folds" else []
            table.add_row(row.surface, *cells, *verdict)
        if width == "folds":
            table.add_section()
            table.add_row("bounds", *(measure.goal for measure in MEASURES.values()), "* out of bounds")
        print_table(table)
