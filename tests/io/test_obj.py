"""OBJ files: a single mesh, sequences of files, and meshes with a point cache in the format PC2 or MDD."""

import codecs
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ruckle import Animation, FormatError, MeshError, describe, load
from ruckle.io.obj import parse_mesh
from ruckle.io.obj_sequence import frame_files

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\n"


def write_frames(folder: Path, names: list[str]) -> None:
    """Write an OBJ file with one triangle for each name.

    The x coordinate of its first vertex is the index of the name.
    """
    folder.mkdir(exist_ok=True)
    for frame, name in enumerate(names):
        (folder / name).write_text(f"v {frame} 0 0\nv 1 0 1\nv 0 3 0\nf 1 2 3\n")


def order(animation: Animation) -> Any:
    return animation.positions[:, 0, 0].tolist()


@pytest.mark.parametrize(
    "corners",
    ["1 2 3 4", "1/1 2/1 3/1 4/1", "1//9 2//9 3//9 4//9", "1/1/9 2/1/9 3/1/9 4/1/9", "-4 -3 -2 -1", "1// 2// 3// 4//"],
)
def test_exact_every_way_to_write_a_corner(corners: str) -> None:
    mesh = parse_mesh(f"{SQUARE}vt 0.5 0.25\nf {corners}\n".encode(), "a")
    assert mesh.positions.tolist() == [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]]
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert (mesh.uv is None) == ("/1" not in corners)


def test_exact_backward_indices_count_from_their_own_line() -> None:
    first = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf -3/-3 -2/-2 -1/-1\n"
    text = first + "v 5 5 5\nvt 3 3\nf -1/-1 -2/-2 -3/-3\n"
    mesh = parse_mesh(text.encode(), "a")
    assert mesh.faces.tolist() == [[1, 2, 3], [4, 3, 2]]
    assert mesh.uv_faces.tolist() == [[0, 1, 2], [3, 2, 1]]


def test_exact_white_space_continuation_colours_and_foreign_lines(tmp_path: Path) -> None:
    coloured = "\tv  0 0 0 1 0 0\r\nv\t1 0 0 1 0 0\r\nv 0 1e0 0 1 0 0\r\n"
    text = f"# cloth\r\nmtllib a.mtl\r\no shirt\r\n{coloured}vn 0 0 1\r\ns off\r\nf 1 \\\r\n 2 3\r\nl 1 2\r\n"
    (tmp_path / "a.obj").write_bytes(text.encode())
    animation = load(tmp_path / "a.obj")
    assert animation.positions.tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
    assert animation.faces.tolist() == [[0, 1, 2]]


