"""Wrinkles from examples on the graphics card: shaders interpolate samples and add them to the coarse cloth."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle import _core
from ruckle.arrays import Float32, float32
from ruckle.pose_space.database import PoseDatabase
from ruckle.pose_space.joint import cell
from ruckle.pose_space.synthesizer import PoseFrame
from ruckle.pose_space.weights import MergeRule
from ruckle.scene.card_mesh import CardCloth, CardMesh, filled_table
from ruckle.scene.cloth import BARE, Cover
from ruckle.scene.context import Device
from ruckle.scene.programs import TEXTURE_UNITS
from ruckle.scene.tables import Table
from ruckle.surface.frame import LayerFrame

__all__ = ["CardSynthesizer", "PosedCloth", "is_posed_by_card"]

# MOST_CORNERS: largest number of samples around a joint's angles (2³); a texel contains two of these. COARSE_TEXELS:
# number of texels per coarse vertex.
MOST_CORNERS, COARSE_TEXELS = 8, 3

# Largest number of details in a table, one per texel. Shaders compute the index in float32, which does not represent
# larger integers exactly.
MOST_TEXELS = 2**24

# Weights are stored as multiples of 1/32767, as in cpp/src/pose_space/detail_kernel.h.
SHARE_STEPS = 32767


def is_posed_by_card(frame: LayerFrame) -> bool:
    """Return True if shaders can compute a frame: a `PoseFrame` without `trust`, whose database fits a table."""
    return isinstance(frame, PoseFrame) and not frame.options["trust"] and frame.database.size <= 6 * MOST_TEXELS


class CardSynthesizer(CardMesh):
    """Interpolates the samples of a database by joint angles on the graphics card, and adds them to the coarse cloth.

    Parameters
    ----------
    device : Device
        The context of the device must be current in every method.
    database : PoseDatabase
    merge : {"energy", "paper", "window", "fitted"}
    strength : float
        Factor of the details. See `PoseSynthesizer` for both.
    """

    def __init__(
        self, device: Device, database: PoseDatabase, *, merge: MergeRule = "energy", strength: float = 1.0
    ) -> None:
        context, binding = device.context, database.binding
        shares, spans = _shares(database, merge)
        own = np.empty(
            binding.vertex_count,
            [("span", np.int32, 2), ("corners", np.int32, 3), ("weights", np.float32, 3), ("detail", np.float32, 3)],
        )
        own["span"], own["corners"] = spans, binding.corners
        own["weights"], own["detail"] = binding.barycentric, database.rest_details
        layout = "2i 3i 3f 3f", "span", "corners", "weights", "rest_detail"
        inputs = [(context.buffer(own), *layout)]
        super().__init__(device, "pose_space.vert", database.faces, binding.vertex_count, inputs)
        self._database = database
        self._shares = filled_table(context, shares, "f4")
        details = [np.pad(joint.details.reshape(-1, 3), ((0, 0), (0, 1))) for joint in database.joints]
        self._samples = filled_table(context, np.concatenate([np.zeros((1, 4), np.int16), *details]), "i2")
        self._first = np.cumsum([1, *(len(rows) for rows in details)])
        self._frame = Table(context)
        joint_texels = len(database.joints) * MOST_CORNERS // 2
        self._frame.reserve(joint_texels + COARSE_TEXELS * binding.topology.vertex_count)
        self.program["first_row"] = joint_texels
        self.program["strength"] = strength

    def synthesize(self, positions: Float32, angles: Mapping[str, NDArray[np.float64]]) -> None:
        """Compute positions and normals for coarse positions (C, 3), mesh units, and joint angles, radians."""
        joints = self._database.joints
        cells = np.zeros((len(joints), MOST_CORNERS, 2), np.float32)
        for row, joint, first in zip(cells, joints, self._first, strict=False):
            around = cell(joint.angles, angles[joint.name])
            row[: len(around.samples), 0] = first + around.samples * len(joint.vertices)
            row[: len(around.samples), 1] = around.weights * np.float32(joint.step)
        rows = self._database.binding.core.measure(positions)
        content = np.concatenate([cells.reshape(-1, 4), rows.reshape(-1, 4)])
        self._frame.texels[: len(content)] = content
        self._frame.upload(len(content))
        self._frame.use(TEXTURE_UNITS["frame_table"])
        self._samples.use(TEXTURE_UNITS["sample_table"])
        self._shares.use(TEXTURE_UNITS["share_table"])
        self.step()


def _shares(database: PoseDatabase, merge: MergeRule) -> tuple[Float32, NDArray[np.int32]]:
    """Return the influences of joints on fine vertices, (N, 3): joint, row in the joint's details, and merged weight.

    The influences are sorted by vertex. Also return the index of the first influence and the number of influences of
    each vertex, (V, 2).
    """
    count = database.binding.vertex_count
    weights = np.zeros((count, len(database.joints)), np.float32)
    rows = np.full(weights.shape, -1)
    for number, joint in enumerate(database.joints):
        weights[joint.vertices, number] = joint.fitted if merge == "fitted" else joint.weights
        rows[joint.vertices, number] = np.arange(len(joint.vertices))
    shares = np.rint(_core.merge_shares(weights, merge) * np.float32(SHARE_STEPS)) / SHARE_STEPS
    vertices, joints = np.nonzero(rows >= 0)
    held = np.bincount(vertices, minlength=count)
    entries = np.stack([joints, rows[vertices, joints], shares[vertices, joints]], axis=1).astype(np.float32)
    return entries, np.stack([np.cumsum(held) - held, held], axis=1).astype(np.int32)


class PosedCloth(CardCloth):
    """A fine mesh from examples, which the graphics card computes and draws."""

    def __init__(self, device: Device, frame: LayerFrame, cover: Cover = BARE, *, threads: int = 1) -> None:
        super().__init__(device, frame, cover, threads=threads)
        assert isinstance(frame, PoseFrame)
        self._database, self._options = frame.database, frame.options
        merge, strength = frame.options["merge"], frame.options["strength"]
        self._card = CardSynthesizer(device, frame.database, merge=merge, strength=strength)

    @property
    def buffer(self) -> moderngl.Buffer:
        """(N, 6) float32: position, mesh units, and unit normal of each fine vertex."""
        return self._card.buffer

    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Return True if the frame has the same database and options."""
        return isinstance(frame, PoseFrame) and frame.database is self._database and frame.options == self._options

    def upload(self) -> None:
        """Compute the fine mesh of the prepared frame on the graphics card, into `buffer`."""
        assert isinstance(self.frame, PoseFrame)
        self._card.synthesize(float32("positions", self.frame.positions), self.frame.angles)
