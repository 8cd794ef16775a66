"""The figures of Wang et al. 2010 that are drawn from our data, in the paper's order."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["WANG_2010"]


def _entry(number: str, title: str, claim: str, module: str, function: str) -> Entry:
    return Entry(f"wang-{number}", title, claim, module, function, package="ruckle.experiments.figures.wang2010")


WANG_2010 = (
    _entry(
        "1", "Wrinkles in poses", "Wrinkles from examples are layered onto a coarse base for a wide range of poses.",
        "clips", "draw_poses",
    ),
    _entry(
        "2", "Simulated, coarse, from examples", "The result captures many of the fine features of the simulation.",
        "clips", "draw_truth",
    ),
    _entry(
        "4", "Joints and their regions", "Wrinkles at a point follow from the joints of its region.", "joints",
        "draw_regions",
    ),
    _entry(
        "5", "Ways between samples", "Rotations about joints keep sizes that straight lines in space lose.", "joints",
        "draw_ways",
    ),
    _entry(
        "6", "Influence of the joints", "Weights by distance resemble the influence that is measured.", "joints",
        "draw_influence",
    ),
    _entry("7", "A clip", "Wrinkles come and go with the pose.", "clips", "draw_clip"),
    _entry("8", "Poses of both joints", "Joints that are sampled alone are composed.", "clips", "draw_merged"),
    _entry(
        "9", "Curvature over a clip", "The sum of curvatures of the result is near that of the simulation.", "clips",
        "draw_curvature",
    ),
    _entry("table", "Times", "Synthesis and transfer take a small part of a frame.", "clips", "draw_table"),
)  # fmt: skip
