"""Quality and speed of wrinkle paths over the shared garments, as a table: python tests/benchmarks/bench_paths.py."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from ruckle.animation import Animation
from ruckle.metrics import PathMetrics, measure_paths
from shared_data import MISSING, sequence_files


def load(path: Path) -> Animation:
    """Return a shared sequence with its character's height."""
    meta = json.loads(path.with_suffix(".json").read_text())
    with np.load(path) as data:
        return Animation(
            data["positions"],
            data["faces"],
            fps=float(data["fps"]),
            name=path.stem,
            height=meta["character_height_m"],
        )


def at_30_fps(animation: Animation) -> Animation:
    """Return every so many-th frame, 30 per second."""
    step = round(animation.fps / 30.0)
    return Animation(
        animation.positions[::step],
        animation.faces,
        fps=animation.fps / step,
        name=animation.name,
        height=animation.height,
    )


def main() -> None:
    """Print one table per threshold, medians last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tau", type=float, nargs="+", default=[1.4, 1.25])
    parser.add_argument("--r-min", default="0.5%")
    parser.add_argument("--independent", action="store_true", help="trace anew in every frame")
    parser.add_argument(
        "--native", action="store_true", help="the sequences' own frame rate instead of 30 fps"
    )
    parser.add_argument("--only", nargs="+", help="names of sequences")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    files = [path for path in sequence_files() if not options.only or path.stem in options.only]
    if not files:
        sys.exit(MISSING)
    names = [field.name for field in fields(PathMetrics)]
    rows: list[list[object]] = []
    for tau in options.tau:
        print(f"tau {tau}, r_min {options.r_min}{', independent' if options.independent else ''}")
        print(f"{'':18s}" + "".join(f"{name[:11]:>12s}" for name in names))
        values = []
        for path in files:
            animation = load(path) if options.native else at_30_fps(load(path))
            metrics = measure_paths(animation, r_min=options.r_min, tau=tau, coherent=not options.independent)
            values.append(astuple(metrics))
            rows.append([tau, path.stem, *values[-1]])
            print(f"{path.stem:18s}" + "".join(f"{value:12.3g}" for value in values[-1]), flush=True)
        print(f"{'median':18s}" + "".join(f"{value:12.3g}" for value in np.nanmedian(values, axis=0)))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([["tau", "sequence", *names], *rows])


if __name__ == "__main__":
    main()
