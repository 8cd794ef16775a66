"""Makes patterns from grey images over texture coordinates, and reads image files."""

from __future__ import annotations

import heapq
import io
import os
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle._core import Topology as CoreTopology
from ruckle.arguments import choice, mesh_length, pair, positive_number
from ruckle.arrays import first_true, triangles
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.npz import read_array
from ruckle.io.reading import as_path
from ruckle.mesh.geometry import edge_lengths
from ruckle.patterns.cells import Float64
from ruckle.patterns.grid import PatternGrid, pattern_grid
from ruckle.patterns.pattern import Pattern

__all__ = ["image_pattern", "load_grey_image", "seam_distance"]

Wrap = Literal["repeat", "clamp"]

# Pillow's modes of images with one value per texel.
GREY_MODES = ("1", "L", "I", "I;16", "I;16B", "F")

# Patterns fade to 0 within this distance of a seam, as a share of the largest side of the cloth's bounding box. The
# distance is about 2 % of the wearer's height.
SEAM_SHARE = 0.04


def image_pattern(
    grid: PatternGrid,
    image: ArrayLike | str | os.PathLike[str],
    *,
    uv: ArrayLike,
    uv_faces: ArrayLike | None = None,
    wrap: Wrap = "repeat",
    scale: float = 1.0,
    offset: tuple[float, float] = (0.0, 0.0),
    seam_width: float | None = None,
    name: str = "image",
) -> Pattern:
    """Make a pattern from a grey image over the texture coordinates.

    The heights are a uniform cubic B-spline whose control points are the texels (Hadap 4, item 2). It is twice
    continuously differentiable, and blurs the image by about one texel. At a seam, the two sides have different texels.
    Patterns therefore fade to 0 there; real seams are also stiff. Before that, the mean of the heights is subtracted.

    Parameters
    ----------
    grid : PatternGrid
    image : (H, W) float, or a path
        Heights in any unit, with v = 1 in the first row; or the path of a file, see `load_grey_image`.
    uv : (U, 2) float
    uv_faces : (T, 3) int, optional
        Index into `uv` of each face corner; default: the vertex of the corner.
    wrap : {"repeat", "clamp"}
        Values outside the image: "repeat" repeats the image, "clamp" repeats the texels of its border.
    scale : float, > 0
        Factor of the texture coordinates. If 2, the image occurs twice along each axis.
    offset : two floats
        Added to the scaled texture coordinates.
    seam_width : float, mesh units, optional
        Within this distance of a seam, measured along mesh edges, the pattern fades to 0. Default: 4 % of the largest
        side of the cloth's bounding box. 0 disables the fading. Without `uv_faces`, there are no seams.
    name : str

    Returns
    -------
    Pattern

    Raises
    ------
    ValueError
        The image is not grey, not finite or constant, or a number is out of its range.
    FormatError, OSError, ImportError
        Raised as by `load_grey_image`.
    """
    nodes = pattern_grid(grid)
    texels = grey_texels(load_grey_image(image) if isinstance(image, (str, os.PathLike)) else image)
    coordinates = nodes.uv(uv, uv_faces) * positive_number("scale", scale) + np.array(pair("offset", offset))
    heights = spline_heights(texels, coordinates, repeat=choice("wrap", wrap, get_args(Wrap)) == "repeat")
    extent = float(np.ptp(nodes.rest.astype(np.float64), axis=0).max())
    width = SEAM_SHARE * extent if seam_width is None else mesh_length("seam_width", seam_width)
    if not (np.isfinite(width) and width >= 0.0):
        raise ValueError(f"seam_width: expected a finite length of at least 0, got {seam_width}")
    heights -= heights.mean()
    if width > 0.0 and uv_faces is not None:
        distance = seam_distance(nodes.topology, nodes.rest, triangles("uv_faces", uv_faces))
        share = nodes.at(np.minimum(distance / width, 1.0))
        heights *= share**2 * (3.0 - 2.0 * share)
    return Pattern(nodes, heights.astype(np.float32), name)


