"""Detection of head, hands and feet in skeletons whose joint names do not have a meaning."""

import numpy as np
import pytest

from rigged_people import person
from ruckle.mesh.rig_shape import roles_by_shape


def expected(names: list[str]) -> list[str | None]:
    words = {"head": ("head",), "hand": ("wrist", "finger", "tip"), "foot": ("ankle", "toe")}
    return [next((role for role, begins in words.items() if name.startswith(begins)), None) for name in names]


@pytest.mark.parametrize("turn", ["upright", "lying", "lying on the face"])
def test_exact_parts_of_a_person(turn: str) -> None:
    names, parents, joints = person()
    if turn != "upright":
        sign = 1.0 if turn == "lying" else -1.0
        joints = np.stack([joints[:, 0], -sign * joints[:, 2], sign * joints[:, 1]], axis=1)
    assert roles_by_shape(parents, joints) == expected(names)


def test_property_size_and_position_do_not_matter() -> None:
    names, parents, joints = person()
    assert roles_by_shape(parents, 100.0 * joints + [5.0, -300.0, 7.0]) == expected(names)


def test_exact_a_hand_without_fingers_is_the_last_bone() -> None:
    names, parents, joints = person()
    kept = [i for i, name in enumerate(names) if not name.startswith(("finger", "tip"))]
    found = roles_by_shape([kept.index(parents[i]) if parents[i] >= 0 else -1 for i in kept], joints[kept])
    assert found == expected([names[i] for i in kept])


@pytest.mark.parametrize("shape", ["arms of two lengths", "without feet", "chain", "nothing"])
def test_exact_other_skeletons_have_no_parts(shape: str) -> None:
    names, parents, joints = person()
    if shape == "arms of two lengths":
        joints[[name.endswith(".l") and joints[i, 1] > 1.0 for i, name in enumerate(names)], 0] *= 2.0
    if shape == "without feet":
        kept = [i for i, name in enumerate(names) if not name.startswith(("leg", "knee", "ankle", "toe"))]
        parents, joints = [kept.index(parents[i]) if parents[i] >= 0 else -1 for i in kept], joints[kept]
    if shape == "chain":
        parents, joints = list(range(-1, 11)), np.arange(36.0).reshape(12, 3)
    if shape == "nothing":
        parents, joints = [], np.zeros((0, 3))
    assert not any(roles_by_shape(parents, joints))
