"""Lists the contents of a glTF file: meshes, skins and animations, with the reason if one cannot be loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ruckle.errors import FormatError
from ruckle.io.budget import Budget, OverBudgetError
from ruckle.io.gltf_bind import bind_pose
from ruckle.io.gltf_clips import Clip
from ruckle.io.gltf_cloth import bending_share, chosen_targets, drawn_targets, target_role
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_entry import Entry
from ruckle.io.gltf_meshes import Geometry, Skin, Target
from ruckle.io.gltf_scene import Scene
from ruckle.mesh.geometry import edge_lengths

__all__ = ["default_choice", "describe"]

# Number of frames of a clip in which `_shrinking` measures edges, and largest number of faces whose edges it measures.
SAMPLED_FRAMES, MOST_FACES = 9, 20_000

# `_shrinking` counts an edge if it becomes shorter than this share of its length. For comparison: with the default
# threshold tau, 1.4, wrinkles form where cloth is shorter than 1 / 1.4 = 0.71 of its length.
SHRUNK = 0.9


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return generator, required extensions, meshes (with nodes and primitives), parts, skins and animations.

    Every mesh and animation is read completely. Its `problem` is None if it can be loaded, otherwise the reason.
    """
    document = Document(path, budget)
    root = document.root
    described: dict[str, object] = {
        "generator": (root.entry("asset") or root).text("generator"),
        "extensions_required": root.texts("extensionsRequired"),
        "skins": [
            {"index": index, "name": entry.text("name"), "joints": entry.count("joints")}
            for index, entry in enumerate(root.elements("skins"))
        ],
    }
    try:
        scene = Scene(document)
    except OverBudgetError:
        raise
    except FormatError as error:
        names = {kind: [entry.text("name") for entry in root.elements(kind)] for kind in ("meshes", "animations")}
        for kind, listed in names.items():
            described[kind] = [{"index": i, "name": name, "problem": str(error)} for i, name in enumerate(listed)]
        return described
    described["meshes"] = [_mesh(scene, entry, index) for index, entry in enumerate(root.elements("meshes"))]
    # use a separate budget: this list must not use the time and memory that are left for reading
    described["parts"] = _parts(Scene(Document(path, Budget(budget.factor))))
    described["animations"] = [
        _animation(scene, entry, index) for index, entry in enumerate(root.elements("animations"))
    ]
    return described


def default_choice(
    path: Path, *, mesh: Any, animation: str | int | None, motion: object = None, budget: float = 1.0
) -> dict[str, tuple[list[str], int]]:
    """Return the default choices of `ruckle.io.gltf.read` if a file has several meshes or animations.

    Parameters
    ----------
    path : the file
    mesh, animation, motion, budget
        See `read`. The animations of the file `motion` are not listed.

    Returns
    -------
    dict
        "mesh" and "animation", unless the caller has given it or the file has only one: the names of the choice
        (indices if they have no names), and the number of candidates.
    """
    scene = Scene(Document(path, Budget(budget)))
    root = scene.document.root
    taken: dict[str, tuple[list[str], int]] = {}
    targets = chosen_targets(scene, mesh, animation)
    if mesh is None and root.count("meshes") > 1:
        taken["mesh"] = ([scene.name(target) or str(target.mesh) for target in targets], root.count("meshes"))
    if animation is None and motion is None and root.count("animations") > 1:
        numbers = scene.movements.first(targets)
        names = [root.element("animations", number).text("name") or str(number) for number in numbers]
        taken["animation"] = (names, root.count("animations"))
    return taken


def _parts(scene: Scene) -> list[dict[str, object]]:
    """Return the visible meshes with triangle count, deformation, probable role, and the option to select each."""
    try:
        chosen = chosen_targets(scene, None, None)
        clip = scene.clip_of(chosen, None)
    except FormatError:
        clip, chosen = None, []
    targets = drawn_targets(scene)
    names = [scene.name(target) for target in targets]
    parts = []
    for target, name in zip(targets, names, strict=True):
        unique = name and names.count(name) == 1 and not name.isdecimal()
        part: dict[str, object] = {
            "name": name,
            "option": name if unique else target.mesh,
            "role": None,
            "taken": target in chosen,
            "triangles": None,
            "bends": None,
            "shrinks": None,
            "problem": None,
        }
        try:
            geometry, skin = scene.geometry(target, None)
            part |= {"role": target_role(scene, target), "triangles": len(geometry.faces)}
            part |= {"bends": bending_share(geometry), "shrinks": _shrinking(scene, target, geometry, skin, clip)}
        except FormatError as error:
            part["problem"] = str(error)
        parts.append(part)
    return parts


def _shrinking(scene: Scene, target: Target, geometry: Geometry, skin: Skin | None, clip: Clip | None) -> float:
    """Return the share of edges that one of a few frames shortens below `SHRUNK` times their length.

    Their length is that in the bind pose, or in the first of these frames if the mesh does not have a bind pose.
    """
    if not len(geometry.faces):
        return 0.0
    times = np.zeros(1) if clip is None else np.linspace(clip.start, clip.end, SAMPLED_FRAMES)
    posed = scene.pose(target, geometry, skin, clip, times).astype(np.float64)
    rest = None if skin is None else bind_pose(scene, target, geometry, skin)
    # a sample of the faces is enough for a share
    faces = geometry.faces[:: -(-len(geometry.faces) // MOST_FACES)]
    ends = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    lengths = np.stack([edge_lengths(frame, ends) for frame in posed])
    before = lengths[0] if rest is None else edge_lengths(rest.astype(np.float64), ends)
    return float((lengths.min(axis=0) < SHRUNK * before).mean())


def _mesh(scene: Scene, mesh: Entry, index: int) -> dict[str, object]:
    targets = scene.targets_of(index)
    primitives = [_primitive(scene, targets[0], number) for number in range(mesh.count("primitives"))]
    return {
        "index": index,
        "name": mesh.text("name"),
        "nodes": [scene.tree.entries[target.node].text("name") for target in targets if target.node is not None],
        "skin": targets[0].skin,
        "primitives": primitives,
    }


def _primitive(scene: Scene, target: Target, index: int) -> dict[str, object]:
    try:
        geometry, _ = scene.geometry(target, index)
    except FormatError as error:
        return {"index": index, "problem": str(error)}
    return {
        "index": index,
        "vertices": geometry.positions.shape[0],
        "faces": geometry.faces.shape[0],
        "uv": geometry.uv is not None,
        "morph_targets": geometry.targets.shape[0],
        "problem": None,
    }


def _animation(scene: Scene, animation: Entry, index: int) -> dict[str, object]:
    described: dict[str, object] = {"index": index, "name": animation.text("name")}
    try:
        clip = scene.clip(index)
    except FormatError as error:
        return {**described, "problem": str(error)}
    assert clip is not None
    return {
        **described,
        "start": clip.start,
        "duration": clip.end - clip.start,
        "channels": len(clip.channels),
        "problem": None,
    }
