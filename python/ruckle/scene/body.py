"""A body under the cloth: an animation that is drawn as it is."""

from __future__ import annotations

from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import topology_of
from ruckle.surface.frame import CoarseFrame

__all__ = ["Body"]


class Body:
    """Gives the frames of an animation, on one topology.

    Parameters
    ----------
    animation : Animation

    Raises
    ------
    MeshError
        Faces that are no manifold mesh.
    """

    def __init__(self, animation: Animation) -> None:
        self._animation = animation
        self._topology = topology_of(animation)

    def frame(self, index: int) -> CoarseFrame:
        """Return a frame, by its number in the animation."""
        positions, faces = self._animation.positions[index], self._animation.faces
        return CoarseFrame(positions, self._topology, faces=faces, index=index)
