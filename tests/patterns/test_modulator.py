"""The Modulator over time: smooth changes, limited speed, independence of frame rate and number of threads."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from meshes import Float64, grid
from patterned_cloth import crossed, grid_of, sheet, squeezed, waves
from ruckle import Modulator


def breathing(positions: Float64, seconds: float) -> Float64:
    """Return the positions of cloth at a time in seconds. It is compressed and released periodically along x."""
    return squeezed(positions, 1.0 - 0.15 * (1 - np.cos(3.0 * seconds)))


@pytest.mark.parametrize("smoothing", [0.05, 0.1, 0.3])
def test_exact_factors_follow_exponentially(smoothing: float) -> None:
    mesh = sheet()
    modulator = Modulator([waves(grid_of(mesh))], smoothing=smoothing, r_min=0.0)
    assert (modulator.step(mesh.positions).factors == 0.0).all()
    wanted = Modulator([waves(grid_of(mesh))]).step(squeezed(mesh.positions, 0.8)).factors
    for frame in range(1, 12):
        factors = modulator.step(squeezed(mesh.positions, 0.8), 1 / 60).factors
        np.testing.assert_allclose(factors, wanted * (1 - np.exp(-frame / 60 / smoothing)), rtol=1e-3, atol=1e-6)


def test_property_frame_rates_agree() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    found = []
    for rate in (30, 60, 120):
        modulator = Modulator(crossed(on), r_min=0.3)
        for frame in range(rate + 1):
            state = modulator.step(breathing(mesh.positions, frame / rate), 1 / rate)
        found.append(state.factors)
    assert found[0].max() > 0.1
    np.testing.assert_allclose(found[1], found[2], atol=0.05 * found[2].max())
    np.testing.assert_allclose(found[0], found[2], atol=0.1 * found[2].max())


def test_property_heights_change_no_faster_than_they_may() -> None:
    mesh = sheet()
    r_min = 0.02
    modulator = Modulator(crossed(grid_of(mesh)), r_min=r_min, smoothing=0.0)
    before = modulator.step(mesh.positions).factors
    hurried = 0
    for frame in range(20):
        state = modulator.step(squeezed(mesh.positions, *((0.7, 1.0) if frame < 10 else (1.0, 0.7))))
        rise = (abs(state.factors - before) * modulator.moments.core.highest).sum(axis=1)
        assert rise.max() <= 0.1 * r_min * 1.0001
        before, hurried = state.factors, hurried + state.stats["hurried"]
    assert hurried > 0


def test_property_a_refused_frame_and_a_reset_leave_no_trace() -> None:
    mesh = sheet()
    modulator, other = (Modulator(crossed(grid_of(mesh))) for _ in range(2))
    for frame in range(4):
        if frame == 2:
            with pytest.raises(ruckle.MeshError):
                modulator.step(np.full_like(mesh.positions, np.inf))
        states = [m.step(breathing(mesh.positions, 0.2 * frame)) for m in (modulator, other)]
        np.testing.assert_array_equal(states[0].factors, states[1].factors)
    modulator.reset()
    first = modulator.step(breathing(mesh.positions, 0.6))
    fresh = Modulator(crossed(grid_of(mesh))).step(breathing(mesh.positions, 0.6))
    np.testing.assert_array_equal(first.factors, fresh.factors)
    assert (modulator.frame_count, first.index) == (1, 0)


def test_property_threads_change_no_bit() -> None:
    mesh = grid(80, 60)
    on = grid_of(mesh, 2)
    states = [Modulator(crossed(on), threads=count).step(breathing(mesh.positions, 0.5)) for count in (1, 3)]
    assert mesh.topology.face_count > 8192
    assert states[0].factors.max() > 0.1
    np.testing.assert_array_equal(states[0].factors, states[1].factors)
    np.testing.assert_array_equal(states[0].weights, states[1].weights)


PROGRAM = """
import sys
import numpy as np
from meshes import scattered
from patterned_cloth import grid_of, waves
from ruckle import Modulator
mesh = scattered(8)
on = grid_of(mesh)
modulator = Modulator([waves(on, angle) for angle in (0.0, 1.0, 2.0)], sharpness=3.0, rest_slope=0.1)
for x in (1.0, 0.8, 0.7):
    state = modulator.step(mesh.positions * [x, 1.05, 1.0])
sys.stdout.buffer.write(state.factors.tobytes() + np.ascontiguousarray(state.weights).tobytes())
"""


def test_property_instruction_sets_change_no_bit() -> None:
    results, path = [], os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    for name in ("baseline", "x86-64-v3"):
        environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": name, "PYTHONPATH": path}
        results.append(subprocess.check_output([sys.executable, "-c", PROGRAM], env=environment))
    assert len(results[0]) > 100
    assert results[0] == results[1]


def test_property_a_moving_reference_relaxes() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    now = squeezed(mesh.positions, 0.8)
    fixed = Modulator(crossed(on)).step(now).factors
    shapes = [ruckle.edge_matrices(squeezed(mesh.positions, x), mesh.faces) for x in (0.8, 0.9, 1.0)]
    relaxed, half, same = (Modulator(crossed(on)).step(now, reference=shape).factors for shape in shapes)
    assert (relaxed == 0.0).all()
    assert half.max() < 0.9 * fixed.max()
    np.testing.assert_allclose(same, fixed, atol=1e-5)


def test_property_remaining_shares_lower_factors() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    now = squeezed(mesh.positions, 0.8)
    every = np.ones(len(mesh.faces))
    shares = (1.0, 0.9, 0.8)
    plain, half, nothing = (Modulator(crossed(on)).step(now, remaining=share * every).factors for share in shares)
    assert 0.5 * plain.max() < half.max() < 0.9 * plain.max()
    assert (nothing == 0.0).all()


def test_property_paint_scale_and_bias_act_on_factors() -> None:
    mesh = sheet()
    on = grid_of(mesh)

    def factors(x: float, **options: Any) -> Any:
        return Modulator(crossed(on), **options).step(squeezed(mesh.positions, x)).factors

    plain, paint = factors(0.8), np.linspace(0, 1, mesh.vertex_count)
    np.testing.assert_allclose(factors(0.8, paint=paint), plain * paint[:, None], rtol=1e-5)
    np.testing.assert_allclose(factors(0.8, scale=0.5), plain * 0.5, rtol=1e-5)
    assert (factors(0.8, bias=-10.0) == 0.0).all()
    np.testing.assert_allclose(factors(1.0, bias=0.1).sum(axis=1), 0.1, rtol=1e-4)


def test_property_flat_parts_of_a_pattern_get_limited_factors() -> None:
    mesh = sheet(9, 17)
    on = grid_of(mesh)
    # folds up to x = 6; then the flat background of an image, at the same height as the crests
    drawn = ruckle.function_pattern(on, lambda p, _: np.where(p[:, 0] < 6.0, np.sin(np.pi * p[:, 0]), 1.0))
    state = Modulator([drawn], slack=0.0).step(squeezed(mesh.positions, 0.7))
    folds, ground = mesh.positions[:, 0] < 5.0, mesh.positions[:, 0] > 8.0
    assert state.factors[folds].min() > 0.1
    # the background has slope 0, so a limit of slopes alone would allow a factor that is 57 times larger
    assert state.factors[ground].max() <= 4.0 * state.factors[folds].max()
