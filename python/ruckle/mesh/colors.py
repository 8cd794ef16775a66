"""The colours of a mesh from its file, for drawing: a colour or a picture for each face."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import instance
from ruckle.arrays import Float32, Int32

__all__ = ["FaceColors", "Image", "joined_colors", "require_colors"]


@dataclass(frozen=True)
class Image:
    """A picture on faces. Its file is read only when the picture is needed, for example for drawing.

    Attributes
    ----------
    place : str
        File, and position in the file, for error messages.
    read : callable
        Function that returns the bytes of a PNG, JPEG or WebP file, or raises FormatError or OSError.
    cutout : float, optional
        Pixels whose opacity is below this number are not drawn.
    budget : float
        Factor of the usual memory limit for the picture.
    """

    place: str
    read: Callable[[], bytes] = field(compare=False)
    cutout: float | None = None
    budget: float = field(default=1.0, compare=False)


@dataclass(frozen=True, eq=False)
class FaceColors:
    """Colours and pictures of the faces of a mesh.

    Attributes
    ----------
    corners : (T, 3, 3) float32
        Linear red, green and blue at the face corners. Pictures are multiplied by these colours.
    uv : (T, 3, 2) float32
        Texture coordinates of the face corners; v points up.
    face_images : (T,) int32
        Index into `images` for each face; -1 without a picture.
    images : tuple of Image
    is_cloth : (T,) bool, optional
        Mask of the faces that are drawn with the colour and fabric of the cloth instead: collars of a body, or the
        faces of a garment that a look dyes.
    """

    corners: Float32
    uv: Float32
    face_images: Int32
    images: tuple[Image, ...] = ()
    is_cloth: NDArray[np.bool_] | None = None

    @classmethod
    def plain(cls, face_count: int) -> FaceColors:
        """Return colours that are white at every face, without pictures."""
        return cls(
            np.ones((face_count, 3, 3), np.float32),
            np.zeros((face_count, 3, 2), np.float32),
            np.full(face_count, -1, np.int32),
        )

    def of_faces(self, faces: NDArray[np.integer]) -> FaceColors:
        """Return the colours of the faces in `faces` (K,), in this order."""
        is_cloth = None if self.is_cloth is None else self.is_cloth[faces]
        return FaceColors(self.corners[faces], self.uv[faces], self.face_images[faces], self.images, is_cloth)


def joined_colors(parts: Sequence[FaceColors | None], face_counts: Sequence[int]) -> FaceColors | None:
    """Return the concatenated colours of several meshes; None if no mesh has colours.

    A mesh without colours becomes white. Equal images of several meshes are kept once.
    """
    if all(part is None for part in parts):
        return None
    filled = [part or FaceColors.plain(count) for part, count in zip(parts, face_counts, strict=True)]
    images = tuple(dict.fromkeys(image for part in filled for image in part.images))
    shifted = [
        # index -1 means no picture, and refers to the last entry, which is also -1
        replace(part, face_images=np.array([*map(images.index, part.images), -1], np.int32)[part.face_images])
        for part in filled
    ]
    corners, uv, face_images = (
        np.concatenate([getattr(part, name) for part in shifted]) for name in ("corners", "uv", "face_images")
    )
    cloth = [
        np.zeros(count, bool) if part.is_cloth is None else part.is_cloth
        for part, count in zip(filled, face_counts, strict=True)
    ]
    is_cloth = np.concatenate(cloth) if any(part.is_cloth is not None for part in filled) else None
    return FaceColors(corners, uv, face_images, images, is_cloth)


def require_colors(colors: object, face_count: int) -> FaceColors:
    """Return `colors` if they are `FaceColors` of `face_count` faces; otherwise raise TypeError or ValueError."""
    found = instance("colors", colors, FaceColors)
    if not len(found.corners) == len(found.uv) == len(found.face_images) == face_count:
        raise ValueError(f"colors: expected those of {face_count} faces, got those of {len(found.corners)}")
    return found
