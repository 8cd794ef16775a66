"""Table 1 of Kavan et al. 2011: sizes and times of their four garments."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TABLE_1", "PaperRow"]


class PaperRow(NamedTuple):
    """A row of the table; the paper's times are measured on a Xeon X5670 at 2.9 GHz.

    Attributes
    ----------
    coarse, fine : int
        Numbers of vertices.
    frames, tests : int
        Number of training frames, and of test functions in tracking.
    megabytes : float
        Size of the operator.
    upsample, simulate : float, milliseconds
        Times per frame: the matrix product, and the coarse simulation.
    harmonics, learn : float, seconds
        Times of computing the harmonics, and of learning the operator.
    """

    coarse: int
    fine: int
    frames: int
    tests: int
    megabytes: float
    upsample: float
    simulate: float
    harmonics: float
    learn: float


TABLE_1 = {
    "skirt": PaperRow(196, 7016, 1073, 60, 5.5, 0.8, 0.5, 111.0, 6.8),
    "flag": PaperRow(150, 6336, 1386, 80, 3.9, 0.6, 0.4, 84.0, 5.1),
    "curtain": PaperRow(121, 5041, 1490, 80, 2.4, 0.4, 0.3, 41.0, 3.4),
    "cape": PaperRow(98, 10162, 905, 50, 4.0, 0.7, 0.2, 343.0, 7.7),
}
