"""The current EGL context for moderngl, whose own loader supports only contexts of GLX, WGL and CGL.

Windows on Wayland use EGL. Programs that draw without a window also use it.
"""

from __future__ import annotations

import ctypes

__all__ = ["CurrentEGL"]


class CurrentEGL:
    """The current EGL context in the form that moderngl requires. Another object owns it and must keep it current.

    Raises
    ------
    OSError
        The EGL library is missing, or no EGL context is current.
    """

    def __init__(self) -> None:
        egl = ctypes.CDLL("libEGL.so.1")
        egl.eglGetCurrentContext.restype = ctypes.c_void_p
        if not egl.eglGetCurrentContext():
            raise OSError("no EGL context is current")
        self._address = egl.eglGetProcAddress
        self._address.restype = ctypes.c_void_p
        self._address.argtypes = [ctypes.c_char_p]

    def load_opengl_function(self, name: str) -> int:
        """Return the address of an OpenGL function; 0 if the function is missing."""
        return self._address(name.encode()) or 0

    def release(self) -> None:
        """Do nothing, because another object owns the context."""
