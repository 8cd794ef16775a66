"""Simulate cloth over a body, one step per frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import MOST_THREADS, flag, number, positive_number, state_bytes, whole_number
from ruckle.arrays import Float32, Int32, float32, float64, triangles
from ruckle.pickling import PickledLayer
from ruckle.simulation.material import Material, material_named

__all__ = ["ClothEnergy", "ClothFrame", "ClothSimulation", "ClothStats", "ClothTimings"]

FRAME_TIME = 1.0 / 60.0
GRAVITY = (0.0, -9.81, 0.0)

# The core's.
MOST_SUBSTEPS, MOST_STRAIN_SWEEPS = 256, 16


class ClothTimings(TypedDict):
    """Milliseconds per stage of one step, all substeps together, in order."""

    air: float
    edges: float
    bends: float
    self_contact: float
    strain: float
    tracking: float
    bodies: float
    other: float
    total: float


class ClothStats(TypedDict):
    """How the cloth is after a step.

    `largest_speed` in m/s of a vertex that is not pinned, `settled_share` of these that are slower than 1 mm/s,
    `largest_edge_stretch` as length over rest length. `tracking_residual`, `contact_residual`: how far the tracked
    moments are from their targets in the last substep, before and after contact with bodies, in metres. `self_pairs`:
    vertices and faces of the cloth near each other; `dropped_pairs`: those for which there was no room; `crossings`:
    edges and faces of layers that are to stay apart but pass through each other, as where they started tangled.
    """

    largest_speed: float
    settled_share: float
    largest_edge_stretch: float
    tracking_residual: float
    contact_residual: float
    self_pairs: int
    dropped_pairs: int
    crossings: int


class ClothEnergy(TypedDict):
    """Joules. The zero of `gravity` is the origin of coordinates."""

    kinetic: float
    gravity: float
    stretch: float
    bending: float


@dataclass(frozen=True, slots=True, eq=False)
class ClothFrame:
    """The cloth after one step.

    Attributes
    ----------
    index : int
        0 for the first frame.
    positions : (V, 3) float32, mesh units: metres
    stats : ClothStats
    timings : ClothTimings
    """

    index: int
    positions: Float32
    stats: ClothStats
    timings: ClothTimings

    def __repr__(self) -> str:
        return (
            f"ClothFrame({self.index}: {len(self.positions)} vertices, largest speed "
            f"{self.stats['largest_speed']:.3g} m/s, largest edge stretch {self.stats['largest_edge_stretch']:.3g})"
        )


class ClothSimulation(PickledLayer[_core.ClothSimulation]):
    """Simulates one piece of cloth, frame by frame.

    Extended position-based dynamics with small steps (Macklin et al., Small Steps in Physics Simulation, 2019): each
    frame is cut into substeps, and each of these sweeps once over all constraints. The same frames give the same bits
    for any number of threads. All lengths are metres, all times seconds.

    Parameters
    ----------
    rest : (V, 3) float, metres
        The cloth at rest, and where it starts.
    faces : (T, 3) int
        Vertex indices of a triangle mesh, manifold with boundary.
    attachment : (V,) float or bool, optional
        1 where the cloth is pinned, 0 where it is free; between, it is pulled towards its pin.
    material : str or Material
        One of `ruckle.MATERIALS`, or an own one.
    substeps : int, in [1, 256]
        Per frame: 16 for fine cloth, 4 to 8 for a game's.
    strain_sweeps : int, in [0, 16]
        Sweeps per substep that hold the principal stretches of triangles within the material's limits.
    compression : float, in [0, 1]
        Share of the stiffness that resists shortening. 1 for fine cloth. Coarse cloth cannot buckle between its
        vertices; with 0.05 it shortens instead of pushing back (Kavan et al., Physics-Inspired Upsampling for Cloth
        Simulation in Games, 2011, section 6).
    rest_curvature : bool
        Keep the bends of the rest shape, as moulded garments do; False for flat panels.
    attachment_rate : float, 1/s
        Angular frequency at which cloth of attachment 1 would be pulled to its pin.
    gravity : (3,) float, m/s²
    margin : float, metres
        Further distance from bodies. For coarse cloth, whose chords of length e cut e² / 8r into a limb of radius r.
        With a margin, and where cloth is tracked, middles of edges stay outside of a body mesh's ridges, too.
    contact_spacing : float, metres
        Distance of points on edges and faces that stay outside of a body's mesh, too, by the material's thickness
        alone; 0 for none. For coarse cloth with edges as long as a limb is wide, which would come between vertices.
    self_distance : float, metres
        Distance that layers of this cloth keep from each other; 0 lets them pass each other.
    record_substeps : bool
        Keep `substep_positions`, which tracking needs of the coarse cloth.
    threads : int
        More than one helps from some thousand vertices.

    Raises
    ------
    MeshError
        Faces that are no manifold mesh, or have no area at rest.
    ValueError
        A parameter out of its range.
    TypeError
        A parameter of another type.

    Examples
    --------
    A square that hangs from two corners, for a second:

    >>> square, faces = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], [[0, 2, 1], [0, 3, 2]]
    >>> cloth = ruckle.ClothSimulation(square, faces, attachment=[1, 1, 0, 0], material="jacket")
    >>> for _ in range(60):
    ...     frame = cloth.step(1 / 60)
    >>> bool(frame.positions[2, 1] < -0.5)
    True
    """

    _faces: Int32

    def __init__(
        self,
        rest: ArrayLike,
        faces: ArrayLike,
        attachment: ArrayLike | None = None,
        *,
        material: str | Material = "cotton",
        substeps: int = 16,
        strain_sweeps: int = 3,
        compression: float = 1.0,
        rest_curvature: bool = False,
        attachment_rate: float = 60.0,
        gravity: ArrayLike = GRAVITY,
        margin: float = 0.0,
        contact_spacing: float = 0.0,
        self_distance: float = 0.0,
        record_substeps: bool = False,
        threads: int = 1,
    ) -> None:
        self.material = material_named(material)
        self.substeps = whole_number("substeps", substeps, 1, MOST_SUBSTEPS)
        self._faces = triangles("faces", faces)
        self._rest, self._attachment = float32("rest", rest).copy(), attachment_shares(attachment)
        self._options: dict[str, Any] = {
            "substeps": self.substeps,
            "strain_sweeps": strain_sweeps,
            "compression": compression,
            "rest_curvature": rest_curvature,
            "attachment_rate": attachment_rate,
            "gravity": gravity,
            "margin": margin,
            "contact_spacing": contact_spacing,
            "self_distance": self_distance,
            "record_substeps": record_substeps,
            "threads": threads,
        }
        self._body: tuple[Int32, int] | None = None
        self._tests: Float32 | None = None
        self._make_core()

    def _make_core(self) -> None:
        options = core_options(self.material, **self._options)
        self._core = _core.ClothSimulation(self._rest, self._faces, self._attachment, options)
        if self._body is not None:
            self._core.collide_with(*self._body)
        if self._tests is not None:
            self._core.track(self._tests)

    def collide_with(self, body_faces: ArrayLike, body_vertex_count: int) -> None:
        """Make the cloth stay outside of a moving triangle mesh, which every later step brings.

        Parameters
        ----------
        body_faces : (T, 3) int
            Manifold, normals outward. It may have holes; what lies behind one is outside.
        body_vertex_count : int
            B.

        Raises
        ------
        MeshError
            Faces that are no manifold mesh.
        """
        body = triangles("body_faces", body_faces).copy(), whole_number("body_vertex_count", body_vertex_count)
        self._core.collide_with(*body)
        self._body = body

    def track(self, tests: ArrayLike) -> None:
        """Make the cloth follow a coarse simulation, whose moments every later step brings as `targets`.

        After each substep the smallest move in the metric of the masses gives the free vertices the wanted moments
        (Kavan et al. 2011, equation 6); `ruckle.simulation.Tracker` makes tests and targets from two meshes.

        Parameters
        ----------
        tests : (R, V) float, m²
            Test functions times vertex areas.

        Raises
        ------
        ValueError
            Tests that do not tell the motions of the free vertices apart: too many, or too many pins.
        """
        rows = float32("tests", tests).copy()
        self._core.track(rows)
        self._tests = rows

    def step(
        self,
        dt: float = FRAME_TIME,
        *,
        pins: ArrayLike | None = None,
        wind: ArrayLike | None = None,
        cones: ArrayLike | None = None,
        body: ArrayLike | None = None,
        targets: ArrayLike | None = None,
        extra_damping: float = 0.0,
    ) -> ClothFrame:
        """Advance the cloth by one frame, and return it.

        Pins and bodies move straight from where they were at the end of the last frame; those of the first frame have
        always been there, pins excepted, which start where the cloth is.

        Parameters
        ----------
        dt : float, seconds, > 0
        pins : (V, 3) float, metres, optional
            Where attached vertices are at the end of the frame; rows of others are not read. None: where they were.
        wind : (3,) or (V, 3) float, m/s, optional
            Velocity of the air, everywhere or at each vertex. None: still air.
        cones : (C, 8) float, metres, optional
            Rounded cones that the cloth does not enter: center, radius, center, radius; as many in every frame.
        body : (B, 3) float, metres, optional
            The mesh of `collide_with`, which must be given once there is one.
        targets : (substeps, R, 3) float, m³, optional
            Moments of the coarse cloth after each of its substeps, which must be given after `track`.
        extra_damping : float, 1/s
            Besides the material's, to come to rest.

        Returns
        -------
        ClothFrame

        Raises
        ------
        MeshError
            An input is not finite, or the cloth explodes; the cloth stays as it was before the step.
        ValueError
            An input of another shape.
        """
        positions = self._core.step(
            positive_number("dt", dt),
            None if pins is None else float32("pins", pins),
            None if wind is None else np.atleast_2d(float32("wind", wind)),
            None if cones is None else float32("cones", cones),
            None if body is None else float32("body", body),
            None if targets is None else float64("targets", targets),
            number("extra_damping", extra_damping),
        )
        return ClothFrame(self._core.frame_count - 1, positions, self._core.stats, self._core.timings)

    def place(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """Put the cloth somewhere, and forget where its pins and bodies were.

        Parameters
        ----------
        positions : (V, 3) float, mesh units: metres
        velocities : (V, 3) float, m/s, optional
            None: at rest.

        Raises
        ------
        ValueError
            Another shape, or a number that is not finite.
        """
        self._core.place(
            float32("positions", positions), None if velocities is None else float32("velocities", velocities)
        )

    def state(self) -> bytes:
        """Return all that has been made of the frames so far, for `restore`.

        Returns
        -------
        bytes
            What the next step starts from; not the mesh, the options, the body's faces and the tests, which pickling a
            ClothSimulation adds. The same frames give the same bytes.
        """
        return self._core.state()

    def restore(self, state: bytes | bytearray | memoryview) -> None:
        """Go on from a state, with the same bits as after the frames of which it was made.

        Parameters
        ----------
        state : bytes
            Of this ClothSimulation, or of another one with the same rest pose, faces, attachment, options, body faces
            and tests; `threads` and `record_substeps` may differ. As for `ruckle.Wrinkler.restore`.

        Raises
        ------
        ValueError
            Bytes that are no state, are cut or changed, or belong to another version, cloth or set of options. The
            cloth is then unchanged.
        TypeError
            Something else than bytes.
        """
        self._core.restore(state_bytes(state))

    @property
    def vertex_count(self) -> int:
        """V, the number of vertices."""
        return self._core.vertex_count

    @property
    def frame_count(self) -> int:
        """Number of frames stepped through."""
        return self._core.frame_count

    @property
    def faces(self) -> np.ndarray:
        """(T, 3) int32 vertex indices."""
        return self._faces

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: metres; where the cloth is."""
        return self._core.positions

    @property
    def velocities(self) -> Float32:
        """(V, 3) float32, m/s."""
        return self._core.velocities

    @property
    def substep_positions(self) -> Float32:
        """(substeps, V, 3) float32, metres: the last step's, if `record_substeps`; else of length 0."""
        return self._core.substep_positions

    @property
    def masses(self) -> Float32:
        """(V,) float32, kg."""
        return self._core.masses

    @property
    def energy(self) -> ClothEnergy:
        """Energies in joules."""
        return self._core.energy

    def __repr__(self) -> str:
        return (
            f"ClothSimulation({self.vertex_count} vertices, {len(self._faces)} faces, after {self.frame_count} frames)"
        )


