"""The displaced surface: curves, lists of samples per face, edge levels, points."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from float64_surface import listed_pairs, rest_normals, surface_points, vertex_normals, vertex_roundness
from meshes import rotation
from ruckle import CoarseFrame, Frame, Surface, Topology, _core
from sanitized import SANITIZED
from wrinkled_cloth import KAPPA, R_MIN, frame_of, laid, points_in_space, wrinkling

LINE = [(1.3, 3.4), (8.7, 3.4)]
BEND = [(1.3, 1.2), (5.0, 1.4), (5.4, 5.6)]
CROSSING = [(6.3, 0.3), (5.1, 5.7)]


@pytest.fixture(scope="module")
def sheet() -> tuple[Any, Any, Topology]:
    positions, faces = grid(10, 6, seed=1)
    return positions, faces, Topology(faces, len(positions))


def random_points(topology: Any, count: int, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    faces = random.integers(0, topology.face_count, count).astype(np.int32)
    return faces, random.dirichlet((1.0, 1.0, 1.0), count).astype(np.float32)


def test_exact_one_straight_wrinkle(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkle = laid(topology, positions, LINE)
    surface = Surface(topology, base="flat")
    surface.update(frame_of(topology, positions, wrinkle))
    begin, end = wrinkle.points[0, 0], wrinkle.points[-1, 0]
    x, y = np.meshgrid(np.linspace(begin + 0.01, end - 0.01, 60), np.linspace(2.0, 5.0, 151))
    points = surface.evaluate(*points_in_space(surface.topology, positions, np.column_stack([x.ravel(), y.ravel()])))
    # expected heights: the same wrinkle on a finely divided line
    fine = np.column_stack([np.linspace(begin, end, 2001), np.full(2001, 3.4), np.zeros(2001)])
    width, height, _ = ruckle.wrinkle_shape(fine, kappa=KAPPA, r_min=R_MIN)
    half_width = np.interp(x.ravel(), fine[:, 0], width) / 2
    expected = np.interp(x.ravel(), fine[:, 0], height) * ruckle.cross_section((y.ravel() - 3.4) / half_width)
    # the surface averages heights within 1.6 half widths, and the height changes along the line
    np.testing.assert_allclose(points.heights, expected, atol=0.05 * height.max())
    inner = np.abs(x.ravel() - 0.5 * (begin + end)) < 0.2 * (end - begin)
    np.testing.assert_allclose(points.heights[inner], expected[inner], atol=0.012 * height.max())
    np.testing.assert_allclose(points.positions[:, 2], points.heights, atol=1e-6)
    # at the crest, the mean contains only smaller values on both sides
    assert points.heights.max() == pytest.approx(height.max(), rel=0.015)


def test_exact_no_crest_rises_between_two_branches() -> None:
    positions, faces = grid(24, 14)
    positions *= 0.4
    topology = Topology(faces, len(positions))
    # the line returns at a distance of 2.2 half widths; in the middle, the offsets from both branches cancel each other
    hairpin = laid(topology, positions, [(2.05, 3.0), (7.3, 3.0), (7.35, 3.8), (2.1, 3.8)])
    x = np.linspace(3.5, 6.5, 40)
    branch, half_way = (
        frame_of(topology, positions, hairpin).heights(
            *points_in_space(topology, positions, np.column_stack([x, np.full(40, y)]))
        )[0]
        for y in (3.0, 3.4)
    )
    assert np.all(half_way < 0.5 * branch)


def test_exact_wrinkles_do_not_show_through_folds_of_the_rest_pose() -> None:
    flat, faces = grid(48, 24)
    flat *= 0.25
    topology = Topology(faces, len(flat))
    # cloth that is folded along x = 6, so that its halves are at most a third of a half width apart
    folded = np.where(flat[:, :1] > 6.0, np.array([12.0, 0.0, -0.12]) + flat * [-1.0, 1.0, 1.0], flat).astype(
        np.float32
    )
    wrinkle = laid(topology, flat, [(5.55, 1.3), (5.55, 4.7)])
    frame = Frame.of(flat, topology, [wrinkle], r_min=R_MIN, rest=folded)
    y = np.linspace(2.6, 3.4, 40)
    own, below = (
        frame.heights(*points_in_space(topology, flat, np.column_stack([np.full(40, x), y])))[0] for x in (5.55, 6.45)
    )
    assert own.min() > 0.75 * wrinkle.crest
    assert below.max() < 0.1 * wrinkle.crest


def test_exact_samples_of_drawn_lines(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkles = [laid(topology, positions, line, number=k) for k, line in enumerate([BEND, LINE])]
    surface = Surface(topology, base="curved")
    surface.update(frame_of(topology, positions, *wrinkles))
    samples = surface.frame.path_heights.curve_points
    assert samples.shape[1:] == (4, 4)
    assert samples.dtype == np.float32
    assert not samples.flags.writeable
    for number, wrinkle in enumerate(wrinkles):
        own = samples[samples[:, 2, 3] == number].astype(np.float64)
        # samples at both ends of the wrinkle have height 0 and are omitted
        line = wrinkle_line(surface.frame, number)
        assert len(own) == len(line) - 2 >= 9
        assert own[:, 2, 1].max() == pytest.approx(wrinkle.crest, rel=0.02)
        np.testing.assert_allclose(np.linalg.norm(own[:, 1, :3], axis=1), 1.0, atol=1e-6)
        np.testing.assert_allclose(own[:, 0, 3], 1 / (1.6 * own[:, 2, 0]) ** 2, rtol=1e-5)
        # The weight of a sample is its height times the length of its part of the line (half of the distances to both
        # neighbours), divided by the squared edge length. Ends are excluded.
        apart = np.linalg.norm(np.diff(own[:, 0, :3], axis=0), axis=1)
        inner = np.flatnonzero(np.minimum(own[:-2, 2, 1], own[2:, 2, 1]) >= 0.5 * own[1:-1, 2, 1]) + 1
        assert len(inner) > 5
        parts = 0.5 * (apart[inner - 1] + apart[inner])
        np.testing.assert_allclose(own[inner, 1, 3], own[inner, 2, 1] * parts / surface.edge_length**2, rtol=1e-4)
        # slopes are central differences of the heights; exclude samples next to a much lower one, which counts less
        lengths = np.linalg.norm(own[2:, 0, :3] - own[:-2, 0, :3], axis=1)
        heights = own[:, 2, 1]
        clear = np.minimum(heights[:-2], heights[2:]) >= 0.5 * heights[1:-1]
        assert clear.sum() > 5
        slopes = (heights[2:] - heights[:-2]) / lengths
        np.testing.assert_allclose(own[1:-1, 2, 2][clear], slopes[clear], atol=1e-5)
    assert (np.diff(samples[:, 2, 3]) >= 0).all()


def test_property_a_new_low_sample_hardly_changes_heights(sheet: tuple[Any, Any, Topology]) -> None:
    """A new sample next to the line starts with a small height, and then changes the surface only a little."""
    positions, _, topology = sheet
    line = wrinkle_line(frame_of(topology, positions, laid(topology, positions, LINE)), 0)
    middle = len(line) // 2
    where = random_points(topology, 20000)
    found = []
    for share in (None, 1e-5, 1e-2, 1.0):
        samples = line
        if share is not None:
            fresh = line[middle : middle + 1].copy()
            place = np.einsum("k,kc->c", fresh["barycentric"][0], positions[topology.faces[fresh["face"][0]]])
            place += [0.02, 0.5 * fresh["half_width"][0], 0.0]
            face, weights = points_in_space(topology, positions, place[None, :2])
            fresh["face"], fresh["barycentric"], fresh["height"] = face, weights, share * fresh["height"]
            samples = np.concatenate([line[: middle + 1], fresh, line[middle + 1 :]])
        paths = _core.PathHeights(topology, threads=1)
        offsets = np.array([0, len(samples)], np.int32)
        paths.update(positions, positions, offsets, samples, edge_length=0.5 * R_MIN)
        found.append(paths.heights(*where)[0].astype(np.float64))
    changes = [np.abs(heights - found[0]).max() / line["height"].max() for heights in found[1:]]
    assert changes[0] < 1e-3
    assert changes[1] < 0.05
    # control of the test: with its full height, the new sample changes the surface
    assert changes[2] > 0.1


def test_property_repeated_samples_do_not_change_heights(sheet: tuple[Any, Any, Topology]) -> None:
    """Heights are means over the line, so that two samples at one position are equal to one sample."""
    positions, _, topology = sheet
    line = wrinkle_line(frame_of(topology, positions, laid(topology, positions, BEND)), 0)
    where = random_points(topology, 20000)
    found = []
    for repeats in (1, 2, 6):
        counts = np.where(np.arange(len(line)) < len(line) // 2, repeats, 1)
        samples = np.repeat(line, counts)
        paths = _core.PathHeights(topology, threads=1)
        paths.update(positions, positions, np.array([0, len(samples)], np.int32), samples, edge_length=0.5 * R_MIN)
        found.append(paths.heights(*where)[0].astype(np.float64))
    for heights in found[1:]:
        assert np.abs(heights - found[0]).max() < 0.01 * line["height"].max()


def heights_of(topology: Topology, positions: Any, samples: Any, where: Any) -> Any:
    """Return the heights at points near a line of samples."""
    paths = _core.PathHeights(topology, threads=1)
    paths.update(positions, positions, np.array([0, len(samples)], np.int32), samples, edge_length=0.5 * R_MIN)
    return paths.heights(*where)[0].astype(np.float64)


def test_property_removed_low_neighbours_hardly_change_the_height_of_a_sample(sheet: tuple[Any, Any, Topology]) -> None:
    """A single sample raises the surface. If its almost flat neighbours are removed, heights change only a little."""
    positions, _, topology = sheet
    line = wrinkle_line(frame_of(topology, positions, laid(topology, positions, LINE)), 0).copy()
    middle = len(line) // 2
    where, height = random_points(topology, 20000), line["height"][middle]
    line["height"] *= 1e-3
    line["height"][middle] = height
    among, alone = (heights_of(topology, positions, samples, where) for samples in (line, line[middle : middle + 1]))
    assert alone.max() > 0.9 * height
    assert np.abs(among - alone).max() < 0.15 * height


def test_property_five_rising_samples_turn_the_line_no_more_than_one(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    line = wrinkle_line(frame_of(topology, positions, laid(topology, positions, LINE)), 0)
    middle = len(line) // 2
    height = line["height"][middle]
    found = []
    for count, share in ((0, 0.0), (1, 0.1), (5, 0.1)):
        samples = line[: middle + 6].copy()
        samples["height"][middle + 1 :] = 0.0
        samples["height"][middle + 1 : middle + 1 + count] = share * height
        paths = _core.PathHeights(topology, threads=1)
        paths.update(positions, positions, np.array([0, len(samples)], np.int32), samples, edge_length=0.5 * R_MIN)
        points = paths.curve_points
        found.append(points[points[:, 2, 1] == height][-1].astype(np.float64))
    nothing, one, row = (point[2, 2] for point in found)
    # the slope of the last high sample depends only on the next sample, which is the first low sample
    assert abs(one - nothing) > 0.05 * abs(nothing)
    np.testing.assert_allclose(row, one, rtol=1e-5)


def wrinkle_line(frame: Any, number: int) -> Any:
    """Return the samples of the drawn line of wrinkle `number`."""
    offsets, samples = frame.curves
    return samples[offsets[number] : offsets[number + 1]]


def test_exact_cut_ends(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkle = laid(topology, positions, LINE, cuts=(0.4, 0.7))
    line = wrinkle_line(frame_of(topology, positions, wrinkle), 0)
    ends = np.einsum("nk,nkc->nc", line["barycentric"], positions[topology.faces[line["face"]]])[[0, -1]]
    points = wrinkle.points
    np.testing.assert_allclose(ends[0], points[0] + 0.4 * (points[1] - points[0]), atol=1e-5)
    np.testing.assert_allclose(ends[1], points[-1] + 0.7 * (points[-2] - points[-1]), atol=1e-5)
    assert (line["height"][[0, -1]] == 0).all()


@pytest.mark.parametrize("base", ["flat", "curved"])
def test_exact_points_agree_with_double_precision(base: Any) -> None:
    for frame in wrinkling(ruckle.sample("chopping"), every=75):
        surface = Surface(frame.topology, base=base)
        surface.update(frame)
        where = random_points(surface.topology, 2000 if SANITIZED else 20000)
        points = surface.evaluate(*where)
        paths = surface.frame.path_heights
        pairs = listed_pairs(where[0], paths.face_offsets, paths.face_points, paths.face_openings)
        expected = surface_points(
            frame.positions,
            frame.rest,
            surface.topology.faces,
            surface.frame.path_heights.curve_points,
            where,
            pairs,
            curved=base == "curved",
            smoothing=paths.smoothing,
        )
        r_min = 2 * surface.edge_length
        assert (points.heights > 0.1 * r_min).mean() > 0.01
        np.testing.assert_allclose(points.positions, expected[0], atol=1e-3 * r_min)
        np.testing.assert_allclose(points.heights, expected[2], atol=1e-3 * r_min)
        # at the ridge between two wrinkles with equal heights, normals may change quickly
        assert (np.abs(points.normals - expected[1]).max(axis=1) > 1e-3).mean() < 1e-3


def missing(surface: Surface, rest: Any, offsets: Any, listed: Any) -> int:
    """Return the number of points inside the radius of a sample that is missing in the list of their face."""
    spread = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12
    faces = surface.topology.faces
    points = np.einsum("pk,tkc->tpc", spread, rest[faces].astype(np.float64))
    samples, count = surface.frame.path_heights.curve_points.astype(np.float64), 0
    owners = np.repeat(np.arange(len(faces)), np.diff(offsets))
    for number, sample in enumerate(samples):
        near = ((points - sample[0, :3]) ** 2).sum(axis=2) * sample[0, 3] < 1
        has = np.zeros(len(faces), bool)
        has[owners[listed == number]] = True
        count += int((near & ~has[:, None]).sum())
    return count


def test_exact_lists_contain_all_near_points_and_no_far_ones(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    surface = Surface(topology, base="curved")
    surface.update(frame_of(topology, positions, *(laid(topology, positions, line) for line in (LINE, BEND, CROSSING))))
    offsets, listed = surface.frame.path_heights.face_offsets, surface.frame.path_heights.face_points
    assert offsets[0] == 0
    assert offsets[-1] == len(listed) > 300
    assert missing(surface, positions, offsets, listed) == 0
    faces = np.repeat(np.arange(topology.face_count), np.diff(offsets))
    assert (np.diff(listed)[np.diff(faces) == 0] > 0).all()
    # a listed sample is at most its radius plus the longest side away from a corner of the face
    samples, corners = surface.frame.path_heights.curve_points, positions[topology.faces]
    gap = np.linalg.norm(corners[faces] - samples[listed, None, 0, :3], axis=2).min(axis=1)
    assert (gap < 1.6 * samples[listed, 2, 0] + 2.5).all()


def widest_ways(topology: Topology, rest: Any, normals: Any, sample: Any, start: int) -> Any:
    """Return for each face (T,) the width of the widest path over the mesh from the face of a sample to this face."""
    inner = np.flatnonzero(topology.edge_faces[:, 1] >= 0)
    a, b = (rest.astype(np.float64)[topology.edges[inner, k]] for k in (0, 1))
    side = b - a
    x = np.clip(((sample[0, :3] - a) * side).sum(axis=1) / (side**2).sum(axis=1), 0, 1)
    near = 1 - ((a + x[:, None] * side - sample[0, :3]) ** 2).sum(axis=1) * sample[0, 3]
    x = np.clip(1 + 2 * normals @ sample[3, :3], 0, 1)
    share = (x * x * (3 - 2 * x))[topology.edges[inner]].max(axis=1)
    width = np.maximum(np.minimum(near, share), 0)
    widest = np.zeros(topology.face_count)
    widest[start] = 1
    while True:
        before = widest.copy()
        for k in (0, 1):
            here, there = topology.edge_faces[inner, k], topology.edge_faces[inner, 1 - k]
            np.maximum.at(widest, there, np.minimum(widest[here], width))
        if (widest == before).all():
            return widest


def test_exact_openings_equal_the_widest_paths_to_the_line() -> None:
    flat, faces = grid(40, 16)
    flat *= 0.25
    topology = Topology(faces, len(flat))
    # folds so deep that both sides of a fold are inside the radius of one sample (point of the wrinkle's line)
    rest = flat.copy()
    rest[:, 2] += 0.5 * np.sin(5 * flat[:, 0])
    rest[:, 0] -= 0.25 * np.sin(10 * flat[:, 0])
    wrinkle = laid(topology, flat, [(2.4, 1.3), (6.8, 2.6)])
    frame = Frame.of(flat, topology, [wrinkle], r_min=R_MIN, rest=rest)
    paths, line = frame.path_heights, wrinkle_line(frame, 0)
    samples = paths.curve_points.astype(np.float64)
    normals = rest_normals(rest, faces, (np.repeat(np.arange(len(faces)), 3), np.tile(np.eye(3), (len(faces), 1))))
    of_vertices = np.zeros((len(rest), 3))
    of_vertices[faces.ravel()] = normals
    owners = np.repeat(np.arange(len(faces)), np.diff(paths.face_offsets))
    spread = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12
    limited = 0
    for number, (sample, start) in enumerate(zip(samples, line["face"][line["height"] > 0], strict=True)):
        widest = widest_ways(topology, rest, of_vertices, sample, start)
        mine = paths.face_points == number
        listed, openings = owners[mine], paths.face_openings[mine]
        low = openings < 1
        np.testing.assert_allclose(openings[low], widest[listed[low]], atol=2e-4)
        limited += int(low.sum())
        # In faces without a limit, the widest path is wide enough for the largest weight in the face, up to 0.03. Faces
        # that are not listed cannot be reached.
        points = np.einsum("pk,tkc->tpc", spread, rest[faces].astype(np.float64))
        near = 1 - ((points - sample[0, :3]) ** 2).sum(axis=2) * sample[0, 3]
        x = np.clip(1 + 2 * np.einsum("pk,tkc,c->tp", spread, of_vertices[faces], sample[3, :3]), 0, 1)
        most = np.minimum(near, x * x * (3 - 2 * x)).max(axis=1)
        assert (widest[listed[~low]] >= most[listed[~low]] - 0.03).all()
        missing = np.setdiff1d(np.flatnonzero(most > 0), listed)
        assert (widest[missing] < 1e-4).all()
    assert limited > 50


def largest_bends(surface: Surface) -> Any:
    """Return the largest 6 H / r² of the samples of each face, (T + 1,), for heights H and radii r.

    The last entry is 0.
    """
    samples = surface.frame.path_heights.curve_points.astype(np.float64)
    bends = 6 * samples[:, 2, 1] / samples[:, 2, 0] ** 2
    offsets, listed = surface.frame.path_heights.face_offsets, surface.frame.path_heights.face_points
    return np.array([bends[listed[i:j]].max(initial=0) for i, j in pairwise(offsets)] + [0])


def test_exact_levels_belong_to_edges(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkle = laid(topology, positions, LINE)
    lengths = np.linalg.norm(np.diff(positions[topology.edges], axis=1)[:, 0], axis=1)
    refined = []
    for base, edge_length in (("flat", 0.09), ("curved", 0.3), ("flat", 1.01 * float(lengths.min()) / 64)):
        surface = Surface(topology, base=base, edge_length=edge_length, base_level=3)  # type: ignore[arg-type]
        surface.update(frame_of(topology, positions, wrinkle))
        reached = np.append(np.diff(surface.frame.path_heights.face_offsets) > 0, False)[topology.edge_faces].any(
            axis=1
        )
        assert 0 < reached.sum() < len(reached)
        most = np.where(reached, 64, 1 if base == "flat" else 3)
        finer = np.clip(np.sqrt(largest_bends(surface)[topology.edge_faces].max(axis=1) * edge_length), 1, 2)
        refined.append(finer.max())
        np.testing.assert_array_equal(surface.edge_levels, np.clip(np.ceil(lengths / edge_length * finer), 1, most))
        np.testing.assert_array_equal(surface.levels[:, :3], surface.edge_levels[topology.face_edges])
        np.testing.assert_array_equal(surface.levels[:, 3], surface.levels[:, :3].max(axis=1))
    assert 1 == refined[2] < refined[0] < refined[1] == 2


def test_exact_vertex_normals_and_roundness() -> None:
    positions = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)
    _, faces = grid(3, 3)
    surface = Surface(Topology(faces, 16), base="curved")
    surface.update(CoarseFrame(positions, surface.topology))
    np.testing.assert_allclose(surface.vertex_normals, vertex_normals(positions, faces), atol=1e-5)
    positions[:, :2] = grid(3, 3)[0][:, :2]
    surface.update(CoarseFrame(positions, surface.topology))
    roundness = vertex_roundness(positions, faces)
    assert ((roundness > 0.01) & (roundness < 0.99)).sum() >= 3
    np.testing.assert_allclose(surface.vertex_roundness, roundness, atol=1e-4)


def test_property_one_wrinkle_is_not_changed_by_the_blend(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    pair = [laid(topology, positions, LINE), laid(topology, positions, CROSSING)]
    found = []
    where = random_points(topology, 20000)
    for wrinkles in (pair[:1], pair[1:], pair):
        surface = Surface(topology, base="flat")
        surface.update(frame_of(topology, positions, *wrinkles))
        found.append(surface.evaluate(*where).heights.astype(np.float64))
    first, second, both = found
    apart = (first == 0) | (second == 0)
    assert (~apart).sum() > 50
    np.testing.assert_allclose(both[apart], (first + second)[apart], rtol=1e-5)
    # between two crests, valleys lower the blend by at most 0.57 of the common height of both wrinkles
    blend = (first**4 + second**4) ** 0.25
    common = 2 * first * second / np.where(apart, 1.0, first + second)
    assert (both <= blend * (1 + 1e-5)).all()
    assert (both >= (blend - 0.57 * common) * (1 - 1e-5)).all()
    # on the sides that face away from the other wrinkle, the valley is 0
    assert (np.abs(both - blend) < 1e-5 * blend)[~apart].mean() > 0.3


def test_property_rigid_motion(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkles = [laid(topology, positions, line) for line in (LINE, BEND)]
    turn = rotation(np.array([0.4, -0.3, 0.8]), 1.1)
    where = random_points(topology, 5000)
    plain, turned = Surface(topology, base="curved"), Surface(topology, base="curved")
    plain.update(frame_of(topology, positions, *wrinkles))
    turned.update(frame_of(topology, positions @ turn.T + [3.0, -1.0, 2.0], *wrinkles))
    a, b = plain.evaluate(*where), turned.evaluate(*where)
    assert (a.heights > 0).sum() > 500
    np.testing.assert_allclose(a.heights, b.heights, atol=2e-5)
    np.testing.assert_allclose(a.positions @ turn.T + [3.0, -1.0, 2.0], b.positions, atol=3e-5)
    np.testing.assert_allclose(a.normals @ turn.T, b.normals, atol=2e-3)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_property_scale(sheet: tuple[Any, Any, Topology], factor: float) -> None:
    positions, _, topology = sheet
    where = random_points(topology, 5000)
    plain, scaled = Surface(topology, base="curved"), Surface(topology, base="curved")
    plain.update(frame_of(topology, positions, *(laid(topology, positions, line) for line in (LINE, BEND))))
    large = positions * np.float32(factor)
    wide = [laid(topology, large, np.array(line) * factor, r_min=R_MIN * factor) for line in (LINE, BEND)]
    scaled.update(frame_of(topology, large, *wide, r_min=R_MIN * factor))
    a, b = plain.evaluate(*where), scaled.evaluate(*where)
    np.testing.assert_allclose(a.heights * factor, b.heights, atol=2e-5 * factor)
    np.testing.assert_allclose(a.normals, b.normals, atol=2e-3)
    np.testing.assert_array_equal(plain.levels, scaled.levels)


def test_property_order_of_faces_and_vertices_does_not_matter(sheet: tuple[Any, Any, Topology]) -> None:
    positions, faces, topology = sheet
    random = np.random.default_rng(5)
    order = random.permutation(len(positions))
    shuffled = np.empty_like(positions)
    shuffled[order] = positions
    turns = random.integers(0, 3, len(faces))
    rows = random.permutation(len(faces))
    others = order[faces][np.arange(len(faces))[:, None], (np.arange(3) + turns[:, None]) % 3][rows]
    other = Topology(others, len(positions))
    surfaces = Surface(topology, base="curved"), Surface(other, base="curved")
    for surface, points in zip(surfaces, (positions, shuffled), strict=True):
        mesh: Any = surface.topology
        surface.update(frame_of(mesh, points, *(laid(mesh, points, line) for line in (LINE, BEND))))
    where, weights = random_points(topology, 5000)
    new = np.argsort(rows)[where]
    turned = weights[np.arange(len(where))[:, None], (np.arange(3) + turns[where][:, None]) % 3]
    a, b = surfaces[0].evaluate(where, weights), surfaces[1].evaluate(new, turned)
    assert (a.heights > 0).sum() > 500
    np.testing.assert_allclose(a.positions, b.positions, atol=2e-5)


def changed(line: Any, **fields: Any) -> Any:
    """Return a copy of a line's samples in which fields of sample 3 have other values."""
    other = line.copy()
    for name, value in fields.items():
        other[name][3] = value
    return other


