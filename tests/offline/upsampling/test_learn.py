"""Learning of the upsampling matrix in closed form, compared with dense linear systems and known operators."""

import numpy as np
import pytest
from scipy.linalg import null_space, solve_sylvester
from scipy.optimize import lsq_linear

from learning import all_harmonics, applied, garment, planted_operator, random_motion
from ruckle.mesh.rotation import rotation_matrices
from ruckle.offline.upsampling import (
    PRIORS,
    Garment,
    HarmonicPenalties,
    Harmonics,
    Learner,
    Prior,
    TrainingStatistics,
    loop_map,
    prior_of,
)
from ruckle.offline.upsampling.subdivision import subdivide
from ruckle.simulation.sheet import grid_sheet


def side_by_side(frames: np.ndarray) -> np.ndarray:
    return frames.transpose(1, 0, 2).reshape(frames.shape[1], -1)


def test_exact_profiles_run_from_low_to_high() -> None:
    penalties = HarmonicPenalties(0.5, 20.0, 3.0).penalties(10, 10)
    assert penalties[[0, -1]] == pytest.approx([0.5, 20.0], rel=1e-12)
    # the penalties are the cube of a linear function, so the second differences of their cube roots are 0
    np.testing.assert_allclose(np.diff(np.cbrt(penalties), 2), 0.0, atol=1e-12)
    assert HarmonicPenalties(2.0, 2.0).penalties(5, 9) == pytest.approx([2.0] * 5)
    assert HarmonicPenalties(0.5, 20.0, 3.0).scaled(2.0) == HarmonicPenalties(1.0, 40.0, 3.0)


@pytest.mark.parametrize("name", ["low", "high", "exponent"])
def test_reject_profiles(name: str) -> None:
    for value in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"{name}: expected a finite number above 0, got {value:g}"):
            HarmonicPenalties(**{name: value})


def test_property_harmonics_are_orthonormal_and_those_of_a_rectangle() -> None:
    cloth = garment(fine=(41, 31))
    harmonics = Harmonics.of(cloth.fine_rest, cloth.fine_faces, 24)
    gram = harmonics.vectors.T @ (harmonics.vectors * harmonics.areas[:, None])
    np.testing.assert_allclose(gram, np.eye(24), atol=1e-9)
    # eigenfunctions of a rectangle: cos(π m x / a) cos(π n y / b) with λ = π² (m² / a² + n² / b²)
    exact = sorted(np.pi**2 * ((m / 1.5) ** 2 + n**2) for m in range(9) for n in range(9))[:24]
    np.testing.assert_allclose(harmonics.values, exact, rtol=0.03, atol=1e-9)
    np.testing.assert_allclose(harmonics.sums, [np.sqrt(1.5), *[0.0] * 23], atol=1e-9)


def test_exact_harmonics_of_one_eigenvalue_stay_together(tmp_path) -> None:  # type: ignore[no-untyped-def]
    # on a square, the second and the third harmonic have the same eigenvalue, so only both together are well defined
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    square = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1)
    corner = (np.arange(4)[:, None] * 5 + np.arange(4)).ravel()
    center = 25 + np.arange(16)
    positions = np.concatenate([square, square[corner] + [0.5, 0.5, 0.0]])
    ring = [corner, corner + 1, corner + 6, corner + 5]
    faces = np.concatenate([np.stack([ring[k], ring[(k + 1) % 4], center], 1) for k in range(4)])
    assert Harmonics.of(positions, faces, 2, cache=tmp_path).count == 1
    assert Harmonics.of(positions, faces, 3).count == 3
    [kept] = tmp_path.iterdir()
    again = Harmonics.of(positions, faces, 2, cache=tmp_path)
    np.testing.assert_array_equal(again.vectors, Harmonics.of(positions, faces, 2).vectors)
    assert kept.name.startswith("harmonics_")


