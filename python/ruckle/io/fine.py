"""Writers of the wrinkled surface of all frames. The path selects the file format.

A folder: one OBJ or PLY file per frame, baked maps, or vertex animation textures. `.pc2`, `.mdd`: one point cache with
an OBJ mesh. `.usda`, `.usdc`, `.usd`: one USD file with time samples. `.abc`: one Alembic file. `.glb`: a character
with morph targets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Int32
from ruckle.io.carrier import Carrier, OwnCarrier
from ruckle.io.fine_glb import MorphError
from ruckle.io.point_cache import CACHES
from ruckle.io.provenance import provenance
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import topology_of
from ruckle.surface.budget import fine_vertex_count, levels_within
from ruckle.surface.frame import CoarseFrame, LayerFrame
from ruckle.surface.surface import FineBase, Surface

__all__ = ["FineWriter", "Form", "Original", "SurfaceFile", "fine_writer"]

USD = (".usda", ".usdc", ".usd")
GLB, GLTF = ".glb", (".glb", ".vrm", ".gltf")
ALEMBIC = ".abc"

Form = Literal["obj", "ply", "maps", "normals", "vat"]


class SurfaceFile(AbstractContextManager["SurfaceFile"], Protocol):
    """Protocol of writers of one format, one surface per frame. The files get their final names in `finish`."""

    @property
    def fixed(self) -> bool:
        """True if all frames must have equal fine faces."""

    def append(self, surface: Surface) -> None:
        """Add the surface of the next frame."""

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes of files with this many fine vertices, faces and frames."""

    def finish(self) -> None:
        """Complete the output, and move the written files to their final names."""


@dataclass(frozen=True)
class Original:
    """The file of an animation, and the options of `ruckle.load` that read the animation from this file.

    Attributes
    ----------
    path : path
    options : mapping
        Options of `ruckle.load`.
    """

    path: Path
    options: Mapping[str, Any]


