"""A glTF scene: selects meshes, and computes their poses from skins, morph targets and node transforms.

Positions are in scene units. The transform of a skinned mesh's own node is ignored, because the joints move this mesh
(glTF 2.0, 3.7.3). A mesh without skin moves with its node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ruckle.errors import FormatError
from ruckle.io.budget import OverBudgetError
from ruckle.io.gltf_clips import Clip, joined_clip, read_clip
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Geometry, Skin, Target, has_triangles, morph_count, read_geometry, read_skin
from ruckle.io.gltf_motion import Movements
from ruckle.io.gltf_nodes import Matrices, NodeTree
from ruckle.mesh.animation import FLAT, LYING, UP_AXES
from ruckle.mesh.skinning import blend

__all__ = ["Scene"]

# Largest number of array elements of one block of posed frames, 16 MiB as float64. Longer animations need several
# blocks.
BLOCK_NUMBERS = 2**21

# For the time limit: estimated nanoseconds of posing per call; per influence (pair of vertex and joint) and frame; per
# joint and frame; per number of a morph target and frame; and per vertex of the search for the height.
CALL_TIME, INFLUENCE_TIME, JOINT_TIME, MORPH_TIME, HEIGHT_TIME = 4e4, 40.0, 200.0, 3.0, 10.0

NAMES_IN_MESSAGES = 12


class Scene:
    """A glTF document with methods that select its meshes and compute their poses."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.document.require_supported()
        self.tree = NodeTree(self.document)
        self._geometries: dict[tuple[int, int | None], tuple[Geometry, Skin | None]] = {}
        # caches of node matrices: without animation, and at the most recent times of a clip
        self._rest: dict[int, Matrices] = {}
        self._posed: tuple[Clip | None, NDArray[np.float64], dict[int, Matrices]] = None, np.zeros(0), {}
        root = self.document.root
        mesh_count, skin_count = root.count("meshes"), root.count("skins")
        # order of the meshes: nodes of the default scene first, then other nodes, both by index
        in_scene = set(self.tree.in_scene)
        order = sorted(range(len(self.tree.entries)), key=lambda node: node not in in_scene)
        self.targets = []
        for node in order:
            entry = self.tree.entries[node]
            mesh = entry.index("mesh", mesh_count)
            if mesh is not None:
                self.targets.append(Target(node, mesh, entry.index("skin", skin_count)))

    def clip(self, animation: str | int | None) -> Clip | None:
        """Return an animation by name or index, by default the first. Return None if there are no animations."""
        if animation is None and self.document.root.count("animations") == 0:
            return None
        return read_clip(self.document, self.clip_index(animation), self.morph_counts)

    def clip_index(self, animation: str | int | None) -> int:
        """Return the index of an animation by its name or index. The default is 0."""
        return 0 if animation is None else self._position("animation", animation, self._animation_names)

    def clip_of(
        self, targets: Sequence[Target], animation: str | int | None, others: Sequence[Target] = ()
    ) -> Clip | None:
        """Return an animation by name or index. Return None if the document does not have animations.

        By default, return the first animation that moves any of the meshes, joined with animations of other objects
        that move these meshes or `others`.
        """
        if animation is not None or self.document.root.count("animations") == 0:
            return self.clip(animation)
        chosen = self.movements.first(targets, others)
        return joined_clip([read_clip(self.document, index, self.morph_counts) for index in chosen])

    def target(self, mesh: str | int | None) -> Target:
        """Return a mesh by the name of its node, its own name, or its index.

        By default, return the first skinned mesh, otherwise the first mesh that an animation moves, otherwise the first
        mesh.
        """
        meshes = self.document.root.elements("meshes")
        if not meshes:
            raise FormatError(f"{self.document.path}: holds no mesh")
        if mesh is None:
            skinned = [target for target in self.targets if target.skin is not None]
            return next(iter(skinned + self._moved() + self.targets), Target(None, 0, None))
        if isinstance(mesh, str):
            nodes = [target for target in self.targets if self._node_name(target) == mesh]
            if len({target.mesh for target in nodes}) == 1:
                return nodes[0]
        index = self._position("mesh", mesh, [entry.text("name") for entry in meshes], self._node_names())
        return self.targets_of(index)[0]

    def others(self, chosen: Sequence[Target], *, of_same_skins: bool) -> list[Target]:
        """Return the other triangle meshes of the default scene; if `of_same_skins`, only those of the same skeleton.

        Some exporters write only the used joints of each mesh: the head of a shirt's wearer then follows a joint below
        the shirt's neck.
        """
        meshes, in_scene = self.document.root.elements("meshes"), set(self.tree.in_scene)
        joints = {joint for target in chosen for joint in self._joints(target)}
        lineage = self._with_ancestors(joints)
        return [
            target
            for target in self.targets
            if target.node in in_scene
            and target not in chosen
            and has_triangles(meshes[target.mesh])
            and (
                not of_same_skins
                or not joints.isdisjoint(self._with_ancestors(self._joints(target)))
                or not lineage.isdisjoint(self._joints(target))
            )
        ]

    def _with_ancestors(self, nodes: Iterable[int]) -> set[int]:
        found: set[int] = set()
        for node in nodes:
            while node >= 0 and node not in found:
                found.add(node)
                node = self.tree.parents[node]
        return found

    def _joints(self, target: Target) -> list[int]:
        """Return the joint nodes of a mesh's skin. Skins of several meshes often have equal joints."""
        if target.skin is None:
            return []
        return self.document.root.element("skins", target.skin).indices("joints", self.document.root.count("nodes"))

    def targets_of(self, mesh: int) -> list[Target]:
        """Return one target per node that has the mesh. If no node has the mesh, return one target without node."""
        return self._by_mesh.get(mesh) or [Target(None, mesh, None)]

    def name(self, target: Target) -> str:
        """Return the name of the mesh's node, otherwise of the mesh, otherwise an empty string."""
        return self._node_name(target) or self.document.root.element("meshes", target.mesh).text("name")

    def geometry(self, target: Target, primitive: int | None) -> tuple[Geometry, Skin | None]:
        """Return the arrays of a mesh and its skin. A whole mesh is cached after it was read."""
        key = target.mesh, target.skin
        if primitive is None and key in self._geometries:
            return self._geometries[key]
        skin = None if target.skin is None else read_skin(self.document, target.skin)
        found = read_geometry(self.document, target.mesh, primitive, skin), skin
        if primitive is None:
            self._geometries[key] = found
        return found

    def pose(
        self,
        target: Target,
        geometry: Geometry,
        skin: Skin | None,
        clip: Clip | None,
        times: NDArray[np.float64],
        bones: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return positions (F, V, 3) in scene units at times (F,) of the clip, in seconds.

        ``bones`` (F, J, 3, 4) is filled with the matrices of the skin's joints from bind pose to scene, if it is given.
        """
        vertex_count = geometry.positions.shape[0]
        moving = skin.joints if skin is not None else [] if target.node is None else [target.node]
        node_count = self.tree.line_count(moving, self._rest if clip is None else ())
        step = max(1, BLOCK_NUMBERS // (16 * node_count + 12 * len(moving) + 3 * vertex_count))
        self._account(geometry, times.size, -(-times.size // step), node_count, len(moving))
        positions = np.empty((times.size, vertex_count, 3), np.float32)
        # numbers of a damaged file may overflow here; a later check of the animation reports the vertex
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, times.size, step):
                frames = slice(start, start + step)
                joints, weights, moves = self.moves(target, geometry, skin, clip, times[frames])
                positions[frames] = self._pose_block(target, geometry, clip, times[frames], joints, weights, moves)
                if bones is not None:
                    bones[frames] = moves
        return positions

    def faces(
        self, target: Target, geometry: Geometry, skin: Skin | None, clip: Clip | None, times: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the faces with corners counterclockwise seen from outside, in the scene at the first of these times.

        A mirroring transform reverses the corner order (glTF 2.0, 3.7.4). In a skinned mesh, the joints of each face
        determine whether this face is mirrored.
        """
        if skin is None:
            world = self._node_matrix(target, clip, times[:1])[0, :3, :3]
            return geometry.faces[:, ::-1] if np.linalg.det(world) < 0 else geometry.faces
        joints, weights, moves = self.moves(target, geometry, skin, clip, times[:1])
        # a damaged file may contain infinite matrices; the check of the positions reports them
        with np.errstate(over="ignore", invalid="ignore"):
            if not (np.linalg.det(moves[0, :, :, :3]) < 0).any():
                return geometry.faces
            linear = np.einsum("vk,vkij->vij", weights, moves[0, joints, :, :3])
            mirrored = np.linalg.det(linear)[geometry.faces].sum(axis=1) < 0
        return np.where(mirrored[:, None], geometry.faces[:, ::-1], geometry.faces)

    def room_for_bones(self, skin: Skin, frames: int) -> NDArray[np.float32]:
        """Return an uninitialised array for the joint matrices of all frames. The budget counts its bytes first."""
        self.document.budget.hold(4 * 12 * len(skin.joints) * frames, f"{self.document.path}: bones of {frames} frames")
        return np.empty((frames, len(skin.joints), 3, 4), np.float32)

    def character_height(self) -> float | None:
        """Return the height of the character in its rest pose. All its meshes and animations have this height.

        Only skinned meshes are included, because other meshes may be hats or staffs. If no mesh is skinned, all meshes
        are included. Unreadable meshes are skipped. A character that lies is as tall as it is long: if its vertical
        extent is below `LYING` of its largest extent, the result is the largest. It is None if the extent is zero.
        """
        in_scene = set(self.tree.in_scene)
        placed = [target for target in self.targets if target.node in in_scene] or self.targets
        skinned = [target for target in placed if target.skin is not None]
        # meshes with equal skin and vertices have equal positions
        distinct = {(target.mesh, target.node if target.skin is None else target.skin): target for target in placed}
        lowest, highest = np.full(3, np.inf), np.full(3, -np.inf)
        for target in distinct.values():
            if skinned and target.skin is None:
                continue
            try:
                positions = self._rest_positions(target)
            except OverBudgetError:
                raise
            except FormatError:
                continue
            # primitives often share the vertices of a whole character; other vertices than their own do not count
            used = np.zeros(positions.shape[-2], bool)
            used[self.geometry(target, None)[0].faces] = True
            if used.any():
                positions = positions[..., used, :]
            lowest = np.minimum(lowest, positions.min(axis=(0, 1)))
            highest = np.maximum(highest, positions.max(axis=(0, 1)))
        with np.errstate(invalid="ignore"):
            extents = highest - lowest
        vertical, largest = float(extents[UP_AXES["y"]]), float(extents.max())
        extent = largest if FLAT * largest < vertical < LYING * largest else vertical
        return extent if np.isfinite(extent) and extent > 0 else None

    def _rest_positions(self, target: Target) -> NDArray[np.float32]:
        """Return the positions (1, V, 3) of a mesh's vertices without animation, in scene units."""
        geometry, skin = self.geometry(target, None)
        if skin is not None or target.node is None or len(geometry.targets):
            return self.pose(target, geometry, skin, None, np.zeros(1))
        # scenery often has many copies of a few meshes; compute only one product with a matrix row for each copy
        copied = (
            len(geometry.positions) * HEIGHT_TIME + (1 + self.tree.line_count([target.node], self._rest)) * CALL_TIME
        )
        self.document.budget.spend(copied, f"{self.document.path}: the height of {len(self.targets)} meshes")
        [world] = self.tree.world_matrices([target.node], None, np.zeros(1), self._rest)
        placed: NDArray[np.float32] = (geometry.positions @ world[0, :3, :3].T + world[0, :3, 3]).astype(np.float32)
        return placed[None]

    def moves(
        self, target: Target, geometry: Geometry, skin: Skin | None, clip: Clip | None, times: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return joints and weights of the vertices, and the joint matrices (F, J, 3, 4).

        For a mesh without skin, the node is treated as its only joint.
        """
        if skin is not None:
            known = self._known(clip, times)
            worlds = np.empty((len(skin.joints), times.size, 3, 4))
            for joint, world in enumerate(self.tree.world_matrices(skin.joints, clip, times, known)):
                worlds[joint] = world[:, :3]
            bones = (worlds @ skin.inverse_bind[:, None]).transpose(1, 0, 2, 3)
            return geometry.joints, geometry.weights, bones
        # a single joint moves every vertex
        vertex_count = geometry.positions.shape[0]
        joints, weights = np.zeros((vertex_count, 1), np.int64), np.ones((vertex_count, 1))
        moves = self._node_matrix(target, clip, times)[:, None, :3]
        return joints, weights, moves if len(moves) == times.size else np.repeat(moves, times.size, axis=0)

    def _node_matrix(self, target: Target, clip: Clip | None, times: NDArray[np.float64]) -> Matrices:
        """Return the matrix of the node of a mesh, (F, 4, 4), or (1, 4, 4) if it does not move."""
        if target.node is None:
            return np.eye(4)[None]
        return self.tree.world_matrices([target.node], clip, times, self._known(clip, times))[0]

    def _known(self, clip: Clip | None, times: NDArray[np.float64]) -> dict[int, Matrices]:
        """Return the cache, shared by all meshes, of node matrices at these times. `world_matrices` adds entries to it.

        It is empty if the clip has changed, or if `times` is not the start of the cached times. If `times` is only the
        first part of the cached times, the result is a separate dict with the matrices at these times.
        """
        if clip is None:
            return self._rest
        kept_clip, kept_times, known = self._posed
        if clip is kept_clip and np.array_equal(times, kept_times[: times.size]):
            if times.size == kept_times.size:
                return known
            return {node: matrices[: times.size] for node, matrices in known.items()}
        # cache only one block of frames, so that the memory is limited
        self._posed = clip, times, {}
        return self._posed[2]

    def _pose_block(
        self,
        target: Target,
        geometry: Geometry,
        clip: Clip | None,
        times: NDArray[np.float64],
        joints: NDArray[np.int64],
        weights: NDArray[np.float64],
        bones: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """Return positions (F, V, 3) at `times`, s, of the clip, from bone matrices (F, J, 3, 4) of the same frames.

        `joints` and `weights` (V, K) are the influences of the bones on each vertex.
        """
        if geometry.targets.shape[0] == 0:
            return blend(geometry.positions, joints, weights, bones)
        morphed = np.tensordot(self._morph_weights(target, geometry, clip, times), geometry.targets, axes=1)
        morphed += geometry.positions
        return blend(morphed, joints, weights, bones)

    def _account(self, geometry: Geometry, frames: int, blocks: int, nodes: int, joints: int) -> None:
        """Add the estimated time and memory of posing to the budget before the work starts.

        `frames` are posed in `blocks` blocks. `nodes` counts the nodes whose matrices are computed, `joints` the moving
        joints.
        """
        vertices, influences = geometry.positions.shape[0], max(1, geometry.joints.shape[1])
        morphs = geometry.targets.shape[0]
        location = f"{self.document.path}: {frames} frames of {vertices} vertices, {joints} joints and {nodes} nodes"
        self.document.budget.hold_positions(frames, vertices, location)
        calls = blocks * (1 + 2 * nodes + joints / 10) + (frames if morphs else 0)
        time = (
            INFLUENCE_TIME * influences * vertices + JOINT_TIME * (nodes + joints) + MORPH_TIME * morphs * vertices
        ) * frames
        self.document.budget.spend(CALL_TIME * calls + time, location)

    def _morph_weights(
        self, target: Target, geometry: Geometry, clip: Clip | None, times: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return morph target weights (F, M) from the clip, else from the node, else from the mesh, else 0."""
        count = geometry.targets.shape[0]
        if clip is not None and target.node is not None and (target.node, "weights") in clip.channels:
            return clip.channels[target.node, "weights"].sample(times)
        stated = None if target.node is None else self.tree.entries[target.node].numbers("weights", count)
        if stated is None:
            stated = self.document.root.element("meshes", target.mesh).numbers("weights", count)
        return np.broadcast_to(np.zeros(count) if stated is None else stated, (times.size, count))

    def _moved(self) -> list[Target]:
        """Return a list with the first mesh that any animation moves by nodes or morph targets, or an empty list."""
        changed = self.changed(None)
        if not changed:
            return []
        return [target for target in self.targets if changed & self.movements.movers([target])][:1]

    def changed(self, animation: str | int | None) -> set[tuple[int, str]]:
        """Return the (node, property) pairs that an animation changes; if `animation` is None, that any one changes."""
        count = self.document.root.count("animations")
        numbers = range(count) if animation is None else [self.clip_index(animation)] if count else []
        return set[tuple[int, str]]().union(*(self.movements.of(number) for number in numbers))

    @cached_property
    def movements(self) -> Movements:
        """The (node, property) pairs that each animation changes."""
        return Movements(self.document, self.tree)

    @cached_property
    def _animation_names(self) -> list[str]:
        return [entry.text("name") for entry in self.document.root.elements("animations")]

    @cached_property
    def _by_mesh(self) -> dict[int, list[Target]]:
        found: dict[int, list[Target]] = {}
        for target in self.targets:
            found.setdefault(target.mesh, []).append(target)
        return found

    @cached_property
    def morph_counts(self) -> dict[int, int]:
        """Number of morph targets of each node that has a mesh."""
        meshes = self.document.root.elements("meshes")
        return {target.node: morph_count(meshes[target.mesh]) for target in self.targets if target.node is not None}

    def _node_name(self, target: Target) -> str:
        return "" if target.node is None else self.tree.entries[target.node].text("name")

    def _node_names(self) -> list[str]:
        return [self._node_name(target) for target in self.targets]

    def _position(self, option: str, wanted: str | int, names: list[str], further: list[str] | None = None) -> int:
        """Return the index of an entry by name or number. The FormatError lists the existing entries."""
        if isinstance(wanted, bool) or not isinstance(wanted, (str, int)):
            raise ValueError(f"{option}: expected a name or an index, got {wanted!r}")
        if isinstance(wanted, int) and 0 <= wanted < len(names):
            return wanted
        known = list(dict.fromkeys(name for name in [*(further or []), *names] if name))
        listed = _listed(known)
        if isinstance(wanted, int):
            there = f"only 0 to {len(names) - 1}" if names else "and none at all"
            called = f"; names are {listed}" if listed else ""
            raise FormatError(f"{self.document.path}: has no {option} {wanted}, {there}{called}")
        indices = [index for index, name in enumerate(names) if name == wanted]
        if len(indices) > 1 or (not indices and wanted in known):
            raise FormatError(f"{self.document.path}: has several called {wanted!r}, so {option} must be an index")
        if not indices:
            hint = _hint(wanted, known)
            raise FormatError(
                f"{self.document.path}: has no {option} {wanted!r}, only: {listed or 'unnamed ones'}{hint}"
            )
        return indices[0]


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:NAMES_IN_MESSAGES]) + (
        ", …" if len(names) > NAMES_IN_MESSAGES else ""
    )


def _hint(wanted: str, known: list[str]) -> str:
    near = get_close_matches(wanted, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
