"""Loops: detection of animations that repeat; the wrinkles of every layer are equal at both ends of a loop."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from program import invoke
from ruckle import Animation, HeightFrame, Stack
from ruckle.io.results import load_run
from ruckle.loop import LoopedLayer, loop_period, looped
from ruckle.stack import StackFrame, step_frame

TAU = 1.1


@cache
def clip(frames: int = 24) -> Animation:
    """Return an animation of a jacket that folds and unfolds. The first and the last pose are equal."""
    part = ruckle.sample("sawing").cut(40, 40 + 4 * frames, 4)
    there_and_back = [*range(frames), *reversed(range(frames - 1))]
    return replace(part, positions=part.positions[there_and_back], fps=30.0)


def points(animation: Animation) -> tuple[np.ndarray, np.ndarray]:
    """Return face indices and barycentric coordinates of four points in each face."""
    weights = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]], np.float32)
    weights /= weights.sum(axis=1, keepdims=True)
    faces = np.arange(animation.face_count, dtype=np.int32)
    return np.repeat(faces, 4), np.tile(weights, (len(faces), 1))


def heights(frame: ruckle.LayerFrame, where: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    parts = [part for part in frame.parts if isinstance(part, HeightFrame)]
    return np.sum([part.heights(*where)[0] for part in parts], axis=0)


class Ripples(HeightFrame):
    """Heights that grow by the same amount in each frame, so that they do not repeat without a loop."""

    def heights(self, faces: Any, barycentric: Any) -> Any:
        x = self.points(faces, barycentric)[:, 0]
        return 1e-3 * self.index * np.sin(40 * x), np.zeros((len(faces), 3))


class RippleLayer:
    def __init__(self, animation: Animation) -> None:
        self.topology, self.count = ruckle.Wrinkler.for_animation(animation).topology, 0

    def step(self, positions: Any, dt: float = 1 / 30) -> Ripples:
        self.count += 1
        return Ripples(positions, self.topology, length_unit=0.02, index=self.count - 1)

    def reset(self) -> None:
        self.count = 0


def paths(animation: Animation) -> ruckle.Wrinkler:
    return ruckle.Wrinkler.for_animation(animation, tau=TAU)


def waves(animation: Animation) -> ruckle.WaveField:
    return ruckle.WaveField.for_animation(animation)


def patterns(animation: Animation) -> ruckle.Modulator:
    made = ruckle.animation_patterns(animation, "noise", wavelength="6%")
    return ruckle.Modulator.for_animation(animation, made)


def stack(animation: Animation) -> Stack:
    return Stack([paths(animation), patterns(animation)])


LAYERS = {"paths": paths, "waves": waves, "patterns": patterns, "stack": stack, "own": RippleLayer}


@pytest.mark.parametrize("name", LAYERS)
def test_property_loops_end_as_they_begin(name: str) -> None:
    animation = clip()
    where = points(animation)
    layer = LAYERS[name](animation)
    plain = np.array([heights(step_frame(layer, animation, k % 46), where) for k in range(2 * 46)])
    loop = looped(layer, animation)
    assert isinstance(loop, LoopedLayer)
    shown = [step_frame(loop, animation, k) for k in range(animation.frame_count)]
    found = np.array([heights(frame, where) for frame in shown])
    assert np.abs(found[0]).max() > 1e-4
    # the last frame is equal to the first; before the cross-fade, each frame is a frame of the second lap
    assert np.abs(found[-1] - found[0]).max() < 1e-6
    assert np.abs(found[:30] - plain[46:76]).max() < 1e-6
    # a change between frames is at most the change in both laps plus the change that the fade adds
    natural = np.abs(np.diff(plain, axis=0)).max()
    fade = np.abs(plain[46:] - plain[:46])[31:].max() / 16
    assert np.abs(np.diff(found, axis=0)).max() <= natural + fade + 1e-6
    # the fine mesh also returns to its first state
    fine = [ruckle.displace(shown[k]) for k in (0, 40, -1)]
    assert all(np.isfinite(mesh.positions).all() for mesh in fine)
    assert np.abs(fine[0].positions - fine[2].positions).max() < 1e-6
    # after a reset, a second run returns the same frames
    loop.reset()
    again = [heights(step_frame(loop, animation, k), where) for k in range(animation.frame_count)]
    assert np.array_equal(found, again)


def test_exact_a_period_inside_a_longer_take() -> None:
    lap = clip(12).positions[:-1]
    assert len(lap) == 22
    for count, period in ((23, 22), (40, None), (45, 22), (60, 22), (67, 22)):
        walk = lap[np.arange(count) % 22] + np.arange(count, dtype=np.float32)[:, None, None] * np.float32([0.01, 0, 0])
        take = replace(clip(12), positions=walk)
        assert loop_period(take) == period
    # if one pose is different, the shortest period is the whole animation
    bent = take.positions.copy()
    bent[30] += 0.1 * bent[0][:, ::-1]
    assert loop_period(replace(take, positions=bent)) == 66


@pytest.mark.parametrize("name", ["paths", "stack"])
def test_property_frames_of_a_longer_take_repeat(name: str) -> None:
    take = replace(clip(12), positions=clip(12).positions[np.arange(60) % 22])
    where = points(take)
    loop = looped(LAYERS[name](take), take)
    found = np.array([heights(step_frame(loop, take, k), where) for k in range(60)])
    assert np.abs(found[0]).max() > 1e-5
    assert np.abs(found[22:] - found[:-22]).max() < 1e-6


def test_exact_fade_weights_heights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ruckle.loop.FADE", 4 / 30)
    animation = clip()
    loop = looped(RippleLayer(animation), animation)
    frames = [step_frame(loop, animation, k) for k in range(animation.frame_count)]
    where = points(animation)
    own = [np.sin(40 * frame.parts[0].points(*where)[:, 0]) for frame in frames]
    # index 45 of the first lap corresponds to index 91 of the second lap; the fade's weight rises by 1/5 per frame
    for k, share in ((41, 0.0), (42, 0.2), (43, 0.4), (44, 0.6), (45, 0.8)):
        index = (1 - share) * (46 + k) + share * k
        assert np.allclose(heights(frames[k], where), 1e-3 * index * own[k], atol=1e-6)
        assert isinstance(frames[k], StackFrame) == (share > 0)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda p: p, 46),
        # the animation ends one frame before its first pose, so it continues with the first frame
        (lambda p: np.roll(p[:-1], 12, axis=0), 46),
        (lambda p: p[:30], None),
        # a walk: the last position differs from the first, so the pose repeats at another place
        (lambda p: p + np.linspace(0, 3, len(p))[:, None, None].astype(np.float32), 46),
        (lambda p: p[[0, 0, 0]], None),
        (lambda p: p[:2], None),
    ],
    ids=["closed", "open", "part", "walk", "still", "short"],
)
def test_exact_period(change: Any, expected: int | None) -> None:
    animation = replace(clip(), positions=change(clip().positions))
    assert loop_period(animation) == expected
    layer = paths(animation)
    assert (looped(layer, animation) is layer) == (expected is None)
    assert looped(layer, animation, "no") is layer
    if animation.frame_count > 2:
        assert isinstance(looped(layer, animation, "yes"), LoopedLayer)


def test_reject_loops() -> None:
    with pytest.raises(ValueError, match="loop: expected"):
        looped(paths(clip()), clip(), "maybe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="loop: expected at least 3 frames to repeat, got 2"):
        looped(paths(clip()), clip().cut(0, 2), "yes")
    with pytest.raises(ValueError, match="loop: cannot be combined with costs"):
        ruckle.run(clip(), loop="auto", costs=lambda stretch, dt: np.zeros((734, 3)))


def test_exact_run_of_a_loop_in_python_and_of_the_command(tmp_path: Path) -> None:
    frames = list(ruckle.run(clip(), loop="auto", tau=TAU))
    assert len(frames) == clip().frame_count
    first, last = frames[0].wrinkles, frames[-1].wrinkles
    assert len(first) == len(last) > 0
    assert [wrinkle.id for wrinkle in first] == [wrinkle.id for wrinkle in last]
    clip().save(tmp_path / "a.npz")
    arguments = ("run", str(tmp_path / "a.npz"), "-o", str(tmp_path / "run.npz"), "--tau", str(TAU))
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    assert "ends as it begins, so its wrinkles repeat" in result.stderr
    stored = load_run(tmp_path / "run.npz")
    for frame, wrinkles in zip(frames, stored.wrinkles, strict=True):
        assert [one.id for one in wrinkles] == [one.id for one in frame.wrinkles]
        assert len({one.id for one in wrinkles}) == len(wrinkles)
        crests = [one.crest for one in wrinkles], [one.crest for one in frame.wrinkles]
        assert np.allclose(*crests)
    assert "loop" not in invoke(*arguments, "--loop", "no").stderr
    assert len(load_run(tmp_path / "run.npz").wrinkles[0]) == 0


def test_exact_export_of_a_loop(tmp_path: Path) -> None:
    clip(8).save(tmp_path / "a.npz")
    result = invoke("export", str(tmp_path / "a.npz"), "-o", str(tmp_path / "fine.pc2"), "--tau", str(TAU))
    assert result.exit_code == 0, result.stderr
    fine = ruckle.load(tmp_path / "fine.pc2").positions
    assert np.abs(fine[0] - fine[-1]).max() < 1e-6


def test_exact_export_of_a_loop_as_morph_targets(tmp_path: Path) -> None:
    clip(8).save(tmp_path / "a.npz")
    result = invoke("export", str(tmp_path / "a.npz"), "-o", str(tmp_path / "fine.glb"), "--tau", str(TAU))
    assert result.exit_code == 0, result.stderr
    fine = ruckle.load(tmp_path / "fine.glb", mask="all").positions
    assert np.abs(np.diff(fine, axis=0)).max() > 1e-3
    assert np.abs(fine[0] - fine[-1]).max() < 1e-5


@pytest.mark.parametrize(("frames", "period"), [(15, 14), (14, 14), (12, 12)])
def test_exact_export_of_a_loop_as_textures(tmp_path: Path, frames: int, period: int) -> None:
    exr = pytest.importorskip("OpenEXR")
    replace(clip(8), positions=clip(8).positions[:frames]).save(tmp_path / "a.npz")
    arguments = ("-o", str(tmp_path / "vat"), "--form", "vat", "--tau", str(TAU))
    result = invoke("export", str(tmp_path / "a.npz"), *arguments)
    assert result.exit_code == 0, result.stderr
    [file] = (tmp_path / "vat").glob("*.json")
    said = json.loads(file.read_text())
    # in a closed clip, the last frame is equal to the first
    assert (said["frames"], said["lap"]) == (frames, period)
    assert said["seconds"] == pytest.approx(period / 30)
    with exr.File(str(next((tmp_path / "vat").glob("*_positions.exr")))) as opened:
        texels = opened.channels()["RGB"].pixels.reshape(frames, -1, 3)
    assert (np.abs(texels[0] - texels[-1]).max() < 1e-6) == (period < frames)
