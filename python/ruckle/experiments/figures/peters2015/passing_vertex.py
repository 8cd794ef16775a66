"""Figures 5.4 and 5.5: paths slide over mesh vertices.

If the optimum of a path vertex is beyond the end of its edge, the path around that mesh vertex is rerouted over other
edges on the same line. Several path vertices around one mesh vertex block each other, so only one of them takes part in
the optimisation. The others follow this path vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import (
    PATH,
    PLAIN,
    STRONG,
    Drawing,
    Window,
    canvas,
    facing_projection,
    paint_path,
    panels,
    show_cloth,
)
from ruckle.experiments.metrics import path_points, segment_distances
from ruckle.experiments.plot.space import Projection
from ruckle.mesh.topology import Topology
from ruckle.paths.frame import Wrinkle
from ruckle.paths.persist import optimize_path

__all__ = ["ALPHA", "STRAIGHTNESS", "Passing", "draw_crowd", "draw_passing", "is_valid", "measure"]

# Weights of the path energy, in the runs and in the computation of `Passing.free`; compression above which paths begin.
ALPHA, STRAIGHTNESS = 0.4, 1.5
TAU = 1.25

# Fraction of an edge within which several path vertices at one mesh vertex block each other (thesis 5.2).
CROWDED = 0.1

# Half height of the left picture of figure 5.4 in mean edge lengths, and number of frames that it shows before and
# after the event.
CLOSE, TRAIL = 0.42, 8


@dataclass(frozen=True, eq=False)
class Passing:
    """The event that a path moves over a mesh vertex between two frames.

    Attributes
    ----------
    frame : int
        Index of the later frame.
    vertex : int
        Index of the mesh vertex.
    before, now : Wrinkle
        The wrinkle in both frames.
    free : (n,) float64
        Values t of the earlier path that minimise the path energy in the later frame, if all of its vertices take part
        and t may leave [0, 1].
    members : (n,) bool
        True for the vertices of the earlier path whose edges the later path does not cross. They were replaced.
    gap : float, widths
        Largest distance between a replaced vertex, moved with the cloth, and the later path, in wrinkle widths.
    """

    frame: int
    vertex: int
    before: Wrinkle
    now: Wrinkle
    free: NDArray[np.float64]
    members: NDArray[np.bool_]
    gap: float

    @property
    def beyond(self) -> NDArray[np.float64]:
        """How far the optimal t of each replaced path vertex (`members`) is outside [0, 1], in edge lengths, (k,).

        Inside, it is minus the distance to the nearer end of [0, 1].
        """
        return np.maximum(self.free - 1.0, -self.free)[self.members]


def measure(clip: Clip) -> list[Passing]:
    """Find all events in a clip where a wrinkle moves over a mesh vertex."""
    return [passing for frame in range(1, len(clip)) for passing in _passings(clip, frame)]


def is_valid(topology: Topology, wrinkle: Wrinkle) -> bool:
    """Return True if all t are in [0, 1], neighbouring vertices share a triangle, and no triangle is visited twice."""
    faces: list[int] = []
    for a, b in pairwise(wrinkle.edges):
        shared = set(topology.edge_faces[a].tolist()) & set(topology.edge_faces[b].tolist()) - {-1}
        if a == b or len(shared) != 1:
            return False
        faces += shared
    confined = bool(((wrinkle.t >= 0.0) & (wrinkle.t <= 1.0)).all())
    return confined and len(set(faces)) == len(faces)


def draw_passing(sample: str = "chopping") -> Drawing:
    """Draw a path that slides over a mesh vertex, and the optimum that causes this motion (figure 5.4)."""
    clip = _play(sample)
    passings = measure(clip)
    found = max(passings, key=lambda passing: float(passing.beyond.max()))
    frame = clip.frames[found.frame]
    figure, (left, right), projection = _open(clip, found, CLOSE * clip.mean_edge)
    trail = [k for k in range(found.frame - TRAIL, found.frame + TRAIL + 1) if 0 <= k < len(clip)]
    blues = colormaps["Blues"]
    for k in trail:
        for wrinkle in clip.frames[k].wrinkles:
            if wrinkle.id == found.now.id:
                shade = to_hex(blues(0.3 + 0.7 * (k - trail[0]) / (len(trail) - 1)))
                path = (wrinkle.edges, wrinkle.t)
                paint_path(left, frame, path, projection=projection, color=shade, width=1.2, hidden=False)
    left.set_title(f"frames {trail[0]} to {trail[-1]}", fontsize=9)
    x, y, _ = projection.project(frame.positions[found.vertex])
    half = 1.4 * _spread(clip, found, found.before.t, found.free)
    right.set(xlim=(x - 1.25 * half, x + 1.25 * half), ylim=(y - half, y + half))
    for t, color in ((found.before.t, PLAIN), (found.free, PATH)):
        laid = (found.before.edges, t)
        paint_path(right, frame, laid, projection=projection, color=color, marker=4, hidden=False)
    wish = projection.project(path_points(frame.topology, frame.positions, found.before.edges, found.free))
    right.plot(*wish[np.flatnonzero(found.members)[int(found.beyond.argmax())], :2], "o", color=STRONG, ms=8, zorder=4)
    right.set_title(f"optimum of frame {found.frame}, close up", fontsize=9)
    return Drawing(
        figure,
        seen="Left, from light to dark: a path moves over a mesh vertex. Right: the path before (grey) and its "
        "optimum one frame later (blue). One path vertex (red) is beyond the end of its edge by "
        f"{100 * float(found.beyond.max()):.1f} % of the edge, so the path is laid around the mesh vertex again. Over "
        f"the clip, this happens {len(passings)} times and moves paths by at most "
        f"{max(passing.gap for passing in passings):.2f} wrinkle widths.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {found.frame}; τ = {TAU:g}, α = {ALPHA:g}",
    )


def draw_crowd(sample: str = "chopping") -> Drawing:
    """Draw several path vertices at one mesh vertex, which move over the mesh vertex together (figure 5.5)."""
    clip = _play(sample)
    passings = [passing for passing in measure(clip) if passing.members.sum() > 1]
    found = max(passings, key=lambda passing: (int(passing.members.sum()) == 3, _is_crowd(passing), passing.gap))
    frame = clip.frames[found.frame]
    figure, (left, right), projection = _open(clip, found, 1.8 * _spread(clip, found, found.before.t))
    old, new = (found.before.edges, found.before.t), (found.now.edges, found.now.t)
    paint_path(left, frame, old, projection=projection, color=PLAIN, marker=5, hidden=False)
    paint_path(right, frame, old, projection=projection, color=PLAIN, hidden=False)
    paint_path(right, frame, new, projection=projection, color=PATH, marker=5, hidden=False)
    line = projection.project(path_points(frame.topology, frame.positions, *old))
    members = np.flatnonzero(found.members)
    left.plot(*line[members[len(members) // 2], :2], "o", color=STRONG, ms=8, zorder=4)
    left.set_title(f"{len(members)} vertices at one mesh vertex", fontsize=9)
    right.set_title("one frame later", fontsize=9)
    held = sum(bool((passing.beyond < 0.0).any()) for passing in passings)
    return Drawing(
        figure,
        seen=f"Of the path vertices around one mesh vertex, only one (red) is optimised; the others follow it to the "
        f"other side. If all were optimised, {held} of the {len(passings)} paths with several vertices at one mesh "
        f"vertex could not pass it.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {found.frame}; τ = {TAU:g}, α = {ALPHA:g}",
    )


def _play(sample: str) -> Clip:
    return play_sample(sample, tau=TAU, path_alpha=ALPHA, straightness=STRAIGHTNESS)


def _passings(clip: Clip, frame: int) -> Iterator[Passing]:
    """Yield the events between the frame before `frame` and `frame`, at most one per wrinkle that both contain."""
    after = {wrinkle.id: wrinkle for wrinkle in clip.frames[frame].wrinkles}
    positions, earlier = clip.animation.positions[frame], clip.animation.positions[frame - 1]
    for before in clip.frames[frame - 1].wrinkles:
        now = after.get(before.id)
        if now is None:
            continue
        gone = ~np.isin(before.edges, now.edges)
        vertex = _passed_vertex(clip.topology, before, gone)
        if vertex is None:
            continue
        free = optimize_path(
            clip.topology,
            positions,
            earlier,
            clip.frames[frame].stretch,
            before.edges,
            before.t,
            alpha=ALPHA,
            straightness=STRAIGHTNESS,
            length_unit=clip.mean_edge,
        )
        carried = path_points(clip.topology, positions, before.edges, before.t)[gone]
        line = now.points.astype(np.float64)
        gap = float(segment_distances(carried, line[:-1], line[1:]).min(axis=1).max()) / now.full_width
        yield Passing(frame, vertex, before, now, free, gone, gap)


def _passed_vertex(topology: Topology, before: Wrinkle, gone: NDArray[np.bool_]) -> int | None:
    """Return the mesh vertex that a path moved over. All edges that the path lost (`gone`) end at this vertex.

    None if the path did not lose an edge, if it lost its first or last edge, or if there is no such vertex.
    """
    lost = np.flatnonzero(gone)
    if not len(lost) or lost[0] == 0 or lost[-1] == len(gone) - 1:
        return None
    common = set.intersection(*(set(topology.edges[edge].tolist()) for edge in before.edges[lost]))
    # the end of the first lost edge that is nearer to the path, because a single lost edge has two ends
    near = topology.edges[before.edges[lost[0]], 0 if before.t[lost[0]] > 0.5 else 1]
    return int(near) if int(near) in common else None


def _spread(clip: Clip, found: Passing, *parameters: NDArray[np.floating]) -> float:
    """Return the largest distance of the replaced path vertices from the mesh vertex, mesh units.

    `parameters` are one or more alternatives (n,) for t of the earlier path.
    """
    positions = clip.animation.positions[found.frame]
    points = [path_points(clip.topology, positions, found.before.edges, t)[found.members] for t in parameters]
    return float(np.linalg.norm(np.array(points) - positions[found.vertex], axis=2).max())


def _is_crowd(found: Passing) -> bool:
    """Return True if all replaced path vertices are near the mesh vertex, as in section 5.2 of the thesis."""
    near = np.minimum(found.before.t, 1.0 - found.before.t)[found.members]
    return bool((near < CROWDED).all())


def _open(clip: Clip, found: Passing, half: float) -> tuple[Figure, tuple[Axes, Axes], Projection]:
    """Return a figure with two panels that show the cloth up to `half` mesh units above and below the mesh vertex."""
    frame = clip.frames[found.frame]
    faces = frame.topology.faces
    projection = facing_projection(frame.positions, faces[(faces == found.vertex).any(axis=1)])
    x, y, _ = projection.project(frame.positions[found.vertex])
    figure = canvas(8.4, 3.8)
    left, right = panels(figure, 1, 2)[0]
    for axes in (left, right):
        window = Window((float(x), float(y)), (1.25 * half, half))
        show_cloth(axes, frame.positions, faces, projection=projection, window=window)
    return figure, (left, right), projection
