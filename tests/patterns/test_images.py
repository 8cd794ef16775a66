"""Patterns from images: splines, seams, files, and every error message."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meshes import grid, triangle
from patterned_cloth import grid_of
from ruckle import FormatError, PatternGrid, image_pattern
from ruckle.patterns.images import load_grey_image, seam_distance, spline_heights

RAMP = np.add.outer(np.zeros(6), np.arange(8.0))


def test_exact_splines_reproduce_straight_lines() -> None:
    # in units of texels, the centre of a texel is at an integer plus 0.5; the first row of texels is at v = 1
    uv = np.random.default_rng(0).uniform(0.3, 0.7, (50, 2))
    np.testing.assert_allclose(spline_heights(RAMP, uv, repeat=False), uv[:, 0] * 8 - 0.5, atol=1e-12)
    np.testing.assert_allclose(spline_heights(RAMP.T, uv, repeat=False), (1 - uv[:, 1]) * 8 - 0.5, atol=1e-12)


def test_property_images_repeat_or_end() -> None:
    random = np.random.default_rng(1)
    image, uv = random.normal(size=(5, 7)), random.uniform(-2, 2, (40, 2))
    repeated = spline_heights(image, uv, repeat=True)
    np.testing.assert_allclose(spline_heights(image, uv + np.array([3.0, -2.0]), repeat=True), repeated, atol=1e-9)
    # without repetition, the border texels continue; far outside, heights are those of the last column or of a corner
    outside = np.array([[5.3, 0.5], [9.6, 0.5], [-4.2, 7.0], [3.7, -2.4]])
    found = spline_heights(image, outside, repeat=False)
    column = image[:, -1]
    np.testing.assert_allclose(found[:2], (column[1] + 4 * column[2] + column[3]) / 6, atol=1e-12)
    np.testing.assert_allclose(found[2:], [image[0, 0], image[-1, -1]], atol=1e-12)


def split_sheet() -> tuple[PatternGrid, Any, Any]:
    """Return a pattern grid on a sheet, texture coordinates and their indices.

    A seam divides the texture along the middle column; the right part is at another place in the texture.
    """
    mesh = grid(5, 5)
    right = mesh.positions[mesh.faces].mean(axis=1)[:, 0] > 2
    uv = np.concatenate([mesh.positions[:, :2], mesh.positions[:, :2] + [0.37, 0.21]]) / 4
    corners = np.where(right[:, None], mesh.faces + mesh.vertex_count, mesh.faces)
    return grid_of(mesh), uv, corners


def test_property_patterns_fall_to_0_at_seams() -> None:
    found, uv, corners = split_sheet()
    image = np.random.default_rng(3).normal(size=(16, 16))
    pattern = image_pattern(found, image, uv=uv, uv_faces=corners, seam_width=1.0)
    seam = abs(found.nodes[:, 0] - 2) < 1e-6
    assert (pattern.heights[seam] == 0.0).all()
    far = abs(found.nodes[:, 0] - 2) > 1.01
    raw = image_pattern(found, image, uv=uv, uv_faces=corners, seam_width=0.0)
    np.testing.assert_array_equal(pattern.heights[far], raw.heights[far])
    # the factor is a smoothstep of the distance
    distance = np.minimum(abs(found.nodes[:, 0] - 2), 1.0)
    np.testing.assert_allclose(pattern.heights, raw.heights * distance**2 * (3 - 2 * distance), atol=1e-5)
    # without fading at seams, both sides of the seam would have different heights
    nodes = found.nodes[seam][:, :2] / 4
    sides = [spline_heights(image, nodes + shift, repeat=True) for shift in ([0, 0], [0.37 / 4, 0.21 / 4])]
    assert abs(sides[0] - sides[1]).max() > 0.1


def test_exact_distance_from_seams() -> None:
    found, _, corners = split_sheet()
    distance = seam_distance(found.topology, found.rest, corners)
    np.testing.assert_allclose(distance, abs(found.rest[:, 0] - 2), atol=1e-6)
    assert np.isinf(seam_distance(found.topology, found.rest, found.topology.faces)).all()


def test_exact_files_keep_every_bit(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    values = np.random.default_rng(4).integers(0, 65536, (9, 7))
    for name, texels in (("deep.png", values.astype(np.uint16)), ("plain.png", (values >> 8).astype(np.uint8))):
        image.fromarray(texels).save(tmp_path / name)
        np.testing.assert_array_equal(load_grey_image(tmp_path / name), texels)
    np.save(tmp_path / "array.npy", values.astype(np.float32))
    np.testing.assert_array_equal(load_grey_image(tmp_path / "array.npy"), values)


def test_exact_exr_heights(tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    heights = np.random.default_rng(5).normal(size=(6, 5)).astype(np.float32)
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    exr.File(header, {"Y": heights}).write(str(tmp_path / "heights.exr"))
    np.testing.assert_array_equal(load_grey_image(tmp_path / "heights.exr"), heights)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((2, 2, 3)), "image: expected real numbers of shape (H, W), one grey value per texel, got (2, 2, 3)"),
        (np.full((3, 3), 0.5), "image: every texel is 0.5; a pattern needs at least two heights"),
        ([[0.0, 1.0], [2.0, np.nan]], "image: row 1, column 1 is not finite"),
    ],
)
def test_reject_images(image: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        image_pattern(grid_of(triangle()), image, uv=np.zeros((3, 2)))


def test_reject_files(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / "colour.png")
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "text.npy").write_text("no array")
    np.save(tmp_path / "flat.npy", np.zeros((3, 3)))
    for name, message in (
        ("colour.png", r"colour.png: has colours \(RGB\); a pattern is one grey height per texel"),
        ("text.png", "text.png: is not a readable PNG, JPEG or WebP picture"),
        ("text.npy", "text.npy: the array has a damaged header"),
        ("flat.npy", "flat.npy: image: every texel is 0; a pattern needs at least two heights"),
    ):
        with pytest.raises(FormatError, match=message):
            load_grey_image(tmp_path / name)


def test_reject_tiles_far_larger_than_the_file(tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    file = tmp_path / "tiled.exr"
    tiles = exr.TileDescription()
    tiles.xSize = tiles.ySize = 4
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.tiledimage, "tiles": tiles}
    exr.File(header, {"Y": np.eye(8, dtype=np.float32)}).write(str(file))
    assert load_grey_image(file).shape == (8, 8)
    size = b"tiledesc\0\x09\0\0\0\x04\0\0\0"
    assert size in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(size + b"\x04\0\0\0", size + b"\x04\0\0\x04"))
    with pytest.raises(FormatError, match=r"tiled\.exr: a picture of \(4, 67108868\) texels: would take 3,221 MB"):
        load_grey_image(file)


def test_reject_deep_images(tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    texels = np.empty((2, 2), object)
    for place in np.ndindex(2, 2):
        texels[place] = np.ones(3, np.float32)
    header = {"compression": exr.ZIPS_COMPRESSION, "type": exr.deepscanline}
    exr.File(header, {"Y": texels}).write(str(tmp_path / "deep.exr"))
    with pytest.raises(FormatError, match=r"deep\.exr: has deep texels; a pattern is one grey height per texel"):
        load_grey_image(tmp_path / "deep.exr")
