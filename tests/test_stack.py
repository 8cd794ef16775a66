"""Layers given by formulas, alone and in a stack with wrinkle paths: positions, normals, order, rejected layers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from drawing import need_opengl
from layers import COLUMNS, NUMBER, RADIUS, ROWS, SIZE, BentLayer, Waves, WavesLayer, arch, refined, sheet, stretched
from ruckle import Frame, Stack, StackFrame, Topology
from ruckle.film import Shot, shoot
from ruckle.io.budget import Budget
from ruckle.io.fine import fine_writer
from ruckle.io.obj import read_mesh
from watertight import faults
from wrinkled_cloth import R_MIN, laid, points_in_space

FLAT, TOPOLOGY = sheet()


class PathsLayer:
    """A layer with one wrinkle made by hand, which does not change."""

    def step(self, positions: Any, dt: float = 1 / 30) -> Frame:
        wrinkle = laid(TOPOLOGY, FLAT, np.array([(1.3, 3.4), (6.7, 3.4)]))
        return Frame.of(positions, TOPOLOGY, [wrinkle], r_min=R_MIN)

    def reset(self) -> None:
        pass


def flat_points(mesh: ruckle.FineMesh | ruckle.RefinedMesh) -> Any:
    corners = FLAT[TOPOLOGY.faces[mesh.coarse_faces]].astype(np.float64)
    return np.einsum("nk,nkc->nc", mesh.barycentric, corners)


def wave(x: Any, phase: float = 0.0) -> tuple[Any, Any]:
    return SIZE * np.sin(NUMBER * x + phase), SIZE * NUMBER * np.cos(NUMBER * x + phase)


def unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def is_inside(flat: Any) -> Any:
    """Return a mask of the points at a distance from the boundary.

    There, all faces around a vertex contribute to normals.
    """
    return ((flat[:, :2] > 0.3) & (flat[:, :2] < np.array([COLUMNS, ROWS]) - 0.3)).all(axis=1)


def assert_watertight(frame: ruckle.LayerFrame, **options: Any) -> ruckle.FineMesh:
    surface = ruckle.Surface(TOPOLOGY, base="flat", **options)
    surface.update(frame)
    mesh = TOPOLOGY if surface.shape is None else surface.shape.mesh.core(TOPOLOGY).topology
    fine = surface.displace()
    assert faults(fine, mesh, surface.edge_levels) == []
    return fine


def test_exact_heights_in_closed_form() -> None:
    fine = assert_watertight(WavesLayer(TOPOLOGY).step(FLAT))
    x = flat_points(fine)[:, 0]
    height, slope = wave(x)
    assert fine.vertex_count > 10 * len(FLAT)
    np.testing.assert_allclose(fine.positions, np.column_stack([flat_points(fine)[:, :2], height]), atol=1e-5)
    np.testing.assert_allclose(fine.heights, height, atol=1e-6)
    expected = unit(np.column_stack([-slope, 0 * slope, 1 + 0 * slope]))
    np.testing.assert_allclose(fine.normals, expected, atol=1e-5)


def test_exact_a_stack_of_one_shape_equals_the_shape() -> None:
    layer = BentLayer(TOPOLOGY, arch)
    frame = layer.step(FLAT)
    fine = assert_watertight(frame)
    np.testing.assert_array_equal(fine.positions, frame.shape.positions)
    np.testing.assert_array_equal(fine.faces, layer.mesh.faces)
    np.testing.assert_allclose(flat_points(fine), flat_points(layer.mesh), atol=1e-6)
    angle = flat_points(fine)[:, 0] / RADIUS
    inside = is_inside(flat_points(fine))
    expected = np.column_stack([np.sin(angle), 0 * angle, np.cos(angle)])
    np.testing.assert_allclose(fine.normals[inside], expected[inside], atol=1e-3)
    assert not fine.heights.any()


@pytest.mark.parametrize(("placed", "stretch"), [(arch, 1.0), (stretched, 1.5)])
def test_exact_heights_stand_on_the_shape(placed: Any, stretch: float) -> None:
    stack = Stack([BentLayer(TOPOLOGY, placed), WavesLayer(TOPOLOGY)])
    fine = assert_watertight(stack.step(FLAT), edge_length=0.1)
    assert fine.vertex_count > 2 * refined(TOPOLOGY).vertex_count
    flat = flat_points(fine)
    height, slope = wave(flat[:, 0])
    angle = flat[:, 0] / RADIUS if placed is arch else 0 * flat[:, 0]
    normal = np.column_stack([np.sin(angle), 0 * angle, np.cos(angle)])
    along = np.column_stack([np.cos(angle), 0 * angle, -np.sin(angle)])
    inside = is_inside(flat)
    position = placed(flat) + height[:, None] * normal
    np.testing.assert_allclose(fine.positions[inside], position[inside], atol=1e-3)
    np.testing.assert_allclose(fine.heights, height, atol=1e-5)
    # stretched cloth has less steep waves
    expected = unit(normal - (slope / stretch)[:, None] * along)
    np.testing.assert_allclose(fine.normals[inside], expected[inside], atol=1e-3)


def test_exact_layers_add_up() -> None:
    frame = Stack([PathsLayer(), WavesLayer(TOPOLOGY)]).step(FLAT)
    assert [type(part) for part in frame.parts] == [Frame, Waves]
    fine = assert_watertight(frame)
    found = [part.heights(fine.coarse_faces, fine.barycentric) for part in frame.parts]  # type: ignore[attr-defined]
    assert found[0][0].max() > 5 * SIZE
    np.testing.assert_allclose(fine.heights, found[0][0] + found[1][0], atol=1e-6)
    slopes = (found[0][1] + found[1][1])[:, :2]
    np.testing.assert_allclose(fine.normals, unit(np.column_stack([-slopes, np.ones(len(slopes))])), atol=1e-5)
    # the edges of the stack are as short as in the finer of both layers
    surfaces = [ruckle.Surface(TOPOLOGY, base="flat") for _ in range(3)]
    for surface, layer in zip(surfaces, (frame, *frame.parts), strict=True):
        surface.update(layer)
    both, first, second = (surface.edge_levels for surface in surfaces)
    np.testing.assert_array_equal(both, np.maximum(first, second))
    assert set(np.sign(first - second)) >= {-1, 1}


def test_exact_surfaces_evaluate_what_they_displace() -> None:
    for layers in ([WavesLayer(TOPOLOGY)], [BentLayer(TOPOLOGY, arch), PathsLayer(), WavesLayer(TOPOLOGY)]):
        surface = ruckle.Surface(TOPOLOGY, base="curved", threads=2)
        surface.update(Stack(layers).step(FLAT))
        fine = surface.displace()
        mesh = TOPOLOGY if surface.shape is None else surface.shape.mesh.core(TOPOLOGY).topology
        # test points at all face corners; the first fine vertices are the displaced vertices of this mesh
        corners = np.array([[face, corner] for face in range(mesh.face_count) for corner in range(3)])
        weights = np.eye(3, dtype=np.float32)[corners[:, 1]]
        points = surface.evaluate(corners[:, 0], weights)
        vertices = mesh.faces[corners[:, 0], corners[:, 1]]
        np.testing.assert_allclose(points.positions, fine.positions[vertices], atol=1e-6)
        np.testing.assert_allclose(points.normals, fine.normals[vertices], atol=1e-5)
        np.testing.assert_allclose(points.heights, fine.heights[vertices], atol=1e-6)


def test_exact_area_gains() -> None:
    # expected value from a much finer quadrature: length of a sine curve divided by the width of the sheet, minus 1
    x = np.linspace(0.0, COLUMNS, 100_001)
    expected = np.sqrt(1 + wave(x)[1] ** 2).mean() - 1
    gains = WavesLayer(TOPOLOGY).step(FLAT).area_gains
    areas = np.linalg.norm(np.cross(*np.diff(FLAT[TOPOLOGY.faces], axis=1).transpose(1, 0, 2)), axis=1)
    assert np.average(gains, weights=areas) == pytest.approx(expected, rel=0.01)
    np.testing.assert_allclose(BentLayer(TOPOLOGY, stretched).step(FLAT).area_gains, 0.5, atol=1e-5)
    # the area gain of a wrinkle: closed form, area of its fine mesh, and the quadrature that custom layers use
    frame = PathsLayer().step(FLAT)
    fine = ruckle.displace(frame, edge_length=0.05)
    sides = np.diff(fine.positions[fine.faces].astype(np.float64), axis=1).transpose(1, 0, 2)
    gained = 0.5 * float(np.linalg.norm(np.cross(*sides), axis=1).sum()) - COLUMNS * ROWS
    by_points = ruckle.HeightFrame.area_gains.func(frame)  # type: ignore[attr-defined]
    for gains in (frame.area_gains, by_points):
        assert 0.5 * float((gains * areas).sum()) == pytest.approx(gained, rel=0.05)
        assert 5 < (gains > 0).sum() < TOPOLOGY.face_count / 2


def test_exact_later_layers_get_the_remaining_share() -> None:
    shape, paths, first, second = BentLayer(TOPOLOGY, stretched), PathsLayer(), *(WavesLayer(TOPOLOGY) for _ in "ab")
    stack = Stack([shape, paths, first, second])
    frame = stack.step(FLAT, bones="posed")
    assert shape.bones == "posed"
    gains = [part.area_gains for part in frame.parts]  # type: ignore[attr-defined]
    np.testing.assert_allclose(first.seen[0], 1 / ((1 + gains[0]) * (1 + gains[1])), rtol=1e-6)
    np.testing.assert_allclose(second.seen[0], first.seen[0] / (1 + gains[2]), rtol=1e-6)
    assert (first.seen[0] <= 1 / 1.5 + 1e-5).all()
    # the first layer of a stack does not receive a remaining share of compression
    Stack([first, paths]).step(FLAT)
    assert first.seen[1] is None
    # a stack can be a layer of another stack; it passes on the remaining share of compression to its layers
    inner = Stack([first])
    Stack([shape, inner]).step(FLAT)
    np.testing.assert_allclose(first.seen[2], 1 / 1.5, atol=1e-5)
    # if a shape layer makes the area smaller, later layers receive the full share
    Stack([BentLayer(TOPOLOGY, lambda flat: 0.5 * flat), first]).step(FLAT)
    np.testing.assert_array_equal(first.seen[3], 1.0)


def test_exact_frames_carry_all_layers() -> None:
    stack = Stack([PathsLayer(), WavesLayer(TOPOLOGY)])
    frames = [stack.step(FLAT, 0.5) for _ in range(3)]
    assert [frame.index for frame in frames] == [0, 1, 2]
    assert frames[2].layers[1].phase == 1.0
    assert (frames[0].length_unit, next(iter(frames[0].timings))) == (R_MIN, "PathsLayer.stretch")
    # a frame without a unit does not count
    bare = ruckle.CoarseFrame(FLAT, TOPOLOGY)
    assert bare.length_unit == 0.0
    assert StackFrame([bare, PathsLayer().step(FLAT)], ["bare", "paths"], 0).length_unit == R_MIN
    assert (frames[0].stats["PathsLayer.wrinkles"], len(frames[0].details.faces)) == (1, 1)
    assert frames[0].labels is not None
    assert repr(stack) == "Stack(PathsLayer, WavesLayer; 3 frames done)"
    stack.reset()
    again = stack.step(FLAT, 0.5)
    assert again.index == 0
    np.testing.assert_array_equal(ruckle.displace(again).positions, ruckle.displace(frames[0]).positions)


@pytest.mark.parametrize("form", ["obj", "ply", "fine.pc2"])
def test_exact_every_stack_is_written(tmp_path: Path, form: str) -> None:
    animation = ruckle.Animation(np.stack([FLAT, FLAT, FLAT]), TOPOLOGY.faces, fps=30.0, name="sheet")
    for layers in ([WavesLayer(TOPOLOGY)], [BentLayer(TOPOLOGY, arch), PathsLayer(), WavesLayer(TOPOLOGY)]):
        stack = Stack(layers)
        frames = [stack.step(positions) for positions in animation.positions]
        path = tmp_path / str(len(layers)) / form
        path.parent.mkdir()
        with fine_writer(path, animation, base="flat", form="obj" if "." in form else form) as writer:
            if writer.fixed:
                writer.fix(frames)
            for frame in frames:
                writer.append(frame)
            writer.finish()
        if form == "obj":
            written = read_mesh(path / "sheet_0002.obj", Budget())
            fine = ruckle.displace(frames[2], base="flat")
            np.testing.assert_array_equal(written.positions.astype(np.float32), fine.positions)
            np.testing.assert_array_equal(written.faces, fine.faces)


@pytest.mark.parametrize("kind", ["heights", "shape", "stack"])
def test_shoot_exact_every_layer_is_filmed(kind: str) -> None:
    need_opengl()
    animation = ruckle.Animation(np.stack([FLAT, FLAT, FLAT]), TOPOLOGY.faces, fps=30.0, name="sheet", height=4.0)
    layers = {"heights": [WavesLayer(TOPOLOGY)], "shape": [BentLayer(TOPOLOGY, arch)]}
    layers["stack"] = [*layers["shape"], PathsLayer(), *layers["heights"]]
    shot = Shot(size=(96, 96), view=(30.0, 40.0), before_after=True)
    pictures = list(shoot(animation, shot, layer=Stack(layers[kind])))
    assert len(pictures) == 3
    before, after = pictures[0][:, :48].astype(int), pictures[0][:, 48:].astype(int)
    assert (np.abs(before - after).max(axis=2) > 8).mean() > 0.02


def test_reject_maps_of_a_shape(tmp_path: Path) -> None:
    pytest.importorskip("OpenEXR", reason="baked maps need OpenEXR")
    uv = FLAT[:, :2] / np.array([COLUMNS, ROWS])
    animation = ruckle.Animation(FLAT[None], TOPOLOGY.faces, fps=30.0, name="sheet", uv=uv)
    frame = Stack([BentLayer(TOPOLOGY, arch), WavesLayer(TOPOLOGY)]).step(FLAT)
    with (
        fine_writer(tmp_path / "maps", animation, form="maps", map_size=16) as writer,
        pytest.raises(ValueError, match="maps contain only heights over the coarse mesh"),
    ):
        writer.append(frame)


def test_property_fine_faces_may_reach_over_coarse_ones() -> None:
    # another grid over the same sheet, whose vertices are at arbitrary points of the coarse faces
    positions, faces = grid(13, 9)
    wanted = positions[:, :2] * [8 / 13, 6 / 9]
    holders, weights = points_in_space(TOPOLOGY, FLAT, wanted)
    mesh = ruckle.RefinedMesh(faces, holders.astype(np.int32), np.clip(weights, 0, 1))
    frame = Stack([BentLayer(TOPOLOGY, arch, mesh), WavesLayer(TOPOLOGY)]).step(FLAT)
    fine = assert_watertight(frame, edge_length=0.1)
    np.testing.assert_allclose(fine.heights, wave(flat_points(fine)[:, 0])[0], atol=1e-5)
    # the first vertices of the displaced mesh have the places of the given mesh's vertices on the flat sheet
    np.testing.assert_allclose(flat_points(fine)[: len(wanted), :2], wanted, atol=1e-4)
    assert np.abs(fine.positions - arch(flat_points(fine))).max() < 2 * SIZE


class Wrong(Waves):
    answer: Any = None

    def heights(self, faces: Any, barycentric: Any) -> Any:
        return self.answer(len(faces))


def test_reject_stacks() -> None:
    waves, shape, bent = WavesLayer(TOPOLOGY), BentLayer(TOPOLOGY, arch), BentLayer(TOPOLOGY, stretched)
    other, small, silent = Topology([[0, 1, 2]], 3), WavesLayer(TOPOLOGY), WavesLayer(TOPOLOGY)
    small.step = lambda positions, dt=0.0: Waves(positions[:3], other, length_unit=1.0)
    silent.step = lambda positions, dt=0.0: None
    for layers, error, message in [
        ([], ValueError, "layers: expected at least one, got none"),
        (None, TypeError, "layers: expected a sequence of layers, got None"),
        ([waves, 5], TypeError, r"layers\[1\]: expected a layer, with step and reset, got 5"),
        ([shape, waves, bent], ValueError, r"layers\[2\]: gives a second shape, Bent after Bent; a stack has at most"),
        ([waves, small], ValueError, r"layers\[1\]: is of another mesh than layers\[0\], 3 vertices and 1"),
        ([waves, WavesLayer(other)], ValueError, r"layers\[1\]: is of another mesh than layers\[0\], 3 vertices and 1"),
        ([silent], TypeError, r"layers\[0\]: expected a layer whose step returns a LayerFrame, got None"),
    ]:
        with pytest.raises(error, match=message):
            Stack(layers).step(FLAT)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda n: None, TypeError, "Wrong.heights: expected a pair of heights and gradients, got NoneType"),
        (lambda n: (np.zeros(n + 1), np.zeros((n, 3))), ValueError, r"Wrong.heights: expected heights of shape \("),
        (lambda n: (np.zeros(n), np.zeros(n)), ValueError, r"Wrong.heights: expected gradients of shape \("),
        (lambda n: (np.full(n, np.nan), np.zeros((n, 3))), ValueError, "Wrong.heights: expected finite heights, got"),
    ],
)
def test_reject_core_sources_with_wrong_results(answer: Any, error: type[Exception], message: str) -> None:
    frame = Wrong(FLAT, TOPOLOGY, length_unit=1.0)
    frame.answer = answer
    with pytest.raises(error, match=message):
        ruckle.displace(frame)


def test_reject_frames_of_layers() -> None:
    with pytest.raises(TypeError, match="abstract"):
        ruckle.HeightFrame(FLAT, TOPOLOGY)  # type: ignore[abstract]
    with pytest.raises(ValueError, match="length_unit: expected a length above 0 of a frame with heights, got 0"):
        ruckle.displace(Waves(FLAT, TOPOLOGY))
    mesh = refined(TOPOLOGY)
    for coarse_faces, barycentric, message in [
        (mesh.coarse_faces + 96, mesh.barycentric, r"coarse_faces: expected numbers from 0 to 95, got \d+ at vertex 0"),
        (mesh.coarse_faces, mesh.barycentric + 0.1, r"barycentric: expected three weights of at least 0 that sum to 1"),
        (mesh.coarse_faces, mesh.barycentric[1:], r"barycentric: expected an array of shape \(N = \d+, 3\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            ruckle.RefinedMesh(mesh.faces, coarse_faces, barycentric).core(TOPOLOGY)
    short = BentLayer(TOPOLOGY, lambda flat: flat[1:]).step(FLAT)
    with pytest.raises(ValueError, match=r"positions: expected an array of shape \(1209, 3\), got \(1208, 3\)"):
        ruckle.displace(short)


def test_degenerate_collapsed_shapes_stay_finite() -> None:
    for placed in (lambda flat: 0 * flat, lambda flat: flat * [1, 0, 0]):
        stack = Stack([BentLayer(TOPOLOGY, placed), PathsLayer(), WavesLayer(TOPOLOGY)])
        fine = ruckle.displace(stack.step(FLAT))
        assert np.isfinite([fine.positions, fine.normals]).all()
