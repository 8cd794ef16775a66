"""Areas of triangles, and normals of vertices."""

import numpy as np

from ruckle.mesh.geometry import triangle_areas, vertex_normals

CORNERS = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4], [9, 9, 9]], np.float32)
FACES = np.array([[0, 1, 2], [0, 3, 1], [1, 1, 2]], np.int32)


def test_exact_areas() -> None:
    np.testing.assert_array_equal(triangle_areas(CORNERS, FACES), [3.0, 4.0, 0.0])


def test_exact_normals_weigh_triangles_by_their_areas() -> None:
    normals = vertex_normals(CORNERS, FACES)
    # triangles with areas 3 and 4 share the first two vertices, whose normals are weighted by area; the last vertex is
    # unused
    np.testing.assert_allclose(normals[[0, 1]], [[0, 0.8, 0.6]] * 2, atol=1e-15)
    np.testing.assert_array_equal(normals[2:], [[0, 0, 1], [0, 1, 0], [0, 0, 0]])


def test_property_areas_are_of_double_precision() -> None:
    long = np.array([[0, 0, 0], [4097, 0, 0], [0, 4097, 0]], np.float32)
    assert triangle_areas(long, FACES[:1]) == 0.5 * 4097.0**2
