"""Finds an OpenGL context: the current one; or EGL without a window; or the default of the platform."""

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

# OpenGL 4.1 is the lowest version that has all features of the shaders, and the highest version on macOS.
REQUIRED = 410

# Largest number of EGL devices (graphics cards and software drivers) on which a context is tried.
MOST_EGL_DEVICES = 16

# Drivers that draw with the CPU, and the vertices per draw call for them. On Mesa's llvmpipe, more than 65,535 vertices
# per call damage the picture without an error. A call of more than a few thousand vertices is also 40 times slower if
# one vertex is outside the screen.
SOFTWARE_DRIVERS = ("llvmpipe", "softpipe", "SWR")
SOFTWARE_VERTICES_PER_DRAW = 4000

INSTALL = "install a driver, on Debian and Ubuntu without a GPU: apt-get install libegl1 libgl1-mesa-dri"


class Device:
    """An OpenGL context and the properties of its driver.

    Attributes
    ----------
    context : moderngl.Context
    joined : bool
        True if another object, such as a window, owns the context, which was already current.
    name : str
        Name of the driver, such as ``llvmpipe (LLVM 15.0.6, 256 bits)``.
    """

    def __init__(self, context: moderngl.Context, *, joined: bool) -> None:
        self.context = context
        self.joined = joined
        # release unused objects only in `collect`: then the context is current, as OpenGL requires
        context.gc_mode = "context_gc"
        # read the name of the driver now, because later queries fail
        with self.current():
            self.name = str(context.info["GL_RENDERER"])

    @property
    def is_software(self) -> bool:
        """True if a CPU draws the pictures."""
        return any(name in self.name for name in SOFTWARE_DRIVERS)

    @property
    def vertices_per_draw(self) -> int:
        """Largest number of vertices that the tessellator may create in one draw call."""
        return SOFTWARE_VERTICES_PER_DRAW if self.is_software else sys.maxsize

    def collect(self) -> None:
        """Release memory of the graphics card that is no longer used."""
        self.context.gc()

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the context current during the block. Do not nest: on EGL, the end of the inner block resets it."""
        if self.joined:
            yield
            return
        with self.context:
            yield


def open_device() -> Device:
    """Return the current OpenGL context, or a new context without a window.

    Raises
    ------
    GraphicsError
        A driver for OpenGL 4.1 is missing. The message contains the package to install.
    """
    linux = sys.platform.startswith("linux")
    # library names with a version: names without a version exist only in development packages
    libraries = {"libgl": "libGL.so.1"} if linux else {}
    current = _try(**libraries)
    if current is None and linux:
        current = _current_egl()
    if current is not None:
        return Device(current, joined=True)
    context = _without_window() if linux else None
    # do not try X11 without a display: it would end the process instead of raising an exception
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
    """Return a context of the first EGL device with OpenGL 4.1; None if there is none."""
    # EGL finds the functions of OpenGL itself, so libGL is not necessary
    libraries = {"libegl": "libEGL.so.1", "libgl": "libEGL.so.1"}
    for index in range(MOST_EGL_DEVICES):
        context = _try(standalone=True, backend="egl", device_index=index, **libraries)
        if context is not None:
            return context
    return None


def _try(**settings: Any) -> moderngl.Context | None:
    """Return a context; None after any exception, because the backends raise exceptions of many types."""
    try:
        return moderngl.create_context(require=REQUIRED, **settings)
    except Exception:
        return None
