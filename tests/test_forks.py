"""Objects with worker threads still work in a forked child process.

`multiprocessing` forks on Linux before Python 3.14.
"""

import os
import signal

import numpy as np
import pytest

import ruckle

if not hasattr(os, "fork"):
    pytest.skip("the system has no fork", allow_module_level=True)

SIDE = 70  # vertices per side; 9,522 triangles are enough that all worker threads have work


def _sheet():
    x, z = np.meshgrid(np.linspace(0, 1, SIDE), np.linspace(0, 1, SIDE), indexing="ij")
    positions = np.stack([x, np.zeros_like(x), z], -1).reshape(-1, 3).astype(np.float32)
    index = np.arange(SIDE * SIDE, dtype=np.int32).reshape(SIDE, SIDE)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    return positions, np.concatenate([np.stack([a, b, d], -1), np.stack([b, c, d], -1)]).reshape(-1, 3)


def _squeezed(positions, frame):
    return (positions * np.float32([1 - 0.03 * (frame % 10), 1, 1])).astype(np.float32)


def _wrinkler():
    positions, faces = _sheet()
    wrinkler = ruckle.Wrinkler(faces, len(positions), r_min=0.02, threads=2)
    return lambda frame: wrinkler.step(_squeezed(positions, frame))


def _surface():
    positions, faces = _sheet()
    wrinkler = ruckle.Wrinkler(faces, len(positions), r_min=0.02, threads=2)
    return lambda frame: ruckle.displace(wrinkler.step(_squeezed(positions, frame)))


def _modulator():
    positions, faces = _sheet()
    grid = ruckle.PatternGrid(ruckle.Topology(faces, len(positions)), positions, spacing=0.02)
    pattern = ruckle.function_pattern(grid, lambda points, normals: 0.01 * np.sin(60 * points[:, 0]), name="waves")
    modulator = ruckle.Modulator([pattern], threads=2)
    return lambda frame: modulator.step(_squeezed(positions, frame))


def _cloth():
    positions, faces = _sheet()
    cloth = ruckle.ClothSimulation(positions, faces, (positions[:, 0] == 0).astype(np.float32), threads=2)
    return lambda frame: cloth.step(1 / 60)


def _waves():
    positions, faces = _sheet()
    waves = ruckle.WaveField(ruckle.Topology(faces, len(positions)), positions, r_min=0.05, threads=2)
    return lambda frame: waves.step(_squeezed(positions, frame))


@pytest.mark.parametrize(
    ("make", "forks"), [(_wrinkler, 200), (_modulator, 200), (_cloth, 200), (_waves, 200), (_surface, 10)]
)
def test_property_children_step_what_the_parent_has_stepped(make, forks):
    step = make()
    for frame in range(3):
        step(frame)
    for frame in range(3, 3 + forks):
        child = os.fork()
        if child == 0:
            # a signal ends the child if it hangs; the child must not return to pytest
            signal.alarm(60)
            ended_well = False
            try:
                step(frame)
                step(frame + 1)
                ended_well = True
            finally:
                os._exit(not ended_well)
        _, status = os.waitpid(child, 0)
        assert status == 0, f"child {frame} ended with status {status}"
        if frame % 10 == 0:
            step(frame)
