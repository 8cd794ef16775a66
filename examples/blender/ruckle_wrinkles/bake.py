# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the wrinkles of all frames of the scene: a point cache, shape keys, maps or an Alembic file."""

# no import of annotations from __future__: Blender reads the evaluated annotations of properties
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from . import live, maps, motion, target as targets
from .operators import GarmentOperator

Array = NDArray[Any]

KINDS = [
    ("CACHE", "Point Cache", "A PC2 file and a Mesh Cache modifier"),
    ("KEYS", "Shape Keys", "One shape key for each frame, stored in the Blender file"),
    ("MAPS", "Normal and Displacement Maps", "Two images for each frame, which add the wrinkles to the coarse garment"),
    ("ALEMBIC", "Alembic", "A file with the wrinkled mesh, for other programs"),
]

# Name of the modifier that reads a point cache.
CACHE = "Wrinkles"

# Seconds between two baked frames if Blender has a window, so that the window can react to events.
PAUSE = 0.001


def frames_of(source: bpy.types.Object, scene: bpy.types.Scene, *, current: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield number and fine mesh of each frame of the scene, or only of the current frame."""
    for number in [scene.frame_current] if current else range(scene.frame_start, scene.frame_end + 1):
        yield number, live.fine_mesh(source, scene, number)


def bake_cache(source: bpy.types.Object, scene: bpy.types.Scene, path: str) -> Iterator[int]:
    """Write a PC2 file, and add a modifier that reads it. Yield each frame after it is written."""
    target, first = source.ruckle.target, scene.frame_start
    count = scene.frame_end - first + 1
    with _Whole(bpy.path.abspath(path)) as file:
        for number, fine in frames_of(source, scene):
            if number == first:
                file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(fine.positions), 0.0, 1.0, count))
                targets.fill(target, source, live.follower_of(source, scene).garment, fine)
            file.write(fine.positions.astype("<f4").tobytes())
            yield number
    settle(source)
    modifier = target.modifiers.new(CACHE, "MESH_CACHE")
    modifier.cache_format, modifier.filepath, modifier.frame_start = "PC2", path, first
    # the modifier is first in the list, because the other modifiers must act on the wrinkled mesh
    target.modifiers.move(len(target.modifiers) - 1, 0)


def bake_keys(source: bpy.types.Object, scene: bpy.types.Scene, _path: str) -> Iterator[int]:
    """Add a shape key for each frame, with weight 1 in this frame and 0 in the previous and the next frame."""
    shapes = []
    for number, fine in frames_of(source, scene):
        shapes.append((number, fine.positions))
        yield number
    target = source.ruckle.target
    targets.fill(target, source, live.follower_of(source, scene).garment, fine)
    settle(source)
    target.shape_key_add(name="Basis")
    for number, positions in shapes:
        key = target.shape_key_add(name=f"frame {number}")
        key.data.foreach_set("co", np.ascontiguousarray(positions, np.float32).ravel())
        for frame, value in ((number - 1, 0.0), (number, 1.0), (number + 1, 0.0)):
            key.value = value
            key.keyframe_insert("value", frame=frame)


def bake_maps(source: bpy.types.Object, scene: bpy.types.Scene, path: str, size: int, current: bool) -> Iterator[int]:
    """Write a normal and a displacement map of each frame, or only of the current frame, over the active UV map."""
    folder = Path(bpy.path.abspath(path))
    folder.mkdir(parents=True, exist_ok=True)
    name = bpy.path.clean_name(source.name)
    baker = None
    for number, fine in frames_of(source, scene, current=current):
        garment = live.follower_of(source, scene).garment
        if baker is None:
            baker = maps.Baker(source.data, garment.faces, fine, size)
        (positions,), _ = motion.read_poses(source, scene, [number])
        normals, heights = baker.maps(positions, fine)
        maps.save(folder / f"{name}_normal_{number:04d}.png", normals)
        maps.save(folder / f"{name}_height_{number:04d}.exr", heights)
        yield number


def bake_alembic(source: bpy.types.Object, scene: bpy.types.Scene, path: str) -> Iterator[int]:
    """Export the wrinkled mesh with Blender's Alembic exporter. A handler of `live` updates the mesh in each frame."""
    view_layer = bpy.context.view_layer
    selected, active = [*bpy.context.selected_objects], view_layer.objects.active
    for one in selected:
        one.select_set(False)
    source.ruckle.target.select_set(True)
    view_layer.objects.active = source.ruckle.target
    bpy.ops.wm.alembic_export(
        filepath=bpy.path.abspath(path), start=scene.frame_start, end=scene.frame_end, selected=True
    )
    source.ruckle.target.select_set(False)
    for one in selected:
        one.select_set(True)
    view_layer.objects.active = active
    yield scene.frame_end


BAKES = {"CACHE": bake_cache, "KEYS": bake_keys, "MAPS": bake_maps, "ALEMBIC": bake_alembic}


def settle(source: bpy.types.Object) -> None:
    """End the live wrinkles of a garment after a bake: the wrinkled mesh now moves without the add-on."""
    source.ruckle.baked = True
    targets.release(source.ruckle.target, source)
    live.forget(source)


class _Whole:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path: str) -> None:
        self._path, self._part = path, f"{path}.part"

    def __enter__(self) -> Any:
        Path(self._path).parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self._part, "wb")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if kind is None:
            os.replace(self._part, self._path)
        else:
            os.remove(self._part)