class FineWriter:
    """Writes the surface of one frame after another. The files get their final names in `finish`.

    Parameters
    ----------
    file : SurfaceFile
        Writer of one format.
    base : {"smooth", "curved", "flat"}, optional
        Base surface of the wrinkles, see `Surface`. Default: that of the format, see `fine_writer`.
    edge_length : float, mesh units, optional
        Length of the fine edges, see `Surface`.
    threads : int

    Attributes
    ----------
    fixed : bool
        True if all frames must have equal fine faces. Call `fix` with all frames before the first `append`.

    Examples
    --------
    >>> with fine_writer(Path("fine"), animation, form="ply") as writer:  # doctest: +SKIP
    ...     for frame in ruckle.run(animation):
    ...         writer.append(frame)
    ...     writer.finish()
    """

    def __init__(
        self, file: SurfaceFile, *, base: FineBase | None = None, edge_length: float | None = None, threads: int = 1
    ) -> None:
        self.fixed = file.fixed
        self._file = file
        own: FineBase = getattr(file, "base", "curved")
        self._base = own if base is None else base
        self._edge_length, self._threads = edge_length, threads
        self._surface: Surface | None = None
        self._levels: Int32 | None = None
        self._parted_edges: NDArray[np.bool_] | None = None

    def fix(self, frames: Iterable[LayerFrame], *, budget: int | None = None) -> int:
        """Divide the surface so that all frames have equal fine faces and creases. Return the number of fine vertices.

        Parameters
        ----------
        frames : iterable of LayerFrame
            All frames that will be appended. Their wrinkles decide how edges are divided.
        budget : int, optional
            Largest number of fine vertices. Edges with folds get more of them than smooth cloth.

        Raises
        ------
        ValueError
            `frames` is empty, or the coarse mesh already has more vertices than the budget.
        """
        self._levels, largest, squares, count = None, np.ones(1, np.int32), np.zeros(1), 0
        self._parted_edges, parted = None, np.zeros(1, bool)
        for frame in frames:
            surface = self._updated(frame)
            levels, parted = surface.edge_levels, parted | surface.parted_edges
            largest, squares, count = np.maximum(largest, levels), squares + levels.astype(np.float64) ** 2, count + 1
        if self._surface is None:
            raise ValueError("frames: expected at least one, got none")
        topology = self._surface.divided_topology
        if budget is not None:
            largest = levels_within(topology, np.sqrt(squares / count), largest, budget)
        self._levels, self._parted_edges = largest, parted
        return fine_vertex_count(topology, largest)

    @property
    def budget(self) -> int | None:
        """Default limit of fine vertices for engine formats; None for other formats."""
        return getattr(self._file, "budget", None)

    def smooth_vertex_count(self, animation: Animation) -> int:
        """Return the number of fine vertices of an animation's first frame without wrinkles."""
        topology = topology_of(animation)
        surface = Surface(topology, base=self._base, edge_length=self._edge_length, threads=self._threads)
        surface.update(CoarseFrame(animation.positions[0], topology))
        return fine_vertex_count(topology, surface.edge_levels)

    def size(self, vertices: int, frames: int) -> int:
        """Return the approximate size in bytes of files with this many fine vertices and frames."""
        # a closed mesh has twice as many faces as vertices
        return self._file.size(vertices, 2 * vertices, frames)

    @property
    def overlap(self) -> float:
        """Share of the texels of maps that belong to several triangles; 0 for formats without maps."""
        return getattr(self._file, "overlap", 0.0)

    @property
    def error(self) -> MorphError | None:
        """Error of the morph targets after `finish`; None for formats that contain every frame."""
        return getattr(self._file, "error", None)

    def append(self, frame: LayerFrame) -> Surface:
        """Write the next frame, and return its surface.

        Raises
        ------
        ValueError
            The fine faces differ from the faces of the first frame, and the format requires equal faces.
        """
        surface = self._updated(frame)
        self._file.append(surface)
        return surface

    def finish(self) -> None:
        """Complete the output, and move the written files to their final names."""
        self._file.finish()

    def _updated(self, frame: LayerFrame) -> Surface:
        if self._surface is None:
            self._surface = Surface(
                frame.topology, base=self._base, edge_length=self._edge_length, threads=self._threads
            )
        self._surface.update(frame, edge_levels=self._levels, parted_edges=self._parted_edges)
        return self._surface

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._file.__exit__(kind, error, traceback)


def fine_writer(
    path: Path,
    animation: Animation,
    *,
    form: Form = "obj",
    first_frame: int = 0,
    map_size: int = 1024,
    base: FineBase | None = None,
    edge_length: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    tension: bool = False,
    threads: int = 1,
    original: Original | None = None,
) -> FineWriter:
    """Return the writer for the format of a path.

    Parameters
    ----------
    path : path
        A new or empty folder, or a file `.pc2`, `.mdd`, `.glb`, `.usda`, `.usdc`, `.usd`, `.abc`, which is replaced if
        it exists.
    animation : Animation
        Source of the frames, from which name, frame rate and texture coordinates are copied.
    form : {"obj", "ply", "maps", "normals", "vat"}
        Contents of a folder: meshes, maps of heights and normals, only normal maps, or vertex animation textures.
    first_frame : int
        Number of the first frame in the clip, and in file names or time codes.
    map_size : int
        Number of texels along each side of baked maps.
    base : {"smooth", "curved", "flat"}, optional
        Base surface of the wrinkles. Default: "curved", which `ruckle.Renderer` draws; "smooth" for point caches and
        GLB, because programs compute their normals.
    edge_length : float, mesh units, optional
        Length of the fine edges. Default: half of the minimum radius of the wrinkles.
    parameters : mapping, optional
        Parameters of the wrinkles. USD, Alembic, GLB and VAT results contain them as provenance.
    tension : bool
        If True, also write the tension map, the compression and stretch of the cloth as red and green: vertex colours
        in PLY and USD, a texture for baked maps.
    threads : int
    original : Original, optional
        The file of the animation. If it is a glTF file, GLB and VAT results are copies of it, with its skins, materials
        and clips, and normal maps get a copy of it. If it is a USD file, USD results are layers over it.

    Raises
    ------
    ValueError
        The extension or `form` is unknown, or the format cannot contain the tension map. Or maps require texture
        coordinates in the unit square, and the animation has none.
    ModuleNotFoundError
        The format requires usd-core, alembic3d, OpenEXR or Pillow, which is not installed.
    OSError
        The file cannot be written, or the folder is not empty.
    """
    file = _surface_file(path, animation, form, first_frame, map_size, parameters or {}, tension, original)
    return FineWriter(file, base=base, edge_length=edge_length, threads=threads)


