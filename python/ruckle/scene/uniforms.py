"""The uniform block of all shaders: camera, lights and switches (shaders/common/scene.glsl)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.scene.camera import Camera
from ruckle.scene.light_view import LightView
from ruckle.scene.look import Light, Look

__all__ = ["SCENE", "Switches", "scene_block", "seen_by", "toward"]

# Uniform block of shaders/common/scene.glsl in the layout std140.
SCENE = np.dtype(
    [
        ("clip_from_ws", np.float32, (4, 4)),
        ("shadow_from_ws", np.float32, (4, 4)),
        ("eye_ws", np.float32, 4),
        ("key_ws", np.float32, 4),
        ("fill_ws", np.float32, 4),
        ("rim_ws", np.float32, 4),
        ("up_ws", np.float32, 4),
        ("sky", np.float32, 4),
        ("ground", np.float32, 4),
        ("displacement", np.float32),
        ("bump", np.float32),
        ("height_top", np.float32),
        ("faceted", np.float32),
        ("shadows", np.float32),
        ("inside_depth_bias", np.float32),
        ("picture_size", np.float32, 2),
        ("bulging", np.float32),
        # padding: in std140, the size of the block is a multiple of four numbers
        ("unused", np.float32, 3),
    ]
)


@dataclass(frozen=True)
class Switches:
    """The parts of the wrinkles that a picture shows.

    Attributes
    ----------
    displacement, bump : float
        Factor of the heights in the geometry, and factor of their slopes in the shading normals (bump mapping).
    faceted : bool
        True if fine triangles have flat normals.
    height_top : float, mesh units
        Upper end of the colour scale of heights.
    inside_depth_bias : float, mesh units
        Depth bias of the inside of the cloth.
    """

    displacement: float
    bump: float
    faceted: bool
    height_top: float
    inside_depth_bias: float = 0.0


def scene_block(
    camera: Camera, look: Look, size: tuple[int, int], switches: Switches, light: LightView | None = None
) -> NDArray[np.void]:
    """Return the uniform block for a picture of `size` pixels (width, height).

    If `light` is None, the picture does not have shadows.
    """
    block = np.zeros((), SCENE)
    # transpose, because OpenGL reads matrices column by column
    block["clip_from_ws"] = camera.clip_from_world(size[0] / size[1]).T
    block["eye_ws"] = (*camera.eye, 1.0)
    block["key_ws"] = (*toward(look.key, camera), look.key.intensity)
    block["up_ws"][:3] = camera.upward
    block["displacement"] = switches.displacement
    block["bump"] = switches.bump
    block["faceted"] = float(switches.faceted)
    block["height_top"] = switches.height_top
    block["picture_size"] = size
    block["bulging"] = 1.0
    block["inside_depth_bias"] = switches.inside_depth_bias
    if light is not None:
        block["shadow_from_ws"] = light.map_from_ws.T
        block["shadows"] = look.shadows
    return block


def seen_by(light: LightView, block: NDArray[np.void]) -> NDArray[np.void]:
    """Return the uniform block of a picture for the view from the light."""
    seen = block.copy()
    seen["clip_from_ws"] = light.clip_from_ws.T
    seen["eye_ws"] = (*light.eye_ws, 1.0)
    # without depth bias, so that shadows begin at the cloth itself
    seen["inside_depth_bias"] = 0.0
    return seen


def toward(light: Light, camera: Camera) -> NDArray[np.float64]:
    """Return the unit direction to a light in world space. Lights move with the camera."""
    direction: NDArray[np.float64] = np.asarray(light.direction, np.float64) @ camera.axes
    return direction / np.linalg.norm(direction)
