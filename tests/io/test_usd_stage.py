"""USD stages from other programs: samples, times, instances, purposes, mirrored prims, skins, damaged stages."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import FormatError, describe, load
from shared_data import shared_cases

pytest.importorskip("pxr", reason='USD needs usd-core: pip install "ruckle[usd]"')

CASES = shared_cases("usd")

COUNTS, INDICES = "int[] faceVertexCounts", "int[] faceVertexIndices"
SQUARE = "(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)"
FACES = [[0, 1, 2], [0, 2, 3]]
UV = "texCoord2f[] primvars:st"
UVS = "[(0, 0), (1, 0), (1, 1), (0, 1)]"


def samples(values: dict[float, object]) -> str:
    return ".timeSamples = {" + ", ".join(f"{code:g}: {value}" for code, value in values.items()) + "}"


def moved(*codes: float) -> str:
    """Return the text of a points attribute: at each time code t, the square has moved by t along x."""
    at = {code: f"[({code:g}, 0, 0), ({1 + code:g}, 0, 0), ({1 + code:g}, 1, 0), ({code:g}, 1, 0)]" for code in codes}
    return f"point3f[] points{samples(at)}"


def mesh(name: str = "shirt", *lines: str, points: str = moved(1, 2, 3), topology: bool = True) -> str:
    known = [f"{COUNTS} = [4]", f"{INDICES} = [0, 1, 2, 3]"] if topology else []
    return f'def Mesh "{name}"\n{{\n' + "\n".join([points, *known, *lines]) + "\n}\n"


def written(path: Path, *prims: str, head: str = "") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#usda 1.0\n({head})\n" + "\n".join(prims))
    return path


RANGE = "startTimeCode = 1\nendTimeCode = 3\n"


@pytest.mark.parametrize(("unit", "height"), [("0.01", 180.0), ("1", 1.8)])
def test_usd_exact_heights_in_metres_are_converted_to_stage_units(tmp_path: Path, unit: str, height: float) -> None:
    path = written(tmp_path / "a.usda", mesh(), head=f"{RANGE}metersPerUnit = {unit}\n")
    (tmp_path / "a.json").write_text('{"character_height_m": 1.8}')
    assert load(path).height == pytest.approx(height)
    assert load(path, height=3.0).height == 3.0


def test_usd_reject_units_without_length(tmp_path: Path) -> None:
    with pytest.raises(ruckle.FormatError, match="has 0 metres per unit, expected more than 0"):
        load(written(tmp_path / "a.usda", mesh(), head=f"{RANGE}metersPerUnit = 0\n"))


def test_usd_exact_topology_and_texture_coordinates_in_samples(tmp_path: Path) -> None:
    plain = load(written(tmp_path / "a.usda", mesh("m", f'{UV} = {UVS} (interpolation = "vertex")'), head=RANGE))
    np.testing.assert_array_equal(plain.positions[:, 0, 0], [1, 2, 3])
    for codes in ((1,), (1, 2, 3), (2, 3)):
        lines = [
            COUNTS + samples(dict.fromkeys(codes, "[4]")),
            INDICES + samples(dict.fromkeys(codes, "[0, 1, 2, 3]")),
            f'{UV} (interpolation = "vertex")',
            UV + samples(dict.fromkeys(codes, UVS)),
        ]
        found = load(written(tmp_path / "b.usda", mesh("m", *lines, topology=False), head=RANGE))
        for name in ("positions", "faces", "uv", "uv_faces"):
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name), name)


def test_usd_exact_indices_of_texture_coordinates_in_samples(tmp_path: Path) -> None:
    indices = "int[] primvars:st:indices" + samples(dict.fromkeys((1, 2), "[0, 1, 1, 0]"))
    lines = [f'{UV} = [(0, 0), (1, 1)] (interpolation = "faceVarying")', indices]
    found = load(written(tmp_path / "a.usda", mesh("m", *lines)))
    np.testing.assert_array_equal(found.uv[found.uv_faces], [[[0, 0], [1, 1], [1, 1]], [[0, 0], [1, 1], [0, 0]]])


@pytest.mark.parametrize(
    ("head", "codes", "expected", "fps"),
    [
        ("", (1, 2, 3), [1, 2, 3], 24),
        ("", (1, 3), [1, 2, 3], 24),
        ("startTimeCode = 2\nendTimeCode = 2\n", (1, 2, 3), [1, 2, 3], 24),
        ("startTimeCode = 2\nendTimeCode = 3\n", (1, 2, 3), [2, 3], 24),
        ("", (0.5, 1.5, 2.5), [0.5, 1.5, 2.5], 24),
        ("startTimeCode = 0\nendTimeCode = 3\n", (0.5, 1.5, 2.5), [0.5, 1.5, 2.5], 24),
        ("", (1, 1.5, 2, 2.5), [1, 1.5, 2, 2.5], 48),
        ("startTimeCode = 2\nendTimeCode = 3\n", (1, 1.5, 2, 2.5, 3), [2, 2.5, 3], 48),
        ("", (0.75, 1, 1.25, 1.75, 2, 2.25), [1, 2], 24),
        ("timeCodesPerSecond = 4800\n", (0, 200, 400), [0, 200, 400], 24),
        ("timeCodesPerSecond = 23.976\n", (1001, 1002), [1001, 1002], 23.976),
        ("framesPerSecond = 30\n", (1, 2), [1, 2], 30),
        ("", (0.9999999, 1.9999999, 3.0000001), [1, 2, 3], 24),
    ],
)
def test_usd_exact_times(
    tmp_path: Path, head: str, codes: tuple[float, ...], expected: list[float], fps: float
) -> None:
    at = {code: f"[(0, 0, 0), (1, 0, 0), (0, 1, 0), ({code!r}, 1, 1)]" for code in codes}
    points = "point3f[] points.timeSamples = {" + ", ".join(f"{code!r}: {value}" for code, value in at.items()) + "}"
    found = load(written(tmp_path / "a.usda", mesh(points=points), head=head))
    np.testing.assert_allclose(found.positions[:, 3, 0], expected, rtol=1e-6)
    assert found.fps == pytest.approx(fps)


def test_usd_exact_times_of_transforms_count(tmp_path: Path) -> None:
    move = "double3 xformOp:translate" + samples({5: "(0, 0, 0)", 8: "(3, 0, 0)"})
    prim = f'def Xform "a"\n{{\n{move}\nuniform token[] xformOpOrder = ["xformOp:translate"]\n' + mesh(
        points=f"point3f[] points = [{SQUARE}]"
    )
    found = load(written(tmp_path / "a.usda", prim + "}\n"))
    np.testing.assert_allclose(found.positions[:, 0, 0], [0, 1, 2, 3])


def test_usd_exact_instances(tmp_path: Path) -> None:
    written(tmp_path / "part.usda", 'def Xform "root"\n{\n' + mesh("cloth") + "}\n")
    inner = 'def "hero" (instanceable = true\nreferences = @./part.usda@</root>) {}\n'
    found = load(written(tmp_path / "a.usda", inner, head=RANGE))
    np.testing.assert_array_equal(found.positions, load(tmp_path / "part.usda").positions)
    written(tmp_path / "crowd.usda", f'def Xform "group"\n{{\n{inner}}}\n')
    outer = 'def "one" (instanceable = true\nreferences = @./crowd.usda@</group>) {}\n'
    nested = written(tmp_path / "b.usda", outer + outer.replace("one", "two"))
    assert describe(nested)["prims"] == ["/one/hero/cloth", "/two/hero/cloth"]
    np.testing.assert_array_equal(load(nested, mesh="/two/hero/cloth").positions, found.positions)


def test_usd_exact_drawn_meshes_come_first(tmp_path: Path) -> None:
    prims = [
        mesh("proxy", 'uniform token purpose = "proxy"'),
        mesh("hidden", 'token visibility = "invisible"'),
        f'def Xform "away" {{\ntoken visibility = "invisible"\n{mesh("below")}}}\n',
        mesh("still", points=f"point3f[] points = [{SQUARE}]"),
        mesh("shown", 'uniform token purpose = "render"'),
    ]
    path = written(tmp_path / "a.usda", *prims)
    assert load(path).name == "shown"
    assert [load(path, mesh=name).name for name in ("proxy", "below", 1)] == ["proxy", "below", "hidden"]
    assert load(written(tmp_path / "b.usda", *prims[:3])).name == "proxy"


@pytest.mark.parametrize("scale", ["(-1, 1, 1)", "(-1, -1, 1)", "(-1, -1, -1)"])
@pytest.mark.parametrize("left", [False, True])
def test_usd_exact_winding_follows_the_determinant(tmp_path: Path, scale: str, left: bool) -> None:
    line = ['uniform token orientation = "leftHanded"'] if left else []
    top = f'def Xform "a"\n{{\nfloat3 xformOp:scale = {scale}\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
    found = load(written(tmp_path / "a.usda", top + mesh("m", *line) + "}\n"))
    mirrored = scale.count("-") % 2 == 1
    expected = np.array(FACES)[:, ::-1] if mirrored != left else np.array(FACES)
    np.testing.assert_array_equal(found.faces, expected)


def test_usd_exact_prototypes_of_point_instancers_are_left_out(tmp_path: Path) -> None:
    instancer = f'def PointInstancer "trees"\n{{\nrel prototypes = </trees/leaf>\n{mesh("leaf")}}}\n'
    assert describe(written(tmp_path / "a.usda", instancer, mesh()))["prims"] == ["/shirt"]
    with pytest.raises(FormatError, match="holds no mesh outside the point instancer /trees"):
        load(written(tmp_path / "b.usda", instancer))


def skinned_stage(path: Path, *, rigid: bool, order: list[str] | None) -> Any:
    """Save a stage with a skinned, animated mesh that has blend shapes and parents with transforms.

    Return the stage.
    """
    from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

    stage = Usd.Stage.CreateNew(str(path))
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(4)
    root = UsdSkel.Root.Define(stage, "/hero")
    UsdGeom.Xformable(root).AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    joints = ["hip", "hip/knee", "hip/knee/foot"]
    places = [Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0, height, 0)) for height in (0, 1, 2)]
    skeleton = UsdSkel.Skeleton.Define(stage, "/hero/bones")
    UsdGeom.Xformable(skeleton).AddRotateXOp().Set(30)
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray(places))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([places[0], places[1], places[1]]))
    walk = UsdSkel.Animation.Define(stage, "/hero/walk")
    walk.CreateJointsAttr(joints)
    walk.CreateBlendShapesAttr(["smile"])
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/hero/walk"])
    for code in range(1, 5):
        turns = [Gf.Rotation(Gf.Vec3d(0, 0, 1), angle * code).GetQuat() for angle in (3, 7, -5)]
        walk.CreateTranslationsAttr().Set(Vt.Vec3fArray([(0, 0, 0), (0, 1, 0), (0, 1, 0)]), code)
        walk.CreateRotationsAttr().Set(Vt.QuatfArray([Gf.Quatf(turn) for turn in turns]), code)
        walk.CreateScalesAttr().Set(Vt.Vec3hArray([(1, 1, 1)] * 3), code)
        walk.CreateBlendShapeWeightsAttr().Set(Vt.FloatArray([0.2 * code]), code)
    random = np.random.default_rng(0)
    shirt = UsdGeom.Mesh.Define(stage, "/hero/shirt")
    UsdGeom.Xformable(shirt).AddScaleOp().Set(Gf.Vec3f(1, 2, 1))
    shirt.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(random.random((4, 3)).astype(np.float32)))
    shirt.CreateFaceVertexCountsAttr([4])
    shirt.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    binding = UsdSkel.BindingAPI.Apply(shirt.GetPrim())
    binding.CreateSkeletonRel().SetTargets(["/hero/bones"])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(0.1, 0.2, 0.3)))
    if order:
        binding.CreateJointsAttr(order)
    joint = [0, 1] if rigid else [0, 1, 1, 2, 2, 0, 1, 0]
    weight = [0.3, 0.7] if rigid else [0.5, 0.5, 0.1, 0.9, 0.8, 0.2, 1.0, 0.0]
    binding.CreateJointIndicesPrimvar(rigid, 2).Set(Vt.IntArray(joint))
    binding.CreateJointWeightsPrimvar(rigid, 2).Set(Vt.FloatArray(weight))
    shape = UsdSkel.BlendShape.Define(stage, "/hero/shirt/smile")
    shape.CreateOffsetsAttr(Vt.Vec3fArray([(0, 0, 1), (0, 1, 0)]))
    shape.CreatePointIndicesAttr([1, 3])
    binding.CreateBlendShapesAttr(["smile"])
    binding.CreateBlendShapeTargetsRel().SetTargets(["/hero/shirt/smile"])
    stage.Save()
    return stage


@pytest.mark.parametrize(
    ("rigid", "order"), [(False, None), (True, None), (False, ["hip/knee/foot", "hip", "hip/knee"])]
)
def test_usd_exact_skins_as_usd_bakes_them(tmp_path: Path, rigid: bool, order: list[str] | None) -> None:
    from pxr import UsdGeom, UsdSkel

    stage = skinned_stage(tmp_path / "a.usda", rigid=rigid, order=order)
    found = load(tmp_path / "a.usda")
    UsdSkel.BakeSkinning(stage.Traverse())
    baked = UsdGeom.Mesh(stage.GetPrimAtPath("/hero/shirt"))
    for frame, code in enumerate(range(1, 5)):
        points = np.array(baked.GetPointsAttr().Get(code), np.float64)
        matrix = np.array(UsdGeom.XformCache(code).GetLocalToWorldTransform(baked.GetPrim()))
        np.testing.assert_allclose(found.positions[frame], points @ matrix[:3, :3] + matrix[3, :3], atol=2e-6)
    assert np.ptp(found.positions, axis=0).max() > 0.1


@pytest.mark.parametrize("instanced", [False, True])
def test_usd_exact_bind_data_in_samples(tmp_path: Path, instanced: bool) -> None:
    skinned_stage(tmp_path / "a.usda", rigid=False, order=None)
    text = (tmp_path / "a.usda").read_text()
    lines, names = [], ("bindTransforms", "restTransforms", "geomBindTransform", "jointIndices", "jointWeights")
    for line in text.splitlines():
        declared, equals, value = line.partition(" = ")
        if equals and declared.rsplit(":", 1)[-1].split(" ")[-1] in names:
            options = value[value.index("(\n") :] if "(\n" in value else " (" if value.endswith(" (") else ""
            lines += [f"{declared}.timeSamples = {{1: {value.removesuffix(' (')}, 3: {value.removesuffix(' (')}}}"]
            lines += [f"{declared} ("] if options else []
        else:
            lines.append(line)
    (tmp_path / "b.usda").write_text("\n".join(lines))
    assert ".timeSamples = {1: [( (1" in (tmp_path / "b.usda").read_text()
    path = tmp_path / "b.usda"
    if instanced:
        path = written(tmp_path / "c.usda", 'def "x" (instanceable = true\nreferences = @./b.usda@</hero>) {}\n')
    np.testing.assert_array_equal(load(path).positions, load(tmp_path / "a.usda").positions)


WRONG = {
    "changing topology": (
        mesh("m", f"{COUNTS} = [4]", INDICES + samples({1: "[0, 1, 2, 3]", 2: "[0, 2, 1, 3]"}), topology=False),
        "the topology of /m changes at time code 2, but must be constant",
    ),
    "fewer points": (
        mesh(points=f"point3f[] points{samples({1: f'[{SQUARE}]', 2: '[(0, 0, 0)]'})}"),
        "/shirt has 1 points at time code 2, and 4 first",
    ),
    "no points": (mesh(points="point3f[] points"), "/shirt has no points"),
    "points of text": (mesh(points='string[] points = ["a"]'), "not an array of numbers but a StringArray"),
    "points of pairs": (mesh(points="float2[] points = [(0, 0)]"), "are not triples of numbers"),
    "few texture coordinates": (
        mesh("m", f'{UV} = [(0, 0), (1, 1)] (interpolation = "faceVarying")'),
        "/m has 2 texture coordinates for 4 corners",
    ),
    "many texture coordinates": (
        mesh("m", f'{UV} = [(0, 0), (1, 1), (1, 1), (1, 1), (1, 1)] (interpolation = "vertex")'),
        "/m has 5 texture coordinates for 4 points",
    ),
    "indices of texture coordinates": (
        mesh("m", f'{UV} = {UVS} (interpolation = "vertex")', "int[] primvars:st:indices = [0, 1, 2, 4]"),
        "the texture coordinates of /m refer to number 4 of 4",
    ),
    "texture coordinates of numbers": (
        mesh("m", 'float[] primvars:st = [0, 1, 2, 3] (interpolation = "vertex")'),
        "the texture coordinates of /m are not pairs of numbers",
    ),
    "corners of numbers": (
        mesh("m", f"{COUNTS} = [4]", "float[] faceVertexIndices = [0, 1, 2, 3]", topology=False),
        "faceVertexIndices of /m are not whole numbers",
    ),
    "no such point": (
        mesh("m", f"{COUNTS} = [4]", f"{INDICES} = [0, 1, 2, 4]", f'{UV} = {UVS} (interpolation = "vertex")',
             topology=False),
        "the faces of /m refer to point 4 of 4",
    ),
    "counts": (mesh("m", f"{COUNTS} = [5]", f"{INDICES} = [0, 1, 2, 3]", topology=False), "5 corners, but 4 vertex"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_usd_reject(tmp_path: Path, kind: str) -> None:
    prim, sentence = WRONG[kind]
    with pytest.raises(FormatError, match=sentence):
        load(written(tmp_path / "a.usda", prim))


@pytest.mark.parametrize("head", ["timeCodesPerSecond = 0", "timeCodesPerSecond = inf", "startTimeCode = -inf"])
def test_usd_reject_times(tmp_path: Path, head: str) -> None:
    with pytest.raises(FormatError, match=r"time codes per second|of the stage is"):
        load(written(tmp_path / "a.usda", mesh(), head=head))


def test_usd_degenerate_bind_data_that_changes(tmp_path: Path) -> None:
    skinned_stage(tmp_path / "a.usda", rigid=True, order=None)
    text = (tmp_path / "a.usda").read_text()
    name = "float[] primvars:skel:jointWeights"
    assert f"{name} = [0.3, 0.7] (" in text
    varying = f"{name}{samples({1: '[0.3, 0.7]', 2: '[1, 0]'})}\n{name} ("
    (tmp_path / "a.usda").write_text(text.replace(f"{name} = [0.3, 0.7] (", varying))
    with pytest.raises(FormatError, match="jointWeights of /hero/shirt changes at time code 2; it must be constant"):
        load(tmp_path / "a.usda")


def test_usd_degenerate_texture_coordinates_that_change_are_the_first(tmp_path: Path) -> None:
    other = UVS.replace("1", "2")
    lines = [f'{UV} (interpolation = "vertex")', UV + samples({1: UVS, 2: other})]
    with pytest.warns(UserWarning, match="the texture coordinates of /m change; the first ones are used"):
        found = load(written(tmp_path / "a.usda", mesh("m", *lines)))
    np.testing.assert_array_equal(found.uv, [[0, 0], [1, 0], [1, 1], [0, 1]])


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not there")
def test_usd_exact_shared_cases(tmp_path: Path) -> None:
    folder = shutil.copytree(CASES, tmp_path / "usd")
    right = load(folder / "usd_ok.usda")
    for name in ("usd_instanced", "usd_no_range", "usd_sampled_topology"):
        found = load(folder / f"{name}.usda")
        np.testing.assert_array_equal(found.positions, right.positions, name)
        np.testing.assert_array_equal(found.faces, right.faces, name)
    right = load(folder / "t_default_default.usda")
    for name in ("t_all_all", "t_one_None"):
        found = load(folder / f"{name}.usda")
        np.testing.assert_array_equal(found.positions, right.positions, name)
        np.testing.assert_array_equal(found.faces, right.faces, name)
    for name in ("garbage.usdc", "no_points.usda", "st_wrong_len.usda"):
        with pytest.raises(FormatError, match=name):
            load(folder / name)
    assert all(load(folder / name).uv is not None for name in ("st_half.usda", "st_idx_samples.usda"))
    assert ruckle.load(folder / "t_all_all.usda").uv is not None


def test_usd_exact_faces_are_repaired_and_concave_ones_clipped(tmp_path: Path) -> None:
    # a concave quadrilateral of area 1; a fan around its first corner would have triangles of areas -1 and 2
    arrow = "point3f[] points = [(0, 0, 0), (2, 1, 0), (0, 2, 0), (1, 1, 0)]"
    found = load(written(tmp_path / "a.usda", mesh(points=arrow)))
    corners = found.positions[0][found.faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(1.0)
    faces = [f"{COUNTS} = [4, 3, 3]", f"{INDICES} = [0, 1, 2, 3, 0, 1, 1, 2, 0, 1]"]
    with pytest.warns(UserWarning, match="dropped 1 degenerate face and 1 duplicate face"):
        assert load(written(tmp_path / "b.usda", mesh("m", *faces, topology=False))).faces.tolist() == FACES
