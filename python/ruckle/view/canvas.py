"""Where a window's scene is drawn: several samples per pixel, averaged into a texture that the widgets lie over."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

__all__ = ["Canvas"]


class Canvas:
    """A framebuffer as large as the scene, made anew when the window changes its size.

    Parameters
    ----------
    context : moderngl.Context
        The window's.
    samples : int
        Samples per pixel.

    Attributes
    ----------
    framebuffer : moderngl.Framebuffer
        To draw into.
    texture : moderngl.Texture
        What `resolve` fills.
    """

    framebuffer: moderngl.Framebuffer
    texture: moderngl.Texture

    def __init__(self, context: moderngl.Context, samples: int) -> None:
        self._context = context
        self._samples = min(samples, context.max_samples)
        self._resolved: moderngl.Framebuffer | None = None

    def resize(self, width: int, height: int) -> None:
        """Take a size in pixels; the picture is lost where it is another than before."""
        if self._resolved is not None and self._resolved.size == (width, height):
            return
        context, size = self._context, (width, height)
        self.release()
        self.texture = context.texture(size, 4)
        self._resolved = context.framebuffer([self.texture])
        # 1 and 0 are different things to OpenGL, and copying from 1 to 0 is refused
        samples = self._samples if self._samples > 1 else 0
        color = context.renderbuffer(size, 4, samples=samples)
        self.framebuffer = context.framebuffer([color], context.depth_renderbuffer(size, samples=samples))

    def resolve(self) -> None:
        """Average the samples into the texture."""
        if self._resolved is not None:
            self._context.copy_framebuffer(self._resolved, self.framebuffer)

    def read(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3) uint8, top row first."""
        width, height = self.texture.size
        pixels = np.frombuffer(self.texture.read(alignment=1), np.uint8).reshape(height, width, 4)
        return np.ascontiguousarray(pixels[::-1, :, :3])

    def release(self) -> None:
        """Give its memory back."""
        if self._resolved is None:
            return
        for framebuffer in (self.framebuffer, self._resolved):
            for attachment in (*framebuffer.color_attachments, framebuffer.depth_attachment):
                if attachment is not None:
                    attachment.release()
            framebuffer.release()
        self._resolved = None
