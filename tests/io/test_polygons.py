"""Division of polygons into triangles: areas equal the shoelace formula, also for concave polygons in any plane."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ruckle
from ruckle.io.polygons import triangle_corners

# the corner at (0.5, 0.5) is concave
DART = [[2.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]


def areas(positions: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the area vector of each triangle, (T, 3)."""
    a, b, c = positions[triangles].transpose(1, 0, 2)
    return np.cross(b - a, c - a) / 2


@given(st.integers(4, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_polygons_property_star_shapes_keep_area_and_orientation(size: int, seed: int, reverse: bool) -> None:
    random = np.random.default_rng(seed)
    # the angles between neighbouring corners are equal, so that the centre is inside the polygon
    angles = 2 * np.pi * np.arange(size) / size
    radii = random.uniform(0.1, 1.0, size)
    flat = np.stack([radii * np.cos(angles), radii * np.sin(angles), np.zeros(size)], axis=1)[:: -1 if reverse else 1]
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    positions = flat @ turn.T + random.normal(size=3)
    found = areas(positions, triangle_corners(np.array([size]), np.arange(size), positions))
    whole = np.cross(positions, np.roll(positions, -1, axis=0)).sum(axis=0) / 2
    shares = found @ whole / (whole @ whole)
    assert len(shares) == size - 2
    assert shares.min() > -1e-9
    assert shares.sum() == pytest.approx(1.0)


def test_polygons_exact_mixed_sizes_keep_their_order() -> None:
    positions = np.array([*DART, [3.0, 0.0, 0.0]])
    found = triangle_corners(np.array([3, 4, 2, 3]), np.array([0, 4, 1, 0, 1, 2, 3, 0, 1, 4, 0, 2]), positions)
    assert found[[0, 3]].tolist() == [[0, 1, 2], [9, 10, 11]]
    vertices = np.array([0, 4, 1, 0, 1, 2, 3, 0, 1, 4, 0, 2])[found[1:3]]
    assert areas(positions, vertices)[:, 2] == pytest.approx([0.5, 0.5])


def test_polygons_degenerate_missing_vertex_and_zero_area_are_fans() -> None:
    fan = [[0, 1, 2], [0, 2, 3]]
    assert triangle_corners(np.array([4]), np.array([0, 1, 2, 9]), np.array(DART)).tolist() == fan
    assert triangle_corners(np.array([4]), np.arange(4), np.zeros((4, 3))).tolist() == fan
    assert triangle_corners(np.array([4]), np.arange(4), np.zeros((0, 3))).tolist() == fan


def test_polygons_exact_convex_polygons_are_fans_from_their_first_corner() -> None:
    angles = 2 * np.pi * np.arange(6) / 6
    hexagon = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    for corners in (hexagon, hexagon[::-1], hexagon[:, [2, 0, 1]]):
        found = triangle_corners(np.array([6]), np.arange(6), corners)
        assert found.tolist() == [[0, k, k + 1] for k in range(1, 5)]


@pytest.mark.parametrize(
    "text",
    {
        "obj": "".join(f"v {x} {y} {z}\n" for x, y, z in DART) + "f 1 2 3 4\n",
        "ply": "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        + "".join(f"{x} {y} {z}\n" for x, y, z in DART)
        + "4 0 1 2 3\n",
    }.items(),
    ids=lambda item: item[0],
)
def test_polygons_exact_files_split_concave_polygons(text: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / f"dart.{text[0]}"
    path.write_text(text[1])
    animation = ruckle.load(path)
    assert areas(animation.positions[0], animation.faces)[:, 2] == pytest.approx([0.5, 0.5])
