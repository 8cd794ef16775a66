"""Rejected arguments of public functions: each error message names the argument, the value and the allowed values."""

import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import Animation, CoarseFrame, Frame, Surface, Topology, Wrinkler
from ruckle.arguments import choice, flag, found, length, number, pair, whole_number
from ruckle.experiments import metrics
from ruckle.io.results import RunWriter, load_run

FACES = [[0, 1, 2], [0, 2, 3]]
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
EDGES = ruckle.edge_matrices(SQUARE, FACES)
STRETCH = ruckle.stretch(EDGES, EDGES)
TOPOLOGY = Topology(FACES, 4)
FRAME = CoarseFrame(SQUARE, TOPOLOGY)
COSTS = ruckle.label_costs(STRETCH)
FINE = ruckle.displace(CoarseFrame(SQUARE, TOPOLOGY))
STILL = Animation(np.repeat(SQUARE[None], 2, axis=0), FACES)
SURFACE = Surface(TOPOLOGY)
SURFACE.update(FRAME)
ARM = ruckle.Skeleton(["arm", "elbow", "hand"], [-1, 0, 1], [[0, 0, 0], [3, 0, 0], [5, 0, 1]])
PLAN, BINDING = ruckle.plan_poses(ARM, {"elbow": [0, 30]}), ruckle.bind(SQUARE, SQUARE, FACES)
PATH = {"topology": TOPOLOGY, "positions": SQUARE, "edges": [0, 1], "t": [0.5, 0.5]}

# valid required arguments of each public function; all other parameters have defaults
GOOD: dict[Callable[..., object], dict[str, Any]] = {
    Animation: {"positions": SQUARE[None], "faces": FACES, "uv": SQUARE[:, :2], "uv_faces": FACES},
    FINE.corner_values: {"values": SQUARE},
    Surface: {"topology": TOPOLOGY},
    SURFACE.evaluate: {"faces": [0], "barycentric": [[1, 0, 0]]},
    Topology: {"faces": FACES, "vertex_count": 4},
    Wrinkler: {"faces": FACES, "vertex_count": 4, "r_min": 0.1},
    Wrinkler.for_animation: {"animation": STILL},
    Wrinkler(FACES, 4, r_min=0.1).step: {"positions": SQUARE},
    ruckle.displace: {"frame": FRAME},
    ruckle.cross_section: {"u": 0.5},
    ruckle.edge_matrices: {"positions": SQUARE, "faces": FACES},
    ruckle.height_ratio: {"ratio": 0.5},
    ruckle.label_costs: {"stretch": STRETCH},
    ruckle.linear_blend_skinning: {
        "rest_positions": SQUARE, "joint_indices": np.zeros((4, 1), int), "joint_weights": np.ones((4, 1)),
        "bone_matrices": np.zeros((1, 1, 3, 4)),
    },
    ruckle.optimize_path: PATH | {"previous": SQUARE, "stretch": STRETCH, "length_unit": 1.0},
    ruckle.run: {"animation": STILL},
    ruckle.sample: {"name": "sawing"},
    ruckle.smooth_path: PATH,
    ruckle.solve_label_sequence: {"costs": COSTS[None], "topology": TOPOLOGY},
    ruckle.solve_labels: {"costs": COSTS, "topology": TOPOLOGY},
    ruckle.stretch: {"reference": EDGES, "current": EDGES},
    ruckle.trace: {"topology": TOPOLOGY, "positions": SQUARE, "stretch": STRETCH, "r_min": 0.1},
    ruckle.update_reference: {"reference": EDGES, "current": EDGES, "labels": [0, 0]},
    ruckle.weld: {"positions": SQUARE, "faces": FACES},
    ruckle.wrinkle_curve: PATH | {"kappa": 0.1, "r_min": 1.0},
    ruckle.wrinkle_shape: {"points": SQUARE[:2], "kappa": 0.1, "r_min": 1.0},
    STILL.cut: {"start": 0, "stop": 2},
    PLAN.rotations: {"angles": {"elbow": [0.1]}},
    ruckle.plan_poses: {"skeleton": PLAN.skeleton, "joints": {"elbow": [0, 30]}},
    ruckle.details: {"fine": SQUARE, "coarse": SQUARE, "binding": BINDING},
    ruckle.apply: {"coarse": SQUARE, "binding": BINDING, "details": SQUARE},
    ruckle.transfer: {"fine": SQUARE, "coarse": SQUARE, "binding": BINDING, "fine_faces": FACES},
    ruckle.merge: {"details": np.zeros((1, 4, 3)), "weights": np.ones((4, 1))},
    ruckle.region_weights: {"rest": SQUARE, "faces": FACES, "regions": [0, 0, 1, 1], "joints": [[0, 1]]},
    metrics.measure_flicker: {"animation": STILL},
    metrics.measure_paths: {"animation": STILL},
}  # fmt: skip

