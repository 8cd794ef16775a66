"""Stage 2 of the pipeline: edge matrices of triangles, and their principal stretches."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import float64_pipeline as oracle
from meshes import MESHES, Mesh, moving, random_triangles, rotation, scattered
from ruckle import Stretch, edge_matrices, stretch

every_mesh = pytest.mark.parametrize("mesh", MESHES, ids=repr)
seeds = st.integers(0, 2**32 - 1)


def assert_same_axes(ours: NDArray[Any], expected: NDArray[Any], tolerance: float) -> None:
    """Assert that unit axes (T, 2) are equal except for their signs, which are arbitrary."""
    sine = ours[:, 0] * expected[:, 1] - ours[:, 1] * expected[:, 0]
    assert np.abs(sine).max(initial=0) < tolerance
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


def test_exact_edge_matrices_lie_along_the_first_edge() -> None:
    positions = [[1, 1, 1], [1, 4, 1], [5, 3, 1]]
    np.testing.assert_allclose(edge_matrices(positions, [[0, 1, 2]]), [[[3, 2], [0, 4]]], rtol=1e-6)
    np.testing.assert_allclose(edge_matrices(positions, [[1, 0, 2]]), [[[3, 1], [0, 4]]], rtol=1e-6)


@pytest.mark.parametrize(
    ("current", "minimum", "maximum", "axis"),
    [
        ([[1, 0], [0, 1]], 1, 1, (0, 0)),
        ([[2, 0], [0, 1]], 1, 2, (0, 1)),
        ([[0.5, 0], [0, 1]], 0.5, 1, (1, 0)),
        ([[0.5, 0], [0, 3]], 0.5, 3, (1, 0)),
        ([[4, 0], [0, 4]], 4, 4, (0, 0)),
        # simple shear by 1: the stretches are the golden ratio and 1 / golden ratio
        ([[1, 1], [0, 1]], 0.6180339887, 1.6180339887, (-0.5257311121, 0.8506508084)),
    ],
)
def test_exact_stretch_of_a_right_triangle(current: Any, minimum: float, maximum: float, axis: Any) -> None:
    result = stretch(np.eye(2)[None], np.array(current, float)[None])
    np.testing.assert_allclose(result.min, [minimum], rtol=1e-6)
    np.testing.assert_allclose(result.max, [maximum], rtol=1e-6)
    np.testing.assert_allclose(result.compression, [1 / minimum], rtol=1e-6)
    assert abs(result.axis[0] @ np.array([-axis[1], axis[0]])) < 1e-6
    np.testing.assert_allclose(np.linalg.norm(result.axis[0]), np.linalg.norm(axis), rtol=1e-6)
    assert not result.degenerate[0]
    assert len(result) == 1


@given(seeds)
def test_property_agrees_with_the_singular_value_decomposition(seed: int) -> None:
    random = np.random.default_rng(seed)
    reference, current = random_triangles(random), random_triangles(random)
    minimum, maximum, axis = oracle.stretch(reference.astype(np.float32), current.astype(np.float32))
    result = stretch(reference, current)
    np.testing.assert_allclose(result.min, minimum, rtol=3e-6)
    np.testing.assert_allclose(result.max, maximum, rtol=3e-6)
    np.testing.assert_allclose(result.compression, 1 / minimum, rtol=3e-6)
    clear = maximum - minimum > 0.02 * maximum
    assert_same_axes(result.axis[clear], axis[clear], 1e-4)


@given(seeds, st.floats(1e-5, 0.5))
def test_property_compression_of_flattened_triangles_keeps_its_digits(seed: int, height: float) -> None:
    random = np.random.default_rng(seed)
    reference = random_triangles(random).astype(np.float32)
    turn = rotation(np.array([0.0, 0.0, 1.0]), random.uniform(0, 6))[:2, :2]
    flattened = (turn @ np.diag([1.0, height]) @ reference).astype(np.float32)
    minimum, _, _ = oracle.stretch(reference, flattened)
    result = stretch(reference, flattened)
    sound = ~result.degenerate
    # most of the error is the rounding of the flattened triangle to float32, which affects both results equally
    np.testing.assert_allclose(result.compression[sound] * minimum[sound], 1, rtol=2e-6 / height)
    assert sound.all() or height < 1e-3


@every_mesh
def test_property_edge_matrices_keep_lengths_and_angles(mesh: Mesh) -> None:
    for positions in moving(mesh, [0.0, 0.3, 0.7]).astype(np.float32):
        matrices = edge_matrices(positions, mesh.faces)
        np.testing.assert_allclose(matrices, oracle.edge_matrices(positions, mesh.faces), rtol=2e-5, atol=2e-6)
        assert (matrices[:, 1, 0] == 0).all()
        assert (matrices[:, 1, 1] >= 0).all()


@given(seeds)
def test_property_rigid_motion_changes_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 5)
    before, after = moving(mesh, list(random.uniform(0, 3, 2)), turning=False)
    carried = after @ rotation(random.normal(size=3), random.uniform(0, 6)).T + random.uniform(-2, 2, 3)
    reference = edge_matrices(before, mesh.faces)
    here, there = (stretch(reference, edge_matrices(p, mesh.faces)) for p in (after, carried))
    # positions are rounded to 2^-22 mesh units; in thin triangles, this causes larger errors of the stretch
    shape = oracle.edge_matrices(after, mesh.faces)
    well_shaped = np.linalg.det(shape) > 0.1 * (shape**2).sum(axis=(1, 2))
    np.testing.assert_allclose(there.max[well_shaped], here.max[well_shaped], rtol=2e-5)
    np.testing.assert_allclose(there.compression[well_shaped], here.compression[well_shaped], rtol=5e-5)
    clear = well_shaped & (here.max - here.min > 0.05)
    assert_same_axes(there.axis[clear], here.axis[clear], 2e-3)


@given(seeds, st.integers(-20, 20))
def test_property_scaling_by_a_power_of_two_changes_no_bit(seed: int, power: int) -> None:
    mesh = scattered(seed % 5)
    before, after = moving(mesh, [0.1, 0.4])
    matrices = [edge_matrices(p, mesh.faces) for p in (before, after)]
    scaled = [edge_matrices(p * 2.0**power, mesh.faces) for p in (before, after)]
    np.testing.assert_array_equal(scaled[1], matrices[1] * np.float32(2.0**power))
    assert_equal_bits(stretch(*scaled), stretch(*matrices))


def assert_equal_bits(a: Stretch, b: Stretch) -> None:
    for name in ("min", "max", "compression", "axis", "degenerate"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


# the last triangle is a mirror image, which edge_matrices never returns
@pytest.mark.parametrize(
    ("a", "b", "d"), [(0, 0, 0), (1, 1, 0), (1, 2, 1e-9), (1e-30, 0, 1e-30), (0, 0, 1), (1, 0, -1)]
)
def test_degenerate_triangle_has_no_deformation_and_no_direction(a: float, b: float, d: float) -> None:
    sound, broken = np.eye(2)[None], np.array([[[a, b], [0, d]]], float)
    for reference, current in ((sound, broken), (broken, sound), (broken, broken)):
        result = stretch(reference, current)
        assert result.degenerate.dtype == bool
        assert result.degenerate.tolist() == [True]
        for name in ("min", "max", "compression"):
            assert getattr(result, name).tolist() == [1.0]
        assert result.axis.tolist() == [[0.0, 0.0]]


def test_degenerate_triangle_among_sound_ones_leaves_them_alone() -> None:
    random = np.random.default_rng(3)
    reference, current = random_triangles(random, 19), random_triangles(random, 19)
    plain = stretch(reference, current)
    for index in range(19):
        broken = current.copy()
        broken[index] = 0
        result = stretch(reference, broken)
        assert np.flatnonzero(result.degenerate).tolist() == [index]
        others = np.arange(19) != index
        for name in ("min", "max", "compression", "axis"):
            np.testing.assert_array_equal(getattr(result, name)[others], getattr(plain, name)[others])


@given(seeds, st.integers(-45, 38), st.integers(-45, 38))
def test_degenerate_edge_matrices_of_any_size_give_finite_results(seed: int, here: int, there: int) -> None:
    random = np.random.default_rng(seed)
    reference, current = random_triangles(random, 9) * 10.0**here, random_triangles(random, 9) * 10.0**there
    largest = np.finfo(np.float32).max
    result = stretch(reference.clip(-largest, largest), current.clip(-largest, largest))
    for name in ("min", "max", "compression", "axis"):
        assert np.isfinite(getattr(result, name)).all()


def test_degenerate_no_triangles() -> None:
    nothing = np.zeros((0, 2, 2))
    result = stretch(nothing, nothing)
    assert (len(result), repr(result)) == (0, "Stretch(0 triangles)")
    assert edge_matrices(np.zeros((3, 3)), np.zeros((0, 3), int)).shape == (0, 2, 2)
