"""Cast shadows: the meshes seen from the key light, raised by their heights.

Folds shade the cloth behind them, and steep folds shade themselves. The curved base remains flat, so that chords of its
outline cast no lines; a mesh without heights is drawn unchanged.
"""

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

__all__ = ["DEPTH_SIZE", "ShadowMap"]

# Texels along a side of the depth map, and of its moments: on a person, shadows soft by a centimetre. Larger maps have
# harder shadows, and cost a software driver more than the cloth itself.
DEPTH_SIZE = 512
MOMENTS_SIZE = DEPTH_SIZE // 2


class ShadowMap:
    """The first surface seen from the key light, softened: the moments that `shaders/common/shadow.glsl` reads.

    Parameters
    ----------
    context : moderngl.Context
    programs : Programs
    """

    def __init__(self, context: moderngl.Context, programs: Programs) -> None:
        self._context = context
        self._scene = context.buffer(reserve=SCENE.itemsize, dynamic=True)
        self._programs = programs
        self._softening = programs.get("picture.vert", "soften.frag")
        self._picture = context.vertex_array(self._softening, [])
        depth = context.depth_texture((DEPTH_SIZE, DEPTH_SIZE))
        # its depths are wanted, not how they compare
        depth.compare_func = ""
        across = context.texture((MOMENTS_SIZE, DEPTH_SIZE), 2, dtype="f4")
        self._moments = context.texture((MOMENTS_SIZE, MOMENTS_SIZE), 2, dtype="f4")
        self._moments.repeat_x = self._moments.repeat_y = False
        self._depth = context.framebuffer(depth_attachment=depth)
        self._steps = [
            (depth, context.framebuffer([across]), (1, 0)),
            (across, context.framebuffer([self._moments]), (0, 1)),
        ]

    def draw(
        self, block: NDArray[np.void], meshes: Sequence[tuple[TessellatedCloth | FineCloth | CardCloth, float]]
    ) -> None:
        """Find the shadows of a scene.

        Parameters
        ----------
        block : SCENE
            As the light sees it.
        meshes : sequence of (TessellatedCloth, FineCloth or CardCloth, float)
            The shadow casters, each with its depth bias in mesh units.
        """
        self._scene.write(block)
        self._scene.bind_to_uniform_block(SCENE_BINDING)
        self._depth.use()
        self._depth.clear(depth=1.0)
        for mesh, depth_bias in meshes:
            programs = [self._programs.get(*files, "shadow.frag", features=mesh.features) for files in mesh.stages]
            for program in programs:
                if "depth_bias" in program:
                    program["depth_bias"] = depth_bias
            mesh.draw_shadow(*programs)
        self._context.disable(moderngl.DEPTH_TEST)
        for source, target, along in self._steps:
            target.use()
            source.use(TEXTURE_UNITS["unsoftened"])
            self._softening["along"] = along
            self._softening["is_depth"] = along == (1, 0)
            self._picture.render(moderngl.TRIANGLES, vertices=3)
        self._context.enable(moderngl.DEPTH_TEST)
        self._moments.use(TEXTURE_UNITS["shadow_map"])
