"""The option `--body`: other meshes of a glTF file, separate files, bodies at rest that the garment's bones move."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from gltf_writer import skinned_triangle
from meshes import octahedron
from program import refusal, swinging, value_of
from ruckle import Animation, load, sample_body
from ruckle.cli.body import dyed, open_body, with_beside
from ruckle.cli.source import Source
from ruckle.mesh.colors import FaceColors


def save_rest(folder: Path, **changes: Any) -> Path:
    """Save a body at rest, and a garment with bones that move this body. Return the file of the body.

    `changes` replace arrays of the body's file, or remove them if the value is None.
    """
    random, body, garment = np.random.default_rng(5), octahedron(), swinging()
    bones = random.normal(size=(garment.frame_count, 3, 3, 4)).astype(np.float32)
    weights = random.random((body.vertex_count, 3)).astype(np.float32) * [[1, 1, 0]]
    names = np.array(["hips", "spine", "head"])
    with np.load(folder / "swinging.npz") as stored:
        np.savez(folder / "garment.npz", **stored, bone_matrices=bones, joint_names=names)
    positions, weights = body.positions.astype(np.float32), weights.astype(np.float32)
    arrays = {"rest_positions": positions, "faces": body.faces, "skin_weights": weights, "joint_names": names}
    kept = {name: array for name, array in (arrays | changes).items() if array is not None}
    np.savez(folder / "rest.npz", **kept)
    return folder / "rest.npz"


def test_body_exact_another_mesh_of_the_scene(scene_file: Path) -> None:
    options = {"animation": "leap", "fps": 5.0}
    garment = load(scene_file, mesh="head", primitive=0, **options)
    source = Source(str(scene_file), {"mesh": "head", "primitive": 0, **options})
    parts = [load(scene_file, mesh=mesh, **options) for mesh in ("body", "head")]
    for body in ("body", "0"):
        np.testing.assert_array_equal(open_body(source, (body,), garment).positions, parts[0].positions)
    assert open_body(source, (), garment) is None
    # the name "others" selects all meshes except the garment
    others = open_body(Source(str(scene_file), {"mesh": "head", **options}), ("others",), garment)
    np.testing.assert_array_equal(others.positions, parts[0].positions)
    assert open_body(Source(str(scene_file), {"mesh": ["head", "body"], **options}), ("others",), garment) is None
    # several selected meshes become one mesh
    found = open_body(source, ("body", "head"), garment)
    corners = np.concatenate([part.positions[:, part.faces] for part in parts], axis=1)
    np.testing.assert_array_equal(found.positions[:, found.faces], corners)


def test_body_exact_by_default_what_the_same_joints_move(folder: Path) -> None:
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    writer.add("skins", {"joints": [2, 1]})
    writer.add("skins", {"joints": [writer.add("nodes", {}), writer.add("nodes", {})]})
    # meshes: the shirt with skin 0, its wearer, shoes whose skin has the same joints, a ghost with other joints, and a
    # prop without a skin
    for name, skin in (("wearer", {"skin": 0}), ("shoes", {"skin": 1}), ("ghost", {"skin": 2}), ("prop", {})):
        writer.add("nodes", {"mesh": 0, "name": name, **skin})
    writer.save(folder / "hero.gltf")
    source = Source("hero.gltf", {"mesh": 0})
    found = open_body(source, (), source.open())
    assert found is not None
    assert found.name == "wearer+shoes"
    assert open_body(Source("hero.gltf", {"mesh": "prop"}), (), source.open()) is None
    everything = open_body(source, ("others",), source.open())
    assert everything is not None
    assert everything.name == "wearer+shoes+2_more"


def test_body_exact_by_default_a_head_below_the_neck_of_the_shirt(folder: Path) -> None:
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    # the shirt has skin 0; the joint of the head is a child of the neck; the joint of a horse is outside the skeleton
    neck = writer.root["skins"][0]["joints"][-1]
    head, horse = writer.add("nodes", {}), writer.add("nodes", {})
    writer.root["nodes"][neck]["children"] = [head]
    for name, joint in (("head", head), ("horse", horse)):
        skin = writer.add("skins", {"joints": [joint, joint]})
        writer.add("nodes", {"mesh": 0, "name": name, "skin": skin})
    writer.save(folder / "hero.gltf")
    shirt, wearer = (Source("hero.gltf", {"mesh": mesh}) for mesh in (0, "head"))
    found = open_body(shirt, (), shirt.open())
    assert found is not None
    assert found.name == "head"
    # if the head is the garment, the body is one mesh (the shirt)
    other = open_body(wearer, (), wearer.open())
    assert other is not None
    garment = shirt.open()
    assert other.name == garment.name
    np.testing.assert_array_equal(other.faces, garment.faces)
    np.testing.assert_array_equal(other.positions, garment.positions)
    # the skin of the horse does not share a joint with the shirt, so the horse has no body
    horse_mesh = Source("hero.gltf", {"mesh": "horse"})
    assert open_body(horse_mesh, (), horse_mesh.open()) is None


def test_commands_exact_several_meshes_at_once(scene_file: Path) -> None:
    both = ("--mesh", "body", "--mesh", "head", "--animation", "leap")
    joined = load(scene_file, mesh=["body", "head"], animation="leap")
    shown = value_of("info", scene_file, *both)["animation"]
    assert (shown["name"], shown["faces"]) == ("body+head", joined.face_count)
    value_of("run", scene_file, *both, "-o", "run.npz", "--quiet")
    np.testing.assert_array_equal(load("run.npz").positions, joined.positions)
    value_of("export", scene_file, *both, "-o", "fine.mdd", "--quiet")
    assert load("fine.mdd").face_count >= joined.face_count
    sentence = "mesh: only glTF and USD files contain several meshes, and a.pc2 is neither\n"
    Path("a.pc2").write_bytes(b"")
    assert refusal("run", "a.pc2", *both[:4], "-o", "run.npz") == sentence


def test_body_exact_a_file_of_its_own(animation_file: Path) -> None:
    body = replace(swinging(), positions=2 * swinging().positions, name="larger")
    body.save(animation_file.with_name("larger.npz"))
    found = open_body(Source("swinging.npz", {}), ("larger.npz",), swinging())
    np.testing.assert_array_equal(found.positions, body.positions)


def test_body_exact_a_body_at_rest_moves_with_the_bones(animation_file: Path) -> None:
    rest = save_rest(animation_file.parent)
    found = open_body(Source("garment.npz", {}), ("rest.npz",), load("garment.npz"))
    with np.load(rest) as body, np.load("garment.npz") as garment:
        places = np.column_stack([body["rest_positions"], np.ones(len(body["rest_positions"]))])
        expected = np.einsum("vj,fjik,vk->fvi", body["skin_weights"], garment["bone_matrices"], places)
    np.testing.assert_allclose(found.positions, expected, rtol=1e-5, atol=1e-5)


def test_render_exact_the_body_is_in_the_picture(scene_file: Path) -> None:
    need_opengl()
    image = pytest.importorskip("PIL.Image")
    small = ("--mesh", "body", "--animation", "leap", "--size", "64x48", "--frame", "0")
    for name, body, said in (("a.png", (), None), ("b.png", ("--body", "head"), "head")):
        assert value_of("render", scene_file, "-o", name, *small, *body)["body"] == said
    without, within = (np.asarray(image.open(name)).astype(int) for name in ("a.png", "b.png"))
    # the cloth is blue; the body is reddish and larger than the cloth
    (cloth, body), (cloth_before, body_before) = (
        ((picture @ [-1, 0, 1] > 16).mean(), (picture @ [1, 0, -1] > 16).mean()) for picture in (within, without)
    )
    assert body_before == 0.0 < body
    assert 0.0 < cloth < cloth_before
    # the camera shows the whole body, so no pixel on the border of the picture has the colour of the body
    border = np.concatenate([within[[0, -1]].reshape(-1, 3), within[:, [0, -1]].reshape(-1, 3)])
    assert np.abs(border @ [1, 0, -1]).max() <= 16


def test_body_exact_samples_have_one() -> None:
    source = Source("sawing", {})
    found, garment = open_body(source, (), source.open()), source.open()
    assert found is not None
    np.testing.assert_array_equal(found.positions, sample_body("sawing").positions)
    assert open_body(source, ("none",), garment) is None


def test_beside_exact_other_cloth_stands_to_the_right_over_the_same_body(animation_file: Path) -> None:
    garment, body = swinging(), replace(swinging(), name="body")
    other = replace(garment, positions=(garment.positions[:, :, [0, 2, 1]]).copy())
    other.save(animation_file.parent / "other.npz")
    path = animation_file.parent / "other.npz"
    assert with_beside(body, None, garment, None) is body
    drawn = with_beside(body, path, garment, None)
    assert drawn is not None
    count = garment.vertex_count
    under, beside, again = (drawn.positions[:, k * count : (k + 1) * count] for k in range(3))
    np.testing.assert_array_equal(under, body.positions)
    way = 1.1 * np.ptp(garment.positions[:, :, 0], axis=1).max()
    np.testing.assert_allclose(beside - other.positions, np.broadcast_to([way, 0, 0], beside.shape), atol=1e-6)
    np.testing.assert_allclose(again - body.positions, np.broadcast_to([way, 0, 0], again.shape), atol=1e-6)
    # both copies of the body have the same colours; the second garment has one bluish colour
    colors = drawn.colors.corners.reshape(3, -1, 3)
    np.testing.assert_array_equal(colors[0], colors[2])
    assert np.ptp(colors[1], axis=0).max() == 0.0
    assert colors[1][0, 2] > colors[1][0, 0]
    assert with_beside(None, path, garment, None).vertex_count == count
    swinging(7).save(animation_file.parent / "short.npz")
    sentence = "beside: expected the frames of swinging, 12 at 25 per second, got swinging, 7"
    assert refusal("render", animation_file, "--beside", "short.npz", "-o", "a.png").startswith(sentence)


OTHER_JOINTS = np.array(["hips", "spine", "tail"])


@pytest.mark.parametrize(
    ("garment", "body", "changes", "sentence"),
    [
        ("swinging.npz", "rest.npz", {}, "rest.npz: holds a body at rest, and swinging.npz has no array"),
        ("garment.npz", "rest.npz", {"joint_names": OTHER_JOINTS}, "rest.npz: array 'joint_names' differs"),
        ("garment.npz", "rest.npz", {"skin_weights": np.ones((6, 4))}, "rest.npz: array 'skin_weights' (6, 4)"),
        ("garment.npz", "rest.npz", {"skin_weights": None}, "rest.npz: holds no array 'skin_weights', only: "),
        ("swinging.npz", "short.npz", {}, "body: expected the frames of swinging, 12 at 25 per second, got swinging"),
        ("swinging.npz", "skin", {}, "body: 'skin' is not a file, and swinging.npz is not a glTF file"),
        ("sawing", "skin", {}, "body: 'skin' is not a file, and sawing is not a glTF file"),
        ("sawing", "rest.npz", {}, "rest.npz: holds a body at rest, and the sample 'sawing' has no bones to move it"),
        ("swinging.npz", "skin.npz", {}, "skin.npz: no such file"),
    ],
)
def test_render_reject_bodies(animation_file: Path, garment: str, body: str, changes: Any, sentence: str) -> None:
    save_rest(animation_file.parent, **changes)
    swinging(7).save(animation_file.parent / "short.npz")
    assert refusal("render", garment, "--body", body, "-o", "a.png").startswith(sentence)
    assert not Path("a.png").exists()


def test_dyed_exact_masked_faces_keep_the_colours_of_the_file() -> None:
    mesh = octahedron()
    plain = Animation(mesh.positions[None].astype(np.float32), mesh.faces, fps=25)
    mask = np.ones(plain.vertex_count, np.float32)
    mask[plain.faces[0]] = 0.0
    masked = replace(plain, colors=FaceColors.plain(plain.face_count), mask=mask)
    colors = dyed(masked).colors
    assert colors is not None
    np.testing.assert_array_equal(colors.is_cloth, np.arange(plain.face_count) > 0)
    assert dyed(replace(masked, mask=None)).colors is None
    assert dyed(plain).colors is None
