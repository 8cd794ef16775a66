"""Loads a character with all meshes of its skin. Finds its meshes, its clothes and their masks."""

from pathlib import Path

import numpy as np
from direct.actor.Actor import Actor
from direct.showbase.Loader import Loader
from panda3d.core import Filename, ModelRoot, NodePath

import ruckle

# Frames per second of the file that are read. Only names, skin weights and triangles are used.
FRAME_RATE = 1.0

OUTSIDE = (
    "the file has this mesh outside of its armature, so Panda3D's Actor does not load it. Load the file with "
    "`load_actor`, or cure it in Blender: select the mesh, then the armature, press Ctrl-P, choose Object, and export "
    "again"
)


def load_actor(path) -> Actor:
    """Return the Actor of a file, including meshes of its skin that are outside of its armature."""
    # without the cache, because Panda3D copies cached models, and a mesh outside would keep the joints of the original
    model = Loader(None).load_model(Filename.from_os_specific(str(path)), noCache=True)
    character = model.find("**/+Character")
    if not character.is_empty():
        for mesh in model.find_all_matches("**/+GeomNode"):
            if not character.is_ancestor_of(mesh) and is_skinned(mesh):
                _move_below(character, mesh)
    return Actor(model, copy=False)


def _move_below(character: NodePath, mesh: NodePath) -> None:
    """Make a mesh of the scene a child of its character, in the space that panda3d-gltf expects of children."""
    moved = mesh.get_parent().get_net_transform().compose(character.get_transform().get_inverse())
    for i in range(mesh.node().get_num_geoms()):
        mesh.node().modify_geom(i).modify_vertex_data().transform_vertices(moved.get_mat())
    mesh.reparent_to(character)
    # panda3d-gltf includes the transform of a joint at the root both in the character and in its animation
    if character.node().find_joint(character.name) is not None:
        mesh.set_mat(character.get_transform().get_inverse().get_mat())


def is_skinned(mesh: NodePath) -> bool:
    """Return True if joints move the mesh."""
    return any(geom.get_vertex_data().get_transform_blend_table() is not None for geom in mesh.node().get_geoms())


def find_mesh(actor: Actor, name: str) -> NodePath:
    """Return the node with the geometry of a mesh. The name is that of this node or of the node above it.

    Raises
    ------
    ValueError
        The Actor does not have this mesh. The message lists the names that exist.
    """
    for mesh in drawn_meshes(actor):
        if name in names_of(mesh):
            return mesh
    known = ", ".join(dict.fromkeys(names_of(mesh)[0] for mesh in drawn_meshes(actor))) or "none"
    if any(name in names_of(mesh) for root in models(actor) for mesh in drawn_meshes(root)):
        raise ValueError(f"{name}: {OUTSIDE}. Meshes of the Actor: {known}")
    raise ValueError(f"{name}: the Actor has no mesh of this name. Meshes of the Actor: {known}")


def drawn_meshes(root: NodePath) -> list[NodePath]:
    """Return the nodes with geometry, without those that `wrinkle` has added."""
    return [mesh for mesh in root.find_all_matches("**/+GeomNode") if mesh.name != "wrinkled"]


def names_of(mesh: NodePath) -> list[str]:
    """Return the name of the glTF node, if there is one, and the name of the mesh."""
    above = mesh.get_parent()
    own = type(above.node()).__name__ == "PandaNode" and above.name
    return [own, mesh.name] if own else [mesh.name]


def models(actor: Actor) -> list[NodePath]:
    """Return the models from which the Actor was made. They contain the meshes that the Actor has not loaded."""
    parts = [part for lod in actor.get_part_bundle_dict().values() for part in lod.values()]
    return [NodePath(part.partModel) for part in parts]


def file_of(actor: Actor) -> Path | None:
    """Return the file of the Actor; None if it is unknown or does not exist."""
    for model in models(actor):
        if isinstance(model.node(), ModelRoot) and not model.node().get_fullpath().empty():
            path = Path(model.node().get_fullpath().to_os_specific())
            return path if path.exists() else None
    return None


def cloth_names(actor: Actor) -> list[str]:
    """Return the names of the meshes that `ruckle.load` chooses: clothes, or meshes that deform.

    Raises
    ------
    ValueError
        The file of the Actor is unknown.
    """
    path = file_of(actor)
    if path is None:
        raise ValueError("names: expected names of meshes, because the file of the Actor is unknown")
    # the first column is the name of the node, or of the mesh if the node does not have a name
    meshes = ruckle.load(path, fps=FRAME_RATE).groups.kinds["mesh"]
    numbers = meshes.numbers[:, 0]
    order = numbers[np.sort(np.unique(numbers, return_index=True)[1])]
    return [meshes.names[number] for number in order]


def masks(actor: Actor, names: list[str], faces: list[np.ndarray], counts: list[int], mask) -> list[np.ndarray | None]:
    """Return the mask of each mesh, one number per vertex; None for 1 everywhere.

    The file may have fewer vertices than Panda3D, which divides vertices of faces without normals. So the numbers are
    copied from corner to corner. Without a readable file, or with other triangles, there is no automatic mask.

    Parameters
    ----------
    actor : Actor
    names, faces, counts : lists
        Names, triangles and numbers of vertices of the meshes.
    mask : terms, None or False
        Terms of `ruckle.make_mask`; None for the automatic mask; False for no mask.
    """
    free: list[np.ndarray | None] = [None] * len(names)
    path = file_of(actor)
    if mask is False or (path is None and mask is None):
        return free
    if path is None:
        raise ValueError("mask: the file of the Actor is unknown; pass numbers to `set_paint`")
    try:
        animation = ruckle.load(path, mesh=names, fps=FRAME_RATE)
    except ruckle.FormatError:
        if mask is None:
            return free
        raise
    values = ruckle.make_mask(animation, mask, hint=path.stem)
    if values is None or animation.face_count != sum(map(len, faces)):
        return free
    corners = np.split(values[animation.faces], np.cumsum([len(part) for part in faces])[:-1])
    found = []
    for part, own, count in zip(faces, corners, counts, strict=True):
        paint = np.ones(count, np.float32)
        paint[part] = own
        found.append(paint)
    return found
