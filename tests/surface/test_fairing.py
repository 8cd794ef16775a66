"""The smooth base: its triangles agree with the drawn normals, and it stays near the coarse mesh."""

from typing import Any

import numpy as np
import pytest

import meshes
import ruckle
from ruckle import CoarseFrame, FineMesh, Topology
from ruckle.surface.fairing import FARTHEST, STIFFNESS, Fairing


def recomputed(fine: FineMesh) -> Any:
    """Return the normals (N, 3) that other programs compute: means of the faces, weighted by angle."""
    corners = fine.positions[fine.faces].astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    normals = np.zeros(fine.positions.shape)
    for k in range(3):
        one, other = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), (one * other).sum(axis=1))
        np.add.at(normals, fine.faces[:, k], angle[:, None] * across)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)


def angles(fine: FineMesh) -> Any:
    """Return the angles between drawn and recomputed normals, in degrees."""
    used = np.unique(fine.faces)
    found, drawn = recomputed(fine)[used], fine.normals[used].astype(np.float64)
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(found, drawn), axis=1), (found * drawn).sum(axis=1)))


def test_property_normals_of_garments_agree() -> None:
    animation = ruckle.sample("sawing")
    found = {}
    for base in ("curved", "smooth"):
        parts = [
            angles(ruckle.displace(CoarseFrame(animation.positions[frame], animation.faces), base=base))  # type: ignore[arg-type]
            for frame in (40, 100, 180)
        ]
        found[base] = np.percentile(np.concatenate(parts), [50, 95])
    assert found["smooth"][0] < 2.0
    assert (found["smooth"] < [0.6, 0.7] * found["curved"]).all()


def test_exact_minimum_by_least_squares() -> None:
    shape = meshes.octahedron()
    topology, positions = shape.topology, shape.positions.astype(np.float32)
    fairing = Fairing(topology)
    shares = np.array([1.0, 0.5, 0.25, 1.0, 0.75, 0.125])
    fairing.update(positions, shares)
    # the sum of squares written out, over the unknowns of vertices and edges
    surface = ruckle.Surface(topology, base="curved")
    surface.update(CoarseFrame(positions, topology))
    count, vertices = topology.vertex_count + topology.edge_count, topology.vertex_count
    rows, sides = [], []
    for face, corners in enumerate(topology.faces):
        weights = fairing._points
        points = surface.evaluate(np.full(len(weights), face), weights)
        placed, drawn = points.positions.astype(np.float64), points.normals.astype(np.float64)
        heights = np.zeros((len(weights), count))
        for k in range(3):
            heights[:, corners[k]] += weights[:, k] * shares[corners[k]]
            edge, both = topology.face_edges[face, k], shares[corners[k]] * shares[corners[(k + 1) % 3]]
            heights[:, vertices + edge] += weights[:, k] * weights[:, (k + 1) % 3] * both
        for triangle in fairing._triangles:
            mean = drawn[triangle].sum(axis=0)
            mean /= np.linalg.norm(mean)
            for i, j in ((0, 1), (1, 2), (2, 0)):
                a, b = triangle[i], triangle[j]
                rows.append((mean @ drawn[b]) * heights[b] - (mean @ drawn[a]) * heights[a])
                sides.append(-mean @ (placed[b] - placed[a]))
        rows += list(np.sqrt(STIFFNESS) * heights)
        sides += [0.0] * len(heights)
    expected = np.linalg.lstsq(np.array(rows), np.array(sides), rcond=None)[0]
    side = np.linalg.norm(positions[topology.edges[:, 1]] - positions[topology.edges[:, 0]], axis=1).mean()
    expected[:vertices] = np.clip(expected[:vertices], -FARTHEST * side, FARTHEST * side) * shares
    np.testing.assert_allclose(fairing._vertices, expected[:vertices], atol=1e-3 * side)


def test_exact_flat_cloth_stays() -> None:
    shape = meshes.grid()
    curved, smooth = (
        ruckle.displace(CoarseFrame(shape.positions * [1, 1, 0], shape.faces), base=base)  # type: ignore[arg-type]
        for base in ("curved", "smooth")
    )
    np.testing.assert_array_equal(smooth.positions, curved.positions)


def test_exact_folds_and_masked_cloth_stay() -> None:
    shape = meshes.octahedron()
    topology, fairing = shape.topology, Fairing(shape.topology)
    fairing.update(shape.positions.astype(np.float32), np.zeros(topology.vertex_count))
    assert not fairing._vertices.any()
    assert not fairing._edges.any()


@pytest.mark.parametrize(
    "shape", [meshes.tube(), meshes.torus(), meshes.moebius(), meshes.pillow(), meshes.scattered()], ids=repr
)
def test_property_watertight_and_near(shape: meshes.Mesh) -> None:
    frame = CoarseFrame(shape.positions, shape.faces)
    curved, smooth = (ruckle.displace(frame, base=base) for base in ("curved", "smooth"))  # type: ignore[arg-type]
    # the same faces over shared vertices, so that no crack opens
    np.testing.assert_array_equal(smooth.faces, curved.faces)
    edges = shape.positions[shape.topology.edges]
    side = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean()
    # a vertex and three edges may add up
    assert np.linalg.norm(smooth.positions - curved.positions, axis=1).max() <= 2.0 * FARTHEST * side + 1e-6


def test_property_rigid_motion_and_scale() -> None:
    shape = meshes.tube()
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    plain = ruckle.displace(CoarseFrame(shape.positions, shape.faces), base="smooth").positions
    moved = ruckle.displace(CoarseFrame(100.0 * shape.positions @ turn.T, shape.faces), base="smooth").positions
    np.testing.assert_allclose(moved, 100.0 * plain @ turn.T, atol=2e-3)


def test_degenerate_collapsed_cloth() -> None:
    shape = meshes.grid()
    for positions in (np.zeros_like(shape.positions), shape.positions * [1, 0, 0]):
        topology = Topology(shape.faces, len(positions))
        assert np.isfinite(ruckle.displace(CoarseFrame(positions, topology), base="smooth").positions).all()


def test_exact_points_are_those_of_the_mesh() -> None:
    animation = ruckle.sample("sawing").cut(0, 60)
    *_, frame = ruckle.run(animation)
    surface = ruckle.Surface(frame.topology, base="smooth")
    surface.update(frame)
    fine = surface.displace()
    used = np.unique(fine.faces)
    points = surface.evaluate(fine.coarse_faces[used], fine.barycentric[used])
    np.testing.assert_allclose(points.positions, fine.positions[used], atol=1e-6)
