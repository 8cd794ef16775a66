"""Linear blend skinning: comparison with its definition, and error messages."""

import numpy as np
import pytest

from ruckle import linear_blend_skinning
from ruckle.mesh import skinning

IDENTITY = np.eye(4)[:3]


def test_exact_two_bones_by_hand() -> None:
    shifted = np.column_stack([np.eye(3), [4.0, 0.0, -2.0]])
    positions = linear_blend_skinning(
        np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]),
        np.array([[0, 1], [1, 0]]),
        np.array([[0.75, 0.25], [1.0, 0.0]]),
        np.array([[IDENTITY, shifted], [shifted, IDENTITY]]),
    )
    assert positions.dtype == np.float32
    expected = [[[2.0, 2.0, 2.5], [5.0, 2.0, 1.0]], [[4.0, 2.0, 1.5], [1.0, 2.0, 3.0]]]
    assert np.array_equal(positions, np.array(expected, np.float32))


@pytest.mark.parametrize("block", [12, 100, 2**19])
def test_property_equals_the_sum_per_vertex(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(skinning, "BLOCK_ELEMENTS", block)
    generator = np.random.default_rng(3)
    rest, bones = generator.normal(size=(23, 3)), generator.normal(size=(7, 5, 3, 4))
    joints, weights = generator.integers(0, 5, (23, 3)), generator.random((23, 3))
    expected = np.zeros((7, 23, 3))
    for frame, vertex, influence in np.ndindex(7, 23, 3):
        bone = bones[frame, joints[vertex, influence]]
        expected[frame, vertex] += weights[vertex, influence] * (bone[:, :3] @ rest[vertex] + bone[:, 3])
    assert np.allclose(linear_blend_skinning(rest, joints, weights, bones), expected, rtol=1e-6, atol=1e-6)


def test_degenerate_no_frames_and_no_influences() -> None:
    rest = np.zeros((2, 3))
    none = np.zeros((2, 0), int), np.zeros((2, 0))
    assert linear_blend_skinning(rest, *none, np.zeros((0, 1, 3, 4))).shape == (0, 2, 3)
    assert not linear_blend_skinning(rest + 1, *none, np.zeros((3, 1, 3, 4))).any()
