"""Subdivision of the curved base for pictures: only at the outline, and so fine that chords are not visible."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import meshes
import rendering
from rendering import MAGENTA, SIX_VIEWS, Array, moment, open_renderer
from ruckle import CoarseFrame, Frame, LayerFrame, Renderer, _core, sample
from ruckle.scene.cloth import Division
from ruckle.scene.detail import viewpoint_of
from ruckle.view import Camera, Look

SIZE = (480, 270)
# Cosine between normal and direction to the camera, below which an edge is subdivided; equal to cpp/src/constants.h.
INNER_FACING = 0.1


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(*SIZE, samples=1, look=Look(background=MAGENTA)) as renderer:
        yield renderer


def seen(positions: Array, azimuth: float, elevation: float, zoom: float = 1.0) -> Camera:
    camera = Camera.framing(positions, aspect=SIZE[0] / SIZE[1], azimuth=azimuth, elevation=elevation)
    return camera.zoom(zoom)


def updated(frame: LayerFrame, viewpoint: Array | None, *, base_level: int = 64) -> _core.Surface:
    """Return the surface of a frame's cloth without wrinkles, subdivided for a viewpoint. None: for all viewpoints."""
    surface = _core.Surface(frame.topology, threads=1)
    given = {"edge_levels": None, "coarse_positions": None, "base_level": base_level, "viewpoint": viewpoint}
    surface.update(frame.positions, [], edge_length=0.0, curved=True, **given)
    return surface


def outline_shares(surface: _core.Surface, topology: Any, positions: Array, eye: Array) -> Array:
    """Return a weight (E,) float64 for each edge: 1 at the outline, 0 if the cosine is above INNER_FACING around it."""
    to_eye = eye - positions
    facings = np.einsum("vc,vc->v", surface.vertex_normals, to_eye) / np.linalg.norm(to_eye, axis=1)
    corners = facings[topology.faces]
    through = (corners.min(axis=1) <= 0) & (corners.max(axis=1) >= 0)
    beside = np.where(through, 0, abs(corners).min(axis=1))[topology.edge_faces]
    x = np.clip(1 - beside.min(axis=1) / INNER_FACING, 0, 1)
    return np.where(topology.edge_faces[:, 1] < 0, 1, x * x * (3 - 2 * x))


@pytest.mark.parametrize(("azimuth", "elevation"), SIX_VIEWS)
def test_render_exact_levels_of_outlines(busy: Frame, azimuth: float, elevation: float) -> None:
    topology, positions = busy.topology, busy.positions
    viewpoint = viewpoint_of(seen(positions, azimuth, elevation), 1080)
    surface = updated(busy, viewpoint)
    eye, gap = viewpoint[:3].astype(np.float64), float(viewpoint[3])
    first, second = topology.edges.T
    along = positions[second].astype(np.float64) - positions[first]
    tilts = []
    for end in (first, second):
        normals = surface.vertex_normals[end]
        tilts.append((surface.vertex_roundness[end] * np.einsum("ec,ec->e", along, normals))[:, None] * normals)
    bulges = 0.75 * outline_shares(surface, topology, positions, eye)[:, None] * (tilts[1] - tilts[0])
    # Distance of the edge's curved middle from its chord, perpendicular to the line of sight, divided by the allowed
    # gap at this distance.
    to_eye = eye - 0.5 * (positions[first] + positions[second].astype(np.float64))
    distances = np.linalg.norm(to_eye, axis=1)
    gaps = np.linalg.norm(np.cross(bulges / 4, to_eye / distances[:, None]), axis=1) / (gap * distances)
    expected = np.clip(np.ceil(np.sqrt(gaps)), 1, 64)
    # a square root near an integer may be rounded to either side
    near = (gaps > 0.5) & (np.abs(np.sqrt(gaps) - np.round(np.sqrt(gaps))) < 1e-3)
    np.testing.assert_array_equal(surface.edge_levels[~near], expected[~near])
    assert near.mean() < 0.05
    assert surface.edge_levels.max() > 3
    assert (surface.levels[:, 3] == 1).mean() > 0.4


