"""Figures 1, 2, 7 to 9 and table 1: the sleeve in poses of both joints, next to its simulation; curvature; times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from ruckle.experiments.figures.drawing import (
    PATH,
    PLAIN,
    STRONG,
    Drawing,
    Window,
    canvas,
    inked,
    panels,
    share,
    show_cloth,
    window_around,
)
from ruckle.experiments.figures.wang2010.sleeve import bends, coarse_at, database, held_out, light, synthesized
from ruckle.experiments.plot.space import Projection
from ruckle.offline.pose_space.check import PoseCheck, check_poses
from ruckle.pose_space.binding import Binding, apply, transfer
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.synthesizer import PoseSynthesizer
from ruckle.pose_space.weights import MergeRule

__all__ = [
    "Curvatures", "copies", "curvatures", "draw_clip", "draw_curvature", "draw_merged", "draw_poses", "draw_table",
    "draw_truth", "merged", "step_milliseconds",
]  # fmt: skip

Float64 = NDArray[np.float64]

VIEW = Projection(20.0, 25.0)

# Colour of the strongest curvature.
BENT = np.array([0.55, 0.12, 0.08])

# Numbers of vertices of the paper's two characters, and its seconds for synthesis plus transfer.
CHARACTERS = {"man": (46_000, 0.009 + 0.072), "woman": (34_000, 0.008 + 0.041)}

# Number of repeats of each frame; the table shows the minimum time.
REPEATS = 12


@dataclass(frozen=True, eq=False)
class Curvatures:
    """Sums of curvature over all vertices of the sleeve in F poses, metres.

    The curvature of a vertex is its distance from the mean of its neighbours.

    Attributes
    ----------
    truth, ours, transferred, bare : (F,)
        Values of four surfaces: simulated; our synthesis; the paper's mean and transfer; the coarse sleeve with the
        details of the rest pose.
    """

    truth: Float64
    ours: Float64
    transferred: Float64
    bare: Float64


def of_both_joints() -> NDArray[np.intp]:
    """Return the indices of poses in which both joints turn."""
    return np.flatnonzero(held_out().ways > 0)


def curvatures() -> Curvatures:
    """Measure the curvature in all poses of both joints."""
    found, truth, rows = database(), held_out(), []
    for number in of_both_joints():
        bones = truth.bones[number]
        coarse = coarse_at(bones)
        by_mean = synthesized(bones, "paper").shape.positions
        shapes = (
            truth.fine[number],
            synthesized(bones).shape.positions,
            transfer(by_mean, coarse, found.binding, found.faces),
            apply(coarse, found.binding, found.rest_details),
        )
        rows.append([bends(shape).sum() for shape in shapes])
    return Curvatures(*np.array(rows).T)


def merged(rule: MergeRule) -> PoseCheck:
    """Return the errors of a rule that merges the details of several joints, in all poses of both joints."""
    return check_poses(database(), *held_out().animations(database(), of_both_joints()), merge=rule)


def draw_poses() -> Drawing:
    """Draw three poses: the coarse sleeve in the top row, the sleeve with wrinkles from examples below (figure 1)."""
    truth, found = held_out(), database()
    chosen = np.flatnonzero(truth.ways == 1)[[2, 6, 11]]
    figure = canvas(9.0, 5.0)
    grid = panels(figure, 2, 3)
    for column, number in enumerate(chosen):
        bones = truth.bones[number]
        fine = synthesized(bones).shape.positions
        coarse, faces = coarse_at(bones), found.binding.topology.faces
        window = window_around(fine, VIEW)
        show_cloth(grid[0, column], coarse, faces, colors=light(coarse, faces), projection=VIEW, window=window)
        _show(grid[1, column], fine, window)
    grid[0, 0].set_title("coarse")
    grid[1, 0].set_title("with examples")
    return Drawing(
        figure,
        seen="Folds gather at the inside of the elbow and under the shoulder as both joints turn.",
        parameters=f"{found!r}; poses between the samples.",
    )


def draw_truth() -> Drawing:
    """Draw one pose simulated, coarse and from examples, with the curvature of each surface (figure 2)."""
    truth, found = held_out(), database()
    number = np.flatnonzero(truth.ways == 3)[-2]
    bones = truth.bones[number]
    bare = apply(coarse_at(bones), found.binding, found.rest_details)
    shapes = {"simulated": truth.fine[number], "coarse": bare, "from examples": synthesized(bones).shape.positions}
    window = window_around(truth.fine[number], VIEW)
    top = float(np.quantile(bends(truth.fine[number]), 0.97))
    figure = canvas(9.0, 5.0)
    grid = panels(figure, 2, 3)
    for column, (title, shape) in enumerate(shapes.items()):
        _show(grid[0, column], shape, window)
        colors = inked(bends(shape)[found.faces].mean(axis=1) / top, BENT)
        show_cloth(grid[1, column], shape, found.faces, colors=colors, projection=VIEW, window=window)
        grid[0, column].set_title(title)
    sums = [bends(shape).sum() for shape in shapes.values()]
    return Drawing(
        figure,
        seen=f"Sum of curvatures relative to the simulation: {share(sums[1] / sums[0])} for the coarse sleeve, "
        f"{share(sums[2] / sums[0])} with examples. A step takes {step_milliseconds(found):.2f} ms.",
        parameters=f"{found.binding.vertex_count} vertices on {found.binding.topology.vertex_count}.",
    )


def draw_clip() -> Drawing:
    """Draw six frames of a clip (figure 7)."""
    truth = held_out()
    chosen = np.flatnonzero(truth.ways == 4)[1::2]
    figure = canvas(9.0, 4.6)
    window = window_around(truth.fine[chosen], VIEW)
    for axes, number in zip(panels(figure, 2, 3).ravel(), chosen, strict=True):
        _show(axes, synthesized(truth.bones[number]).shape.positions, window)
    return Drawing(
        figure,
        seen="Folds rise with the angles of the joints, and do not move over the cloth.",
        parameters="Poses half way between rest and one far pose, from examples alone.",
    )


def draw_merged() -> Drawing:
    """Draw one pose of both joints: simulated, and merged by two rules (figure 8)."""
    truth = held_out()
    number = np.flatnonzero(truth.ways == 1)[8]
    bones = truth.bones[number]
    rules: tuple[MergeRule, ...] = ("paper", "energy")
    figure = canvas(9.0, 2.9)
    window = window_around(truth.fine[number], VIEW)
    axes = panels(figure, 1, 3)[0]
    _show(axes[0], truth.fine[number], window)
    axes[0].set_title("simulated")
    errors = {}
    for axis, rule in zip(axes[1:], rules, strict=True):
        _show(axis, synthesized(bones, rule).shape.positions, window)
        check = errors[rule] = merged(rule)
        axis.set_title(f"{'mean of (4)' if rule == 'paper' else 'kept energy'}: {1e3 * check.error:.1f} mm over all")
    return Drawing(
        figure,
        seen=f"Mean error over {len(of_both_joints())} poses: {1e3 * errors['energy'].without:.1f} mm without "
        f"examples, {1e3 * errors['paper'].error:.1f} mm with the paper's mean, {1e3 * errors['energy'].error:.1f} mm "
        f"if wrinkles keep their energy. Curvature relative to the simulation: {errors['paper'].curvature:.2f} with "
        f"the mean, {errors['energy'].curvature:.2f} with constant energy.",
        parameters="Joints were sampled one at a time; the poses were reached straight from rest.",
    )


def draw_curvature() -> Drawing:
    """Draw the sum of curvatures over the poses of both joints (figure 9)."""
    found = curvatures()
    figure = canvas(8.0, 3.0)
    axes = panels(figure, 1, 1)[0, 0]
    for label, values, color, style in (
        ("simulated", found.truth, PATH, "-"),
        ("from examples", found.ours, STRONG, "-"),
        ("the paper's mean and transfer", found.transferred, STRONG, ":"),
        ("coarse", found.bare, PLAIN, "-"),
    ):
        axes.plot(values, style, color=color, label=label)
    axes.set_xlabel("pose", fontsize=8)
    axes.set_ylabel("sum of |mean of neighbours - vertex|, m", fontsize=8)
    axes.set_ylim(0, 1.15 * found.truth.max())
    axes.legend(fontsize=7, frameon=False)
    shares = [float((v / found.truth).mean()) for v in (found.ours, found.transferred, found.bare)]
    return Drawing(
        figure,
        seen=f"Mean sum of curvatures relative to the simulation: {share(shares[0])} with our transfer, "
        f"{share(shares[1])} with the paper's transfer, {share(shares[2])} for the coarse sleeve.",
        parameters=f"{len(found.truth)} poses on four ways from rest.",
    )


def copies(of: PoseDatabase, count: int) -> PoseDatabase:
    """Return a database of several copies of a garment on the same coarse cloth, for timings of large databases."""
    binding, size = of.binding, of.binding.vertex_count
    shift = size * np.arange(count, dtype=np.int32)
    joints = [
        replace(
            joint,
            vertices=(shift[:, None] + joint.vertices).ravel(),
            weights=np.tile(joint.weights, count),
            details=np.tile(joint.details, (1, count, 1)),
        )
        for joint in of.joints
    ]
    bound = Binding(
        binding.topology, binding.rest, np.tile(binding.coarse_faces, count), np.tile(binding.barycentric, (count, 1))
    )
    faces = (shift[:, None, None] + of.faces).reshape(-1, 3)
    return replace(
        of, binding=bound, faces=faces, rest_details=np.tile(of.rest_details, (count, 1)), joints=tuple(joints)
    )


def step_milliseconds(which: PoseDatabase) -> float:
    """Return the ms of a step, from joint angles to normals: minimum over repeats, then mean over the poses."""
    layer, bones = PoseSynthesizer(which), held_out().bones[of_both_joints()]
    coarse = [coarse_at(pose) for pose in bones]
    least = np.full(len(bones), np.inf)
    for _ in range(REPEATS):
        for number, (positions, pose) in enumerate(zip(coarse, bones, strict=True)):
            least[number] = min(least[number], layer.step(positions, bones=pose).timings["total"])
    return float(least.mean())


def draw_table() -> Drawing:
    """Draw times for garments with the vertex counts of the paper's characters (table 1)."""
    rows, ratios = [], []
    for name, (count, seconds) in CHARACTERS.items():
        many = copies(database(), -(-count // database().binding.vertex_count))
        ours = step_milliseconds(many)
        ratios.append(1e3 * seconds / ours)
        rows.append([name, f"{many.binding.vertex_count:,}", f"{1e3 * seconds:.0f} ms", f"{ours:.2f} ms"])
    figure = canvas(7.5, 1.4)
    axes = panels(figure, 1, 1)[0, 0]
    axes.set_axis_off()
    table = axes.table(
        rows, colLabels=["", "vertices", "paper, synthesis and transfer", "ours, normals too"], loc="center",
        edges="horizontal",
    )  # fmt: skip
    table.auto_set_column_width([0, 1, 2, 3])
    table.set_fontsize(9)
    return Drawing(
        figure,
        seen=f"A step is {min(ratios):.0f} to {max(ratios):.0f} times as fast as the paper's was on a graphics card "
        "and three threads of 2010.",
        parameters="Copies of the sleeve, two joints that turn in every frame; one core.",
    )


def _show(axes: Axes, positions: ArrayLike, window: Window) -> None:
    faces = database().faces
    show_cloth(axes, positions, faces, colors=light(positions, faces), projection=VIEW, window=window)
