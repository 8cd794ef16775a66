"""Faces of glTF meshes: their winding after a mirroring transform, and repair of invalid faces."""

from pathlib import Path

import numpy as np
import pytest

from gltf_writer import Writer, skinned_triangle, still_triangle
from meshes import grid
from ruckle import Animation, load


def read_written(writer: Writer, folder: Path) -> Animation:
    return load(writer.save(folder / "a.glb"))


@pytest.mark.parametrize("scale", [[-1, 1, 1], [1, -2, 1], [-1, -1, -1]])
def test_nodes_exact_a_mirroring_node_reverses_the_winding(scale: list[float], tmp_path: Path) -> None:
    plain = read_written(still_triangle(), tmp_path)
    mirrored = read_written(still_triangle(scale=scale), tmp_path)
    assert mirrored.faces.tolist() == plain.faces[:, ::-1].tolist()
    # two mirrored axes are a rotation, which does not change the winding
    turned = read_written(still_triangle(scale=[-1, -1, 1]), tmp_path)
    assert turned.faces.tolist() == plain.faces.tolist()


def test_nodes_exact_a_mirroring_joint_reverses_the_winding_of_its_faces(tmp_path: Path) -> None:
    weights = [[1, 0, 0, 0]] * 3
    plain = read_written(skinned_triangle(weights), tmp_path)
    writer = skinned_triangle(weights)
    # glTF ignores the transform of a skinned mesh's node
    writer.root["nodes"][0]["scale"] = [-1, 1, 1]
    assert read_written(writer, tmp_path).faces.tolist() == plain.faces.tolist()
    writer.root["nodes"][1]["scale"] = [1, 1, -1]
    assert read_written(writer, tmp_path).faces.tolist() == plain.faces[:, ::-1].tolist()


def test_nodes_exact_colors_follow_reversed_faces(tmp_path: Path) -> None:
    writer = still_triangle(scale=[-1, 1, 1])
    colors = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    writer.root["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = writer.accessor(colors)
    animation = read_written(writer, tmp_path)
    assert animation.colors is not None
    np.testing.assert_array_equal(animation.colors.corners[0], np.array(colors)[animation.faces[0]])


def test_files_exact_repaired_faces_come_with_one_warning(tmp_path: Path) -> None:
    sheet = grid(3, 3)
    faces = [*sheet.faces.tolist(), [0, 0, 1], [1, 3, 8]]
    writer = Writer()
    attributes = {
        "POSITION": writer.accessor(sheet.positions),
        "TEXCOORD_0": writer.accessor(sheet.positions[:, :2]),
        "COLOR_0": writer.accessor(np.linspace(0, 1, 27).reshape(9, 3)),
    }
    writer.mesh({"attributes": attributes, "indices": writer.accessor(np.ravel(faces), "u4")})
    writer.add("nodes", {"mesh": 0})
    with pytest.warns(
        UserWarning, match=r"a\.glb: dropped 1 degenerate face, cut the mesh along 1 edge of more"
    ) as found:
        animation = read_written(writer, tmp_path)
    assert len(found) == 1
    assert animation.face_count == len(faces) - 1
    assert animation.faces[-1].tolist() != [1, 3, 8]
    assert np.array_equal(animation.positions[0][animation.faces[-1]], sheet.positions[[1, 3, 8]])
    assert animation.uv is not None
    np.testing.assert_array_equal(animation.uv[animation.faces[-1]][:, 0], sheet.positions[[1, 3, 8], 0])
    assert animation.colors is not None
    assert len(animation.colors.corners) == animation.face_count