@pytest.mark.parametrize("prior", PRIORS)
def test_exact_rows_solve_the_dense_system(prior: str) -> None:
    """Compare with one dense system for all unknowns, the KKT system of (5).

    Lagrange multipliers fix the sum of each row.
    """
    cloth = garment((3, 2), (5, 3))
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth, frames=3)
    statistics = TrainingStatistics.of(coarse, fine, harmonics)
    penalties = HarmonicPenalties(0.1, 5.0, 2.0).penalties(harmonics.count, cloth.fine_count)
    learner = Learner(harmonics, prior_of(prior, cloth, harmonics, exact=3))  # type: ignore[arg-type]
    found = learner.operator(learner.rows(statistics, penalties))

    n, m = cloth.fine_count, cloth.coarse_count
    centers = coarse.astype(np.float32).mean(axis=1, dtype=np.float64, keepdims=True)
    pc, pf = (side_by_side(frames.astype(np.float32) - centers) for frames in (coarse, fine))
    gram, areas = pc @ pc.T, np.diag(harmonics.areas)
    pull = areas @ harmonics.vectors @ np.diag(np.trace(gram) / m * penalties**2) @ harmonics.vectors.T @ areas
    zero = prior == "none"
    wanted = np.zeros((n, m)) if zero else learner.operator(learner.prior.rows)
    hessian = np.kron(areas, gram) + np.kron(pull, np.eye(m))
    right = areas @ pf @ pc.T + pull @ wanted
    sums = np.kron(np.eye(n), np.ones(m))
    system = np.block([[hessian, sums.T], [sums, np.zeros((n, n))]])
    solution = np.linalg.solve(system, np.concatenate([right.ravel(), np.ones(n)]))[: n * m].reshape(n, m)
    np.testing.assert_allclose(found, solution, atol=1e-10)


def test_exact_rows_solve_bounded_least_squares() -> None:
    cloth = garment((3, 2), (5, 3))
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth, frames=3)
    statistics = TrainingStatistics.of(coarse, fine, harmonics)
    learner = Learner(harmonics, Prior(np.zeros((harmonics.count, cloth.coarse_count))))
    found = learner.rows(statistics, np.full(harmonics.count, 0.7))
    # a row with a given sum is a constant row plus a row with sum 0
    free = null_space(np.ones((1, cloth.coarse_count)))
    centers = coarse.astype(np.float32).mean(axis=1, dtype=np.float64, keepdims=True)
    pc, pf = (side_by_side(frames.astype(np.float32) - centers) for frames in (coarse, fine))
    stacked = np.concatenate([pc.T, 0.7 * np.sqrt(statistics.scale) * np.eye(cloth.coarse_count)])
    for row, (target, total) in enumerate(zip(harmonics.project(pf), harmonics.sums, strict=True)):
        equal = np.full(cloth.coarse_count, total / cloth.coarse_count)
        right = np.concatenate([target, np.zeros(cloth.coarse_count)]) - stacked @ equal
        best = equal + free @ lsq_linear(stacked @ free, right, tol=1e-14).x
        np.testing.assert_allclose(found[row], best, atol=1e-9)


