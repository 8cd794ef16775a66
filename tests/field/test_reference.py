"""Stage 4 of the pipeline: updates of the reference triangles."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import float64_pipeline as oracle
from meshes import COMPRESSION, REST, STRETCH, random_triangles
from ruckle import update_reference

seeds = st.integers(0, 2**32 - 1)


def update(reference: Any, current: Any, label: int, **options: float) -> NDArray[np.float32]:
    updated = update_reference(np.array(reference, float)[None], np.array(current, float)[None], [label], **options)
    return updated.reshape(2, 2)


def test_exact_cloth_at_rest_keeps_the_reference() -> None:
    np.testing.assert_array_equal(update([[2, 1], [0, 3]], [[1, 0], [0, 1]], REST), [[2, 1], [0, 3]])


def test_exact_stretch_adopts_the_current_triangle_only_when_both_stretches_exceed_one() -> None:
    unit = [[1, 0], [0, 1]]
    np.testing.assert_array_equal(update(unit, [[2, 0.5], [0, 1.5]], STRETCH), [[2, 0.5], [0, 1.5]])
    for x, y in ((3, 0.9), (0.5, 0.9), (3, 1)):
        np.testing.assert_array_equal(update(unit, [[x, 0], [0, y]], STRETCH), unit)


def test_exact_compression_relaxes_along_its_axes() -> None:
    # the singular values Σ = (0.5, 1.2) become Σ' = 0.95 Σ + 0.05 = (0.525, 1.19); the new reference is Σ'^-1 times the
    # current triangle
    for options, small, large in (({}, 0.525, 1.19), ({"relaxation": 0.5}, 0.75, 1.1)):
        found = update([[1, 0], [0, 1]], [[0.5, 0], [0, 1.2]], COMPRESSION, **options)
        np.testing.assert_allclose(found, [[0.5 / small, 0], [0, 1.2 / large]], rtol=1e-6)
    np.testing.assert_array_equal(update([[1, 0], [0, 1]], [[0.5, 0], [0, 1]], COMPRESSION, relaxation=0), np.eye(2))


@given(seeds, st.floats(0, 1, width=32), st.sampled_from([1 / 24, 1 / 30, 1 / 60, 1 / 120]))
def test_property_agrees_with_the_singular_value_decomposition(seed: int, relaxation: float, dt: float) -> None:
    random = np.random.default_rng(seed)
    reference, current = (random_triangles(random, 50).astype(np.float32) for _ in range(2))
    labels = random.integers(0, 3, 50)
    expected = oracle.update_reference(reference, current, labels, relaxation, dt)
    minimum, _, _ = oracle.stretch(reference, current)
    clear = np.abs(minimum - 1) > 1e-5  # near the threshold, both results are right
    found = update_reference(reference, current, labels, relaxation=relaxation, dt=dt)
    # compare the lengths and angles, which later stages use, and then the matrices
    np.testing.assert_allclose(gram(found)[clear], gram(expected)[clear], rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(found[clear], expected[clear], rtol=2e-5, atol=2e-5)


def gram(matrices: NDArray[Any]) -> NDArray[np.float64]:
    """Return MᵀM (T, 2, 2) of each edge matrix M, which contains the lengths and the angles of the triangle."""
    m = np.asarray(matrices, np.float64)
    return np.swapaxes(m, 1, 2) @ m


@given(seeds, st.integers(1, 8))
def test_property_many_short_frames_relax_as_much_as_one_long_frame(seed: int, parts: int) -> None:
    random = np.random.default_rng(seed)
    reference, current = (random_triangles(random, 20).astype(np.float32) for _ in range(2))
    labels = np.zeros(20, int)
    whole = update_reference(reference, current, labels, dt=1 / 30)
    stepped = reference
    for _ in range(parts):
        stepped = update_reference(stepped, current, labels, dt=1 / 30 / parts)
    np.testing.assert_allclose(gram(stepped), gram(whole), rtol=2e-5, atol=1e-5)


@given(seeds, st.integers(-20, 20))
def test_property_scaling_by_a_power_of_two_changes_no_digit(seed: int, power: int) -> None:
    random = np.random.default_rng(seed)
    reference, current = (random_triangles(random, 21).astype(np.float32) for _ in range(2))
    labels, scale = random.integers(0, 3, 21), np.float32(2.0**power)
    plain = update_reference(reference, current, labels)
    np.testing.assert_array_equal(update_reference(reference * scale, current * scale, labels), plain * scale)


@given(seeds)
def test_property_triangles_do_not_influence_each_other(seed: int) -> None:
    random = np.random.default_rng(seed)
    reference, current = (random_triangles(random, 21).astype(np.float32) for _ in range(2))
    labels, order = random.integers(0, 3, 21), random.permutation(21)
    plain = update_reference(reference, current, labels)
    np.testing.assert_array_equal(update_reference(reference[order], current[order], labels[order]), plain[order])
    one = [update_reference(reference[[i]], current[[i]], labels[[i]])[0] for i in range(21)]
    np.testing.assert_array_equal(one, plain)


BROKEN = [np.zeros((2, 2)), np.array([[1, 1], [0, 0]]), np.array([[1, 2], [0, 1e-9]])]


@pytest.mark.parametrize("label", [COMPRESSION, REST, STRETCH])
@pytest.mark.parametrize("broken", BROKEN, ids=["point", "needle", "sliver"])
def test_degenerate_triangle_keeps_its_reference_or_adopts_its_first(broken: NDArray[np.float64], label: int) -> None:
    sound = np.array([[1, 0.3], [0, 0.8]], np.float32)
    np.testing.assert_array_equal(update(sound, broken, label), sound)
    np.testing.assert_array_equal(update(broken, broken, label), broken.astype(np.float32))
    np.testing.assert_array_equal(update(broken, sound, label), sound)
