"""Finds the cloth of a glTF scene, and the named groups of its vertices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ruckle.arguments import found
from ruckle.errors import FormatError
from ruckle.io.budget import OverBudgetError
from ruckle.io.gltf_entry import Entry
from ruckle.io.gltf_meshes import Geometry, Skin, Target, has_triangles
from ruckle.io.gltf_scene import Scene
from ruckle.io.masks import WHOLE_BODY, part_role
from ruckle.io.part_names import is_pattern, matches
from ruckle.mesh.groups import GroupKind, VertexGroups, groups_of_faces
from ruckle.mesh.roles import (
    BODY_ROLES,
    CLOTH,
    LIMBS,
    OVERGARMENT,
    SKIN,
    TORSO,
    cloth_among,
    is_stiff,
    role_of,
    words_of,
)

__all__ = ["bending_share", "chosen_targets", "drawn_targets", "target_role", "vertex_groups"]

# A material is metal if its metallic factor is larger. Exporters write 0.5 for materials that do not state a factor.
METAL = 0.5

# A bone moves a vertex alone if its weight is larger.
ALONE = 0.999

# Least mean influence of the bones of arms and legs on a part that covers limbs.
COVERS_LIMBS = 0.3


def chosen_targets(
    scene: Scene, mesh: str | int | Sequence[str | int] | None, animation: str | int | None
) -> list[Target]:
    """Return the meshes that the option `mesh` selects, without duplicates.

    Parameters
    ----------
    scene : Scene
    mesh : name, pattern, index, "all", or a list of these, optional
        By default the cloth of the scene, see `cloth_targets`.
    animation : name or index, optional
        By default, consider the movement of all animations.
    """
    if mesh is None:
        return cloth_targets(scene, animation)
    given = [mesh] if isinstance(mesh, str | int) else mesh
    if not isinstance(given, Sequence) or not given:
        raise ValueError(f"mesh: expected a name, an index, or a list of them, got {found(mesh)}")
    return list(dict.fromkeys(target for one in given for target in _selected(scene, one, animation)))


def cloth_targets(scene: Scene, animation: str | int | None) -> list[Target]:
    """Return the meshes that deform and whose name means cloth. A single mesh is returned in every case.

    If there are none, return the meshes that deform and whose name does not mean skin, hair, armour or similar. Capes,
    scarfs, and unnamed clothes next to bare skin are always added. If no mesh deforms, return the first mesh that an
    animation moves, or otherwise the first mesh.
    """
    if len(scene.targets) == 1:
        # a single mesh needs no ranking
        return [scene.target(None)]
    bending = [target for target in drawn_targets(scene) if _deforms(scene, target, animation)]
    # the meshes remain in the order of the file, so that the order of the vertices does not depend on names
    roles = [target_role(scene, target) for target in bending]
    chosen = {bending[number] for number in cloth_among(roles)}
    chosen |= {
        target for role, target in zip(roles, bending, strict=True) if role is None and _is_clothed(scene, target)
    }
    return [target for target in bending if target in chosen] or [scene.target(None)]


def target_role(scene: Scene, target: Target) -> str | None:
    """Return the role of a mesh from the names of its materials, its node and itself; None if it is unknown.

    A mesh has the role of cloth if any part of it is cloth; a mask excludes the other parts. It has a stiff role, the
    role of its first part, only if all parts are stiff. Otherwise it is an overgarment if one part is.
    """
    mesh = scene.document.root.element("meshes", target.mesh)
    materials = scene.document.root.elements("materials")
    roles = []
    for primitive in mesh.elements("primitives"):
        material = primitive.index("material", len(materials))
        name = "" if material is None else materials[material].text("name")
        role = part_role(name, scene.name(target), mesh.text("name"), _group_name(scene, target))
        roles.append("armour" if role is None and material is not None and _is_metal(materials[material]) else role)
    if CLOTH in roles or not roles:
        return CLOTH if roles else None
    stiff = [role for role in roles if is_stiff(role)]
    if len(stiff) == len(roles) and not _is_whole_body(scene, target, stiff[0]):
        return stiff[0]
    return OVERGARMENT if OVERGARMENT in roles else None


def bending_share(geometry: Geometry) -> float:
    """Return the share of triangles that deform.

    With morph targets, these are triangles with a corner that a target moves; skin weights are then ignored. Otherwise
    all triangles that no single joint moves (with more than 0.999 of the weight at every corner). 0 without skin.
    """
    corners = geometry.faces
    if not len(corners):
        return 0.0
    if geometry.targets.shape[0]:
        moved = np.abs(geometry.targets).max(axis=(0, 2)) > 0.0
        return float(moved[corners].any(axis=1).mean())
    if geometry.joints.shape[1] == 0:
        return 0.0
    first = np.argmax(geometry.weights, axis=1)
    joint = geometry.joints[np.arange(len(first)), first]
    # a triangle is rigid if one joint alone moves all its corners
    share = (geometry.weights * (geometry.joints == joint[:, None])).sum(axis=1)
    leader = np.where(share > ALONE, joint, -1)[corners]
    rigid = (leader[:, 0] >= 0) & (leader == leader[:, :1]).all(axis=1)
    return float(1.0 - rigid.mean())


def vertex_groups(scene: Scene, target: Target, geometry: Geometry, skin: Skin | None) -> VertexGroups:
    """Return the vertex groups of a mesh: by its name, its materials, and the joints of its skin."""
    count = len(geometry.positions)
    mesh = scene.document.root.element("meshes", target.mesh).text("name")
    names = tuple(dict.fromkeys(name for name in (scene.name(target), mesh) if name)) or ("mesh",)
    whole = np.ones((count, len(names)))
    kinds = {"mesh": GroupKind(names, np.zeros(whole.shape, np.int64) + np.arange(len(names)), whole)}
    if (geometry.face_materials >= 0).any():
        kinds["material"] = _material_groups(scene, geometry)
    if skin is not None and geometry.joints.shape[1]:
        joints = tuple(scene.tree.entries[node].text("name") or f"joint {i}" for i, node in enumerate(skin.joints))
        kinds["bone"] = GroupKind(joints, geometry.joints, geometry.weights)
    return VertexGroups(kinds, _metals(scene, geometry))


def _metals(scene: Scene, geometry: Geometry) -> frozenset[str]:
    """Return the names of the mesh's materials that are metallic everywhere."""
    entries = scene.document.root.elements("materials")
    # most meshes have one material, and almost no file states a metallic factor
    if not any(_is_metal(entry) for entry in entries):
        return frozenset()
    numbers = np.unique(geometry.face_materials[geometry.face_materials >= 0]).tolist()
    return frozenset(_material_name(entries, number) for number in numbers if _is_metal(entries[number]))


