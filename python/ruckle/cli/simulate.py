"""`ruckle simulate`: scenes of cloth, coarse and fine, into files that every other command reads."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import click

from ruckle.cli.console import Voice, output_options, section
from ruckle.simulation.body import VARIANTS, Body, Motion
from ruckle.simulation.material import MATERIALS
from ruckle.simulation.pair import simulate_pair
from ruckle.simulation.scenes import STANDING, scene_named, without_arms

__all__ = ["simulate"]


@click.command()
@click.argument("scene", metavar="SCENE")
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
    show_default=True, help="Also simulate a motion changed so, to learn more from it; may be repeated.",
)  # fmt: skip
@click.option(
    "--contact", type=click.Choice(("cones", "mesh")), default="cones", show_default=True,
    help="What worn cloth stays outside of: rounded cones fitted to the body, or its mesh without the arms.",
)  # fmt: skip
@click.option("--material", type=click.Choice(list(MATERIALS)), default="cotton", show_default=True)
@click.option(
    "--tests", type=click.IntRange(0, 512), default=60, show_default=True, help="Harmonics that fine cloth shares."
)
@click.option("--substeps", type=click.IntRange(1, 256), default=16, show_default=True, help="Per frame of 1/60 s.")
@click.option("--frames", type=click.IntRange(1), default=None, help="Keep only so many frames.")
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", required=True,
    help="Folder to write into; made where it does not exist.",
)  # fmt: skip
@output_options
def simulate(
    scene: str,
    motions: tuple[Path, ...],
    body: Path | None,
    variants: tuple[str, ...],
    contact: str,
    material: str,
    tests: int,
    substeps: int,
    frames: int | None,
    threads: int,
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate a scene of cloth, coarse and fine.

    SCENE is skirt, cape or sleeve, worn by a body in motion, or flag, banner or curtain. The fine cloth follows the
    coarse one, so that both make a training pair. Writes
    DIR/SCENE_MOTION_MATERIAL/coarse.npz, fine.npz and fine.pc2, which 'ruckle render' and 'ruckle view'
    take as they are, rest.npz and report.json, from which 'ruckle train' learns. What has a report is not
    simulated again.
    """
    voice = Voice(as_json, quiet)
    skin = None if body is None else Body.read(body)
    reports = []
    worn = scene not in STANDING
    for path, variant in product(motions or (None,), variants if worn else ("plain",)):
        words = [] if path is None or not worn else [path.stem, *([] if variant == "plain" else [variant])]
        words += ["mesh"] if worn and contact == "mesh" else []
        folder = output / "_".join([scene, *words, material])
        done = folder / "report.json"
        if done.exists():
            voice.note(f"{folder} is complete")
        else:
            made = scene_named(scene, None if path is None else Motion.read(path).variant(variant), skin)
            if worn and contact == "mesh" and skin is not None:
                made = made.against_mesh(without_arms(skin, made.motion))
            total = made.frame_count if frames is None else min(made.frame_count, made.warm + frames)
            wanted = None if frames is None else min(frames, made.frame_count - made.warm)
            with voice.progress(folder.name, total) as advance:
                simulate_pair(
                    made, material=material, tests=tests, substeps=substeps, frames=wanted, threads=threads,
                    motion=path.stem if worn and path is not None else "", variant=variant,
                    progress=lambda _: advance(1),
                ).write(folder)  # fmt: skip
        reports.append({"folder": str(folder), **json.loads(done.read_text(encoding="utf-8"))})
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
    voice.say(section("pairs", ["folder", "coarse ms", "fine ms", "tracking m", "strain p1 p99 least largest"], rows))
    voice.report(reports)
