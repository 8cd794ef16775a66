"""Pictures of wrinkle paths and patterns next to the fine simulation, and the table of their errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import ruckle
from ruckle.experiments.figures.drawing import Drawing, canvas, panels
from ruckle.experiments.figures.truth.simulated_scenes import KEPT, WARM, scenes
from ruckle.experiments.metrics.truth import Fidelity, Truth, bare_surfaces, layer_surfaces
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation import TrainingPair, simulate_pair
from ruckle.offline.simulation.truth_scene import truth_of_pair
from ruckle.stack import Layer, step_frame
from ruckle.surface.frame import CoarseFrame, LayerFrame

__all__ = ["Compared", "compared", "draw_pictures", "draw_table"]

# Metres: least wrinkle radius (0.5 % of a person of 1.7 m), and the wavelength of the noise pattern.
R_MIN, WAVE = 0.0085, 0.0425

# Threshold of compression for paths. It is low, because simulated cloth is compressed only slightly in most poses.
TAU = 1.05

# Width and height of a rendered picture, pixels.
SIZE = (320, 360)


@dataclass(frozen=True, eq=False)
class Compared:
    """One garment: the simulated pair, one frame of each surface, and the errors of each surface, by name."""

    pair: TrainingPair
    frames: dict[str, LayerFrame]
    rows: dict[str, Fidelity]


def _layers(pair: TrainingPair) -> dict[str, Layer]:
    noise = ruckle.animation_patterns(pair.coarse, "noise", wavelength=WAVE)
    return {
        "paths": ruckle.Wrinkler.for_animation(pair.coarse, rest=pair.coarse_rest, r_min=R_MIN, tau=TAU),
        "patterns": ruckle.Modulator.for_animation(pair.coarse, noise, r_min=R_MIN, slack=0.0),
    }


@cache
def compared() -> list[Compared]:
    """Simulate the garments, run both wrinkle layers on the coarse cloth, and measure all surfaces; cached."""
    found = []
    for scene in scenes():
        # tight garments are accepted, because the bent sleeve is tight at the elbow, which causes its folds
        pair = simulate_pair(scene, check=lambda _: None)
        known = truth_of_pair(pair)
        truth = Truth(known, begin=0.5, every=4)
        # middle of all frames including the warm-up, where the sleeve is bent most
        shown = (KEPT - WARM) // 2
        topology = Topology(pair.coarse.faces, pair.coarse.vertex_count)
        frames: dict[str, LayerFrame] = {"coarse": CoarseFrame(pair.coarse.positions[shown], topology)}
        rows = {
            "truth, turned by 90°": truth.compare(truth.turned()),
            "coarse mesh, bare": truth.measure(bare_surfaces(known)),
        }
        for name, layer in _layers(pair).items():
            rows[name] = truth.measure(layer_surfaces(known, layer))
            layer.reset()
            frames[name] = [step_frame(layer, pair.coarse, index) for index in range(shown + 1)][-1]
        frames["truth"] = CoarseFrame(pair.fine.positions[shown], pair.fine.faces)
        found.append(Compared(pair, frames, rows))
    return found


def draw_pictures() -> Drawing:
    """Draw one frame of every garment: coarse cloth, cloth with paths, cloth with patterns, and the fine simulation."""
    from ruckle.scene.camera import Camera
    from ruckle.scene.renderer import Renderer

    garments = compared()
    names = list(garments[0].frames)
    figure = canvas(9.6, 2.8 * len(garments))
    grid = panels(figure, len(garments), len(names))
    with Renderer(*SIZE) as renderer:
        for row, garment in enumerate(garments):
            camera = Camera.framing(garment.frames["truth"].positions, aspect=SIZE[0] / SIZE[1])
            for column, name in enumerate(names):
                grid[row, column].imshow(renderer.render(garment.frames[name], camera=camera))
                grid[row, column].set_axis_off()
                grid[row, column].set_title(name if row == 0 else "")
    angles = ", ".join(
        f"{g.pair.name} {g.rows['paths'].angle:.0f}°" for g in garments if not np.isnan(g.rows["paths"].angle)
    )
    return Drawing(
        figure,
        seen=f"Angles between paths and folds of the simulated fine cloth: {angles or 'none could be measured'}; "
        "chance is 45°. Loose cloth has wide folds that its coarse triangles do not show, and layers find few of "
        "them.",
        parameters=f"{_sizes(garments)}; cotton, 60 shared harmonics, r_min {1000 * R_MIN:g} mm, tau {TAU}.",
    )


def draw_table() -> Drawing:
    """Draw the table of agreement with the fine simulation, for all surfaces of all garments."""
    garments = compared()
    rows = [
        [g.pair.name, name, *(_text(value) for value in _values(fidelity))]
        for g in garments
        for name, fidelity in g.rows.items()
    ]
    figure = canvas(9.6, 0.5 + 0.28 * len(rows))
    axes = panels(figure, 1, 1)[0, 0]
    axes.set_axis_off()
    heads = ["garment", "surface", "recall", "precision", "slope", "space", "time", "angle °", "along"]
    table = axes.table(rows, colLabels=heads, loc="center", edges="horizontal", cellLoc="right")
    table.auto_set_column_width(list(range(len(heads))))
    table.set_fontsize(8)
    control = min(g.rows["truth, turned by 90°"].angle for g in garments)
    bare = max(g.rows["coarse mesh, bare"].recall for g in garments)
    return Drawing(
        figure,
        seen=f"The control, the fine cloth with turned folds, is {control:.0f}° off. The coarse mesh without a layer "
        f"has up to {bare:.2f} of the folds.",
        parameters=f"{_sizes(garments)}; from half a second on, every fourth frame.",
    )


def _values(fidelity: Fidelity) -> tuple[float, ...]:
    f = fidelity
    return f.recall, f.precision, f.slope, f.space, f.time, f.angle, f.along


def _text(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.0f}" if value > 10 else f"{value:.2f}"


def _sizes(garments: list[Compared]) -> str:
    return ", ".join(f"{g.pair.name} {len(g.pair.coarse_rest)} and {len(g.pair.fine_rest)} vertices" for g in garments)
