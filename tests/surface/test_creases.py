"""Normals for shading: one per vertex on smooth cloth, and a separate normal on each side of hems and creases."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from meshes import Mesh, moving, pillow, scattered, sphere, torus
from ruckle import CoarseFrame, Topology
from ruckle.surface.surface import Surface

Array = NDArray[Any]

SMOOTH, CREASED = 0.5, -0.17
"""Cosine of the largest angle between the faces of a smooth edge, and of the smallest angle at a crease."""


def surface_of(positions: Any, faces: Any) -> Surface:
    """Return the surface of a mesh without wrinkles."""
    surface = Surface(Topology(faces, len(positions)))
    surface.update(CoarseFrame(positions, surface.topology))
    return surface


def fold(angle: float) -> Surface:
    """Return the surface of two triangles with an angle in degrees at their common edge from (0, 0, 0) to (1, 0, 0)."""
    turn = np.radians(angle)
    return surface_of([[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -np.cos(turn), np.sin(turn)]], [[0, 1, 2], [1, 0, 3]])


def brute_force(positions: Array, faces: Array) -> Array:
    """Return normals (T, 3, 3), float64, of the face corners, from all faces around each vertex."""
    points = np.asarray(positions, np.float64)[faces]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    across = {(int(face[k]), int(face[(k + 1) % 3])): f for f, face in enumerate(faces) for k in range(3)}

    def angle(f: int, k: int) -> float:
        a, b = (points[f, (k + j) % 3] - points[f, k] for j in (1, 2))
        return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))

    def reach(f: int, k: int, forward: bool) -> dict[int, float]:
        """Return the weights of other faces in the normal of a corner, in one direction around its vertex."""
        vertex, found, at, share = int(faces[f, k]), {}, f, 1.0
        while True:
            corner = int(np.flatnonzero(faces[at] == vertex)[0])
            other = int(faces[at, (corner + (2 if forward else 1)) % 3])
            following = across.get((vertex, other) if forward else (other, vertex))
            if following is None or following == f:
                return found
            x = np.clip((normals[at] @ normals[following] - CREASED) / (SMOOTH - CREASED), 0, 1)
            share *= x * x * (3 - 2 * x)
            found[following] = share
            at = following

    result = np.zeros((len(faces), 3, 3))
    for f in range(len(faces)):
        for k in range(3):
            total = angle(f, k) * normals[f]
            one, another = reach(f, k, True), reach(f, k, False)
            for g in {*one, *another}:
                p, q = one.get(g, 0.0), another.get(g, 0.0)
                corner = int(np.flatnonzero(faces[g] == faces[f, k])[0])
                total = total + (p + q - p * q) * angle(g, corner) * normals[g]
            result[f, k] = total / np.linalg.norm(total)
    return result


@pytest.mark.parametrize("angle", [100, 135, 180])
def test_exact_the_layers_of_a_hem_have_their_own_normals(angle: float) -> None:
    turn = np.radians(angle)
    corners = fold(angle).corner_normals
    np.testing.assert_allclose(corners[0], np.tile([0, 0, 1], (3, 1)), atol=1e-6)
    np.testing.assert_allclose(corners[1], np.tile([0, np.sin(turn), np.cos(turn)], (3, 1)), atol=1e-6)


@pytest.mark.parametrize("shape", [sphere(), torus(24, 32)], ids=repr)
def test_exact_smooth_cloth_has_the_vertices_normals(shape: Mesh) -> None:
    surface = surface_of(shape.positions, shape.faces)
    np.testing.assert_array_equal(surface.corner_normals, surface.vertex_normals[shape.faces])
    np.testing.assert_array_equal(fold(59).corner_normals[0, :2], fold(59).vertex_normals[:2])


@pytest.mark.parametrize("shape", [scattered(), scattered(3), pillow(), torus()], ids=repr)
def test_exact_every_pair_of_faces(shape: Mesh) -> None:
    positions = moving(shape, [1.0], strength=0.4)[0].astype(np.float32)
    corners = surface_of(positions, shape.faces).corner_normals
    np.testing.assert_allclose(corners, brute_force(positions, shape.faces), atol=2e-4)


def test_property_nothing_jumps_when_a_fold_opens() -> None:
    normals = np.array([fold(angle).corner_normals[0, 0] for angle in np.arange(0, 180.5, 0.5)])
    steps = np.degrees(np.arccos(np.clip(np.einsum("ij,ij->i", normals[1:], normals[:-1]), -1, 1)))
    assert steps.max() < 2.5
    # at 40 degrees, the normal is tilted toward the other face; at 180 degrees, it is the normal of its own face
    assert normals[80, 1] > 0.3
    assert normals[-1, 1] < 1e-6


def test_degenerate_collapsed_faces() -> None:
    # the second and the third face do not have an area, and the last vertex belongs only to the third face
    positions = [[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, 0, 0], [0, 0, 0]]
    corners = surface_of(positions, [[0, 1, 2], [1, 0, 3], [3, 0, 4]]).corner_normals
    assert np.isfinite(corners).all()
    np.testing.assert_allclose(corners[0], np.tile([0, 0, 1], (3, 1)), atol=1e-6)
    np.testing.assert_array_equal(corners[2, 2], [0, 0, 0])
