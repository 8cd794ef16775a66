"""Patterns of an animation from several sources: files, wrinkle paths, noise, strokes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ruckle.arguments import length, mistyped, no_such, positive_number
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import topology_of
from ruckle.offline.patterns.noise import compression_axes, noise_pattern
from ruckle.offline.patterns.paths import choose_frames, filled_pattern, path_pattern
from ruckle.offline.patterns.strokes import stroke_pattern
from ruckle.paths.wrinkler import run
from ruckle.patterns.files import load_patterns
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.images import image_pattern
from ruckle.patterns.modulator import animation_grid
from ruckle.patterns.pattern import Pattern

__all__ = ["animation_patterns"]

# Grid nodes per wavelength. With eight nodes, the pattern has 97 % of the additional area of the exact waves.
NODES_PER_WAVE = 8

# Sources that are computed from the animation. All other sources are names of files.
MADE = ("paths", "noise", "strokes")

# Angle in degrees between the folds and each of the two stroke patterns. With a smaller angle, all folds are parallel.
# With a larger angle, folds deviate too much from the axes.
STROKE_TURN = 22.0

# Largest number of frames from which compression is computed. More frames do not visibly change the result.
MOST_FRAMES = 60


def animation_patterns(
    animation: Animation,
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = "noise",
    *,
    wavelength: float | str = "2.5%",
    seed: int = 0,
) -> list[Pattern]:
    """Make or read patterns for an animation, all on one grid, as input of `Modulator.for_animation`.

    The undeformed cloth is the first frame, or the rest pose of the first pattern file.

    Parameters
    ----------
    animation : Animation
    sources : path, "noise", "strokes" or "paths", or several
        A pattern file (``.npz``) of this mesh; a grey image over the texture coordinates; "noise", waves across the
        compression; "strokes", two crossing patterns of single folds; "paths", folds from some frames of the
        animation's wrinkle paths, with noise in the gaps.
    wavelength : float or str
        Mean distance of two folds of noise or strokes, in mesh units or as a percentage of the character's height. The
        least radius of wrinkle paths is a quarter of this length.
    seed : int
        Seed of noise and strokes.

    Returns
    -------
    list of Pattern
        In this order, whatever the order of `sources`: pattern files, images, both patterns of strokes, paths, noise.

    Raises
    ------
    FormatError
        A file cannot be read, or does not contain patterns.
    ValueError
        A source is unknown, the wavelength is not above 0, patterns are of another mesh, files have different grids, or
        the animation does not have wrinkle paths.
    TypeError
        `sources` contains other objects than paths and names.
    ImportError
        A source is an image, and Pillow or OpenEXR is not installed.
    """
    wanted = [sources] if isinstance(sources, str | os.PathLike) else sources
    if not isinstance(wanted, Sequence) or not all(isinstance(one, str | os.PathLike) for one in wanted):
        raise mistyped("sources", '"noise", "strokes", "paths", a path, or several of them', sources)
    require_animation(animation)
    wave = positive_number("wavelength", length(wavelength, animation.height, "wavelength"))
    files = [_file(one) for one in wanted if one not in MADE]
    grid, patterns = _read(animation, [file for file in files if file.suffix.lower() == ".npz"], wave)
    patterns += [_drawn(grid, animation, file) for file in files if file.suffix.lower() != ".npz"]
    return patterns + _made(grid, animation, [one for one in MADE if one in wanted], wave, seed)


def _read(animation: Animation, files: Sequence[Path], wave: float) -> tuple[PatternGrid, list[Pattern]]:
    """Read pattern files. Return the common grid of all patterns, and the patterns on this grid.

    Without files, the grid is computed from the wavelength. Files with different grids raise ValueError.
    """
    topology = topology_of(animation)
    read = [pattern for file in files for pattern in load_patterns(file, topology)]
    grid = read[0].grid if read else animation_grid(animation, spacing=wave / NODES_PER_WAVE)
    if not all(np.array_equal(pattern.grid.edge_parts, grid.edge_parts) for pattern in read):
        raise ValueError("sources: the files' patterns have different grids; make them with one wavelength")
    return grid, [Pattern(grid, pattern.heights, pattern.name) for pattern in read]


def _file(source: str | os.PathLike[str]) -> Path:
    """Return the path of a source. Raise ValueError if the word is not a file and not a known source."""
    file = Path(source)
    if not file.suffix and not file.exists():
        raise ValueError(no_such("source", str(source), [*MADE, "names of files"]))
    return file


def _made(grid: PatternGrid, animation: Animation, wanted: Sequence[str], wave: float, seed: int) -> list[Pattern]:
    """Return the two patterns of "strokes", then "paths", then "noise", as far as wanted.

    Their directions depend on the compression.
    """
    if not wanted:
        return []
    every = -(-animation.frame_count // MOST_FRAMES)
    axes = compression_axes(animation.positions[::every], grid.topology.faces, grid.rest)
    patterns = []
    if "strokes" in wanted:
        for k, name in enumerate(("strokes", "crossing strokes")):
            turn = STROKE_TURN - 2 * STROKE_TURN * k
            patterns.append(stroke_pattern(grid, axes, wavelength=wave, turn=turn, seed=2 * seed + k, name=name))
    if "paths" in wanted or "noise" in wanted:
        noise = noise_pattern(grid, axes, wavelength=wave, seed=seed)
        if "paths" in wanted:
            folds = path_pattern(grid, choose_frames(list(run(animation, r_min=wave / 4))))
            patterns.append(filled_pattern(folds, noise))
        if "noise" in wanted:
            patterns.append(noise)
    return patterns


def _drawn(grid: PatternGrid, animation: Animation, image: Path) -> Pattern:
    if animation.uv is None:
        raise ValueError(f"{image}: an image needs texture coordinates, but the animation has none; use noise")
    corners = animation.faces if animation.uv_faces is None else animation.uv_faces
    return image_pattern(grid, image, uv=animation.uv, uv_faces=corners, name=image.stem)
