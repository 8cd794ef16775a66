"""Remeshing to regular triangles: angles, surface, boundaries, errors."""

import numpy as np
import pytest

import ruckle
from meshes import sphere
from ruckle.mesh.closest import closest_points
from ruckle.offline.simulation import boundary_loops, remesh
from ruckle.simulation import grid_sheet


def least_angles(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the smallest angle of each face, in degrees."""
    corners = points[faces].astype(float)
    angles = []
    for k in range(3):
        u, v = corners[:, k - 2] - corners[:, k], corners[:, k - 1] - corners[:, k]
        angles.append(np.degrees(np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))))
    return np.min(angles, axis=0)


def slivers() -> tuple[np.ndarray, np.ndarray]:
    """Return a tube of long and thin triangles, like the trouser leg of a decimated mesh."""

    def tube(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        angle = 2 * np.pi * u
        return np.stack([0.1 * np.cos(angle), v**4, 0.1 * np.sin(angle)], 1)

    return grid_sheet(14, 7, tube, closed=True)


def test_property_triangles_are_even_and_lie_on_the_surface() -> None:
    rest, faces = slivers()
    points, found = remesh(rest, faces, 1200)
    assert 1000 < len(points) < 1500
    topology = ruckle.Topology(found, len(points))
    # the result is one tube, whose Euler characteristic V - E + F is 0
    assert len(points) - len(topology.edges) + len(found) == 0
    angles = least_angles(points, found)
    assert least_angles(rest, faces).min() < 3
    assert angles.min() > 12
    assert np.percentile(angles, 1) > 25
    assert np.median(angles) > 48
    holders, weights = closest_points(rest, faces, points)
    on_surface = np.einsum("nk,nkx->nx", weights, rest[faces[holders]].astype(float))
    assert np.linalg.norm(on_surface - points, axis=1).max() < 3e-3

    def area(p: np.ndarray, f: np.ndarray) -> float:
        a, b, c = p[f].astype(float).transpose(1, 0, 2)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)

    assert area(points, found) == pytest.approx(area(rest, faces), rel=0.02)


def test_exact_rims_stay_where_they_are_and_come_in_order() -> None:
    rest, faces = slivers()
    points, found = remesh(rest, faces, 1200)
    loops = boundary_loops(found)
    assert len(loops) == 2
    assert sorted(points[loop, 1].round(5).max() for loop in loops) == [0.0, 1.0]
    for loop in loops:
        assert np.ptp(points[loop, 1]) < 1e-6
        # vertices that follow each other in a boundary loop are neighbours in space
        steps = np.linalg.norm(points[loop] - points[np.roll(loop, -1)], axis=1)
        assert steps.max() < 0.06
    assert boundary_loops(sphere(2).faces) == []


def test_property_closed_surfaces_stay_closed() -> None:
    ball = sphere(2)
    points, found = remesh(ball.positions, ball.faces, 600)
    assert boundary_loops(found) == []
    topology = ruckle.Topology(found, len(points))
    assert len(points) - len(topology.edges) + len(found) == 2
    # the normals still point outward
    a, b, c = points[found].transpose(1, 0, 2)
    assert (np.cross(b - a, c - a) * (a + b + c)).sum(axis=1).min() > 0


def test_reject_meshes() -> None:
    rest, faces = slivers()
    with pytest.raises(ValueError, match="vertex_count: expected an integer"):
        remesh(rest, faces, 3)
    with pytest.raises(ruckle.MeshError):
        remesh(rest, np.vstack([faces, faces[:1]]), 1200)
