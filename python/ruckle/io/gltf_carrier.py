"""Writes the fine mesh into a copy of the animation's glTF file, with skin, materials and clips.

The fine mesh replaces the mesh of its node. Joints, texture coordinates and colours of each fine vertex are
interpolated from its coarse triangle. Positions are stored before skinning: an engine applies morph targets and skin,
and the result is the wrinkled surface. Clips without weights of morph targets show the smooth mesh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.carrier import FineVertices, VertexData, add_primitive, weights_channels
from ruckle.io.glb import GlbDocument
from ruckle.io.gltf_accessors import read_floats
from ruckle.io.gltf_cloth import chosen_targets
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Geometry, Skin, Target, VertexBlock, vertex_blocks
from ruckle.io.gltf_scene import Scene
from ruckle.mesh.animation import Animation
from ruckle.mesh.repair import repair_faces
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import CoarseFrame
from ruckle.surface.surface import Surface

__all__ = ["GltfCarrier"]

# Number of joints per attribute set (JOINTS_0, JOINTS_1, ...).
JOINTS_OF_SET = 4

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Source:
    """One mesh of the file, which is a part of the animation.

    Attributes
    ----------
    target : Target
    geometry : Geometry
    skin : Skin, optional
    blocks : list of VertexBlock
        Primitives of the mesh.
    first : int
        Index of the mesh's first vertex in the animation.
    origins : (v,) int64
        Index of the file's vertex for each vertex of the mesh in the animation. This includes copies of vertices that
        the face repair has made.
    """

    target: Target
    geometry: Geometry
    skin: Skin | None
    blocks: list[VertexBlock]
    first: int
    origins: Indices


class GltfCarrier:
    """The nodes of a glTF file whose meshes the animation was read from.

    Parameters
    ----------
    path : path of the file
    animation : Animation
        The animation that was read from `path` with the options below.
    mesh, primitive, clip : as `mesh`, `primitive` and `animation` of `ruckle.load`
    budget : float
        See `ruckle.load`.

    Raises
    ------
    FormatError
        No node has the mesh, or the mesh in the file differs from the mesh of the animation.
    """

    vertices: FineVertices
    has_rest = True

    def __init__(
        self,
        path: Path,
        animation: Animation,
        *,
        mesh: str | int | Sequence[str | int] | None = None,
        primitive: int | None = None,
        clip: str | int | None = None,
        budget: float = 1.0,
    ) -> None:
        self._animation = animation
        self._document = Document(path, Budget(budget))
        self._scene = Scene(self._document)
        chosen = chosen_targets(self._scene, mesh, clip)
        self._clip = self._scene.clip_of(chosen, clip)
        self._clip_number = None
        if self._clip is not None:
            # if several clips play together, the weights of the morph targets are added to the first clip
            self._clip_number = self._scene.movements.first(chosen)[0] if clip is None else self._scene.clip_index(clip)
        self._sources: list[Source] = []
        # for each face of the animation: index of its primitive (`parts`); True if the file has its corners in the
        # opposite order (`turned`)
        parts, turned, vertices = [], [], 0
        self._parts: list[tuple[int, VertexBlock]] = []
        for number, target in enumerate(chosen):
            if target.node is None:
                raise FormatError(
                    f"{path}: no node has the mesh '{self._scene.name(target)}', so nothing can contain the fine mesh"
                )
            geometry, skin = self._scene.geometry(target, primitive)
            faces = self._scene.faces(target, geometry, skin, self._clip, self._times(0))
            repair = repair_faces(faces, len(geometry.positions))
            blocks = vertex_blocks(self._document, target.mesh, primitive)
            own = np.repeat(np.arange(len(blocks)), [block.face_count for block in blocks])[repair.kept]
            parts.append(own + len(self._parts))
            turned.append((faces != geometry.faces).any(axis=1)[repair.kept])
            self._parts += [(number, block) for block in blocks]
            origins = np.concatenate([np.arange(len(geometry.positions)), repair.copied])
            self._sources.append(Source(target, geometry, skin, blocks, vertices, origins))
            vertices += len(origins)
        self._face_parts, self._turned = np.concatenate(parts), np.concatenate(turned)
        if vertices != animation.vertex_count or len(self._face_parts) != animation.face_count:
            raise FormatError(f"{path}: has another mesh than the animation; was it read with other options?")

    def unit(self) -> float:
        """Return the length of one unit of the first mesh before skinning, in scene units: its joints' mean scale."""
        source = self._sources[0]
        _, weights, bones = self._scene.moves(source.target, source.geometry, source.skin, self._clip, self._times(0))
        used = np.unique(source.geometry.joints[source.geometry.weights > 0]) if weights.shape[1] > 1 else [0]
        return float(np.cbrt(np.abs(np.linalg.det(bones[0, used, :, :3]))).mean())

    def prepare(self, surface: Surface, fine: FineMesh) -> VertexData | None:
        """Split the fine vertices along the seams of the file. Return the smooth mesh before skinning."""
        faces = self._animation.faces[fine.face_coarse_faces].astype(np.int64)
        weights = fine.corner_barycentric
        # the code of a fine vertex on a coarse edge is made from the edge's two vertices, which differ at a seam
        used = weights > 0.0
        low = np.where(used, faces[:, None], self._animation.vertex_count).min(axis=2)
        high = np.where(used, faces[:, None], -1).max(axis=2)
        codes = np.where(used.all(axis=2), -1, low * self._animation.vertex_count + high)
        self.vertices = FineVertices(fine, codes, self._face_parts[fine.face_coarse_faces])
        face = self.vertices.corners // 3
        self._corners, self._weights = faces[face], weights[face, self.vertices.corners % 3]
        self._turn_faces(fine)
        self._influences = [self._joints(number) for number in range(len(self._sources))]
        return self._rest(surface, fine)

    def unposed(self, frame: int, posed: VertexData) -> VertexData:
        """Return positions and normals of a frame before the node or the skin moves them: the inverse of skinning."""
        positions, normals = np.empty_like(posed[0]), np.empty_like(posed[1])
        for number, source in enumerate(self._sources):
            rows = self._rows(number)
            _, _, bones = self._scene.moves(source.target, source.geometry, source.skin, self._clip, self._times(frame))
            joints, weights = self._influences[number]
            moves = np.zeros((len(joints), 3, 4))
            for k in range(joints.shape[1]):
                moves += weights[:, k, None, None] * bones[0, joints[:, k]]
            back = _inverse(moves[:, :, :3])
            positions[rows] = np.einsum("vij,vj->vi", back, posed[0][rows] - moves[:, :, 3])
            # engines transform normals by the matrices of the positions, not by their inverse transposes
            normals[rows] = _unit(np.einsum("vij,vj->vi", back, posed[1][rows]))
        return positions, normals

    def document(self, notes: Mapping[str, str]) -> GlbDocument:
        """Return a copy of the glTF file as a document, with the provenance `notes`."""
        return GlbDocument("", notes, original=self._document)

    def add_mesh(
        self, document: GlbDocument, base: VertexData, targets: Sequence[VertexData], extra: Mapping[str, Float32]
    ) -> list[int]:
        """Replace the meshes of the nodes by fine meshes, and remove old morph weights. Return the nodes' indices.

        `base` and the morph `targets` are positions and normals of the fine vertices; `extra` are further attributes.
        """
        nodes = []
        for number, source in enumerate(self._sources):
            primitives = [
                self._add_primitive(document, part.number, base, targets, extra)
                for part in self.vertices.parts
                if self._parts[part.number][0] == number
            ]
            old = document.root["meshes"][source.target.mesh]
            mesh = {key: value for key, value in old.items() if key not in ("primitives", "weights", "extras")}
            node = source.target.node
            assert node is not None
            entry = document.root["nodes"][node]
            entry["mesh"] = document.add("meshes", {**mesh, "primitives": primitives})
            entry.pop("weights", None)
            nodes.append(node)
        # remove weights of the old morph targets, because the fine mesh has other targets
        for animation in document.root.get("animations", []):
            animation["channels"] = [
                channel
                for channel in animation["channels"]
                if channel["target"].get("path") != "weights" or channel["target"].get("node") not in nodes
            ]
        return nodes

    def animate(self, document: GlbDocument, nodes: list[int], times: Float32, weights: Float32) -> None:
        """Add the weights of the morph targets to the clip from which the frames were read.

        If there is no clip, the meshes get the weights of the first frame.
        """
        if self._clip is None or self._clip_number is None:
            for node in nodes:
                document.root["meshes"][document.root["nodes"][node]["mesh"]]["weights"] = weights[0].tolist()
        else:
            weights_channels(document, self._clip_number, nodes, times + np.float32(self._clip.start), weights)

    def _times(self, frame: int) -> NDArray[np.float64]:
        """Return the time of a frame, (1,) seconds of the clip."""
        return np.array([0.0 if self._clip is None else self._clip.start + frame / self._animation.fps])

    def _rows(self, number: int) -> slice:
        """Return the range of the output vertices that are from one mesh of the file."""
        own = [part.vertices for part in self.vertices.parts if self._parts[part.number][0] == number]
        return slice(own[0].start, own[-1].stop)

    def _local(self, number: int) -> Indices:
        """Return the corners (k, 3) of the coarse triangle around each output vertex, as vertices of the file."""
        source = self._sources[number]
        # all corners of these rows are vertices of this mesh, so the subtraction gives valid indices
        local: Indices = source.origins[self._corners[self._rows(number)] - source.first]
        return local

    def _turn_faces(self, fine: FineMesh) -> None:
        """Restore the corner order of the file in faces that mirroring nodes and joints had reversed."""
        turned = self._turned[fine.face_coarse_faces]
        fine_parts = self._face_parts[fine.face_coarse_faces]
        for index, part in enumerate(self.vertices.parts):
            own = turned[fine_parts == part.number]
            faces = np.where(own[:, None], part.faces[:, ::-1], part.faces)
            self.vertices.parts[index] = replace(part, faces=faces)

    def _joints(self, number: int) -> tuple[Indices, NDArray[np.float64]]:
        """Return joints and weights (k, c) of one mesh's output vertices: the c largest weights of each vertex.

        The number c is that of the file, rounded up to a multiple of four; at most the number of joints. The weights
        are interpolated from the coarse triangle, and scaled to sum 1.
        """
        source = self._sources[number]
        joints, weights, bones = self._scene.moves(
            source.target, source.geometry, source.skin, self._clip, self._times(0)
        )
        local, mixed = self._local(number), self._weights[self._rows(number)]
        total = np.zeros((len(local), bones.shape[1]), np.float32)
        row = np.arange(len(local))
        for corner in range(3):
            for k in range(joints.shape[1]):
                share = mixed[:, corner] * weights[local[:, corner], k]
                np.add.at(total, (row, joints[local[:, corner], k]), share)
        count = min(JOINTS_OF_SET * max(1, -(-joints.shape[1] // JOINTS_OF_SET)), bones.shape[1])
        heaviest = np.argsort(-total, axis=1, kind="stable")[:, :count]
        chosen = np.take_along_axis(total, heaviest, axis=1).astype(np.float64)
        return heaviest, chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1e-30)

    def _rest(self, surface: Surface, fine: FineMesh) -> VertexData:
        """Return the fine mesh without wrinkles, computed from the unskinned positions in the file.

        If a layer has a shape, positions are interpolated linearly, and normals are those of the first frame.
        """
        positions = np.empty((self.vertices.count, 3), np.float32)
        normals = np.empty_like(positions)
        for number, source in enumerate(self._sources):
            rows = self._rows(number)
            stored = source.geometry.positions
            if surface.shape is not None:
                local, weights = self._local(number), self._weights[rows]
                positions[rows] = np.einsum("vk,vkc->vc", weights, stored[local])
                normals[rows] = fine.corner_normals.reshape(-1, 3)[self.vertices.corners[rows]]
                continue
            # Set positions by the faces, in both numberings of the vertices: face repair has replaced some vertices by
            # copies.
            coarse = np.zeros((self._animation.vertex_count, 3), np.float32)
            own = self._animation.faces, surface.topology.faces
            for faces in own:
                here = self._face_parts_of(number)
                coarse[faces[here]] = stored[source.origins[self._animation.faces[here] - source.first]]
            smooth = Surface(surface.topology, base=surface.base, base_level=surface.base_level)
            smooth.update(CoarseFrame(coarse, surface.topology), edge_levels=surface.edge_levels)
            found = smooth.displace()
            positions[rows] = found.positions[self.vertices.origins[rows]]
            normals[rows] = found.corner_normals.reshape(-1, 3)[self.vertices.corners[rows]]
        return positions, normals

    def _face_parts_of(self, number: int) -> NDArray[np.bool_]:
        """Return a mask of the animation's faces that are part of one mesh of the file."""
        own: NDArray[np.bool_] = np.array([mesh for mesh, _ in self._parts])[self._face_parts] == number
        return own

    def _add_primitive(
        self,
        document: GlbDocument,
        number: int,
        base: VertexData,
        targets: Sequence[VertexData],
        extra: Mapping[str, Float32],
    ) -> dict[str, Any]:
        """Return a copy of primitive `number` of the file with the fine vertices and faces, and add its arrays.

        Attributes of the file are interpolated. TEXCOORD in `extra` gets the next free index.
        """
        mesh, block = self._parts[number]
        source = self._sources[mesh]
        [part] = [part for part in self.vertices.parts if part.number == number]
        rows = self._rows(mesh)
        within = slice(part.vertices.start - rows.start, part.vertices.stop - rows.start)
        local, weights = self._local(mesh)[within] - block.start, self._weights[part.vertices]
        attributes: dict[str, NDArray[Any]] = {}

        def put(name: str, values: NDArray[Any]) -> None:
            # fill arrays with a row per output vertex, so that every primitive is a slice of them
            column = np.zeros((self.vertices.count, values.shape[1]), values.dtype)
            column[part.vertices] = values
            attributes[name] = column

        for name, accessor in block.attributes.items():
            if name in ("POSITION", "NORMAL") or name.startswith(("JOINTS_", "WEIGHTS_")):
                continue
            values = np.einsum("vk,vkc->vc", weights, read_floats(self._document, accessor)[local])
            put(name, _tangents(values, base[1][part.vertices]) if name == "TANGENT" else values.astype(np.float32))
        if source.skin is not None:
            joints, shares = self._influences[mesh]
            padding = (0, 0), (0, -joints.shape[1] % JOINTS_OF_SET)
            joints, shares = np.pad(joints[within], padding), np.pad(shares[within], padding)
            for k in range(joints.shape[1] // JOINTS_OF_SET):
                columns = slice(JOINTS_OF_SET * k, JOINTS_OF_SET * (k + 1))
                put(f"JOINTS_{k}", np.where(shares > 0, joints, 0)[:, columns].astype(np.uint16))
                put(f"WEIGHTS_{k}", shares[:, columns].astype(np.float32))
        free = sum(name.startswith("TEXCOORD_") for name in attributes)
        for name, values in extra.items():
            attributes[f"{name}_{max(free, 1)}" if name == "TEXCOORD" else name] = values
        if "TEXCOORD" in extra and not free:
            attributes["TEXCOORD_0"] = np.zeros((self.vertices.count, 2), np.float32)
        return add_primitive(document, block.template, part, base, targets, attributes)


def _inverse(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverses of matrices (k, 3, 3). The inverse of a singular matrix is set to zero."""
    adjugate = np.stack([np.cross(matrices[:, (k + 1) % 3], matrices[:, (k + 2) % 3]) for k in range(3)], axis=2)
    determinant = np.einsum("vj,vj->v", matrices[:, 0], adjugate[:, :, 0])
    result: NDArray[np.float64] = (
        adjugate * np.divide(1.0, determinant, out=np.zeros_like(determinant), where=determinant != 0.0)[:, None, None]
    )
    return result


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: NDArray[np.float64] = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)
    return result


def _tangents(values: NDArray[np.float64], normals: Float32) -> Float32:
    """Return unit tangents perpendicular to the normals, (k, 4). The fourth number is the sign of the bitangent."""
    along = values[:, :3] - np.einsum("vi,vi->v", values[:, :3], normals)[:, None] * normals
    sign = np.where(values[:, 3:] < 0.0, -1.0, 1.0)
    result: Float32 = np.concatenate([_unit(along), sign], axis=1).astype(np.float32)
    return result
