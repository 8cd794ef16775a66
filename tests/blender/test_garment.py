"""The class `Garment` of the add-on without Blender: ctypes calls, frames in any order, masks, texture coordinates."""

import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from ruckle import _core

EXAMPLE = Path(__file__).parents[2] / "examples" / "blender"
# This empty package replaces the add-on's package, whose __init__.py imports Blender.
PACKAGE = ModuleType("ruckle_wrinkles")
PACKAGE.__path__ = [str(EXAMPLE / "ruckle_wrinkles")]
sys.modules.setdefault("ruckle_wrinkles", PACKAGE)

from ruckle_wrinkles.garment import Cloth, Garment, Timeline, corner_values, metric_of  # noqa: E402  # of the package above
from ruckle_wrinkles.layers import Look, Picture, fine_levels, make_layers  # noqa: E402
from ruckle_wrinkles.library import VERSION, Library  # noqa: E402

# the compiled core of the Python package also exports the C functions
LIBRARY = Library(_core.__file__)
ANIMATION = ruckle.sample("sawing").cut(0, 24)
LOOK = Look(0.012, tau=1.2)
LINE = Timeline(0, 1 / 60)
UV = ANIMATION.uv[ANIMATION.uv_faces]
PICTURE = Picture(np.random.default_rng(0).normal(size=(24, 32)).astype(np.float32).tobytes(), 32)
LOOKS = {
    "paths": LOOK,
    "waves": Look(0.012, paths=False, waves=True),
    "stack": Look(0.012, tau=1.2, waves=True),
    "picture": Look(0.012, paths=False, picture=PICTURE, amplitude=0.5),
}


def garment(**values: Any) -> Garment:
    return Garment(LIBRARY, Cloth(ANIMATION.positions[0], ANIMATION.faces, uv=UV.astype(np.float32), **values))


def read(frames: Sequence[int]) -> list[NDArray[Any]]:
    """Return the positions of the given frames. For a frame outside of the animation, return its first or last pose."""
    return [ANIMATION.positions[min(max(frame, 0), 23)] for frame in frames]


def play(one: Garment, frames: Any, look: Look = LOOK, line: Timeline = LINE) -> dict[int, Any]:
    return {frame: one.fine(look, line, frame, read) for frame in frames}


def levels(one: Garment, look: Look = LOOK) -> NDArray[Any]:
    rest = ANIMATION.positions[0]
    return fine_levels(rest, make_layers(LIBRARY, one.faces, rest, look, None, None), look)


@pytest.mark.parametrize("bind", [False, True])
def test_garment_exact_equals_the_package(bind: bool) -> None:
    one = garment(bind=bind)
    found = play(one, range(24))[23]
    rest = ANIMATION.positions[0] if bind else None
    wrinkler = ruckle.Wrinkler(one.faces, ANIMATION.vertex_count, r_min=0.012, tau=1.2, rest=rest)
    frame = [wrinkler.step(positions, LINE.dt) for positions in ANIMATION.positions][-1]
    surface = ruckle.Surface(wrinkler.topology, base="curved")
    surface.update(frame, edge_levels=levels(one))
    fine = surface.displace()
    assert frame.wrinkles
    np.testing.assert_array_equal(found.faces, fine.faces)
    np.testing.assert_array_equal(found.positions, fine.positions)


def test_garment_exact_waves_equal_the_package() -> None:
    look = LOOKS["waves"]
    one = garment()
    found = play(one, range(24), look)[23]
    waves = ruckle.WaveField(
        ruckle.Topology(one.faces, ANIMATION.vertex_count), ANIMATION.positions[0], r_min=0.012, wavelength=0.084
    )
    frame = [waves.step(positions, LINE.dt) for positions in ANIMATION.positions][-1]
    surface = ruckle.Surface(waves.topology, base="curved")
    surface.update(frame, edge_levels=levels(one))
    np.testing.assert_array_equal(found.positions, surface.displace().positions)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_garment_exact_scrubbing(look: Look) -> None:
    one = garment()
    seen = play(one, range(24), look)
    assert np.abs(seen[23].heights).max() > 1e-3
    for frame in (5, 23, 0, 12):
        again = play(one, [frame], look)[frame]
        np.testing.assert_array_equal(again.positions, seen[frame].positions)
        np.testing.assert_array_equal(again.faces, seen[0].faces)
    # a new garment has not cached any frames
    for frame, fine in play(garment(), (17, 4, 20), look).items():
        np.testing.assert_array_equal(fine.positions, seen[frame].positions)


def test_garment_exact_other_parameters_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = play(garment(), range(24))
    one = garment()
    play(one, (9, 20))
    play(one, (3, 12), LOOKS["waves"])
    np.testing.assert_array_equal(play(one, [23])[23].positions, seen[23].positions)
    # a lower level of detail makes the fine mesh coarser, but does not change the wrinkles
    coarse = play(one, [23], Look(0.012, tau=1.2, detail=3.0))[23]
    assert len(coarse.positions) < len(seen[23].positions)
    count = ANIMATION.vertex_count
    np.testing.assert_allclose(coarse.positions[:count], seen[23].positions[:count], atol=1e-6)
    # a cache with space for only some of the frames
    module = sys.modules["ruckle_wrinkles.garment"]
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    for frame, fine in play(garment(), (*range(24), 3, 22)).items():
        np.testing.assert_array_equal(fine.positions, seen[frame].positions)


