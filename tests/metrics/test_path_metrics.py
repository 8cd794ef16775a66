"""Metrics of paths: known answers on a flat sheet, and the order of good and bad strategies."""

from __future__ import annotations

import numpy as np
import pytest

from cloth_meshes import compressed, grid
from ruckle import Animation, Frame, run
from ruckle.metrics import (
    compressed_coverage,
    direction_errors,
    height_changes,
    measure_paths,
    path_drift,
    perimeter_ratio,
    segment_distances,
    turning_angles,
)

R_MIN = 0.3


def squeezed_sheet(frames: int = 40) -> Animation:
    """Return a sheet that is squeezed to 1 / 1.7 along x, then held."""
    rest, faces = grid(10, 8, seed=5)
    amounts = 1.0 + 0.7 * np.minimum(1.0, np.arange(frames) / 12.0)
    positions = np.array([compressed(rest, amount) for amount in amounts])
    return Animation(positions, faces, fps=30.0, name="sheet", height=60.0)


def frames_of(animation: Animation) -> list[Frame]:
    return list(run(animation, r_min=R_MIN, tau=1.2))


def test_exact_segment_distances() -> None:
    starts, ends = np.array([[0.0, 0, 0], [5.0, 0, 0]]), np.array([[2.0, 0, 0], [5.0, 0, 0]])
    distances = segment_distances(np.array([[1.0, 3.0, 0.0], [5.0, 0.0, 4.0]]), starts, ends)
    np.testing.assert_allclose(distances, [[3.0, 5.0], [5.0, 4.0]])


def test_exact_a_held_sheet_is_covered_and_still() -> None:
    animation = squeezed_sheet()
    *_, before, last = frames_of(animation)
    area, covered = compressed_coverage(last, 1.2)
    assert area == pytest.approx(80.0 / 1.7, rel=1e-3)
    assert covered > 0.85 * area
    angles, lengths = direction_errors(last, 1.2)
    assert np.average(angles, weights=lengths) < 3.0
    assert max(turning_angles(last.topology, last.positions, w.edges, w.t).max() for w in last.wrinkles) < 10.0
    assert path_drift(last, before).max() < 0.02


def test_exact_height_changes_count_births_and_deaths() -> None:
    frames = frames_of(squeezed_sheet())
    assert frames[0].wrinkles == []
    tallest = max(w.crest for w in frames[-1].wrinkles)
    assert height_changes(frames[-1], frames[0])[0] == pytest.approx(tallest / R_MIN)
    assert height_changes(frames[0], frames[-1])[0] == pytest.approx(tallest / R_MIN)
    assert height_changes(frames[-1], frames[-1]) == (0.0, 0.0)


def test_property_independent_tracing_is_worse() -> None:
    animation = squeezed_sheet()
    coherent = measure_paths(animation, r_min=R_MIN, tau=1.2)
    independent = measure_paths(animation, r_min="0.5%", tau=1.2, coherent=False)
    assert independent.drift_p95 > 5.0 * coherent.drift_p95
    assert independent.height_change > 5.0 * coherent.height_change
    assert coherent.height_change < 0.15
    assert "coverage" in str(coherent)


def test_degenerate_no_wrinkles() -> None:
    rest, faces = grid(2, 2)
    metrics = measure_paths(Animation(np.array([rest, rest]), faces, fps=30.0, name="still", height=1.0), r_min=0.1)
    assert metrics.wrinkles == 0.0
    assert np.isnan(metrics.coverage)
    assert metrics.height_change == 0.0


def test_exact_grown_wrinkles_keep_the_length_of_the_cloth_across_them() -> None:
    sheet = squeezed_sheet()
    frames = list(run(sheet, r_min=R_MIN))
    grown = [w for w in frames[-1].wrinkles if w.fade == 1.0]
    assert grown
    for wrinkle in grown:
        np.testing.assert_allclose(perimeter_ratio(wrinkle), 1.0, atol=1e-3)
    young = next(w for frame in frames for w in frame.wrinkles if 0.0 < w.fade < 0.5 and w.crest > 0.0)
    assert perimeter_ratio(young).min() < 0.99
