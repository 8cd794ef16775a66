"""Stage 1 of the pipeline: topology of a mesh, and joining of vertices with equal positions."""

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from meshes import MESHES, Mesh, grid, torus
from ruckle import Animation, Topology, Wrinkler, run, weld
from ruckle.mesh.topology import near_rims, topology_of

every_mesh = pytest.mark.parametrize("mesh", MESHES, ids=repr)


def faces_by_edge(faces: NDArray[Any]) -> dict[tuple[int, int], list[int]]:
    """Return the expected faces of each edge, by the sorted vertex indices of the edge."""
    by_edge = defaultdict(list)
    for index, face in enumerate(faces.tolist()):
        for k in range(3):
            a, b = face[k], face[(k + 1) % 3]
            by_edge[min(a, b), max(a, b)].append(index)
    return dict(sorted(by_edge.items()))


def test_exact_topology_of_two_triangles() -> None:
    topology = Topology([[0, 1, 2], [1, 3, 2]], 4)
    np.testing.assert_array_equal(topology.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]])
    np.testing.assert_array_equal(topology.face_edges, [[0, 2, 1], [3, 4, 2]])
    np.testing.assert_array_equal(topology.face_neighbors, [[-1, 1, -1], [-1, -1, 0]])
    np.testing.assert_array_equal(topology.edge_faces, [[0, -1], [0, -1], [0, 1], [1, -1], [1, -1]])
    assert (topology.vertex_count, topology.face_count, topology.edge_count) == (4, 2, 5)
    assert repr(topology) == "Topology(2 faces, 4 vertices, 5 edges, 4 of them boundary)"


@every_mesh
def test_exact_topology_of_every_class(mesh: Mesh) -> None:
    topology = mesh.topology
    expected = faces_by_edge(mesh.faces)
    np.testing.assert_array_equal(topology.edges, list(expected))
    np.testing.assert_array_equal(topology.edge_faces, [[*faces, -1][:2] for faces in expected.values()])
    np.testing.assert_array_equal(topology.faces, mesh.faces)
    for face, corners in enumerate(mesh.faces):
        for k in range(3):
            edge = topology.face_edges[face, k]
            assert sorted((corners[k], corners[(k + 1) % 3])) == topology.edges[edge].tolist()
            across = [f for f in topology.edge_faces[edge] if f != face]
            assert [topology.face_neighbors[face, k]] == across


def test_property_arrays_are_read_only_views_that_outlive_the_topology() -> None:
    topology = torus().topology
    for name in ("faces", "edges", "face_edges", "face_neighbors", "edge_faces"):
        array = getattr(topology, name)
        assert array.dtype == np.int32
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 7
    edges, expected = topology.edges, topology.edges.copy()
    del topology
    np.testing.assert_array_equal(edges, expected)


def test_exact_weld_joins_a_seam_to_its_lowest_vertex() -> None:
    positions = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    np.testing.assert_array_equal(weld(positions, [[2, 0, 1], [3, 5, 4]]), [[2, 0, 1], [0, 5, 1]])


@every_mesh
def test_property_weld_mends_a_mesh_that_is_all_seams(mesh: Mesh) -> None:
    if mesh.name == "moebius":
        # The faces of this mesh cannot have a consistent winding, so one seam remains open. Another test covers this
        # case.
        return
    corners = mesh.positions[mesh.faces.ravel()]
    joined = weld(corners, np.arange(len(corners)).reshape(-1, 3))
    np.testing.assert_array_equal(corners[joined.ravel()].astype(np.float32), corners.astype(np.float32))
    # the joined mesh has the same faces as the original mesh, but other vertex indices
    names: dict[int, int] = {}
    for ours, theirs in zip(joined.ravel().tolist(), mesh.faces.ravel().tolist(), strict=True):
        assert names.setdefault(ours, theirs) == theirs
    assert len(set(names.values())) == len(names)
    assert weld(mesh.positions, mesh.faces).tolist() == mesh.faces.tolist()


