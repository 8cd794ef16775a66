"""Figures 6 to 11: smooth height factors, and two patterns on a square that is compressed along either diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import (
    LINEN,
    PATH,
    PLAIN,
    STRONG,
    Drawing,
    canvas,
    facing_projection,
    inked,
    panels,
    share,
    show_cloth,
)
from ruckle.field.stretch import edge_matrices
from ruckle.mesh.geometry import triangle_areas
from ruckle.mesh.topology import Topology
from ruckle.patterns.cells import determinant
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.linear import opposed_weights
from ruckle.patterns.modulation import gram
from ruckle.patterns.modulator import Modulation, Modulator
from ruckle.patterns.pattern import Pattern, function_pattern
from ruckle.surface.surface import displace

__all__ = ["Pulled", "diagonal_patterns", "draw_factors", "draw_patches", "draw_square", "draw_weights", "measure"]

Float64 = NDArray[np.float64]

# Colour of the largest factor.
FOLDED = np.array([0.12, 0.25, 0.45])

# Cells along a side of the square, and number of frames.
SIDE = 10
FRAMES = 48


def diagonal_patterns() -> list[Pattern]:
    """Return two wave patterns along the two diagonals of a square of side 1."""
    y, x = np.mgrid[0 : SIDE + 1, 0 : SIDE + 1] / SIDE
    points = np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
    first = (np.arange(SIDE)[:, None] * (SIDE + 1) + np.arange(SIDE)).ravel()
    upper = first + SIDE + 1
    # cells are split along alternating diagonals, so that the mesh does not prefer a direction
    odd = (first // (SIDE + 1) + first % (SIDE + 1)) % 2 == 1
    one = np.where(odd[:, None], np.stack([first, first + 1, upper], 1), np.stack([first, first + 1, upper + 1], 1))
    two = np.where(odd[:, None], np.stack([first + 1, upper + 1, upper], 1), np.stack([first, upper + 1, upper], 1))
    faces = np.concatenate([one, two])
    topology = Topology(faces, len(points))
    grid = PatternGrid(topology, points, edge_parts=np.full(topology.edge_count, 16))
    turn = 2 * np.pi * 7
    return [
        function_pattern(grid, lambda p, _, a=axis: np.sin(turn * (p[:, :2] @ a)), name=name)
        for name, axis in (("rising", np.array([1, 1]) / np.sqrt(2)), ("falling", np.array([1, -1]) / np.sqrt(2)))
    ]


def pulled(rest: Float64, amount: float) -> Float64:
    """Return the square compressed along one diagonal if `amount` is positive, along the other one if negative."""
    axis = np.array([1.0, 1.0 if amount > 0 else -1.0]) / np.sqrt(2)
    centre = np.array([0.5, 0.5])
    off = rest[:, :2] - centre
    squeezed = off - abs(amount) * (off @ axis)[:, None] * axis
    return np.column_stack([squeezed + centre, rest[:, 2]])


@dataclass(frozen=True, eq=False)
class Pulled:
    """A square that is compressed along one diagonal, released, and compressed along the other diagonal.

    Attributes
    ----------
    amounts : (F,)
        Relative shortening of the diagonal; negative values mean the second diagonal.
    factors : (F, 2)
        Mean height factor of each pattern.
    areas : (8, 3)
        Area of the flat square, target area, and area of the displaced surface, in every sixth frame.
    frames : list of Modulation
    """

    amounts: Float64
    factors: Float64
    areas: Float64
    frames: list[Modulation]


def measure() -> Pulled:
    """Compress the square in `FRAMES` steps, without slack and without temporal smoothing."""
    patterns = diagonal_patterns()
    modulator = Modulator(patterns, slack=0.0, smoothing=0.0, r_min=0.0)
    rest = modulator.grid.rest.astype(np.float64)
    amounts = 0.25 * np.sin(np.linspace(0.0, 2.0 * np.pi, FRAMES))
    frames = [modulator.step(pulled(rest, float(amount))) for amount in amounts]
    areas = []
    for frame in frames[:: FRAMES // 8]:
        fine = displace(frame, base="flat", edge_length=frame.edge_length)
        raised = triangle_areas(fine.positions, fine.faces).sum()
        flat = 0.5 * np.sqrt(determinant(gram(frame.positions, frame.topology.faces))).sum()
        areas.append((flat, 0.5 * float(frame.target.sum()), raised))
    return Pulled(amounts, np.stack([frame.factors.mean(axis=0) for frame in frames]), np.array(areas), frames)


def draw_square() -> Drawing:
    """Draw the square at rest and compressed along both diagonals (figures 7, 8)."""
    found = measure()
    figure = canvas(9.0, 3.2)
    chosen = [0, FRAMES // 4, 3 * FRAMES // 4]
    for axes, number in zip(panels(figure, 1, 3)[0], chosen, strict=True):
        fine = displace(found.frames[number], base="flat", edge_length=found.frames[number].edge_length)
        normals = fine.normals[fine.faces].mean(axis=1)
        light = np.clip(0.55 + 0.6 * normals @ np.array([-0.6, 0.25, 0.3]), 0.15, 1.0)
        show_cloth(
            axes, fine.positions, fine.faces, colors=light[:, None] * LINEN,
            projection=facing_projection(found.frames[0].positions, found.frames[0].topology.faces),
        )  # fmt: skip
        axes.set_title(f"{share(abs(float(found.amounts[number])))} of a diagonal lost")
    flat, wanted, raised = found.areas.T
    lost = int(np.argmin(flat))
    return Drawing(
        figure,
        seen="Each pull raises the waves across it, and not the others. Of the square's area "
        f"{share(1.0 - flat[lost] / wanted[lost])} is lost when it is pulled most; with the patterns it is within "
        f"{share(float(abs(raised / wanted - 1.0).max()))} of the area at rest.",
        parameters=f"{2 * SIDE**2} triangles, two patterns of waves along the diagonals.",
    )


def draw_factors() -> Drawing:
    """Draw the patterns' mean factors over the frames, and one factor over the other (figures 9, 10)."""
    found = measure()
    figure = canvas(9.0, 3.0)
    over, against = panels(figure, 1, 2)[0]
    over.plot(found.factors[:, 0], color=PATH, label="rising diagonal")
    over.plot(found.factors[:, 1], color=STRONG, label="falling diagonal")
    over.set_xlabel("frame", fontsize=8)
    over.set_ylabel("mean factor", fontsize=8)
    over.legend(fontsize=7, frameon=False)
    against.plot(found.factors[:, 0], found.factors[:, 1], color=PLAIN, marker=".", ms=3, lw=0.8)
    against.set_xlabel("rising diagonal", fontsize=8)
    against.set_ylabel("falling diagonal", fontsize=8)
    both = float(np.minimum(*found.factors.T).max() / found.factors.max())
    return Drawing(
        figure,
        seen="Each pattern takes up one of the two pulls: the smaller of both factors is "
        f"{share(both)} of the largest at most.",
        parameters="The square of figures 7 and 8.",
    )


