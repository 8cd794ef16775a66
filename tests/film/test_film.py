"""Films: the file contains all frames or does not exist, and the camera shows the whole garment."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawing import need_opengl
from ruckle import CoarseFrame, Topology, Wrinkler, sample
from ruckle.film import VIEWS, Shot, camera_path, close_up, film_rate, film_writer, shoot, telling_frame
from ruckle.surface.frame import Details

av = pytest.importorskip("av", reason="films need the extra render")
image = pytest.importorskip("PIL.Image", reason="films need the extra render")

SIZE = (128, 96)


def picture(number: int) -> NDArray[np.uint8]:
    red, blue = np.meshgrid(*(np.linspace(0, 255, size) for size in SIZE))
    return np.stack([red, np.full_like(red, 20 * number), blue], axis=2).astype(np.uint8)


def write(path: Path, count: int = 10, **options: object) -> None:
    with film_writer(path, **{"size": SIZE, "fps": 30.0, **options}) as film:  # type: ignore[arg-type]
        for number in range(count):
            film.append(picture(number))
        film.finish()


def frames_of(path: Path) -> tuple[list[NDArray[np.uint8]], float]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
    times = [frame.time for frame in frames]
    return [frame.to_ndarray(format="rgb24") for frame in frames], (len(times) - 1) / (times[-1] - times[0])


@pytest.mark.parametrize(("name", "error"), [("a.mp4", 2.0), ("a.gif", 5.0)])
def test_movie_exact_holds_every_picture(tmp_path: Path, name: str, error: float) -> None:
    write(tmp_path / name)
    frames, rate = frames_of(tmp_path / name)
    assert rate == pytest.approx(30.0, rel=0.02)
    for number, frame in zip(range(10), frames, strict=True):
        assert np.abs(frame.astype(int) - picture(number)).mean() < error


@pytest.mark.parametrize(
    ("name", "files"), [("film", ["film/0006.png", "film/0008.png"]), ("a_*.png", ["a_0006.png", "a_0008.png"])]
)
def test_pictures_exact_numbered_by_frame(tmp_path: Path, name: str, files: list[str]) -> None:
    write(tmp_path / name, count=2, first_frame=6, every=2)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.png")) == files
    np.testing.assert_array_equal(np.asarray(image.open(tmp_path / files[1])), picture(1))


@pytest.mark.parametrize(
    ("name", "size", "error", "sentence"),
    [
        ("a.mp4", (127, 96), ValueError, "size: films in MP4 have an even width and height, got 127x96"),
        ("a.avi", SIZE, ValueError, "films are .mp4, .gif, a .png, a pattern such as 'film_*.png' or a folder, got"),
        ("no/there/a", SIZE, FileNotFoundError, "the folder to write into does not exist"),
    ],
)
def test_writers_reject(tmp_path: Path, name: str, size: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=re.escape(sentence)):
        film_writer(tmp_path / name, size=size, fps=30.0)


@pytest.mark.parametrize(
    ("name", "fps", "expected"),
    [
        # a frame rate that is above the limit only by rounding is not halved
        ("a.mp4", 60.00001, (60.00001, 1)), ("a.mp4", 61.0, (30.5, 2)), ("a.gif", 60.0, (30.0, 2)),
        ("a.gif", 15.0, (15.0, 1)), ("film", 240.0, (240.0, 1)),
    ],
)  # fmt: skip
def test_film_rate_exact(name: str, fps: float, expected: tuple[float, int]) -> None:
    assert film_rate(Path(name), fps) == expected


def margins(positions: NDArray[np.float32], camera: object, aspect: float) -> tuple[float, float]:
    """Return the largest horizontal and vertical distance of projected points from the centre of the picture.

    A distance of 1 is the border of the picture.
    """
    points = np.concatenate([positions, np.ones((len(positions), 1))], axis=1) @ camera.clip_from_world(aspect).T  # type: ignore[attr-defined]
    places = np.abs(points[:, :2] / points[:, 3:])
    return float(places[:, 0].max()), float(places[:, 1].max())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["sawing", "jumping_jack"])
def test_camera_property_everything_is_in_the_picture(name: str, view: str) -> None:
    animation = sample(name)
    path = camera_path(animation, range(0, animation.frame_count, 5), aspect=1.5, view=view)
    seen = np.array([margins(animation.positions[5 * k], camera, 1.5) for k, camera in enumerate(path)])
    assert seen.max() < 1.0
    # The garment fills the picture. An orbiting camera shows it smaller, because all sides of the garment must fit.
    assert seen.max() > (0.6 if view == "orbit" else 0.8)


def test_camera_exact_turns_round() -> None:
    path = camera_path(sample("sawing"), range(200), aspect=1.5, view=(10.0, 20.0), turn=90.0)
    assert [round(camera.azimuth, 6) for camera in path[::50]] == [10.0, 32.5, 55.0, 77.5]
    assert {camera.elevation for camera in path} == {20.0}
    assert len({camera.distance for camera in path}) == 1


def test_camera_property_walks_with_a_garment_that_travels() -> None:
    animation = sample("sawing")
    way = np.linspace(0.0, 6.0, animation.frame_count, dtype=np.float32)[:, None, None] * np.float32([1, 0, 0])
    moved = replace(animation, positions=animation.positions + way)
    path = camera_path(moved, range(moved.frame_count), aspect=1.5, view="front")
    targets = np.array([camera.target for camera in path])
    assert 5.0 < np.ptp(targets[:, 0]) < 7.0
    # the middle of the garment swings, but the camera moves smoothly
    assert np.abs(np.diff(targets[:, 0], 2)).max() < 0.002
    seen = np.array([margins(p, camera, 1.5) for p, camera in zip(moved.positions, path, strict=True)])
    assert 0.6 < seen.max() < 1.0


def test_shoot_exact_draws_the_garment_with_and_without_wrinkles() -> None:
    need_opengl()
    shot, layer = Shot(size=(256, 128), before_after=True), Wrinkler.for_animation(sample("sawing"), tau=1.3)
    (found,) = shoot(sample("sawing"), shot, frames=range(83, 84), layer=layer)
    assert found.shape == (128, 256, 3)
    before, after = found[:, :128].astype(int), found[:, 128:].astype(int)
    different = np.abs(before - after).max(axis=2) > 8
    assert 0.005 < different.mean() < 0.3


def test_close_up_exact_shows_the_densest_wrinkles_of_one_side() -> None:
    # at x = 0, two wrinkles on opposite sides of a thin double sheet; at x = 1, two smaller wrinkles on one side
    corner = np.float32([[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0]])
    positions = np.stack([corner, corner[:, [1, 0, 2]], corner, corner]).reshape(-1, 3)
    positions[6:] += np.float32([1, 0, 0])
    positions[9:] += np.float32([0, 0.01, 0])
    faces = np.arange(12, dtype=np.int32).reshape(4, 3)
    amounts = np.array([1.0, 0.9, 0.7, 0.7])

    class Detailed(CoarseFrame):
        @property
        def details(self) -> Details:
            return Details(faces[:, 0] // 3, self.positions[faces].mean(axis=1).astype(np.float64), amounts)

    frame = Detailed(positions, Topology(faces, 12))
    camera = close_up(frame, height=1.0)
    assert camera is not None
    np.testing.assert_allclose(camera.target, [1.0 + 0.01 / 3, 0.005 + 0.01 / 3, 0.0], atol=1e-6)
    assert (camera.azimuth, camera.elevation) == pytest.approx((0.0, 0.0))
    amounts[1:] = 0.0
    camera = close_up(frame, height=1.0)
    assert camera is not None
    np.testing.assert_allclose(camera.target, [0.01 / 3, 0.01 / 3, 0.0], atol=1e-6)


def test_telling_frame_exact_has_the_most_visible_wrinkles() -> None:
    animation = replace(sample("chopping"), positions=sample("chopping").positions[:100])
    wrinkler = Wrinkler.for_animation(animation, tau=1.3)
    frames = [wrinkler.step(positions, 1 / animation.fps) for positions in animation.positions]
    watched: list[int] = []

    def seen(number: int, view: str) -> float:
        """Return the visibility of the wrinkles of a frame in a view.

        It is the sum of crest · length · cosine of the angle between normal and view direction.
        """
        azimuth, elevation = np.radians(VIEWS[view])
        toward = [np.sin(azimuth) * np.cos(elevation), np.sin(elevation), np.cos(azimuth) * np.cos(elevation)]
        amount = 0.0
        for wrinkle in frames[number].wrinkles:
            a, b, c = animation.positions[number][wrinkler.topology.faces[wrinkle.faces[len(wrinkle.faces) // 2]]]
            normal = np.cross(b - a, c - a)
            amount += wrinkle.crest * wrinkle.length * max(0.0, float(normal @ toward / np.linalg.norm(normal)))
        return amount

    chosen = {}
    for view in ("front", "back"):
        chosen[view] = telling_frame(
            animation, Shot(view=view), frames=range(20, 100), layer=wrinkler,
            watch=lambda frame: watched.append(frame.index),
        )  # fmt: skip
        amounts = [seen(number, view) for number in range(20, 100)]
        assert seen(chosen[view], view) == pytest.approx(max(amounts), rel=1e-4)
    assert chosen["front"] != chosen["back"]
    assert watched == 2 * list(range(100))
