"""Waves on the graphics card: heights and slopes equal the core, with and without tessellation; no cracks."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import rendering
from rendering import Array, card_heights, full_detail, open_renderer
from ruckle import Renderer, Stack, WaveFrame, Wrinkler
from ruckle.scene.cloth import is_drawn_by_card
from ruckle.view import Camera
from wave_cloth import anywhere, cylinder, swinging, waves_on


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(64, 64, samples=1) as renderer:
        yield renderer


def raised(frames: int = 12) -> WaveFrame:
    cloth = cylinder(9, 8)
    field = waves_on(cloth, lift=0.2)
    for frame in range(frames):
        found = field.step(swinging(cloth, frame / 10))
    return found


def points(frame: WaveFrame) -> tuple[Array, Array]:
    faces, where = anywhere(cylinder(9, 8), 20_000)
    # some points are on edges, where one barycentric coordinate is 0
    where[:3000, 0] = 0.0
    where[:3000] /= where[:3000].sum(axis=1, keepdims=True)
    return faces % frame.topology.face_count, where


def test_render_exact_same_waves_as_the_core(renderer: Renderer) -> None:
    frame = raised()
    faces, where = points(frame)
    heights, gradients = frame.heights(faces, where)
    found = card_heights(renderer, frame, faces, where)
    # the shaders store vectors as half floats, with a relative error of 5e-4
    np.testing.assert_allclose(found[:, 3], heights, atol=4e-3 * abs(heights).max())
    np.testing.assert_allclose(found[:, :3], gradients, atol=4e-3 * abs(gradients).max())
    assert abs(heights).max() > 1e-3


def test_render_exact_states_are_mixed_as_in_the_core(renderer: Renderer) -> None:
    cloth = cylinder(9, 8)
    before, later = raised(9), raised(12)
    faces, where = points(before)
    for share in (0.0, 0.3, 1.0):
        frame = before.toward(later, share, swinging(cloth, 1.0))
        heights, gradients = frame.heights(faces, where)
        found = card_heights(renderer, frame, faces, where)
        np.testing.assert_allclose(found[:, 3], heights, atol=4e-3 * abs(heights).max())
        np.testing.assert_allclose(found[:, :3], gradients, atol=4e-3 * abs(gradients).max())
    np.testing.assert_allclose(heights, later.heights(faces, where)[0], atol=1e-6)


def test_render_exact_sum_of_paths_and_waves(renderer: Renderer) -> None:
    cloth = cylinder(9, 8)
    stack = Stack([Wrinkler(cloth.faces, cloth.vertex_count, r_min=0.01, tau=1.05), waves_on(cloth)])
    for number in range(12):
        frame = stack.step(swinging(cloth, number / 10))
    assert is_drawn_by_card(frame)
    faces, where = points(frame)
    heights = sum(layer.heights(faces, where)[0] for layer in frame.layers)
    found = card_heights(renderer, frame, faces, where)[:, 3]
    np.testing.assert_allclose(found, heights, atol=4e-3 * abs(heights).max())


@pytest.mark.parametrize("curved", [True, False])
def test_render_exact_same_surface_as_the_core(renderer: Renderer, curved: bool) -> None:
    assert rendering.surface_error(renderer, raised(), curved=curved) < 4e-3


def test_render_property_watertight_to_the_bit(renderer: Renderer) -> None:
    frame = raised()
    cloth, triangles = rendering.tessellated(renderer, frame, full_detail(frame))
    assert rendering.boundary(triangles) == (rendering.expected_boundary(cloth), 0)


def test_render_property_pictures_of_the_card_and_of_the_fine_mesh_agree() -> None:
    rendering.require_pictures_agree(raised())


def test_render_property_normals_need_no_tessellator() -> None:
    frame = raised()
    camera = Camera.framing(frame.positions, aspect=4 / 3)
    pictures = {}
    for name, base in (("flat", "flat"), ("curved", "curved")):
        with open_renderer(320, 240, samples=1, detail=1.0, base=base) as renderer:
            pictures[name] = renderer.render(frame, camera=camera, mode="normals_only").astype(int)
            bare = renderer.render(frame.coarse, camera=camera, mode="normals_only").astype(int)
            division = renderer._division

            def plain(*given: object, known: object = division) -> object:
                return replace(known(*given), tessellated=False)

            renderer._division = plain
            pictures["plain"] = renderer.render(frame, camera=camera, mode="normals_only").astype(int)
    # without tessellation, the normals are nearly equal to normals of tessellated flat triangles
    change = abs(bare - pictures["curved"]).mean()
    assert abs(pictures["plain"] - pictures["flat"]).mean() < 0.2 * change
    assert change > 1.0


def test_render_property_far_away_normals_are_enough() -> None:
    frame = raised()
    with open_renderer(600, 600, samples=1, detail="distance") as renderer:
        for scale, expected in ((1.0, True), (200.0, False)):
            near = Camera.framing(frame.positions, aspect=1.0)
            renderer.update(frame, camera=replace(near, distance=scale * near.distance))
            assert renderer._cloth.is_tessellated is expected
