"""Patterns: heights at the nodes of a grid, from functions of rest positions or of texture coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ruckle.arguments import choice, instance, mistyped
from ruckle.arrays import Float32, float32
from ruckle.patterns.cells import Float64
from ruckle.patterns.grid import PatternGrid, pattern_grid

__all__ = ["MOST_PATTERNS", "Pattern", "function_pattern", "pattern_of"]

# Largest number of patterns on a mesh. Shaders read the factors of a vertex from one texel, which has four channels.
MOST_PATTERNS = 4

Domain = Literal["rest", "uv"]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern of wrinkles that is fixed to the cloth.

    Attributes
    ----------
    grid : PatternGrid
    heights : (N,) float32, mesh units
        Heights at the nodes of the grid. `Modulator` scales them, so their unit does not matter.
    name : str

    Raises
    ------
    ValueError
        There is not one finite height for each node.
    TypeError
        `grid` is not a PatternGrid, or `name` is not text.
    """

    grid: PatternGrid
    heights: Float32
    name: str = ""

    def __post_init__(self) -> None:
        values = float32("heights", self.heights)
        if values.shape != pattern_grid(self.grid).faces.shape:
            raise ValueError(
                f"heights: expected one for each of {len(self.grid.faces)} nodes, got an array of shape {values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"heights: node {int(np.argmin(np.isfinite(values)))} is not finite")
        object.__setattr__(self, "heights", values.copy())
        instance("name", self.name, str)

    def __repr__(self) -> str:
        return f"Pattern({self.name!r}: {self.heights.min():.3g} to {self.heights.max():.3g} on {self.grid!r})"


def pattern_of(grid: PatternGrid, heights: Float64, name: str) -> Pattern:
    """Return a pattern of the heights minus their mean, so that the pattern does not lift the whole cloth."""
    return Pattern(grid, (heights - heights.mean()).astype(np.float32), name)


def function_pattern(
    grid: PatternGrid,
    function: Callable[..., Float64],
    *,
    over: Domain = "rest",
    uv: ArrayLike | None = None,
    uv_faces: ArrayLike | None = None,
    name: str = "function",
) -> Pattern:
    """Make a pattern from a function. Unlike in other patterns, the mean of the heights is not subtracted.

    Parameters
    ----------
    grid : PatternGrid
    function : callable
        Function of points (N, 3) in mesh units and unit normals (N, 3) of the nodes on the undeformed cloth, or of
        their texture coordinates (N, 2). All arrays are float64. The function returns heights (N,).
    over : {"rest", "uv"}
        Arguments of the function: rest positions and normals, or texture coordinates. With "rest", a pattern is
        continuous across seams. With "uv", it is continuous there only if the function has equal values on both sides.
    uv : (U, 2) float, optional
        Texture coordinates, required for ``over="uv"``.
    uv_faces : (T, 3) int, optional
        Index into `uv` of each face corner; default: the vertex of the corner.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    ValueError
        Texture coordinates are missing, or the result has a wrong shape or is not finite.
    TypeError
        `function` cannot be called.

    Examples
    --------
    >>> topology, square = ruckle.Topology([[0, 1, 2], [0, 2, 3]], 4), [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    >>> grid = ruckle.PatternGrid(topology, square, spacing=0.1)
    >>> ruckle.function_pattern(grid, lambda points, normals: 0.01 * np.sin(20 * points[:, 0]), name="waves").name
    'waves'
    """
    nodes = pattern_grid(grid)
    if not callable(function):
        raise mistyped("function", "a function of points and normals, or of texture coordinates", function)
    if choice("over", over, get_args(Domain)) == "uv":
        if uv is None:
            raise ValueError(
                'uv: expected texture coordinates for over="uv", got none; give over="rest", or make noise'
            )
        heights = function(nodes.uv(uv, uv_faces))
    else:
        heights = function(nodes.nodes, nodes.normals)
    return Pattern(nodes, float32("function", heights), name)
