"""Scenes with a known result: an animated coarse mesh, and fine simulated cloth of the same garment and motion."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32, float32
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive, arrays_of, read as read_animation
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.animation import Animation
from ruckle.mesh.closest import closest_points
from ruckle.offline.simulation.pair import TrainingPair
from ruckle.simulation.body import Body, shaped

__all__ = ["WEARER", "TruthScene", "load_truth", "truth_of_pair"]

WEARER = 1.75
"""Height in metres of the wearer to which all lengths in measures refer."""


@dataclass(frozen=True, slots=True, eq=False)
class TruthScene:
    """An animated coarse mesh, with simulated fine cloth that shows the true folds of the garment.

    Attributes
    ----------
    coarse : Animation
        Input of every compared method, metres. It contains rest positions, and skeleton and bones if available.
    rest : (N, 3) float32, metres
        The fine mesh at rest, on which all measures are computed.
    faces : (S, 3) int32
    coarse_faces : (N,) int32
        Coarse face below each fine vertex.
    barycentric : (N, 3) float32
        Barycentric coordinates of each fine vertex in its coarse face.
    attachment : (N,) float32, in [0, 1]
        Attachment weight: 1 at pins, 0 for free cloth.
    positions : (F, N, 3) float32, metres
        The fine cloth in every coarse frame. It is the true result, which a method must not read.
    body : Body, optional
        The wearer, only for pictures.
    report : mapping
        Origin of the scene: material, substeps, strain, computation time.
    """

    coarse: Animation
    rest: Float32
    faces: Int32
    coarse_faces: Int32
    barycentric: Float32
    attachment: Float32
    positions: Float32
    body: Body | None = None
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the garment and its motion."""
        return self.coarse.name

    @property
    def coarse_rest(self) -> Float32:
        """Coarse rest positions (M, 3), metres."""
        rest = self.coarse.rest_positions
        return self.coarse.positions[0] if rest is None else rest

    @property
    def scale(self) -> float:
        """Height of the wearer divided by `WEARER`, a factor for lengths in measures; 1 if the height is unknown."""
        return 1.0 if self.coarse.height_is_guess else float(self.coarse.height) / WEARER

    def on_coarse(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return coarse vertex values (M, K), interpolated at the fine vertices, (N, K)."""
        corners = values[self.coarse.faces[self.coarse_faces]].astype(np.float64)
        return np.asarray(np.einsum("nk,nkx->nx", self.barycentric, corners))

    def resampled(self, other: TruthScene) -> Float32:
        """Return the fine cloth of another simulation of this garment at this scene's fine vertices, (F, N, 3).

        Points of both fine meshes correspond if their positions on the coarse rest mesh are equal.

        Raises
        ------
        ValueError
            The other scene has another coarse mesh, or another number of frames.
        """
        if other.coarse.frame_count != self.coarse.frame_count or not np.array_equal(
            other.coarse.faces, self.coarse.faces
        ):
            raise ValueError(f"other: expected a simulation of {self.name} in the same frames, got {other.name}")
        here, there = (scene.on_coarse(scene.coarse_rest) for scene in (self, other))
        holders, weights = closest_points(there, other.faces, here)
        corners = other.faces[holders]
        found = [np.einsum("nk,nkx->nx", weights, frame[corners]) for frame in other.positions]
        return float32("positions", found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene to an NPZ file. `ruckle.load` reads the coarse animation from this file.

        The folder is created if it is missing, and an existing file is replaced.
        """
        arrays = arrays_of(self.coarse) | {
            "fine_rest": self.rest,
            "fine_faces": self.faces,
            "fine_coarse_faces": self.coarse_faces,
            "fine_barycentric": self.barycentric,
            "fine_attachment": self.attachment,
            "fine_positions": self.positions,
            "report": np.array(json.dumps(self.report)),
        }
        if self.body is not None:
            arrays |= {
                "body_positions": self.body.positions,
                "body_faces": self.body.faces,
                "body_weights": self.body.weights,
            }
        target = as_path("path", path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load_truth(path: str | os.PathLike[str]) -> TruthScene:
    """Read a scene from a file written by `TruthScene.save`.

    Raises
    ------
    FormatError
        The file is damaged, or an array is missing or has a wrong shape.
    MeshError
        The coarse mesh in the file cannot be used.
    """
    # fine positions of five seconds take about 30 MB, which needs a large budget
    source, budget = as_path("path", path), Budget(16.0)
    coarse, archive = read_animation(source, budget), Archive(source, budget)
    rest = shaped(archive, "fine_rest", "f", (None, 3)).astype(np.float32)
    count, body = len(rest), None
    if "body_positions" in archive.names:
        skin = shaped(archive, "body_positions", "f", (None, 3)).astype(np.float32)
        body = Body(
            skin,
            shaped(archive, "body_faces", "iu", (None, 3)).astype(np.int32),
            shaped(archive, "body_weights", "f", (len(skin), None)).astype(np.float32),
        )
    try:
        report = json.loads(archive.text("report"))
    except ValueError as error:
        raise FormatError(f"{source}: array 'report' is not JSON ({error})") from error
    return TruthScene(
        coarse,
        rest,
        shaped(archive, "fine_faces", "iu", (None, 3)).astype(np.int32),
        shaped(archive, "fine_coarse_faces", "iu", (count,)).astype(np.int32),
        shaped(archive, "fine_barycentric", "f", (count, 3)).astype(np.float32),
        shaped(archive, "fine_attachment", "f", (count,)).astype(np.float32),
        shaped(archive, "fine_positions", "f", (coarse.frame_count, count, 3)).astype(np.float32),
        body,
        report,
    )


def truth_of_pair(pair: TrainingPair) -> TruthScene:
    """Return a truth scene from a simulated pair. Its fine cloth tracks the coarse cloth."""
    coarse = replace(pair.coarse, rest_positions=pair.coarse_rest, name=pair.name)
    holders, weights = closest_points(pair.coarse_rest, coarse.faces, pair.fine_rest)
    return TruthScene(
        coarse, pair.fine_rest, pair.fine.faces, holders.astype(np.int32), _inside(weights), pair.attachment,
        pair.fine.positions, report=asdict(pair.report),
    )  # fmt: skip


def _inside(weights: NDArray[np.float64]) -> Float32:
    return np.clip(weights, 0.0, 1.0).astype(np.float32)
