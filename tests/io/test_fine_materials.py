"""Materials, images and vertex colours of fine meshes in OBJ, USD and GLB files."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from ruckle import Animation, CoarseFrame, FineMesh, Topology
from ruckle.io.fine_materials import FineMaterials
from ruckle.mesh.colors import FaceColors, Image

LEVEL = 3


def png() -> bytes:
    pillow = pytest.importorskip("PIL.Image")
    buffer = io.BytesIO()
    pillow.new("RGB", (2, 2), (200, 10, 10)).save(buffer, "PNG")
    return buffer.getvalue()


def sheet(*, varying: bool) -> tuple[Animation, FineMesh]:
    """Return a coloured sheet and its fine mesh.

    The right half has an image, the left half only a colour. If `varying`, the red value of the sheet increases with x.
    """
    positions, faces = grid(4, 3)
    right = positions[faces].mean(axis=1)[:, 0] > 2
    corners = np.ones((len(faces), 3, 3), np.float32)
    corners[~right] = (0.5, 0.25, 0.125)
    if varying:
        corners[..., 0] = positions[faces][..., 0] / 4
    uv = (positions[:, :2] / 4).astype(np.float32)
    picture = Image("picture", png, cutout=0.5)
    colors = FaceColors(corners, uv[faces], np.where(right, 0, -1).astype(np.int32), (picture,))
    animation = Animation(positions[None], faces, uv=uv, name="sheet", colors=colors)
    topology = Topology(faces, len(positions))
    fine = ruckle.displace(CoarseFrame(positions, topology), base="flat", edge_levels=[LEVEL] * topology.edge_count)
    return animation, fine


def on_right(fine: FineMesh) -> Any:
    return fine.positions[fine.faces].mean(axis=1)[:, 0] > 2


def test_obj_exact_materials(tmp_path: Path) -> None:
    animation, fine = sheet(varying=False)
    fine.save(tmp_path / "sheet.obj", animation=animation)
    text = (tmp_path / "sheet.obj").read_text().splitlines()
    assert text[0] == "mtllib sheet.mtl"
    library = (tmp_path / "sheet.mtl").read_text().split("newmtl ")[1:]
    named = {entry.split()[0]: entry for entry in library}
    used, current = dict[str, int](), ""
    for line in text:
        if line.startswith("usemtl "):
            current = line.split()[1]
        used[current] = used.get(current, 0) + line.startswith("f ")
    [plain] = [name for name, entry in named.items() if "map_Kd" not in entry]
    [pictured] = named.keys() - {plain}
    assert "Kd 0.5 0.25 0.125" in named[plain]
    assert "Kd 1 1 1" in named[pictured]
    assert (used[plain], used[pictured]) == ((~on_right(fine)).sum(), on_right(fine).sum())
    [name] = [line.split()[1] for line in named[pictured].splitlines() if line.startswith("map_Kd")]
    assert (tmp_path / name).read_bytes() == png()
    assert ruckle.load(tmp_path / "sheet.obj").face_count == fine.face_count


def test_obj_exact_colours_of_vertices(tmp_path: Path) -> None:
    animation, fine = sheet(varying=True)
    fine.save(tmp_path / "sheet.obj", animation=animation)
    rows = [line.split()[1:] for line in (tmp_path / "sheet.obj").read_text().splitlines() if line.startswith("v ")]
    values = np.array(rows, float)
    assert values.shape == (fine.vertex_count, 6)
    np.testing.assert_allclose(values[:, 3], values[:, 0] / 4, atol=1e-4)


@pytest.mark.parametrize("varying", [False, True])
def test_usd_exact_materials(tmp_path: Path, varying: bool) -> None:
    Usd, UsdGeom, UsdShade = (pytest.importorskip(f"pxr.{module}") for module in ("Usd", "UsdGeom", "UsdShade"))
    animation, fine = sheet(varying=varying)
    fine.save(tmp_path / "sheet.usda", animation=animation)
    stage = Usd.Stage.Open(str(tmp_path / "sheet.usda"))
    prim = stage.GetDefaultPrim()
    seen = np.zeros(fine.face_count, bool)
    for subset in UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Imageable(prim)):
        indices = np.array(subset.GetIndicesAttr().Get())
        assert not seen[indices].any()
        seen[indices] = True
        material, _ = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()
        color = material.ComputeSurfaceSource()[0].GetInput("diffuseColor")
        if on_right(fine)[indices[0]]:
            assert on_right(fine)[indices].all()
            picture = UsdShade.Shader(color.GetConnectedSources()[0][0].source.GetPrim())
            assert (tmp_path / picture.GetInput("file").Get().path).read_bytes() == png()
        elif not varying:
            np.testing.assert_allclose(color.Get(), (0.5, 0.25, 0.125))
    assert seen.all()
    shown = UsdGeom.PrimvarsAPI(prim).GetPrimvar("displayColor")
    if varying:
        np.testing.assert_allclose(np.array(shown.Get())[:, 0], fine.positions[fine.faces.ravel()][:, 0] / 4, atol=1e-6)
    else:
        assert not shown.HasValue()


@pytest.mark.parametrize("varying", [False, True])
def test_glb_exact_materials_read_back(tmp_path: Path, varying: bool) -> None:
    animation, fine = sheet(varying=varying)
    fine.save(tmp_path / "sheet.glb", animation=animation)
    found = ruckle.load(tmp_path / "sheet.glb")
    assert found.colors is not None
    pictured = found.colors.face_images >= 0
    np.testing.assert_array_equal(pictured, found.positions[0][found.faces].mean(axis=1)[:, 0] > 2)
    assert [image.read() for image in found.colors.images] == [png()]
    assert found.colors.images[0].cutout == 0.5
    left = found.colors.corners[~pictured]
    expected = found.positions[0][found.faces][~pictured][..., 0] / 4 if varying else 0.5
    np.testing.assert_allclose(left[..., 0], np.broadcast_to(expected, left.shape[:2]), atol=1e-6)
    np.testing.assert_allclose(left[..., 1], 0.25, atol=1e-6)


def test_materials_degenerate_no_colours() -> None:
    animation, fine = sheet(varying=False)
    found = FineMaterials.of(replace(animation, colors=None))
    assert found.materials == []
    assert found.fine_colors(fine) is None