def grey_texels(image: ArrayLike) -> Float64:
    """Return an image as (H, W) float64.

    Raise ValueError if it is not a 2-dimensional array of real numbers, is not finite, or if all texels are equal.
    """
    texels = np.asarray(image)
    if texels.ndim != 2 or not texels.size or texels.dtype.kind not in "fiu":
        raise ValueError(f"image: expected real numbers of shape (H, W), one grey value per texel, got {texels.shape}")
    # A signaling NaN in `image` would raise a floating-point error here. The check below raises a better message.
    with np.errstate(invalid="ignore"):
        values = texels.astype(np.float64)
    if not np.isfinite(values).all():
        row, column = first_true(~np.isfinite(values))
        raise ValueError(f"image: row {row}, column {column} is not finite")
    if values.min() == values.max():
        raise ValueError(f"image: every texel is {values.flat[0]:g}; a pattern needs at least two heights")
    return values


def spline_heights(texels: Float64, uv: Float64, *, repeat: bool) -> Float64:
    """Return the cubic B-spline of texels (H, W) at texture coordinates (N, 2); v = 1 is above the first row.

    Outside the image, its texels repeat if `repeat`; otherwise the nearest border texel is used.
    """
    rows, columns = texels.shape
    x, y = uv[:, 0] * columns - 0.5, (1.0 - uv[:, 1]) * rows - 0.5
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    across, down = _basis(x - i), _basis(y - j)
    heights: Float64 = np.zeros(len(uv))
    for b, below in enumerate(down):
        row = _inside(j + b - 1, rows, repeat)
        for a, beside in enumerate(across):
            heights += below * beside * texels[row, _inside(i + a - 1, columns, repeat)]
    return heights


def _inside(index: NDArray[np.int64], size: int, repeat: bool) -> NDArray[np.int64]:
    """Return indices of texels in [0, `size`): repeated, or else those of the nearest texels."""
    return index % size if repeat else np.clip(index, 0, size - 1)


def _basis(t: Float64) -> list[Float64]:
    """Return the weights of four successive control points at a distance `t` in [0, 1] after the second."""
    return [(1 - t) ** 3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6, t**3 / 6]


def seam_distance(topology: CoreTopology, rest: ArrayLike, uv_faces: ArrayLike) -> Float64:
    """Return the distance of each vertex from the nearest seam, measured along mesh edges.

    A seam is an edge whose two faces have different texture coordinates there.

    Parameters
    ----------
    topology : Topology
        Topology in which vertices on both sides of a seam are joined.
    rest : (V, 3) float, mesh units
    uv_faces : (T, 3) int

    Returns
    -------
    (V,) float64, mesh units
        Infinite if no path of edges connects the vertex with a seam.
    """
    points, corners = np.asarray(rest, np.float64), np.asarray(uv_faces)
    edges = topology.edges
    distance = np.full(topology.vertex_count, np.inf)
    distance[edges[_seam_edges(topology, corners)].ravel()] = 0.0
    lengths = edge_lengths(points, edges)
    around: list[list[tuple[int, float]]] = [[] for _ in range(topology.vertex_count)]
    for (low, high), step in zip(edges.tolist(), lengths.tolist(), strict=True):
        around[low].append((high, step))
        around[high].append((low, step))
    queue = [(0.0, int(vertex)) for vertex in np.flatnonzero(distance == 0.0)]
    while queue:
        far, vertex = heapq.heappop(queue)
        if far > distance[vertex]:
            continue
        for other, step in around[vertex]:
            if far + step < distance[other]:
                distance[other] = far + step
                heapq.heappush(queue, (far + step, other))
    return distance


