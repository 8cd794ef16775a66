"""The figures of wrinkle waves."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["WAVES"]

WAVES = (
    Entry(
        "waves-1", "Waves on a plane, a cylinder and a cone",
        "Folds run across the compression and restore the lost length; dislocations let them keep their distance.",
        "surfaces", package="ruckle.experiments.figures.waves",
    ),
)  # fmt: skip