def test_degenerate_weld_keeps_layers_apart_that_are_wound_differently() -> None:
    # two triangles that touch along an edge, but have opposite windings: both contain the direction from vertex 0 to
    # vertex 1
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0], [0, -1, 0]])
    assert weld(positions, [[0, 1, 2], [3, 4, 5]]).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weld(positions, [[0, 1, 2], [4, 3, 5]]).tolist() == [[0, 1, 2], [1, 0, 5]]


def test_degenerate_faces_wound_differently_are_warned_of() -> None:
    faces = grid(3, 3).faces.copy()
    faces[4] = faces[4][::-1]
    topology = Topology(faces, 9)
    shared = next(edge for edge, pair in enumerate(topology.edge_faces.tolist()) if 4 in pair and -1 not in pair)
    first, second = topology.edges[shared]
    message = rf"faces \d and \d have opposite orientations at edge \({first}, {second}\)"
    with pytest.warns(
        UserWarning, match=f"^faces: {message}, so wrinkles rise on both sides of the cloth; make all faces consistent$"
    ):
        Wrinkler(faces, 9, r_min=0.1)
    with pytest.warns(UserWarning, match=message):
        run(Animation(grid(3, 3).positions[None], faces))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Without wrinkles, the orientation does not matter. A sheet with a boundary may have either orientation.
        Wrinkler(faces, 9, r_min=0.0)
        Wrinkler(grid(3, 3).faces[:, ::-1], 9, r_min=0.1)


def test_exact_weld_takes_minus_zero_for_zero_and_joins_nothing_that_is_merely_near() -> None:
    positions = np.array([[0.0, 0.0, 0.0], [1, 0, 0], [0, 1, 0], [-0.0, 0.0, -0.0], [-1, 0, 0]])
    np.testing.assert_array_equal(weld(positions, [[0, 1, 2], [3, 2, 4]]), [[0, 1, 2], [0, 2, 4]])
    positions[3:] = [[np.nextafter(np.float32(1), 2), 0, 0], [1, 1, 0]]
    assert weld(positions, [[0, 1, 2], [2, 3, 4]])[1, 1] == 3


def test_degenerate_weld_never_collapses_a_face() -> None:
    # vertices 1 and 2 of the first face have the same position
    positions = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 1, 0]], float)
    faces = [[0, 1, 2], [1, 3, 2]]
    np.testing.assert_array_equal(weld(positions, faces), faces)


def test_degenerate_weld_keeps_layers_that_touch_manifold() -> None:
    layer = grid(3, 3)
    positions, faces = np.tile(layer.positions, (3, 1)), np.vstack([layer.faces + 9 * k for k in range(3)])
    joined = weld(positions, faces)
    Topology(joined, len(positions))  # raises MeshError if an edge has more than two faces
    np.testing.assert_array_equal(positions[joined], positions[faces])


def test_degenerate_weld_mends_seams_although_a_flap_touches_elsewhere() -> None:
    # a 3 x 3 sheet; a flap with vertices 9, 10 and 11 along the inner edge (4, 5); vertex 12, a copy of corner 2
    sheet = grid(3, 3)
    positions = np.vstack([sheet.positions, sheet.positions[[4, 5]], [[1.5, 1.0, 1.0]], sheet.positions[[2]]])
    at_corner = np.flatnonzero((sheet.faces == 2).any(axis=1))[0]
    sheet.faces[at_corner][sheet.faces[at_corner] == 2] = 12
    joined = weld(positions, np.vstack([sheet.faces, [[9, 10, 11]]]))
    Topology(joined, len(positions))  # raises MeshError if the flap is the third face of its edge
    assert 12 not in joined
    assert joined[-1].tolist() == [9, 10, 11]


