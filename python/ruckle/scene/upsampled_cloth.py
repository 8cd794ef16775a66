"""Learned upsampling on the graphics card: its product goes straight into the buffer that is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import moderngl
import numpy as np

from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.animation import Up, vertical_extent
from ruckle.scene.cloth import BARE, Cover, Division
from ruckle.scene.context import Device
from ruckle.scene.field import FieldTable
from ruckle.scene.programs import TEXTURE_UNITS, Programs
from ruckle.scene.tables import TABLE_WIDTH, Table
from ruckle.surface.frame import LayerFrame
from ruckle.upsampling.model import UpsamplingModel
from ruckle.upsampling.parameters import Precision
from ruckle.upsampling.upsampler import UpsampledFrame

__all__ = ["CardUpsampler", "UpsampledCloth", "is_upsampled_by_card"]

# Entries of a row, and coordinates of the coarse cloth, that one texel holds.
TEXEL_ENTRIES = 4

# What fine.vert reads of a vertex beside position and normal, the same for all: no heights, no texture.
UNIFORM_INPUTS = {"corner_height": "4f", "corner_uv": "2f", "corner_tile": "2f", "corner_color": "4f"}


def is_upsampled_by_card(frame: LayerFrame) -> bool:
    """Tell whether a frame is nothing but an operator's product, without waves, pins and heights."""
    return isinstance(frame, UpsampledFrame) and frame.is_product


