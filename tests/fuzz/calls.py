"""Calls of public functions with meaningless arguments. The bytes of a case are the random seed of a call."""

from functools import cache, partial
from pathlib import Path
from random import Random
from types import GeneratorType
from typing import Any

import numpy as np

import ruckle
from test_arguments import FACES, GOOD, SQUARE, names_of

__all__ = ["CALL_REFUSALS", "call", "new_call"]

# Errors that a call may raise with a message of one line. OSError is for threads and files.
CALL_REFUSALS = (ValueError, TypeError, OSError)

HUGE = 3.4e38
NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 64, 255, 2**31 - 1, 2**31, 2**63, -(2**40), 10**400, True, 0.0, -0.0, 1e-45, 1e-30, 0.5, 1.0000001,
    1e30, HUGE, -HUGE, 1e308, float("nan"), float("inf"), float("-inf"), 1j, np.float64(2), np.int8(-3), None, "", "1%",
    "exact", b"1", (), [], {}, [[]], object(), "a\x00b", "é" * 999,
)  # fmt: skip
SHAPES = ((), (0,), (1,), (3,), (0, 3), (1, 3), (4, 3), (3, 4), (4, 3, 3), (2, 2, 2), (0, 2, 2), (6, 1), (1, 1, 3, 4))
TYPES = ("f4", "f8", ">f4", "f2", "i4", "i8", "u4", "u1", "b1", "c8", "O", "U3", "M8[s]", "S2")

PARTS: dict[type, tuple[str, ...]] = {
    ruckle.Frame: ("current", "reference", "stretch", "motion", "wrinkles"),
    ruckle.FineMesh: ("positions", "normals", "heights"),
    ruckle.Wrinkle: ("points", "width", "height", "age"),
    ruckle.ClothFrame: ("positions",),
    ruckle.Modulation: ("factors",),
    ruckle.Moments: ("values", "bend"),
    ruckle.Pattern: ("heights",),
}
"""Names of the array properties that are checked, for each type of result that is not an array."""


def new_call(_: bytes, __: str, ___: list[bytes], random: Random) -> bytes:
    """Return random bytes, which are a new case."""
    return random.randbytes(8)


def call(path: Path) -> None:
    """Make the call that follows from the bytes of a file, and check that its result is finite."""
    random = Random(path.read_bytes())
    function, good, *renew = random.choice(calls())
    for make_new in renew:
        make_new()
    given = dict(good)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        name = random.choice([*given, *names_of(function)])
        given[name] = changed(given.get(name), random)
    given.pop("threads", None) if isinstance(given.get("threads"), int) and given["threads"] > 4 else None
    result = function(**given)
    if isinstance(result, GeneratorType):
        result = next(result, None)
    require_finite(result)


@cache
def calls() -> list[Any]:
    """Return (function, valid arguments) for each tested function.

    For some methods, a third entry follows: a function that restores the state of the method's object.
    """
    left_out = {ruckle.run, ruckle.sample, *(f for f in GOOD if f.__module__.startswith("ruckle.experiments.metrics"))}
    square = [(function, good) for function, good in GOOD.items() if function not in left_out]
    return [*square, *calls_on_a_garment(), *calls_of_patterns(), *calls_of_cloth()]


def calls_on_a_garment() -> list[Any]:
    """Return the functions of a garment with wrinkles, in the form of `calls`."""
    animation = ruckle.sample("fist_pumping")
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.2)
    for positions in animation.positions[:40]:
        frame = wrinkler.step(positions)
    surface = ruckle.Surface(wrinkler.topology)
    surface.update(frame)
    cloth = {"topology": wrinkler.topology, "positions": frame.positions}
    path = cloth | {"edges": frame.wrinkles[0].edges, "t": frame.wrinkles[0].t}
    before = {"previous": animation.positions[38], "stretch": frame.stretch, "length_unit": 0.1}
    labels = {"topology": wrinkler.topology, "costs": ruckle.label_costs(frame.motion), "previous": frame.labels}
    inside = {"faces": np.arange(9), "barycentric": np.full((9, 3), 1 / 3)}
    return [
        (wrinkler.step, {"positions": frame.positions}, partial(wrinkler.restore, wrinkler.state())),
        (surface.update, {"frame": frame}),
        (surface.evaluate, inside, partial(surface.update, frame)),
        (ruckle.Frame.of, cloth | {"wrinkles": frame.wrinkles, "r_min": 0.01}),
        (ruckle.smooth_path, path),
        (ruckle.wrinkle_curve, path | {"kappa": 0.1, "r_min": 0.01}),
        (ruckle.optimize_path, path | before),
        (ruckle.trace, cloth | {"stretch": frame.stretch, "r_min": 0.01, "tau": 1.2}),
        (ruckle.solve_labels, labels),
        (ruckle.weld, {"positions": frame.positions, "faces": animation.faces}),
    ]


