"""Damping and strain limit: cloth comes to rest, does not gain energy, and keeps its momentum."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ruckle import MATERIALS, ClothSimulation
from ruckle.simulation import grid_sheet

# no damping except for the damping that a test adds
BARE = replace(MATERIALS["cotton"], damping=0.0, air_drag=0.0, bend_damping=0.0, edge_damping=0.0)


def wavy(columns: int = 21) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a square with sides of 0.4 m and two waves with a height of 15 mm."""
    return grid_sheet(
        columns, columns, lambda u, v: np.stack([0.4 * (u - 0.5), 0.4 * (v - 0.5), 0.015 * np.sin(4 * np.pi * u)], 1)
    )


def momenta(cloth: ClothSimulation) -> tuple[np.ndarray, np.ndarray]:
    """Return the momentum and the angular momentum about the origin, for cloth without pins."""
    impulses = np.asarray(cloth.masses, float)[:, None] * cloth.velocities
    return impulses.sum(axis=0), np.cross(cloth.positions, impulses).sum(axis=0)


@pytest.mark.parametrize(
    "damping", [{"bend_damping": 0.3}, {"bend_damping": 3.0}, {"bend_friction": 1e-3}, {"edge_damping": 0.1}], ids=str
)
def test_property_damping_keeps_the_momentum_of_cloth_that_turns(damping: dict[str, float]) -> None:
    rest, faces = wavy()
    spins, energies = [], []
    for material in (BARE, replace(BARE, **damping)):
        cloth = ClothSimulation(rest, faces, material=material, gravity=[0, 0, 0], rest_curvature=True, substeps=32)
        cloth.place(rest, np.cross([0.0, 6.0, 2.0], rest) + np.array([0.1, 0.0, 0.0]))
        (before, _), energy = momenta(cloth), cloth.energy["kinetic"]
        for _ in range(60):
            cloth.step()
        after, turned = momenta(cloth)
        np.testing.assert_allclose(after, before, atol=3e-5)
        # angular momentum about the centre of the cloth, which moves
        spins.append(turned - np.cross(np.asarray(cloth.masses) @ cloth.positions / np.sum(cloth.masses), after))
        energies.append(cloth.energy["kinetic"] / energy)
    np.testing.assert_allclose(spins[1], spins[0], atol=0.005 * np.linalg.norm(spins[0]))
    assert energies[1] == pytest.approx(energies[0], abs=0.02)


def kept_energy(velocities: np.ndarray, **damping: float) -> float:
    """Return the share of its kinetic energy that a free flat sheet still has after a tenth of a second."""
    rest, faces = grid_sheet(9, 9, lambda u, v: np.stack([0.2 * (u - 0.5), 0.2 * (v - 0.5), 0 * u], 1))
    # the stiffness is nearly zero, so that only damping acts
    material = replace(BARE, bending=1e-12, stretch=1e-6, **damping)
    cloth = ClothSimulation(rest, faces, material=material, gravity=[0, 0, 0], strain_sweeps=0, substeps=4)
    cloth.place(rest, velocities)
    before = cloth.energy["kinetic"]
    for _ in range(6):
        cloth.step()
    return float(cloth.energy["kinetic"] / before)


def test_property_bend_damping_slows_bending_alone() -> None:
    noise = np.random.default_rng(3).normal(scale=1e-3, size=(81, 3))
    across, along = noise * [0, 0, 1], noise * [1, 1, 0]
    assert kept_energy(across, bend_damping=1e6) < 0.5
    assert kept_energy(across) > 0.99
    assert kept_energy(along, bend_damping=1e6) > 0.99


