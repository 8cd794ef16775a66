"""Modulates the heights of patterns over the frames of an animation: the stateful class of this package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, length, mistyped, number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.mask import Mask
from ruckle.mesh.topology import topology_of
from ruckle.parameters import Parameter, options_of, with_parameters
from ruckle.patterns.cells import Float64, determinant
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.modulation import Moments, gram
from ruckle.patterns.parameters import (
    DEFAULTS,
    PARAMETERS,
    AnimationModulation,
    ModulatorParameters,
    ModulatorStats,
    ModulatorTimings,
)
from ruckle.patterns.pattern import MOST_PATTERNS, Pattern
from ruckle.pickling import PickledLayer
from ruckle.surface.frame import Details
from ruckle.surface.layers import HeightFrame

__all__ = ["Modulation", "Modulator", "ModulatorStats", "ModulatorTimings"]

# Relative gain in area from which the folds of a face are visible; it corresponds to slopes of 0.06.
VISIBLE_GAIN = 0.002


class Modulation(HeightFrame):
    """The result of one step of a `Modulator`. Its arrays are read-only and remain valid after later steps.

    Attributes
    ----------
    factors : (V, K) float32
        Factors by which `Modulator.heights` are multiplied at the vertices, one per pattern.
    weights : (T, K) float32
        Weights of the patterns in each triangle, with sum 1.
    target : (T,) float32, mesh units²
        Twice the target area of each triangle.
    """

    shader = "pattern.glsl"

    def __init__(
        self,
        found: tuple[Float32, Float32, Float32, ModulatorTimings, ModulatorStats],
        positions: ArrayLike,
        modulator: Modulator,
        *,
        faces: Int32 | None,
        index: int,
    ) -> None:
        modulator = instance("modulator", modulator, Modulator)
        super().__init__(
            positions, modulator.grid.topology, faces=faces, length_unit=modulator.length_unit, index=index
        )
        self.factors, planes, self.target, self._timings, self._stats = found
        self.weights = planes.T
        self._moments = modulator.moments
        self._patterns = modulator.pattern_heights
        for array in (self.factors, self.weights, self.target):
            array.flags.writeable = False

    def heights(self, faces: ArrayLike, barycentric: ArrayLike) -> tuple[Float32, Float32]:
        """Return heights (N,), mesh units, and gradients (N, 3) of the patterns at points of the cloth.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Barycentric coordinates of each point in its face.

        Raises
        ------
        ValueError
            A face does not exist, or an array has a wrong shape.
        """
        source = self.core_source(None, edge_length=None, threads=1)
        return source.heights(int32("faces", faces), float32("barycentric", barycentric))

    @property
    def edge_length(self) -> float:
        """Mean distance of the grid's nodes, mesh units. A fine mesh with this edge length shows the whole pattern."""
        return self._patterns.edge_length

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: relative growth of each face's area by the patterns.

        Approximated from two moments of the slopes, see ruckle/patterns/modulation.h.
        """
        flat = np.sqrt(determinant(gram(self.positions, self.topology.faces)))
        gains = self._raised(flat) / np.maximum(flat, 1e-300) - 1.0
        return np.where(flat > 0, np.maximum(gains, 0.0), 0.0).astype(np.float32)

    @property
    def highest(self) -> float:
        """Upper bound of the heights, mesh units: the largest sum, over the patterns, of factor times highest point."""
        return float((self.factors * self._moments.core.highest).sum(axis=1).max(initial=0.0))

    @cached_property
    def details(self) -> Details:
        """Midpoints of the faces whose area grows visibly, and the added areas."""
        return Details.of_faces(self, self.area_gains, VISIBLE_GAIN)

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.PatternHeights:
        """Return the object of the core that evaluates the heights; `kept` if it can be reused. See `HeightFrame`."""
        source = kept if isinstance(kept, _core.PatternHeights) and kept.shares_patterns(self._patterns) else None
        source = source or self._patterns.copy()
        source.update(self.positions, self.factors)
        return source

    def scaled(self, share: float) -> Modulation:
        """Return a frame whose heights are `share` (0 to 1) times the heights of this frame."""
        return self.changed(factors=np.float32(share) * self.factors)

    @cached_property
    def missing(self) -> Float64:
        """(T,) float64, >= 0: share of each triangle's target area that is missing, by the moment approximation."""
        wanted = self.target.astype(np.float64)
        flat = np.maximum(np.sqrt(determinant(gram(self.positions, self.topology.faces))), 0.05 * wanted)
        return np.where(wanted > 0, np.maximum(1.0 - self._raised(flat) / np.maximum(wanted, 1e-300), 0.0), 0.0)

    def _raised(self, flat: Float64) -> Float64:
        """Return twice the raised area of each triangle by the moment approximation; `flat` is twice its flat area."""
        z = self._reached(gram(self.positions, self.topology.faces)) / np.maximum(flat, 1e-300) ** 2
        c, d = self._moments.bend
        raised: Float64 = flat * np.sqrt(1.0 + z - c * z * z / (1.0 + d * z))
        return raised

    def _reached(self, grams: Float32) -> Float64:
        """Return the mean of q over each triangle, (T,), for the sum of all modulated patterns.

        q is the square of the slope times EG - F², see `ruckle.patterns.cells.quadratic`. The factor `upright` reduces
        it, because heights are along interpolated normals, which are not perpendicular to the triangle.
        """
        e, f, g = grams.T.astype(np.float64)
        corners = self.factors.astype(np.float64)[self.topology.faces]
        total = corners.sum(axis=1)
        means = (np.einsum("tij,tik->tjk", corners, corners) + total[:, :, None] * total[:, None, :]) / 12.0
        reached = np.zeros(len(e))
        for pair, (j, k) in enumerate(zip(*np.triu_indices(means.shape[1]), strict=True)):
            p = self._moments.values[:, pair].T.astype(np.float64)
            reached += (1 if j == k else 2) * means[:, j, k] * (g * p[0] - 2.0 * f * p[1] + e * p[2])
        return np.maximum(reached, 0.0) * self._moments.core.upright

    @property
    def timings(self) -> ModulatorTimings:
        """Milliseconds per stage of the step that computed this frame."""
        return self._timings

    @property
    def stats(self) -> ModulatorStats:
        """Counts of vertices and triangles in this step; see `ModulatorStats`."""
        return self._stats

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_patterns"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self._patterns = _core.PatternHeights(self._moments.grid, self._moments.heights)

    def __repr__(self) -> str:
        return (
            f"Modulation({self.index}: {self.factors.shape[1]} patterns on {len(self.target)} triangles, factors up to "
            f"{self.factors.max(initial=0.0):.3g}, {self.stats['limited']} vertices at a limit)"
        )


