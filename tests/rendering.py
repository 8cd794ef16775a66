"""Functions for renderer tests: open a context or skip, capture vertices from shaders, count holes in pictures."""

import ctypes
import sys
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cloth_meshes import grid
from ruckle import Animation, Frame, GraphicsError, LayerFrame, Renderer, Topology, Wrinkle, run, sample, wrinkle_shape
from ruckle.scene.camera import FAR, NEAR
from ruckle.scene.cloth import Division, TessellatedCloth
from ruckle.scene.current_egl import CurrentEGL
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.modes import MODES, mode_programs
from ruckle.scene.programs import SCENE_BINDING
from ruckle.scene.uniforms import Switches, scene_block
from ruckle.view import Camera, Look

moderngl = pytest.importorskip("moderngl", reason='drawing needs moderngl: pip install "ruckle[render]"')
ndimage = pytest.importorskip("scipy.ndimage", reason="finding holes in pictures needs scipy")

Array = NDArray[Any]

SHADERS = Path(__file__).parent / "shaders"

# names of the shader outputs that tests read back for each fine vertex
CAPTURED = ("position_ws", "flat_ws", "normal_ws", "barycentric", "patch_entry")

MAGENTA = "#ff00ff"
SIX_VIEWS = [(0, 5), (75, 10), (150, -5), (-115, 20), (-50, -20), (30, 60)]
"""Azimuth and elevation of six views, in degrees."""


def open_renderer(*size: int, **options: Any) -> Renderer:
    """Return a renderer. If this machine cannot draw, skip the test with the reason."""
    try:
        return Renderer(*size, **options)
    except GraphicsError as error:
        pytest.skip(str(error))


def full_detail(frame: LayerFrame, *, curved: bool = True) -> Division:
    return Division(0.5 * frame.length_unit, curved, base_level=4)


def moment(animation: Animation, number: int, **parameters: Any) -> Frame:
    """Return frame `number` of the wrinkle paths of an animation."""
    return next(islice(run(animation, **parameters), number, None))


def sawing(number: int = 60, **parameters: Any) -> Frame:
    """Return a frame of the sample animation `sawing`, which has the most wrinkles of all samples."""
    return moment(sample("sawing"), number, **{"tau": 1.25} | parameters)


def still_life() -> Frame:
    """Return a frame with a curved sheet and four wrinkles made by hand.

    It does not depend on the simulation of paths.
    """
    columns, rows, r_min = 12, 9, 0.18
    flat, faces = grid(columns, rows)
    angle = (flat[:, 0] / columns - 0.5) * np.radians(200)
    positions = np.stack([3.4 * np.sin(angle), flat[:, 1], 3.4 * np.cos(angle)], axis=1).astype(np.float32)
    topology = Topology(faces, len(positions))
    numbers = {tuple(edge): number for number, edge in enumerate(topology.edges.tolist())}
    wrinkles = []
    laid = [(2, 2, 7, 0.2), (4, 4, 6, 0.3), (5, 2, 9, 0.12), (7, 6, 9, 0.25)]
    for number, (row, first, last, kappa) in enumerate(laid):
        corner = [row * (columns + 1) + column for column in range(first, last + 1)]
        upright = [(a, a + columns + 1) for a in corner]
        diagonal = [(a, a + columns + 2) for a in corner]
        crossed = [edge for pair in zip(upright, diagonal, strict=True) for edge in pair][:-1]
        edges = np.array([numbers[edge] for edge in crossed], np.int32)
        sides = topology.face_edges
        held = [np.flatnonzero((sides == a).any(axis=1) & (sides == b).any(axis=1))[0] for a, b in pairwise(edges)]
        t = (0.5 + 0.3 * np.sin(np.arange(len(edges)) + number)).astype(np.float32)
        ends = positions[topology.edges[edges]]
        points = ends[:, 0] * t[:, None] + ends[:, 1] * (1 - t[:, None])
        width, height, perimeter = wrinkle_shape(points, kappa=kappa, r_min=r_min)
        extent = np.array([0, np.linalg.norm(np.diff(points, axis=0), axis=1).sum()], np.float32)
        full_width = 2 * r_min * (1 - 2 / np.pi) / kappa
        measures = (perimeter, np.zeros(2, np.float32), extent, kappa, 1.0, 1.0, float(height.max()), full_width)
        path = (edges, t, np.array(held, np.int32), points, width, height)
        wrinkles.append(Wrinkle(number, 1.0, False, *path, *measures))
    return Frame.of(positions, topology, wrinkles, r_min=r_min)


def write_levels(cloth: TessellatedCloth, levels: Array) -> None:
    """Write the number of parts of each coarse edge, (E,), into the lookup table of the shaders."""
    words = cloth._table.texels.reshape(-1)
    words[words[0] :].view(np.uint16)[3 : 4 * len(levels) : 4] = levels
    cloth._table.upload(len(cloth._table.texels))


