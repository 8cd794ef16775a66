"""A procedural photo studio with softboxes, walls and floor, as irradiance and as blurred reflections.

The studio turns with the camera about the vertical axis. In its axes, x points to the camera's right, y up, and z to
the camera.
"""

from __future__ import annotations

from functools import cache

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.geometry import unit
from ruckle.scene.camera import Camera
from ruckle.scene.look import Look, linear_color
from ruckle.scene.programs import TEXTURE_UNITS

__all__ = ["STUDIO", "StudioMap", "irradiance", "radiance", "studio_block"]

Float64 = NDArray[np.float64]

# Uniform block of shaders/common/studio.glsl in the layout std140.
STUDIO = np.dtype([("irradiance", "f4", (9, 4)), ("studio_from_ws", "f4", (4, 4)), ("key_light", "f4", 4)])

# Softboxes: direction; concentration (a larger value means a smaller box); linear red, green and blue of the middle.
SOFTBOXES = (
    ((-0.60, 0.55, 0.55), 9.0, (0.60, 0.56, 0.50)),  # a large diffuser behind the key light
    ((0.90, 0.25, 0.40), 5.0, (0.16, 0.19, 0.24)),  # a cool fill light
    ((0.05, 1.00, 0.10), 5.0, (0.55, 0.57, 0.60)),  # a light at the ceiling
    ((-0.80, 0.30, -0.75), 16.0, (1.60, 1.70, 1.90)),  # two strips behind the cloth, which light its outline
    ((0.85, 0.35, -0.70), 16.0, (2.60, 2.45, 2.20)),
)
# Linear light of the walls from above and from below. The floor is warm and bright.
WALLS = ((0.17, 0.19, 0.22), (0.19, 0.175, 0.155))

# DIRECTIONS: numbers of elevations and azimuths for integrals over the sphere. SIDE: texels along a side of a
# reflection map. ROUGHNESS: roughness of each map.
DIRECTIONS = (48, 96)
SIDE = 32
ROUGHNESS = (0.0, 0.25, 0.5, 0.75, 1.0)
# The map for roughness 0 is blurred with this roughness. With a smaller roughness, single texels would be visible.
SHARPEST = 0.12


def radiance(directions: Float64) -> Float64:
    """Return the light (N, 3) of the studio from unit directions (N, 3)."""
    above, below = np.array(WALLS)
    share = 0.5 + 0.5 * directions[:, 1:2]
    light: Float64 = below + (above - below) * share**0.8
    for toward, concentration, color in SOFTBOXES:
        axis = np.array(toward) / np.linalg.norm(toward)
        light = light + np.exp(concentration * (directions @ axis - 1.0))[:, None] * np.array(color)
    return light


@cache
def irradiance() -> Float64:
    """Return nine coefficients (9, 3) of irradiance / pi, for the polynomial in shaders/common/studio.glsl."""
    directions, areas = _sphere()
    x, y, z = directions.T
    basis = np.stack([np.ones_like(x), y, z, x, x * y, y * z, 3 * z * z - 1, x * z, x * x - y * y])
    # squared constants of the real spherical harmonics; below, the factors of the cosine kernel / pi: 1, 2/3, 1/4
    linear, mixed, zonal, last = 3 / (4 * np.pi), 15 / (4 * np.pi), 5 / (16 * np.pi), 15 / (16 * np.pi)
    squares = np.array([1 / (4 * np.pi), *3 * [linear], mixed, mixed, zonal, mixed, last])
    kernel = np.array([1.0, *3 * [2 / 3], *5 * [0.25]])
    found: Float64 = (kernel * squares)[:, None] * ((basis * areas) @ radiance(directions))
    return found


@cache
def reflections() -> Float32:
    """Return blurred light as octahedral maps, one layer per roughness: (5, SIDE, SIDE, 3)."""
    sources, areas = _sphere()
    light = radiance(sources)
    cosines = _octahedron() @ sources.T
    layers = []
    for roughness in ROUGHNESS:
        # lobe around the direction of reflection: GGX of the half vector, whose angle is half as large
        square = max(roughness, SHARPEST) ** 4
        half = np.sqrt(np.clip(0.5 + 0.5 * cosines, 0.0, 1.0))
        weights = areas * np.maximum(cosines, 0.0) / (half**2 * (square - 1) + 1) ** 2
        layers.append(weights @ light / weights.sum(axis=1, keepdims=True))
    return np.array(layers, np.float32).reshape(len(ROUGHNESS), SIDE, SIDE, 3)


def studio_block(look: Look, camera: Camera) -> NDArray[np.void]:
    """Return the uniform block of the studio: irradiance, rotation from world space, and colour of the key light."""
    block = np.zeros((), STUDIO)
    block["irradiance"][:, :3] = look.ambient * irradiance()
    upward = camera.upward
    right = camera.axes[0]
    # transpose, because OpenGL reads matrices column by column
    block["studio_from_ws"][:3, :3] = np.stack([right, upward, np.cross(right, upward)]).T
    block["studio_from_ws"][3, 3] = 1.0
    block["key_light"][:3] = look.key.intensity * linear_color("key", look.key.color)
    return block


class StudioMap:
    """The reflections of the studio as a texture on the graphics card."""

    def __init__(self, context: moderngl.Context) -> None:
        found = reflections()
        texels = np.concatenate([found, np.ones_like(found[..., :1])], axis=3).astype(np.float16)
        self._texture = context.texture_array((SIDE, SIDE, len(ROUGHNESS)), 4, texels, dtype="f2")
        self._texture.repeat_x = self._texture.repeat_y = False
        self._texture.filter = (moderngl.LINEAR, moderngl.LINEAR)

    def use(self) -> None:
        """Bind the texture to its texture unit, so that shaders can read it."""
        self._texture.use(TEXTURE_UNITS["studio_map"])


@cache
def _sphere() -> tuple[Float64, Float64]:
    """Return directions (N, 3) over the whole sphere, and the solid angle of each direction."""
    rows, columns = DIRECTIONS
    y = 1.0 - 2.0 * (np.arange(rows) + 0.5) / rows
    turn = 2 * np.pi * (np.arange(columns) + 0.5) / columns
    radius = np.sqrt(1.0 - y * y)
    directions = np.stack(
        [np.outer(radius, np.sin(turn)), np.repeat(y, columns).reshape(rows, columns), np.outer(radius, np.cos(turn))],
        axis=2,
    )
    return directions.reshape(-1, 3), np.full(rows * columns, 4 * np.pi / (rows * columns))


def _octahedron() -> Float64:
    """Return the unit direction (SIDE * SIDE, 3) of each texel of an octahedral map."""
    places = 2 * (np.arange(SIDE) + 0.5) / SIDE - 1
    z, x = np.meshgrid(places, places, indexing="ij")
    y = 1 - np.abs(x) - np.abs(z)
    folded_x = np.where(y < 0, (1 - np.abs(z)) * np.where(x < 0, -1, 1), x)
    folded_z = np.where(y < 0, (1 - np.abs(x)) * np.where(z < 0, -1, 1), z)
    directions = np.stack([folded_x, y, folded_z], axis=2).reshape(-1, 3)
    return unit(directions)
