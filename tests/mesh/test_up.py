"""Meshes with Z as the up axis: height, import, export, cameras."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from program import invoke, value_of
from ruckle import Animation, load
from ruckle.experiments import plot
from ruckle.film import camera_path
from ruckle.io.results import load_run
from ruckle.mesh.animation import UPRIGHT, Up, likely_up
from ruckle.view import Camera

FACES = [[0, 1, 2], [0, 2, 3]]
# a mesh with Y up: 3 wide, 2 deep, 5 high; and the same mesh with Z up
TALL = np.array([[0.0, 0, 0], [3, 0, 0], [3, 5, 2], [0, 5, 2]])
LYING = TALL @ UPRIGHT["z"]


def standing(**options: Any) -> Animation:
    return Animation(LYING[None] + np.zeros((4, 1, 1)), FACES, up="z", **options)


def test_exact_height_is_the_extent_along_the_axis_that_points_up() -> None:
    np.testing.assert_array_equal(LYING[2], [3, -2, 5])
    assert Animation(TALL[None], FACES).height == standing().height == 5.0
    assert Animation(LYING[None], FACES).height == 2.0
    assert Animation(LYING[None], FACES, up="Z").up == "z"  # type: ignore[arg-type]


@pytest.mark.parametrize("extension", ["npz", "pc2", "obj"])
def test_exact_files(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"a.{extension}"
    standing().save(path.with_suffix(".pc2" if extension == "obj" else path.suffix))
    loaded = load(path, up="z")
    assert (loaded.up, loaded.height) == ("z", 5.0)
    # only NPZ files store the up axis; other files are written with Y up
    assert load(path).up == ("z" if extension == "npz" else "y")


def test_reject_an_axis_that_a_file_cannot_mean(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", positions=TALL[None], faces=FACES, fps=30.0, up="w")
    with pytest.raises(ValueError, match=r'a\.npz: up: expected one of "y", "z", got "w"'):
        load(tmp_path / "a.npz")


def test_exact_command_line(tmp_path: Path) -> None:
    path, output = tmp_path / "a.obj", tmp_path / "run.npz"
    standing().save(path.with_suffix(".pc2"))
    shown = value_of("info", path, "--up", "z")["animation"]
    assert (shown["height"], shown["up"], shown["height_is_guess"]) == (5.0, "z", True)
    assert "percentages refer to the height 5 of this mesh" in invoke("run", path, "--up", "z", "-o", output).stderr
    assert "give --height" in invoke("info", path, "--up", "z").stdout
    assert "this mesh's own" not in invoke("run", path, "--up", "z", "--height", 6, "-o", output).stderr
    assert load_run(output).animation.up == "z"


@pytest.mark.parametrize("direction", [(0.0, 0.0), (28.0, 8.0), (-130.0, 55.0)])
def test_property_cameras_see_the_same_picture_whichever_axis_points_up(direction: tuple[float, float]) -> None:
    azimuth, elevation = direction
    seen = {}
    for up, points in (("y", TALL), ("z", LYING)):
        camera = Camera.framing(points, azimuth=azimuth, elevation=elevation, up=up).orbit(10.0, 5.0).pan(0.1, 0.2)  # type: ignore[arg-type]
        corners = np.column_stack([points, np.ones(4)]) @ camera.clip_from_world(1.5).T
        drawn = plot.Projection(azimuth, elevation, up).project(points)  # type: ignore[arg-type]
        seen[up] = (corners, drawn, camera.upward @ points.T, camera.upward @ camera.axes.T)
    for first, second in zip(*seen.values(), strict=True):
        np.testing.assert_allclose(first, second, atol=1e-12)
    assert Camera(up="z").upward.tolist() == [0, 0, 1]


def test_property_films_follow_the_axis_that_points_up() -> None:
    paths = []
    for animation in (Animation(TALL[None] + np.zeros((4, 1, 1)), FACES), standing()):
        path = camera_path(animation, range(4), aspect=1.0, view="orbit")
        turned = [UPRIGHT[animation.up] @ camera.eye for camera in path]
        paths.append(np.array([*turned, [camera.distance for camera in path][:3]]))
    np.testing.assert_allclose(*paths, atol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-7, 1e-4])
def test_exact_height_of_flat_cloth_is_its_extent(noise: float) -> None:
    sheet = np.array([[0, 0, 0], [2, noise, 0], [2, 0, 1], [0, 0, 1]])
    flat = Animation(sheet[None], [[0, 1, 2], [0, 2, 3]])
    assert (flat.height, flat.height_is_guess) == (2.0, True)
    hanging = Animation(sheet[None][..., [0, 2, 1]], [[0, 1, 2], [0, 2, 3]])
    assert hanging.height == 1.0


@pytest.mark.parametrize(
    ("extents", "up", "expected"),
    [
        ((0.3, 0.12, 1.0), "y", "z"),
        ((0.3, 1.0, 0.12), "z", "y"),
        ((0.3, 1.0, 0.12), "y", "y"),
        ((0.3, 0.5, 1.0), "y", "y"),
        # a flat sheet of cloth on the ground is not a sign of Z up
        ((1.0, 1e-7, 1.0), "y", "y"),
        ((1.0, 0.1, 0.1), "y", "y"),
    ],
)
def test_exact_likely_up(extents: tuple[float, ...], up: Up, expected: str) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * extents
    assert likely_up(Animation(corners[None], [[0, 1, 2], [0, 2, 3]], up=up)) == expected
