# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers that update the wrinkled meshes: in every frame, in renders, after edits, copies and deletions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent
from numpy.typing import NDArray

from . import motion, target as targets
from .garment import Cloth, Garment, Timeline, metric_of
from .layers import Look, Picture
from .library import FineMesh, Library
from .parameters import look_of, picture_of, timeline_of

Array = NDArray[Any]

# Seconds after an edit at which the exact wrinkles replace the preview.
SETTLING = 0.4

# Relative change of an object's scale that causes new wrinkles. Smaller changes are rounding errors.
LEAST_SCALE_CHANGE = 1e-4

ERRORS = (ValueError, OSError, ImportError)


@dataclass
class Follower:
    """The cache of one garment. It is not saved in files.

    Attributes
    ----------
    garment : Garment
    target : int
        session_uid of the object with the wrinkled mesh.
    picture : Picture, optional
        Height map of the third layer.
    shown : tuple, optional
        Parameters and frame of the wrinkles that are displayed.
    stale : bool
        True if the garment, its mask or its motion was edited, so that the cache is invalid.
    """

    garment: Garment
    target: int
    picture: Picture | None = None
    shown: Any = None
    stale: bool = False


# Caches by the session_uid of the garment's object, because names can change; and the last error of each garment.
FOLLOWERS: dict[int, Follower] = {}
PROBLEMS: dict[int, str] = {}
LIBRARY: list[Library] = []
# Number of objects in the file at the last search for copies and deletions.
_object_count = [0]
# Number of objects in the file when garments were last searched, and the names and libraries of the garments found.
_garments: list[Any] = [-1, []]


def library() -> Library:
    """Return the C library of the add-on; the first call loads it."""
    if not LIBRARY:
        import ruckle_c

        LIBRARY.append(Library(ruckle_c.PATH))
    return LIBRARY[0]


def garments() -> list[bpy.types.Object]:
    """Return all garments whose wrinkled mesh is live, which means not baked.

    A file may have thousands of objects. They are searched only if their number has changed.
    """
    count = len(bpy.data.objects)
    found = [bpy.data.objects.get(key) for key in _garments[1]] if _garments[0] == count else [None]
    if None in found:
        found = [one for one in bpy.data.objects if one.type == "MESH" and one.ruckle.target is not None]
        _garments[:] = count, [(one.name, one.library and one.library.filepath) for one in found]
    return [one for one in found if one.ruckle.target is not None and not one.ruckle.baked]


def search() -> None:
    """Make the next call of `garments` search all objects."""
    _garments[0] = -1


def garment_of(chosen: bpy.types.Object | None) -> bpy.types.Object | None:
    """Return the garment of a wrinkled mesh. Other mesh objects are returned themselves; None if not a mesh."""
    if chosen is None or chosen.type != "MESH":
        return None
    if chosen.ruckle.wrinkled:
        return next((one for one in bpy.data.objects if one.ruckle.target == chosen), None)
    return chosen


def forget(source: bpy.types.Object) -> None:
    """Delete the cache of a garment."""
    FOLLOWERS.pop(source.session_uid, None)


def follower_of(source: bpy.types.Object, scene: bpy.types.Scene) -> Follower:
    """Return the cache of a garment. It is created on the first call and after an edit."""
    found = FOLLOWERS.get(source.session_uid)
    if found is None or found.stale:
        said = source.ruckle
        picture = picture_of(said.picture)
        found = Follower(Garment(library(), cloth_of(source, scene)), said.target.session_uid, picture)
        FOLLOWERS[source.session_uid] = found
    return found


def cloth_of(source: bpy.types.Object, scene: bpy.types.Scene) -> Cloth:
    """Return the rest mesh of a garment with its mask and texture coordinates."""
    mesh, said = source.data, source.ruckle
    _, (world,) = motion.read_poses(source, scene, [scene.frame_start])
    bind = said.rest == "BIND" or (said.rest == "AUTO" and motion.armature_of(source) is not None)
    # uses triangles of the rest mesh, because posed quads may be split along the other diagonal
    faces = motion.triangles(mesh, "vertices")
    layer = mesh.uv_layers.active if said.picture is not None else None
    uv = None if layer is None else motion.corner_uv(mesh, layer)
    return Cloth(motion.coordinates(mesh), faces, metric_of(world[:3, :3]), bind, motion.mask_of(source), uv)


