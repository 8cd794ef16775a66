"""Figures 4 to 6: regions of joints, interpolation between samples, and the spatial range of a joint's influence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.drawing import (
    GEODESIC,
    PATH,
    PLAIN,
    STRONG,
    Drawing,
    canvas,
    inked,
    panels,
    show_cloth,
    window_around,
)
from ruckle.experiments.figures.wang2010.sleeve import bent_shapes, coarse_at, database, inner, synthesized
from ruckle.experiments.plot.space import Projection
from ruckle.pose_space.binding import apply, details as details_of, vertex_means
from ruckle.pose_space.database import vertex_weights
from ruckle.pose_space.interpolation import interpolate_arc, interpolate_screw
from ruckle.pose_space.weights import nearest_bones

__all__ = ["Ways", "draw_influence", "draw_regions", "draw_ways", "influence", "measure"]

Float64 = NDArray[np.float64]

VIEW = Projection(15.0, 20.0)

# Colours of the three regions, and the colour of a weight or an influence of 1.
REGIONS = np.array([[0.80, 0.62, 0.42], [0.55, 0.70, 0.58], [0.52, 0.62, 0.82]])
FULL = np.array([0.11, 0.24, 0.45])

# Half of each compared spacing between samples, in multiples of 6 degrees.
HALVES = (1, 2, 4, 8)


@dataclass(frozen=True, eq=False)
class Ways:
    """Errors midway between samples of the elbow; root mean squares over vertices and poses, metres.

    Attributes
    ----------
    spacings : (n,) degrees
    nearest, straight, arc, screw, frames : (n,)
        Errors of five interpolations: the earlier neighbouring sample, in frames that rotate with the coarse cloth;
        straight lines in space; equation 1; equations 2 and 3 about the hinge; straight lines in the rotating frames.
    without : float
        Error if only the details of the rest pose are used.
    """

    spacings: Float64
    nearest: Float64
    straight: Float64
    arc: Float64
    screw: Float64
    frames: Float64
    without: float


def measure() -> Ways:
    """Interpolate between samples of the elbow with several spacings."""
    degrees, bones, shapes = bent_shapes()
    found = database()
    joint = found.joint("elbow")
    centre, axis = found.skeleton.rest_joints[joint.child_bone], joint.axes[0]
    coarse = [coarse_at(pose) for pose in bones]
    kept = [details_of(shape, base, found.binding) for shape, base in zip(shapes, coarse, strict=True)]
    bare = [apply(base, found.binding, kept[0]) for base in coarse]
    rows = []
    for half in HALVES:
        squares = []
        for k in range(half, len(degrees) - half, 2 * half):
            first, truth, last = shapes[k - half], shapes[k], shapes[k + half]
            ways = (
                apply(coarse[k], found.binding, kept[k - half]),
                0.5 * (first + last),
                interpolate_arc(first, last, centre, 0.5),
                interpolate_screw(first, last, centre, axis, 0.5),
                apply(coarse[k], found.binding, 0.5 * (kept[k - half] + kept[k + half])),
            )
            squares.append([((way - truth) ** 2).sum(axis=1).mean() for way in ways])
        rows.append(np.sqrt(np.mean(squares, axis=0)))
    without = np.sqrt(np.mean([((b - s) ** 2).sum(axis=1).mean() for b, s in zip(bare, shapes, strict=True)]))
    nearest, straight, arc, screw, frames = np.array(rows).T
    return Ways(12.0 * np.array(HALVES), nearest, straight, arc, screw, frames, float(without))


def influence() -> tuple[Float64, Float64]:
    """Return the weights of equation 4 and the measured influence of each joint, (V, J) each.

    The influence is the mean change of curvature at a vertex between any two samples of a joint, in metres.
    """
    found = database()
    weights = vertex_weights(found.joints, found.binding.vertex_count)
    measured = []
    for joint in found.joints:
        # the border vertices of these triangles, on the mesh's or the region's border, are excluded by `inner` below
        whole = found.faces[np.isin(found.faces, joint.vertices).all(axis=1)]
        details = np.zeros((joint.sample_count, len(weights), 3))
        details[:, joint.vertices] = joint.at(slice(None))
        curved = np.array([vertex_means(sample, found.faces) - sample for sample in details])
        pairs = [np.linalg.norm(a - b, axis=1) for i, a in enumerate(curved) for b in curved[:i]]
        measured.append(np.mean(pairs, axis=0) * inner(whole, len(weights)))
    return weights, np.stack(measured, axis=1)


def draw_regions() -> Drawing:
    """Draw the regions of the bones, and the weight of each joint (figure 4)."""
    found = database()
    rest = found.binding.up(found.binding.rest) + found.rest_details
    owners = nearest_bones(rest, found.skeleton)[found.faces]
    # region of a face: the one that two of its corners share, otherwise that of its first corner
    region = np.where(owners[:, 1] == owners[:, 2], owners[:, 1], owners[:, 0])
    weights = vertex_weights(found.joints, len(rest))
    figure = canvas(9.0, 2.6)
    window = window_around(rest, VIEW)
    shown = [("regions", REGIONS[region])]
    shown += [(f"weight of the {joint.name}", _inked(weights[:, k])) for k, joint in enumerate(found.joints)]
    for axes, (title, colors) in zip(panels(figure, 1, 3)[0], shown, strict=True):
        show_cloth(axes, rest, found.faces, colors=colors, projection=VIEW, window=window)
        axes.set_title(title)
    between = ((weights > 0.1).sum(axis=1) > 1).mean()
    return Drawing(
        figure,
        seen=f"Each joint has its region and that of its neighbour; {between:.0%} of the vertices depend on both "
        "joints.",
        parameters="A sleeve on an arm of two joints; nearest bones, ways over the mesh, ten passes of averaging.",
    )


def draw_ways() -> Drawing:
    """Draw errors midway between samples over the spacing of the samples (figure 5)."""
    ways = measure()
    figure = canvas(6.5, 3.4)
    axes = panels(figure, 1, 1)[0, 0]
    lines = (
        ("nearest sample", ways.nearest, PLAIN, ":"),
        ("straight lines in space", ways.straight, PLAIN, "-"),
        ("arcs (1)", ways.arc, GEODESIC, "-"),
        ("screws (2, 3) about the hinge", ways.screw, STRONG, "--"),
        ("straight lines in coarse frames", ways.frames, PATH, "-"),
    )
    for label, values, color, style in lines:
        axes.plot(ways.spacings, 1e3 * values, style, color=color, marker="o", ms=3, label=label)
    axes.set(ylim=(0, 1.1e3 * max(ways.straight.max(), ways.nearest.max())))
    axes.set_xticks(ways.spacings)
    axes.set_xlabel("degrees between samples", fontsize=8)
    axes.set_ylabel("rms error, mm", fontsize=8)
    axes.legend(fontsize=7, frameon=False)
    shares = ways.frames / ways.without
    return Drawing(
        figure,
        seen="Interpolation along straight lines in space shrinks the shape if samples are far apart; arcs, screws and "
        "coarse frames do not. With coarse frames, the error relative to that without examples is "
        f"{shares[0]:.1%} for samples 12 degrees apart, {shares[1]:.1%} for 24 degrees.",
        parameters=f"The elbow of the sleeve, 0 to 96 degrees; {1e3 * ways.without:.1f} mm without examples.",
    )


def draw_influence() -> Drawing:
    """Draw the weights of equation 4 above the measured influence of both joints (figure 6)."""
    found = database()
    weights, measured = influence()
    bones = bent_shapes()[1][6]
    shape = synthesized(bones).shape.positions
    figure = canvas(8.0, 5.2)
    window = window_around(shape, VIEW)
    grid = panels(figure, 2, len(found.joints))
    for k, joint in enumerate(found.joints):
        top = float(np.quantile(measured[:, k], 0.98))
        for row, values in enumerate((weights[:, k], measured[:, k] / top)):
            colors = _inked(values)
            show_cloth(grid[row, k], shape, found.faces, colors=colors, projection=VIEW, window=window)
        grid[0, k].set_title(f"{joint.name}: by equation 4")
        grid[1, k].set_title(f"measured, full at {1e3 * top:.2f} mm")
    alike = [np.corrcoef(weights[:, k], measured[:, k])[0, 1] for k in range(len(found.joints))]
    names = [joint.name for joint in found.joints]
    return Drawing(
        figure,
        seen="Weights and measured influence both decrease with the distance from the joint. Correlation of weight "
        "and measured influence: "
        + ", ".join(f"{name} {value:.2f}" for name, value in zip(names, alike, strict=True))
        + ". The measured influence is patchy, because folds are at the inside of the elbow.",
        parameters="The samples of the sleeve; mean difference of curvature over all pairs of samples.",
    )


def _inked(values: Float64) -> Float64:
    """Return triangle colours (T, 3) of the sleeve from vertex values (V,); the colour is saturated at 1."""
    return inked(values[database().faces].mean(axis=1), FULL)
