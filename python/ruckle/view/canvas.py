"""Texture with the window's scene, which is displayed behind the widgets."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.context import Device

__all__ = ["Canvas"]


class Canvas:
    """A framebuffer with the size of the scene. It is created again if the size changes.

    Parameters
    ----------
    device : Device
        Device of the window.

    Attributes
    ----------
    framebuffer : moderngl.Framebuffer
        Framebuffer to draw into.
    texture : moderngl.Texture
        Texture that contains the drawn picture.
    """

    framebuffer: moderngl.Framebuffer
    texture: moderngl.Texture

    def __init__(self, device: Device) -> None:
        self._context = device.context
        self._size = (0, 0)

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels; if it changes, the picture is lost."""
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
        """Release the GPU memory."""
        if self._size != (0, 0):
            self.framebuffer.release()
            self.texture.release()
            self._size = (0, 0)
