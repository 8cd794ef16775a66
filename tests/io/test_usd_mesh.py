"""Meshes of USD stages: our own exports, and stages from other programs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from program import invoke, refusal, swinging, value_of
from ruckle import FormatError, describe, load
from ruckle.io.provenance import source_hash

pxr = pytest.importorskip("pxr", reason='USD needs usd-core: pip install "ruckle[usd]"')
from pxr import Gf, Sdf, Usd, UsdGeom, Vt  # noqa: E402  # after the skip


def square(stage: Any, name: str, *, moves: bool = True) -> Any:
    """Add a square as one polygon to a stage, below a parent at z = 5. It moves along x if `moves`."""
    if not stage.GetPrimAtPath("/set"):
        UsdGeom.Xform.Define(stage, "/set").AddTranslateOp().Set(Gf.Vec3d(0, 0, 5))
    mesh = UsdGeom.Mesh.Define(stage, f"/set/{name}")
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray([4]))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray([0, 1, 2, 3]))
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    attribute = mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    for code in (3, 4, 5) if moves else ():
        attribute.Set(Vt.Vec3fArray.FromNumpy(points + np.float32([code, 0, 0])), code)
    return mesh


def stage_of(path: Path) -> Any:
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(24)
    stage.SetStartTimeCode(3)
    stage.SetEndTimeCode(5)
    return stage


def test_usd_exact_points_in_the_space_of_the_stage(tmp_path: Path) -> None:
    stage = stage_of(tmp_path / "a.usda")
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    square(stage, "still", moves=False)
    moving = square(stage, "moving")
    uv = UsdGeom.PrimvarsAPI(moving).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying)
    uv.Set(Vt.Vec2fArray.FromNumpy(np.float32([[0, 0], [1, 0], [1, 1], [0, 1]])))
    stage.Save()
    found = load(tmp_path / "a.usda")
    assert (found.name, found.up, found.fps, found.frame_count) == ("moving", "z", 24.0, 3)
    np.testing.assert_allclose(found.positions[:, 0], [[3, 0, 5], [4, 0, 5], [5, 0, 5]])
    assert found.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    np.testing.assert_allclose(found.uv[found.uv_faces][1], [[0, 0], [1, 1], [0, 1]])
    both = load(tmp_path / "a.usda", mesh=["still", "/set/moving"])
    assert (both.name, both.vertex_count) == ("still+moving", 8)
    assert load(tmp_path / "a.usda", mesh=0).name == "still"
    assert describe(tmp_path / "a.usda")["prims"] == ["/set/still", "/set/moving"]


def test_usd_exact_what_is_exported_is_read_and_says_where_it_comes_from(animation_file: Path) -> None:
    value_of("export", animation_file, "-o", "fine.usdc", "--tau", "1.2", "--quiet")
    found = load("fine.usdc")
    value_of("export", animation_file, "-o", "fine.mdd", "--tau", "1.2", "--quiet")
    np.testing.assert_array_equal(found.positions, load("fine.mdd").positions)
    stage = Usd.Stage.Open("fine.usdc")
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 11, 25)
    notes = stage.GetRootLayer().customLayerData["ruckle"]
    assert (notes["version"], notes["source"]) == (ruckle.__version__, "swinging")
    assert notes["source_hash"] == source_hash(swinging())
    assert json.loads(notes["parameters"])["tau"] == 1.2


def test_usd_exact_tall_characters_are_in_centimetres(animation_file: Path) -> None:
    invoke("run", animation_file, "-o", "a.npz", "--lines", "lines.usda", "--height", "175", "-q")
    assert UsdGeom.GetStageMetersPerUnit(Usd.Stage.Open("lines.usda")) == 0.01


def test_results_exact_runs_say_where_they_come_from(animation_file: Path) -> None:
    invoke("run", animation_file, "-o", "a.npz", "-q")
    run = ruckle.io.results.load_run("a.npz")
    assert (run.version, run.source_hash) == (ruckle.__version__, source_hash(swinging()))
    assert source_hash(swinging()) != source_hash(swinging(7))


def test_usd_reject(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.usda").write_text("#usda 1.0\n(")
    Path("bad.usdc").write_bytes(b"PXR-USDC" + bytes(100))
    for name in ("bad.usda", "bad.usdc"):
        with pytest.raises(FormatError, match=f"{name}: is not a readable USD file"):
            load(name)
    stage = stage_of(Path("a.usda"))
    stage.Save()
    assert refusal("info", "a.usda", "--quiet") == "a.usda: holds no mesh\n"
    square(stage, "shirt")
    stage.Save()
    for mesh, sentence in (("coat", "has no mesh 'coat', only /set/shirt"), (3, "has no mesh 3, only 0 to 0")):
        with pytest.raises(FormatError, match=f"a.usda: {sentence}"):
            load("a.usda", mesh=mesh)