def _seam_edges(topology: CoreTopology, uv_faces: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask (E,): True if the two faces of an edge have different texture coordinates at one of its ends."""
    found = np.full((topology.edge_count, 2, 2), -1, np.int64)
    for side in range(3):
        edge = topology.face_edges[:, side]
        ends = np.stack([uv_faces[:, side], uv_faces[:, (side + 1) % 3]], axis=1)
        rising = topology.faces[:, side] == topology.edges[edge, 0]
        which = (topology.edge_faces[edge, 0] != np.arange(topology.face_count)).astype(int)
        found[edge, which] = np.where(rising[:, None], ends, ends[:, ::-1])
    seams: NDArray[np.bool_] = (found[:, 0] != found[:, 1]).any(axis=1) & (topology.edge_faces[:, 1] >= 0)
    return seams


def load_grey_image(path: str | os.PathLike[str]) -> Float64:
    """Read a grey image as heights.

    Parameters
    ----------
    path : path
        ``.npy``; ``.exr`` with one channel or with a channel Y (requires OpenEXR); or a grey PNG, JPEG or WebP with 8
        or 16 bits per texel (requires Pillow).

    Returns
    -------
    (H, W) float64
        Texels; integers are not scaled.

    Raises
    ------
    FormatError
        The file is not an image, or the image has colours. Pillow would reduce 16-bit colours to 8 bits.
    FileNotFoundError
        The file is missing.
    ImportError
        A package is not installed; the message contains its name.
    """
    file = as_path("path", path)
    reader = {".npy": _read_array, ".exr": _read_exr}.get(file.suffix.lower(), _read_picture)
    return grey_texels_of(file, reader(file))


def grey_texels_of(file: Path, texels: Any) -> Float64:
    """Return texels as `grey_texels`. Raise FormatError with the file's path if they cannot be used."""
    try:
        return grey_texels(texels)
    except ValueError as error:
        raise FormatError(f"{file}: {error}") from error


def _read_array(file: Path) -> Any:
    budget = Budget()
    return read_array(io.BytesIO(budget.read(file)), f"{file}: the array", "fiu", budget)


def _read_picture(file: Path) -> Any:
    # 16 bytes per texel: at most 8 in the file's own type, and 8 in the float64 copy
    picture = open_image(file, texel_bytes=16.0)
    if picture.mode not in GREY_MODES:
        raise FormatError(f"{file}: has colours ({picture.mode}); a pattern is one grey height per texel")
    return np.asarray(picture).astype(np.float64)


def open_image(file: Path, *, texel_bytes: float) -> Any:
    """Return the Pillow image of a PNG, JPEG or WebP file; see `ruckle.io.pictures.open_picture`."""
    try:
        from ruckle.io.pictures import open_picture
    except ImportError as error:
        raise ImportError('reading pictures needs Pillow: pip install "ruckle[patterns]"') from error
    budget = Budget()
    return open_picture(budget.read(file), str(file), budget, texel_bytes=texel_bytes)


def _read_exr(file: Path) -> Any:
    channels = exr_channels(file)
    if len(channels) != 1 and "Y" not in channels:
        raise FormatError(f"{file}: has channels {', '.join(channels)}; expected one, or Y among them")
    return channels["Y" if "Y" in channels else next(iter(channels))]


def exr_channels(file: Path) -> dict[str, Any]:
    """Return the channels of an OpenEXR file by name. The channels R, G and B are one array (H, W, 3), "RGB"."""
    try:
        import OpenEXR
    except ImportError as error:
        raise ImportError('reading EXR needs OpenEXR: pip install "ruckle[patterns]"') from error
    budget = Budget()
    budget.read(file)  # raises an error for a pipe, and adds the file size to the budget
    try:
        for part in OpenEXR.File(str(file), header_only=True).parts:
            if part.type() not in (OpenEXR.scanlineimage, OpenEXR.tiledimage):
                # reject deep images: memory cannot be checked, because the header does not state the samples per texel
                raise FormatError(f"{file}: has deep texels; a pattern is one grey height per texel")
            (left, bottom), (right, top) = part.header["dataWindow"]
            extents = [(int(right) - int(left) + 1, int(top) - int(bottom) + 1)]
            if part.type() == OpenEXR.tiledimage:
                # OpenEXR decodes whole tiles, which can be larger than the picture
                extents.append((part.header["tiles"].xSize, part.header["tiles"].ySize))
            for width, height in extents:
                # memory for all channels of the file as float32, and for the grey channel as float64
                size = 4.0 * (len(part.header["channels"]) + 2) * width * height
                budget.hold(size, f"{file}: a picture of {(width, height)} texels")
        return {name: channel.pixels for name, channel in OpenEXR.File(str(file)).channels().items()}
    except FormatError:
        raise
    except Exception as error:  # OpenEXR raises many types of errors for damaged files
        raise FormatError(f"{file}: is no OpenEXR image") from error
