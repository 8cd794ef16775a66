"""Alembic archives: round trips, transforms, times of samples, damaged archives, and the error without the library."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from program import invoke
from ruckle import Animation, FormatError, describe, load

alembic3d = pytest.importorskip("alembic3d", reason='Alembic needs alembic3d: pip install "ruckle[alembic]"')
imath = pytest.importorskip("imath")

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
FRAMES = np.stack([SQUARE + np.float32([0, 0, k]) for k in range(3)])
FACES = [[0, 1, 2], [0, 2, 3]]


def sample(points: np.ndarray, indices: tuple[int, ...] = (3, 2, 1, 0), counts: tuple[int, ...] = (4,)) -> Any:
    """Return points, corner indices and counts of a polygon as Alembic arrays.

    The polygon is counterclockwise if seen from +z; Alembic stores its corners clockwise.
    """
    numbers = [imath.IntArrayFromBuffer(np.array(array, np.int32)) for array in (indices, counts)]
    return imath.V3fArrayFromBuffer(np.ascontiguousarray(points)), *numbers


def archive(
    path: Path,
    samples: list[Any],
    *,
    sampling: Any = None,
    moves: list[Any] | None = None,
    wraps: Callable[[Any, int], Any] | None = None,
) -> Path:
    """Write an archive with a mesh "/shirt/shirtShape", and return its path.

    `samples` are the shapes over time, `moves` the samples of its transform, `wraps` adds parents.
    """
    core, geom = alembic3d.AbcCoreAbstract, alembic3d.AbcGeom
    file = alembic3d.Abc.OArchive(str(path))
    number = file.addTimeSampling(sampling or core.TimeSampling(1 / 25, 40 / 25))
    top = file.getTop() if wraps is None else wraps(file.getTop(), number)
    holder = geom.OXform(top, "shirt", number)
    for move in moves or []:
        holder.getSchema().set(move)
    mesh = geom.OPolyMesh(holder, "shirtShape", number)
    for one in samples:
        mesh.getSchema().set(geom.OPolyMeshSchemaSample(*one))
    return path


def move(translation: tuple[float, ...] = (0, 0, 0), scale: tuple[float, ...] = (1, 1, 1), **kinds: bool) -> Any:
    found = alembic3d.AbcGeom.XformSample()
    found.setTranslation(imath.V3d(*translation))
    found.setScale(imath.V3d(*scale))
    if "inherits" in kinds:
        found.setInheritsXforms(kinds["inherits"])
    return found


@pytest.mark.parametrize("name", ["sawing", "jumping_jack"])
def test_alembic_exact_round_trip(tmp_path: Path, name: str) -> None:
    animation = ruckle.sample(name).cut(0, 12)
    animation.save(tmp_path / "a.abc")
    found = load(tmp_path / "a.abc", height=animation.height)
    assert (found.name, found.fps, found.up) == (animation.name, animation.fps, "y")
    assert found.positions.tobytes() == animation.positions.tobytes()
    assert found.faces.tobytes() == animation.faces.tobytes()
    corners = animation.faces if animation.uv_faces is None else animation.uv_faces
    assert np.array_equal(found.uv[found.uv_faces], animation.uv[corners])


def test_alembic_exact_names_rates_and_slashes(tmp_path: Path) -> None:
    Animation(FRAMES, FACES, fps=29.97, name="a/b").save(tmp_path / "a.abc")
    found = load(tmp_path / "a.abc")
    assert (found.name, found.fps, found.frame_count) == ("a_b", 29.97, 3)
    assert load(tmp_path / "a.abc", mesh="/a_b/a_bShape", name="shirt", fps=10).fps == 10


def test_alembic_exact_times_and_transforms(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.abc", [sample(frame) for frame in FRAMES])
    found = load(path)
    assert (found.name, found.fps) == ("shirt", 25.0)
    corners = found.positions[0][found.faces]
    assert (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0).all()
    assert np.array_equal(found.positions, FRAMES)
    contents = describe(path)
    assert (contents["prims"], contents["time_codes"]) == (["/shirt/shirtShape"], [40.0, 42.0])
    # the points are constant, but the transform moves and scales them
    moved = load(archive(tmp_path / "b.abc", [sample(SQUARE)], moves=[move((k, 0, 0), (2, 2, 2)) for k in range(4)]))
    assert np.allclose(moved.positions, 2 * SQUARE + np.array([[[k, 0, 0]] for k in range(4)]))


def test_alembic_exact_mirror_and_parents(tmp_path: Path) -> None:
    def below(top: Any, number: int) -> Any:
        group = alembic3d.AbcGeom.OXform(top, "hero", number)
        group.getSchema().set(move((0, 5, 0)))
        return group

    mirrored = load(archive(tmp_path / "a.abc", [sample(SQUARE)], moves=[move(scale=(-1, 1, 1))], wraps=below))
    assert np.allclose(mirrored.positions[0], SQUARE * [-1, 1, 1] + [0, 5, 0])
    corners = mirrored.positions[0][mirrored.faces]
    # after mirroring, the outside of the mesh is the same: +z
    assert (np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0).all()
    alone = load(archive(tmp_path / "b.abc", [sample(SQUARE)], moves=[move((1, 0, 0), inherits=False)], wraps=below))
    assert np.allclose(alone.positions[0], np.add(SQUARE, [1, 0, 0]))


def test_alembic_exact_irregular_samples_and_one_sample(tmp_path: Path) -> None:
    core = alembic3d.AbcCoreAbstract
    times = core.TimeVector()
    for time in (0.0, 1 / 24, 3 / 24):
        times.append(time)
    irregular = core.TimeSampling(core.TimeSamplingType(core.AcyclicFlag.kAcyclic), times)
    path = archive(tmp_path / "a.abc", [sample(frame) for frame in FRAMES], sampling=irregular)
    found = load(path)
    # 24 frames per second from the first to the last sample; each frame is the sample nearest in time
    assert (found.fps, found.frame_count) == (24.0, 4)
    assert found.positions[[0, 1, 3], 0, 2].tolist() == [0, 1, 2]
    assert load(archive(tmp_path / "b.abc", [sample(SQUARE)])).frame_count == 1


def test_alembic_reject_topology_that_changes(tmp_path: Path) -> None:
    changed = [sample(SQUARE), sample(SQUARE, (2, 1, 0), (3,))]
    with pytest.raises(FormatError, match="the topology of /shirt/shirtShape changes at sample 1"):
        load(archive(tmp_path / "a.abc", changed))


@pytest.mark.parametrize("content", [b"", b"Ogawa", b"Ogawa\xff\x00\x01" + bytes(64), b"\x89HDF\r\n\x1a\n" + bytes(99)])
def test_alembic_reject_damaged_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.abc").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.abc: is (not a readable Alembic file|damaged)") as found:
        load(tmp_path / "a.abc")
    assert "\n" not in str(found.value)
    with pytest.raises(FormatError):
        load(tmp_path / "gone.abc")


def test_alembic_reject_files_cut_off(tmp_path: Path) -> None:
    ruckle.sample("sawing").cut(0, 3).save(tmp_path / "a.abc")
    whole = (tmp_path / "a.abc").read_bytes()
    for length in range(0, len(whole) - 1, len(whole) // 7):
        (tmp_path / "a.abc").write_bytes(whole[:length])
        with pytest.raises(FormatError):
            load(tmp_path / "a.abc")


def test_alembic_reject_a_missing_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "a.abc", [sample(SQUARE)])
    ruckle.io.library_process.end_processes()
    monkeypatch.setattr("ruckle.io.library_process.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r'Alembic files need alembic3d.*pip install "ruckle\[alembic\]"'):
        load(path)


def test_alembic_exact_export_of_wrinkles(tmp_path: Path) -> None:
    cloth = replace(ruckle.sample("sawing").cut(0, 20), name="jacket")
    cloth.save(tmp_path / "jacket.npz")
    for name in ("fine.abc", "fine.pc2"):
        arguments = ("-o", str(tmp_path / name), "--frames", "10:14", "--tau", "1.05", "--base", "smooth")
        assert invoke("export", str(tmp_path / "jacket.npz"), *arguments).exit_code == 0
    fine = load(tmp_path / "fine.abc")
    assert (fine.name, fine.frame_count, fine.fps) == ("wrinkled", 4, cloth.fps)
    assert describe(tmp_path / "fine.abc")["time_codes"] == [10.0, 13.0]
    assert fine.vertex_count > cloth.vertex_count
    assert np.array_equal(fine.positions, load(tmp_path / "fine.pc2").positions)
    assert fine.uv is not None
