"""Modulation of patterns: areas, weights and factors, compared with integrals, differences and Newton's method."""

import re
from typing import Any

import numpy as np
import pytest

import float64_modulation as oracle
import ruckle
from meshes import Float64, grid, rotation, scattered, triangle
from patterned_cloth import WAVELENGTH, crossed, grid_of, settled, sheet, squeezed, waves, zigzag
from ruckle import Modulator, PatternGrid, Topology, fold_weights, gram, modulation, pattern_moments, target_area
from ruckle.patterns.cells import determinant, face_means, per_cell, quadratic
from ruckle.patterns.linear import linear_factors


def raised_area(moments: ruckle.Moments, grams: Float64, factor: float) -> Float64:
    """Return the exact area (T,) of flat triangles with the first pattern, multiplied by `factor`, as heights."""
    offsets = moments.grid.cell_offsets
    q = quadratic(per_cell(grams, offsets), moments.slopes[0])
    return face_means(np.sqrt(per_cell(determinant(grams), offsets) + factor**2 * q), offsets) / 2


def inner(positions: Float64, margin: float = 2.0) -> Any:
    low, high = positions.min(axis=0)[:2] + margin, positions.max(axis=0)[:2] - margin
    return ((positions[:, :2] > low) & (positions[:, :2] < high)).all(axis=1)


