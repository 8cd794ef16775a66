"""Bad arguments of public functions: every error names the argument, what was found, and what is allowed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from types import GeneratorType
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import Animation, CoarseFrame, Surface, Topology, Wrinkler, metrics
from ruckle.arguments import choice, flag, found, length, number, pair, whole_number
from ruckle.io.results import RunWriter, read_run

FACES = [[0, 1, 2], [0, 2, 3]]
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
EDGES = ruckle.edge_matrices(SQUARE, FACES)
STRETCH = ruckle.stretch(EDGES, EDGES)
TOPOLOGY = Topology(FACES, 4)
FRAME = CoarseFrame(SQUARE, TOPOLOGY)
COSTS = ruckle.label_costs(STRETCH)
STILL = Animation(np.repeat(SQUARE[None], 2, axis=0), FACES)
PATH = {"topology": TOPOLOGY, "positions": SQUARE, "edges": [0, 1], "t": [0.5, 0.5]}

# what each function needs; its other parameters have defaults
GOOD: dict[Callable[..., object], dict[str, Any]] = {
    Animation: {"positions": SQUARE[None], "faces": FACES, "uv": SQUARE[:, :2], "uv_faces": FACES},
    Surface: {"topology": TOPOLOGY},
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
    metrics.measure_flicker: {"animation": STILL},
    metrics.measure_paths: {"animation": STILL},
}  # fmt: skip


# what no parameter takes, and what some take and others refuse
ODD = object()
VALUES = [None, np.nan, -np.inf, -1, 2**70, 10**400, "", "1%", [], [[0.5] * 7], np.zeros(3)]


def names_of(function: Callable[..., object]) -> list[str]:
    """Return the names of a function's parameters, those of a wrinkler behind `**parameters`."""
    names = list(inspect.signature(function).parameters)
    wrinkler = [parameter.name for parameter in Wrinkler.parameters]
    return list(dict.fromkeys([*names[:-1], *wrinkler])) if names[-1] == "parameters" else names


CASES = [
    pytest.param(function, name, id=f"{function.__qualname__}-{name}")
    for function in GOOD
    for name in names_of(function)
]


def refusal(function: Callable[..., object], name: str, value: object) -> str:
    """Return what a function says of one argument among good ones, or nothing where it takes it."""
    try:
        result = function(**{**GOOD[function], name: value})
        if isinstance(result, GeneratorType):
            next(result)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("function", "name"), CASES)
def test_reject_in_one_sentence_that_names_the_argument(function: Callable[..., object], name: str) -> None:
    assert re.match(rf"{name}: .*expected .*, got object\b", refusal(function, name, ODD))
    names = "|".join(names_of(function))
    for value in VALUES:
        sentence = refusal(function, name, value)
        assert re.fullmatch(rf"(({names})\b.*: .*)?", sentence), f"{value!r}: {sentence}"


NEW = partial(Wrinkler, FACES, 4, r_min=0.1)

# one call per kind of argument
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (partial(NEW, r_min="0.5%"), TypeError, "r_min: expected a length in mesh units, got '0.5%'; percentages need"),
    (partial(NEW, tau=True), TypeError, "tau: expected a number, got True"),
    (partial(NEW, seed=1.5), TypeError, "seed: expected an integer in [0, 2^64), got 1.5"),
    (partial(NEW, coherent="no"), TypeError, "coherent: expected True or False, got 'no'"),
    (partial(NEW, threads=2**40), ValueError, "threads: expected an integer in [1, 256], got 1099511627776"),
    (partial(NEW, method="exakt"), ValueError, 'method: expected one of "exact", "expansion", "swap", "independent"'),
    (partial(ruckle.run, STILL, tau=0.5), ValueError, "tau: expected a finite number above 1"),
    (partial(ruckle.solve_labels, COSTS, FACES), TypeError, "topology: expected a Topology, got list; ruckle.Topology"),
    (partial(ruckle.wrinkle_shape, SQUARE, kappa=0, r_min=1, cuts=("a", 0)), TypeError, "cuts[0]: expected a number"),
    (partial(ruckle.displace, [1]), TypeError, "frame: expected a"),
    (partial(ruckle.displace, FRAME, edge_length=1e-7), ValueError, "edge_length: expected at least 0.0156"),
    (partial(ruckle.edge_matrices, SQUARE, [[0, 1, 2, 3]]), ValueError, "faces: expected triangles, an array of shape"),
    (partial(ruckle.edge_matrices, SQUARE[:3], FACES), ValueError, "faces, positions: face 1 names vertex 3"),
    (partial(ruckle.stretch, EDGES, EDGES[:1]), ValueError, "reference, current: expected as many triangles in both"),
    (partial(ruckle.load, None), TypeError, "path: expected a path, got None"),
    (partial(ruckle.load, "a.glb", fps="a"), TypeError, "fps: expected a finite number above 0, got 'a'"),
    (partial(ruckle.sample_gltf, None, [0]), TypeError, "path: expected a path, got None"),
    (partial(ruckle.sample, "sawin"), ValueError, 'name: expected one of "sawing", '),
    (partial(RunWriter, "a.npz", ruckle, {}), TypeError, "animation: expected an Animation, got module"),
    (partial(read_run, ruckle), TypeError, "path: expected a path, got module"),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[message[:40] for _, _, message in WRONG])
def test_reject_says_what_was_found_and_what_is_allowed(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"^{re.escape(message)}"):
        call()


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
    # debuggers and test runners show every object of a traceback
    half_made = Topology.__new__(Topology)
    assert repr(half_made) == "Topology()"
