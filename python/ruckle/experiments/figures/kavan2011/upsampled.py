"""Figures 1, 10, 11 and the table: four garments, coarse, subdivided, upsampled, and simulated on the fine mesh."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ruckle import _core
from ruckle.experiments.figures.drawing import Drawing, canvas, panels
from ruckle.experiments.figures.kavan2011.pictures import draw_rows
from ruckle.experiments.figures.kavan2011.table_1 import TABLE_1
from ruckle.experiments.figures.kavan2011.wardrobe import GARMENTS, Wardrobe, applied, wardrobe
from ruckle.offline.simulation.pair import TrainingPair
from ruckle.offline.upsampling.harmonics import Harmonics
from ruckle.offline.upsampling.learn import HarmonicPenalties
from ruckle.offline.upsampling.locality import Locality
from ruckle.simulation.sheet import grid_faces

__all__ = ["draw_garment", "draw_retrained", "draw_table"]

# Number of repeated steps; the table shows the minimum time.
REPEATS = 30


def liveliest(pair: TrainingPair, worn: Wardrobe) -> int:
    """Return the frame in which the fine cloth differs most from the interpolated coarse cloth."""
    off = pair.fine.positions - worn.garment.linear(pair.coarse.positions)
    return int((off**2).sum(axis=(1, 2)).argmax())


def draw_garment(name: str) -> Drawing:
    """Draw one garment in the training motion and in an unseen motion (figures 1 and 11)."""
    worn = wardrobe(name)
    ours, theirs = worn.operator(Locality()), worn.operator(HarmonicPenalties(), prior="none")
    rows, ratios = {}, []
    for kind, pair in worn.pairs.items():
        frame = liveliest(pair, worn)
        coarse = pair.coarse.positions[frame : frame + 1]
        shapes = {
            "subdivided (Loop)": applied(worn.loop, coarse)[0],
            "the paper's": applied(theirs, coarse)[0],
            "upsampled": applied(ours, coarse)[0],
            "simulated": pair.fine.positions[frame],
        }
        fine = [(title, (positions, pair.fine.faces)) for title, positions in shapes.items()]
        rows[kind] = [("coarse", (coarse[0], pair.coarse.faces)), *fine]
        ratios.append([worn.ratio(operator, pair) for operator in (theirs, ours)])
    known, unseen = ratios
    return Drawing(
        draw_rows(name, rows),
        seen=f"Trained only on the upper motion. Errors relative to linear interpolation: in the upper motion "
        f"{known[0]:.2f} with the paper's prior of zero and {known[1]:.2f} with our prior; in the lower, unseen motion "
        f"{unseen[0]:.2f} and {unseen[1]:.2f}.",
        parameters=_described(name, worn),
    )


def draw_dance(worn: Wardrobe, operators: Mapping[str, NDArray[np.float64]]) -> tuple[Figure, list[float]]:
    """Draw a frame of the skirt's unseen dance with each operator; also return the operators' errors.

    The errors are relative to the error of linear interpolation.
    """
    pair = worn.unseen
    frame = liveliest(pair, worn)
    coarse = pair.coarse.positions[frame : frame + 1]
    row = [(title, (applied(operator, coarse)[0], pair.fine.faces)) for title, operator in operators.items()]
    figure = draw_rows("skirt", {"": [*row, ("simulated", (pair.fine.positions[frame], pair.fine.faces))]})
    return figure, [worn.ratio(operator, pair) for operator in operators.values()]


def draw_retrained() -> Drawing:
    """Draw a dance of the skirt with operators learned from walking, and with one learned from both (figure 10)."""
    worn, profile = wardrobe("skirt"), HarmonicPenalties()
    operators = {
        "learnt from walking": worn.operator(profile, prior="none"),
        "from walking, our prior": worn.operator(Locality()),
        "from both": worn.operator(profile, *worn.pairs, prior="none"),
    }
    figure, ratios = draw_dance(worn, operators)
    return Drawing(
        figure,
        seen=f"Errors on the dance relative to interpolation. Trained on walking: {ratios[0]:.2f} with the paper's "
        f"prior, {ratios[1]:.2f} with our prior. Trained on walking and dance: {ratios[2]:.2f} with the paper's prior.",
        parameters=_described("skirt", worn),
    )


def draw_table() -> Drawing:
    """Draw table 1: sizes and times of the paper's four garments, next to those of our garments."""
    heads = ["", "M", "N", "MB", "upsample ms", "coarse ms", "harmonics s", "learn s"]
    rows = []
    for name, paper in TABLE_1.items():
        rows.append(
            [f"{name}, paper", f"{paper.coarse}", f"{paper.fine:,}", f"{paper.megabytes:.1f}", f"{paper.upsample:.1f}",
             f"{paper.simulate:.1f}", f"{paper.harmonics:.0f}", f"{paper.learn:.1f}"]
        )  # fmt: skip
        rows.append([f"{name}, ours", *_measured(name, paper.coarse, paper.fine)])
    figure = canvas(8.0, 0.5 + 0.33 * len(rows))
    axes = panels(figure, 1, 1)[0, 0]
    axes.set_axis_off()
    table = axes.table(rows, colLabels=heads, loc="center", edges="horizontal")
    table.auto_set_column_width(list(range(len(heads))))
    table.set_fontsize(8)
    return Drawing(
        figure,
        seen="In single precision, the operator is as large as the paper's; it is stored in half precision. One thread "
        "of this machine multiplies by it in a fraction of the paper's time. Training solves one small system for "
        "each coarse vertex.",
        parameters="Memory and upsampling with operators of the paper's sizes, the least of "
        f"{REPEATS} steps in single precision; the rest of the figures' smaller garments: "
        + "; ".join(_described(name, wardrobe(name)) for name in GARMENTS),
    )


def _measured(name: str, coarse: int, fine: int) -> list[str]:
    """Return the table row of one of our garments, without its name.

    Memory and upsampling time are those of a constant operator with the paper's numbers of vertices, (fine, coarse).
    All other times are those of our smaller garment.
    """
    rows = np.full((fine, coarse), 1.0 / coarse, np.float32)
    none = np.zeros((0, fine), np.float32)
    options = {"precision": "single", "threads": 1}
    faces = grid_faces(2, fine // 2)
    upsampler = _core.Upsampler(rows, faces, np.zeros(fine, np.float32), none, np.zeros(0, np.float32), options)
    points = np.random.default_rng(0).normal(size=(coarse, 3)).astype(np.float32)
    least = min(upsampler.step(points, 1e-3, 1.0, None)[1]["total"] for _ in range(REPEATS))
    worn = wardrobe(name)
    trainer, garment = worn.trainers["smooth"], worn.garment
    start = perf_counter()
    Harmonics.of(garment.fine_rest, garment.fine_faces, trainer.harmonics.count)
    harmonics = perf_counter() - start
    statistics = trainer.statistics(worn.known.coarse.positions, worn.known.fine.positions)
    start = perf_counter()
    trainer.operator(Locality(), statistics)
    learn = perf_counter() - start
    simulated = worn.known.report.coarse_ms
    return [
        f"{coarse}", f"{fine:,}", f"{upsampler.operator_bytes / 1e6:.2f}", f"{least:.2f}", f"{simulated:.2f}",
        f"{harmonics:.1f}", f"{learn:.2f}",
    ]  # fmt: skip


def _described(name: str, worn: Wardrobe) -> str:
    garment = worn.garment
    return (
        f"{name}: {garment.coarse_count} to {garment.fine_count} vertices, {worn.known.coarse.frame_count} frames of "
        f"each motion"
    )
