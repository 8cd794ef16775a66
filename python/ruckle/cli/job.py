"""One run over an animation: arrays in a file, a picture of the most active frames, and a summary."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group

from ruckle.arrays import Float32
from ruckle.cli.console import Voice, section
from ruckle.cli.layers import Additions, cloth_layer
from ruckle.cli.notes import Findings, looped_noting, note_emptiness
from ruckle.experiments.plot import activity, choose_frames
from ruckle.io.lines import line_writer
from ruckle.io.results import RunWriter
from ruckle.loop import Loop
from ruckle.mesh.animation import Animation
from ruckle.paths.frame import Frame
from ruckle.patterns.modulator import Modulation
from ruckle.stack import step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import FineShape, shapes_of
from ruckle.waves.wave_field import WaveFrame

__all__ = ["Job", "Summary"]

STAGES = ("stretch", "label", "reference", "persist", "trace", "shape", "total")
LABELS = ("compression", "rest", "stretch")

# Number of frames in the picture of a run, which shows them side by side in 1600 pixels.
PICTURES = 6

# Parameters that do not affect the result. The output file does not contain these parameters.
WITHOUT_EFFECT = ("threads",)


@dataclass
class Summary:
    """Counts and measurements over all frames of a run. It stores only a few numbers per frame.

    `degenerate`, `longest`, `highest` and `largest_compression` are the largest numbers of a frame. `largest_at` is the
    frame and the triangle of the largest compression.
    """

    triangles: int
    microseconds: list[tuple[float, ...]] = field(default_factory=list)
    label_counts: list[tuple[int, ...]] = field(default_factory=list)
    label_changes: int = 0
    degenerate: int = 0
    wrinkle_counts: list[int] = field(default_factory=list)
    born: int = 0
    died: int = 0
    longest: float = 0.0
    highest: float = 0.0
    mean_compression: list[float] = field(default_factory=list)
    largest_compression: float = 0.0
    largest_at: tuple[int, int] = (0, 0)

    def add(self, frame: Frame) -> None:
        """Add the counts, times and extremes of a frame to the summary."""
        stats, timings, compression = frame.stats, frame.timings, frame.compression
        self.microseconds.append(tuple(1000 * timings[stage] for stage in STAGES))  # type: ignore[literal-required]
        self.label_counts.append((stats["compression_labels"], stats["rest_labels"], stats["stretch_labels"]))
        self.label_changes += stats["label_changes"]
        self.degenerate = max(self.degenerate, stats["degenerate"])
        self.wrinkle_counts.append(stats["wrinkles"])
        self.born += stats["born"]
        self.died += stats["died"]
        self.longest = max([self.longest, *(wrinkle.length for wrinkle in frame.wrinkles)])
        self.highest = max([self.highest, *(wrinkle.crest for wrinkle in frame.wrinkles)])
        self.mean_compression.append(float(compression.mean()))
        triangle = int(compression.argmax())
        if compression[triangle] > self.largest_compression:
            self.largest_compression = float(compression[triangle])
            self.largest_at = (frame.index, triangle)

    def lively_frames(self) -> list[int]:
        """Return the indices of at most `PICTURES` frames with many compression and stretch labels, for the picture."""
        counts = np.array(self.label_counts)
        moving = (counts[:, 0] + counts[:, 2]) / self.triangles
        return choose_frames(activity(moving, np.array(self.mean_compression) - 1.0), PICTURES)

    def stages(self) -> dict[str, dict[str, float]]:
        """Return the times of each stage: "p50", "p95", "max" in µs per frame, and "share" of the total time."""
        times = np.array(self.microseconds)
        whole = times[:, -1].sum()
        p50, p95 = np.percentile(times, (50, 95), axis=0)
        return {
            stage: {
                "p50": float(p50[k]),
                "p95": float(p95[k]),
                "max": float(times[:, k].max()),
                "share": float(times[:, k].sum() / whole) if whole > 0 else 0.0,
            }
            for k, stage in enumerate(STAGES)
        }

    def labels(self) -> dict[str, int]:
        """Return the number of times that each label occurs, over all triangles and frames."""
        return dict(zip(LABELS, (int(count) for count in np.sum(self.label_counts, axis=0)), strict=True))

    def wrinkles(self) -> dict[str, float]:
        """Return mean and maximum number of wrinkles per frame, births, deaths, and largest length and height."""
        return {
            "mean": float(np.mean(self.wrinkle_counts)),
            "most": max(self.wrinkle_counts),
            "born": self.born,
            "died": self.died,
            "longest": self.longest,
            "highest": self.highest,
        }


def wrinkled(frame: LayerFrame) -> tuple[Frame, FineShape | None, Float32 | None, Float32 | None]:
    """Return the parts of a frame of `cloth_layer`: wrinkles, fine mesh, pattern factors, and wave vertices.

    Frames of a loop can contain two parts of one kind, of which one fades out. Their wrinkles are joined and their
    factors are added. Of two wave parts, only the higher one is returned, because one array cannot represent both.
    """
    shapes = shapes_of(frame)
    factors = [part.factors for part in frame.parts if isinstance(part, Modulation)]
    wrinkles = reduce(Frame.joined, (part for part in frame.parts if isinstance(part, Frame)))
    waves = [part for part in frame.parts if isinstance(part, WaveFrame)]
    return (
        wrinkles,
        shapes[0].shape if shapes else None,
        sum(factors[1:], factors[0]) if factors else None,
        max(waves, key=lambda part: part.highest).vertices if waves else None,
    )


@dataclass(frozen=True)
class Job:
    """An animation and its layers to run, with the output files.

    Attributes
    ----------
    animation : Animation
    parameters : mapping
        Parameters of `Wrinkler`.
    arrays : path of the `.npz` file
    picture : path of a picture, or None
    lines : path of a folder or a USD file for the wrinkles as curves, or None
    first_frame : int
        Frame number in the source of frame 0 of `animation`.
    additions : Additions
        Options of further layers: a fine mesh in place of the coarse mesh, patterns, waves.
    loop : {"auto", "yes", "no"}
        See `ruckle.loop.looped`.
    everything : bool
        True also writes reference triangles and compression axes.
    """

    animation: Animation
    parameters: Mapping[str, Any]
    arrays: Path
    picture: Path | None = None
    lines: Path | None = None
    first_frame: int = 0
    additions: Additions = field(default_factory=Additions)
    loop: Loop = "no"
    everything: bool = False

    def perform(self, voice: Voice) -> dict[str, Any]:
        """Run the layers, write the files and print the summary; return the report as plain values.

        Raises
        ------
        ModuleNotFoundError
            A picture is requested without matplotlib, or USD without usd-core; then nothing has been run.
        """
        if self.picture is not None:
            # checked before the run, so that a missing package is reported at once
            from ruckle.experiments.plot import check_picture, draw_strip, save_picture

            check_picture(self.picture)
        animation, summary, shown = self.animation, Summary(self.animation.face_count), list[int]()
        findings = Findings()
        layer = looped_noting(cloth_layer(animation, self.parameters, self.additions), animation, self.loop, voice)
        decisive = {name: value for name, value in self.parameters.items() if name not in WITHOUT_EFFECT}
        with ExitStack() as stack:
            writer = stack.enter_context(
                RunWriter(self.arrays, animation, decisive, first_frame=self.first_frame, everything=self.everything)
            )
            curves = None
            if self.lines is not None:
                curves = stack.enter_context(
                    line_writer(self.lines, animation, first_frame=self.first_frame, parameters=decisive)
                )
            with voice.progress(f"running {animation.name}", animation.frame_count) as advance:
                for index in range(animation.frame_count):
                    frame, shape, factors, waves = wrinkled(step_frame(layer, animation, index))
                    writer.append(frame, shape, factors, waves)
                    if curves is not None:
                        curves.append(frame)
                    summary.add(frame)
                    findings.add(frame)
                    advance(1)
            if self.picture is not None:
                shown = summary.lively_frames()
                figure = draw_strip(animation, writer.frames(shown), first_frame=self.first_frame)
                save_picture(figure, self.picture)
            with voice.progress(f"writing {self.arrays.name}", 1.0) as advance:
                writer.finish(advance)
            if curves is not None:
                curves.finish()
        voice.say(self._stage_section(summary), self._found_section(summary))
        voice.say(f"arrays   {self.arrays}")
        if self.picture is not None:
            voice.say(f"picture  {self.picture}")
        if self.lines is not None:
            voice.say(f"lines    {self.lines}")
        note_emptiness(voice, animation, findings, self.parameters)
        return self._value(summary, shown)

    def _value(self, summary: Summary, shown: list[int]) -> dict[str, Any]:
        animation = self.animation
        frame, triangle = summary.largest_at
        return {
            "animation": {
                "name": animation.name,
                "frames": animation.frame_count,
                "first_frame": self.first_frame,
                "fps": animation.fps,
                "vertices": animation.vertex_count,
                "triangles": animation.face_count,
                "height": animation.height,
            },
            "parameters": dict(self.parameters),
            "microseconds": summary.stages(),
            "labels": summary.labels(),
            "label_changes_per_triangle": summary.label_changes / summary.triangles,
            "largest_compression": {
                "value": summary.largest_compression,
                "frame": self.first_frame + frame,
                "triangle": triangle,
            },
            "degenerate_triangles": summary.degenerate,
            "wrinkles": summary.wrinkles(),
            "arrays": str(self.arrays),
            "picture": None if self.picture is None else str(self.picture),
            "lines": None if self.lines is None else str(self.lines),
            "picture_frames": [self.first_frame + frame for frame in shown],
        }

    def _stage_section(self, summary: Summary) -> Group:
        animation = self.animation
        title = f"{animation.name}: {animation.face_count:,} triangles, {animation.frame_count:,} frames"
        columns = ("<stage", ">p50 µs", ">p95 µs", ">max µs", ">share")
        rows = (
            (stage, f"{times['p50']:.1f}", f"{times['p95']:.1f}", f"{times['max']:.1f}", f"{times['share']:.0%}")
            for stage, times in summary.stages().items()
        )
        return section(title, columns, rows)

    def _found_section(self, summary: Summary) -> Group:
        everything = summary.triangles * len(summary.label_counts)
        frame, triangle = summary.largest_at
        wrinkles = summary.wrinkles()
        labels = (
            (f"{label} labels", f"{count:,}", f"{count / everything:.2%}") for label, count in summary.labels().items()
        )
        rows = (
            *labels,
            ("label changes per triangle", f"{summary.label_changes / summary.triangles:.2f}", ""),
            (
                "largest compression",
                f"{summary.largest_compression:.2f}",
                f"frame {self.first_frame + frame}, triangle {triangle}",
            ),
            ("collapsed triangles, most in a frame", str(summary.degenerate), ""),
            ("wrinkles in a frame, on average", f"{wrinkles['mean']:.1f}", f"most {wrinkles['most']}"),
            ("wrinkles born", f"{wrinkles['born']}", f"{wrinkles['died']} died"),
            ("longest wrinkle", f"{wrinkles['longest']:.3g}", "mesh units"),
            ("highest wrinkle", f"{wrinkles['highest']:.3g}", "mesh units"),
        )
        return section("what was found", ("<", ">", "<"), rows)