def test_exact_texture_coordinates_per_vertex_or_indexed(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_text(f"{SQUARE}vt 0 0\nvt 1 0\nvt 1 1 0\nvt 0\nf 1/1 2/2 3/3 4/4\n")
    animation = load(path)
    assert animation.uv_faces is None
    assert animation.uv.tolist() == [[0, 0], [1, 0], [1, 1], [0, 0]]
    path.write_text(f"{SQUARE}vt 0 0\nvt 1 0\nf 1/1 2/2 3/1 4/2\n")
    assert load(path).uv_faces.tolist() == [[0, 1, 0], [0, 0, 1]]
    path.write_text(f"{SQUARE}vt 0 0\nf 1/1 2/1 3/1\nf 1 3 4\n")
    assert load(path).uv is None


def test_exact_mark_of_utf8_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_bytes(codecs.BOM_UTF8 + f"{SQUARE}f 1 2 3\nf 1 3 4\n".encode())
    assert load(path).vertex_count == 4
    path.write_bytes(codecs.BOM_UTF8 + b"v 0 0\n")
    with pytest.raises(FormatError, match="line 1, 'v 0 0': expected 3 numbers"):
        load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n# a\nv 0 0 zero\n", "line 3, 'v 0 0 zero': expected 3 numbers"),
        (SQUARE + "vt\nf 1/1 2/1 3/1\n", "line 5, 'vt': expected 2 numbers"),
        (SQUARE + "f 1 2\n", r"face 1 cannot be read \(2 corners, expected at least 3\)"),
        (SQUARE + "f 1 2 3\nf 0 1 2\n", r"face 2 cannot be read \(index 0, allowed are 1 and above, or -4 to -1\)"),
        (SQUARE + "f 1/2/3/4 2 3\n", r"face 1 cannot be read \(corner '1/2/3/4', expected v, v/vt, v//vn or v/vt/vn\)"),
        (SQUARE + "f 1 2 " + "9" * 30, "face index 9+8 is too large"),
        (SQUARE + "f 1 2 " + "9" * 5000, "face 1 cannot be read"),
        ("o a_b\nv 0 0 1_0\n", "line 2, 'v 0 0 1_0': expected 3 numbers"),
        (SQUARE + "f 1 2 1_0\n", r"face 1 cannot be read \(an index holds '_'\)"),
        ("", "faces: a mesh needs at least one face"),
        (SQUARE + "f 1 2 7\n", "faces: face 0 refers to vertex 6, allowed are 0 to 3"),
        (SQUARE + "f 1 2 2\n", "faces: face 0 uses one vertex twice"),
        (SQUARE + "v nan 0 0\nf 1 2 3\n", "positions: frame 0, vertex 4 is not finite"),
        (SQUARE + "vt 0 0\nf 1/1 2/1 3/2\n", "uv_faces: face 0 refers to uv coordinate 1, allowed are 0 to 0"),
    ],
)
def test_reject_malformed_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.obj").write_text(text)
    where = rf"line {text.count('f ') + 4}, 'f .*': " if message.startswith("face ") and "large" not in message else ""
    kind = FormatError if message.startswith(("line", "face ")) else MeshError
    with pytest.raises(kind, match=rf"bad\.obj: {where}{message}"):
        load(tmp_path / "bad.obj")


@pytest.mark.parametrize(
    "path", ["frames", "frames/*.obj", "frames/shirt_*.obj", "frames/shirt_%d.obj", "frames/s*[0-9].obj"]
)
def test_exact_sequence_in_natural_order(tmp_path: Path, path: str) -> None:
    write_frames(tmp_path / "frames", ["shirt_1.obj", "shirt_2.obj", "shirt_10.obj", "shirt_100.obj"])
    (tmp_path / "frames" / "notes.txt").write_text("not a frame")
    animation = load(tmp_path / path, fps=25)
    assert order(animation) == [0, 1, 2, 3]
    assert (animation.fps, animation.height) == (25.0, 3.0)
    assert load(tmp_path / path).fps == 30.0
    assert animation.name in ("frames", "shirt", "s")


def test_exact_printf_pattern_takes_only_numbers_it_would_write(tmp_path: Path) -> None:
    names, others = ["a_0002.obj", "a_0010.obj", "a_12345.obj"], "a_3.obj a_00004.obj a_0001b.obj b_0001.obj a_0001.OBJ"
    write_frames(tmp_path, [*names, *others.split(), "a[1].obj", "a1.obj"])
    assert [file.name for file in frame_files(tmp_path / "a_%04d.obj")] == names
    assert order(load(tmp_path / "a_%04d.obj")) == [0, 1, 2]
    # a file whose name looks like a pattern is read as a file
    assert order(load(tmp_path / "a[1].obj")) == [8]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v 0 0 0\nv 1 0 1\nv 0 3 0\nv 1 1 1\nf 1 2 3\n", r"frame 1 \(a2\.obj\) has 4 vertices, but frame 0 has 3"),
        ("v 0 0 0\nv 1 0 1\nv 0 3 0\nf 1 3 2\n", r"frame 1 \(a2\.obj\) has other faces than frame 0"),
        ("v 0 0 0\nv 1 0 1\nv 0 3 0\n", r"frame 1 \(a2\.obj\) has other faces than frame 0"),
        ("v 0 0 inf\nv 1 0 1\nv 0 3 0\nf 1 2 3\n", "positions: frame 1, vertex 0 is not finite"),
    ],
)
def test_reject_changes_between_frames_naming_file_and_frame(tmp_path: Path, text: str, message: str) -> None:
    write_frames(tmp_path / "frames", ["a1.obj"])
    (tmp_path / "frames" / "a2.obj").write_text(text)
    with pytest.raises(MeshError, match=f"frames: {message}"):
        load(tmp_path / "frames")


