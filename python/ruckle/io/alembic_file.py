"""Writes an Alembic archive with one mesh, whose points have one sample per frame. Requires alembic3d.

The samples are regular: frame k is at k / fps seconds, as expected by programs that read Alembic. In Alembic, the
corners of faces are in clockwise order.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.io.fine_texture import fine_texture
from ruckle.io.replacing import FileReplacement
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface

__all__ = ["AlembicFile", "AlembicFineWriter"]

try:
    import imath
    from alembic3d import Abc, AbcCoreAbstract, AbcGeom
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        'Alembic files need alembic3d, which is not installed: pip install "ruckle[alembic]"', name="alembic3d"
    ) from missing


# Disk space in bytes that is reserved for the end of an archive: a constant number, and a number per frame.
END_BYTES, FRAME_END_BYTES = 2**16, 2**9


class AlembicFile(FileReplacement):
    """Writes one `.abc` file frame by frame.

    Parameters
    ----------
    path : path of the file
    name : str
        Name of the object that contains the mesh.
    fps : float, frames per second
    first_frame : int
        Frame number of the first sample, whose time is first_frame / fps.
    notes : mapping of str to str
        Provenance of the result: version, source and settings.

    Raises
    ------
    OSError
        The folder does not exist, a folder has this name, or the disk is full.
    """

    def __init__(self, path: Path, name: str, fps: float, *, first_frame: int, notes: Mapping[str, str]) -> None:
        super().__init__(path)
        self._name, self._fps, self._first_frame, self._notes = name, fps, first_frame, notes
        self._objects: list[Any] = []
        self._topology: tuple[Any, Any]
        self._texture: Any = None
        self._normal_numbers: Any = None
        self._end_bytes = END_BYTES

    def _open(self, stack: ExitStack) -> None:
        self._room = stack.enter_context(self.create("room"))
        stack.callback(self._close)

    def write_frame(
        self,
        positions: Float32,
        faces: Int32,
        normals: Float32 | None = None,
        corner_uv: Float32 | None = None,
        normal_faces: Int32 | None = None,
    ) -> None:
        """Write the next sample.

        Parameters
        ----------
        positions : (V, 3) float32
        faces : (T, 3) int32
            Those of the first frame are used for all frames.
        normals : (V, 3) or (K, 3) float32, optional
            Normals of the vertices; with `normal_faces`, any number K of normals for corners.
        corner_uv : (3 T, 2) float32, optional
            Texture coordinates of the corners. Those of the first frame are used for all frames.
        normal_faces : (T, 3) int32, optional
            Row of `normals` for each corner. Those of the first frame are used for all frames.
        """
        sizes = [array.nbytes for array in (positions, faces, normals, corner_uv) if array is not None]
        self._reserve(sum(sizes))
        try:
            if not self._objects:
                self._create(faces, corner_uv)
            # a sample refers to these arrays, so they must exist until the sample is written
            points = imath.V3fArrayFromBuffer(_rows(positions))
            sample = AbcGeom.OPolyMeshSchemaSample(points, *self._topology)
            if self._texture is not None:
                texture = AbcGeom.OV2fGeomParamSample(self._texture, AbcGeom.GeometryScope.kFacevaryingScope)
                sample.setUVs(texture)
            if normals is not None:
                directions = imath.V3fArrayFromBuffer(_rows(normals))
                if normal_faces is None:
                    shading = AbcGeom.ON3fGeomParamSample(directions, AbcGeom.GeometryScope.kVertexScope)
                else:
                    if self._normal_numbers is None:
                        # imath cannot read unsigned integers from a buffer, but converts doubles to them
                        numbers = imath.DoubleArrayFromBuffer(_clockwise(normal_faces, np.float64))
                        self._normal_numbers = imath.UnsignedIntArray(numbers)
                    scope = AbcGeom.GeometryScope.kFacevaryingScope
                    shading = AbcGeom.ON3fGeomParamSample(directions, self._normal_numbers, scope)
                sample.setNormals(shading)
            self._objects[-1].getSchema().set(sample)
        except RuntimeError as error:
            raise self._failure() from error

    def finish(self) -> None:
        """Complete the file, and move it to its final path."""
        try:
            self._close()
        except RuntimeError as error:
            raise self._failure() from error
        super().finish()

    def _close(self) -> None:
        """Complete the archive, after freeing the disk space that was reserved for its end."""
        os.truncate(self._room.fileno(), 0)
        self._objects.clear()

    def _reserve(self, size: int) -> None:
        """Raise OSError if the disk does not have space for a frame and the end of the archive.

        Afterwards, only the space for the end remains reserved. Alembic would abort the process if it could not write.
        """
        self._end_bytes += FRAME_END_BYTES
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._room.fileno(), 0, self._end_bytes + size)
            os.truncate(self._room.fileno(), self._end_bytes)

    def _create(self, faces: Int32, corner_uv: Float32 | None) -> None:
        archive = Abc.CreateArchiveWithInfo(
            str(self._file),
            self._fps,
            f"ruckle {self._notes.get('version', '')}".strip(),
            json.dumps(dict(self._notes)),
        )
        sampling = AbcCoreAbstract.TimeSampling(1.0 / self._fps, self._first_frame / self._fps)
        number = archive.addTimeSampling(sampling)
        # replace slashes, because Alembic separates the names of objects by slashes
        name = self._name.replace("/", "_") or "wrinkled"
        holder = AbcGeom.OXform(archive.getTop(), name, number)
        self._objects = [archive, holder, AbcGeom.OPolyMesh(holder, f"{name}Shape", number)]
        counts = imath.IntArrayFromBuffer(np.full(len(faces), 3, np.int32))
        self._topology = imath.IntArrayFromBuffer(_clockwise(faces, np.int32)), counts
        if corner_uv is not None:
            turned = corner_uv.reshape(-1, 3, 2)[:, ::-1].reshape(-1, 2)
            self._texture = imath.V2fArrayFromBuffer(_rows(turned))

    def _failure(self) -> OSError:
        return OSError(errno.EIO, "Alembic cannot write the file; is the disk full?", str(self.path))


class AlembicFineWriter(AlembicFile):
    """Writes the fine mesh of every frame with normals. Raises the errors of `AlembicFile`."""

    fixed = True

    def __init__(self, path: Path, animation: Animation, *, first_frame: int, notes: Mapping[str, str]) -> None:
        super().__init__(path, "wrinkled", animation.fps, first_frame=first_frame, notes=notes)
        self._animation = animation
        self._fine: FineMesh | None = None

    def append(self, surface: Surface) -> None:
        """Write the sample of the next frame."""
        self.append_mesh(surface.displace())

    def append_mesh(self, fine: FineMesh) -> None:
        """Write the sample of the next frame. ValueError if the faces differ from the faces of the first frame."""
        corner_uv = None
        if self._fine is None:
            self._fine = fine
            self._normals = fine.normal_rows()
            texture = fine_texture(fine, self._animation)
            corner_uv = None if texture is None else texture.uv[texture.faces].reshape(-1, 2)
        if not np.array_equal(fine.faces, self._fine.faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        of_corners = None if len(self._normals.corners) == fine.vertex_count else self._normals.faces
        self.write_frame(fine.positions, fine.faces, self._normals.of(fine), corner_uv, of_corners)

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate file size in bytes for this many fine vertices, faces and frames."""
        return 24 * vertices * frames + 40 * faces


def _clockwise(faces: Int32, kind: type[np.number[Any]]) -> NDArray[Any]:
    """Return the numbers (3 T,) of the corners of faces (T, 3) in the reverse order."""
    return np.ascontiguousarray(faces[:, ::-1], kind).reshape(-1)


def _rows(array: NDArray[np.floating]) -> Float32:
    return np.ascontiguousarray(array, np.float32)