def calls_of_patterns() -> list[Any]:
    """Return the functions of patterns on a square, in the form of `calls`."""
    topology, squeezed = ruckle.Topology(FACES, 4), SQUARE * [0.8, 1.0, 1.0]
    grid = ruckle.PatternGrid(topology, SQUARE, spacing=0.25)
    waves = ruckle.function_pattern(grid, lambda points, _: np.sin(9 * points[:, 0]))
    heights = {"grid": grid, "heights": waves.heights[None]}
    now = {"current": ruckle.gram(squeezed, FACES), "moments": ruckle.pattern_moments(**heights)}
    fold = now | {"rest": ruckle.gram(SQUARE, FACES)}
    weights, modulator = {"weights": np.ones((2, 1))}, ruckle.Modulator([waves])
    asked = {"target": ruckle.target_area(**fold, **weights), "topology": topology, "largest": np.ones((4, 1))}
    return [
        (ruckle.PatternGrid, {"topology": topology, "rest": SQUARE, "spacing": 0.25}),
        (ruckle.gram, {"positions": SQUARE, "faces": FACES}),
        (ruckle.compression_axes, {"positions": squeezed, "faces": FACES, "rest": SQUARE}),
        (ruckle.pattern_moments, heights),
        (ruckle.wrinkling_coefficients, heights),
        (ruckle.noise_pattern, {"grid": grid, "axes": np.eye(3)[[0, 0]], "wavelength": 0.5}),
        (ruckle.stroke_pattern, {"grid": grid, "axes": np.eye(3)[[0, 0]], "wavelength": 0.5}),
        (ruckle.fold_weights, fold),
        (ruckle.target_area, fold | weights),
        (ruckle.modulation, now | weights | asked),
        (ruckle.Modulator, {"patterns": [waves]}),
        (modulator.step, {"positions": squeezed}, partial(modulator.restore, modulator.state())),
        (modulator.restore, {"state": modulator.state()}),
    ]


def calls_of_cloth() -> list[Any]:
    """Return the functions of simulated cloth on a square, in the form of `calls`."""
    good = {"rest": SQUARE, "faces": FACES, "attachment": np.array([1.0, 0, 0, 1])}
    cloth = ruckle.ClothSimulation(**good)
    moved = {"pins": SQUARE, "wind": np.ones(3), "cones": np.array([[0, 0, -1, 0.2, 1, 1, -1, 0.2]]), "dt": 1 / 30}
    renew = partial(cloth.restore, cloth.state())
    placed = {"positions": SQUARE, "velocities": np.zeros((4, 3))}
    return [(ruckle.ClothSimulation, good), (cloth.step, moved, renew), (cloth.place, placed, renew)]


def changed(value: object, random: Random) -> object:
    """Return a value that replaces a valid argument: a special number, a random array, or a changed copy."""
    match random.randrange(6):
        case 0 | 1:
            return random.choice(NUMBERS)
        case 2:
            return drawn(random.choice(SHAPES), random)
    array = np.asarray(value) if isinstance(value, (np.ndarray, list)) else None
    if array is None or array.dtype.kind not in "fiub" or array.size == 0 or array.ndim == 0:
        return drawn(random.choice(SHAPES), random)
    damaged = array.copy()
    match random.randrange(7):
        case 0:
            damaged = np.frombuffer(b"x" + damaged.tobytes(), damaged.dtype, offset=1).reshape(damaged.shape)
        case 1:
            damaged = damaged[..., ::-1]
        case 2:
            damaged = damaged[random.randrange(len(damaged)) :]
        case 3:
            with np.errstate(all="ignore"):
                damaged = damaged.astype(random.choice(TYPES[:9]))
        case 4:
            damaged = np.repeat(damaged, 2, axis=random.randrange(damaged.ndim))
        case _:
            for _ in range(random.choice((1, 3, 20))):
                with np.errstate(all="ignore"):
                    number = random.choice((0, -1, 1, 2, 1e-40, HUGE, -HUGE, 2**31 - 1, float("nan"), float("inf")))
                    finite = damaged.dtype.kind == "f" or abs(number) < 2**31
                    damaged.flat[random.randrange(damaged.size)] = number if finite else 0
    return damaged


def drawn(shape: tuple[int, ...], random: Random) -> np.ndarray:
    """Return an array of small random integers with a random type."""
    numbers = np.array([random.choice((0, 0, 1, 2, 3, -1)) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return numbers.astype(random.choice(TYPES))


def require_finite(result: object) -> None:
    """Raise AssertionError if a floating-point number in the result of a call is NaN or infinite."""
    if isinstance(result, (float, np.ndarray)) and np.asarray(result).dtype.kind == "f":
        assert np.isfinite(result).all(), "a result is not finite"
    parts = result if isinstance(result, (tuple, list)) else [getattr(result, n) for n in PARTS.get(type(result), ())]
    for part in parts[:20]:
        require_finite(part)
