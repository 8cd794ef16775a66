"""Carriers: the node, in a file for game engines, that contains the fine mesh; its vertices, parts and space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32
from ruckle.io.fine_materials import FineMaterials, Material, picture_suffix
from ruckle.io.fine_texture import fine_texture
from ruckle.io.glb import ARRAY_BUFFER, ELEMENT_BUFFER, FROM_Z_UP, MIME_TYPES, GlbDocument
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.surface import Surface

__all__ = ["Carrier", "FineVertices", "OwnCarrier", "Part", "VertexData", "add_primitive", "weights_channels"]

Indices = NDArray[np.int64]
VertexData = tuple[Float32, Float32]
"""Positions and unit normals of the K vertices that an engine reads, each (K, 3)."""


@dataclass(frozen=True, eq=False)
class Part:
    """Range of vertices, and faces, of one primitive of a file.

    Attributes
    ----------
    number : int
        Index of the material or primitive of the faces.
    vertices : slice
        Range of vertices in the engine's mesh.
    faces : (m, 3) uint32
        Vertex indices relative to the first vertex of the part.
    """

    number: int
    vertices: slice
    faces: NDArray[np.uint32]


class FineVertices:
    """Vertices of a fine mesh for engines, in which each vertex has exactly one value of every attribute.

    Parameters
    ----------
    fine : FineMesh
    codes : (M, 3) int
        Code of the attributes of each corner, equal for equal attributes. Two corners become one engine vertex if their
        fine vertex, part, code and side of a crease are equal.
    parts : (M,) int
        Index of the part of each fine face.

    Attributes
    ----------
    origins : (K,) int64
        Index of the fine vertex of each engine vertex.
    corners : (K,) int64
        One corner of each engine vertex, as 3 f + k for corner k of fine face f.
    parts : list of Part
    """

    def __init__(self, fine: FineMesh, codes: NDArray[np.integer], parts: NDArray[np.integer]) -> None:
        self._faces = fine.faces
        columns = np.repeat(parts, 3), fine.faces.ravel(), codes.ravel(), fine.corner_sides.ravel()
        keys = np.stack(columns, axis=1).astype(np.int64)
        kept, self.corners, numbers = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self.origins: Indices = kept[:, 1]
        faces = numbers.reshape(-1, 3)
        self.parts = []
        for number in np.unique(kept[:, 0]).tolist():
            first, last = np.searchsorted(kept[:, 0], [number, number + 1]).tolist()
            own = (faces[parts == number] - first).astype(np.uint32)
            self.parts.append(Part(number, slice(first, last), own))

    @property
    def count(self) -> int:
        """Number of vertices K."""
        return len(self.origins)

    def of(self, fine: FineMesh) -> VertexData:
        """Return positions and normals of a frame. ValueError if its faces differ from the faces of the first frame."""
        if not np.array_equal(fine.faces, self._faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        return fine.positions[self.origins], fine.corner_normals.reshape(-1, 3)[self.corners]


class Carrier(Protocol):
    """Protocol of the node, or nodes, of the fine mesh in a file for game engines."""

    @property
    def has_rest(self) -> bool:
        """True if the file contains the mesh without wrinkles. Frames are then small offsets from this mesh."""

    @property
    def vertices(self) -> FineVertices:
        """Engine vertices of the mesh. They exist after `prepare`."""

    def prepare(self, surface: Surface, fine: FineMesh) -> VertexData | None:
        """Set up the vertices from the first frame. Return the mesh without wrinkles; None if there is no such mesh."""

    def unposed(self, frame: int, posed: VertexData) -> VertexData:
        """Return positions and normals of a frame before the node or the skin moves them.

        Frame 0 is the first frame of the clip.
        """

    def unit(self) -> float:
        """Length of one unit of the mesh's own space, in units of the animation."""

    def add_mesh(
        self, document: GlbDocument, base: VertexData, targets: Sequence[VertexData], extra: Mapping[str, Float32]
    ) -> list[int]:
        """Add the mesh to the document, and return its nodes. TEXCOORD in `extra` gets the next free index."""

    def animate(self, document: GlbDocument, nodes: list[int], times: Float32, weights: Float32) -> None:
        """Add the weights (F, K) of the targets to the clip. `times` (F,) are seconds from its first frame."""

    def document(self, notes: Mapping[str, str]) -> GlbDocument:
        """Return the document to which `add_mesh` adds the mesh; `notes` are its provenance."""


