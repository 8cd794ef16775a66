"""Animations of glTF files: default choice, several animations at once, pointers, and animations of other files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import TRIANGLE, Writer, skinned_triangle, still_triangle
from ruckle import FormatError, MeshError, load, sample_gltf

CORNERS = np.array(TRIANGLE)
STILL, MOVED = [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [3, 0, 0]]
WHOLE = [[1, 0, 0, 0]] * 3


def two_objects() -> Writer:
    """Return two triangles with one animation each. The second animation is longer."""
    writer = still_triangle(name="pole")
    writer.add("nodes", {"mesh": 0, "name": "flag", "children": []})
    writer.animate(0, "translation", [0.0, 1.0], MOVED)
    writer.animate(1, "translation", [0.0, 2.0], [[0, 0, 0], [0, 4, 0]])
    for name, entry in zip(("PoleAction", "FlagAction"), writer.root["animations"], strict=True):
        entry["name"] = name
    return writer


def test_exact_the_animation_that_moves_the_mesh_is_taken(tmp_path: Path) -> None:
    path = two_objects().save(tmp_path / "a.glb")
    flag = load(path, mesh="flag")
    assert flag.duration == 2.0
    assert np.allclose(flag.positions[-1] - CORNERS, [0, 4, 0])
    assert np.allclose(load(path, mesh="pole").positions[-1] - CORNERS, [3, 0, 0])
    assert np.allclose(sample_gltf(path, [1.0], mesh="flag")[0] - CORNERS, [0, 2, 0])
    # if an animation is selected by name, objects without a channel in it do not move
    assert np.allclose(load(path, mesh="flag", animation="PoleAction").positions[-1], CORNERS)


def test_exact_animations_of_several_objects_play_together(tmp_path: Path) -> None:
    both = load(two_objects().save(tmp_path / "a.glb"), mesh=["pole", "flag"])
    assert both.duration == 2.0
    assert np.allclose(both.positions[30, :3] - CORNERS, [3, 0, 0])
    assert np.allclose(both.positions[30, 3:] - CORNERS, [0, 2, 0])
    # after the end of its animation, an object remains at its last position
    assert np.allclose(both.positions[60, :3] - CORNERS, [3, 0, 0])


@pytest.mark.parametrize("cubic", [False, True])
@pytest.mark.parametrize("times", [[0.0], [0.0, 0.5, 1.0]])
def test_exact_animations_that_hold_a_pose_are_not_the_default(tmp_path: Path, times: list[float], cubic: bool) -> None:
    writer = skinned_triangle(WHOLE)
    pose = [[0, 5, 0]] * len(times)
    if cubic:
        pose = [row for key in pose for row in ([0, 0, 0], key, [0, 0, 0])]
    writer.animate(1, "translation", times, pose, "CUBICSPLINE" if cubic else "LINEAR")
    assert np.allclose(load(writer.save(tmp_path / "a.glb")).positions[0] - CORNERS, [0, 5, 0])
    writer.animate(1, "translation", [0.0, 1.0], MOVED)
    writer.animate(1, "translation", [0.0, 1.0], STILL)
    found = load(writer.save(tmp_path / "a.glb"))
    assert np.allclose(found.positions[-1] - CORNERS, [3, 0, 0])


def test_exact_morph_targets_play_with_the_skeleton(tmp_path: Path) -> None:
    writer = skinned_triangle(WHOLE)
    writer.root["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": writer.accessor([[0, 0, 1]] * 3)}]
    writer.animate(1, "translation", [0.0, 1.0], MOVED)
    writer.animate(1, "translation", [0.0, 1.0], STILL)
    writer.animate(0, "weights", [0.0, 1.0], [0.0, 1.0])
    found = load(writer.save(tmp_path / "a.glb"))
    # the first animation of the skeleton is played; the second is an alternative to it
    assert np.allclose(found.positions[-1] - CORNERS, [3, 0, 1])


def test_exact_pointers_to_nodes_are_channels(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    writer = still_triangle()
    writer.animate(0, "translation", [0.0, 1.0], MOVED)
    channel = writer.root["animations"][0]["channels"][0]
    pointer = {"KHR_animation_pointer": {"pointer": "/nodes/0/translation"}}
    channel["target"] = {"path": "pointer", "extensions": pointer}
    writer.root["extensionsRequired"] = ["KHR_animation_pointer"]
    path = tmp_path / "a.glb"
    assert np.allclose(load(writer.save(path)).positions[-1] - CORNERS, [3, 0, 0])
    assert not recwarn.list
    # several channels use the same sampler
    colour = {"KHR_animation_pointer": {"pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor"}}
    target = {"sampler": 0, "target": {"path": "pointer", "extensions": colour}}
    writer.root["animations"][0]["channels"].append(target)
    with pytest.warns(UserWarning, match=r"KHR_animation_pointer is ignored, except for nodes \(1 channels\)"):
        assert load(writer.save(path)).frame_count == 31
    pointer["KHR_animation_pointer"]["pointer"] = "/nodes/7/translation"
    with pytest.raises(FormatError, match="refers to node 7 of 1"):
        load(writer.save(path))


def test_exact_instancing_is_named(tmp_path: Path) -> None:
    writer = still_triangle(name="leaf", extensions={"EXT_mesh_gpu_instancing": {"attributes": {}}})
    writer.root["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    with pytest.warns(UserWarning, match=r"EXT_mesh_gpu_instancing is ignored, so one copy is read \(leaf\)"):
        assert load(writer.save(tmp_path / "a.glb")).face_count == 1


def skeleton(names: list[str], **second: Any) -> Writer:
    """Return a triangle that is skinned to the second of two joints. `names` are the names of the joints."""
    writer = skinned_triangle([[0, 1, 0, 0]] * 3)
    for node, name in zip(writer.root["nodes"][1:], names, strict=True):
        node["name"] = name
    writer.root["nodes"][2] |= second
    return writer


@pytest.mark.parametrize("names", [["Hips", "Arm"], ["mixamorig:hips", "mixamorig:Arm"], ["hips", "ARM"]])
def test_exact_motion_of_another_file_by_names(tmp_path: Path, names: list[str]) -> None:
    path = skeleton(["Hips", "Arm"]).save(tmp_path / "a.glb")
    other = skeleton(names)
    half = np.sqrt(0.5)
    other.animate(2, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, half, half]])
    # the bone keeps its length, although the bone in the other file is longer
    other.animate(2, "translation", [0.0, 1.0], [[20, 0, 0]] * 2)
    sampler, channel = (other.root["animations"][1][kind][0] for kind in ("samplers", "channels"))
    other.root["animations"][0]["samplers"].append(sampler)
    other.root["animations"][0]["channels"].append(channel | {"sampler": 1})
    del other.root["animations"][1]
    motion = other.save(tmp_path / "motion.vrm.glb")
    found = load(path, motion=motion)
    assert found.frame_count == 31
    turned = CORNERS[:, [1, 0, 2]] * [-1, 1, 1]
    assert np.allclose(found.positions[-1] - turned, [10, 0, 0], atol=1e-5)
    assert np.array_equal(load(path, motion=str(motion), animation=0).positions, found.positions)


def test_exact_moving_hips_follow_their_own_height(tmp_path: Path) -> None:
    path = skeleton(["Root", "Hips"], translation=[0, 1, 0]).save(tmp_path / "a.glb")
    other = skeleton(["Root", "Hips"], translation=[0, 100, 0])
    other.animate(2, "translation", [0.0, 1.0], [[0, 100, 0], [50, 80, 0]])
    found = load(path, motion=other.save(tmp_path / "b.glb"))
    assert np.allclose(found.positions[0] - CORNERS, [0, 1, 0])
    assert np.allclose(found.positions[-1] - CORNERS, [0.5, 0.8, 0])


def test_reject_motion_of_other_nodes(tmp_path: Path) -> None:
    path = skeleton(["Hips", "Arm"]).save(tmp_path / "a.glb")
    other = skeleton(["wheel", "door"])
    with pytest.raises(FormatError, match=r"b\.glb: has no animation"):
        load(path, motion=other.save(tmp_path / "b.glb"))
    other.animate(2, "translation", [0.0, 1.0], MOVED)
    sentence = r"b\.glb: moves no node of a\.glb; nodes are found by name, such as 'door'"
    with pytest.raises(FormatError, match=sentence):
        load(path, motion=other.save(tmp_path / "b.glb"))


def test_exact_nodes_that_only_the_motion_has_are_counted(tmp_path: Path) -> None:
    path = skeleton(["Hips", "Arm"]).save(tmp_path / "a.glb")
    other = skeleton(["Arm", "tail"])
    other.animate(1, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]])
    other.animate(2, "rotation", [0.0, 1.0], [[0, 0, 0, 1], [0, 0, 1, 0]])
    first, second = other.root["animations"]
    first["samplers"] += second["samplers"]
    first["channels"].append(second["channels"][0] | {"sampler": 1})
    with pytest.warns(UserWarning, match="1 of 2 moving nodes are not in"):
        load(path, motion=other.save(tmp_path / "b.glb"))


@pytest.mark.parametrize("extension", ["VRM", "VRMC_vrm"])
def test_exact_vrm_is_glb(tmp_path: Path, extension: str) -> None:
    writer = still_triangle()
    writer.root |= {"extensionsUsed": [extension], "extensionsRequired": [extension], "extensions": {extension: {}}}
    (tmp_path / "a.vrm").write_bytes(writer.glb())
    assert np.array_equal(load(tmp_path / "a.vrm").positions[0], CORNERS)


def test_exact_quantised_and_sparse_morph_targets(tmp_path: Path) -> None:
    writer = still_triangle(weights=[0.5, 2.0])
    # the first morph target has signed bytes in units of 1/127; the second is zero except for one vertex
    quantised = writer.accessor([[127, 0, -127, 0]] * 3, "i1", normalized=True, type="VEC3")
    writer.root["bufferViews"][-1]["byteStride"] = 4
    places = {"bufferView": writer.view(np.array([2], "<u2").tobytes()), "componentType": 5123}
    values = {"bufferView": writer.view(np.array([0, 0, 7], "<f4").tobytes())}
    sparse = {"componentType": 5126, "count": 3, "type": "VEC3"}
    sparse["sparse"] = {"count": 1, "indices": places, "values": values}
    targets = [{"POSITION": quantised}, {"POSITION": writer.add("accessors", sparse)}]
    writer.root["meshes"][0]["primitives"][0]["targets"] = targets
    found = load(writer.save(tmp_path / "a.glb")).positions[0]
    assert np.allclose(found - CORNERS, [[0.5, 0, -0.5], [0.5, 0, -0.5], [0.5, 0, 13.5]])


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0, np.pi])
@pytest.mark.parametrize("scale", [[1, 1, 1], [2, 3, 0.5], [-1, 2, 1]])
def test_exact_animated_matrix_keeps_its_other_parts(tmp_path: Path, angle: float, scale: list[float]) -> None:
    matrix = np.eye(4)
    turn = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    matrix[:3, :3], matrix[:3, 3] = np.array(turn) * scale, (7, 8, 9)
    writer = still_triangle(matrix=matrix.T.ravel().tolist())
    writer.animate(0, "translation", [0.0, 1.0], [[7, 8, 9], [1, 2, 3]])
    found = load(writer.save(tmp_path / "a.glb")).positions
    assert np.allclose(found[0], CORNERS @ matrix[:3, :3].T + [7, 8, 9], atol=1e-5)
    assert np.allclose(found[-1], CORNERS @ matrix[:3, :3].T + [1, 2, 3], atol=1e-5)


@pytest.mark.parametrize("number", [1e300, 0.0])
def test_degenerate_animated_matrix(tmp_path: Path, number: float) -> None:
    writer = still_triangle(matrix=[number] * 16)
    writer.animate(0, "translation", [0.0, 1.0], [[7, 8, 9], [1, 2, 3]])
    with pytest.raises(MeshError, match="positions"):
        load(writer.save(tmp_path / "a.glb"))
