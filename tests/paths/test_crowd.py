"""Crowds (many garments with a clock and a time budget) in the C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from ruckle import _core
from ruckle.c_structures import structures

LIBRARY = ctypes.CDLL(_core.__file__)
LIBRARY.ruckle_error_message.restype = ctypes.c_char_p
LIBRARY.ruckle_garment_state_size.restype = ctypes.c_size_t
STRUCTURES = structures(LIBRARY)

# A table consists of 32-bit words: number of words in its header, and indices of words in the header. The words EDGES
# and CARRIERS contain the index of the first word of a part.
HEADER, EDGES, SHARE, CARRIERS = 12, 0, 7, 9
ROW_WORDS, MOST_ROWS = 1024, 40


class Crowd:
    """Garments with the same motion. Each garment is three frames ahead of the garment before."""

    def __init__(self, count: int, *, intervals: Sequence[float], keeps: bool = True) -> None:
        animation = ruckle.sample("sawing")
        self.positions = np.ascontiguousarray(animation.positions, np.float32)
        self.faces = np.ascontiguousarray(ruckle.weld(animation.positions[0], animation.faces), np.int32)
        options, chosen = STRUCTURES["ruckle_options"](), STRUCTURES["ruckle_crowd_options"]()
        LIBRARY.ruckle_default_options(ctypes.byref(options))
        options.r_min = self.r_min = 0.005 * animation.height
        LIBRARY.ruckle_default_crowd_options(ctypes.byref(chosen))
        chosen.intervals[:] = intervals
        self.step_cost = 1e-3 * len(self.faces) * chosen.step_cost
        self.picture_cost = 1e-3 * len(self.faces) * chosen.picture_cost
        self.handle = ctypes.c_void_p()
        assert LIBRARY.ruckle_crowd_create(ctypes.byref(chosen), ctypes.byref(self.handle)) == 0
        mesh = STRUCTURES["ruckle_garment_mesh"](
            self.positions.ctypes.data, 0, self.positions.shape[1], self.faces.ctypes.data, 4, len(self.faces), 0
        )
        self.frames = (STRUCTURES["ruckle_garment_frame"] * count)()
        self.texels = np.zeros((count, MOST_ROWS * ROW_WORDS), np.uint32)
        first = ctypes.c_void_p()
        assert LIBRARY.ruckle_garment_create(ctypes.byref(mesh), ctypes.byref(options), None, ctypes.byref(first)) == 0
        for index, frame in enumerate(self.frames):
            made = ctypes.c_void_p(first.value)
            if index:
                assert LIBRARY.ruckle_garment_clone(first, ctypes.byref(made)) == 0
            frame.garment, frame.dt, frame.keeps_texels = made.value, 1 / 60, keeps
            frame.texels = self.texels[index].ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
            frame.row_capacity = MOST_ROWS

    def step(self, picture: int, *, budget: float = 1e9, distances: Sequence[float] | None = None) -> None:
        """Step all garments to a displayed frame.

        `budget` limits the processor time, in microseconds; `distances` are distances to the camera.
        """
        for index, frame in enumerate(self.frames):
            frame.positions = self.positions[(picture + 3 * index) % len(self.positions)].ctypes.data
        at = np.array(distances or [1.0] * len(self.frames), np.float32)
        status = LIBRARY.ruckle_crowd_step(
            self.handle,
            self.frames,
            at.ctypes.data_as(ctypes.c_void_p),
            len(self.frames),
            ctypes.c_float(budget),
            None,
            None,
        )
        assert status == 0, LIBRARY.ruckle_error_message()

    @property
    def stepped(self) -> list[bool]:
        """True for each garment whose wrinkler stepped in the last frame."""
        wrinkler = LIBRARY.ruckle_garment_wrinkler
        wrinkler.restype = ctypes.c_void_p
        handles = [ctypes.c_void_p(wrinkler(ctypes.c_void_p(frame.garment))) for frame in self.frames]
        return [bool(LIBRARY.ruckle_has_stepped(handle)) for handle in handles]

    @property
    def step_count(self) -> int:
        return int(LIBRARY.ruckle_crowd_step_count(self.handle))

    @property
    def wait_count(self) -> int:
        return int(LIBRARY.ruckle_crowd_wait_count(self.handle))

    def fine_heights(self, index: int) -> NDArray[np.float32]:
        """Return the heights of the vertices of a garment's fine mesh."""
        fine = STRUCTURES["ruckle_fine_mesh"]()
        assert (
            LIBRARY.ruckle_garment_displace(ctypes.c_void_p(self.frames[index].garment), None, ctypes.byref(fine)) == 0
        )
        return np.frombuffer(ctypes.string_at(fine.heights, 4 * fine.vertex_count), np.float32)

    def destroy(self) -> None:
        for frame in self.frames:
            LIBRARY.ruckle_garment_destroy(ctypes.c_void_p(frame.garment))
        LIBRARY.ruckle_crowd_destroy(self.handle)


