"""Fine meshes that the graphics card computes: shaders write positions and normals into the buffer that is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ruckle.arrays import Float32, Int32
from ruckle.mesh.animation import Up, vertical_extent
from ruckle.scene.cloth import BARE, Cover, Division
from ruckle.scene.context import Device
from ruckle.scene.field import FieldTable
from ruckle.scene.programs import TEXTURE_UNITS, Programs
from ruckle.scene.tables import TABLE_WIDTH
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import ShapeFrame

__all__ = ["CardCloth", "CardMesh", "filled_table"]

# Inputs of fine.vert that the mesh does not have. All vertices get one constant value per input: height 0, no texture.
UNIFORM_INPUTS = {"corner_height": "4f", "corner_uv": "2f", "corner_tile": "2f", "corner_color": "4f"}

# moderngl's names of texture types, and the NumPy type of each.
KINDS: dict[str, type[np.generic]] = {"f2": np.float16, "f4": np.float32, "i2": np.int16}


def filled_table(context: moderngl.Context, texels: NDArray[Any], kind: str) -> moderngl.Texture:
    """Return a constant table (N, 1 to 4) of type "f2", "f4" or "i2". Shaders read it by shaders/common/tables.glsl."""
    rows = max(-(-len(texels) // TABLE_WIDTH), 1)
    content = np.zeros((rows * TABLE_WIDTH, texels.shape[1]), KINDS[kind])
    content[: len(texels)] = texels
    texture = context.texture((TABLE_WIDTH, rows), texels.shape[1], content, dtype=kind, alignment=1)
    texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
    return texture


class CardMesh:
    """A mesh whose vertex positions a vertex shader computes. A second shader computes the normals.

    Parameters
    ----------
    device : Device
        The context of the device must be current in every method.
    shader : str
        Vertex shader whose output `fine_position` is captured by transform feedback.
    faces : (F, 3) int32
    vertex_count : int
    inputs : sequence
        Vertex inputs of the shader, in moderngl's format for vertex arrays.

    Attributes
    ----------
    program : moderngl.Program
        Program of the shader, whose uniforms the caller sets.
    buffer : moderngl.Buffer
        Position (mesh units) and unit normal of each vertex after `step`: (N, 6) float32.
    """

    def __init__(
        self, device: Device, shader: str, faces: Int32, vertex_count: int, inputs: Sequence[tuple[Any, ...]] = ()
    ) -> None:
        context, self._count = device.context, vertex_count
        programs = Programs(context)
        self.program = programs.get(shader, varyings=("fine_position",))
        normals = programs.get("upsample_normals.vert", varyings=("corner_base", "corner_normal"))
        corners, spans = _around(faces, vertex_count)
        self._around = filled_table(context, corners.astype(np.float32), "f4")
        self._fine = filled_table(context, np.zeros((vertex_count, 4), np.float32), "f4")
        self._positions = context.buffer(reserve=16 * TABLE_WIDTH * self._fine.height)
        self.buffer = context.buffer(reserve=24 * vertex_count)
        # transform feedback requires a complete framebuffer, although the shader does not draw
        self._pixel = context.framebuffer([context.texture((1, 1), 4)])
        self._rows = context.vertex_array(self.program, list(inputs))
        self._vertices = context.vertex_array(normals, [(context.buffer(spans), "2i", "around")])

    def step(self) -> None:
        """Compute positions and normals. The caller must bind the shader's inputs and set its uniforms before."""
        self._pixel.use()
        self._rows.transform(self._positions, moderngl.POINTS, vertices=self._count)
        # Copy the positions into a texture, within the graphics card: the shader of a normal also reads neighbouring
        # vertices.
        self._fine.write(self._positions)
        self._fine.use(TEXTURE_UNITS["fine_table"])
        self._around.use(TEXTURE_UNITS["around_table"])
        self._vertices.transform(self.buffer, moderngl.POINTS, vertices=self._count)

    def read(self) -> tuple[Float32, Float32]:
        """Return positions (mesh units) and normals of the last step, each (N, 3) float32."""
        values = np.frombuffer(self.buffer.read(), np.float32).reshape(-1, 6)
        return values[:, :3], values[:, 3:]


