"""The texture of a window's scene, which is shown under the widgets."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.context import Device

__all__ = ["Canvas"]


class Canvas:
    """A framebuffer of the size of the scene; it is created again when the window changes its size.

    Parameters
    ----------
    device : Device
        The window's.

    Attributes
    ----------
    framebuffer : moderngl.Framebuffer
        To draw into.
    texture : moderngl.Texture
        Its picture.
    """

    framebuffer: moderngl.Framebuffer
    texture: moderngl.Texture

    def __init__(self, device: Device) -> None:
        self._context = device.context
        self._size = (0, 0)

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels; a change of the size discards the picture."""
        if self._size == (width, height):
            return
        self.release()
        self._size = (width, height)
        self.texture = self._context.texture(self._size, 4)
        self.framebuffer = self._context.framebuffer([self.texture])

    def read(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3) uint8, top row first."""
        width, height = self._size
        pixels = np.frombuffer(self.texture.read(alignment=1), np.uint8).reshape(height, width, 4)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def release(self) -> None:
        """Release the memory."""
        if self._size != (0, 0):
            self.framebuffer.release()
            self.texture.release()
            self._size = (0, 0)
