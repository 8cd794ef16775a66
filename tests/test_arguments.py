"""Arguments of wrong types: every public function names the argument, what was found and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import wrinkled_grid
from ruckle import Animation, CoarseFrame, Surface, Topology, Wrinkler, metrics
from ruckle.arguments import choice, flag, found, length, number, pair, whole_number
from ruckle.io.results import RunWriter, read_run

# any function of the library
library: Any = ruckle

FACES = [[0, 1, 2], [0, 2, 3]]
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
EDGES = ruckle.edge_matrices(SQUARE, FACES)
STRETCH = ruckle.stretch(EDGES, EDGES)
TOPOLOGY = Topology(FACES, 4)
FRAME = CoarseFrame(SQUARE, TOPOLOGY)
COSTS = ruckle.label_costs(STRETCH)
POINTS = SQUARE[:2]


def still() -> Animation:
    return Animation(np.repeat(SQUARE[None], 2, axis=0), FACES)


def wrinkler(**arguments: Any) -> Wrinkler:
    return Wrinkler(**{"faces": FACES, "vertex_count": 4, "r_min": 0.1, **arguments})


def test_exact_readers_return_pythons_own_types() -> None:
    for value in (2, 2.0, np.float32(2), np.int8(2), np.array(2.0)):
        assert type(number("x", value)) is float
        assert number("x", value) == 2.0
    assert type(whole_number("x", np.uint64(2**63), 0, 2**64 - 1)) is int
    assert whole_number("x", np.array(3)) == 3
    assert flag("x", np.True_) is True
    assert pair("x", np.array([1, 2])) == (1.0, 2.0)
    assert choice("x", "a", ("a", "b")) == "a"
    assert (length("0.5%", 2.0), length(0.25, 2.0), length(" 3 ", 2.0)) == (0.01, 0.25, 3.0)
    assert number("x", 10**400) == np.inf


def test_exact_messages_stay_short() -> None:
    assert found("a" * 1000) == "'" + "a" * 58 + "…"
    assert found(10**5000) == "an integer of 16610 bits"
    assert found(np.zeros((1000, 3))) == "float64 (1000, 3)"


LENGTH = "expected a length in mesh units, got "
PERCENTAGE = "; percentages need a character's height, as Wrinkler.for_animation, run and sweep have it"
METHODS = 'expected one of "exact", "expansion", "swap", "independent", got '
NO_TOPOLOGY = "topology: expected a Topology, got list; ruckle.Topology(faces, vertex_count) makes one"
NO_STRETCH = "; ruckle.stretch(reference, current) makes one"

WRONG_TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: wrinkler(r_min="0.5%"), f"r_min: {LENGTH}'0.5%'{PERCENTAGE}"),
    (lambda: wrinkler().step(SQUARE, dt="a"), "dt: expected a number, got 'a'"),
    (
        lambda: Wrinkler.for_animation(still(), r_min=[1]),
        'r_min: expected a length in mesh units or a percentage such as "0.5%", got list',
    ),
    (
        lambda: Wrinkler.for_animation(library),
        "animation: expected an Animation, got module",
    ),
    (
        lambda: library.run("x.npz"),
        "animation: expected an Animation, got 'x.npz'; ruckle.load and ruckle.sample make one",
    ),
    (lambda: library.Topology(FACES, 1.5), "vertex_count: expected an integer in [0, 2147483647], got 1.5"),
    (lambda: library.label_costs(EDGES), f"stretch: expected a Stretch, got float32 (2, 2, 2){NO_STRETCH}"),
    (lambda: library.label_costs(STRETCH, dt="a"), "dt: expected a number, got 'a'"),
    (lambda: library.solve_labels(COSTS, FACES), NO_TOPOLOGY),
    (lambda: library.solve_labels(COSTS, TOPOLOGY, method=None), f"method: {METHODS}None"),
    (
        lambda: library.solve_label_sequence(COSTS[None], TOPOLOGY, threads=1.5),
        "threads: expected an integer in [1, 256], got 1.5",
    ),
    (
        lambda: library.update_reference(EDGES, EDGES, [0, 0], relaxation="a"),
        "relaxation: expected a number, got 'a'",
    ),
    (lambda: library.trace(FACES, SQUARE, STRETCH, r_min=0.1), NO_TOPOLOGY),
    (
        lambda: library.trace(TOPOLOGY, SQUARE, None, r_min=0.1),
        f"stretch: expected a Stretch, got None{NO_STRETCH}",
    ),
    (lambda: library.trace(TOPOLOGY, SQUARE, STRETCH, r_min="0.5%"), f"r_min: {LENGTH}'0.5%'{PERCENTAGE}"),
    (
        lambda: library.trace(TOPOLOGY, SQUARE, STRETCH, r_min=1, seed=1.5),
        "seed: expected an integer in [0, 2^64), got 1.5",
    ),
    (
        lambda: library.trace(TOPOLOGY, SQUARE, STRETCH, r_min=1, smooth="no"),
        "smooth: expected True or False, got 'no'",
    ),
    (lambda: library.smooth_path(FACES, SQUARE, [0, 1], [0.5, 0.5]), NO_TOPOLOGY),
    (
        lambda: library.optimize_path(TOPOLOGY, SQUARE, SQUARE, STRETCH, [0, 1], [0.5, 0.5], length_unit="1%"),
        f"length_unit: {LENGTH}'1%'{PERCENTAGE}",
    ),
    (lambda: library.wrinkle_shape(POINTS, kappa=0.1, r_min=1, cuts=0.5), "cuts: expected two numbers, got 0.5"),
    (
        lambda: library.wrinkle_shape(POINTS, kappa=0.1, r_min=1, cuts=("a", 0)),
        "cuts[0]: expected a number, got 'a'",
    ),
    (
        lambda: library.wrinkle_curve(TOPOLOGY, SQUARE, [0, 1], [0.5, 0.5], kappa=0.1, r_min=1, samples=1.5),
        "samples: expected an integer in [1, 64], got 1.5",
    ),
    (lambda: library.height_ratio("a"), "ratio: expected a number, got 'a'"),
    (lambda: library.Surface(FACES), NO_TOPOLOGY),
    (lambda: library.displace(FRAME, edge_length="1%"), f"edge_length: {LENGTH}'1%'{PERCENTAGE}"),
    (
        lambda: library.displace(SQUARE),
        "frame: expected a LayerFrame, got float64 (4, 3); "
        "Wrinkler.step and ruckle.run make one, ruckle.CoarseFrame one without wrinkles",
    ),
    (lambda: library.load(None), "path: expected a path, got None"),
    (lambda: library.load("a.glb", fps="a"), "fps: expected a finite number above 0, got 'a'"),
    (lambda: library.sample_gltf(None, [0]), "path: expected a path, got None"),
    (lambda: still().save(3), "path: expected a path, got 3"),  # type: ignore[arg-type]
    (
        lambda: library.linear_blend_skinning([[0, 0, 0]], [[0]], [[1]], [[[1]]]),
        "rest_positions: expected a NumPy array, got list",
    ),
    (lambda: metrics.measure_paths(None), "animation: expected an Animation, got None"),  # type: ignore[arg-type]
    (lambda: RunWriter("a.npz", None, {}), "animation: expected an Animation, got None"),  # type: ignore[arg-type]
    (lambda: read_run(3), "path: expected a path, got 3"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), WRONG_TYPES, ids=[message[:40] for _, message in WRONG_TYPES])
def test_reject_wrong_types(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


WRONG_VALUES: list[tuple[Callable[[], object], str]] = [
    (lambda: wrinkler(method="exakt"), f'method: {METHODS}"exakt"; did you mean exact?'),
    (lambda: library.wrinkle_shape(POINTS, kappa=0.1, r_min=1, cuts=(1,)), "cuts: expected two numbers, got 1"),
    (lambda: library.load(""), "path: expected a path, got an empty text"),
    (
        lambda: library.edge_matrices(SQUARE, [[0, 1, 2, 3]]),
        "faces: expected triangles, an array of shape (T, 3), got (1, 4); split larger polygons first",
    ),
    (
        lambda: Animation(SQUARE[None], [[0, 1, 2, 3]]),
        "faces: expected integers of shape (T, 3), got int64 (1, 4); split larger polygons first",
    ),
    (
        lambda: library.stretch(EDGES, EDGES[:1]),
        "reference, current: expected as many triangles in both, got 2 and 1",
    ),
    (
        lambda: library.edge_matrices(SQUARE[:3], FACES),
        "faces, positions: face 1 names vertex 3; there are 3 positions",
    ),
    (
        lambda: library.edge_matrices([[0, 0], [1]], FACES),
        "positions: expected real numbers in rows of equal length, got list",
    ),
    (lambda: library.edge_matrices(None, FACES), "positions: expected real numbers, got None"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_VALUES, ids=[message[:40] for _, message in WRONG_VALUES])
def test_reject_wrong_values(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize("call", [library.run, Wrinkler.for_animation, metrics.measure_paths, metrics.measure_flicker])
def test_reject_misspelt_parameters_at_the_call(call: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match=r"^rmin: no such parameter; did you mean r_min\? parameters are r_min, tau"):
        call(still(), rmin=1)


def test_reject_bad_parameters_before_the_first_frame() -> None:
    with pytest.raises(ValueError, match="tau: expected a finite number above 1"):
        library.run(still(), tau=0.5)


def test_reject_fine_edges_in_another_unit() -> None:
    # the shortest edge is 1 long, and no edge is divided into more than 64 parts
    with pytest.raises(ValueError, match=r"^edge_length: expected at least 0\.0156, the mesh's shortest edge in 64"):
        library.displace(FRAME, edge_length=1e-7)
    surface = Surface(TOPOLOGY, edge_length=1.001 / 64)
    surface.update(FRAME)
    surface.update(CoarseFrame(SQUARE * 100, TOPOLOGY))


def test_degenerate_objects_whose_constructor_failed_can_be_shown() -> None:
    # debuggers and test runners show every object of a traceback
    half_made = Topology.__new__(Topology)
    assert repr(half_made) == "Topology()"


def test_reject_growing_above_the_seeding_threshold() -> None:
    topology, positions, stretch = wrinkled_grid()
    message = r"^grow_tau: expected a number above 1 and at most tau = 1\.1"
    with pytest.raises(ValueError, match=message):
        ruckle.trace(topology, positions, stretch, r_min=0.3, tau=1.1, grow_tau=2.0)
