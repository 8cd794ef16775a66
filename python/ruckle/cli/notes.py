"""Notes of commands: choices and guesses about input, reasons for missing wrinkles, large output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ruckle.cli.console import Voice
from ruckle.cli.source import Source
from ruckle.loop import Loop, looped
from ruckle.mesh.animation import Animation, likely_up
from ruckle.mesh.topology import near_rims, topology_of
from ruckle.stack import Layer
from ruckle.surface.frame import LayerFrame

__all__ = ["Findings", "looped_noting", "note_emptiness", "note_size", "open_noting"]

# Bytes of fine meshes from which it is worth a word that there could be fewer.
LARGE = 50_000_000

# Vertices of a rim near another that are more than a corner.
MANY_RIM = 8

# Compression below which two digits after the point show none, and no tau would be small enough.
SHRUNK = 1.005


@dataclass
class Findings:
    """Counts of visible details in all frames."""

    frame_count: int = 0
    details: int = 0
    compression: float = 1.0

    def add(self, frame: LayerFrame) -> None:
        """Look at a frame; one that is run again counts once."""
        self.frame_count = max(self.frame_count, frame.index + 1)
        self.details += len(frame.details.faces)
        if frame.stretch is not None:
            self.compression = max(self.compression, float(frame.stretch.compression.max()))


def open_noting(source: Source, voice: Voice) -> Animation:
    """Open the animation of a source; print which mesh and clip it took of several, and a height it guessed."""
    animation = source.open()
    chosen = source.choice()
    if chosen:
        parts = " and ".join(f"{option} '{name}' of {count}" for option, (name, count) in chosen.items())
        options = " and ".join(f"--{option}" for option in chosen)
        pick = "pick" if len(chosen) > 1 else "picks"
        voice.note(f"{source.name}: took {parts}; {options} {pick} others, 'ruckle info {source.name}' lists them")
    if animation.height_is_guess:
        up = likely_up(animation)
        lying = up != animation.up and source.has_option("up")
        remedy = f"the mesh is far longer along {up}: --up {up}" if lying else "--height gives that of a taller wearer"
        voice.note(
            f"{source.name}: the height {animation.height:.4g} is this mesh's own, and percentages are of it; {remedy}"
        )
    rims, distance = near_rims(animation, topology_of(animation))
    if rims >= MANY_RIM:
        voice.note(
            f"{source.name}: {rims} rim vertices are within {distance:.2g} of another rim, but not joined; folds end "
            "there unless these are merged"
        )
    return animation


def looped_noting(layer: Layer, animation: Animation, loop: Loop, voice: Voice) -> Layer:
    """Return a layer whose frames loop if the animation does, or if they must; print that they do."""
    found = looped(layer, animation, loop)
    if found is not layer and loop == "auto":
        voice.note(
            f"{animation.name}: ends as it begins, so its wrinkles loop: two laps are run; --loop no begins without any"
        )
    return found


def note_emptiness(voice: Voice, animation: Animation, found: Findings, tau: float) -> None:
    """Print why a run found no wrinkles, if it found none."""
    if found.details:
        return
    positions = animation.positions[: found.frame_count]
    if len(positions) == 1:
        reason = "one frame: nothing moves, so nothing wrinkles"
    elif np.array_equal(positions, np.broadcast_to(positions[0], positions.shape)):
        reason = f"{len(positions)} frames and nothing moves, so nothing wrinkles"
    elif found.compression < SHRUNK:
        reason = f"no triangle shrinks in {len(positions)} frames, so nothing wrinkles"
    else:
        reason = f"no wrinkles: compression reaches {found.compression:.2f}, tau is {tau:g}; a smaller --tau finds more"
    voice.note(f"{animation.name}: {reason}")


def note_size(voice: Voice, output: Path, edge_length: float) -> None:
    """Print the size of a large output, and the way to write less."""
    files = [file for file in output.rglob("*") if file.is_file()] if output.is_dir() else [output]
    size = sum(file.stat().st_size for file in files)
    if size >= LARGE:
        voice.note(
            f"{output}: {size / 1e6:,.0f} MB; --edge-length {2 * edge_length:.2g}, twice as long, makes it smaller"
        )
