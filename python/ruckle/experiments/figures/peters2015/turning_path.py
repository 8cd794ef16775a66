"""Figure 5.3: a path turns gradually to a new field; a newly traced path would jump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.experiments.figures.drawing import MUTED, STRONG, Drawing, canvas, panels
from ruckle.experiments.figures.sheet import Sheet, compressed_sheet, flat_sheet
from ruckle.experiments.metrics import path_points
from ruckle.paths.persist import optimize_path
from ruckle.paths.trace import trace

__all__ = ["Turn", "draw", "measure"]

# Angle in degrees by which the field rotates suddenly, and number of frames in which the path adapts.
ANGLE, FRAMES = 25.0, 25
# Number of path vertices: so few that none reaches the end of its edge.
VERTICES = 5


@dataclass(frozen=True, eq=False)
class Turn:
    """A path on a flat sheet whose compression field rotates suddenly.

    Attributes
    ----------
    sheet : Sheet
    lines : (FRAMES + 1, n, 2) float64, mesh units
        The path before the rotation, and in each frame after it.
    errors : (FRAMES + 1,) float64, degrees
        Angle between the path's chord and the wrinkle direction of the new field.
    step : float, mesh units
        Largest distance that a vertex moves in one frame.
    jump : float, mesh units
        Largest distance that a vertex would jump if the path were traced anew, along the new wrinkle direction through
        the path's centre.
    """

    sheet: Sheet
    lines: NDArray[np.float64]
    errors: NDArray[np.float64]
    step: float
    jump: float


def measure(*, alpha: float = 0.4, angle: float = ANGLE) -> Turn:
    """Let a path adapt to a field that rotates suddenly.

    Parameters
    ----------
    alpha : float
        Weight of the field per frame; at 0 the path never turns.
    angle : float, degrees
        Rotation angle of the field.
    """
    sheet = flat_sheet()
    old, new = compressed_sheet(sheet, 0.0), compressed_sheet(sheet, angle)
    paths = trace(sheet.topology, sheet.positions, old, r_min=0.3, tau=1.4, seed=3)
    edges, t = _middle(max(paths, key=lambda path: len(path[0])))
    lines = [path_points(sheet.topology, sheet.positions, edges, t)[:, :2]]
    for _ in range(FRAMES):
        free = optimize_path(
            sheet.topology, sheet.positions, sheet.positions, new, edges, t, alpha=alpha, length_unit=sheet.mean_edge
        )
        t = np.clip(free, 0.0, 1.0).astype(np.float32)
        lines.append(path_points(sheet.topology, sheet.positions, edges, t)[:, :2])
    found = np.array(lines)
    chords = found[:, -1] - found[:, 0]
    directions = np.degrees(np.arctan2(chords[:, 1], chords[:, 0]))
    errors = np.abs((directions - (90.0 + angle) + 90.0) % 180.0 - 90.0)
    steps = np.linalg.norm(np.diff(found, axis=0), axis=2)
    # a newly traced path is the straight line through the same centre along the new direction
    reach = np.linalg.norm(found[0] - found[0].mean(axis=0), axis=1).max()
    return Turn(sheet, found, errors, float(steps.max()), float(reach * 2.0 * np.sin(np.radians(abs(angle)) / 2.0)))


def draw() -> Drawing:
    """Draw the path while it turns, and its angle to the field."""
    found = measure()
    figure = canvas(9.0, 3.8)
    axes, chart = panels(figure, 1, 2)[0]
    points, faces = found.sheet.positions, found.sheet.topology.faces
    axes.triplot(points[:, 0], points[:, 1], faces, color="#d6dade", lw=0.7)
    centre = found.lines[0].mean(axis=0)
    aim = np.array([-np.sin(np.radians(ANGLE)), np.cos(np.radians(ANGLE))])
    axes.axline(centre, centre + aim, color=STRONG, lw=0.9, ls="--", label="wrinkle direction of the new field")
    blues = colormaps["Blues"]
    for k in range(0, FRAMES + 1, 4):
        axes.plot(*found.lines[k].T, "o-", ms=3, lw=1.5, color=blues(0.3 + 0.7 * k / FRAMES))
    axes.set(xlim=centre[0] + np.array([-2.4, 2.4]), ylim=centre[1] + np.array([-1.9, 1.9]), aspect="equal")
    axes.set_axis_off()
    axes.legend(loc="upper right", fontsize=8, framealpha=0.9)
    chart.plot(found.errors, "o-", ms=3, color=blues(0.9))
    chart.axhline(0.0, color=MUTED, lw=0.6)
    chart.set_xlabel("frames after the turn", fontsize=8)
    chart.set_ylabel("angle to the new field, degrees", fontsize=8)
    return Drawing(
        figure,
        seen=f"From light to dark, every fourth frame: the path turns by {found.errors[0] - found.errors[-1]:.0f}° of "
        f"the {ANGLE:.0f}° to the new field in {FRAMES} frames. No vertex moves more than {found.step:.2f} edge "
        f"lengths in one frame; traced anew, the path would jump by {found.jump:.2f}.",
        parameters=f"flat sheet, edges about 1; compression 1.6; α = 0.4; {VERTICES} vertices",
    )


def _middle(path: tuple[Int32, Float32]) -> tuple[Int32, Float32]:
    """Return the vertices around the middle of a path."""
    edges, t = path
    start = max(0, len(edges) // 2 - VERTICES // 2)
    return edges[start : start + VERTICES], t[start : start + VERTICES]
