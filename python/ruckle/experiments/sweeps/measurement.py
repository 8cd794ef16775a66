"""The measurements of one run; the workers of an executor call this module."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import Any

import numpy as np

from ruckle._core import Topology, __version__, instruction_set
from ruckle.experiments.metrics import (
    energy_gap,
    label_boundaries,
    label_changes,
    label_shares,
    measure_paths,
    perimeter_ratio,
    stage_times,
)
from ruckle.experiments.sweeps.table import METRICS
from ruckle.field.label import PAIRWISE, label_costs, solve_labels
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame
from ruckle.paths.wrinkler import Wrinkler

__all__ = ["measure_run"]


def measure_run(
    animation: Animation, parameters: Mapping[str, Any], every: int, version: str = __version__
) -> dict[str, Any]:
    """Run an animation and return its metrics and times.

    Parameters
    ----------
    animation : Animation
    parameters : mapping
        Parameters of `Wrinkler.for_animation`.
    every : int
        See `ruckle.experiments.metrics.measure_paths`.
    version : str
        Version of ruckle that started the sweep. It must be installed here too, because a table contains one version.

    Returns
    -------
    dict
        The columns `METRICS` and `TIMES` of `ruckle.experiments.sweeps.table`.

    Raises
    ------
    ValueError
        A parameter is out of range, the mesh is unusable, or this machine has another version of ruckle.
    """
    if version != __version__:
        raise ValueError(f"ruckle {__version__} is installed on {platform.node()}, the sweep needs {version}")
    begin = perf_counter()
    wrinkler = Wrinkler.for_animation(animation, **parameters)
    frames = [wrinkler.step(positions, 1.0 / animation.fps) for positions in animation.positions]
    metrics = _labels(frames, wrinkler.topology, animation.fps, every, parameters)
    metrics["perimeter_ratio"] = _perimeter_ratio(frames[::every])
    times = {
        f"{stage}_{share}": ms for stage, found in stage_times(frames).items() for share, ms in found._asdict().items()
    }
    frames.clear()
    # if r_min is 0, there are no wrinkles, and measures in units of r_min are not defined
    if parameters.get("r_min") != 0:
        metrics |= asdict(measure_paths(animation, every=every, **parameters))
    return {
        **{name: metrics[name] for name in METRICS if name in metrics},
        **times,
        "seconds": perf_counter() - begin,
        "machine": platform.node(),
        "instructions": instruction_set(),
    }


def _labels(
    frames: Sequence[Frame], topology: Topology, fps: float, every: int, parameters: Mapping[str, Any]
) -> dict[str, float]:
    """Return measures of the labels of triangles: the columns `LABELING` of the table, as means over all frames.

    Label changes are per triangle and second. Only the energy gap uses `parameters`, and only every `every`-th frame.
    """
    labels = np.array([frame.labels for frame in frames])
    compressed, _, stretched = label_shares(labels)
    return {
        "compressed": compressed,
        "stretched": stretched,
        "label_changes": label_changes(labels) * fps,
        "label_boundaries": label_boundaries(labels, topology),
        "energy_gap": _energy_gap(frames, topology, fps, every, parameters),
    }


def _energy_gap(
    frames: Sequence[Frame], topology: Topology, fps: float, every: int, parameters: Mapping[str, Any]
) -> float:
    """Return the mean relative excess of the label energy over the optimum; NaN if the graph cut cannot find it."""
    costs_of = {name: parameters[name] for name in ("sigma", "alpha", "beta") if name in parameters}
    pairwise = parameters.get("pairwise", PAIRWISE)
    gaps = []
    for k in range(0, len(frames), every):
        previous = frames[k - 1].labels if k else None
        costs = label_costs(frames[k].motion, dt=1.0 / fps, **costs_of)
        link = {"previous": previous, "pairwise": pairwise}
        # frames do not contain the energy of their labels, so the same problem is solved again
        labeling = solve_labels(costs, topology, method=parameters.get("method", "exact"), **link)
        try:
            gaps.append(energy_gap(labeling, costs, topology, **link))
        except ValueError:
            return math.nan
    return float(np.mean(gaps))


def _perimeter_ratio(frames: Sequence[Frame]) -> float:
    """Return the median ratio over the vertices of all fully grown wrinkles; NaN if there are none."""
    grown = [wrinkle for frame in frames for wrinkle in frame.wrinkles if wrinkle.fade == 1.0 and not wrinkle.fading]
    return float(np.median(np.concatenate([perimeter_ratio(wrinkle) for wrinkle in grown]))) if grown else math.nan