def test_exact_penalties_of_eigenvalues_solve_the_sylvester_equation() -> None:
    """If penalties are proportional to the eigenvalues, γ² g = α λ, the matrix U solves V U G + α C U = V Pf Pcᵀ.

    V contains the vertex areas, C is the stiffness matrix of the Laplacian, Pc and Pf are the coarse and the fine
    frames, G = Pc Pcᵀ and g is its scale. Rows of U have sum 1.
    """
    cloth = garment((3, 2), (6, 4))
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth, frames=4)
    statistics, weight = TrainingStatistics.of(coarse, fine, harmonics), 0.3
    learner = Learner(harmonics, Prior(np.zeros((harmonics.count, cloth.coarse_count))))
    found = learner.operator(learner.rows(statistics, np.sqrt(weight * harmonics.values / statistics.scale)))

    vectors, areas, m = harmonics.vectors, harmonics.areas, cloth.coarse_count
    stiffness = (vectors * areas[:, None]) @ np.diag(harmonics.values) @ (vectors * areas[:, None]).T
    free, equal = null_space(np.ones((1, m))), np.full((cloth.fine_count, m), 1.0 / m)
    right = (vectors @ statistics.cross - equal @ statistics.gram) @ free
    part = solve_sylvester(weight * stiffness / areas[:, None], free.T @ statistics.gram @ free, right)
    np.testing.assert_allclose(found, equal + part @ free.T, atol=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
def test_property_a_planted_operator_is_recovered(prior: str) -> None:
    cloth = garment()
    harmonics, operator = all_harmonics(cloth), planted_operator(cloth)
    coarse = random_motion(cloth)[0].astype(np.float32).astype(np.float64)
    # TrainingStatistics.of is not used, because it rounds fine frames to float32, which causes errors of 1e-7
    centered = coarse - coarse.mean(axis=1, keepdims=True)
    pc = side_by_side(centered)
    y = harmonics.project(side_by_side(applied(operator, centered)))
    statistics = TrainingStatistics(pc @ pc.T, y @ pc.T, (y * y).sum(axis=1), len(coarse))
    learner = Learner(harmonics, prior_of(prior, cloth, harmonics, exact=5))  # type: ignore[arg-type]
    found = learner.operator(learner.rows(statistics, np.full(harmonics.count, 1e-7)))
    np.testing.assert_allclose(found, operator, atol=1e-8)
    assert statistics.error(harmonics.project(found), harmonics.areas.sum()) < 2e-7


def test_exact_statistics_are_those_of_the_frames_and_add() -> None:
    cloth = garment()
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth)
    whole = TrainingStatistics.of(coarse, fine, harmonics)
    parts = [TrainingStatistics.of(coarse[k::2], fine[k::2], harmonics) for k in (0, 1)]
    for name in ("gram", "cross", "energy"):
        total = getattr(whole, name)
        np.testing.assert_allclose(getattr(parts[0] + parts[1], name), total, atol=1e-9)
        np.testing.assert_allclose(getattr(whole - parts[1], name), getattr(parts[0], name), atol=1e-9)
    assert (whole - parts[1]).frames == parts[0].frames == 15
    operator = planted_operator(cloth)
    off = applied(operator, coarse) - fine
    square = np.einsum("n,fnx,fnx->", harmonics.areas, off, off) / harmonics.areas.sum() / len(coarse)
    found = whole.error(harmonics.project(operator), harmonics.areas.sum())
    assert found == pytest.approx(np.sqrt(square), rel=1e-6)


def test_property_where_frames_are_and_how_they_are_turned_changes_nothing() -> None:
    cloth = garment()
    harmonics, (coarse, fine) = all_harmonics(cloth), random_motion(cloth)
    random = np.random.default_rng(1)
    turns, shifts = rotation_matrices(random.normal(size=(30, 3))), random.normal(size=(30, 1, 3))
    moved = [np.einsum("fxy,fvy->fvx", turns, frames) + shifts for frames in (coarse, fine)]
    learner = Learner(harmonics, prior_of("smooth", cloth, harmonics, exact=5))
    penalties = HarmonicPenalties().penalties(harmonics.count, cloth.fine_count)
    rows = [learner.rows(TrainingStatistics.of(*frames, harmonics), penalties) for frames in ((coarse, fine), moved)]
    np.testing.assert_allclose(rows[1], rows[0], atol=1e-6)
    # each row has sum 1, so that the fine frame translates and rotates with the coarse frame
    operator = learner.operator(rows[0])
    np.testing.assert_allclose(operator.sum(axis=1), 1.0, atol=1e-9)


def test_property_the_unit_of_length_changes_nothing() -> None:
    cloth, coarse, fine = garment(), *random_motion(garment())
    operators = []
    # the factor is a power of two, so that rounding does not exchange harmonics with the same eigenvalue
    for unit in (1.0, 64.0):
        scaled = Garment(unit * cloth.coarse_rest, cloth.coarse_faces, unit * cloth.fine_rest, cloth.fine_faces)
        harmonics = all_harmonics(scaled)
        learner = Learner(harmonics, prior_of("smooth", scaled, harmonics, exact=5))
        statistics = TrainingStatistics.of(unit * coarse, unit * fine, harmonics)
        penalties = HarmonicPenalties().penalties(harmonics.count, cloth.fine_count)
        operators.append(learner.operator(learner.rows(statistics, penalties)))
    np.testing.assert_allclose(operators[1], operators[0], atol=1e-5)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_property_nothing_is_learnt_where_tracking_has_fixed_the_fine_cloth(scale: float) -> None:
    cloth, exact = garment(), 6
    harmonics, (coarse, detail) = all_harmonics(cloth), random_motion(cloth)
    coarse = coarse.astype(np.float32)
    moments = np.einsum("nk,fnx->fkx", harmonics.vectors * harmonics.areas[:, None], detail)
    moments[:, :exact] = 0.0
    linear = cloth.linear_map.toarray()
    fine = applied(linear, coarse) + np.einsum("nk,fkx->fnx", harmonics.vectors, moments)
    learner = Learner(harmonics, prior_of("smooth", cloth, harmonics, exact=exact))
    penalties = HarmonicPenalties().scaled(scale).penalties(harmonics.count, cloth.fine_count)
    rows = learner.rows(TrainingStatistics.of(coarse, fine, harmonics), penalties)
    np.testing.assert_allclose(rows[:exact], harmonics.project(linear)[:exact], atol=2e-6)


