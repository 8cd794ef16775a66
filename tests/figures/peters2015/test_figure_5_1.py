"""Figure 5.1: the smoothed wrinkle lies "between the input wrinkle (blue) and geodesic path (orange)".

One step of smoothing is to "eliminate undesirably sharp changes in wrinkle direction".
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import Clip
from ruckle.figures.peters2015.path_smoothing import Smoothing, measure
from ruckle.figures.sheet import compressed_sheet, flat_sheet
from ruckle.metrics import turning_angles
from ruckle.paths.trace import smooth_path, trace


def check_between(found: Smoothing) -> None:
    assert len(found.paths) > 5
    traced, smoothed, geodesic = found.lengths.T
    slack = 1.0 + 1e-6
    assert (smoothed <= traced * slack).all()
    assert (geodesic <= smoothed * slack).all()
    # nearer to the field's path than the geodesic is
    assert (found.shifts[:, 0] <= found.shifts[:, 1] + 1e-6 * traced).mean() > 0.95
    assert found.shifts[:, 0].sum() < 0.5 * found.shifts[:, 1].sum()
    sharp = [float(np.percentile(angles, 90)) for angles in found.turning]
    assert sharp[1] < 0.8 * sharp[0]
    assert sharp[2] < sharp[1]


def test_property_smoothed_paths_lie_between(sample_clip: Clip) -> None:
    check_between(measure(sample_clip))


def test_property_on_real_motion(sequence_clip: Clip) -> None:
    check_between(measure(sequence_clip, every=15))


def test_exact_a_straight_path_stays() -> None:
    sheet = flat_sheet()
    field = compressed_sheet(sheet, 20.0)
    straight = 0
    for edges, t in trace(sheet.topology, sheet.positions, field, r_min=0.1, tau=1.4, smooth=False):
        # one that has met a mesh vertex on its way is not straight
        if len(edges) > 4 and turning_angles(sheet.topology, sheet.positions, edges, t).max() < 0.05:
            straight += 1
            smoothed = smooth_path(sheet.topology, sheet.positions, edges, t)
            np.testing.assert_allclose(smoothed, t, atol=1e-4)
    assert straight > 3
