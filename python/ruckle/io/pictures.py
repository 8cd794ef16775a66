"""Reads image files. Only PNG, JPEG and WebP are allowed, because Pillow starts external programs for some formats.

The number of texels is checked before they are decoded.
"""

from __future__ import annotations

import io
import struct
import warnings

from PIL import Image

from ruckle.errors import FormatError
from ruckle.io.budget import Budget

__all__ = ["open_picture"]

FORMATS = ("PNG", "JPEG", "WEBP")

# For the time limit: estimated nanoseconds per texel and scan of a JPEG file. A file of 38 kB may repeat a scan of 4
# million texels 1000 times.
SCAN_TIME = 1.0
JPEG_START, JPEG_SCAN = b"\xff\xd8", b"\xff\xda"

# Number of bytes that contain the size of a WebP file, for every kind of first chunk.
WEBP_HEADER = 30


def open_picture(content: bytes, place: str, budget: Budget, *, texel_bytes: float) -> Image.Image:
    """Return a decoded image.

    Parameters
    ----------
    content : bytes of the encoded file
    place : str
        File and location in the file, for error messages.
    budget : Budget
    texel_bytes : float
        Bytes that the caller and the decoder need per texel.

    Raises
    ------
    FormatError
        The format is not supported, or the image is damaged or too large.
    """
    try:
        # check the size first, because Pillow decodes a WebP file when it opens the file
        _count(budget, _webp_size(content), place, texel_bytes)
        with warnings.catch_warnings():
            # Pillow's own warning is not needed, because the budget has checked the size
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=FORMATS)
        _count(budget, picture.size, place, texel_bytes)
        if content.startswith(JPEG_START):
            budget.spend(SCAN_TIME * content.count(JPEG_SCAN) * picture.width * picture.height, place)
        picture.load()
    except FormatError:
        raise
    except Image.DecompressionBombError as error:
        raise FormatError(f"{place}: has too many texels") from error
    except Exception as error:  # each format raises its own exceptions
        raise FormatError(f"{place}: is not a readable PNG, JPEG or WebP picture") from error
    return picture


def _count(budget: Budget, size: tuple[int, int], place: str, texel_bytes: float) -> None:
    width, height = size
    budget.check(texel_bytes * width * height, f"{place}: a picture of {width} x {height} texels")


def _webp_size(content: bytes) -> tuple[int, int]:
    """Return width and height of a WebP file, or zeros for other files."""
    header = content[:WEBP_HEADER]
    if len(header) < WEBP_HEADER or header[:4] != b"RIFF" or header[8:12] != b"WEBP":
        return 0, 0
    match header[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(header[24:27], "little"), 1 + int.from_bytes(header[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(header[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            width, height = struct.unpack_from("<HH", header, 26)
            return width & 0x3FFF, height & 0x3FFF
