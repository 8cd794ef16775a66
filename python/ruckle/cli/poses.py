"""`ruckle poses`: commands that plan, build and check databases of wrinkles for the layer of examples in pose space."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import numpy as np

from ruckle.cli.console import Voice, output_options, section
from ruckle.cli.joint_grids import joint_grids, numbers_of, pairs_of
from ruckle.experiments.sweeps.workers import LocalPool
from ruckle.io import load
from ruckle.mesh.animation import Animation
from ruckle.mesh.skeleton import Skeleton
from ruckle.offline.pose_space.build import build_poses, collect, collect_poses
from ruckle.offline.pose_space.check import check_poses
from ruckle.offline.pose_space.clip_file import save_clip
from ruckle.offline.pose_space.mirror import mirror_joint
from ruckle.offline.pose_space.plan import PosePlan, TrainingClip, load_plan, plan_poses
from ruckle.offline.pose_space.posed_garments import GARMENTS, HeldOut, PosedGarment, simulate_garment
from ruckle.offline.pose_space.refine import REPEATED, rest_repeatability
from ruckle.offline.pose_space.settle import ways_of
from ruckle.offline.pose_space.worn import GRIDS, WORN, both_sides, plan_worn, worn_garment
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.files import load_poses
from ruckle.pose_space.parameters import DEFAULTS
from ruckle.pose_space.wear import wear
from ruckle.pose_space.weights import MergeRule
from ruckle.simulation.body import Motion, load_body, load_motion

__all__ = ["poses"]

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
OUTPUT = click.Path(path_type=Path, dir_okay=False)


GRID = click.option(
    "--grid", type=click.Choice(["moderate", "paper"]), default="moderate", show_default=True,
    help="Number of samples of a packaged garment: moderate takes at most half an hour on one core; paper has the "
    "grids of the paper.",
)  # fmt: skip
SAMPLES = click.option(
    "--samples", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Folder of finished samples, from which an interrupted command continues.  [default: NAME.samples "
    "next to the output]",
)  # fmt: skip
WORKERS_HELP = "Number of processes that simulate samples."

# The work is divided into this number of calls per worker process, so that a process that is done can continue with
# another call.
PARTS = 4


@click.group()
def poses() -> None:
    """Build and check databases of wrinkles from examples in pose space.

    plan writes a clip that passes through all sampled poses. Simulate the fine garment and the game's coarse garment in
    this clip, in any program. build makes the database from both. The option --poses of other commands applies it to
    coarse cloth. simulate does all of this for packaged garments. wear skins their coarse mesh with a motion.
    """


@poses.command()
@click.argument("skeleton", type=FILE, metavar="SKELETON")
@click.option(
    "--garment", type=click.Choice(WORN),
    help="Use the joints and grids of this packaged garment instead of -j.",
)  # fmt: skip
@GRID
@click.option(
    "--joint", "-j", "joints", multiple=True, metavar="NAME=GRID",
    help="A joint and its samples in degrees, START:STOP:STEP without STOP, or A,B,C: one grid for a hinge; for a ball "
    "joint three grids with slashes between them: swing, swing and twist. May be repeated.",
)  # fmt: skip
@click.option(
    "--axis", "axes", multiple=True, metavar="NAME=X,Y,Z",
    help="Axis of a hinge at rest.  [default: the axis in the motion of the file, or perpendicular to both bones]",
)  # fmt: skip
@click.option("--clip", "clip_file", type=OUTPUT, metavar="FILE.glb", help="Also write the training clip as glTF.")
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="PLAN.npz", help="File to write.")
@output_options
def plan(
    skeleton: Path,
    garment: str | None,
    grid: str,
    joints: tuple[str, ...],
    axes: tuple[str, ...],
    clip_file: Path | None,
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Plan which poses of each joint to sample.

    SKELETON is an animation with bones, NPZ or glTF. PLAN.npz contains the grids, and the training clip as
    bone_matrices: from rest to each sample and back.
    """
    voice = Voice(as_json, quiet)
    animation = load(skeleton)
    if animation.skeleton is None:
        raise ValueError(f"{skeleton}: has no skeleton")
    grids = joint_grids(joints)
    if garment is not None:
        if axes:
            raise ValueError("axis: a packaged garment has its own axes; leave out --axis")
        made = plan_worn(animation.skeleton, grids or both_sides(GRIDS[garment][grid]))
    elif grids:
        turning = {name: numbers_of(f"axis: '{name}'", text) for name, text in pairs_of("axis", axes).items()}
        made = plan_poses(animation.skeleton, grids, axes=turning, motion=animation.bones)
    else:
        raise ValueError("joint: expected at least one joint with its samples, or --garment")
    clip = made.clip()
    made.save(output, clip)
    if clip_file is not None:
        save_clip(made.skeleton, clip, clip_file)
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
@click.argument("cache", type=click.Path(path_type=Path, exists=True), metavar="[CACHE]", required=False)
@click.option("--coarse", type=FILE, help="Animation of the coarse garment in the frames of CACHE.")
@click.option("--garment", type=click.Choice(WORN), help="Simulate this packaged garment; instead of CACHE.")
@click.option("--body", type=FILE, help="Body of the wearer: an NPZ file with rest_positions, faces, skin_weights.")
@SAMPLES
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help=WORKERS_HELP)
@click.option(
    "--mirror", "mirrored", multiple=True, metavar="JOINT=OTHER",
    help="Also add the samples of the joint JOINT, mirrored in the plane x = 0, to the joint OTHER. May be repeated.",
)  # fmt: skip
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="NAME.poses.npz", help="File to write.")
@output_options
def build(
    plan_file: Path,
    cache: Path | None,
    coarse: Path | None,
    garment: str | None,
    body: Path | None,
    samples: Path | None,
    workers: int,
    mirrored: tuple[str, ...],
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Build a database from the fine garment simulated along a plan's clip.

    CACHE is .pc2, .mdd, .npz, .glb, .obj or a folder of .obj with the frames of the clip, or only those of the rest
    pose and the samples. If the coarse garment has bones, CACHE may also be any clip that contains the rest pose, and
    each sample of each joint in a frame in which the other joints are at rest. With --garment and --body instead,
    ruckle simulates the samples.
    """
    voice = Voice(as_json, quiet)
    made, clip = load_plan(plan_file)
    given = _given(cache=cache, coarse=coarse, garment=garment, body=body)
    if given not in ({"cache", "coarse"}, {"garment", "body"}):
        raise ValueError("build: expected CACHE and --coarse, or --garment and --body to simulate")
    if cache is None or coarse is None:
        if mirrored:
            raise ValueError(
                "mirror: packaged garments are not symmetric and are sampled on both sides; leave out --mirror"
            )
        dressed = worn_garment(str(garment), _standing(made.skeleton), load_body(str(body)), plan=made)
        _simulate(voice, dressed, output, f"ruckle poses build --garment {garment}", samples=samples, workers=workers)
        return
    simulated = load(cache)
    notes: dict[str, float | str] = {}
    if simulated.frame_count == len(clip.bones):
        notes[f"rest: {REPEATED}"] = float(f"{rest_repeatability(clip, simulated):.4g}")
    database = build_poses(made, *_collected(made, clip, simulated, load(coarse)), notes=notes)
    for name, other in pairs_of("mirror", mirrored).items():
        database = mirror_joint(database, name, name=other)
    database.save(output)
    _show(voice, database)
    voice.say(f"written  {output}")
    voice.report({"output": str(output), **_facts(database)})


@poses.command()
@click.argument("garment", type=click.Choice([*GARMENTS, *WORN]), metavar="GARMENT")
@click.option("--motion", type=FILE, help="Animation with bones, which moves the wearer of a shirt or trousers.")
@click.option("--body", type=FILE, help="Body of the wearer: an NPZ file with rest_positions, faces, skin_weights.")
@GRID
@click.option(
    "--joint", "-j", "joints", multiple=True, metavar="NAME=GRID",
    help="Sample only this joint of a shirt or trousers, with this grid; as for 'ruckle poses plan'. May be repeated.",
)  # fmt: skip
@SAMPLES
@click.option("--workers", type=click.IntRange(1, 256), default=1, show_default=True, help=WORKERS_HELP)
@click.option(
    "--held-out",
    type=OUTPUT,
    metavar="FILE.npz",
    help="Also write the shapes of a sleeve in poses between the samples to this file.",
)
@click.option(
    "--refine",
    type=click.FloatRange(min=0, min_open=True),
    metavar="METRES",
    help="Add samples until the errors between them are below this length, or below the difference between two "
    "simulations of one pose.",
)
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="NAME.poses.npz", help="File to write.")
@output_options
def simulate(
    garment: str,
    motion: Path | None,
    body: Path | None,
    grid: str,
    joints: tuple[str, ...],
    samples: Path | None,
    workers: int,
    held_out: Path | None,
    refine: float | None,
    output: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Simulate a packaged garment in sampled poses, and build its database.

    GARMENT is sleeve, on an arm that turns at the shoulder and at the elbow; or shirt (spine, shoulders, elbows) or
    trousers (hips, knees), cut from the skin of --body and moved by the joints of --motion. An interrupted run
    continues. Grids end at the angle at which the cloth does not come to rest.
    """
    voice, given = Voice(as_json, quiet), _given(motion=motion, body=body, joints=joints)
    if garment in GARMENTS and given:
        raise ValueError("motion, body, joint: a sleeve has its own arm and joints; leave these options out")
    if garment in WORN and held_out is not None:
        raise ValueError(
            f"held-out: only for a sleeve; for a {garment}, simulate a motion and compare by 'ruckle poses check'"
        )
    if garment in GARMENTS:
        worn = GARMENTS[garment]()
    elif motion is None or body is None:
        raise ValueError(f"motion, body: a {garment} needs a wearer; give --motion FILE and --body FILE")
    else:
        grids = joint_grids(joints)
        worn = worn_garment(garment, load_motion(motion), load_body(body), grid=grid, joints=grids or None)
    command = f"ruckle poses simulate {garment}" + (f" --refine {refine:g}" if refine else "")
    others = _simulate(voice, worn, output, command, samples=samples, workers=workers, refine=refine)
    if held_out is not None:
        others.save(held_out)


def _simulate(
    voice: Voice,
    garment: PosedGarment,
    output: Path,
    command: str,
    *,
    samples: Path | None,
    workers: int,
    refine: float | None = None,
) -> HeldOut:
    """Simulate the samples of a garment into a folder, write its database, and print a report.

    Return the simulated shapes of the held-out poses, which are not samples, for checks.
    """
    began, folder = time.perf_counter(), samples or output.with_name(f"{output.name.split('.')[0]}.samples")
    count = sum(len(way.samples) for way in ways_of(garment.plan)) + sum(len(way) for way in garment.held_out)
    voice.say(f"{count} poses of {len(garment.fine.rest):,} vertices, kept in {folder} as they are done")
    with voice.progress("poses", count) as advance, LocalPool(workers) if workers > 1 else nullcontext() as pool:
        database, others = simulate_garment(
            garment, refine=refine, notes={"command": command}, progress=lambda: advance(1), folder=folder,
            executor=pool, parts=workers * PARTS,
        )  # fmt: skip
    database.save(output)
    seconds = time.perf_counter() - began
    _show(voice, database)
    voice.say(f"written  {output}, after {seconds:.0f} s")
    voice.report({"output": str(output), "seconds": seconds, **_facts(database)})
    return others


@poses.command("wear")
@click.argument("database", type=FILE, metavar="DATABASE")
@click.argument("motion", type=FILE, metavar="MOTION")
@click.option("--output", "-o", required=True, type=OUTPUT, metavar="FILE.npz", help="File to write.")
@output_options
def wear_garment(database: Path, motion: Path, output: Path, as_json: bool, quiet: bool) -> None:
    """Skin the coarse garment of a database with a motion.

    MOTION is an animation with the bones of the database's character. FILE.npz contains the coarse garment, moved
    by these bones: the input of 'ruckle render FILE.npz --poses DATABASE'.
    """
    voice = Voice(as_json, quiet)
    made = wear(load_poses(database), load(motion))
    made.save(output)
    voice.say(f"{made.frame_count} frames of {made.vertex_count:,} vertices", f"written  {output}")
    voice.report({"output": str(output), "frames": made.frame_count, "vertices": made.vertex_count})


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
@click.option(
    "--coarse", required=True, type=FILE, help="Animation of the coarse garment, with bones, in the frames of CACHE."
)
@click.option("--merge", type=click.Choice(["energy", "paper", "window", "fitted"]),
              help="Rule that merges the details of several joints.  [default: fitted if the database contains fitted "
              f"shares, else {DEFAULTS['merge']}]")  # fmt: skip
@output_options
def check(database: Path, cache: Path, coarse: Path, merge: MergeRule | None, as_json: bool, quiet: bool) -> None:
    """Compare a database with fine cloth that it was not built from."""
    voice, examples = Voice(as_json, quiet), load_poses(database)
    rule = {} if merge is None else {"merge": merge}
    found = check_poses(examples, load(cache), load(coarse), **rule)
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
    """Return fine and coarse garment with one frame for the rest pose and for each sample.

    The inputs contain only these frames, or all frames of the plan's clip, or any clip (if `coarse` has bones).
    """
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


def _standing(skeleton: Skeleton) -> Motion:
    """Return a motion of one frame in the rest pose."""
    bones = np.tile(np.eye(3, 4), (1, skeleton.joint_count, 1, 1))
    return Motion(bones, skeleton.rest_joints, skeleton.parents, skeleton.names, 60.0)


def _given(**options: object) -> set[str]:
    """Return the names of the options whose value is not None and not an empty tuple."""
    return {name for name, value in options.items() if value not in (None, ())}