def _surface_file(
    path: Path,
    animation: Animation,
    form: Form,
    first_frame: int,
    map_size: int,
    parameters: Mapping[str, Any],
    tension: bool,
    original: Original | None,
) -> SurfaceFile:
    """Return the writer for the format of a path."""
    if form not in get_args(Form):
        raise ValueError(f'form: expected "obj", "ply", "maps", "normals" or "vat", got "{form}"')
    suffix = path.suffix.lower()
    if suffix in (*CACHES, GLB, ALEMBIC) and tension:
        raise ValueError(f"tension: {suffix} files have no colours; PLY, maps and USD take them")
    if suffix in CACHES:
        from ruckle.io.fine_cache import FineCacheWriter

        return FineCacheWriter(path, animation)
    if suffix in USD:
        from ruckle.io.fine_usd import UsdFineWriter

        notes = provenance(animation, parameters)
        if original is not None and original.path.suffix.lower() in (*USD, ".usdz"):
            from ruckle.io.usd_overlay import UsdOverlayWriter

            return UsdOverlayWriter(
                path, animation, source=original.path, mesh=original.options.get("mesh"),
                budget=original.options.get("budget", 1.0), first_frame=first_frame, notes=notes, tension=tension,
            )  # fmt: skip
        return UsdFineWriter(path, animation, first_frame=first_frame, notes=notes, tension=tension)
    if suffix == ALEMBIC:
        from ruckle.io.alembic_file import AlembicFineWriter

        notes = provenance(animation, parameters)
        return AlembicFineWriter(path, animation, first_frame=first_frame, notes=notes)
    if suffix == GLB:
        from ruckle.io.fine_glb import GlbFineWriter

        carrier = _carrier(animation, original)
        notes = provenance(animation, parameters)
        return GlbFineWriter(path, animation, carrier, first_frame=first_frame, notes=notes)
    if suffix and not path.is_dir():
        files = ", ".join((*CACHES, GLB, *USD, ALEMBIC))
        raise ValueError(f"{path}: fine meshes are written as a folder of files or as {files}, got '{suffix}'")
    if form == "maps":
        from ruckle.io.fine_maps import MapWriter

        return MapWriter(path, animation, first_frame=first_frame, size=map_size, tension=tension)
    if form == "ply":
        from ruckle.io.fine_ply import PlyFineWriter

        return PlyFineWriter(path, animation, first_frame=first_frame, tension=tension)
    if tension:
        raise ValueError(f'tension: "{form}" files have no colours; "ply", "maps" and USD take them')
    if form == "vat":
        from ruckle.io.fine_vat import VatWriter

        carrier, notes = _carrier(animation, original), provenance(animation, parameters)
        return VatWriter(path, animation, carrier, first_frame=first_frame, notes=notes)
    if form == "normals":
        from ruckle.io.fine_normals import NormalWriter

        copied = None if original is None else original.path
        return NormalWriter(path, animation, first_frame=first_frame, size=map_size, original=copied)
    from ruckle.io.fine_obj import ObjFineWriter

    return ObjFineWriter(path, animation, first_frame=first_frame)


def _carrier(animation: Animation, original: Original | None) -> Carrier:
    """Return the carrier of the fine mesh: the animation's glTF file if there is one, otherwise a new document."""
    if original is None or original.path.suffix.lower() not in GLTF or "motion" in original.options:
        return OwnCarrier(animation)
    from ruckle.io.gltf_carrier import GltfCarrier

    given = original.options
    return GltfCarrier(
        original.path, animation, mesh=given.get("mesh"), primitive=given.get("primitive"),
        clip=given.get("animation"), budget=given.get("budget", 1.0),
    )  # fmt: skip
