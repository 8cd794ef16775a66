"""Simulation of cloth pairs: coarse cloth that moves freely, and fine cloth that tracks the coarse cloth."""

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


def _rounded(value: float | str | tuple[float, ...]) -> str:
    """Return a value of a report for people: numbers with four digits."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_rounded, value))})"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


@dataclass(frozen=True, slots=True)
class PairReport:
    """Measurements of the simulation of a pair.

    Attributes
    ----------
    scene, material : str
    motion, variant : str
        The wearer's motion, and its variant in `ruckle.simulation.VARIANTS`. Both are empty without a wearer.
    substeps, tests : int
    tracking_residual, contact_residual : float, metres
        Largest tracking errors over all frames, before and after contact with bodies.
    edge_strain : tuple of 4 float
        Edge length / rest length of the fine cloth: first percentile, 99th percentile, minimum, maximum.
    coarse_ms, fine_ms : float
        Mean computation time per frame.
    tightness : float
        Edge length / rest length of the coarse cloth, 99th percentile. Above 1.05 the garment is too small for its
        wearer's motion, because contact and strain limit cannot both be satisfied.
    tight_place : str
        A message about the tight place, or about the place without space; empty if the garment fits. See `Fit`.
    self_distance : float, metres
        Required distance between cloth layers.
    crossings : int
        Number of intersections between edges and faces of the fine cloth in the worst frame; 0 if layers were not
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
        """Raise TypeError or ValueError if the value of a field has another type than the field."""
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

    def __repr__(self) -> str:
        values = ", ".join(f"{entry.name}={_rounded(getattr(self, entry.name))}" for entry in fields(self))
        return f"PairReport({values})"

    @property
    def fits(self) -> bool:
        """True if the garment is wide enough for the wearer's motion, and the body leaves space for it."""
        return not self.tight_place


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPair:
    """Coarse and fine cloth in the same motion, frame by frame, with a report.

    Attributes
    ----------
    name : str
    coarse, fine : Animation
    coarse_rest, fine_rest : (M, 3) and (N, 3) float32, metres
        Both meshes at rest.
    attachment : (N,) float32, in [0, 1]
        Attachment weight of each fine vertex: 1 for pinned vertices, 0 for free vertices.
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
        """Write coarse.npz, fine.npz, fine.pc2 with fine.obj (a point cache), rest.npz and report.json into a folder.

        The folder is created if it is missing. An old report is removed first and the report is written last, so a
        folder with a report is complete.
        Existing files are replaced, except fine.obj: FormatError if it contains other faces.
        """
        output = as_path("folder", folder)
        output.mkdir(parents=True, exist_ok=True)
        (output / "report.json").unlink(missing_ok=True)
        save(self.coarse, output / "coarse.npz")
        save(self.fine, output / "fine.npz")
        save(self.fine, output / "fine.pc2")
        with replacing(output / "rest.npz") as file:
            np.savez(file, coarse=self.coarse_rest, fine=self.fine_rest, attachment=self.attachment)
        with replacing(output / "report.json") as file:
            file.write((json.dumps(asdict(self.report), indent=2) + "\n").encode())

    def named_after(self, motion: str, variant: str = "") -> TrainingPair:
        """Return the pair with names of the wearer's motion and its variant in the report."""
        return replace(self, report=replace(self.report, motion=motion, variant=variant))


def load_pair(folder: str | os.PathLike[str]) -> TrainingPair:
    """Read a pair from a folder written by `TrainingPair.save`; the folder's name becomes the pair's name.

    Raises
    ------
    FormatError
        A file is missing or damaged.
    MeshError
        A mesh in a file cannot be used.
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
    """Return the folders that contain complete pairs, among `folders` and their direct subfolders."""
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
    """Simulate the coarse cloth of a scene, then the fine cloth, which tracks the coarse cloth's lowest harmonics.

    The coarse simulation also shows if the garment fits. The coarse cloth's moments (integrals of the harmonics) are
    stored after every substep. The fine cloth must match these moments after each of its substeps (Kavan et al. 2011,
    section 4). This function requires scipy.

    Parameters
    ----------
    scene : Scene
    material : str or Material
    tests : int
        Number of shared harmonics (Laplacian eigenvectors). With 0, the fine cloth does not track.
    substeps : int, optional
        Substeps per frame of both simulations; default: `Scene.substeps`, computed from the speed of the body.
    frames : int, optional
        Number of frames to keep after the warm-up frames; default: all.
    threads : int
    self_distance : float, metres
        Distance between layers, in the coarse and in the fine cloth; see `ClothSimulation`. With 0, layers pass through
        each other.
    start_noise : float, metres
        Root mean square initial offset of free fine vertices, random but reproducible. Two runs with different starts
        differ in details that training cannot learn.
    progress : function of the number of frames done, optional
        Called after each frame of the fine cloth, including the warm-up frames.
    check : function of a Fit, optional
        Called between the coarse and the fine simulation; it may raise an error to stop. Without it, a garment that
        does not fit causes a warning.

    Returns
    -------
    TrainingPair

    Raises
    ------
    ValueError
        The scene does not have `frames` frames after the warm-up.
    MeshError
        The cloth becomes unstable; the message names the frame.
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
        # the coarse animation contains the bones, because pose databases read them from there
        Animation(
            coarse.positions, scene.coarse.faces, fps=motion.fps, name=f"{scene.name}_coarse", height=None,
            skeleton=motion.skeleton, bones=motion.bones[scene.warm : scene.warm + kept].astype(np.float32),
        ),
        Animation(fine.positions, scene.fine.faces, fps=motion.fps, name=f"{scene.name}_fine", height=None),
        scene.coarse.rest, scene.fine.rest, scene.fine.attachment, report,
    )  # fmt: skip


class _FineRun(NamedTuple):
    """Fine cloth in the kept frames, largest residuals in metres, and the largest number of crossings in a frame."""

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
    """Simulate the fine cloth through the warm-up frames and the kept frames. Return the kept frames with residuals."""
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
    """Return edge length / rest length over all frames: first percentile, 99th percentile, minimum, maximum.

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
    """Warn if a garment does not fit. The warning names the line of code that called `simulate_pair`."""
    if not fit.fits:
        warnings.warn(fit.sentence, stacklevel=3)


def _start(scene: Scene, noise: float) -> Float32:
    """Return the initial fine positions (V, 3), metres: positions of the pins, with random noise on free vertices."""
    start = scene.fine.pins(scene.motion.bones[0])
    off = np.random.default_rng(1).normal(scale=noise / np.sqrt(3), size=start.shape)
    return start + (off * (1 - scene.fine.attachment[:, None])).astype(np.float32)
