"""A trained model and its file, usually called NAME.upsampling.npz.

Arrays of the file, for M coarse and N fine vertices and P pairs of oscillating shapes:

=================== ================= =====================================================================
array               type, shape       meaning
=================== ================= =====================================================================
format              text              JSON: "version", and "report", the results of training
operator            (N, M) f2 | f4    U; rows sum to 1
coarse_faces        (T, 3) i4
fine_faces          (S, 3) i4
coarse_rest         (M, 3) f4         metres
fine_rest           (N, 3) f4         metres
holders             (N,) i4           index of the coarse face that contains each fine vertex
barycentric         (N, 3) f4         barycentric coordinates in that face
attachment          (N,) f4           weight of each fine vertex's pin, in [0, 1]
oscillation_shapes  (2P, N) f4        metres along the normal; sine and cosine rows alternate
frequencies         (P,) f4           Hz
covariance          (M, M) f4         of the coarse positions in training, m²
detail_grids        (5,) i4           optional: rows, columns, fine rows, fine columns, closed
detail_...          f4                optional: weights of neural detail, see `Grids.detail_shapes`
=================== ================= =====================================================================

The arrays are not compressed, because compression would save little. C and C++ programs read the same file
(`ruckle_c_upsampling.h`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle._core import Topology as CoreTopology
from ruckle.arguments import choice
from ruckle.arrays import Float32, Int32, float32, triangles
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.mesh.topology import Topology
from ruckle.surface.layers import RefinedMesh
from ruckle.upsampling.grids import Grids
from ruckle.upsampling.parameters import Precision

__all__ = ["UpsamplingModel", "load_model"]

# Files with neural detail have a higher version number, so that older programs reject them.
FORMAT_VERSION, DETAIL_VERSION = 1, 2

# Allowed `dtype.kind` and shape of each array in a file. A letter is a size; it is the same in all shapes.
ARRAYS: dict[str, tuple[str, tuple[str | int, ...]]] = {
    "operator": ("f", ("N", "M")),
    "coarse_faces": ("iu", ("T", 3)),
    "fine_faces": ("iu", ("S", 3)),
    "coarse_rest": ("f", ("M", 3)),
    "fine_rest": ("f", ("N", 3)),
    "holders": ("iu", ("N",)),
    "barycentric": ("f", ("N", 3)),
    "attachment": ("f", ("N",)),
    "oscillation_shapes": ("f", ("2P", "N")),
    "frequencies": ("f", ("P",)),
    "covariance": ("f", ("M", "M")),
}

# Each row of the operator must have sum 1. This is the largest allowed error, divided by the row's sum of absolute
# values. The core has the same limit.
ROW_SUM_TOLERANCE = 1e-3

# Smallest variance of an eigenvector of `covariance`, divided by the largest variance. A smaller variance is only the
# rounding error of positions.
SEEN_SHARE = 1e-6


@dataclass(frozen=True, eq=False)
class UpsamplingModel:
    """The trained model of one garment: the complete input of `Upsampler`.

    Attributes
    ----------
    operator : (N, M) float32
        U, the matrix that computes fine positions from coarse positions. Each row has sum 1.
    coarse_faces, fine_faces : (T, 3) and (S, 3) int32
    coarse_rest, fine_rest : (M, 3) and (N, 3) float32, metres
    holders, barycentric : (N,) int32 and (N, 3) float32
        Coarse face of each fine vertex, and barycentric coordinates in that face.
    attachment : (N,) float32, in [0, 1]
        Weight of each fine vertex's pin, a target position that `Upsampler.step` receives.
    oscillation_shapes : (2P, N) float32, metres
        Displacements along the normal. The rows alternate: sine, cosine.
    frequencies : (P,) float32, Hz
    covariance : (M, M) float32, m²
        Mean, over the training frames and the three axes, of the products of two vertices' coordinates, which are
        relative to the centre of the frame.
    detail : mapping of str to array
        Arrays of neural detail: "grids" and the arrays of `Grids.detail_shapes`; empty without neural detail.
    report : mapping
        Results of the training, such as penalties and the errors of each motion.

    Raises
    ------
    ValueError
        Shapes of arrays do not match, a number is not finite, or the sum of a row is not 1.
    MeshError
        The faces do not form a manifold mesh.
    """

    operator: Float32
    coarse_faces: Int32
    fine_faces: Int32
    coarse_rest: Float32
    fine_rest: Float32
    holders: Int32
    barycentric: Float32
    attachment: Float32
    oscillation_shapes: Float32
    frequencies: Float32
    covariance: Float32
    detail: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        extents: dict[str, int] = {}
        for name, (kinds, shape) in ARRAYS.items():
            array = float32(name, getattr(self, name)) if kinds == "f" else triangles(name, getattr(self, name))
            object.__setattr__(self, name, array)
            _require_shape(name, array, shape, extents)
            if not np.isfinite(array).all():
                raise ValueError(f"{name}: every number must be finite")
        if extents["2P"] != 2 * extents["P"]:
            raise ValueError(
                f"oscillation_shapes: expected {2 * extents['P']} shapes, two for each frequency, got {extents['2P']}"
            )
        if not (self.frequencies > 0.0).all():
            raise ValueError(f"frequencies: expected numbers above 0, got {self.frequencies.min():g}")
        sums = self.operator.sum(axis=1, dtype=np.float64)
        off = np.abs(sums - 1.0) / np.maximum(np.abs(self.operator).sum(axis=1, dtype=np.float64), 1.0)
        worst = int(off.argmax())
        if off[worst] > ROW_SUM_TOLERANCE:
            raise ValueError(f"operator: expected rows of sum 1, got {sums[worst]:g} in row {worst}")
        for name, least, most in (("attachment", 0, 1), ("barycentric", 0, 1), ("holders", 0, extents["T"] - 1)):
            array = getattr(self, name)
            if array.min() < least or array.max() > most:
                raise ValueError(
                    f"{name}: expected numbers from {least} to {most}, got {array.min():g} to {array.max():g}"
                )
        if self.detail:
            _require_detail(self.detail, extents["M"], extents["N"])
        # create the refinement now, so that an unusable mesh raises its error before the first frame
        self.mesh.core(self.topology)

    @property
    def core_detail(self) -> dict[str, Any] | None:
        """Neural detail as flat arrays for the core; None without neural detail."""
        if not self.detail:
            return None
        flat = {name: np.ravel(array) for name, array in self.detail.items()}
        return {**flat, "rest": self.coarse_rest}

    @cached_property
    def topology(self) -> CoreTopology:
        """Connectivity of the coarse mesh."""
        return Topology(self.coarse_faces, len(self.coarse_rest))

    @cached_property
    def mesh(self) -> RefinedMesh:
        """The fine mesh, with the position of its vertices on the coarse mesh."""
        return RefinedMesh(self.fine_faces, self.holders, self.barycentric)

    @property
    def coarse_count(self) -> int:
        """Number of coarse vertices M."""
        return len(self.coarse_rest)

    @property
    def fine_count(self) -> int:
        """Number of fine vertices N."""
        return len(self.fine_rest)

    @property
    def oscillation_count(self) -> int:
        """Number of pairs of oscillating shapes P."""
        return len(self.frequencies)

    @cached_property
    def edge_length(self) -> float:
        """Mean length of the fine edges at rest, metres."""
        corners = self.fine_rest[self.fine_faces]
        return float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean())

    def strangeness(self, frames: ArrayLike) -> NDArray[np.float64]:
        """Return a measure (F,) of how much each frame differs from the training data; about 1 for usual frames.

        For each eigenvector of `covariance`, the three coordinates of the frame's component are divided by their root
        mean square in training. The result is the root mean square of these quotients over all eigenvectors: a
        Mahalanobis distance. Positions are relative to the centre of the frame. An eigenvalue below
        a millionth of the largest eigenvalue is replaced by this millionth.

        Parameters
        ----------
        frames : (F, M, 3) float, mesh units
        """
        values, vectors = np.linalg.eigh(self.covariance.astype(np.float64))
        given = float32("frames", frames).astype(np.float64)
        lengths = np.einsum("md,fmx->fdx", vectors, given - given.mean(axis=1, keepdims=True)) ** 2
        usual = np.maximum(values, SEEN_SHARE * values[-1])
        return np.asarray(np.sqrt((lengths.mean(axis=2) / usual).mean(axis=1)))

    def save(self, path: str | os.PathLike[str], *, precision: Precision = "half") -> None:
        """Write the model to a file, usually called ``NAME.upsampling.npz``. An existing file is replaced.

        Parameters
        ----------
        path : path
        precision : {"half", "single"}
            Number format of the operator; "half" has an error of 0.02 mm for a skirt.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        arrays: dict[str, Any] = {name: getattr(self, name) for name in ARRAYS}
        if choice("precision", precision, ("half", "single")) == "half":
            arrays["operator"] = self.operator.astype(np.float16)
        arrays |= {f"detail_{name}": array for name, array in self.detail.items()}
        version = DETAIL_VERSION if self.detail else FORMAT_VERSION
        text = json.dumps({"version": version, "report": dict(self.report)}, sort_keys=True)
        with replacing(as_path("path", path)) as file:
            np.savez(file, format=np.array(text), **arrays)

    def __repr__(self) -> str:
        pairs = f", {self.oscillation_count} oscillations" if self.oscillation_count else ""
        return f"UpsamplingModel({self.coarse_count} coarse to {self.fine_count} fine vertices{pairs})"


