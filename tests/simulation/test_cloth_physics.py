"""The simulator compared with exact formulas: free fall, pendulum, catenary, bending energy, rest, drape."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ruckle import MATERIALS, ClothSimulation
from sheets import sheet

# cotton without damping and air drag
BARE = replace(MATERIALS["cotton"], damping=0.0, air_drag=0.0)


def run(cloth: ClothSimulation, frames: int, dt: float = 1 / 60, **inputs: Any) -> np.ndarray:
    return np.array([cloth.step(dt, **inputs).positions for _ in range(frames)])


def test_exact_free_fall() -> None:
    rest, faces = sheet(5, 5)
    cloth = ClothSimulation(rest, faces, material=BARE)
    fallen, h = run(cloth, 60)[-1][:, 1], 1 / 60 / 16
    # a symplectic method with time steps h falls further than g t² / 2 by g h t / 2
    np.testing.assert_allclose(fallen, -9.81 * (1 + h) / 2, rtol=1e-5)
    np.testing.assert_allclose(cloth.velocities, [[0.0, -9.81, 0.0]] * 25, atol=2e-4)


def test_exact_a_sheet_sinks_through_air_at_its_terminal_speed() -> None:
    rest, faces = sheet(5, 5)
    cloth = ClothSimulation(rest, faces, material=replace(BARE, air_drag=1.3, density=0.2, bending=1e-3))
    run(cloth, 200)
    # at the final speed, weight = pressure + skin friction: 0.2 g = 0.6 · 1.3 v² + 0.6 · 0.02 v
    speed = np.roots([0.6 * 1.3, 0.6 * 0.02, -0.2 * 9.81]).max()
    # the tolerance is for fluttering of the cloth
    np.testing.assert_allclose(cloth.velocities[:, 1], -speed, rtol=0.05)
    assert cloth.velocities[:, 1].mean() == pytest.approx(-speed, rel=0.02)


@pytest.mark.parametrize("density", [0.2, 1e-3, 1e-4])
def test_property_air_slows_cloth_of_any_weight_and_never_reverses_it(density: float) -> None:
    # cloth that slides in its plane, in one long substep; only skin friction acts
    rest, faces = sheet(5, 5)
    material = replace(BARE, air_drag=1e-6, density=density, bending=0.0)
    cloth = ClothSimulation(rest, faces, gravity=[0, 0, 0], substeps=1, material=material)
    across = np.linalg.svd(rest - rest.mean(axis=0))[2][2]
    start = np.cross(across, [0.3, 0.1, 0.2])
    cloth.place(rest, np.tile(start, (len(rest), 1)))
    cloth.step(1 / 10)
    along = cloth.velocities @ start / (start @ start)
    assert -0.01 < along.min() < along.max() < 1.0
    # the share 1 / (1 + skin) of the velocity remains, with skin = dt/2 · air density · 0.02 / density
    if density > 0.1:
        np.testing.assert_allclose(along, 1 / (1 + 0.05 * 1.2 * 0.02 / density), rtol=1e-3)


def test_exact_pendulum_period() -> None:
    # one triangle swings about its pinned horizontal side like a point mass at a distance of the triangle's height
    height, angle, dt = 0.5, 0.3, 1 / 120
    rest = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.1, -height, 0.0]])
    tilted = rest.copy()
    tilted[2] = [0.1, -height * np.cos(angle), height * np.sin(angle)]
    cloth = ClothSimulation(rest, [[0, 2, 1]], [1, 1, 0], material=BARE, substeps=12)
    cloth.place(tilted)
    z = run(cloth, 400, dt)[:, 2, 2]
    before = np.flatnonzero(z[:-1] * z[1:] < 0)
    crossings = dt * (before + z[before] / (z[before] - z[before + 1]))
    # period of a pendulum: 2π sqrt(L / g) times the first terms of the series in the amplitude
    exact = 2 * np.pi * np.sqrt(height / 9.81) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    np.testing.assert_allclose(crossings[2:] - crossings[:-2], exact, rtol=3e-3)


def test_exact_hanging_chain_is_a_catenary() -> None:
    # a narrow strip with pinned ends, whose distance is shorter than the strip
    columns, length, span = 41, 1.0, 0.7
    rest, faces = sheet(columns, 2, length, length / (columns - 1))
    pinned = (rest[:, 0] < 1e-9) | (rest[:, 0] > length - 1e-9)
    material = replace(MATERIALS["cotton"], stretch=5000.0, bending=0.0, damping=4.0, least_stretch=0.0)
    cloth = ClothSimulation(rest, faces, pinned, material=material, substeps=32, strain_sweeps=0)
    pins = rest.copy()
    for share in np.linspace(0, 1, 60):
        pins[:, 0] = length / 2 + (rest[:, 0] - length / 2) * (1 + share * (span / length - 1))
        cloth.step(pins=pins)
    positions = run(cloth, 400)[-1]
    # catenary y = a cosh(x / a); the parameter a follows from the arc length 2 a sinh(span / 2a) = length
    low, high = 0.05, 5.0
    for _ in range(100):
        a = (low + high) / 2
        low, high = (a, high) if 2 * a * np.sinh(span / 2 / a) > length else (low, a)
    x = positions[:columns, 0] - length / 2
    expected = a * np.cosh(x / a) - a * np.cosh(span / 2 / a)
    sag = -expected.min()
    np.testing.assert_allclose(positions[:, 1].reshape(2, columns), [expected] * 2, atol=0.01 * sag)


@pytest.mark.parametrize("angle", [0.0, 0.2, 1.0, 2.0])
def test_exact_bending_energy_of_a_hinge(angle: float) -> None:
    # Each end of the edge has an area of two thirds of both triangles. Σ K x, with the cotangent coefficients K of the
    # edge, is the sum of the triangles' unit conormals at the edge, times its length: 2 s sin(θ / 2).
    s, k = 0.1, 3e-5
    height = s * np.sqrt(3) / 2
    flat = np.array([[0, 0, 0], [s, 0, 0], [s / 2, height, 0], [s / 2, -height, 0]], float)
    cloth = ClothSimulation(flat, [[0, 1, 2], [1, 0, 3]], material=replace(BARE, bending=k))
    folded = flat.copy()
    folded[3] = [s / 2, -height * np.cos(angle), height * np.sin(angle)]
    cloth.place(folded)
    expected = 0.5 * k * 2 / (2 * s * height / 2) * (2 * s * np.sin(angle / 2)) ** 2
    assert cloth.energy["bending"] == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_exact_a_fold_kept_at_rest_costs_nothing() -> None:
    rest = np.array([[0, 0, 0], [0.1, 0, 0], [0.05, 0.08, 0.03], [0.05, -0.08, 0.02]])
    faces = [[0, 1, 2], [1, 0, 3]]
    flat_energy = ClothSimulation(rest, faces).energy["bending"]
    assert flat_energy > 1e-7
    assert ClothSimulation(rest, faces, rest_curvature=True).energy["bending"] < 1e-3 * flat_energy
    moulded = ClothSimulation(rest, faces, gravity=[0, 0, 0], rest_curvature=True)
    np.testing.assert_allclose(run(moulded, 20)[-1], rest, atol=3e-4)


def hammock(columns: int, frames: int, **options: Any) -> ClothSimulation:
    """Return a square of 1 m that sags between pinned patches at its corners. The patches move inward for a second."""
    rest, faces = sheet(columns, columns)
    pinned = (np.abs(rest[:, 0] - 0.5) > 0.374) & (np.abs(rest[:, 2] - 0.5) > 0.374)
    cloth = ClothSimulation(rest, faces, pinned, **options)
    for share in np.minimum(1, np.arange(1, frames + 1) / 60):
        cloth.step(pins=rest - np.sign(rest - 0.5) * [1, 0, 1] * 0.075 * share)
    return cloth


def test_property_energy_does_not_grow_at_rest() -> None:
    cloth = hammock(17, 240, material=replace(MATERIALS["cotton"], damping=2.0))
    energies = [sum(cloth.energy.values())]
    for _ in range(180):
        cloth.step()
        energies.append(sum(cloth.energy.values()))
    # the limit in joules is small: 0.15 kg that fall by 0.1 mm release 1.5e-4
    assert np.diff(energies).max() < 2e-5
    assert energies[-1] <= energies[0] + 1e-5
    assert cloth.step().stats["largest_speed"] < 0.01


def test_property_two_resolutions_drape_alike() -> None:
    material = replace(MATERIALS["cotton"], damping=3.0, bending=3e-4)
    coarse, fine = (hammock(n, 300, material=material, substeps=32) for n in (17, 33))
    assert fine.positions[:, 1].min() < -0.2
    assert coarse.positions[:, 1].min() == pytest.approx(fine.positions[:, 1].min(), rel=0.06)
    # heights of the centres of mass
    depths = [cloth.positions[:, 1] @ cloth.masses / cloth.masses.sum() for cloth in (coarse, fine)]
    assert depths[0] == pytest.approx(depths[1], rel=0.06)
