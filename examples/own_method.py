"""Measure a method of your own against fine simulations: `ruckle bench truth --method examples/own_method.py:dents`.

Dents of 5 mm grow in faces of the coarse mesh that lose area.
"""

from collections.abc import Iterator

import numpy as np

from ruckle.experiments.metrics.truth import bare_surfaces
from ruckle.mesh.geometry import triangle_areas, vertex_normals
from ruckle.offline.simulation.truth_scene import TruthScene


def dents(scene: TruthScene) -> Iterator[np.ndarray]:
    """Yield the fine vertices (N, 3) of every coarse frame, in metres."""
    faces, rest_areas = scene.coarse.faces, triangle_areas(scene.coarse_rest, scene.coarse.faces)
    # a sine wave of 5 cm along the vertical axis of the cloth at rest
    pattern = np.sin(2 * np.pi * scene.rest[:, 1] / 0.05)
    for coarse, base in zip(scene.coarse.positions, bare_surfaces(scene), strict=True):
        lost = np.clip(1 - triangle_areas(coarse, faces) / rest_areas, 0, 1)[scene.coarse_faces]
        yield base + 0.005 * (lost * pattern)[:, None] * vertex_normals(base, scene.faces)
