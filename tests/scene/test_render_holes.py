"""Pictures without holes: inside the silhouette of the coarse mesh, no background is visible."""

from collections.abc import Iterator
from typing import Any

import pytest

import rendering
from rendering import moment, open_renderer, sawing
from ruckle import Frame, Renderer, load
from ruckle.scene.cloth import TessellatedCloth
from ruckle.view import Camera
from shared_data import sequence_files


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(960, 540, samples=1) as renderer:
        yield renderer


def uploaded(renderer: Renderer, one: Frame, wrinkled: bool = True) -> TessellatedCloth:
    cloth = TessellatedCloth(renderer._device, one)
    cloth.prepare(one if wrinkled else one.coarse, rendering.full_detail(one))
    cloth.upload()
    return cloth


def all_holes(renderer: Renderer, one: Frame, cloth: TessellatedCloth) -> int:
    """Return the number of pixels in holes, summed over six views."""
    found = 0
    coarse = uploaded(renderer, one, wrinkled=False)
    for azimuth, elevation in rendering.SIX_VIEWS:
        width, height = renderer.size
        camera = Camera.framing(one.positions, aspect=width / height, azimuth=azimuth, elevation=elevation)
        without = rendering.culled_distances(renderer, coarse, camera)
        found += rendering.holes(rendering.culled_distances(renderer, cloth, camera), without, 3 * one.length_unit)
    return found


@pytest.mark.parametrize("path", sequence_files(), ids=lambda path: path.stem)
def test_render_property_no_holes(renderer: Renderer, path: Any) -> None:
    one = moment(load(path), 45, tau=1.25)
    with renderer._device.current():
        assert all_holes(renderer, one, uploaded(renderer, one)) == 0


def test_render_reject_levels_of_triangles(renderer: Renderer) -> None:
    # Control of the test: if the triangles at an edge divide it differently, holes must be found.
    one = sawing()
    with renderer._device.current():
        cloth = uploaded(renderer, one)
        rendering.mix_edges(cloth)
        assert all_holes(renderer, one, cloth) > 50