def _material_name(entries: Sequence[Entry], number: int) -> str:
    return entries[number].text("name") or f"material {number}"


def _is_metal(material: Entry) -> bool:
    """Return True if the file states a metallic factor. The default, metal, is ignored: exporters use it for cloth."""
    surface = material.entry("pbrMetallicRoughness")
    if surface is None or "metallicRoughnessTexture" in surface or "metallicFactor" not in surface:
        return False
    stated = surface.copied().get("metallicFactor")
    return isinstance(stated, int | float) and stated > METAL


def _material_groups(scene: Scene, geometry: Geometry) -> GroupKind:
    """Return vertex groups by material: each vertex is in the groups of the materials of its faces."""
    entries = scene.document.root.elements("materials")
    names = tuple(_material_name(entries, number) for number in range(len(entries)))
    return groups_of_faces(names, geometry.face_materials, geometry.faces, len(geometry.positions))


def drawn_targets(scene: Scene) -> list[Target]:
    """Return the triangle meshes of the default scene. A mesh occurs once per skin, or once per node without skin."""
    meshes, in_scene = scene.document.root.elements("meshes"), set(scene.tree.in_scene)
    drawn = [one for one in scene.targets if one.node in in_scene and has_triangles(meshes[one.mesh])]
    distinct: dict[tuple[int, int | None, int | None], Target] = {}
    for target in drawn:
        distinct.setdefault((target.mesh, target.skin, None if target.skin is not None else target.node), target)
    return list(distinct.values())


