"""Comparison of upsampled cloth with the truth: errors, and the amount, direction and position of its detail.

Squared errors favour flat cloth, so they are always reported with the energy of the detail.
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

# Harmonics between which coherence is measured.
BANDS = (60, 120, 200, 400, 700)

# Rounds of averaging over neighbours that make directions and energies those of regions.
ROUNDS = 12

# Squarings of a tensor, after which eigenvalues below 0.9 of its largest one are negligible.
SQUARINGS = 6

# Percentile of the energy of detail above which a place counts as energetic.
CALM_PERCENT = 70


@dataclass(frozen=True, slots=True)
class Comparison:
    """One upsampled motion against the truth. Detail is the difference from a smooth base.

    Attributes
    ----------
    error : float, metres
        Root mean square over the surface.
    ratio : float
        Ratio of the error to that of the linear map.
    energy : float
        Root mean square of the detail over that of the truth's.
    angle : float, degrees
        Between the directions in which detail changes most, weighted with its energy; 45 is chance.
    precision, recall : float
        Share of truly energetic places among those found; and share found among the truly energetic ones.
    coherence : tuple of float
        Correlation with the true detail in bands of harmonics: 60-120, 120-200, 200-400, 400-700.
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
    """Compares upsampled frames of one garment with true ones. Needs scipy (extra `ruckle[train]`).

    Parameters
    ----------
    garment : Garment
    harmonics : Harmonics
        Harmonics of its fine mesh.
    base : (N, M) float
        The operator of the smooth base, such as that of the smooth prior.
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
        """Return the comparison of a motion.

        Parameters
        ----------
        coarse : (F, M, 3) float, metres
        truth, found : (F, N, 3) float, metres
        every : int
            Step between the frames in which all but the error is measured.
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
        """Return the averaged structure tensors (T, 3, 3) and energies (N,) of details (N, 3) along normals."""
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
    """Return the projections (T, 3, 3) onto the major axes of symmetric tensors, by squaring them again and again."""
    powers = tensors
    for _ in range(SQUARINGS):
        powers = powers / np.maximum(np.trace(powers, axis1=1, axis2=2), 1e-300)[:, None, None]
        powers = powers @ powers
    return np.asarray(powers / np.maximum(np.trace(powers, axis1=1, axis2=2), 1e-300)[:, None, None])