@pytest.fixture
def crowds() -> Iterator[Any]:
    made: list[Crowd] = []

    def make(count: int, **arguments: Any) -> Crowd:
        made.append(Crowd(count, **arguments))
        return made[-1]

    yield make
    for crowd in made:
        crowd.destroy()


def test_property_a_carried_table_is_that_of_the_picture(crowds: Any) -> None:
    carried, whole = crowds(2, intervals=[1 / 15] * 3), crowds(2, intervals=[1 / 15] * 3, keeps=False)
    compared = carried_words = 0
    for picture in range(40):
        for crowd in (carried, whole):
            crowd.step(picture)
        vertices = HEADER + 4 * carried.positions.shape[1]
        for index in range(2):
            one, other = carried.texels[index], whole.texels[index]
            np.testing.assert_array_equal(one[HEADER:vertices], other[HEADER:vertices])
            assert one[SHARE] == other[SHARE]
            # the gradient matrices of the reached vertices, which fill the table between the carriers and the edges
            carriers = [table[int(table[CARRIERS]) : int(table[EDGES])] for table in (one, other)]
            np.testing.assert_array_equal(*carriers)
            carried_words = max(carried_words, len(carriers[0]))
            # All words before the edges are equal if the edges begin at the same word. They do if both tables have the
            # same number of faces with creases.
            if one[EDGES] == other[EDGES]:
                np.testing.assert_array_equal(one[: one[EDGES]], other[: other[EDGES]])
                compared += 1
            frame = carried.frames[index]
            assert frame.row_count >= frame.written_count >= -(-int(one[EDGES]) // ROW_WORDS)
    assert compared > 20
    assert carried_words > 300
    assert carried.frames[0].written_count < carried.frames[0].row_count


def test_property_all_due_members_step_within_a_large_budget(crowds: Any) -> None:
    crowd = crowds(8, intervals=[1 / 15] * 3)
    steps = []
    for picture in range(13):
        crowd.step(picture)
        assert crowd.wait_count == 0
        steps.append(crowd.step_count)
    # in the first frame, all eight garments step; later, about a quarter of them steps in each frame
    assert steps[0] == 8
    assert all(1 <= count <= 3 for count in steps[5:])
    assert sum(steps[5:13]) == 16


def test_property_a_budget_bounds_the_steps_and_no_member_waits_forever(crowds: Any) -> None:
    crowd = crowds(8, intervals=[1 / 60] * 3)
    budget = 8 * crowd.picture_cost + 2.5 * crowd.step_cost
    last = np.zeros(8, np.int64)
    for picture in range(40):
        crowd.step(picture, budget=budget)
        if picture:
            assert crowd.step_count == 2
            assert crowd.wait_count == 6
        last[crowd.stepped] = picture
    assert (last > 20).all()


@pytest.mark.parametrize("distances", [[16.0, 8.0, 4.0, 1.0], [1.0, 4.0, 8.0, 16.0]])
def test_property_near_members_step_more_often(crowds: Any, distances: list[float]) -> None:
    crowd = crowds(4, intervals=[1 / 60] * 3)
    stepped = np.zeros(4)
    for picture in range(60):
        crowd.step(picture, budget=4 * crowd.picture_cost + 1.5 * crowd.step_cost, distances=distances)
        stepped += crowd.stepped
    near, far = np.argmin(distances), np.argmax(distances)
    assert stepped[near] > 2 * stepped[far] > 4


def test_property_the_same_schedule_gives_the_same_bits(crowds: Any) -> None:
    one, other = (crowds(4, intervals=[1 / 30, 1 / 15, 2 / 15]) for _ in range(2))
    distances = [1.0, 15.0, 40.0, 5.0]
    for picture in range(30):
        for crowd in (one, other):
            crowd.step(picture, budget=900.0, distances=distances)
    np.testing.assert_array_equal(one.texels, other.texels)


def test_property_a_restored_garment_continues_with_the_same_heights(crowds: Any) -> None:
    one, other = (crowds(1, intervals=[1 / 15] * 3) for _ in range(2))
    for picture in range(22):
        one.step(picture)
    garment = ctypes.c_void_p(one.frames[0].garment)
    size = LIBRARY.ruckle_garment_state_size(garment)
    state = (ctypes.c_char * size)()
    assert LIBRARY.ruckle_garment_save_state(garment, state, ctypes.c_size_t(size)) == 0
    other.step(0)
    restored = ctypes.c_void_p(other.frames[0].garment)
    assert LIBRARY.ruckle_garment_restore_state(restored, state, ctypes.c_size_t(size)) == 0
    for picture in range(22, 32):
        for crowd in (one, other):
            position = crowd.positions[picture].ctypes.data_as(ctypes.c_void_p)
            handle = ctypes.c_void_p(crowd.frames[0].garment)
            assert LIBRARY.ruckle_garment_step(handle, position, 0, ctypes.c_float(1 / 60)) == 0
        np.testing.assert_array_equal(one.fine_heights(0), other.fine_heights(0))
    # the garment also continues in a crowd, whose first frame after the restored state is no new beginning
    assert LIBRARY.ruckle_garment_restore_state(restored, state, ctypes.c_size_t(size)) == 0
    handle = ctypes.c_void_p(one.frames[0].garment)
    assert LIBRARY.ruckle_garment_restore_state(handle, state, ctypes.c_size_t(size)) == 0
    for picture in range(22, 32):
        position = one.positions[picture].ctypes.data_as(ctypes.c_void_p)
        assert LIBRARY.ruckle_garment_step(handle, position, 0, ctypes.c_float(1 / 60)) == 0
        other.step(picture)
        np.testing.assert_array_equal(one.fine_heights(0), other.fine_heights(0))
    state[size - 30] = bytes([state[size - 30][0] ^ 1])
    assert LIBRARY.ruckle_garment_restore_state(restored, state, ctypes.c_size_t(5)) != 0


@pytest.mark.parametrize("share", [0.0, 0.5, 1.5, 3.5])
def test_exact_python_chooses_the_same_members(crowds: Any, share: float) -> None:
    in_c, intervals = crowds(6, intervals=[1 / 30, 1 / 15, 2 / 15]), (1 / 30, 1 / 15, 2 / 15)
    topology = ruckle.Topology(in_c.faces, in_c.positions.shape[1])
    wrinklers = [ruckle.Wrinkler(topology, r_min=in_c.r_min) for _ in range(6)]
    in_python = ruckle.Crowd([ruckle.WrinkleClock(wrinkler) for wrinkler in wrinklers], intervals=intervals)
    budget = 6 * in_c.picture_cost + share * in_c.step_cost
    chosen = np.zeros(6)
    for picture in range(80):
        # members change their distance, so that their intervals change
        distances = [1.0 + 50.0 * ((picture + 13 * index) % 40) / 40 for index in range(6)]
        in_c.step(picture, budget=budget, distances=distances)
        positions = [in_c.positions[(picture + 3 * index) % len(in_c.positions)] for index in range(6)]
        in_python.step(positions, 1 / 60, distances=distances, budget=budget)
        stepped = [member.has_stepped for member in in_python.members]
        assert stepped == in_c.stepped, f"frame {picture}"
        chosen += stepped
    assert chosen.sum() > 6 or share < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"distances": (3.0, 2.0)}, "distances: expected two finite lengths of at least 0 in ascending order"),
        ({"intervals": (-1.0, 0.1, 0.1)}, "intervals: expected three finite times of at least 0 s"),
    ],
)
def test_reject_options(change: dict[str, Any], message: str) -> None:
    options, made = STRUCTURES["ruckle_crowd_options"](), ctypes.c_void_p()
    LIBRARY.ruckle_default_crowd_options(ctypes.byref(options))
    for name, values in change.items():
        getattr(options, name)[:] = values
    assert LIBRARY.ruckle_crowd_create(ctypes.byref(options), ctypes.byref(made)) != 0
    assert LIBRARY.ruckle_error_message().decode() == message
