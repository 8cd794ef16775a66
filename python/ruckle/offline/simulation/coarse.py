"""Simulation of the coarse cloth of a scene alone, with the resolution of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import whole_number
from ruckle.arrays import Float32
from ruckle.errors import MeshError
from ruckle.offline.simulation.scenes import Scene
from ruckle.offline.simulation.tracking import Tracker
from ruckle.simulation.cloth import ClothFrame, ClothSimulation
from ruckle.simulation.material import COARSE_COMPRESSION, Material, coarse_material
from ruckle.simulation.sheet import Sheet

__all__ = ["CoarseRun", "frames_kept", "scene_steps", "simulate_coarse"]


@dataclass(frozen=True, slots=True, eq=False)
class CoarseRun:
    """Coarse cloth in all frames of a scene.

    Attributes
    ----------
    positions : (F, M, 3) float32, metres
        Positions without the warm-up frames.
    targets : list of (substeps, R, 3) float64, m²
        Moments that fine cloth must match in every frame, including warm-up frames; empty without a tracker.
    milliseconds : float
        Mean time per frame.
    """

    positions: Float32
    targets: list[NDArray[np.float64]]
    milliseconds: float


def frames_kept(scene: Scene, frames: int | None) -> int:
    """Return the number of frames to keep: `frames`, or all frames after the warm-up if `frames` is None."""
    every = scene.frame_count - scene.warm
    return every if frames is None else whole_number("frames", frames, 1, every)


def simulate_coarse(
    scene: Scene,
    *,
    material: str | Material = "cotton",
    substeps: int | None = None,
    frames: int | None = None,
    threads: int = 1,
    self_distance: float = 0.0,
    tracker: Tracker | None = None,
) -> CoarseRun:
    """Simulate a scene's coarse cloth.

    Parameters
    ----------
    scene : Scene
    material : str or Material
    substeps, frames, threads : int, optional
    self_distance : float, metres
        See `simulate_pair` for all parameters above.
    tracker : Tracker, optional
        Computes the moments for fine cloth from the positions after every substep.

    Raises
    ------
    ValueError
        The scene does not have `frames` frames after the warm-up.
    MeshError
        The cloth becomes unstable; the message names the frame.
    """
    sheet, kept = scene.coarse, frames_kept(scene, frames)
    cloth = ClothSimulation(
        sheet.rest, sheet.faces, sheet.attachment, material=coarse_material(material, scene.coarse_stretch),
        substeps=scene.substeps() if substeps is None else substeps, threads=threads, compression=COARSE_COMPRESSION,
        strain_sweeps=1, margin=scene.coarse_margin, contact_spacing=scene.coarse_spacing, self_distance=self_distance,
        record_substeps=tracker is not None,
    )  # fmt: skip
    positions, targets, milliseconds = [], [], 0.0
    for frame, result in enumerate(scene_steps(scene, cloth, sheet, scene.warm + kept, name="coarse")):
        if tracker is not None:
            targets.append(tracker.targets(cloth.substep_positions))
        if frame >= scene.warm:
            positions.append(result.positions)
            milliseconds += result.timings["total"]
    return CoarseRun(np.array(positions), targets, milliseconds / kept)


def scene_steps(
    scene: Scene,
    cloth: ClothSimulation,
    sheet: Sheet,
    count: int,
    *,
    name: str,
    start: ArrayLike | None = None,
    targets: Sequence[NDArray[np.float64]] = (),
) -> Iterator[ClothFrame]:
    """Simulate cloth through the first frames of a scene, with the scene's pins, body and wind.

    Parameters
    ----------
    scene : Scene
    cloth : ClothSimulation
        It gets the scene's body, and is placed at `start`.
    sheet : Sheet
        The coarse or fine sheet of the scene, from which `cloth` was made.
    count : int
        Number of frames, including warm-up frames.
    name : str
        "coarse" or "fine", for error messages.
    start : (V, 3) float, metres, optional
        Positions before the first frame; default: positions to which the pins attach all vertices.
    targets : sequence of (substeps, R, 3) float64, m²
        Moments of each frame that tracked cloth must match; empty for untracked cloth.

    Raises
    ------
    MeshError
        The cloth becomes unstable; the message names the frame.
    """
    if scene.body is not None:
        cloth.collide_with(scene.body.faces, len(scene.body.positions))
    cloth.place(sheet.pins(scene.motion.bones[0]) if start is None else start)
    for frame in range(count):
        try:
            result = cloth.step(
                1 / scene.motion.fps, pins=sheet.pins(scene.motion.bones[frame]), cones=scene.cones_at(frame),
                body=scene.body_at(frame), wind=scene.wind_at(cloth.positions, frame),
                targets=targets[frame] if targets else None,
            )  # fmt: skip
        except MeshError as error:
            raise MeshError(f"scene {scene.name}, {name} cloth: {error}") from error
        yield result
