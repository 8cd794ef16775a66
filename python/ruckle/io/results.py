"""Writes the results of a run into one NPZ file, frame by frame with bounded memory.

The tables list the arrays of a run with F frames, T triangles and V vertices:

============ ====================== ====================================================================
array        shape, type            meaning
============ ====================== ====================================================================
labels       (F, T) uint8           0 compression, 1 rest, 2 stretch
compression  (F, T) float32         reference length divided by current length along `axis`; 1 without compression
axis         (F, T, 2) float32      unit axis of this compression on the current triangle, in its plane, with x along
                                    its first edge; (0, 0) without a direction
reference    (F, T, 2, 2) float32   edge matrices of the reference triangles after the frame, mesh units
positions    (F, V, 3) float32      vertex positions of the animation, mesh units
faces        (T, 3) int32           triangles of the animation, whose vertices are split at UV seams as in the source
uv, uv_faces                        texture coordinates, if the animation has them
mask         (V,) float32           the mask, if the animation has one
fps          float64                frames per second
height       float64                height of the character, mesh units
up           string                 the axis that points up, y or z
name         string                 name of the animation
edges        (E, 2) int32           both vertices of every edge, smaller index first; vertices at UV seams are joined
length_unit  float64                minimum radius of a wrinkle, mesh units
rest         (V, 3) float32         positions that define distances along the cloth for drawn lines, mesh units
first_frame  int64                  index of the run's first frame in the source animation
parameters   string                 JSON object of the parameters that affect the result
version      string                 version of ruckle that made the run
source_hash  string                 SHA-256 of the run's frames, see `ruckle.io.provenance.source_hash`
============ ====================== ====================================================================

If a layer replaces the cloth by a fine mesh of N vertices and S triangles, the run also contains this mesh without
wrinkles: `fine_positions`, (F, N, 3) float32, mesh units, and `fine_faces`, (S, 3) int32. A run with K modulated
patterns on the wrinkles contains `pattern_factors`, (F, V, K) float16. A run with waves contains
`wave_vertices`, (F, V, 6) float32.

The number of wrinkles differs between frames, so the arrays of all frames are concatenated: N is the total number of
wrinkles in all frames, and M the number of their vertices. Frame f has the wrinkles in rows `wrinkle_frame_offsets[f]`
to `wrinkle_frame_offsets[f + 1]`. Wrinkle row w has the vertices in rows `wrinkle_point_offsets[w]` to
`wrinkle_point_offsets[w + 1]`. See `ruckle.Wrinkle` for the meaning of each quantity.

===================== =============== ==================================================================================
array                 shape, type     meaning
===================== =============== ==================================================================================
wrinkle_frame_offsets (F + 1,) int64  first wrinkle row of each frame; the last entry is the number N of wrinkles
wrinkle_point_offsets (N + 1,) int64  first vertex row of each wrinkle; the last entry is the number M of vertices
wrinkles              (N,) structured fields: `id`, `age`, `kappa`, `size`, `fade`, `crest`, `middle_width`,
                                      `perimeter`, `full_width`, `cuts`, `extent`, `fading`
wrinkle_edges         (M,) int32      mesh edge of each vertex, as a row of `edges`
wrinkle_t             (M,) float32    vertex = a * t + b * (1 - t), with the vertices a, b of the edge as in `edges`
wrinkle_faces         (M,) int32      triangle of the segment that starts at this vertex; -1 at a wrinkle's last vertex
wrinkle_points        (M, 3) float32  position of each vertex, mesh units
wrinkle_widths        (M,) float32    full width of the cross-section, mesh units
wrinkle_heights       (M,) float32    height at the path, mesh units
wrinkle_curve_offsets (N + 1,) int64  first sample row of each wrinkle's drawn line; the last entry is their number
wrinkle_curves        structured      samples of drawn lines: `face`, `barycentric`, `half_width`, `height`
===================== =============== ==================================================================================

`axis` and `reference` are large and are not needed to read results. They are written only on request (`--all`).

The file is also an animation, which `ruckle.load` and `ruckle info` can read. Equal runs write equal bytes.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32, first_true
from ruckle.errors import FormatError
from ruckle.io import load, wrinkle_arrays
from ruckle.io.budget import Budget
from ruckle.io.npz import Archive
from ruckle.io.provenance import source_hash
from ruckle.io.reading import as_path
from ruckle.io.replacing import FileReplacement
from ruckle.io.wrinkle_arrays import OFFSETS, WrinkleArrays, rows_of
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import Topology, topology_of
from ruckle.paths.frame import Frame, WrinkleColumns
from ruckle.surface.layers import FineShape

__all__ = ["Run", "RunWriter", "load_run"]

# Arrays with an entry per frame and triangle, in the order in which a frame is stored: shape and type of an entry.
COLUMNS: dict[str, tuple[tuple[int, ...], type[np.generic]]] = {
    "labels": ((), np.uint8),
    "compression": ((), np.float32),
    "axis": ((2,), np.float32),
    "reference": ((2, 2), np.float32),
}

# Large arrays, which are written only if the caller asks for `everything`.
ON_REQUEST = ("axis", "reference")

# Compression level of the archive. The default, 6, takes 4 times as long, but files are only 2 % smaller.
COMPRESSION_LEVEL = 1

# Names of optional arrays. In runs with a fine mesh: positions of its vertices, (N, 3) per frame.
FINE = "fine_positions"
# In runs with modulated patterns: factors of the patterns at the vertices, (V, K) per frame.
FACTORS = "pattern_factors"
# In runs with waves: covector, phases and amplitude of each vertex, (V, 6) per frame.
WAVES = "wave_vertices"

# Number of bytes that are copied into the archive at once: small enough for the memory, and large enough for speed.
BLOCK_BYTES = 2**20

# Time stamp of all ZIP entries, which is the earliest allowed time. The current time would change the bytes of equal
# runs.
NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class Run:
    """The contents of a run file.

    Attributes
    ----------
    animation : Animation
        The frames of the run.
    labels : (F, T) uint8
        0 compression, 1 rest, 2 stretch.
    compression : (F, T) float32
        Reference length / current length along the axis; 1 means no compression.
    axis : (F, T, 2) float32, or None
        Unit axis of the compression in 2D coordinates of each triangle, with x along its first edge; see
        `ruckle.plot.axes_in_space`. None if not stored.
    reference : (F, T, 2, 2) float32, mesh units, or None
        Edge matrices of the reference triangles. None if not stored.
    edges : (E, 2) int32
        Both vertices of every mesh edge, smaller index first. `Wrinkle.edges` are indices of these rows.
    wrinkles : sequence of F lists of Wrinkle
        Equal to `Frame.wrinkles`. The wrinkles of a frame are created when they are accessed.
    length_unit : float, mesh units
        Minimum radius of a wrinkle.
    rest : (V, 3) float32, mesh units
        Positions that define distances along the cloth for drawn lines.
    first_frame : int
        Index of the run's first frame in the source animation.
    parameters : dict
        The parameters that affect the result.
    fine_positions : (F, N, 3) float32, mesh units, or None
        Vertices of the fine mesh that replaces the coarse mesh, if a layer of the run has a shape.
    fine_faces : (S, 3) int32, or None
    pattern_factors : (F, V, K) float16, or None
        Factors of modulated patterns, if the run has such patterns; see `ruckle.Modulation.factors`.
    wave_vertices : (F, V, 6) float32, or None
        Vertex values of waves, if the run has waves; see `ruckle.WaveFrame.vertices`.
    version : str
        Version of ruckle that made the run. Empty if not stored.
    source_hash : str
        SHA-256 of the frames of the run, see `ruckle.io.provenance.source_hash`. Empty if not stored.
    """

    animation: Animation
    labels: NDArray[np.uint8]
    compression: NDArray[np.float32]
    axis: NDArray[np.float32] | None
    reference: NDArray[np.float32] | None
    edges: NDArray[np.int32]
    wrinkles: WrinkleArrays
    length_unit: float
    rest: NDArray[np.float32]
    first_frame: int
    parameters: dict[str, Any]
    fine_positions: NDArray[np.float32] | None = None
    fine_faces: NDArray[np.int32] | None = None
    pattern_factors: NDArray[np.float16] | None = None
    wave_vertices: NDArray[np.float32] | None = None
    version: str = ""
    source_hash: str = ""

    @cached_property
    def topology(self) -> Topology:
        """Connectivity of the mesh. Vertices that UV seams have split are joined."""
        return topology_of(self.animation)

    def frame(self, index: int) -> Frame:
        """Return one frame of the run. Its stretch is equal to the stretch in the run, except for rounding.

        If `reference` is not in the file, the file contains only the compression. Then the frame's largest stretch is
        set to 1, and its axis to 0.

        Parameters
        ----------
        index : int

        Raises
        ------
        IndexError
            The index of the frame is out of range.
        """
        arrays: dict[str, NDArray[Any]] = {"labels": self.labels, "compression": self.compression}
        if self.reference is not None:
            arrays["reference"] = self.reference
        return _frame(self.animation, self.topology, arrays, self.wrinkles, self.length_unit, self.rest, index)

    def __repr__(self) -> str:
        return f"Run({self.animation!r} from frame {self.first_frame}, parameters {self.parameters})"


class RunWriter(FileReplacement):
    """Writes a run frame by frame. When the file is complete, it gets its name and replaces an existing file.

    Frames are first stored uncompressed in a temporary folder next to the file, which is always deleted at the end.
    This folder has 29 bytes per triangle and frame, about 60 bytes per wrinkle, 32 bytes per vertex of a wrinkle, the
    samples of drawn lines, and the optional arrays.

    Parameters
    ----------
    path : path of the `.npz` file
    animation : Animation
        The frames of the run.
    parameters : mapping
        Values that JSON can represent.
    first_frame : int
        Index of the animation's first frame in the source.
    everything : bool
        Also write `axis` and `reference`.

    Raises
    ------
    ValueError
        `path` does not have the extension `.npz`.
    OSError
        The folder does not exist or cannot be written, or the disk is full.

    Examples
    --------
    >>> with RunWriter("sawing.npz", animation, {}) as writer:  # doctest: +SKIP
    ...     for frame in ruckle.run(animation):
    ...         writer.append(frame)
    ...     writer.finish()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        animation: Animation,
        parameters: Mapping[str, Any],
        *,
        first_frame: int = 0,
        everything: bool = False,
    ) -> None:
        file = as_path("path", path)
        require_animation(animation)
        if file.suffix.lower() != ".npz":
            raise ValueError(f"{file}: the arrays of a run are written as .npz, got '{file.suffix}'")
        super().__init__(file)
        self.animation = animation
        self._left_out = () if everything else ON_REQUEST
        self._written = self._wrinkle_count = self._point_count = self._sample_count = self._fine_count = 0
        self._pattern_count = self._wave_count = 0
        self._topology = topology_of(animation)
        self._length_unit = 0.0
        self._rest = animation.positions[0]
        self._fixed: dict[str, NDArray[Any]] = {
            "positions": animation.positions,
            "faces": animation.faces,
            **({} if animation.uv is None else {"uv": animation.uv}),
            **({} if animation.uv_faces is None else {"uv_faces": animation.uv_faces}),
            **({} if animation.mask is None else {"mask": animation.mask}),
            "fps": np.array(animation.fps),
            "height": np.array(animation.height),
            "up": np.array(animation.up),
            "name": np.array(animation.name),
            "edges": np.ascontiguousarray(self._topology.edges, np.int32),
            "first_frame": np.array(first_frame, np.int64),
            "parameters": np.array(json.dumps(dict(parameters), sort_keys=True)),
            "version": np.array(_core.__version__),
            "source_hash": np.array(source_hash(animation)),
        }

    def _open(self, stack: ExitStack) -> None:
        # store raw values without array headers, because the number of wrinkles is known only at the end
        self._waiting = {
            name: self._folder / name for name in (*COLUMNS, *wrinkle_arrays.COLUMNS, FINE, FACTORS, WAVES)
        }
        self._columns = {name: stack.enter_context(self.create(name)) for name in self._waiting}
        for name in OFFSETS:
            self._columns[name].write(np.int64(0).tobytes())

    def append(
        self,
        frame: Frame,
        shape: FineShape | None = None,
        factors: Float32 | None = None,
        waves: Float32 | None = None,
    ) -> None:
        """Append the next frame: labels, fields and wrinkles.

        If layers of the run have a fine mesh `shape`, `factors` (V, K) of patterns or `waves` (V, 6), pass them with
        every frame. It is not checked that the frame belongs to the animation.
        """
        arrays = {
            "labels": frame.labels,
            "compression": frame.compression,
            "axis": frame.stretch.axis,
            "reference": frame.reference,
        }
        for name, (_, dtype) in COLUMNS.items():
            self._columns[name].write(np.ascontiguousarray(arrays[name], dtype).data)
        if shape is not None:
            self._columns[FINE].write(np.ascontiguousarray(shape.positions, np.float32).data)
            self._fine_count, self._fixed["fine_faces"] = len(shape.positions), shape.mesh.faces
        if factors is not None:
            self._columns[FACTORS].write(np.ascontiguousarray(factors, np.float16).data)
            self._pattern_count = factors.shape[1]
        if waves is not None:
            self._columns[WAVES].write(np.ascontiguousarray(waves, np.float32).data)
            self._wave_count = waves.shape[1]
        self._append_wrinkles(frame.columns)
        self._length_unit, self._rest = frame.length_unit, frame.rest
        self._written += 1

    def frames(self, indices: Sequence[int]) -> list[Frame]:
        """Return some of the appended frames. See `Run.frame`.

        Parameters
        ----------
        indices : sequence of int

        Raises
        ------
        IndexError
            A frame has not been appended yet.
        """
        for index in indices:
            if not 0 <= index < self._written:
                raise IndexError(f"indices: {index} is not one of the {self._written} frames appended so far")
        for column in self._columns.values():
            column.flush()
        mapped = {name: self._map(name) for name in self._waiting}
        wrinkles = WrinkleArrays({name: mapped[name] for name in wrinkle_arrays.COLUMNS})
        fixed = self.animation, self._topology, mapped, wrinkles, self._length_unit, self._rest
        return [_frame(*fixed, index) for index in indices]

    def _map(self, name: str) -> NDArray[Any]:
        """Return an array of the temporary folder, mapped into memory."""
        dtype, shape = self._layout(name)
        # return an empty array in place of an empty file, which cannot be mapped
        mapped = np.memmap(self._waiting[name], dtype, "r", shape=shape) if all(shape) else np.empty(shape, dtype)
        return np.asarray(mapped)

    def finish(self, advance: Callable[[float], object] | None = None) -> None:
        """Pack all arrays into the file.

        Parameters
        ----------
        advance : callable, optional
            Function that is called with each finished share of the work. The sum of the shares is 1.

        Raises
        ------
        ValueError
            Fewer frames were appended than the animation has.
        """
        if self._written != self.animation.frame_count:
            raise ValueError(f"{self.path}: {self._written} of {self.animation.frame_count} frames were appended")
        for column in self._columns.values():
            column.flush()
        counts = {FINE: self._fine_count, FACTORS: self._pattern_count, WAVES: self._wave_count}
        written = {
            name: path for name, path in self._waiting.items() if counts.get(name, 1) and name not in self._left_out
        }
        total = sum(path.stat().st_size for path in written.values())
        with self.create(self.path.name) as file, zipfile.ZipFile(file, "w") as archive:
            for name, path in written.items():
                with path.open("rb") as waiting, _entry(archive, name) as entry:
                    _write_header(entry, *self._layout(name))
                    while block := waiting.read(BLOCK_BYTES):
                        entry.write(block)
                        if advance is not None:
                            advance(len(block) / total)
            known_last = {"length_unit": np.array(self._length_unit), "rest": self._rest}
            for name, array in (self._fixed | known_last).items():
                with _entry(archive, name) as entry:
                    np.lib.format.write_array(entry, array, allow_pickle=False)
        super().finish()

    def _append_wrinkles(self, columns: WrinkleColumns) -> None:
        ends = {
            "wrinkle_point_offsets": self._point_count + columns.offsets[1:].astype(np.int64),
            "wrinkle_curve_offsets": self._sample_count + columns.curve_offsets[1:].astype(np.int64),
            "wrinkle_frame_offsets": np.array(self._wrinkle_count + len(columns.rows), np.int64),
        }
        for name, array in (rows_of(columns) | ends).items():
            self._columns[name].write(array.tobytes())
        self._point_count += len(columns.edges)
        self._sample_count += len(columns.curves)
        self._wrinkle_count += len(columns.rows)

    def _layout(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Return type and shape of an array for the appended frames."""
        if name in COLUMNS:
            entry, kind = COLUMNS[name]
            return np.dtype(kind), (self._written, self.animation.face_count, *entry)
        if name == FINE:
            return np.dtype(np.float32), (self._written, self._fine_count, 3)
        if name == FACTORS:
            return np.dtype(np.float16), (self._written, self.animation.vertex_count, self._pattern_count)
        if name == WAVES:
            return np.dtype(np.float32), (self._written, self.animation.vertex_count, self._wave_count)
        dtype, entry = wrinkle_arrays.COLUMNS[name]
        counts = {
            "wrinkle_frame_offsets": self._written + 1,
            "wrinkle_point_offsets": self._wrinkle_count + 1,
            "wrinkle_curve_offsets": self._wrinkle_count + 1,
            "wrinkle_curves": self._sample_count,
            "wrinkles": self._wrinkle_count,
        }
        return dtype, (counts.get(name, self._point_count), *entry)


def load_run(path: str | os.PathLike[str], *, budget: float = 1.0) -> Run:
    """Read the file of a run.

    Parameters
    ----------
    path : path of a file that `ruckle run` or `RunWriter` has written
    budget : float
        Factor of the usual limits of memory and time.

    Returns
    -------
    Run

    Raises
    ------
    FormatError
        The file cannot be read, or is not a run. The message contains the file and the array.
    MeshError
        The animation in the file cannot be used.
    """
    path = as_path("path", path)
    animation = load(path, budget=budget)
    archive = Archive(path, Budget(budget))
    written = [name for name in COLUMNS if name in archive.names or name not in ON_REQUEST]
    columns = {name: _column(archive, name, animation) for name in written}
    labels = columns["labels"]
    if labels.size and labels.max() > 2:
        frame, triangle = first_true(labels > 2)
        raise FormatError(
            f"{path}: array 'labels' holds {labels[frame, triangle]} at frame {frame}, triangle {triangle}, "
            "allowed are 0, 1 and 2"
        )
    length_unit, first_frame = float(archive.scalar("length_unit", "f")), archive.scalar("first_frame", "iu")
    if not 0.0 <= length_unit < np.inf:
        raise FormatError(f"{path}: array 'length_unit' is {length_unit}, expected one length of at least 0")
    if first_frame < 0:
        raise FormatError(f"{path}: array 'first_frame' is {first_frame}, expected one number of at least 0")
    rest, shape = archive.array("rest", "f"), animation.positions.shape[1:]
    if rest.shape != shape or rest.dtype != np.float32 or not np.isfinite(rest).all():
        raise FormatError(f"{path}: array 'rest' is {rest.dtype} {rest.shape}, expected finite float32 {shape}")
    edges = archive.array("edges", "i")
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype != np.int32:
        raise FormatError(f"{path}: array 'edges' is {edges.dtype} {edges.shape}, expected int32 (E, 2)")
    wrinkles = WrinkleArrays.read(archive, animation.frame_count, len(edges), animation.face_count)
    return Run(
        animation=animation,
        labels=labels,
        compression=columns["compression"],
        axis=columns.get("axis"),
        reference=columns.get("reference"),
        edges=edges,
        wrinkles=wrinkles,
        length_unit=length_unit,
        rest=rest,
        first_frame=first_frame,
        parameters=_parameters(path, archive.text("parameters")),
        **_fine_mesh(archive, animation.frame_count),
        pattern_factors=_vertex_column(archive, animation, FACTORS, np.float16, "K"),
        wave_vertices=_vertex_column(archive, animation, WAVES, np.float32, "6"),
        version=archive.text("version") if "version" in archive.names else "",
        source_hash=archive.text("source_hash") if "source_hash" in archive.names else "",
    )


def _fine_mesh(archive: Archive, frame_count: int) -> dict[str, Any]:
    """Return the arrays of the fine mesh by name, empty without a fine mesh. FormatError for a wrong shape or type."""
    if "fine_faces" not in archive.names:
        return {}
    faces, positions = archive.array("fine_faces", "i"), archive.array(FINE, "f")
    if positions.ndim != 3 or positions.shape[::2] != (frame_count, 3) or positions.dtype != np.float32:
        raise FormatError(
            f"{archive.path}: array 'fine_positions' is {positions.dtype} {positions.shape}, expected float32 "
            f"({frame_count}, N, 3)"
        )
    if (
        faces.shape[1:] != (3,)
        or faces.dtype != np.int32
        or (faces.size and not 0 <= faces.min() <= faces.max() < positions.shape[1])
    ):
        raise FormatError(
            f"{archive.path}: array 'fine_faces' is {faces.dtype} {faces.shape}, expected int32 (S, 3) of "
            f"{positions.shape[1]} vertices"
        )
    return {"fine_positions": positions, "fine_faces": faces}


def _vertex_column(
    archive: Archive, animation: Animation, name: str, kind: type[np.generic], columns: str
) -> NDArray[Any] | None:
    """Return an array (F, V, columns) with values per vertex, or None if the run does not have this layer."""
    if name not in archive.names:
        return None
    found, expected = archive.array(name, "f"), (animation.frame_count, animation.vertex_count)
    fits = found.ndim == 3 and found.shape[:2] == expected and columns in ("K", str(found.shape[2]))
    if not fits or found.dtype != kind:
        raise FormatError(
            f"{archive.path}: array '{name}' is {found.dtype} {found.shape}, expected {np.dtype(kind)} "
            f"({expected[0]}, {expected[1]}, {columns})"
        )
    return found


def _frame(
    animation: Animation,
    topology: Topology,
    arrays: Mapping[str, NDArray[Any]],
    wrinkles: WrinkleArrays,
    length_unit: float,
    rest: NDArray[np.float32],
    index: int,
) -> Frame:
    """Return one frame from the arrays of a run, without references to these arrays."""
    reference = arrays.get("reference")
    frame = Frame.of(
        animation.positions[index],
        topology,
        wrinkles[index],
        r_min=length_unit,
        faces=animation.faces,
        labels=np.array(arrays["labels"][index]),
        reference=None if reference is None else np.array(reference[index]),
        rest=rest,
        index=index % animation.frame_count,
    )
    if reference is None:
        compression = np.array(arrays["compression"][index])
        # without `reference`, `stretch` (a cached property) is computed from positions only: set its compression
        least = (1.0 / compression).astype(np.float32)
        frame.__dict__["stretch"] = replace(frame.stretch, min=least, compression=compression)
    return frame


def _column(archive: Archive, name: str, animation: Animation) -> NDArray[Any]:
    entry, dtype = COLUMNS[name]
    expected = (animation.frame_count, animation.face_count, *entry)
    found = archive.array(name, np.dtype(dtype).kind)
    if found.shape != expected or found.dtype != dtype:
        raise FormatError(
            f"{archive.path}: array '{name}' is {found.dtype} {found.shape}, expected {np.dtype(dtype)} {expected}"
        )
    return found


def _parameters(path: Path, text: str) -> dict[str, Any]:
    try:
        parameters = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: array 'parameters' is not valid JSON ({error})") from error
    if not isinstance(parameters, dict):
        raise FormatError(f"{path}: array 'parameters' is not a JSON object, found {type(parameters).__name__}")
    return parameters


def _entry(archive: zipfile.ZipFile, name: str) -> Any:
    entry = zipfile.ZipInfo(f"{name}.npy", NO_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    # set the compression level of the entry, because entries ignore the level of the archive
    entry._compresslevel = COMPRESSION_LEVEL  # type: ignore[attr-defined]
    # Zip64: the final size is not known yet, and may exceed 4 GiB, the limit without Zip64
    return archive.open(entry, "w", force_zip64=True)


def _write_header(file: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    description = np.lib.format.dtype_to_descr(dtype)
    np.lib.format.write_array_header_1_0(file, {"descr": description, "fortran_order": False, "shape": shape})
