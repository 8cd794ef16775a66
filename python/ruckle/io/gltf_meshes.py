"""Reads meshes and skins of glTF as arrays: rest positions, triangles, joints, weights, morph targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_accessors import accessor_count, read_floats, read_integers
from ruckle.io.gltf_compression import DRACO_EXTENSION, decoded_primitive
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_entry import Entry

__all__ = [
    "MODES",
    "Geometry",
    "Skin",
    "Target",
    "VertexBlock",
    "has_triangles",
    "morph_count",
    "read_geometry",
    "read_skin",
    "vertex_blocks",
]

MODES = ("points", "lines", "line loop", "line strip", "triangles", "triangle strip", "triangle fan")

# For the time limit: estimated nanoseconds per primitive without its accessors.
PRIMITIVE_TIME = 4e5


@dataclass(frozen=True)
class Geometry:
    """One mesh whose primitives are joined.

    Attributes
    ----------
    positions : (V, 3) float64, mesh units
    faces : (T, 3) int64
    uv : (V, 2) float64, texture coordinates whose v points up, unlike in glTF; None unless every primitive has them
    joints : (V, K) int64 and weights : (V, K) float64 that sum to 1; K = 0 without skinning
    targets : (M, V, 3) float64, displacements of the morph targets
    colors : (V, 3) float64, vertex colours; None unless every primitive has them
    face_materials : (T,) int64, material index of each face, -1 without material
    """

    positions: NDArray[np.float64]
    faces: NDArray[np.int64]
    uv: NDArray[np.float64] | None
    joints: NDArray[np.int64]
    weights: NDArray[np.float64]
    targets: NDArray[np.float64]
    colors: NDArray[np.float64] | None = None
    face_materials: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))


@dataclass(frozen=True)
class Target:
    """A mesh and the node that places this mesh in the scene.

    Attributes
    ----------
    node : index of the node, or None if no node has the mesh
    mesh : index of the mesh
    skin : index of the skin, or None
    """

    node: int | None
    mesh: int
    skin: int | None


@dataclass(frozen=True)
class Skin:
    """The joint nodes of a skin, and their inverse bind matrices (J, 4, 4) float64 from mesh space to joint space."""

    joints: list[int]
    inverse_bind: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class VertexBlock:
    """One primitive of a mesh, and the range of its vertices in the joined mesh.

    Attributes
    ----------
    start : int
        Index of the first vertex in the arrays of `read_geometry`.
    face_count : int
    attributes : dict of str to int
        Accessor index of each attribute.
    template : dict
        The primitive's JSON, for example with its material, but without compression, morph targets and mode.
    """

    start: int
    face_count: int
    attributes: dict[str, int]
    template: dict[str, Any]


def vertex_blocks(document: Document, mesh_index: int, primitive: int | None) -> list[VertexBlock]:
    """Return the triangle primitives of a mesh, in the order of faces in `read_geometry`."""
    starts: dict[str, int] = {}
    blocks, vertex_count = [], 0
    for entry in _triangle_primitives(document.root.element("meshes", mesh_index), primitive):
        key, position_accessor = _block_key(entry), _position_accessor(document, entry)
        if key not in starts:
            starts[key] = vertex_count
            vertex_count += accessor_count(document, position_accessor)
        face_count = len(_read_faces(document, entry, position_accessor))
        template = {name: value for name, value in entry.copied().items() if name not in ("targets", "mode")}
        if DRACO_EXTENSION in template.get("extensions", {}):
            del template["extensions"][DRACO_EXTENSION]
        blocks.append(VertexBlock(starts[key], face_count, _attributes(entry), template))
    return blocks


def _block_key(primitive: Entry) -> str:
    """Return a key that is equal for two primitives if they share all vertex accessors."""
    return f"{_attributes(primitive)} {_targets(primitive)}"


def read_geometry(document: Document, mesh_index: int, primitive: int | None, skin: Skin | None) -> Geometry:
    """Return all triangle primitives of a mesh joined in order, or a single primitive.

    Primitives with equal vertex accessors share their vertices. Joints and weights are read only if the mesh has a
    skin.

    Raises
    ------
    FormatError
        The mesh does not have triangles, or an accessor is damaged.
    """
    mesh = document.root.element("meshes", mesh_index)
    blocks: dict[str, int] = {}
    parts: list[Geometry] = []
    faces: list[NDArray[np.int64]] = []
    materials: list[NDArray[np.int64]] = []
    vertex_count = 0
    for entry in _triangle_primitives(mesh, primitive):
        document.budget.spend(PRIMITIVE_TIME, entry)
        triangles = _decoded_faces(document, entry)
        key = _block_key(entry)
        if key not in blocks:
            blocks[key] = vertex_count
            parts.append(_read_vertices(document, entry, skin))
            vertex_count += parts[-1].positions.shape[0]
        position_accessor = _position_accessor(document, entry)
        if triangles is None:
            triangles = _read_faces(document, entry, position_accessor)
        own_count = accessor_count(document, position_accessor)
        if triangles.max(initial=-1) >= own_count:
            raise entry.fault(f"a face refers to vertex {int(triangles.max())}, allowed are 0 to {own_count - 1}")
        faces.append(triangles + blocks[key])
        material = entry.index("material", document.root.count("materials"))
        materials.append(np.full(len(triangles), -1 if material is None else material))
    return _joined(mesh, parts, np.concatenate(faces), np.concatenate(materials))


def read_skin(document: Document, index: int) -> Skin:
    """Read the joints and the inverse bind matrices of a skin. If there are no matrices, they are the identity.

    Raise FormatError if the skin does not have joints or has too few matrices.
    """
    entry = document.root.element("skins", index)
    joints = entry.indices("joints", document.root.count("nodes"))
    if not joints:
        raise entry.fault("has no joints")
    document.budget.hold(len(joints) * np.eye(4).nbytes, entry)
    accessor = entry.index("inverseBindMatrices", document.root.count("accessors"))
    if accessor is None:
        return Skin(joints, np.broadcast_to(np.eye(4), (len(joints), 4, 4)))
    matrices = read_floats(document, accessor, "MAT4")
    if matrices.shape[0] < len(joints):
        raise entry.fault(f"has {len(joints)} joints, but {matrices.shape[0]} inverse bind matrices")
    # transpose, because glTF stores matrices in column-major order
    return Skin(joints, matrices[: len(joints)].reshape(-1, 4, 4).transpose(0, 2, 1))


def morph_count(mesh: Entry) -> int:
    """Return the number of morph targets of a mesh."""
    return mesh.element("primitives", 0).count("targets") if mesh.count("primitives") else 0


def has_triangles(mesh: Entry) -> bool:
    """Return True if a primitive of the mesh consists of triangles."""
    return any(_mode(entry) >= 4 for entry in mesh.elements("primitives"))


def _triangle_primitives(mesh: Entry, primitive: int | None) -> list[Entry]:
    if primitive is not None:
        if primitive >= mesh.count("primitives"):
            raise mesh.fault(f"has no primitive {primitive}, only {mesh.count('primitives')}")
        chosen = mesh.element("primitives", primitive)
        if _mode(chosen) < 4:
            raise chosen.fault(f"is made of {MODES[_mode(chosen)]}, not of triangles")
        return [chosen]
    found = [entry for entry in mesh.elements("primitives") if _mode(entry) >= 4]
    if not found:
        raise mesh.fault("has no primitive made of triangles")
    return found


def _mode(primitive: Entry) -> int:
    return primitive.integer("mode", 4, below=len(MODES))


def _attributes(primitive: Entry) -> dict[str, int]:
    attributes = primitive.entry("attributes")
    return {} if attributes is None else {key: attributes.integer(key) for key in sorted(attributes.keys())}


def _targets(primitive: Entry) -> list[int | None]:
    """Return the position accessor of every morph target, or None for a target without positions."""
    return [target.integer("POSITION") if "POSITION" in target else None for target in primitive.elements("targets")]


def _position_accessor(document: Document, primitive: Entry) -> int:
    attributes = primitive.entry("attributes")
    if attributes is None or "POSITION" not in attributes:
        raise primitive.fault("has no positions")
    return attributes.integer("POSITION", below=document.root.count("accessors"))


def _decoded_faces(document: Document, primitive: Entry) -> NDArray[np.int64] | None:
    """Return the triangles of a Draco primitive, and store its decoded attributes. Return None for other primitives."""
    extensions = primitive.entry("extensions")
    compressed = None if extensions is None else extensions.entry(DRACO_EXTENSION)
    if compressed is None:
        return None
    # if the accessor has a buffer view, the file also contains the uncompressed data
    accessor = document.root.element("accessors", _position_accessor(document, primitive))
    if "bufferView" in accessor:
        return None
    view = compressed.integer("bufferView", below=document.root.count("bufferViews"))
    buffer, offset, length, _ = document.view(view)
    faces, decoded = decoded_primitive(primitive, compressed, buffer[offset : offset + length], document.budget)
    attributes = primitive.entry("attributes")
    for name, values in decoded.items():
        number = None if attributes is None else attributes.index(name, document.root.count("accessors"))
        if number is not None:
            document.decoded[number] = values
    return faces.astype(np.int64)


def _read_vertices(document: Document, primitive: Entry, skin: Skin | None) -> Geometry:
    positions = read_floats(document, _position_accessor(document, primitive), "VEC3")
    vertex_count = positions.shape[0]
    joints, weights = _read_influences(document, primitive, vertex_count, skin)
    uv = None
    for accessor in _numbered(document, primitive, "TEXCOORD_", vertex_count, limit=1):
        uv = read_floats(document, accessor, "VEC2") * (1.0, -1.0) + (0.0, 1.0)
    colors = None
    for accessor in _numbered(document, primitive, "COLOR_", vertex_count, limit=1):
        colors = read_floats(document, accessor, "VEC3", "VEC4")[:, :3]
    document.budget.hold(2 * primitive.count("targets") * positions.nbytes, primitive)
    targets = np.zeros((primitive.count("targets"), vertex_count, 3))
    for target, entry in zip(targets, primitive.elements("targets"), strict=True):
        index = entry.index("POSITION", document.root.count("accessors"))
        if index is not None:
            target[:] = _of_length(read_floats(document, index, "VEC3"), vertex_count, entry)
    return Geometry(positions, np.empty((0, 3), np.int64), uv, joints, weights, targets, colors)


def _numbered(
    document: Document, primitive: Entry, prefix: str, vertex_count: int, limit: int | None = None
) -> Iterator[int]:
    """Yield the accessors of the attributes PREFIX0, PREFIX1 and so on, until a number is missing."""
    attributes = primitive.entry("attributes")
    number = 0
    while attributes is not None and f"{prefix}{number}" in attributes and (limit is None or number < limit):
        accessor = attributes.integer(f"{prefix}{number}", below=document.root.count("accessors"))
        if accessor_count(document, accessor) != vertex_count:
            raise attributes.fault(f"{prefix}{number}: expected one element for each of {vertex_count} vertices")
        yield accessor
        number += 1


def _read_influences(
    document: Document, primitive: Entry, vertex_count: int, skin: Skin | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return joints and weights (V, K) of all sets; K = 0 without skin. The weights of a vertex are scaled to sum 1."""
    if skin is None:
        return np.zeros((vertex_count, 0), np.int64), np.zeros((vertex_count, 0))
    joint_sets = [
        read_integers(document, index, "VEC4") for index in _numbered(document, primitive, "JOINTS_", vertex_count)
    ]
    weight_sets = [
        read_floats(document, index, "VEC4") for index in _numbered(document, primitive, "WEIGHTS_", vertex_count)
    ]
    if not joint_sets or len(joint_sets) != len(weight_sets):
        raise primitive.fault(
            f"has {len(joint_sets)} sets of joints and {len(weight_sets)} sets of weights, "
            "expected equal numbers of at least 1"
        )
    joints, weights = np.concatenate(joint_sets, axis=1), np.concatenate(weight_sets, axis=1)
    if (weights < 0).any():
        raise primitive.fault(f"vertex {int(np.argmax((weights < 0).any(axis=1)))} has a negative weight")
    total = weights.sum(axis=1)
    # a vertex without weights is moved by the first joint in its list, as in common viewers
    weights[total == 0, 0] = 1
    weights /= np.where(total == 0, 1.0, total)[:, None]
    joints[weights == 0] = 0
    if int(joints.max()) >= len(skin.joints):
        vertex = int(np.argmax(joints.max(axis=1) >= len(skin.joints)))
        raise primitive.fault(
            f"vertex {vertex} refers to joint {int(joints[vertex].max())}, but the skin has {len(skin.joints)}"
        )
    return joints, weights


