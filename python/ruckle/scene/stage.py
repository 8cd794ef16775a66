"""The surroundings of the cloth on the graphics card: light of the studio, shadows and floor."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.camera import Camera
from ruckle.scene.floor import Floor, FloorMap
from ruckle.scene.light_view import LightView
from ruckle.scene.look import Look
from ruckle.scene.programs import STUDIO_BINDING, Programs
from ruckle.scene.shadow import Casters, ShadowMap
from ruckle.scene.studio import STUDIO, StudioMap, studio_block
from ruckle.scene.uniforms import seen_by

__all__ = ["Stage"]


class Stage:
    """Everything around the cloth that gives light or receives shadows.

    Parameters
    ----------
    context : moderngl.Context
    programs : Programs
    """

    def __init__(self, context: moderngl.Context, programs: Programs) -> None:
        self._block = context.buffer(reserve=STUDIO.itemsize, dynamic=True)
        self._map = StudioMap(context)
        self._shadow_map = ShadowMap(context, programs)
        self._floor_map = FloorMap(context, programs)

    def draw_shadows(self, block: NDArray[np.void], light: LightView, floor: Floor | None, casters: Casters) -> None:
        """Draw the shadow maps: for shadows on the meshes, and for shadows on a floor.

        Parameters
        ----------
        block : SCENE
            Uniform block of the picture.
        light : LightView
            The view from the key light.
        floor : Floor, optional
        casters : sequence of (TessellatedCloth, FineCloth or CardCloth, float)
            Meshes that cast shadows, each with its depth bias in mesh units.
        """
        self._shadow_map.draw(seen_by(light, block), casters)
        if floor is not None:
            below = seen_by(floor.below, block)
            self._shadow_map.draw_into(self._floor_map.below, below, [(mesh, 0.0) for mesh, _ in casters], coarse=True)
            self._floor_map.draw(floor, block)

    def use(self, look: Look, camera: Camera) -> None:
        """Upload and bind the light of the studio for a look and a camera; bind reflections and floor map."""
        self._block.write(studio_block(look, camera))
        self._block.bind_to_uniform_block(STUDIO_BINDING)
        self._map.use()
        self._floor_map.use()
