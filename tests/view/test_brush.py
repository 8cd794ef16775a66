"""The brush of the viewer, which paints the mask; tested without a window."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle.scene.camera import Camera
from ruckle.view.brush import Brush
from ruckle.view.outfit import Outfit


@pytest.fixture(scope="module")
def sawing() -> Any:
    return ruckle.sample("sawing").cut(0, 20)


def test_property_the_brush_touches_only_the_near_side(sawing: Any) -> None:
    brush, camera = Brush(sawing), Camera.framing(sawing.positions[0], aspect=1.0)
    brush.radius = 0.05
    found = brush.under(sawing.positions[0], camera, (0.5, 0.55), 1.0)
    assert 0 < len(found) < 0.1 * sawing.vertex_count
    # all vertices under the brush, also on the far side: their places in the picture, from the axes of the camera
    right, up, toward = camera.axes @ (sawing.positions[0] - camera.eye).T
    size = -toward * camera.pixel_size(1) / camera.distance
    inside = np.hypot(right / size, up / size + 0.05) <= brush.radius
    assert set(found) <= set(np.flatnonzero(inside))
    # the vertices that are left out are farther away than all others; they are on the far side
    rest = np.setdiff1d(np.flatnonzero(inside), found)
    assert len(rest) > 0
    assert (-toward[rest]).min() > (-toward[found]).max()
    assert (-toward[found]).min() == (-toward[inside]).min()
    assert len(brush.under(sawing.positions[0], camera, (0.01, 0.01), 1.0)) == 0


def test_exact_strokes_become_terms(sawing: Any) -> None:
    brush = Brush(sawing)
    assert brush.terms == []
    assert brush.mask.min() == 1.0
    assert brush.paint(np.array([3, 4, 5, 9]), wrinkle=False)
    assert not brush.paint(np.array([4]), wrinkle=False)
    assert brush.paint(np.array([4]), wrinkle=True)
    assert brush.terms[0] == "auto"
    made = ruckle.make_mask(sawing, brush.terms)
    assert made is not None
    np.testing.assert_array_equal(made, brush.mask)
    assert made[[3, 4, 5, 9]].tolist() == [0, 1, 0, 0]


def test_exact_parts_of_a_seam_are_painted_together() -> None:
    # two triangles whose common edge is divided by a seam
    square = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]], np.float32)
    brush = Brush(ruckle.Animation(square, [[0, 1, 2], [3, 4, 5]]))
    brush.paint(np.array([1]), wrinkle=False)
    assert brush.mask.tolist() == [1, 0, 1, 0, 1, 1]
    assert brush.terms == ["auto", "-vertex:1,3"]


def test_exact_settings_keep_the_mask(sawing: Any, tmp_path: Path) -> None:
    brush = Brush(sawing, ["all"])
    brush.paint(np.arange(7), wrinkle=False)
    ruckle.Settings(mask=brush.terms).save(tmp_path / "a.toml")
    assert ruckle.load_settings(tmp_path / "a.toml").mask == brush.terms


def test_exact_settings_of_a_mask_with_many_ranges_are_read(tmp_path: Path) -> None:
    # strokes over a mesh whose vertices are in random order
    count = 60_000
    positions = np.random.default_rng(0).random((1, count, 3)).astype(np.float32)
    mesh = ruckle.Animation(positions, np.arange(count, dtype=np.int32).reshape(-1, 3))
    brush = Brush(mesh)
    brush.paint(np.flatnonzero(positions[0, :, 0] < 0.5), wrinkle=False)
    ruckle.Settings(mask=brush.terms).save(tmp_path / "a.toml")
    made = ruckle.make_mask(mesh, ruckle.load_settings(tmp_path / "a.toml").mask)
    assert made is not None
    np.testing.assert_array_equal(made, positions[0, :, 0] >= 0.5)


def test_exact_strokes_change_the_mask_of_an_npz_file(tmp_path: Path) -> None:
    animation = ruckle.sample("sawing").cut(0, 2)
    animation.with_mask(np.linspace(0, 1, animation.vertex_count)).save(tmp_path / "a.npz")
    brush = Brush(ruckle.load(tmp_path / "a.npz"))
    brush.paint(np.arange(7), wrinkle=True)
    again = ruckle.load(tmp_path / "a.npz", mask=brush.terms)
    assert again.mask is not None
    np.testing.assert_array_equal(again.mask, brush.mask)


def test_exact_an_outfit_wears_the_painted_mask(sawing: Any) -> None:
    mask = np.zeros(sawing.vertex_count, np.float32)
    [layer] = Outfit(sawing)({"mask": mask.tobytes()})
    frame = layer.step(sawing.positions[0])
    assert frame.mask is not None
    assert not frame.mask.any()