def test_exact_wrinkling_coefficients_are_the_derivatives_of_the_area() -> None:
    # Compare with central differences of the exact area. One number changes at a time: an entry of the triangular
    # matrix T⁻¹, which deforms the triangles, or the factor of the pattern.
    mesh = scattered(1)
    on = grid_of(mesh, 4)
    pattern = ruckle.function_pattern(on, lambda points, _: 0.4 * np.sin(2.1 * points[:, 0] + points[:, 1]))
    moments = pattern_moments(on, [pattern.heights])
    coefficients = ruckle.wrinkling_coefficients(on, pattern.heights)
    rest = gram(on.rest, mesh.faces).astype(np.float64)
    shape = np.zeros((len(rest), 2, 2))
    shape[:, 0, 0] = np.sqrt(rest[:, 0])
    shape[:, 0, 1] = rest[:, 1] / shape[:, 0, 0]
    shape[:, 1, 1] = np.sqrt(determinant(rest)) / shape[:, 0, 0]

    def area(a: float, b: float, d: float, factor: float) -> Float64:
        edges = np.linalg.inv(np.array([[a, b], [0.0, d]])) @ shape
        products = np.swapaxes(edges, 1, 2) @ edges
        return raised_area(moments, products[:, [0, 0, 1], [0, 1, 1]], factor)

    step = 1e-5
    for change, derivative in zip(step * np.eye(4), coefficients.T, strict=True):
        there, back = np.array([1.0, 0.0, 1.0, 1.0]) + change, np.array([1.0, 0.0, 1.0, 1.0]) - change
        np.testing.assert_allclose((area(*there) - area(*back)) / (2 * step), derivative, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("cover", [1.0, 0.3])
def test_exact_steepness_is_the_largest_slope_of_sparse_folds_too(cover: float) -> None:
    # folds that are sine waves, or single folds with flat cloth between them
    mesh = sheet()

    def folds(points: Float64, _: Float64) -> Float64:
        phase = np.mod(points[:, 0], 1.0 / cover)
        return np.where(phase < 1.0, 0.1 * np.sin(2 * np.pi * phase), 0.0)

    steepness = pattern_moments(
        grid_of(mesh, 32), [ruckle.function_pattern(grid_of(mesh, 32), folds).heights]
    ).core.steepness
    inside = inner(mesh.positions, 1.0) & (steepness[:, 0] > 0)
    np.testing.assert_allclose(steepness[inside], 0.2 * np.pi, rtol=0.05 if cover == 1.0 else 0.12)


def test_property_one_steep_cell_limits_no_other() -> None:
    mesh = sheet()
    on = grid_of(mesh, 32)
    smooth = waves(on).heights
    torn = smooth.copy()
    torn[len(torn) // 2] += 1.0
    before, after = (pattern_moments(on, [heights]).core.steepness for heights in (smooth, torn))
    assert after.max() < 1.3 * before.max()


@pytest.mark.parametrize("compression", [0.95, 0.9, 0.8, 0.7, 0.6, 0.5])
def test_exact_a_compressed_sine_keeps_its_length(compression: float) -> None:
    mesh = sheet(9, 17)
    on = grid_of(mesh, 16)
    pattern = waves(on)
    modulator = Modulator([pattern], slack=0.0, steepest=1e3)
    factors = modulator.step(squeezed(mesh.positions, compression)).factors[:, 0]
    factor = float(np.median(factors[inner(mesh.positions)]))
    # arc length of a sine curve by the trapezium rule, which is exact for whole periods
    amplitude = factor * float(modulator.heights.max())
    phase = np.linspace(0, 2 * np.pi, 4001)
    slope = amplitude * 2 * np.pi / (compression * WAVELENGTH) * np.cos(phase)
    length = compression * np.trapezoid(np.sqrt(1 + slope**2), phase) / (2 * np.pi)
    assert abs(length - 1) < 0.01


def test_exact_a_zigzag_keeps_its_length_to_rounding() -> None:
    mesh = sheet()
    for compression in (0.99, 0.8, 0.5, 0.3):
        factors = settled([zigzag(grid_of(mesh, 8))], squeezed(mesh.positions, compression), steepest=100.0)
        np.testing.assert_allclose(factors, np.sqrt(1 - compression**2), rtol=1e-3)


def test_exact_stretched_cloth_is_flat_and_longer_cloth_still_buckles() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    assert (settled(crossed(on), squeezed(mesh.positions, 1.1, 1.2)) == 0.0).all()
    # The area factor is 0.8 · 1.25 = 1, so "area" does not give folds. "length" gives folds for the compression 0.8
    # only.
    pulled = squeezed(mesh.positions, 0.8, 1.25)
    assert settled(crossed(on), pulled, conserve="area").max() < 1e-3  # type: ignore[arg-type]
    plain = settled(crossed(on), squeezed(mesh.positions, 0.8))
    np.testing.assert_allclose(settled(crossed(on), pulled)[:, 0], plain[:, 0], rtol=0.05)


def test_exact_a_wrinkled_rest_has_factor_rest_slope() -> None:
    mesh = sheet()
    factors = settled([waves(grid_of(mesh, 16))], mesh.positions, rest_slope=0.4)
    np.testing.assert_allclose(factors[inner(mesh.positions)], 0.4, rtol=0.02)


def test_exact_closed_form_against_newton() -> None:
    mesh = sheet()
    on = grid_of(mesh, 16)
    moments = pattern_moments(on, [p.heights for p in crossed(on)])
    rest = moments.rest
    for x, y in ((0.95, 1.0), (0.8, 0.97), (0.7, 1.1)):
        current = gram(squeezed(mesh.positions, x, y), mesh.faces)
        weights = fold_weights(rest, current, moments)
        target = target_area(rest, current, moments, weights, slack=0.0)
        closed = modulation(current, moments, weights, target, on.topology)
        exact = modulation(current, moments, weights, target, on.topology, method="exact")
        assert exact.max() > 0.01
        np.testing.assert_allclose(closed[:, 0], exact[:, 0], rtol=0.02)


@pytest.mark.parametrize("corrections", [1, 2, 8])
def test_property_unequal_neighbours_get_their_area_together(corrections: int) -> None:
    mesh = sheet(17, 33)
    # The compression is 0.75 on average, but differs between triangles. If each triangle added its own excess, the area
    # would be 3 % too large.
    positions = squeezed(mesh.positions, 0.75)
    positions[:, 0] += np.random.default_rng(0).uniform(-0.3, 0.3, len(positions))
    modulator = Modulator(crossed(grid_of(mesh, 16)), slack=0.0, steepest=1e3, corrections=corrections)
    frame = modulator.step(positions)
    flat = np.sqrt(determinant(gram(frame.positions, mesh.faces)))
    assert flat.sum() < 0.75 * frame.target.sum()
    assert abs((flat * (1.0 + frame.area_gains)).sum() / frame.target.sum() - 1.0) < 0.005


def test_exact_heights_that_lean_over_triangles_keep_the_area() -> None:
    # Pleats whose sides have an angle of 53 degrees. Smooth normals are tilted by half of this angle relative to the
    # sides, so squared slopes are multiplied by the squared cosine, 0.8.
    mesh = sheet(13, 13)
    rest = mesh.positions + np.outer(mesh.positions[:, 0] % 2, [0, 0, 0.5])
    on = PatternGrid(mesh.topology, rest, edge_parts=np.full(mesh.topology.edge_count, 16))
    modulator = Modulator([waves(on, np.pi / 2)], slack=0.0, steepest=1e3)
    away = inner(mesh.positions[mesh.faces].mean(axis=1))
    np.testing.assert_allclose(modulator.moments.core.upright[away], 0.8, rtol=1e-5)
    frame = modulator.step(squeezed(rest, y=0.8))
    surface = ruckle.Surface(frame.topology, base="flat")
    surface.update(frame, edge_levels=np.full(mesh.topology.edge_count, 32))
    fine = surface.displace()
    x = fine.positions[fine.faces].astype(np.float64)
    doubled = np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    raised = np.bincount(fine.face_coarse_faces, doubled)
    assert abs(raised[away].sum() / frame.target[away].sum() - 1.0) < 0.01
    # on flat cloth, vertex normals are equal to face normals
    np.testing.assert_array_equal(pattern_moments(grid_of(mesh), waves(grid_of(mesh)).heights[None]).core.upright, 1.0)


@pytest.mark.parametrize("angles", [(0.3,), (0.0, 1.5), (0.0, 1.0, 2.0), (0.1, 0.9, 1.7, 2.5)], ids=len)
def test_exact_factors_against_float64(angles: tuple[float, ...]) -> None:
    # all stages together, on irregular triangles that are sheared, bent and stretched
    mesh = scattered(7)
    on = grid_of(mesh, 8)
    moments = pattern_moments(on, [waves(on, angle).heights for angle in angles])
    random = np.random.default_rng(len(angles))
    now = mesh.positions * [0.75, 1.02, 1.0] + random.normal(0, 0.05, mesh.positions.shape)
    rest, current = moments.rest, gram(now, mesh.faces)
    upright = moments.core.upright[:, None, None]
    given = [array.astype(np.float64) for array in (rest, current, moments.values * upright)]
    weights = fold_weights(rest, current, moments)
    expected = oracle.fold_weights(*given, moments.core.mean_square)
    np.testing.assert_allclose(weights, expected, atol=2e-3)
    target = target_area(rest, current, moments, weights, rest_slope=0.2)
    shares = weights.astype(np.float64)
    np.testing.assert_allclose(target, oracle.target_area(*given, shares, rest_slope=0.2), rtol=1e-4)
    largest = moments.largest(steepest=1.0)
    for corrections in (0, 1, 3):
        found = modulation(current, moments, weights, target, on.topology, largest=largest, corrections=corrections)
        factors = oracle.modulation(
            *given, moments.bend, shares, target.astype(np.float64), mesh.faces, mesh.vertex_count,
            largest=largest.astype(np.float64), corrections=corrections,
        )  # fmt: skip
        assert factors.max() > 0.1
        np.testing.assert_allclose(found, factors, atol=2e-3 * factors.max())


def test_exact_weights_of_two_folds() -> None:
    mesh = sheet()
    on = grid_of(mesh, 16)
    moments = pattern_moments(on, [p.heights for p in crossed(on)])
    still = fold_weights(moments.rest, moments.rest, moments)
    np.testing.assert_allclose(still.mean(axis=0), 0.5, atol=0.02)
    for x, y, expected in ((0.8, 1.0, 0), (1.0, 0.8, 1)):
        current = gram(squeezed(mesh.positions, x, y), mesh.faces)
        weights = fold_weights(moments.rest, current, moments)
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-6)
        assert (weights[:, expected] > 0.99).all()


@pytest.mark.parametrize(("variance", "power"), [(0.05, 1.0), (0.2, 2.0), (0.05, 20.0)])
def test_exact_weights_of_the_rule_of_the_paper(variance: float, power: float) -> None:
    flat, uneven = sheet(), scattered(5)
    sheared = uneven.positions @ [[0.97, 0.03, 0.0], [0.02, 1.01, 0.0], [0.0, 0.0, 1.0]]
    # compression along x or y favours the pattern along this axis; the irregular triangles are also sheared
    for mesh, angles, positions, preferred in (
        (flat, (0.0, np.pi / 2), squeezed(flat.positions, 0.98), 0),
        (flat, (0.0, np.pi / 2), squeezed(flat.positions, 1.0, 0.98), 1),
        (uneven, (0.4, 1.9, 1.1), sheared, None),
    ):
        on = grid_of(mesh, 16)
        patterns = [waves(on, angle) for angle in angles]
        moments = pattern_moments(on, [p.heights for p in patterns])
        current = gram(positions, mesh.faces)
        found = fold_weights(moments.rest, current, moments, fold="paper", variance=variance, power=power)
        # T^-1 = [[a', b'], [0, d']] maps deformed edges to undeformed edges, if the first edge is the x axis (equations
        # 1 and 2); it is the product of two upper triangular matrices, which are transposed Cholesky factors
        undeformed, deformed = (
            np.swapaxes(np.linalg.cholesky(grams[:, [[0, 1], [1, 2]]].astype(np.float64)), 1, 2)
            for grams in (moments.rest, current)
        )
        inverse = undeformed @ np.linalg.inv(deformed)
        change = np.stack([inverse[:, 0, 0] - 1, inverse[:, 0, 1], inverse[:, 1, 1] - 1], axis=1)
        coefficients = [ruckle.wrinkling_coefficients(on, p.heights) for p in patterns]
        # equation 5: the factor of each pattern
        factors = np.stack([1 - (c[:, :3] * change).sum(axis=1) / c[:, 3] for c in coefficients], axis=1)
        # figure 11: the weight falls from 1 to 0 between (1 - variance) and (1 + variance) times the mean factor
        relative = (factors / factors.mean(axis=1, keepdims=True) - 1) / variance
        expected = np.clip((1 - relative) / 2, 0, 1) ** power + 1e-9
        np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True), atol=1e-3)
        assert preferred is None or (found[:, preferred] > 0.5).all()