def test_garment_exact_loops_and_prerolls() -> None:
    loop = Timeline(4, LINE.dt, 6, loop_last=9)
    assert [loop.source(step) for step in range(-2, 6)] == [4, 5, 6, 7, 8, 9, 4, 5]
    # a wrinkler that steps through these frames of the animation in this order gives the same result
    one = garment()
    found = play(one, (4, 5), line=loop)
    wrinkler = ruckle.Wrinkler(one.faces, ANIMATION.vertex_count, r_min=0.012, tau=1.2)
    for frame in (4, 5, 6, 7, 8, 9, 4, 5):
        last = wrinkler.step(ANIMATION.positions[frame], LINE.dt)
    surface = ruckle.Surface(wrinkler.topology, base="curved")
    surface.update(last, edge_levels=levels(one))
    np.testing.assert_array_equal(found[5].positions, surface.displace().positions)
    bound, early = garment(bind=True), Timeline(8, LINE.dt, 8)
    np.testing.assert_array_equal(play(bound, [20], line=early)[20].positions, play(bound, [20])[20].positions)
    # a frame before the pre-roll does not depend on other frames
    late, other = Timeline(8, LINE.dt, 2), garment()
    before, after = play(other, [3], line=late)[3], play(other, [20], line=late)[20]
    np.testing.assert_array_equal(play(one, [20], line=late)[20].positions, after.positions)
    np.testing.assert_array_equal(play(one, [3], line=late)[3].positions, before.positions)


def test_garment_exact_the_end_of_a_loop_fades_to_its_begin() -> None:
    loop = Timeline(0, 1 / 12, 24, loop_last=23)
    # the cross-fade at the end of the loop lasts half a second, which is six frames
    np.testing.assert_allclose([loop.fade(frame) for frame in range(16, 24)], [0, 0, *(k / 7 for k in range(1, 7))])
    assert Timeline(0, 1 / 12, 23, loop_last=23).fade(23) == 0.0

    def read_laps(frames: Sequence[int]) -> list[NDArray[Any]]:
        return [ANIMATION.positions[frame % 24] for frame in frames]

    one, plain = garment(), garment()
    found = [one.fine(LOOK, loop, frame, read_laps).positions for frame in range(24)]
    laps = [plain.fine(LOOK, Timeline(0, 1 / 12), frame, read_laps).positions for frame in range(48)]
    for frame in range(24):
        share = np.float32(loop.fade(frame))
        expected = laps[24 + frame] + share * (laps[frame] - laps[24 + frame])
        np.testing.assert_allclose(found[frame], expected, atol=1e-6)


def test_garment_degenerate_a_pose_that_is_not_finite() -> None:
    one, seen = garment(), play(garment(), [20])[20]
    broken = {9: np.full_like(ANIMATION.positions[0], np.nan)}

    def read_broken(frames: Sequence[int]) -> list[NDArray[Any]]:
        return [broken.get(frame, pose) for frame, pose in zip(frames, read(frames), strict=True)]

    play(one, [3])
    other = garment()
    for frame in (9, 20):
        with pytest.raises(ValueError, match="positions: vertex 0 is not finite"):
            other.fine(LOOK, LINE, frame, read_broken)
    np.testing.assert_array_equal(other.fine(LOOK, LINE, 8, read_broken).positions, play(garment(), [8])[8].positions)
    np.testing.assert_array_equal(play(one, [20])[20].positions, seen.positions)


def test_garment_property_between_two_frames() -> None:
    one = garment()
    before, between, after = (one.fine(LOOK, LINE, frame, read).positions for frame in (7, 7.5, 8))
    np.testing.assert_allclose(between, 0.5 * (before + after), atol=1e-6)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_garment_exact_masks(look: Look) -> None:
    count = ANIMATION.vertex_count
    whole, none = (play(garment(mask=np.full(count, share, np.float32)), [23], look)[23] for share in (1.0, 0.0))
    # a mask of 1 everywhere changes the heights only by rounding errors
    np.testing.assert_allclose(whole.positions, play(garment(), [23], look)[23].positions, rtol=0.0, atol=1e-7)
    np.testing.assert_array_equal(none.heights, 0.0)
    half = play(garment(mask=np.full(count, 0.5, np.float32)), [23], look)[23]
    # in the look with two layers, the waves replace a part of the folds that the mask takes from the paths
    ratio = np.abs(half.heights).mean() / np.abs(whole.heights).mean()
    assert 0.4 < ratio < 0.8


