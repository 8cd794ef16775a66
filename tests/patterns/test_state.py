"""Saved states of patterns and stacks: after `restore`, in this or another process, the next frames have equal bits."""

import copy
import pickle
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import ruckle
from layers import WavesLayer
from patterned_cloth import crossed, grid_of, mixed_grid, sheet, squeezed, waves
from ruckle import Modulation, Modulator, Stack, StackFrame, Wrinkler

MESH = sheet()
OPTIONS = {"smoothing": 0.1, "r_min": 0.3}
COPIES = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "deepcopy": copy.deepcopy, "copy": copy.copy}


def modulator(**options: Any) -> Modulator:
    paint = np.linspace(0.2, 1.0, len(MESH.positions))
    return Modulator(crossed(grid_of(MESH)), **{"paint": paint, **OPTIONS, **options})


def stack(threads: int = 1) -> Stack:
    wrinkler = Wrinkler(MESH.topology, r_min=0.3, tau=1.1, threads=threads)
    return Stack([wrinkler, modulator(threads=threads)])


def play(layer: Any, first: int, last: int) -> list[Any]:
    """Step a layer through frames `first` to `last` of cloth that is compressed and released. Return the results.

    The time steps alternate between 1/60 and 2/60 seconds.
    """
    return [
        layer.step(squeezed(MESH.positions, 1.0 - 0.15 * (1 - np.cos(0.3 * frame))), (1 + frame % 2) / 60)
        for frame in range(first, last)
    ]


