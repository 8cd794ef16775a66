"""`ruckle poses`: databases of wrinkles from examples, from a plan of poses to a file that is checked."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
import numpy as np

from ruckle.cli.console import Voice, output_options, section
from ruckle.io import load
from ruckle.mesh.animation import Animation
from ruckle.pose_space.build import build_poses, collect, collect_poses
from ruckle.pose_space.check import check_poses
from ruckle.pose_space.clip_file import save_clip
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.files import load_poses, save_poses
from ruckle.pose_space.garments import GARMENTS, simulate_garment
from ruckle.pose_space.mirror import mirror_joint
from ruckle.pose_space.parameters import DEFAULTS
from ruckle.pose_space.plan import PosePlan, TrainingClip, plan_poses
from ruckle.pose_space.refine import REPEATED, rest_repeatability

__all__ = ["poses"]

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
OUTPUT = click.Path(path_type=Path, dir_okay=False)


@click.group()
def poses() -> None:
    """Build and check databases of wrinkles from examples in pose space.

    plan writes a clip that passes through all sampled poses; simulate the fine garment and the game's coarse one along
    it, in any program, and build makes of both what --poses of the other commands lays on the coarse cloth.
    """


@poses.command()
@click.argument("skeleton", type=FILE, metavar="SKELETON")
@click.option(
    "--joint", "-j", "joints", multiple=True, required=True, metavar="NAME=GRID",
    help="A joint and its samples in degrees, START:STOP:STEP without STOP or A,B,C: those of a hinge, or three grids "
    "with slashes between them, swing, swing and twist of a ball. May be repeated.",
)  # fmt: skip
@click.option(
    "--axis", "axes", multiple=True, metavar="NAME=X,Y,Z",
    help="About what a hinge turns at rest.  [default: as in the file's motion, or across both its bones]",
)  # fmt: skip
@click.option("--clip", "clip_file", type=OUTPUT, metavar="FILE.glb", help="Also write the training clip as glTF.")
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="PLAN.npz", help="File to write.")
@output_options
def plan(
    skeleton: Path,
    joints: tuple[str, ...],
    axes: tuple[str, ...],
    clip_file: Path | None,
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Plan which poses of each joint to sample.

    SKELETON is an animation with bones, NPZ or glTF. PLAN.npz holds the grids, and the training clip as bone_matrices:
    from rest to each sample and back.
    """
    voice = Voice(as_json, quiet)
    animation = load(skeleton)
    if animation.skeleton is None:
        raise ValueError(f"{skeleton}: has no skeleton")
    grids = {name: _grid(name, text) for name, text in _pairs("joint", joints).items()}
    turning = {name: _numbers(f"axis: '{name}'", text) for name, text in _pairs("axis", axes).items()}
    made = plan_poses(animation.skeleton, grids, axes=turning, motion=animation.bones)
    clip = made.clip()
    made.save(output, clip)
    if clip_file is not None:
        save_clip(clip_file, made.skeleton, clip)
    rows = [
        (joint.name, joint.kind, " x ".join(str(len(axis)) for axis in joint.angles), str(joint.sample_count))
        for joint in made.joints
    ]
    voice.say(section("joints", ("<joint", "<kind", "<grid", ">samples"), rows))
    voice.say(f"{made.sample_count} samples, a clip of {len(clip.bones)} frames", f"written  {output}")
    voice.report(
        {"output": str(output), "samples": made.sample_count, "frames": len(clip.bones), "joints": [r[0] for r in rows]}
    )


@poses.command()
@click.argument("plan_file", type=FILE, metavar="PLAN.npz")
@click.argument("cache", type=click.Path(path_type=Path, exists=True), metavar="CACHE")
@click.option("--coarse", required=True, type=FILE, help="The coarse garment along the same clip.")
@click.option(
    "--mirror", "mirrored", multiple=True, metavar="JOINT=OTHER",
    help="Also make OTHER of JOINT's samples, reflected across x = 0. May be repeated.",
)  # fmt: skip
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="NAME.poses.npz", help="File to write.")
@output_options
def build(
    plan_file: Path, cache: Path, coarse: Path, mirrored: tuple[str, ...], output: Path, as_json: bool, quiet: bool
) -> None:
    """Build a database from the fine garment simulated along a plan's clip.

    CACHE is .pc2, .mdd, .npz, .glb, .obj or a folder of .obj with the frames of the clip, or only those of the rest
    pose and the samples; or of any clip in which one joint at a time is at each sample, where the coarse garment has
    bones.
    """
    voice = Voice(as_json, quiet)
    (made, clip), simulated = PosePlan.load(plan_file), load(cache)
    notes: dict[str, float | str] = {}
    if simulated.frame_count == len(clip.bones):
        notes[f"rest: {REPEATED}"] = float(f"{rest_repeatability(clip, simulated):.4g}")
    database = build_poses(made, *_collected(made, clip, simulated, load(coarse)), notes=notes)
    for name, other in _pairs("mirror", mirrored).items():
        database = mirror_joint(database, name, name=other)
    save_poses(output, database)
    _show(voice, database)
    voice.say(f"written  {output}")
    voice.report({"output": str(output), **_facts(database)})