def parameters_of(source: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Look, Timeline]:
    """Return look and timeline of a garment."""
    picture = follower_of(source, scene).picture
    return look_of(source.ruckle, picture), timeline_of(source.ruckle, scene)


def fine_mesh(source: bpy.types.Object, scene: bpy.types.Scene, frame: float) -> FineMesh:
    """Return the fine mesh of a garment in a frame of the scene."""

    def read(frames: Sequence[int]) -> Sequence[Array]:
        others = [one for one in garments() if one != source and waits(one, scene, frames)]
        found = motion.read_together([source, *others], scene, frames)
        positions = {uid: [pose for pose, _ in poses] for uid, poses in found.items()}
        for one in others:
            FOLLOWERS[one.session_uid].garment.learn(frames, positions.get(one.session_uid, []))
        return positions[source.session_uid]

    garment = follower_of(source, scene).garment
    return garment.fine(*parameters_of(source, scene), frame, read)


def waits(source: bpy.types.Object, scene: bpy.types.Scene, frames: Sequence[int]) -> bool:
    """Return True if a garment also needs poses of these frames, so that one pass can read them for all garments."""
    found = FOLLOWERS.get(source.session_uid)
    if found is None or found.stale or source.mode == "EDIT" or source.name not in scene.objects:
        return False
    return found.garment.misses(frames)


