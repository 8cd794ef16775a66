"""Figure 5.1: one step of tangential smoothing moves the traced path towards the geodesic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle._core import Topology
from ruckle.arrays import Float32, Int32
from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import (
    GEODESIC,
    PLAIN,
    Drawing,
    canvas,
    facing_projection,
    paint_path,
    panels,
    show_cloth,
    window_around,
)
from ruckle.experiments.metrics import path_points, turning_angles
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.paths.trace import smooth_path, trace

__all__ = ["Smoothing", "draw", "measure"]

# Number of smoothing steps until the path converges to the geodesic in its strip of triangles.
GEODESIC_STEPS = 200
# Least cosine between the normal of each triangle that the drawn path crosses and the mean of these normals.
FACING = 0.6


@dataclass(frozen=True, eq=False)
class SmoothedPath:
    """A path in one frame: its edges (n,), and t (n,) as traced, after one smoothing step, and as the geodesic."""

    frame: int
    edges: Int32
    traced: Float32
    smoothed: Float32
    geodesic: Float32


@dataclass(frozen=True, eq=False)
class Smoothing:
    """The effect of smoothing on all paths of some frames.

    Attributes
    ----------
    paths : list of SmoothedPath
    lengths : (n, 3) float64, mesh units
        Length of each path: as traced, smoothed, and as the geodesic.
    shifts : (n, 2) float64, mesh units
        Mean distance of each path's vertices from the traced path: of the smoothed path, and of the geodesic.
    turning : tuple of three (m,) float64, degrees
        Angles between consecutive segments in unfolded triangles: traced, smoothed, geodesic.
    """

    paths: list[SmoothedPath]
    lengths: NDArray[np.float64]
    shifts: NDArray[np.float64]
    turning: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def measure(clip: Clip, *, tau: float = 1.15, every: int = 10) -> Smoothing:
    """Trace paths from scratch in every n-th frame, n = `every`, and smooth those with at least three vertices."""
    paths, lengths, shifts = [], [], []
    angles: tuple[list[NDArray[np.float64]], ...] = ([], [], [])
    for frame in range(0, len(clip), every):
        positions = clip.animation.positions[frame]
        field = clip.frames[frame].stretch
        for edges, t in trace(clip.topology, positions, field, r_min=clip.r_min, tau=tau, smooth=False):
            if len(edges) < 3:
                continue
            once = smooth_path(clip.topology, positions, edges, t)
            straight = t
            for _ in range(GEODESIC_STEPS):
                straight = smooth_path(clip.topology, positions, edges, straight)
            paths.append(SmoothedPath(frame, edges, t, once, straight))
            lines = [path_points(clip.topology, positions, edges, values) for values in (t, once, straight)]
            lengths.append([float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in lines])
            shifts.append([float(np.linalg.norm(line - lines[0], axis=1).mean()) for line in lines[1:]])
            for found, values in zip(angles, (t, once, straight), strict=True):
                found.append(turning_angles(clip.topology, positions, edges, values))
    traced, smoothed, straightest = (np.concatenate([*found, np.empty(0)]) for found in angles)
    return Smoothing(
        paths,
        np.array(lengths).reshape(-1, 3),
        np.array(shifts).reshape(-1, 2),
        (traced, smoothed, straightest),
    )


def draw(sample: str = "sawing") -> Drawing:
    """Draw the path that smoothing moves most, and the distribution of angles of all paths."""
    clip = play_sample(sample)
    found = measure(clip)
    path = max(
        (path for path in found.paths if 5 <= len(path.edges) <= 12 and _is_open(clip, path)),
        key=lambda path: float(np.abs(path.smoothed - path.traced).sum()),
    )
    frame = clip.frames[path.frame]
    faces = frame.topology.faces
    projection = facing_projection(frame.positions, faces[_crossed(frame.topology, path.edges)])
    line = path_points(frame.topology, frame.positions, path.edges, path.traced)
    figure = canvas(9.5, 3.8)
    axes, chart = panels(figure, 1, 2)[0]
    window = window_around(line, projection, margin=0.1, square=True)
    show_cloth(axes, frame.positions, faces, projection=projection, window=window)
    for values, color, name in (
        (path.traced, "#2f6db5", "traced"),
        (path.geodesic, GEODESIC, "geodesic"),
        (path.smoothed, "#8e3fb0", "smoothed once"),
    ):
        paint_path(
            axes, frame, (path.edges, values), projection=projection, color=color, marker=3.5, label=name, hidden=False
        )
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    p90 = []
    for angles, color in zip(found.turning, ("#2f6db5", "#8e3fb0", GEODESIC), strict=True):
        ordered = np.sort(angles)
        chart.plot(ordered, np.linspace(0.0, 1.0, len(ordered)), color=color, lw=1.4)
        p90.append(float(np.percentile(angles, 90)))
    chart.axhline(0.9, color=PLAIN, lw=0.6)
    chart.set(xlim=(0, 90), ylim=(0, 1))
    chart.set_xlabel("angle between segments, degrees", fontsize=8)
    chart.set_ylabel("share of angles", fontsize=8)
    moved = float(found.shifts[:, 0].sum() / found.shifts[:, 1].sum())
    return Drawing(
        figure,
        seen="The traced path bends at every edge. One step of smoothing removes the sharp bends and moves the path "
        f"by {moved:.0%} of its distance to the geodesic. 90 % of the angles between segments are below {p90[0]:.0f}° "
        f"(traced), {p90[1]:.0f}° (smoothed) and {p90[2]:.0f}° (geodesic).",
        parameters=f"sample {sample} at {RATE:g} fps, frame {path.frame}; τ = 1.15; {len(found.paths)} paths",
    )


def _crossed(topology: Topology, edges: Int32) -> NDArray[np.int32]:
    """Return the triangles that a path crosses."""
    faces = np.intersect1d(topology.edge_faces[edges[:-1]], topology.edge_faces[edges[1:]])
    return faces[faces >= 0]


def _is_open(clip: Clip, path: SmoothedPath) -> bool:
    """Return True if all triangles of a path have similar normals, so that one view shows the whole path."""
    crossed = clip.topology.faces[_crossed(clip.topology, path.edges)]
    normals = unit(face_crosses(clip.animation.positions[path.frame], crossed))
    mean = normals.mean(axis=0)
    return bool((normals @ mean > FACING * np.linalg.norm(mean)).all())
