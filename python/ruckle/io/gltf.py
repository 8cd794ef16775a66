"""glTF 2.0: one mesh of a scene, posed by skin, morph targets and node transformations at a row of times.

Positions are in scene units. As the specification prescribes, a skinned mesh ignores the transformation of
its own node: only its joints move it. A mesh without skin goes with its node.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import found
from ruckle.errors import FormatError
from ruckle.io.budget import Budget, OverBudgetError
from ruckle.io.gltf_bind import bind_pose, skeleton_of
from ruckle.io.gltf_clips import Clip, joined_clip, read_clip
from ruckle.io.gltf_colors import face_colors
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_meshes import Geometry, Skin, has_triangles, morph_count, read_geometry, read_skin
from ruckle.io.gltf_motion import Movements, borrowed_clip
from ruckle.io.gltf_nodes import NodeTree
from ruckle.io.reading import animation_of, as_path, character_height
from ruckle.mesh.animation import UP_AXES, Animation, frame_count_of
from ruckle.mesh.joining import join
from ruckle.mesh.skinning import blend

__all__ = ["Scene", "Target", "read", "sample_gltf"]

# Numbers in the arrays of a row of frames while it is posed: 16 MiB of float64.
BLOCK_NUMBERS = 2**21

# Nanoseconds of posing: per call, per joint of a vertex and frame, per joint and frame, per number of a morph target
# and frame, per vertex whose height is computed.
CALL_TIME, INFLUENCE_TIME, JOINT_TIME, MORPH_TIME, HEIGHT_TIME = 4e4, 120.0, 200.0, 3.0, 10.0

NAMES_IN_MESSAGES = 12

INSTANCING = "EXT_mesh_gpu_instancing"


@dataclass(frozen=True)
class Target:
    """The mesh to pose and its node.

    Attributes
    ----------
    node : index of the node that carries the mesh, None if the document does not place it
    mesh : index of the mesh
    skin : index of the skin, or None
    """

    node: int | None
    mesh: int
    skin: int | None


class Scene:
    """A document whose meshes can be chosen and posed."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.document.require_supported()
        self.tree = NodeTree(self.document)
        self._geometries: dict[tuple[int, int | None], tuple[Geometry, Skin | None]] = {}
        self._rest: dict[int, NDArray[np.float64]] = {}
        root = self.document.root
        mesh_count, skin_count = root.count("meshes"), root.count("skins")
        # in order of node index, those of the default scene first
        in_scene = set(self.tree.in_scene)
        order = sorted(range(len(self.tree.entries)), key=lambda node: node not in in_scene)
        self.targets = []
        for node in order:
            entry = self.tree.entries[node]
            mesh = entry.index("mesh", mesh_count)
            if mesh is not None:
                self.targets.append(Target(node, mesh, entry.index("skin", skin_count)))

    def clip(self, animation: str | int | None) -> Clip | None:
        """Return an animation by name or index, the first by default; None if the document does not have one."""
        if animation is None and self.document.root.count("animations") == 0:
            return None
        index = 0 if animation is None else self._position("animation", animation, self._animation_names)
        return read_clip(self.document, index, self.morph_counts)

    def clip_of(
        self,
        targets: Sequence[Target],
        animation: str | int | None,
        motion: object = None,
        others: Sequence[Target] = (),
    ) -> Clip | None:
        """Return an animation by name or index; None if the document does not have one.

        By default the first that moves some of the meshes, together with those of other objects that move these or
        `others`. `motion` is the path of another file that holds it.
        """
        if motion is not None:
            scene = Scene(Document(as_path("motion", motion), self.document.budget))
            return borrowed_clip(self, targets, scene, animation)
        if animation is not None or self.document.root.count("animations") == 0:
            return self.clip(animation)
        chosen = self.movements.first(targets, others)
        return joined_clip([read_clip(self.document, index, self.morph_counts) for index in chosen])

    def target(self, mesh: str | int | None) -> Target:
        """Return a mesh by the name of its node, its own name or its index.

        By default the first skinned mesh, else the first that an animation moves, else the first.
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
        """Return the meshes of triangles in the default scene that are not chosen; all, or of the same skins."""
        meshes, in_scene = self.document.root.elements("meshes"), set(self.tree.in_scene)
        skins = {target.skin for target in chosen} - {None}
        return [
            target
            for target in self.targets
            if target.node in in_scene
            and target not in chosen
            and has_triangles(meshes[target.mesh])
            and (target.skin in skins or not of_same_skins)
        ]

    def targets_of(self, mesh: int) -> list[Target]:
        """Return a mesh once for each node that has it; once without a node if none does."""
        return self._by_mesh.get(mesh) or [Target(None, mesh, None)]

    def name(self, target: Target) -> str:
        """Return the name of a mesh's node, else its own, else an empty string."""
        return self._node_name(target) or self.document.root.element("meshes", target.mesh).text("name")

    def geometry(self, target: Target, primitive: int | None) -> tuple[Geometry, Skin | None]:
        """Return the arrays of a mesh, and its skin; a whole mesh is read once."""
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

        ``bones`` (F, J, 3, 4), if given, gets the matrices of a skin's joints from the bind pose to the scene.
        """
        vertex_count = geometry.positions.shape[0]
        moving = skin.joints if skin is not None else [] if target.node is None else [target.node]
        node_count = self.tree.line_count(moving, self._rest if clip is None else ())
        step = max(1, BLOCK_NUMBERS // (16 * node_count + 12 * len(moving) + 3 * vertex_count))
        self._account(geometry, times.size, -(-times.size // step), node_count, len(moving))
        positions = np.empty((times.size, vertex_count, 3), np.float32)
        # numbers of a damaged file may overflow here; the animation's own check then names the vertex
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, times.size, step):
                frames = slice(start, start + step)
                joints, weights, moves = self._moves(target, geometry, skin, clip, times[frames])
                positions[frames] = self._pose_block(target, geometry, clip, times[frames], joints, weights, moves)
                if bones is not None:
                    bones[frames] = moves
        return positions

    def faces(
        self, target: Target, geometry: Geometry, skin: Skin | None, clip: Clip | None, times: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Return the faces of a mesh, counterclockwise seen from outside in the scene at the first of some times.

        A mirroring transform reverses the winding (glTF 2.0, 3.7.4). In a skin each face follows its own joints.
        """
        joints, weights, moves = self._moves(target, geometry, skin, clip, times[:1])
        # a damaged file may hold infinite matrices; the check of positions refuses it
        with np.errstate(over="ignore", invalid="ignore"):
            if not (np.linalg.det(moves[0, :, :, :3]) < 0).any():
                return geometry.faces
            linear = np.einsum("vk,vkij->vij", weights, moves[0, joints, :, :3])
            mirrored = np.linalg.det(linear)[geometry.faces].sum(axis=1) < 0
        return np.where(mirrored[:, None], geometry.faces[:, ::-1], geometry.faces)

    def room_for_bones(self, skin: Skin, frames: int) -> NDArray[np.float32]:
        """Return room for the matrices of a skin's joints in all frames, after accounting for it."""
        self.document.budget.hold(4 * 12 * len(skin.joints) * frames, f"{self.document.path}: bones of {frames} frames")
        return np.empty((frames, len(skin.joints), 3, 4), np.float32)

    def character_height(self) -> float | None:
        """Return the vertical extent of the character in its rest pose: one for all its meshes and animations.

        The height of the scene's skinned meshes, if there are any, because other meshes may be hats or staffs;
        otherwise that of all its meshes. Meshes that cannot be read are left out; None if the extent is zero.
        """
        in_scene = set(self.tree.in_scene)
        placed = [target for target in self.targets if target.node in in_scene] or self.targets
        skinned = [target for target in placed if target.skin is not None]
        # meshes that share skin and vertices have one position
        distinct = {(target.mesh, target.node if target.skin is None else target.skin): target for target in placed}
        lowest, highest = np.inf, -np.inf
        for target in distinct.values():
            if skinned and target.skin is None:
                continue
            try:
                heights = self._rest_heights(target)
            except OverBudgetError:
                raise
            except FormatError:
                continue
            lowest, highest = min(lowest, float(heights.min())), max(highest, float(heights.max()))
        extent = highest - lowest
        return extent if np.isfinite(extent) and extent > 0 else None

    def _rest_heights(self, target: Target) -> NDArray[np.float32]:
        """Return the heights of a mesh's vertices without animation, in scene units."""
        geometry, skin = self.geometry(target, None)
        if skin is not None or target.node is None or len(geometry.targets):
            return self.pose(target, geometry, skin, None, np.zeros(1))[..., UP_AXES["y"]]
        # scenery is made of many copies of a few meshes: one row of one matrix is all that each of them takes
        copied = (
            len(geometry.positions) * HEIGHT_TIME + (1 + self.tree.line_count([target.node], self._rest)) * CALL_TIME
        )
        self.document.budget.spend(copied, f"{self.document.path}: the height of {len(self.targets)} meshes")
        [world] = self.tree.world_matrices([target.node], None, np.zeros(1), self._rest)
        heights = geometry.positions @ world[0, UP_AXES["y"], :3] + world[0, UP_AXES["y"], 3]
        rounded: NDArray[np.float32] = heights.astype(np.float32)
        return rounded

    def _moves(
        self, target: Target, geometry: Geometry, skin: Skin | None, clip: Clip | None, times: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return joints and weights of the vertices, and the joints' matrices (F, J, 3, 4)."""
        # without animation, nodes have the same transformations for every mesh
        known = self._rest if clip is None else None
        if skin is not None:
            bones = np.empty((times.size, len(skin.joints), 3, 4))
            for joint, world in enumerate(self.tree.world_matrices(skin.joints, clip, times, known)):
                bones[:, joint] = (world @ skin.inverse_bind[joint])[:, :3]
            return geometry.joints, geometry.weights, bones
        # one bone that moves every vertex
        vertex_count = geometry.positions.shape[0]
        joints, weights = np.zeros((vertex_count, 1), np.int64), np.ones((vertex_count, 1))
        world = (
            np.eye(4)[None] if target.node is None else self.tree.world_matrices([target.node], clip, times, known)[0]
        )
        return joints, weights, np.broadcast_to(world[:, None, :3], (times.size, 1, 3, 4))

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
        if geometry.targets.shape[0] == 0:
            return blend(geometry.positions, joints, weights, bones)
        morphed = np.tensordot(self._morph_weights(target, geometry, clip, times), geometry.targets, axes=1)
        morphed += geometry.positions
        posed = [blend(rest, joints, weights, bones[frame, None]) for frame, rest in enumerate(morphed)]
        return np.concatenate(posed)

    def _account(self, geometry: Geometry, frames: int, blocks: int, nodes: int, joints: int) -> None:
        """Account for posing before it is done."""
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
        """Return morph target weights (F, M): the clip's, else the node's, else the mesh's, else 0."""
        count = geometry.targets.shape[0]
        if clip is not None and target.node is not None and (target.node, "weights") in clip.channels:
            return clip.channels[target.node, "weights"].sample(times)
        stated = None if target.node is None else self.tree.entries[target.node].numbers("weights", count)
        if stated is None:
            stated = self.document.root.element("meshes", target.mesh).numbers("weights", count)
        return np.broadcast_to(np.zeros(count) if stated is None else stated, (times.size, count))

    def _moved(self) -> list[Target]:
        """Return the first mesh of those that an animation moves, by its nodes or by its morph targets."""
        animations = range(self.document.root.count("animations"))
        changed = set[tuple[int, str]]().union(*(self.movements.of(index) for index in animations))
        return [target for target in self.targets if changed & self.movements.movers([target])][:1]

    @cached_property
    def movements(self) -> Movements:
        """The nodes that each animation moves."""
        return Movements(self)

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
        """How many morph targets there are at each node that has a mesh."""
        meshes = self.document.root.elements("meshes")
        return {target.node: morph_count(meshes[target.mesh]) for target in self.targets if target.node is not None}

    def _node_name(self, target: Target) -> str:
        return "" if target.node is None else self.tree.entries[target.node].text("name")

    def _node_names(self) -> list[str]:
        return [self._node_name(target) for target in self.targets]

    def _position(self, option: str, wanted: str | int, names: list[str], further: list[str] | None = None) -> int:
        """Return the index of a named or numbered entry; FormatError with a list of the existing entries."""
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


def read(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None = None,
    primitive: int | None = None,
    animation: str | int | None = None,
    motion: str | os.PathLike[str] | None = None,
    fps: float | None = None,
    name: str | None = None,
    height: float | None = None,
) -> Animation:
    """Read one mesh of a scene, or several as one, sampled evenly from the first to the last key of an animation.

    Parameters
    ----------
    path : the file
    budget : Budget
    mesh : name of a node that carries a mesh, else name or index of a mesh, or a list of these, optional
        By default the first skinned mesh, else the first that moves, else the first.
    primitive : index, optional
        By default all triangle primitives of the mesh, joined in order.
    animation : name or index, optional
        By default the first that moves the mesh, together with those of other objects that move it. A document without
        animations yields one frame.
    motion : path of another glTF file, optional
        The file that holds the animation. Its nodes are found by name.
    fps : frames per second, optional
        Rate of the frames, 30 unless given.
    name : str, optional
        Instead of the name of the node, of the mesh or of the file.
    height : scene units, optional
        Instead of `character_height_m` of the JSON file of the same stem. Otherwise the vertical extent of the scene's
        skinned meshes (or of all its meshes, if none is skinned) in the rest pose, without animation: the same for
        every mesh and animation of the file.
    """
    fps = 30.0 if fps is None else fps
    document = Document(path, budget)
    scene = Scene(document)
    targets = _chosen(scene, mesh)
    for target in targets:
        if target.node is not None and INSTANCING in (scene.tree.entries[target.node].entry("extensions") or ()):
            document.leave_out(f"{INSTANCING} is ignored, so one copy is read", scene.name(target) or "mesh")
    clip = scene.clip_of(targets, animation, motion)
    chosen = _checked_primitive(primitive)
    times = np.zeros(1) if clip is None else _frame_times(scene, clip, fps)
    if height is None:
        height = character_height(path, budget) or scene.character_height()
    parts = [_animated(scene, target, chosen, clip, times, fps, height) for target in targets]
    if clip is not None and clip.ignored:
        document.leave_out("KHR_animation_pointer is ignored, except for nodes", f"{clip.ignored} channels")
    document.remark()
    return join(parts, name=name)


def read_others(
    path: Path,
    budget: Budget,
    *,
    mesh: str | int | Sequence[str | int] | None,
    of_same_skins: bool = False,
    **options: Any,
) -> Animation | None:
    """Read all meshes in the scene except some, as one; None if no others exist.

    Parameters
    ----------
    path : the file
    budget : Budget
    mesh : as for `read`
        The excluded meshes.
    of_same_skins : bool
        Only meshes that the skins of these meshes move: the rest of a character, without its props.
    **options
        `animation` and `fps` as for `read`.
    """
    scene = Scene(Document(path, budget))
    targets = _chosen(scene, mesh)
    others = scene.others(targets, of_same_skins=of_same_skins)
    if not others:
        return None
    picked = options.get("animation"), options.get("motion")
    clip, whole = scene.clip_of(targets, *picked), scene.clip_of(targets, *picked, others=others)
    fps = 30.0 if options.get("fps") is None else options["fps"]
    times = np.zeros(1) if clip is None else _frame_times(scene, clip, fps)
    return join([_animated(scene, target, None, whole, times, fps, None) for target in others])


def _chosen(scene: Scene, mesh: str | int | Sequence[str | int] | None) -> list[Target]:
    """Return the chosen meshes, each once."""
    if mesh is None or isinstance(mesh, str | int):
        return [scene.target(mesh)]
    if not isinstance(mesh, Sequence) or not mesh:
        raise ValueError(f"mesh: expected a name, an index, or a list of them, got {found(mesh)}")
    return list(dict.fromkeys(scene.target(one) for one in mesh))


def _animated(
    scene: Scene,
    target: Target,
    primitive: int | None,
    clip: Clip | None,
    times: NDArray[np.float64],
    fps: float,
    height: float | None,
) -> Animation:
    """Return one mesh at the times of its frames."""
    geometry, skin = scene.geometry(target, primitive)
    geometry = replace(geometry, faces=scene.faces(target, geometry, skin, clip, times))
    skeleton = None if skin is None else skeleton_of(scene, skin)
    bones = None if skin is None or skeleton is None else scene.room_for_bones(skin, times.size)
    positions = scene.pose(target, geometry, skin, clip, times, bones)
    if bones is not None and not np.isfinite(bones).all():
        # the position of joints without vertices is arbitrary
        skeleton = bones = None
    return animation_of(
        scene.document.path,
        positions,
        geometry.faces,
        fps=fps,
        uv=geometry.uv,
        rest_positions=None if skin is None else bind_pose(scene, target, geometry, skin),
        name=scene.name(target) or scene.document.path.stem,
        height=height,
        skeleton=skeleton,
        bones=bones,
        colors=face_colors(scene.document, geometry),
    )


def sample_gltf(
    path: str | Path,
    times: ArrayLike,
    *,
    mesh: str | int | None = None,
    primitive: int | None = None,
    animation: str | int | None = None,
    budget: float = 1.0,
) -> NDArray[np.float32]:
    """Return the positions of one mesh at given times of an animation.

    Parameters
    ----------
    path : path of a `.glb` or `.gltf` file
    times : (F,) numbers, seconds on the animation's own clock; outside its keys the nearest key holds
    mesh, primitive, animation, budget
        As for `ruckle.load`.

    Returns
    -------
    (F, V, 3) float32, scene units

    Raises
    ------
    FormatError
        The file cannot be read, or does not have such a mesh or animation.
    ValueError
        `times` is not a row of finite numbers.
    """
    given = np.asarray(times)
    if given.dtype.kind not in "fiu" or given.ndim != 1 or not np.isfinite(given).all():
        raise ValueError(f"times: expected finite numbers of shape (F,), got {found(times)}")
    moments = given.astype(np.float64)
    scene = Scene(Document(as_path("path", path), Budget(budget)))
    target = scene.target(mesh)
    clip = scene.clip_of([target], animation)
    geometry, skin = scene.geometry(target, _checked_primitive(primitive))
    return scene.pose(target, geometry, skin, clip, moments)


def _checked_primitive(primitive: int | None) -> int | None:
    if primitive is not None and (isinstance(primitive, bool) or not isinstance(primitive, int) or primitive < 0):
        raise ValueError(f"primitive: expected an index from 0, got {primitive!r}")
    return primitive


def _frame_times(scene: Scene, clip: Clip, fps: float) -> NDArray[np.float64]:
    """Return times in seconds from the clip's first key on; its start may not be 0."""
    duration = clip.end - clip.start
    # a damaged key time can make a clip of years
    location = f"{scene.document.path}: animation '{clip.name:.80}', {duration:g} s at {fps:g} fps"
    scene.document.budget.hold(8 * duration * fps, location)
    return clip.start + np.arange(frame_count_of(duration, fps)) / fps
