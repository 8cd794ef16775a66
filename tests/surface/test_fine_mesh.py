"""The fine mesh: watertight, a manifold if the coarse mesh is a manifold, and exactly on the displaced surface."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meshes
import ruckle
from cloth_meshes import grid
from ruckle import Animation, CoarseFrame, FineMesh, Frame, Surface, Topology
from sanitized import SANITIZED
from watertight import faults
from wrinkled_cloth import R_MIN, frame_of, laid, wrinkling

SHAPES = [
    meshes.triangle(), meshes.grid(), meshes.strip(), meshes.disk(), meshes.tube(), meshes.torus(), meshes.moebius(),
    meshes.two_components(), meshes.pillow(), meshes.bow_tie(), meshes.octahedron(), meshes.scattered(),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
@pytest.mark.parametrize("levels", ["ones", "even", "random", "odd", "most"])
def test_exact_watertight_for_any_levels(shape: meshes.Mesh, levels: str) -> None:
    topology = shape.topology
    random = np.random.default_rng(3)
    count = topology.edge_count
    chosen = {
        "ones": np.ones(count, int),
        "even": np.full(count, 4),
        "random": random.integers(1, 9, count),
        "odd": random.choice([1, 2, 3, 17], count),
        "most": random.choice([1, 64], count, p=[0.9, 0.1]),
    }[levels]
    surface = Surface(topology, base="flat", edge_length=1.0)
    surface.update(CoarseFrame(shape.positions, shape.topology), edge_levels=chosen)
    fine = surface.displace()
    assert faults(fine, topology, chosen) == []
    np.testing.assert_array_equal(surface.levels[:, 3], surface.levels[:, :3].max(axis=1))
    # flat triangles keep their area, so fine faces do not overlap and do not leave gaps
    np.testing.assert_allclose(face_areas(fine, topology), coarse_areas(shape, topology), rtol=1e-4)


def face_areas(fine: FineMesh, topology: Any) -> Any:
    """Return the area (T,) of the fine faces on each coarse face. Fine faces that are turned over count negative."""
    corners = fine.positions[fine.faces].astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    whole = fine.positions[topology.faces].astype(np.float64)
    normal = np.cross(whole[:, 1] - whole[:, 0], whole[:, 2] - whole[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    areas = np.zeros(topology.face_count)
    np.add.at(areas, fine.face_coarse_faces, 0.5 * (across * normal[fine.face_coarse_faces]).sum(axis=1))
    return areas


def coarse_areas(shape: meshes.Mesh, topology: Any) -> Any:
    corners = shape.positions[topology.faces]
    return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 7, 8, 33, 64])
def test_exact_number_of_vertices_is_that_of_opengl(level: int) -> None:
    surface = Surface(Topology([[0, 1, 2]], 3), base="flat")
    surface.update(CoarseFrame([[0, 0, 0], [1, 0, 0], [0, 1, 0]], surface.topology), edge_levels=[level] * 3)
    assert surface.displace().vertex_count == (3 * level * level + 6 * level + 4) // 4


def test_exact_the_watertightness_check_finds_cracks() -> None:
    shape = meshes.tube()
    surface = Surface(shape.topology, base="flat")
    levels = np.full(shape.topology.edge_count, 3)
    surface.update(CoarseFrame(shape.positions, shape.topology), edge_levels=levels)
    fine = surface.displace()
    assert faults(fine, shape.topology, levels) == []
    split = fine.faces.copy()
    inner = shape.topology.vertex_count + 2 * int(np.flatnonzero(shape.topology.edge_faces[:, 1] >= 0)[0])
    split[tuple(np.argwhere(split == inner)[0])] = fine.vertex_count
    turned = fine.faces.copy()
    turned[5] = turned[5, ::-1]
    for broken in (split, turned, np.concatenate([fine.faces, fine.faces[:1]])):
        other = FineMesh(**{**vars_of(fine), "faces": broken})
        assert faults(other, shape.topology, levels) != []


def vars_of(fine: FineMesh) -> dict[str, Any]:
    return {name: getattr(fine, name) for name in FineMesh.__dataclass_fields__}


@pytest.mark.parametrize("name", ["sawing", "jumping_jack"])
def test_exact_garments_are_watertight(name: str) -> None:
    animation = ruckle.sample(name)
    for frame in wrinkling(animation, every=animation.frame_count // 2):
        for base in ("flat", "curved"):
            surface = Surface(frame.topology, base=base, edge_length=frame.length_unit)  # type: ignore[arg-type]
            surface.update(frame)
            fine = surface.displace()
            assert faults(fine, frame.topology, surface.edge_levels) == []
            assert np.isfinite(fine.positions).all()


def test_exact_vertices_lie_on_the_surface() -> None:
    for frame in wrinkling(ruckle.sample("shoveling"), every=150 if SANITIZED else 75):
        surface = Surface(frame.topology, base="curved", threads=2)
        surface.update(frame)
        fine = surface.displace()
        used = fine.coarse_faces >= 0
        points = surface.evaluate(fine.coarse_faces[used], fine.barycentric[used])
        np.testing.assert_array_equal(fine.positions[used], points.positions)
        np.testing.assert_array_equal(fine.normals[used], points.normals)
        np.testing.assert_array_equal(fine.heights[used], points.heights)
        assert fine.heights.max() > 0.5 * max(wrinkle.crest for wrinkle in frame.wrinkles)
        # the corners of a fine face are on its own coarse face
        flat = fine.corner_values(frame.positions)
        lifted = np.linalg.norm(flat - fine.positions[fine.faces], axis=2)
        named = surface.evaluate(np.repeat(fine.face_coarse_faces, 3), fine.corner_barycentric.reshape(-1, 3))
        np.testing.assert_allclose(named.positions.reshape(-1, 3, 3), fine.positions[fine.faces], atol=1e-6)
        assert lifted.max() > 0
        np.testing.assert_allclose(fine.corner_barycentric.sum(axis=2), 1.0, atol=1e-6)


def test_exact_seams_keep_the_users_vertices() -> None:
    positions, faces = grid(8, 6)
    # the sheet is divided along x = 4: the right side has its own vertices
    seam = np.flatnonzero(positions[:, 0] == 4)
    copies = np.arange(len(seam)) + len(positions)
    right = positions[faces].mean(axis=1)[:, 0] > 4
    cut = faces.copy()
    for old, new in zip(seam, copies, strict=True):
        cut[right] = np.where(cut[right] == old, new, cut[right])
    doubled = np.concatenate([positions, positions[seam]])
    topology = Topology(ruckle.weld(doubled, cut), len(doubled))
    line = np.array([(1.3, 3.1), (7.7, 3.1)])
    wrinkle = laid(topology, doubled, line)
    frame = Frame.of(doubled, topology, [wrinkle], r_min=R_MIN, faces=cut)
    fine = ruckle.displace(frame, edge_length=0.2)
    assert fine.heights[seam].max() > 0.1
    for part in (fine.positions, fine.normals, fine.heights):
        np.testing.assert_array_equal(part[copies], part[seam])
    joined = Topology(faces, len(positions))
    whole = ruckle.displace(frame_of(joined, positions, laid(joined, positions, line)), edge_length=0.2)
    np.testing.assert_array_equal(np.unique(whole.positions, axis=0), np.unique(fine.positions, axis=0))
    with pytest.raises(ValueError, match="cannot be drawn on this mesh"):
        ruckle.displace(frame_of(Topology(cut, len(doubled)), doubled, wrinkle))


def test_property_a_curved_base_bulges_and_meets_its_neighbours() -> None:
    shape = meshes.sphere(2)
    flat, curved = (
        ruckle.displace(CoarseFrame(shape.positions, shape.faces), base=base, base_level=6)  # type: ignore[arg-type]
        for base in ("flat", "curved")
    )
    assert flat.vertex_count == shape.vertex_count
    radius = np.linalg.norm(curved.positions, axis=1)
    level = ruckle.displace(
        CoarseFrame(shape.positions, shape.faces), base="flat", edge_levels=[6] * shape.topology.edge_count
    )
    chord = np.linalg.norm(level.positions, axis=1)
    # the curved base is much closer to the sphere than the coarse triangles, both inside and outside the sphere
    assert (1 - radius).max() < 0.3 * (1 - chord).max()
    assert (radius - 1).max() < 0.3 * (1 - chord).max()


@pytest.mark.parametrize(("angle", "roundness"), [(0, 1), (45, 1), (70, 0.5623), (92, 0), (120, 0), (180, 0)])
def test_exact_folds_are_not_rounded(angle: float, roundness: float) -> None:
    # two triangles with this angle at their common edge; their mean normal at its ends has the length cos(angle / 2)
    turn = np.radians(angle)
    positions = [[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -np.cos(turn), np.sin(turn)]]
    surface = Surface(Topology([[0, 1, 2], [1, 0, 3]], 4))
    surface.update(CoarseFrame(positions, surface.topology))
    np.testing.assert_allclose(surface.vertex_roundness, [roundness, roundness, 1, 1], atol=1e-3)


def test_property_a_hem_keeps_its_lining_inside() -> None:
    # A sleeve with eight sides whose end at z = 0 is turned inward. With the normals of the hem, its two layers would
    # separate.
    k = np.arange(8)
    n = (k + 1) % 8
    rim = np.column_stack([np.cos(k * np.pi / 4), np.sin(k * np.pi / 4), np.zeros(8)])
    up = np.array([0, 0, 1])
    positions = np.concatenate([rim + up, rim, 0.97 * rim + 0.5 * up])
    outer = np.concatenate([np.column_stack([8 + k, 8 + n, n]), np.column_stack([8 + k, n, k])])
    lining = np.concatenate([np.column_stack([8 + n, 8 + k, 16 + k]), np.column_stack([8 + n, 16 + k, 16 + n])])
    fine = ruckle.displace(CoarseFrame(positions, np.concatenate([outer, lining])), base="curved", base_level=8)
    place = fine.positions
    # distance of each vertex from the axis, along the normal of its side; on flat sides, it is cos(22.5°)
    depth = np.hypot(place[:, 0], place[:, 1]) * np.cos(np.arctan2(place[:, 1], place[:, 0]) % (np.pi / 4) - np.pi / 8)
    hem, end = np.abs(place[:, 2]) < 1e-6, np.abs(place[:, 2] - 1) < 1e-6
    assert (hem.sum(), end.sum()) == (64, 64)
    np.testing.assert_allclose(depth[hem], np.cos(np.pi / 8), atol=1e-6)
    assert depth[end].max() > np.cos(np.pi / 8) + 0.03


def test_degenerate_vertices_without_faces_stay() -> None:
    shape = meshes.two_components()
    fine = ruckle.displace(CoarseFrame(shape.positions, shape.faces), base="curved")
    (lonely,) = np.flatnonzero(fine.coarse_faces < 0)
    np.testing.assert_array_equal(fine.positions[lonely], shape.positions[lonely])
    assert fine.heights[lonely] == 0
    assert repr(fine).startswith("FineMesh(")


@pytest.mark.parametrize("suffix", [".obj", ".ply", ".glb", ".usdc", ".abc"])
def test_exact_saved_meshes_read_back(tmp_path: Path, suffix: str) -> None:
    if suffix == ".usdc":
        pytest.importorskip("pxr", reason="needs usd-core")
    if suffix == ".abc":
        pytest.importorskip("alembic3d", reason="needs alembic3d")
    animation = ruckle.sample("sawing").cut(0, 40)
    *_, frame = ruckle.run(animation)
    fine = ruckle.displace(frame)
    for given in (None, animation):
        fine.save(tmp_path / f"shirt{suffix}", animation=given)
        found = ruckle.load(tmp_path / f"shirt{suffix}")
        assert found.face_count == fine.face_count
        np.testing.assert_array_equal(found.positions[0][found.faces], fine.positions[fine.faces])
        assert (found.uv is None) == (given is None) or suffix == ".ply"


def test_reject_saving(tmp_path: Path) -> None:
    animation = ruckle.sample("sawing").cut(0, 1)
    [frame] = ruckle.run(animation)
    fine = ruckle.displace(frame)
    with pytest.raises(ruckle.FormatError, match=r"cannot be written as '\.stl', allowed are \.obj, \.ply, \.glb"):
        fine.save(tmp_path / "shirt.stl")
    with pytest.raises(ValueError, match="animation: expected the 734 triangles of the coarse mesh, got 700"):
        fine.save(tmp_path / "shirt.obj", animation=Animation(animation.positions, animation.faces[:700]))
    with pytest.raises(ruckle.FormatError, match="cannot be written"):
        fine.save(tmp_path / "absent" / "shirt.obj")