class CardUpsampler:
    """Multiplies an operator by coarse positions on the graphics card, and finds the normals.

    Parameters
    ----------
    device : Device
        Its context is current, here and in every method.
    model : UpsamplingModel
        Its operator and its fine mesh.
    precision : {"half", "single"}
        Of the operator's entries.

    Attributes
    ----------
    buffer : moderngl.Buffer
        After a step, (N, 6) float32: position, mesh units, and unit normal of each fine vertex.
    """

    def __init__(self, device: Device, model: UpsamplingModel, *, precision: Precision = "half") -> None:
        self._context = device.context
        self._count = model.fine_count
        programs = Programs(self._context)
        self._multiply = programs.get("upsample.vert", varyings=("fine_position",))
        self._normals = programs.get("upsample_normals.vert", varyings=("corner_base", "corner_normal"))
        groups = -(-model.coarse_count // TEXEL_ENTRIES)
        rows = np.zeros((model.fine_count, groups * TEXEL_ENTRIES), np.float32)
        rows[:, : model.coarse_count] = model.operator
        self._multiply["row_texels"] = groups
        self._operator = self._texture(rows.reshape(-1, TEXEL_ENTRIES), "f2" if precision == "half" else "f4")
        self._coarse = Table(self._context)
        self._coarse.reserve(3 * groups)
        corners, spans = _around(model.fine_faces, model.fine_count)
        self._around = self._texture(corners.astype(np.float32), "f4")
        self._fine = self._texture(np.zeros((model.fine_count, 4), np.float32), "f4")
        self._positions = self._context.buffer(reserve=16 * TABLE_WIDTH * self._fine.height)
        self.buffer = self._context.buffer(reserve=24 * model.fine_count)
        # nothing is drawn into it, but without one that is complete nothing is captured either
        self._pixel = self._context.framebuffer([self._context.texture((1, 1), 4)])
        self._rows = self._context.vertex_array(self._multiply, [])
        self._vertices = self._context.vertex_array(self._normals, [(self._context.buffer(spans), "2i", "around")])

    def step(self, positions: Float32) -> None:
        """Fill the buffer for coarse positions (M, 3), mesh units."""
        mean = positions.mean(axis=0, dtype=np.float64).astype(np.float32)
        grouped = self._coarse.texels[: -(-len(positions) // TEXEL_ENTRIES) * 3].reshape(-1, 3, TEXEL_ENTRIES)
        padded = np.zeros((len(grouped) * TEXEL_ENTRIES, 3), np.float32)
        padded[: len(positions)] = positions - mean
        grouped[:] = padded.reshape(-1, TEXEL_ENTRIES, 3).transpose(0, 2, 1)
        self._coarse.upload(3 * len(grouped))
        self._multiply["coarse_mean"] = tuple(mean.tolist())
        self._pixel.use()
        self._coarse.use(TEXTURE_UNITS["cloth_table"])
        self._operator.use(TEXTURE_UNITS["operator_table"])
        self._rows.transform(self._positions, moderngl.POINTS, vertices=self._count)
        # normals need the neighbours, which a vertex shader reads from a texture; the copy stays on the card
        self._fine.write(self._positions)
        self._fine.use(TEXTURE_UNITS["fine_table"])
        self._around.use(TEXTURE_UNITS["around_table"])
        self._vertices.transform(self.buffer, moderngl.POINTS, vertices=self._count)

    def read(self) -> tuple[Float32, Float32]:
        """Return the positions, mesh units, and normals of the last step: (N, 3) float32 each."""
        values = np.frombuffer(self.buffer.read(), np.float32).reshape(-1, 6)
        return values[:, :3], values[:, 3:]

    def _texture(self, texels: Float32, kind: str) -> moderngl.Texture:
        """Return a table that is filled once, as shaders/common/tables.glsl reads it."""
        rows = max(-(-len(texels) // TABLE_WIDTH), 1)
        content = np.zeros((rows * TABLE_WIDTH, texels.shape[1]), np.float16 if kind == "f2" else np.float32)
        content[: len(texels)] = texels
        texture = self._context.texture((TABLE_WIDTH, rows), texels.shape[1], content, dtype=kind, alignment=1)
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        return texture


class UpsampledCloth:
    """A fine mesh that the graphics card makes and draws; the parameters and attributes are those of `Cloth`."""

    stages = (("fine.vert",),)
    features: tuple[str, ...] = ()
    is_colored = False

    def __init__(
        self,
        device: Device,
        frame: LayerFrame,
        cover: Cover = BARE,
        *,
        threads: int = 1,
    ) -> None:
        assert isinstance(frame, UpsampledFrame)
        self._context = device.context
        self._model = frame.model
        self._upsampler = CardUpsampler(device, frame.model)
        self._field = FieldTable(self._context)
        self._index = self._context.buffer(frame.model.fine_faces)
        self._holders = self._context.buffer(frame.model.holders)
        self._uniform = self._context.buffer(np.zeros(12, np.float32))
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self.topology = frame.topology
        self.frame: LayerFrame = frame

    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Tell whether a frame is a product of the same operator."""
        return isinstance(frame, UpsampledFrame) and frame.is_product and frame.model is self._model

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: of the coarse cloth, which is about as large."""
        return self.frame.positions

    def height(self, up: Up) -> float:
        """Return the extent along the axis that points up, mesh units."""
        return vertical_extent(self.positions, up)

    @property
    def allocations(self) -> int:
        """Vertex arrays made so far, and what the field has."""
        return self._field.allocations + len(self._arrays)

    def prepare(self, frame: LayerFrame, division: Division) -> None:
        """Take the frame; the card does the rest."""
        self.frame = frame

    def upload(self) -> None:
        """Make the fine mesh of the frame."""
        self._upsampler.step(float32("positions", self.frame.positions))

    def upload_field(self) -> None:
        """Copy to the graphics card what pictures of labels and of the field show."""
        self._field.upload(self.frame)

    def draw(self, program: moderngl.Program, *, toward_eye: Sequence[float] = (0, 0, 1)) -> None:
        """Draw the mesh that was made last; the fine triangles have no order."""
        self._field.use()
        self._array(program).render(moderngl.TRIANGLES)

    def draw_shadow(self, program: moderngl.Program) -> None:
        """Draw the same for the key light."""
        self.draw(program)

    def _array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            own = {"corner_base": "3f", "corner_normal": "3f"}
            content = [
                _content(self._upsampler.buffer, own, program),
                _content(self._holders, {"corner_face": "1i"}, program),
                _content(self._uniform, UNIFORM_INPUTS, program, "/r"),
            ]
            kept = [entry for entry in content if len(entry) > 2]
            self._arrays[program.glo] = self._context.vertex_array(program, kept, self._index)
        return self._arrays[program.glo]


def _content(
    buffer: moderngl.Buffer, parts: dict[str, str], program: moderngl.Program, per: str = ""
) -> tuple[moderngl.Buffer | str, ...]:
    """Return a buffer as moderngl takes it, without the parts that a program has no use for."""
    names = [name for name in parts if name in program]
    layout = [part if name in program else f"{4 * int(part[0])}x" for name, part in parts.items()]
    return (buffer, f"{' '.join(layout)} {per}".strip(), *names)


def _around(faces: Int32, vertex_count: int) -> tuple[Int32, Int32]:
    """Return the other corners of the faces around each vertex, (3F, 2), and where each begins and how many, (N, 2)."""
    centers = faces.ravel()
    others = np.stack([np.roll(faces, -1, axis=1).ravel(), np.roll(faces, -2, axis=1).ravel()], axis=1)
    counts = np.bincount(centers, minlength=vertex_count)
    spans = np.stack([np.cumsum(counts) - counts, counts], axis=1)
    return others[np.argsort(centers, kind="stable")], np.ascontiguousarray(spans, np.int32)
