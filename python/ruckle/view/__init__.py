"""Drawing of wrinkled cloth with OpenGL. Importing this module does not import OpenGL or moderngl.

with ruckle.Renderer(1920, 1080) as renderer:
    picture = renderer.render(frame)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ruckle.scene.camera import Camera
from ruckle.scene.look import Light, Look

if TYPE_CHECKING:
    from ruckle.scene.renderer import Extras, Renderer

__all__ = ["Camera", "Extras", "Light", "Look", "Renderer"]


def __getattr__(name: str) -> object:
    if name not in ("Extras", "Renderer"):
        raise AttributeError(f"module 'ruckle.view' has no attribute '{name}'")
    try:
        return getattr(import_module("ruckle.scene.renderer"), name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("moderngl", "glcontext"):
            raise
        raise ModuleNotFoundError(
            'drawing needs moderngl, which is not installed: pip install "ruckle[render]"', name="moderngl"
        ) from error