def test_reject_frames(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    surface = Surface(topology, base="curved")
    wrinkle = laid(topology, positions, LINE)
    line = wrinkle_line(frame_of(topology, positions, wrinkle), 0)
    with pytest.raises(ValueError, match="frame: is of another mesh, expected 120 triangles of this one"):
        surface.update(CoarseFrame(positions, topology.faces[1:]))
    with pytest.raises(ValueError, match=r"positions: element 4 holds nan; every number must be finite"):
        surface.update(CoarseFrame(np.where(np.arange(77)[:, None] == 4, np.nan, positions), topology))
    with pytest.raises(ValueError, match=r"edge_levels: expected .* of shape \(E = 196,\)"):
        surface.update(CoarseFrame(positions, surface.topology), edge_levels=[1])
    levels = np.where(np.arange(topology.edge_count) == 7, 65, 1)
    with pytest.raises(ValueError, match=r"edge_levels: edge 7 has level 65, allowed are 1 to 64"):
        surface.update(CoarseFrame(positions, topology), edge_levels=levels)
    for change, message in [
        ({"edges": wrinkle.edges[np.r_[1, 0, 2:len(wrinkle)]]}, r"wrinkles\[0\] cannot be drawn on this mesh: edges: "),
        ({"t": wrinkle.t + 2}, r"wrinkles\[0\] cannot be drawn on this mesh: t: "),
        ({"cuts": np.array([0.0, 1.5], np.float32)}, r"cuts\[1\]: expected a number in \[0, 1\], got 1.5"),
        ({"perimeter": -1.0}, r"perimeter: expected a finite number of at least 0, got -1.0"),
        ({"curve": changed(line, face=1000)}, r"wrinkle 0 is not of this mesh: its line names face 1000"),
        ({"curve": changed(line, barycentric=0.5)}, r"wrinkle 0 has a sample whose barycentric weights are not"),
        ({"curve": changed(line, height=-1.0)}, r"wrinkle 0 has a sample with a half width or height of -1.0"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            surface.update(frame_of(topology, positions, replace(wrinkle, **change)))  # type: ignore[arg-type]
    ends = {name: getattr(wrinkle, name)[:1] for name in ("edges", "t", "points", "width", "height")}
    one = replace(wrinkle, faces=wrinkle.faces[:0], **ends)
    with pytest.raises(ValueError, match=r"wrinkles\[0\] cannot be drawn on this mesh: edges: "):
        surface.update(frame_of(topology, positions, one))


def test_degenerate_nothing_to_wrinkle(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    surface = Surface(topology, base="flat")
    where = random_points(topology, 100)
    for wrinkles in ([], [laid(topology, positions, LINE, fade=0.0)], [laid(topology, positions, LINE, size=0.0)]):
        surface.update(frame_of(topology, positions, *wrinkles))
        assert surface.frame.path_heights.curve_points.shape == (0, 4, 4)
        assert len(surface.frame.path_heights.face_points) == 0
        assert (surface.levels == 1).all()
        points = surface.evaluate(*where)
        assert (points.heights == 0).all()
        np.testing.assert_allclose(points.normals, np.broadcast_to([0, 0, 1], (100, 3)))
    assert surface.evaluate(np.empty(0, np.int32), np.empty((0, 3))).heights.shape == (0,)


def test_degenerate_collapsed_cloth_stays_finite(sheet: tuple[Any, Any, Topology]) -> None:
    positions, _, topology = sheet
    wrinkles = [laid(topology, positions, line) for line in (LINE, BEND)]
    surface = Surface(topology, base="curved", edge_length=0.1)
    where = random_points(topology, 1000)
    random = np.random.default_rng(0)
    for squeezed in (
        positions * 0,
        positions * [1, 0, 0],
        positions * 1e-20,
        positions * 1e18,
        np.round(positions / 4),
    ):
        surface.update(frame_of(topology, squeezed, *wrinkles))
        for part in surface.evaluate(*where):
            assert np.isfinite(part).all()
    for _ in range(20):
        folded = random.normal(size=positions.shape) * random.choice([0.0, 1e-3, 1.0], (len(positions), 1))
        surface.update(frame_of(topology, folded, *wrinkles))
        assert np.isfinite(surface.frame.path_heights.curve_points).all()
        for part in surface.evaluate(*where):
            assert np.isfinite(part).all()