def show(source: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Update the wrinkled mesh of a garment to the scene's frame. Errors are shown in the panel."""
    said = source.ruckle
    # in edit mode, `source.data` does not contain the edits
    if said.target is None or said.baked or source.mode == "EDIT":
        return
    try:
        follower = follower_of(source, scene)
        shown = parameters_of(source, scene), scene.frame_current_final
        if follower.shown != shown:
            fine = fine_mesh(source, scene, scene.frame_current_final)
            targets.fill(said.target, source, follower.garment, fine)
            follower.shown = shown
        PROBLEMS.pop(source.session_uid, None)
    except ERRORS as error:
        PROBLEMS[source.session_uid] = str(error)


@persistent
def on_frame(scene: bpy.types.Scene, *_: object) -> None:
    """Update the wrinkled meshes after a change of the frame, before Blender evaluates its objects.

    Poses are read in a separate scene, so Blender evaluates each frame of the user's scene only once.
    """
    if motion.reading:
        return
    for source in garments():
        target = source.ruckle.target
        if not (target.hide_viewport and target.hide_render):
            show(source, scene)


@persistent
def on_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Update the wrinkled meshes after edits of meshes, rigs, actions and modifiers, and after copies and deletions."""
    if motion.reading:
        return
    if _object_count[0] != len(bpy.data.objects) or any(lost(one.ruckle.target, scene) for one in garments()):
        tidy(scene)
        _object_count[0] = len(bpy.data.objects)
    geometry = {one.id.original.session_uid for one in depsgraph.updates if one.is_updated_geometry}
    moved = {one.id.original.session_uid for one in depsgraph.updates if one.is_updated_transform}
    for source in garments():
        changed = source.session_uid in geometry or source.data.session_uid in geometry
        if changed or (source.session_uid in moved and resized(source, depsgraph)):
            edited(source, scene, depsgraph)
        elif late(source, scene, depsgraph):
            show(source, scene)


def late(source: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Return True if a wrinkled mesh is visible now but was hidden, and so not updated, when the frame changed."""
    found = FOLLOWERS.get(source.session_uid)
    if found is None or found.shown is None or found.shown[1] == scene.frame_current_final:
        return False
    return source.ruckle.target.evaluated_get(depsgraph).is_evaluated


def lost(target: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Return True if the user deleted an object that remains in the file only because its garment refers to it."""
    return target.name not in scene.objects and not target.users_scene and target.library is None


def resized(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
    """Return True if the object's scale has changed since its wrinkles were computed."""
    follower = FOLLOWERS.get(source.session_uid)
    if follower is None:
        return False
    world = np.array(source.evaluated_get(depsgraph).matrix_world)[:3, :3]
    old, new = (np.linalg.svd(matrix)[1] for matrix in (follower.garment.cloth.metric, world))
    return bool(np.abs(new - old).max() > LEAST_SCALE_CHANGE * old.max())


def edited(source: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Show a preview after an edit, and start a timer that shows the exact wrinkles."""
    follower = FOLLOWERS.get(source.session_uid)
    if follower is not None:
        follower.stale = True
    if source.mode == "EDIT":
        return
    if follower is None or not has_window():
        show(source, scene)
        return
    preview(source, scene, depsgraph, follower)
    if not bpy.app.timers.is_registered(settle):
        bpy.app.timers.register(settle, first_interval=SETTLING)


def has_window() -> bool:
    """Return True if Blender has a window. Timers run only then."""
    return not bpy.app.background


def preview(
    source: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, follower: Follower
) -> None:
    """Show the wrinkles of a pose that the user edits, computed as the next frame after the last shown frame."""
    try:
        positions = motion.posed(source, depsgraph)
        look, timeline = look_of(source.ruckle, follower.picture), timeline_of(source.ruckle, scene)
        fine = follower.garment.preview(positions, look, timeline)
        if fine is not None and len(source.data.vertices) == len(follower.garment.cloth.rest):
            targets.fill(source.ruckle.target, source, follower.garment, fine)
    except ERRORS as error:
        PROBLEMS[source.session_uid] = str(error)


def settle() -> None:
    """Show the exact wrinkles of all garments that were edited."""
    scene = bpy.context.scene
    for source in garments():
        found = FOLLOWERS.get(source.session_uid)
        if found is not None and found.stale:
            show(source, scene)


def tidy(scene: bpy.types.Scene) -> None:
    """After copies and deletions, give each garment its own wrinkled mesh, and remove meshes without a garment."""
    for source in garments():
        if lost(source.ruckle.target, scene) and not lost(source, scene):
            # the user has deleted the wrinkled mesh
            targets.remove_target(source)
            forget(source)
    owners: dict[int, list[bpy.types.Object]] = {}
    for source in garments():
        owners.setdefault(source.ruckle.target.session_uid, []).append(source)
    for sources in owners.values():
        give_copies(sources, scene)
    alive = {one.session_uid for each in bpy.data.scenes for one in each.objects}
    alive |= {one.session_uid for one in garments() if one.library is not None}
    orphans = {FOLLOWERS.pop(uid).target for uid in [*FOLLOWERS] if uid not in alive}
    for one in [one for one in bpy.data.objects if one.ruckle.wrinkled and one.session_uid not in owners]:
        if one.session_uid in orphans:
            targets.discard(one)
        elif one.parent is not None and one.parent.ruckle.target not in (None, one):
            # a copy of only the wrinkled mesh shows the wrinkles of the original
            one.data = one.parent.ruckle.target.data


def give_copies(sources: Sequence[bpy.types.Object], scene: bpy.types.Scene) -> None:
    """Give each copy of a garment its own wrinkled mesh. `sources` all refer to the wrinkled mesh of the original."""
    parent = sources[0].ruckle.target.parent
    original = parent if parent in sources else sources[0]
    for source in sources:
        if source != original and source.library is None:
            hidden = tuple(source.ruckle.was_hidden)
            switched_off = source.ruckle.switched_off
            targets.add_target(source, scene)
            source.ruckle.was_hidden, source.ruckle.switched_off = hidden, switched_off
            show(source, scene)


def show_all(scenes: Iterable[bpy.types.Scene]) -> None:
    """Delete the caches of all garments and show all garments again."""
    FOLLOWERS.clear()
    PROBLEMS.clear()
    search()
    _object_count[0] = len(bpy.data.objects)
    for scene in scenes:
        for source in garments():
            if source.name in scene.objects:
                show(source, scene)


@persistent
def on_load(*_: object) -> None:
    """Delete the caches of the previous file. The first change of the frame reads the garments of the new file."""
    FOLLOWERS.clear()
    PROBLEMS.clear()
    search()
    _object_count[0] = len(bpy.data.objects)


@persistent
def on_save(*_: object) -> None:
    """Replace previews by exact wrinkles before the file is saved."""
    settle()


@persistent
def on_undo(*_: object) -> None:
    """Compute all garments again after undo or redo, which may change anything."""
    show_all([bpy.context.scene])


HANDLERS = {
    "frame_change_pre": on_frame,
    "depsgraph_update_post": on_update,
    "load_post": on_load,
    "save_pre": on_save,
    "undo_post": on_undo,
    "redo_post": on_undo,
}


def register() -> None:
    """Register the handlers."""
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Unregister the handlers."""
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(settle):
        bpy.app.timers.unregister(settle)
    FOLLOWERS.clear()
    PROBLEMS.clear()
