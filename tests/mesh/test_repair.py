"""Repair of faces in files, compared with numbers that brute force counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from meshes import grid
from ruckle import Topology
from ruckle.mesh.repair import repair_faces


def edge_counts(faces: np.ndarray) -> Counter[tuple[int, int]]:
    return Counter(
        tuple(sorted((int(a), int(b)))) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True)
    )


def originals(faces: np.ndarray, copied: np.ndarray, vertex_count: int) -> np.ndarray:
    """Return the faces with the index of each copied vertex replaced by the index of its original."""
    return np.concatenate([np.arange(vertex_count), copied])[faces]


def test_repair_exact_sound_faces_are_kept() -> None:
    sheet = grid(4, 5)
    repair = repair_faces(sheet.faces, sheet.vertex_count)
    assert np.array_equal(repair.faces, sheet.faces)
    assert (repair.kept.tolist(), repair.copied.tolist(), repair.remark) == ([*range(len(sheet.faces))], [], "")


def test_repair_exact_degenerate_and_duplicate_faces_are_dropped() -> None:
    faces = np.array([[0, 1, 2], [3, 3, 2], [1, 3, 2], [1, 2, 0], [2, 1, 0]])
    repair = repair_faces(faces, 4)
    assert repair.kept.tolist() == [0, 2]
    assert repair.remark == "dropped 1 degenerate face and 2 duplicate faces"


def test_repair_exact_a_cushion_remains() -> None:
    repair = repair_faces(np.array([[0, 1, 2], [2, 1, 0]]), 3)
    assert repair.kept.tolist() == [0, 1]
    assert Topology(repair.faces, 3).edge_count == 3


def test_repair_exact_a_flap_is_cut_off_in_one_piece() -> None:
    # a square of two triangles; two more triangles (a flap) on its diagonal (1, 2), so that this edge has four faces
    faces = np.array([[0, 1, 2], [1, 3, 2], [1, 2, 4], [2, 5, 4]])
    repair = repair_faces(faces, 6)
    assert repair.remark == "cut the mesh along 1 edge of more than two faces"
    assert np.array_equal(originals(repair.faces, repair.copied, 6), faces)
    assert repair.faces[:2].tolist() == faces[:2].tolist()
    # both triangles of the flap use the same copy of vertex 2; one of them also uses a copy of vertex 1
    assert sorted(repair.copied.tolist()) == [1, 2]
    assert set(repair.faces[2]) & set(repair.faces[3]) == {4, 6 + repair.copied.tolist().index(2)}


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=14))
def test_repair_property_any_faces_become_a_manifold_mesh(given_faces: list[tuple[int, int, int]]) -> None:
    faces = np.array(given_faces)
    repair = repair_faces(faces, 7)
    back = originals(repair.faces, repair.copied, 7)
    # after copies are replaced by their originals, each face is equal to the input face that was kept
    assert np.array_equal(back, faces[repair.kept])
    assert all(len(set(face)) == 3 for face in back.tolist())
    assert max(edge_counts(repair.faces).values(), default=0) <= 2
    if len(repair.faces):
        Topology(repair.faces, 7 + len(repair.copied))
    # a removed face was degenerate, or it has the same vertices as a face of the result
    left = {frozenset(face) for face in back.tolist()}
    gone = np.delete(faces, repair.kept, axis=0).tolist()
    assert all(len(set(face)) < 3 or frozenset(face) in left for face in gone)
    assert bool(repair.remark) == (len(repair.kept) < len(faces) or len(repair.copied) > 0)


@pytest.mark.parametrize("extra", [[[0, 0, 1]], [[0, 1, 6]], [[0, 1, 6]] * 3])
def test_repair_property_order_of_vertices_and_faces_is_kept(extra: list[list[int]]) -> None:
    sheet = grid(4, 5)
    faces = np.concatenate([sheet.faces, extra])
    repair = repair_faces(faces, sheet.vertex_count)
    assert np.array_equal(repair.faces[: len(sheet.faces)], sheet.faces)