@with_parameters(PARAMETERS, {name: parameter.default for name, parameter in PARAMETERS.items()})
class Modulator(PickledLayer[_core.Modulator]):
    """Modulates the heights of patterns fixed to the cloth, so that deformed cloth keeps its area (Hadap et al. 1999).

    Parameters
    ----------
    patterns : sequence of Pattern
        1 to 4 patterns of one grid. Cloth that is compressed in two directions needs two patterns at right angles.
        Patterns are scaled to a root mean square slope of 1 over the garment, so the unit of their heights does not
        matter.
    paint : (V,) float, in [0, 1], optional
        Factor of the heights at each vertex.
    **parameters
        Parameters in `Modulator.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.

    Raises
    ------
    ValueError
        There is no pattern or more than 4, the patterns have different grids, or a parameter is out of its range.
    TypeError
        A parameter has a wrong type.

    Warns
    -----
    UserWarning
        A pattern is flat everywhere, so it cannot increase the area.

    Examples
    --------
    >>> animation = ruckle.sample("sawing")
    >>> patterns = ruckle.animation_patterns(animation, "noise", wavelength="5%")
    >>> modulator = ruckle.Modulator.for_animation(animation, patterns)
    >>> for positions in animation.positions[:60]:
    ...     frame = modulator.step(positions, dt=1 / animation.fps)
    >>> frame.highest > 0.001  # metres
    True
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())
    _made_anew = frozenset({"pattern_heights", "length_unit", "moments"})

    def __init__(
        self,
        patterns: Sequence[Pattern],
        *,
        paint: ArrayLike | None = None,
        **parameters: Unpack[ModulatorParameters],
    ) -> None:
        self.grid = common_grid(patterns)
        heights = np.stack([pattern.heights for pattern in patterns])
        painted = None if paint is None else float32("paint", paint).copy()
        self.names = [pattern.name for pattern in patterns]
        self._given = (heights, painted, options_of(PARAMETERS, parameters))
        self._faces: Int32 | None = None
        self._make_core()
        for name, square in zip(self.names, self._core.moments.mean_square, strict=True):
            if not square > 0.0:
                warnings.warn(f"patterns: {name!r} is flat everywhere, so it cannot take up any length", stacklevel=2)

    def _make_core(self) -> None:
        self._core = _core.Modulator(self.grid, *self._given)
        self.pattern_heights = _core.PatternHeights(self.grid, self.heights)
        # the length unit is r_min, the least radius of a wrinkle, or twice the fine edge length if r_min is not given
        self.length_unit = self._core.r_min or 2.0 * self.pattern_heights.edge_length

    @classmethod
    @with_parameters(PARAMETERS, DEFAULTS, percentages=True)
    def for_animation(
        cls,
        animation: Animation,
        patterns: Sequence[Pattern],
        *,
        paint: ArrayLike | None = None,
        **parameters: Unpack[AnimationModulation],
    ) -> Modulator:
        """Make a Modulator for an animation's mesh. Lengths may be percentages of the character's height.

        Heights are also multiplied by the animation's mask.

        Parameters
        ----------
        animation : Animation
        patterns : sequence of Pattern
            Patterns on a grid of this animation; `ruckle.animation_patterns` makes such patterns.
        paint : (V,) float, in [0, 1], optional
            Factor of the heights at each vertex.
        **parameters
            Parameters in `Modulator.parameters`.

        Raises
        ------
        ValueError
            The patterns were made for another mesh, or a parameter is out of its range.
        TypeError
            A parameter does not exist.
        """
        options = options_of(PARAMETERS, parameters, height=require_animation(animation).height)
        topology = topology_of(animation)
        mask = Mask.of(animation.mask, animation.faces, topology.faces)
        if mask is not None:
            # paint sets the heights of masked cloth to 0, because patterns can also be visible on undeformed cloth
            paint = mask.painted(paint)
        modulator = cls(patterns, paint=paint, **options)
        if not np.array_equal(modulator.grid.topology.faces, topology.faces):
            raise ValueError(
                "patterns: made for another mesh; ruckle.animation_patterns makes patterns for an animation"
            )
        modulator._faces = animation.faces
        modulator._mask = mask
        return modulator

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self.grid.topology

    @property
    def heights(self) -> Float32:
        """(K, N) float32: the patterns at the grid's nodes, scaled to root mean square slope 1 over the garment."""
        return self._core.heights

    @cached_property
    def moments(self) -> Moments:
        """Moments of the scaled patterns."""
        return Moments(self.grid, self.heights, self._core.moments)

    def step(
        self,
        positions: ArrayLike,
        dt: float = 1.0 / 30.0,
        *,
        reference: ArrayLike | None = None,
        remaining: ArrayLike | None = None,
    ) -> Modulation:
        """Compute the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; ignored in the first frame.
        reference : (T, 2, 2) float, mesh units, optional
            Edge matrices of reference triangles, which replace the undeformed triangles. `Frame.reference` can be used;
            under compression, these triangles slowly approach the current ones.
        remaining : (T,) float, in (0, 1], optional
            Flat area / raised area of each triangle, from other layers; see `ruckle.Stack`.

        Returns
        -------
        Modulation

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs; the state is then unchanged.
        ValueError
            The number of triangles differs, or `dt` is out of its range.
        """
        points, index = float32("positions", positions), self._core.frame_count
        found = self._core.step(
            points,
            number("dt", dt),
            None if reference is None else float32("reference", reference),
            self._left(remaining),
        )
        return self._masked(Modulation(found, points, self, faces=self._faces, index=index))

    def __repr__(self) -> str:
        return f"Modulator({', '.join(self.names)}: {self.grid!r}, {self.frame_count} frames done)"


