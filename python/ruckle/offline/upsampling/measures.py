"""Comparison of upsampled cloth with simulated cloth: error, and strength, direction and position of its detail.

Squared errors favour flat cloth, so they are always reported together with the energy of the detail.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arrays import float32
from ruckle.mesh.geometry import triangle_areas, vertex_normals
from ruckle.offline.upsampling.garment import Garment
from ruckle.offline.upsampling.harmonics import Harmonics

__all__ = ["Comparison", "Comparisons"]

Float64 = NDArray[np.float64]

# Limits of four bands of harmonics (numbers of harmonics), in which coherence is measured.
BANDS = (60, 120, 200, 400, 700)

# Rounds of averaging over neighbours, so that directions and energies describe regions instead of single triangles.
ROUNDS = 12

# Number of squarings of a tensor. After these, eigenvalues below 0.9 times the largest eigenvalue are negligible.
SQUARINGS = 6

# Percentile of the energy of the true detail over vertices and frames. Places with more energy count as energetic.
CALM_PERCENT = 70


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of one upsampled motion with the simulated motion. Detail is the difference from a smooth base.

    Attributes
    ----------
    error : float, metres
        Root mean square error over the surface.
    ratio : float
        Error divided by the error of linear interpolation.
    energy : float
        Root mean square of the detail, divided by that of the true detail.
    angle : float, degrees
        Mean angle between the directions of steepest change of both details, weighted by energy; 45 is random.
    precision, recall : float
        Fraction of the energetic places that are truly energetic; fraction of the truly energetic places that are
        found. 0 if there are no such places.
    coherence : tuple of float
        Correlation with the true detail in four bands of harmonics: 60-120, 120-200, 200-400, 400-700.
    """

    error: float
    ratio: float
    energy: float
    angle: float
    precision: float
    recall: float
    coherence: tuple[float, ...]

    def __str__(self) -> str:
        bands = " ".join(f"{value:.2f}" for value in self.coherence)
        return (
            f"ratio {self.ratio:.3f} ({1000 * self.error:.2f} mm), energy {self.energy:.2f}, angle {self.angle:.1f}°, "
            f"precision {self.precision:.2f}, recall {self.recall:.2f}, coherence {bands}"
        )


class Comparisons:
    """Compares upsampled frames of one garment with simulated frames.

    This class requires scipy (extra `ruckle[train]`).

    Parameters
    ----------
    garment : Garment
    harmonics : Harmonics
        Harmonics of the garment's fine mesh.
    base : (N, M) float
        Operator of the smooth base, for example of the smooth prior.
    """

    def __init__(self, garment: Garment, harmonics: Harmonics, base: ArrayLike) -> None:
        import scipy.sparse as sparse

        self.garment, self.harmonics, self.base = garment, harmonics, np.asarray(base, np.float64)
        faces = garment.fine_faces
        columns, rows = np.arange(len(faces)).repeat(3), faces.ravel()
        around = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (garment.fine_count, len(faces)))
        self._to_vertices = sparse.diags(1.0 / np.asarray(around.sum(axis=1)).ravel()) @ around
        self._to_faces = around.T / 3.0

    def of(self, coarse: ArrayLike, truth: ArrayLike, found: ArrayLike, *, every: int = 5) -> Comparison:
        """Return the comparison for one motion.

        Parameters
        ----------
        coarse : (F, M, 3) float, metres
        truth, found : (F, N, 3) float, metres
        every : int
            Step between the frames for all measures except the error, which uses all frames.
        """
        few, true, given = (float32(n, v) for n, v in (("coarse", coarse), ("truth", truth), ("found", found)))
        areas, total = self.harmonics.areas, self.harmonics.areas.sum()

        def mean_square(off: NDArray[Any]) -> float:
            return float(np.einsum("n,fnx,fnx->", areas, off, off, optimize=True) / total / len(off))

        error = np.sqrt(mean_square(given - true))
        linear = np.sqrt(mean_square(self.garment.linear(few) - true))
        few, true, given = few[::every], true[::every], given[::every]
        center = few.mean(axis=1, keepdims=True)
        bases = np.einsum("nm,fmx->fnx", self.base, few - center, optimize=True) + center
        details = [positions - bases for positions in (true, given)]
        energies = [np.sqrt(mean_square(detail)) for detail in details]
        turned, weight, hits, marked, wanted = 0.0, 0.0, 0.0, 0.0, 0.0
        fields = [self._regions(base, *pair) for base, *pair in zip(bases, *details, strict=True)]
        calm = np.percentile([energy[0] for _, energy in fields], CALM_PERCENT)
        for (tensors, energy), base in zip(fields, bases, strict=True):
            axes = [_projections(tensor) for tensor in tensors]
            cosines = np.sqrt(np.clip((axes[0] * axes[1]).sum(axis=(1, 2)), 0.0, 1.0))
            angles = np.degrees(np.arccos(cosines))
            weights = np.trace(tensors[0], axis1=1, axis2=2) * triangle_areas(base, self.garment.fine_faces)
            turned, weight = turned + angles @ weights, weight + weights.sum()
            true_places, places = energy[0] > calm, energy[1] > calm
            hits += areas @ (true_places & places)
            marked, wanted = marked + areas @ places, wanted + areas @ true_places
        return Comparison(
            float(error), float(error / linear), float(energies[1] / energies[0]), float(turned / weight),
            float(hits / marked) if marked else 0.0, float(hits / wanted) if wanted else 0.0, self._coherence(*details),
        )  # fmt: skip

    def _regions(self, base: Float64, *details: Float64) -> tuple[list[Float64], list[Float64]]:
        """Return averaged structure tensors (T, 3, 3) and energies (N,) of the details' heights along the normals."""
        faces = self.garment.fine_faces
        normals = vertex_normals(base, faces)
        corners = base[faces]
        first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        across = np.cross(first, second)
        square = np.maximum((across**2).sum(axis=1, keepdims=True), 1e-30)
        tensors, energies = [], []
        for detail in details:
            heights = (detail * normals).sum(axis=1)
            rises = heights[faces[:, 1:]] - heights[faces[:, :1]]
            slopes = np.cross(rises[:, :1] * second - rises[:, 1:] * first, across) / square
            tensor = (slopes[:, :, None] * slopes[:, None, :]).reshape(-1, 9)
            energy = heights**2
            for _ in range(ROUNDS):
                tensor = self._to_faces @ (self._to_vertices @ tensor)
                energy = self._to_vertices @ (self._to_faces @ energy)
            tensors.append(tensor.reshape(-1, 3, 3))
            energies.append(energy)
        return tensors, energies

    def _coherence(self, true: NDArray[Any], found: NDArray[Any]) -> tuple[float, ...]:
        weighted = self.harmonics.vectors * self.harmonics.areas[:, None]
        x, y = (np.einsum("nk,fnx->kfx", weighted, detail, optimize=True) for detail in (true, found))
        result = []
        for first, last in pairwise(BANDS):
            a, b = x[first:last].ravel(), y[first:last].ravel()
            size = np.linalg.norm(a) * np.linalg.norm(b)
            result.append(float(a @ b / size) if size > 0.0 else 0.0)
        return tuple(result)


def _projections(tensors: Float64) -> Float64:
    """Return projections (T, 3, 3) onto the main axes of symmetric tensors, computed by repeated squaring."""
    powers = tensors
    for _ in range(SQUARINGS):
        powers = powers / np.maximum(np.trace(powers, axis1=1, axis2=2), 1e-300)[:, None, None]
        powers = powers @ powers
    return np.asarray(powers / np.maximum(np.trace(powers, axis1=1, axis2=2), 1e-300)[:, None, None])
