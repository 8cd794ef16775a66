"""Fine meshes as USD, with one time sample of points and normals per frame.

All frames have equal fine faces. Normals are per vertex; if the mesh has creases, they are per corner and refer to a
list of normals. In addition to points and normals, the mesh has `primvars:height` (one float per vertex: the height of
the wrinkles, mesh units) and `primvars:displayColor` (the colours, or the tension map). If the animation has texture
coordinates, the mesh also has `primvars:st`, one per corner. The first points are the vertices of the animation, in
the same order. Requires usd-core.

If the animation is from a USD file, the result is a layer over this file. The layer replaces the meshes by the fine
mesh at the time codes of the file, and changes nothing else. Otherwise the result is one mesh /wrinkled with its
materials, and time codes are frame numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ruckle.arrays import Float32
from ruckle.io.fine_materials import FineMaterials, Material, picture_suffix
from ruckle.io.fine_texture import fine_texture
from ruckle.io.replacing import replacing
from ruckle.io.usd_file import Sdf, UsdFile, UsdGeom, UsdShade, ValueTypeNames, Vt
from ruckle.mesh.animation import Animation
from ruckle.surface.fine_mesh import FineMesh, NormalRows
from ruckle.surface.surface import Surface
from ruckle.surface.tension import fine_tension

__all__ = ["UsdFineWriter", "normals_of", "set_faces", "set_texture"]


class UsdFineWriter(UsdFile):
    """Writes the surface of every frame as one mesh. Raises the errors of `UsdFile`."""

    fixed = True

    def __init__(
        self, path: Path, animation: Animation, *, first_frame: int, notes: Mapping[str, str], tension: bool = False
    ) -> None:
        super().__init__(path, animation, first_frame=first_frame, notes=notes)
        self._faces: Any = None
        self._tension = tension
        self._materials = FineMaterials.of(animation)
        self._pictures: dict[str, bytes] = {}

    def size(self, vertices: int, faces: int, frames: int) -> int:
        """Return the approximate size in bytes of a file with this many fine vertices, faces and frames."""
        return self.text_factor * (frames * vertices * (40 if self._tension else 28) + faces * 16)

    def _define(self) -> None:
        self._mesh = UsdGeom.Mesh.Define(self._stage, "/wrinkled")
        self._stage.SetDefaultPrim(self._mesh.GetPrim())
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._mesh.CreateDoubleSidedAttr(True)
        self._points = self._mesh.CreatePointsAttr()
        self._extent = self._mesh.CreateExtentAttr()
        self._heights = UsdGeom.PrimvarsAPI(self._mesh).CreatePrimvar(
            "height", ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex
        )

    def append(self, surface: Surface) -> None:
        """Write the time samples of the next frame."""
        fine = surface.displace()
        self.append_mesh(fine, fine_tension(surface.frame, fine) if self._tension else None)

    def append_mesh(self, fine: FineMesh, tension: Float32 | None = None) -> None:
        """Write the time samples of the next frame. If the tension map is written, `tension` (N, 3) is required.

        Raise ValueError if the faces differ from the faces of the first frame.
        """
        if self._faces is None:
            self._set_faces(fine)
        if not np.array_equal(fine.faces, self._faces):
            raise ValueError("frame: its fine faces differ from the first frame's; give all frames to `fix` first")
        points = Vt.Vec3fArray.FromNumpy(fine.positions)
        self._points.Set(points, self._frame)
        self._normals.Set(Vt.Vec3fArray.FromNumpy(self._normal_rows.of(fine)), self._frame)
        self._extent.Set(UsdGeom.PointBased.ComputeExtent(points), self._frame)
        self._heights.Set(Vt.FloatArray.FromNumpy(fine.heights), self._frame)
        if tension is not None:
            self._colors.Set(Vt.Vec3fArray.FromNumpy(tension), self._frame)
        self.advance()

    def finish(self) -> None:
        """Write the file, and the pictures of its materials to the same folder."""
        super().finish()
        for name, content in self._pictures.items():
            with replacing(self.path.with_name(name)) as file:
                file.write(content)

    def _release(self) -> None:
        super()._release()
        # these objects refer to the stage, and USD keeps the file open while they exist
        for name in ("_mesh", "_points", "_normals", "_extent", "_heights", "_colors"):
            setattr(self, name, None)

    def _set_faces(self, fine: FineMesh) -> None:
        self._faces = fine.faces
        set_faces(self._mesh, fine.faces)
        self._normal_rows = fine.normal_rows()
        self._normals = normals_of(self._mesh, self._normal_rows, fine.vertex_count)
        texture = fine_texture(fine, self._animation)
        if texture is not None:
            set_texture(self._mesh, texture.uv, texture.faces)
        if self._tension:
            self._colors = self._create_colors(UsdGeom.Tokens.vertex)
            return
        colors = self._materials.fine_colors(fine)
        if colors is not None:
            found = self._create_colors(UsdGeom.Tokens.faceVarying)
            found.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(colors.reshape(-1, 3))))
        of_faces = self._materials.of_faces[fine.face_coarse_faces]
        for number, material in enumerate(self._materials.materials):
            self._bind(material, np.flatnonzero(of_faces == number), colors)

    def _create_colors(self, interpolation: str) -> Any:
        """Return the new primvar of the mesh's colours, which programs without materials show."""
        primvars = UsdGeom.PrimvarsAPI(self._mesh)
        return primvars.CreatePrimvar("displayColor", ValueTypeNames.Color3fArray, interpolation)

    def _bind(self, material: Material, faces: Any, colors: Float32 | None) -> None:
        """Define a material, and bind it to the given faces of the mesh; without faces, do nothing."""
        if not len(faces):
            return
        path = self._mesh.GetPath().AppendChild(material.name)
        found = UsdShade.Material.Define(self._stage, path)
        shader = _shader(self._stage, path.AppendChild("surface"), "UsdPreviewSurface")
        shader.CreateInput("roughness", ValueTypeNames.Float).Set(0.9)
        color = shader.CreateInput("diffuseColor", ValueTypeNames.Color3f)
        found.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        if material.image is not None:
            picture = self._picture(path, material)
            color.ConnectToSource(picture.ConnectableAPI(), "rgb")
            if material.image.cutout is not None:
                opacity = shader.CreateInput("opacity", ValueTypeNames.Float)
                opacity.ConnectToSource(picture.ConnectableAPI(), "a")
                shader.CreateInput("opacityThreshold", ValueTypeNames.Float).Set(material.image.cutout)
        elif colors is not None:
            reader = _shader(self._stage, path.AppendChild("colors"), "UsdPrimvarReader_float3", "result")
            reader.CreateInput("varname", ValueTypeNames.String).Set("displayColor")
            color.ConnectToSource(reader.ConnectableAPI(), "result")
        else:
            color.Set(material.color)
        if len(faces) == len(self._faces):
            UsdShade.MaterialBindingAPI.Apply(self._mesh.GetPrim()).Bind(found)
            return
        binding = UsdShade.MaterialBindingAPI.Apply(self._mesh.GetPrim())
        subset = binding.CreateMaterialBindSubset(
            f"faces_of_{material.name}", Vt.IntArray.FromNumpy(faces.astype("i4"))
        )
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(found)

    def _picture(self, path: Any, material: Material) -> Any:
        """Create and return the shader that reads a material's picture. Store the picture, which `finish` writes."""
        assert material.image is not None
        content = material.image.read()
        name = f"{self.path.stem}_{material.name}{picture_suffix(content)}"
        self._pictures[name] = content
        reader = _shader(self._stage, path.AppendChild("st"), "UsdPrimvarReader_float2", "result")
        reader.CreateInput("varname", ValueTypeNames.String).Set("st")
        picture = _shader(self._stage, path.AppendChild("picture"), "UsdUVTexture", "rgb", "a")
        picture.CreateInput("file", ValueTypeNames.Asset).Set(Sdf.AssetPath(f"./{name}"))
        picture.CreateInput("st", ValueTypeNames.Float2).ConnectToSource(reader.ConnectableAPI(), "result")
        picture.CreateInput("scale", ValueTypeNames.Float4).Set((*material.color, 1.0))
        for wrap in ("wrapS", "wrapT"):
            picture.CreateInput(wrap, ValueTypeNames.Token).Set("repeat")
        return picture


