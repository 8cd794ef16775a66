"""Patterns on the graphics card: equal to the surface of the core, without cracks; pictures of patterns."""

from collections.abc import Iterator

import numpy as np
import pytest

import rendering
from patterned_cloth import crossed, mixed_grid, waves
from rendering import Array, card_heights, full_detail, open_renderer
from ruckle import Modulation, Modulator, Pattern, Renderer, Stack, Wrinkler, _core
from ruckle.scene.cloth import TessellatedCloth, is_drawn_by_card
from ruckle.view import Camera


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(64, 64, samples=1) as renderer:
        yield renderer


def patterns(count: int = 2) -> list[Pattern]:
    """Return `count` wave patterns with different directions. Edges of their grid have different numbers of parts."""
    grid = mixed_grid(3)
    return [waves(grid, angle) for angle in np.linspace(0.0, np.pi, count, endpoint=False)]


def rest_of(made: list[Pattern]) -> Array:
    return made[0].grid.rest.astype(np.float64)


def raised(made: list[Pattern]) -> Modulation:
    """Return a frame of the patterns on cloth that is compressed and bent."""
    rest = rest_of(made)
    squeezed = np.stack([0.75 * rest[:, 0], 0.9 * rest[:, 1], 0.4 * np.sin(rest[:, 0])], axis=1)
    return Modulator(made, r_min=0.3).step(squeezed)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_render_exact_same_patterns_as_the_core(renderer: Renderer, count: int) -> None:
    frame = raised(patterns(count))
    rng = np.random.default_rng(count)
    faces = rng.integers(0, frame.topology.face_count, 20_000).astype(np.int32)
    where = rng.dirichlet([1, 1, 1], len(faces)).astype(np.float32)
    # some points are on edges, where only the nodes of the edge determine the height
    where[:3000, 0] = 0.0
    where[:3000] /= where[:3000].sum(axis=1, keepdims=True)
    heights, gradients = frame.heights(faces, where)
    found = card_heights(renderer, frame, faces, where)
    assert np.abs(heights).max() > 0.1
    np.testing.assert_allclose(found[:, 3], heights, atol=1e-3 * np.abs(heights).max())
    np.testing.assert_allclose(found[:, :3], gradients, atol=1e-3 * np.abs(gradients).max())


def test_render_exact_sum_of_paths_and_patterns(renderer: Renderer) -> None:
    made = patterns()
    rest = rest_of(made)
    stack = Stack([Wrinkler(made[0].grid.topology.faces, len(rest), r_min=0.25, tau=1.1), Modulator(made, r_min=0.3)])
    for share in np.linspace(1.0, 0.7, 12):
        frame = stack.step(rest * [share, 1.0, 1.0])
    assert is_drawn_by_card(frame)
    assert len(frame.layers[0].wrinkles) > 0
    rng = np.random.default_rng(7)
    faces = rng.integers(0, frame.topology.face_count, 20_000).astype(np.int32)
    where = rng.dirichlet([1, 1, 1], len(faces)).astype(np.float32)
    paths, pattern = (layer.heights(faces, where)[0] for layer in frame.layers)
    assert min(np.abs(paths).max(), np.abs(pattern).max()) > 0.05
    found = card_heights(renderer, frame, faces, where)[:, 3]
    np.testing.assert_allclose(found, paths + pattern, atol=1e-3 * np.abs(paths + pattern).max())


@pytest.mark.parametrize("curved", [True, False])
def test_render_exact_same_surface_as_the_core(renderer: Renderer, curved: bool) -> None:
    assert rendering.surface_error(renderer, raised(patterns()), curved=curved) < 1e-3


def test_render_property_watertight_to_the_bit(renderer: Renderer) -> None:
    frame = raised(patterns())
    levels = frame.topology.edge_count
    assert len(np.unique(patterns()[0].grid.edge_parts)) > 2
    assert levels > 20
    cloth, triangles = rendering.tessellated(renderer, frame, full_detail(frame))
    assert rendering.boundary(triangles) == (rendering.expected_boundary(cloth), 0)


def test_render_property_watertight_at_levels_that_differ(renderer: Renderer) -> None:
    frame = raised(patterns())
    topology = frame.topology
    edge_levels = np.random.default_rng(2).integers(1, 12, topology.edge_count)
    _, triangles = rendering.tessellated(
        renderer, frame, full_detail(frame), change=lambda cloth: rendering.write_levels(cloth, edge_levels)
    )
    open_ends = topology.edge_faces[:, 1] < 0
    assert rendering.boundary(triangles) == (int(edge_levels[open_ends].sum()), 0)


class TornPatterns(_core.PatternHeights):
    """Patterns with different heights on both sides of an edge. The tests of cracks must find this crack."""

    def pattern_texels(self) -> Array:
        texels = super().pattern_texels().copy()
        texels[len(texels) // 2 :, 3] += 0.05
        return texels


def test_render_reject_patterns_that_tear(renderer: Renderer) -> None:
    frame = raised(patterns())
    with renderer._device.current():
        cloth = TessellatedCloth(renderer._device, frame)
        cloth.prepare(frame, full_detail(frame))
        modulator = Modulator(patterns(), r_min=0.3)
        cloth._raised.sources[0] = TornPatterns(modulator.grid, modulator.heights)
        cloth._raised.sources[0].update(frame.positions, frame.factors)
        cloth.upload()
        triangles = rendering.captured_vertices(cloth, renderer)
    assert rendering.boundary(triangles)[0] > rendering.expected_boundary(cloth)


def test_render_property_pictures_of_the_card_and_of_the_fine_mesh_agree() -> None:
    rendering.require_pictures_agree(raised(patterns()))


def test_render_property_factors_show_where_patterns_rise() -> None:
    made = crossed(mixed_grid(3))
    rest = rest_of(made)
    camera = Camera.framing(rest.astype(np.float32), aspect=1.0)
    with open_renderer(160, 160, samples=1) as renderer:
        pictures = [
            renderer.render(Modulator(made, r_min=0.3).step(rest * scale), camera=camera, mode="factors").astype(int)
            for scale in ([1.0, 1.0, 1.0], [0.8, 1.0, 1.0], [1.0, 0.8, 1.0])
        ]
    paper, first, second = (picture[60:100, 60:100].mean(axis=(0, 1)) for picture in pictures)
    # the cloth shows weights of patterns as colours: first pattern red, second pattern blue
    assert np.ptp(paper) < 25
    assert first[0] > first[2] + 60
    assert second[2] > second[0] + 40
