"""Comparison of a pose database with simulated cloth in poses that were not used to build the database."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.geometry import vertex_normals
from ruckle.pose_space.binding import details, vertex_means
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.synthesizer import PoseSynthesizer

__all__ = ["PoseCheck", "check_poses"]


@dataclass(frozen=True)
class PoseCheck:
    """Comparison of cloth synthesized from examples with simulated cloth, over all frames.

    Attributes
    ----------
    error : float, mesh units
        Root mean square distance of corresponding vertices.
    without : float, mesh units
        Error of the coarse cloth with the details of the rest pose in all frames.
    normal_error : float, degrees
        Mean angle between corresponding normals.
    curvature : float
        Sum of the distances of vertices from the mean of their neighbours, divided by the same sum of the simulated
        cloth. A value below 1 means that wrinkles are lost.
    change, true_change : float, mesh units
        99th percentile of the change of details between frames, for the synthesized and for the simulated cloth; 0 for
        a single frame. `change` is larger if folds jump when joints pass from one grid cell to the next.
    clamped : int
        Number of frames in which a joint is outside its grid.
    """

    error: float
    without: float
    normal_error: float
    curvature: float
    change: float
    true_change: float
    clamped: int

    @property
    def ratio(self) -> float:
        """The error divided by the error without examples; 0 if the error without examples is 0."""
        return self.error / self.without if self.without > 0 else 0.0


def check_poses(database: PoseDatabase, fine: Animation, coarse: Animation, **parameters: Any) -> PoseCheck:
    """Compare a database with simulated fine cloth in the same frames.

    Parameters
    ----------
    database : PoseDatabase
    fine : Animation
        The simulated cloth on the database's fine mesh.
    coarse : Animation
        The coarse cloth in the same frames, with bones.
    **parameters
        Parameters of `PoseSynthesizer`.

    Returns
    -------
    PoseCheck

    Raises
    ------
    ValueError
        The coarse mesh or the number of fine vertices differs from the database, the numbers of frames differ, or
        `coarse` does not have bones.
    """
    truth = require_animation(fine).positions
    if truth.shape != (coarse.frame_count, database.binding.vertex_count, 3):
        raise ValueError(
            f"fine: expected {coarse.frame_count} frames of {database.binding.vertex_count} vertices, got "
            f"{truth.shape[0]} of {truth.shape[1]}"
        )
    layer = PoseSynthesizer.for_animation(coarse, database, **parameters)
    bare = PoseSynthesizer.for_animation(coarse, replace(database, joints=()))
    if coarse.bones is None:
        raise ValueError("coarse: expected an animation with bones")
    squares, without, angles, curvatures, clamped = [], [], [], [], 0
    moved: list[list[Any]] = [[], []]
    for positions, bones, true in zip(coarse.positions, coarse.bones, truth.astype(np.float64), strict=True):
        frame = layer.step(positions, bones=bones)
        found = frame.shape.positions.astype(np.float64)
        squares.append(((found - true) ** 2).sum(axis=1).mean())
        without.append(((bare.step(positions, bones=bones).shape.positions - true) ** 2).sum(axis=1).mean())
        cosines = (frame.normals * vertex_normals(true, database.faces)).sum(axis=1).clip(-1, 1)
        angles.append(float(np.degrees(np.arccos(cosines)).mean()))
        curvatures.append(_curvature(found, database) / max(_curvature(true, database), 1e-300))
        clamped += frame.stats["clamped"] > 0
        for kept, shape in zip(moved, (found, true), strict=True):
            kept.append(details(shape, positions, database.binding))
    return PoseCheck(
        float(np.sqrt(np.mean(squares))),
        float(np.sqrt(np.mean(without))),
        float(np.mean(angles)),
        float(np.mean(curvatures)),
        _change(np.array(moved[0])),
        _change(np.array(moved[1])),
        clamped,
    )


def _change(moving: Any) -> float:
    """Return the 99th percentile of the change of details (F, V, 3) between frames; 0 for a single frame."""
    ways = np.linalg.norm(np.diff(moving, axis=0), axis=2)
    return float(np.quantile(ways, 0.99)) if ways.size else 0.0


def _curvature(positions: Any, database: PoseDatabase) -> float:
    return float(np.linalg.norm(vertex_means(positions, database.faces) - positions, axis=1).sum())