def test_exact_friction_of_bending_takes_the_work_of_its_moment() -> None:
    side, rate, friction, seconds = 0.4, 10.0, 1e-4, 1 / 60
    rest, faces = grid_sheet(9, 9, lambda u, v: np.stack([side * (u - 0.5), side * (v - 0.5), 0 * u], 1))
    material = replace(BARE, bending=1e-12, stretch=1e-6, bend_friction=friction)
    cloth = ClothSimulation(rest, faces, material=material, gravity=[0, 0, 0], strain_sweeps=0)
    works = []
    # the sheet rolls in six directions, because friction of a grid depends on the direction
    for angle in np.pi * np.arange(6) / 6:
        velocities = np.zeros_like(rest)
        velocities[:, 2] = 0.5 * rate * (rest[:, 0] * np.cos(angle) + rest[:, 1] * np.sin(angle)) ** 2
        cloth.place(rest, velocities)
        before = cloth.energy["kinetic"]
        cloth.step(seconds)
        works.append(before - cloth.energy["kinetic"])
    assert np.mean(works) == pytest.approx(friction * rate * seconds * side**2, rel=0.1)


def test_property_friction_of_bending_stops_slow_cloth() -> None:
    # friction holds the waves; without it, the sheet unbends
    rest, faces = wavy(9)
    cloth = ClothSimulation(rest, faces, material=BARE, gravity=[0, 0, 0])
    rubbing = ClothSimulation(rest, faces, material=replace(BARE, bend_friction=1e-3), gravity=[0, 0, 0])
    speeds = [one.step().stats["largest_speed"] for one in (cloth, rubbing)]
    assert speeds[1] < 0.2 * speeds[0]


def test_property_edge_damping_slows_stretching_alone() -> None:
    noise = np.random.default_rng(3).normal(scale=1e-3, size=(81, 3))
    across, along = noise * [0, 0, 1], noise * [1, 1, 0]
    assert kept_energy(along, edge_damping=1e7) < 0.1
    assert kept_energy(along) > 0.99
    assert kept_energy(across, edge_damping=1e7) > 0.99


def sheared(**options: Any) -> tuple[ClothSimulation, np.ndarray]:
    """Return a strip, sheared by a fifth between clamps, and its pins.

    The shear is more than the strain limit allows.
    """
    width, length, edge = 0.4, 0.3, 0.015
    rest, faces = grid_sheet(
        round(width / edge) + 1, round(length / edge / 0.87) + 1,
        lambda u, v: np.stack([width * (u - 0.5), length * (v - 0.5), 0 * u], 1),
    )  # fmt: skip
    pinned = np.abs(rest[:, 1]) > length / 2 - 1e-4
    cloth = ClothSimulation(rest, faces, pinned, substeps=40, gravity=[0, 0, 0], **options)
    noise = np.random.default_rng(0).normal(scale=5e-4, size=len(rest)) * ~pinned
    cloth.place((rest + noise[:, None] * [0, 0, 1]).astype(np.float32))
    pins = rest.copy()
    for frame in range(140):
        pins[:, 0] = rest[:, 0] + np.sign(rest[:, 1]) * min(frame / 60, 1) * 0.2 * length / 2
        cloth.step(pins=pins)
    return cloth, pins


def test_property_sheared_cloth_between_clamps_comes_to_rest() -> None:
    cloth, pins = sheared()
    positions = [cloth.step(pins=pins).positions for _ in range(10)]
    # with the full correction of the strain limit and without damping, the motion would be 6 mm per frame
    assert np.abs(positions[-1][:, 2]).max() > 5e-3
    assert np.linalg.norm(np.diff(positions, axis=0), axis=2).max() < 5e-4


def test_property_energy_never_grows_without_work() -> None:
    # 10,000 substeps of a sheet that is pinned at two corners: it falls from the horizontal and swings until it rests
    rest, faces = grid_sheet(13, 13, lambda u, v: np.stack([0.6 * (u - 0.5), 0 * u, 0.6 * v], 1))
    pinned = (rest[:, 2] < 1e-6) & (np.abs(rest[:, 0]) > 0.29)
    material = replace(MATERIALS["cotton"], damping=0.0, air_drag=0.0)
    cloth = ClothSimulation(rest, faces, pinned, material=material)
    energies = [sum(cloth.energy.values())]
    for _ in range(625):
        cloth.step()
        energies.append(sum(cloth.energy.values()))
    lifts = energies - np.minimum.accumulate(energies)
    # limits in joules, for a mass of 0.05 kg; swinging cloth at its strain limit stores energy that is not measured
    assert lifts.max() < 1.2e-2
    assert lifts[-100:].max() < 3e-3
    assert energies[-1] < energies[0] - 0.1
