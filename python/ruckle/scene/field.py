"""Labels and compression of each triangle as a table on the graphics card."""

from __future__ import annotations

import moderngl
import numpy as np

from ruckle.arrays import Float32
from ruckle.field.axes import axes_in_space
from ruckle.scene.programs import TEXTURE_UNITS
from ruckle.scene.tables import Table
from ruckle.surface.frame import LayerFrame

__all__ = ["FieldTable"]

REST = 1


class FieldTable:
    """Labels and compression of one frame on the graphics card. The table is empty until a picture shows them.

    Parameters
    ----------
    context : moderngl.Context
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._table = Table(context)

    @property
    def allocations(self) -> int:
        """Number of textures created until now."""
        return self._table.allocations

    def upload(self, frame: LayerFrame) -> None:
        """Copy labels and compression of a frame to the graphics card."""
        texels = field_texels(frame).reshape(-1, 4)
        self._table.reserve(len(texels))
        self._table.texels[: len(texels)] = texels
        self._table.upload(len(texels))

    def use(self) -> None:
        """Bind the table to its texture unit, so that shaders can read it."""
        self._table.use(TEXTURE_UNITS["field_table"])


def field_texels(frame: LayerFrame) -> Float32:
    """Return the texels of a frame in the layout of shaders/common/field.glsl.

    Parameters
    ----------
    frame : LayerFrame
        If it does not have labels, all triangles are at rest. If it does not have a stretch, they are undeformed.

    Returns
    -------
    (T, 3, 4) float32
    """
    positions, faces, labels, stretch = frame.positions, frame.topology.faces, frame.labels, frame.stretch
    count = len(faces)
    texels = np.zeros((count, 3, 4), np.float32)
    corners = positions[faces]
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    double_area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    perimeter = sides.sum(axis=1)
    # centre of the inscribed circle: the weight of a corner is the length of the opposite side
    weights = np.roll(sides, -1, axis=1)
    safe = np.where(perimeter > 0, perimeter, 1.0)
    texels[:, 0, :3] = (weights[:, :, None] * corners).sum(axis=1) / safe[:, None]
    texels[:, 0, 3] = double_area / safe
    texels[:, 1, 3] = 1.0
    texels[:, 2, :2] = REST, 1.0
    if labels is not None:
        texels[:, 2, 0] = labels
    if stretch is not None:
        texels[:, 1, 3] = stretch.compression
        texels[:, 1, :3] = axes_in_space(positions, faces, stretch.axis)
        texels[:, 2, 1] = stretch.max
    return texels