def test_property_amplitude_unit_and_rigid_motion_do_not_matter() -> None:
    mesh = scattered(2)
    on = grid_of(mesh, 8)
    random = np.random.default_rng(5)
    positions = mesh.positions * [0.8, 1.05, 1.0] + random.normal(0, 0.02, mesh.positions.shape)
    patterns = [waves(on), waves(on, 1.3)]
    plain = settled(patterns, positions)
    assert plain.max() > 0.1
    larger = [waves(on, amplitude=7.0), waves(on, 1.3, amplitude=7.0)]
    np.testing.assert_allclose(settled(larger, positions), plain, atol=1e-5 * plain.max())
    turned = positions @ rotation(random.normal(size=3), 1.1).T + [3.0, -2.0, 5.0]
    np.testing.assert_allclose(settled(patterns, turned), plain, atol=2e-3 * plain.max())
    big = PatternGrid(mesh.topology, 1000 * mesh.positions, edge_parts=on.edge_parts)
    scaled = [waves(big, angle, wavelength=1000 * WAVELENGTH, amplitude=1000.0) for angle in (0.0, 1.3)]
    np.testing.assert_allclose(settled(scaled, 1000 * positions), plain, atol=2e-3 * plain.max())


def test_property_corners_may_be_turned_but_not_for_the_paper() -> None:
    mesh = scattered(4)
    positions = mesh.positions * [0.75, 1.1, 1.0]
    factors, linear = [], []
    for turn in range(3):
        faces = np.roll(mesh.faces, turn, axis=1)
        topology = Topology(faces, mesh.vertex_count)
        on = PatternGrid(topology, mesh.positions, edge_parts=np.full(topology.edge_count, 8))
        patterns = [waves(on, 0.4), waves(on, 1.9)]
        factors.append(settled(patterns, positions))
        moments = pattern_moments(on, [pattern.heights for pattern in patterns])
        linear.append(linear_factors(moments.rest, gram(positions, faces), moments.slopes, on.cell_offsets))
    for turned in factors[1:]:
        np.testing.assert_allclose(turned, factors[0], atol=1e-4 * factors[0].max())
    assert abs(linear[1] - linear[0]).max() > 0.02 * abs(linear[0]).max()


