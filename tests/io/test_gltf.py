"""glTF files: poses compared with an independent program, and each feature in a document that is checked by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import TRIANGLE, Writer, skinned_triangle, still_triangle
from ruckle import describe, load, sample_gltf
from shared_data import shared_files

CORNERS = np.array(TRIANGLE)

# The name of a reference pose contains its time, rounded to 1e-6 s. All times are multiples of this step in seconds.
REFERENCE_STEP = 1 / 300


def reference_cases() -> list[Any]:
    """Return a test case (document, reference file, key) for each reference pose."""
    cases = []
    for path in shared_files("gltf/*.reference.npz"):
        with np.load(path) as stored:
            document = path.with_name(path.name.replace(".reference.npz", ".glb"))
            cases += [pytest.param(document, path, key, id=f"{document.stem}|{key}") for key in stored.files]
    return cases


@pytest.mark.parametrize(("document", "reference", "key"), reference_cases())
def test_exact_reference_poses(document: Path, reference: Path, key: str) -> None:
    animation, time, node, mesh, primitive = key.split("|")
    moment = round(float(time) / REFERENCE_STEP) * REFERENCE_STEP
    with np.load(reference) as stored:
        expected = stored[key]
    size = np.linalg.norm(np.ptp(expected, axis=0))
    name = node.removesuffix(f"#{primitive}")
    for chosen in (name, int(mesh)):
        found = sample_gltf(document, [moment], mesh=chosen, primitive=int(primitive), animation=animation)
        assert found.shape == (1, *expected.shape)
        assert np.abs(found[0] - expected).max() < 2e-6 * size


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_exact_still_mesh_follows_its_nodes(tmp_path: Path, suffix: str) -> None:
    # a triangle moved by x = 1, below a parent that is scaled by 2, rotated by 90 degrees about z, and moved up by 5
    writer = still_triangle(translation=[1, 0, 0])
    half = np.sqrt(0.5)
    writer.add("nodes", {"children": [0], "translation": [0, 5, 0], "rotation": [0, 0, half, half], "scale": [2, 2, 2]})
    animation = load(writer.save(tmp_path / f"a{suffix}"))
    assert np.allclose(animation.positions[0], [[0, 7, 0], [0, 9, 0], [-2, 7, 0]], atol=1e-6)
    assert animation.frame_count == 1


def test_exact_matrix_node_is_stored_by_columns(tmp_path: Path) -> None:
    matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1]
    animation = load(still_triangle(matrix=matrix).save(tmp_path / "a.glb"))
    assert np.allclose(animation.positions[0], [[7, 8, 9], [7, 9, 9], [6, 8, 9]])


def test_exact_linear_step_and_cubic_translation(tmp_path: Path) -> None:
    times, keys = [1.0, 3.0], [[0, 0, 0], [4, 0, 0]]
    # three rows per key: in-tangent, value, out-tangent; tangents are in units per second
    cubic = [[9, 9, 9], [0, 0, 0], [3, 0, 0], [-1, 0, 0], [4, 0, 0], [9, 9, 9]]
    moments = [0.0, 1.0, 1.5, 2.0, 2.999, 3.0, 9.0]

    def x(way: str, values: list[list[int]]) -> np.ndarray:
        writer = still_triangle()
        writer.animate(0, "translation", times, values, way)
        return sample_gltf(writer.save(tmp_path / "a.glb"), moments)[:, 0, 0]

    assert np.allclose(x("LINEAR", keys), [0, 0, 1, 2, 3.998, 4, 4], atol=1e-6)
    assert np.allclose(x("STEP", keys), [0, 0, 0, 0, 0, 4, 4])
    # Hermite spline over 2 s with s in [0, 1]: 4(3s² - 2s³) + 2·3(s³ - 2s² + s) - 2(s³ - s²)
    share = np.array([0, 0, 0.25, 0.5, 0.9995, 1, 1])
    expected = 4 * (3 * share**2 - 2 * share**3) + 6 * (share**3 - 2 * share**2 + share) - 2 * (share**3 - share**2)
    assert np.allclose(x("CUBICSPLINE", cubic), expected, atol=1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_exact_rotation_takes_the_short_way_at_constant_speed(tmp_path: Path, sign: int) -> None:
    angle = np.deg2rad(100)
    writer = still_triangle()
    second = sign * np.array([0, 0, np.sin(angle / 2), np.cos(angle / 2)])
    writer.animate(0, "rotation", [0.0, 1.0], [[0, 0, 0, 1], second])
    share = np.linspace(0, 1, 9)
    found = sample_gltf(writer.save(tmp_path / "a.glb"), share)[:, 1]
    assert np.allclose(found[:, 0], np.cos(share * angle), atol=1e-6)
    assert np.allclose(found[:, 1], np.sin(share * angle), atol=1e-6)


@pytest.mark.parametrize(("dtype", "scale"), [("i1", 127), ("i2", 32767)])
def test_exact_normalised_rotation_keys_and_cubic_rotations_are_unit(tmp_path: Path, dtype: str, scale: int) -> None:
    half = round(scale * np.sqrt(0.5))
    for way, rows in (("STEP", [[0, 0, half, half]]), ("CUBICSPLINE", [[0] * 4, [0, 0, half, half], [0] * 4])):
        writer = still_triangle()
        writer.animate(0, "rotation", [0.0], np.array(rows), way)
        output = writer.accessor(rows, dtype, normalized=True)
        writer.root["animations"][0]["samplers"][0]["output"] = output
        found = sample_gltf(writer.save(tmp_path / "a.glb"), [0])[0]
        assert np.allclose(found, [[0, 0, 0], [0, 1, 0], [-1, 0, 0]], atol=1e-6)


@pytest.mark.parametrize("angle", [-6.0, -3.1, -1e-3, 0.0, 0.7, 2 * np.pi])
def test_property_rotation_never_changes_lengths(tmp_path: Path, angle: float) -> None:
    keys = [[0, 0, 0, 1], [np.sin(angle / 2), 0, 0, np.cos(angle / 2)], [0, 1, 0, 1e-9]]
    writer = still_triangle()
    writer.animate(0, "rotation", [0.0, 1.0, 2.0], keys)
    found = sample_gltf(writer.save(tmp_path / "a.glb"), np.linspace(-1, 3, 81)).astype(float)
    sides = np.linalg.norm(found - np.roll(found, 1, axis=1), axis=2)
    assert np.allclose(sides, [1, 1, np.sqrt(2)], atol=1e-6)


def test_exact_clip_is_sampled_from_its_first_to_its_last_key(tmp_path: Path) -> None:
    writer = still_triangle()
    writer.animate(0, "translation", [2.0, 4.0], [[0, 0, 0], [8, 0, 0]])
    animation = load(writer.save(tmp_path / "a.glb"), fps=2)
    assert (animation.positions[:, 0, 0].tolist(), animation.fps) == ([0, 2, 4, 6, 8], 2.0)


@pytest.mark.parametrize(
    ("weights", "weight_type", "properties", "expected"),
    [
        ([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 1, 0, 0]], "f4", {}, [0, 5, 10]),
        ([[255, 0, 0, 0], [51, 204, 0, 0], [0, 255, 0, 0]], "u1", {"normalized": True}, [0, 8, 10]),
        ([[65535, 0, 0, 0], [13107, 52428, 0, 0], [0, 1, 0, 0]], "u2", {"normalized": True}, [0, 8, 10]),
        ([[3, 0, 0, 0], [1, 3, 0, 0], [0, 0.25, 0, 0]], "f4", {}, [0, 7.5, 10]),
        ([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]], "f4", {}, [0, 0, 10]),
    ],
    ids=["float", "u8 normalised", "u16 normalised", "sums not 1", "no weight"],
)
def test_exact_skin_weights_of_every_kind(
    tmp_path: Path, weights: Any, weight_type: str, properties: Any, expected: list[float]
) -> None:
    # the node of a skinned mesh is moved by 100, but glTF ignores this transform
    animation = load(skinned_triangle(weights, weight_type, **properties).save(tmp_path / "a.glb"))
    assert np.allclose(animation.positions[0] - CORNERS, np.array([expected, [0] * 3, [0] * 3]).T, atol=1e-5)


def test_exact_second_set_of_joints(tmp_path: Path) -> None:
    writer = skinned_triangle([[0.5, 0, 0, 0]] * 3)
    attributes = writer.root["meshes"][0]["primitives"][0]["attributes"]
    attributes["JOINTS_1"] = writer.accessor([[1, 0, 0, 0]] * 3, "u2")
    attributes["WEIGHTS_1"] = writer.accessor([[0.5, 0, 0, 0]] * 3)
    positions = load(writer.save(tmp_path / "a.glb")).positions[0]
    assert np.allclose(positions - CORNERS, [5, 0, 0])


def test_exact_inverse_bind_matrices_and_several_skins(tmp_path: Path) -> None:
    writer = skinned_triangle([[0, 1, 0, 0]] * 3)
    inverse = np.eye(4)
    inverse[:3, 3] = (-10, 0, 3)
    matrices = writer.accessor(np.array([np.eye(4), inverse]).transpose(0, 2, 1).reshape(2, 16))
    writer.add("skins", {"joints": [1, 2], "inverseBindMatrices": matrices})
    writer.add("nodes", {"mesh": 0, "skin": 1, "name": "bound"})
    path = writer.save(tmp_path / "a.glb")
    assert np.allclose(load(path).positions[0] - CORNERS, [10, 0, 0])
    assert np.allclose(load(path, mesh="bound").positions[0] - CORNERS, [0, 0, 3])


def test_exact_bind_pose_is_as_large_as_the_mesh_in_the_scene(tmp_path: Path) -> None:
    # inverse bind matrices convert the stored centimetres to metres
    writer = skinned_triangle([[0, 1, 0, 0]] * 3)
    inverse = np.diag([0.01, 0.01, 0.01, 1.0]).T
    matrices = writer.accessor(np.array([inverse, inverse]).reshape(2, 16))
    writer.root["skins"][0]["inverseBindMatrices"] = matrices
    animation = load(writer.save(tmp_path / "a.glb"))
    assert np.allclose(animation.positions[0] - [10, 0, 0], 0.01 * CORNERS, atol=1e-6)
    assert np.allclose(animation.rest_positions, 0.01 * CORNERS, atol=1e-6)
    assert load(still_triangle().save(tmp_path / "b.glb")).rest_positions is None


@pytest.mark.parametrize("path", shared_files("gltf/tee_jumpingjack.glb"), ids=str)
def test_exact_bind_pose_of_a_character(path: Path) -> None:
    stored = load(path.parents[1] / "sequences" / "tee_jumpingjack.npz")
    assert np.abs(load(path, mesh=stored.name).rest_positions - stored.rest_positions).max() < 1e-4


def test_exact_skin_and_morph_together(tmp_path: Path) -> None:
    writer = skinned_triangle([[0, 1, 0, 0]] * 3)
    targets = [{name: writer.accessor([[0, 0, 1]] * 3)} for name in ("POSITION", "NORMAL")]
    writer.root["meshes"][0]["primitives"][0]["targets"] = targets
    writer.animate(0, "weights", [0.0, 1.0], [0.0, 0.0, 1.0, 1.0])
    found = sample_gltf(writer.save(tmp_path / "a.glb"), [0, 0.25, 1])
    assert np.allclose(found - CORNERS, np.array([[[10, 0, 0]], [[10, 0, 0.25]], [[10, 0, 1]]]))


def test_exact_morph_weights_of_node_before_those_of_mesh(tmp_path: Path) -> None:
    writer = still_triangle()
    writer.root["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": writer.accessor([[0, 0, 1]] * 3)}]
    assert np.allclose(load(writer.save(tmp_path / "a.glb")).positions[0], CORNERS)
    for holder, weight in ((writer.root["meshes"][0], 0.5), (writer.root["nodes"][0], 2.0)):
        holder["weights"] = [weight]
        assert np.allclose(load(writer.save(tmp_path / "a.glb")).positions[0] - CORNERS, [0, 0, weight])


@pytest.mark.parametrize(
    ("mode", "indices", "expected"),
    [
        (4, [0, 1, 2, 2, 1, 3], [[0, 1, 2], [2, 1, 3]]),
        (5, [0, 1, 2, 3, 4], [[0, 1, 2], [1, 3, 2], [2, 3, 4]]),
        (5, [0, 1, 2, 2, 3, 3, 4, 1], [[0, 1, 2], [3, 1, 4]]),
        (6, [0, 1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
    ],
    ids=["list", "strip", "linked strips", "fan"],
)
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_exact_triangles_of_every_mode(tmp_path: Path, mode: int, indices: Any, expected: Any, dtype: str) -> None:
    writer = Writer()
    positions = writer.accessor(np.random.default_rng(0).normal(size=(5, 3)))
    writer.mesh({"attributes": {"POSITION": positions}, "indices": writer.accessor(indices, dtype), "mode": mode})
    assert load(writer.save(tmp_path / "a.glb")).faces.tolist() == expected


def test_exact_primitives_without_indices_and_with_shared_vertices(tmp_path: Path) -> None:
    writer = Writer()
    shared = {"attributes": {"POSITION": writer.accessor(np.arange(12.0).reshape(4, 3))}}
    writer.mesh(
        {**shared, "indices": writer.accessor([0, 1, 2], "u1")},
        {"attributes": {"POSITION": writer.accessor(TRIANGLE)}},
        {**shared, "indices": writer.accessor([0, 1], "u1"), "mode": 1},
        {**shared, "indices": writer.accessor([1, 2, 3], "u1")},
    )
    path = writer.save(tmp_path / "a.glb")
    animation = load(path)
    assert animation.vertex_count == 7
    assert animation.faces.tolist() == [[0, 1, 2], [4, 5, 6], [1, 2, 3]]
    assert load(path, primitive=3).vertex_count == 4
    problems = [primitive["problem"] for primitive in describe(path)["meshes"][0]["primitives"]]
    assert [problem is None for problem in problems] == [True, True, False, True]


def test_exact_interleaved_quantized_and_sparse_accessors(tmp_path: Path) -> None:
    # per vertex: position as 3 signed bytes and a padding byte, then two unsigned 16-bit texture coordinates
    rows = np.array([(0, 0, 0, 0), (127, 0, 0, 0), (0, -128, 64, 0)], "<i1")
    texture = np.array([[0, 65535], [65535, 0], [13107, 52428]], "<u2")
    content = b"".join(row.tobytes() + pair.tobytes() for row, pair in zip(rows, texture, strict=True))
    writer = Writer()
    view = writer.view(content, byteStride=8)
    positions = {"bufferView": view, "componentType": 5120, "count": 3, "type": "VEC3", "normalized": True}
    uv = {"bufferView": view, "byteOffset": 4, "componentType": 5123, "count": 3, "type": "VEC2", "normalized": True}
    attributes = {"POSITION": writer.add("accessors", positions), "TEXCOORD_0": writer.add("accessors", uv)}
    writer.mesh({"attributes": attributes})
    writer.root["extensionsRequired"] = ["KHR_mesh_quantization"]
    path = tmp_path / "a.glb"
    animation = load(writer.save(path))
    assert np.allclose(animation.positions[0], [[0, 0, 0], [1, 0, 0], [0, -1, 64 / 127]])
    # v points up in the animation, but down in the file
    assert np.allclose(animation.uv, [[0, 0], [1, 1], [0.2, 0.2]])
    places = {"bufferView": writer.view(np.array([1], "<u2").tobytes()), "componentType": 5123}
    values = {"bufferView": writer.view(np.array([0, 127, 0], "<i1").tobytes())}
    positions["sparse"] = {"count": 1, "indices": places, "values": values}
    assert np.allclose(load(writer.save(path)).positions[0], [[0, 0, 0], [0, 1, 0], [0, -1, 64 / 127]])
    del positions["normalized"]
    assert np.allclose(load(writer.save(path)).positions[0], [[0, 0, 0], [0, 127, 0], [0, -128, 64]])


def test_exact_external_buffer_below_the_folder(tmp_path: Path) -> None:
    writer = still_triangle()
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "the buffer.bin").write_bytes(writer.binary + b"more")
    (tmp_path / "a.gltf").write_bytes(writer.gltf("parts/the%20buffer.bin"))
    assert np.array_equal(load(tmp_path / "a.gltf").positions[0], CORNERS)


def test_exact_default_choice_of_mesh_and_name(tmp_path: Path) -> None:
    writer = still_triangle(name="ground")
    writer.mesh({"attributes": {"POSITION": writer.accessor(2 * CORNERS)}}, name="flag mesh")
    pole = writer.add("nodes", {"children": [2]})
    writer.add("nodes", {"mesh": 1})
    path = tmp_path / "a.glb"
    assert load(writer.save(path)).name == "ground"
    writer.animate(pole, "translation", [0.0], [[1, 0, 0]])
    moved = load(writer.save(path))
    assert moved.name == "flag mesh"
    assert np.array_equal(moved.positions[0], 2 * CORNERS + [1, 0, 0])
    skinned = skinned_triangle([[1, 0, 0, 0]] * 3)
    skinned.mesh({"attributes": {"POSITION": 0}})
    skinned.root["nodes"].insert(0, {"mesh": 1})
    skinned.root["skins"][0]["joints"] = [2, 3]
    skinned.animate(0, "translation", [0.0], [[1, 0, 0]])
    assert np.array_equal(load(skinned.save(path)).positions[0], CORNERS)
    assert load(path).name == "a"


def test_exact_default_scene_comes_first(tmp_path: Path) -> None:
    writer = still_triangle(translation=[5, 0, 0], name="spare")
    writer.add("nodes", {"mesh": 0, "name": "shown"})
    writer.root["scenes"] = [{"nodes": [0]}, {"nodes": [1]}]
    writer.root["scene"] = 1
    path = writer.save(tmp_path / "a.glb")
    assert load(path).name == "shown"
    assert load(path, mesh="spare").positions[0, 0, 0] == 5


def test_exact_height_is_that_of_the_character(tmp_path: Path) -> None:
    # a skinned triangle with height 1, a skinned triangle with height 4, and a triangle without a skin at height 50
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    attributes = {**writer.root["meshes"][0]["primitives"][0]["attributes"], "POSITION": writer.accessor(4 * CORNERS)}
    writer.mesh({"attributes": attributes}, name="tall")
    writer.add("nodes", {"mesh": 1, "skin": 0})
    writer.mesh({"attributes": {"POSITION": 0}}, name="bird")
    writer.add("nodes", {"mesh": 2, "translation": [0, 50, 0]})
    path = writer.save(tmp_path / "a.glb")
    # the height is the height of the skinned character, also if another mesh is selected
    assert load(path).height == load(path, mesh="bird").height == load(path, mesh="tall").height == 4.0
    # the height is measured at rest, so an animation whose joint doubles the height does not change it
    writer.animate(1, "scale", [0.0], [[1, 2, 1]])
    writer.save(path)
    doubled = load(path, mesh="tall")
    assert np.ptp(doubled.positions[0, :, 1]) == 8.0
    assert doubled.height == 4.0
    assert load(path, height=3).height == 3.0
    (tmp_path / "a.json").write_text('{"character_height_m": 1.8}')
    assert load(path).height == 1.8


@pytest.mark.parametrize(("width", "height"), [(2, 1), (4, 4), (1, 1)])
def test_exact_lying_character_is_as_tall_as_it_is_long(tmp_path: Path, width: float, height: float) -> None:
    writer = skinned_triangle([[1, 0, 0, 0]] * 3)
    attributes = writer.root["meshes"][0]["primitives"][0]["attributes"]
    attributes["POSITION"] = writer.accessor(CORNERS * np.float32([width, 1, 1]))
    assert load(writer.save(tmp_path / "a.glb")).height == height
