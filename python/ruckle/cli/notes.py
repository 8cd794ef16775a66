"""Notes that commands print: automatic choices and guesses about input, reasons for missing wrinkles, large output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.cli.console import Voice
from ruckle.cli.source import Source
from ruckle.field.stretch import stretch
from ruckle.io.masks import creature_of, stiff_parts
from ruckle.loop import Loop, looped
from ruckle.mesh.animation import Animation, likely_up
from ruckle.mesh.topology import near_rims, topology_of
from ruckle.paths.frame import Frame
from ruckle.stack import Layer
from ruckle.surface.frame import LayerFrame

__all__ = ["Findings", "looped_noting", "note_emptiness", "note_overlap", "note_size", "open_faces", "open_noting"]

# Size of an output file in bytes above which a note recommends a smaller fine mesh.
LARGE = 50_000_000

# If at least this number of boundary vertices are close to other boundary vertices, a note recommends merging: the mesh
# probably has seams that were not joined.
MANY_RIM = 8

# A largest compression below this value is printed as 1.00. The note then does not recommend a smaller threshold tau,
# which must be above 1.
SHRUNK = 1.005


# If at least this share of the texels of maps belongs to several triangles, a note says so.
MANY_SHARED = 0.01

# Maximum number of mesh names in a note; the note contains only the number of the other meshes.
NAMED = 4


@dataclass
class Findings:
    """Counts of visible wrinkles over all frames.

    Attributes
    ----------
    frame_count : int
        Number of frames, from the first.
    details : int
        Number of wrinkles, or of faces with folds, in all frames.
    has_paths : bool
        True if the frames contain wrinkle paths.
    compression : float
        Largest compression of faces that may wrinkle.
    masked_compression : float
        Largest compression of masked faces.
    """

    frame_count: int = 0
    details: int = 0
    has_paths: bool = False
    compression: float = 1.0
    masked_compression: float = 1.0

    def add(self, frame: LayerFrame) -> None:
        """Add the details and the largest compressions of a frame.

        `frame_count` does not grow if a frame is run again.
        """
        self.frame_count = max(self.frame_count, frame.index + 1)
        self.details += len(frame.details.faces)
        paths = next((part for part in frame.parts if isinstance(part, Frame)), None)
        self.has_paths = paths is not None
        if frame.stretch is not None:
            is_open = open_faces(frame)
            self.compression = max(self.compression, float(frame.stretch.compression[is_open].max(initial=1.0)))
            if not is_open.all():
                masked = frame.stretch.compression[~is_open]
                if paths is not None:
                    # the compression of paths ignores masked faces, so compute the stretch of these faces here
                    masked = stretch(paths.reference[~is_open], paths.current[~is_open]).compression
                self.masked_compression = max(self.masked_compression, float(masked.max()))


def open_faces(frame: LayerFrame) -> NDArray[np.bool_]:
    """Return a mask (T,) bool of faces that may wrinkle."""
    if frame.mask is None:
        return np.ones(frame.topology.face_count, bool)
    result: NDArray[np.bool_] = frame.mask[frame.topology.faces].max(axis=1) > 0.0
    return result


def open_noting(source: Source, voice: Voice) -> Animation:
    """Open the animation of a source, and print notes on standard error.

    The notes are about automatic choices, automatic masks, a guessed height, and seams that were not joined.
    """
    animation = source.open()
    chosen = source.choice()
    remarks = []
    if chosen:
        remarks.append("took " + " and ".join(_taken(option, *taken) for option, taken in chosen.items()))
    stiff = stiff_parts(animation) if "mask" not in source.options and animation.mask is not None else []
    if stiff:
        remarks.append(f"masked {_listed(stiff)}")
    if remarks:
        options = [f"--{option}" for option in chosen] + (["--mask"] if stiff else [])
        verb = "selects" if len(options) == 1 else "select"
        voice.note(
            f"{source.name}: {', '.join(remarks)}; {_listed(options)} {verb} others, "
            f"'ruckle info {source.name}' lists them"
        )
    if animation.height_is_guess:
        up = likely_up(animation)
        lying = up != animation.up and source.has_option("up")
        remedy = f"the mesh is far longer along {up}: --up {up}" if lying else "--height sets the height of the wearer"
        voice.note(f"{source.name}: percentages refer to the height {animation.height:.4g} of this mesh; {remedy}")
    rims, distance = near_rims(animation, topology_of(animation))
    if rims >= MANY_RIM:
        voice.note(
            f"{source.name}: {rims} boundary vertices are within {distance:.2g} of another boundary, but not joined; "
            "folds end there unless these vertices are merged"
        )
    return animation


def looped_noting(layer: Layer, animation: Animation, loop: Loop, voice: Voice) -> Layer:
    """Return the layer, as a loop if the animation repeats or if required; print a note about an automatic loop."""
    found = looped(layer, animation, loop)
    if found is not layer and loop == "auto":
        voice.note(
            f"{animation.name}: ends as it begins, so its wrinkles repeat, too: it is run twice; with --loop no it is "
            "run once, from a start without wrinkles"
        )
    return found


def _taken(option: str, names: list[str], count: int) -> str:
    plural = {"mesh": "meshes", "animation": "animations"}[option] if len(names) > 1 else option
    further = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    quoted = [f"'{name}'" for name in names[:NAMED]]
    return f"{plural} {', '.join(quoted) if further else _listed(quoted)}{further} of {count}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def note_emptiness(voice: Voice, animation: Animation, found: Findings, parameters: Mapping[str, Any]) -> None:
    """Print the reason if a run did not find wrinkles.

    Parameters
    ----------
    voice : Voice
    animation : Animation
    found : Findings
    parameters : mapping
        Parameters of `Wrinkler`.
    """
    if not found.details:
        voice.note(f"{animation.name}: {_reason(animation, found, parameters)}")


def _reason(animation: Animation, found: Findings, parameters: Mapping[str, Any]) -> str:
    """Return the first reason that applies.

    The order is: mask, no motion, only masked or no compression, low waves, `tau`, no room.
    """
    positions, tau = animation.positions[: found.frame_count], parameters["tau"] if found.has_paths else SHRUNK
    if animation.mask is not None and not animation.mask.any():
        creature = None if animation.groups is None else creature_of(animation.groups, animation.name)
        named = {"robot": " (a robot by its names)", "animal": " (an animal by its names)"}.get(creature or "", "")
        if not named and stiff_parts(animation) == ["robot"]:
            named = " (its parts are rigid, as of a robot)"
        return f"the mask covers everything{named}, so nothing wrinkles; --mask all removes the mask"
    still = np.array_equal(positions, np.broadcast_to(positions[0], positions.shape))
    if len(positions) == 1 and (animation.rest_positions is None or found.compression < SHRUNK):
        return "has only one frame, so nothing moves and nothing wrinkles"
    if still and (animation.rest_positions is None or found.compression < SHRUNK):
        return f"nothing moves in {len(positions)} frames, so nothing wrinkles"
    if found.compression < tau <= found.masked_compression:
        return (
            f"only masked parts shrink, up to {found.masked_compression:.2f}, so nothing wrinkles; "
            "--mask +NAME removes the mask from a part, --mask all from all parts"
        )
    if found.compression < SHRUNK:
        return f"no triangle shrinks in {len(positions)} frames, so nothing wrinkles"
    if not found.has_paths:
        reached = f"compression reaches only {found.compression:.2f}"
        return f"no visible folds: {reached}; a larger --wave-gain makes folds higher"
    if found.compression <= tau:
        return f"no wrinkles: compression reaches {found.compression:.2f}, tau is {tau:g}; use a smaller --tau"
    least = parameters.get("least_aspect", 4.5)
    return (
        f"no wrinkles: compression reaches {found.compression:.2f}, above tau {tau:g}, but the "
        f"compressed cloth is shorter than {least:g} widths of a wrinkle; use a smaller --r-min"
    )


def note_overlap(voice: Voice, name: str, overlap: float) -> None:
    """Print the share of the texels of maps that belong to several triangles, and formats without maps."""
    if overlap >= MANY_SHARED:
        voice.note(
            f"{name}: {overlap:.0%} of the texels belong to several triangles, because texture coordinates overlap; "
            "these triangles get the wrinkles of one of them. A .glb file and --form vat do not use maps"
        )


def note_size(voice: Voice, output: Path, edge_length: float) -> None:
    """Print the size of a large output, with options that make it smaller."""
    files = [file for file in output.rglob("*") if file.is_file()] if output.is_dir() else [output]
    size = sum(file.stat().st_size for file in files)
    if size >= LARGE:
        voice.note(
            f"{output}: {size / 1e6:,.0f} MB; a smaller --budget, or --edge-length {2 * edge_length:.2g} (twice the "
            "length), makes it smaller"
        )
