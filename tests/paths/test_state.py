"""Saved states of a Wrinkler: after `restore`, in this or another process, the next frames are equal bit by bit."""

import copy
import multiprocessing
import pickle
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import Animation, CoarseFrame, Frame, Stack, Surface, Topology, Wrinkler, displace
from ruckle.io.fine import fine_writer
from ruckle.io.lines import line_writer
from ruckle.io.results import RunWriter
from ruckle.mesh.topology import topology_of
from sanitized import garments

COPIES = {"pickle": lambda value: pickle.loads(pickle.dumps(value)), "deepcopy": copy.deepcopy, "copy": copy.copy}
each_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


def play(wrinkler: Wrinkler, animation: Animation, first: int, last: int) -> list[Frame]:
    return [wrinkler.step(positions, 1 / animation.fps) for positions in animation.positions[first:last]]


def assert_same(a: Frame, b: Frame) -> None:
    """Assert that everything except timings is equal in two frames."""
    for name in ("positions", "faces", "labels", "current", "reference"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("min", "max", "compression", "axis", "degenerate"):
        np.testing.assert_array_equal(getattr(a.stretch, name), getattr(b.stretch, name))
        np.testing.assert_array_equal(getattr(a.motion, name), getattr(b.motion, name))
    for ours, theirs in zip(a.columns, b.columns, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (a.index, a.length_unit, a.stats) == (b.index, b.length_unit, b.stats)


def written(frame: Frame, folder: Path) -> list[bytes]:
    """Return the contents of the files that exporters write for a frame: fine mesh, wrinkle lines, run."""
    animation = Animation(frame.positions[None], frame.faces)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        fine, lines, run = Path(place, "fine"), Path(place, "lines"), Path(place, "run.npz")
        for writer in (
            fine_writer(fine, animation, edge_length=0.02),
            line_writer(lines, animation),
            RunWriter(run, animation, {}),
        ):
            with writer:
                writer.append(frame)
                writer.finish()
        arrays = dict(np.load(run))
        return [next(fine.iterdir()).read_bytes(), next(lines.iterdir()).read_bytes(), pickle.dumps(arrays)]


@pytest.fixture(scope="module")
def sawing() -> tuple[Animation, Wrinkler, Frame]:
    """Return a sample, its Wrinkler after 60 frames, and the last frame."""
    animation = ruckle.sample("sawing")
    wrinkler = Wrinkler.for_animation(animation, tau=1.25)
    frame = play(wrinkler, animation, 0, 60)[-1]
    assert len(frame.wrinkles) > 20
    return animation, wrinkler, frame


@pytest.mark.parametrize("name", garments())
def test_exact_samples_go_back_and_on_with_the_same_bits(name: str) -> None:
    animation = ruckle.sample(name)
    back, on = animation.frame_count // 2, animation.frame_count // 2 + 40
    wrinkler = Wrinkler.for_animation(animation, tau=1.25)
    play(wrinkler, animation, 0, back)
    state = wrinkler.state()
    frames = play(wrinkler, animation, back, on)
    later = wrinkler.state()
    for restored in (wrinkler, Wrinkler.for_animation(animation, tau=1.25, threads=2)):
        restored.restore(state)
        assert (restored.state(), restored.frame_count) == (state, back)
        for again, frame in zip(play(restored, animation, back, on), frames, strict=True):
            assert_same(again, frame)
        assert restored.state() == later


def test_exact_lengths_of_the_first_frame_are_part_of_the_state() -> None:
    animation = ruckle.sample("sawing")
    wrinkler, other = (Wrinkler(topology_of(animation).faces, animation.vertex_count) for _ in range(2))
    frame = play(wrinkler, animation, 0, 30)[-1]
    other.step(3.0 * animation.positions[0])
    other.restore(wrinkler.state())
    again, *_ = play(other, animation, 30, 31)
    assert again.length_unit == frame.length_unit
    assert_same(again, *play(wrinkler, animation, 30, 31))


@each_copy
def test_exact_copied_wrinklers_go_on_by_themselves(sawing: tuple[Animation, Wrinkler, Frame], copied: Any) -> None:
    animation, wrinkler, _ = sawing
    before = wrinkler.state()
    one, other = copied(wrinkler), copied(wrinkler)
    for a, b in zip(play(one, animation, 60, 70), play(other, animation, 60, 70), strict=True):
        assert_same(a, b)
    assert wrinkler.state() == before != one.state()
    np.testing.assert_array_equal(a.faces, animation.faces)
    with pytest.raises(ValueError, match="read-only"):
        a.faces[0] = 0


@each_copy
def test_exact_copied_frames_hold_the_same(sawing: tuple[Animation, Wrinkler, Frame], copied: Any) -> None:
    frame = sawing[2]
    # cached attributes are not part of a copy, but are computed again
    assert frame.wrinkles
    assert len(frame.stretch)
    again = copied(copied(frame))
    assert_same(again, frame)
    assert (again.timings, repr(again)) == (frame.timings, repr(frame))
    assert len(pickle.dumps(again)) < 1.01 * len(pickle.dumps(frame))
    for array in (again.positions, again.labels, again.current, again.compression, again.wrinkles[0].points):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@each_copy
def test_exact_copied_topologies_and_other_frames_hold_the_same(
    sawing: tuple[Animation, Wrinkler, Frame], copied: Any
) -> None:
    frame = sawing[2]
    for topology in (frame.topology, Topology(frame.topology.faces, frame.topology.vertex_count)):
        again = copied(topology)
        assert (type(again), again.vertex_count) == (type(topology), topology.vertex_count)
        for name in ("faces", "edges", "face_edges", "face_neighbors", "edge_faces"):
            np.testing.assert_array_equal(getattr(again, name), getattr(topology, name))
    laid = Frame.of(frame.positions, frame.topology, frame.wrinkles, r_min=frame.length_unit, labels=frame.labels)
    assert_same(copied(laid), laid)
    coarse = copied(frame.coarse)
    assert isinstance(coarse, CoarseFrame)
    np.testing.assert_array_equal(coarse.positions, frame.positions)


@each_copy
def test_exact_copied_stacks_go_on_by_themselves(sawing: tuple[Animation, Wrinkler, Frame], copied: Any) -> None:
    animation, wrinkler, _ = sawing
    stack = Stack([copy.deepcopy(wrinkler)])
    again = COPIES["pickle"](stack)
    frame = stack.step(animation.positions[60])
    found = copied(again.step(animation.positions[60]))
    assert_same(found.layers[0], frame.layers[0])
    assert (found.stats, found.index) == (frame.stats, frame.index)


def test_exact_processes_step_and_return_frames(sawing: tuple[Animation, Wrinkler, Frame], tmp_path: Path) -> None:
    animation, wrinkler, _ = sawing
    here = copy.deepcopy(wrinkler).step(animation.positions[60], 1 / animation.fps)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(Wrinkler.step, wrinkler, animation.positions[60], 1 / animation.fps).result()
    assert_same(there, here)
    # a frame from another process can be exported and displaced like a frame from this process
    assert written(there, tmp_path) == written(here, tmp_path)
    surface, fine = Surface(wrinkler.topology), displace(here)
    surface.update(there)
    for again in (surface.displace(), displace(there)):
        np.testing.assert_array_equal(again.positions, fine.positions)
        np.testing.assert_array_equal(again.faces, fine.faces)


def test_reject_states_of_something_else(sawing: tuple[Animation, Wrinkler, Frame]) -> None:
    animation, wrinkler, _ = sawing
    state = wrinkler.state()
    chopping, other = ruckle.sample("chopping"), Wrinkler.for_animation(animation, tau=1.3)
    refused = {
        "state: expected bytes saved by a Wrinkler, got 0 other bytes": b"",
        f"state: expected all {len(state)} bytes that were saved, got 99": state[:99],
        "state: expected the bytes that were saved, got some that have changed since": state[:-1] + b"!",
        "state: expected version 4, got version 33": state[:8] + b"!" + state[9:],
        "state: expected the state of a Wrinkler with the same options, got one with another tau": other.state(),
        f"state: expected the state of a mesh of {animation.vertex_count} vertices and {len(animation.faces)} faces, "
        f"got that of a mesh of {chopping.vertex_count} vertices and {len(chopping.faces)} faces": (
            Wrinkler.for_animation(chopping, tau=1.25).state()
        ),
    }
    for sentence, bad in refused.items():
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            wrinkler.restore(bad)
        assert wrinkler.state() == state
    with pytest.raises(TypeError, match=re.escape("state: expected bytes, as state() returns them, got 5")):
        wrinkler.restore(5)  # type: ignore[arg-type]
    for same in (bytearray(state), memoryview(state)):
        wrinkler.restore(same)
    assert wrinkler.state() == state
