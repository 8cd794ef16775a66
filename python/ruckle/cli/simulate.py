"""`ruckle simulate`: simulate scenes of cloth, coarse and fine, into files for all other commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import click

from ruckle.cli.console import Voice, output_options, section
from ruckle.cli.skinned import simulate_all_skinned
from ruckle.experiments.sweeps.executors import dask_cluster
from ruckle.experiments.sweeps.workers import LocalPool
from ruckle.offline.simulation.fit import Fit
from ruckle.offline.simulation.planned import PlannedPair, make_pair
from ruckle.offline.simulation.scenes import SCENES, STANDING
from ruckle.offline.simulation.skinned import EDGE
from ruckle.simulation.body import VARIANTS
from ruckle.simulation.material import MATERIALS

__all__ = ["simulate"]


@click.command()
@click.argument("scene", metavar="SCENE|FILE")
@click.option(
    "--motion", "motions", multiple=True, type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
    help="NPZ file with bone_matrices, joints, joint_names, joint_parents and fps; may be repeated.",
)  # fmt: skip
@click.option(
    "--body", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
    help="NPZ file of the body at rest, with skin_weights for these bones.",
)  # fmt: skip
@click.option(
    "--variant", "variants", multiple=True, type=click.Choice(VARIANTS), metavar="|".join(VARIANTS), default=("plain",),
    show_default=True, help="Variants of each motion to simulate, as more training data; may be repeated.",
)  # fmt: skip
@click.option(
    "--contact", type=click.Choice(("cones", "mesh")), default="cones", show_default=True,
    help="Shape with which a skirt or cape collides: rounded cones fitted to the body, or its mesh without arms.",
)  # fmt: skip
@click.option(
    "--pin", "pins", multiple=True, metavar="NAME",
    help="Pinned part of FILE: loop:highest, loop:lowest or loop:N of its boundary, or a group; may be repeated.",
)  # fmt: skip
@click.option("--fit", is_flag=True, help="Push the cloth of FILE out of the body before the simulation.")
@click.option(
    "--limb", "limbs", multiple=True, metavar="JOINT",
    help="Rotate the limb that begins at this joint away from the body, to make space for FILE; may be repeated.",
)  # fmt: skip
@click.option("--material", type=click.Choice(list(MATERIALS)), default="cotton", show_default=True)
@click.option(
    "--tests",
    type=click.IntRange(0, 512),
    default=60,
    show_default=True,
    help="Number of Laplacian eigenvectors in which fine cloth tracks coarse cloth.",
)
@click.option(
    "--substeps", type=click.IntRange(1, 256), default=None,
    help="Time steps per frame of 1/60 s.  [default: 16 to 64, depending on the speed of the body]",
)  # fmt: skip
@click.option(
    "--self-distance", type=click.FloatRange(0.0, 0.1), default=0.0, metavar="METRES",
    help="Distance between layers of cloth, for coarse and fine cloth; 0.006 is good for most garments.",
)  # fmt: skip
@click.option(
    "--skinned", is_flag=True,
    help="Simulate only fine cloth, for a skinned garment: FILE, or a packaged one such as stretching.",
)  # fmt: skip
@click.option(
    "--soft-pin", "soft_pins", multiple=True, metavar="NAME",
    help="With --skinned: hold this loop or group of FILE by springs, such as cuffs; may be repeated.",
)  # fmt: skip
@click.option(
    "--edge", type=click.FloatRange(0.004, 0.05), default=EDGE, show_default=True, metavar="METRES",
    help="With --skinned: mean length of the edges of the fine mesh.",
)  # fmt: skip
@click.option(
    "--frames", type=click.IntRange(1), default=None, help="Simulate only this number of frames, from the first."
)
@click.option(
    "--threads", type=click.IntRange(1, 256), default=1, show_default=True, help="Number of threads for each pair."
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of processes; each simulates one pair at a time.")
@click.option(
    "--dask", metavar="ADDRESS", help="Use the Dask cluster of the scheduler at this address instead of processes."
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", required=True,
    help="Folder to write into; created if missing.",
)  # fmt: skip
@output_options
def simulate(
    scene: str,
    motions: tuple[Path, ...],
    body: Path | None,
    variants: tuple[str, ...],
    contact: str,
    pins: tuple[str, ...],
    fit: bool,
    limbs: tuple[str, ...],
    material: str,
    tests: int,
    substeps: int | None,
    self_distance: float,
    skinned: bool,
    soft_pins: tuple[str, ...],
    edge: float,
    frames: int | None,
    threads: int,
    workers: int | None,
    dask: str | None,
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate a scene of cloth, coarse and fine.

    SCENE is skirt, cape, sleeve, shirt or trousers, worn by a body in motion, or flag, banner or curtain. FILE is a
    garment of your own, in metres, that becomes the coarse cloth. Its pinned vertices follow the body by the file's
    skin_weights, or by those of the nearest skin. Arrays group_NAME of an NPZ file, or the groups of an OBJ file, are
    groups that can be pinned. The fine cloth tracks the coarse cloth, so that both are a training pair. Writes
    DIR/SCENE_MOTION_MATERIAL/coarse.npz, fine.npz and fine.pc2, which 'ruckle render' and 'ruckle view' read, and
    rest.npz and report.json. 'ruckle train' learns from such folders. A folder with a report is not simulated again.

    With --skinned the coarse cloth is moved by bones, and the fine cloth is simulated freely: DIR/GARMENT_MOTION.npz
    contains both, for 'ruckle bench truth'.
    """
    voice = Voice(as_json, quiet)
    if skinned:
        simulate_all_skinned(
            scene, motions or (None,), variants, output, voice, body=body, pins=pins, soft_pins=soft_pins, edge=edge,
            material=material, substeps=substeps, frames=frames, threads=threads, self_distance=self_distance,
        )  # fmt: skip
        return
    name = scene if scene in SCENES else Path(scene).stem
    planned = []
    for path, variant in product(motions or (None,), ("plain",) if scene in STANDING else variants):
        words = [] if path is None or scene in STANDING else [path.stem, *([] if variant == "plain" else [variant])]
        words += ["mesh"] if scene in SCENES and scene not in STANDING and contact == "mesh" else []
        words += ["apart"] if self_distance > 0.0 else []
        planned.append(
            PlannedPair(
                output / "_".join([name, *words, material]), scene, path, body, variant, contact, pins, fit, limbs,
                material, tests, substeps, threads, frames, self_distance,
            )
        )  # fmt: skip
    here = _make(planned, voice, workers, dask)
    reports = [{"folder": str(one.folder), **json.loads(one.report.read_text(encoding="utf-8"))} for one in planned]
    for one, report in zip(planned, reports, strict=True):
        if one not in here and report.get("tight_place"):
            voice.note(f"{one.folder}: {report['tight_place']}")
    rows = [
        [
            report["folder"],
            f"{report['coarse_ms']:.2f}",
            f"{report['fine_ms']:.1f}",
            f"{report['tracking_residual']:.1e}",
            " ".join(f"{strain:.3f}" for strain in report["edge_strain"]),
        ]
        for report in reports
    ]
    voice.say(
        section("pairs", ["<folder", ">coarse ms", ">fine ms", ">tracking m", ">strain p1 p99 least largest"], rows)
    )
    voice.report(reports)