class OBJECT_OT_ruckle_bake(GarmentOperator, bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Store the wrinkles of all frames of the scene. Escape cancels."""

    bl_idname = "object.ruckle_bake"
    bl_label = "Bake Wrinkles"

    kind: bpy.props.EnumProperty(name="Into", items=KINDS)
    filepath: bpy.props.StringProperty(name="File or Folder", subtype="FILE_PATH", default="//wrinkles.pc2")
    size: bpy.props.IntProperty(name="Size of Maps", default=1024, min=16, max=8192)
    current: bpy.props.BoolProperty(name="Maps of the Current Frame Only", default=False)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the active object has live wrinkles."""
        return GarmentOperator.poll.__func__(cls, context) and not live.garment_of(context.object).ruckle.baked

    def invoke(self, context: bpy.types.Context, _event: object) -> set[str]:
        """Show a dialog for the kind and the path of the result."""
        return context.window_manager.invoke_props_dialog(self)

    def _begin(self, context: bpy.types.Context) -> None:
        self._scene, source = context.scene, live.garment_of(context.object)
        more = (self.size, self.current) if self.kind == "MAPS" else ()
        self._work = BAKES[self.kind](source, self._scene, self.filepath, *more)
        context.window_manager.progress_begin(self._scene.frame_start, self._scene.frame_end)

    def _advance(self, context: bpy.types.Context) -> set[str]:
        """Bake the next frame; return the state of the operator."""
        try:
            number = next(self._work, None)
        except (*live.ERRORS, RuntimeError) as error:
            self.report({"ERROR"}, str(error))
            return self._end(context, {"CANCELLED"})
        if number is None:
            self._scene.frame_set(self._scene.frame_current)
            return self._end(context, {"FINISHED"})
        context.window_manager.progress_update(number)
        return {"RUNNING_MODAL"}

    def _end(self, context: bpy.types.Context, result: set[str]) -> set[str]:
        # ends the generator, which then removes an incomplete file
        self._work.close()
        context.window_manager.progress_end()
        return result

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Bake all frames. With a window, start a timer that bakes one frame at a time."""
        self._begin(context)
        if context.window is not None and not bpy.app.background:
            self._timer = context.window_manager.event_timer_add(PAUSE, window=context.window)
            context.window_manager.modal_handler_add(self)
            return {"RUNNING_MODAL"}
        state = {"RUNNING_MODAL"}
        while state == {"RUNNING_MODAL"}:
            state = self._advance(context)
        return state

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Bake one frame for each tick of the timer; Escape cancels."""
        state = {"PASS_THROUGH"}
        if event.type == "ESC":
            state = self._end(context, {"CANCELLED"})
        elif event.type == "TIMER":
            state = self._advance(context)
            context.workspace.status_text_set("Baking wrinkles; Esc cancels")
        if state & {"CANCELLED", "FINISHED"}:
            context.window_manager.event_timer_remove(self._timer)
            context.workspace.status_text_set(None)
        return state


class OBJECT_OT_ruckle_free(GarmentOperator, bpy.types.Operator):  # noqa: N801  # as Blender names operators
    """Remove a bake and show live wrinkles again."""

    bl_idname = "object.ruckle_free"
    bl_label = "Free Bake"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return True if the wrinkles of the active object are baked."""
        return GarmentOperator.poll.__func__(cls, context) and live.garment_of(context.object).ruckle.baked

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove the modifier or the shape keys of the bake; files remain."""
        source = live.garment_of(context.object)
        target = source.ruckle.target
        target.shape_key_clear()
        for modifier in [one for one in target.modifiers if one.type == "MESH_CACHE" and one.name == CACHE]:
            target.modifiers.remove(modifier)
        targets.attach(target, source)
        source.ruckle.baked = False
        live.forget(source)
        live.show(source, context.scene)
        return {"FINISHED"}


CLASSES = OBJECT_OT_ruckle_bake, OBJECT_OT_ruckle_free
