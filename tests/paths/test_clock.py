"""Wrinkles with a clock, which step at a lower rate than the display."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle

PICTURES = 48


@pytest.fixture(scope="module")
def animation() -> ruckle.Animation:
    return ruckle.sample("sawing").cut(0, PICTURES)


def clock_of(animation: ruckle.Animation, *, interval: float, offset: float = 0.0) -> ruckle.WrinkleClock:
    return ruckle.WrinkleClock(ruckle.Wrinkler.for_animation(animation), interval=interval, offset=offset)


def heights_of(frame: ruckle.Frame) -> NDArray[np.float64]:
    """Return the heights of wrinkles at two points of each triangle, in units of r_min."""
    faces = np.arange(frame.topology.face_count, dtype=np.int32)
    points = [np.tile(np.array(b, np.float32), (len(faces), 1)) for b in ((1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1))]
    return np.concatenate([frame.heights(faces, point)[0] for point in points]) / frame.length_unit


def pictures(clock: ruckle.WrinkleClock, animation: ruckle.Animation) -> list[ruckle.Frame]:
    return [clock.step(positions, dt=1 / 60) for positions in animation.positions]


def test_property_heights_between_steps_are_blends(animation: ruckle.Animation) -> None:
    frames = pictures(clock_of(animation, interval=1 / 15), animation)
    assert [round(4 * frame.share) for frame in frames[:9]] == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    heights = [heights_of(frame) for frame in frames]
    for first in range(8, PICTURES - 4, 4):
        for k in range(1, 4):
            between = (1 - k / 4) * heights[first] + k / 4 * heights[first + 4]
            np.testing.assert_allclose(heights[first + k], between, atol=1e-5)
    assert max(map(np.max, heights)) > 0.2


def test_property_a_step_shows_the_lines_of_the_step_before(animation: ruckle.Animation) -> None:
    frames = pictures(clock_of(animation, interval=1 / 30), animation)
    slow = ruckle.Wrinkler.for_animation(animation)
    steps = [slow.step(positions, dt=1 / 30) for positions in animation.positions[::2]]
    for number in (10, 20):
        np.testing.assert_array_equal(heights_of(frames[2 * number]), heights_of(steps[number - 1]))


def test_property_blended_heights_do_not_jerk(animation: ruckle.Animation) -> None:
    blended = np.array([heights_of(frame) for frame in pictures(clock_of(animation, interval=1 / 15), animation)][8:])
    held = blended[::4].repeat(4, axis=0)
    jerk, held_jerk = (np.sqrt(np.mean(np.diff(h, 2, axis=0) ** 2)) for h in (blended, held))
    assert jerk < 0.4 * held_jerk
    assert np.abs(np.diff(blended, axis=0)).max() < 0.4 * np.abs(np.diff(held, axis=0)).max()


def test_property_without_interval_frames_are_those_of_the_wrinkler(animation: ruckle.Animation) -> None:
    wrinkler = ruckle.Wrinkler.for_animation(animation)
    for frame, positions in zip(
        pictures(clock_of(animation, interval=0.0), animation), animation.positions, strict=True
    ):
        expected = wrinkler.step(positions, dt=1 / 60)
        assert frame.share == 1.0
        np.testing.assert_array_equal(heights_of(frame), heights_of(expected))


def test_property_heights_remain_continuous_if_the_interval_changes(animation: ruckle.Animation) -> None:
    clock, shares, heights = clock_of(animation, interval=2 / 15), [], []
    for number, positions in enumerate(animation.positions):
        clock.interval = 2 / 15 if number < 20 else 1 / 30
        frame = clock.step(positions, dt=1 / 60)
        shares.append(frame.share)
        heights.append(heights_of(frame))
    assert shares[9:16] == pytest.approx([1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8], abs=1e-5)
    # a step reduces the interval at most to half: from 8 displayed frames to 4, then to 2
    assert shares[24:32] == pytest.approx([0, 1 / 4, 2 / 4, 3 / 4, 0, 1 / 2, 0, 1 / 2], abs=1e-5)
    assert np.abs(np.diff(heights, axis=0)).max() < 0.3


def test_property_offsets_spread_the_steps(animation: ruckle.Animation) -> None:
    clock = clock_of(animation, interval=1 / 15, offset=0.5)
    clock.step(animation.positions[0], dt=1 / 60)
    steps = []
    for positions in animation.positions[1:8]:
        clock.step(positions, dt=1 / 60)
        steps.append(clock.has_stepped)
    assert steps == [False, True, False, False, False, True, False]


def test_property_a_step_that_waits_holds_the_heights(animation: ruckle.Animation) -> None:
    clock = clock_of(animation, interval=1 / 30)
    for positions in animation.positions[:21]:
        clock.step(positions, dt=1 / 60)
    waiting = [clock.step(positions, dt=1 / 60, may_step=False) for positions in animation.positions[21:25]]
    assert [frame.share for frame in waiting] == [0.5, 1.0, 1.0, 1.0]
    np.testing.assert_array_equal(heights_of(waiting[1]), heights_of(waiting[3]))
    np.testing.assert_array_equal(heights_of(clock.step(animation.positions[25], dt=1 / 60)), heights_of(waiting[3]))


def test_property_a_restored_clock_continues_with_the_same_bits(animation: ruckle.Animation) -> None:
    clock = clock_of(animation, interval=1 / 15)
    for positions in animation.positions[:18]:
        clock.step(positions, dt=1 / 60)
    state = clock.state()
    other = clock_of(animation, interval=1 / 15)
    other.restore(state)
    for positions in animation.positions[18:]:
        expected, found = clock.step(positions, dt=1 / 60), other.step(positions, dt=1 / 60)
        assert (found.share, found.index) == (expected.share, expected.index)
        np.testing.assert_array_equal(heights_of(found), heights_of(expected))


def test_reject(animation: ruckle.Animation) -> None:
    wrinkler = ruckle.Wrinkler.for_animation(animation)
    with pytest.raises(ValueError, match="interval: expected seconds in"):
        ruckle.WrinkleClock(wrinkler, interval=2.0)
    with pytest.raises(ValueError, match="offset: expected a share"):
        ruckle.WrinkleClock(wrinkler, offset=1.0)
    clock = ruckle.WrinkleClock(wrinkler, interval=1 / 15)
    clock.step(animation.positions[0], dt=1 / 60)
    with pytest.raises(ruckle.MeshError, match="positions: expected finite numbers"):
        clock.step(np.full_like(animation.positions[1], np.nan), dt=1 / 60)
    with pytest.raises(ValueError, match="dt: expected a number of seconds"):
        clock.step(animation.positions[1], dt=0.0)
    assert clock.step(animation.positions[1], dt=1 / 60).share == pytest.approx(0.25)
    with pytest.raises(ValueError, match="before its first frame"):
        ruckle.WrinkleClock(wrinkler)


def test_property_a_crowd_is_its_clocks_within_a_budget(animation: ruckle.Animation) -> None:
    clocks = [clock_of(animation, interval=1 / 30) for _ in range(3)]
    crowd, alone = ruckle.Crowd(clocks), clock_of(animation, interval=1 / 30)
    with ThreadPoolExecutor(2) as pool:
        for positions in animation.positions[:20]:
            frames = crowd.step([positions] * 3, dt=1 / 60, distances=[1.0, 20.0, 60.0], budget=1e6, run=pool.map)
            expected = alone.step(positions, dt=1 / 60)
    assert [round(1 / clock.interval, 1) for clock in clocks] == [30.0, 15.0, 7.5]
    np.testing.assert_array_equal(heights_of(frames[0]), heights_of(expected))
    crowd.reset()
    steps = []
    for positions in animation.positions[:20]:
        crowd.step([positions] * 3, dt=1 / 60, distances=[1.0, 1.0, 1.0], budget=0.0)
        steps.append([clock.has_stepped for clock in clocks])
    assert steps[0] == [True] * 3
    assert not any(map(any, steps[1:]))
    with pytest.raises(ValueError, match="positions, distances: expected 3 of each, got 1 and 3"):
        crowd.step([positions], distances=[1.0] * 3, budget=0.0)


def test_property_waiting_times_count_relative_to_the_interval() -> None:
    faces, rest = np.array([[0, 1, 2]]), np.eye(3, dtype=np.float32)
    clocks = [ruckle.WrinkleClock(ruckle.Wrinkler(faces, 3, r_min=0.1)) for _ in range(8)]
    # nearly equal distances, but the interval of the last four members is four times as long
    crowd = ruckle.Crowd(clocks, distances=(10.0, 20.0), intervals=(1 / 60, 4 / 60, 1.0))
    step_cost, picture_cost = crowd._core.costs
    budget, counts = 1e-3 * (8 * picture_cost + 1.5 * step_cost), np.zeros(8)
    for picture in range(20 + 240):
        positions = [rest + np.float32([0.01 * picture, 0, 0])] * 8
        crowd.step(positions, 1 / 60, distances=[9.9] * 4 + [10.1] * 4, budget=budget)
        stepped = [clock.has_stepped for clock in clocks]
        assert picture == 0 or sum(stepped) == 1
        counts += np.array(stepped) * (picture >= 20)
    # A member steps if t²/interval is largest, with the time t since its step: both motion and age are proportional to
    # t. Members with four times the interval therefore wait twice as long: 12 frames instead of 6.
    np.testing.assert_allclose(counts, [40] * 4 + [20] * 4, atol=3)


def test_exact_a_crowd_compares_frames_of_one_buffer(animation: ruckle.Animation) -> None:
    """A caller may write the positions of every frame into one array."""
    budget = 1e-3 * 734 * (3 * 60 + 1.5 * 300)
    crowds = [
        ruckle.Crowd([clock_of(animation, interval=1 / 60) for _ in range(3)], intervals=(1 / 60,) * 3)
        for _ in range(2)
    ]
    buffer = np.empty_like(animation.positions[0])
    stepped = np.zeros(3)
    for picture in range(PICTURES - 12):
        # the members move at different speeds: only their motion decides which one steps
        at = [animation.positions[each] for each in (0, picture // 4, picture)]
        buffer[:] = at[2]
        for crowd, last in zip(crowds, (at[2].copy(), buffer), strict=True):
            crowd.step([*at[:2], last], distances=[1.0] * 3, budget=budget)
        flags = [[clock.has_stepped for clock in crowd.members] for crowd in crowds]
        assert flags[0] == flags[1]
        stepped += flags[0]
    assert stepped[2] > stepped[1] > stepped[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"positions": [np.zeros((3, 3))] * 2}, r"positions\[0\]: expected an array of shape \(389, 3\), got \(3, 3\)"),
        ({"positions": np.zeros(3)}, "positions, distances: expected 2 of each, got 3 and 2"),
        ({"positions": None}, "positions: expected a sequence, got None"),
        ({"distances": [1.0, -1.0]}, "distances: expected numbers of at least 0, got -1"),
        ({"distances": [1.0, np.nan]}, "distances: expected numbers of at least 0, got nan"),
        ({"distances": [1.0, "far"]}, r"distances\[1\]: expected a number, got 'far'"),
        ({"budget": np.nan}, "budget: expected a number of at least 0, got nan"),
        ({"dt": 0.0}, r"dt: expected a number of seconds in \(0, 1e6\], got 0.0"),
        ({"run": 3}, "run: expected a function such as map, got 3"),
    ],
)
def test_reject_frames_of_a_crowd(animation: ruckle.Animation, change: dict[str, Any], message: str) -> None:
    crowd = ruckle.Crowd([clock_of(animation, interval=1 / 30) for _ in range(2)])
    frame = {"positions": list(animation.positions[:2]), "distances": [1.0, 1.0], "budget": 1e4}
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        crowd.step(**{**frame, **change})
    assert [member.frame for member in crowd.members] == [None, None]


def test_reject_crowds(animation: ruckle.Animation) -> None:
    clock = clock_of(animation, interval=1 / 30)
    for arguments, message in (
        ({"members": [clock, clock]}, "members: expected different clocks"),
        ({"members": clock}, "members: expected a sequence"),
        ({"members": [3]}, r"members\[0\]: expected a WrinkleClock, got 3"),
        ({"members": [], "distances": (1.0,)}, "distances: expected 2 numbers, got 1"),
        ({"members": [], "intervals": (1.0, 1.0, 2.0)}, r"intervals\[2\]: expected seconds in \[0, 1\], got 2.0"),
        ({"members": [], "distances": (3.0, 1.0)}, "distances: expected two finite lengths"),
    ):
        with pytest.raises((ValueError, TypeError), match=f"^{message}"):
            ruckle.Crowd(**arguments)  # type: ignore[arg-type]
