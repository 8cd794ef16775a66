"""Answers requests of `library_child.py` about an Alembic archive.

Imports only the standard library, NumPy and alembic3d.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Reader"]

# Largest number of objects in an archive, and of transforms above an object.
MOST_OBJECTS, DEEPEST = 100_000, 1000

# Frame rate (time codes per second) of an archive in which no mesh has samples at regular times.
DEFAULT_RATE = 24.0

# Decimal digits to which time codes and rates are rounded. Archives store times in seconds, with rounding errors.
CODE_DIGITS, RATE_DIGITS = 4, 6

# Binary format of a 4 x 4 matrix: 16 float64, row by row.
MATRIX = struct.Struct("=16d")


class ArchiveError(Exception):
    """Error for an archive that cannot be used. The message continues a sentence that starts with the file's path."""


class Reader:
    """Reader of one archive. Its methods answer requests."""

    Fault, format = ArchiveError, "Alembic"

    def __init__(self) -> None:
        import imath
        from alembic3d import Abc, AbcCoreAbstract, AbcGeom

        self._abc, self._geom, self._core, self._imath = Abc, AbcGeom, AbcCoreAbstract, imath
        self.close()

    def close(self) -> dict[str, Any]:
        """Close the archive."""
        self.is_open = False
        self._archive: Any = None
        self._meshes: dict[str, tuple[Any, list[Any]]] = {}
        self._rate = DEFAULT_RATE
        return {}

    def compose(self, path: str) -> dict[str, Any]:
        """Open an archive. Return its up axis, unit, times and meshes, like the reader of USD stages."""
        self.is_open = True
        try:
            self._archive = self._abc.IArchive(path)
            top = self._archive.getTop()
        except MemoryError:
            raise
        except Exception as error:  # any error of the library
            raise ArchiveError("is not a readable Alembic file") from error
        meshes = [self._listed(*found) for found in self._find(top)]
        self._rate = self._regular_rate()
        times = sorted({time for found in self._meshes.values() for time in self._times(found)}) or [0.0]
        return {
            "up": "Y",
            "meters_per_unit": 1.0,
            "start": round(times[0] * self._rate, CODE_DIGITS),
            "end": round(times[-1] * self._rate, CODE_DIGITS),
            "authored": False,
            "codes_per_second": self._rate,
            "meshes": meshes,
            "instancers": [],
        }

    def mesh(self, path: str) -> tuple[Any, ...]:
        """Return the constant parts of a mesh, and the times of its samples. ArchiveError if the topology changes."""
        mesh, parents = self._meshes[path]
        schema = mesh.getSchema()
        first = schema.getValue(self._abc.ISampleSelector())
        arrays = self._topology(first)
        changes = schema.getTopologyVariance() == self._geom.MeshTopologyVariance.kHeterogenousTopology
        for number in range(1, schema.getNumSamples()) if changes else ():
            # `getSampleTime` returns the time of a sample for regular and irregular sampling
            time = schema.getTimeSampling().getSampleTime(number)
            other = self._topology(schema.getValue(self._abc.ISampleSelector(time)))
            if any(not np.array_equal(arrays[name], other[name]) for name in arrays):
                raise ArchiveError(f"the topology of {path} changes at sample {number}, but must be constant")
        # "left_handed" is True: in Alembic, the corners of faces are in clockwise order
        reply: dict[str, Any] = {"left_handed": True, "mirrored": False, "interpolation": None, "uv_changes": False}
        texture = schema.getUVsParam()
        if texture.valid() and texture.getNumSamples():
            indexed = texture.getIndexedValue(self._abc.ISampleSelector())
            scope = str(indexed.getScope()).removeprefix("k").removesuffix("Scope").lower()
            reply["interpolation"] = {"facevarying": "faceVarying"}.get(scope, scope)
            reply["uv_changes"] = not texture.isConstant()
            arrays["uv"], arrays["uv_indices"] = _array(indexed.getVals()), _array(indexed.getIndices())
        reply["samples"] = [round(time * self._rate, CODE_DIGITS) for time in self._times((mesh, parents))]
        reply["point_count"] = len(first.getPositions())
        views = {name: memoryview(array) for name, array in arrays.items()}
        reply["arrays"] = {name: [view.format, view.shape] for name, view in views.items()}
        return reply, *views.values()

    def _topology(self, sample: Any) -> dict[str, Any]:
        counts, indices = sample.getFaceCounts(), sample.getFaceIndices()
        return {"faceVertexCounts": _array(counts), "faceVertexIndices": _array(indices)}

    def points(self, path: str, codes: list[float]) -> Iterator[tuple[bytes, Any]]:
        """Yield the matrix and the points at each time code. Stop after a change of the number of points."""
        mesh, parents = self._meshes[path]
        schema, count = mesh.getSchema(), None
        for code in codes:
            # the selector chooses the sample that is nearest to this time
            selector = self._abc.ISampleSelector(code / self._rate)
            view = memoryview(_array(schema.getValue(selector).getPositions()))
            yield self._matrix(parents, selector), view
            if count not in (None, len(view)):
                return
            count = len(view)

    def _matrix(self, parents: list[Any], selector: Any) -> bytes:
        """Return the matrix from the space of a mesh to the space of the archive. `parents` start at the root."""
        matrix = self._imath.M44d()
        for parent in parents:
            sample = parent.getSchema().getValue(selector)
            own = sample.getMatrix()
            matrix = own * matrix if sample.getInheritsXforms() else own
        return MATRIX.pack(*(matrix[row][column] for row in range(4) for column in range(4)))

    def _find(self, top: Any) -> Iterator[tuple[str, Any, list[Any]]]:
        """Yield the path, the object and the parent transforms (from the root down) of each mesh."""
        pending: list[tuple[Any, list[Any]]] = [(top, [])]
        seen = 0
        while pending:
            holder, parents = pending.pop()
            below = []
            for number in range(holder.getNumChildren()):
                seen += 1
                if seen > MOST_OBJECTS or len(parents) > DEEPEST:
                    raise ArchiveError(f"holds more than {MOST_OBJECTS:,} objects, or {DEEPEST:,} levels of them")
                header = holder.getChildHeader(number)
                if self._geom.IXform.matches(header):
                    child = self._geom.IXform(holder, header.getName())
                    below.append((child, [*parents, child]))
                elif self._geom.IPolyMesh.matches(header) or self._geom.ISubD.matches(header):
                    kind = self._geom.IPolyMesh if self._geom.IPolyMesh.matches(header) else self._geom.ISubD
                    child = kind(holder, header.getName())
                    self._meshes[str(header.getFullName())] = child, parents
                    yield str(header.getFullName()), child, parents
                    below.append((child, parents))
                else:
                    below.append((self._abc.IObject(holder, header.getName()), parents))
            pending.extend(reversed(below))

    def _listed(self, path: str, mesh: Any, parents: list[Any]) -> dict[str, Any]:
        # programs show the name of the parent object, because a shape is often called "Mesh" or "shirtShape"
        name = str(parents[-1].getName()) if parents else str(mesh.getName())
        hidden = self._geom.ObjectVisibility.kVisibilityHidden
        drawn = all(
            self._geom.GetVisibility(holder, self._abc.ISampleSelector()) != hidden for holder in [*parents, mesh]
        )
        return {"path": path, "name": name, "moves": not mesh.getSchema().isConstant(), "drawn": drawn}

    def _times(self, found: tuple[Any, list[Any]]) -> Iterator[float]:
        """Yield the times in seconds of the samples that move a mesh: its own, and those of its transforms."""
        mesh, parents = found
        for schema in (mesh.getSchema(), *(parent.getSchema() for parent in parents)):
            if schema.getNumSamples() > 1 and not schema.isConstant():
                sampling = schema.getTimeSampling()
                for number in range(schema.getNumSamples()):
                    yield sampling.getSampleTime(number)

    def _regular_rate(self) -> float:
        """Return the samples per second of the first regular sampling that moves a mesh."""
        for mesh, parents in self._meshes.values():
            for schema in (mesh.getSchema(), *(parent.getSchema() for parent in parents)):
                kind = schema.getTimeSampling().getTimeSamplingType()
                if schema.getNumSamples() > 1 and not schema.isConstant() and kind.isUniform():
                    return round(1.0 / float(kind.getTimePerCycle()), RATE_DIGITS)
        return DEFAULT_RATE


def _array(values: Any) -> Any:
    """Return a copy of a library array. The buffer of the original reports a wrong, too small number of bytes."""
    return np.array(values, order="C")
