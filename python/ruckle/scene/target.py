"""Turns the light of a picture into the finished picture, and reads it as an array."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians, tan

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.camera import FAR, NEAR, Camera
from ruckle.scene.context import Device
from ruckle.scene.floor import Floor
from ruckle.scene.look import Look, encoded_color
from ruckle.scene.programs import TEXTURE_UNITS, Programs, set_uniforms

__all__ = ["Finish", "Target"]


@dataclass(frozen=True)
class Finish:
    """Settings of the last step, which turns light into a picture.

    Attributes
    ----------
    camera : Camera
    look : Look
    reach : float, mesh units
        Distance within which surfaces occlude the sky; 0 for pictures without lighting.
    floor : Floor, optional
        Floor with its shadows.
    """

    camera: Camera
    look: Look
    reach: float = 0.0
    floor: Floor | None = None


class Target:
    """The framebuffers for drawing a picture of `width` x `height` pixels.

    With four samples, the picture is drawn at twice the width and height, for smooth edges and against flicker. The
    samples of each pixel are averaged after the tone curve. On llvmpipe, this takes a third of the time of
    multisampling.

    Parameters
    ----------
    device : Device
        The context of the device must be current in every method.
    programs : Programs
    width, height : int, pixels
    samples : int
        Number of samples per pixel: 1; every larger number means 4.

    Attributes
    ----------
    size : (int, int), pixels
    framebuffer : moderngl.Framebuffer
        Framebuffer with two colour attachments: light of the key light (or final colours), and light of the studio.
    """

    def __init__(self, device: Device, programs: Programs, width: int, height: int, samples: int) -> None:
        context = self._context = device.context
        self.size = (width, height)
        self._scale = 2 if samples > 1 else 1
        size = (self._scale * width, self._scale * height)
        self._direct, self._ambient = (context.texture(size, 4, dtype="f2") for _ in range(2))
        self._depths = context.depth_texture(size)
        # no comparison function: shaders read the depths themselves
        self._depths.compare_func = ""
        self.framebuffer = context.framebuffer([self._direct, self._ambient], self._depths)
        self._rough, self._smoothed = (context.texture((width, height), 2, dtype="f4") for _ in range(2))
        self._steps = [context.framebuffer([texture]) for texture in (self._rough, self._smoothed)]
        self._programs = {
            name: programs.get("picture.vert", f"{name}.frag") for name in ("occlusion", "smooth", "finish")
        }
        self._triangles = {name: context.vertex_array(program, []) for name, program in self._programs.items()}
        self._picture = context.framebuffer([context.renderbuffer((width, height), 4)])
        self._bytes = bytearray(4 * width * height)
        self._pixels = np.frombuffer(self._bytes, np.uint8).reshape(height, width, 4)

    def finish(self, finish: Finish, into: moderngl.Framebuffer | None = None) -> None:
        """Turn the light into a picture in the viewport of `into`; default: in memory, from which `read` reads."""
        camera = finish.camera
        planes = (NEAR * camera.distance, FAR * camera.distance)
        width, height = self.size
        self._context.disable(moderngl.DEPTH_TEST)
        self._depths.use(TEXTURE_UNITS["depths"])
        is_occluded = finish.reach > 0.0 and finish.look.occlusion > 0.0
        if is_occluded:
            upward = tan(radians(camera.field_of_view) / 2)
            extent = {"half_extent": (upward * width / height, upward), "planes": planes, "reach": finish.reach}
            self._run("occlusion", self._steps[0], scale=self._scale, **extent)
            self._rough.use(TEXTURE_UNITS["occlusion"])
            self._run("smooth", self._steps[1])
        self._smoothed.use(TEXTURE_UNITS["occlusion"])
        self._direct.use(TEXTURE_UNITS["direct"])
        self._ambient.use(TEXTURE_UNITS["ambient"])
        target = into or self._picture
        settings = {} if finish.floor is None else finish.floor.settings(camera, width / height, finish.look)
        self._run(
            "finish",
            target,
            scale=self._scale,
            planes=planes,
            occluded=finish.look.occlusion if is_occluded else 0.0,
            background=encoded_color(finish.look.background),
            has_floor=finish.floor is not None,
            corner=target.viewport[:2],
            **settings,
        )
        self._context.enable(moderngl.DEPTH_TEST)

    def read(self) -> NDArray[np.uint8]:
        """Return the finished picture, (height, width, 3) uint8, top row first."""
        self._picture.read_into(self._bytes, components=4, alignment=1)
        return np.ascontiguousarray(self._pixels[::-1, :, :3])

    def _run(self, name: str, target: moderngl.Framebuffer, **settings: object) -> None:
        """Draw one shader over the whole viewport of a framebuffer."""
        target.use()
        program = self._programs[name]
        set_uniforms(program, settings)
        self._triangles[name].render(moderngl.TRIANGLES, vertices=3)
