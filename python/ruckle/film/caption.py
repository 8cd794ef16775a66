"""Text in pictures: captions and labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["captioned", "labelled"]

INK, MUTED = (58, 64, 72), (122, 130, 140)
# Font size relative to the picture's height, and minimum font size in pixels.
SIZE, LEAST_SIZE = 1 / 34, 11


def captioned(picture: NDArray[np.uint8], text: str) -> NDArray[np.uint8]:
    """Return a picture (height, width, 3) with text in its lower left corner."""
    image = Image.fromarray(picture)
    size = max(LEAST_SIZE, round(SIZE * image.height))
    ImageDraw.Draw(image).text(
        (size, image.height - size), text, fill=INK, font=ImageFont.load_default(size), anchor="ls"
    )
    return np.asarray(image)


def labelled(picture: NDArray[np.uint8], title: str, text: str) -> NDArray[np.uint8]:
    """Return a picture (height, width, 3) with a white strip below it that contains a title and smaller text."""
    size = max(LEAST_SIZE, round(1.6 * SIZE * picture.shape[0]))
    strip = Image.new("RGB", (picture.shape[1], 2 * size), "white")
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(size)
    draw.text((0, size), title, fill=INK, font=font, anchor="lm")
    small = ImageFont.load_default(0.8 * size)
    draw.text((font.getlength(title) + size, size), text, fill=MUTED, font=small, anchor="lm")
    return np.concatenate([picture, np.asarray(strip)])
