"""The smooth base: folds that cross coarse edges do not have kinks."""

from typing import Any

import numpy as np
import pytest

from cloth_meshes import grid
from meshes import rotation
from ruckle import CoarseFrame, Frame, Surface, Topology, _core
from wrinkled_cloth import R_MIN, frame_of, laid, points_in_space

LINE = [(2.3, 5.3), (9.8, 5.3)]


@pytest.fixture(scope="module")
def sheet() -> tuple[Any, Topology]:
    rest, faces = grid(12, 10)
    return rest, Topology(faces, len(rest))


def bent(rest: Any, shear: float, fold: float) -> Any:
    """Return cloth that is bent at x = 6: columns move along y by `shear`, and along -z by `fold`, times (x - 6)²."""
    away = np.square(rest[:, 0] - 6)
    return (rest + np.column_stack([0 * away, shear * away, -fold * away])).astype(np.float32)


def framed(rest: Any, topology: Topology, positions: Any) -> Frame:
    return Frame.of(positions, topology, [laid(topology, rest, LINE)], r_min=R_MIN, rest=rest)


def kink(surface: Surface, rest: Any, y: float) -> float:
    """Return the angle in degrees by which the surface line at constant y turns at x = 6."""
    x = 6 + np.array([-0.02, -1e-3, 1e-3, 0.02])
    points = surface.evaluate(*points_in_space(surface.topology, rest, np.column_stack([x, np.full(4, y)])))
    # compare only the base without the heights, because heights also change along the wrinkle
    base = points.positions.astype(np.float64) - points.heights[:, None] * base_normals(surface, rest, x, y)
    before, after = base[1] - base[0], base[3] - base[2]
    return float(np.degrees(np.arccos(before @ after / np.linalg.norm(before) / np.linalg.norm(after))))


def base_normals(surface: Surface, rest: Any, x: Any, y: float) -> Any:
    faces, weights = points_in_space(surface.topology, rest, np.column_stack([x, np.full(len(x), y)]))
    normals = np.einsum("pk,pkc->pc", weights, surface.vertex_normals[surface.topology.faces[faces]].astype(np.float64))
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


@pytest.mark.parametrize(("shear", "fold"), [(0.15, 0.0), (0.0, 0.15), (0.1, 0.1)])
def test_property_folds_cross_coarse_edges_without_kinks(
    sheet: tuple[Any, Topology], shear: float, fold: float
) -> None:
    rest, topology = sheet
    frame = framed(rest, topology, bent(rest, shear, fold))
    found = {}
    for base in ("flat", "curved"):
        surface = Surface(topology, base=base)  # type: ignore[arg-type]
        surface.update(frame)
        found[base] = [kink(surface, rest, y) for y in (5.1, 5.3, 5.5, 5.8)]
    assert min(found["flat"]) > 14
    assert max(found["curved"]) < 0.3 * min(found["flat"])


def test_exact_cloth_that_moves_as_a_whole_stays_as_it_is(sheet: tuple[Any, Topology]) -> None:
    rest, topology = sheet
    turned = (rest @ rotation(np.array([1.0, 2.0, 3.0]), 0.7).T + 2.0).astype(np.float32)
    surface = Surface(topology, base="curved")
    surface.update(framed(rest, topology, turned))
    assert surface.frame.path_heights.smoothing.max() > 0.99
    faces = np.arange(topology.face_count, dtype=np.int32)
    weights = np.tile(np.array([0.5, 0.3, 0.2], np.float32), (len(faces), 1))
    points = surface.evaluate(faces, weights)
    flat = np.einsum("k,pkc->pc", weights[0], turned[topology.faces])
    normal = surface.vertex_normals[0]
    np.testing.assert_allclose(points.positions, flat + points.heights[:, None] * normal, atol=1e-5)


def test_exact_smoothing_follows_the_steepest_sample(sheet: tuple[Any, Topology]) -> None:
    rest, topology = sheet
    frame = frame_of(topology, rest, laid(topology, rest, LINE))
    offsets, samples = frame.curves
    for share in (1.0, 0.1, 0.01):
        low = samples.copy()
        low["height"] *= share
        paths = _core.PathHeights(topology, threads=1)
        paths.update(rest, rest, offsets, low, edge_length=0.5 * R_MIN)
        steepest = np.zeros(len(rest))
        slopes = low["barycentric"] * (low["height"] / low["half_width"])[:, None]
        np.maximum.at(steepest, topology.faces[low["face"]], slopes)
        x = np.minimum(steepest / 0.15, 1)
        np.testing.assert_allclose(paths.smoothing, x * x * (3 - 2 * x), atol=1e-6)
        # for 1 % of the heights, the smoothing is almost 0
        assert (paths.smoothing.max() < 0.02) == (share == 0.01)


def test_exact_cloth_without_wrinkles_is_curved_as_before(sheet: tuple[Any, Topology]) -> None:
    rest, topology = sheet
    positions = bent(rest, 0.2, 0.2)
    bare, beside = Surface(topology, base="curved"), Surface(topology, base="curved")
    bare.update(CoarseFrame(positions, topology))
    beside.update(framed(rest, topology, positions))
    touched = beside.frame.path_heights.smoothing[topology.faces].max(axis=1) > 0
    faces = np.flatnonzero(~touched).astype(np.int32)
    assert 50 < len(faces) < topology.face_count - 20
    weights = np.full((len(faces), 3), 1 / 3, np.float32)
    np.testing.assert_array_equal(bare.evaluate(faces, weights).positions, beside.evaluate(faces, weights).positions)