def attachment_shares(attachment: ArrayLike | None) -> Float32 | None:
    """Return how much vertices are attached as the core takes it; flags are 0 and 1."""
    if attachment is None:
        return None
    mask = np.asarray(attachment)
    return float32("attachment", mask.astype(np.float32) if mask.dtype == bool else attachment)


def core_options(
    material: Material,
    *,
    substeps: int,
    strain_sweeps: int,
    compression: float,
    rest_curvature: bool = False,
    attachment_rate: float = 60.0,
    gravity: ArrayLike = GRAVITY,
    margin: float,
    contact_spacing: float = 0.0,
    self_distance: float,
    record_substeps: bool = False,
    threads: int,
) -> _core.ClothOptions:
    """Return the options of `ClothSimulation` as the core takes them."""
    return _core.ClothOptions(
        material=material.core(),
        substeps=whole_number("substeps", substeps, 1, MOST_SUBSTEPS),
        strain_sweeps=whole_number("strain_sweeps", strain_sweeps, 0, MOST_STRAIN_SWEEPS),
        compression=number("compression", compression),
        rest_curvature=flag("rest_curvature", rest_curvature),
        attachment_rate=number("attachment_rate", attachment_rate),
        gravity=float32("gravity", gravity),
        margin=number("margin", margin),
        contact_spacing=number("contact_spacing", contact_spacing),
        self_distance=number("self_distance", self_distance),
        record_substeps=flag("record_substeps", record_substeps),
        threads=whole_number("threads", threads, 1, MOST_THREADS),
    )
