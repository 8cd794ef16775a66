"""The view of the cloth from a distant light, for shadows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32

__all__ = ["LightView", "light_view"]

# The sphere around the coarse mesh is enlarged by this share of its radius: wrinkles and the smooth surface below them
# can be outside of the coarse mesh.
MARGIN = 0.05

# The radius of the sphere is rounded up to a power of this factor, so that the texel size rarely changes during motion.
RADIUS_STEP = 2.0**0.25

# Distance of the light, divided by the radius of the sphere. At this distance, light rays are nearly parallel.
FAR_AWAY = 1e4


@dataclass(frozen=True)
class LightView:
    """The view from a distant light onto a sphere around the cloth.

    Attributes
    ----------
    clip_from_ws : (4, 4) float64
    eye_ws : (3,) float64, mesh units
        Position of the viewpoint, far away in the direction of the light.
    """

    clip_from_ws: NDArray[np.float64]
    eye_ws: NDArray[np.float64]

    @property
    def map_from_ws(self) -> NDArray[np.float64]:
        """(4, 4) float64: matrix from world space to coordinates of the depth map, 0 to 1."""
        halves = np.diag([0.5, 0.5, 0.5, 1.0])
        halves[:3, 3] = 0.5
        return halves @ self.clip_from_ws


def light_view(points: Float32, toward_light: NDArray[np.floating], size: int) -> LightView:
    """Return the view from a light.

    The depth map moves by whole texels and grows in steps, so that the edges of shadows do not flicker.

    Parameters
    ----------
    points : (V, 3) float32, mesh units
        Points of all meshes that cast or receive shadows.
    toward_light : (3,) float, unit
    size : int
        Number of texels along a side of the depth map.
    """
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    centre = 0.5 * (low + high)
    reach = max((1.0 + MARGIN) * float(np.linalg.norm(points - centre, axis=1).max()), 1e-12)
    radius = RADIUS_STEP ** np.ceil(np.log(reach) / np.log(RADIUS_STEP))
    texel = 2.0 * radius / size
    ahead = np.asarray(toward_light, np.float64)
    # side direction of the map: from any up direction that is not parallel to the light
    right = np.cross(np.eye(3)[np.argmin(np.abs(ahead))], ahead)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(ahead, right), ahead])
    middle = np.round(axes @ centre / texel) * texel
    clip = np.eye(4)
    clip[:3, :3], clip[:3, 3] = axes / radius, -middle / radius
    # invert z, so that depth increases away from the light
    clip[2] *= -1.0
    return LightView(clip, centre + FAR_AWAY * radius * ahead)
