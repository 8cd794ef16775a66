"""`ruckle bench poses`: steps of a PoseSynthesizer while all joints turn, relative to NumPy and to a plain memory copy.

A sheet of cloth covers six joints in a row: four ball joints and two hinge joints. The joints divide the sheet into
seven regions, and each joint changes the two regions next to it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.experiments.bench.report import Report, csv_option, json_option, least_stages, publish
from ruckle.pose_space.binding import Binding
from ruckle.pose_space.database import PoseDatabase, PoseJoint, vertex_weights
from ruckle.pose_space.joint import ball_axes
from ruckle.simulation.sheet import grid_sheet

__all__ = ["bench_poses"]

FRAMES = 24

# Number of fine vertices along both sides; goals in µs of the stage `details` with filled caches and with empty caches,
# and of the whole step. NaN: without a goal.
SHEETS = {(100, 100): (60.0, 100.0, 300.0), (215, 214): (np.nan, np.nan, 1500.0)}

BALLS, HINGES = 4, 2
JOINTS = BALLS + HINGES

# Number of sampled angles on each axis of a ball joint (three axes), and of a hinge joint (one axis).
BALL_GRID, HINGE_GRID = 4, 12

# Number of bytes that are written to replace all other data in the caches.
CACHES = 2**27

# Number of coarse vertices along each side of the sheet.
COARSE = 20


class Cloth:
    """A sheet with a database of random details, and frames in which all joints turn."""

    def __init__(self, columns: int, rows: int) -> None:
        random = np.random.default_rng(0)

        def flat(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.stack([u, v, 0 * u], axis=1)

        self.coarse, coarse_faces = grid_sheet(COARSE, COARSE, flat)
        fine, faces = grid_sheet(columns, rows, flat)
        joints = np.stack([np.linspace(-1 / 7, 6 / 7, JOINTS + 1), np.zeros(JOINTS + 1), np.zeros(JOINTS + 1)], axis=1)
        skeleton = ruckle.Skeleton([f"bone {k}" for k in range(JOINTS + 1)], list(range(-1, JOINTS)), joints)
        topology = ruckle.Topology(coarse_faces, len(self.coarse))
        binding = Binding(topology, self.coarse, *on_grid(fine, coarse_faces))
        details_at_rest = (0.002 * random.normal(size=fine.shape)).astype(np.float32)
        made = []
        for number in range(JOINTS):
            ball = number < BALLS
            count = BALL_GRID if ball else HINGE_GRID
            angles = tuple(np.linspace(-0.8, 0.8, count) for _ in range(3 if ball else 1))
            # vertices in the two regions next to the joint
            vertices = np.flatnonzero(np.abs(fine[:, 0] - (number + 1) / 7) <= 1 / 7).astype(np.int32)
            weights = 1 - 3.5 * np.abs(fine[vertices, 0] - (number + 1) / 7)
            details = random.integers(-32767, 32768, (count ** len(angles), len(vertices), 3), np.int16)
            made.append(
                PoseJoint(
                    f"bone {number + 1}", number, number + 1, "ball" if ball else "hinge", ball_axes([1, 0, 0]), angles,
                    vertices, weights, details, 1e-6,
                )
            )  # fmt: skip
        self.database = PoseDatabase(skeleton, binding, faces, details_at_rest, tuple(made))
        self.poses = [self._pose(2 * np.pi * k / FRAMES) for k in range(FRAMES)]
        self.frames = [
            (self.coarse + [0, 0, 0.1] * np.sin(3 * self.coarse[:, :1] + k)).astype(np.float32) for k in range(FRAMES)
        ]

    def _pose(self, phase: float) -> NDArray[np.float32]:
        """Return the bone transforms of a pose in which the angles of every ball joint are inside a grid cell."""
        turns = [np.eye(3)]
        for number, joint in enumerate(self.database.joints):
            angles = 0.55 * np.sin(phase * (1 + number % 3) + np.arange(len(joint.angles)) + 0.3 * number)
            turns.append(ruckle.joint_rotation(angles, joint.axes))
        bones: NDArray[np.float32] = self.database.skeleton.pose(np.array(turns)).astype(np.float32)
        return bones

    def step_seconds(self, repeats: int, *, cold: bool) -> dict[str, NDArray[np.float64]]:
        """Return the shortest seconds of each stage in each frame.

        If `cold`, all caches are emptied before each step.
        """
        layer, other = ruckle.PoseSynthesizer(self.database), np.zeros(CACHES // 8 if cold else 1)

        def step(index: int) -> Mapping[str, object]:
            np.add(other, 1.0, out=other)
            return layer.step(self.frames[index], bones=self.poses[index]).timings

        return least_stages(repeats, FRAMES, step)

    def bytes_read(self) -> int:
        """Return the number of bytes of samples that a frame reads if all angles are between samples."""
        return sum(2 ** len(joint.angles) * joint.details[0].nbytes for joint in self.database.joints)

    def read_seconds(self, repeats: int) -> float:
        """Return the shortest seconds in which NumPy copies `bytes_read` bytes from memory."""
        source = [np.full(self.bytes_read(), k, np.uint8) for k in range(max(2, CACHES // self.bytes_read()))]
        target, least = np.empty(self.bytes_read(), np.uint8), np.inf
        for _ in range(max(1, repeats // 4)):
            for block in source:
                start = time.perf_counter()
                np.copyto(target, block)
                least = min(least, time.perf_counter() - start)
        return least

    def numpy_step(self, index: int) -> tuple[float, NDArray[Any]]:
        """Return seconds and fine positions of a step in NumPy: from joint angles to positions, without normals."""
        which = self.database
        # weights are equal in all frames, so the measured time does not contain them
        weights = vertex_weights(which.joints, which.binding.vertex_count)
        shares = (weights / np.linalg.norm(weights, axis=1, keepdims=True).clip(1e-12)).astype(np.float32)
        start = time.perf_counter()
        turned = which.skeleton.joint_rotations(self.poses[index])
        details = which.rest_details.copy()
        for number, joint in enumerate(which.joints):
            angles = ruckle.joint_angles(turned[joint.child_bone], joint.axes, joint.kind)
            cell = ruckle.cell(joint.angles, angles)
            moved = np.einsum("k,knc->nc", cell.weights * np.float32(joint.step), joint.details[cell.samples])
            details[joint.vertices] += shares[joint.vertices, number, None] * moved
        positions = ruckle.apply(self.frames[index], which.binding, details)
        return time.perf_counter() - start, positions

    def peer_seconds(self) -> float:
        """Return the shortest seconds of a step in NumPy, after a check that both results agree."""
        layer, seconds = ruckle.PoseSynthesizer(self.database), []
        for index in range(4):
            elapsed, expected = self.numpy_step(index)
            found = layer.step(self.frames[index], bones=self.poses[index]).shape.positions
            error = float(np.abs(found - expected).max())
            if error > 1e-5:
                raise click.ClickException(f"wrong result: positions differ from NumPy's by {error:g}")
            seconds.append(elapsed)
        return min(seconds)

    def load_seconds(self, repeats: int) -> tuple[float, float]:
        """Return the shortest seconds of reading the database from a file, and the size of the file in MB."""
        with tempfile.TemporaryDirectory() as folder:
            file, least = Path(folder) / "cloth.poses.npz", np.inf
            self.database.save(file)
            for _ in range(repeats):
                start = time.perf_counter()
                ruckle.load_poses(file)
                least = min(least, time.perf_counter() - start)
            return least, file.stat().st_size / 1e6


def on_grid(fine: NDArray[np.float32], faces: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the sheet's face that contains each point of the unit square, and the barycentric coordinates."""
    cells = COARSE - 1
    place = np.minimum((fine[:, :2] * cells).astype(np.int64), cells - 1)
    cell = place[:, 1] * cells + place[:, 0]
    corners = np.stack([cell, cell + cells * cells], axis=1)
    points = fine[:, :2].astype(np.float64) * cells
    chosen, weights = np.zeros(len(fine), np.int32), np.zeros((len(fine), 3))
    for face in corners.T:
        x, y = faces[face].T % COARSE, faces[face].T // COARSE
        area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
        b = ((points[:, 0] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (points[:, 1] - y[0])) / area
        c = ((x[1] - x[0]) * (points[:, 1] - y[0]) - (points[:, 0] - x[0]) * (y[1] - y[0])) / area
        inside = (b > -1e-6) & (c > -1e-6) & (b + c < 1 + 1e-6)
        chosen[inside], weights[inside] = face[inside], np.stack([1 - b - c, b, c], axis=1)[inside]
    return chosen, np.clip(weights, 0, 1)


@click.command("poses")
@click.option(
    "--repeats",
    default=100,
    show_default=True,
    help="Number of runs of the frames; the least time of each frame is used.",
)
@csv_option
@json_option
def bench_poses(repeats: int, csv_path: Path | None, as_json: bool) -> None:
    """Measure wrinkles from examples: 10,000 and 46,010 vertices over six joints that all turn."""
    report = Report(f"sheets over {JOINTS} joints")
    for (columns, rows), (warm_goal, cold_goal, step_goal) in SHEETS.items():
        cloth, name = Cloth(columns, rows), f"{columns * rows:,} vertices"
        least = cloth.step_seconds(repeats, cold=False)
        total = report.add(f"{name}: step", least.pop("total"), f"goal {step_goal:g} µs")
        for stage, seconds in least.items():
            report.add(f"{name}: {stage}", seconds, _goal(warm_goal) if stage == "details" else "")
        cold = cloth.step_seconds(max(3, repeats // 20), cold=True)["details"]
        details = report.add(f"{name}: details, cold", cold, _goal(cold_goal))
        read = report.add(f"{name}: copy of {cloth.bytes_read() / 1e6:.2f} MB", cloth.read_seconds(repeats))
        report.rows[-1].note = f"details, cold: {details / read:.2f} times as long"
        numpy = report.add(f"{name}: the same in NumPy, no normals", cloth.peer_seconds())
        report.rows[-1].note = f"{numpy / total:.0f} times ours"
        loading, size = cloth.load_seconds(max(3, repeats // 10))
        report.add(f"{name}: load {size:.1f} MB", loading, "goal 5 ms per MB")
    publish(report, as_json=as_json, csv_path=csv_path)


def _goal(microseconds: float) -> str:
    return "" if np.isnan(microseconds) else f"goal {microseconds:g} µs"