def _deforms(scene: Scene, target: Target, animation: str | int | None) -> bool:
    """Return True if a skin deforms a mesh, or if the animation (default: any) changes its morph weights.

    False for a mesh that cannot be read, and if `bending_share` is 0.
    """
    if target.skin is None:
        has_morphs = target.node is not None and scene.morph_counts[target.node] > 0
        if not has_morphs or (target.node, "weights") not in scene.changed(animation):
            return False
    try:
        geometry, _ = scene.geometry(target, None)
    except OverBudgetError:
        raise
    except FormatError:
        return False
    return bending_share(geometry) > 0.0


def _is_clothed(scene: Scene, target: Target) -> bool:
    """Return True if skin has a name, and this part has materials other than skin, is next to skin, or covers limbs.

    A part covers limbs by its name or by its bones: exporters also omit the names of meshes. Some exporters write each
    material of a mesh as a mesh of its own, below a common node.
    """
    materials = scene.document.root.elements("materials")
    skin = {number for number, material in enumerate(materials) if role_of(material.text("name")) == SKIN}
    primitives = scene.document.root.element("meshes", target.mesh).elements("primitives")
    own = {primitive.index("material", len(materials)) for primitive in primitives}
    group = _group(scene, target)
    if any(
        _group(scene, one) == group and target_role(scene, one) == SKIN for one in drawn_targets(scene) if group >= 0
    ):
        return True
    words = {word for name in _names(scene, target) for word in words_of(name)}
    return bool(skin & own or (skin and (LIMBS & words or _influence(scene, target, LIMBS) > COVERS_LIMBS)))


def _group(scene: Scene, target: Target) -> int:
    """Return the node above a mesh if it groups some of the meshes, -1 otherwise."""
    above = _above(scene, target)
    return above if above >= 0 and any(_above(scene, one) != above for one in scene.targets) else -1


def _above(scene: Scene, target: Target) -> int:
    return -1 if target.node is None else scene.tree.parents[target.node]


def _group_name(scene: Scene, target: Target) -> str:
    group = _group(scene, target)
    return "" if group < 0 else scene.tree.entries[group].text("name")


def _influence(scene: Scene, target: Target, words: frozenset[str]) -> float:
    """Return the mean influence of bones whose names contain one of these words."""
    geometry, skin = scene.geometry(target, None)
    if skin is None or not geometry.joints.size:
        return 0.0
    names = [scene.tree.entries[node].text("name") for node in skin.joints]
    named = np.array([bool(words & set(words_of(name))) for name in names])
    return float((geometry.weights * named[geometry.joints]).sum(axis=1).mean())


def _is_whole_body(scene: Scene, target: Target, role: str | None) -> bool:
    """Return True if torso bones also move a mesh named "head", which then is a whole body (in some exporters)."""
    return role in BODY_ROLES and _influence(scene, target, TORSO) > WHOLE_BODY


def _selected(scene: Scene, mesh: str | int, animation: str | int | None) -> list[Target]:
    """Return the meshes that have this name or index, or whose name matches this pattern."""
    names = {name for target in scene.targets for name in _names(scene, target)}
    if not isinstance(mesh, str) or mesh in names or not is_pattern(mesh):
        return [scene.target(mesh)]
    drawn = drawn_targets(scene)
    matching = [target for target in drawn if matches(mesh, _names(scene, target))]
    if not matching:
        listed = ", ".join(repr(name) for target in drawn for name in _names(scene, target)[:1])
        count = len(scene.document.root.elements("meshes"))
        listed = listed or f"unnamed ones, which the numbers 0 to {count - 1} pick"
        raise FormatError(f"{scene.document.path}: no mesh is called like {mesh!r}, only: {listed}")
    return matching


def _names(scene: Scene, target: Target) -> list[str]:
    mesh = scene.document.root.element("meshes", target.mesh).text("name")
    return [name for name in (scene.name(target), mesh) if name]