def test_exact_fits_give_the_error_and_energy_of_any_gain() -> None:
    cloth = garment()
    harmonics = all_harmonics(cloth)
    motion, area = TrainingStatistics.of(*random_motion(cloth), harmonics), harmonics.areas.sum()
    base = prior_of("linear", cloth, harmonics).rows
    added = 0.1 * np.random.default_rng(1).normal(size=base.shape)
    fit = motion.fit(base + added, base, area)
    assert fit.error(0.0) == pytest.approx(motion.error(base, area), rel=1e-9)
    for gain in (0.3, 1.0, 2.5):
        assert fit.error(gain) == pytest.approx(motion.error(base + gain * added, area), rel=1e-9)
        # the energy is relative to the true detail, which is equal to the error without detail
        size = np.sqrt(((added @ motion.gram) * added).sum() / area / motion.frames)
        assert fit.energy(gain) == pytest.approx(gain * size / fit.error(0.0), rel=1e-9)


def test_exact_loop_subdivision_has_its_weights() -> None:
    # a hexagon of six triangles, whose centre has six neighbours
    angles = np.arange(6) * np.pi / 3
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1)
    faces = [[0, 1 + k, 1 + (k + 1) % 6] for k in range(6)]
    matrix, fine = subdivide(faces, 7, smooth=True)
    dense = matrix.toarray()
    assert dense.shape == (19, 7)
    assert fine.shape == (24, 3)
    np.testing.assert_allclose(dense.sum(axis=1), 1.0)
    assert dense[0] == pytest.approx([0.625, *[0.0625] * 6])
    assert dense[1] == pytest.approx([0.0, 0.75, 0.125, 0.0, 0.0, 0.0, 0.125])
    new = {tuple(row) for row in np.round(dense[7:], 12)}
    assert (0.375, 0.375, 0.125, 0.0, 0.0, 0.0, 0.125) in new
    assert (0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0) in new
    # the whole map keeps points of a plane in this plane
    cloth = garment()
    smooth = loop_map(cloth.coarse_rest, cloth.coarse_faces, cloth.fine_rest)
    np.testing.assert_allclose(np.asarray(smooth.sum(axis=1)).ravel(), 1.0)
    assert np.abs((smooth @ cloth.coarse_rest)[:, 2]).max() < 1e-9
    assert np.linalg.norm(ring[0]) == 1.0


def test_degenerate_the_same_mesh_twice_learns_the_identity() -> None:
    rest = garment()
    same = Garment(rest.coarse_rest, rest.coarse_faces, rest.coarse_rest, rest.coarse_faces)
    harmonics, coarse = all_harmonics(same), random_motion(same)[0]
    learner = Learner(harmonics, prior_of("none", same, harmonics))
    rows = learner.rows(TrainingStatistics.of(coarse, coarse, harmonics), np.full(harmonics.count, 1e-6))
    np.testing.assert_allclose(learner.operator(rows), np.eye(same.coarse_count), atol=1e-6)


def test_degenerate_cloth_that_never_moves_keeps_its_prior_elsewhere() -> None:
    cloth = garment()
    harmonics = all_harmonics(cloth)
    still = np.repeat(cloth.coarse_rest[None], 5, axis=0), np.repeat(cloth.fine_rest[None], 5, axis=0)
    learner = Learner(harmonics, prior_of("linear", cloth, harmonics))
    rows = learner.rows(TrainingStatistics.of(*still, harmonics), np.full(harmonics.count, 0.1))
    np.testing.assert_allclose(learner.operator(rows), cloth.linear_map.toarray(), atol=1e-5)