def _make(planned: Sequence[PlannedPair], voice: Voice, workers: int | None, dask: str | None) -> list[PlannedPair]:
    """Simulate the pairs without a report, in this process or in other processes.

    Print a note for each complete pair. Return the pairs that were simulated in this process.
    """
    missing = []
    for one in planned:
        if one.report.exists():
            voice.note(f"{one.folder} is complete")
        else:
            missing.append(one)
    if missing and (workers is not None or dask is not None):
        with (
            voice.progress("pairs", len(missing)) as advance,
            LocalPool(min(workers or 1, len(missing))) if dask is None else dask_cluster(dask) as executor,
        ):
            futures = [executor.submit(make_pair, one, None, None, said_later) for one in missing]
            for future in futures:
                future.result()
                advance(1)
        return []
    for one in missing:
        _make_here(one, voice)
    return missing


def said_later(_: Fit) -> None:
    """Do nothing: the report contains how well the garment fits, and the main process prints it later."""


def _make_here(one: PlannedPair, voice: Voice) -> None:
    scene = one.open()

    def check(fit: Fit) -> None:
        if not fit.fits:
            voice.note(f"{one.folder}: {fit.sentence}")

    with voice.progress(one.folder.name, scene.warm + one.frames_of(scene)) as advance:
        make_pair(one, scene, lambda _: advance(1), check)
