"""Quality of wrinkle paths: positions, directions, and steadiness over time.

`measure_paths` runs an animation and returns all measures as one `PathMetrics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ruckle._core import Topology
from ruckle.arguments import whole_number
from ruckle.mesh.animation import Animation
from ruckle.mesh.geometry import triangle_areas, unit
from ruckle.paths.frame import Frame
from ruckle.paths.parameters import AnimationParameters
from ruckle.paths.wrinkler import resolved, run
from ruckle.paths.wrinkles import Wrinkle

__all__ = [
    "PathMetrics",
    "compressed_coverage",
    "crest_change",
    "direction_errors",
    "line_angles",
    "measure_paths",
    "path_drift",
    "segment_distances",
    "turning_angles",
]

Array = NDArray[Any]

# Wrinkles with a crest below this height, in r_min, are not visible in a picture.
VISIBLE_CREST = 0.2

# An angle between segments above this number of degrees is visible as a bend.
BEND = 30.0

# Lengths in wrinkle widths. Wrinkles shorter than SHORT look like dents. Visible wrinkles shorter than PILL look like
# small balls of fibre on worn cloth.
SHORT, PILL = 3.0, 2.5

# Barycentric coordinates of sample points: centres of the 16 equal triangles after two subdivisions.
_GRID = np.array(
    [((3 * i + a) / 12, (3 * j + a) / 12) for a in (1, 2) for i in range(4) for j in range(4) if i + j < 5 - a],
    dtype=np.float64,
)


def path_points(topology: Topology, positions: Array, edges: Array, t: Array) -> Array:
    """Return the positions (n, 3) of path vertices on a mesh with the given positions (thesis 5.1).

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges, t : (n,) int and float
        Mesh edge of each path vertex, and weight of the edge's first vertex.

    Returns
    -------
    (n, 3) float64, mesh units
    """
    ends = np.asarray(positions, np.float64)[topology.edges[edges]]
    share = np.asarray(t, np.float64)[:, None]
    return ends[:, 0] * share + ends[:, 1] * (1.0 - share)


def segment_distances(points: Array, starts: Array, ends: Array) -> Array:
    """Return the distance in 3D space from every point to every segment.

    Parameters
    ----------
    points : (n, 3) float, mesh units
    starts, ends : (m, 3) float, mesh units

    Returns
    -------
    (n, m) float64, mesh units
    """
    # coordinates relative to the mean of the points, because squares of large coordinates would lose precision
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    p, s, along = points - middle, starts - middle, ends - starts
    squared = np.maximum(_dots(along, along), 1e-30)
    # matrix products instead of differences of vectors, because an array (n, m, 3) would be too large
    reach = p @ along.T - _dots(s, along)
    share = np.clip(reach / squared, 0.0, 1.0)
    from_start = _dots(p, p)[:, None] - 2.0 * (p @ s.T) + _dots(s, s)
    return np.asarray(np.sqrt(np.maximum(from_start - share * (2.0 * reach - share * squared), 0.0)))


def _dots(a: Array, b: Array) -> Array:
    """Return the dot products (n,) of the rows of two (n, 3) arrays."""
    return np.asarray(np.einsum("nd,nd->n", a, b))


def compressed_coverage(frame: Frame, tau: float) -> tuple[float, float]:
    """Return the area with compression above tau, and the part of it that is at most a wrinkle width from a wrinkle.

    The width is the full width in the middle of the wrinkle. New paths start at least this distance from other paths.

    Parameters
    ----------
    frame : Frame
    tau : float, > 1

    Returns
    -------
    compressed, covered : float, mesh units squared
    """
    faces = np.flatnonzero(frame.compression > tau)
    if not len(faces):
        return 0.0, 0.0
    corners = frame.positions[frame.topology.faces[faces]].astype(np.float64)
    areas = triangle_areas(frame.positions, frame.topology.faces[faces])
    if not frame.wrinkles:
        return float(areas.sum()), 0.0
    lines = [wrinkle.visible_line for wrinkle in frame.wrinkles]
    widths = np.concatenate(
        [np.full(len(line) - 1, w.full_width) for line, w in zip(lines, frame.wrinkles, strict=True)]
    )
    starts, ends = np.concatenate([a[:-1] for a in lines]), np.concatenate([a[1:] for a in lines])
    return float(areas.sum()), float((areas * _covered_shares(corners, starts, ends, widths)).sum())


def _covered_shares(corners: Array, starts: Array, ends: Array, widths: Array) -> Array:
    """Return the fraction (f,) of each triangle (f, 3, 3) that is at most a wrinkle width away from a segment."""
    centers, middles = corners.mean(axis=1), 0.5 * (starts + ends)
    radii = np.linalg.norm(corners - centers[:, None], axis=2).max(axis=1)
    reaches = widths + 0.5 * np.linalg.norm(ends - starts, axis=1)
    # most segments are far from most triangles, so sample points are only tested for pairs that are near
    apart = segment_distances(centers, middles, middles)
    face, segment = np.nonzero(apart <= radii[:, None] + reaches)
    weights = np.column_stack([1.0 - _GRID.sum(axis=1), _GRID])
    points = np.einsum("gk,fkd->fgd", weights, corners)
    along = (ends - starts)[segment]
    to = points[face] - starts[segment, None]
    share = np.einsum("pgd,pd->pg", to, along) / np.maximum(_dots(along, along), 1e-30)[:, None]
    distances = np.linalg.norm(to - np.clip(share, 0.0, 1.0)[..., None] * along[:, None], axis=2)
    shares = np.zeros(len(corners))
    if len(face):
        # pairs are sorted by face
        reached, first = np.unique(face, return_index=True)
        shares[reached] = np.logical_or.reduceat(distances <= widths[segment, None], first).mean(axis=1)
    return shares


def direction_errors(frame: Frame, tau: float) -> tuple[Array, Array]:
    """Return the angle between each path segment and the wrinkle direction of the field, and the segment's length.

    Segments count only in triangles with compression above tau and with a defined direction.

    Parameters
    ----------
    frame : Frame
    tau : float, > 1

    Returns
    -------
    angles : (n,) float64, degrees in [0, 90]
    lengths : (n,) float64, mesh units
    """
    if not frame.wrinkles:
        return np.empty(0), np.empty(0)
    step = np.concatenate([np.diff(wrinkle.points.astype(np.float64), axis=0) for wrinkle in frame.wrinkles])
    faces = np.concatenate([wrinkle.faces for wrinkle in frame.wrinkles])
    size = np.linalg.norm(step, axis=1)
    use = (frame.compression[faces] > tau) & frame.stretch.axis[faces].any(axis=1) & (size > 0.0)
    step, faces, size = step[use], faces[use], size[use]
    corners = frame.positions[frame.topology.faces[faces]].astype(np.float64)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    x = unit(first)
    y = np.cross(unit(np.cross(first, second)), x)
    axis = frame.stretch.axis[faces]
    sine = np.abs(_dots(step, x * axis[:, :1] + y * axis[:, 1:])) / size
    return np.degrees(np.arcsin(np.clip(sine, 0.0, 1.0))), size


def turning_angles(topology: Topology, positions: Array, edges: Array, t: Array) -> Array:
    """Return the angles between consecutive segments of a path, after unfolding their two triangles into a plane.

    Parameters
    ----------
    topology : Topology
    positions : (V, 3) float, mesh units
    edges : (n,) int
    t : (n,) float
        Weights of the first vertices of the edges; the path has n > 2 vertices.

    Returns
    -------
    (n - 2,) float64, degrees
    """
    ends = np.asarray(positions, np.float64)[topology.edges[edges[1:-1]]]
    along = unit(ends[:, 0] - ends[:, 1])

    def angle_to_edge(step: Array) -> Array:
        a = _dots(step, along)
        across = np.linalg.norm(step - a[:, None] * along, axis=1)
        return np.asarray(np.arctan2(across, a))

    steps = np.diff(path_points(topology, positions, edges, t), axis=0)
    return np.asarray(np.degrees(np.abs(angle_to_edge(steps[1:]) - angle_to_edge(steps[:-1]))))


def line_angles(frame: Frame, wrinkle: Wrinkle) -> Array:
    """Return the turning angle of a wrinkle's drawn line at each sample, from one width before to one width after.

    Angles are measured in the tangent plane of the cloth. The line is restricted to samples higher than a tenth of the
    crest, and samples within one width of the ends of this part are excluded.

    Parameters
    ----------
    frame : Frame
    wrinkle : Wrinkle
        A wrinkle of the frame.

    Returns
    -------
    (n,) float64, degrees in [0, 180]
        Empty if the wrinkle does not have a drawn line, or if this part is shorter than two widths.
    """
    if wrinkle.curve is None:
        return np.empty(0)
    high = wrinkle.curve[wrinkle.curve["height"] > 0.1 * wrinkle.crest]
    if not len(high):
        return np.empty(0)
    corners = frame.positions[frame.topology.faces[high["face"]]].astype(np.float64)
    points = np.einsum("nk,nkd->nd", high["barycentric"], corners)
    passed = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    width = wrinkle.full_width
    use = (passed >= width) & (passed <= passed[-1] - width)
    normals = unit(np.cross(corners[use, 1] - corners[use, 0], corners[use, 2] - corners[use, 0]))

    def seen_at(offset: float) -> Array:
        away = np.stack([np.interp(passed[use] + offset, passed, axis) for axis in points.T], axis=1) - points[use]
        return np.asarray(unit(away - normals * _dots(away, normals)[:, None]))

    return np.asarray(np.degrees(np.arccos(np.clip(-_dots(seen_at(-width), seen_at(width)), -1.0, 1.0))))


def path_drift(frame: Frame, previous: Frame, *, by_identity: bool = True) -> Array:
    """Return the motion of path vertices relative to the cloth since the previous frame, in wrinkle widths.

    The previous frame's paths are moved with the cloth (same edges and t, new positions). Each vertex of this frame is
    compared with the moved path of the same id, or with the nearest moved path if `by_identity` is False. With ids, new
    wrinkles are skipped.

    Parameters
    ----------
    frame, previous : Frame
        Two consecutive frames of one Wrinkler.
    by_identity : bool

    Returns
    -------
    (n,) float64, full widths of the wrinkle
    """
    if by_identity:
        return _drift_of_each(frame, previous)
    if not frame.wrinkles or not previous.wrinkles:
        return np.empty(0)
    lines = [path_points(frame.topology, frame.positions, w.edges, w.t) for w in previous.wrinkles]
    starts, ends = np.concatenate([a[:-1] for a in lines]), np.concatenate([a[1:] for a in lines])
    points = np.concatenate([wrinkle.points.astype(np.float64) for wrinkle in frame.wrinkles])
    widths = np.repeat([w.full_width for w in frame.wrinkles], [len(w) for w in frame.wrinkles])
    return np.asarray(segment_distances(points, starts, ends).min(axis=1) / widths)


def _drift_of_each(frame: Frame, previous: Frame) -> Array:
    """Return the drift of all vertices of wrinkles that the previous frame also contains."""
    before = {wrinkle.id: wrinkle for wrinkle in previous.wrinkles}
    pairs = [(wrinkle, before[wrinkle.id]) for wrinkle in frame.wrinkles if wrinkle.id in before]
    if not pairs:
        return np.empty(0)
    points = np.concatenate([now.points.astype(np.float64) for now, _ in pairs])
    edges, t = np.concatenate([old.edges for _, old in pairs]), np.concatenate([old.t for _, old in pairs])
    carried = path_points(frame.topology, frame.positions, edges, t)
    counts, lengths = (np.array([len(pair[k]) for pair in pairs]) for k in range(2))
    # for each vertex: number of segments of its wrinkle, index of the first segment, start in the list of distances
    segments = np.repeat(lengths - 1, counts)
    first = np.repeat(np.cumsum(lengths) - lengths, counts)
    begin = np.cumsum(segments) - segments
    vertex = np.repeat(np.arange(len(points)), segments)
    start = first[vertex] + np.arange(len(vertex)) - begin[vertex]
    to, along = points[vertex] - carried[start], carried[start + 1] - carried[start]
    share = np.clip(_dots(to, along) / np.maximum(_dots(along, along), 1e-30), 0.0, 1.0)
    distances = np.linalg.norm(to - share[:, None] * along, axis=1)
    widths = np.repeat([now.full_width for now, _ in pairs], counts)
    return np.asarray(np.minimum.reduceat(distances, begin) / widths)


def crest_change(frame: Frame, previous: Frame) -> float:
    """Return the largest change of a wrinkle's crest height since the previous frame, in r_min.

    A missing wrinkle counts with height 0. For changes of the drawn surface, see `measure_surface_change`.

    Parameters
    ----------
    frame, previous : Frame
        Two consecutive frames of one Wrinkler.
    """
    before, now = ({w.id: w.crest for w in f.wrinkles} for f in (previous, frame))
    return max((abs(now.get(key, 0.0) - before.get(key, 0.0)) for key in before | now), default=0.0) / frame.length_unit


@dataclass(frozen=True)
class PathMetrics:
    """Quality of the paths in one run. A measure is NaN if there is nothing to measure, such as without wrinkles.

    Attributes
    ----------
    coverage : float
        Fraction of the area with compression above `tau` that is within one wrinkle width of a wrinkle, over the
        sampled frames.
    direction_error : float, degrees
        Mean angle between path segments and the wrinkle direction of the field, weighted by length, where the
        compression is above `grow_tau`.
    turning_p90, bends : float, degrees; share
        90th percentile of the angles between consecutive segments; fraction of these angles above 30°.
    line_bends : float
        Fraction of `line_angles` above 30°, for wrinkles with a crest above 0.2 r_min.
    drift_p95 : float, widths
        95th percentile of the motion of path vertices relative to the cloth per frame.
    height_change : float, r_min
        Largest change of a wrinkle's crest height per frame.
    wrinkles : float
        Mean number of wrinkles.
    born, died : float
        Numbers of wrinkles that appear and disappear per second.
    length : float, mesh units
        Median length over wrinkles and frames.
    short, pills, fading : float
        Fraction of wrinkles shorter than three widths; fraction of visible wrinkles (crest above 0.2 r_min) shorter
        than 2.5 widths; fraction of wrinkles that fade because their compression is gone.
    clamped : float
        Path vertices per second that could not move over a mesh vertex.
    step_p50, step_p95, paths_p50 : float, ms
        Computation time per frame (median, 95th percentile), and median time of the path stages.
    """

    coverage: float
    direction_error: float
    turning_p90: float
    bends: float
    line_bends: float
    drift_p95: float
    height_change: float
    wrinkles: float
    born: float
    died: float
    length: float
    short: float
    pills: float
    fading: float
    clamped: float
    step_p50: float
    step_p95: float
    paths_p50: float

    def __str__(self) -> str:
        return ", ".join(f"{field.name} {getattr(self, field.name):.3g}" for field in fields(self))


def _percentile(parts: Sequence[Array], share: float) -> float:
    values = np.concatenate([*parts, np.empty(0)])
    return float(np.percentile(values, share)) if len(values) else float("nan")


def _share_above(limit: float, parts: Sequence[Array]) -> float:
    return _ratio(sum(int((part > limit).sum()) for part in parts), sum(map(len, parts)))


def _ratio(part: float, whole: float) -> float:
    """Return part / whole; NaN if `whole` is 0."""
    return part / whole if whole else float("nan")


def _angles(frame: Frame) -> tuple[Array, Array]:
    """Return the angles at the vertices of a frame's paths, and at the samples of its visible lines, in degrees."""
    paths = [w for w in frame.wrinkles if len(w) > 2]
    lines = [w for w in frame.wrinkles if w.crest > VISIBLE_CREST * frame.length_unit]
    turns = [turning_angles(frame.topology, frame.positions, w.edges, w.t) for w in paths]
    return np.concatenate([*turns, np.empty(0)]), np.concatenate([*(line_angles(frame, w) for w in lines), np.empty(0)])


