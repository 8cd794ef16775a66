"""Paths over time: solver, sliding over vertices, lengths, births, deaths, and invariants of every frame."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import compressed, field, grid, points_of, wrinkled_grid
from path_invariants import check_wrinkles
from ruckle import MeshError, Stretch, Topology, Wrinkler
from sanitized import SANITIZED, garments
from shared_data import sequence_files


def turn(points: np.ndarray, angle: float, axis: tuple[float, float, float] = (0.3, 1.0, 0.2)) -> np.ndarray:
    """Return points rotated by `angle` (radians) around an axis through the origin."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return points @ (np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k).T


def cloth_frame(topology: Topology, positions: np.ndarray, edge: int) -> np.ndarray:
    """Return three unit axes as columns: along an edge, across the edge in the cloth, and normal to the cloth."""
    v1, v2 = topology.edges[edge]
    along = positions[v1] - positions[v2]
    normal = np.zeros(3)
    for side, face in enumerate(f for f in topology.edge_faces[edge] if f >= 0):
        opposite = next(v for v in topology.faces[face] if v not in (v1, v2))
        normal += (-1.0) ** side * np.cross(along, positions[opposite] - positions[v2])
    columns = np.column_stack([along, np.cross(normal, along), normal])
    return columns / np.linalg.norm(columns, axis=0)


def dense_optimum(
    topology: Topology,
    positions: np.ndarray,
    previous: np.ndarray,
    stretch: Stretch,
    edges: np.ndarray,
    t: np.ndarray,
    alpha: float,
    unit: float,
) -> np.ndarray:
    """Return the coordinates t that minimize (5.2), in float64.

    The residuals are rows of a dense least-squares problem.
    """
    now, old = positions.astype(np.float64), previous.astype(np.float64)
    n = len(edges)
    low, high = topology.edges[edges].T
    d = now[low] - now[high]
    rows, right = [], []

    def residual(value: np.ndarray, gradients: dict[int, np.ndarray], weight: float) -> None:
        """Add the components of the residual value + Σ gradient x, times the root of its weight, as rows."""
        for k in range(len(value)):
            row = np.zeros(n)
            for i, g in gradients.items():
                row[i] += g[k]
            rows.append(np.sqrt(weight) * row)
            right.append(-np.sqrt(weight) * (value[k] - row @ t))

    at = {i: now[high[i]] + d[i] * t[i] for i in range(n)}
    for i in range(n - 1):
        face = int((set(topology.edge_faces[edges[i]]) & set(topology.edge_faces[edges[i + 1]]) - {-1}).pop())
        a, b, c = now[topology.faces[face]]
        x = (b - a) / np.linalg.norm(b - a)
        normal = np.cross(b - a, c - a)
        y = np.cross(normal / np.linalg.norm(normal), x)
        e = x * float(stretch.axis[face][0]) + y * float(stretch.axis[face][1])
        residual(
            np.array([(at[i + 1] - at[i]) @ e]), {i: np.array([-d[i] @ e]), i + 1: np.array([d[i + 1] @ e])}, alpha
        )
    for i in range(n):
        residual(np.array([0.0]), {i: np.array([1.0])}, unit**2)
        before, after = (i - 1 if i else 1), (i + 1 if i + 1 < n else n - 2)
        were = points_of(topology, old, edges, t)
        shape = were[i] - 0.5 * (were[before] + were[after])
        shape = cloth_frame(topology, now, edges[i]) @ cloth_frame(topology, old, edges[i]).T @ shape
        gradients = {i: d[i].copy()}
        for j in (before, after):
            gradients[j] = gradients.get(j, np.zeros(3)) - 0.5 * d[j]
        residual(at[i] - 0.5 * (at[before] + at[after]) - shape, gradients, 1.0)
    return np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]


def longest_path(topology: Topology, positions: np.ndarray, stretch: Stretch) -> tuple[np.ndarray, np.ndarray]:
    return max(ruckle.trace(topology, positions, stretch, r_min=0.3), key=lambda path: len(path[0]))


