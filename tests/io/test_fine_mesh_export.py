"""Files of fine meshes, height maps and normal maps (OBJ, PLY, PC2, MDD, USD, OpenEXR), and the command for them."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from program import invoke, value_of
from ruckle import Animation, FineMesh, Frame, Surface, Topology
from ruckle.io.budget import Budget
from ruckle.io.fine import fine_writer
from ruckle.io.fine_ply import COLORED_VERTEX
from ruckle.io.fine_texture import fine_texture
from ruckle.io.gltf_accessors import read_floats
from ruckle.io.gltf_container import Document
from ruckle.io.obj import read_mesh
from ruckle.io.texels import cover
from ruckle.mesh.animation import UPRIGHT
from ruckle.surface.tension import fine_tension, vertex_tension
from wrinkled_cloth import R_MIN, laid

FIRST = 7


@pytest.fixture(scope="module")
def animation() -> Animation:
    """Return an animation of a sheet that tilts. At x = 4 is a seam; the texture of the right half is mirrored."""
    positions, faces = grid(8, 6)
    seam = np.flatnonzero(positions[:, 0] == 4)
    right = positions[faces].mean(axis=1)[:, 0] > 4
    cut = faces.copy()
    for old, new in zip(seam, len(positions) + np.arange(len(seam)), strict=True):
        cut[right] = np.where(cut[right] == old, new, cut[right])
    doubled = np.concatenate([positions, positions[seam]])
    mirrored = np.append(positions[:, 0] > 4, np.ones(len(seam), bool))
    u = np.where(mirrored, 0.95 - 0.05 * (doubled[:, 0] - 4), 0.05 + 0.1 * doubled[:, 0])
    uv = np.column_stack([u, 0.2 + 0.1 * doubled[:, 1]])
    frames = [doubled + np.outer(doubled[:, 0], [0, 0, 0.1 * k]) for k in range(3)]
    return Animation(np.array(frames), cut, fps=24, uv=uv, name="se/am", height=10.0)


def frames(animation: Animation) -> list[Frame]:
    """Return the frames of an animation. Each frame has the same wrinkle, which crosses the seam."""
    topology = Topology(ruckle.weld(animation.positions[0], animation.faces), animation.vertex_count)
    wrinkle = laid(topology, animation.positions[0], np.array([(1.3, 3.1), (7.7, 3.1)]))
    return [Frame.of(p, topology, [wrinkle], r_min=R_MIN, faces=animation.faces) for p in animation.positions]


def meshes(animation: Animation, *, levels: bool = False) -> list[FineMesh]:
    """Return the fine meshes of all frames.

    If `levels`, the level of detail of an edge is the same in all frames: the largest that it needs in any frame.
    """
    all_frames, found, most = frames(animation), [], []
    surface = Surface(all_frames[0].topology, base="flat", edge_length=0.3)
    for frame in all_frames:
        surface.update(frame)
        most.append(surface.edge_levels.copy())
    fixed = np.max(most, axis=0) if levels else None
    for frame in all_frames:
        surface.update(frame, edge_levels=fixed)
        found.append(surface.displace())
    return found


def write(path: Path, animation: Animation, **options: Any) -> None:
    before = path.stat() if path.exists() else None
    with fine_writer(path, animation, first_frame=FIRST, base="flat", edge_length=0.3, **options) as writer:
        if writer.fixed:
            writer.fix(frames(animation))
        for frame in frames(animation):
            assert writer.append(frame).edge_length == 0.3
        assert (path.stat() if path.exists() else None) == before
        writer.finish()


def assert_same_corners(uv: Any, expected: FineMesh, animation: Animation) -> None:
    """Assert that texture coordinates (M, 3, 2) of the fine corners are interpolated from the coarse mesh."""
    np.testing.assert_array_equal(uv, expected.corner_values(animation.uv, animation.faces))
    # the texture of the right half is mirrored, so u decreases with x
    x = expected.corner_values(animation.positions[0])[:, :, 0]
    right = x.mean(axis=1) > 4
    assert 0 < right.sum() < len(right)
    np.testing.assert_allclose(uv[:, :, 0], np.where(right[:, None], 0.95 - 0.05 * (x - 4), 0.05 + 0.1 * x), atol=1e-6)


def test_texture_exact_users_coordinates_come_first(animation: Animation) -> None:
    fine = meshes(animation)[0]
    texture = fine_texture(fine, animation)
    np.testing.assert_array_equal(texture.uv[: animation.vertex_count], animation.uv)
    assert_same_corners(texture.uv[texture.faces], fine, animation)
    # vertices on the seam have one texture coordinate per side, all others have exactly one
    assert len(np.unique(texture.uv, axis=0)) == len(texture.uv)
    seam = np.flatnonzero(np.abs(fine.corner_values(animation.positions[0]).reshape(-1, 3)[:, 0] - 4) < 1e-6)
    sides = {tuple(pair) for pair in np.column_stack([fine.faces.ravel(), texture.faces.ravel()])[seam].tolist()}
    assert len(sides) == 2 * len({vertex for vertex, _ in sides})
    assert fine_texture(fine, Animation(animation.positions, animation.faces)) is None


def test_obj_exact_files_read_back(tmp_path: Path, animation: Animation) -> None:
    write(tmp_path / "out", animation)
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == ["se_am_0007.obj", "se_am_0008.obj", "se_am_0009.obj"]
    for file, expected in zip(files, meshes(animation), strict=True):
        mesh = read_mesh(file, Budget())
        np.testing.assert_array_equal(mesh.positions.astype(np.float32), expected.positions)
        np.testing.assert_array_equal(mesh.faces, expected.faces)
        assert_same_corners(mesh.uv[mesh.uv_faces].astype(np.float32), expected, animation)
        normals = np.loadtxt([line[3:] for line in file.read_text().splitlines() if line.startswith("vn")])
        np.testing.assert_allclose(normals, expected.normals, atol=1e-5)


def test_ply_exact_files_read_back(tmp_path: Path, animation: Animation) -> None:
    write(tmp_path / "out", animation, form="ply")
    for file, expected in zip(sorted((tmp_path / "out").iterdir()), meshes(animation), strict=True):
        header, _, body = file.read_bytes().partition(b"end_header\n")
        lines = header.decode().splitlines()
        assert lines[:3] == ["ply", "format binary_little_endian 1.0", f"element vertex {expected.vertex_count}"]
        assert f"element face {expected.face_count}" in lines
        vertices = np.frombuffer(body, "<f4", expected.vertex_count * 7).reshape(-1, 7)
        np.testing.assert_array_equal(vertices[:, :3], expected.positions)
        np.testing.assert_array_equal(vertices[:, 3:6], expected.normals)
        np.testing.assert_array_equal(vertices[:, 6], expected.heights)
        row = np.dtype([("count", "u1"), ("vertices", "<i4", 3), ("values", "u1"), ("uv", "<f4", (3, 2))])
        faces = np.frombuffer(body, row, offset=vertices.nbytes)
        assert len(faces) == expected.face_count
        assert ((faces["count"] == 3) & (faces["values"] == 6)).all()
        np.testing.assert_array_equal(faces["vertices"], expected.faces)
        assert_same_corners(faces["uv"], expected, animation)


@pytest.mark.parametrize("suffix", [".pc2", ".mdd"])
def test_cache_exact_files_read_back(tmp_path: Path, animation: Animation, suffix: str) -> None:
    write(tmp_path / f"out{suffix}", animation)
    loaded = ruckle.load(tmp_path / f"out{suffix}", fps=24)
    expected = meshes(animation, levels=True)
    # no face uses one of the two vertices at each point of the seam, and such vertices are not written
    used = np.unique(expected[0].faces)
    assert len(used) == expected[0].vertex_count - 7
    np.testing.assert_array_equal(loaded.positions, [fine.positions[used] for fine in expected])
    np.testing.assert_array_equal(used[loaded.faces], expected[0].faces)
    assert_same_corners(loaded.uv[loaded.uv_faces], expected[0], animation)
    # files of the same mesh may be replaced; files of another mesh raise an error
    write(tmp_path / f"out{suffix}", animation)
    (tmp_path / "out.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(ruckle.FormatError, match=r"out\.obj: exists and contains another mesh"):
        write(tmp_path / f"out{suffix}", animation)


def test_usd_exact_files_read_back(tmp_path: Path, animation: Animation) -> None:
    Usd, UsdGeom = (pytest.importorskip(f"pxr.{module}") for module in ("Usd", "UsdGeom"))
    write(tmp_path / "out.usdc", animation)
    stage = Usd.Stage.Open(str(tmp_path / "out.usdc"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (FIRST, FIRST + 2, 24.0)
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim())
    primvars = UsdGeom.PrimvarsAPI(mesh)
    expected = meshes(animation, levels=True)
    assert set(mesh.GetFaceVertexCountsAttr().Get()) == {3}
    np.testing.assert_array_equal(np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3), expected[0].faces)
    st = primvars.GetPrimvar("st")
    assert st.GetInterpolation() == "faceVarying"
    uv = np.array(st.Get())[np.array(st.GetIndices())].reshape(-1, 3, 2)
    assert_same_corners(uv, expected[0], animation)
    for k, fine in enumerate(expected):
        np.testing.assert_array_equal(mesh.GetPointsAttr().Get(FIRST + k), fine.positions)
        np.testing.assert_array_equal(mesh.GetNormalsAttr().Get(FIRST + k), fine.normals)
        np.testing.assert_array_equal(primvars.GetPrimvar("height").Get(FIRST + k), fine.heights)
        low, high = np.array(mesh.GetExtentAttr().Get(FIRST + k))
        np.testing.assert_allclose([low, high], [fine.positions.min(axis=0), fine.positions.max(axis=0)])


def read_map(path: Path) -> Any:
    OpenEXR = pytest.importorskip("OpenEXR")
    with OpenEXR.File(str(path)) as file:
        ((_, channel),) = file.channels().items()
        return channel.pixels.copy()


def test_maps_exact_height_and_slope_of_a_straight_wrinkle(tmp_path: Path, animation: Animation) -> None:
    pytest.importorskip("OpenEXR")
    write(tmp_path / "out", animation, form="maps", map_size=200)
    names = [f"se_am_{part}_000{k}.exr" for part in ("height", "normal") for k in (7, 8, 9)]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == names
    height, normal = (read_map(tmp_path / "out" / f"se_am_{part}_0007.exr") for part in ("height", "normal"))
    assert (height.shape, normal.shape) == ((200, 200), (200, 200, 3))
    np.testing.assert_allclose(np.linalg.norm(normal, axis=2), 1.0, atol=1e-5)
    # in the column x = 3.5 (u = 0.4), a texel is 0.05 mesh units high, and y increases from the bottom to the top
    column, slopes = height[:, 80], normal[:, 80]
    y = (np.arange(200)[::-1] + 0.5) / 200 * 10 - 2
    crest = column.max()
    assert crest > 0.1
    assert abs(y[column.argmax()] - 3.1) < 0.05
    assert (column[(y < 2.5) | (y > 3.7)] == 0).all()
    expected = -np.gradient(column, y) / np.sqrt(1 + np.gradient(column, y) ** 2)
    np.testing.assert_allclose(slopes[:, 1], expected, atol=0.08)
    assert np.abs(slopes[:, 1]).max() > 0.4
    # along the wrinkle, normals show the slope of its crest; u increases with x in the left half and decreases in the
    # right half
    row = int(200 * (1 - (0.2 + 0.31)))
    along = normal[row]
    assert along[50:85, 0].min() < -0.02  # rises to the right, x = 2 to 4
    assert along[160:180, 0].min() < -0.02  # falls to the right, x = 7 to 5, so that it rises with u


def test_maps_exact_texels_lie_in_their_triangles() -> None:
    corners = np.array([[[0.1, 0.1], [0.9, 0.1], [0.1, 0.9]], [[0.9, 0.9], [0.1, 0.9], [0.9, 0.1]]], np.float32)
    texels = cover(corners, 50, padding=0)
    places = (texels.barycentric[:, :, None] * corners[texels.faces]).sum(axis=1)
    np.testing.assert_allclose(places[:, 0] * 50, texels.columns + 0.5, atol=1e-4)
    np.testing.assert_allclose((1 - places[:, 1]) * 50, texels.rows + 0.5, atol=1e-4)
    assert len(texels.rows) == 40 * 40
    assert texels.overlap == 0.0
    # a third triangle covers a quarter of the first one
    third = np.concatenate([corners, 0.5 * corners[:1] + 0.05])
    np.testing.assert_allclose(cover(third, 50).overlap, 0.125, atol=0.01)
    padded = cover(corners, 50, padding=3)
    assert len(padded.rows) == 46 * 46
    assert padded.barycentric.min() >= 0


def test_maps_reject(tmp_path: Path, animation: Animation) -> None:
    pytest.importorskip("OpenEXR")
    plain, tiled = replace(animation, uv=None, name="plain"), replace(animation, uv=3 * animation.uv, name="tiled")
    for cloth, size, message in (
        (plain, 9, "plain: has no texture coordinates, over which maps are baked"),
        (tiled, 9, r"tiled: texture coordinates run from 0\.15 to 2\.85, maps can be baked over"),
        (animation, 0, r"map_size: expected an integer in \[1, 16384\], got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            fine_writer(tmp_path / "out", cloth, form="maps", map_size=size)


def test_writers_reject_places(tmp_path: Path, animation: Animation) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    for name, form, message in (
        ("a.stl", "obj", r"a\.stl: fine meshes are written as a folder of files or as \.pc2"),
        ("a", "stl", 'form: expected "obj", "ply", "maps", "normals" or "vat", got "stl"'),
        ("taken", "obj", "expected a folder that is new or empty"),
    ):
        with pytest.raises((ValueError, FileExistsError), match=message):
            fine_writer(tmp_path / name, animation, form=form)


@pytest.mark.parametrize("name", ["out.pc2", "out.usda"])
def test_writers_reject_other_faces(tmp_path: Path, animation: Animation, name: str) -> None:
    frame = frames(animation)[0]
    with fine_writer(tmp_path / name, animation) as writer:
        writer.append(frame.coarse)
        with pytest.raises(ValueError, match="its fine faces differ from the first frame's"):
            writer.append(frame)
    assert list(tmp_path.iterdir()) == []


def test_command_exact_fixed_faces_are_those_of_a_cache(tmp_path: Path) -> None:
    coarse = ("export", "sawing", "--base", "smooth", "--frames", "40:42", "--tau", 1.25, "--edge-length", "1%", "-o")
    value = value_of(*coarse, tmp_path / "fixed", "--fixed")
    assert (value["frames"], value["first_frame"]) == (2, 40)
    assert value["highest"] > 0
    assert invoke(*coarse, tmp_path / "a.pc2").exit_code == 0
    fixed, cached = ruckle.load(tmp_path / "fixed"), ruckle.load(tmp_path / "a.pc2")
    np.testing.assert_array_equal(fixed.positions, cached.positions)
    assert cached.vertex_count > 2 * ruckle.sample("sawing").vertex_count
    refused = invoke(*coarse, tmp_path / "b.pc2", "--adaptive")
    assert "adaptive: .pc2 files have the same faces in every frame" in refused.stderr


def test_command_reject_another_mesh_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    displaced: list[Surface] = []
    displace = Surface.displace
    monkeypatch.setattr(Surface, "displace", lambda surface: displaced.append(surface) or displace(surface))
    result = invoke("export", "sawing", "--frames", "40:45", "--edge-length", "1%", "-o", tmp_path / "a.mdd")
    assert (result.exit_code != 0, "a.obj: exists and contains another mesh" in result.stderr) == (True, True)
    assert len(displaced) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.obj"]


def test_exact_tension_is_the_mean_over_faces_weighted_by_area() -> None:
    class Strained(ruckle.CoarseFrame):
        @property
        def stretch(self) -> ruckle.Stretch:
            # the first face has lost a fifth of its length and gained a half; the second face is four times as long
            least, most = np.float32([0.8, 1.0]), np.float32([1.5, 4.0])
            return ruckle.Stretch(least, most, 1 / least, np.zeros((2, 2), np.float32))

    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 3, 0]])
    frame = Strained(corners, Topology([[0, 1, 2], [1, 3, 2]], 4))
    # the areas of the faces are 0.5 and 2.5; the gain is limited to 1
    both = [0.2 / 6, (0.5 + 5.0) / 6, 0.0]
    np.testing.assert_allclose(vertex_tension(frame), [[0.2, 0.5, 0.0], both, both, [0.0, 1.0, 0.0]], atol=1e-6)


def test_tension_exact_waves() -> None:
    positions, faces = grid(4, 4)
    field = ruckle.WaveField(Topology(faces, len(positions)), positions, r_min=0.1)
    field.step(positions)
    # lengths along x become 0.8 times, those along y 1.5 times as long
    frame = field.step(positions * [0.8, 1.5, 1.0])
    np.testing.assert_allclose(vertex_tension(frame), np.tile([0.2, 0.5, 0.0], (len(positions), 1)), atol=1e-6)


def test_export_exact_tension_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    animation = ruckle.sample("sawing").cut(0, 12)
    frames = list(ruckle.run(animation))
    colors = vertex_tension(frames[-1])
    lost, gained = 1 - 1 / frames[-1].compression, frames[-1].stretch.max - 1
    assert 0.0 < colors[:, 0].max() <= lost.max() + 1e-6
    assert 0.0 < colors[:, 1].max() <= gained.max() + 1e-6
    assert not colors[:, 2].any()
    # coarse vertices are the first fine vertices, and have the same colours
    for form, option in (("ply", {"form": "ply"}), ("usdc", {})):
        path = tmp_path / ("fine" if form == "ply" else "fine.usdc")
        if form == "usdc":
            pytest.importorskip("pxr")
        with fine_writer(path, animation, edge_length=0.1, tension=True, **option) as writer:
            if writer.fixed:
                writer.fix(frames)
            for frame in frames:
                surface = writer.append(frame)
            writer.finish()
        expected = fine_tension(frames[-1], surface.displace())
        np.testing.assert_allclose(expected[: animation.vertex_count], colors, atol=1e-6)
        if form == "ply":
            content = (path / "sawing_0011.ply").read_bytes()
            assert b"property uchar red\n" in content
            rows = np.frombuffer(content.partition(b"end_header\n")[2], COLORED_VERTEX, len(expected))
            np.testing.assert_allclose(rows["colors"] / 255, expected, atol=0.5 / 255 + 1e-6)
        else:
            stage = import_module("pxr.Usd").Stage.Open(str(path))
            found = np.array(stage.GetPrimAtPath("/wrinkled").GetAttribute("primvars:displayColor").Get(11))
            np.testing.assert_allclose(found, expected, atol=1e-6)


def test_export_reject_tension_maps(tmp_path: Path) -> None:
    animation = ruckle.sample("sawing").cut(0, 2)
    for name in ("folder", "fine.pc2", "fine.glb"):
        with pytest.raises(ValueError, match=r"tension: .* files have no colours"):
            fine_writer(tmp_path / name, animation, tension=True)
    with pytest.raises(ValueError, match="tension: no layer of the frame measures the stretch of the cloth"):
        vertex_tension(next(ruckle.run(animation)).coarse)


def test_export_exact_glb_plays_the_frames(animation: Animation, tmp_path: Path) -> None:
    given = frames(animation)
    for up in ("y", "z"):
        path = tmp_path / f"{up}.glb"
        with fine_writer(path, replace(animation, up=up), base="flat", edge_length=0.3) as writer:
            writer.fix(given)
            fine = [writer.append(frame).displace() for frame in given]
            writer.finish()
        found = ruckle.load(path, fps=animation.fps)
        assert (found.frame_count, found.face_count) == (len(given), fine[0].face_count)
        turned = np.eye(3) if up == "y" else UPRIGHT["z"]
        for mine, theirs in zip(found.positions, fine, strict=True):
            np.testing.assert_allclose(mine[found.faces], (theirs.positions @ turned.T)[theirs.faces], atol=1e-5)
        texture = fine_texture(fine[0], animation)
        np.testing.assert_allclose(found.uv[found.faces], texture.uv[texture.faces], atol=1e-6)


def test_export_exact_vertex_animation_textures(animation: Animation, tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    given, folder = frames(animation), tmp_path / "vat"
    with fine_writer(folder, animation, form="vat", base="flat", edge_length=0.3) as writer:
        writer.fix(given)
        fine = [writer.append(frame).displace() for frame in given]
        writer.finish()
    assert sorted(file.name for file in folder.iterdir()) == [
        "se_am.glb", "se_am.json", "se_am_normals.exr", "se_am_positions.exr",
    ]  # fmt: skip
    said = json.loads((folder / "se_am.json").read_text())
    assert (said["frames"], said["fps"], said["source"]) == (3, 24.0, "se/am")
    document = Document(folder / "se_am.glb", Budget())
    attributes = document.root.element("meshes", 0).element("primitives", 0).entry("attributes")
    place = read_floats(document, attributes.integer("TEXCOORD_1"), "VEC2")
    faces = ruckle.load(folder / "se_am.glb").faces
    for kind, values in (("positions", "positions"), ("normals", "normals")):
        with exr.File(str(folder / f"se_am_{kind}.exr")) as file:
            texels = file.channels()["RGB"].pixels
        assert texels.shape == (said["height"], said["width"], 3)
        for number, mesh in enumerate(fine):
            # read a texel in the same way as a shader without filtering
            at = ((place + np.array([0, number * said["step"]])) * [said["width"], said["height"]]).astype(int)
            read = texels[at[:, 1], at[:, 0]]
            np.testing.assert_allclose(read[faces], getattr(mesh, values)[mesh.faces], atol=1e-3)


def test_export_reject_textures_that_no_card_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    vat = pytest.importorskip("ruckle.io.fine_vat", reason="textures need OpenEXR")
    monkeypatch.setattr(vat, "HIGHEST", 3)
    monkeypatch.setattr(vat, "WIDEST", 8)
    animation = ruckle.sample("sawing").cut(0, 2)
    with fine_writer(tmp_path / "vat", animation, form="vat", edge_length=0.2) as writer:
        given = list(ruckle.run(animation))
        writer.fix(given)
        with pytest.raises(ValueError, match=r"form: 2 frames of .* vertices need textures of 8x.* texels"):
            writer.append(given[0])
    assert not (tmp_path / "vat").exists()