def test_exact_same_faces_in_other_words_are_no_change(tmp_path: Path) -> None:
    write_frames(tmp_path / "frames", ["a1.obj"])
    (tmp_path / "frames" / "a2.obj").write_text("v 5 0 0\nv 1 0 1\nv 0 3 0\nf -3// 2 3//1\n")
    assert order(load(tmp_path / "frames")) == [0, 5]


def pc2_header(name: bytes = b"POINTCACHE2\0", version: int = 1, points: int = 3, samples: int = 1) -> bytes:
    return struct.pack("<12siiffi", name, version, points, 0.0, 1.0, samples)


def garment(frame_count: int = 5, fps: float = 24.0) -> Animation:
    """Return two triangles that move randomly, and whose texture coordinates have separate indices."""
    positions = np.random.default_rng(0).normal(size=(frame_count, 4, 3))
    uv = np.random.default_rng(1).random((5, 2))
    return Animation(positions, [[0, 1, 2], [2, 1, 3]], fps=fps, uv=uv, uv_faces=[[0, 1, 2], [2, 1, 4]], name="shirt")


@pytest.mark.parametrize("suffix", [".pc2", ".mdd"])
def test_exact_point_cache_round_trip(tmp_path: Path, suffix: str) -> None:
    saved = garment()
    saved.save(tmp_path / f"shirt{suffix}")
    options = {"fps": 24} if suffix == ".pc2" else {}
    beside = load(tmp_path / f"shirt{suffix}", **options)
    (tmp_path / "shirt.obj").rename(tmp_path / "mesh.obj")
    named = load(tmp_path / f"shirt{suffix}", mesh=tmp_path / "mesh.obj", **options)
    moved = load(tmp_path / "mesh.obj", cache=tmp_path / f"shirt{suffix}", **options)
    for loaded in (beside, named, moved):
        for name in ("positions", "faces", "uv", "uv_faces"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name), name)
        assert (loaded.fps, loaded.height) == (24.0, saved.height)
    assert (beside.name, named.name) == ("shirt", "mesh")


@pytest.mark.parametrize("fps", [23.976, 24.0, 25.0, 29.97, 30.0, 59.94, 60.0, 120.0, 1000.0])
def test_property_mdd_keeps_the_frame_rate(tmp_path: Path, fps: float) -> None:
    for frame_count in (2, 3, 24, 100, 300):
        garment(frame_count, fps).save(tmp_path / "a.mdd")
        assert load(tmp_path / "a.mdd").fps == pytest.approx(fps, rel=1e-5)
        times = np.frombuffer((tmp_path / "a.mdd").read_bytes(), ">f4", frame_count, 8)
        np.testing.assert_allclose(times, np.arange(frame_count) / fps, rtol=1e-5)


