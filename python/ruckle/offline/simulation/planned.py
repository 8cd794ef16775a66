"""Descriptions of pairs to simulate by file paths, so that other processes or machines can simulate the pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ruckle.offline.simulation.fit import Fit
from ruckle.offline.simulation.garment_mesh import load_garment_mesh, own_scene
from ruckle.offline.simulation.pair import simulate_pair
from ruckle.offline.simulation.scenes import SCENES, STANDING, Scene, scene_named, with_room_behind_knees, without_arms
from ruckle.simulation.body import load_body, load_motion

__all__ = ["PlannedPair", "make_pair"]


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """One pair of coarse and fine cloth to simulate, with its output folder.

    Attributes
    ----------
    folder : path
    scene : str
        A name in `SCENES`, or the path of a garment's file.
    motion, body : path, optional
    variant : str
    contact : {"cones", "mesh"}
        Shape of the body for a named scene. For a garment's file, the body is always a mesh.
    pins : tuple of str
    fit : bool
    limbs : tuple of str
        See `own_scene` for `pins`, `fit` and `limbs`.
    material : str
    tests, threads : int
    self_distance : float, metres
    substeps, frames : int, optional
        See `simulate_pair` for `material` and all following parameters. If the scene is shorter than `frames`, all its
        frames are kept.
    """

    folder: Path
    scene: str
    motion: Path | None = None
    body: Path | None = None
    variant: str = "plain"
    contact: str = "cones"
    pins: tuple[str, ...] = ()
    fit: bool = False
    limbs: tuple[str, ...] = ()
    material: str = "cotton"
    tests: int = 60
    substeps: int | None = None
    threads: int = 1
    frames: int | None = None
    self_distance: float = 0.0

    @property
    def report(self) -> Path:
        """Path of the report file, which exists only if the pair is complete."""
        return self.folder / "report.json"

    def open(self) -> Scene:
        """Read the files and return the scene. Errors are those of `load_motion`, `own_scene` and `scene_named`."""
        motion = None if self.motion is None else load_motion(self.motion).variant(self.variant)
        body = None if self.body is None else load_body(self.body)
        if self.scene not in SCENES and Path(self.scene).is_file():
            garment = load_garment_mesh(self.scene)
            return own_scene(garment, motion, body, pins=self.pins, fit=self.fit, limbs=self.limbs)
        scene = scene_named(self.scene, motion, body)
        if self.scene in STANDING or self.contact == "cones" or body is None or scene.body is not None:
            return scene
        if self.scene == "sleeve":
            raise ValueError("contact: the mesh of the body has no arms, on which a sleeve is worn; use contact cones")
        legs = without_arms(body, scene.motion)
        return replace(scene, motion=with_room_behind_knees(scene.motion, legs)).against_mesh(legs)

    def frames_of(self, scene: Scene) -> int:
        """Return the number of frames to keep of a scene."""
        every = scene.frame_count - scene.warm
        return every if self.frames is None else min(self.frames, every)


def make_pair(
    planned: PlannedPair,
    scene: Scene | None = None,
    progress: Callable[[int], None] | None = None,
    check: Callable[[Fit], None] | None = None,
) -> Path:
    """Simulate a pair, write it to its folder (see `TrainingPair.save`), and return the folder.

    Parameters
    ----------
    planned : PlannedPair
    scene : Scene, optional
        Result of `planned.open`, if already computed.
    progress : function of the number of frames done, optional
    check : function of a Fit, optional
        See `simulate_pair`.
    """
    made = planned.open() if scene is None else scene
    pair = simulate_pair(
        made, material=planned.material, tests=planned.tests, substeps=planned.substeps, frames=planned.frames_of(made),
        threads=planned.threads, self_distance=planned.self_distance, progress=progress, check=check,
    )  # fmt: skip
    motion = "" if planned.motion is None or planned.scene in STANDING else planned.motion.stem
    pair = pair.named_after(motion, planned.variant)
    pair.save(planned.folder)
    return planned.folder
