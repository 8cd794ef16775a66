"""The command `ruckle info`: contents of a file, options that select contents, and the parts of a mesh."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from gltf_writer import Writer
from meshes import disk, grid, octahedron
from program import invoke, value_of
from ruckle import Animation, Topology
from ruckle.cli.connectivity import boundary_loop_count, component_count


def test_info_exact_sample() -> None:
    value = value_of("info", "sawing")
    assert (value["sample"], value["problem"]) == ("sawing", None)
    assert value["animation"] == {
        "name": "sawing", "frames": 225, "fps": 60.0, "duration": 224 / 60, "vertices": 389, "faces": 734, "uv": True,
        "height": 1.75, "height_is_guess": False, "up": "y",
    }  # fmt: skip
    mesh = value["mesh"]
    assert (mesh["triangles"], mesh["components"], mesh["boundary_loops"]) == (734, 1, 4)
    assert 0 < mesh["edge_length"]["min"] < mesh["edge_length"]["median"] < mesh["edge_length"]["max"] < 0.5


def test_info_exact_file(animation_file: Path) -> None:
    value = value_of("info", animation_file, "--fps", "50")
    assert (value["format"], value["animation"]["fps"]) == ("NPZ", 50.0)
    assert {"name": "positions", "shape": [12, 16, 3], "dtype": "float32"} in value["arrays"]
    lines = invoke("info", animation_file).stdout.splitlines()
    assert any(line.split()[:3] == ["frames", "12", "25"] for line in lines)
    assert any(line.split() == ["edge", "length,", "max", "1.414", "70.71%", "of", "the", "height"] for line in lines)


def test_info_exact_prefers_the_sample_to_a_file_of_its_name(folder: Path) -> None:
    (folder / "sawing").mkdir()
    (folder / "sawing" / "1.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert value_of("info", "sawing")["animation"]["faces"] == 734
    assert value_of("info", "./sawing")["animation"]["faces"] == 1
    assert value_of("info", "sawing/*.obj")["animation"]["faces"] == 1


def test_info_exact_counts_welded_vertices(folder: Path) -> None:
    sheet = grid(3, 3)
    split = Animation(sheet.positions[sheet.faces].reshape(1, -1, 3), np.arange(24).reshape(-1, 3))
    split.save(folder / "split.npz")
    value = value_of("info", "split.npz")
    assert (value["animation"]["vertices"], value["mesh"]["vertices"], value["mesh"]["components"]) == (24, 9, 1)


def test_info_exact_scene_says_what_picks_what(scene_file: Path) -> None:
    value = value_of("info", scene_file)
    assert [mesh["name"] for mesh in value["meshes"]] == ["shirt", "red\x1b[31mhat"]
    text = invoke("info", scene_file).stdout
    assert all(heading in text for heading in ("--mesh", "--primitive", "--animation"))
    rows = [line.split() for line in text.splitlines()]
    assert all([number, name, "0.000", "1.000", "1"] in rows for number, name in (["0", "hop"], ["1", "leap"]))
    # the program escapes control characters in names from a file, so that they do not reach the terminal
    assert "\x1b" not in text
    assert "red\\x1b[31mhat" in text


def test_info_reject_tells_what_it_can(folder: Path) -> None:
    np.savez(folder / "odd.npz", positions=np.eye(5)[None, :, :3], faces=[[0, 1, 2], [1, 0, 9]], fps=30.0)
    result = invoke("info", "odd.npz", "--json")
    value = json.loads(result.stdout)
    assert value["animation"] is None
    assert "vertex 9" in value["problem"]
    assert (result.exit_code, result.stderr) == (2, f"ruckle: {value['problem']}\n")
    assert value["problem"].startswith("odd.npz: ")
    table = invoke("info", "odd.npz")
    assert table.exit_code == 2
    assert "faces" in table.stdout


def topology(*parts: ArrayLike) -> Topology:
    faces = np.concatenate(parts)
    return Topology(faces, int(faces.max()) + 1)


@pytest.mark.parametrize(
    ("mesh", "components", "loops"),
    [
        pytest.param(topology([[0, 1, 2]]), 1, 1, id="triangle"),
        pytest.param(octahedron().topology, 1, 0, id="closed"),
        pytest.param(topology(octahedron().faces, octahedron().faces + 6), 2, 0, id="two closed"),
        pytest.param(disk().topology, 1, 1, id="disk"),
        pytest.param(grid(4, 5).topology, 1, 1, id="sheet"),
        pytest.param(topology(np.delete(grid(4, 4).faces, [8, 9], axis=0)), 1, 2, id="sheet with a hole"),
        pytest.param(topology(grid(3, 3).faces, grid(3, 3).faces + 20), 2, 2, id="two sheets and spare vertices"),
        pytest.param(topology([[0, 1, 2]], [[2, 3, 4]]), 1, 2, id="two triangles that touch in a vertex"),
        pytest.param(topology([[0, 1, 2]], [[1, 0, 3]]), 1, 1, id="two triangles"),
        pytest.param(topology([[0, 1, 2]], [[0, 1, 3]]), 1, 1, id="two triangles with opposite winding"),
    ],
)
def test_connectivity_exact(mesh: Topology, components: int, loops: int) -> None:
    assert (component_count(mesh), boundary_loop_count(mesh)) == (components, loops)


def test_info_degenerate_mesh_without_a_face(folder: Path) -> None:
    writer = Writer()
    # both triangles of the strip use vertex 1 twice, and strips omit such triangles
    strip = {"mode": 5, "indices": writer.accessor([0, 1, 1, 2], "u1")}
    writer.mesh({"attributes": {"POSITION": writer.accessor(np.eye(3))}, **strip})
    writer.add("nodes", {"mesh": 0})
    writer.save(folder / "edge.glb")
    result = invoke("info", "edge.glb")
    # row of the table of parts: triangles, share that bends, share that shrinks, taken, value of --mesh
    assert ["0", "0%", "0%", "yes", "0"] in [line.split() for line in result.stdout.splitlines()]
    assert "at least one face" in result.stderr
