# SPDX-License-Identifier: GPL-3.0-or-later
"""Ruckle Wrinkles, a Blender add-on: shows a fine mesh with wrinkles in place of a garment, live or baked."""

from __future__ import annotations

import bpy

from . import bake, live, operators, panel, properties

CLASSES = properties.RuckleProperties, *operators.CLASSES, *bake.CLASSES, *panel.CLASSES


def register() -> None:
    """Register classes and handlers in Blender."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.ruckle = bpy.props.PointerProperty(
        type=properties.RuckleProperties, override={"LIBRARY_OVERRIDABLE"}
    )
    live.register()


def unregister() -> None:
    """Unregister classes and handlers."""
    live.unregister()
    del bpy.types.Object.ruckle
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
