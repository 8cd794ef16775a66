"""Bending of plates and heavy strips, compared with exact formulas, on meshes with and without preferred directions."""

from dataclasses import replace

import numpy as np
import pytest

from ruckle import MATERIALS, ClothSimulation
from ruckle.simulation.sheet import grid_faces

SIDE, STIFFNESS, WEIGHT = 0.4, 2e-5, 0.2
BARE = replace(MATERIALS["cotton"], bending=STIFFNESS, density=WEIGHT, air_drag=0.0)

MESHES = ("alternating", "one-way", "other way", "equilateral", "irregular")


def square(kind: str, spacing: float, width: float = SIDE, height: float = SIDE) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a rectangle in the xz plane around the origin.

    `kind` is one of five kinds of meshes.
    """
    from scipy.spatial import Delaunay

    columns, rows = round(width / spacing) + 1, round(height / spacing / (0.866 if kind == "equilateral" else 1)) + 1
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(0, width, columns), np.linspace(0, height, rows)))
    if kind == "alternating":
        faces = grid_faces(columns, rows)
    elif kind in ("one-way", "other way"):
        a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        b, c, d = a + 1, a + columns, a + columns + 1
        halves = [np.c_[a, c, b], np.c_[b, c, d]] if kind == "one-way" else [np.c_[a, c, d], np.c_[a, d, b]]
        faces = np.concatenate(halves)
    else:
        inner_x, inner_z = (x > 0) & (x < width), (z > 0) & (z < height)
        if kind == "equilateral":
            odd = np.repeat(np.arange(rows) % 2 == 1, columns)
            x = np.where(odd & inner_x, x - spacing / 2, x)
        else:
            noise = np.random.default_rng(5).uniform(-0.3, 0.3, (2, len(x))) * spacing
            x, z = x + noise[0] * inner_x, z + noise[1] * inner_z
        flat = np.stack([x, z], 1)
        faces = Delaunay(flat).simplices
        e1, e2 = flat[faces[:, 1]] - flat[faces[:, 0]], flat[faces[:, 2]] - flat[faces[:, 0]]
        areas = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
        faces = np.where((areas > 0)[:, None], faces[:, ::-1], faces)[np.abs(areas) > 1e-3 * spacing**2]
    return np.stack([x - width / 2, 0 * x, z - height / 2], 1), faces.astype(np.int32)


@pytest.mark.parametrize("kind", MESHES)
@pytest.mark.parametrize("angle", [0, 30, 45, 90, 135])
def test_exact_a_rolled_sheet_has_the_energy_of_a_plate(kind: str, angle: float) -> None:
    radius, errors = 0.3, []
    along = np.array([np.cos(np.radians(angle)), 0, np.sin(np.radians(angle))])
    across = np.array([-along[2], 0, along[0]])
    for spacing in (0.02, 0.01):
        rest, faces = square(kind, spacing)
        cloth = ClothSimulation(rest, faces, material=BARE)
        turn = (rest @ along / radius)[:, None]
        rolled = radius * (np.sin(turn) * along + (1 - np.cos(turn)) * [0, 1, 0]) + (rest @ across)[:, None] * across
        cloth.place(rolled)
        # expected energy per area: half the stiffness times the squared curvature
        errors.append(cloth.energy["bending"] / (0.5 * STIFFNESS * SIDE**2 / radius**2) - 1)
    # at the boundary, elements are missing, so the relative error is about the share of cells that are at the boundary
    assert abs(errors[1]) < 0.1
    assert kind == "irregular" or abs(errors[1]) < 0.65 * abs(errors[0]) + 0.01


@pytest.mark.parametrize("kind", MESHES)
def test_property_every_zigzag_of_the_hem_costs_energy(kind: str) -> None:
    # every displacement of a single vertex needs energy, also at boundaries and corners
    rest, faces = square(kind, 0.04)
    cloth = ClothSimulation(rest, faces, material=BARE)
    for vertex in range(len(rest)):
        moved = rest.copy()
        moved[vertex, 1] += 1e-3
        cloth.place(moved)
        assert cloth.energy["bending"] > 1e-3 * STIFFNESS * 1e-6 / 0.04**2
    hem = np.flatnonzero(rest[:, 2] < -SIDE / 2 + 1e-6)
    moved = rest.copy()
    moved[hem[np.argsort(rest[hem, 0])], 1] = 1e-3 * (-1.0) ** np.arange(len(hem))
    cloth.place(moved)
    assert cloth.energy["bending"] > len(hem) * STIFFNESS * 1e-6 / 0.04**2


def heavy_strip(length: float) -> float:
    """Return the deflection in metres of the end of a clamped strip under its own weight (Euler's elastica)."""

    def end(moment: float, count: int = 400) -> tuple[float, float]:
        # θ'' = -(w / B) (L - s) cos θ with θ(0) = 0 and θ'(0) = moment, integrated by the midpoint rule
        step, angle, rate, fall = length / count, 0.0, moment, 0.0
        for i in range(count):
            half_angle = angle + 0.5 * step * rate
            half_rate = rate - 0.5 * step * WEIGHT * 9.81 / STIFFNESS * (length - i * step) * np.cos(angle)
            middle = length - (i + 0.5) * step
            rate -= step * WEIGHT * 9.81 / STIFFNESS * middle * np.cos(half_angle)
            angle += step * half_rate
            fall += step * np.sin(half_angle)
        return rate, fall

    low, high = 0.0, np.pi / length + WEIGHT * 9.81 / STIFFNESS * length**2
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if end(middle)[0] > 0 else (middle, high)
    return end(low)[1]


@pytest.mark.parametrize("kind", MESHES)
def test_exact_a_cantilever_hangs_as_the_elastica(kind: str) -> None:
    length, spacing = 0.06, 0.005
    rest, faces = square(kind, spacing, length + 2 * spacing, 0.03)
    rest[:, 0] -= rest[:, 0].min() + 2 * spacing
    material = replace(BARE, damping=6.0, stretch=200.0)
    cloth = ClothSimulation(rest, faces, rest[:, 0] < spacing / 2, material=material, substeps=64)
    for _ in range(150):
        frame = cloth.step()
    fall = -frame.positions[rest[:, 0] > length - 1e-6, 1].mean()
    assert frame.stats["largest_speed"] < 2e-3
    assert fall == pytest.approx(heavy_strip(length), rel=0.07)
