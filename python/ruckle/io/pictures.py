"""Pictures from files: PNG, JPEG and WebP, named one by one, because other formats of Pillow run programs.

The texels are counted before any of them is unpacked.
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

# Bytes before the canvas of a WebP file, by the kind of its first chunk.
WEBP_HEADER = 30


def open_picture(content: bytes, place: str, budget: Budget, *, texel_bytes: float) -> Image.Image:
    """Return a picture, decoded.

    Parameters
    ----------
    content : bytes of its file
    place : str
        The file and the place in it, for errors.
    budget : Budget
    texel_bytes : float
        Bytes that the caller takes for each texel, decoding included.

    Raises
    ------
    FormatError
        It is none of the known formats, is damaged, or has too many texels.
    """
    try:
        # which opening it would unpack
        _count(budget, _webp_size(content), place, texel_bytes)
        with warnings.catch_warnings():
            # the budget counts the texels
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(content), formats=FORMATS)
        _count(budget, picture.size, place, texel_bytes)
        picture.load()
    except FormatError:
        raise
    except Image.DecompressionBombError as error:
        raise FormatError(f"{place}: has too many texels") from error
    except Exception as error:  # each format has its own
        raise FormatError(f"{place}: is no PNG, JPEG or WebP picture that can be read") from error
    return picture


def _count(budget: Budget, size: tuple[int, int], place: str, texel_bytes: float) -> None:
    width, height = size
    budget.check(texel_bytes * width * height, f"{place}: a picture of {width} x {height} texels")


def _webp_size(content: bytes) -> tuple[int, int]:
    """Return the width and height of a WebP file; 0 and 0 for other files."""
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
