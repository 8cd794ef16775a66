"""Finding an OpenGL context: one that is current, else EGL without a window, else the platform's default."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import moderngl

from ruckle.errors import GraphicsError
from ruckle.scene.current_egl import CurrentEGL

__all__ = ["Device", "open_device"]

# OpenGL 4.1: the first with all that the shaders need, and the last that macOS has.
REQUIRED = 410

# More EGL devices than machines have that draw.
MOST_EGL_DEVICES = 16

# Mesa's llvmpipe corrupts the picture, without an error, when one draw makes more than 65,535 vertices, and slows
# down forty times above a few thousand when one of them is off the screen.
SOFTWARE_DRIVERS = ("llvmpipe", "softpipe", "SWR")
SOFTWARE_VERTICES_PER_DRAW = 4000

INSTALL = "install a driver, on Debian and Ubuntu without a GPU: apt-get install libegl1 libgl1-mesa-dri"


class Device:
    """An OpenGL context and the properties of its driver.

    Attributes
    ----------
    context : moderngl.Context
    joined : bool
        The context belongs to another owner, such as a window, and was current when it was found.
    name : str
        The driver's own name, such as ``llvmpipe (LLVM 15.0.6, 256 bits)``.
    """

    def __init__(self, context: moderngl.Context, *, joined: bool) -> None:
        self.context = context
        self.joined = joined
        # `collect` releases objects without a Python reference, while the context is current
        context.gc_mode = "context_gc"
        # queried while the context is current: later queries are not answered
        with self.current():
            self.name = str(context.info["GL_RENDERER"])

    @property
    def is_software(self) -> bool:
        """The pictures are made by the processor."""
        return any(name in self.name for name in SOFTWARE_DRIVERS)

    @property
    def vertices_per_draw(self) -> int:
        """Vertices that one draw may make in the tessellator."""
        return SOFTWARE_VERTICES_PER_DRAW if self.is_software else sys.maxsize

    def collect(self) -> None:
        """Give back the memory on the graphics card that nothing refers to any more."""
        self.context.gc()

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the context current for a block; blocks do not nest, because on EGL leaving one leaves none current."""
        if self.joined:
            yield
            return
        with self.context:
            yield


def open_device() -> Device:
    """Return the current context, or a new one without a window.

    Raises
    ------
    GraphicsError
        A driver for OpenGL 4.1 is missing; the message names the package to install.
    """
    linux = sys.platform.startswith("linux")
    # by their full names: those without a version come with development packages only
    libraries = {"libgl": "libGL.so.1"} if linux else {}
    current = _try(**libraries)
    if current is None and linux:
        current = _current_egl()
    if current is not None:
        return Device(current, joined=True)
    context = _without_window() if linux else None
    # X11 without a display would end the process, not raise
    if context is None and (not linux or os.environ.get("DISPLAY")):
        context = _try(standalone=True, **libraries)
    if context is None:
        raise GraphicsError(f"no OpenGL 4.1 driver was found; {INSTALL}")
    return Device(context, joined=False)


def _current_egl() -> moderngl.Context | None:
    try:
        egl = CurrentEGL()
    except OSError:
        return None
    return _try(context=egl)


def _without_window() -> moderngl.Context | None:
    """Return a context of the first EGL device that has OpenGL 4.1."""
    # EGL finds OpenGL's functions itself: libGL need not be there
    libraries = {"libegl": "libEGL.so.1", "libgl": "libEGL.so.1"}
    for index in range(MOST_EGL_DEVICES):
        context = _try(standalone=True, backend="egl", device_index=index, **libraries)
        if context is not None:
            return context
    return None


def _try(**settings: Any) -> moderngl.Context | None:
    """Return a context, or None after any exception: backends raise many different types."""
    try:
        return moderngl.create_context(require=REQUIRED, **settings)
    except Exception:
        return None
