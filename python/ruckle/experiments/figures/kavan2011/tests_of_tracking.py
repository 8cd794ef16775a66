"""Figures 2, 5 and 6: harmonics of cloth, and their use as constraints between fine and coarse cloth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import Drawing, canvas, panels, share
from ruckle.experiments.figures.kavan2011.pictures import draw_rows
from ruckle.experiments.figures.kavan2011.wardrobe import TESTS, simulated, wardrobe
from ruckle.offline.upsampling.harmonics import Harmonics
from ruckle.simulation.sheet import grid_sheet

__all__ = ["draw_alignment", "draw_clusters", "draw_harmonics", "steps_between"]

Float64 = NDArray[np.float64]

# Width and height of the rectangle of figure 5, metres; indices of its drawn harmonics.
RECTANGLE = (1.5, 1.0)
SHOWN_HARMONICS = (1, 2, 3, 5, 9, 20)


def draw_alignment() -> Drawing:
    """Draw fine cloth that is simulated freely, and fine cloth that follows the coarse cloth (figure 2)."""
    worn = wardrobe("skirt")
    kind = next(iter(worn.pairs))
    free, held = simulated("skirt", kind, tests=0), worn.known
    linear = worn.garment.linear(held.coarse.positions)
    apart = [np.linalg.norm(pair.fine.positions - linear, axis=2) for pair in (free, held)]
    frame = int(apart[0].mean(axis=1).argmax())
    row = [
        ("coarse", (held.coarse.positions[frame], held.coarse.faces)),
        ("fine, on its own", (free.fine.positions[frame], free.fine.faces)),
        ("fine, following", (held.fine.positions[frame], held.fine.faces)),
    ]
    means = [1000 * float(np.sqrt((distance**2).mean())) for distance in apart]
    return Drawing(
        draw_rows("skirt", {"": row}),
        seen=f"Without test functions the fine cloth is {means[0]:.1f} mm from the coarse one, root mean square; with "
        f"{TESTS} of them {means[1]:.1f} mm, which is the detail of the fine cloth.",
        parameters=f"Skirt, {kind}, frame {frame} of {len(apart[0])}.",
    )


def draw_harmonics() -> Drawing:
    """Draw some harmonics of a rectangle (figure 5)."""
    columns, rows = 61, 41
    width, height = RECTANGLE
    rest, faces = grid_sheet(columns, rows, lambda u, v: np.stack([width * u, height * v, 0 * u], 1))
    found = Harmonics.of(rest, faces, max(SHOWN_HARMONICS) + 1)
    waves = np.sort(
        (np.pi * np.arange(9)[:, None] / width) ** 2 + (np.pi * np.arange(9)[None] / height) ** 2, axis=None
    )
    figure = canvas(7.5, 3.6)
    for axes, number in zip(panels(figure, 2, 3).ravel(), SHOWN_HARMONICS, strict=True):
        axes.imshow(found.vectors[:, number].reshape(rows, columns), cmap="RdBu_r", origin="lower")
        axes.set_title(f"{number + 1}: λ = {found.values[number]:.1f} per m²", fontsize=9)
        axes.set_axis_off()
    numbers = np.array(SHOWN_HARMONICS)
    error = float(np.abs(found.values[numbers] / waves[numbers] - 1.0).max())
    return Drawing(
        figure,
        seen="The lowest harmonics vary slowly over the cloth, the higher ones faster. On a rectangle they are "
        f"products of cosines; the computed eigenvalues differ from the exact ones by at most {share(error)}.",
        parameters=f"A rectangle of {width} by {height} m, {columns} x {rows} vertices.",
    )


def clustered_tests(areas: Float64, rest: NDArray[np.float32], columns: int, rows: int) -> Float64:
    """Return test functions (n, N), one for each cell of a grid of angles and heights around the garment.

    A test function is the area of each vertex in its cell, and 0 elsewhere. Cells without vertices are omitted, so n
    can be less than columns * rows.
    """
    angle = np.arctan2(rest[:, 2], rest[:, 0]) / (2 * np.pi) + 0.5
    down = (rest[:, 1].max() - rest[:, 1]) / np.ptp(rest[:, 1])
    column, row = (np.minimum((part * n).astype(int), n - 1) for part, n in ((angle, columns), (down, rows)))
    tests = np.zeros((columns * rows, len(rest)))
    tests[column * rows + row, np.arange(len(rest))] = areas
    return np.asarray(tests[tests.sum(axis=1) > 0])


def steps_between(moved: Float64, faces: NDArray[np.int32]) -> float:
    """Return the difference of displacement between the ends of an edge, divided by the displacement.

    Both are root mean squares: over all edges, and over all vertices.
    """
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    across = moved[edges[:, 0]] - moved[edges[:, 1]]
    return float(np.sqrt((across**2).sum(axis=1).mean() / (moved**2).sum(axis=1).mean()))


def corrections() -> tuple[int, dict[str, Float64]]:
    """Return the index of a frame, and the corrections (N, 3) of its free fine cloth by both kinds of tests, metres.

    A correction is the smallest displacement, weighted by vertex area, after which fine cloth and interpolated coarse
    cloth agree in all test functions, T x = T B p: x += V⁻¹ Tᵀ (T V⁻¹ Tᵀ)⁻¹ (T B p - T x). Here x is the fine cloth, p
    the coarse cloth, B interpolation, T the test functions, and V the vertex areas. The frame is the one in which free
    and tracked fine cloth differ most.
    """
    worn = wardrobe("skirt")
    free = simulated("skirt", next(iter(worn.pairs)), tests=0)
    harmonics, rest = worn.trainers["smooth"].harmonics, worn.garment.fine_rest
    frame = int(np.linalg.norm(free.fine.positions - worn.known.fine.positions, axis=2).mean(axis=1).argmax())
    off = (worn.garment.linear(worn.known.coarse.positions) - free.fine.positions)[frame].astype(np.float64)
    kinds = {
        "clusters": clustered_tests(harmonics.areas, rest, 10, 4),
        "harmonics": (harmonics.vectors[:, :TESTS] * harmonics.areas[:, None]).T,
    }
    moves = {}
    for kind, tests in kinds.items():
        weighted = tests / harmonics.areas
        moves[kind] = weighted.T @ np.linalg.solve(weighted @ tests.T, tests @ off)
    return frame, moves


def draw_clusters() -> Drawing:
    """Draw fine cloth moved until its means over clusters, or its harmonics, equal those of coarse cloth (figure 6)."""
    worn = wardrobe("skirt")
    frame, moves = corrections()
    free = simulated("skirt", next(iter(worn.pairs)), tests=0).fine
    moved = [(kind, ((free.positions[frame] + move).astype(np.float32), free.faces)) for kind, move in moves.items()]
    steps = [steps_between(move, free.faces) for move in moves.values()]
    return Drawing(
        draw_rows("skirt", {"": [("free", (free.positions[frame], free.faces)), *moved]}),
        seen="Clusters move neighbouring vertices differently, so the cloth has steps; the difference along an edge is "
        f"{share(steps[0])} of the displacement. With as many harmonics, it is {share(steps[1])}.",
        parameters=f"Skirt, frame {frame}, moved once; {TESTS} tests of either kind.",
    )
