"""Stage 2: edge matrices and principal stretches."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import float64_pipeline as oracle
from meshes import MESHES, Mesh, moving, rotation, scattered
from ruckle.errors import MeshError
from ruckle.field.stretch import Stretch, edge_matrices, stretch

every_mesh = pytest.mark.parametrize("mesh", MESHES, ids=repr)
seeds = st.integers(0, 2**32 - 1)


def turn(angle: float) -> NDArray[np.float64]:
    """Return the (2, 2) rotation by `angle` in radians."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def random_triangles(random: np.random.Generator, count: int = 64) -> NDArray[np.float64]:
    """Return edge matrices (count, 2, 2) of well-shaped triangles."""
    angle = random.uniform(0.4, 2.4, count)
    first, second = random.uniform(0.5, 2, (2, count))
    matrices = np.zeros((count, 2, 2))
    matrices[:, 0, 0] = first
    matrices[:, 0, 1], matrices[:, 1, 1] = second * np.cos(angle), second * np.sin(angle)
    return matrices


def assert_same_axes(ours: NDArray[Any], expected: NDArray[Any], tolerance: float) -> None:
    """Compare unit axes (T, 2) whose signs mean nothing."""
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
        # simple shear by 1: the stretches are the golden ratio and its inverse
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


def test_exact_axis_is_a_direction_of_the_current_triangle_not_of_the_reference() -> None:
    """Columns of A, not of B: a triangle compressed to half along x, its reference drawn turned and sheared."""
    shear = np.array([[1, 0.8], [0, 1]])
    for angle in np.linspace(0, np.pi, 13):
        # F = diag(1/2, 1) @ turn(angle).T: A is the identity, however the reference was turned
        reference = turn(angle) @ shear
        current = np.diag([0.5, 1.0]) @ shear
        result = stretch(reference[None], current[None])
        np.testing.assert_allclose(result.min, [0.5], rtol=1e-5)
        assert_same_axes(result.axis, np.array([[1.0, 0.0]]), 1e-5)
        # and the other way round: turning the current triangle turns the axis with it
        result = stretch(shear[None], (turn(angle) @ current)[None])
        assert_same_axes(result.axis, turn(angle)[:, :1].T, 1e-5)


@given(seeds)
@settings(deadline=None)
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
@settings(deadline=None)
def test_property_compression_of_flattened_triangles_keeps_its_digits(seed: int, height: float) -> None:
    random = np.random.default_rng(seed)
    reference = random_triangles(random).astype(np.float32)
    flattened = (turn(random.uniform(0, 6)) @ np.diag([1.0, height]) @ reference).astype(np.float32)
    minimum, _, _ = oracle.stretch(reference, flattened)
    result = stretch(reference, flattened)
    sound = ~result.degenerate
    # rounding the flattened triangle to float32 is the larger error by far; both sides see the same one
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
@settings(deadline=None)
def test_property_rigid_motion_changes_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 5)
    before, after = moving(mesh, list(random.uniform(0, 3, 2)), turning=False)
    carried = after @ rotation(random.normal(size=3), random.uniform(0, 6)).T + random.uniform(-2, 2, 3)
    reference = edge_matrices(before, mesh.faces)
    here, there = (stretch(reference, edge_matrices(p, mesh.faces)) for p in (after, carried))
    # positions round to 2^-22 of a unit, which thin triangles magnify
    shape = oracle.edge_matrices(after, mesh.faces)
    well_shaped = np.linalg.det(shape) > 0.1 * (shape**2).sum(axis=(1, 2))
    np.testing.assert_allclose(there.max[well_shaped], here.max[well_shaped], rtol=2e-5)
    np.testing.assert_allclose(there.compression[well_shaped], here.compression[well_shaped], rtol=5e-5)
    clear = well_shaped & (here.max - here.min > 0.05)
    assert_same_axes(there.axis[clear], here.axis[clear], 2e-3)


@given(seeds, st.integers(-20, 20))
@settings(deadline=None)
def test_property_scaling_by_a_power_of_two_changes_no_bit(seed: int, power: int) -> None:
    mesh = scattered(seed % 5)
    before, after = moving(mesh, [0.1, 0.4])
    matrices = [edge_matrices(p, mesh.faces) for p in (before, after)]
    scaled = [edge_matrices(p * 2.0**power, mesh.faces) for p in (before, after)]
    np.testing.assert_array_equal(scaled[1], matrices[1] * np.float32(2.0**power))
    assert_equal_bits(stretch(*scaled), stretch(*matrices))


@given(seeds)
@settings(deadline=None)
def test_property_face_and_vertex_order_change_no_bit(seed: int) -> None:
    random = np.random.default_rng(seed)
    mesh = scattered(seed % 5)
    before, after = moving(mesh, [0.1, 0.4])
    order, names = random.permutation(len(mesh.faces)), random.permutation(mesh.vertex_count)
    plain = stretch(*(edge_matrices(p, mesh.faces) for p in (before, after)))
    renamed = names[mesh.faces[order]]
    moved = stretch(*(edge_matrices(p[np.argsort(names)], renamed) for p in (before, after)))
    for name in ("min", "max", "compression", "axis", "degenerate"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(plain, name)[order])