def assert_same(ours: Sequence[Modulation], theirs: Sequence[Modulation]) -> None:
    """Assert that everything except timings is equal in the frames of two runs."""
    for a, b in zip(ours, theirs, strict=True):
        for name in ("positions", "factors", "weights", "target", "area_gains", "missing"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert (a.index, a.stats, a.length_unit, a.highest) == (b.index, b.stats, b.length_unit, b.highest)


def assert_same_stacks(ours: Sequence[StackFrame], theirs: Sequence[StackFrame]) -> None:
    assert_same([frame.layers[1] for frame in ours], [frame.layers[1] for frame in theirs])  # type: ignore[misc]
    for a, b in zip(ours, theirs, strict=True):
        assert (a.index, a.stats) == (b.index, b.stats)
        np.testing.assert_array_equal(ruckle.displace(a).positions, ruckle.displace(b).positions)


@pytest.mark.parametrize("back", [0, 1, 15])
def test_exact_modulators_go_back_and_on_with_the_same_bits(back: int) -> None:
    went = modulator()
    play(went, 0, back)
    state = went.state()
    frames = play(went, back, 30)
    later = went.state()
    assert frames[-1].factors.max() > 0.1
    # restore into the same modulator, a new modulator, and a modulator that has stepped through other frames
    other = modulator(threads=2)
    other.step(2.0 * MESH.positions, reference=np.full((len(MESH.faces), 2, 2), 0.3) + np.eye(2))
    for restored in (went, modulator(), other):
        restored.restore(state)
        assert (restored.state(), restored.frame_count) == (state, back)
        assert_same(play(restored, back, 30), frames)
        assert restored.state() == later


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_exact_copied_modulators_and_frames_go_on_by_themselves(copied: Any) -> None:
    went = modulator()
    frame = play(went, 0, 15)[-1]
    state = went.state()
    one, other = copied(went), copied(copied(went))
    assert_same(play(one, 15, 20), play(other, 15, 20))
    assert went.state() == state != one.state()
    np.testing.assert_array_equal(one.heights, went.heights)
    again = copied(copied(frame))
    assert_same([again], [frame])
    assert (repr(again), again.timings, repr(one)) == (repr(frame), frame.timings, repr(other))
    np.testing.assert_array_equal(ruckle.displace(again).positions, ruckle.displace(frame).positions)
    with pytest.raises(ValueError, match="read-only"):
        again.factors[0] = 0


def test_exact_a_modulator_of_an_animation_pickles() -> None:
    animation = ruckle.sample("sawing").cut(0, 30)
    patterns = ruckle.animation_patterns(animation, "noise", wavelength="6%")
    went = Modulator.for_animation(animation, patterns)
    for positions in animation.positions[:20]:
        went.step(positions, 1 / animation.fps)
    there = pickle.loads(pickle.dumps(went))
    frames = [each.step(animation.positions[20], 1 / animation.fps) for each in (went, there)]
    assert_same(frames[:1], frames[1:])
    np.testing.assert_array_equal(frames[1].faces, animation.faces)


def test_reject_states_of_something_else() -> None:
    went = modulator()
    play(went, 0, 10)
    state, corner = went.state(), MESH.positions.copy()
    corner[0, 2] += 0.5
    bent = ruckle.PatternGrid(MESH.topology, corner, edge_parts=grid_of(MESH).edge_parts)
    same = "state: expected the state of a Modulator with the same options, got one with another "
    scattered = Modulator([waves(mixed_grid())])
    counts = [
        f"mesh of {t.vertex_count} vertices and {t.face_count} faces" for t in (MESH.topology, scattered.topology)
    ]
    refused = {
        "state: expected bytes saved by a Modulator, got 0 other bytes": b"",
        "state: expected the bytes that were saved, got some that have changed since": state[:-1] + b"!",
        "state: expected version 1, got version 33": state[:8] + b"!" + state[9:],
        f"state: expected the state of a {counts[0]}, got that of a {counts[1]}": scattered.state(),
        f"{same}smoothing": modulator(smoothing=0.2).state(),
        f"{same}paint": modulator(paint=None).state(),
        f"{same}rest pose": Modulator(crossed(bent), paint=np.linspace(0.2, 1.0, len(corner)), **OPTIONS).state(),
        f"{same}set of patterns": Modulator(crossed(grid_of(MESH))[::-1], paint=None, **OPTIONS).state(),
    }
    wrinkler = Wrinkler(MESH.topology, r_min=0.3)
    refused[f"state: expected bytes saved by a Modulator, got {len(wrinkler.state())} other bytes"] = wrinkler.state()
    for sentence, bad in refused.items():
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            went.restore(bad)
        assert went.state() == state
    with pytest.raises(TypeError, match=re.escape("state: expected bytes, as state() returns them, got 5")):
        went.restore(5)  # type: ignore[arg-type]
    went.restore(memoryview(state))


@pytest.mark.parametrize("back", [0, 12])
def test_exact_stacks_go_back_and_on_with_the_same_bits(back: int) -> None:
    went = stack()
    play(went, 0, back)
    state = went.state()
    frames = play(went, back, 24)
    assert any(len(frame.layers[0].wrinkles) for frame in frames)  # type: ignore[attr-defined]
    other = stack(threads=2)
    play(other, 3, 9)
    for restored in (went, stack(), other, pickle.loads(pickle.dumps(other))):
        restored.restore(pickle.loads(pickle.dumps(state)))
        assert (restored.frame_count, restored.state()) == (back, state)
        assert_same_stacks(play(restored, back, 24), frames)
    outer = Stack([went])
    outer.restore(copy.deepcopy(outer).state())
    assert outer.frame_count == 0


def test_reject_states_that_a_layer_refuses_change_no_layer() -> None:
    went, wrinkler = stack(), Wrinkler(MESH.topology, r_min=0.3, tau=1.1)
    play(went, 0, 12)
    other = Stack([wrinkler, modulator(smoothing=0.2)])
    play(other, 0, 5)
    before = went.state()
    with pytest.raises(ValueError, match="another smoothing"):
        went.restore(other.state())
    assert went.state() == before
    with pytest.raises(ValueError, match="state: expected the state of 2 layers, got that of 1"):
        went.restore(Stack([wrinkler]).state())
    with pytest.raises(TypeError, match=r"state: expected a StackState, got b'';"):
        went.restore(b"")  # type: ignore[arg-type]
    for call in (Stack.state, lambda layers: layers.restore(before)):
        with pytest.raises(TypeError, match=re.escape("layers[0]: expected a layer that can go back, with state and ")):
            call(Stack([WavesLayer(MESH.topology), modulator()]))
