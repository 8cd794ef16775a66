"""USD exports as a layer over the source file: prims, time codes, up axis, unit, materials and values per point."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import Animation, FineMesh
from ruckle.io.fine import Original, fine_writer

pytest.importorskip("pxr", reason="needs usd-core")
from pxr import Gf, Usd, UsdGeom, UsdShade, UsdSkel, Vt
from pxr.Sdf import ValueTypeNames

COLUMNS, ROWS, LENGTH, RADIUS = 14, 15, 60.0, 7.0
FIRST, COUNT = 1001, 12


def sleeve(path: Path, *, left: bool = False) -> Path:
    """Write a skinned sleeve of quadrilaterals and a shoe, in centimetres with Z up. Return the path."""
    stage = Usd.Stage.CreateNew(str(path))
    stage.SetStartTimeCode(FIRST)
    stage.SetEndTimeCode(FIRST + COUNT - 1)
    stage.SetTimeCodesPerSecond(25.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    root = UsdSkel.Root.Define(stage, "/hero")
    stage.SetDefaultPrim(root.GetPrim())
    moved = UsdGeom.Xformable(root).AddTranslateOp()
    u, v = (a.ravel() for a in np.meshgrid(np.arange(COLUMNS) / COLUMNS, np.linspace(0.0, 1.0, ROWS)))
    points = np.stack([LENGTH * v, RADIUS * np.cos(2 * np.pi * u), RADIUS * np.sin(2 * np.pi * u)], axis=1)
    corner = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    row, column = (a.ravel()[:, None] for a in np.mgrid[: ROWS - 1, :COLUMNS])
    polygons = (row + corner[:, 0]) * COLUMNS + (column + corner[:, 1]) % COLUMNS
    walking(stage, moved)
    mesh = UsdGeom.Mesh.Define(stage, "/hero/sleeve")
    UsdGeom.Xformable(mesh).AddRotateXOp().Set(20.0)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr([4] * len(polygons))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(polygons.ravel().astype(np.int32)))
    if left:
        mesh.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets(["/hero/bones"])
    share = np.clip((points[:, 0] - LENGTH / 2) / 10.0 + 0.5, 0.0, 1.0)
    binding.CreateJointIndicesPrimvar(False, 2).Set(Vt.IntArray([0, 1] * len(points)))
    weights = np.stack([1 - share, share], axis=1).astype(np.float32)
    binding.CreateJointWeightsPrimvar(False, 2).Set(Vt.FloatArray.FromNumpy(np.ascontiguousarray(weights.ravel())))
    put_values(mesh, points, np.stack([u, v], axis=1), polygons)
    material = UsdShade.Material.Define(stage, "/hero/wool")
    half = Vt.IntArray(range(len(polygons) // 2))
    subset = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).CreateMaterialBindSubset("lower", half)
    UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
    UsdGeom.Mesh.Define(stage, "/hero/shoe")
    stage.Save()
    return path


def walking(stage: Any, moved: Any) -> None:
    """Add a skeleton of two bones and its animation: the character moves while the elbow bends."""
    skeleton = UsdSkel.Skeleton.Define(stage, "/hero/bones")
    joints = ["arm", "arm/elbow"]
    places = [Gf.Matrix4d(1), Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(LENGTH / 2, 0, 0))]
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray(places))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray(places))
    walk = UsdSkel.Animation.Define(stage, "/hero/walk")
    walk.CreateJointsAttr(joints)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/hero/walk"])
    for k in range(COUNT):
        turn = Gf.Rotation(Gf.Vec3d(0, 0, 1), 100.0 * k / (COUNT - 1)).GetQuat()
        walk.CreateTranslationsAttr().Set(Vt.Vec3fArray([(0, 0, 0), (LENGTH / 2, 0, 0)]), FIRST + k)
        walk.CreateRotationsAttr().Set(Vt.QuatfArray([Gf.Quatf(1), Gf.Quatf(turn)]), FIRST + k)
        walk.CreateScalesAttr().Set(Vt.Vec3hArray([(1, 1, 1)] * 2), FIRST + k)
        moved.Set(Gf.Vec3d(k, 2 * k, 0), FIRST + k)


def put_values(mesh: Any, points: Any, uv: Any, polygons: Any) -> None:
    """Add one primvar (attribute) to a mesh for each kind of interpolation."""
    primvars = UsdGeom.PrimvarsAPI(mesh)
    kinds = {"warmth": "vertex", "number": "uniform", "st": "faceVarying", "weave": "constant"}
    types = {"warmth": "FloatArray", "number": "IntArray", "st": "TexCoord2fArray", "weave": "Float"}
    values = {
        "warmth": Vt.FloatArray.FromNumpy(points[:, 0].astype(np.float32)),
        "number": Vt.IntArray(range(len(polygons))),
        "st": Vt.Vec2fArray.FromNumpy(uv[polygons.ravel()].astype(np.float32)),
        "weave": 0.5,
    }
    for name, kind in kinds.items():
        primvars.CreatePrimvar(name, getattr(ValueTypeNames, types[name]), kind).Set(values[name])


def exported(path: Path, source: Path, **options: Any) -> tuple[Animation, list[FineMesh]]:
    """Export wrinkles over a USD file. Return the animation and the fine mesh of each frame."""
    animation = ruckle.load(source, **options)
    wrinkler = ruckle.Wrinkler.for_animation(animation, r_min=0.9, tau=1.2)

    def frames() -> Any:
        wrinkler.reset()
        return (wrinkler.step(positions, 1 / 25) for positions in animation.positions)

    with fine_writer(path, animation, original=Original(source, options)) as writer:
        writer.fix(frames(), budget=2500)
        drawn = [writer.append(frame).displace() for frame in frames()]
        writer.finish()
    assert max(fine.heights.max() for fine in drawn) > 0.2
    return animation, drawn


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_overlay_exact_the_stage_with_fine_meshes(tmp_path: Path, suffix: str, left: bool) -> None:
    source = sleeve(tmp_path / "sleeve.usda", left=left)
    before = source.read_bytes()
    animation, drawn = exported(tmp_path / f"out{suffix}", source, mesh="/hero/sleeve")
    assert source.read_bytes() == before
    found = ruckle.load(tmp_path / f"out{suffix}", mesh="/hero/sleeve")
    assert (found.fps, found.up, found.frame_count) == (25.0, "z", COUNT)
    np.testing.assert_array_equal(found.faces, drawn[0].faces)
    for mine, theirs in zip(found.positions, drawn, strict=True):
        np.testing.assert_allclose(mine, theirs.positions, atol=2e-4)
    described = ruckle.describe(tmp_path / f"out{suffix}", mesh="/hero/sleeve")
    assert described["time_codes"] == [FIRST, FIRST + COUNT - 1]
    assert (described["meters_per_unit"], described["up_axis"]) == (0.01, "Z")
    assert described["prims"] == ["/hero/sleeve", "/hero/shoe"]
    stage = Usd.Stage.Open(str(tmp_path / f"out{suffix}"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/hero/sleeve"))
    assert stage.GetDefaultPrim().GetPath() == "/hero"
    assert not mesh.GetPrim().HasAPI(UsdSkel.BindingAPI)
    world = np.array(UsdGeom.XformCache(FIRST + 8).GetLocalToWorldTransform(mesh.GetPrim()))[:3, :3]
    # the transforms are rotations and translations, so the same matrix transforms positions and normals
    normals = np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals").ComputeFlattened(Usd.TimeCode(FIRST + 8)))
    turned = (normals @ world).reshape(-1, 3, 3)
    np.testing.assert_allclose(turned[:, ::-1] if left else turned, drawn[8].corner_normals, atol=1e-2)
    assert animation.frame_count == COUNT


def test_overlay_exact_values_and_subsets_are_refined(tmp_path: Path) -> None:
    _, drawn = exported(tmp_path / "out.usdc", sleeve(tmp_path / "sleeve.usda"), mesh="/hero/sleeve")
    stage = Usd.Stage.Open(str(tmp_path / "out.usdc"))
    prim = stage.GetPrimAtPath("/hero/sleeve")
    primvars = UsdGeom.PrimvarsAPI(prim)
    fine = drawn[0]
    st = np.array(primvars.GetPrimvar("st").ComputeFlattened()).reshape(-1, 3, 2)
    warmth = np.array(primvars.GetPrimvar("warmth").Get())
    np.testing.assert_allclose(warmth[fine.faces], LENGTH * st[:, :, 1], atol=1e-4)
    assert primvars.GetPrimvar("weave").Get() == 0.5
    assert primvars.GetPrimvar("number").Get() is None
    [subset] = UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Imageable(prim))
    inside = np.zeros(len(fine.faces), bool)
    inside[np.array(subset.GetIndicesAttr().Get())] = True
    np.testing.assert_array_equal(inside, st[:, :, 1].mean(axis=1) < 0.5)
    material, _ = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()
    assert material.GetPath() == "/hero/wool"


def test_overlay_reject_another_mesh(tmp_path: Path) -> None:
    source = sleeve(tmp_path / "sleeve.usda")
    animation = ruckle.load(source, mesh="/hero/sleeve")
    other = Animation(animation.positions, animation.faces[1:], fps=25.0)
    with pytest.raises(ruckle.FormatError, match="has another mesh than the animation"):
        fine_writer(tmp_path / "out.usdc", other, original=Original(source, {"mesh": "/hero/sleeve"}))
