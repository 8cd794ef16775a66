"""Parts of characters in USD files: default choice, patterns of names, and masks by meshes, materials and joints."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ruckle import FormatError, load, make_mask

pytest.importorskip("pxr", reason='USD needs usd-core: pip install "ruckle[usd]"')

from pxr import Gf, Usd, UsdGeom, UsdShade, UsdSkel, Vt

# two adjacent squares, which are the two polygons of one mesh
POINTS = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], np.float32)
POLYGONS = [[0, 1, 4, 3], [1, 2, 5, 4]]


def stage_of(path: Path) -> Any:
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(3)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    return stage


def part(stage: Any, path: str, *, material: str = "") -> Any:
    """Add a mesh that grows along y over time, and bind a material to it if a name is given. Return the mesh."""
    mesh = UsdGeom.Mesh.Define(stage, path)
    for code in (1, 2, 3):
        mesh.CreatePointsAttr().Set(Vt.Vec3fArray.FromNumpy(POINTS * np.float32([1, code, 1])), code)
    mesh.CreateFaceVertexCountsAttr([4, 4])
    mesh.CreateFaceVertexIndicesAttr(np.ravel(POLYGONS).tolist())
    if material:
        bind(stage, mesh.GetPrim(), material)
    return mesh


def bind(stage: Any, prim: Any, material: str) -> None:
    made = UsdShade.Material.Define(stage, f"/looks/{material}")
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(made)


@pytest.mark.parametrize(
    ("parts", "chosen"),
    [
        (["Head", "Outfit_Top", "Sword", "Cape"], "Outfit_Top+Cape"),
        (["Head", "geo_1", "Sword", "geo_2"], "geo_1+geo_2"),
        (["Head", "Sword"], "Head"),
    ],
)
def test_exact_cloth_is_chosen_by_name(tmp_path: Path, parts: list[str], chosen: str) -> None:
    stage = stage_of(tmp_path / "hero.usda")
    for name in parts:
        part(stage, f"/hero/{name}")
    stage.Save()
    assert load(tmp_path / "hero.usda").name == chosen


def test_exact_materials_and_prims_above_tell_a_role(tmp_path: Path) -> None:
    stage = stage_of(tmp_path / "hero.usda")
    part(stage, "/hero/one", material="Skin")
    part(stage, "/hero/two", material="Denim")
    part(stage, "/hero/Boots/mesh")
    part(stage, "/hero/Skirt/mesh_2")
    stage.Save()
    assert load(tmp_path / "hero.usda").name == "two+mesh_2"


@pytest.mark.parametrize(
    ("mesh", "names"),
    [
        ("all", "Shirt_L+Shirt_R+Shoe"),
        ("shirt*", "Shirt_L+Shirt_R"),
        ("*/Shoe", "Shoe"),
        (["*_R", 0], "Shirt_R+Shirt_L"),
    ],
)
def test_exact_patterns_choose_meshes(tmp_path: Path, mesh: Any, names: str) -> None:
    stage = stage_of(tmp_path / "hero.usda")
    for name in ("Shirt_L", "Shirt_R", "Shoe"):
        part(stage, f"/hero/{name}")
    stage.Save()
    assert load(tmp_path / "hero.usda", mesh=mesh).name == names
    with pytest.raises(
        FormatError, match=r"no mesh is called like 'hat\*', only /hero/Shirt_L, /hero/Shirt_R, /hero/Shoe"
    ):
        load(tmp_path / "hero.usda", mesh="hat*")


def test_exact_materials_of_polygons_are_masked(tmp_path: Path) -> None:
    stage = stage_of(tmp_path / "hero.usda")
    body = part(stage, "/hero/body", material="Jeans")
    subset = UsdShade.MaterialBindingAPI.Apply(body.GetPrim()).CreateMaterialBindSubset("neck", Vt.IntArray([1]))
    bind(stage, subset.GetPrim(), "Skin")
    stage.Save()
    found = load(tmp_path / "hero.usda")
    assert found.groups is not None
    assert found.mask is not None
    assert found.groups.names("material") == ["Jeans", "Skin"]
    # vertices 1 and 4 are on the border between both materials; their mask is 0
    np.testing.assert_array_equal(found.mask, [1, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(make_mask(found, "Skin"), [0, 0, 1, 0, 0, 1])


def test_exact_joints_are_masked(tmp_path: Path) -> None:
    stage = stage_of(tmp_path / "hero.usda")
    UsdSkel.Root.Define(stage, "/hero")
    joints = ["Hips", "Hips/Hand_L"]
    skeleton = UsdSkel.Skeleton.Define(stage, "/hero/bones")
    places = Vt.Matrix4dArray([Gf.Matrix4d(1), Gf.Matrix4d(1)])
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(places)
    skeleton.CreateRestTransformsAttr(places)
    walk = UsdSkel.Animation.Define(stage, "/hero/walk")
    walk.CreateJointsAttr(joints)
    walk.CreateRotationsAttr([Gf.Quatf(1)] * 2)
    walk.CreateScalesAttr(Vt.Vec3hArray([(1, 1, 1)] * 2))
    for code in (1, 2, 3):
        walk.CreateTranslationsAttr().Set(Vt.Vec3fArray([(0, 0, 0), (0, code, 0)]), code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/hero/walk"])
    body = UsdGeom.Mesh.Define(stage, "/hero/geo")
    body.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(POINTS))
    body.CreateFaceVertexCountsAttr([4, 4])
    body.CreateFaceVertexIndicesAttr(np.ravel(POLYGONS).tolist())
    bound = UsdSkel.BindingAPI.Apply(body.GetPrim())
    bound.CreateSkeletonRel().SetTargets(["/hero/bones"])
    shares = np.array([0, 0.5, 1, 0, 0.5, 1])
    weights = np.stack([1.0 - shares, shares], axis=1).astype(np.float32)
    bound.CreateJointIndicesPrimvar(False, 2).Set(Vt.IntArray([0, 1] * 6))
    bound.CreateJointWeightsPrimvar(False, 2).Set(Vt.FloatArray.FromNumpy(weights.ravel()))
    stage.Save()
    found = load(tmp_path / "hero.usda")
    assert found.groups is not None
    assert found.mask is not None
    assert found.groups.names("bone") == ["Hips", "Hand_L"]
    # the mask falls from 1 to 0 between the hand weights 0.25 and 0.75
    np.testing.assert_allclose(found.mask, [1, 0.5, 0, 1, 0.5, 0], atol=1e-6)
    np.testing.assert_allclose(make_mask(found, "+all -bone:hand*"), [1, 0.5, 0, 1, 0.5, 0], atol=1e-6)
