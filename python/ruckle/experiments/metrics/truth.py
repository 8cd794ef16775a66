"""How near the wrinkles of a layer come to those of real cloth, for which a fine simulation of the same motion stands.

The truth is a fine simulation that tracks the coarse one (`ruckle.offline.simulation.simulate_pair`). Both are the same
motion, and what differs is wrinkles: heights over the smooth surface through the coarse vertices. No two simulations
wrinkle alike, point by point, and squared errors reward flat cloth: what is compared is where folds are, which way they
run, how high, wide and long they are, and how fast they change. Needs scipy (extra `ruckle[simulation]`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import positive_number
from ruckle.arrays import Float32, Int32, float32
from ruckle.experiments.metrics.rest_surface import RestSurface, face_slopes
from ruckle.field.stretch import edge_matrices, stretch
from ruckle.mesh.animation import Animation
from ruckle.mesh.closest import closest_points
from ruckle.mesh.geometry import edge_lengths, triangle_areas, unit
from ruckle.mesh.topology import Topology
from ruckle.stack import Layer, step_frame
from ruckle.surface.frame import CoarseFrame, LayerFrame
from ruckle.surface.layers import shapes_of
from ruckle.surface.surface import Surface

__all__ = ["Fidelity", "Folds", "Truth"]

Float64 = NDArray[np.float64]

# Standard deviation of the averages that make a direction and an energy of slopes, in least radii.
TENSOR_REACH = 1.0

# Width of a fold in least radii: as far as one may lie beside another and count as found.
FOLD_WIDTH = 4.0

# Heights are measured over their own mean, of this standard deviation in coarse edges: what is longer is the coarse
# cloth's.
LONGEST = 0.6

# Of the average in which a wavelength is measured, in coarse edges.
WAVE_REACH = 0.5

# Compressions at which a fold is expected: coverage is the mean over them. Below the first, cloth counts as not
# compressed.
COMPRESSIONS = (1.02, 1.05, 1.1, 1.2)

# Bounds of the classes of compression in which amplitudes are compared.
CLASSES = np.array([1.0, 1.02, 1.05, 1.1, 1.2, 1.4, np.inf])

# Change of height per 1/30 s is measured where one of both frames is higher or lower than this, m.
LEAST_HEIGHT = 1e-3

# Mean square slope below which cloth is flat.
LEAST_ENERGY = 1e-12

# The entries of a symmetric tensor of slopes.
TENSOR_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))

# Wavelengths, in octaves of a metre, between which a spectrum has its classes, eight to the octave.
OCTAVES = np.linspace(-8.0, 0.0, 65)


@dataclass(frozen=True, slots=True)
class Fidelity:
    """One surface beside the truth. Not a number where it has no folds to measure.

    Attributes
    ----------
    angle : float, degrees
        Between the directions of folds, weighted with the root of both energies; 45 is chance.
    precision, recall : float
        Of the folds that are found in compressed cloth, the share of the area that lies within one width of a true one;
        and the reverse.
    amplitude : float
        Root mean square height over the truth's.
    amplitude_error : float
        Mean difference of that of coarse faces that are compressed alike, over the truth's.
    wavelength : float, metres
        Median across the folds, weighted with their energy.
    wavelength_error : float, octaves
        How far the spectrum of wavelengths has to be moved to be that of the truth.
    length : float
        Share of the length that coarse cloth has lost along its compression which folds give back.
    change : float
        99th percentile of the change of height per 1/30 s, over the truth's: above 1 it pops.
    """

    angle: float
    precision: float
    recall: float
    amplitude: float
    amplitude_error: float
    wavelength: float
    wavelength_error: float
    length: float
    change: float


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """What of a surface is compared.

    Attributes
    ----------
    heights : (F, N) float64, metres
        Of all frames, over their own mean.
    energies : (E, N) float64
        Mean square slope around each vertex, in the frames that are measured.
    across : (E, N, 3) float64
        Unit vectors across the folds, on the cloth at rest; zero where there are none.
    wavelengths : (E, N) float64, metres
    lengths : (E, T) float64
        Length of the surface along the compression of each coarse face, over the length without its heights.
    """

    heights: Float64
    energies: Float64
    across: Float64
    wavelengths: Float64
    lengths: Float64


class Truth:
    """A fine simulation, against which layers upon the coarse one are measured.

    Parameters
    ----------
    coarse : Animation
        The cloth as layers get it.
    fine_positions : (F, N, 3) float, metres
        The fine cloth of the same frames.
    fine_faces : (S, 3) int
    coarse_rest, fine_rest : (M, 3) and (N, 3) float, metres
        Both meshes at rest.
    r_min : float, metres
        Least radius of the wrinkles that are looked for: the scale at which folds are told from each other.
    begin : float, seconds
        Frames before this are not measured, in which layers come to know the cloth.
    every : int
        Everything but the change is measured in one of so many frames.

    Raises
    ------
    ValueError
        Frames of another number or mesh, or no two of them after `begin`.
    """

    def __init__(
        self,
        coarse: Animation,
        fine_positions: ArrayLike,
        fine_faces: ArrayLike,
        coarse_rest: ArrayLike,
        fine_rest: ArrayLike,
        *,
        r_min: float,
        begin: float = 1.0,
        every: int = 4,
    ) -> None:
        self.coarse, self.r_min = coarse, positive_number("r_min", r_min)
        self.fine_rest, self.coarse_rest = float32("fine_rest", fine_rest), float32("coarse_rest", coarse_rest)
        self.fine = float32("fine_positions", fine_positions)
        if self.fine.shape != (coarse.frame_count, len(self.fine_rest), 3):
            raise ValueError(
                f"fine_positions: expected shape {(coarse.frame_count, len(self.fine_rest), 3)}, got {self.fine.shape}"
            )
        self._first = round(begin * coarse.fps)
        if self._first > coarse.frame_count - 2:
            raise ValueError(f"begin: expected a time two frames before the end of {coarse.frame_count}, got {begin:g}")
        self._every = every
        self.topology = Topology(coarse.faces, coarse.vertex_count)
        holders, weights = closest_points(self.coarse_rest, coarse.faces, self.fine_rest)
        self._holders: Int32 = holders.astype(np.int32)
        self._weights = np.clip(weights, 0.0, 1.0).astype(np.float32)
        coarse_edge = float(edge_lengths(self.coarse_rest, self.topology.edges).mean())
        self._rest = RestSurface(self.fine_rest, fine_faces)
        self._nearby, self._longest, self._wave = (
            self._rest.average(reach)
            for reach in (TENSOR_REACH * self.r_min, LONGEST * coarse_edge, WAVE_REACH * coarse_edge)
        )
        self._within_a_width = self._rest.within(FOLD_WIDTH * self.r_min)
        self._measure_coarse()
        self.folds = self.folds_of(self.fine)

    def _measure_coarse(self) -> None:
        """Find the smooth surface through the coarse vertices, and how and where the cloth is compressed."""
        surface, bases, normals = Surface(self.topology, base="curved"), [], []
        for positions in self.coarse.positions[self._first :]:
            surface.update(CoarseFrame(positions, self.topology))
            points = surface.evaluate(self._holders, self._weights)
            bases.append(points.positions)
            normals.append(points.normals)
        self._bases, self._normals = np.array(bases, np.float64), np.array(normals, np.float64)
        reference = edge_matrices(self.coarse_rest, self.coarse.faces)
        compressions, axes = [], []
        for positions in self.coarse.positions[self._first :: self._every]:
            found = stretch(reference, edge_matrices(positions, self.coarse.faces))
            corners = positions[self.coarse.faces].astype(np.float64)
            x = unit(corners[:, 1] - corners[:, 0])
            y = np.cross(unit(np.cross(x, corners[:, 2] - corners[:, 0])), x)
            compressions.append(found.compression)
            axes.append(found.axis[:, :1] * x + found.axis[:, 1:] * y)
        self._compressions, self._axes = np.array(compressions, np.float64), np.array(axes)

    def turned(self) -> Folds:
        """Return the truth's folds, each running across itself: a control, which nothing may take for cloth."""
        return replace(self.folds, across=np.cross(self._rest.normals, self.folds.across))

    def backwards(self) -> Folds:
        """Return the truth's folds with the last frame first: as true, in other places."""
        true = self.folds
        fields = (true.heights, true.energies, true.across, true.wavelengths, true.lengths)
        return Folds(*(field[::-1] for field in fields))

    def positions_of(self, layer: Layer) -> Float32:
        """Step a layer through the coarse cloth, and return its surface at the fine vertices.

        Parameters
        ----------
        layer : Layer
            One that gives heights, or whose shape is of the truth's own fine mesh, or a stack of both.

        Returns
        -------
        (F, N, 3) float32, metres

        Raises
        ------
        ValueError
            A shape with another number of vertices.
        """
        surface = Surface(self.topology, base="curved")
        return np.array([
            self._at_vertices(step_frame(layer, self.coarse, index), surface) for index in range(len(self.fine))
        ])  # fmt: skip

    def _at_vertices(self, frame: LayerFrame, surface: Surface) -> Float32:
        shapes = shapes_of(frame)
        surface.update(frame)
        if not shapes:
            return surface.evaluate(self._holders, self._weights).positions
        if shapes[0].shape.mesh.vertex_count != len(self.fine_rest):
            raise ValueError(
                f"layer: expected a shape of {len(self.fine_rest)} vertices, those of the truth, got "
                f"{shapes[0].shape.mesh.vertex_count}"
            )
        # a fine face at each vertex, and its weights there
        return surface.evaluate(*self._rest.corners).positions

    def folds_of(self, positions: ArrayLike) -> Folds:
        """Return what is compared of a surface at the fine vertices, (F, N, 3) float, metres, in all frames."""
        moved = np.asarray(positions)[self._first :]
        heights = ((moved - self._bases) * self._normals).sum(axis=2)
        heights = heights - self._longest(heights)
        measured, bases = heights[:: self._every], self._bases[:: self._every]
        energies, across = self._structure(measured)
        lengths = np.array([self._lengths(*each) for each in zip(measured, bases, self._axes, strict=True)])
        return Folds(heights, energies, across, self._wavelengths(measured), lengths)

    def restricted(self) -> Float32:
        """Return the truth without what is narrower than a fold: (F, N, 3), the most that wrinkles of `r_min` can show.

        Frames before the first that is measured stay as they are.
        """
        result = self.fine.copy()
        detail = (self.fine[self._first :] - self._bases).astype(np.float64)
        narrow = self._rest.average(0.2 * FOLD_WIDTH * self.r_min)
        result[self._first :] = self._bases + np.stack([narrow(detail[:, :, k]) for k in range(3)], axis=2)
        return result

    def _structure(self, heights: Float64) -> tuple[Float64, Float64]:
        """Return mean square slopes (E, N), and the directions (E, N, 3) in which heights (E, N) change most."""
        slopes = self._rest.slopes(heights)
        square = np.stack([slopes[..., i] * slopes[..., k] for i, k in TENSOR_ENTRIES])
        mean = self._nearby(self._rest.to_vertices(square.reshape(-1, square.shape[-1]))).reshape(6, len(heights), -1)
        tensors = np.empty((*mean.shape[1:], 3, 3))
        for entry, (i, k) in zip(mean, TENSOR_ENTRIES, strict=True):
            tensors[..., i, k] = tensors[..., k, i] = entry
        directions = np.linalg.eigh(tensors)[1][..., 2]
        directions = directions - (directions * self._rest.normals).sum(axis=-1, keepdims=True) * self._rest.normals
        energies = np.trace(tensors, axis1=2, axis2=3)
        # flat cloth has no direction
        return energies, unit(directions) * (energies > LEAST_ENERGY)[..., None]

    def _wavelengths(self, heights: Float64) -> Float64:
        """Return 2π √(⟨h²⟩ / ⟨|∇h|²⟩): the wavelength of a wave, whatever its amplitude and direction."""
        slopes = self._rest.to_vertices((self._rest.slopes(heights) ** 2).sum(axis=-1))
        square, steep = self._wave(heights**2), self._wave(slopes)
        return np.asarray(2 * np.pi * np.sqrt(np.maximum(square, 0.0) / np.maximum(steep, LEAST_ENERGY)))

    def _lengths(self, heights: Float64, base: Float64, axes: Float64) -> Float64:
        """Return the mean of √(1 + (∂h)²) along the compression over the fine faces of each coarse one, (T,)."""
        slopes, areas = face_slopes(heights[None], base, self._rest.faces)
        owners = self._holders[self._rest.faces[:, 0]]
        stretched = np.sqrt(1.0 + ((slopes[0] * axes[owners]).sum(axis=1)) ** 2) * areas
        count = len(axes)
        whole = np.bincount(owners, areas, count)
        return np.asarray(np.where(whole > 0.0, np.bincount(owners, stretched, count) / np.maximum(whole, 1e-30), 1.0))

    def compare(self, folds: Folds) -> Fidelity:
        """Return how near folds come to those of the truth."""
        true, areas = self.folds, self._rest.areas
        weights = np.sqrt(np.maximum(folds.energies, 0.0) * np.maximum(true.energies, 0.0)) * areas
        cosines = np.clip(np.abs((folds.across * true.across).sum(axis=2)), 0.0, 1.0)
        square, spread = self._amplitudes(folds.heights)
        true_square, true_spread = self._amplitudes(true.heights)
        spectra = [_spectrum(one.wavelengths, one.energies * areas) for one in (true, folds)]
        return Fidelity(
            _mean(np.degrees(np.arccos(cosines)), weights),
            *self._coverage(folds),
            float(np.sqrt(square / true_square)),
            float(np.abs(spread - true_spread).sum() / true_spread.sum()),
            _median(spectra[1]),
            float(np.abs(np.cumsum(spectra[0] - spectra[1])).sum() * (OCTAVES[1] - OCTAVES[0])),
            self._given_back(folds),
            self._change(folds.heights) / self._change(true.heights),
        )

    def _coverage(self, folds: Folds) -> tuple[float, float]:
        """Return the means over compressions of precision and recall in the compressed cloth."""
        compressed = self._compressions[:, self._holders] > COMPRESSIONS[0]
        shares = []
        for compression in COMPRESSIONS:
            # ⟨sin²⟩ of a wave that is longer than its chord by so much
            least = 2.0 * (1.0 - 1.0 / compression)
            here, there = (compressed & (one.energies > least) for one in (folds, self.folds))
            near_true, near = (self._within_a_width(mask) for mask in (there, here))
            shares.append([_mean(near_true, here * self._rest.areas), _mean(near, there * self._rest.areas)])
        # where there is nothing to find, or nothing was found, there is no share
        known = [column[np.isfinite(column)] for column in np.array(shares).T]
        precision, recall = (float(column.mean()) if len(column) else np.nan for column in known)
        return precision, recall

    def _amplitudes(self, heights: Float64) -> tuple[float, Float64]:
        """Return the mean square height of compressed cloth, and root mean squares by compression times their areas."""
        measured = heights[:: self._every]
        compressions = self._compressions[:, self._holders]
        kinds = np.digitize(compressions, CLASSES)
        areas = np.broadcast_to(self._rest.areas, measured.shape)
        whole = np.bincount(kinds.ravel(), areas.ravel(), len(CLASSES) + 1)
        squares = np.bincount(kinds.ravel(), (areas * measured**2).ravel(), len(CLASSES) + 1)
        return float(squares[2:].sum() / max(whole[2:].sum(), 1e-30)), np.sqrt(squares * whole)

    def _given_back(self, folds: Folds) -> float:
        compressed = self._compressions > COMPRESSIONS[0]
        rest_areas = triangle_areas(self.coarse_rest, self.coarse.faces)
        missing = ((self._compressions - 1.0) * compressed * rest_areas).sum()
        return float(((folds.lengths - 1.0) * compressed * rest_areas).sum() / missing) if missing > 0.0 else np.nan

    def _change(self, heights: Float64) -> float:
        step = max(1, round(self.coarse.fps / 30.0))
        before, after = heights[:-step], heights[step:]
        high = np.maximum(np.abs(before), np.abs(after)) > LEAST_HEIGHT
        changes = np.abs(after - before)[high] * (self.coarse.fps / (30.0 * step))
        return float(np.percentile(changes, 99)) if len(changes) else 0.0


def _mean(values: NDArray[Any], weights: Float64) -> float:
    whole = float(weights.sum())
    return float((values * weights).sum()) / whole if whole > 0.0 else np.nan


def _spectrum(wavelengths: Float64, weights: Float64) -> Float64:
    """Return the share of each class of wavelengths."""
    octaves = np.clip(np.log2(np.maximum(wavelengths, 1e-9)), OCTAVES[0], OCTAVES[-1])
    shares = np.histogram(octaves, OCTAVES, weights=weights)[0]
    return np.asarray(shares / max(float(shares.sum()), 1e-30))


def _median(spectrum: Float64) -> float:
    """Return the median wavelength of a spectrum, metres."""
    if not spectrum.any():
        return np.nan
    place = int(np.searchsorted(np.cumsum(spectrum), 0.5))
    return float(2.0 ** (0.5 * (OCTAVES[place] + OCTAVES[place + 1])))