def draw_weights() -> Drawing:
    """Draw the weight of one of two patterns (figure 11): the paper's over its factor, ours over its alignment."""
    figure = canvas(9.0, 3.0)
    paper, ours = panels(figure, 1, 2, sharey=True)[0]
    relative = np.linspace(0.4, 1.6, 241)
    pairs = np.stack([relative, 2.0 - relative], axis=1)
    for power, style in ((1.0, ":"), (2.0, "--"), (8.0, "-")):
        weights = opposed_weights(pairs, 0.5, power)[:, 0]
        paper.plot(relative, weights, style, color=PATH, label=f"power {power:g}")
    paper.set_xlabel("factor over the mean of both", fontsize=8)
    paper.set_ylabel("weight", fontsize=8)
    paper.legend(fontsize=7, frameon=False)
    alignment = np.linspace(0.001, 1.0, 241)
    for sharpness, style in ((1.0, ":"), (4.0, "-"), (16.0, "--")):
        power_of = alignment**sharpness
        ours.plot(
            alignment, power_of / (power_of + (1.0 - alignment + 0.001) ** sharpness), style, color=STRONG,
            label=f"sharpness {sharpness:g}",
        )  # fmt: skip
    ours.set_xlabel("alignment with the compression", fontsize=8)
    ours.legend(fontsize=7, frameon=False)
    return Drawing(
        figure,
        seen="The paper weighs patterns by their factors, the smaller the better; ours by the mean squared cosine "
        "between their gradient and the compression, which does not depend on how high they are.",
        parameters="Two patterns; variance 0.5 of the paper's rule.",
    )


def draw_patches() -> Drawing:
    """Draw factors per triangle, and factors per vertex that are interpolated (figure 6)."""
    patterns = diagonal_patterns()
    modulator = Modulator(patterns, slack=0.0, smoothing=0.0, r_min=0.0)
    rest = modulator.grid.rest.astype(np.float64)
    # the compression is not uniform: it varies along y
    moved = rest.copy()
    moved[:, 0] -= 0.05 * np.sin(2 * np.pi * rest[:, 0]) * (1.0 + np.sin(3 * np.pi * rest[:, 1]))
    frame = modulator.step(moved)
    faces = frame.topology.faces
    lost = np.linalg.det(edge_matrices(moved, faces)) / np.linalg.det(edge_matrices(rest, faces))
    alone = np.sqrt(np.maximum(1.0 / lost**2 - 1.0, 0.0))
    figure = canvas(7.0, 3.2)
    projection = facing_projection(rest, faces)
    left, right = panels(figure, 1, 2)[0]
    fine = displace(frame, base="flat", edge_length=0.05)
    total = frame.factors.sum(axis=1)
    smooth = (total[faces][fine.coarse_faces] * fine.barycentric).sum(axis=1)[fine.faces].mean(axis=1)
    top = float(max(alone.max(), smooth.max()))
    flat = fine.positions * [1.0, 1.0, 0.0]
    show_cloth(left, moved, faces, colors=inked(alone / top, FOLDED), projection=projection)
    show_cloth(right, flat, fine.faces, colors=inked(smooth / top, FOLDED), projection=projection)
    left.set_title("a factor per triangle")
    right.set_title("sums at vertices, interpolated")
    pairs = frame.topology.edge_faces[frame.topology.edge_faces[:, 1] >= 0]
    jump = float(np.abs(alone[pairs[:, 0]] - alone[pairs[:, 1]]).max())
    return Drawing(
        figure,
        seen=f"Factors per triangle jump, here by up to {jump:.2f}; those of vertices are smooth over the cloth.",
        parameters=f"A square of {len(faces)} triangles, squeezed unevenly.",
    )
