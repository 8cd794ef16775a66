"""Exported fine meshes: at a crease, both sides have their own normals, and the mesh does not have a gap."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import meshes
import ruckle
from ruckle import Animation, CoarseFrame, FineMesh, Surface
from ruckle.io.budget import Budget
from ruckle.io.carrier import OwnCarrier
from ruckle.io.fine import fine_writer
from ruckle.io.gltf_accessors import read_floats, read_integers
from ruckle.io.gltf_container import Document


def creased() -> tuple[Animation, list[CoarseFrame]]:
    """Return a pillow, whose rim is a crease, in two frames: the second one is thinner."""
    shape = meshes.pillow()
    positions = np.stack([shape.positions, shape.positions * [1, 1, 0.9]]).astype(np.float32)
    return Animation(positions, shape.faces), [CoarseFrame(frame, shape.topology) for frame in positions]


def fine_meshes(frames: list[CoarseFrame]) -> list[FineMesh]:
    surface, parted = Surface(frames[0].topology, base="curved"), np.zeros(1, bool)
    for frame in frames:
        surface.update(frame)
        parted = parted | surface.parted_edges
    found = []
    for frame in frames:
        surface.update(frame, parted_edges=parted)
        found.append(surface.displace())
    return found


def test_exact_rim_of_a_pillow_is_parted() -> None:
    _, frames = creased()
    surface = Surface(frames[0].topology)
    surface.update(frames[0])
    topology = surface.topology
    rim = (topology.faces == 0).any(axis=1)[topology.edge_faces].sum(axis=1) == 1
    np.testing.assert_array_equal(surface.parted_edges, rim)
    fine = surface.displace()
    rows = fine.normal_rows()
    spokes, parts = int(rim.sum()), int(surface.edge_levels[rim][0])
    # one further normal for each vertex of the rim
    assert len(rows.corners) == fine.vertex_count + spokes * parts
    normals = rows.of(fine)
    np.testing.assert_allclose(normals[rows.faces], fine.corner_normals, atol=1e-4)


def test_property_smooth_cloth_has_one_normal_per_vertex() -> None:
    shape = meshes.tube()
    fine = ruckle.displace(CoarseFrame(shape.positions, shape.topology))
    assert len(fine.normal_rows().corners) == fine.vertex_count


def test_obj_exact_normals_of_corners(tmp_path: Path) -> None:
    animation, frames = creased()
    with fine_writer(tmp_path / "out", animation) as writer:
        for frame in frames:
            writer.append(frame)
        writer.finish()
    for file, fine in zip(sorted((tmp_path / "out").iterdir()), fine_meshes(frames), strict=True):
        lines = file.read_text().splitlines()
        normals = np.loadtxt([line[3:] for line in lines if line.startswith("vn")])
        numbers = [line[2:].replace("//", " ").split() for line in lines if line.startswith("f ")]
        corners = np.array(numbers, int).reshape(-1, 3, 2) - 1
        np.testing.assert_array_equal(corners[:, :, 0], fine.faces)
        np.testing.assert_allclose(normals[corners[:, :, 1]], fine.corner_normals, atol=1e-4)


def test_usd_exact_normals_of_corners(tmp_path: Path) -> None:
    Usd, UsdGeom = (pytest.importorskip(f"pxr.{module}") for module in ("Usd", "UsdGeom"))
    animation, frames = creased()
    write(tmp_path / "out.usdc", animation, frames)
    stage = Usd.Stage.Open(str(tmp_path / "out.usdc"))
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim())
    normals = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals")
    assert normals.GetInterpolation() == "faceVarying"
    for number, fine in enumerate(fine_meshes(frames)):
        np.testing.assert_array_equal(mesh.GetPointsAttr().Get(number), fine.positions)
        read = np.array(normals.ComputeFlattened(Usd.TimeCode(number))).reshape(-1, 3, 3)
        np.testing.assert_allclose(read, fine.corner_normals, atol=1e-4)


def test_alembic_exact_normals_of_corners(tmp_path: Path) -> None:
    alembic = pytest.importorskip("alembic3d")
    animation, frames = creased()
    write(tmp_path / "out.abc", animation, frames)
    archive = alembic.Abc.IArchive(str(tmp_path / "out.abc"))
    mesh = alembic.AbcGeom.IPolyMesh(archive.getTop().children[0], "wrinkledShape")
    param = mesh.getSchema().getNormalsParam()
    assert param.getScope() == alembic.AbcGeom.GeometryScope.kFacevaryingScope
    for number, fine in enumerate(fine_meshes(frames)):
        sample = param.getExpandedValue(alembic.Abc.ISampleSelector(number))
        read = np.array([tuple(normal) for normal in sample.getVals()]).reshape(-1, 3, 3)[:, ::-1]
        np.testing.assert_allclose(read, fine.corner_normals, atol=1e-4)


def test_glb_exact_vertices_of_creases_have_equal_positions(tmp_path: Path) -> None:
    _, frames = creased()
    fine = fine_meshes(frames)[0]
    fine.save(tmp_path / "out.glb")
    document = Document(tmp_path / "out.glb", Budget())
    primitive = document.root.element("meshes", 0).element("primitives", 0)
    attributes = primitive.entry("attributes")
    assert attributes is not None
    points, normals = (read_floats(document, attributes.integer(name), "VEC3") for name in ("POSITION", "NORMAL"))
    faces = read_integers(document, primitive.integer("indices"), "SCALAR").reshape(-1, 3)
    np.testing.assert_array_equal(points[faces], fine.positions[fine.faces])
    np.testing.assert_allclose(normals[faces], fine.corner_normals, atol=1e-4)
    assert len(points) == len(fine.normal_rows().corners)
    assert len(np.unique(points, axis=0)) == fine.vertex_count


def test_glb_exact_every_frame_has_the_same_vertices() -> None:
    animation, frames = creased()
    first, second = fine_meshes(frames)
    carrier = OwnCarrier(animation)
    carrier.split(first)
    np.testing.assert_array_equal(second.corner_sides, first.corner_sides)
    assert carrier.vertices.of(second)[1].shape == carrier.vertices.of(first)[1].shape


def write(path: Path, animation: Animation, frames: list[CoarseFrame], **options: Any) -> None:
    with fine_writer(path, animation, **options) as writer:
        writer.fix(frames)
        for frame in frames:
            writer.append(frame)
        writer.finish()