def mix_edges(cloth: TessellatedCloth) -> None:
    """Break a cloth: assign wrong edges to its triangles and random levels to its edges.

    Tests for cracks must then fail.
    """
    numbers = np.stack([cloth.topology.faces, np.roll(cloth.topology.face_edges, 1, axis=0)], axis=2)
    cloth._corner_numbers.write(numbers)
    write_levels(cloth, np.random.default_rng(1).integers(2, 9, cloth.topology.edge_count))


def height_points(renderer: Renderer, cloth: TessellatedCloth, shader: Path, faces: Array, where: Array) -> Array:
    """Return gradients and heights, (N, 4), that a vertex shader computes at given points of coarse faces."""
    context = renderer._device.context
    # OpenGL captures shader outputs only if a framebuffer is bound
    context.simple_framebuffer((4, 4)).use()
    program = renderer._programs.get(shader, features=cloth.features, varyings=("sample_out",))
    buffers = [
        (context.buffer(where), "3f", "weights"),
        (context.buffer(faces), "1i", "face"),
        (context.buffer(cloth.topology.faces[faces]), "3i", "vertices"),
    ]
    array = context.vertex_array(program, [entry for entry in buffers if entry[2] in program])
    cloth._table.use(program["cloth_table"].value)
    cloth._patterns.use(program)
    cloth._waves.use(program)
    result = context.buffer(reserve=16 * len(faces))
    array.transform(result, moderngl.POINTS)
    return np.frombuffer(result.read(), np.float32).reshape(-1, 4)


def card_heights(renderer: Renderer, frame: LayerFrame, faces: Array, where: Array) -> Array:
    """Return gradients and heights, (N, 4), that the cloth shaders compute for a frame at points of coarse faces."""
    with renderer._device.current():
        cloth = TessellatedCloth(renderer._device, frame)
        cloth.prepare(frame, full_detail(frame))
        cloth.upload()
        return height_points(renderer, cloth, SHADERS / "height_points.vert", faces, where)


def surface_error(renderer: Renderer, frame: LayerFrame, *, curved: bool) -> float:
    """Return the largest error of the card's vertices against the core's surface, divided by the largest height."""
    cloth, triangles = tessellated(renderer, frame, full_detail(frame, curved=curved))
    where = np.ascontiguousarray(triangles["barycentric"].reshape(-1, 3))
    expected, _, heights = cloth._raised.core.evaluate(triangles["face"].ravel(), where)
    error = np.linalg.norm(triangles["position"].reshape(-1, 3) - expected, axis=1)
    return float(error.max() / np.abs(heights).max())


def require_pictures_agree(frame: LayerFrame) -> None:
    """Compare pictures of a frame whose heights the shaders compute with pictures of heights from the CPU."""
    camera = Camera.framing(frame.positions, aspect=4 / 3)
    with open_renderer(320, 240, samples=1, detail=1.0) as renderer:
        card = renderer.render(frame, camera=camera).astype(int)
        flat = renderer.render(frame.coarse, camera=camera).astype(int)
        allocations = renderer.allocations
        assert isinstance(renderer._cloth, TessellatedCloth)
        np.testing.assert_array_equal(renderer.render(frame.coarse, camera=camera), flat)
        assert renderer.allocations == allocations
    # without the shader of the frame, the CPU computes the heights
    frame.shader = None
    with open_renderer(320, 240, samples=1, detail=1.0) as renderer:
        fine = renderer.render(frame, camera=camera).astype(int)
        assert isinstance(renderer._cloth, FineCloth)
    assert np.abs(card - fine).mean() < 0.25 * np.abs(card - flat).mean()


