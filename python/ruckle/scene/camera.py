"""A perspective camera that rotates around a target and remains upright."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, isfinite, radians, sin, tan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import found, number, positive_number
from ruckle.mesh.animation import UPRIGHT, Up, up_name

__all__ = ["Camera"]

Float64 = NDArray[np.float64]

# Distances of the near and the far plane, divided by the distance of the target. The cloth must be between these
# planes.
NEAR, FAR = 0.02, 50.0

# Largest elevation in degrees. At 90 degrees, the up direction of the picture would be undefined.
STEEPEST = 89.0


@dataclass(frozen=True)
class Camera:
    """Position and direction of a camera.

    Attributes
    ----------
    target : three floats, mesh units
        Centre of the picture.
    distance : float, mesh units
        Distance from the target.
    azimuth : float, degrees
        0 looks at the front of the garment, from +Z (from -Y if Z points up). Positive values move the camera to the
        right.
    elevation : float, degrees, within ±89
        Angle between the camera's position and the horizontal plane, seen from the target.
    field_of_view : float, degrees, in (0, 180)
        Vertical angle of view. The default is the angle of a portrait lens.
    up : {"y", "z"}
        Axis that points up.

    Raises
    ------
    ValueError
        A number is not finite or out of its range.
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = 3.0
    azimuth: float = 28.0
    elevation: float = 8.0
    field_of_view: float = 26.0
    up: Up = "y"

    def __post_init__(self) -> None:
        if np.shape(self.target) != (3,) or not all(isfinite(number("target", value)) for value in self.target):
            raise ValueError(f"target: expected three finite numbers, got {self.target}")
        positive_number("distance", self.distance)
        for name in ("azimuth", "elevation", "field_of_view"):
            number(name, getattr(self, name), "degrees")
        if not 0 < self.field_of_view < 180:
            raise ValueError(f"field_of_view: expected degrees between 0 and 180, got {self.field_of_view}")
        if not (isfinite(self.azimuth) and abs(self.elevation) <= STEEPEST):
            raise ValueError(
                f"azimuth, elevation: expected finite degrees, the elevation within ±{STEEPEST:g}, "
                f"got {self.azimuth}, {self.elevation}"
            )
        up_name(self.up)

    @classmethod
    def framing(
        cls,
        positions: ArrayLike,
        *,
        aspect: float = 16 / 9,
        azimuth: float = 28.0,
        elevation: float = 8.0,
        field_of_view: float = 26.0,
        margin: float = 0.06,
        up: Up = "y",
    ) -> Camera:
        """Return a camera for which a garment fills the picture.

        If all points are equal, the distance is almost 0: 1e-6 (1 + largest coordinate of the point).

        Parameters
        ----------
        positions : (..., 3) float, mesh units
            One frame. For a camera that does not move: all frames of the animation.
        aspect : float
            Width of the picture divided by its height.
        azimuth, elevation, field_of_view : float, degrees
        margin : float
            Share of the picture that is empty on every side, below 1/2.
        up : {"y", "z"}
            Axis that points up, see `Animation.up`.

        Returns
        -------
        Camera

        Raises
        ------
        ValueError
            There are no points, a point is not finite, or a number is out of its range.
        """
        points = float64_points(positions)
        positive_number("aspect", aspect)
        if not 0 <= number("margin", margin) < 0.5:
            raise ValueError(f"margin: expected a share in [0, 0.5), got {margin}")
        camera = cls(azimuth=azimuth, elevation=elevation, field_of_view=field_of_view, up=up)
        seen = points @ camera.axes.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        upward = tan(radians(field_of_view) / 2) * (1 - 2 * margin)
        tangents = np.array([upward * aspect, upward])
        distance = 0.0
        centre = (low + high) / 2
        # move the centre in eight steps until opposite margins are equal: perspective enlarges near points
        for _ in range(8):
            off = seen - centre
            distance = max(float((np.abs(off[:, :2]) / tangents + off[:, 2:]).max()), 1e-6 * (1 + abs(centre).max()))
            spread = off[:, :2] / (distance - off[:, 2:])
            centre[:2] += 0.5 * (spread.min(axis=0) + spread.max(axis=0)) * distance
        x, y, z = (camera.axes.T @ centre).tolist()
        return replace(camera, target=(x, y, z), distance=distance)

    @property
    def axes(self) -> Float64:
        """Unit directions to the right, up, and toward the camera, as rows of a (3, 3) array."""
        a, e = radians(self.azimuth), radians(self.elevation)
        right = (cos(a), 0.0, -sin(a))
        up = (-sin(a) * sin(e), cos(e), -cos(a) * sin(e))
        toward = (sin(a) * cos(e), sin(e), cos(a) * cos(e))
        return np.array([right, up, toward]) @ UPRIGHT[self.up]

    @property
    def upward(self) -> Float64:
        """(3,) unit direction away from the ground."""
        direction: Float64 = UPRIGHT[self.up][1]
        return direction

    @property
    def eye(self) -> Float64:
        """(3,) position of the camera, mesh units."""
        viewpoint: Float64 = np.asarray(self.target, np.float64) + self.distance * self.axes[2]
        return viewpoint

    def pixel_size(self, height: int) -> float:
        """Return the width of a pixel at the target, mesh units, for a picture that is `height` pixels high."""
        return 2 * self.distance * tan(radians(self.field_of_view) / 2) / height

    def clip_from_world(self, aspect: float) -> Float64:
        """Return the matrix (4, 4) from world space in mesh units to OpenGL's clip space, for column vectors."""
        view = np.eye(4)
        view[:3, :3] = self.axes
        view[:3, 3] = -self.axes @ self.eye
        near, far = NEAR * self.distance, FAR * self.distance
        scale = 1 / tan(radians(self.field_of_view) / 2)
        projection = np.zeros((4, 4))
        projection[0, 0] = scale / aspect
        projection[1, 1] = scale
        projection[2, 2:] = (far + near) / (near - far), 2 * far * near / (near - far)
        projection[3, 2] = -1
        clip: Float64 = projection @ view
        return clip

    def orbit(self, azimuth: float, elevation: float) -> Camera:
        """Return a camera that is rotated around the target.

        Parameters
        ----------
        azimuth, elevation : float, degrees
            Rotation to the right, and upward. The elevation is limited to ±89 degrees.

        Returns
        -------
        Camera
        """
        steep = min(max(self.elevation + elevation, -STEEPEST), STEEPEST)
        return replace(self, azimuth=(self.azimuth + azimuth + 180) % 360 - 180, elevation=steep)

    def zoom(self, factor: float) -> Camera:
        """Return a camera whose distance is divided by `factor`, which must be above 0; above 1, it comes nearer."""
        return replace(self, distance=self.distance / factor)

    def pan(self, right: float, up: float) -> Camera:
        """Return a camera that is moved together with its target.

        Parameters
        ----------
        right, up : float
            Movements as shares of the picture's height.

        Returns
        -------
        Camera
        """
        size = 2 * self.distance * tan(radians(self.field_of_view) / 2)
        x, y, z = (np.asarray(self.target) + size * (right * self.axes[0] + up * self.axes[1])).tolist()
        return replace(self, target=(x, y, z))


def float64_points(positions: ArrayLike) -> Float64:
    """Return points as (n, 3) float64. Raise ValueError if there are none, or one is not finite."""
    array = np.asarray(positions)
    if array.dtype.kind not in "fiu" or array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"positions: expected an array of shape (..., 3), got {found(positions)}")
    points = array.astype(np.float64).reshape(-1, 3)
    if not (len(points) and np.isfinite(points).all()):
        raise ValueError("positions: expected finite points to look at")
    return points
