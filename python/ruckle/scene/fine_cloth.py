"""Fine meshes from the CPU, copied to the graphics card, for layers that the shaders do not support."""

from __future__ import annotations

from collections.abc import Sequence

import moderngl
import numpy as np

from ruckle.arrays import Float32
from ruckle.mesh.topology import same_mesh
from ruckle.scene.cloth import BARE, Cover, CoveredCloth, Division, is_drawn_by_card
from ruckle.scene.context import Device
from ruckle.scene.field import FieldTable
from ruckle.scene.sewing_map import SewingMap
from ruckle.scene.stitching import Stitching
from ruckle.scene.texture import Pictures
from ruckle.surface.fine_mesh import FineMesh
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import shapes_of
from ruckle.surface.raised import RaisedMesh

__all__ = ["FineCloth"]

# Vertex inputs of fine.vert: one entry per corner of each fine triangle.
CORNER = np.dtype(
    [
        ("corner_base", "f4", 3),
        ("corner_normal", "f4", 3),
        ("corner_height", "f4", 4),
        ("corner_uv", "f4", 2),
        ("corner_tile", "f4", 2),
        ("corner_color", "f4", 4),
        ("corner_face", "i4"),
    ]
)


class FineCloth(CoveredCloth):
    """A mesh that the CPU divides and raises. It is drawn without tessellation.

    For the parameters and attributes see `TessellatedCloth`.
    """

    stages = (("fine.vert",),)
    features: tuple[str, ...] = ()

    def __init__(
        self,
        device: Device,
        frame: LayerFrame,
        cover: Cover = BARE,
        *,
        threads: int = 1,
    ) -> None:
        self._context = device.context
        self._cover = cover.kept()
        self._corner_uv, self._corner_colors = cover.corner_uv(frame.faces, len(frame.positions)), cover.corner_colors()
        self._pictures = None if cover.colors is None else Pictures(self._context, cover.colors.images)
        self._corner_tile = cover.tiles(frame)
        self.topology = frame.topology
        self._faces = frame.faces
        # two meshes, with and without heights: a mode may show heights only in the geometry, or only in the shading
        self._raised, self._bare = (RaisedMesh(frame.topology, threads) for _ in range(2))
        self._field = FieldTable(self._context)
        self._corners = np.empty((0, 3), CORNER)
        self._buffer = self._context.buffer(reserve=CORNER.itemsize, dynamic=True)
        self._arrays: dict[int, moderngl.VertexArray] = {}
        self._grown = 0
        self._sewing: dict[Stitching, SewingMap | None] = {}
        self._under = frame.positions
        self.frame = frame

    def is_made_from(self, frame: LayerFrame, cover: Cover) -> bool:
        """Return True if this object can draw the frame: the same mesh with the same cover."""
        return (
            not is_drawn_by_card(frame)
            and same_mesh(self.topology, frame.topology)
            and self._cover.is_same_on(self._faces, cover, frame.faces)
        )

    @property
    def positions(self) -> Float32:
        """(N, 3) float32, mesh units: vertices of the fine mesh without heights."""
        return self._under

    @property
    def allocations(self) -> int:
        """Number of buffers and vertex arrays created until now; constant after the buffers are large enough."""
        return self._grown + self._field.allocations + len(self._arrays)

    def prepare(self, frame: LayerFrame, division: Division) -> None:
        """Raise the mesh by the heights of a frame.

        Parameters
        ----------
        frame : LayerFrame
        division : Division
        """
        shapes = shapes_of(frame)
        bare = shapes[0] if shapes else frame.coarse
        for mesh, layers in ((self._raised, frame if division.raised else bare), (self._bare, bare)):
            mesh.update(
                layers,
                edge_length=division.edge_length,
                curved=division.curved,
                base_level=division.base_level,
                viewpoint=division.viewpoint,
                edge_levels=None if mesh is self._raised else self._raised.core.edge_levels,
            )
        raised, base = self._raised.displace(), self._bare.displace()
        # Positions without heights are the raised positions minus the heights along the normals. Those of the bare
        # mesh can differ: the sources of heights, which it does not have, also affect the smoothness of the base.
        under = raised.positions - raised.heights[:, None] * base.normals
        self._under, self.frame = under, frame
        vertices = np.zeros(len(under), CORNER)
        vertices["corner_base"], vertices["corner_normal"] = under, base.normals
        # if n is the normal of the raised mesh and N of the base, the gradient of the height is N - n / (n·N)
        facing = (raised.normals * base.normals).sum(axis=1, keepdims=True)
        vertices["corner_height"][:, :3] = base.normals - raised.normals / np.where(facing > 0.0, facing, 1.0)
        vertices["corner_height"][:, 3] = raised.heights
        self._corners = vertices[raised.faces]
        self._corners["corner_face"] = raised.face_coarse_faces[:, None]
        fine = FineMesh.of(raised, self.topology)
        given = {"corner_uv": self._corner_uv, "corner_tile": self._corner_tile, "corner_color": self._corner_colors}
        for name, corners in given.items():
            if corners is not None:
                values = corners[fine.face_coarse_faces]
                self._corners[name] = np.einsum("fck,fkn->fcn", fine.corner_barycentric, values)

    def upload(self) -> None:
        """Copy the results of `prepare` to the graphics card."""
        if self._corners.nbytes > self._buffer.size:
            self._buffer = self._context.buffer(reserve=2 * self._corners.nbytes, dynamic=True)
            self._arrays.clear()
            self._grown += 1
        self._buffer.write(self._corners)

    def upload_field(self) -> None:
        """Copy labels and compression of the triangles to the graphics card, for the modes that show them."""
        self._field.upload(self.frame)

    def draw(self, program: moderngl.Program, *, toward_eye: Sequence[float] = (0, 0, 1)) -> None:
        """Draw the mesh of the last `upload`. The fine triangles are not sorted by distance."""
        self._field.use()
        if self._pictures is not None:
            self._pictures.use()
        self._array(program).render(moderngl.TRIANGLES, vertices=self._corners.size)

    def draw_shadow(self, program: moderngl.Program, *, coarse: bool = False) -> None:
        """Draw the mesh of the last `upload` into the depth map of a light. `coarse` is ignored."""
        self.draw(program)

    def _array(self, program: moderngl.Program) -> moderngl.VertexArray:
        if program.glo not in self._arrays:
            names = [name for name in CORNER.names or () if name in program]
            # "x" in the format skips the bytes of an input that the program does not read
            parts = [_part(name) if name in program else f"{CORNER[name].itemsize}x" for name in CORNER.names or ()]
            self._arrays[program.glo] = self._context.vertex_array(program, [(self._buffer, " ".join(parts), *names)])
        return self._arrays[program.glo]


def _part(name: str) -> str:
    """Return moderngl's format of one input, such as "3f"."""
    base, shape = CORNER[name].subdtype or (CORNER[name], (1,))
    return f"{shape[0]}{base.kind}"
