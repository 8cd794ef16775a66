# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of a garment from the values of its panel and its scene."""

from __future__ import annotations

import bpy
import numpy as np

from .garment import Timeline
from .layers import Look, Picture


def look_of(properties: bpy.types.PropertyGroup, picture: Picture | None) -> Look:
    """Return the values of the panel as a `Look`, together with the picture of folds."""
    r_min = properties.r_min or 0.005 * properties.height
    return Look(
        r_min=r_min, paths=properties.paths, waves=properties.waves, picture=picture,
        amplitude=properties.amplitude, tau=properties.tau, wavelength=properties.wavelength,
        steepest=properties.steepest, seed=properties.seed, detail=properties.detail,
        most_vertices=properties.most_vertices,
    )  # fmt: skip


def timeline_of(properties: bpy.types.PropertyGroup, scene: bpy.types.Scene) -> Timeline:
    """Return the frames of the scene, the pre-roll and the loop as a `Timeline`."""
    first, last = scene.frame_start, scene.frame_end
    period = last - first + 1
    preroll = properties.preroll or (period if properties.loop else 0)
    return Timeline(first, scene.render.fps_base / scene.render.fps, preroll, last if properties.loop else None)


def picture_of(image: bpy.types.Image | None) -> Picture | None:
    """Return the first channel of an image; None without an image or pixels."""
    if image is None or (len(image.pixels) == 0):
        return None
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    return Picture(pixels[:: image.channels].tobytes(), image.size[0])
