"""The node hierarchy of glTF: the transforms from every node to the scene at given times."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_clips import Channel, Clip, sample_together
from ruckle.io.gltf_container import Document

__all__ = ["NodeTree"]

Matrices = NDArray[np.float64]

# For the time limit: estimated nanoseconds per node and lookup.
NODE_TIME = 1e4

# JSON keys of a node's transform. A node without these keys has the transform of its parent.
TRANSFORM_KEYS = ("translation", "rotation", "scale", "matrix")


DEFAULTS = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


class NodeTree:
    """All nodes of a document, with their parents.

    Attributes
    ----------
    entries : JSON objects of the nodes
    parents : index of the parent of each node, or -1 for root nodes
    order : indices of all nodes, parents before their children
    in_scene : indices of the nodes in the default scene, or of all nodes if the document does not have scenes
    """

    def __init__(self, document: Document) -> None:
        document.budget.spend(NODE_TIME * document.root.count("nodes"), document.root)
        self.entries = document.root.elements("nodes")
        self.parents = [-1] * len(self.entries)
        children: list[list[int]] = []
        for index, entry in enumerate(self.entries):
            children.append(entry.indices("children", len(self.entries)))
            for child in children[index]:
                if self.parents[child] != -1:
                    raise entry.fault(f"node {child} has a second parent, {self.parents[child]} is its first")
                self.parents[child] = index
        roots = [index for index, parent in enumerate(self.parents) if parent == -1]
        self.order = _descendants(roots, children)
        if len(self.order) != len(self.entries):
            raise document.root.fault("nodes: some nodes of the hierarchy form a cycle")
        self.in_scene = sorted(_descendants(_scene_roots(document, roots), children))

    def world_matrices(
        self, nodes: list[int], clip: Clip | None, times: NDArray[np.float64], known: dict[int, Matrices] | None = None
    ) -> list[Matrices]:
        """Return the matrices from each node to the scene: (F, 4, 4), or (1, 4, 4) if the node does not move.

        `known` is a cache: it contains the matrices of nodes for these times, and new results are added.
        """
        known = {} if known is None else known
        missing: dict[int, None] = {}
        for node in nodes:
            line = []
            while node != -1 and node not in known and node not in missing:
                line.append(node)
                node = self.parents[node]
            missing |= dict.fromkeys(reversed(line))
        for node, local in self._local_matrices(list(missing), clip, times).items():
            parent = self.parents[node]
            known[node] = local if parent == -1 else known[parent] @ local
        return [known[node] for node in nodes]

    def line_count(self, nodes: list[int], known: Container[int] = ()) -> int:
        """Return the number of distinct nodes among these nodes and their ancestors, except known ones."""
        found: set[int] = set()
        for node in nodes:
            member = node
            while member != -1 and member not in found and member not in known:
                found.add(member)
                member = self.parents[member]
        return len(found)

    def moved(self, clip: Clip) -> set[int]:
        """Return the nodes that an animation moves directly or through an ancestor."""
        moved = {node for node, kind in clip.channels if kind != "weights"}
        for node in self.order:
            if self.parents[node] in moved:
                moved.add(node)
        return moved

    def _local_matrices(
        self, nodes: Iterable[int], clip: Clip | None, times: NDArray[np.float64]
    ) -> dict[int, Matrices]:
        """Return the matrices from each node to its parent, (F, 4, 4), or (1, 4, 4) if the animation skips the node."""
        channels = {} if clip is None else clip.channels
        found: dict[int, Matrices] = {}
        # nodes at rest, and animated nodes
        composed: tuple[list[int], list[int]] = [], []
        for node in nodes:
            entry = self.entries[node]
            animated = any((node, kind) in channels for kind in DEFAULTS)
            found[node] = np.eye(4)[None]
            if not animated and "matrix" in entry:
                found[node] = np.asarray(entry.numbers("matrix", 16)).reshape(1, 4, 4).transpose(0, 2, 1)
            elif animated or any(key in entry for key in TRANSFORM_KEYS):
                composed[animated].append(node)
        for members, moments in zip(composed, (np.zeros(1), times), strict=True):
            if members:
                found |= zip(members, self._composed(members, channels, moments), strict=True)
        return found

    def _composed(
        self, nodes: Sequence[int], channels: Mapping[tuple[int, str], Channel], times: NDArray[np.float64]
    ) -> Matrices:
        """Return matrices (N, F, 4, 4) from the translation, rotation and scale of nodes; animated, or at rest."""
        rests = [self.at_rest(node, without=[kind for kind in DEFAULTS if (node, kind) in channels]) for node in nodes]
        parts = {}
        for kind, default in DEFAULTS.items():
            values = np.empty((len(nodes), times.size, len(default)))
            animated = [number for number, node in enumerate(nodes) if (node, kind) in channels]
            if animated:
                values[animated] = sample_together([channels[nodes[number], kind] for number in animated], times)
            for number, node in enumerate(nodes):
                if (node, kind) not in channels:
                    values[number] = rests[number][kind]
            parts[kind] = values
        length = np.linalg.norm(parts["rotation"], axis=2)
        if not length.all():
            raise self.entries[nodes[int(np.argmin(length.all(axis=1)))]].fault("rotation is zero")
        return _compose(parts["translation"], parts["rotation"] / length[..., None], parts["scale"])

    def at_rest(self, node: int, *, without: Container[str] = ()) -> dict[str, NDArray[np.float64]]:
        """Return translation, rotation and scale of a node without animation. The shear of a matrix is dropped.

        Properties in `without` are omitted, except for nodes with a matrix.
        """
        entry = self.entries[node]
        matrix = entry.numbers("matrix", 16)
        if matrix is not None:
            return _parts(matrix.reshape(4, 4).T)
        found = {}
        for kind, default in DEFAULTS.items():
            if kind not in without:
                stated = entry.numbers(kind, len(default))
                found[kind] = np.array(default) if stated is None else stated
        return found


def _parts(matrix: Matrices) -> dict[str, NDArray[np.float64]]:
    """Return translation, rotation (x, y, z, w) and scale of a matrix (4, 4)."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale[0] = -scale[0]
    r = matrix[:3, :3] / np.where(scale == 0, 1.0, scale)
    # for every angle, the quaternion is the eigenvector of the largest eigenvalue (Bar-Itzhack 2000)
    x, y, z = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    symmetric = np.zeros((4, 4))
    symmetric[:3, :3] = r + r.T - np.eye(3) * np.trace(r)
    symmetric[3, :3] = symmetric[:3, 3] = x, y, z
    symmetric[3, 3] = np.trace(r)
    return {
        "translation": matrix[:3, 3],
        "rotation": np.linalg.eigh(np.nan_to_num(symmetric))[1][:, -1],
        "scale": scale,
    }


def _compose(translation: Matrices, rotation: Matrices, scale: Matrices) -> Matrices:
    """Return translation * rotation * scale (..., 4, 4). Rotations are unit quaternions (..., 4)."""
    x, y, z, w = np.moveaxis(rotation, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    matrices = np.zeros((*x.shape, 4, 4))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            np.multiply(entry, scale[..., j], out=matrices[..., i, j])
    matrices[..., :3, 3] = translation
    matrices[..., 3, 3] = 1
    return matrices


def _scene_roots(document: Document, roots: list[int]) -> list[int]:
    scene_count = document.root.count("scenes")
    if scene_count == 0:
        return roots
    scene = document.root.element("scenes", document.root.integer("scene", 0, below=scene_count))
    return scene.indices("nodes", document.root.count("nodes"))


def _descendants(roots: list[int], children: list[list[int]]) -> list[int]:
    """Return the nodes `roots` and all their descendants, without duplicates, parents before children."""
    found: dict[int, None] = {}
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += children[node]
    return list(found)