OUTPUTS = {"surface": "Token", "result": "Float3", "rgb": "Float3", "a": "Float"}


def _shader(stage: Any, path: Any, kind: str, *outputs: str) -> Any:
    """Define a shader at `path` with the id `kind` and these outputs (default: "surface"), and return it."""
    shader = UsdShade.Shader.Define(stage, path)
    shader.CreateIdAttr(kind)
    for output in outputs or ("surface",):
        shader.CreateOutput(output, getattr(ValueTypeNames, "Float2" if kind.endswith("float2") else OUTPUTS[output]))
    return shader


def set_faces(mesh: Any, faces: Any) -> None:
    """Set the triangles (M, 3) of a mesh."""
    mesh.CreateFaceVertexCountsAttr().Set(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.ravel(), np.int32)))


def normals_of(mesh: Any, rows: NormalRows, vertex_count: int) -> Any:
    """Return the attribute for normals: one per vertex; for a mesh with creases, `primvars:normals` of the corners."""
    if len(rows.corners) == vertex_count:
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        return mesh.CreateNormalsAttr()
    kind = ValueTypeNames.Normal3fArray
    primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("normals", kind, UsdGeom.Tokens.faceVarying)
    primvar.SetIndices(Vt.IntArray.FromNumpy(np.ascontiguousarray(rows.faces.ravel(), np.int32)))
    return primvar.GetAttr()


def set_texture(mesh: Any, uv: Float32, faces: Any) -> None:
    """Set the texture coordinates (U, 2) of a mesh, and their indices (M, 3) at the face corners."""
    primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying)
    primvar.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(uv, np.float32)))
    primvar.SetIndices(Vt.IntArray.FromNumpy(np.ascontiguousarray(faces.ravel(), np.int32)))