def load_model(path: str | os.PathLike[str]) -> UpsamplingModel:
    """Read a trained model from a file that `UpsamplingModel.save` wrote.

    Parameters
    ----------
    path : path

    Returns
    -------
    UpsamplingModel

    Raises
    ------
    FormatError
        The file is not such a model, has a format version that is too new, or is damaged.
    FileNotFoundError
        The file is missing.
    """
    file = as_path("path", path)
    archive = Archive(file, Budget())
    missing = [name for name in ("format", *ARRAYS) if name not in archive.names]
    if missing:
        raise FormatError(f"{file}: is not a model of upsampling; it has no array {missing[0]}")
    report = _report(file, archive.text("format"))
    extents: dict[str, int] = {}
    try:
        # check all shapes first, so that an array of a wrong shape is not decompressed
        for name, (_, shape) in ARRAYS.items():
            _require_shape(name, archive.header(name)[0], shape, extents)
        arrays = {name: archive.array(name, kinds) for name, (kinds, _) in ARRAYS.items()}
        return UpsamplingModel(**arrays, detail=_read_detail(archive), report=report)
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"{file}: is damaged ({error})") from error


def _report(file: Path, text: str) -> Mapping[str, Any]:
    """Return the report in the text `format` of a file. FormatError if the text is damaged or its version too new."""
    try:
        content = json.loads(text)
        version = content["version"]
        if not isinstance(version, int) or not isinstance(content["report"], dict):
            raise TypeError("it has no version or no report")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError(f"{file}: is damaged (format: {error})") from error
    if version > DETAIL_VERSION:
        raise FormatError(f"{file}: has format version {version}; this ruckle reads up to {DETAIL_VERSION}")
    return dict(content["report"])


