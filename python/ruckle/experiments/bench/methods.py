"""Methods that add folds to coarse cloth. Each method is a function from a scene to fine positions, frame by frame.

A method reads `scene.coarse`, the fine mesh at rest, and the coarse face with barycentric coordinates of each fine
vertex. It yields the fine vertices (N, 3) of every coarse frame, in metres. `docs/truth.md` shows a method of twenty
lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.experiments.bench.wrinkle_mesh import wrinkle_mesh
from ruckle.experiments.metrics.rest_surface import RestSurface
from ruckle.experiments.metrics.truth import bare_surfaces, layer_surfaces
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.offline.upsampling.garment import Garment
from ruckle.stack import Layer
from ruckle.waves.wave_field import WaveField

__all__ = ["CONTROLS", "METHODS", "Method", "band_noise", "inflated", "learned", "tension_map"]

Float64 = NDArray[np.float64]
Method = Callable[[TruthScene], Iterator[Any]]
"""A function that yields fine positions (N, 3), metres, for every frame of a scene."""

# Smallest radius of wrinkles in metres: 0.5 % of the height of a person.
LEAST_RADIUS = 0.00875

# Root mean square height of the tension map at full tension, m; compression minus 1 at full tension; root mean square
# height of the inflated control, m.
TENSION_HEIGHT, FULL_TENSION, INFLATION = 0.005, 0.25, 0.008

# Maximum number of harmonics in which upsampling is trained. The default number grows with the number of coarse
# vertices, which is large for skinned garments, but some hundred harmonics are enough to represent folds.
HARMONICS = 600

# Wavelengths of the tension map and of the bubbles, in metres.
TENSION_WAVE, BUBBLE = 0.045, 0.080


def least_radius(scene: TruthScene) -> float:
    """Return the least radius of wrinkles for the wearer of a scene, metres."""
    return LEAST_RADIUS * scene.scale


def linear(scene: TruthScene) -> Iterator[Float64]:
    """Yield the fine vertices of each frame on the flat triangles of the coarse mesh, without folds."""
    for positions in scene.coarse.positions:
        yield scene.on_coarse(positions)


def tension_map(scene: TruthScene) -> Iterator[Float64]:
    """Yield the fine vertices with a fixed height map, multiplied by the compression, like normal maps in games."""
    heights = TENSION_HEIGHT * band_noise(scene, TENSION_WAVE)
    surface = RestSurface(scene.rest, scene.faces)
    rest, faces = scene.coarse_rest, scene.coarse.faces
    reference = ruckle.edge_matrices(rest, faces)
    corners = faces.ravel()
    counts = np.maximum(np.bincount(corners, minlength=len(rest)), 1)
    for positions, base in zip(scene.coarse.positions, bare_surfaces(scene), strict=True):
        found = ruckle.stretch(reference, ruckle.edge_matrices(positions, faces))
        tension = np.clip((found.compression - 1.0) / FULL_TENSION, 0.0, 1.0).repeat(3)
        at_vertices = np.bincount(corners, tension, len(rest)) / counts
        share = scene.on_coarse(at_vertices[:, None])
        yield base + surface.normals_of(base) * heights[:, None] * share


def inflated(scene: TruthScene) -> Iterator[Float64]:
    """Yield the fine vertices without folds, but with bubbles that do not move.

    This control must fail the benchmark.
    """
    heights = INFLATION * np.abs(band_noise(scene, BUBBLE))[:, None]
    surface = RestSurface(scene.rest, scene.faces)
    for base in bare_surfaces(scene):
        yield base + surface.normals_of(base) * heights


def band_noise(scene: TruthScene, wavelength: float, seed: int = 1) -> Float64:
    """Return static noise (N,) of one wavelength (m), with root mean square 1."""
    surface = RestSurface(scene.rest, scene.faces)
    white = np.random.default_rng(seed).normal(size=(1, len(scene.rest))) / np.sqrt(surface.areas)
    # the difference of two averages with different widths contains mainly this wavelength
    narrow, wide = (surface.average(share * wavelength / (2.0 * np.pi))(white)[0] for share in (1.2, 1.9))
    band = narrow - wide
    return np.asarray(band / np.sqrt((band**2 * surface.areas).sum() / surface.areas.sum()))


def of_layer(make: Callable[[TruthScene], Layer]) -> Method:
    """Return the method that adds the wrinkles of a layer (paths, patterns, waves...), which `make(scene)` creates."""
    return lambda scene: layer_surfaces(scene, make(scene))


def paths(scene: TruthScene, **parameters: Any) -> Layer:
    """Return the layer of wrinkle paths."""
    return ruckle.Wrinkler.for_animation(scene.coarse, r_min=least_radius(scene), **parameters)


def paths_from_rest(scene: TruthScene) -> Layer:
    """Return the layer of wrinkle paths whose rest pose is the bind pose."""
    return paths(scene, rest=scene.coarse_rest)


def waves(scene: TruthScene, **parameters: Any) -> Layer:
    """Return the layer of wrinkle waves."""
    return WaveField.for_animation(scene.coarse, r_min=least_radius(scene), rest=scene.coarse_rest, **parameters)


def patterns(scene: TruthScene, wave: float = 5.0, **parameters: Any) -> Layer:
    """Return the layer of a modulated noise pattern."""
    r_min = least_radius(scene)
    noise = ruckle.animation_patterns(scene.coarse, "noise", wavelength=wave * r_min)
    return ruckle.Modulator.for_animation(scene.coarse, noise, r_min=r_min, **parameters)


def wrinkle_meshes(scene: TruthScene, sweeps: int = 20) -> Iterator[Float64]:
    """Yield, for each frame, the vertices of a fine mesh that follows the bare surface loosely; see `wrinkle_mesh`."""
    return wrinkle_mesh(scene.rest, scene.faces, bare_surfaces(scene), sweeps=sweeps)


def learned(others: Sequence[TruthScene], *, detail: float = 0.5) -> Method:
    """Return upsampling that learns from other motions of the same garment.

    Parameters
    ----------
    others : sequence of TruthScene
        Scenes on the same fine mesh.
    detail : float, in [0, 1]
        0 is smooth, 1 is rich; see `Trainer.train`.
    """

    def method(scene: TruthScene) -> Iterator[Any]:
        first = others[0]
        garment = Garment(first.coarse_rest, first.coarse.faces, first.rest, first.faces)
        trainer = ruckle.Trainer(
            garment, tests=int(first.report.get("tests", 1)) or 1, harmonics=min(HARMONICS, len(first.rest))
        )
        for other in others:
            trainer.add_statistics(other.name, trainer.statistics(other.coarse.positions, other.positions))
        return layer_surfaces(scene, ruckle.Upsampler(trainer.train(detail=detail)))

    return method


METHODS: dict[str, Method] = {
    "coarse mesh, bare": bare_surfaces,
    "coarse mesh, flat": linear,
    "tension map": tension_map,
    "wrinkle mesh": wrinkle_meshes,
    "patterns": of_layer(patterns),
    "paths": of_layer(paths),
    "paths, from the bind pose": of_layer(paths_from_rest),
    "waves": of_layer(waves),
}
"""Methods by name, without training. The first row of every table is the bare coarse mesh."""

CONTROLS: dict[str, Method] = {
    "inflated": inflated,
    "inflated patterns": of_layer(partial(patterns, wave=9.0, slack=0.0, rest_slope=0.4)),
}
"""Surfaces that must fail the benchmark."""
