"""Words in pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["captioned"]

INK = (58, 64, 72)
# Height of the letters as a share of the picture's height, and at least so many pixels.
SIZE, LEAST_SIZE = 1 / 34, 11


def captioned(picture: NDArray[np.uint8], text: str) -> NDArray[np.uint8]:
    """Return a picture (height, width, 3) with a word in its lower left corner."""
    image = Image.fromarray(picture)
    size = max(LEAST_SIZE, round(SIZE * image.height))
    ImageDraw.Draw(image).text(
        (size, image.height - size), text, fill=INK, font=ImageFont.load_default(size), anchor="ls"
    )
    return np.asarray(image)
