"""Computes a weight and a height factor for each pattern, so that deformed cloth keeps its area.

The raised area of a triangle is its area with the folds of the patterns. It is approximated from two moments of the
patterns' slopes, see ruckle/patterns/modulation.h. A "gram" is the first fundamental form (E, F, G), see `gram`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import choice, found, instance, number, positive_number, whole_number
from ruckle.arrays import Float32, finite, float32, triangles
from ruckle.mesh.topology import mesh_topology
from ruckle.patterns.cells import Float64, determinant, per_cell
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.linear import linear_factors, mean_factors, opposed_weights
from ruckle.patterns.newton import exact_excess
from ruckle.patterns.parameters import Conserve

__all__ = ["Conserve", "Moments", "fold_weights", "gram", "modulation", "pattern_moments", "target_area"]

Fold = Literal["aligned", "paper"]
Solution = Literal["closed", "exact", "linear"]


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments: mean products of the patterns' gradients, from which the raised area of a triangle is computed.

    Attributes
    ----------
    grid : PatternGrid
    heights : (K, N) float32, mesh units
        Heights of the patterns at the nodes of the grid.
    core : _core.Moments
    """

    grid: PatternGrid
    heights: Float32
    core: _core.Moments

    def __reduce__(self) -> tuple[Callable[..., Moments], tuple[PatternGrid, Float32]]:
        return pattern_moments, (self.grid, self.heights)

    @property
    def pattern_count(self) -> int:
        """Number of patterns K."""
        return self.core.pattern_count

    @property
    def rest(self) -> Float32:
        """(T, 3) float32: first fundamental forms (`gram`) of the undeformed cloth."""
        return self.core.rest

    @property
    def values(self) -> Float32:
        """(T, K (K + 1) / 2, 3) float32: means of p1 p1', (p1 p2' + p2 p1') / 2, p2 p2' for each pair of patterns.

        p is the gradient of one pattern, p' of the other, in edge coordinates: a point of a face is vertex 0 + s e1 + t
        e2, and p = (∂f/∂s, ∂f/∂t).
        """
        return self.core.planes.transpose(2, 0, 1)

    @property
    def bend(self) -> tuple[float, float]:
        """Parameters c, d of the approximation y = 1 + z - c z² / (1 + d z).

        y is (raised area / flat area)², and z is the mean square slope. With these parameters, y matches the raised
        area of the patterns on the undeformed cloth for z = 0.5 and for very large z.
        """
        return self.core.bend

    @cached_property
    def slopes(self) -> Float64:
        """(K, C, 2) float64: gradients in edge coordinates, one per cell of the grid."""
        return np.stack([self.grid.slopes(heights) for heights in self.heights]).astype(np.float64)

    @cached_property
    def square_slopes(self) -> Float64:
        """(T, K) float64: mean square slope of each pattern over each undeformed triangle; 0 if its area is 0."""
        e, f, g = self.rest.astype(np.float64).T[:, :, None]
        pairs = [k * self.pattern_count - k * (k - 1) // 2 for k in range(self.pattern_count)]
        p = self.values[:, pairs].astype(np.float64)
        energy = np.maximum(g * p[..., 0] - 2.0 * f * p[..., 1] + e * p[..., 2], 0.0)
        square = determinant(self.rest)[:, None]
        return np.where(square > 0.0, energy / np.maximum(square, 1e-300), 0.0)

    def largest(self, *, steepest: float = 2.0, highest: float = np.inf) -> Float32:
        """Return, for each vertex, the factor at which each pattern reaches its largest allowed slope or height.

        Parameters
        ----------
        steepest : float, > 0
            Limit of the slope on the undeformed cloth. The slope is measured as 4/π times the slope-weighted mean of
            slopes. For a sinusoid, this equals the largest slope; flat cloth between folds does not change it. In
            addition, a fold is at most twice as high as the median fold.
        highest : float, mesh units, > 0

        Returns
        -------
        (V, K) float32
        """
        least = np.float32(1e-9)
        steepness, heights = self.core.steepness, self.core.highest
        by_slope = number("steepest", steepest) / np.maximum(steepness, least)
        # limit the height of each vertex to twice the median, so that parts of an image without folds do not rise far
        has_folds = steepness > 0.1 * np.sqrt(self.core.mean_square)
        ratios = [np.sort(h[on] / s[on]) for h, s, on in zip(heights.T, steepness.T, has_folds.T, strict=True)]
        usual = [ratio[len(ratio) // 2] if len(ratio) else 0.0 for ratio in ratios]
        high = np.minimum(min(number("highest", highest), 1e30), 2.0 * steepest * np.array(usual, np.float32))
        limits: Float32 = np.minimum(by_slope, high / np.maximum(heights, least))
        return limits

    def __repr__(self) -> str:
        c, d = self.bend
        return f"Moments({self.pattern_count} patterns on {len(self.rest)} triangles, bend {c:.3g}, {d:.3g})"


def moments_of(moments: object) -> Moments:
    """Return `moments` unchanged; for any other object raise a TypeError that explains how to make moments."""
    return instance("moments", moments, Moments, "ruckle.pattern_moments(grid, heights) makes them")


def planes(name: str, weights: ArrayLike) -> Float32:
    """Return weights (T, K) in the core's layout, (K, T) float32: one row per pattern."""
    return np.ascontiguousarray(float32(name, weights).T)


def gram(positions: ArrayLike, faces: ArrayLike) -> Float32:
    """Return the first fundamental form of every triangle: the dot products of its edge vectors.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    faces : (T, 3) int

    Returns
    -------
    (T, 3) float32, mesh units²
        E = e1·e1, F = e1·e2, G = e2·e2. The edge vectors e1 and e2 point from vertex 0 to vertices 1 and 2.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a position is not finite.
    MeshError
        An index is out of range.
    """
    return finite("positions", _core.gram(float32("positions", positions), triangles("faces", faces)))


def pattern_moments(grid: PatternGrid, heights: ArrayLike) -> Moments:
    """Return the moments of patterns: mean products of their gradients over each triangle, the input of `modulation`.

    Parameters
    ----------
    grid : PatternGrid
    heights : (K, N) float, mesh units
        Heights of 1 to 4 patterns at the nodes of the grid.

    Returns
    -------
    Moments

    Raises
    ------
    ValueError
        There are no patterns or more than 4, an array has a wrong shape, or a height is not finite.
    """
    values = float32("heights", heights)
    moments = Moments(pattern_grid(grid), values, _core.pattern_moments(grid, values))
    finite("heights", np.append(moments.values, moments.bend))
    return moments


def fold_weights(
    rest: ArrayLike,
    current: ArrayLike,
    moments: Moments,
    *,
    sharpness: float = 4.0,
    fold: Fold = "aligned",
    variance: float = 0.5,
    power: float = 1.0,
) -> Float32:
    """Return the weights of the patterns in each triangle, from its deformation (Hadap 4.1).

    Deformation multiplies the mean square slope of a pattern by a factor. This factor is between 1/λ_max² (gradient at
    right angles to the compression) and 1/λ_min² (gradient along the compression). The alignment of a pattern is the
    position of its factor in this range: the mean squared cosine between its gradient and the axis of compression.

    Parameters
    ----------
    rest, current : (T, 3) float, mesh units²
        First fundamental forms (`gram`) of the undeformed cloth and of the frame.
    moments : Moments
    sharpness : float, > 0
        Exponent of the alignment, for ``"aligned"``. If it is large, the best aligned pattern gets nearly all weight.
    fold : {"aligned", "paper"}
        ``"aligned"``: the weights are powers of the alignments. ``"paper"``: the rule of the paper, which prefers
        patterns with small linear factors MF_k. Its weight is ((1 - r) / 2)^power with r = clip((MF_k / mean - 1) /
        variance, -1, 1) (figure 11).
    variance, power : float, > 0
        Parameters of the rule of the paper, for ``"paper"``.

    Returns
    -------
    (T, K) float32
        At least 0, with sum 1. In an undeformed triangle, all patterns with a slope there get equal weights.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is out of its range.
    """
    before, now = float32("rest", rest), float32("current", current)
    if choice("fold", fold, get_args(Fold)) == "paper":
        factors = linear_factors(before, now, moments_of(moments).slopes, moments.grid.cell_offsets)
        found = opposed_weights(factors, positive_number("variance", variance), positive_number("power", power))
        return finite("rest, current", found.astype(np.float32))
    clear = positive_number("sharpness", sharpness)
    return finite("rest, current", _core.fold_weights(before, now, moments_of(moments).core, sharpness=clear).T)


def target_area(
    rest: ArrayLike,
    current: ArrayLike,
    moments: Moments,
    weights: ArrayLike,
    *,
    rest_slope: float = 0.0,
    conserve: Conserve = "length",
    slack: float = 0.02,
) -> Float32:
    """Return the target area of each raised triangle.

    Parameters
    ----------
    rest, current : (T, 3) float, mesh units²
        First fundamental forms (`gram`) of the undeformed cloth and of the frame.
    moments : Moments
    weights : (T, K) float
        Weights of the patterns, see `fold_weights`.
    rest_slope : float, >= 0
        Factor of the patterns on the undeformed cloth. It equals their root mean square slope if the patterns are
        scaled to slope 1. If 0, undeformed cloth is flat; 0.4 gives wrinkles on undeformed cloth, as in the paper.
    conserve : {"length", "area"}
        ``"length"``: cloth that is stretched along one axis still folds if it is compressed across this axis.
        ``"area"``: cloth folds only if its area decreases, as in the paper.
    slack : float, in [0, 1)
        Share of its length that cloth can lose without folds.

    Returns
    -------
    (T,) float32, mesh units²
        *Twice* the area of each triangle.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is out of its range.
    """
    if not 0.0 <= number("slack", slack) < 1.0:
        raise ValueError(f"slack: expected a number in [0, 1), got {slack}")
    if not 0.0 <= number("rest_slope", rest_slope) < np.inf:
        raise ValueError(f"rest_slope: expected a finite number of at least 0, got {found(rest_slope)}")
    targets = _core.target_area(
        float32("rest", rest),
        float32("current", current),
        moments_of(moments).core,
        planes("weights", weights),
        rest_slope=float(rest_slope),
        conserve_length=choice("conserve", conserve, get_args(Conserve)) == "length",
        slack=float(slack),
    )
    return finite("rest, current, weights, rest_slope", targets)


def modulation(
    current: ArrayLike,
    moments: Moments,
    weights: ArrayLike,
    target: ArrayLike,
    topology: _core.Topology,
    *,
    largest: ArrayLike | None = None,
    corrections: int = 2,
    method: Solution = "closed",
) -> Float32:
    """Return the factors of the patterns at the vertices for which the raised cloth has its target area.

    Parameters
    ----------
    current : (T, 3) float, mesh units²
        First fundamental forms (`gram`) of the frame.
    moments : Moments
    weights : (T, K) float
        Weights of the patterns, see `fold_weights`.
    target : (T,) float, mesh units²
        Twice the target area of each triangle, see `target_area`.
    topology : Topology
    largest : (V, K) float, optional
        Upper bounds of the factors, see `Moments.largest`; default: no bounds.
    corrections : int, in [0, 8]
        Number of passes that correct the error of area from the linear interpolation of factors over triangles.
    method : {"closed", "exact", "linear"}
        ``"closed"``: inverts the approximation by two moments (see the top of this file). ``"exact"``: Newton's method
        on the area of each grid cell; slow, for tests. ``"linear"``: equation (5) of the paper, and the mean of the
        triangles' factors at each vertex; `target` and `corrections` are ignored.

    Returns
    -------
    (V, K) float32
        At least 0; only factors of ``"linear"`` may be negative.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is out of its range.
    """
    grams, mesh = float32("current", current), mesh_topology(topology)
    wanted, shares = float32("target", target), planes("weights", weights)
    limits = None if largest is None else float32("largest", largest)
    name = cast(Solution, choice("method", method, get_args(Solution)))
    if name == "linear":
        factors = linear_factors(moments_of(moments).rest, grams, moments.slopes, moments.grid.cell_offsets)
        found = mean_factors(mesh, moments.rest, factors * shares.T).astype(np.float32)
        return found if limits is None else np.minimum(found, limits)
    excess = None
    if name == "exact":
        offsets = moments_of(moments).grid.cell_offsets
        blend = np.einsum("ck,kcx->cx", per_cell(shares.T, offsets), moments.slopes)
        excess = exact_excess(grams, blend, offsets, wanted).astype(np.float32)
    found = _core.modulation(
        grams,
        moments_of(moments).core,
        shares,
        wanted,
        excess,
        mesh,
        largest=limits,
        corrections=whole_number("corrections", corrections, 0, 8),
    )
    return finite("current, weights, target", found)