@poses.command()
@click.argument("garment", type=click.Choice(list(GARMENTS)), metavar="GARMENT")
@click.option("--held-out", type=OUTPUT, metavar="FILE.npz", help="Also keep shapes in poses between the samples here.")
@click.option(
    "--refine",
    type=click.FloatRange(min=0, min_open=True),
    metavar="METRES",
    help="Add samples until the middles between them are known to this, or to what a pose can be repeated to.",
)
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="NAME.poses.npz", help="File to write.")
@output_options
def simulate(
    garment: str, held_out: Path | None, refine: float | None, output: Path, as_json: bool, quiet: bool
) -> None:
    """Simulate a garment of ours in sampled poses, and build its database.

    GARMENT is sleeve: a sleeve on an arm that turns at the shoulder and at the elbow.
    """
    voice, began = Voice(as_json, quiet), time.process_time()
    made = GARMENTS[garment]()
    command = f"ruckle poses simulate {garment}" + (f" --refine {refine:g}" if refine else "")
    database, others = simulate_garment(made, refine=refine, notes={"command": command})
    save_poses(output, database)
    if held_out is not None:
        others.save(held_out)
    seconds = time.process_time() - began
    _show(voice, database)
    voice.say(f"written  {output}, after {seconds:.0f} s of a processor")
    voice.report({"output": str(output), "seconds": seconds, **_facts(database)})


@poses.command()
@click.argument("database", type=FILE, metavar="DATABASE")
@output_options
def info(database: Path, as_json: bool, quiet: bool) -> None:
    """Show the joints, grids and sizes of a database."""
    voice, found = Voice(as_json, quiet), load_poses(database)
    _show(voice, found)
    voice.report(_facts(found))


@poses.command()
@click.argument("database", type=FILE, metavar="DATABASE")
@click.argument("cache", type=click.Path(path_type=Path, exists=True), metavar="CACHE")
@click.option("--coarse", required=True, type=FILE, help="The coarse garment in the same frames, with its bones.")
@click.option("--merge", type=click.Choice(["energy", "paper", "window", "fitted"]), default=DEFAULTS["merge"],
              show_default=True, help="How the details of several joints are merged.")  # fmt: skip
@output_options
def check(database: Path, cache: Path, coarse: Path, merge: str, as_json: bool, quiet: bool) -> None:
    """Compare a database with fine cloth that it was not built from."""
    voice, examples = Voice(as_json, quiet), load_poses(database)
    found = check_poses(examples, load(cache), load(coarse), merge=merge)
    rows = [
        ("distance, rms", f"{found.error:.4g}", "mesh units"),
        ("the same without examples", f"{found.without:.4g}", f"{found.ratio:.1%} of it are left"),
        ("angle of normals, mean", f"{found.normal_error:.2f}", "degrees"),
        ("curvature sum", f"{found.curvature:.3f}", "of the true one"),
        (
            "change, p99",
            f"{found.change:.4g}",
            f"mesh units a frame, of the true one {found.true_change:.4g}",
        ),
        ("frames beyond the grid", str(found.clamped), ""),
    ]
    repeated = {name: value for name, value in examples.notes.items() if name.endswith(REPEATED)}
    voice.say(section("against the truth", ("<", ">", "<"), rows))
    voice.say(*(f"{name}: {value} mesh units" for name, value in repeated.items()))
    voice.report({**vars(found), "ratio": found.ratio, "repeatability": repeated})


def _collected(made: PosePlan, clip: TrainingClip, fine: Animation, coarse: Animation) -> tuple[Animation, Animation]:
    """Return both garments in the rest pose and all samples: from these alone, the plan's clip, or any with bones."""
    count, length = 1 + made.sample_count, len(clip.bones)
    if not {fine.frame_count, coarse.frame_count} <= {count, length} and coarse.bones is not None:
        return collect_poses(made, fine, coarse)
    first, second = (one if one.frame_count == count else collect(made, clip, one) for one in (fine, coarse))
    return first, second


def _facts(database: PoseDatabase) -> dict[str, Any]:
    return {
        "vertices": database.binding.vertex_count,
        "coarse_vertices": database.binding.topology.vertex_count,
        "unit": database.unit,
        "samples": database.sample_count,
        "bytes": database.size,
        "joints": [
            {
                "name": joint.name,
                "kind": joint.kind,
                "degrees": [np.degrees(axis).round(6).tolist() for axis in joint.angles],
                "vertices": len(joint.vertices),
                "bytes": joint.details.nbytes,
                "largest": float(np.abs(joint.details).max(initial=0) * joint.step),
            }
            for joint in database.joints
        ],
        "notes": database.notes,
    }


def _show(voice: Voice, database: PoseDatabase) -> None:
    facts = _facts(database)
    rows = [
        (
            joint["name"],
            joint["kind"],
            " x ".join(f"{axis[0]:g}..{axis[-1]:g} ({len(axis)})" for axis in joint["degrees"]),
            f"{joint['vertices']:,}",
            f"{joint['bytes'] / 1e6:.2f}",
            f"{joint['largest']:.3g}",
        )
        for joint in facts["joints"]
    ]
    title = f"{facts['samples']} samples of {facts['vertices']:,} vertices on {facts['coarse_vertices']:,}"
    voice.say(section(title, ("<joint", "<kind", "<degrees", ">vertices", ">MB", ">largest detail"), rows))
    voice.say(*(f"{name}: {value}" for name, value in database.notes.items()))


def _pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name or not value:
            raise ValueError(f"{option}: expected NAME=VALUE, got '{text}'")
        pairs[name] = value
    return pairs


def _grid(name: str, text: str) -> list[float] | list[list[float]]:
    """Return the samples of a hinge, or the three lists of a ball, in degrees."""
    rows = [_range(name, part) if ":" in part else _numbers(f"joint: '{name}'", part) for part in text.split("/")]
    return rows[0] if len(rows) == 1 else rows


def _range(name: str, text: str) -> list[float]:
    numbers = _numbers(f"joint: '{name}'", text.replace(":", ","))
    if len(numbers) != 3 or not numbers[2] > 0:
        raise ValueError(f"joint: '{name}': expected START:STOP:STEP, got '{text}'")
    return np.arange(*numbers).tolist()


def _numbers(place: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise ValueError(f"{place}: expected numbers, got '{text}'") from error
