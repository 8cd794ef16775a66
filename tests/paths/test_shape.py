"""The cross-section of a wrinkle, and its width and height along the path."""

import numpy as np
import pytest

import ruckle
from cloth_meshes import points_of, wrinkled_grid

HALF_CIRCLE = 1.0 - 2.0 / np.pi
LINE = np.column_stack([np.linspace(0.0, 10.0, 101), np.zeros(101), np.zeros(101)])


def section_length(width: float, height: float) -> float:
    """Return the length of the cross-section, measured as the sum of 40,000 short lines."""
    u = np.linspace(-1.0, 1.0, 40001)
    x, y = 0.5 * width * u, height * ruckle.cross_section(u).astype(np.float64)
    return float(np.hypot(np.diff(x), np.diff(y)).sum())


def test_exact_cross_section_is_a_quadratic_b_spline() -> None:
    u = np.linspace(-1.2, 1.2, 2401)
    height = ruckle.cross_section(u).astype(np.float64)
    assert height.max() == 1.0
    assert (height[np.abs(u) >= 1.0] == 0.0).all()
    slope = np.gradient(height, u)
    assert np.abs(np.diff(slope)).max() < 0.01  # continuous slope, which is 0 at the border to the cloth
    np.testing.assert_allclose(height, height[::-1], atol=1e-6)


@pytest.mark.parametrize("kappa", [0.02, 0.05, 0.1, 0.2, 0.3, 0.3634])
@pytest.mark.parametrize("size", [1.0, 0.4])
def test_property_length_is_conserved_along_the_wrinkle(kappa: float, size: float) -> None:
    width, height, perimeter = ruckle.wrinkle_shape(LINE, kappa=kappa, r_min=0.3, size=size)
    assert perimeter == pytest.approx(
        size * 2.0 * 0.3 * HALF_CIRCLE / kappa / (1.0 - min(kappa, HALF_CIRCLE)), rel=1e-3
    )
    for w, h in zip(width[::5], height[::5], strict=True):
        assert section_length(float(w), float(h)) == pytest.approx(perimeter, rel=1e-3)


def test_property_height_ratio_inverts_the_length() -> None:
    for ratio in [1.0, 1.0001, 1.01, 1.3, 1.5708, 2.5, 2.999, 3.5, 8.0]:
        eta = ruckle.height_ratio(ratio)
        assert section_length(2.0, eta) == pytest.approx(2.0 * ratio, rel=2e-5)


def test_exact_middle_and_ends() -> None:
    width, height, perimeter = ruckle.wrinkle_shape(LINE, kappa=HALF_CIRCLE, r_min=0.5)
    assert width[50] == pytest.approx(1.0, rel=1e-5)  # 2 r_min
    assert perimeter == pytest.approx(np.pi * 0.5, rel=1e-5)  # length of a half circle
    assert width[0] == width[-1] == pytest.approx(perimeter)
    assert height[0] == height[-1] == 0.0
    assert height.argmax() == 50
    assert height[50] == pytest.approx(1.1189 * 0.5, rel=1e-3)
    assert (np.diff(height[:51]) >= 0.0).all()
    # the height decreases smoothly to 0 at the end, without a kink
    assert height[1] < 0.01 * height[50]


def test_exact_cuts_move_the_ends() -> None:
    line = np.column_stack([np.arange(6.0), np.zeros(6), np.zeros(6)])
    _, height, _ = ruckle.wrinkle_shape(line, kappa=0.3, r_min=0.2, cuts=(0.5, 1.0))
    # the wrinkle extends from 0.5 to 4, so vertices 0, 4 and 5 are at its ends or outside
    assert (height[[0, 4, 5]] == 0.0).all()
    assert (height[1:4] > 0.0).all()
    assert height[2] == height.max()  # the middle is at 2.25


def test_property_scale_and_fade() -> None:
    width, height, perimeter = ruckle.wrinkle_shape(LINE, kappa=0.25, r_min=0.3)
    scaled = ruckle.wrinkle_shape(LINE * 100.0, kappa=0.25, r_min=30.0)
    np.testing.assert_allclose(scaled[0], 100.0 * width, rtol=1e-5)
    np.testing.assert_allclose(scaled[1], 100.0 * height, rtol=1e-5, atol=1e-5)
    assert scaled[2] == pytest.approx(100.0 * perimeter)
    _, faded, _ = ruckle.wrinkle_shape(LINE, kappa=0.25, r_min=0.3, fade=0.25)
    np.testing.assert_allclose(faded, 0.25 * height, rtol=1e-5)


def test_property_the_curve_is_smooth_and_stays_on_the_cloth() -> None:
    topology, positions, stretch = wrinkled_grid(1.6, (1.0, 0.4, 0.0))
    edges, t = max(ruckle.trace(topology, positions, stretch, r_min=0.3, smooth=False), key=lambda path: len(path[0]))
    t = np.clip(t + 0.2 * (-1.0) ** np.arange(len(t)), 0.05, 0.95)  # a zigzag
    samples = 32
    points, width, height, faces = ruckle.wrinkle_curve(
        topology, positions, edges, t, kappa=0.3, r_min=0.3, samples=samples
    )
    assert len(points) == len(width) == len(height) == len(faces) + 1 == (len(edges) - 1) * samples + 1
    np.testing.assert_allclose(points[::samples], points_of(topology, positions, edges, t), atol=1e-5)
    # each part of the line is inside its triangle: its barycentric coordinates are in [0, 1]
    corners = positions[topology.faces[faces]].astype(np.float64)[:, :, :2]
    matrix = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    local = np.linalg.solve(matrix, (points[1:, :2] - corners[:, 0])[..., None])[..., 0]
    assert local.min() > -1e-4
    assert local.sum(axis=1).max() < 1.0001

    # the direction of the line does not jump at an edge
    def turns(line: np.ndarray) -> np.ndarray:
        step = np.diff(line.astype(np.float64), axis=0)
        step /= np.linalg.norm(step, axis=1)[:, None]
        return np.degrees(np.arccos(np.clip((step[1:] * step[:-1]).sum(axis=1), -1.0, 1.0)))

    assert turns(points).max() < 0.3 * turns(points_of(topology, positions, edges, t)).max()


def test_degenerate_wrinkle_without_length() -> None:
    width, height, perimeter = ruckle.wrinkle_shape(np.zeros((3, 3)), kappa=0.2, r_min=0.3)
    assert np.isfinite(width).all()
    assert (height == 0.0).all()
    assert perimeter > 0.0
    width, height, _ = ruckle.wrinkle_shape(LINE, kappa=0.0, r_min=0.3)
    assert np.isfinite(width).all()
    assert np.isfinite(height).all()
    _, height, _ = ruckle.wrinkle_shape(LINE, kappa=0.2, r_min=0.3, size=0.0)
    assert (height == 0.0).all()
