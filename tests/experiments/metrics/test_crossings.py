"""The search for faces that cross, compared with a test of each pair of faces."""

import numpy as np
import pytest

import ruckle
from crossing_oracle import crossings
from meshes import sphere
from ruckle.experiments.metrics import find_crossings
from ruckle.simulation import grid_sheet


def crumpled(noise: float) -> tuple[np.ndarray, np.ndarray]:
    rest, faces = grid_sheet(20, 20, lambda u, v: np.stack([u, v, 0 * u], 1))
    return (rest + np.random.default_rng(1).normal(scale=noise / 20, size=rest.shape)).astype(np.float32), faces


def together(*meshes: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    faces = [faces + start for (_, faces), start in zip(meshes, starts, strict=False)]
    return np.concatenate([points for points, _ in meshes]).astype(np.float32), np.concatenate(faces)


def balls(way: float) -> tuple[np.ndarray, np.ndarray]:
    ball = sphere(3)
    return together((ball.positions, ball.faces), (ball.positions + np.array([way, 0.1, 0.05]), ball.faces))


@pytest.mark.parametrize(
    "mesh",
    [crumpled(0.5), crumpled(1.0), crumpled(3.0), balls(0.9), balls(1.9), together(crumpled(0.1), crumpled(0.8))],
    ids=["folded", "crumpled", "soup", "balls", "balls that just meet", "sheets"],
)
def test_exact_crossings_are_those_of_all_pairs(mesh: tuple[np.ndarray, np.ndarray]) -> None:
    expected = crossings(*mesh)
    assert len(expected) > 0
    np.testing.assert_array_equal(find_crossings(*mesh), expected)


def test_property_crossings_do_not_depend_on_place_and_size() -> None:
    points, faces = crumpled(1.0)
    expected = find_crossings(points, faces)
    np.testing.assert_array_equal(find_crossings(8.0 * points, faces), expected)
    np.testing.assert_array_equal(find_crossings(points[:, [1, 2, 0]], faces), expected)


def test_degenerate_meshes_have_no_crossings() -> None:
    # inputs without crossings: a single face, faces without area, and a face together with unused vertices
    assert find_crossings([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).shape == (0, 3)
    assert len(find_crossings(np.zeros((9, 3)), grid_sheet(3, 3, lambda u, v: np.stack([u, v, u], 1))[1])) == 0
    assert len(find_crossings(np.eye(3)[[0, 1, 2, 0, 1]], [[0, 1, 2]])) == 0


def test_reject_what_is_no_mesh() -> None:
    with pytest.raises(ValueError, match="positions: element 1 holds nan"):
        find_crossings([[0, 0, 0], [np.nan, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(ruckle.MeshError, match="vertex"):
        find_crossings(np.zeros((3, 3)), [[0, 1, 3]])
    with pytest.raises(ValueError, match=r"faces: expected an array of shape \(T, 3\)"):
        find_crossings(np.zeros((3, 3)), [[0, 1, 2, 0]])
