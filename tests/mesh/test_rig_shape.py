"""Detection of head, hands and feet in skeletons whose joint names do not have a meaning."""

from typing import Any

import numpy as np
import pytest

from ruckle.mesh.rig_shape import roles_by_shape

# name, parent and joint position of each bone of a person in T-pose, in metres; the right half of the body is omitted
PERSON: list[tuple[str, str, tuple[float, float, float]]] = [
    *[("hips", "", (0, 0.95, 0)), ("spine", "hips", (0, 1.15, 0)), ("chest", "spine", (0, 1.35, 0))],
    *[("neck", "chest", (0, 1.5, 0)), ("head", "neck", (0, 1.6, 0)), ("head_end", "head", (0, 1.75, 0))],
    *[("shoulder", "chest", (0.08, 1.42, 0)), ("arm", "shoulder", (0.18, 1.42, 0)), ("elbow", "arm", (0.45, 1.42, 0))],
    ("wrist", "elbow", (0.7, 1.42, 0)),
    *[(f"finger{i}", "wrist", (0.78, 1.42, 0.03 * i)) for i in range(4)],
    *[(f"tip{i}", f"finger{i}", (0.83, 1.42, 0.03 * i)) for i in range(4)],
    *[("leg", "hips", (0.1, 0.9, 0)), ("knee", "leg", (0.1, 0.5, 0)), ("ankle", "knee", (0.1, 0.09, 0))],
    ("toe", "ankle", (0.1, 0.02, 0.12)),
]
MIDDLE = {"hips", "spine", "chest", "neck", "head", "head_end"}


def person() -> tuple[list[str], list[int], Any]:
    """Return the names, parents and joint positions of a person.

    The right half is the mirror image of the left half.
    """
    halves = [(name, above, at) for name, above, at in PERSON if name in MIDDLE]
    for side, sign in (("l", 1.0), ("r", -1.0)):
        for name, above, (x, y, z) in PERSON:
            if name not in MIDDLE:
                halves.append((f"{name}.{side}", above if above in MIDDLE else f"{above}.{side}", (sign * x, y, z)))
    names = [name for name, _, _ in halves]
    parents = [names.index(above) if above else -1 for _, above, _ in halves]
    return names, parents, np.array([at for *_, at in halves], float)


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
