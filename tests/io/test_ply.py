"""PLY files: text and binary files in both byte orders, polygons, texture coordinates, sequences, rejected files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import FormatError, load
from ruckle.io.fine import fine_writer

HEADER = (
    "ply\nformat {}\ncomment made by hand\nelement vertex 5\nproperty float x\nproperty float y\nproperty double z\n"
)
FACES = "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 2, 0.5)]
# a square and a triangle, and their triangles
POLYGONS = [(0, 1, 2, 3), (1, 4, 2)]
TRIANGLES = [[0, 1, 2], [0, 2, 3], [1, 4, 2]]


def text() -> bytes:
    rows = [" ".join(map(str, point)) for point in POINTS]
    rows += [" ".join(map(str, (len(face), *face))) for face in POLYGONS]
    return (HEADER.format("ascii 1.0") + FACES + "\n".join(rows) + "\n").encode()


def binary(order: str) -> bytes:
    name = "binary_little_endian 1.0" if order == "<" else "binary_big_endian 1.0"
    vertices = np.array(POINTS, f"{order}f8")
    rows = b"".join(v[:2].astype(f"{order}f4").tobytes() + v[2:].tobytes() for v in vertices)
    faces = b"".join(bytes([len(face)]) + np.array(face, f"{order}i4").tobytes() for face in POLYGONS)
    return (HEADER.format(name) + FACES).encode() + rows + faces


@pytest.mark.parametrize("content", [text(), binary("<"), binary(">")], ids=["text", "little", "big"])
def test_ply_exact_polygons_become_fans(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.ply").write_bytes(content)
    found = load(tmp_path / "a.ply")
    np.testing.assert_allclose(found.positions[0], POINTS)
    assert found.faces.tolist() == TRIANGLES
    assert found.uv is None


def test_ply_exact_texture_coordinates_of_vertices(tmp_path: Path) -> None:
    header = "ply\nformat ascii 1.0\nelement vertex 3\n" + "".join(f"property float {name}\n" for name in "xyzuv")
    rows = "0 0 0 0.1 0.2\n1 0 0 0.3 0.4\n0 1 0 0.5 0.6\n3 0 1 2\n"
    face = "element face 1\nproperty list uchar uint vertex_index\nend_header\n"
    (tmp_path / "a.ply").write_text(header + face + rows)
    found = load(tmp_path / "a.ply")
    np.testing.assert_allclose(found.uv[found.uv_faces][0], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])


def test_ply_exact_what_is_exported_is_read(tmp_path: Path) -> None:
    animation = ruckle.sample("sawing").cut(0, 3)
    with fine_writer(tmp_path / "fine", animation, form="ply", edge_length=0.05) as writer:
        writer.fix(ruckle.run(animation))
        for frame in ruckle.run(animation):
            surface = writer.append(frame)
        writer.finish()
    found, fine = load(tmp_path / "fine", fps=60), surface.displace()
    assert found.frame_count == 3
    np.testing.assert_array_equal(found.positions[-1], fine.positions)
    np.testing.assert_array_equal(found.faces, fine.faces)
    assert found.uv is not None
    [last] = load(tmp_path / "fine" / "sawing_0002.ply").positions
    np.testing.assert_array_equal(last, fine.positions)


# Text file with one triangle, whose number of vertices and rows of vertices are missing.
EMPTY = (
    b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face 1\nproperty list uchar int vertex_indices\nend_header\n%s3 0 1 2\n"
)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"obj", "is no PLY file"),
        (b"ply\nend_header\n", "does not state its format"),
        (text().replace(b"ascii", b"morse"), "has the line 'format morse 1.0' in its header, which is not"),
        (text()[:-12], "is cut or damaged within the 2 rows of 'face'"),
        (binary("<")[:-3], "is cut or damaged within the 2 rows of 'face'"),
        (text().replace(b"element vertex 5", b"element vertex 2000000000"), "states 2000000002 rows, but has only"),
        (text().replace(b"vertex_indices", b"corners"), "holds no faces and vertices with x, y and z"),
        (text().replace(b"4 0 1 2 3", b"4 0 1 2 9"), "faces: face 1 refers to vertex 9, allowed are 0 to 4"),
        (text().replace(b"4 0 1 2 3", b"4 0 1 2 x"), "is cut or damaged within the 2 rows of 'face'"),
        (text().replace(b"float y", b"float x"), "has two properties of the same name in the element 'vertex'"),
        (
            EMPTY.replace(b"float x", b"list uchar float x") % (1, b"2 0 0 0 0\n"),
            "has vertices with more or fewer than",
        ),
        (EMPTY % (0, b""), "faces: face 0 refers to vertex 0"),
    ],
)
def test_ply_reject(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.ply") as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}: {sentence}")
    assert isinstance(refused.value, FormatError | ruckle.MeshError)


def test_ply_reject_a_point_cache_of_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ply").write_bytes(text())
    with pytest.raises(ValueError, match="cache"):
        load("a.ply", cache="a.pc2")
