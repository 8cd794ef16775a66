"""Strokes (short folds with a common direction): they cover the cloth, and do not continue on another layer."""

import numpy as np
import pytest
from numpy.typing import NDArray

from meshes import grid
from patterned_cloth import grid_of
from ruckle import Pattern, PatternGrid, Topology, stroke_pattern

WAVE = 1.6


def across_x(mesh: object, **options: object) -> Pattern:
    return stroke_pattern(grid_of(mesh, 8), np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1)), wavelength=WAVE, **options)


@pytest.mark.parametrize("turn", [0.0, 30.0, -30.0])
def test_property_strokes_run_along_the_folds_and_turned_from_them(turn: float) -> None:
    pattern = across_x(grid(25, 25), turn=turn)
    slopes = pattern.grid.gradients(pattern.heights)[:, :2].astype(float)
    squares, axes = np.linalg.eigh(slopes.T @ slopes)
    # the slopes are steepest across the strokes, in the direction x rotated by `turn` degrees
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    assert (angle - turn + 90.0) % 180.0 - 90.0 == pytest.approx(0.0, abs=4.0)
    assert squares[0] < 0.15 * squares[1]


def test_property_a_stroke_is_a_bell_as_high_as_the_wavelength() -> None:
    pattern = across_x(grid(25, 25))
    assert np.ptp(pattern.heights) == pytest.approx(WAVE, rel=0.03)
    assert abs(pattern.heights.astype(float).mean()) < 1e-5
    # the profile exp(-x²/2σ²) has the steepest slope exp(-1/2)/σ
    slopes = np.linalg.norm(pattern.grid.gradients(pattern.heights), axis=1)
    assert np.quantile(slopes, 0.999) == pytest.approx(np.exp(-0.5) / 0.21, rel=0.1)


def test_property_strokes_lie_everywhere_with_gaps_between_them() -> None:
    mesh = grid(33, 33)
    pattern = across_x(mesh)
    raised = (pattern.heights - pattern.heights.min() > 0.5 * WAVE)[: mesh.vertex_count].reshape(33, 33)
    blocks = raised[:32, :32].reshape(4, 8, 4, 8).any(axis=(1, 3))
    assert blocks.all()
    assert 0.15 < raised.mean() < 0.5


def bent(mesh: object, radius: float) -> NDArray[np.float64]:
    x, y = mesh.positions[:, 0].astype(float), mesh.positions[:, 1].astype(float)
    return np.stack([radius * np.sin(x / radius), y, radius * (1 - np.cos(x / radius))], axis=1)


def test_property_bent_cloth_has_the_strokes_of_flat_cloth() -> None:
    mesh = grid(33, 33)
    flat, positions = across_x(mesh, turn=90.0), bent(mesh, 30.0)
    cloth = PatternGrid(mesh.topology, positions, edge_parts=flat.grid.edge_parts)
    a, b, c = np.moveaxis(positions[mesh.faces], 1, 0)
    # the axis that is x on the flat sheet, in the plane of each triangle of the bent sheet
    axes = np.cross([0.0, 1.0, 0.0], np.cross(b - a, c - a))
    pattern = stroke_pattern(cloth, axes, wavelength=WAVE, turn=90.0)
    # Some strokes are on only one of the sheets, so the correlation is below 1; for different seeds, it is near 0.
    assert np.corrcoef(pattern.heights, flat.heights)[0, 1] > 0.75


def test_property_strokes_stay_on_their_layer() -> None:
    # two sheets close together: strokes affect only points that are neighbours on the mesh
    mesh = grid(12, 12)
    positions = np.concatenate([mesh.positions, mesh.positions + np.array([0, 0, 0.1])])
    faces = np.concatenate([mesh.faces, mesh.faces + mesh.vertex_count])
    topology = Topology(faces, len(positions))
    both = PatternGrid(topology, positions, edge_parts=np.full(topology.edge_count, 8))
    pattern = stroke_pattern(both, np.tile([1.0, 0.0, 0.0], (len(faces), 1)), wavelength=WAVE)
    lower, upper = pattern.heights[: 2 * mesh.vertex_count].reshape(2, -1)
    assert abs(np.corrcoef(lower, upper)[0, 1]) < 0.5
    assert min(lower.std(), upper.std()) > 0.1 * WAVE


def test_property_strokes_are_no_narrower_than_the_grid_can_show() -> None:
    mesh = grid(12, 12)
    axes = np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1))
    narrow, least = (stroke_pattern(grid_of(mesh, 8), axes, wavelength=wave).heights for wave in (1e-9, 0.5))
    assert np.ptp(narrow) == pytest.approx(3 * np.sqrt(2) / 8, rel=0.05)
    assert np.ptp(least) == np.ptp(narrow)


def test_degenerate_strokes_are_no_wider_than_the_cloth() -> None:
    mesh = grid(6, 6)
    axes = np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1))
    wide, wider = (stroke_pattern(grid_of(mesh, 8), axes, wavelength=wave).heights for wave in (1e6, 1e308))
    np.testing.assert_array_equal(wide, wider)
    assert 0.0 < np.ptp(wide) < 20.0


def test_property_the_seed_decides() -> None:
    mesh = grid(25, 25)
    first, again, other = (across_x(mesh, seed=seed).heights for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.3


def test_reject_strokes() -> None:
    mesh = grid()
    cloth, axes = grid_of(mesh), np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1))
    for changed, message in (
        ({"axes": np.eye(3)}, r"axes: expected finite numbers of shape \(40, 3\), got \(3, 3\)"),
        ({"wavelength": 0}, "wavelength: expected a finite number above 0, got 0"),
        ({"turn": np.nan}, "turn: expected a finite number of degrees, got nan"),
    ):
        with pytest.raises(ValueError, match=message):
            stroke_pattern(cloth, **{"axes": axes, "wavelength": 4.0} | changed)
    flat = PatternGrid(cloth.topology, np.zeros((mesh.vertex_count, 3)), spacing=1.0)
    with pytest.raises(ValueError, match="grid: expected cloth with an area, got only degenerate triangles"):
        stroke_pattern(flat, axes, wavelength=4.0)