def _read_faces(document: Document, primitive: Entry, positions: int) -> NDArray[np.int64]:
    """Return the triangles of a list, strip or fan. Without indices, the vertices are used in order.

    Degenerate triangles of strips are removed.
    """
    index = primitive.index("indices", document.root.count("accessors"))
    if index is not None:
        corners = read_integers(document, index, "SCALAR")[:, 0]
    else:
        corners = np.arange(accessor_count(document, positions))
    if MODES[_mode(primitive)] == "triangles":
        if corners.size % 3:
            raise primitive.fault(f"has {corners.size} corners, which is not a multiple of 3")
        return corners.reshape(-1, 3)
    if corners.size < 3:
        raise primitive.fault(f"is a {MODES[_mode(primitive)]} of {corners.size} corners, expected at least 3")
    if MODES[_mode(primitive)] == "triangle fan":
        return np.column_stack([np.full(corners.size - 2, corners[0]), corners[1:-1], corners[2:]])
    strip = np.column_stack([corners[:-2], corners[1:-1], corners[2:]])
    # in a strip, every second triangle has the opposite corner order
    strip[1::2, 1:] = strip[1::2, :0:-1]
    first, second, third = strip.T
    # omit triangles that contain a vertex twice: exporters connect strips by such triangles
    distinct: NDArray[np.bool_] = (first != second) & (second != third) & (third != first)
    return strip[distinct]


