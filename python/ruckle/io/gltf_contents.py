"""Contents of a glTF file: its meshes, skins and animations, and which of them can be loaded."""

from __future__ import annotations

from pathlib import Path

from ruckle.errors import FormatError
from ruckle.io.budget import Budget, OverBudgetError
from ruckle.io.gltf import Scene, Target
from ruckle.io.gltf_container import Document, Entry

__all__ = ["default_choice", "describe"]


def describe(path: Path, budget: Budget) -> dict[str, object]:
    """Return meshes with nodes and primitives, skins and animations; every entry is really read.

    `problem` is None for parts that can be loaded, else the reason why not.
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
    described["animations"] = [
        _animation(scene, entry, index) for index, entry in enumerate(root.elements("animations"))
    ]
    return described


def default_choice(
    path: Path, *, mesh: str | int | None, animation: str | int | None, motion: object = None, budget: float = 1.0
) -> dict[str, tuple[str, int]]:
    """Return the default choices of `ruckle.io.gltf.read` among several meshes or animations.

    Parameters
    ----------
    path : the file
    mesh, animation, motion, budget
        As for `read`. The animations of another file are not listed.

    Returns
    -------
    dict
        By option, "mesh" and "animation", the name or else the index of the choice, and the number of candidates.
    """
    scene = Scene(Document(path, Budget(budget)))
    root = scene.document.root
    taken: dict[str, tuple[str, int]] = {}
    if mesh is None and root.count("meshes") > 1:
        target = scene.target(None)
        taken["mesh"] = (scene.name(target) or str(target.mesh), root.count("meshes"))
    if animation is None and motion is None and root.count("animations") > 1:
        chosen = [scene.target(one) for one in (mesh if isinstance(mesh, list) else [mesh])]
        numbers = scene.movements.first(chosen)
        names = [root.element("animations", number).text("name") or str(number) for number in numbers]
        taken["animation"] = ("+".join(names), root.count("animations"))
    return taken


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
    except OverBudgetError:
        raise
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
    except OverBudgetError:
        raise
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
