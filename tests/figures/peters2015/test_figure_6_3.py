"""Figure 6.3: wrinkles by normal maps, by tessellation, and by both.

"While using normal maps alone is clearly even faster, the results do not appear as realistic as the rendered frames
lack inter-wrinkle occlusions and characteristic changes in character contours."
"""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("moderngl")

from ruckle.errors import GraphicsError
from ruckle.figures.peters2015.normals_and_geometry import MODES, Variants, measure


@pytest.fixture(scope="module")
def variants() -> Variants:
    try:
        return measure()
    except GraphicsError as error:
        pytest.skip(str(error))


def test_property_normals_alone_leave_the_outline(variants: Variants) -> None:
    geometry, both = (variants.outline_change(name) for name in ("geometry only", "both"))
    # "geometry only" divides the curved cloth everywhere, the others where its outline shows and under wrinkles
    assert geometry == pytest.approx(both, rel=0.15)
    assert both > 100
    assert variants.outline_change("normals only") < 0.3 * both


def test_property_every_variant_shows_wrinkles(variants: Variants) -> None:
    for name in MODES:
        assert variants.shading_change(name) > 0.03


def test_property_the_variants_differ(variants: Variants) -> None:
    pictures = [variants.pictures[name] for name in MODES]
    for k, picture in enumerate(pictures):
        assert all((picture != other).any() for other in pictures[:k])


def test_degenerate_without_wrinkles_all_are_the_coarse_garment() -> None:
    try:
        plain = measure(wrinkled=False)
    except GraphicsError as error:
        pytest.skip(str(error))
    for name in ("normals only", "both"):
        assert plain.outline_change(name) == 0
        assert plain.shading_change(name) == 0.0