def _read_detail(archive: Archive) -> dict[str, Any]:
    """Return the arrays of neural detail in a file; empty if the file does not have them."""
    if "detail_grids" not in archive.names:
        return {}
    numbers = archive.array("detail_grids", "i")
    names = _grids(numbers).detail_shapes()
    missing = [name for name in names if f"detail_{name}" not in archive.names]
    if missing:
        raise ValueError(f"detail_{missing[0]}: is missing")
    return {"grids": numbers} | {name: archive.array(f"detail_{name}", "f") for name in names}


def _grids(numbers: NDArray[Any]) -> Grids:
    """Return the grids of an array `detail_grids`; ValueError if it is not one."""
    if numbers.shape != (5,) or (numbers[:4] < 2).any() or numbers[1] < 3:
        raise ValueError(f"detail_grids: expected five numbers, of rows and columns, got {numbers}")
    rows, columns, fine_rows, fine_columns, closed = numbers.tolist()
    return Grids(rows, columns, fine_rows, fine_columns, bool(closed))


def _require_detail(detail: Mapping[str, Any], coarse_count: int, fine_count: int) -> None:
    """Raise ValueError if the arrays of neural detail do not match the vertex counts, or are not finite float32."""
    grids = _grids(np.asarray(detail["grids"]))
    if grids.rows * grids.columns != coarse_count or grids.fine_rows * grids.fine_columns != fine_count:
        raise ValueError(f"detail_grids: {grids} is not of {coarse_count} coarse and {fine_count} fine vertices")
    for name, shape in grids.detail_shapes().items():
        found = np.asarray(detail[name])
        if found.shape != shape or found.dtype != np.float32 or not np.isfinite(found).all():
            raise ValueError(
                f"detail_{name}: expected finite float32 of shape {shape}, got {found.dtype} of {found.shape}"
            )


def _require_shape(
    name: str, array: NDArray[Any] | tuple[int, ...], shape: tuple[str | int, ...], extents: dict[str, int]
) -> None:
    """Raise ValueError if an array (or its shape, as a tuple) does not have `shape`.

    `extents` contains the sizes of letters. The first array with a letter adds the size to `extents`. Only P may be 0.
    """
    found = array if isinstance(array, tuple) else array.shape
    wanted = tuple(extents.get(extent, extent) if isinstance(extent, str) else extent for extent in shape)
    fits = len(found) == len(wanted) and all(
        isinstance(want, str) or want == have for want, have in zip(wanted, found, strict=True)
    )
    if not fits or (0 in found and not {"P", "2P"} & set(shape)):
        raise ValueError(f"{name}: expected an array of shape ({', '.join(map(str, wanted))}), got {found}")
    extents.update({extent: have for extent, have in zip(shape, found, strict=True) if isinstance(extent, str)})
