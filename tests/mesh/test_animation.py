"""The class Animation: accepted and rejected arguments, resampling, and saving to a file and loading again."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ruckle import Animation, FormatError, MeshError, load

FACES = np.array([[0, 1, 2], [2, 1, 3]])
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [1, 2, 0]])


def moving(frame_count: int = 4) -> np.ndarray:
    """Return a square that moves along x by one unit per frame: positions (F, 4, 3) float64."""
    return SQUARE + np.arange(frame_count)[:, None, None] * np.array([1.0, 0, 0])


def test_exact_arrays_are_read_only_and_the_callers_stay_writable() -> None:
    positions = moving().astype(np.float32)
    animation = Animation(positions, FACES)
    assert np.shares_memory(animation.positions, positions)
    with pytest.raises(ValueError, match="read-only"):
        animation.positions[0, 0, 0] = 1
    positions[0, 0, 0] = 1
    with pytest.raises(AttributeError):
        animation.fps = 3.0  # type: ignore[misc]


def test_exact_other_byte_order_and_layout_are_taken() -> None:
    animation = Animation(np.asfortranarray(moving().astype(">f4")), FACES.astype(np.uint8)[:, ::1])
    assert animation.positions.flags.c_contiguous
    assert np.array_equal(animation.positions, moving())


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 15.0, 24.0, 29.97])
def test_exact_resampling_follows_a_uniform_motion(fps: float) -> None:
    resampled = Animation(moving(31), FACES, fps=30).at_rate(fps)
    assert (resampled.fps, resampled.frame_count) == (fps, int(np.floor(1.0 * fps + 1e-3)) + 1)
    # the square moves by one unit per frame at 30 fps, so by 30 units per second
    expected = np.arange(resampled.frame_count) / fps * 30
    assert np.allclose(resampled.positions[:, 0, 0], expected, atol=2e-5, rtol=0)


def test_exact_resampling_keeps_frames_that_coincide() -> None:
    generator = np.random.default_rng(1)
    animation = Animation(generator.normal(size=(20, 4, 3)).astype(np.float32), FACES, fps=24, height=1)
    assert np.array_equal(animation.at_rate(24).positions, animation.positions)
    doubled = animation.at_rate(48)
    assert np.array_equal(doubled.positions[::2], animation.positions)
    assert np.allclose(doubled.positions[1], (animation.positions[0] + animation.positions[1]) / 2)
    assert np.array_equal(doubled.at_rate(24).positions, animation.positions)
    # 55 * (30 / 110) is slightly below 15 in float64; without a tolerance, frame 55 would be interpolated instead of
    # copied
    assert 55 * (30 / 110) != 15
    positions = np.random.default_rng(2).normal(size=(31, 4, 3)).astype(np.float32)
    positions[[14, 16]] *= 1e20
    resampled = Animation(positions, FACES, fps=30, height=1).at_rate(110)
    assert np.array_equal(resampled.positions[55], positions[15])


SPIKE = np.arange(48).reshape(4, 4, 3) == 34  # True at one coordinate of vertex 3 in frame 2
REJECTED: list[tuple[dict[str, Any], str]] = [
    ({"positions": moving()[0]}, "positions: expected real numbers of shape (F, V, 3), got float64 (4, 3)"),
    ({"positions": moving(0)}, "positions: an animation needs at least one frame, got shape (0, 4, 3)"),
    ({"positions": moving()[:, :3]}, "faces: face 1 refers to vertex 3, allowed are 0 to 2"),
    ({"positions": moving() * 0}, "positions: all vertices of frame 0 lie in one point, so the height must be given"),
    ({"positions": moving() * 1e300}, "positions: frame 0, vertex 1 is not finite (inf, 0.0, 0.0)"),
    *(({"positions": np.where(SPIKE, bad, moving())}, "positions: frame 2, vertex 3") for bad in (np.nan, -np.inf)),
    ({"faces": FACES.astype(float)}, "faces: expected integers of shape (T, 3), got float64 (2, 3)"),
    ({"faces": FACES[:0]}, "faces: a mesh needs at least one face, got shape (0, 3)"),
    ({"faces": [[0, 1, 2], [0, 1, 2**40]]}, "faces: face 1 refers to vertex 1099511627776, allowed are 0 to 3"),
    ({"faces": [[0, 1, 2], [1, 3, 1]]}, "faces: face 1 uses one vertex twice: (1, 3, 1)"),
    ({"uv": SQUARE[:3, :2]}, "uv: expected one coordinate for each of 4 vertices, got 3"),
    ({"uv": SQUARE[:, :2] * np.nan}, "uv: coordinate 0 is not finite"),
    ({"rest_positions": SQUARE[:3]}, "rest_positions: expected real numbers of shape (4, 3), got float64 (3, 3)"),
    ({"rest_positions": SQUARE + np.inf}, "rest_positions: vertex 0 is not finite (inf, inf, inf)"),
    ({"uv_faces": FACES}, "uv_faces: given without uv"),
    ({"uv": SQUARE[:2, :2], "uv_faces": FACES}, "uv_faces: face 0 refers to uv coordinate 2, allowed are 0 to 1"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "message"), REJECTED)
def test_reject_bad_mesh(changed: dict[str, Any], message: str) -> None:
    arguments = {"positions": moving(), "faces": FACES, **changed}
    with pytest.raises(MeshError, match=f"^{re.escape(message)}"):
        Animation(**arguments)


def test_reject_float64_positions_that_float32_cannot_resolve() -> None:
    far = moving() + 1e5
    message = r"^positions: lie up to 10000\d from the origin, where float32 resolves 0\.0078, too coarse for a mesh"
    with pytest.raises(MeshError, match=message):
        Animation(far, FACES)
    # coordinates that use the whole range of float32 do not cause a warning about an overflow
    Animation((moving() - moving()[0, 3] / 2) * [1, 3.4e38, 1], FACES)
    # float32 positions are accepted, because they are rounded already; near the origin, rounding is harmless
    Animation(far.astype(np.float32), FACES)
    Animation(moving() + 1e3, FACES)


@pytest.mark.parametrize("argument", ["fps", "height"])
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "30", True, [30], 10**400])
def test_reject_rate_and_height_that_are_not_positive(argument: str, value: Any) -> None:
    error = TypeError if isinstance(value, (str, bool, list)) else ValueError
    with pytest.raises(error, match=rf"^{argument}: expected a finite number above 0, got"):
        Animation(moving(), FACES, **{argument: value})


NAMES = st.text(st.characters(exclude_characters="\0"), max_size=20)


@given(st.floats(1e-3, 1e4), NAMES, st.floats(1e-6, 1e6), st.sampled_from([0, 4, 6]), st.integers(0, 1000))
def test_property_npz_round_trip_is_exact(
    tmp_path_factory: pytest.TempPathFactory, fps: float, name: str, height: float, uv_count: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    uv = generator.random((uv_count, 2)) if uv_count else None
    uv_faces = [[0, 1, 2], [3, 4, 5]] if uv_count == 6 else None
    positions = generator.normal(size=(generator.integers(1, 5), 4, 3))
    rest = positions[-1] if seed % 2 else None
    saved = Animation(
        positions, FACES, fps=fps, uv=uv, uv_faces=uv_faces, rest_positions=rest, name=name, height=height
    )
    path = tmp_path_factory.mktemp("round") / "file.npz"
    saved.save(path)
    loaded = load(path)
    assert (loaded.fps, loaded.name, loaded.height) == (saved.fps, saved.name, saved.height)
    for field in ("positions", "faces", "uv", "uv_faces", "rest_positions"):
        first, second = np.asarray(getattr(saved, field)), np.asarray(getattr(loaded, field))
        assert first.dtype == second.dtype
        assert np.array_equal(first, second)


@pytest.mark.parametrize("name", ["shirt.obj", "shirt.glb", "shirt.txt", "shirt"])
def test_reject_saving_under_an_extension_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        FormatError, match=rf"{name}: cannot be written as '.*', allowed are \.npz, \.abc, \.pc2, \.mdd$"
    ):
        Animation(moving(), FACES).save(tmp_path / name)