def test_exact_layouts_by_hand(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    numbers = range(18)
    (tmp_path / "a.pc2").write_bytes(struct.pack("<12siiffi18f", b"POINTCACHE2\0", 1, 3, 7.0, 2.0, 2, *numbers))
    (tmp_path / "a.mdd").write_bytes(struct.pack(">ii2f18f", 2, 3, 1.0, 1.04, *numbers))
    expected = np.arange(18.0).reshape(2, 3, 3)
    # the PC2 cache contains every second frame of a scene at 30 frames per second
    for name, own, given in (("a.pc2", 15.0, 12.0), ("a.mdd", 25.0, 24.0)):
        assert (load(tmp_path / name).fps, load(tmp_path / name, fps=24).fps) == (own, given)
        assert np.array_equal(load(tmp_path / name).positions, expected)
        described = describe(tmp_path / name)
        assert json.loads(json.dumps(described)) == described
        assert (described["points"], described["samples"]) == (3, 2)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pc2", b"", "does not begin with the 32 byte header"),
        ("a.pc2", pc2_header(b"POINTCACHE3\0"), "does not begin with the 32 byte header"),
        ("a.pc2", pc2_header(version=2), "version 2, only version 1 is known"),
        ("a.pc2", pc2_header(points=2**31 - 1, samples=2**31 - 1), "has 32 bytes, but 2147483647 samples"),
        ("a.mdd", b"\0\0\0", "does not begin with the 8 byte header"),
        ("a.mdd", struct.pack(">ii", 2**31 - 1, 2**31 - 1), "has 8 bytes, but 2147483647 frames"),
        ("a.mdd", struct.pack(">ii2f18f", 2, 3, 1.0, 1.0, *range(18)), r"times do not advance .* \(fps=\)"),
        ("a.mdd", struct.pack(">ii3f27f", 3, 3, 0.0, 1.0, 3.0, *range(27)), "times do not advance"),
        ("a.mdd", struct.pack(">ii2f18f", 2, 3, 0.0, float("nan"), *range(18)), "times do not advance"),
    ],
)  # fmt: skip
def test_reject_damaged_cache(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=rf"{name}: {message}|{name}: .*{message}"):
        load(tmp_path / name)


def test_reject_cache_of_another_mesh(tmp_path: Path) -> None:
    garment().save(tmp_path / "a.pc2")
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(MeshError, match=r"a\.pc2: moves 4 points, but the mesh .*a\.obj has 3 vertices"):
        load(tmp_path / "a.pc2")
    (tmp_path / "a.obj").unlink()
    with pytest.raises(FormatError, match=r"a\.pc2: holds no faces, and there is no a\.obj beside it; name the OBJ"):
        load(tmp_path / "a.pc2")


def test_reject_saving_over_another_mesh_but_keep_the_same_one(tmp_path: Path) -> None:
    mesh = tmp_path / "a.obj"
    other = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    mesh.write_text(other)
    with pytest.raises(FormatError, match=r"a\.obj: exists and contains another mesh; save under another name"):
        garment().save(tmp_path / "a.mdd")
    assert mesh.read_text() == other
    assert not (tmp_path / "a.mdd").exists()
    same = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 2 4\n"
    mesh.write_text(same)
    garment().save(tmp_path / "a.mdd")
    assert mesh.read_text() == same
    assert load(tmp_path / "a.mdd").frame_count == 5


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        (
            "a.obj",
            {"mesh": "b"},
            "^mesh: unknown option for OBJ, allowed are cache, fps, name, height, up, mask, budget$",
        ),
        ("a.pc2", {"cache": "b"}, "^cache: unknown option for PC2 with OBJ, allowed are mesh, fps, name, height, up"),
        ("a.npz", {"height": "tall"}, "^height: expected a finite number above 0, got 'tall'"),
        ("a.obj", {"cache": 3}, "^cache: expected a path, got 3"),
        ("a.txt", {}, r"a\.txt: unknown extension '\.txt', allowed are \.npz, .*, \.mdd or"),
        ("swaing", {}, r'swaing: no such file or folder; did you mean ruckle\.sample\("sawing"\)\?$'),
        ("a.dae", {}, r"a\.dae: unknown extension '\.dae', allowed are .*; most programs export \.glb$"),
        (
            "a.fbx",
            {},
            r"Blender converts it: blender -b --python-expr \".*import_scene\.fbx.*filepath='.*a\.glb'\)",
        ),
        ("a.blend", {}, r"Blender converts it: blender -b --python-expr \".*open_mainfile\(filepath='.*a\.blend'\)"),
        ("", {}, "^path: expected a path, got an empty text$"),
        ("a.obj", {"hight": 2.0}, "^hight: unknown option for OBJ, allowed are .*; did you mean height[?]$"),
        ("a.glb", {"up": "z"}, "^up: unknown option for glTF binary, which prescribes Y$"),
        ("a.obj", {"up": "x"}, '^up: expected one of "y", "z", got "x"$'),
    ],
)
def test_reject_options_and_extensions(path: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        load(path, **options)
