"""Seams between the parts of a sewing pattern, and weaker folds at seams."""

import numpy as np
import pytest

from ruckle import Animation, sample
from ruckle.mesh.barriers import AT_SEAMS, ON_PATCHES, seam_paint
from ruckle.mesh.sewing import Sewing, seam_sides

SQUARES = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
CORNERS = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]], np.float32)


def two_squares(*, apart: float) -> Animation:
    """Return two squares with a common side. At this side, the u coordinates of the squares differ by `apart`."""
    uv = np.concatenate([CORNERS, CORNERS + np.float32([apart, 0])])
    uv_faces = SQUARES + np.array([0, 0, 6, 6])[:, None]
    positions = np.column_stack([CORNERS, np.zeros(6)])[None]
    return Animation(positions, SQUARES, uv=uv, uv_faces=uv_faces)


def corner_uv(animation: Animation) -> np.ndarray:
    assert animation.uv is not None
    assert animation.uv_faces is not None
    return animation.uv[animation.uv_faces]


def test_exact_a_cut_is_a_seam_on_both_sides() -> None:
    cut = two_squares(apart=0.5)
    expected = np.zeros((4, 3), bool)
    # the common side from vertex 1 to vertex 4 is a seam in both faces
    expected[0, 1] = expected[3, 2] = True
    assert np.array_equal(seam_sides(cut.faces, corner_uv(cut)), expected)
    whole = two_squares(apart=0.0)
    assert not seam_sides(whole.faces, corner_uv(whole)).any()


def test_exact_paint_is_low_at_seams_and_on_patches() -> None:
    paint = seam_paint(two_squares(apart=0.5))
    np.testing.assert_allclose(paint, [1, AT_SEAMS, 1, 1, AT_SEAMS, 1])
    animation = two_squares(apart=0.0)
    patch = np.array([[1.5, -0.5], [2.5, -0.5], [2.5, 0.5], [1.5, 0.5]], np.float32)
    sewn = Animation(
        animation.positions, animation.faces, uv=animation.uv, uv_faces=animation.uv_faces, sewing=Sewing([patch])
    )
    np.testing.assert_allclose(seam_paint(sewn), [1, 1, ON_PATCHES, 1, 1, 1])


def test_degenerate_cloth_without_a_pattern_has_no_seams() -> None:
    assert seam_paint(Animation(np.zeros((1, 3, 3)) + np.eye(3), [[0, 1, 2]])) is None


@pytest.mark.parametrize("name", ["sawing", "dancing"])
def test_property_seams_of_samples_are_few_and_mirrored(name: str) -> None:
    garment = sample(name)
    paint = seam_paint(garment)
    assert paint is not None
    assert 0.05 < (paint < 1.0).mean() < 0.5
    rest = garment.positions[0] if garment.rest_positions is None else garment.rest_positions
    aside = rest[paint < 1.0, 0]
    assert abs(aside.mean()) < 0.02
