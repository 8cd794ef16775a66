"""`ruckle bench surface`: times of the wrinkled surface, as ratios against a NumPy float64 peer in the same run.

The update computes normals, drawn curves, lists of the wrinkles near each triangle, and edge levels. Displacement
then computes the fine mesh. The garment is subdivided until it has at least 5,000 vertices. The fine edge length is
chosen so that the fine mesh has about 80,000 vertices in the frame with the most path vertices. A frame's time is the
minimum over the repeats.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.arguments import instance
from ruckle.experiments.bench.peers import load_peer, peers_option
from ruckle.experiments.bench.report import Report, csv_option, json_option, least_over_repeats, open_scene, publish
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame
from ruckle.paths.wrinkler import run
from ruckle.surface.surface import Base, Surface

__all__ = ["bench_surface"]

COARSE_VERTICES, FINE_VERTICES = 5_000, 80_000

# Number of measured frames: those with the most path vertices.
FRAMES = 8


def divide(animation: Animation) -> Animation:
    """Return the same motion on a mesh in which each triangle is divided into four."""
    faces = ruckle.weld(animation.positions[0], animation.faces)
    topology = ruckle.Topology(faces, animation.vertex_count)
    middles = animation.positions[:, topology.edges].mean(axis=2)
    sides = topology.face_edges + animation.vertex_count
    corners = [np.stack([faces[:, k], sides[:, k], sides[:, k - 1]], axis=1) for k in range(3)]
    positions = np.concatenate([animation.positions, middles], axis=1)
    return Animation(
        positions, np.concatenate([*corners, sides]), fps=animation.fps, name=animation.name, height=animation.height
    )


class Scene:
    """A subdivided garment, its frames with most path vertices, and the edge length of a mesh of 80,000 vertices."""

    def __init__(self, animation: Animation) -> None:
        while animation.vertex_count < COARSE_VERTICES:
            animation = divide(animation)
        self.animation = animation
        self.frames = sorted(run(animation, tau=1.25), key=lambda frame: -len(frame.columns.edges))[:FRAMES]
        self.edge_length = self._edge_length()

    def _edge_length(self) -> float:
        low, high = 1e-4 * self.animation.height, 1e-1 * self.animation.height
        for _ in range(12):
            middle = float(np.sqrt(low * high))
            surface = self.surface("flat", middle)
            surface.update(self.frames[0])
            low, high = (middle, high) if surface.displace().vertex_count > FINE_VERTICES else (low, middle)
        return high

    def surface(self, base: Base, edge_length: float | None = None, threads: int = 1) -> Surface:
        """Return a surface over the garment's mesh; the default edge length is `self.edge_length`."""
        return Surface(self.frames[0].topology, base=base, edge_length=edge_length or self.edge_length, threads=threads)

    def seconds(self, surface: Surface, work: Callable[[Surface], object], repeats: int) -> NDArray[np.float64]:
        """Return the shortest seconds of `work` on the surface of each frame."""

        def measure(index: int) -> float:
            surface.update(self.frames[index])
            start = time.perf_counter()
            work(surface)
            return time.perf_counter() - start

        return least_over_repeats(repeats, len(self.frames), measure, lambda: None)

    def update_seconds(self, surface: Surface, repeats: int) -> NDArray[np.float64]:
        """Return the shortest seconds of `Surface.update` in each frame: normals, curves, lists and edge levels."""

        def measure(index: int) -> float:
            start = time.perf_counter()
            surface.update(self.frames[index])
            return time.perf_counter() - start

        return least_over_repeats(repeats, len(self.frames), measure, lambda: None)


def check(scene: Scene, oracle: ModuleType | None, base: Base) -> None:
    """Raise an error if two threads compute another mesh than one thread, or if NumPy float64 does not agree."""
    alone, shared = scene.surface(base), scene.surface(base, threads=2)
    for frame in scene.frames:
        for surface in (alone, shared):
            surface.update(frame)
        fine, other = alone.displace(), shared.displace()
        if not (np.array_equal(fine.positions, other.positions) and np.array_equal(fine.faces, other.faces)):
            raise click.ClickException("wrong result: two threads disagree with one")
        if oracle is not None:
            expected = peer(oracle, alone)[0]
            used = fine.coarse_faces >= 0
            error = np.abs(fine.positions[used] - expected).max() / (0.005 * scene.animation.height)
            if error > 1e-3:
                raise click.ClickException(
                    f"wrong result: the surface differs from double precision by {error:g} R_min"
                )


def peer(oracle: ModuleType, surface: Surface) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return positions, normals and heights of the fine vertices in NumPy float64, from the lists of the core."""
    fine, frame = surface.displace(), instance("frame", surface.frame, Frame)
    paths = frame.path_heights
    used = fine.coarse_faces >= 0
    where = fine.coarse_faces[used], fine.barycentric[used]
    pairs = oracle.listed_pairs(where[0], paths.face_offsets, paths.face_points, paths.face_openings)
    curved = surface.base == "curved"
    found: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] = oracle.surface_points(
        frame.positions,
        frame.rest,
        surface.topology.faces,
        paths.curve_points,
        where,
        pairs,
        curved=curved,
        smoothing=paths.smoothing,
    )
    return found


@click.command("surface")
@click.argument("scene", default="sawing")
@click.option(
    "--repeats",
    default=20,
    show_default=True,
    help="Number of runs of the frames; the least time of each frame is used.",
)
@click.option("--base", type=click.Choice(["flat", "curved"]), default="flat", show_default=True)
@peers_option
@csv_option
@json_option
def bench_surface(scene: str, repeats: int, base: Base, peers: Path, csv_path: Path | None, as_json: bool) -> None:
    """Measure the wrinkled surface of SCENE (a sample's name or a file), subdivided to 5,000 vertices."""
    garment = Scene(open_scene(scene))
    oracle = load_peer(peers, "float64_surface")
    check(garment, oracle, base)
    surface = garment.surface(base)
    frame = garment.frames[0]
    surface.update(frame)
    fine = surface.displace()
    report = Report(
        f"{garment.animation.name}, {garment.animation.vertex_count:,} vertices to {fine.vertex_count:,}, "
        f"{len(frame.columns.rows)} wrinkles of {len(frame.path_heights.curve_points):,} samples"
    )
    times: dict[tuple[str, int], float] = {}
    for threads in (1, 2):
        surface = garment.surface(base, threads=threads)
        name = f"{threads} thread{'s' * (threads > 1)}"
        times["lists", threads] = report.add(
            f"normals, curves, lists, levels, {name}", garment.update_seconds(surface, repeats)
        )
        times["fine", threads] = report.add(
            f"displace, {name}", garment.seconds(surface, lambda s: s.displace(), repeats), "goal 10 ms"
        )
    for part, row in (("lists", 2), ("fine", 3)):
        note = f"{times[part, 1] / times[part, 2]:.2f} times as fast"
        report.rows[row].note = ", ".join(filter(None, [report.rows[row].note, note]))
    arrays = ("edge_levels", "levels", "vertex_normals", "corner_normals")
    report.add(
        "arrays of the surface", garment.seconds(surface, lambda s: [getattr(s, name) for name in arrays], repeats)
    )
    if oracle is not None:
        seconds = garment.seconds(garment.surface(base), lambda s: peer(oracle, s), 1)
        plain = report.add("NumPy float64, from our lists", seconds)
        report.rows[-1].note = f"{plain / times['fine', 1]:.0f} times ours on one thread"
    publish(report, as_json=as_json, csv_path=csv_path)
