"""Metrics of paths: known values on a flat sheet, and worse values if paths are traced again in each frame."""

import numpy as np
import pytest

from cloth_meshes import grid, squeezed_sheet
from ruckle import Animation, Frame, Topology, run
from ruckle.experiments import metrics
from wrinkled_cloth import frame_of, laid

R_MIN = 0.3


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    return list(run(squeezed_sheet(), r_min=R_MIN, tau=1.2))


def test_exact_segment_distances() -> None:
    starts, ends = np.array([[0.0, 0, 0], [5.0, 0, 0]]), np.array([[2.0, 0, 0], [5.0, 0, 0]])
    distances = metrics.segment_distances(np.array([[1.0, 3.0, 0.0], [5.0, 0.0, 4.0]]), starts, ends)
    np.testing.assert_allclose(distances, [[3.0, 5.0], [5.0, 4.0]])


def test_exact_a_held_sheet_is_covered_and_still(frames: list[Frame]) -> None:
    *_, before, last = frames
    area, covered = metrics.compressed_coverage(last, 1.2)
    assert area == pytest.approx(80.0 / 1.7, rel=1e-3)
    assert covered > 0.85 * area
    angles, lengths = metrics.direction_errors(last, 1.2)
    assert np.average(angles, weights=lengths) < 3.0
    assert max(metrics.turning_angles(last.topology, last.positions, w.edges, w.t).max() for w in last.wrinkles) < 10.0
    assert metrics.path_drift(last, before).max() < 0.02


def test_exact_coverage_ends_a_width_beyond_the_ends_of_a_wrinkle() -> None:
    positions, faces = grid(20, 12, seed=1)
    topology = Topology(faces, len(positions))
    wrinkle = laid(topology, positions, [(6.3, 6.2), (13.7, 6.2)])
    frame = frame_of(topology, positions, wrinkle)
    # compression is 1 everywhere; the covered area is a rectangle and two half discs around the ends of the path
    [wrinkle], first, last = frame.wrinkles, wrinkle.points[0], wrinkle.points[-1]
    area, covered = metrics.compressed_coverage(frame, 0.5)
    assert area == pytest.approx(240.0)
    length, width = np.linalg.norm(last - first), wrinkle.full_width
    assert covered == pytest.approx(2 * width * length + np.pi * width**2, rel=0.05)


def test_exact_angles_of_drawn_lines() -> None:
    positions, faces = grid(10, 6, seed=1)
    topology = Topology(faces, len(positions))
    # the second line turns by 73 degrees; the metric averages directions over half a width, which makes the measured
    # angle smaller
    lines = [[(1.3, 3.4), (8.7, 3.4)], [(1.3, 1.2), (5.0, 1.4), (6.2, 5.6)]]
    straight, bent = frame_of(topology, positions, *(laid(topology, positions, line) for line in lines)).wrinkles
    frame = frame_of(topology, positions, straight, bent)
    assert metrics.line_angles(frame, straight).max() < 1.0
    angles = metrics.line_angles(frame, bent)
    assert 45.0 < angles.max() < 75.0
    assert np.median(angles) < 5.0


def test_exact_crest_changes_count_births_and_deaths(frames: list[Frame]) -> None:
    assert frames[0].wrinkles == []
    tallest = max(w.crest for w in frames[-1].wrinkles)
    for pair in ((frames[-1], frames[0]), (frames[0], frames[-1])):
        assert metrics.crest_change(*pair) == pytest.approx(tallest / R_MIN)
    assert metrics.crest_change(frames[-1], frames[-1]) == 0.0


def test_property_independent_tracing_is_worse() -> None:
    animation = squeezed_sheet()
    coherent = metrics.measure_paths(animation, r_min=R_MIN, tau=1.2)
    independent = metrics.measure_paths(animation, r_min="0.5%", tau=1.2, coherent=False)
    assert independent.drift_p95 > 5.0 * coherent.drift_p95
    assert independent.height_change > 5.0 * coherent.height_change
    assert coherent.height_change < 0.15
    assert "coverage" in str(coherent)


def test_degenerate_no_wrinkles() -> None:
    rest, faces = grid(2, 2)
    found = metrics.measure_paths(Animation(np.array([rest, rest]), faces, height=1.0), r_min=0.1)
    assert found.wrinkles == 0.0
    assert np.isnan(found.coverage)
    assert found.height_change == 0.0


def test_exact_grown_wrinkles_keep_the_length_of_the_cloth_across_them() -> None:
    frames = list(run(squeezed_sheet(), r_min=R_MIN))
    grown = [w for w in frames[-1].wrinkles if w.fade == 1.0]
    np.testing.assert_allclose(np.concatenate([metrics.perimeter_ratio(wrinkle) for wrinkle in grown]), 1.0, atol=1e-3)
    young = next(w for frame in frames for w in frame.wrinkles if 0.0 < w.fade < 0.5 and w.crest > 0.0)
    assert metrics.perimeter_ratio(young).min() < 0.99
