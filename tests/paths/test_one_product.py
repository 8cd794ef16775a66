"""The C library and Python compute the same wrinkles for the same frames with default options."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import c_library
import ruckle
from c_library import DISPLACED
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import weld
from ruckle.paths.wrinkler import Wrinkler

Array = NDArray[Any]

# number of frames per sample: two seconds
FRAMES = 120


def python_results(animation: Animation, wrinkler: Wrinkler) -> Iterator[dict[str, Array]]:
    """Yield the results of a Wrinkler in Python, in the same form as `c_library.play`."""
    surface = ruckle.Surface(wrinkler.topology, base="flat")
    for index, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, 1.0 / animation.fps)
        found = {
            name: getattr(frame.columns, name) for name in ("offsets", "edges", "t", "points", "widths", "heights")
        }
        found["ids"] = frame.columns.rows["id"]
        if index % DISPLACED == 0:
            surface.update(frame)
            fine = surface.displace()
            found |= {"fine_positions": fine.positions, "fine_faces": fine.faces}
        yield found


def assert_equal_results(some: Iterator[dict[str, Array]], others: Iterator[dict[str, Array]]) -> int:
    """Assert that all frames of two runs are equal bit by bit. Return the number of wrinkles in all frames."""
    count = 0
    for one, other in zip(some, others, strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        count += len(one["ids"])
    return count


@pytest.mark.parametrize("name", ["sawing", "jumping_jack", "shoveling"])
def test_exact_c_and_python_give_the_same_bits_without_an_option(name: str) -> None:
    whole = ruckle.sample(name)
    animation = replace(whole, positions=whole.positions[:FRAMES])
    positions, faces, dt = animation.positions, np.ascontiguousarray(animation.faces), 1.0 / animation.fps
    wrinkler = Wrinkler(weld(positions[0], faces), animation.vertex_count)
    in_c = list(c_library.play(positions, faces, dt, default_options=False))
    assert assert_equal_results(iter(in_c), python_results(animation, wrinkler)) > 1000
    assert_equal_results(iter(in_c), c_library.play(positions, faces, dt, default_options=True))


def test_exact_a_run_without_a_height_takes_that_of_the_first_frame() -> None:
    sawing = ruckle.sample("sawing")
    animation = Animation(sawing.positions[:60], sawing.faces, fps=sawing.fps)
    assert animation.height_is_guess
    own = Wrinkler(weld(animation.positions[0], animation.faces), animation.vertex_count)
    read = Wrinkler.for_animation(animation)
    assert assert_equal_results(python_results(animation, own), python_results(animation, read)) > 100
