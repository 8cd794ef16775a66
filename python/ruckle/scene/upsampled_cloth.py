"""Learned upsampling on the graphics card: shaders multiply coarse positions by the operator, the model's matrix.

They write the fine mesh directly into the buffer that is drawn.
"""

from __future__ import annotations

import moderngl
import numpy as np

from ruckle.arrays import Float32, float32
from ruckle.scene.card_mesh import CardCloth, CardMesh, filled_table
from ruckle.scene.cloth import BARE, Cover
from ruckle.scene.context import Device
from ruckle.scene.programs import TEXTURE_UNITS
from ruckle.scene.tables import Table
from ruckle.surface.frame import LayerFrame
from ruckle.upsampling.model import UpsamplingModel
from ruckle.upsampling.parameters import Precision
from ruckle.upsampling.upsampler import UpsampledFrame

__all__ = ["CardUpsampler", "UpsampledCloth", "is_upsampled_by_card"]

# A texel contains four numbers: entries of a row of the operator, or coordinates of coarse vertices.
TEXEL_ENTRIES = 4


def is_upsampled_by_card(frame: LayerFrame) -> bool:
    """Return True if operator times coarse positions is the whole fine mesh: no network, oscillations or pins."""
    return isinstance(frame, UpsampledFrame) and frame.is_product


class CardUpsampler(CardMesh):
    """Multiplies the operator by coarse positions on the graphics card, and computes normals.

    Parameters
    ----------
    device : Device
        The context of the device must be current in every method.
    model : UpsamplingModel
        Model with the operator and the fine mesh.
    precision : {"half", "single"}
        Number format of the operator.
    """

    def __init__(self, device: Device, model: UpsamplingModel, *, precision: Precision = "half") -> None:
        super().__init__(device, "upsample.vert", model.fine_faces, model.fine_count)
        groups = -(-model.coarse_count // TEXEL_ENTRIES)
        rows = np.zeros((model.fine_count, groups * TEXEL_ENTRIES), np.float32)
        rows[:, : model.coarse_count] = model.operator
        self.program["row_texels"] = groups
        texels = rows.reshape(-1, TEXEL_ENTRIES)
        self._operator = filled_table(device.context, texels, "f2" if precision == "half" else "f4")
        self._coarse = Table(device.context)
        self._coarse.reserve(3 * groups)

    def multiply(self, positions: Float32) -> None:
        """Compute positions and normals for coarse positions (M, 3), mesh units."""
        mean = positions.mean(axis=0, dtype=np.float64).astype(np.float32)
        grouped = self._coarse.texels[: -(-len(positions) // TEXEL_ENTRIES) * 3].reshape(-1, 3, TEXEL_ENTRIES)
        padded = np.zeros((len(grouped) * TEXEL_ENTRIES, 3), np.float32)
        padded[: len(positions)] = positions - mean
        grouped[:] = padded.reshape(-1, TEXEL_ENTRIES, 3).transpose(0, 2, 1)
        self._coarse.upload(3 * len(grouped))
        self.program["coarse_mean"] = tuple(mean.tolist())
        self._coarse.use(TEXTURE_UNITS["frame_table"])
        self._operator.use(TEXTURE_UNITS["operator_table"])
        self.step()


class UpsampledCloth(CardCloth):
    """The fine mesh of learned upsampling, which the graphics card computes and draws."""

    def __init__(self, device: Device, frame: LayerFrame, cover: Cover = BARE, *, threads: int = 1) -> None:
        super().__init__(device, frame, cover, threads=threads)
        assert isinstance(frame, UpsampledFrame)
        self._model = frame.model
        self._upsampler = CardUpsampler(device, frame.model)

    @property
    def buffer(self) -> moderngl.Buffer:
        """(N, 6) float32: position, mesh units, and unit normal of each fine vertex."""
        return self._upsampler.buffer

    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Return True if the frame is a product with the same operator."""
        return isinstance(frame, UpsampledFrame) and frame.is_product and frame.model is self._model

    def upload(self) -> None:
        """Compute the fine mesh of the prepared frame on the graphics card, into `buffer`."""
        self._upsampler.multiply(float32("positions", self.frame.positions))
