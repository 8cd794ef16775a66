"""Continuous contact: thick and thin bodies with up to 25 m/s do not pass through the cloth."""

import numpy as np
import pytest

from ruckle import ClothSimulation
from ruckle.simulation import grid_sheet

SIDE, RADIUS = 1.0, 0.15


def curtain(**options: object) -> ClothSimulation:
    """Return a curtain of 1 m x 1 m in the plane z = 0 that is pinned along its upper edge."""
    rest, faces = grid_sheet(31, 31, lambda u, v: np.stack([u - 0.5, v + 0.5, 0 * u], 1))
    return ClothSimulation(rest, faces, rest[:, 1] > 1.5 - 1e-6, **options)


def ball() -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a ball around the origin. Normals point outward."""

    def surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        around, down = 2 * np.pi * u, np.pi * (0.01 + 0.98 * v)
        return RADIUS * np.stack([np.cos(around) * np.sin(down), np.cos(down), np.sin(around) * np.sin(down)], 1)

    return grid_sheet(33, 17, surface, closed=True, inside_out=True)


def plate(thickness: float) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a square plate with sides of 0.4 m in the xy plane. Normals point outward."""
    n = 9
    rest, faces = grid_sheet(n, n, lambda u, v: np.stack([0.4 * (u - 0.5), 0.4 * (v - 0.5), 0 * u], 1))
    half = np.array([0, 0, thickness / 2])
    front, back = rest + half, rest - half
    a, b, c = front[faces].transpose(1, 0, 2)
    outward = np.cross(b - a, c - a)[:, 2].mean() > 0
    near, far = (faces, faces[:, ::-1]) if outward else (faces[:, ::-1], faces)
    grid = np.arange(n * n).reshape(n, n)
    rim = np.concatenate([grid[0], grid[1:, -1], grid[-1, -2::-1], grid[-2:0:-1, 0]])
    ahead = np.roll(rim, -1)
    sides = np.concatenate([np.c_[rim, rim + n * n, ahead], np.c_[ahead, rim + n * n, ahead + n * n]])
    body = np.concatenate([front, back])
    x = body[sides]
    if (np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) * x.mean(1)).sum() < 0:
        sides = sides[:, ::-1]
    return body, np.concatenate([near, far + n * n, sides]).astype(np.int32)


def substeps(speed: float) -> int:
    """Return the number of substeps per frame that scenes choose for a body with this speed in m/s."""
    return int(np.clip(8 * np.ceil(speed / 60 / 0.0025 / 8), 16, 64))


def flight(speed: float) -> np.ndarray:
    """Return z of a body in each frame, from 0.5 m in front of the curtain to 0.3 m behind it, where the body stops."""
    return np.minimum(-0.5 + speed / 60 * np.arange(int(0.8 / speed * 60) + 12), 0.3)


def moved(body: np.ndarray, z: float) -> np.ndarray:
    """Return a body moved to half the height of the curtain and to the depth z."""
    return body + np.array([0.0, 1.0, z])


def passed(before: np.ndarray, after: np.ndarray, old: float, new: float, reach: float) -> int:
    """Return the number of vertices that a body passes in a frame.

    Such a vertex is in front of the body at z = old, and behind the body at z = new one frame later.
    """
    over = (np.abs(before[:, :2] - [0, 1]) < reach).all(axis=1) & (np.abs(after[:, :2] - [0, 1]) < reach).all(axis=1)
    return int((over & (before[:, 2] > old) & (after[:, 2] < new)).sum())


SPEEDS = [3.0, 8.0, 12.0, 20.0, 25.0]


@pytest.mark.parametrize("speed", SPEEDS)
def test_property_a_fast_ball_does_not_enter_the_cloth(speed: float) -> None:
    body, faces = ball()
    cloth = curtain(substeps=substeps(speed))
    cloth.collide_with(faces, len(body))
    last, before = -1.0, cloth.positions
    for z in flight(speed):
        x = cloth.step(body=moved(body, z)).positions
        # the triangles of the mesh are up to 1.4 mm inside the ball
        depth = (RADIUS - np.linalg.norm(x - [0, 1, z], axis=1)).max()
        # after the ball has stopped, the strain limit pulls stretched cloth into the ball
        assert depth < (0.0 if z < 0.3 else 0.008)
        assert passed(before, x, last, z, 0.1) == 0
        last, before = z, x


@pytest.mark.parametrize("radius", [0.15, 0.01])
@pytest.mark.parametrize("speed", SPEEDS)
def test_property_a_fast_capsule_does_not_pass_through_the_cloth(speed: float, radius: float) -> None:
    cloth = curtain()
    last, before = -1.0, cloth.positions
    for z in flight(speed):
        x = cloth.step(cones=[[-0.3, 1, z, radius, 0.3, 1, z, radius]]).positions
        away = x - np.stack([np.clip(x[:, 0], -0.3, 0.3), 0 * x[:, 0] + 1, 0 * x[:, 0] + z], 1)
        assert np.linalg.norm(away, axis=1).min() > radius + 0.0039
        assert passed(before, x, last, z, 0.7 * radius) == 0
        last, before = z, x


@pytest.mark.parametrize("thickness", [0.002, 0.02])
@pytest.mark.parametrize("speed", SPEEDS)
def test_property_a_fast_thin_plate_does_not_pass_through_the_cloth(speed: float, thickness: float) -> None:
    body, faces = plate(thickness)
    cloth = curtain(substeps=substeps(speed))
    cloth.collide_with(faces, len(body))
    last, before = -1.0, cloth.positions
    for z in flight(speed):
        x = cloth.step(body=moved(body, z)).positions
        # after the plate has stopped, one vertex may slip over its rim
        assert passed(before, x, last, z, 0.16) <= (0 if z < 0.3 else 1)
        # exclude the rim, where a sharp edge cuts into stretched cloth
        inside = (np.abs(x - [0, 1, z]) < [0.16, 0.16, thickness / 2]).all(axis=1)
        assert inside.sum() <= 4
        last, before = z, x


def test_property_fast_cloth_does_not_pass_through_a_thin_plate() -> None:
    # the curtain moves and the plate rests
    body, faces = plate(0.002)
    rest, sheet = grid_sheet(21, 21, lambda u, v: np.stack([0.3 * (u - 0.5), 0.3 * (v - 0.5), 0 * u], 1))
    cloth = ClothSimulation(rest, sheet, gravity=[0, 0, 0])
    cloth.collide_with(faces, len(body))
    cloth.place(rest + np.array([0, 0, 0.3]), np.tile([0.0, 0.0, -20.0], (len(rest), 1)))
    for _ in range(20):
        assert cloth.step(body=body).positions[:, 2].min() > 0.001
