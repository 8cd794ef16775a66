# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of a garment, and the looks: sets of values for kinds of cloth."""

# no import of annotations from __future__: Blender reads the evaluated annotations of properties
from typing import Any

import bpy

from . import live

# Label, description and values of each look. Lengths are shares of the wearer's height.
LOOKS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "WAVES": (
        "Folds", "Folds that cover the cloth",
        {"paths": False, "waves": True, "r_min": 0.0, "wavelength": 0.0, "steepest": 0.0},
    ),
    "SHIRT": (
        "Shirt", "Light cotton: fine sharp folds, and single wrinkles",
        {"paths": True, "waves": True, "tau": 1.3, "r_min": 0.004, "wavelength": 0.024, "steepest": 0.9},
    ),
    "KNIT": (
        "Knit", "A soft pullover: round wide folds",
        {"paths": False, "waves": True, "r_min": 0.005, "wavelength": 0.045, "steepest": 0.6},
    ),
    "COAT": (
        "Coat", "Heavy cloth: few wide folds",
        {"paths": False, "waves": True, "r_min": 0.006, "wavelength": 0.05, "steepest": 0.7},
    ),
    "LEATHER": (
        "Leather", "A leather jacket: folds at joints that bend",
        {"paths": False, "waves": True, "r_min": 0.005, "wavelength": 0.032, "steepest": 1.0},
    ),
    "PATHS": (
        "Single Folds", "A few clear folds that appear and fade with the motion",
        {"paths": True, "waves": False, "tau": 1.4, "r_min": 0.0, "wavelength": 0.0},
    ),
}  # fmt: skip

# Not empty while several properties change. The mesh is updated only after the last change.
_setting: list[bool] = []


def changed(properties: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Update the wrinkled mesh after a change of a property."""
    if not _setting:
        live.show(properties.id_data, context.scene)


def mask_changed(properties: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Update the wrinkled mesh after a change of an input that the cache contains, such as the mask."""
    live.forget(properties.id_data)
    changed(properties, context)


def look_chosen(properties: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Set the values of a look."""
    _setting.append(True)
    for name, value in LOOKS[properties.look][2].items():
        setattr(properties, name, value * properties.height if name in ("r_min", "wavelength") else value)
    _setting.pop()
    changed(properties, context)


def _with(kind: Any, name: str, text: str, **values: Any) -> Any:
    # properties cannot be animated, because each value has its own wrinkles for the whole motion
    settings = {"override": {"LIBRARY_OVERRIDABLE"}, "options": set(), "update": changed}
    return kind(name=name, description=text, **{**settings, **values})


class RuckleProperties(bpy.types.PropertyGroup):
    """Properties of a garment in the panel, and the state of its wrinkled mesh."""

    target: _with(bpy.props.PointerProperty, "Wrinkled Mesh", "", type=bpy.types.Object, update=None)
    wrinkled: _with(bpy.props.BoolProperty, "Wrinkled", "This object is the wrinkled mesh of a garment", update=None)
    baked: _with(bpy.props.BoolProperty, "Baked", "The wrinkled mesh moves without the garment", update=None)
    was_hidden: _with(bpy.props.BoolVectorProperty, "Hidden Before", "", size=2, update=None)
    switched_off: _with(bpy.props.StringProperty, "Modifiers Switched Off", "", update=None)
    look: _with(
        bpy.props.EnumProperty, "Look", "Sets layers and values for a kind of cloth",
        items=[(key, name, text) for key, (name, text, _) in LOOKS.items()], default="WAVES", update=look_chosen,
    )  # fmt: skip
    height: _with(
        bpy.props.FloatProperty, "Character Height",
        "Height of the wearer; looks and the default minimum radius are proportional to it",
        default=1.75, min=0.001, unit="LENGTH",
    )  # fmt: skip
    paths: _with(bpy.props.BoolProperty, "Paths", "Single folds, traced across the compression", default=False)
    waves: _with(bpy.props.BoolProperty, "Waves", "A field of folds that covers the cloth", default=True)
    picture: _with(
        bpy.props.PointerProperty, "Picture of Folds",
        "Image of heights over the UV map; its folds rise if the cloth shrinks",
        type=bpy.types.Image, update=mask_changed,
    )  # fmt: skip
    r_min: _with(
        bpy.props.FloatProperty, "Minimum Radius", "Radius of the smallest wrinkle; 0 means 0.5 % of the height",
        default=0.0, min=0.0, unit="LENGTH", precision=4,
    )  # fmt: skip
    amplitude: _with(
        bpy.props.FloatProperty, "Strength", "Factor on the height of folds; 1 keeps the length of the cloth",
        default=1.0, min=0.0, max=6.0, soft_max=3.0,
    )  # fmt: skip
    tau: _with(
        bpy.props.FloatProperty, "Threshold", "Compression above which single folds form; smaller for thin fabrics",
        default=1.4, min=1.001, max=4.0,
    )  # fmt: skip
    wavelength: _with(
        bpy.props.FloatProperty, "Wavelength", "Distance between folds; 0 means 7 minimum radii",
        default=0.0, min=0.0, unit="LENGTH", precision=4,
    )  # fmt: skip
    steepest: _with(
        bpy.props.FloatProperty,
        "Largest Slope",
        "Largest slope of waves and of folds from a picture; 0 means the default",
        default=0.0,
        min=0.0,
        max=5.0,
    )
    seed: _with(bpy.props.IntProperty, "Seed", "Random seed; another number gives different folds", default=0, min=0)
    detail: _with(
        bpy.props.FloatProperty, "Fine Edges", "Length of the edges of the wrinkled mesh, in minimum radii",
        default=1.0, min=0.25, max=8.0,
    )  # fmt: skip
    most_vertices: _with(
        bpy.props.IntProperty, "Most Vertices",
        "Approximate limit for the vertices of the wrinkled mesh; its edges become longer to stay below it",
        default=200_000, min=1_000,
    )  # fmt: skip
    mask: _with(
        bpy.props.StringProperty,
        "Mask",
        "Vertex group whose weights multiply the height of wrinkles; 0 removes them",
        update=mask_changed,
    )
    rest: _with(
        bpy.props.EnumProperty, "Rest Pose", "Pose in which the cloth has no wrinkles",
        items=[
            ("AUTO", "Automatic", "The bind pose if an armature moves the garment; else the first frame"),
            ("BIND", "Bind Pose", "The mesh without its modifiers"),
            ("FIRST", "First Frame", "The first frame of the scene"),
        ], default="AUTO", update=mask_changed,
    )  # fmt: skip
    loop: _with(
        bpy.props.BoolProperty, "Loop", "The animation repeats: wrinkles of the last frame continue in the first frame"
    )
    preroll: _with(
        bpy.props.IntProperty,
        "Pre-roll",
        "Number of frames before the scene begins, in which the first wrinkles form",
        default=0,
        min=0,
        max=10_000,
    )
