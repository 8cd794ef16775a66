"""Pictures have no holes: no background shows inside a silhouette where the coarse mesh has cloth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rendering import (
    SIX_VIEWS,
    culled_distances,
    full_detail,
    holes,
    moment,
    open_renderer,
    sawing,
    write_levels,
    write_lists,
)
from ruckle import Frame, Renderer
from ruckle.io import load
from ruckle.scene.cloth import Cloth
from ruckle.view import Camera
from shared_data import sequence_files

Array = NDArray[Any]


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(960, 540, samples=1) as renderer:
        yield renderer


def uploaded(renderer: Renderer, one: Frame, wrinkled: bool = True) -> Cloth:
    cloth = Cloth(renderer._device, one)
    cloth.prepare(one if wrinkled else one.coarse, full_detail(one))
    cloth.upload()
    return cloth


def all_holes(renderer: Renderer, one: Frame, cloth: Cloth) -> int:
    """Count the pixels of holes over six views."""
    found = 0
    coarse = uploaded(renderer, one, wrinkled=False)
    for azimuth, elevation in SIX_VIEWS:
        width, height = renderer.size
        camera = Camera.framing(one.positions, aspect=width / height, azimuth=azimuth, elevation=elevation)
        without = culled_distances(renderer, coarse, camera)
        found += holes(culled_distances(renderer, cloth, camera), without, 3 * one.length_unit)
    return found


@pytest.mark.parametrize("path", sequence_files(), ids=lambda path: path.stem)
def test_render_property_no_holes(renderer: Renderer, path: Any) -> None:
    one = moment(load(path), 45, tau=1.25)
    with renderer._device.current():
        assert all_holes(renderer, one, uploaded(renderer, one)) == 0


def test_render_reject_levels_of_triangles(renderer: Renderer) -> None:
    # the control: levels that belong to triangles and not to edges
    one = sawing()
    levels = np.repeat(np.random.default_rng(1).integers(1, 9, (one.topology.face_count, 1)), 4, axis=1)
    with renderer._device.current():
        cloth = uploaded(renderer, one)
        write_levels(cloth, levels)
        assert all_holes(renderer, one, cloth) > 50


def test_render_reject_short_lists(renderer: Renderer) -> None:
    # the control: lists that leave out what reaches a triangle from its neighbours
    one = sawing()
    with renderer._device.current():
        cloth = uploaded(renderer, one)
        half = one.path_heights.curve_vertices.copy()
        topology, positions = one.topology, one.positions
        corners = positions[topology.faces]
        offsets, segments = one.path_heights.face_offsets, one.path_heights.face_segments
        faces = np.repeat(np.arange(topology.face_count), np.diff(offsets))
        middles = 0.5 * (half[segments, 0, :3] + half[segments + 1, 0, :3])
        # a segment stays where its middle is within half its width of the triangle's centre or a corner
        near = np.linalg.norm(corners[faces] - middles[:, None], axis=2).min(axis=1)
        near = np.minimum(near, np.linalg.norm(corners[faces].mean(axis=1) - middles, axis=1))
        kept = near < half[segments, 0, 3]
        short = np.zeros(len(offsets), np.int32)
        np.cumsum(np.bincount(faces[kept], minlength=topology.face_count), out=short[1:])
        write_lists(cloth, short, segments[kept])
        assert all_holes(renderer, one, cloth) > 20