def _joined(mesh: Entry, parts: list[Geometry], faces: NDArray[np.int64], materials: NDArray[np.int64]) -> Geometry:
    """Return the vertices of several primitives in order, with these faces and their materials.

    Missing influences have weight 0.
    """
    if len(parts) == 1:
        return replace(parts[0], faces=faces, face_materials=materials)
    if len({part.targets.shape[0] for part in parts}) > 1:
        raise mesh.fault("has primitives with different numbers of morph targets")
    influences = max(part.joints.shape[1] for part in parts)
    padding = [((0, 0), (0, influences - part.joints.shape[1])) for part in parts]
    coordinates = [part.uv for part in parts if part.uv is not None]
    colors = [part.colors for part in parts if part.colors is not None]
    return Geometry(
        np.concatenate([part.positions for part in parts]),
        faces,
        np.concatenate(coordinates) if len(coordinates) == len(parts) else None,
        np.concatenate([np.pad(part.joints, pad) for part, pad in zip(parts, padding, strict=True)]),
        np.concatenate([np.pad(part.weights, pad) for part, pad in zip(parts, padding, strict=True)]),
        np.concatenate([part.targets for part in parts], axis=1),
        np.concatenate(colors) if len(colors) == len(parts) else None,
        materials,
    )


def _of_length(values: NDArray[np.float64], count: int, entry: Entry) -> NDArray[np.float64]:
    if values.shape[0] != count:
        raise entry.fault(f"has {values.shape[0]} elements, expected {count}")
    return values