# values that every parameter rejects, and values that only some parameters accept
ODD = object()
VALUES = [None, np.nan, -np.inf, -1, 2**70, 10**400, "", "1%", [], [[0.5] * 7], np.zeros(3)]


def names_of(function: Callable[..., object]) -> list[str]:
    """Return the names of a function's parameters. If it has `**parameters`, add the parameters of a Wrinkler."""
    names = list(inspect.signature(function).parameters)
    wrinkler = [parameter.name for parameter in Wrinkler.parameters]
    return list(dict.fromkeys([*names[:-1], *wrinkler])) if names[-1] == "parameters" else names


CASES = [(function, name) for function in GOOD for name in names_of(function)]


def refusal(function: Callable[..., object], name: str, value: object) -> str:
    """Return the error message of a function for one bad argument; an empty string if the value is allowed."""
    try:
        result = function(**{**GOOD[function], name: value})
        if isinstance(result, GeneratorType):
            next(result)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("function", "name"), CASES, ids=lambda of: getattr(of, "__qualname__", of))
def test_reject_in_one_sentence_that_names_the_argument(function: Callable[..., object], name: str) -> None:
    assert re.match(rf"{name}: .*expected .*, got object\b", refusal(function, name, ODD))
    names = "|".join(names_of(function))
    for value in VALUES:
        sentence = refusal(function, name, value)
        assert re.fullmatch(rf"(({names})\b.*: .*)?", sentence), f"{value!r}: {sentence}"


NEW = partial(Wrinkler, FACES, 4, r_min=0.1)

# one wrong call for each kind of argument, with the expected error
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (partial(NEW, r_min="0.5%"), TypeError, "r_min: expected a length in mesh units, got '0.5%'; percentages need"),
    (partial(NEW, tau=True), TypeError, "tau: expected a number, got True"),
    (partial(NEW, seed=1.5), TypeError, "seed: expected an integer in [0, 2^64), got 1.5"),
    (partial(NEW, rest="bind"), ValueError, "rest: expected real numbers, got 'bind'"),
    (
        partial(Wrinkler.for_animation, STILL, rest="bnid"),
        ValueError,
        'rest: expected one of "bind", "first", got "bnid"; did',
    ),
    (partial(ruckle.Upsampler, "a.npz"), TypeError, "model: expected an UpsamplingModel, got 'a.npz'; ruckle.load_mo"),
    (partial(ruckle.Simulated, SQUARE), TypeError, "sheet: expected a Sheet, got float64 (4, 3); a scene has one"),
    (partial(ruckle.train, STILL), TypeError, "pairs: expected several pairs to learn from, one for each motion, got"),
    (partial(ruckle.train, [STILL]), TypeError, "pair: expected a TrainingPair, got Animation; ruckle.offline.sim"),
    (partial(ruckle.details, SQUARE, SQUARE, SQUARE), TypeError, "binding: expected a Binding, got float64 (4, 3)"),
    (partial(ruckle.LayerFrame, SQUARE, FACES), TypeError, "topology: expected a Topology, got list;"),
    (partial(NEW, coherent="no"), TypeError, "coherent: expected True or False, got 'no'"),
    (partial(NEW, threads=2**40), ValueError, "threads: expected an integer in [1, 256], got 1099511627776"),
    (partial(NEW, method="exakt"), ValueError, 'method: expected one of "exact", "expansion", "swap", "independent"'),
    (partial(ruckle.run, STILL, tau=0.5), ValueError, "tau: expected a finite number above 1"),
    (partial(ruckle.solve_labels, COSTS, FACES), TypeError, "topology: expected a Topology, got list; ruckle.Topology"),
    (partial(ruckle.wrinkle_shape, SQUARE, kappa=0, r_min=1, cuts=("a", 0)), TypeError, "cuts[0]: expected a number"),
    (partial(ruckle.displace, [1]), TypeError, "frame: expected a"),
    (partial(ruckle.displace, FRAME, edge_length=1e-7), ValueError, "edge_length: expected at least 0.0156"),
    (partial(CoarseFrame, SQUARE[:3], TOPOLOGY), ruckle.MeshError, "positions: expected 4 vertices, got 3"),
    (partial(Frame.of, SQUARE[:3], TOPOLOGY, r_min=0.1), ValueError, "faces, positions: face 1 names vertex 3"),
    (partial(Frame.of, SQUARE, TOPOLOGY, [1], r_min=0.1), TypeError, "wrinkles[0]: expected a Wrinkle, got 1"),
    (partial(Frame.of, SQUARE, TOPOLOGY, r_min=0.1, labels=[1]), ValueError, "labels: expected one for each of 2"),
    (partial(ruckle.load, None), TypeError, "path: expected a path, got None"),
    (partial(ruckle.load, "a.glb", fps="a"), TypeError, "fps: expected a finite number above 0, got 'a'"),
    (partial(ruckle.sample_gltf, None, [0]), TypeError, "path: expected a path, got None"),
    (partial(ruckle.sample, "sawin"), ValueError, 'name: expected one of "sawing", '),
    (partial(RunWriter, "a.npz", ruckle, {}), TypeError, "animation: expected an Animation, got module"),
    (partial(load_run, ruckle), TypeError, "path: expected a path, got module"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[message[:40] for _, _, message in WRONG])
