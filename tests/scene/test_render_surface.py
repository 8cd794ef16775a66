"""The displaced surface on the graphics card: equal to the surface of the core, and without cracks."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rendering
import ruckle
from rendering import Array, full_detail, moment, open_renderer
from ruckle import CoarseFrame, Frame, Renderer, Topology, _core, load, sample
from ruckle.scene.cloth import TessellatedCloth
from shared_data import sequence_files

SHADERS = Path(__file__).parents[1] / "shaders"


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(64, 64, samples=1) as renderer:
        yield renderer


def weights(one: Frame, faces: Array, points: Array) -> Array:
    """Return barycentric coordinates (N, 3), float64, of points (N, 3) in coarse faces."""
    corners = one.positions[one.topology.faces[faces]].astype(np.float64)
    sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    inner = np.einsum("nij,nj->ni", np.linalg.pinv(sides), points - corners[:, 0])
    return np.column_stack([1 - inner.sum(axis=1), inner])


@pytest.mark.parametrize("curved", [True, False])
def test_render_exact_same_surface_as_the_core(renderer: Renderer, busy: Frame, curved: bool) -> None:
    require_same_surface(renderer, busy, curved)


def test_render_exact_blended_heights_of_two_steps(renderer: Renderer) -> None:
    animation = sample("sawing").cut(0, 103)
    clock = ruckle.WrinkleClock(ruckle.Wrinkler.for_animation(animation), interval=1 / 15)
    for positions in animation.positions:
        blended = clock.step(positions, dt=1 / 60)
    assert blended.share == pytest.approx(0.5)
    require_same_surface(renderer, blended, False)


def require_same_surface(renderer: Renderer, busy: Frame, curved: bool) -> None:
    cloth, triangles = rendering.tessellated(renderer, busy, full_detail(busy, curved=curved))
    faces, flat = triangles["face"].ravel(), triangles["flat"].reshape(-1, 3).astype(np.float64)
    expected, _, heights = cloth._raised.core.evaluate(faces, weights(busy, faces, flat).astype(np.float32))
    r_min = busy.length_unit
    assert heights.max() > r_min
    # some vertices are at sharp folds, where the base is not smooth
    assert cloth._raised.core.vertex_roundness.min() < 0.5
    error = np.linalg.norm(triangles["position"].reshape(-1, 3) - expected, axis=1)
    # the tables store 20 bits per position, 16 per height and 12 per direction
    assert error.max() < 3e-4 * r_min


def test_render_exact_same_normals_as_the_core(renderer: Renderer, busy: Frame) -> None:
    rng = np.random.default_rng(4)
    with renderer._device.current():
        cloth = TessellatedCloth(renderer._device, busy)
        cloth.prepare(busy, full_detail(busy))
        cloth.upload()
        surface = cloth._raised.core
        reached = np.flatnonzero(np.diff(busy.path_heights.face_offsets))
        faces = rng.choice(reached, 20_000).astype(np.int32)
        where = rng.dirichlet([1, 1, 1], len(faces)).astype(np.float32)
        corners = busy.topology.faces[faces]
        context = renderer._device.context
        program = renderer._programs.get(SHADERS / "height_points.vert", varyings=("sample_out",))
        buffers = [
            (context.buffer(where), "3f", "weights"),
            (context.buffer(faces), "1i", "face"),
            (context.buffer(corners), "3i", "vertices"),
        ]
        array = context.vertex_array(program, buffers)
        cloth._table.use(program["cloth_table"].value)
        result = context.buffer(reserve=16 * len(faces))
        array.transform(result, rendering.moderngl.POINTS)
        samples = np.frombuffer(result.read(), np.float32).reshape(-1, 4)
    _, normals, heights = surface.evaluate(faces, where)
    r_min = busy.length_unit
    assert (heights > 0.1 * r_min).mean() > 0.1
    np.testing.assert_allclose(samples[:, 3], heights, atol=1e-3 * r_min)
    base = np.einsum("nk,nkc->nc", where, surface.vertex_normals[corners])
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    slope = samples[:, :3]
    raised = base - (slope - np.einsum("nc,nc->n", slope, base)[:, None] * base)
    raised /= np.linalg.norm(raised, axis=1, keepdims=True)
    # the normal is undefined exactly at the crest, so a few points may differ
    agree = np.einsum("nc,nc->n", raised, normals)
    assert np.quantile(agree, 0.002) > 0.9999


GARMENTS = ["sawing", "jumping_jack", *sequence_files()]


@pytest.mark.parametrize("source", GARMENTS, ids=lambda source: Path(source).stem)
def test_render_property_watertight_to_the_bit(renderer: Renderer, source: str | Path) -> None:
    one = moment(load(source) if isinstance(source, Path) else sample(source), 45, tau=1.25)
    cloth, triangles = rendering.tessellated(renderer, one, full_detail(one))
    assert rendering.boundary(triangles) == (rendering.expected_boundary(cloth), 0)


def test_render_reject_levels_of_triangles(renderer: Renderer, busy: Frame) -> None:
    # Control of the test: if the triangles at an edge divide it differently, cracks must be found.
    cloth, triangles = rendering.tessellated(renderer, busy, full_detail(busy), change=rendering.mix_edges)
    assert rendering.boundary(triangles)[0] > 2 * rendering.expected_boundary(cloth)


def strip(depths: list[float], levels: list[int]) -> tuple[_core.Surface, Array]:
    """Return a surface of separate triangles with given depths and edge levels, and an empty array for their order."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    positions = np.concatenate([corners + np.array([3 * k, 0, z], np.float32) for k, z in enumerate(depths)])
    topology = Topology(np.arange(len(positions)).reshape(-1, 3), len(positions))
    surface = ruckle.Surface(topology, base="curved")
    edge_levels = np.zeros(topology.edge_count, np.int32)
    edge_levels[topology.face_edges] = np.array(levels, np.int32)[:, None]
    surface.update(CoarseFrame(positions, topology), edge_levels=edge_levels)
    return surface._raised.core, np.empty((len(depths), 3), np.int32)


def test_render_exact_draw_order() -> None:
    surface, corners = strip([0, 0.5, 3, 2.9, 2.8, 2.7, -4], [1, 3, 1, 3, 2, 1, 64])
    draws = surface.order((0, 0, 1), vertices_per_draw=20, corners=corners)
    # four groups in order of depth, near to far; within each group, subdivided triangles are first
    assert (corners[:, 0] // 3).tolist() == [3, 4, 2, 5, 1, 0, 6]
    assert corners[0].tolist() == [9, 10, 11]
    # each group becomes a draw call for subdivided triangles and a draw call for the others
    assert draws == [(0, 2, True), (2, 2, False), (4, 1, True), (5, 1, False), (6, 1, True)]
    assert len(surface.order((0, 0, 1), vertices_per_draw=18, corners=corners)) == 6
    # the camera is on the other side
    surface.order((0, 0, -1), vertices_per_draw=20, corners=corners)
    assert (corners[:, 0] // 3).tolist() == [6, 1, 0, 4, 3, 5, 2]

    # triangles with equal depths keep their order
    surface, corners = strip([0, 0, 0], [1, 1, 1])
    assert surface.order((0, 0, 1), vertices_per_draw=20, corners=corners) == [(0, 3, False)]
    assert corners.ravel().tolist() == list(range(9))


def test_render_reject_room_for_another_mesh() -> None:
    surface, corners = strip([0, 0], [1, 1])
    with pytest.raises(ValueError, match="corners: expected three for each of 2 faces, got 3"):
        surface.order((0, 0, 1), vertices_per_draw=20, corners=corners[:1].copy())
