"""Tracing of paths: seeds, directions, ends, smoothing."""

import numpy as np
import pytest

import ruckle
from cloth_meshes import compressed, field, grid, points_of, wrinkled_grid
from path_invariants import check_paths
from ruckle import Stretch, Topology


def with_axis(stretch: Stretch, axis: np.ndarray, compression: np.ndarray) -> Stretch:
    return Stretch(
        (1.0 / compression).astype(np.float32),
        np.ones_like(stretch.max),
        compression.astype(np.float32),
        axis.astype(np.float32),
        np.zeros(len(stretch), bool),
    )


def axes_in_faces(positions: np.ndarray, faces: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return 3D directions in the plane z = 0 as components (T, 2) in the own axes of each triangle."""
    first = positions[faces[:, 1]] - positions[faces[:, 0]]
    x = first / np.linalg.norm(first, axis=1)[:, None]
    y = np.stack([-x[:, 1], x[:, 0], np.zeros(len(x))], axis=1)
    return np.stack([(directions * x).sum(1), (directions * y).sum(1)], axis=1)


def test_reject_broken_paths_are_not_valid() -> None:
    topology, positions, stretch = wrinkled_grid(1.6)
    first, *others = ruckle.trace(topology, positions, stretch, r_min=0.3, smooth=False)
    edges, t = first
    check_paths(topology, [first, *others])
    far = np.append(edges[:-1], others[0][0][-1])
    mirrored = np.where(np.arange(len(t)) % 2, 1.0 - t, t)
    for broken, message in (
        ((edges[:1], t[:1]), None),
        ((edges, t[:-1]), None),
        ((edges, np.where(t == t[1], np.nan, t)), None),
        ((edges, t + 1.0), None),
        ((edges, t - 1.0), None),
        ((far, t), "do not share exactly one triangle"),
        ((np.append(edges, edges[-2]), np.append(t, 0.5)), "an edge twice"),
        ((topology.face_edges[0], np.full(3, 0.5)), "a triangle twice"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_paths(topology, [broken, *others])
    # each path is valid if it is alone; together, the second path crosses or repeats the first
    for other in ((edges, mirrored), (edges, t)):
        check_paths(topology, [other])
        with pytest.raises(AssertionError, match="two paths cross in triangle"):
            check_paths(topology, [first, other])


def test_exact_paths_run_across_the_compression_from_border_to_border() -> None:
    topology, positions, stretch = wrinkled_grid(1.6)
    paths = ruckle.trace(topology, positions, stretch, r_min=0.3, smooth=False)
    assert len(paths) >= 3
    check_paths(topology, paths)
    for edges, t in paths:
        points = points_of(topology, positions, edges, t)
        assert np.ptp(points[:, 0]) < 0.05  # the path runs along y, at constant x
        assert np.ptp(points[:, 1]) == pytest.approx(6.0, abs=1e-4)


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.2])
def test_property_a_turned_field_turns_the_paths(angle: float) -> None:
    axis = (np.cos(angle), np.sin(angle), 0.0)
    topology, positions, stretch = wrinkled_grid(1.7, axis)
    paths = ruckle.trace(topology, positions, stretch, r_min=0.2)
    check_paths(topology, paths)
    assert len(paths) > 3
    for edges, t in paths:
        step = np.diff(points_of(topology, positions, edges, t), axis=0)
        assert np.abs(step @ axis).max() < 0.1 * np.linalg.norm(step, axis=1).max() + 0.02


def test_property_seeds_cover_the_compressed_area_and_keep_their_distance() -> None:
    topology, positions, stretch = wrinkled_grid(1.6, columns=14, rows=5)
    r_min = 0.4
    paths = ruckle.trace(topology, positions, stretch, r_min=r_min)
    places = np.sort([points_of(topology, positions, *path)[:, 0].mean() for path in paths])
    width = 2.0 * r_min  # width of a wrinkle at full compression
    assert np.diff(places).min() > 0.9 * width
    assert np.diff(places).max() < 2.6 * width


def test_property_scale_leaves_every_t() -> None:
    topology, positions, stretch = wrinkled_grid(1.6)
    small = ruckle.trace(topology, positions, stretch, r_min=0.3)
    large = ruckle.trace(topology, positions * 1000.0, stretch, r_min=300.0)
    assert len(small) == len(large)
    for (edges, t), (other_edges, other_t) in zip(small, large, strict=True):
        np.testing.assert_array_equal(edges, other_edges)
        np.testing.assert_allclose(t, other_t, atol=1e-4)


def test_exact_paths_end_where_compression_falls_below_the_threshold() -> None:
    rest, faces = grid(6, 6)
    topology = Topology(faces, len(rest))
    centres = rest[faces].mean(axis=1)
    compression = np.where(centres[:, 1] < 3.0, 1.6, 1.3)
    stretch = with_axis(
        field(rest, compressed(rest, 1.5), faces),
        axes_in_faces(rest, faces, np.tile([1.0, 0, 0], (len(faces), 1))),
        compression,
    )
    ends = [points_of(topology, rest, *path)[:, 1].max() for path in ruckle.trace(topology, rest, stretch, r_min=0.3)]
    assert ends
    assert max(ends) == pytest.approx(3.0, abs=1e-5)
    # hysteresis: after its start, a path continues at a compression that is too low for its start
    longer = [
        points_of(topology, rest, *p)[:, 1].max()
        for p in ruckle.trace(topology, rest, stretch, r_min=0.3, grow_tau=1.2)
    ]
    assert max(longer) == pytest.approx(6.0, abs=1e-5)
    assert not ruckle.trace(topology, rest, stretch, r_min=0.3, tau=1.7)


def test_exact_no_seed_where_all_directions_are_alike() -> None:
    rest, faces = grid(4, 4)
    topology = Topology(faces, len(rest))
    assert not ruckle.trace(topology, rest * 0.5, field(rest, rest * 0.5, faces), r_min=0.2)


def test_exact_a_path_goes_straight_through_an_open_direction() -> None:
    rest, faces = grid(6, 5)
    topology = Topology(faces, len(rest))
    centres = rest[faces].mean(axis=1)
    stretch = with_axis(
        field(rest, compressed(rest, 1.5), faces),
        axes_in_faces(rest, faces, np.tile([1.0, 0, 0], (len(faces), 1))),
        np.full(len(faces), 1.6),
    )
    middle = np.abs(centres[:, 1] - 2.5) < 0.5
    stretch.max[middle] = stretch.min[middle] * 1.01
    paths = ruckle.trace(topology, rest, stretch, r_min=0.3, smooth=False)
    assert len(paths) > 3
    for edges, t in paths:
        points = points_of(topology, rest, edges, t)
        assert np.ptp(points[:, 0]) < 0.02
        assert np.ptp(points[:, 1]) == pytest.approx(5.0, abs=1e-5)


def test_exact_a_path_follows_the_line_between_directions_that_point_at_each_other() -> None:
    # Two rows of squares. The directions in both rows lean toward the line between the rows by 12 degrees, so that at
    # this line the direction of the other side points back. A path must then follow the line.
    rest, faces = grid(8, 2)
    topology = Topology(faces, len(rest))
    centres = rest[faces].mean(axis=1)
    lean = np.radians(12.0)
    upper = centres[:, 1] > 1.0
    wrinkle = np.stack(
        [np.full(len(faces), np.cos(lean)), np.where(upper, -np.sin(lean), np.sin(lean)), np.zeros(len(faces))], 1
    )
    axis = np.stack([-wrinkle[:, 1], wrinkle[:, 0], wrinkle[:, 2]], 1)
    stretch = with_axis(
        field(rest, compressed(rest, 1.5), faces), axes_in_faces(rest, faces, axis), np.full(len(faces), 1.6)
    )
    paths = ruckle.trace(topology, rest, stretch, r_min=0.1, smooth=False)
    check_paths(topology, paths)
    assert paths
    slid = 0
    for edges, t in paths:
        points = points_of(topology, rest, edges, t)
        assert (np.diff(points[:, 0]) * np.sign(points[-1, 0] - points[0, 0]) > -1e-3).all()  # no path turns back
        slid += (np.abs(points[:, 1] - 1.0) < 0.1).sum() >= 3
    assert slid > 0


def test_property_smoothing_halves_the_way_to_the_straight_line() -> None:
    topology, positions, _ = wrinkled_grid(1.5)
    # a path across one inner edge: its other vertices are on outer edges of the two triangles
    edge = int(np.flatnonzero(topology.edge_faces[:, 1] >= 0)[20])
    f, g = topology.edge_faces[edge]
    before = int(next(e for e in topology.face_edges[f] if e != edge))
    after = int(next(e for e in topology.face_edges[g] if e != edge))
    t = ruckle.smooth_path(topology, positions, [before, edge, after], [0.4, 0.9, 0.6])
    a, b = points_of(topology, positions, np.array([before, after]), np.array([0.4, 0.6]))[:, :2]
    v1, v2 = positions.astype(np.float64)[topology.edges[edge]][:, :2]
    # the crossing of a straight line with the edge, b + s (a - b) = v2 + t (v1 - v2); the mesh is flat
    straight = np.linalg.solve(np.column_stack([v1 - v2, b - a]), b - v2)[0]
    assert t[1] == pytest.approx(0.9 + 0.5 * (np.clip(straight, 1e-3, 1 - 1e-3) - 0.9), abs=1e-4)
    assert (t[0], t[2]) == (pytest.approx(0.4), pytest.approx(0.6))


def test_degenerate_no_compression_and_collapsed_triangles() -> None:
    rest, faces = grid(3, 3)
    topology = Topology(faces, len(rest))
    assert ruckle.trace(topology, rest, field(rest, rest, faces), r_min=0.2) == []
    assert ruckle.trace(topology, rest * 0.0, field(rest, rest * 0.0, faces), r_min=0.2) == []
    one = Topology([[0, 1, 2]], 3)
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    squeezed = compressed(triangle, 2.0)
    paths = ruckle.trace(one, squeezed, field(triangle, squeezed, one.faces), r_min=0.05)
    check_paths(one, paths)
    assert len(paths) >= 1
