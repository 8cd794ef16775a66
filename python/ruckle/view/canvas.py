"""The framebuffer of a window's scene: several samples per pixel, averaged before widgets are drawn over it."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.context import Device

__all__ = ["Canvas"]


class Canvas:
    """A framebuffer of the size of the scene; it is created again when the window changes its size.

    Several samples per pixel come from the graphics card's own anti-aliasing. For software drivers the scene is twice
    as wide and high instead, as in `Target`: shown at half its size, the texture is averaged by who shows it.

    Parameters
    ----------
    device : Device
        The window's.
    samples : int
        Samples per pixel.

    Attributes
    ----------
    framebuffer : moderngl.Framebuffer
        To draw into.
    texture : moderngl.Texture
        The single-sample target of `resolve`.
    """

    framebuffer: moderngl.Framebuffer
    texture: moderngl.Texture

    def __init__(self, device: Device, samples: int) -> None:
        context = self._context = device.context
        # pixels of the framebuffer for one of the scene, along each side
        self._finer = 2 if samples > 1 and device.is_software else 1
        # OpenGL distinguishes 1 sample from 0 samples, and refuses to copy between the two
        self._samples = min(samples, context.max_samples) if samples > 1 and self._finer == 1 else 0
        self._resolved: moderngl.Framebuffer | None = None

    def resize(self, width: int, height: int) -> None:
        """Set the size in pixels; a change of the size discards the picture."""
        context, size = self._context, (self._finer * width, self._finer * height)
        if self._resolved is not None and self._resolved.size == size:
            return
        self.release()
        self.texture = context.texture(size, 4)
        if self._samples:
            self._resolved = context.framebuffer([self.texture])
            color = context.renderbuffer(size, 4, samples=self._samples)
            self.framebuffer = context.framebuffer([color], context.depth_renderbuffer(size, samples=self._samples))
        else:
            self.framebuffer = context.framebuffer([self.texture], context.depth_renderbuffer(size))
            self._resolved = self.framebuffer

    def resolve(self) -> None:
        """Average the samples into the texture."""
        if self._resolved is not None and self._resolved is not self.framebuffer:
            self._context.copy_framebuffer(self._resolved, self.framebuffer)

    def read(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3) uint8, top row first."""
        width, height = (side // self._finer for side in self.texture.size)
        pixels = np.frombuffer(self.texture.read(alignment=1), np.uint8)
        squares = pixels.reshape(height, self._finer, width, self._finer, 4)[::-1, ..., :3]
        picture: NDArray[np.uint8] = squares.mean(axis=(1, 3)).round().astype(np.uint8)
        return picture

    def release(self) -> None:
        """Release the memory."""
        if self._resolved is None:
            return
        for framebuffer in {self.framebuffer, self._resolved}:
            for attachment in (*framebuffer.color_attachments, framebuffer.depth_attachment):
                if attachment is not None:
                    attachment.release()
            framebuffer.release()
        self._resolved = None
