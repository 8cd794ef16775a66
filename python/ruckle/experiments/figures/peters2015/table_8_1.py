"""Table 8.1 of Peters's thesis: garments, numbers of wrinkles, and times."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TABLE_8_1", "ThesisRow"]


@dataclass(frozen=True)
class ThesisRow:
    """A row of the table, measured on a Core i7-3930K and a GTX 670 at 1920x1080.

    Attributes
    ----------
    triangles : int
    wrinkles : float
        Mean number of wrinkles.
    reference, tracing, modeling, total : float, milliseconds
        Times per frame.
    tau : float
    r_min : str
        Least wrinkle radius relative to the character's height.
    """

    triangles: int
    wrinkles: float
    reference: float
    tracing: float
    modeling: float
    total: float
    tau: float
    r_min: str


TABLE_8_1 = {
    "sawing": ThesisRow(734, 22.75, 1.69, 5.33, 8.30, 12.45, 1.4, "0.5%"),
    "chopping": ThesisRow(602, 5.60, 1.69, 3.92, 5.53, 11.69, 1.3, "0.5%"),
    "fist_pumping": ThesisRow(534, 5.89, 1.74, 2.46, 4.68, 7.39, 1.4, "0.5%"),
    "stretching": ThesisRow(628, 11.80, 1.57, 3.77, 6.55, 10.67, 1.4, "0.5%"),
    "jumping_jack": ThesisRow(356, 10.57, 0.92, 4.84, 8.95, 13.19, 1.2, "1%"),
    "shoveling": ThesisRow(602, 19.03, 1.72, 5.69, 9.78, 14.66, 1.4, "0.5%"),
}