def captured_vertices(cloth: TessellatedCloth, renderer: Renderer) -> Array:
    """Return the vertices of all fine triangles (M, 3) of a cloth on the graphics card.

    The cloth may be drawn with or without tessellation shaders. The test is skipped if the system is not Linux.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("transform feedback of patches needs raw OpenGL calls, which this test makes on Linux only")
    # moderngl cannot capture the outputs of patches, so this function calls OpenGL directly
    egl = CurrentEGL()

    def function(name: str) -> Any:
        return ctypes.CFUNCTYPE(None)(egl.load_opengl_function(name))

    feedback_buffer, rasterizer_discard, triangles, patches, unsigned_int = 0x8C8E, 0x8C89, 0x0004, 0x000E, 0x1405
    vectors = [(name, "f4", 3) for name in ("position", "flat", "normal", "barycentric")]
    record = np.dtype([*vectors, ("list", "i4", 2), ("face", "i4")])
    context = renderer._device.context
    switches = Switches(displacement=1.0, bump=1.0, faceted=False, height_top=1.0)
    renderer._scene.write(scene_block(Camera(), Look(), (100, 100), switches))
    renderer._scene.bind_to_uniform_block(SCENE_BINDING)
    context.simple_framebuffer((4, 4)).use()
    # the call binds the lookup tables, and writes the order of the triangles for the draw calls below
    cloth.draw(*mode_programs(renderer._programs, cloth.stages, MODES["height"], cloth.features))
    most = renderer._device.vertices_per_draw
    draws = cloth._raised.core.order((0, 0, 1), vertices_per_draw=most, corners=cloth._corners)
    room = context.buffer(reserve=record.itemsize * 1_000_000)
    # OpenGL keeps an error until it is read, and other code uses this context, too; so read older errors first
    before = context.error
    context.enable_direct(rasterizer_discard)
    captured = []
    for stages, mode, tessellated in (
        (("cloth.vert", "cloth.tesc", "cloth.tese"), patches, True),
        (("plain.vert",), triangles, False),
    ):
        program = renderer._programs.get(*stages, features=cloth.features, varyings=CAPTURED)
        cloth._patterns.use(program)
        cloth._waves.use(program)
        function("glBindVertexArray")(cloth._vertex_array(program).glo)
        function("glUseProgram")(program.glo)
        function("glBindBufferBase")(feedback_buffer, 0, room.glo)
        for first, count, divided in draws:
            if divided != tessellated:
                continue
            query = context.query(primitives=True)
            with query:
                function("glBeginTransformFeedback")(triangles)
                function("glDrawElements")(mode, 3 * count, unsigned_int, ctypes.c_void_p(12 * first))
                function("glEndTransformFeedback")()
            captured.append(np.frombuffer(room.read(size=3 * query.primitives * record.itemsize), record))
    context.disable_direct(rasterizer_discard)
    if (error := context.error) != "GL_NO_ERROR":
        pytest.fail(f"{error} while vertices were captured, after {before}")
    return np.concatenate(captured).reshape(-1, 3)


def tessellated(
    renderer: Renderer,
    one: LayerFrame,
    division: Division,
    *,
    wrinkled: bool = True,
    change: Callable[[TessellatedCloth], None] = lambda cloth: None,
) -> tuple[TessellatedCloth, Array]:
    """Return a cloth on the graphics card, and its fine triangles.

    `change` can modify its tables before the shaders run.
    """
    with renderer._device.current():
        cloth = TessellatedCloth(renderer._device, one)
        cloth.prepare(one if wrinkled else one.coarse, division)
        cloth.upload()
        change(cloth)
        return cloth, captured_vertices(cloth, renderer)


def boundary(triangles: Array) -> tuple[int, int]:
    """Count edges with exactly one triangle, and edges with more than two. Vertices are equal if all bits are equal."""
    # -0 and 0 are equal numbers with different bits, so replace -0 by 0
    positions = np.ascontiguousarray(triangles["position"].reshape(-1, 3) + np.float32(0)).view("V12").ravel()
    _, names = np.unique(positions, return_inverse=True)
    faces = names.reshape(-1, 3)
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    _, counts = np.unique(sides, axis=0, return_counts=True)
    return int((counts == 1).sum()), int((counts > 2).sum())


def expected_boundary(cloth: TessellatedCloth) -> int:
    """Return the number of fine edges on the boundary of the coarse mesh."""
    open_ends = cloth.topology.edge_faces[:, 1] < 0
    return int(cloth._raised.core.edge_levels[open_ends].sum())


def culled_distances(renderer: Renderer, cloth: TessellatedCloth, camera: Camera) -> Array:
    """Return the distance from the camera in each pixel, without triangles that face away.

    It is infinite in the background.
    """
    width, height = renderer.size
    context = renderer._device.context
    # one sample per pixel, so that a pixel is either covered or not
    target = context.simple_framebuffer((width, height))
    target.use()
    target.clear(depth=1.0)
    context.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    switches = Switches(displacement=1.0, bump=1.0, faceted=False, height_top=1.0)
    renderer._scene.write(scene_block(camera, Look(), (width, height), switches))
    renderer._scene.bind_to_uniform_block(SCENE_BINDING)
    cloth.draw(*mode_programs(renderer._programs, cloth.stages, MODES["height"], cloth.features))
    depth = np.frombuffer(target.read(components=1, attachment=-1, dtype="f4"), np.float32).reshape(height, width)
    near, far = NEAR * camera.distance, FAR * camera.distance
    distance = near * far / (far - depth.astype(np.float64) * (far - near))
    return np.where(depth == 1.0, np.inf, distance)


def holes(distances: Array, coarse: Array, reach: float) -> int:
    """Return the number of background pixels inside the silhouette, without openings that the coarse mesh also has.

    A hole is surrounded by one surface. If the distances around a region differ by more than `reach`, the region is the
    background between two surfaces, as under an arm, and not a hole.
    """
    regions, count = ndimage.label(np.isinf(distances))
    outside = np.unique(np.concatenate([regions[0], regions[-1], regions[:, 0], regions[:, -1]]))
    # a region that overlaps the background of the coarse mesh is an opening of the garment, such as the neck
    openings = np.unique(regions[ndimage.binary_dilation(np.isinf(coarse), iterations=2)])
    boxes = ndimage.find_objects(regions)
    found = 0
    for number in np.setdiff1d(np.arange(1, count + 1), np.union1d(outside, openings)):
        box = tuple(slice(max(0, side.start - 2), side.stop + 2) for side in boxes[number - 1])
        region = regions[box] == number
        around = distances[box][ndimage.binary_dilation(region, iterations=2) & ~region]
        if np.ptp(around[np.isfinite(around)]) < reach:
            found += int(region.sum())
    return found
