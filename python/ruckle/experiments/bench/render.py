"""`ruckle bench render`: drawing times of the samples, next to Table 8.1 of Peters's thesis.

*Reference* is the time of stretch, labels and reference triangles. *Tracing* is the time of paths and their shape, from
the update of old paths to the tracing of new ones. *Modeling* is the time of the lists of wrinkles near each triangle,
of their upload, and of the picture. The core measures the first two times. They are means over the whole animation as
in the thesis. Modeling is a mean over a few evenly spaced frames, each drawn several times; the minimum counts, and it
includes the wait for the driver. The garment fills the picture. The table also shows the modeling time of the smooth
surface without wrinkles, and of the flat coarse mesh.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import ruckle
from ruckle.experiments.bench.report import (
    csv_option,
    json_option,
    machine,
    new_table,
    open_scene,
    print_table,
    write_csv,
)
from ruckle.experiments.figures.peters2015.table_8_1 import TABLE_8_1
from ruckle.mesh.animation import Animation
from ruckle.paths.parameters import DEFAULTS
from ruckle.scene.camera import Camera
from ruckle.surface.frame import LayerFrame

if TYPE_CHECKING:
    from ruckle.scene.renderer import Renderer

__all__ = ["bench_render"]


# Picture size in pixels at which drawing on a CPU must be fast enough for interaction.
SMALL = (640, 360)

# Columns of a row: heading, key, number format.
COLUMNS = (
    ("scene", "scene", "{}"),
    ("tri.", "triangles", "{}"),
    ("wrinkles", "wrinkles", "{:.1f}"),
    ("reference", "reference", "{:.3f}"),
    ("tracing", "tracing", "{:.3f}"),
    ("lists", "lists", "{:.2f}"),
    ("upload", "upload", "{:.2f}"),
    ("draw", "draw", "{:.2f}"),
    ("modeling", "modeling", "{:.2f}"),
    ("total", "total", "{:.2f}"),
    ("no wrinkles", "smooth", "{:.2f}"),
    ("coarse", "coarse", "{:.2f}"),
    ("frames/s", "rate", "{:.0f}"),
    ("frames/s small", "small_rate", "{:.0f}"),
)


@click.command("render")
@click.argument("scenes", nargs=-1)
@click.option(
    "--size", type=(int, int), default=(1920, 1080), show_default=True, help="Width and height of the picture, pixels."
)
@click.option("--samples", default=4, show_default=True, help="Number of samples per pixel.")
@click.option(
    "--frames", "frame_count", default=8, show_default=True, help="Number of frames to draw of each animation."
)
@click.option(
    "--repeats", default=3, show_default=True, help="Number of times that each frame is drawn; the least time is used."
)
@csv_option
@json_option
def bench_render(
    scenes: Sequence[str],
    size: tuple[int, int],
    samples: int,
    frame_count: int,
    repeats: int,
    csv_path: Path | None,
    as_json: bool,
) -> None:
    """Draw SCENES (samples or files; by default all samples) and print times as in Table 8.1 of the thesis."""
    # created here, so that the other benchmarks also run without OpenGL
    renderer, small = ruckle.Renderer(*size, samples=samples), ruckle.Renderer(*SMALL, samples=samples)
    rows = [scene_row(open_scene(scene), renderer, small, frame_count, repeats) for scene in scenes or ruckle.samples()]
    where = {**machine(), "driver": renderer.driver, "size": f"{size[0]}x{size[1]}", "samples": str(samples)}
    if csv_path:
        write_csv(csv_path, [row | where for row in rows])
    if as_json:
        click.echo(json.dumps({**where, "rows": rows}))
    else:
        _print_table(where, rows)


def scene_row(
    animation: Animation, renderer: Renderer, small: Renderer, frame_count: int, repeats: int
) -> dict[str, Any]:
    """Return the row of one animation: times in milliseconds, counts and frame rates.

    All frames are computed, `frame_count` of them are drawn. `small` draws tiny pictures, to measure other costs.
    """
    thesis = TABLE_8_1.get(animation.name)
    tau, r_min = (thesis.tau, thesis.r_min) if thesis else (DEFAULTS["tau"], DEFAULTS["r_min"])
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=tau, r_min=r_min)
    chosen = set(np.linspace(0, animation.frame_count - 1, frame_count + 1).astype(int)[1:].tolist())
    stages, wrinkles, drawn = [], [], []
    for k, positions in enumerate(animation.positions):
        frame = wrinkler.step(positions, 1 / animation.fps)
        timings = frame.timings
        reference = timings["stretch"] + timings["label"] + timings["reference"]
        stages.append((reference, timings["persist"] + timings["trace"] + timings["shape"]))
        wrinkles.append(frame.stats["wrinkles"])
        if k in chosen:
            camera = Camera.framing(positions, aspect=renderer.size[0] / renderer.size[1])
            require_equal_pictures(renderer, frame, camera)
            drawn.append(
                modeling_times(renderer, frame, camera, repeats=repeats)
                | {"small": sum(modeling_times(small, frame, camera, repeats=repeats, wrinkles_only=True).values())}
            )
    reference, tracing = np.mean(stages, axis=0).tolist()
    mean = {key: float(np.mean([times[key] for times in drawn])) for key in drawn[0]}
    modeling = mean["lists"] + mean["upload"] + mean["draw"]
    total = reference + tracing + modeling
    return {
        "scene": animation.name,
        "triangles": animation.face_count,
        "wrinkles": float(np.mean(wrinkles)),
        "reference": reference,
        "tracing": tracing,
        **{key: mean[key] for key in ("lists", "upload", "draw")},
        "modeling": modeling,
        "total": total,
        "smooth": mean["smooth"],
        "coarse": mean["coarse"],
        "rate": 1e3 / total,
        "small_rate": 1e3 / (reference + tracing + mean["small"]),
    }


def modeling_times(
    renderer: Renderer, frame: LayerFrame, camera: Camera, *, repeats: int, wrinkles_only: bool = False
) -> dict[str, float]:
    """Return the shortest milliseconds of the lists, the upload and the drawing of one frame.

    The keys "smooth" and "coarse", omitted if `wrinkles_only` is true, are the sums of these times for the smooth
    surface without wrinkles and for the flat coarse mesh.
    """

    def prepared(given: LayerFrame) -> dict[str, float]:
        renderer.update(given, camera=camera)
        return {"lists": renderer.timings["lists"], "upload": renderer.timings["upload"]}

    def draw() -> float:
        start = perf_counter()
        renderer.draw_picture(camera=camera)
        renderer.finish()
        return 1e3 * (perf_counter() - start)

    def least(measure: Callable[[], dict[str, float]]) -> dict[str, float]:
        runs = [measure() for _ in range(repeats)]
        return {key: min(run[key] for run in runs) for key in runs[0]}

    times = least(lambda: prepared(frame) | {"draw": draw()})
    if wrinkles_only:
        return times
    smooth = least(lambda: prepared(frame.coarse) | {"draw": draw()})
    renderer.base = "flat"
    coarse = least(lambda: prepared(frame.coarse) | {"draw": draw()})
    renderer.base = "curved"
    return times | {"smooth": sum(smooth.values()), "coarse": sum(coarse.values())}


def require_equal_pictures(renderer: Renderer, frame: LayerFrame, camera: Camera) -> None:
    """Raise an error if the same frame is drawn differently a second time, or if wrinkles are not visible."""
    first, second = (renderer.render(frame, camera=camera) for _ in range(2))
    if not np.array_equal(first, second):
        raise click.ClickException(f"wrong result: {renderer.driver} draws the same frame differently a second time")
    smooth = renderer.render(frame.coarse, camera=camera)
    if frame.stats["wrinkles"] and np.array_equal(first, smooth):
        raise click.ClickException(f"wrong result: {renderer.driver} does not show the wrinkles")


def _print_table(where: dict[str, str], rows: Sequence[dict[str, Any]]) -> None:
    table = new_table("milliseconds per frame", [heading for heading, *_ in COLUMNS], where)
    for row in rows:
        table.add_row(*(form.format(row[key]) for _, key, form in COLUMNS))
        thesis = TABLE_8_1.get(row["scene"])
        if thesis:
            known = (form.format(getattr(thesis, key)) if hasattr(thesis, key) else "" for _, key, form in COLUMNS[1:])
            table.add_row("  thesis", *known, style="dim")
    print_table(table)