@pytest.mark.parametrize("alpha", [0.0, 0.4, 5.0])
def test_exact_the_banded_solve_is_the_dense_one(alpha: float) -> None:
    topology, previous, stretch = wrinkled_grid(1.5, (1.0, 0.3, 0.0))
    edges, t = longest_path(topology, previous, stretch)
    bent = previous + 0.4 * np.sin(previous[:, [1, 0, 0]]) * [0.1, 0.1, 1.0]
    moved = turn(bent, 0.4).astype(np.float32)
    rest, faces = grid(8, 6, seed=3)
    now = field(rest, moved, faces)
    solved = ruckle.optimize_path(topology, moved, previous, now, edges, t, alpha=alpha, length_unit=0.9)
    dense = dense_optimum(topology, moved, previous, now, edges, t.astype(np.float64), alpha, 0.9)
    assert np.abs(solved - t).max() > 1e-3
    np.testing.assert_allclose(solved, dense, atol=1e-5)


def test_property_a_rigid_motion_of_the_cloth_moves_no_path() -> None:
    topology, positions, stretch = wrinkled_grid(1.5)
    edges, t = longest_path(topology, positions, stretch)
    moved = (turn(positions, 1.2) + np.array([30.0, -5.0, 2.0])).astype(np.float32)
    still = ruckle.optimize_path(topology, moved, positions, stretch, edges, t, alpha=0.0, length_unit=1.0)
    np.testing.assert_allclose(still, t, atol=1e-4)


@pytest.mark.parametrize("straightness", [1.5, 0.0])
def test_property_scale_leaves_the_solution(straightness: float) -> None:
    topology, positions, stretch = wrinkled_grid(1.5, (1.0, 0.5, 0.0))
    edges, t = longest_path(topology, positions, stretch)
    moved = positions + 0.2 * np.sin(positions[:, [1, 2, 0]])
    # the factor 1000 is not a power of two, so that each coordinate is rounded differently
    one, other = (
        ruckle.optimize_path(
            topology,
            size * moved,
            size * positions,
            stretch,
            edges,
            t,
            straightness=straightness,
            length_unit=0.9 * size,
        )
        for size in (1.0, 1000.0)
    )
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_property_alpha_follows_the_frame_rate() -> None:
    topology, positions, stretch = wrinkled_grid(1.5, (1.0, 0.5, 0.0))
    edges, t = longest_path(topology, positions, stretch)
    # the field has turned since the path was traced, so that the path moves toward it
    _, _, turned = wrinkled_grid(1.5, (1.0, 0.2, 0.0))

    def found(alpha: float, dt: float) -> Any:
        given = {"alpha": alpha, "length_unit": 1.0, "dt": dt}
        return ruckle.optimize_path(topology, positions, positions, turned, edges, t, **given)

    np.testing.assert_allclose(found(0.4, 1 / 60), found(0.2, 1 / 30), atol=1e-6)
    assert np.abs(found(0.4, 1 / 30) - found(0.2, 1 / 30)).max() > 1e-3
    assert np.abs(found(0.2, 1 / 30) - t).max() > 1e-2


def test_degenerate_lengths_whose_squares_overflow_leave_the_path() -> None:
    topology, positions, stretch = wrinkled_grid(1.5)
    edges, t = longest_path(topology, positions, stretch)
    moved = ruckle.optimize_path(topology, positions + 0.1, positions, stretch, edges, t, length_unit=1e-30)
    np.testing.assert_array_equal(moved, t)