def test_degenerate_a_mesh_in_two_pieces() -> None:
    one = garment()
    far = np.array([10.0, 0.0, 0.0], np.float32)

    def twice(rest: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.concatenate([rest, rest + far]), np.concatenate([faces, faces + len(rest)])

    cloth = Garment(*twice(one.coarse_rest, one.coarse_faces), *twice(one.fine_rest, one.fine_faces))
    harmonics, operator = all_harmonics(cloth), planted_operator(cloth)
    # rounding may mix the constant harmonics of both pieces, but each row must have the right sum in both pieces
    learner = Learner(harmonics, prior_of("smooth", cloth, harmonics, exact=4))
    coarse = random_motion(cloth)[0]
    statistics = TrainingStatistics.of(coarse, applied(operator, coarse), harmonics)
    found = learner.operator(learner.rows(statistics, HarmonicPenalties().penalties(harmonics.count, cloth.fine_count)))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c, f: (c[:1], f[:1]), "coarse: expected at least 2 frames to learn from, got 1"),
        (lambda c, f: (c[:3], f[:2]), "fine: expected 3 frames, as the coarse mesh has, got 2"),
        (lambda c, f: (c, f[:, :-1]), "fine: expected 35 vertices, as the harmonics have, got 34"),
        (lambda c, f: (c[0], f), r"coarse: expected an array of shape \(F, V, 3\), got \(12, 3\)"),
        (lambda c, f: (0 * c, f), "coarse: expected vertices at different points, got all of them at one point"),
        (lambda c, f: (c, np.where(np.arange(3) == 1, np.nan, f)), "fine: frame 0: vertex 0 is not finite"),
    ],
)
def test_reject_motions(change, message: str) -> None:  # type: ignore[no-untyped-def]
    cloth = garment()
    coarse, fine = random_motion(cloth, frames=4)
    with pytest.raises(ValueError, match=message):
        TrainingStatistics.of(*change(coarse, fine), all_harmonics(cloth))


def test_reject_priors() -> None:
    cloth = garment()
    with pytest.raises(ValueError, match="prior: expected one of"):
        prior_of("cubic", cloth, all_harmonics(cloth))  # type: ignore[arg-type]


@pytest.mark.parametrize("closed", [False, True])
def test_property_the_smooth_prior_keeps_borders_in_any_stretch(closed: bool) -> None:
    """Harmonics have slope 0 across boundaries. Without correction, boundaries would move inward."""

    def sheet(columns: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
        def flat(u: np.ndarray, v: np.ndarray) -> np.ndarray:
            return np.stack([1.2 * u, 1.0 - v, 0.0 * u], 1)

        def tube(u: np.ndarray, v: np.ndarray) -> np.ndarray:
            return np.stack([np.cos(2 * np.pi * u), 2.0 - 2.0 * v, np.sin(2 * np.pi * u)], 1)

        return grid_sheet(columns, rows, tube if closed else flat, closed=closed)

    (few, few_faces), (many, many_faces) = sheet(12, 8), sheet(36, 22)
    cloth, exact = Garment(few, few_faces, many, many_faces), 20
    harmonics = Harmonics.of(cloth.fine_rest, cloth.fine_faces, 5 * cloth.coarse_count)
    prior = prior_of("smooth", cloth, harmonics, exact=exact)
    learner = Learner(harmonics, prior)
    operator = learner.operator(prior.rows)
    np.testing.assert_allclose(operator.sum(axis=1), 1.0, atol=1e-9)
    linear = harmonics.project(cloth.linear_map.toarray())
    np.testing.assert_allclose(prior.rows[:exact], linear[:exact], atol=1e-9)
    plain = harmonics.vectors[:, : 2 * cloth.coarse_count] @ linear[: 2 * cloth.coarse_count]
    for stretch in (np.eye(3), np.diag([1.1, 0.8, 1.1]), np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.3, 0.0, 1.0]])):
        wanted = cloth.fine_rest @ stretch
        ends = np.isin(np.arange(cloth.fine_count), [*range(36), *range(cloth.fine_count - 36, cloth.fine_count)])
        off, without = (wanted - each @ (cloth.coarse_rest @ stretch) for each in (operator, plain))
        # compare the offset across the boundary, which is along y at both ends
        assert np.abs(off[ends, 1]).max() < 0.3 * np.abs(without[ends, 1]).max()