class OwnCarrier:
    """A new document for animations without a glTF file that can be copied. The base mesh is the first frame.

    Parameters
    ----------
    animation : Animation
    """

    vertices: FineVertices
    has_rest = False

    def __init__(self, animation: Animation) -> None:
        self._animation = animation
        self._materials = FineMaterials.of(animation)
        self._uv: Float32 | None = None
        self._colors: Float32 | None = None

    def prepare(self, surface: Surface, fine: FineMesh) -> VertexData | None:
        """Split the vertices. Return None, because the base mesh is the first frame."""
        self.split(fine)
        return None

    def split(self, fine: FineMesh) -> None:
        """Split the vertices at differences of texture coordinates, colours and materials, and set `vertices`."""
        texture, colors = fine_texture(fine, self._animation), self._materials.fine_colors(fine)
        codes = np.zeros(fine.faces.shape, np.int64) if texture is None else texture.faces.astype(np.int64)
        if colors is not None:
            _, numbers = np.unique(colors.reshape(-1, 3), axis=0, return_inverse=True)
            codes = codes * 3 * len(codes) + numbers.reshape(codes.shape)
        self.vertices = FineVertices(fine, codes, self._materials.of_faces[fine.face_coarse_faces])
        chosen = self.vertices.corners
        if texture is not None:
            uv = texture.uv[texture.faces.ravel()[chosen]] * (1.0, -1.0) + (0.0, 1.0)
            self._uv = uv.astype(np.float32)
        if colors is not None:
            self._colors = np.ascontiguousarray(colors.reshape(-1, 3)[chosen])

    def unposed(self, frame: int, posed: VertexData) -> VertexData:
        """Return `posed` unchanged, because no node moves the mesh."""
        return posed

    def unit(self) -> float:
        """Return 1: mesh units are units of the animation."""
        return 1.0

    def document(self, notes: Mapping[str, str]) -> GlbDocument:
        """Return a new document with the provenance `notes`, without a mesh."""
        return GlbDocument(f"ruckle {_core.__version__}", notes)

    def add_mesh(
        self, document: GlbDocument, base: VertexData, targets: Sequence[VertexData], extra: Mapping[str, Float32]
    ) -> list[int]:
        """Add the mesh, its materials, its node, and a scene with this node. Return a list with the node's index.

        `base` and the morph `targets` are positions and normals of the fine vertices; `extra` are further attributes.
        """
        name = self._animation.name or "wrinkled"
        attributes = dict(extra)
        if "TEXCOORD" in attributes:
            # glTF allows a second set of texture coordinates only if there is a first set
            attributes["TEXCOORD_1"] = attributes.pop("TEXCOORD")
            attributes["TEXCOORD_0"] = np.zeros((self.vertices.count, 2), np.float32)
        if self._uv is not None:
            attributes["TEXCOORD_0"] = self._uv
        if self._colors is not None:
            attributes["COLOR_0"] = self._colors
        materials = [_add_material(document, material) for material in self._materials.materials]
        primitives = []
        for part in self.vertices.parts:
            template = {"material": materials[part.number]} if materials else {}
            primitives.append(add_primitive(document, template, part, base, targets, attributes))
        mesh = document.add("meshes", {"name": name, "primitives": primitives})
        node: dict[str, Any] = {"mesh": mesh, "name": name}
        number = document.add("nodes", node if self._animation.up == "y" else node | {"rotation": FROM_Z_UP})
        document.root["scenes"] = [{"nodes": [number]}]
        return [number]

    def animate(self, document: GlbDocument, nodes: list[int], times: Float32, weights: Float32) -> None:
        """Add an animation called `wrinkled`, with the weights (F, K) of the morph targets.

        `times` (F,) are in seconds, and are shifted so that the first one is 0.
        """
        document.add("animations", {"name": "wrinkled", "samplers": [], "channels": []})
        weights_channels(document, 0, nodes, times - times[0], weights)


def add_primitive(
    document: GlbDocument,
    template: Mapping[str, Any],
    part: Part,
    base: VertexData,
    targets: Sequence[VertexData],
    attributes: Mapping[str, NDArray[Any]],
) -> dict[str, Any]:
    """Return a primitive with the vertices and faces of a part. Its other properties are copied from `template`."""
    rows = part.vertices
    named: dict[str, int] = {
        "POSITION": document.accessor(base[0][rows], target=ARRAY_BUFFER, bounds=True),
        "NORMAL": document.accessor(base[1][rows], target=ARRAY_BUFFER),
    }
    for name, values in attributes.items():
        named[name] = document.accessor(values[rows], target=ARRAY_BUFFER)
    indices = document.accessor(part.faces.ravel(), target=ELEMENT_BUFFER)
    primitive: dict[str, Any] = {**template, "attributes": named, "indices": indices}
    if targets:
        primitive["targets"] = [
            {
                "POSITION": document.accessor(positions[rows], bounds=True),
                "NORMAL": document.accessor(normals[rows]),
            }
            for positions, normals in targets
        ]
    return primitive


def weights_channels(document: GlbDocument, animation: int, nodes: list[int], times: Float32, weights: Float32) -> None:
    """Add a linearly interpolated channel for the weights (F, K) of morph targets to an animation, for each node."""
    entry = document.root["animations"][animation]
    entry["samplers"].append(
        {
            "input": document.accessor(times.astype(np.float32), bounds=True),
            "output": document.accessor(weights.astype(np.float32).ravel()),
            "interpolation": "LINEAR",
        }
    )
    for node in nodes:
        target = {"node": node, "path": "weights"}
        entry["channels"].append({"sampler": len(entry["samplers"]) - 1, "target": target})


def _add_material(document: GlbDocument, material: Material) -> int:
    """Add a two-sided material with roughness 0.9, metalness 0 and its picture; return the index of the material."""
    surface: dict[str, Any] = {"baseColorFactor": [*material.color, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9}
    entry: dict[str, Any] = {"name": material.name, "doubleSided": True, "pbrMetallicRoughness": surface}
    if material.image is not None:
        content = material.image.read()
        kind = {"mimeType": MIME_TYPES[picture_suffix(content)], "bufferView": document.view(content)}
        texture = document.add("textures", {"source": document.add("images", kind)})
        surface["baseColorTexture"] = {"index": texture}
        if material.image.cutout is not None:
            entry |= {"alphaMode": "MASK", "alphaCutoff": material.image.cutout}
    return document.add("materials", entry)