def breathing(
    frames: int, *, amount: float = 1.7, axis_turn: float = 0.0, columns: int = 10, rows: int = 8
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a sheet that is compressed along x in 12 frames.

    After these frames, the axis of compression turns by `axis_turn` radians per frame.
    """
    rest, faces = grid(columns, rows, seed=5)
    rest = rest - rest.mean(axis=0)
    positions = []
    for i in range(frames):
        share = min(1.0, i / 12.0)
        angle = axis_turn * max(0.0, i - 12.0)
        positions.append(compressed(rest, 1.0 + (amount - 1.0) * share, (np.cos(angle), np.sin(angle), 0.0)))
    return np.array(positions, np.float32), faces


def run_sheet(
    positions: np.ndarray, faces: np.ndarray, dt: float = 1 / 30, **parameters: object
) -> tuple[Wrinkler, list[ruckle.Frame]]:
    wrinkler = Wrinkler(faces, positions.shape[1], **{"r_min": 0.3, "tau": 1.2, **parameters})
    return wrinkler, [wrinkler.step(p, dt) for p in positions]


def test_property_wrinkles_slide_over_mesh_vertices_and_stay_valid() -> None:
    positions, faces = breathing(90, axis_turn=0.03)
    wrinkler, frames = run_sheet(positions, faces, path_alpha=4.0)
    for frame in frames:
        check_wrinkles(wrinkler.topology, frame.wrinkles)
    assert sum(frame.stats["slid"] for frame in frames) > 5
    assert sum(frame.stats["wrinkles"] for frame in frames) > 100


def test_property_identity_and_age() -> None:
    positions, faces = breathing(40)
    _, frames = run_sheet(positions, faces)
    alive: dict[int, float] = {}
    for frame in frames:
        now = {w.id: w.age for w in frame.wrinkles}
        assert len(now) == len(frame.wrinkles) == frame.stats["wrinkles"]
        assert [w.id for w in frame.wrinkles] == sorted(now)
        for key, age in now.items():
            assert age == pytest.approx(alive[key] + 1 / 30 if key in alive else 0.0, abs=1e-5)
            assert key in alive or key > max(alive, default=-1)
        alive = {**dict.fromkeys((k for k in alive if k not in now), np.inf), **now}
    assert frames[-1].wrinkles


def test_property_long_paths_follow_a_field_that_turns() -> None:
    angle = np.radians(50.0)
    there, faces = breathing(58, axis_turn=angle / 45, columns=16, rows=16)
    _, frames = run_sheet(np.concatenate([there, there[[-1] * 20]]), faces, relaxation=0.0, r_min=0.5)
    old = {w.id for w in frames[12].wrinkles}
    assert min(len(w) for w in frames[12].wrinkles) > 17
    steps = np.concatenate([np.diff(w.points, axis=0) for w in frames[-1].wrinkles if w.id in old and not w.fading])
    lengths = np.linalg.norm(steps, axis=1)
    across = np.abs(steps @ (np.cos(angle), np.sin(angle), 0.0)) / lengths
    assert {w.id for w in frames[-1].wrinkles if not w.fading} >= old
    # if the error is below 12 degrees, only the solver turns a path, and it turns a long path very slowly
    assert np.average(np.degrees(np.arcsin(across)), weights=lengths) < 18.0


def test_property_no_popping_from_birth_to_death() -> None:
    there, faces = breathing(40)
    positions = np.concatenate([there, np.repeat(breathing(2)[0][:1], 60, axis=0)])  # the cloth relaxes in one frame
    _, frames = run_sheet(positions, faces)
    crests: list[dict[int, float]] = [{w.id: w.crest for w in frame.wrinkles} for frame in frames]
    assert max(max(c.values(), default=0.0) for c in crests) > 0.8 * 0.3
    for before, now in pairwise(crests):
        for key in before.keys() | now.keys():
            assert abs(now.get(key, 0.0) - before.get(key, 0.0)) <= 0.15 * 0.3
    assert crests[-1] == {}
    assert sum(frame.stats["died"] for frame in frames) == sum(frame.stats["born"] for frame in frames)


def test_property_lengths_change_little_per_frame() -> None:
    positions, faces = breathing(40)
    _, frames = run_sheet(positions, faces, grow_tau=1.1)
    changes = []
    for before, now in pairwise(frames):
        lengths = {w.id: w.length for w in before.wrinkles}
        changes += [w.length / lengths[w.id] - 1.0 for w in now.wrinkles if lengths.get(w.id, 0.0) > 0.3]
    assert len(changes) > 100
    # the second term of the bound is for the cloth, which also shrinks a little
    assert np.abs(changes).max() < 0.15 + 0.06


def test_property_wrinkles_fade_in_and_out_at_constant_rates() -> None:
    animation = ruckle.sample("sawing")
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.25, fade_in=2.0, fade_out=1.5)
    before: dict[int, ruckle.Wrinkle] = {}
    rates = []
    for positions in animation.positions[:150]:
        now = {w.id: w for w in wrinkler.step(positions, 1 / 60).wrinkles}
        pairs = [(before[number], w) for number, w in now.items() if number in before]
        rates += [60 * (w.fade - old.fade) for old, w in pairs if w.fading == old.fading and 0.0 < w.fade < 1.0]
        before = now
    # some change more slowly, because heights may change only by a limited amount per frame
    assert (min(rates), max(rates)) == pytest.approx((-1 / 1.5, 1 / 2.0), rel=1e-3)
    assert np.isclose(rates, 0.5, rtol=1e-3).mean() > 0.3


def test_property_fading_ones_revive() -> None:
    positions, faces = breathing(30)
    again = np.concatenate([positions, positions[6:8], positions[[-1] * 10]])
    _, frames = run_sheet(again, faces, relaxation=0.0)
    held = {w.id for w in frames[29].wrinkles}
    assert held
    assert held <= {w.id for w in frames[-1].wrinkles}


def test_property_the_same_frames_give_the_same_bits_after_reset_and_for_any_threads() -> None:
    positions, faces = breathing(30, axis_turn=0.02)
    wrinkler, frames = run_sheet(positions, faces)

    def signature(run: list[ruckle.Frame]) -> list[object]:
        return [(w.id, w.edges.tobytes(), w.t.tobytes(), w.height.tobytes()) for frame in run for w in frame.wrinkles]

    wrinkler.reset()
    assert signature([wrinkler.step(p) for p in positions]) == signature(frames)
    assert signature(run_sheet(positions, faces, threads=3)[1]) == signature(frames)
    assert signature(run_sheet(positions, faces, seed=1)[1]) != signature(frames)


def test_property_scaling_mesh_and_radius_leaves_every_t() -> None:
    positions, faces = breathing(30, axis_turn=0.02)
    _, one = run_sheet(positions, faces)
    _, other = run_sheet(positions * 128.0, faces, r_min=0.3 * 128.0)
    assert one[-1].wrinkles
    for a, b in zip(one, other, strict=True):
        assert [w.id for w in a.wrinkles] == [w.id for w in b.wrinkles]
        for x, y in zip(a.wrinkles, b.wrinkles, strict=True):
            np.testing.assert_array_equal(x.edges, y.edges)
            np.testing.assert_allclose(x.t, y.t, atol=1e-4)
            np.testing.assert_allclose(128.0 * x.height, y.height, rtol=1e-3, atol=0.05)


def test_property_seeds_that_give_no_path_rest_equally_long_at_any_frame_rate() -> None:
    sheet, faces = breathing(13, columns=5, rows=4)

    def tried(rate: int, seconds: float) -> int:
        """Return the number of seed points that are tried on a compressed sheet.

        All paths on it are too short to be kept.
        """
        held = np.repeat(sheet[-1:], round(rate * seconds), axis=0)
        positions = np.concatenate([sheet[:1], held])
        _, frames = run_sheet(positions, faces, dt=1 / rate, relaxation=0.0, least_aspect=1e3, r_min=0.5)
        assert not any(frame.wrinkles for frame in frames)
        return sum(frame.stats["tried"] for frame in frames)

    seeds = tried(30, 1 / 30)
    assert seeds == len(faces)
    # each seed point is tried again after 0.1 to 0.2 seconds
    assert 10 * seeds <= tried(30, 2.0) <= 20 * seeds
    assert tried(60, 2.0) == pytest.approx(tried(30, 2.0), rel=0.1)


def test_property_independent_tracing_is_a_mode() -> None:
    positions, faces = breathing(30)
    wrinkler, frames = run_sheet(positions, faces, coherent=False)
    for frame in frames:
        check_wrinkles(wrinkler.topology, frame.wrinkles)
        assert all(w.age == 0.0 and w.fade == 1.0 for w in frame.wrinkles)
    assert not {w.id for w in frames[-1].wrinkles} & {w.id for w in frames[-2].wrinkles}


def test_degenerate_garments_that_jump_tear_and_collapse() -> None:
    positions, faces = breathing(60, axis_turn=0.02)
    rng = np.random.default_rng(1)
    positions[20:] += [10.0, 0.0, 0.0]  # the cloth jumps in one frame
    positions[30] *= 0.0  # the cloth collapses and returns
    positions[35, ::7] = positions[35, 3]  # some triangles collapse
    positions[40] += rng.normal(0.0, 2.0, positions[40].shape)  # random motion: the cloth crosses itself
    positions[45] *= 1e6
    positions[47] *= 1e-6
    wrinkler, frames = run_sheet(positions, faces)
    for frame in frames:
        check_wrinkles(wrinkler.topology, frame.wrinkles)


def test_degenerate_random_motion_of_one_triangle_and_of_a_fan() -> None:
    rng = np.random.default_rng(2)
    for faces in ([[0, 1, 2]], [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]], [[0, 1, 2], [1, 0, 3]]):
        count = int(np.max(faces)) + 1
        start = rng.normal(size=(count, 3))
        wrinkler = Wrinkler(faces, count, r_min=0.05, tau=1.1)
        for _ in range(120):
            start += rng.normal(0.0, 0.15, start.shape)
            check_wrinkles(wrinkler.topology, wrinkler.step(start).wrinkles)


def test_reject_a_frame_with_nan_leaves_the_state() -> None:
    positions, faces = breathing(30)
    wrinkler, frames = run_sheet(positions[:20], faces)
    bad = positions[20].copy()
    bad[7, 1] = np.nan
    with pytest.raises(MeshError, match="frame 20: vertex 7"):
        wrinkler.step(bad)
    _, straight = run_sheet(positions[:21], faces)
    after = wrinkler.step(positions[20])
    assert [w.t.tobytes() for w in after.wrinkles] == [w.t.tobytes() for w in straight[-1].wrinkles]
    assert frames[-1].wrinkles


def keep_invariants(animation: ruckle.Animation, tau: float, r_min: str) -> None:
    """Run an animation and check each frame: paths are valid and do not cross, and the height of no crest jumps."""
    wrinkler = Wrinkler.for_animation(animation, r_min=r_min, tau=tau)
    radius = animation.height * float(r_min.rstrip("%")) / 100.0
    most = 0.15 * radius * 30.0 / animation.fps * 1.001
    crests = (np.empty(0, np.int64), np.empty(0))
    for positions in animation.positions:
        frame = wrinkler.step(positions, 1.0 / animation.fps)
        assert frame.stats["refused"] == 0
        check_wrinkles(wrinkler.topology, frame.wrinkles)
        now = (frame.columns.rows["id"], frame.columns.rows["crest"])
        # A wrinkle that is born or dies has the height 0 in the frame without it. Wrinkles of the bind pose have their
        # full height in the first frame.
        assert frame.index == 0 or largest_change(now, crests) <= most
        crests = now


def largest_change(a: tuple[Any, Any], b: tuple[Any, Any]) -> float:
    """Return the largest change between two tables (keys, values). If a key is missing in one table, its value is 0."""
    _, i, j = np.intersect1d(a[0], b[0], assume_unique=True, return_indices=True)
    changes = [a[1][i] - b[1][j], np.delete(a[1], i), np.delete(b[1], j)]
    return float(np.abs(np.concatenate(changes)).max(initial=0.0))


SETTINGS = [(1.15, "0.5%"), (1.15, "1%"), (1.25, "0.5%"), (1.4, "1%")]
# tau and r_min that give several hundred wrinkles
FINEST = (1.15, "0.25%")


def visits() -> list[tuple[Any, float, str]]:
    """Return all combinations of garments and settings.

    Under the sanitizers, which are slow, each garment has one setting.
    """
    known = [*ruckle.samples(), *sequence_files()]
    if SANITIZED:
        return [(garment, *SETTINGS[i % len(SETTINGS)]) for i, garment in enumerate(known)]
    return [*((garment, *setting) for garment in known for setting in SETTINGS), ("stretching", *FINEST)]


@pytest.mark.parametrize(("garment", "tau", "r_min"), visits(), ids=lambda value: getattr(value, "stem", None))
def test_property_invariants_on_garments(garment: str | Path, tau: float, r_min: str) -> None:
    keep_invariants(ruckle.load(garment) if isinstance(garment, Path) else ruckle.sample(garment), tau, r_min)


@pytest.mark.parametrize("name", garments())
def test_property_a_held_pose_comes_to_rest(name: str) -> None:
    animation = ruckle.sample(name)
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.3)
    held = animation.positions[2 * animation.frame_count // 3]
    for positions in animation.positions[: 2 * animation.frame_count // 3]:
        moving = wrinkler.step(positions, 1.0 / animation.fps)

    def state(frame: ruckle.Frame) -> list[tuple[object, ...]]:
        arrays = ("edges", "t", "cuts", "height", "width", "points", "curve")
        return [(w.id, w.fading, *(getattr(w, name).tobytes() for name in arrays)) for w in frame.wrinkles]

    # fading and smoothing need some time to end; after that, the frames are equal bit by bit
    for _ in range(int(4 * animation.fps)):
        settled = wrinkler.step(held, 1.0 / animation.fps)
    assert settled.wrinkles
    assert state(settled) != state(moving)
    for _ in range(30):
        assert state(wrinkler.step(held, 1.0 / animation.fps)) == state(settled)
