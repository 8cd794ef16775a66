"""The same cloth simulated twice: coarse and free, and fine so that it follows the coarse one."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import mistyped, number, whole_number
from ruckle.arrays import Float32
from ruckle.errors import FormatError
from ruckle.io import load, save
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.offline.simulation.coarse import frames_kept, scene_steps, simulate_coarse
from ruckle.offline.simulation.fit import Fit, measured_fit
from ruckle.offline.simulation.scenes import Scene
from ruckle.offline.simulation.tracking import Tracker
from ruckle.simulation.body import shaped
from ruckle.simulation.cloth import ClothFrame, ClothSimulation
from ruckle.simulation.material import Material, material_named

__all__ = ["PairReport", "TrainingPair", "edge_strains", "load_pair", "pair_folders", "simulate_pair"]


@dataclass(frozen=True, slots=True)
class PairReport:
    """Measurements of a pair's simulation.

    Attributes
    ----------
    scene, material : str
    motion, variant : str
        The wearer's motion, and its change: one of `ruckle.simulation.VARIANTS`. Empty without a wearer.
    substeps, tests : int
    tracking_residual, contact_residual : float, metres
        Largest of all frames, before and after contact with bodies.
    edge_strain : tuple of 4 float
        Length over rest length of the fine edges: first and 99th percentile, least and largest.
    coarse_ms, fine_ms : float
        Mean time per frame.
    tightness : float
        Length over rest length of the coarse edges, 99th percentile. Over 1.05 the garment is too small for its
        wearer's motion: contact and strain cannot both be met.
    tight_place : str
        A sentence with the tight place and the stretch, or the place without room; empty if the garment fits. See
        `Fit`.
    self_distance : float, metres
        Distance to keep between layers.
    crossings : int
        Edges and faces of the fine cloth that still pass through each other, in the worst frame; 0 if layers were not
        kept apart.
    """

    scene: str
    material: str
    motion: str
    variant: str
    substeps: int
    tests: int
    tracking_residual: float
    contact_residual: float
    edge_strain: tuple[float, float, float, float]
    coarse_ms: float
    fine_ms: float
    tightness: float = 1.0
    tight_place: str = ""
    self_distance: float = 0.0
    crossings: int = 0

    def check(self) -> None:
        """Raise TypeError or ValueError if a field's value does not have the field's type."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "edge_strain":
                if len(value) != 4:
                    raise ValueError(f"edge_strain: expected four numbers, got {len(value)}")
                for strain in value:
                    number(entry.name, strain)
            elif entry.type == "float":
                number(entry.name, value)
            elif entry.type == "int":
                whole_number(entry.name, value)
            elif not isinstance(value, str):
                raise mistyped(entry.name, "a text", value)

    @property
    def fits(self) -> bool:
        """True if the garment is wide enough for its wearer's motion, and has room."""
        return not self.tight_place


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPair:
    """Coarse and fine cloth of the same motion, frame by frame, and their report.

    Attributes
    ----------
    name : str
    coarse, fine : Animation
    coarse_rest, fine_rest : (M, 3) and (N, 3) float32, metres
        Both meshes at rest.
    attachment : (N,) float32, in [0, 1]
        Attachment of each fine vertex to its pin.
    report : PairReport
    """

    name: str
    coarse: Animation
    fine: Animation
    coarse_rest: Float32
    fine_rest: Float32
    attachment: Float32
    report: PairReport

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write coarse.npz, fine.npz, the fine cloth as a point cache fine.pc2, rest.npz and report.json into a folder.

        The report comes last: a folder that has one is complete.
        """
        output = as_path("folder", folder)
        output.mkdir(parents=True, exist_ok=True)
        save(self.coarse, output / "coarse.npz")
        save(self.fine, output / "fine.npz")
        save(self.fine, output / "fine.pc2")
        with replacing(output / "rest.npz") as file:
            np.savez(file, coarse=self.coarse_rest, fine=self.fine_rest, attachment=self.attachment)
        with replacing(output / "report.json") as file:
            file.write((json.dumps(asdict(self.report), indent=2) + "\n").encode())

    def named_after(self, motion: str, variant: str = "") -> TrainingPair:
        """Return the pair with the motion of its wearer and its variant in the report."""
        return replace(self, report=replace(self.report, motion=motion, variant=variant))


def load_pair(folder: str | os.PathLike[str]) -> TrainingPair:
    """Read a pair from a folder written by `TrainingPair.save`; its name is the folder's.

    Raises
    ------
    FormatError
        A file is missing or damaged.
    """
    source = as_path("folder", folder)
    coarse, fine = load(source / "coarse.npz"), load(source / "fine.npz")
    archive = Archive(source / "rest.npz", Budget())
    coarse_rest, fine_rest = (
        shaped(archive, name, "f", (animation.vertex_count, 3)).astype(np.float32)
        for name, animation in (("coarse", coarse), ("fine", fine))
    )
    attachment = shaped(archive, "attachment", "f", (fine.vertex_count,)).astype(np.float32)
    path = source / "report.json"
    try:
        content = json.loads(Budget().read(path))
        report = PairReport(**{**content, "edge_strain": tuple(content["edge_strain"])})
        report.check()
    except FormatError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError(f"{path}: is no report of a simulated pair ({error})") from error
    return TrainingPair(source.resolve().name, coarse, fine, coarse_rest, fine_rest, attachment, report)


def pair_folders(folders: Iterable[Path]) -> list[Path]:
    """Return the complete pairs among some folders and their subfolders, by name."""
    found: list[Path] = []
    for folder in folders:
        inside = sorted(report.parent for report in folder.glob("*/report.json"))
        found += [folder] if (folder / "report.json").exists() else inside
    return found


def simulate_pair(
    scene: Scene,
    *,
    material: str | Material = "cotton",
    tests: int = 60,
    substeps: int | None = None,
    frames: int | None = None,
    threads: int = 1,
    self_distance: float = 0.0,
    start_noise: float = 0.0,
    progress: Callable[[int], None] | None = None,
    check: Callable[[Fit], None] | None = None,
) -> TrainingPair:
    """Simulate a scene's coarse cloth, and its fine cloth with the coarse one's lowest harmonics.

    The coarse cloth comes first, and shows whether the garment fits. Its moments are stored after every substep, so
    that the fine cloth follows it exactly in each of its own (Kavan et al. 2011, section 4).

    Parameters
    ----------
    scene : Scene
    material : str or Material
    tests : int
        Number of shared harmonics; with 0 the fine cloth is free.
    substeps : int, optional
        Per frame, of both; `Scene.substeps` for the body's speed by default.
    frames : int, optional
        Frames to keep; all of the scene's by default.
    threads : int
    self_distance : float, metres
        Distance between layers of the cloth, coarse and fine; see `ClothSimulation`. With 0 they pass through each
        other.
    start_noise : float, metres
        Mean distance of fine vertices from rest at the start, random but reproducible. No map can learn the differences
        between two runs from different starts.
    progress : function of the number of frames done, optional
        Of the fine cloth.
    check : function of a Fit, optional
        Called after the coarse cloth and before the fine one; it may raise an error to stop there. Without it, a
        warning reports a garment that is too small.

    Returns
    -------
    TrainingPair

    Raises
    ------
    MeshError
        The cloth explodes; names the frame.
    """
    options: dict[str, Any] = {
        "material": material_named(material),
        "substeps": scene.substeps() if substeps is None else substeps,
        "threads": threads,
        "self_distance": self_distance,
    }
    kept, tracker = frames_kept(scene, frames), None
    if tests:
        sheets = scene.coarse, scene.fine
        tracker = Tracker(*(array for sheet in sheets for array in (sheet.rest, sheet.faces)), count=tests)
    coarse = simulate_coarse(scene, frames=frames, tracker=tracker, **options)
    fit = measured_fit(scene, coarse.positions)
    (check or _warn_of)(fit)
    cloth = ClothSimulation(
        scene.fine.rest, scene.fine.faces, scene.fine.attachment, margin=scene.fine_margin, **options
    )
    if tracker is not None:
        cloth.track(tracker.tests)
    fine = _simulate_fine(scene, cloth, kept, coarse.targets, start_noise, progress)
    report = PairReport(
        scene.name, material if isinstance(material, str) else "own", "", "", options["substeps"], tests,
        fine.tracking_residual, fine.contact_residual, edge_strains(scene.fine.rest, scene.fine.faces, fine.positions),
        coarse.milliseconds, fine.milliseconds, fit.tightness, fit.sentence, self_distance, fine.crossings,
    )  # fmt: skip
    motion = scene.motion
    return TrainingPair(
        scene.name,
        # pose-space layers read the bones of the coarse animation
        Animation(
            coarse.positions, scene.coarse.faces, fps=motion.fps, name=f"{scene.name}_coarse", height=None,
            skeleton=motion.skeleton, bones=motion.bones[scene.warm : scene.warm + kept].astype(np.float32),
        ),
        Animation(fine.positions, scene.fine.faces, fps=motion.fps, name=f"{scene.name}_fine", height=None),
        scene.coarse.rest, scene.fine.rest, scene.fine.attachment, report,
    )  # fmt: skip


class _FineRun(NamedTuple):
    """Fine cloth in the kept frames, and the largest residuals (metres) and most crossings among them."""

    positions: Float32
    milliseconds: float
    tracking_residual: float
    contact_residual: float
    crossings: int


def _simulate_fine(
    scene: Scene,
    cloth: ClothSimulation,
    kept: int,
    targets: Sequence[NDArray[np.float64]],
    start_noise: float,
    progress: Callable[[int], None] | None,
) -> _FineRun:
    """Simulate the fine cloth of a scene through the warm frames and the kept ones."""
    results: list[ClothFrame] = []
    steps = scene_steps(
        scene, cloth, scene.fine, scene.warm + kept, name="fine", start=_start(scene, start_noise), targets=targets
    )
    for frame, result in enumerate(steps):
        if frame >= scene.warm:
            results.append(result)
        if progress is not None:
            progress(frame + 1)
    stats = [result.stats for result in results]
    return _FineRun(
        np.array([result.positions for result in results]),
        sum(result.timings["total"] for result in results) / kept,
        max(one["tracking_residual"] for one in stats),
        max(one["contact_residual"] for one in stats),
        max(one["crossings"] for one in stats),
    )


def edge_strains(rest: Float32, faces: Any, positions: Float32) -> tuple[float, float, float, float]:
    """Return the first and 99th percentile, the least and the largest of edge length over rest length in all frames.

    Parameters
    ----------
    rest : (V, 3) float, metres
    faces : (T, 3) int
    positions : (F, V, 3) float, mesh units: metres
    """
    edges = np.unique(np.sort(np.asarray(faces)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    a, b = edges.T
    lengths = np.linalg.norm(positions[:, a] - positions[:, b], axis=2) / np.linalg.norm(rest[a] - rest[b], axis=1)
    low, high = np.percentile(lengths, [1, 99])
    return float(low), float(high), float(lengths.min()), float(lengths.max())


def _warn_of(fit: Fit) -> None:
    """Warn of a garment that does not fit, at the line that called `simulate_pair`."""
    if not fit.fits:
        warnings.warn(fit.sentence, stacklevel=3)


def _start(scene: Scene, noise: float) -> Float32:
    """Return the fine cloth's first positions (V, 3), metres: those of its pins, with noise on free vertices."""
    start = scene.fine.pins(scene.motion.bones[0])
    off = np.random.default_rng(1).normal(scale=noise / np.sqrt(3), size=start.shape)
    return start + (off * (1 - scene.fine.attachment[:, None])).astype(np.float32)
