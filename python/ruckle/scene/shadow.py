"""Cast shadows: the depth of the meshes, with all folds, in the view from the key light."""

from __future__ import annotations

from collections.abc import Sequence

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.scene.card_mesh import CardCloth
from ruckle.scene.cloth import TessellatedCloth
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.programs import SCENE_BINDING, TEXTURE_UNITS, Programs
from ruckle.scene.uniforms import SCENE

__all__ = ["DEPTH_SIZE", "Casters", "ShadowMap", "draw_depths"]

# Number of texels along a side of the depth map. On a person, a texel is 1 mm, so shadows of folds have sharp edges.
DEPTH_SIZE = 2048

Casters = Sequence[tuple[TessellatedCloth | FineCloth | CardCloth, float]]
"""Meshes that cast shadows, each with its depth bias in mesh units."""


def draw_depths(programs: Programs, into: moderngl.Framebuffer, casters: Casters, *, coarse: bool = False) -> None:
    """Draw depths; the caller must bind the scene's uniform block. If `coarse`, meshes are drawn without folds."""
    into.use()
    into.clear(depth=1.0)
    for mesh, depth_bias in casters:
        features = (*mesh.features, "COLORS") if mesh.has_gaps and not coarse else mesh.features
        found = [programs.get(*files, "shadow.frag", features=features) for files in mesh.stages]
        for program in found:
            if "depth_bias" in program:
                program["depth_bias"] = depth_bias
        mesh.draw_shadow(*found, coarse=coarse)


class ShadowMap:
    """Depth map of the key light, which `shaders/common/soft_shadow.glsl` reads.

    Parameters
    ----------
    context : moderngl.Context
    programs : Programs
    """

    def __init__(self, context: moderngl.Context, programs: Programs) -> None:
        self._scene = context.buffer(reserve=SCENE.itemsize, dynamic=True)
        self._programs = programs
        self._map = context.depth_texture((DEPTH_SIZE, DEPTH_SIZE))
        # no comparison function: shaders read the depths themselves
        self._map.compare_func = ""
        self._map.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._map.repeat_x = self._map.repeat_y = False
        self._depth = context.framebuffer(depth_attachment=self._map)

    def draw(self, block: NDArray[np.void], casters: Casters) -> None:
        """Draw the depth map of a scene.

        Parameters
        ----------
        block : SCENE
            Uniform block of the view from the light.
        casters : sequence of (TessellatedCloth, FineCloth or CardCloth, float)
        """
        self.draw_into(self._depth, block, casters)
        self._map.use(TEXTURE_UNITS["shadow_map"])

    def draw_into(
        self, into: moderngl.Framebuffer, block: NDArray[np.void], casters: Casters, *, coarse: bool = False
    ) -> None:
        """Draw the depths of meshes in the view from a distant light, whose uniform block is `block`, into `into`."""
        self._scene.write(block)
        self._scene.bind_to_uniform_block(SCENE_BINDING)
        draw_depths(self._programs, into, casters, coarse=coarse)