class CardCloth(ABC):
    """A fine mesh that the graphics card computes and draws. See `TessellatedCloth` for parameters and attributes."""

    stages = (("fine.vert",),)
    features: tuple[str, ...] = ()
    is_colored = has_cloth = has_gaps = False

    def __init__(self, device: Device, frame: LayerFrame, cover: Cover = BARE, *, threads: int = 1) -> None:
        assert isinstance(frame, ShapeFrame)
        mesh = frame.shape.mesh
        self._context = device.context
        self._field = FieldTable(self._context)
        self._index = self._context.buffer(mesh.faces)
        self._holders = self._context.buffer(mesh.coarse_faces)
        self._uniform = self._context.buffer(np.zeros(12, np.float32))
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self.topology = frame.topology
        self.frame: LayerFrame = frame

    @property
    @abstractmethod
    def buffer(self) -> moderngl.Buffer:
        """(N, 6) float32: position, mesh units, and unit normal of each fine vertex."""

    @abstractmethod
    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Return True if this object can draw the frame: a frame of the same class with the same model or database."""

    @abstractmethod
    def upload(self) -> None:
        """Compute the fine mesh of the prepared frame on the graphics card, into `buffer`."""

    @property
    def positions(self) -> Float32:
        """(V, 3) float32, mesh units: positions of the coarse cloth. The fine cloth has about the same extent."""
        return self.frame.positions

    def height(self, up: Up) -> float:
        """Return the extent of the mesh along the up axis, mesh units."""
        return vertical_extent(self.positions, up)

    @property
    def allocations(self) -> int:
        """Number of vertex arrays and textures created so far."""
        return self._field.allocations + len(self._arrays)

    def prepare(self, frame: LayerFrame, division: Division) -> None:
        """Set the frame. The graphics card does all computations in `upload`."""
        self.frame = frame

    def upload_field(self) -> None:
        """Copy labels and compression of the triangles to the graphics card, for the modes that show them."""
        self._field.upload(self.frame)

    def draw(self, program: moderngl.Program, *, toward_eye: Sequence[float] = (0, 0, 1)) -> None:
        """Draw the current mesh. The fine triangles are not sorted by distance."""
        self._field.use()
        self._array(program).render(moderngl.TRIANGLES)

    def draw_shadow(self, program: moderngl.Program, *, coarse: bool = False) -> None:
        """Draw the current mesh into the depth map of a light. `coarse` is ignored."""
        self.draw(program)

    def _array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            own = {"corner_base": "3f", "corner_normal": "3f"}
            content = [
                _content(self.buffer, own, program),
                _content(self._holders, {"corner_face": "1i"}, program),
                _content(self._uniform, UNIFORM_INPUTS, program, "/r"),
            ]
            kept = [entry for entry in content if len(entry) > 2]
            self._arrays[program.glo] = self._context.vertex_array(program, kept, self._index)
        return self._arrays[program.glo]


def _content(
    buffer: moderngl.Buffer, parts: dict[str, str], program: moderngl.Program, per: str = ""
) -> tuple[moderngl.Buffer | str, ...]:
    """Return a buffer in moderngl's format for vertex arrays, without parts that the program does not read."""
    names = [name for name in parts if name in program]
    layout = [part if name in program else f"{4 * int(part[0])}x" for name, part in parts.items()]
    return (buffer, f"{' '.join(layout)} {per}".strip(), *names)


def _around(faces: Int32, vertex_count: int) -> tuple[Int32, Int32]:
    """Return the other two corners of each face around each vertex, (3F, 2), sorted by vertex.

    Also return the first row and the number of rows of each vertex, (N, 2).
    """
    centers = faces.ravel()
    others = np.stack([np.roll(faces, -1, axis=1).ravel(), np.roll(faces, -2, axis=1).ravel()], axis=1)
    counts = np.bincount(centers, minlength=vertex_count)
    spans = np.stack([np.cumsum(counts) - counts, counts], axis=1)
    return others[np.argsort(centers, kind="stable")], np.ascontiguousarray(spans, np.int32)
