"""Length of cross-sections: parallel wrinkles that overlap contain as much length as separate wrinkles."""

import numpy as np
import pytest

from cloth_meshes import grid
from ruckle import Topology
from wrinkled_cloth import R_MIN, frame_of, laid, points_in_space

COUNT = 5


def taken_up(spacing: float, kappa: float, count: int = COUNT) -> tuple[float, float, float]:
    """Make parallel wrinkles. Their distance is `spacing`, in half widths.

    Return three lengths. The first is the length of the section across the wrinkles minus the length of its chord. The
    second is the same length for separate wrinkles, calculated from their perimeters. The third is the perimeter of one
    wrinkle.
    """
    positions, faces = grid(20, 12, seed=2)
    topology = Topology(faces, len(positions))
    half_width = R_MIN * (1.0 - 2.0 / np.pi) / kappa
    middles = 6.0 + (np.arange(count) - 0.5 * (count - 1)) * spacing * half_width
    row = [
        laid(topology, positions, [(1.3, y), (18.7, y)], number=k, kappa=kappa, r_min=R_MIN)
        for k, y in enumerate(middles)
    ]
    y = np.linspace(2.0, 10.0, 8001)
    where = points_in_space(topology, positions, np.column_stack([np.full(len(y), 10.0), y]))
    heights = frame_of(topology, positions, *row).heights(*where)[0].astype(np.float64)
    excess = float((np.hypot(np.diff(y), np.diff(heights)) - np.diff(y)).sum())
    return excess, row[0].perimeter - 2.0 * half_width, row[0].perimeter


@pytest.mark.parametrize("kappa", [0.15, 0.25, 0.36])
def test_exact_one_wrinkle_has_the_length_of_its_perimeter(kappa: float) -> None:
    excess, expected, perimeter = taken_up(0.0, kappa, count=1)
    assert excess == pytest.approx(expected, abs=0.01 * perimeter)


@pytest.mark.parametrize("kappa", [0.15, 0.25, 0.36])
@pytest.mark.parametrize("spacing", [1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5])
def test_exact_neighbours_keep_their_length(spacing: float, kappa: float) -> None:
    """Valleys between overlapping wrinkles must contain the length that the blend of their heights loses."""
    excess, expected, _ = taken_up(spacing, kappa)
    assert excess == pytest.approx(COUNT * expected, rel=0.1)
