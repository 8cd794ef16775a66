"""Robots are found from their rigid parts, also if their names mean nothing."""

import numpy as np
import pytest

from cloth_meshes import grid
from ruckle import Animation
from ruckle.io.masks import automatic_mask, stiff_parts
from ruckle.mesh.groups import GroupKind, VertexGroups
from ruckle.mesh.rigid_parts import attached_vertices, is_jointed

BONES = ("chest", "belly", "upper.l", "lower.l", "upper.r", "lower.r", "thigh", "calf")


def body(rigid: int, *, bones: int = 8) -> Animation:
    """Return eight sheets side by side: the last `rigid` sheets follow one bone each, the others follow two bones."""
    points, faces = grid(4, 4)
    positions = np.concatenate([points + np.float32([6 * k, 0, 0]) for k in range(8)]).astype(np.float32)
    numbers = np.repeat(np.arange(8) % bones, len(points))
    weights = np.ones(len(numbers), np.float32)
    weights[: (8 - rigid) * len(points)] = 0.7
    both = np.stack([numbers, (numbers + 1) % 8], axis=1), np.stack([weights, 1.0 - weights], axis=1)
    mesh = GroupKind(("Object_1",), np.zeros((len(numbers), 1), np.int64), np.ones((len(numbers), 1), np.float32))
    groups = VertexGroups({"mesh": mesh, "bone": GroupKind(BONES, *both)})
    every = np.concatenate([faces + k * len(points) for k in range(8)])
    return Animation(positions[None], every, groups=groups)


@pytest.mark.parametrize(
    ("rigid", "bones", "expected"), [(8, 8, True), (6, 8, True), (5, 8, False), (2, 8, False), (8, 5, False)]
)
def test_exact_many_rigid_parts_are_a_robot(rigid: int, bones: int, expected: bool) -> None:
    animation = body(rigid, bones=bones)
    assert stiff_parts(animation) == (["robot"] if expected else [])
    mask = automatic_mask(animation)
    assert (mask is not None and not mask.any()) == expected


def test_exact_parts_that_do_not_count() -> None:
    animation = body(8)
    assert animation.groups is not None
    bones, faces = animation.groups.kinds["bone"], animation.faces
    counted = np.arange(len(faces)) < 5 * len(faces) // 8
    assert not is_jointed(animation.positions[0], faces, bones, counted)
    assert not is_jointed(animation.positions[0], faces, bones, np.zeros(len(faces), bool))


def test_degenerate_without_faces() -> None:
    kind = GroupKind(BONES, np.zeros((3, 1), np.int64), np.ones((3, 1), np.float32))
    assert not is_jointed(np.zeros((3, 3)), np.zeros((0, 3), np.int32), kind, np.zeros(0, bool))


@pytest.mark.parametrize(
    ("shift", "width", "expected"),
    [(0.0, 0.5, True), (0.01, 0.5, True), (0.2, 0.5, False), (0.0, 3.0, False)],
)
def test_exact_small_parts_with_equal_weights_are_attached(shift: float, width: float, expected: bool) -> None:
    (cloth, faces), (button, own) = grid(8, 8), grid(2, 2)
    positions = np.concatenate([cloth, width * button + np.float32([0, 0, 1])])
    share = np.concatenate([cloth[:, 0] / cloth[:, 0].max(), 0.6 + shift * (np.arange(len(button)) % 2)])
    bones = GroupKind(BONES[:2], np.tile([0, 1], (len(share), 1)), np.stack([share, 1.0 - share], axis=1))
    every = np.concatenate([faces, own + len(cloth)])
    found = attached_vertices(positions, every, bones, np.ones(len(every), bool))
    assert (found == (expected & (np.arange(len(found)) >= len(cloth)))).all()


def test_exact_a_rigid_body_has_no_attached_parts() -> None:
    animation = body(8)
    assert animation.groups is not None
    counted = np.ones(animation.face_count, bool)
    bones = animation.groups.kinds["bone"]
    assert not attached_vertices(animation.positions[0], animation.faces, bones, counted).any()
