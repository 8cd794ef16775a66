"""The list of runs of a sweep, and the identity of each run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from ruckle._core import __version__
from ruckle.arguments import length
from ruckle.experiments.sweeps.axes import MOST_RUNS, Value
from ruckle.experiments.sweeps.planned import PlannedRun
from ruckle.experiments.sweeps.table import COLUMNS, Row, unreadable_row
from ruckle.mesh.animation import Animation
from ruckle.paths.parameters import DEFAULTS, LENGTHS

__all__ = ["PlannedRun", "Unreadable", "content_hash", "named_apart", "plan_runs"]

# Number of hexadecimal digits in the name of a run. With 64 bits, two of a million names are equal in one of 10^7
# sweeps.
HASH_DIGITS = 16


@dataclass(frozen=True)
class Unreadable:
    """An animation that cannot be read: its file or sample, and the reason in one sentence."""

    source: str
    problem: str


def content_hash(animation: Animation) -> str:
    """Return a hash of an animation's positions, faces, rest pose, mask, frame rate and height."""
    digest = hashlib.sha256()
    for array in (animation.positions, animation.faces, animation.rest_positions, animation.mask):
        if array is None:
            digest.update(b"none ")
            continue
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        digest.update(f"{little.dtype.str} {little.shape} ".encode())
        digest.update(little.data)
    digest.update(f"{animation.fps!r} {animation.height!r}".encode())
    return digest.hexdigest()[:HASH_DIGITS]


def named_apart(
    animations: Sequence[Animation | Unreadable], sources: Sequence[str | None]
) -> list[Animation | Unreadable]:
    """Return animations with unique names: equal names of different animations are replaced by their sources.

    Parameters
    ----------
    animations : sequence of Animation or Unreadable
    sources : sequence of str or None
        File or sample of each animation; None for an animation in memory.

    Raises
    ------
    ValueError
        Different animations in memory have the same name.
    """
    called: dict[str, set[str]] = {}
    for animation in animations:
        if isinstance(animation, Animation):
            called.setdefault(animation.name, set()).add(content_hash(animation))
    named: list[Animation | Unreadable] = []
    for animation, source in zip(animations, sources, strict=True):
        if isinstance(animation, Unreadable) or len(called[animation.name]) == 1:
            named.append(animation)
        elif source is None:
            raise ValueError(f"animations: several are called '{animation.name}'; give each animation its own name")
        else:
            named.append(replace(animation, name=source))
    return named


def plan_runs(
    animations: Sequence[Animation | Unreadable], axes: Mapping[str, Sequence[Value]], *, every: int = 5
) -> list[PlannedRun | Row]:
    """Return all combinations without duplicates: by animation, then by parameters, of which the last changes fastest.

    For an animation that cannot be read, each run is already a failed row.

    Parameters
    ----------
    animations : sequence of Animation or Unreadable
    axes : mapping from parameters to their values, as returned by `ruckle.experiments.sweeps.axes.read_axes`
    every : int
        See `ruckle.experiments.metrics.measure_paths`.

    Raises
    ------
    ValueError
        There are more than `MOST_RUNS` combinations; the message contains their number.
    """
    planned = len(animations) * prod(map(len, axes.values()))
    if planned > MOST_RUNS:
        swept = ", ".join(name for name, values in axes.items() if len(values) > 1)
        raise ValueError(f"{swept}: expected at most {MOST_RUNS:,} runs, got {planned:,}")
    runs: dict[str, PlannedRun | Row] = {}
    choices = [{**DEFAULTS, **dict(zip(axes, choice, strict=True))} for choice in product(*axes.values())]
    for animation in animations:
        if isinstance(animation, Unreadable):
            for given in choices:
                identity = _hashed({"unreadable": animation.source, "parameters": given})
                runs[identity] = unreadable_row(identity, animation.source, given, animation.problem)
            continue
        content = content_hash(animation)
        for given in choices:
            parameters = {name: _resolved(name, value, animation.height) for name, value in given.items()}
            identity = _identity(animation, content, parameters, every)
            runs.setdefault(identity, PlannedRun(identity, animation, content, parameters, every))
    return list(runs.values())


def _resolved(name: str, value: object, height: float) -> Value:
    if name in LENGTHS and value is not None:
        return length(value, height, name)  # type: ignore[arg-type]
    if name == "pairwise":
        # the shortest decimal numbers that round to these float32 values, such as 0.2
        return tuple(tuple(float(str(cost)) for cost in row) for row in np.asarray(value, np.float32))
    return value  # type: ignore[return-value]


def _identity(animation: Animation, content: str, parameters: Mapping[str, Value], every: int) -> str:
    decisive = {
        "version": __version__,
        "columns": list(COLUMNS),
        "animation": animation.name,
        "content": content,
        "parameters": dict(parameters),
        "every": every,
    }
    return _hashed(decisive)


def _hashed(decisive: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(decisive, sort_keys=True, default=repr).encode()).hexdigest()[:HASH_DIGITS]
