"""Patterns of single folds, like strokes of a pen: lines of different lengths, distributed over the cloth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import number, positive_number, whole_number
from ruckle.arrays import Int32
from ruckle.offline.patterns.noise import unit_axes
from ruckle.patterns.cells import Float64
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.pattern import Pattern, pattern_of

__all__ = ["stroke_pattern"]

Int64 = NDArray[np.int64]

# In wavelengths: length of the shortest and of the longest stroke, and length of the rising height at each end.
LENGTHS = 4.0, 8.0
RISE = 1.5

# Standard deviation of a stroke's bell-shaped cross-section, in wavelengths. With a larger value, folds are round and
# merge. With a smaller value, folds are thin lines.
DEVIATION = 0.21
# Half width of the cross-section, at which its height is 1 %.
REACH = 3.0 * DEVIATION

# Half axes of an ellipse around the midpoint of a stroke, along and across the stroke, in wavelengths. The ellipse must
# not contain other midpoints.
FREE = 3.5, 0.9
# Number of random midpoints to try, divided by the largest number of strokes that fit on the cloth.
TRIES = 12

# Shortest wavelength that a grid can represent, in node spacings.
LEAST_SPACINGS = 3.0

# Maximum number of strokes. On larger cloth, strokes become longer and wider, because tiny folds would take minutes.
MOST_STROKES = 1500

# Largest number of patches of nodes along a side of a triangle; number of pairs of a patch and a near segment that are
# in memory at once (a few hundred MB).
CELLS = 16
PATCHES_AT_ONCE = 40_000

# Maximum change of a stroke's direction over one wavelength, radians.
MOST_BEND = 0.09

# Maximum number of triangles that half a stroke crosses; longer strokes are cut.
MOST_CROSSED = 200


@dataclass(frozen=True)
class _Segments:
    """Straight segments of half strokes, each in one triangle.

    A segment has its face, its start, the step to its end, and the length of its half stroke that is still ahead.
    """

    faces: Int64
    starts: Float64
    steps: Float64
    ahead: Float64


def stroke_pattern(
    grid: PatternGrid,
    axes: ArrayLike,
    *,
    wavelength: float,
    turn: float = 20.0,
    seed: int = 0,
    name: str = "strokes",
) -> Pattern:
    """Make a pattern of single folds. Texture coordinates are not required.

    Each stroke is a slightly bent line on the surface around its midpoint, with a bell-shaped cross-section and slowly
    rising ends. Two such patterns with different directions look like worn cloth. The `Modulator` leaves a pattern flat
    if the compression is not across its strokes.

    Parameters
    ----------
    grid : PatternGrid
    axes : (T, 3) float
        Directions perpendicular to the folds; see `compression_axes`.
    wavelength : float, mesh units, > 0
        Mean distance of two folds; strokes are four to eight times as long. At least eight grid spacings are
        recommended. A value above the extent of the cloth is reduced to this extent. Then the value is increased, if
        necessary, to three spacings and until at most 1,500 strokes fit.
    turn : float, degrees
        Angle between the folds and the strokes, counter-clockwise if seen from outside.
    seed : int
        Seed of the random numbers; equal seeds produce equal patterns.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    ValueError
        Axes have a wrong shape or are not finite, a number is out of range, or the area of the cloth is zero.
    """
    nodes, wave = pattern_grid(grid), positive_number("wavelength", wavelength)
    if not np.isfinite(number("turn", turn)):
        raise ValueError(f"turn: expected a finite number of degrees, got {turn}")
    surface = _Surface(nodes)
    if not surface.areas.any():
        raise ValueError("grid: expected cloth with an area, got only degenerate triangles")
    # narrower strokes would be lost, because a stroke could be between two nodes
    room = np.pi * FREE[0] * FREE[1]
    wave = min(wave, float(np.linalg.norm(np.ptp(nodes.nodes, axis=0))))
    wave = max(wave, LEAST_SPACINGS * surface.spacing, np.sqrt(surface.areas.sum() / (room * MOST_STROKES)))
    along = surface.turned(unit_axes(nodes, axes), np.radians(90.0 + turn))
    random = np.random.default_rng(whole_number("seed", seed))
    faces, middles = _middles(random, surface, along, wave)
    halves = 0.5 * wave * random.uniform(*LENGTHS, len(faces))
    bends = random.uniform(-MOST_BEND, MOST_BEND, len(faces)) / wave
    heights = np.zeros(len(nodes.faces))
    for side in (1.0, -1.0):
        strokes = surface.walk(faces, middles, side * along[faces], halves, bends)
        _raise(heights, nodes, surface, strokes, wave)
    return pattern_of(nodes, wave * heights, name)


class _Surface:
    """The cloth at rest, on whose triangles strokes are traced."""

    def __init__(self, grid: PatternGrid) -> None:
        self.faces = grid.topology.faces
        self.neighbors = grid.topology.face_neighbors.astype(np.int64)
        self.corners: Float64 = grid.rest.astype(np.float64)[self.faces]
        across = np.cross(self.corners[:, 1] - self.corners[:, 0], self.corners[:, 2] - self.corners[:, 0])
        doubled = np.linalg.norm(across, axis=1)
        self.areas: Float64 = 0.5 * doubled
        edges = np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=1), axis=2)
        self.edge = max(float(np.median(edges)), 1e-30)
        self.spacing = float(np.median(edges.max(axis=1) / grid.face_parts))
        self.radii: Float64 = edges.max(axis=1)
        self.normals: Float64 = across / np.maximum(doubled, 1e-30)[:, None]

    def turned(self, directions: Float64, angle: float | Float64, faces: Int64 | slice = slice(None)) -> Float64:
        """Return directions in triangle planes, rotated counterclockwise around the normals by `angle` in radians."""
        normals = self.normals[faces]
        cosine, sine = (np.asarray(of)[..., None] for of in (np.cos(angle), np.sin(angle)))
        turned: Float64 = cosine * directions + sine * np.cross(normals, directions)
        return turned

    def walk(self, faces: Int64, places: Float64, headings: Float64, lengths: Float64, bends: Float64) -> _Segments:
        """Return the segments of lines that start in faces at `places` and bend slightly at each edge.

        A line ends after its length, at the boundary of the cloth, or after `MOST_CROSSED` triangles.
        """
        parts = []
        left = lengths
        for _ in range(MOST_CROSSED):
            edge, exits = self._exits(faces, places, headings)
            steps = np.minimum(exits, left)
            parts.append(_Segments(faces, places, steps[:, None] * headings, left))
            others = np.where(exits < left, self.neighbors[faces, edge], -1)
            on = others >= 0
            if not on.any():
                break
            faces, edge, others, steps, bends = faces[on], edge[on], others[on], steps[on], bends[on]
            places, left = places[on] + steps[:, None] * headings[on], left[on] - steps
            headings = self._carried(faces, edge, others, headings[on])
            headings = self.turned(headings, bends * steps, others)
            faces = others
        return _Segments(*(np.concatenate([getattr(one, name) for one in parts]) for name in _Segments.__annotations__))

    def _exits(self, faces: Int64, places: Float64, headings: Float64) -> tuple[Int64, Float64]:
        """Return the edge (0, 1 or 2) through which each line leaves its triangle, and the distance to this edge."""
        corners = self.corners[faces]
        outward = np.cross(np.roll(corners, -1, axis=1) - corners, self.normals[faces][:, None])
        speed = np.einsum("nkc,nc->nk", outward, headings)
        distance = np.einsum("nkc,nkc->nk", outward, corners - places[:, None])
        leaves = speed > 1e-9 * np.linalg.norm(outward, axis=2)
        times = np.where(leaves, np.maximum(distance, 0.0) / np.where(leaves, speed, 1.0), np.inf)
        edge = times.argmin(axis=1)
        return edge, np.take_along_axis(times, edge[:, None], axis=1)[:, 0]

    def _carried(self, faces: Int64, edge: Int64, others: Int64, headings: Float64) -> Float64:
        """Return directions after an edge is crossed.

        The direction continues straight if both triangles are unfolded.
        """
        along = self.corners[faces, (edge + 1) % 3] - self.corners[faces, edge]
        along /= np.maximum(np.linalg.norm(along, axis=1), 1e-30)[:, None]
        out, beyond = np.cross(along, self.normals[faces]), np.cross(along, self.normals[others])
        carried: Float64 = (headings * along).sum(axis=1, keepdims=True) * along
        carried += (headings * out).sum(axis=1, keepdims=True) * beyond
        return carried


def _middles(random: np.random.Generator, surface: _Surface, along: Float64, wave: float) -> tuple[Int64, Float64]:
    """Return faces and positions of random midpoints of strokes.

    Midpoints inside the ellipse of another are rejected.
    """
    free = np.array(FREE) * wave
    tries = 1 + int(TRIES * surface.areas.sum() / (np.pi * free.prod()))
    faces = random.choice(len(surface.areas), tries, p=surface.areas / surface.areas.sum())
    places = np.einsum("nk,nkc->nc", random.dirichlet(np.ones(3), tries), surface.corners[faces])
    kept: list[int] = []
    for i in range(tries):
        offsets = places[kept] - places[i]
        lengthwise = offsets @ along[faces[i]]
        across = (offsets**2).sum(axis=1) - lengthwise**2
        if not (lengthwise**2 / free[0] ** 2 + across / free[1] ** 2 < 1.0).any():
            kept.append(i)
    return faces[kept], places[kept]


def _raise(heights: Float64, grid: PatternGrid, surface: _Surface, strokes: _Segments, wave: float) -> None:
    """Write the heights of strokes into `heights`, in place. If strokes overlap, a node has the largest height."""
    reach, lengths = REACH * wave, np.linalg.norm(strokes.steps, axis=1)
    patches = _patches(grid, surface, reach)
    faces, around = _rings(surface, reach)
    places, segments = _members(around, strokes.faces)
    near, pairs = _members(patches.of_face, faces[places])
    segments = segments[pairs]
    apart = patches.centers[near] - (strokes.starts + 0.5 * strokes.steps)[segments]
    close = np.flatnonzero(np.linalg.norm(apart, axis=1) < patches.radii[near] + 0.5 * lengths[segments] + reach)
    for some in np.array_split(close, 1 + len(close) // PATCHES_AT_ONCE):
        places, pairs = _members(patches.starts, near[some])
        _raise_nodes(heights, grid.nodes, patches.nodes[places], strokes, segments[some][pairs], wave)


@dataclass(frozen=True)
class _Patches:
    """Nodes in small groups: nodes by group, first node and bounding sphere of a group, and first group of a face."""

    nodes: Int64
    starts: Int64
    centers: Float64
    radii: Float64
    of_face: Int64


def _patches(grid: PatternGrid, surface: _Surface, reach: float) -> _Patches:
    """Return the nodes of each face in patches about as wide as `reach`: up to `CELLS` along each of two sides."""
    cells = np.clip(surface.radii / reach, 1.0, CELLS).astype(np.int64)[grid.faces, None]
    cell = np.minimum((grid.barycentric[:, :2] * cells).astype(np.int64), cells - 1)
    keys = (grid.faces.astype(np.int64) * CELLS + cell[:, 0]) * CELLS + cell[:, 1]
    nodes = np.argsort(keys, kind="stable")
    found, starts, counts = np.unique(keys[nodes], return_index=True, return_counts=True)
    positions = grid.nodes[nodes]
    centers = np.add.reduceat(positions, starts) / counts[:, None]
    distances = np.linalg.norm(positions - np.repeat(centers, counts, axis=0), axis=1)
    of_face = np.searchsorted(found, np.arange(len(surface.faces) + 1) * CELLS**2)
    return _Patches(nodes, np.append(starts, len(nodes)), centers, np.maximum.reduceat(distances, starts), of_face)


def _raise_nodes(
    heights: Float64, positions: Float64, nodes: Int64, strokes: _Segments, segments: Int64, wave: float
) -> None:
    """Raise `nodes[i]` to at least the height of the stroke with segment `segments[i]`, in place; 1 at a crest.

    The height is a Gaussian of the distance from the segment, times a smooth rise over `RISE` at the stroke's end.
    """
    offsets, steps = positions[nodes] - strokes.starts[segments], strokes.steps[segments]
    squares = np.maximum((steps**2).sum(axis=1), 1e-30)
    share = np.clip((offsets * steps).sum(axis=1) / squares, 0.0, 1.0)
    across = ((offsets - share[:, None] * steps) ** 2).sum(axis=1) / wave**2
    end = np.clip((strokes.ahead[segments] - share * np.sqrt(squares)) / (RISE * wave), 0.0, 1.0)
    bell = np.where(across < REACH**2, np.exp(-0.5 * across / DEVIATION**2), 0.0)
    np.maximum.at(heights, nodes, end * end * (3.0 - 2.0 * end) * bell)


def _rings(surface: _Surface, reach: float) -> tuple[Int64, Int64]:
    """Return the faces around each face, as concatenated lists, and the start of each list.

    These are the faces in so many rings of neighbours that all faces within the distance `reach` are usually included.
    """
    count = len(surface.faces)
    corners = surface.faces.ravel()
    owners, of_vertex = np.argsort(corners) // 3, np.concatenate([[0], np.cumsum(np.bincount(corners))])
    codes = np.arange(count) * (count + 1)
    for _ in range(1 + int(reach / surface.edge)):
        faces, others = np.divmod(codes, count)
        touched, sources = _members(of_vertex, surface.faces[others].ravel())
        codes = np.unique(faces[sources // 3] * count + owners[touched])
    faces, others = np.divmod(codes, count)
    return others, np.searchsorted(faces, np.arange(count + 1))


def _members(starts: Int64, keys: Int32 | Int64) -> tuple[Int64, Int64]:
    """Return the indices starts[k] to starts[k + 1] - 1 of each key k, concatenated, and the position of the key."""
    counts = starts[keys + 1] - starts[keys]
    places = np.arange(counts.sum()) + np.repeat(starts[keys] - np.cumsum(counts) + counts, counts)
    return places, np.repeat(np.arange(len(keys)), counts)
