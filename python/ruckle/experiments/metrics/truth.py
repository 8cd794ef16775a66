"""Agreement of a wrinkled surface with fine simulated cloth of the same garment in the same motion.

The whole surface is compared after subtraction of its own smoothed version. A smoothing kernel with standard deviation
25 mm shows folds, one of 60 mm shows drapes. Heights are not compared point by point: between two simulations of one
garment, heights have a correlation of 0.3, but maps of slope have 0.9. The bare coarse mesh itself has some folds, so
every table has a row for it. A second simulation shows the best possible scores. This module requires scipy (extra
`ruckle[simulation]`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import positive_number
from ruckle.arrays import Float32
from ruckle.experiments.metrics.rest_surface import RestSurface
from ruckle.mesh.geometry import unit
from ruckle.mesh.topology import Topology
from ruckle.offline.simulation.remeshing import boundary_loops
from ruckle.offline.simulation.truth_scene import TruthScene
from ruckle.stack import Layer, step_frame
from ruckle.surface.frame import CoarseFrame
from ruckle.surface.layers import shapes_of
from ruckle.surface.surface import Surface

__all__ = ["DRAPE_WIDTH", "FOLD_WIDTH", "Fidelity", "Folds", "Truth", "bare_surfaces", "layer_surfaces"]

Float64 = NDArray[np.float64]

FOLD_WIDTH, DRAPE_WIDTH = 0.025, 0.060
"""Standard deviations of the two smoothing kernels in metres, for a person of 1.75 m; see `TruthScene.scale`."""

# Lengths relative to the width of the main kernel. The first four are standard deviations of other averages: against
# mesh noise; of the structure tensor; of slope maps; of wavelengths. Then: search radius of recall and precision;
# distance along a fold.
NARROW, TENSOR, MAP, WAVE, TOLERANCE, ALONG = 0.16, 0.34, 1.2, 0.8, 0.6, 1.6

# Cloth within these distances in metres of a hem, or of a very thin or folded triangle of the fine rest mesh, is not
# measured.
RIM, SLIVER_REACH = 0.025, 0.020

# Rest faces are measured only above these limits: shape (1 for equilateral triangles), and cosine between the normals
# of the fine face and its coarse face.
LEAST_SHAPE, LEAST_COSINE = 0.35, 0.6

# A vertex is free if its attachment weight is at most this value.
FREE = 0.01

# Cloth counts for the measure `length` only if the coarse mesh is compressed by more than this value.
COMPRESSED = 1.02

# Cloth with a smaller mean square slope is flat.
LEAST_ENERGY = 1e-12

# Independent entries of a symmetric 3x3 tensor.
TENSOR_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Agreement of one surface with the fine simulation at one kernel width; NaN if folds are missing.

    Attributes
    ----------
    recall : float
        Fraction of the true folds (area with a slope above the threshold) that have a fold of the surface nearby.
    precision : float
        Fraction of the surface's folds that have a true fold nearby.
    slope : float
        Root mean square slope, divided by the true value.
    length : float
        Length that folds add along the compression of the coarse mesh, divided by the true value.
    space : float
        Correlation of slope maps (averaged over 3 cm) within a frame; mean over frames.
    time : float
        Correlation of the deviations of these maps from their mean over time.
    angle : float, degrees
        Mean angle between fold directions; random directions have 45.
    along : float
        Correlation of heights at a distance of 1.6 kernel widths along a fold. It is low for bubbles and short folds.
    wavelength : float, metres
        Median wavelength across the folds.
    autocorrelation : float
        Correlation of the height changes per 1/60 s in consecutive frames: 1 for smooth motion, 0 for noise.
    change : float
        Root mean square height change per 1/60 s, divided by the root mean square height.
    outward : float, metres
        Volume between the surface and the bare coarse surface, divided by the area; negative where it is inside.
    """

    recall: float
    precision: float
    slope: float
    length: float
    space: float
    time: float
    angle: float
    along: float
    wavelength: float
    autocorrelation: float
    change: float
    outward: float


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Compared fields of one surface in the E measured frames, at the fine vertices.

    Attributes
    ----------
    heights : (E, 3, N) float64, metres
        Heights over the smoothed surface, in three successive frames.
    tensors : (E, N, 3, 3) float64
        Structure tensors: local means of the outer product of the slope with itself, in rest coordinates.
    across : (E, N, 3) float64
        Unit vectors across the folds; zero where the cloth is flat.
    wavelengths : (E, N) float64, metres
    maps : (E, N) float64
        Root mean square slope, averaged over 3 cm.
    outward : float, metres
        Mean distance from the bare coarse surface along its normals.
    """

    heights: Float64
    tensors: Float64
    across: Float64
    wavelengths: Float64
    maps: Float64
    outward: float

    @property
    def energies(self) -> Float64:
        """Mean square slope around each vertex, (E, N)."""
        return np.asarray(np.maximum(np.trace(self.tensors, axis1=2, axis2=3), 0.0))


class Truth:
    """Fine simulated cloth with which surfaces are compared, at one kernel width.

    Parameters
    ----------
    scene : TruthScene
    width : float, metres, optional
        Standard deviation of the smoothing kernel. The default is `FOLD_WIDTH`, scaled to the character's height.
    threshold : float
        Least slope of a fold.
    begin : float, seconds
        Time of the first measured frame, so that layers can adapt to the motion before.
    every : int
        Number of frames between measured frames; each measurement also uses the two successors of its frame.

    Raises
    ------
    ValueError
        The scene has less than three frames after `begin`, or does not have free cloth.
    """

    def __init__(
        self,
        scene: TruthScene,
        *,
        width: float | None = None,
        threshold: float = 0.25,
        begin: float = 0.75,
        every: int = 15,
    ) -> None:
        coarse = scene.coarse
        scale = scene.scale
        self.scene, self.threshold = scene, positive_number("threshold", threshold)
        self.width = positive_number("width", scale * FOLD_WIDTH if width is None else width)
        self._step = max(1, round(coarse.fps / 60.0))
        first, last = round(begin * coarse.fps), coarse.frame_count - 2 * self._step
        if first >= last:
            raise ValueError(
                f"begin: expected a time at least three frames before the end at {coarse.duration:.3g} s, got {begin:g}"
            )
        starts = np.arange(first, last, every)
        self.frames: NDArray[np.int64] = starts[:, None] + self._step * np.arange(3)
        """Measured frames (E, 3), each with its two successors."""
        self._rest = RestSurface(scene.rest, scene.faces)
        self._narrow, self._mean, self._nearby, self._map, self._wave = (
            self._rest.average(share * self.width) for share in (NARROW, 1.0, TENSOR, MAP, WAVE)
        )
        self._within_tolerance = self._rest.within(TOLERANCE * self.width)
        self.areas: Float64 = self._rest.areas * measured_vertices(scene, self._rest, scale)
        """Area (N,) of each fine vertex in m²; zero for vertices that are not measured."""
        if not self.areas.any():
            raise ValueError("scene: expected unpinned cloth that is not near a hem, found none")
        self._compressions, self._axes = self._coarse_strain()
        self._bare = self._kept(bare_surfaces(scene), self.frames[:, 0])
        self._bare_normals = np.array([self._rest.normals_of(x) for x in self._bare])
        self._along = _neighbours_along(self._rest.points, self._rest.normals)
        self.folds = self.folds_of(scene.positions)
        """Fields of the fine simulation itself."""

    @property
    def busiest_frame(self) -> int:
        """The measured frame with the steepest folds."""
        return int(self.frames[(self.folds.energies * self.areas).sum(axis=1).argmax(), 0])

    def measure(self, surfaces: Iterable[ArrayLike]) -> Fidelity:
        """Return the agreement of surfaces (N, 3) with the fine simulation; one surface per scene frame, metres."""
        return self.compare(self.folds_of(surfaces))

    def folds_of(self, surfaces: Iterable[ArrayLike]) -> Folds:
        """Return the fields to compare, for surfaces (N, 3) at the fine vertices; one per scene frame, metres.

        Raises
        ------
        ValueError
            A surface has another number of vertices than the scene, or there are too few surfaces.
        """
        kept = self._kept(surfaces, self.frames.ravel())
        bases = self._averaged(self._mean, self._averaged(self._narrow, kept))
        fine = self._averaged(self._narrow, kept)
        normals = np.array([self._rest.normals_of(base) for base in bases])
        heights = ((fine - bases) * normals).sum(axis=2)
        heights = (heights - self._mean(heights)).reshape(*self.frames.shape, -1)
        first = heights[:, 0]
        slopes = self._rest.slopes(first)
        tensors = self._tensors(slopes)
        energies = np.maximum(np.trace(tensors, axis1=2, axis2=3), 0.0)
        across = np.linalg.eigh(tensors)[1][..., 2]
        across = unit(across - (across * self._rest.normals).sum(axis=-1, keepdims=True) * self._rest.normals)
        square, steep = self._wave(first**2), self._wave(self._rest.to_vertices((slopes**2).sum(axis=-1)))
        offsets = ((kept[::3] - self._bare) * self._bare_normals).sum(axis=2)
        return Folds(
            heights,
            tensors,
            across * (energies > LEAST_ENERGY)[..., None],
            2 * np.pi * np.sqrt(np.maximum(square, 0.0) / np.maximum(steep, LEAST_ENERGY)),
            np.sqrt(np.maximum(self._map(energies), 0.0)),
            _mean(offsets, np.broadcast_to(self.areas, offsets.shape)),
        )

    def turned(self) -> Folds:
        """Return the folds of the fine simulation, rotated by 90 degrees at each vertex. This control must fail."""
        true, normals = self.folds, self._rest.normals
        turn = np.zeros((len(normals), 3, 3))
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            turn[:, i, j], turn[:, j, i] = -normals[:, k], normals[:, k]
        tensors = turn @ true.tensors @ np.swapaxes(turn, 1, 2)
        return replace(true, tensors=tensors, across=np.cross(normals, true.across))

    def compare(self, folds: Folds) -> Fidelity:
        """Return the agreement of the fields of a surface with the fields of the fine simulation."""
        true, areas = self.folds, np.broadcast_to(self.areas, self.folds.maps.shape)
        energies, true_energies = folds.energies, true.energies
        here, there = (np.sqrt(energy) > self.threshold for energy in (energies, true_energies))
        weights = np.sqrt(energies * true_energies) * areas
        cosines = np.clip(np.abs((folds.across * true.across).sum(axis=2)), 0.0, 1.0)
        changes = np.diff(folds.heights, axis=1)
        squares = (changes**2 * self.areas).sum(axis=(0, 2))
        high = float((folds.heights[:, 0] ** 2 * areas).sum())
        return Fidelity(
            recall=_mean(self._within_tolerance(here), there * areas),
            precision=_mean(self._within_tolerance(there), here * areas),
            slope=_ratio((energies * areas).sum(), (true_energies * areas).sum()) ** 0.5,
            length=_ratio(self._length(folds), self._length(true)),
            space=float(np.mean([_correlation(a, b, self.areas) for a, b in zip(folds.maps, true.maps, strict=True)])),
            time=_correlation(folds.maps - folds.maps.mean(axis=0), true.maps - true.maps.mean(axis=0), areas),
            angle=_mean(np.degrees(np.arccos(cosines)), weights),
            along=self._correlation_along(folds),
            wavelength=_median(folds.wavelengths, energies * areas),
            autocorrelation=_ratio((changes[:, 1] * changes[:, 0] * self.areas).sum(), squares[0]),
            change=_ratio(squares[0], high) ** 0.5 * self.scene.coarse.fps / (60.0 * self._step),
            outward=folds.outward,
        )

    def _kept(self, surfaces: Iterable[ArrayLike], frames: NDArray[np.int64]) -> Float64:
        wanted, kept, index = set(frames.tolist()), {}, -1
        for index, surface in enumerate(surfaces):
            if index not in wanted:
                continue
            kept[index] = np.asarray(surface, np.float64)
            if kept[index].shape != self.scene.rest.shape:
                raise ValueError(f"surfaces: expected shape {self.scene.rest.shape}, got {kept[index].shape}")
            if len(kept) == len(wanted):
                break
        if len(kept) < len(wanted):
            raise ValueError(f"surfaces: expected {self.scene.coarse.frame_count} frames, got {len(kept)}")
        return np.array([kept[frame] for frame in frames.tolist()])

    def _averaged(self, average: Any, positions: Float64) -> Float64:
        count = len(positions)
        columns = average(positions.transpose(0, 2, 1).reshape(3 * count, -1))
        return np.ascontiguousarray(columns.reshape(count, 3, -1).transpose(0, 2, 1))

    def _tensors(self, slopes: Float64) -> Float64:
        square = np.stack([slopes[..., i] * slopes[..., k] for i, k in TENSOR_ENTRIES])
        mean = self._nearby(self._rest.to_vertices(square.reshape(-1, square.shape[-1])))
        mean = mean.reshape(6, len(slopes), -1)
        tensors = np.empty((*mean.shape[1:], 3, 3))
        for entry, (i, k) in zip(mean, TENSOR_ENTRIES, strict=True):
            tensors[..., i, k] = tensors[..., k, i] = entry
        return tensors

    def _coarse_strain(self) -> tuple[Float64, Float64]:
        """Return the coarse compression (E, N) and its axis (E, N, 3) in rest coordinates, at the fine vertices."""
        scene = self.scene
        rest, faces = scene.coarse_rest.astype(np.float64), scene.coarse.faces
        first, second = (rest[faces[:, k]] - rest[faces[:, 0]] for k in (1, 2))
        x = unit(first)
        y = np.cross(unit(np.cross(first, second)), x)
        frame = np.stack([x, y], axis=2)
        flat = np.linalg.inv(np.stack([first, second], axis=1) @ frame)
        compressions, axes = [], []
        for positions in scene.coarse.positions[self.frames[:, 0]].astype(np.float64):
            edges = np.stack([positions[faces[:, k]] - positions[faces[:, 0]] for k in (1, 2)], axis=1)
            # right Cauchy-Green tensor of each face
            squares, vectors = np.linalg.eigh(flat @ (edges @ edges.transpose(0, 2, 1)) @ flat.transpose(0, 2, 1))
            compressions.append(1.0 / np.sqrt(np.maximum(squares[:, 0], 1e-4))[scene.coarse_faces])
            axes.append((frame @ vectors[:, :, :1])[scene.coarse_faces, :, 0])
        return np.array(compressions), np.array(axes)

    def _length(self, folds: Folds) -> float:
        """Return the length that folds add along the compression, integrated over the area of compressed cloth."""
        chord = 1.0 / self._compressions
        steep = np.einsum("eni,enij,enj->en", self._axes, folds.tensors, self._axes)
        gained = np.sqrt(chord**2 + np.maximum(steep, 0.0)) - chord
        return float((gained * (self._compressions > COMPRESSED) * self.areas).sum())

    def _correlation_along(self, folds: Folds) -> float:
        sums = np.zeros(3)
        for height, energy, across in zip(folds.heights[:, 0], folds.energies, folds.across, strict=True):
            there, found = self._along(np.cross(self._rest.normals, across) * ALONG * self.width)
            weights, other = np.sqrt(energy) * self.areas * found * (self.areas[there] > 0.0), height[there]
            sums += [(weights * product).sum() for product in (height * other, height**2, other**2)]
        return _ratio(sums[0], np.sqrt(sums[1] * sums[2]))


def bare_surfaces(scene: TruthScene) -> Iterator[Float64]:
    """Yield the smooth surface without folds at the fine vertices, (N, 3) metres, for each coarse frame."""
    topology = Topology(scene.coarse.faces, scene.coarse.vertex_count)
    surface = Surface(topology, base="curved")
    for positions in scene.coarse.positions:
        surface.update(CoarseFrame(positions, topology))
        yield surface.evaluate(scene.coarse_faces, scene.barycentric).positions.astype(np.float64)


def layer_surfaces(scene: TruthScene, layer: Layer) -> Iterator[Float32]:
    """Step a layer through the coarse frames, and yield its surface at the fine vertices (N, 3), metres.

    Raises
    ------
    ValueError
        The layer computes a fine mesh with another number of vertices than the scene.
    """
    rest = RestSurface(scene.rest, scene.faces)
    surface = Surface(Topology(scene.coarse.faces, scene.coarse.vertex_count), base="curved")
    for index in range(scene.coarse.frame_count):
        frame = step_frame(layer, scene.coarse, index)
        shapes = shapes_of(frame)
        if shapes and shapes[0].shape.mesh.vertex_count != len(scene.rest):
            raise ValueError(
                f"layer: expected a shape of {len(scene.rest)} vertices, those of the truth, got "
                f"{shapes[0].shape.mesh.vertex_count}"
            )
        surface.update(frame)
        # if the layer has its own fine mesh, the surface is evaluated at the corners of this mesh
        yield surface.evaluate(*(rest.corners if shapes else (scene.coarse_faces, scene.barycentric))).positions


def measured_vertices(scene: TruthScene, rest: RestSurface, scale: float) -> NDArray[np.bool_]:
    """Return a mask (N,) of fine vertices that are free and not near hems, slivers or folded faces of the rest mesh."""
    from scipy.spatial import KDTree

    points, faces = rest.points, rest.faces
    measured = scene.attachment < FREE
    loops = boundary_loops(faces)
    if loops:
        rim = points[np.unique(np.concatenate(loops))]
        measured = measured & (KDTree(rim).query(points)[0] > RIM * scale)
    corners, flat = points[faces], scene.on_coarse(scene.coarse_rest)[faces]
    normals, flat_normals = (np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) for x in (corners, flat))
    squares = sum(((corners[:, k] - corners[:, k - 1]) ** 2).sum(axis=1) for k in range(3))
    shapes = 2 * np.sqrt(3) * np.linalg.norm(normals, axis=1) / np.maximum(squares, 1e-30)
    bad = (shapes < LEAST_SHAPE) | ((unit(normals) * unit(flat_normals)).sum(axis=1) < LEAST_COSINE)
    if bad.any():
        measured = measured & (KDTree(points[np.unique(faces[bad])]).query(points)[0] > SLIVER_REACH * scale)
    return np.asarray(measured)


def _neighbours_along(points: Float64, normals: Float64) -> Any:
    """Return a function from offsets (N, 3) to the vertex nearest to each displaced vertex, and a validity mask."""
    from scipy.spatial import KDTree

    tree = KDTree(points)

    def along(offsets: Float64) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        lengths = np.linalg.norm(offsets, axis=1)
        distances, there = tree.query(points + offsets)
        # vertices on the other side of the garment, whose normals are opposite, are not valid
        same_side = (normals * normals[there]).sum(axis=1) > 0.5
        return there, (distances < 0.3 * np.maximum(lengths, 1e-9)) & same_side & (lengths > 0.0)

    return along


def _mean(values: NDArray[Any], weights: NDArray[Any]) -> float:
    return _ratio((values * weights).sum(), weights.sum())


def _ratio(value: Any, whole: Any) -> float:
    return float(value) / float(whole) if whole > 0.0 else np.nan


def _correlation(a: Float64, b: Float64, weights: Float64) -> float:
    a, b = (x - (x * weights).sum() / weights.sum() for x in (a, b))
    return _ratio((a * b * weights).sum(), np.sqrt((a * a * weights).sum() * (b * b * weights).sum()))


def _median(values: Float64, weights: Float64) -> float:
    order = np.argsort(values, axis=None)
    sums = np.cumsum(weights.ravel()[order])
    return float(values.ravel()[order][np.searchsorted(sums, 0.5 * sums[-1])]) if sums[-1] > 0.0 else np.nan
