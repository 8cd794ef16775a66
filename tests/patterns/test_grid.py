"""The grid of a pattern: positions of its nodes, slopes and gradients."""

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest

from meshes import Mesh, grid, octahedron, scattered, triangle, tube
from patterned_cloth import grid_of, mixed_grid, waves
from ruckle import PatternGrid, function_pattern


@pytest.mark.parametrize("mesh", [triangle(), grid(), tube(), octahedron(), scattered()], ids=repr)
@pytest.mark.parametrize("parts", [1, 2, 8])
def test_exact_nodes_stand_once_per_vertex_edge_and_face(mesh: Mesh, parts: int) -> None:
    found = grid_of(mesh, parts)
    topology = mesh.topology
    inside = (parts - 1) * (parts - 2) // 2
    count = mesh.vertex_count + (parts - 1) * topology.edge_count + inside * topology.face_count
    assert len(found.faces) == count
    np.testing.assert_allclose(found.nodes[: mesh.vertex_count], mesh.positions, atol=1e-6)
    distances = np.linalg.norm(found.nodes[:, None] - found.nodes[None], axis=2)
    assert (distances[~np.eye(count, dtype=bool)] > 0.3 / parts * 0.1).all()
    assert found.cell_offsets[-1] == parts**2 * topology.face_count


def test_exact_spacing_gives_powers_of_two() -> None:
    mesh = grid(2, 2)
    for spacing, straight, diagonal in ((2.0, 1, 1), (0.5, 2, 4), (0.25, 4, 8), (1e-6, 64, 64)):
        parts = PatternGrid(mesh.topology, mesh.positions, spacing=spacing).edge_parts
        lengths = np.linalg.norm(np.diff(mesh.positions[mesh.topology.edges], axis=1)[:, 0], axis=1)
        assert set(parts[lengths < 1.1].tolist()) == {straight}
        assert set(parts[lengths > 1.1].tolist()) == {diagonal}


def test_exact_slopes_and_gradients_of_a_plane_on_mixed_edges() -> None:
    gradient = np.array([0.3, -0.7, 0.0])
    for seed in range(4):
        found = mixed_grid(seed)
        heights = (found.nodes @ gradient).astype(np.float32)
        corners = found.rest[found.topology.faces].astype(np.float64)
        expected = np.stack([(corners[:, k] - corners[:, 0]) @ gradient for k in (1, 2)], axis=1)
        cells = np.repeat(expected, np.diff(found.cell_offsets), axis=0)
        np.testing.assert_allclose(found.slopes(heights), cells, atol=2e-5)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        if abs(normal[:, :2]).max() < 1e-9:
            np.testing.assert_allclose(found.gradients(heights), np.tile(gradient, (len(heights), 1)), atol=2e-4)


def test_exact_uv_of_nodes() -> None:
    mesh = grid()
    found = grid_of(mesh, 4)
    np.testing.assert_allclose(found.uv(mesh.positions[:, :2]), found.nodes[:, :2], atol=1e-6)
    # each face has its own texture indices, although the coordinates at common vertices are equal
    corners = np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    np.testing.assert_allclose(found.uv(mesh.positions[mesh.faces.ravel(), :2], corners), found.nodes[:, :2], atol=1e-6)
    assert "64 nodes" not in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spacing": 0.0}, "spacing: expected a finite length above 0, got 0.000000"),
        ({"spacing": float("nan")}, "spacing: expected a finite length above 0, got nan"),
        ({"edge_parts": [1, 2]}, "edge_parts: expected an array of shape (E = 3,), got (2,)"),
        ({"edge_parts": [1, 2, 3]}, "edge_parts: expected powers of two from 1 to 64, got 3"),
        ({"edge_parts": [1, 2, 128]}, "edge_parts: expected powers of two from 1 to 64, got 128"),
    ],
)
def test_reject_grids(options: dict[str, Any], message: str) -> None:
    mesh = triangle()
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        PatternGrid(mesh.topology, mesh.positions, **options)


def test_reject_functions() -> None:
    for function, over, message in (
        (lambda *_: np.zeros(3), "rest", r"heights: expected one for each of 45 nodes, got an array of shape \(3,\)"),
        (lambda points, _: np.full(len(points), np.nan), "rest", "heights: node 0 is not finite"),
        (lambda uv: uv[:, 0], "uv", 'uv: expected texture coordinates for over="uv"'),
    ):
        with pytest.raises(ValueError, match=message):
            function_pattern(grid_of(triangle()), function, over=over)


@pytest.mark.parametrize("copied", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy])
def test_exact_copied_patterns_stand_on_one_grid_like_theirs(copied: Any) -> None:
    on = mixed_grid()
    patterns = copied([waves(on), waves(on, 1.5)])
    again = patterns[0].grid
    assert again is patterns[1].grid is not on
    assert type(again) is PatternGrid
    for name in ("rest", "edge_parts", "face_parts", "faces", "barycentric", "cell_offsets"):
        np.testing.assert_array_equal(getattr(again, name), getattr(on, name))
    np.testing.assert_array_equal(patterns[1].heights, waves(on, 1.5).heights)
    assert patterns[1].name == waves(on, 1.5).name


@pytest.mark.parametrize(
    ("values", "faces", "message"),
    [
        (np.zeros((2, 1)), None, "values: expected an array of shape (3, ...), got (2, 1)"),
        (np.zeros((4, 1)), None, "values: expected an array of shape (3, ...), got (4, 1)"),
        (1.0, None, "values: expected an array of shape (3, ...), got ()"),
        (np.zeros((3, 1)), [[0, 1, 3]], "faces: face 0 names vertex 3; a mesh of 3 vertices has 0 to 2"),
        (np.zeros((3, 1)), [[0, 1, -1]], "faces: face 0 names vertex -1; a mesh of 3 vertices has 0 to 2"),
        (np.zeros((3, 1)), [[0, 1, 2], [0, 1, 2]], "faces: expected an array of shape (1, 3), got (2, 3)"),
        (["a", "b", "c"], None, "values: expected real numbers, got list"),
    ],
)
def test_reject_values_of_corners(values: Any, faces: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        grid_of(triangle()).at(values, faces)
