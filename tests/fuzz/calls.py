"""Calls of public functions with arguments that no one should give, drawn from the bytes of a case."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import GeneratorType
from typing import Any

import numpy as np

import ruckle
from test_arguments import GOOD, names_of

__all__ = ["CALL_REFUSALS", "call", "new_call"]

# What a call may raise: one sentence, of threads and files OSError.
CALL_REFUSALS = (ValueError, TypeError, OSError)

HUGE = 3.4e38
NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 64, 255, 2**31 - 1, 2**31, 2**63, -(2**40), 10**400, True, 0.0, -0.0, 1e-45, 1e-30, 0.5, 1.0000001,
    1e30, HUGE, -HUGE, 1e308, float("nan"), float("inf"), float("-inf"), 1j, np.float64(2), np.int8(-3), None, "", "1%",
    "exact", b"1", (), [], {}, [[]], object(), "a\x00b", "é" * 999,
)  # fmt: skip
SHAPES = ((), (0,), (1,), (3,), (0, 3), (1, 3), (4, 3), (3, 4), (4, 3, 3), (2, 2, 2), (0, 2, 2), (6, 1), (1, 1, 3, 4))
TYPES = ("f4", "f8", ">f4", "f2", "i4", "i8", "u4", "u1", "b1", "c8", "O", "U3", "M8[s]", "S2")


def new_call(_: bytes, __: str, ___: list[bytes], random: Random) -> bytes:
    """Return the bytes of a new case."""
    return random.randbytes(8)


def call(path: Path) -> None:
    """Make the call that the bytes of a file stand for."""
    random = Random(path.read_bytes())
    function, good = random.choice(calls())
    given = dict(good)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        name = random.choice([*given, *names_of(function)])
        given[name] = changed(given.get(name), random)
    given.pop("threads", None) if isinstance(given.get("threads"), int) and given["threads"] > 4 else None
    result = function(**given)
    if isinstance(result, GeneratorType):
        result = next(result, None)
    if not may_overflow(given):
        require_finite(result)


@cache
def calls() -> list[tuple[Callable[..., object], dict[str, Any]]]:
    """Return functions with good arguments: on a square, and on a garment that wrinkles."""
    animation = ruckle.sample("fist_pumping")
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.2)
    for positions in animation.positions[:40]:
        frame = wrinkler.step(positions)
    surface = ruckle.Surface(wrinkler.topology)
    surface.update(frame)
    path = {
        "topology": wrinkler.topology,
        "positions": frame.positions,
        "edges": frame.wrinkles[0].edges,
        "t": frame.wrinkles[0].t,
    }
    costs = ruckle.label_costs(frame.motion)
    worn: dict[Callable[..., object], dict[str, Any]] = {
        wrinkler.step: {"positions": frame.positions},
        surface.update: {"frame": frame},
        surface.evaluate: {"faces": np.arange(9), "barycentric": np.full((9, 3), 1 / 3)},
        ruckle.Frame.of: {
            "positions": frame.positions,
            "topology": wrinkler.topology,
            "wrinkles": frame.wrinkles,
            "r_min": 0.01,
        },
        ruckle.smooth_path: path,
        ruckle.wrinkle_curve: path | {"kappa": 0.1, "r_min": 0.01},
        ruckle.optimize_path: path
        | {"previous": animation.positions[38], "stretch": frame.stretch, "length_unit": 0.1},
        ruckle.trace: {
            "topology": wrinkler.topology,
            "positions": frame.positions,
            "stretch": frame.stretch,
            "r_min": 0.01,
            "tau": 1.2,
        },
        ruckle.solve_labels: {"costs": costs, "topology": wrinkler.topology, "previous": frame.labels},
        ruckle.weld: {"positions": frame.positions, "faces": animation.faces},
    }
    left_out = {ruckle.run, ruckle.sample, *(f for f in GOOD if f.__module__.startswith("ruckle.metrics"))}
    return [*((f, good) for f, good in GOOD.items() if f not in left_out), *worn.items()]


def changed(value: object, random: Random) -> object:
    """Return something else than a good argument."""
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
    """Return an array of small numbers."""
    numbers = np.array([random.choice((0, 0, 1, 2, 3, -1)) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return numbers.astype(random.choice(TYPES))


def may_overflow(given: dict[str, Any]) -> bool:
    """Tell whether numbers are so large that their squares leave float32, and results may be infinite."""
    numbers = [np.asarray(value) for value in given.values() if isinstance(value, (np.ndarray, list, int, float))]
    with np.errstate(all="ignore"):
        return any(array.dtype.kind in "iuf" and not (abs(array.astype(float)) < 1e15).all() for array in numbers)


def require_finite(result: object) -> None:
    """Fail where what a call has given is not finite."""
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        assert np.isfinite(result).all(), "a result is not finite"
    elif isinstance(result, (tuple, list)):
        for part in result[:20]:
            require_finite(part)
    elif isinstance(result, ruckle.Frame):
        for array in (result.current, result.reference, *result.stretch, *result.motion):
            require_finite(np.asarray(array))
        for wrinkle in result.wrinkles:
            require_finite([wrinkle.points, wrinkle.width, wrinkle.height, np.array(wrinkle.age)])
