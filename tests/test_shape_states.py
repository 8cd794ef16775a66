"""States of layers with shapes: after `restore`, in this or another process, the next frames are equal bit by bit."""

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from learning import garment, random_model
from posed_arm import database, moving_arm
from ruckle import PoseSynthesizer, ShapeFrame, Stack, Upsampler, Wrinkler

CLOTH = garment()
MODEL = random_model(CLOTH, pairs=3)
ARM = moving_arm()


def upsampler(**options: Any) -> Upsampler:
    return Upsampler(MODEL, **{"rate": 1.3, **options})


def synthesizer(**options: Any) -> PoseSynthesizer:
    return PoseSynthesizer.for_animation(ARM, database(), **{"strength": 0.8, **options})


def flutter(layer: Any, first: int, last: int) -> list[Any]:
    """Step a layer through frames of a randomly moving garment with uneven time steps.

    Return the results of all steps.
    """
    random = np.random.default_rng(5)
    moved = CLOTH.coarse_rest + np.cumsum(0.01 * random.normal(size=(last, CLOTH.coarse_count, 3)), axis=0)
    return [layer.step(moved[frame], (1 + frame % 2) / 60) for frame in range(first, last)]


def bend(layer: Any, first: int, last: int) -> list[Any]:
    return [layer.step(ARM.positions[frame], bones=ARM.bones[frame]) for frame in range(first, last)]  # type: ignore[index]


LAYERS: dict[str, tuple[Callable[..., Any], Callable[[Any, int, int], list[Any]]]] = {
    "upsampler": (upsampler, flutter),
    "synthesizer": (synthesizer, bend),
}
each_layer = pytest.mark.parametrize("name", LAYERS)


def assert_same(ours: list[ShapeFrame], theirs: list[ShapeFrame]) -> None:
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a.shape.positions, b.shape.positions)
        np.testing.assert_array_equal(a.positions, b.positions)
        assert (a.index, a.length_unit, type(a)) == (b.index, b.length_unit, type(b))


@each_layer
@pytest.mark.parametrize("back", [0, 7])
def test_exact_layers_go_back_and_on_with_the_same_bits(name: str, back: int) -> None:
    make, play = LAYERS[name]
    went, other = make(), make()
    play(went, 0, back)
    state = went.state()
    frames = play(went, back, 15)
    later = went.state()
    play(other, 3, 9)
    pickled, fresh = pickle.loads(pickle.dumps(other)), make()
    for restored in (went, other, pickled, copy.deepcopy(other), fresh):
        restored.restore(bytearray(state))
        assert (restored.state(), restored.frame_count) == (state, back)
        assert_same(play(restored, back, 15), frames)
        assert restored.state() == later


@each_layer
def test_exact_pickled_layers_and_frames_go_on(name: str) -> None:
    make, play = LAYERS[name]
    went = make()
    frame = play(went, 0, 6)[-1]
    there = pickle.loads(pickle.dumps(went))
    assert there.frame_count == 6
    assert repr(there) == repr(went)
    assert_same([pickle.loads(pickle.dumps(frame))], [frame])
    assert_same(play(there, 6, 10), play(went, 6, 10))


def test_exact_stacks_of_shapes_and_paths_go_back() -> None:
    def stack() -> Stack:
        return Stack([upsampler(), Wrinkler(MODEL.topology, r_min=0.01)])

    went = stack()
    flutter(went, 0, 5)
    state = went.state()
    frames = flutter(went, 5, 12)
    for restored in (went, stack()):
        restored.restore(state)
        again = flutter(restored, 5, 12)
        assert_same([frame.layers[0] for frame in again], [frame.layers[0] for frame in frames])
        for a, b in zip(again, frames, strict=True):
            np.testing.assert_array_equal(a.layers[1].labels, b.layers[1].labels)


@each_layer
def test_reject_states_of_something_else(name: str) -> None:
    make, play = LAYERS[name]
    went = make()
    play(went, 0, 5)
    state, kind = went.state(), {"upsampler": "an Upsampler", "synthesizer": "a PoseSynthesizer"}[name]
    same = f"state: expected the state of {kind} with the same options, got one with another "
    refused = {
        f"state: expected bytes saved by {kind}, got 5 other bytes": b"other",
        "state: expected the bytes that were saved, got some that have changed since": state[:-1] + b"!",
        "state: expected version 1, got version 33": state[:8] + b"!" + state[9:],
    }
    if name == "upsampler":
        refused[f"{same}rate"] = upsampler(rate=1.0).state()
        refused[f"{same}model"] = Upsampler(
            random_model(CLOTH, operator=MODEL.operator[:, ::-1].copy(), pairs=3), rate=1.3
        ).state()
    else:
        refused[f"{same}strength"] = synthesizer(strength=1.0).state()
    for sentence, bad in refused.items():
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            went.restore(bad)
        assert went.state() == state
    with pytest.raises(TypeError, match=re.escape("state: expected bytes, as state() returns them, got 5")):
        went.restore(5)
