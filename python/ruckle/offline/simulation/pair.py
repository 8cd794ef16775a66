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
    """What a pair's simulation was like.

    Attributes
    ----------
    scene, material : str
    motion, variant : str
        What the wearer does, and how it was changed: one of `ruckle.simulation.VARIANTS`. Empty where nobody wears it.
    substeps, tests : int
    tracking_residual, contact_residual : float, metres
        Largest of all frames, before and after contact with bodies.
    edge_strain : tuple of 4 float
        Length over rest length of the fine edges: first and 99th percentile, least and largest.
    coarse_ms, fine_ms : float
        Mean time per frame.
    tightness : float
        Length over rest length of the coarse edges, 99th percentile. Over 1.05 the garment is too small for what its
        wearer does: contact and strain cannot both be met.
    tight_place : str
        Where it is too small, and by how much, or where the body leaves it no room, as a sentence; empty where it fits.
        See `Fit`.
    self_distance : float, metres
        How far layers were to stay apart.
    crossings : int
        Edges and faces of the fine cloth that pass through each other all the same, in the worst frame; 0 where layers
        were not to stay apart.
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
        """Raise TypeError or ValueError if a field has a value of another type than its own."""
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
        """Whether the garment is wide enough for what its wearer does, and has room."""
        return not self.tight_place


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPair:
    """Coarse and fine cloth of the same motion, frame by frame, and how they were made.

    Attributes
    ----------
    name : str
    coarse, fine : Animation
    coarse_rest, fine_rest : (M, 3) and (N, 3) float32, metres
        Both meshes at rest.
    attachment : (N,) float32, in [0, 1]
        How much each fine vertex follows its pin.
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
        """Return the pair with the motion of its wearer, and how that was changed, in its report."""
        return replace(self, report=replace(self.report, motion=motion, variant=variant))


def load_pair(folder: str | os.PathLike[str]) -> TrainingPair:
    """Read a pair from the folder into which `TrainingPair.save` has written it; its name is the folder's.

    Raises
    ------
    FormatError
        A file that is missing or damaged.
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
    """Return those of some folders that hold a complete pair, or have such folders in them, by name."""
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

    The coarse cloth comes first, and shows whether the garment fits its wearer. It keeps its moments after every
    substep, so that the fine one follows it exactly in each of its own (Kavan et al. 2011, section 4).

    Parameters
    ----------
    scene : Scene
    material : str or Material
    tests : int
        Harmonics that both share; 0 lets the fine cloth go its own way.
    substeps : int, optional
        Per frame, of both; `Scene.substeps` for the body's speed by default.
    frames : int, optional
        Frames to keep; all of the scene's by default.
    threads : int
    self_distance : float, metres
        How far layers of the cloth stay apart, coarse and fine; see `ClothSimulation`. 0 lets them pass each other.
    start_noise : float, metres
        How far, on average, fine vertices start from their rest, at random but always the same. What two runs from
        different starts do not have in common no map can know.
    progress : function of the number of frames done, optional
        Of the fine cloth.
    check : function of a Fit, optional
        Called after the coarse cloth and before the fine one: it may raise an error to stop there. Without one, a
        garment that is too small is warned of.

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
    """Fine cloth in the frames that are kept, and the largest residuals (metres) and most crossings of all of them."""

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
    """Simulate the fine cloth of a scene through the warm frames and those that are kept."""
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
    """Warn of a garment that does not fit, where `simulate_pair` was called."""
    if not fit.fits:
        warnings.warn(fit.sentence, stacklevel=3)


def _start(scene: Scene, noise: float) -> Float32:
    """Return the fine cloth's first positions (V, 3), metres: those of its pins, with noise on free vertices."""
    start = scene.fine.pins(scene.motion.bones[0])
    off = np.random.default_rng(1).normal(scale=noise / np.sqrt(3), size=start.shape)
    return start + (off * (1 - scene.fine.attachment[:, None])).astype(np.float32)
