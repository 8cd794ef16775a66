"""Linear blend skinning against its definition, and its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from ruckle.mesh import skinning
from ruckle.mesh.skinning import linear_blend_skinning
from shared_data import sequence_files

IDENTITY = np.eye(4)[:3]


def test_exact_two_bones_by_hand() -> None:
    shifted = IDENTITY.copy()
    shifted[:, 3] = (4.0, 0.0, -2.0)
    positions = linear_blend_skinning(
        np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]),
        np.array([[0, 1], [1, 0]]),
        np.array([[0.75, 0.25], [1.0, 0.0]]),
        np.array([[IDENTITY, shifted], [shifted, IDENTITY]]),
    )
    assert positions.dtype == np.float32
    expected = [[[2.0, 2.0, 2.5], [5.0, 2.0, 1.0]], [[4.0, 2.0, 1.5], [1.0, 2.0, 3.0]]]
    assert np.array_equal(positions, np.array(expected, np.float32))


@pytest.mark.parametrize("block_elements", [12, 100, 2**19])
def test_property_equals_the_sum_per_vertex_whatever_the_block_size(
    monkeypatch: pytest.MonkeyPatch, block_elements: int
) -> None:
    monkeypatch.setattr(skinning, "BLOCK_ELEMENTS", block_elements)
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


@pytest.mark.parametrize("path", [path for path in sequence_files() if "_sim" not in path.name], ids=lambda p: p.stem)
def test_exact_shared_sequences_are_reproduced(path: object) -> None:
    with np.load(str(path)) as stored:
        weights = stored["skin_weights"]
        joints = np.argsort(-weights, axis=1)[:, :4]
        chosen = np.take_along_axis(weights, joints, axis=1)
        positions = linear_blend_skinning(stored["rest_positions"], joints, chosen, stored["bone_matrices"])
        assert np.abs(positions - stored["positions"]).max() < 1e-6


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (0, np.zeros((2, 2)), r"^rest_positions: expected float32 or float64 of shape \(V, 3\), got float64 \(2, 2\)"),
        (0, np.zeros((2, 3), int), r"^rest_positions: expected float32 or float64 of shape \(V, 3\), got int64"),
        (1, np.zeros((3, 1), int), r"^joint_indices: expected integers of shape \(V, K\), got int64 \(3, 1\)"),
        (1, np.zeros((2, 1)), r"^joint_indices: expected integers of shape \(V, K\), got float64 \(2, 1\)"),
        (1, np.array([[0], [4]]), r"^joint_indices: vertex 1 refers to joint 4, allowed are 0 to 3"),
        (1, np.array([[-1], [0]]), r"^joint_indices: vertex 0 refers to joint -1, allowed are 0 to 3"),
        (2, np.zeros((2, 2)), r"^joint_weights: expected float32 or float64 of shape \(V, K\), got float64 \(2, 2\)"),
        (3, np.zeros((5, 4, 4, 4)), r"^bone_matrices: expected float32 or float64 of shape \(F, J, 3, 4\)"),
        (0, np.array([[0, 0, 0], [0, np.inf, 0]]), r"^rest_positions: expected finite numbers, got inf at \(1, 1\)"),
        (2, np.array([[1], [np.nan]]), r"^joint_weights: expected finite numbers, got nan at \(1, 0\)"),
        (3, np.full((1, 4, 3, 4), -np.inf), r"^bone_matrices: expected finite numbers, got -inf at \(0, 0, 0, 0\)"),
        (3, np.full((1, 4, 3, 4), 1e300), "^bone_matrices: frame 0 moves vertex 0 farther than float32 can say"),
    ],
)
def test_reject_bad_arrays(argument: int, value: np.ndarray, message: str) -> None:
    arguments = [np.zeros((2, 3)), np.zeros((2, 1), int), np.ones((2, 1)), np.zeros((5, 4, 3, 4))]
    arguments[argument] = value
    with pytest.raises(ValueError, match=message):
        linear_blend_skinning(*arguments)
