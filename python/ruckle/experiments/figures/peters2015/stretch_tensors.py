"""Figure 3.3: a frame of the animation is not a rest shape; the previous frame is a better reference.

Stretch tensors relative to one fixed frame miss new compression of cloth that was already compressed in that frame. The
local tensor is relative to the previous frame and shows this compression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import Drawing, canvas, panels, share, show_tensors, window_around
from ruckle.experiments.plot.space import Projection
from ruckle.field.stretch import edge_matrices, stretch

__all__ = ["Cues", "draw", "measure"]

# A triangle counts as compressing if the compression of its local tensor, per 1/30 s, is above this value and above the
# stretch.
LOCAL_COMPRESSION = 1.01
# If the compression relative to a fixed frame is below this value, the tensor does not indicate a wrinkle.
NO_CUE = 1.02
# Minimum number of frames between a fixed frame and the displayed frame. A closer frame would be similar to the
# previous frame.
APART = 10


@dataclass(frozen=True, eq=False)
class Cues:
    """Compression in a clip by the local tensor, and the part that the tensor against a fixed frame misses.

    Attributes
    ----------
    start : int
        Index of the fixed frame.
    compressing : (F - 1, T) bool
        True if the local tensor shows compression, in frames 1 to F - 1.
    missed : (F - 1, T) bool
        Compressing triangles for which the tensor against the fixed frame does not show compression.
    areas : (F - 1, T) float64, square mesh units
    """

    start: int
    compressing: NDArray[np.bool_]
    missed: NDArray[np.bool_]
    areas: NDArray[np.float64]

    @property
    def missed_share(self) -> float:
        """Fraction of the compressing area of the clip that is missed; 0 if no triangle compresses."""
        total = float(self.areas[self.compressing].sum())
        return float(self.areas[self.missed].sum()) / total if total else 0.0


def measure(clip: Clip, start: int = 0) -> Cues:
    """Compare the local tensor with the tensor against frame `start`."""
    shapes = [edge_matrices(positions, clip.topology.faces) for positions in clip.animation.positions]
    compressing = np.array(
        [(local.compression > LOCAL_COMPRESSION) & (local.compression > local.max) for local in clip.motions]
    )
    silent = np.array([stretch(shapes[start], shape).compression < NO_CUE for shape in shapes[1:]])
    areas = np.array([clip.areas(frame) for frame in range(1, len(clip))])
    return Cues(start, compressing, compressing & silent, areas)


def opposite_starts(cues: Sequence[Cues]) -> tuple[Cues, Cues, int]:
    """Return two cues and a frame in which each misses a large area that the other one shows as compressed.

    The smaller of these two areas is the largest for this choice. Frames near a fixed frame are excluded (`APART`).
    """
    best: tuple[float, Cues, Cues, int] | None = None
    for i, one in enumerate(cues):
        for other in cues[:i]:
            first = (one.areas * (one.missed & ~other.missed)).sum(axis=1)
            second = (one.areas * (other.missed & ~one.missed)).sum(axis=1)
            both = np.minimum(first, second)
            for cue in (one, other):
                both[max(0, cue.start - APART) : cue.start + APART] = 0.0
            frame = int(both.argmax())
            if best is None or both[frame] > best[0]:
                best = (float(both[frame]), other, one, frame + 1)
    if best is None:
        raise ValueError(f"cues: expected those of at least 2 frames, got {len(cues)}")
    return best[1:]


def draw(sample: str = "sawing") -> Drawing:
    """Draw one frame's tensors against two fixed frames and against the previous frame."""
    clip = play_sample(sample)
    cues = [measure(clip, start) for start in range(0, len(clip), 5)]
    first, second, frame = opposite_starts(cues)
    positions = clip.animation.positions
    faces = clip.topology.faces
    shapes = {k: edge_matrices(positions[k], faces) for k in (first.start, second.start, frame - 1, frame)}
    projection = Projection()
    against = (
        (f"against frame {first.start}", first.start, 2.0),
        (f"against frame {second.start}", second.start, 2.0),
        ("against the previous frame", frame - 1, 1.15),
    )
    figure = canvas(10.5, 6.2)
    grid = panels(figure, 2, 3)
    window = window_around(positions[[first.start, second.start, frame - 1, frame]], projection)
    for column, (name, reference, top) in enumerate(against):
        found = stretch(shapes[reference], shapes[frame])
        show_tensors(grid[0, column], positions[frame], faces, found, top=top, projection=projection, window=window)
        grid[0, column].set_title(f"frame {frame}, {name}", fontsize=9)
        plain = stretch(shapes[reference], shapes[reference])
        show_tensors(grid[1, column], positions[reference], faces, plain, top=top, projection=projection, window=window)
        grid[1, column].set_title(f"frame {reference}", fontsize=8)
    shares = [found.missed_share for found in cues]
    return Drawing(
        figure,
        seen=f"Above: one frame, blue where it is compressed and red where it is stretched relative to the pose below. "
        f"The local tensor compares a frame with the previous frame. Of the cloth that it finds compressing over the "
        f"clip, a comparison with one fixed frame misses {share(min(shares))} to {share(max(shares))}, for "
        f"{len(shares)} choices of this frame. The local tensor is noisy.",
        parameters=f"sample {sample} at {RATE:g} fps; compressing: more than {LOCAL_COMPRESSION - 1:.0%} per 1/30 s; "
        f"no cue: compression below {NO_CUE:g}",
    )
