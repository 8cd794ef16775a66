"""Parts of a picture that are not from layers: colours from a file, the body under the cloth, and the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ruckle.arrays import Float32
from ruckle.mesh.animation import UPRIGHT, Animation
from ruckle.mesh.topology import topology_of
from ruckle.surface.frame import CoarseFrame

if TYPE_CHECKING:
    from ruckle.scene.look import Look
    from ruckle.scene.renderer import Extras

__all__ = ["Dressing"]

# Number of vertices of a body for which distances to all vertices of the garment are computed at once.
ROWS = 256


class Dressing:
    """Returns the renderer's optional arguments for each frame of an animation.

    Parameters
    ----------
    animation : Animation
    body : Animation, optional
        Body with the same frames, which is drawn unchanged under the cloth.

    Raises
    ------
    MeshError
        The faces of the body do not form a manifold mesh.
    """

    def __init__(self, animation: Animation, body: Animation | None) -> None:
        self._animation = animation
        self._body = body
        self._topology = None if body is None else topology_of(body)
        self._body_mask = None if body is None else _body_mask(animation, body)
        shown = [animation] if body is None else [animation, body]
        self._floor = min(float((one.positions @ UPRIGHT[one.up][1].astype(np.float32)).min()) for one in shown)

    def extras(self, index: int, look: Look) -> Extras:
        """Return the optional arguments of `Renderer.render` for a frame of the animation (by its index) and a look.

        The floor is at the lowest point of cloth and body over all frames. Texture coordinates and `sewing` are
        contained only if the look has a fabric.
        """
        cloth = self._animation
        own: Extras = {"colors": cloth.colors, "floor": self._floor}
        if look.fabric is not None:
            # the fabric and the seams require texture coordinates
            own |= {"uv": cloth.uv, "uv_faces": cloth.uv_faces, "sewing": cloth.sewing}
        if self._body is None or self._topology is None:
            return own
        body = CoarseFrame(self._body.positions[index], self._topology, faces=self._body.faces, index=index)
        body.mask = self._body_mask
        return {**own, "body": body, "body_colors": self._body.colors}


def _body_mask(garment: Animation, body: Animation) -> Float32 | None:
    """Return the mask of the garment at each vertex of the body, (V,) float32: that of the nearest garment vertex.

    Vertices with a mask of 0 are not under cloth: eyes, hair and glasses on a head of the garment's mesh. None if the
    garment does not have a mask.
    """
    if garment.mask is None:
        return None
    cloth, points = (one.positions[0] - garment.positions[0].mean(axis=0) for one in (garment, body))
    halves = 0.5 * np.einsum("vx,vx->v", cloth, cloth)
    # |a - b|^2 is smallest where a.b - |b|^2 / 2 is largest
    starts = range(0, len(points), ROWS)
    nearest = [np.argmax(points[start : start + ROWS] @ cloth.T - halves, axis=1) for start in starts]
    mask: Float32 = garment.mask[np.concatenate(nearest)]
    return mask
