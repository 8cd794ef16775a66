"""Target of a picture without a window: a framebuffer finer than the picture, and the conversion to NumPy."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.context import Device
from ruckle.scene.programs import TEXTURE_UNITS, Programs

__all__ = ["Target"]


class Target:
    """A picture of `width` x `height` pixels.

    Several samples per pixel come from the graphics card's own anti-aliasing. Software drivers draw a picture twice as
    wide and high instead and reduce it: a third of the time on llvmpipe, and the shading is smoothed as well.

    Parameters
    ----------
    device : Device
        Its context is current, here and in every method.
    programs : Programs
    width, height : int, pixels
    samples : int
        Samples per pixel; 1 for none but its middle.

    Attributes
    ----------
    framebuffer : moderngl.Framebuffer
        To draw into.
    """

    def __init__(self, device: Device, programs: Programs, width: int, height: int, samples: int) -> None:
        context = self._context = device.context
        self._picture = context.framebuffer([context.renderbuffer((width, height), 4)])
        self._bytes = bytearray(4 * width * height)
        self._pixels = np.frombuffer(self._bytes, np.uint8).reshape(height, width, 4)
        self._large: moderngl.Texture | None = None
        self._sampled = False
        if samples > 1 and device.is_software:
            size = (2 * width, 2 * height)
            self._large = context.texture(size, 4)
            self.framebuffer = context.framebuffer([self._large], context.depth_renderbuffer(size))
            self._reduce = context.vertex_array(programs.get("picture.vert", "reduce.frag"), [])
        elif samples > 1:
            self._sampled = True
            samples = min(samples, context.max_samples)
            color = context.renderbuffer((width, height), 4, samples=samples)
            depth = context.depth_renderbuffer((width, height), samples=samples)
            self.framebuffer = context.framebuffer([color], depth)
        else:
            color = context.renderbuffer((width, height), 4)
            self.framebuffer = context.framebuffer([color], context.depth_renderbuffer((width, height)))

    def read(self) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 3) uint8, top row first."""
        source = self._picture
        if self._large is not None:
            self._picture.use()
            self._context.disable(moderngl.DEPTH_TEST)
            self._large.use(TEXTURE_UNITS["large_picture"])
            self._reduce.render(moderngl.TRIANGLES, vertices=3)
        elif self._sampled:
            # reading several samples per pixel gives junk without an error: they are averaged into another one first
            self._context.copy_framebuffer(self._picture, self.framebuffer)
        else:
            source = self.framebuffer
        source.read_into(self._bytes, components=4, alignment=1)
        return np.ascontiguousarray(self._pixels[::-1, :, :3])