def split(sheet: Mesh, jitter: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return a sheet (positions, faces) in which each face has its own vertices, moved randomly by up to `jitter`."""
    corners = sheet.positions[sheet.faces].reshape(-1, 3)
    corners = corners + jitter * np.random.default_rng(3).uniform(-1, 1, corners.shape)
    return corners, np.arange(len(corners)).reshape(-1, 3)


@pytest.mark.parametrize("jitter", [0.0, 1e-7, 1e-5])
def test_weld_exact_joins_twins_within_a_tolerance(jitter: float) -> None:
    sheet = grid(7, 6)
    positions, faces = split(sheet, jitter)
    welded = weld(positions, faces, tolerance=4e-5)
    first = {tuple(np.round(point).astype(int)): vertex for vertex, point in reversed([*enumerate(positions)])}
    assert welded.tolist() == [[first[tuple(np.round(positions[v]).astype(int))] for v in face] for face in faces]
    if jitter:
        assert weld(positions, faces, tolerance=jitter / 1e3).tolist() == faces.tolist()


def test_weld_exact_joins_only_what_remains_together() -> None:
    sheet = grid(3, 3)
    faces = np.concatenate([sheet.faces, sheet.faces + 9])
    # two pieces of cloth that touch along a side in the first frame, and separate in the second frame
    beside = np.add(sheet.positions, [2, 0, 0])
    frames = np.stack([np.concatenate([sheet.positions, np.add(beside, [0, 0, gap])]) for gap in (0.0, 0.1, 0.0)])
    assert len(np.unique(weld(frames[0], faces))) == 15
    assert weld(frames, faces).tolist() == faces.tolist()
    assert len(np.unique(weld(frames[[0, 2]], faces))) == 15


@pytest.mark.parametrize(("gap", "vertices"), [(0.9e-4, 4), (1.1e-4, 6)])
def test_exact_animations_join_vertices_within_a_ten_thousandth_of_their_extent(gap: float, vertices: int) -> None:
    # two triangles whose common edge is divided by a gap; the extent is 200
    square = 200 * np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, gap], [1, 1, 0], [0, 1, gap]]])
    topology = topology_of(Animation(square.astype(np.float32), [[0, 1, 2], [3, 4, 5]], fps=30))
    assert len(np.unique(topology.faces)) == vertices


def test_weld_reject_a_negative_tolerance() -> None:
    with pytest.raises(ValueError, match="tolerance: expected a number of at least 0, got -1"):
        weld(np.eye(3), [[0, 1, 2]], tolerance=-1.0)


@pytest.mark.parametrize(
    ("positions", "said"),
    [
        (np.zeros((0, 3, 3)), "expected at least one frame"),
        (np.full((1, 3, 3), np.nan), "is not finite"),
        (np.full((2, 3, 3), np.inf), "is not finite"),
        (np.zeros((2, 3, 2)), "expected an array of shape"),
        (np.zeros(3), "expected an array of shape"),
    ],
)
def test_weld_reject_frames_that_are_not_positions(positions: NDArray[np.float64], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        weld(positions, [[0, 1, 2]], tolerance=1e-3)


@pytest.mark.parametrize(("gap", "expected"), [(0.0, 0), (1e-5, 0), (0.05, 6), (0.3, 0)])
def test_exact_near_rims_are_those_that_are_not_joined(gap: float, expected: int) -> None:
    sheet = grid(3, 3)
    faces = np.concatenate([sheet.faces, sheet.faces + 9])
    # two pieces of cloth; `gap` is the width of the seam between them relative to the edge length
    cloths = np.concatenate([sheet.positions, np.add(sheet.positions, [2 + gap, 0, 0])])
    closed = Animation(np.stack([cloths, cloths]), faces)
    assert near_rims(closed, topology_of(closed))[0] == expected
    # the same pieces, but far apart in the second frame
    parted = Animation(
        np.stack([cloths, np.where(np.arange(18)[:, None] < 9, cloths, np.add(cloths, [0, 0, 1]))]), faces
    )
    assert near_rims(parted, topology_of(parted)) == (0, near_rims(closed, topology_of(closed))[1])
