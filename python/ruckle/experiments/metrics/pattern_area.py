"""Errors in the area of garments with modulated patterns, per triangle, per region and in total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.arguments import length
from ruckle.arrays import Float32, Int32
from ruckle.mesh.animation import Animation
from ruckle.mesh.geometry import face_crosses, unit
from ruckle.offline.patterns.noise import compression_axes, noise_pattern
from ruckle.offline.patterns.sources import animation_patterns
from ruckle.patterns.cells import determinant
from ruckle.patterns.modulator import Modulation, Modulator, animation_grid
from ruckle.patterns.pattern import Pattern

__all__ = ["AreaError", "area_errors"]

Float64 = NDArray[np.float64]

# Number of regions of a garment: a region has 60 triangles if the garment has 2,400. Number of evaluated frames, evenly
# spaced.
REGIONS = 40
FRAMES = 8

# Wavelength of the noise, relative to the character's height.
WAVELENGTH = "1.4%"

# Maximum number of parts per coarse edge in the displaced mesh.
MOST_PARTS = 64

# Parameters that disable all limits and temporal smoothing, so that only the area determines the factors.
NO_LIMITS: Mapping[str, Any] = {"steepest": 1e3, "slack": 0.0, "smoothing": 0.0, "r_min": 0.0}


class AreaError(NamedTuple):
    """Errors of the area relative to the target area, averaged over frames.

    Attributes
    ----------
    name : str
    triangles, regions : float
        Sum of absolute errors of all triangles, and of all regions, divided by the total target area.
    garment : float
        Signed error of the total area.
    """

    name: str
    triangles: float
    regions: float
    garment: float


def area_errors(animation: Animation, *, frames: int = FRAMES) -> Iterator[AreaError]:
    """Yield area errors: of crossed noise without limits and with defaults, of baked paths, and of flat cloth.

    Crossed noise is two noise patterns at right angles; see `crossed_noise`.

    Parameters
    ----------
    animation : Animation
    frames : int
        Number of evaluated frames, evenly spaced; fewer if the animation is shorter.
    """
    crossed = crossed_noise(animation)
    # made on a separate grid of the same size, so `paths` copies the heights to the grid of the noise
    baked = animation_patterns(animation, "paths", wavelength=WAVELENGTH)
    paths = [Pattern(crossed[1].grid, one.heights, one.name) for one in (*baked, crossed[1])]
    for name, made, options in (
        ("crossed noise, no limits", crossed, NO_LIMITS),
        ("crossed noise, defaults", crossed, {}),
        ("baked paths with crossed noise, defaults", paths, {}),
    ):
        yield _measure(name, animation, made, options, frames)
    yield _measure("flat", animation, crossed[:1], {"scale": 0.0, **NO_LIMITS}, frames)


def crossed_noise(animation: Animation) -> list[Pattern]:
    """Return a noise pattern across the compression, and a noise pattern at right angles to it."""
    wave = length(WAVELENGTH, animation.height, "wavelength")
    grid = animation_grid(animation, spacing=wave / 8)
    every = -(-animation.frame_count // 60)
    axes = compression_axes(animation.positions[::every], grid.topology.faces, grid.rest)
    turned = unit(np.cross(face_crosses(grid.rest, grid.topology.faces), axes))
    return [
        noise_pattern(grid, axes, wavelength=wave, seed=0),
        noise_pattern(grid, turned, wavelength=wave, seed=1),
    ]


def _measure(
    name: str, animation: Animation, made: list[Pattern], options: Mapping[str, Any], frames: int
) -> AreaError:
    """Return the error of a Modulator with the patterns `made` and the parameters `options`."""
    modulator = Modulator.for_animation(animation, made, **options)
    regions = _regions(modulator.grid.rest, modulator.topology.faces)
    every = max(animation.frame_count // frames, 1)
    # twice as many parts, because coarse chords underestimate the area of folds
    levels = np.minimum(2 * modulator.grid.edge_parts, MOST_PARTS)
    found = []
    for positions in animation.positions[every // 2 :: every][:frames]:
        # frames are independent, because the delay of temporal smoothing is not an error of area
        modulator.reset()
        frame = modulator.step(positions)
        wanted, reached = 0.5 * frame.target.astype(np.float64), _raised_areas(frame, levels)
        per_region = [np.bincount(regions, areas, REGIONS) for areas in (reached, wanted)]
        found.append(
            (
                np.abs(reached - wanted).sum() / wanted.sum(),
                np.abs(per_region[0] - per_region[1]).sum() / wanted.sum(),
                reached.sum() / wanted.sum() - 1.0,
            )
        )
    triangles, by_region, garment = np.mean(found, axis=0)
    return AreaError(name, float(triangles), float(by_region), float(garment))


def _raised_areas(frame: Modulation, levels: Int32) -> Float64:
    """Return the area of the displaced surface over each coarse triangle, for given numbers of parts per edge."""
    fine = ruckle.displace(frame, base="flat", edge_levels=levels)
    # area from base times height, which is fast for millions of triangles
    edges = ruckle.edge_matrices(fine.positions, fine.faces)
    areas = 0.5 * edges[:, 0, 0].astype(np.float64) * edges[:, 1, 1]
    raised: Float64 = np.bincount(fine.face_coarse_faces, areas, frame.topology.face_count).astype(np.float64)
    return raised


def _regions(rest: Float32, faces: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the region of each triangle: the index of the nearest seed.

    `REGIONS` seeds are chosen by farthest-point sampling, from the largest triangle on.
    """
    centres = rest[faces].astype(np.float64).mean(axis=1)
    seeds = [int(np.argmax(np.sqrt(determinant(ruckle.gram(rest, faces)))))]
    distance = np.linalg.norm(centres - centres[seeds[0]], axis=1)
    while len(seeds) < REGIONS:
        seeds.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(centres - centres[seeds[-1]], axis=1))
    nearest: NDArray[np.intp] = np.linalg.norm(centres[:, None] - centres[seeds], axis=2).argmin(axis=1)
    return nearest
