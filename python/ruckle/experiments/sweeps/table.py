r"""The table of a sweep, with one row per run: its columns and its files.

=============================== ======= ==============================================================================
column                          type    meaning
=============================== ======= ==============================================================================
run                             text    identity: equal if animation, parameters, version and `every` (the interval
                                        between measured frames, see `sweep`) are equal
animation                       text    name of the animation; path if names are equal or the file is unreadable
content                         text    hash of the animation's positions, faces, frame rate and height
version                         text    version of ruckle that did the run
frames, triangles               int     numbers of frames and triangles of the animation
fps                             float   frames per second
height                          float   height of the character, mesh units
*every parameter of Wrinkler*           value of the parameter with this name; r_min in mesh units, pairwise as JSON,
                                        grow_tau is missing if it has its default
r_min_percent                   float   r_min in percent of the height
state                           text    `done` or `failed`
problem                         text    reason of the failure in one sentence; missing if the run succeeded
*every metric of paths*         float   field of `ruckle.metrics.PathMetrics` with this name; missing if undefined, for
                                        example without wrinkles
perimeter_ratio                 float   median of `ruckle.metrics.perimeter_ratio` over the vertices of fully grown
                                        wrinkles; missing if there are none
compressed, stretched           float   fraction of triangles with this label, over all frames
label_changes                   float   number of label changes per triangle and second
label_boundaries                float   `ruckle.metrics.label_boundaries`
energy_gap                      float   mean of `ruckle.metrics.energy_gap`; missing if the optimum is unknown
*stage*\ _p50, *stage*\ _p95      float   ms per frame of stretch, label, reference, persist, trace, shape, total
seconds                         float   time of the run and of its measurements
machine, instructions           text    machine of the run, and instruction set of the kernels
=============================== ======= ==============================================================================

A missing value is None in a row, null in Parquet and empty in CSV. In failed rows, all values after `problem` are
missing. If the animation is unreadable, its content, frames, triangles, fps and height, and lengths given in percent
are also missing.

Rows have the order of the sweep: animations, then parameters in the given order; the last parameter changes fastest.
Every repetition of the sweep, on any machine, has the same values in all columns before the times of the stages.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ruckle._core import __version__
from ruckle.experiments.metrics import PathMetrics
from ruckle.experiments.sweeps.axes import rounded
from ruckle.experiments.sweeps.planned import PlannedRun
from ruckle.io.replacing import replacing
from ruckle.paths.frame import Timings
from ruckle.paths.parameters import LENGTHS, PARAMETERS

__all__ = [
    "COLUMNS",
    "IDENTITY",
    "METRICS",
    "STATES",
    "TIMES",
    "Row",
    "require_extra",
    "row_of",
    "unreadable_row",
    "write_csv",
    "write_parquet",
]

Row = dict[str, Any]
"""One run: a value or None for every column."""

# excluded, because the table contains the times of a run without the measurements of `measure_paths`
MEASURED_TIMES = ("step_p50", "step_p95", "paths_p50")

TYPES: dict[str, type] = {"integer": int, "flag": bool, "choice": str, "matrix": str}

IDENTITY: dict[str, type] = {
    "run": str,
    "animation": str,
    "content": str,
    "version": str,
    "frames": int,
    "triangles": int,
    "fps": float,
    "height": float,
}
CHOICE = {name: TYPES.get(parameter.kind, float) for name, parameter in PARAMETERS.items()}
SHARES: dict[str, type] = {f"{name}_percent": float for name in LENGTHS}
OUTCOME: dict[str, type] = {"state": str, "problem": str}
STATES = ("done", "failed")
LABELING = ("compressed", "stretched", "label_changes", "label_boundaries", "energy_gap")
METRICS: dict[str, type] = {
    **{field.name: float for field in fields(PathMetrics) if field.name not in MEASURED_TIMES},
    **dict.fromkeys(("perimeter_ratio", *LABELING), float),
}
TIMES: dict[str, type] = {
    **{f"{stage}_{share}": float for stage in Timings.__annotations__ for share in ("p50", "p95")},
    "seconds": float,
    "machine": str,
    "instructions": str,
}
"""Columns that may differ if a sweep is repeated."""

COLUMNS: dict[str, type] = {**IDENTITY, **CHOICE, **SHARES, **OUTCOME, **METRICS, **TIMES}
"""All columns in order, with their types."""


def row_of(run: PlannedRun, found: Mapping[str, Any], *, problem: str | None = None) -> Row:
    """Return the row of a run.

    Parameters
    ----------
    run : PlannedRun
    found : mapping
        Metrics and times. Absent entries and NaN become None.
    problem : str, optional
        Reason of the failure, if the run failed.
    """
    animation, parameters = run.animation, run.parameters
    known = {
        "run": run.identity,
        "animation": animation.name,
        "content": run.content,
        "version": __version__,
        "frames": animation.frame_count,
        "triangles": animation.face_count,
        "fps": animation.fps,
        "height": animation.height,
        **parameters,
        "pairwise": json.dumps(parameters["pairwise"]),
        **{
            f"{name}_percent": rounded(100.0 * value / animation.height)
            for name in LENGTHS
            if isinstance(value := parameters[name], float)
        },
        "state": STATES[problem is not None],
        "problem": problem,
        **found,
    }
    return {name: _plain(known.get(name)) for name in COLUMNS}


def unreadable_row(identity: str, source: str, parameters: Mapping[str, Any], problem: str) -> Row:
    """Return the row of a run whose animation cannot be read; parameters are recorded as given.

    Parameters
    ----------
    identity : str
        Identity of the run.
    source : str
        Path or sample name of the animation.
    parameters : mapping
        Parameters as given; percentages are not converted, because the height is unknown.
    problem : str
        Reason of the failure.
    """
    lengths = {name: str(parameters[name]) for name in LENGTHS}
    shares = {f"{name}_percent": float(text[:-1]) for name, text in lengths.items() if text.endswith("%")}
    units = {name: None for name, text in lengths.items() if text.endswith("%")}
    outcome = {"run": identity, "animation": source, "version": __version__, "state": STATES[1], "problem": problem}
    pairwise = json.dumps(np.asarray(parameters["pairwise"]).tolist())
    known = {**parameters, **units, **shares, **outcome, "pairwise": pairwise}
    return {name: _plain(known.get(name)) for name in COLUMNS}


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write the table as CSV with a header line; the file appears only when it is complete."""
    with replacing(path) as file:
        text = StringIO(newline="")
        writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        file.write(text.getvalue().encode())


def write_parquet(path: Path, rows: Sequence[Row]) -> None:
    """Write the table as Parquet with typed columns; the file appears only when it is complete."""
    require_extra("pyarrow")
    import pyarrow as arrow
    from pyarrow import parquet

    types = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    with replacing(path) as file:
        parquet.write_table(arrow.Table.from_pylist(list(rows), schema=schema), file)


def require_extra(module: str) -> None:
    """Raise ModuleNotFoundError if an optional module is missing; the message names the package to install."""
    needs = {
        "pyarrow": 'Parquet files need pyarrow, which is not installed: pip install "ruckle[sweep]"',
        "distributed": 'a Dask cluster needs distributed, which is not installed: pip install "ruckle[dask]"',
    }
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(needs[module], name=module) from error


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent: a number that is not finite becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
