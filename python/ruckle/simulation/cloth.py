"""Simulates cloth over a body, one step per frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import number, positive_number, whole_number
from ruckle.arrays import Float32, Int32, float32, float64, triangles
from ruckle.parameters import Parameter, options_of, with_parameters
from ruckle.pickling import Pickled
from ruckle.simulation.material import core_numbers, material_named
from ruckle.simulation.parameters import (
    DEFAULTS,
    PARAMETERS,
    ClothEnergy,
    ClothParameters,
    ClothStats,
    ClothTimings,
    Material,
)

__all__ = ["ClothEnergy", "ClothFrame", "ClothSimulation", "ClothStats", "ClothTimings"]

FRAME_TIME = 1.0 / 60.0


@dataclass(frozen=True, slots=True, eq=False)
class ClothFrame:
    """The cloth after one step of a `ClothSimulation`.

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


@with_parameters(PARAMETERS, DEFAULTS)
class ClothSimulation(Pickled[_core.ClothSimulation]):
    """Simulates one piece of cloth, frame by frame.

    Extended position-based dynamics (XPBD) with small steps (Macklin et al., Small Steps in Physics Simulation, 2019).
    Each frame is divided into substeps, and each substep solves every constraint once. Equal inputs give equal bits for
    any number of threads. Lengths are in metres, times in seconds.

    Parameters
    ----------
    rest : (V, 3) float, metres
        Positions of the undeformed cloth; also the initial positions.
    faces : (T, 3) int
        Vertex indices of a manifold triangle mesh, with or without boundary.
    attachment : (V,) float or bool, optional
        1 for a pinned vertex, 0 for a free vertex. A vertex with a value between is pulled toward its pin.
    material : str or Material
        A name in `ruckle.MATERIALS`, or a Material.
    **parameters
        Parameters in `ClothSimulation.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.

    Raises
    ------
    MeshError
        The faces are not a manifold mesh, or a face has zero area at rest.
    ValueError
        A parameter is out of its range.
    TypeError
        A parameter has a wrong type.

    Examples
    --------
    A square that hangs from two corners for one second:

    >>> square, faces = [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], [[0, 2, 1], [0, 3, 2]]
    >>> cloth = ruckle.ClothSimulation(square, faces, attachment=[1, 1, 0, 0], material="jacket")
    >>> for _ in range(60):
    ...     frame = cloth.step(1 / 60)
    >>> bool(frame.positions[2, 1] < -0.5)
    True
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())

    _faces: Int32

    def __init__(
        self,
        rest: ArrayLike,
        faces: ArrayLike,
        attachment: ArrayLike | None = None,
        *,
        material: str | Material = "cotton",
        **parameters: Unpack[ClothParameters],
    ) -> None:
        self.material = material_named(material)
        self._options = options_of(PARAMETERS, parameters)
        self.substeps: int = self._options.get("substeps", DEFAULTS["substeps"])
        self._faces = triangles("faces", faces).copy()
        self._rest, self._attachment = float32("rest", rest).copy(), attachment_shares(attachment)
        self._body: tuple[Int32, int] | None = None
        self._tests: Float32 | None = None
        self._make_core()

    def _make_core(self) -> None:
        self._core = _core.ClothSimulation(
            self._rest, self._faces, self._attachment, core_numbers(self.material), self._options
        )
        if self._body is not None:
            self._core.collide_with(*self._body)
        if self._tests is not None:
            self._core.track(self._tests)

    def collide_with(self, body_faces: ArrayLike, body_vertex_count: int) -> None:
        """Prevent the cloth from entering a moving triangle mesh. Each later `step` then requires `body`.

        Parameters
        ----------
        body_faces : (T, 3) int
            Triangles of a manifold mesh whose normals point outward. The mesh may have holes; the space behind a hole
            is outside.
        body_vertex_count : int
            Number B of vertices of the body.

        Raises
        ------
        MeshError
            The faces do not form a manifold mesh.
        """
        body = triangles("body_faces", body_faces).copy(), whole_number("body_vertex_count", body_vertex_count)
        self._core.collide_with(*body)
        self._body = body

    def track(self, tests: ArrayLike) -> None:
        """Make the cloth follow a coarse simulation. Each later `step` then requires `targets`.

        The target moments are weighted sums of the coarse cloth's positions. After each substep, the free vertices get
        the smallest mass-weighted displacement with which they reach the target moments (Kavan et al. 2011, equation
        6). `ruckle.offline.simulation.Tracker` computes `tests` and `targets` from two meshes.

        Parameters
        ----------
        tests : (R, V) float, m
            Test functions (harmonics, 1/m) times vertex areas, one row per test function.

        Raises
        ------
        ValueError
            There are too many tests or pins, so that the free vertices cannot reach all moments.
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

        During the step, pins and bodies move along straight lines from their previous positions to the given ones. In
        the first frame, bodies do not move, and pins start at the positions of their vertices.

        Parameters
        ----------
        dt : float, seconds, >= 1e-9
            Time since the previous frame. Velocities above 1,000 m/s are clamped at the end of the frame.
        pins : (V, 3) float, metres, optional
            Positions of the pins at the end of the frame; only rows of attached vertices are read. None: unchanged
            pins.
        wind : (3,) or (V, 3) float, m/s, optional
            Velocity of the air, uniform or per vertex. None: the air does not move.
        cones : (C, 8) float, metres, optional
            Rounded cones that the cloth must not enter: center, radius, center, radius. Their number must not change.
        body : (B, 3) float, metres, optional
            Vertices of the mesh from `collide_with` at the end of the frame; required after `collide_with`.
        targets : (substeps, R, 3) float, m², optional
            Moments of the coarse cloth after each of its substeps, one per test; required after `track`.
        extra_damping : float, 1/s
            Number added to the damping of the material, so that cloth comes to rest sooner.

        Returns
        -------
        ClothFrame

        Raises
        ------
        MeshError
            An input is not finite, or the cloth becomes unstable. The cloth then keeps its state before the step.
        ValueError
            An input has a wrong shape.
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
        """Set positions and velocities. Pins and bodies of earlier steps are deleted.

        Parameters
        ----------
        positions : (V, 3) float, mesh units: metres
        velocities : (V, 3) float, m/s, optional
            None: zero velocities.

        Raises
        ------
        ValueError
            An array has a wrong shape, or a number is not finite.
        """
        self._core.place(
            float32("positions", positions), None if velocities is None else float32("velocities", velocities)
        )

    @property
    def vertex_count(self) -> int:
        """Number of vertices V."""
        return self._core.vertex_count

    @property
    def frame_count(self) -> int:
        """Number of computed frames."""
        return self._core.frame_count

    @property
    def faces(self) -> np.ndarray:
        """(T, 3) int32: vertex indices."""
        return self._faces

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: metres. The current positions."""
        return self._core.positions

    @property
    def velocities(self) -> Float32:
        """(V, 3) float32, m/s: the current velocities."""
        return self._core.velocities

    @property
    def substep_positions(self) -> Float32:
        """(substeps, V, 3) float32, metres: positions after each substep; empty if `record_substeps` is False."""
        return self._core.substep_positions

    @property
    def masses(self) -> Float32:
        """(V,) float32, kg: mass of each vertex."""
        return self._core.masses

    @property
    def energy(self) -> ClothEnergy:
        """Energies of the cloth, J."""
        return self._core.energy

    def __repr__(self) -> str:
        return (
            f"ClothSimulation({self.vertex_count} vertices, {len(self._faces)} faces, after {self.frame_count} frames)"
        )


def attachment_shares(attachment: ArrayLike | None) -> Float32 | None:
    """Return attachment weights for the core. True becomes 1, False becomes 0."""
    if attachment is None:
        return None
    mask = np.asarray(attachment)
    return float32("attachment", mask.astype(np.float32) if mask.dtype == bool else attachment).copy()