def test_property_limits_hold_for_all_patterns_together() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    modulator = Modulator(crossed(on), steepest=0.7, highest=0.1, slack=0.0)
    state = modulator.step(squeezed(mesh.positions, 0.5, 0.6))
    core = modulator.moments.core
    for largest, limit in ((core.steepness, 0.7), (core.highest, 0.1)):
        assert (state.factors * largest).sum(axis=1).max() <= limit * 1.0001
    assert state.stats["limited"] > 0
    assert state.missing.max() > 0.05


def test_degenerate_triangles_give_finite_factors() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    for positions in (squeezed(mesh.positions, 1.0, 0.0), 0.0 * mesh.positions, 1e18 * mesh.positions):
        assert np.isfinite(settled(crossed(on), positions)).all()
    rest = mesh.positions.copy()
    rest[mesh.faces[5, 1]] = rest[mesh.faces[5, 0]]
    collapsed = PatternGrid(mesh.topology, rest, edge_parts=on.edge_parts)
    state = Modulator(crossed(collapsed)).step(squeezed(rest, 0.8))
    assert state.stats["degenerate"] >= 1
    assert np.isfinite(state.factors).all()


def test_degenerate_flat_pattern_is_warned_of() -> None:
    mesh = sheet()
    on = grid_of(mesh)
    flat = ruckle.function_pattern(on, lambda points, _: np.zeros(len(points)), name="nothing")
    with pytest.warns(UserWarning, match="patterns: 'nothing' is flat everywhere"):
        modulator = Modulator([flat])
    state = modulator.step(squeezed(mesh.positions, 0.8))
    assert (state.factors == 0.0).all()
    assert state.stats["flat_patterns"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slack": 1.0}, "slack: expected a number in [0, 1), got 1"),
        ({"bias": np.nan}, "bias: expected a number in [-1000, 1000], got nan"),
        ({"corrections": 9}, "corrections: expected an integer in [0, 8], got 9"),
        ({"paint": [2.0, 0.0, 0.0]}, "paint: expected a number in [0, 1] for each of 3 vertices"),
        ({"conserve": "volume"}, 'conserve: expected one of "length", "area", got "volume"'),
    ],
)
def test_reject_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        Modulator([waves(grid_of(triangle()))], **options)