def measure_paths(animation: Animation, *, every: int = 5, **parameters: Unpack[AnimationParameters]) -> PathMetrics:
    """Run an animation and measure the quality of its paths.

    Parameters
    ----------
    animation : Animation
    every : int
        Coverage and angles are measured only in frames 0, `every`, 2 `every` and so on; changes in all frames.
    **parameters
        Parameters of `Wrinkler.for_animation`; `r_min` must be above 0.

    Returns
    -------
    PathMetrics
    """
    every = whole_number("every", every, 1)
    frames = list(run(animation, **parameters))
    options = resolved(parameters, height=animation.height)
    sampled, steps = frames[::every], list(pairwise(frames))
    area, covered = map(sum, zip(*(compressed_coverage(frame, options["tau"]) for frame in sampled), strict=True))
    directions = [direction_errors(frame, options["grow_tau"]) for frame in sampled]
    turns, bent = zip(*map(_angles, sampled), strict=True)
    every_wrinkle = [(w, frame.length_unit) for frame in frames for w in frame.wrinkles]
    lengths = np.array([w.length for w, _ in every_wrinkle])
    aspects = lengths / np.array([w.full_width for w, _ in every_wrinkle])
    visible = np.array([w.crest / r_min for w, r_min in every_wrinkle]) > VISIBLE_CREST
    seconds = len(frames) / animation.fps
    total = np.array([frame.timings["total"] for frame in frames])
    stages = np.array([sum(frame.timings[stage] for stage in ("persist", "trace", "shape")) for frame in frames])
    return PathMetrics(
        coverage=_ratio(covered, area),
        direction_error=_ratio(
            sum(float(angles @ sizes) for angles, sizes in directions),
            sum(float(sizes.sum()) for _, sizes in directions),
        ),
        turning_p90=_percentile(turns, 90),
        bends=_share_above(BEND, turns),
        line_bends=_share_above(BEND, bent),
        drift_p95=_percentile([path_drift(b, a, by_identity=options["coherent"]) for a, b in steps], 95),
        height_change=max((crest_change(b, a) for a, b in steps), default=0.0),
        wrinkles=float(np.mean([len(frame.wrinkles) for frame in frames])),
        born=sum(frame.stats["born"] for frame in frames) / seconds,
        died=sum(frame.stats["died"] for frame in frames) / seconds,
        length=_percentile([lengths], 50),
        short=_ratio(int(np.count_nonzero(aspects < SHORT)), len(lengths)),
        pills=_ratio(int(np.count_nonzero(aspects[visible] < PILL)), int(visible.sum())),
        fading=_ratio(sum(w.fading for w, _ in every_wrinkle), len(every_wrinkle)),
        clamped=sum(frame.stats["clamped"] for frame in frames) / seconds,
        step_p50=float(np.percentile(total, 50)),
        step_p95=float(np.percentile(total, 95)),
        paths_p50=float(np.percentile(stages, 50)),
    )
