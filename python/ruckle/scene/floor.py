"""The floor of a picture: soft shadows under the meshes."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32
from ruckle.mesh.animation import UPRIGHT, Up
from ruckle.scene.camera import Camera
from ruckle.scene.light_view import light_view
from ruckle.scene.look import Look
from ruckle.scene.programs import SCENE_BINDING, TEXTURE_UNITS, Programs
from ruckle.scene.uniforms import SCENE

__all__ = ["BELOW_SIZE", "Floor", "FloorMap"]

# Number of texels along a side: of the shadow map, and of the depth map of the meshes as seen from below the floor.
FLOOR_SIZE, BELOW_SIZE = 320, 256
# Side length of the shadow map, divided by the radius of the sphere around the meshes.
EXTENT = 4.5


class Floor:
    """A horizontal floor under the meshes of one picture.

    Parameters
    ----------
    level : float, mesh units
        Position of the floor along the up axis.
    points : (V, 3) float32, mesh units
        Points of all meshes that cast shadows.
    up : {"y", "z"}

    Attributes
    ----------
    below : LightView
        View of the meshes from below.
    ws_from_floor : (4, 4) float64
        Matrix from coordinates of the shadow map (0 to 1) to world space. The third coordinate is the height above the
        floor, divided by the side length of the map.
    """

    def __init__(self, level: float, points: Float32, up: Up) -> None:
        right, upward, ahead = UPRIGHT[up]
        self.below = light_view(points, -upward, BELOW_SIZE)
        # centre of the sphere, rounded to texels of the view from below, so that shadows do not flicker
        centre = np.linalg.solve(self.below.map_from_ws, [0.5, 0.5, 0.5, 1.0])[:3]
        side = EXTENT / float(np.linalg.norm(self.below.clip_from_ws[0, :3]))
        self.ws_from_floor = np.eye(4)
        self.ws_from_floor[:3, :3] = side * np.stack([right, ahead, upward], axis=1)
        origin = centre + (level - centre @ upward) * upward - 0.5 * side * (right + ahead)
        self.ws_from_floor[:3, 3] = origin

    def settings(self, camera: Camera, aspect: float, look: Look) -> dict[str, Any]:
        """Return the uniforms of finish.frag for this floor. The `look` decides how dark its shadows are."""
        floor_from_ws = np.linalg.inv(self.ws_from_floor)
        from_clip = floor_from_ws @ np.linalg.inv(camera.clip_from_world(aspect))
        eye = floor_from_ws @ np.array([*camera.eye, 1.0])
        darkness = (0.55 * look.shadows, 0.6 * look.occlusion)
        return {
            "floor_from_clip": _columns(from_clip),
            "floor_eye": tuple(eye.tolist()),
            "floor_light": (*darkness, 0.0, 0.0),
        }


class FloorMap:
    """The shadow map of the floor on the graphics card.

    Parameters
    ----------
    context : moderngl.Context
    programs : Programs
    """

    def __init__(self, context: moderngl.Context, programs: Programs) -> None:
        self._program = programs.get("picture.vert", "floor.frag")
        self._picture = context.vertex_array(self._program, [])
        self._depth = context.depth_texture((BELOW_SIZE, BELOW_SIZE))
        self._depth.compare_func = ""
        self._depth.repeat_x = self._depth.repeat_y = False
        self.below = context.framebuffer(depth_attachment=self._depth)
        self._map = context.texture((FLOOR_SIZE, FLOOR_SIZE), 2, dtype="f2")
        self._map.repeat_x = self._map.repeat_y = False
        self._shadows = context.framebuffer([self._map])
        self._context = context
        self._scene = context.buffer(reserve=SCENE.itemsize, dynamic=True)

    def draw(self, floor: Floor, block: NDArray[np.void]) -> None:
        """Draw the shadow map. The depth maps of the key light and of the view from below must be complete.

        Parameters
        ----------
        floor : Floor
        block : SCENE
            Uniform block of the picture.
        """
        self._scene.write(block)
        self._scene.bind_to_uniform_block(SCENE_BINDING)
        self._context.disable(moderngl.DEPTH_TEST)
        self._shadows.use()
        self._depth.use(TEXTURE_UNITS["from_below"])
        self._program["ws_from_floor"] = _columns(floor.ws_from_floor)
        self._program["below_from_ws"] = _columns(floor.below.map_from_ws)
        self._program["floor_texels"] = float(FLOOR_SIZE)
        self._picture.render(moderngl.TRIANGLES, vertices=3)
        # shaders read the shadow of the sky from coarse mipmap levels, which hide the pattern of samples
        self._map.build_mipmaps()
        self._context.enable(moderngl.DEPTH_TEST)

    def use(self) -> None:
        """Bind the map to its texture unit, so that shaders can read it."""
        self._map.use(TEXTURE_UNITS["floor_map"])


def _columns(matrix: NDArray[np.float64]) -> tuple[float, ...]:
    """Return a matrix column by column, the order of OpenGL."""
    return tuple(matrix.T.ravel().tolist())
