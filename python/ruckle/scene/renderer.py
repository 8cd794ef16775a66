"""Draws pictures of wrinkled cloth, without a window or into the framebuffer of a window."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from time import perf_counter
from types import TracebackType
from typing import Self, TypedDict, Unpack

import moderngl
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle.arguments import MOST_THREADS, instance, number, require_known, whole_number
from ruckle.mesh.animation import Up, up_name
from ruckle.mesh.colors import FaceColors
from ruckle.mesh.sewing import Sewing
from ruckle.scene.camera import Camera
from ruckle.scene.card_mesh import CardCloth
from ruckle.scene.cloth import BARE, Cover, Division, TessellatedCloth, is_drawn_by_card
from ruckle.scene.context import open_device
from ruckle.scene.detail import Detail, check_detail, detail_at, shows_heights, viewpoint_of
from ruckle.scene.fabric_map import FabricMap
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.floor import Floor
from ruckle.scene.light_view import light_view
from ruckle.scene.look import Look, linear_color
from ruckle.scene.modes import FIELD_MODES, MODES, Mode, ModeName, check_mode, mode_programs
from ruckle.scene.posed_cloth import PosedCloth, is_posed_by_card
from ruckle.scene.programs import SCENE_BINDING, Programs, set_uniforms
from ruckle.scene.sewing_map import SewingMap
from ruckle.scene.shadow import DEPTH_SIZE
from ruckle.scene.stage import Stage
from ruckle.scene.target import Finish, Target
from ruckle.scene.texture import Albedo
from ruckle.scene.uniforms import SCENE, Switches, scene_block, toward
from ruckle.scene.upsampled_cloth import UpsampledCloth, is_upsampled_by_card
from ruckle.surface.frame import LayerFrame, layer_frame
from ruckle.surface.surface import Base, base_name

__all__ = ["Renderer"]

Mesh = TessellatedCloth | FineCloth | CardCloth


class Extras(TypedDict, total=False):
    """Optional inputs of a picture in addition to the frame.

    Attributes
    ----------
    uv, uv_faces : (U, 2) float and (T, 3) int
        Texture coordinates: one per vertex, or indexed by `uv_faces`. v points up.
    albedo : (H, W, 3) uint8
        Texture in sRGB, with v = 1 in the first row. It is multiplied by the colour of the cloth. Requires `uv`.
    colors : FaceColors
        Colours of the cloth from its file (`Animation.colors`), which replace texture and cloth colour.
    body : LayerFrame
        Another mesh under the cloth, drawn without wrinkles, such as a `ruckle.CoarseFrame`.
    body_colors : FaceColors
        Colours of the body.
    floor : float, mesh units
        Height of a floor on which the meshes cast shadows, in modes with studio light or with a body.
    sewing : Sewing
        Patches and buttons of the cloth (`Animation.sewing`), for looks with stitches.
    """

    uv: ArrayLike | None
    uv_faces: ArrayLike | None
    albedo: ArrayLike | None
    colors: FaceColors | None
    body: LayerFrame | None
    body_colors: FaceColors | None
    floor: float | None
    sewing: Sewing | None


class UpdateTimings(TypedDict):
    """Milliseconds of the last update: computation on the CPU (`lists`), and copies to the graphics card (`upload`)."""

    lists: float
    upload: float


# A body is drawn as if it were further away, by this share of its height, so that it is not visible through tight
# cloth. The second number is for cloth with a curved base surface: this surface, and valleys of folds, can be inside
# of the coarse triangles.
BODY_DEPTH_BIAS, CURVED_DEPTH_BIAS = 0.008, 0.011

# The inside of the cloth is drawn as if it were further away, by this share of the cloth's height. Otherwise,
# intersecting layers of cloth would cause speckles.
INSIDE_DEPTH_BIAS = 0.004

# Upper ends of the colour scales: of compression, and of height (in units of the least wrinkle radius). Both are
# constant, so that the colours of a film do not flicker.
COMPRESSION_TOP = 2.0
HEIGHT_TOP = 1.25

# Surfaces within this distance occlude the sky, as a share of the height of the cloth or, if it is higher, of the body.
# The distance is a few folds.
OCCLUSION_REACH = 0.1

# Attributes of a look that describe its material. BODY: bodies look like a shop-window mannequin.
MATERIAL = ("roughness", "specular", "anisotropy", "sheen", "fuzz")
BODY = Look(roughness=0.45, sheen=0.05)

# Largest number of parts of a curved coarse edge if all edges are divided, not only those on the visible outline.
UNSEEN_LEVEL = 4

# Largest number of parts of a coarse edge on the visible outline of a body.
BODY_LEVEL = 8

# Largest width and height in pixels that every implementation of OpenGL 4.1 supports.
LARGEST_PICTURE = 16384


class Renderer:
    """Draws wrinkled cloth with OpenGL 4.1 (thesis 7).

    The renderer uses the current OpenGL context, for example of a window. If there is none, it creates a context
    without a window (EGL), or the platform's default. After the buffers have become large enough for an animation, no
    frame compiles shaders or allocates memory on the graphics card. Use a renderer only in the thread that made it.

    Parameters
    ----------
    width, height : int, pixels
    samples : int
        Samples per pixel for smooth edges: 4, or 1 for drafts.
    base : {"curved", "flat"}
        Base of the wrinkles: a smooth surface through the coarse vertices, or the flat coarse triangles (thesis).
    detail : float in [0, 1], or "distance"
        Fineness of the wrinkles' geometry: 1 for edges of half the least radius (thesis), 0 for no wrinkles. Below 1/4,
        heights decrease to 0, so that wrinkles do not disappear suddenly. "distance" is 1 near the camera; further
        away, fine edges are four pixels long. Wrinkles fade if their least radius is less than a pixel, and are
        omitted below half a pixel. Longer edges do not blur the shading of layers whose heights shaders compute.
    base_level : int, in [1, 64]
        Largest number of parts of curved coarse edges without wrinkles. In modes with studio light ("shaded",
        "normals_only", "geometry_only"), every edge gets this number of parts, but at most 4. In other modes, an edge
        on the visible outline gets as many parts as are visible, and all other edges get one part.
    look : Look
        Colours and lights of the pictures.
    up : {"y", "z"}
        Axis that points up in pictures without a given camera, see `Animation.up`. The light uses the up axis of the
        camera.
    threads : int
        Number of threads that find the triangles near wrinkles.

    Attributes
    ----------
    base, detail, base_level, look, samples
        The parameters, which can be changed between frames.
    timings : dict
        Milliseconds of the last update: computation on the CPU (`lists`), and copies to the graphics card (`upload`).

    Raises
    ------
    GraphicsError
        OpenGL 4.1 is missing. The message contains the package to install.
    ValueError
        A parameter is out of its range.

    Examples
    --------
    >>> *_, frame = ruckle.run(ruckle.sample("sawing").cut(0, 60))
    >>> with ruckle.Renderer(640, 360) as renderer:
    ...     picture = renderer.render(frame)
    >>> picture.shape
    (360, 640, 3)
    """

    def __init__(
        self,
        width: int,
        height: int,
        *,
        samples: int = 4,
        base: Base = "curved",
        detail: Detail = "distance",
        base_level: int = 16,
        look: Look | None = None,
        up: Up = "y",
        threads: int = 1,
    ) -> None:
        self._size = (picture_size("width", width), picture_size("height", height))
        self.samples = picture_size("samples", samples)
        self.base: Base = base_name(base)
        self.detail: Detail = check_detail(detail)
        self.base_level = whole_number("base_level", base_level, 1, 64)
        self.look = Look() if look is None else instance("look", look, Look)
        self._up = up_name(up)
        self._threads = whole_number("threads", threads, 1, MOST_THREADS)
        self._closed = False
        self._device = open_device()
        with self._device.current():
            context = self._device.context
            self._programs = Programs(context)
            self._scene = context.buffer(reserve=SCENE.itemsize, dynamic=True)
            self._albedo = Albedo(context)
            self._fabric = FabricMap(context)
            self._studio = Stage(context, self._programs)
        self._targets: dict[int, Target] = {}
        self._floor: float | None = None
        self._cloth: Mesh | None = None
        # One mesh per class of meshes. Pictures with and without layers can then alternate without new meshes.
        self._cloths: dict[type[Mesh], Mesh] = {}
        self._body: Mesh | None = None
        self._field_waits = False
        self._fade = 1.0
        self._is_raised = True
        self.timings: UpdateTimings = {"lists": 0.0, "upload": 0.0}

    @property
    def driver(self) -> str:
        """Name of the OpenGL driver."""
        return self._device.name

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels of the pictures of `render`."""
        return self._size

    @property
    def allocations(self) -> int:
        """Number of programs and buffers created until now. It does not change from frame to frame."""
        cloths = [*self._cloths.values(), *([self._body] if self._body else [])]
        return (
            self._programs.compiled
            + self._albedo.allocations
            + self._fabric.allocations
            + sum(cloth.allocations for cloth in cloths)
        )

    def render(
        self,
        frame: LayerFrame,
        *,
        camera: Camera | None = None,
        mode: ModeName = "shaded",
        **extras: Unpack[Extras],
    ) -> NDArray[np.uint8]:
        """Draw one frame.

        Parameters
        ----------
        frame : LayerFrame
            Frame of a layer, for example from `ruckle.run`; or a `ruckle.CoarseFrame` of a mesh without wrinkles.
        camera : Camera, optional
            Default: the frame fills the picture. A film needs its own camera.
        mode : str
            "shaded"; "normals_only" and "geometry_only" (figure 6.3); "wireframe" of the fine triangles; "height";
            "factors" of patterns; "labels"; "compression" with the stretch as ellipses (figure 3.1).
        **extras
            Texture, body and other inputs: see `ruckle.view.Extras`.

        Returns
        -------
        (height, width, 3) uint8
            Picture in sRGB, top row first.

        Raises
        ------
        TypeError
            `frame` is not a frame, or an input in `extras` is unknown.
        ValueError
            A position is not finite, texture coordinates have a wrong shape, the mode is unknown, or the renderer is
            closed.
        """
        name = check_mode(mode)
        require_known(extras, Extras.__annotations__)
        if camera is None:
            camera = Camera.framing(layer_frame(frame).positions, aspect=self._size[0] / self._size[1], up=self._up)
        with self._drawing(camera):
            cloth = self._update(frame, camera, MODES[name], **extras)
            return self._draw_picture(cloth, camera, name).read()

    def render_coarse(
        self, frame: LayerFrame, *, camera: Camera | None = None, **extras: Unpack[Extras]
    ) -> NDArray[np.uint8]:
        """Draw the coarse cloth of a frame without layers, as other engines do: flat triangles with smooth normals.

        Parameters
        ----------
        frame : LayerFrame
        camera, **extras
            See `render`.

        Returns
        -------
        (height, width, 3) uint8
            Picture in sRGB, top row first.
        """
        base, self.base = self.base, "flat"
        try:
            return self.render(layer_frame(frame).coarse, camera=camera, **extras)
        finally:
            self.base = base

    def update(self, frame: LayerFrame, *, camera: Camera | None = None, **extras: Unpack[Extras]) -> None:
        """Set the frame that `draw` draws.

        Parameters
        ----------
        frame : LayerFrame
        camera : Camera, optional
            Camera of the next picture. It decides the detail if `detail` is "distance", and which edges of a body are
            divided. Default: full detail, and a body of flat triangles.
        **extras
            See `render`.
        """
        require_known(extras, Extras.__annotations__)
        with self._drawing(camera):
            self._update(frame, camera, MODES["shaded"], **extras)

    def draw(self, framebuffer: moderngl.Framebuffer, *, camera: Camera, mode: ModeName = "shaded") -> None:
        """Draw the frame of the last `update` or `render` into a framebuffer, such as the framebuffer of a window.

        Parameters
        ----------
        framebuffer : moderngl.Framebuffer
            The picture fills its viewport.
        camera : Camera
        mode : str
            See `render`.

        Raises
        ------
        ValueError
            There is no frame yet, the mode is unknown, or the renderer is closed.
        """
        name = check_mode(mode)
        with self._drawing(camera):
            cloth = self._drawn_cloth()
            target = self._target_of(framebuffer.viewport[2:])
            target.finish(self._draw(cloth, target, camera, name), framebuffer)

    def draw_picture(self, *, camera: Camera, mode: ModeName = "shaded") -> None:
        """Draw the frame of the last `update` in the size of `render`, without waiting for the result.

        Call `finish` to wait, for example to measure times.

        Parameters
        ----------
        camera : Camera
        mode : str
            See `render`.
        """
        name = check_mode(mode)
        with self._drawing(camera):
            self._draw_picture(self._drawn_cloth(), camera, name)

    def finish(self) -> None:
        """Wait until the graphics card has drawn everything."""
        with self._drawing():
            self._device.context.finish()

    def resize(self, width: int, height: int) -> None:
        """Change the size of the pictures of `render`.

        Parameters
        ----------
        width, height : int, pixels
        """
        size = (picture_size("width", width), picture_size("height", height))
        if size != self._size:
            self._size = size
            self._targets.clear()

    def close(self) -> None:
        """Release all memory on the graphics card, and the OpenGL context if the renderer made it.

        The renderer cannot be used after this; a second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        self._cloth = self._body = None
        self._cloths.clear()
        self._targets.clear()
        del self._albedo, self._fabric, self._scene, self._studio, self._programs
        with self._device.current():
            self._device.collect()
        if not self._device.joined:
            self._device.context.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _drawing(self, camera: Camera | None = None) -> AbstractContextManager[None]:
        """Check the arguments of every draw call.

        Return the context manager that makes the OpenGL context current.
        """
        if self._closed:
            raise ValueError("the renderer is closed and cannot draw")
        if camera is not None:
            instance("camera", camera, Camera, "ruckle.view.Camera.framing(positions) makes one")
        return self._device.current()

    def _update(
        self,
        frame: LayerFrame,
        camera: Camera | None,
        mode: Mode,
        uv: ArrayLike | None = None,
        uv_faces: ArrayLike | None = None,
        albedo: ArrayLike | None = None,
        colors: FaceColors | None = None,
        body: LayerFrame | None = None,
        body_colors: FaceColors | None = None,
        floor: float | None = None,
        sewing: Sewing | None = None,
    ) -> Mesh:
        self._device.collect()
        cloth = self._cloth = self._cloth_of(layer_frame(frame), Cover(uv, uv_faces, colors, sewing))
        edge_length, self._fade = detail_at(self.detail, frame.length_unit, camera, self._size[1])
        start = perf_counter()
        self._is_raised = shows_heights(self.detail, frame, camera, self._size[1])
        division = self._division(edge_length, None if mode.lit else camera)
        cloth.prepare(frame, replace(division, tessellated=division.tessellated and self._is_raised))
        prepared = perf_counter()
        cloth.upload()
        self.timings = {"lists": 1e3 * (prepared - start), "upload": 1e3 * (perf_counter() - prepared)}
        self._albedo.upload(None if uv is None else albedo)
        self._field_waits = True
        self._floor = None if floor is None else number("floor", floor)
        self._update_body(body, body_colors, camera)
        return cloth

    def _division(self, edge_length: float, camera: Camera | None) -> Division:
        """Return how to divide the surface of the cloth: on the outline that `camera` sees; everywhere if it is None.

        With studio light, `camera` must be None: shadows and occlusion would show flat facets inside the outline.
        """
        curved, raised = self.base == "curved", self._fade > 0.0
        if camera is None:
            return Division(edge_length, curved, min(self.base_level, UNSEEN_LEVEL), raised=raised)
        viewpoint = viewpoint_of(camera, self._size[1])
        return Division(edge_length, curved, self.base_level, raised=raised, viewpoint=viewpoint)

    def _update_body(self, body: LayerFrame | None, colors: FaceColors | None, camera: Camera | None) -> None:
        if body is None:
            self._body = None
            return
        instance("body", body, LayerFrame, "ruckle.CoarseFrame(positions, faces) makes one")
        self._body = self._mesh_of(self._body, body, Cover(colors=colors))
        # a curved outline hides the facets; inside the outline, a curved body would be visible through tight cloth
        viewpoint = None if camera is None else viewpoint_of(camera, self._size[1])
        division = Division(0.0, curved=camera is not None, base_level=BODY_LEVEL, raised=False, viewpoint=viewpoint)
        self._body.prepare(body, division)
        self._body.upload()

    def _cloth_of(self, frame: LayerFrame, cover: Cover) -> Mesh:
        """Return the cloth on the graphics card. One mesh is kept for each class, see `_kind_of`."""
        kind = self._kind_of(frame, cover)
        self._cloths[kind] = self._mesh_of(self._cloths.get(kind), frame, cover)
        return self._cloths[kind]

    def _mesh_of(self, mesh: Mesh | None, frame: LayerFrame, cover: Cover) -> Mesh:
        """Return the mesh on the graphics card; a new one if `mesh` cannot draw the frame (see `is_made_from`)."""
        kind = self._kind_of(frame, cover)
        if isinstance(mesh, kind) and mesh.is_made_from(frame, cover):
            return mesh
        return kind(self._device, frame, cover, threads=self._threads)

    def _kind_of(self, frame: LayerFrame, cover: Cover) -> type[Mesh]:
        """Return the class that draws a frame.

        Shaders raise the heights in `TessellatedCloth`, and compute the fine mesh of `PosedCloth` and `UpsampledCloth`.
        The CPU computes the fine mesh of `FineCloth`, which draws all other frames.
        """
        if is_drawn_by_card(frame):
            return TessellatedCloth
        # fine meshes from shaders have one value per vertex, but colours and textures have several values at a seam
        bare = cover.is_same(BARE) and self.look.fabric is None
        if bare and is_posed_by_card(frame):
            return PosedCloth
        return UpsampledCloth if bare and is_upsampled_by_card(frame) else FineCloth

    def _drawn_cloth(self) -> Mesh:
        if self._cloth is None:
            raise ValueError("draw: there is no frame yet; call update first")
        return self._cloth

    def _draw_picture(self, cloth: Mesh, camera: Camera, name: ModeName) -> Target:
        target = self._target_of(self._size)
        target.finish(self._draw(cloth, target, camera, name))
        return target

    def _target_of(self, size: tuple[int, int]) -> Target:
        """Return the target for pictures of this size. One target is kept for each number of samples."""
        target = self._targets.get(self.samples)
        if target is None or target.size != size:
            target = self._targets[self.samples] = Target(self._device, self._programs, *size, self.samples)
        return target

    def _draw(self, cloth: Mesh, target: Target, camera: Camera, name: ModeName) -> Finish:
        """Draw shadow maps, body and cloth, the latter two into `target`; return the settings for `Target.finish`."""
        mode = MODES[name]
        switches = Switches(
            displacement=self._fade if mode.displaced and self._is_raised else 0.0,
            bump=self._fade if mode.bump else 0.0,
            faceted=mode.faceted,
            height_top=HEIGHT_TOP * cloth.frame.length_unit,
            inside_depth_bias=INSIDE_DEPTH_BIAS * cloth.height(camera.up),
        )
        self._device.context.enable_only(moderngl.DEPTH_TEST)
        share = CURVED_DEPTH_BIAS if self.base == "curved" else BODY_DEPTH_BIAS
        body = [] if self._body is None else [(self._body, share * self._body.height(camera.up))]
        casters = [(cloth, 0.0), *body]
        points = np.concatenate([mesh.positions for mesh, _ in casters])
        has_light = mode.lit or bool(body)
        light = light_view(points, toward(self.look.key, camera), DEPTH_SIZE)
        block = scene_block(camera, self.look, target.size, switches, light if has_light else None)
        floor = None if self._floor is None or not has_light else Floor(self._floor, points, camera.up)
        if has_light:
            self._studio.draw_shadows(block, light, floor, casters)
            self._studio.use(self.look, camera)
        self._scene.write(block)
        self._scene.bind_to_uniform_block(SCENE_BINDING)
        target.framebuffer.use()
        target.framebuffer.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
        self._albedo.use()
        if name in FIELD_MODES and self._field_waits:
            cloth.upload_field()
            self._field_waits = False
        for mesh, bias in body:
            self._draw_cloth(mesh, camera, MODES["shaded"], self._body_look(mesh), depth_bias=bias)
        self._draw_cloth(cloth, camera, mode, self.look, textured=self._albedo.is_used)
        extent = max(mesh.height(camera.up) for mesh, _ in casters)
        return Finish(camera, self.look, OCCLUSION_REACH * extent if has_light else 0.0, floor)

    def _body_look(self, body: Mesh) -> Look:
        """Return the look of a body. Its collars have the colour and fabric of the cloth."""
        if body.has_cloth:
            return replace(BODY, cloth=self.look.cloth, fabric=self.look.fabric)
        return replace(BODY, cloth=self.look.body)

    def _draw_cloth(
        self,
        cloth: Mesh,
        camera: Camera,
        mode: Mode,
        look: Look,
        *,
        depth_bias: float = 0.0,
        textured: bool = False,
    ) -> None:
        # only modes with studio light show the fabric
        fabric = look.fabric if mode.lit else None
        sewing = None if fabric is None else _sewing_map(cloth, look)
        shown = {
            "FABRIC": fabric is not None,
            "SEWN": sewing is not None,
            "COLORS": mode.lit and cloth.is_colored,
        }
        features = (*cloth.features, *(feature for feature, is_shown in shown.items() if is_shown))
        programs = mode_programs(self._programs, cloth.stages, mode, features)
        settings = {
            "cloth_color": tuple(linear_color("color", look.cloth).tolist()),
            **{name: getattr(look, name) for name in MATERIAL},
            # faces in the colours of a file, next to dyed cloth, reflect like a body
            "roughness": BODY.roughness if cloth.has_cloth else look.roughness,
            "cloth_roughness": self.look.roughness,
            "textured": textured,
            "depth_bias": depth_bias,
            "compression_top": COMPRESSION_TOP,
            "thickness": look.thickness,
        }
        if fabric is not None:
            self._fabric.use(fabric)
            settings["fabric_size"] = fabric.size
            settings["is_woven_across"] = fabric.is_woven_across
        if sewing is not None and look.stitching is not None:
            sewing.use()
            settings |= {"sewing_frame": sewing.frame, **look.stitching.uniforms()}
        for program in programs:
            set_uniforms(program, settings)
        cloth.draw(*programs, toward_eye=camera.axes[2].tolist())
        if look.thickness > 0.0 and mode.lit and not mode.faceted and isinstance(cloth, TessellatedCloth):
            hems = mode_programs(self._programs, cloth.hem_stages, mode, (*features, "HEM"))
            for program in hems:
                set_uniforms(program, settings)
            cloth.draw_hems(*hems)


def _sewing_map(cloth: Mesh, look: Look) -> SewingMap | None:
    """Return the seams that a look shows on a mesh; None if there are none."""
    if look.stitching is None or not isinstance(cloth, TessellatedCloth | FineCloth):
        return None
    return cloth.sewing_map(look.stitching)


def picture_size(name: str, value: object) -> int:
    """Return a checked number of pixels or samples, in the range that OpenGL supports."""
    return whole_number(name, value, 1, LARGEST_PICTURE)
