"""Catalogue of the figures that compare wrinkle layers (paths and patterns) with fine simulations."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["TRUTH"]


def _entry(number: str, title: str, claim: str, function: str) -> Entry:
    return Entry(f"truth-{number}", title, claim, "comparison", function, package="ruckle.experiments.figures.truth")


TRUTH = (
    _entry(
        "1", "Layers beside fine cloth", "Wrinkles lie where fine cloth of the same coarse motion has its folds.",
        "draw_pictures",
    ),
    _entry(
        "2", "How near layers come to fine cloth", "A control that runs across the folds must fail.",
        "draw_table",
    ),
)  # fmt: skip
