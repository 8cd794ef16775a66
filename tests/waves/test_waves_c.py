"""Waves in the C interface: the same bits as in Python, states, samples at points, error messages."""

import ctypes
from ctypes import byref, c_char_p, c_float, c_int32, c_size_t, c_void_p
from typing import Any

import numpy as np
import pytest

from c_library import address, call
from ruckle import WaveField, _core
from wave_cloth import anywhere, cylinder, swinging

LIBRARY = ctypes.CDLL(_core.__file__)
LIBRARY.ruckle_error_message.restype = c_char_p
LIBRARY.ruckle_waves_state_size.restype = c_size_t

CLOTH = cylinder(9, 8)
FACES = np.ascontiguousarray(CLOTH.faces, np.int32)
REST = CLOTH.positions.astype(np.float32)
COUNT = len(REST)


def created(rest: Any = REST) -> c_void_p:
    waves = c_void_p()
    call("ruckle_waves_create", address(FACES), len(FACES), address(rest), COUNT, None, None, byref(waves))
    return waves


def frame_at(number: int) -> Any:
    return swinging(CLOTH, number / 10).astype(np.float32)


def test_exact_c_gives_the_bits_of_python() -> None:
    field, waves = WaveField(CLOTH.topology, REST), created()
    vertices, texels = np.empty((COUNT, 6), np.float32), np.empty((COUNT, 4), np.uint32)
    faces, weights = anywhere(CLOTH, 500)
    order = np.argsort(faces, kind="stable")
    faces, weights = faces[order], weights[order]
    heights, gradients = np.empty(500, np.float32), np.empty((500, 3), np.float32)
    source = (ctypes.c_char * 256)()
    for number in range(8):
        moved = frame_at(number)
        frame = field.step(moved)
        call("ruckle_waves_step", waves, address(moved), COUNT, c_float(1 / 30), None)
        call("ruckle_waves_copy_vertices", waves, address(vertices))
        np.testing.assert_array_equal(vertices, frame.vertices)
        call("ruckle_waves_heights", waves, address(moved), COUNT, source)
        call("ruckle_waves_sample", waves, address(faces), address(weights), 500, address(heights), address(gradients))
        expected = frame.heights(faces, weights)
        np.testing.assert_array_equal(heights, expected[0])
        np.testing.assert_array_equal(gradients, expected[1])
    LIBRARY.ruckle_waves_write_texels(waves, texels.ctypes.data_as(c_void_p))
    np.testing.assert_array_equal(texels[:, 2:].view(np.float32), frame.vertex_phases)
    halves = texels[:, :2].copy().view(np.float16)
    np.testing.assert_allclose(halves[:, :3].astype(float), frame.vertex_covectors, rtol=1e-3, atol=1e-3)
    assert LIBRARY.ruckle_waves_frame_count(waves) == 8
    LIBRARY.ruckle_waves_destroy(waves)


def test_exact_clones_and_states_go_on_alike() -> None:
    waves, other, clone = created(), created(), c_void_p()
    for number in range(5):
        call("ruckle_waves_step", waves, address(frame_at(number)), COUNT, c_float(1 / 30), None)
    size = LIBRARY.ruckle_waves_state_size(waves)
    state = (ctypes.c_char * size)()
    call("ruckle_waves_save_state", waves, state, c_size_t(size))
    call("ruckle_waves_restore_state", other, state, c_size_t(size))
    call("ruckle_waves_clone", waves, byref(clone))
    found = []
    for one in (waves, other, clone):
        call("ruckle_waves_step", one, address(frame_at(5)), COUNT, c_float(1 / 30), None)
        found.append(np.empty((COUNT, 6), np.float32))
        call("ruckle_waves_copy_vertices", one, address(found[-1]))
        LIBRARY.ruckle_waves_destroy(one)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_reject_in_one_sentence() -> None:
    waves, broken = created(), frame_at(0)
    broken[3, 1] = np.nan
    heights = np.empty(1, np.float32)
    outside = np.array([len(FACES)], np.int32)
    for function, arguments, words in (
        ("ruckle_waves_step", (waves, address(broken), COUNT, c_float(1 / 30), None), "vertex 3"),
        ("ruckle_waves_step", (waves, address(REST), COUNT - 1, c_float(1 / 30), None), "expected 72 vertices"),
        ("ruckle_waves_step", (waves, address(REST), COUNT, c_float(0), None), "dt: expected"),
        ("ruckle_waves_step", (None, address(REST), COUNT, c_float(1), None), "waves"),
        (
            "ruckle_waves_sample",
            (waves, address(outside), address(REST[:1]), c_int32(1), address(heights), None),
            "faces: expected numbers in",
        ),
    ):
        with pytest.raises(RuntimeError, match=words):
            call(function, *arguments)
    with pytest.raises(RuntimeError, match="rest: every coordinate"):
        created(REST * np.nan)
    LIBRARY.ruckle_waves_destroy(waves)
    LIBRARY.ruckle_waves_destroy(None)
    assert LIBRARY.ruckle_waves_frame_count(None) == 0


def test_exact_options_of_c_are_those_of_the_core() -> None:
    assert LIBRARY.ruckle_waves_parameter_count() == len(WaveField.parameters)