def test_reject_patterns() -> None:
    one, other = grid_of(triangle()), grid_of(triangle())
    for patterns, error, message in (
        ([], ValueError, "expected 1 to 4, got 0"),
        ([waves(one), waves(other)], ValueError, "expected patterns of one grid"),
        (one, TypeError, "expected a sequence of Pattern, got PatternGrid"),
    ):
        with pytest.raises(error, match=f"patterns: {message}"):
            Modulator(patterns)
    with pytest.raises(TypeError, match=r"^name: expected a str, got 3"):
        ruckle.Pattern(one, np.zeros(len(one.faces)), 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"heights: expected 1 to 4 patterns, got 5"):
        pattern_moments(one, np.zeros((5, len(one.faces))))


def test_reject_numbers_whose_products_overflow() -> None:
    rest, topology = triangle(), Topology(triangle().faces, 3)
    moments = pattern_moments(grid_of(rest), waves(grid_of(rest)).heights[None])
    areas = gram(rest.positions, rest.faces)
    tall = np.linspace(0, 3e38, moments.heights.size)[None]
    for names, call in {
        "positions": lambda: gram(1e30 * rest.positions, rest.faces),
        "heights": lambda: pattern_moments(moments.grid, tall),
        "rest, current": lambda: fold_weights([[1, 1e-40, 3e38]], [[-3e38, 1, 1]], moments),
        "rest, current, weights, rest_slope": lambda: target_area(areas, areas, moments, [[1]], rest_slope=1e30),
        "current, weights, target": lambda: modulation(0.6 * areas, moments, [[1e20]], [3e38], topology),
    }.items():
        with pytest.raises(ValueError, match=f"^{names}: expected numbers whose products and quotients stay within"):
            call()


def test_reject_steps() -> None:
    modulator = Modulator([waves(grid_of(triangle()))])
    with pytest.raises(ruckle.MeshError, match="frame 0: vertex 0 lies at "):
        modulator.step(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match=r"reference: expected an array of shape \(T = 1, 2, 2\)"):
        modulator.step(triangle().positions, reference=np.zeros((2, 2, 2)))
    assert modulator.frame_count == 0


def test_reject_other_animations() -> None:
    animation = ruckle.Animation(grid().positions[None], grid().faces)
    with pytest.raises(ValueError, match="patterns: made for another mesh"):
        Modulator.for_animation(animation, [waves(grid_of(triangle()))])
    with pytest.raises(TypeError, match="steepness: no such parameter; did you mean steepest"):
        Modulator.for_animation(animation, [waves(grid_of(grid()))], steepness=1.0)
    modulator = Modulator.for_animation(animation, [waves(grid_of(grid()))], r_min="1%")
    assert modulator.length_unit == pytest.approx(0.01 * animation.height)
