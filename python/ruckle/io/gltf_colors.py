"""Colours of glTF materials: base colour factors, textures and vertex colours.

Image files are read only when they are drawn. Materials that are unlike cloth (metal, glass, glow) are drawn in their
base colour only.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ruckle.io.budget import Budget
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_entry import Entry
from ruckle.io.gltf_meshes import Geometry
from ruckle.mesh.colors import FaceColors, Image

__all__ = ["face_colors"]

# If the material is not opaque, pixels with an alpha below this value, such as gaps between hairs, are not drawn.
# Materials of mode MASK can have another value, `alphaCutoff`, whose default in glTF is also 0.5.
CUTOUT = 0.5

KTX2 = "KHR_texture_basisu"

# Image formats that cannot be read. Materials with such images get only their base colour. `gltf-transform` and
# `ktx extract` convert KTX2 to PNG.
UNREADABLE = {"image/ktx2": "KTX2", "image/avif": "AVIF", "image/vnd-ms.dds": "DDS"}

Float64 = NDArray[np.float64]


def face_colors(document: Document, geometry: Geometry) -> FaceColors | None:
    """Return the colours of a mesh's faces, or None if all materials are plain white.

    Raises
    ------
    FormatError
        A material is damaged.
    """
    count = len(geometry.faces)
    document.budget.hold(count * 3 * (3 + 2) * 12, f"{document.path}: the colours of {count} faces")
    has_material = geometry.face_materials >= 0
    if geometry.colors is None and not has_material.any():
        return None
    corners = np.ones((count, 3, 3)) if geometry.colors is None else geometry.colors[geometry.faces]
    uv = np.zeros((count, 3, 2)) if geometry.uv is None else geometry.uv[geometry.faces]
    face_images, images = np.full(count, -1, np.int32), dict[Image, int]()
    for number in np.unique(geometry.face_materials[has_material]).tolist():
        material = document.root.element("materials", number)
        here = geometry.face_materials == number
        base = material.entry("pbrMetallicRoughness")
        factor = None if base is None else base.numbers("baseColorFactor", 4)
        if factor is not None:
            corners[here] *= factor[:3]
        texture = None if base is None or geometry.uv is None else base.entry("baseColorTexture")
        source = None if texture is None else _image_of(document, texture)
        if texture is not None and source is not None:
            uv[here] = _transformed(texture, uv[here])
            read = partial(_read_image, document.path, source)
            place = f"{document.path}: images[{source}]"
            image = Image(place, read, _cutout(material), document.budget.factor)
            face_images[here] = images.setdefault(image, len(images))
    if not images and (corners == 1.0).all():
        return None
    return FaceColors(corners.astype(np.float32), uv.astype(np.float32), face_images, tuple(images))


def _image_of(document: Document, texture: Entry) -> int | None:
    """Return the image index of a texture. Return None if the image is missing or unreadable.

    Also return None if the texture does not use the first set of texture coordinates.
    """
    if texture.integer("texCoord", 0) != 0:
        return None
    entry = document.root.element("textures", texture.integer("index", below=document.root.count("textures")))
    extensions, image_count = entry.entry("extensions") or entry, document.root.count("images")
    for name in ("EXT_texture_webp", "EXT_texture_avif", KTX2):
        packed = extensions.entry(name)
        # WebP can be read; of the other formats, use the image of the texture itself if there is one
        source = None if packed is None or (name != "EXT_texture_webp" and "source" in entry) else packed
        if source is not None:
            return _readable(document, source.index("source", image_count))
    return _readable(document, entry.index("source", image_count))


def _readable(document: Document, number: int | None) -> int | None:
    """Return the index of an image. If the image is missing or unreadable, record the reason and return None.

    The document later warns about all recorded reasons.
    """
    if number is None:
        return None
    image = document.root.element("images", number)
    uri, kind = image.text("uri"), image.text("mimeType")
    name = image.text("name") or (f"images[{number}]" if uri.startswith("data:") or not uri else uri)
    if kind in UNREADABLE or uri.startswith(tuple(f"data:{one}" for one in UNREADABLE)):
        document.leave_out(f"{UNREADABLE[kind or uri[5:].partition(';')[0]]} textures are left out", name)
    elif uri.lower().endswith((".ktx2", ".avif", ".dds")):
        document.leave_out(f"{uri[-4:].strip('.').upper()} textures are left out", name)
    elif document.is_image_missing(number):
        document.leave_out("textures are missing", name)
    else:
        return number
    return None


def _transformed(texture: Entry, uv: Float64) -> Float64:
    """Return texture coordinates after KHR_texture_transform (offset, rotation, scale), in which v points down."""
    change = (texture.entry("extensions") or texture).entry("KHR_texture_transform")
    if change is None:
        return uv
    offset, scale = change.numbers("offset", 2), change.numbers("scale", 2)
    angle = change.number("rotation") or 0.0
    rotation = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    downward = uv * (1.0, -1.0) + (0.0, 1.0)
    moved = (downward * (1.0 if scale is None else scale)) @ rotation.T + (0.0 if offset is None else offset)
    upward: Float64 = moved * (1.0, -1.0) + (0.0, 1.0)
    return upward


def _cutout(material: Entry) -> float | None:
    mode = material.text("alphaMode", "OPAQUE")
    if mode == "OPAQUE":
        return None
    stated = material.number("alphaCutoff")
    return CUTOUT if mode != "MASK" or stated is None else stated


def _read_image(path: Path, number: int) -> bytes:
    """Return the bytes of an image in the file."""
    return Document(path, Budget()).image(number)
