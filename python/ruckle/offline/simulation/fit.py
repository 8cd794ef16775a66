"""Fit of a garment on its wearer, measured on simulated coarse cloth before the fine cloth is simulated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.mesh.closest import closest_points
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.coarse import simulate_coarse
from ruckle.offline.simulation.scenes import Scene
from ruckle.offline.simulation.tracking import map_of
from ruckle.simulation.body import clearance, mesh_clearance
from ruckle.simulation.material import Material

__all__ = ["TIGHTEST", "Fit", "garment_fit", "measured_fit"]

# A garment fits if the 99th percentile of the stretch of its coarse edges is at most this value.
TIGHTEST = 1.05

# Cloth is tight if it remains stretched for this number of frames (0.1 s). Swinging cloth is taut for a shorter time.
LASTING = 6

# In metres: depth in the body's mesh that is allowed for coarse cloth, which has a margin. At most a fraction MOST_SUNK
# of its vertices, over all frames, may be deeper. More means that intersecting limbs leave no space for the cloth.
SUNK_DEPTH, MOST_SUNK = 0.004, 1e-3


@dataclass(frozen=True, slots=True)
class Fit:
    """Tightness of a garment on its wearer, and the tightest place.

    Attributes
    ----------
    tightness : float
        Edge length / rest length of the coarse cloth, 99th percentile over all frames. Above 1.05 the garment is too
        small, because contact and strain limit cannot both be satisfied.
    stretch : float
        Edge length / rest length at the tightest place, minimum over 0.1 s.
    frame : int
        First frame of the tightest 0.1 s. If the garment is wide enough, but the body leaves no space: the frame of the
        deepest vertex.
    place : tuple of 3 float, metres
        Rest position of the tightest or deepest vertex.
    part : str
        Bone of the nearest body part; empty if there is no body.
    sunk : float
        Fraction of coarse vertices, over every sixth frame, that are more than 4 mm inside the body's mesh. Above 1e-3,
        the body intersects itself near the garment and leaves no space for it.
    depth : float, metres
        Depth of the deepest vertex; 0 if all vertices are outside.
    """

    tightness: float
    stretch: float
    frame: int
    place: tuple[float, float, float]
    part: str
    sunk: float = 0.0
    depth: float = 0.0

    @property
    def is_wide(self) -> bool:
        """True if the garment is wide enough, or if the cloth does not have a wearer, such as a flag."""
        return not self.part or self.tightness <= TIGHTEST

    @property
    def fits(self) -> bool:
        """True if the garment is wide enough and the body leaves space for it."""
        return self.is_wide and self.sunk <= MOST_SUNK

    @property
    def sentence(self) -> str:
        """A message about the tight place, or about the place without space; empty if the garment fits."""
        if self.fits:
            return ""
        x, y, z = self.place
        if self.is_wide:
            return (
                f"the body intersects itself near {self.part} and leaves no space for the garment: coarse cloth at "
                f"({x:.3f}, {y:.3f}, {z:.3f}) is {1000 * self.depth:.0f} mm inside the body in frame {self.frame}; "
                "move the limbs apart (--limb, or ruckle.offline.simulation.parted)"
            )
        return (
            f"the garment is too small near {self.part}: its coarse cloth at ({x:.3f}, {y:.3f}, {z:.3f}) is "
            f"stretched to {self.stretch:.2f} of its length from frame {self.frame} on, and 1 % of all edges to at "
            f"least {self.tightness:.2f}; the limit is {TIGHTEST}; make the garment wider there"
        )


def garment_fit(
    scene: Scene,
    *,
    material: str | Material = "cotton",
    substeps: int | None = None,
    frames: int | None = None,
    threads: int = 1,
) -> Fit:
    """Return the fit of a scene's garment, without a warning.

    Only coarse cloth is simulated. Its layers pass through each other, as with `self_distance=0` in `simulate_pair`.
    This function requires scipy.

    Parameters
    ----------
    scene : Scene
    material : str or Material
    substeps, frames, threads : int, optional
        See `simulate_pair`.

    Raises
    ------
    MeshError
        The cloth becomes unstable; the message names the frame.
    ValueError
        The scene does not have `frames` frames after the warm-up.
    """
    run = simulate_coarse(scene, material=material, substeps=substeps, frames=frames, threads=threads)
    return measured_fit(scene, run.positions)


def measured_fit(scene: Scene, positions: ArrayLike) -> Fit:
    """Return the fit of a scene's garment from its simulated coarse cloth, (F, M, 3), metres."""
    frames, rest = np.asarray(positions, np.float64), scene.coarse.rest.astype(np.float64)
    a, b = Topology(scene.coarse.faces, len(rest)).edges.T
    stretches = np.linalg.norm(frames[:, a] - frames[:, b], axis=2) / np.linalg.norm(rest[a] - rest[b], axis=1)
    # minimum over a window of frames, so that short peaks have no effect
    lasting = stretches[: max(1, len(stretches) - LASTING + 1)].copy()
    for later in range(1, min(LASTING, len(stretches))):
        np.minimum(lasting, stretches[later : later + len(lasting)], out=lasting)
    # largest stretch of the edges at each vertex (M, F); averaged over neighbours below, because single edges are noisy
    around = np.zeros((len(rest), len(lasting)))
    np.maximum.at(around, a, lasting.T)
    np.maximum.at(around, b, lasting.T)
    mean = around.copy()
    np.add.at(mean, a, around[b])
    np.add.at(mean, b, around[a])
    mean /= 1.0 + np.bincount(np.r_[a, b], minlength=len(rest))[:, None]
    vertex, frame = (int(i) for i in np.unravel_index(mean.argmax(), mean.shape))
    tightness, stretch = float(np.percentile(stretches, 99)), float(around[vertex, frame])
    depths = _depths(scene, frames)
    sunk = float((depths > SUNK_DEPTH).mean())
    if tightness <= TIGHTEST and sunk > MOST_SUNK:
        look, vertex = (int(i) for i in np.unravel_index(depths.argmax(), depths.shape))
        frame = LASTING * look
    x, y, z = rest[vertex].tolist()
    part = nearest_part(scene, rest[vertex])
    return Fit(tightness, stretch, frame, (x, y, z), part, sunk, max(0.0, float(depths.max())))


def _depths(scene: Scene, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the depths (F / 6, M) of coarse vertices in the body's mesh in every sixth frame, metres.

    Vertices outside have a negative depth. Pinned vertices have the depth 0.
    """
    looks = range(0, len(frames), LASTING)
    depths = np.zeros((len(looks), len(scene.coarse.rest)))
    # pinned vertices are excluded, because they follow their pins even into the body
    free = scene.coarse.attachment < 1.0
    for look, frame in enumerate(looks):
        body = scene.body_at(scene.warm + frame)
        if scene.body is not None and body is not None:
            depths[look, free] = -mesh_clearance(frames[frame, free], body, scene.body.faces)[0]
    return depths


def nearest_part(scene: Scene, place: NDArray[np.float64]) -> str:
    """Return the name of the bone to which the nearest body part at rest belongs; empty if there is no body."""
    if scene.body is not None:
        body = scene.body
        nearest = map_of(*closest_points(body.positions, body.faces, place[None]), body.faces, len(body.positions))
        return scene.motion.names[int(np.asarray(nearest @ body.weights).argmax())]
    if len(scene.cones):
        distances = [float(clearance(place[None], cone[None])[0]) for cone in scene.cones]
        return scene.motion.names[int(scene.cone_bones[int(np.argmin(distances))])]
    return ""