def test_render_property_outline_is_the_fully_divided_one(renderer: Renderer, busy: Frame) -> None:
    plain = Renderer(*SIZE, samples=1, look=renderer.look, base="flat")
    for (azimuth, elevation), zoom in zip(SIX_VIEWS, (1, 1, 1, 2.5, 2.5, 2.5), strict=True):
        camera = seen(busy.positions, azimuth, elevation, zoom)
        shown = renderer.render(busy.coarse, camera=camera)
        flat = plain.render(busy.coarse, camera=camera)
        # without a viewpoint, each edge has 16 parts
        renderer._cloth._raised.update(busy.coarse, edge_length=None, curved=True, base_level=16)
        with renderer._device.current():
            renderer._cloth.upload()
            whole = renderer._draw_picture(renderer._cloth, camera, "shaded").read()
        outlines = [(picture != (255, 0, 255)).any(axis=2) for picture in (shown, whole, flat)]
        missed, coarse = (outlines[k] ^ outlines[1] for k in (0, 2))
        # differences are almost always one pixel thick, but differences of the coarse mesh are thicker
        thick = [rendering.ndimage.binary_erosion(difference, np.ones((2, 2))) for difference in (missed, coarse)]
        assert thick[0].sum() <= 0.01 * thick[1].sum()
        assert missed.sum() < 0.35 * coarse.sum()
    plain.close()


def test_render_property_outlines_turn_without_jumps(busy: Frame) -> None:
    # While the camera turns by 0.01 degrees, the subdivision changes, but points of the surface move by less than a
    # quarter of a pixel.
    positions, topology = busy.positions, busy.topology
    faces = np.repeat(np.arange(topology.face_count), 7).astype(np.int32)
    where = np.random.default_rng(3).dirichlet([1, 1, 1], len(faces)).astype(np.float32)
    before, largest = None, 0.0
    for step in range(60):
        camera = seen(positions, 20 + 0.01 * step, 8)
        positions_seen, *_ = updated(busy, viewpoint_of(camera, 1080)).evaluate(faces, where)
        if before is not None:
            largest = max(largest, float(np.abs(positions_seen - before).max()) / camera.pixel_size(1080))
        before = positions_seen
    assert largest < 0.25
    # Control of the test: for a viewpoint on another side, the surface is different.
    positions_seen, *_ = updated(busy, viewpoint_of(seen(positions, 60, 8), 1080)).evaluate(faces, where)
    assert np.abs(positions_seen - before).max() > 3 * camera.pixel_size(1080)


@pytest.mark.parametrize("wrinkled", [True, False])
def test_render_property_watertight_beside_what_is_flat(renderer: Renderer, busy: Frame, wrinkled: bool) -> None:
    unit = (busy if wrinkled else busy.coarse).length_unit
    for azimuth, elevation in SIX_VIEWS[::2]:
        division = Division(unit / 2, True, 16, viewpoint=viewpoint_of(seen(busy.positions, azimuth, elevation), 1080))
        cloth, triangles = rendering.tessellated(renderer, busy, division, wrinkled=wrinkled)
        levels = cloth._raised.core.levels[:, 3]
        assert 0.05 < (levels == 1).mean() < 0.95
        assert rendering.boundary(triangles) == (rendering.expected_boundary(cloth), 0)


def test_render_reject_viewpoints() -> None:
    shape = meshes.triangle()
    for viewpoint, message in (
        ([0, 0, 1, 0], "viewpoint: expected a gap above 0 as the fourth number, got 0"),
        ([0, np.nan, 1, 1], "viewpoint: .*finite"),
        ([0, 0, 1], r"viewpoint: expected an array of shape \(4,\), got \(3,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            updated(CoarseFrame(shape.positions, shape.topology), np.array(viewpoint, np.float32))


def test_render_degenerate_viewpoints(busy: Frame) -> None:
    # camera at a vertex, in the middle of an edge, and so far away that squared distances overflow
    for eye in (busy.positions[3], busy.positions[busy.topology.edges[5]].mean(axis=0), np.full(3, 1e25)):
        surface = updated(busy, np.array([*eye, 1e-3], np.float32))
        assert 1 <= surface.edge_levels.min() <= surface.edge_levels.max() <= 64
        assert np.isfinite(surface.displace().positions).all()
    assert np.isfinite(updated(moment(sample("jumping_jack"), 10), None).displace().positions).all()