def test_garment_property_metrics_give_wrinkles_of_the_world() -> None:
    seen = play(garment(), range(24))[23]
    # change the up axis to Z and the size by the factor 128; both transforms are exact in floating point
    world = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    scale = 128.0
    turned = Cloth(scale * ANIMATION.positions[0], ANIMATION.faces, metric=metric_of(world / scale))
    one = Garment(LIBRARY, turned)

    def scaled(frames: Sequence[int]) -> list[NDArray[Any]]:
        return [scale * positions for positions in read(frames)]

    found = [one.fine(LOOK, LINE, frame, scaled) for frame in range(24)][-1]
    np.testing.assert_allclose(found.positions / scale, seen.positions, atol=1e-6)
    np.testing.assert_allclose(found.normals, seen.normals, atol=1e-5)
    np.testing.assert_allclose(found.heights / scale, seen.heights, atol=1e-6)


def test_metric_exact() -> None:
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # rotates Z to Y
    np.testing.assert_allclose(metric_of(np.eye(3)), upright, atol=1e-12)
    np.testing.assert_allclose(metric_of(0.01 * np.eye(3)), 0.01 * upright, atol=1e-12)
    np.testing.assert_allclose(metric_of(np.diag([1.0, 2.0, 3.0])), upright @ np.diag([1.0, 2.0, 3.0]), atol=1e-12)
    # the world matrix already rotates to Y up, so no further rotation is necessary
    np.testing.assert_allclose(metric_of(upright.T), np.eye(3), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_metric_property_lengths_without_reflection(seed: int) -> None:
    world = np.random.default_rng(seed).normal(size=(3, 3))
    metric = metric_of(world)
    np.testing.assert_allclose(metric.T @ metric, world.T @ world, atol=1e-9)
    assert np.linalg.det(metric) > 0.0


def test_metric_degenerate_flattened_objects() -> None:
    assert np.isfinite(np.linalg.inv(metric_of(np.zeros((3, 3))))).all()
    assert np.isfinite(np.linalg.inv(metric_of(np.diag([1.0, 1.0, 0.0])))).all()


def test_picture_exact_bilinear() -> None:
    picture = Picture(np.array([[0.0, 1.0], [2.0, 3.0]], np.float32).tobytes(), 2)
    uv = np.array([[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.5, 0.5], [1.25, -0.75], [0.0, 0.25]])
    np.testing.assert_allclose(picture.sample(uv), [0.0, 1.0, 2.0, 1.5, 0.0, 0.5])


def test_levels_exact_limit_of_vertices() -> None:
    for most in (4_000, 20_000):
        found = play(garment(), [0], Look(0.003, most_vertices=most))[0]
        assert 0.7 * most < len(found.positions) < 1.2 * most


def test_garment_exact_texture_coordinates() -> None:
    one = garment()
    fine = play(one, [0])[0]
    surface = ruckle.Surface(ruckle.Topology(one.faces, ANIMATION.vertex_count), base="curved")
    surface.update(ruckle.CoarseFrame(ANIMATION.positions[0], surface.topology), edge_levels=levels(one))
    expected = surface.displace().corner_values(ANIMATION.uv, ANIMATION.uv_faces)
    np.testing.assert_allclose(corner_values(fine, one.faces, UV), expected, atol=1e-6)


def test_garment_reject_with_the_library_s_sentence() -> None:
    with pytest.raises(ValueError, match=r"tau: expected a finite number above 1, got 0\.5"):
        play(garment(), [0], Look(0.01, tau=0.5))
    with pytest.raises(ValueError, match="vertices"):
        garment().fine(LOOK, LINE, 0, lambda frames: [ANIMATION.positions[0][:-1].copy() for _ in frames])
    bare = Garment(LIBRARY, Cloth(ANIMATION.positions[0], ANIMATION.faces))
    with pytest.raises(ValueError, match="Picture of folds: expected a mesh with a UV map, found none"):
        play(bare, [0], LOOKS["picture"])
    assert ruckle.__version__ == VERSION


def test_build_exact_the_extension_carries_its_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.delitem(sys.modules, "build", raising=False)
    import build

    (tmp_path / "libruckle_c.so").write_bytes(b"library")
    words = ["build.py", f"linux-x64={tmp_path / 'libruckle_c.so'}", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    build.main()
    with zipfile.ZipFile(tmp_path / "ruckle_wrinkles-0.1.0.zip") as extension:
        names = set(extension.namelist())
        manifest = build.tomllib.loads(extension.read("blender_manifest.toml").decode())
    assert {"__init__.py", "garment.py", "library.py", "LICENSE"} < names
    assert {wheel.removeprefix("./") for wheel in manifest["wheels"]} < names
    assert len(manifest["tagline"]) <= 64
    assert manifest["platforms"] == ["linux-x64"]


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("5.0.1", "called --command extension validate"),
        ("3.4.1", "is older than Blender 4.2"),
        (None, "there is no program"),
    ],
)
def test_build_exact_blender_validates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], version: str | None, said: str
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.delitem(sys.modules, "build", raising=False)
    import build

    if version is not None:
        program = tmp_path / "blender"
        program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "Blender {version}" || echo "called $@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if version else str(tmp_path))
    build.validate(tmp_path / "ruckle_wrinkles.zip")
    assert said in capfd.readouterr().out
