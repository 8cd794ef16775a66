"""The smooth base: triangles of the fine mesh agree with the normals for shading, and are near the curved base."""

from typing import Any

import numpy as np
import pytest

import meshes
import ruckle
from meshes import rotation
from ruckle import CoarseFrame, FineMesh, Topology, _core


def recomputed(fine: FineMesh) -> Any:
    """Return vertex normals (N, 3) as other programs compute them: means of face normals, weighted by angle."""
    corners = fine.positions[fine.faces].astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)
    normals = np.zeros(fine.positions.shape)
    for k in range(3):
        one, other = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), (one * other).sum(axis=1))
        np.add.at(normals, fine.faces[:, k], angle[:, None] * across)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)


def angles(fine: FineMesh) -> Any:
    """Return angles in degrees between stored normals and recomputed normals. Vertices at creases are excluded."""
    used = np.unique(fine.faces)
    parted = np.unique(fine.faces[(fine.corner_normals != fine.normals[fine.faces]).any(axis=2)])
    used = np.setdiff1d(used, parted)
    found, drawn = recomputed(fine)[used], fine.normals[used].astype(np.float64)
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(found, drawn), axis=1), (found * drawn).sum(axis=1)))


def test_property_normals_of_garments_agree() -> None:
    animation = ruckle.sample("sawing")
    found = {}
    for base in ("curved", "smooth"):
        parts = [
            angles(ruckle.displace(CoarseFrame(animation.positions[frame], animation.faces), base=base))  # type: ignore[arg-type]
            for frame in (40, 100, 180)
        ]
        found[base] = np.percentile(np.concatenate(parts), [50, 95])
    assert (found["smooth"] < [1.0, 5.0]).all()
    assert (found["smooth"] < 0.5 * found["curved"]).all()


def test_exact_minimum_by_least_squares() -> None:
    shape, random = meshes.octahedron(), np.random.default_rng(5)
    positions, faces = shape.positions.astype(np.float32), shape.topology.faces
    normals = random.standard_normal((len(faces), 3)) + 3.0 * positions[faces].mean(axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    shares = np.array([1.0, 0.5, 0.25, 1.0, 0.75, 0.0], np.float32)
    corners = np.repeat(normals[:, None], 3, axis=1).astype(np.float32)
    fitted = _core.fit_to_normals(positions, faces, corners, shares, length=2.0, stiffness=0.3, rounds=1, steps=99)
    rows, sides, areas = [], [], np.zeros(len(positions))
    for corners, normal in zip(faces, normals, strict=True):
        own = positions[corners].astype(np.float64)
        across = np.cross(own[1] - own[0], own[2] - own[0])
        area = 0.5 * np.linalg.norm(across)
        areas[corners] += area / 3
        axis = np.cross(across / np.linalg.norm(across), normal)
        sine = np.linalg.norm(axis)
        turn = rotation(axis, np.arctan2(sine, across @ normal / np.linalg.norm(across)))
        for k in range(3):
            a, b = corners[k], corners[(k + 1) % 3]
            edge = own[(k + 1) % 3] - own[k]
            weight = np.sqrt(area) / np.linalg.norm(edge)
            row = np.zeros(len(positions))
            row[b], row[a] = weight, -weight
            rows.append(row)
            sides.append(weight * (turn @ edge))
    free = shares > 0
    stiff = np.sqrt(0.3 * areas[free]) / (2.0 * shares[free])
    matrix = np.vstack([np.array(rows), np.diag(np.ones(len(positions)))[free] * stiff[:, None]])
    right = np.vstack([np.array(sides), stiff[:, None] * positions[free]]) - matrix[:, ~free] @ positions[~free]
    expected = np.linalg.lstsq(matrix[:, free], right, rcond=None)[0]
    np.testing.assert_allclose(fitted[free], expected, atol=2e-4)
    np.testing.assert_array_equal(fitted[~free], positions[~free])


def test_degenerate_faces_without_a_mean_normal_keep_their_shape() -> None:
    positions, faces = np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32)
    third = 2.0 * np.pi / 3.0
    around = np.array([(np.cos(third * k), np.sin(third * k), 0.0) for k in range(3)], np.float32)
    for corners in (np.zeros((1, 3, 3), np.float32), around[None]):
        shares = np.ones(3, np.float32)
        fitted = _core.fit_to_normals(positions, faces, corners, shares, length=1.0, stiffness=0.1, rounds=2, steps=20)
        np.testing.assert_allclose(fitted, positions, atol=1e-6)