def test_reject_says_what_was_found(call: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^{re.escape(message)}"):
        call()


INFINITE, NO_METRIC = np.full((3, 3), np.inf), np.array([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])
POTTS = 1.0 - np.eye(3)

# arguments that do not match each other or are out of range, with the expected error message
UNFIT: list[tuple[Callable[..., object], dict[str, Any], str]] = [
    (Topology, {"faces": np.zeros((0, 3), int)}, "faces: the mesh has no triangle; at least one is needed"),
    (Topology, {"faces": [[0, 1, 4]]}, "faces: face 0 names vertex 4; a mesh of 4 vertices has 0 to 3"),
    (Topology, {"faces": [[0, 1, 2], [1, 2, 1]]}, "faces: face 1 names a vertex twice: (1, 2, 1)"),
    (Topology, {"faces": [[0, 1, 2], [1, 0, 3], [0, 1, 3]]}, "faces: edge (0, 1) belongs to 3 faces (0, 1, 2)"),
    (Topology, {"faces": [[0, 1, 2**31]]}, "faces: 2147483648 does not fit 32 bits"),
    (Topology, {"faces": [[0, 1, 2, 3]]}, "faces: expected triangles, an array of shape (T, 3), got (1, 4); split"),
    (Topology, {"vertex_count": -1}, "vertex_count: expected an integer in [0, 2147483647], got -1"),
    (ruckle.weld, {"positions": SQUARE[:1]}, "faces: face 0 names vertex 1; a mesh of 1 vertices has 0 to 0"),
    (ruckle.weld, {"positions": SQUARE * np.nan}, "positions: element 0 holds nan; every number must be finite"),
    (ruckle.edge_matrices, {"positions": SQUARE * 1e39}, "positions: element 1 holds inf; every number must be finite"),
    (ruckle.edge_matrices, {"faces": [[0, -1, 1]]}, "faces, positions: face 0 names vertex -1; there are 4 positions"),
    (ruckle.stretch, {"current": EDGES * np.nan}, "current: element 0 holds nan; every number must be finite"),
    (ruckle.stretch, {"reference": EDGES[0]}, "reference: expected an array of shape (T, 2, 2), got (2, 2)"),
    (ruckle.label_costs, {"stretch": replace(STRETCH, max=-STRETCH.max)}, "max: triangle 0 has -1.000000; principal"),
    (ruckle.label_costs, {"stretch": replace(STRETCH, max=STRETCH.max[:1])}, "max: expected an array of shape (T ="),
    (ruckle.label_costs, {"sigma": 0.0}, "sigma: expected a finite number above 0, got 0"),
    (ruckle.label_costs, {"alpha": -1.0}, "alpha: expected a finite number of at least 0, got -1"),
    (ruckle.label_costs, {"dt": 0.0}, "dt: expected a number of seconds in (0, 1e+06], got 0"),
    (ruckle.solve_labels, {"costs": INFINITE}, "costs: expected an array of shape (T = 2, 3), got (3, 3)"),
    (ruckle.solve_labels, {"costs": INFINITE[:2]}, "costs: every label of triangle 0 is forbidden; leave one finite"),
    (ruckle.solve_labels, {"costs": COSTS - np.inf}, "costs: label 0 of triangle 0 costs -inf; costs are finite"),
    (ruckle.solve_labels, {"previous": [0, 3]}, "previous: labels are 0, 1 and 2, found 0 to 3"),
    (ruckle.solve_labels, {"previous": np.uint8([0, 3])}, "previous: triangle 1 has label 3; labels are 0, 1 and 2"),
    (ruckle.solve_labels, {"pairwise": INFINITE}, "pairwise: the cost between compression and compression is not"),
    (ruckle.solve_labels, {"pairwise": POTTS + np.eye(3, k=2)}, "pairwise: the cost between compression and stretch"),
    (ruckle.solve_labels, {"pairwise": -POTTS}, "pairwise: neighbours labelled compression and rest cost less than"),
    (ruckle.solve_labels, {"pairwise": POTTS}, 'method="exact": the pairwise costs are not submodular in any order'),
    (ruckle.solve_labels, {"pairwise": NO_METRIC, "method": "expansion"}, 'method="expansion": the pairwise costs'),
    (ruckle.update_reference, {"labels": [0, 3]}, "labels: labels are 0, 1 and 2, found 0 to 3"),
    (ruckle.update_reference, {"current": EDGES[:1]}, "reference, current: expected as many triangles in both"),
    (ruckle.update_reference, {"relaxation": 1.5}, "relaxation: expected a number in [0, 1], got 1.5"),
    (ruckle.smooth_path, {"edges": [0], "t": [0.5]}, "edges: a path has 2 to 128 vertices, got 1"),
    (ruckle.smooth_path, {"edges": [0, 9999]}, "edges: vertex 1 lies on edge 9999; the mesh has edges 0 to 4"),
    (ruckle.smooth_path, {"edges": [0, 4]}, "edges: consecutive vertices must lie on different edges of one triangle"),
    (ruckle.smooth_path, {"t": [0.5, 1.5]}, "t: vertex 1 has 1.500000; t lies in [0, 1]"),
    (ruckle.wrinkle_shape, {"r_min": 0.0}, "r_min: expected a length in (0, 1e+30], got 0"),
    (ruckle.wrinkle_shape, {"points": SQUARE[:1]}, "points: a wrinkle has at least 2 vertices, got 1"),
    (ruckle.wrinkle_shape, {"points": SQUARE * np.nan}, "points: element 0 holds nan"),
    (ruckle.wrinkle_shape, {"kappa": 1.5}, "kappa: expected a number in [0, 1], got 1.5"),
    (ruckle.wrinkle_shape, {"size": -0.5}, "size: expected a number in [0, 1], got -0.5"),
    (ruckle.wrinkle_shape, {"cuts": (0.0, np.inf)}, "cuts[1]: expected a number in [0, 1], got inf"),
    (ruckle.height_ratio, {"ratio": 0.9}, "ratio: expected a finite number of at least 1"),
    (ruckle.linear_blend_skinning, {"joint_indices": np.eye(4, 1).astype(int)}, "joint_indices: vertex 0 refers"),
    (ruckle.linear_blend_skinning, {"joint_weights": np.ones((4, 2))}, "joint_weights: expected real numbers of"),
    (ruckle.linear_blend_skinning, {"rest_positions": SQUARE * np.nan}, "rest_positions: expected finite numbers, got"),
    (ruckle.linear_blend_skinning, {"bone_matrices": np.full((1, 1, 3, 4), 1e300)}, "bone_matrices: frame 0 moves"),
    (SURFACE.evaluate, {"barycentric": [[3e38, 1, 1]]}, "barycentric: expected three weights of at least 0 that"),
    (FINE.corner_values, {"faces": [[0, 1, 2]]}, "faces: expected an array of shape (2, 3), got (1, 3)"),
    (FINE.corner_values, {"faces": [[0, 1, 4]] * 2}, "faces: face 0 refers to vertex 4, allowed are 0 to 3"),
]


@pytest.mark.parametrize(("function", "changes", "message"), UNFIT, ids=[message[:40] for *_, message in UNFIT])
def test_reject_what_does_not_fit(function: Callable[..., object], changes: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}"):
        function(**{**GOOD[function], **changes})


# classes that functions and steps return; users do not call their constructors
RESULTS = {"Modulation", "PoseDatabase", "PoseFrame", "StackFrame", "Stretch", "UpsampledFrame"}
ERRORS = {"FormatError", "GraphicsError", "MeshError"}
PUBLIC = [name for name in ruckle.__all__ if callable(getattr(ruckle, name)) and name not in RESULTS | ERRORS]


@pytest.mark.parametrize("name", [*PUBLIC, "Garment.of", "Trainer.of_pairs"])
def test_reject_never_fails_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    # if all required arguments are nonsense, a public function must reject them with its own error message
    function: Any = attrgetter(name)(ruckle)
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    for value in (*VALUES, ODD, {}, "x"):
        positional = [value for one in needed if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        keywords = {one.name: value for one in needed if one.kind is one.KEYWORD_ONLY}
        with suppress(TypeError, ValueError, OSError):
            function(*positional, **keywords)


@pytest.mark.parametrize("call", [ruckle.run, Wrinkler.for_animation, metrics.measure_paths, metrics.measure_flicker])
def test_reject_misspelt_parameters_at_the_call(call: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match=r"^rmin: no such parameter; did you mean r_min\?"):
        call(STILL, rmin=1)


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


def test_degenerate_objects_whose_constructor_failed_can_be_shown() -> None:
    # debuggers and test runners also show unfinished objects, so repr() must not fail
    assert repr(Topology.__new__(Topology)) == "Topology()"
