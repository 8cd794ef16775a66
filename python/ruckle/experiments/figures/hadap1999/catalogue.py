"""The figures of Hadap et al. 1999 that are drawn from our data, in the paper's order."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["HADAP_1999"]


def _entry(number: str, title: str, claim: str, module: str, function: str) -> Entry:
    return Entry(f"hadap-{number}", title, claim, module, function, package="ruckle.experiments.figures.hadap1999")


HADAP_1999 = (
    _entry(
        "3", "An edge before and after", "A wrinkled edge is raised so that it keeps its length when it is squeezed.",
        "factor", "draw_edge",
    ),
    _entry(
        "5", "The factor of one triangle", "The factor follows linearly from the triangle's deformation.",
        "factor", "draw_factor",
    ),
    _entry(
        "6", "Patchy and smooth factors", "Factors interpolated over triangles avoid patches.",
        "folding", "draw_patches",
    ),
    _entry(
        "7", "Two patterns on a square", "Multi-fold wrinkling: each pull raises the pattern that lies across it.",
        "folding", "draw_square",
    ),
    _entry(
        "9", "The two factors", "If one pattern has a good orientation, the other is not raised.",
        "folding", "draw_factors",
    ),
    _entry(
        "11", "Weight functions", "A variance or a power controls how strongly the better pattern is preferred.",
        "folding", "draw_weights",
    ),
    _entry(
        "12", "A garment, its strain and its pattern", "The pattern is modulated by the strain of the garment.",
        "patterned_garment", "draw_strain",
    ),
    _entry(
        "15", "Without and with wrinkles", "Wrinkles appear and disappear as the garment deforms.",
        "patterned_garment", "draw_frames",
    ),
    _entry(
        "table", "How well area is kept", "The area of the cloth is conserved.", "patterned_garment", "draw_table",
    ),
)  # fmt: skip