@every_mesh
def test_property_mirror_keeps_stretches_and_mirrors_the_axis(mesh: Mesh) -> None:
    before, after = moving(mesh, [0.1, 0.4], turning=False)
    plain = stretch(*(edge_matrices(p, mesh.faces) for p in (before, after)))
    mirror = np.array([-1, 1, 1])
    # the same corners on the other side of a mirror: the plane frames start along the same edge
    seen = stretch(*(edge_matrices(p * mirror, mesh.faces) for p in (before, after)))
    assert_equal_bits(seen, plain)
    # with the winding turned over as well, the frame starts along the old second edge
    turned = stretch(*(edge_matrices(p * mirror, mesh.faces[:, [0, 2, 1]]) for p in (before, after)))
    np.testing.assert_allclose(turned.max, plain.max, rtol=1e-5)
    np.testing.assert_allclose(turned.compression, plain.compression, rtol=1e-5)
    clear = plain.max - plain.min > 0.02
    frame = oracle.edge_matrices(after, mesh.faces)
    second = frame[:, :, 1] / np.linalg.norm(frame[:, :, 1], axis=1, keepdims=True)
    along = np.einsum("ti,ti->t", plain.axis, second)
    across = plain.axis[:, 0] * second[:, 1] - plain.axis[:, 1] * second[:, 0]
    assert_same_axes(turned.axis[clear], np.stack([along, across], axis=1)[clear], 5e-4)


def assert_equal_bits(a: Stretch, b: Stretch) -> None:
    """Compare every array of two results exactly."""
    for name in ("min", "max", "compression", "axis", "degenerate"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize(
    "collapsed",
    [
        np.zeros((2, 2)),
        [[1, 1], [0, 0]],
        [[1, 2], [0, 1e-9]],
        [[1e-30, 0], [0, 1e-30]],
        [[0, 0], [0, 1]],
        [[1, 0], [0, -1]],  # turned over: not a shape that edge_matrices gives
    ],
)
def test_degenerate_triangle_has_no_deformation_and_no_direction(collapsed: Any) -> None:
    sound, broken = np.eye(2)[None], np.array(collapsed, float)[None]
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


@given(
    st.lists(st.floats(-1e38, 1e38), min_size=9, max_size=9), st.lists(st.floats(-1e38, 1e38), min_size=9, max_size=9)
)
@settings(deadline=None)
def test_degenerate_positions_of_any_size_give_finite_results(first: list[float], second: list[float]) -> None:
    reference, current = (edge_matrices(np.reshape(p, (3, 3)), [[0, 1, 2]]) for p in (first, second))
    assert np.isfinite(reference).all()
    assert np.isfinite(current).all()
    result = stretch(reference, current)
    for name in ("min", "max", "compression", "axis"):
        assert np.isfinite(getattr(result, name)).all()


@given(seeds, st.integers(-45, 38), st.integers(-45, 38))
@settings(deadline=None)
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
    assert len(result) == 0
    assert repr(result) == "Stretch(0 triangles)"
    assert edge_matrices(np.zeros((3, 3)), np.zeros((0, 3), int)).shape == (0, 2, 2)


@pytest.mark.parametrize(
    ("positions", "faces", "error", "message"),
    [
        (np.zeros((3, 3)), [[0, 1, 3]], MeshError, "faces, positions: face 0 names vertex 3; there are 3 positions"),
        (np.zeros((3, 3)), [[0, -1, 1]], MeshError, "faces, positions: face 0 names vertex -1; there are 3 positions"),
        ([[0, 0, 0], [0, 0, 0], [0, 0, np.inf]], [[0, 1, 2]], ValueError, "positions: element 2 holds inf; every"),
        ([[0, 0, 0], [1e39, 0, 0], [0, 0, 0]], [[0, 1, 2]], ValueError, "positions: element 1 holds inf; every"),
        (np.zeros(9), [[0, 1, 2]], ValueError, "positions: expected an array of shape (V, 3), got (9,)"),
        (np.zeros((3, 3), complex), [[0, 1, 2]], ValueError, "positions: expected real numbers, got complex128 (3, 3)"),
        (np.zeros((3, 3)), np.zeros((1, 3)), ValueError, "faces: expected integers, got float64 (1, 3)"),
    ],
)
def test_reject_edge_matrices(positions: Any, faces: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        edge_matrices(positions, faces)


@pytest.mark.parametrize(
    ("reference", "current", "message"),
    [
        (np.zeros((2, 2, 2)), np.zeros((3, 2, 2)), "reference, current: expected as many triangles in both, got 2"),
        (np.zeros((2, 2)), np.zeros((2, 2)), "reference: expected an array of shape (T, 2, 2), got (2, 2)"),
        (np.zeros((1, 2, 2)), np.full((1, 2, 2), np.nan), "current: element 0 holds nan; every number must be finite"),
        (["x"], np.zeros((1, 2, 2)), "reference: expected real numbers, got <U1 (1,)"),
    ],
)
def test_reject_stretch(reference: Any, current: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        stretch(reference, current)