def common_grid(patterns: Sequence[Pattern]) -> PatternGrid:
    """Return the grid of 1 to `MOST_PATTERNS` patterns. ValueError if they do not share one grid object."""
    if not isinstance(patterns, Sequence) or not all(isinstance(pattern, Pattern) for pattern in patterns):
        raise mistyped("patterns", "a sequence of Pattern", patterns)
    if not 1 <= len(patterns) <= MOST_PATTERNS:
        raise ValueError(f"patterns: expected 1 to {MOST_PATTERNS}, got {len(patterns)}")
    grid = patterns[0].grid
    if any(pattern.grid is not grid for pattern in patterns):
        raise ValueError("patterns: expected patterns of one grid")
    return grid


def animation_grid(animation: Animation, *, spacing: float | str, rest: ArrayLike | None = None) -> PatternGrid:
    """Make a grid on an animation's mesh; vertices that UV seams have split are joined.

    Parameters
    ----------
    animation : Animation
    spacing : float or str
        Largest distance of two nodes along an edge, in mesh units or as a percentage of the character's height.
    rest : (V, 3) float, mesh units, optional
        Positions of the undeformed cloth; default: the first frame.

    Returns
    -------
    PatternGrid
    """
    positions = require_animation(animation).positions[0]
    return PatternGrid(
        topology_of(animation),
        positions if rest is None else rest,
        spacing=length(spacing, animation.height, "spacing"),
    )
