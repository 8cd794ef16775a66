"""Materials of a fine mesh, made from the colours and pictures of its animation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ruckle.arrays import Float32, Int32
from ruckle.mesh.animation import Animation
from ruckle.mesh.colors import FaceColors, Image
from ruckle.surface.fine_mesh import FineMesh

__all__ = ["FineMaterials", "Material", "picture_suffix"]

# Largest number of face colours that become materials. If there are more, all colours become vertex colours.
MOST_PLAIN = 32


@dataclass(frozen=True)
class Material:
    """A colour and, optionally, a picture that is multiplied by the colour.

    Attributes
    ----------
    name : str
    color : tuple of float
        Linear red, green and blue.
    image : Image, optional
    """

    name: str
    color: tuple[float, float, float]
    image: Image | None


@dataclass(frozen=True, eq=False)
class FineMaterials:
    """Materials of an animation.

    Attributes
    ----------
    materials : list of Material
        Empty if the animation does not have colours.
    of_faces : (T,) int32
        Index of the material of each coarse face.
    corners : (T, 3, 3) float32, optional
        Linear colours of the coarse face corners, by which the materials are multiplied; None if all are white.
    """

    materials: list[Material]
    of_faces: Int32
    corners: Float32 | None

    @classmethod
    def of(cls, animation: Animation) -> FineMaterials:
        """Return the materials of an animation: one per pair of picture and face colour.

        If a face has several colours, or the mesh more than `MOST_PLAIN`, materials differ only by picture, and
        `corners` has the colours.
        """
        colors = animation.colors
        if colors is None:
            return cls([], np.zeros(animation.face_count, np.int32), None)
        # plain face colours become materials; colours that change within a face become vertex colours
        plain = _plain_colors(colors)
        multiplied = np.ones((animation.face_count, 3), np.float32) if plain is None else plain
        keys = np.column_stack([colors.face_images, multiplied])
        unique, of_faces = np.unique(keys, axis=0, return_inverse=True)
        materials = []
        for number, (image, *color) in enumerate(unique.tolist()):
            picture = None if image < 0 else colors.images[int(image)]
            materials.append(Material(f"material_{number}", (color[0], color[1], color[2]), picture))
        corners = colors.corners if plain is None else None
        return cls(materials, of_faces.reshape(-1).astype(np.int32), corners)

    def fine_colors(self, fine: FineMesh) -> Float32 | None:
        """Return the colours (M, 3, 3) of the fine face corners; None if all are white."""
        if self.corners is None:
            return None
        count = len(self.corners)
        return fine.corner_values(self.corners.reshape(-1, 3), np.arange(3 * count).reshape(count, 3))


def _plain_colors(colors: FaceColors) -> Float32 | None:
    """Return one colour per face, (T, 3). None if a face has several colours, or the mesh more than MOST_PLAIN."""
    first = colors.corners[:, 0]
    if not (colors.corners == first[:, None]).all():
        return None
    return first if len(np.unique(first, axis=0)) <= MOST_PLAIN else None


def picture_suffix(content: bytes) -> str:
    """Return the file extension for the bytes of a PNG, JPEG or WebP picture."""
    if content.startswith(b"\x89PNG"):
        return ".png"
    return ".webp" if content[:4] == b"RIFF" else ".jpg"