def test_exact_flat_cloth_stays() -> None:
    shape = meshes.grid()
    curved, smooth = (
        ruckle.displace(CoarseFrame(shape.positions * [1, 1, 0], shape.faces), base=base)  # type: ignore[arg-type]
        for base in ("curved", "smooth")
    )
    np.testing.assert_allclose(smooth.positions, curved.positions, atol=1e-6)


def test_exact_masked_cloth_stays() -> None:
    shape = meshes.tube()
    mask = (shape.positions[:, 2] > np.median(shape.positions[:, 2])).astype(np.float32)
    frame = CoarseFrame(shape.positions, shape.topology)
    frame.mask = mask
    curved, smooth = (ruckle.displace(frame, base=base) for base in ("curved", "smooth"))  # type: ignore[arg-type]
    moved = (smooth.positions != curved.positions).any(axis=1)
    assert moved.any()
    corners = curved.coarse[curved.coarse_faces]
    assert not moved[(mask[corners] * curved.barycentric).sum(axis=1) == 0].any()


def test_property_hems_become_rounder() -> None:
    shape = meshes.tube()
    turns = []
    for base in ("curved", "smooth"):
        fine = ruckle.displace(CoarseFrame(shape.positions, shape.topology), base=base)  # type: ignore[arg-type]
        sides = np.sort(fine.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        edges, counts = np.unique(sides, axis=0, return_counts=True)
        hem = edges[counts == 1]
        directions = fine.positions[hem[:, 1]] - fine.positions[hem[:, 0]]
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        pairs = [np.flatnonzero((hem == vertex).any(axis=1)) for vertex in np.unique(hem)]
        assert all(len(pair) == 2 for pair in pairs)
        turns.append(max(float(np.degrees(np.arccos(abs(directions[i] @ directions[k])))) for i, k in pairs))
    # a circle of 32 parts turns by 11.25 degrees at each part
    assert turns[1] - 11.25 < 0.5 * (turns[0] - 11.25)


def subdivided(positions: Any, faces: Any) -> tuple[Any, Any]:
    """Return a mesh after one step of Loop's subdivision with the weights of Warren. Old vertices come first."""
    opposite: dict[tuple[int, int], list[int]] = {}
    for face in faces.tolist():
        for k in range(3):
            a, b = sorted((face[k], face[(k + 1) % 3]))
            opposite.setdefault((a, b), []).append(face[(k + 2) % 3])
    inner: list[set[int]] = [set() for _ in positions]
    outer: list[set[int]] = [set() for _ in positions]
    middles, found = {}, []
    for number, ((a, b), beside) in enumerate(opposite.items()):
        for lists in (inner, outer) if len(beside) == 1 else (inner,):
            lists[a].add(b)
            lists[b].add(a)
        middles[a, b] = len(positions) + number
        ends = positions[a] + positions[b]
        found.append(0.5 * ends if len(beside) == 1 else 0.375 * ends + 0.125 * positions[beside].sum(axis=0))
    old = []
    for own, all_around, hem in zip(positions, inner, outer, strict=True):
        around = hem or all_around
        weight = 0.25 if hem else 9 / 16 if len(around) == 3 else 3 / 8
        old.append((1 - weight) * own + weight * positions[sorted(around)].mean(axis=0))
    fine = []
    for a, b, c in faces.tolist():
        ab, bc, ca = (middles[min(pair), max(pair)] for pair in ((a, b), (b, c), (c, a)))
        fine += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.array(old + found), np.array(fine)


TETRAHEDRON = meshes.mesh(
    "tetrahedron", [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
)


@pytest.mark.parametrize("shape", [TETRAHEDRON, meshes.octahedron(), meshes.tube(), meshes.scattered()], ids=repr)
def test_exact_offsets_lead_to_the_limit_of_subdivision(shape: meshes.Mesh) -> None:
    positions, faces = shape.positions.astype(np.float64), shape.topology.faces
    for _ in range(5):
        positions, faces = subdivided(positions, faces)
    offsets = _core.limit_offsets(shape.topology, shape.positions.astype(np.float32))
    np.testing.assert_allclose(shape.positions + offsets, positions[: shape.vertex_count], atol=2e-3)


def test_degenerate_vertices_without_a_limit_stay() -> None:
    shape = meshes.bow_tie()
    topology = Topology(shape.faces, shape.vertex_count + 1)
    positions = np.vstack([shape.positions, [[9, 9, 9]]]).astype(np.float32)
    offsets = _core.limit_offsets(topology, positions)
    assert (offsets[[0, 5]] == 0.0).all()
    assert (offsets[1:5] != 0.0).any(axis=1).all()


def test_reject_offsets_of_wrong_positions() -> None:
    shape = meshes.tube()
    with pytest.raises(ValueError, match="positions: expected an array of shape"):
        _core.limit_offsets(shape.topology, shape.positions[1:].astype(np.float32))


def test_exact_normals_of_corners_are_parted_as_the_coarse_ones() -> None:
    shape = meshes.pillow()
    surface = ruckle.Surface(shape.topology, base="smooth")
    surface.update(CoarseFrame(shape.positions, shape.topology))
    fine = surface.displace()
    assert (surface.corner_normals != surface.vertex_normals[shape.topology.faces]).any()
    expected = np.einsum("mck,mkd->mcd", fine.corner_barycentric, surface.corner_normals[fine.face_coarse_faces])
    expected /= np.linalg.norm(expected, axis=2, keepdims=True)
    np.testing.assert_allclose(fine.corner_normals, expected, atol=1e-6)


@pytest.mark.parametrize(
    "shape", [meshes.tube(), meshes.torus(), meshes.moebius(), meshes.pillow(), meshes.scattered()], ids=repr
)
def test_property_watertight_and_near(shape: meshes.Mesh) -> None:
    frame = CoarseFrame(shape.positions, shape.faces)
    curved, smooth = (ruckle.displace(frame, base=base) for base in ("curved", "smooth"))  # type: ignore[arg-type]
    # the faces are those of the curved base, so they share the same vertices and there are no cracks
    np.testing.assert_array_equal(smooth.faces, curved.faces)
    edges = shape.positions[shape.topology.edges]
    side = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1).mean()
    assert np.linalg.norm(smooth.positions - curved.positions, axis=1).max() <= 0.5 * side


def test_property_rigid_motion_and_scale() -> None:
    shape = meshes.tube()
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    plain = ruckle.displace(CoarseFrame(shape.positions, shape.faces), base="smooth").positions
    moved = ruckle.displace(CoarseFrame(100.0 * shape.positions @ turn.T, shape.faces), base="smooth").positions
    np.testing.assert_allclose(moved, 100.0 * plain @ turn.T, atol=2e-3)


def test_degenerate_collapsed_cloth() -> None:
    shape = meshes.grid()
    for positions in (np.zeros_like(shape.positions), shape.positions * [1, 0, 0]):
        topology = Topology(shape.faces, len(positions))
        assert np.isfinite(ruckle.displace(CoarseFrame(positions, topology), base="smooth").positions).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"faces": np.array([[0, 1, 3]], np.int32)}, "faces: expected numbers from 0 to 2, got 3"),
        ({"length": 0.0}, "length: expected a finite length above 0"),
        ({"stiffness": 0.0}, "stiffness: expected a finite number above 0"),
        ({"shares": np.ones(2, np.float32)}, "shares: expected an array of shape"),
        ({"corner_normals": np.ones((1, 3), np.float32)}, "corner_normals: expected an array of shape"),
    ],
)
def test_reject_meshes(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "positions": np.eye(3, dtype=np.float32),
        "faces": np.array([[0, 1, 2]], np.int32),
        "corner_normals": np.ones((1, 3, 3), np.float32),
        "shares": np.ones(3, np.float32),
        "length": 1.0,
        "stiffness": 1.0,
    }
    with pytest.raises((TypeError, ValueError), match=message):
        _core.fit_to_normals(**given | changed, rounds=1, steps=1)


def test_reject_fine_shapes() -> None:
    mesh = ruckle.RefinedMesh(np.array([[0, 1, 2]]), np.zeros(3, np.int32), np.eye(3))
    with pytest.raises(ValueError, match=r"^positions: expected an array of shape \(3, 3\), got \(2, 3\)"):
        ruckle.FineShape(np.zeros((2, 3)), mesh)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^mesh: expected a RefinedMesh, got None"):
        ruckle.FineShape(np.zeros((3, 3)), None)  # type: ignore[arg-type]


def test_exact_fine_meshes_own_their_arrays() -> None:
    faces, coarse_faces = np.array([[0, 1, 2]], np.int32), np.zeros(3, np.int32)
    barycentric = np.eye(3, dtype=np.float32)
    mesh = ruckle.RefinedMesh(faces, coarse_faces, barycentric)
    faces[:], coarse_faces[:], barycentric[:] = 7, 7, 7
    np.testing.assert_array_equal(mesh.faces, [[0, 1, 2]])
    np.testing.assert_array_equal(mesh.coarse_faces, [0, 0, 0])
    np.testing.assert_array_equal(mesh.barycentric, np.eye(3))
