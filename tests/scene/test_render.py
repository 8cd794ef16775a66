"""`ruckle.Renderer`: every mode, equal pictures for equal frames, no repeated allocation, and every error."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread, imsave

from rendering import MAGENTA, Array, moderngl, open_renderer, still_life
from ruckle import CoarseFrame, Frame, Renderer, Topology, edge_matrices, run, sample
from ruckle.experiments.plot.colors import LABELS
from ruckle.mesh.animation import UPRIGHT
from ruckle.scene import context
from ruckle.scene.modes import MODES
from ruckle.scene.programs import shader_folder
from ruckle.view import Camera, Look

PICTURES = Path(__file__).parents[1] / "pictures"
SIZE = (240, 180)
# Largest difference of 8-bit values between similar drivers, and the part of pixels that may differ more.
TOLERANCE, FEW = 6, 0.005
# This camera looks straight at the square of `quad`.
FRONT = Camera((0.5, 0.5, 0), 3, azimuth=0, elevation=0)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with open_renderer(*SIZE, look=Look(background=MAGENTA)) as renderer:
        yield renderer


@pytest.fixture(scope="module")
def near(busy: Frame) -> Camera:
    """Return a camera that shows the wrinkles of an elbow."""
    return Camera.framing(busy.positions, aspect=SIZE[0] / SIZE[1]).zoom(1.4)


def cloth_share(picture: Array) -> float:
    return float((picture != (255, 0, 255)).any(axis=2).mean())


def quad() -> tuple[Array, Array]:
    """Return positions and faces of a square of two triangles whose normal is +Z."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    return corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def test_render_property_every_mode_draws(renderer: Renderer, busy: Frame, near: Camera) -> None:
    pictures = [renderer.render(busy, camera=near, mode=mode) for mode in MODES]
    for picture in pictures:
        assert (picture.shape, picture.dtype) == ((SIZE[1], SIZE[0], 3), np.uint8)
        assert 0.1 < cloth_share(picture) < 0.9
    assert len({picture.tobytes() for picture in pictures}) == len(MODES)
    assert renderer._device.context.error == "GL_NO_ERROR"


def test_render_property_frozen_animation_same_picture(renderer: Renderer, busy: Frame, near: Camera) -> None:
    pictures = [renderer.render(busy, camera=near) for _ in range(3)]
    # drawing another frame does not change the next picture of this frame
    renderer.render(CoarseFrame(busy.positions + np.float32(0.1), busy.topology), camera=near, mode="labels")
    same = Frame.of(busy.positions, busy.topology, busy.wrinkles, r_min=busy.length_unit, rest=busy.rest)
    pictures.append(renderer.render(same, camera=near))
    assert all(np.array_equal(pictures[0], other) for other in pictures[1:])


def test_render_property_no_wrinkles_is_the_coarse_mesh(busy: Frame, near: Camera) -> None:
    with open_renderer(*SIZE, base="flat", detail=0.0) as flat:
        coarse = flat.render(busy.coarse, camera=near)
        # no edge is divided, so the renderer uses only the program without tessellation
        assert (flat._cloth._raised.core.levels == 1).all()
        np.testing.assert_array_equal(flat.render(busy, camera=near), coarse)
        flat.detail = 1.0
        wrinkled = flat.render(busy, camera=near)
        assert (wrinkled != coarse).any(axis=2).mean() > 0.02


def test_render_property_far_wrinkles_vanish(busy: Frame, near: Camera) -> None:
    with open_renderer(*SIZE) as renderer:
        levels = []
        for steps in (1.0, 2.0, 4.0, 200.0):
            renderer.render(busy, camera=near.zoom(1 / steps))
            levels.append(float(renderer._cloth._raised.core.levels.max()))
            fade = renderer._fade
        assert levels[0] > levels[1] > levels[2]
        assert fade == 0.0


def test_render_property_nothing_is_made_anew(renderer: Renderer) -> None:
    animation = sample("sawing")
    camera = Camera.framing(animation.positions[:80])
    played = list(islice(run(animation, tau=1.25), 0, 80, 20))

    def play() -> int:
        for frame in played:
            for mode in MODES:
                renderer.render(frame, camera=camera, mode=mode)
        return renderer.allocations

    first = play()
    assert play() == first
    # buffers double their size when the number of wrinkles increases, so there are few allocations
    assert renderer._cloth._table.allocations <= 5


def test_render_property_seams_are_welded(busy: Frame, near: Camera) -> None:
    # each triangle has its own vertices, as after division at texture seams; normals must be smooth nevertheless
    split = busy.positions[busy.topology.faces].reshape(-1, 3)
    faces = np.arange(len(split)).reshape(-1, 3)
    with open_renderer(*SIZE) as renderer:
        whole = renderer.render(busy.coarse, camera=near).astype(int)
        apart = renderer.render(CoarseFrame(split, faces), camera=near)
        assert np.abs(apart - whole).max() <= 2


def redness(color: Array) -> int:
    """Return red minus blue of a colour, from -255 to 255."""
    return int(color[0]) - int(color[2])


def test_render_exact_label_colors(busy: Frame) -> None:
    source = (shader_folder() / "common" / "palette.glsl").read_text()
    for color in LABELS.values():
        assert color in source
    with open_renderer(60, 60, look=Look(background=MAGENTA), base="flat") as renderer:
        positions, faces = quad()
        topology = Topology(faces, 4)
        frames = [Frame.of(positions, topology, r_min=0.1, labels=[k, k]) for k in range(3)]
        blue, pale, red = (renderer.render(frame, camera=FRONT, mode="labels")[30, 30] for frame in frames)
    assert redness(red) > 50 > -50 > redness(blue)
    assert pale.min() > 100


def test_render_exact_compression_colors_and_ellipses() -> None:
    positions, faces = quad()
    topology, wide = Topology(faces, 4), edge_matrices(positions * [2, 1, 1], faces)
    frames = [Frame.of(positions, topology, r_min=0.1, reference=reference) for reference in (None, wide)]
    with open_renderer(400, 400, base="flat") as renderer:
        rest, tense = (renderer.render(frame, camera=FRONT, mode="compression") for frame in frames)
    assert rest[200:203, 190:210].mean() > tense[200:203, 190:210].mean() + 40
    # the outlines of triangles are bright on the dark colour of compression
    assert np.ptp(tense[100:300, 100:300].mean(axis=2)) > 60
    assert np.ptp(rest[100:300, 100:300].mean(axis=2)) < 40


def test_render_exact_texture() -> None:
    positions, _ = quad()
    albedo = np.zeros((8, 8, 3), np.uint8)
    albedo[:4, :, 0], albedo[4:, :, 2] = 255, 255
    frame, given = CoarseFrame(*quad()), {"camera": FRONT, "albedo": albedo}
    with open_renderer(100, 100, look=Look(cloth=(1, 1, 1)), base="flat") as renderer:
        picture = renderer.render(frame, uv=positions[:, :2], **given)
        assert redness(picture[35, 50]) > 80 > -80 > redness(picture[65, 50])
        turned = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], np.float32)
        picture = renderer.render(frame, uv=turned, uv_faces=[[0, 1, 2], [0, 2, 3]], **given)
        assert redness(picture[50, 65]) > 80 > -80 > redness(picture[50, 35])


def test_render_exact_inside_makes_no_specks() -> None:
    # a layer whose inner side is visible, and which penetrates the cloth by less than the depth bias of inner sides
    positions, faces = quad()
    pictures = {}
    with open_renderer(50, 50, look=Look(shadows=0.0), base="flat") as renderer:
        for gap in (-0.1, 0.002, 0.1):
            layers = np.concatenate([positions, positions + np.float32([0, 0, gap])])
            both = np.concatenate([faces, faces[:, ::-1] + 4])
            pictures[gap] = renderer.render(CoarseFrame(layers, both), camera=FRONT)[25, 25].astype(int)
    assert np.abs(pictures[0.002] - pictures[-0.1]).max() <= 1
    assert pictures[0.1].mean() < 0.8 * pictures[-0.1].mean()


def test_render_degenerate_meshes() -> None:
    with open_renderer(40, 40, look=Look(background=MAGENTA)) as renderer:
        triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)

        def share(positions: Array, camera: Camera) -> float:
            return cloth_share(renderer.render(CoarseFrame(positions, [[0, 1, 2]]), camera=camera))

        assert share(triangle, Camera((0.3, 0.3, 0), 4, 0, 0)) > 0.05
        # a triangle without area covers almost no pixels, and a triangle behind the camera covers none
        assert share(triangle @ [[1, 0, 0], [2, 0, 0], [0, 0, 0]], Camera((1, 0, 0), 9, 0, 0)) < 0.05
        assert share(triangle + 50, Camera(distance=1)) == 0


def test_render_reject_frames(renderer: Renderer, busy: Frame) -> None:
    positions, faces = quad()
    camera = Camera()
    for arguments, message in (
        ({"uv": positions}, r"uv: expected shape \(4, 2\), got \(4, 3\)"),
        ({"uv": positions[:, :2], "uv_faces": faces[:1]}, r"uv_faces: expected shape \(2, 3\), got \(1, 3\)"),
        ({"uv": positions[:3, :2], "uv_faces": faces}, "uv_faces: expected numbers from 0 to 2, got 0 to 3"),
        ({"uv": positions[:, :2], "albedo": np.zeros((2, 2))}, r"albedo: expected uint8 array of shape \(H, W, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            renderer.render(CoarseFrame(*quad()), camera=camera, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="wrinkle 0 is not of this mesh"):
        renderer.render(Frame.of(positions, Topology(faces, 4), busy.wrinkles, r_min=0.1), camera=camera)
    for camera_given in (None, camera):
        with pytest.raises(ValueError, match=r"positions: .* finite"):
            renderer.render(CoarseFrame(positions * np.nan, faces), camera=camera_given)
    with open_renderer(8, 8) as fresh, pytest.raises(ValueError, match="draw: there is no frame yet"):
        fresh.draw(None, camera=camera)  # type: ignore[arg-type]


def test_render_reject_wrong_types(busy: Frame) -> None:
    for arguments, message in (
        ({"look": "dark"}, "look: expected a Look, got 'dark'"),
        ({"detail": "fine"}, r'detail: expected a number in \[0, 1\] or "distance", got \'fine\''),
        ({"up": 1}, 'up: expected one of "y", "z", got 1'),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            Renderer(**{"width": 8, "height": 8, **arguments})  # type: ignore[arg-type]
    with open_renderer(8, 8) as fresh:
        for arguments, message in (
            ({"frame": None}, "frame: expected a LayerFrame, got None; Wrinkler.step and ruckle.run make one"),
            ({"camera": "front"}, "camera: expected a Camera, got 'front'; ruckle.view.Camera.framing"),
            ({"albdo": [0, 1]}, "albdo: no such parameter; did you mean albedo?"),
        ):
            with pytest.raises(TypeError, match=f"^{message}"):
                fresh.render(**{"frame": CoarseFrame(*quad()), **arguments})  # type: ignore[arg-type]


def test_render_reject_a_closed_renderer() -> None:
    frame = CoarseFrame(*quad())
    renderer = open_renderer(8, 8)
    renderer.close()
    renderer.close()
    for call in (lambda: renderer.render(frame), lambda: renderer.update(frame), renderer.finish):
        with pytest.raises(ValueError, match=r"^the renderer is closed and cannot draw$"):
            call()


def test_render_property_a_garment_stands_whichever_axis_points_up(busy: Frame) -> None:
    pictures = []
    for up, axes in UPRIGHT.items():
        frame = Frame.of(busy.positions @ axes, busy.topology, busy.wrinkles, r_min=busy.length_unit)
        with open_renderer(*SIZE, samples=1, up=up) as renderer:
            pictures.append(renderer.render(frame).astype(int))
    upright, turned = pictures
    difference = np.abs(upright - turned).max(axis=2)
    # another light direction would change pixels by tens of levels; a few pixels at edges may be rounded differently
    assert (difference > TOLERANCE).mean() < FEW
    assert np.ptp(upright, axis=(0, 1)).min() > 50


def test_render_exact_camera_moves() -> None:
    camera = Camera((1, 2, 3), 4, azimuth=0, elevation=0)
    np.testing.assert_allclose(camera.eye, (1, 2, 7))
    np.testing.assert_allclose(camera.orbit(90, 0).eye, (5, 2, 3), atol=1e-12)
    assert (camera.orbit(0, 200).elevation, camera.orbit(350, 0).azimuth, camera.zoom(2).distance) == (89, -10, 2)
    size = 2 * 4 * np.tan(np.radians(13))
    np.testing.assert_allclose(camera.pan(0.5, 1).target, (1 + 0.5 * size, 2 + size, 3))
    assert camera.pixel_size(100) == pytest.approx(size / 100)


@pytest.mark.parametrize("mode", ["shaded", "wireframe", "height"])
def test_render_exact_pictures(mode: Any, tmp_path: Path) -> None:
    # the test compares with stored pictures; if RUCKLE_KEEP_PICTURES=1 is set, it replaces them
    frame = still_life()
    camera = Camera.framing(frame.positions, aspect=SIZE[0] / SIZE[1], azimuth=20, elevation=10)
    with open_renderer(*SIZE) as renderer:
        if not renderer._device.is_software:
            pytest.skip("pictures are compared on the software driver only: others round differently")
        picture = renderer.render(frame, camera=camera, mode=mode)
    kept = PICTURES / f"still_life_{mode}.png"
    if os.environ.get("RUCKLE_KEEP_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        imsave(kept, picture)
    expected = np.round(255 * imread(kept)[:, :, :3]).astype(int)
    difference = np.abs(picture - expected).max(axis=2)
    if (difference > TOLERANCE).mean() > FEW:
        imsave(tmp_path / "picture.png", picture)
        imsave(tmp_path / "difference.png", difference, cmap="magma")
        pytest.fail(f"{kept.name} differs in {(difference > TOLERANCE).mean():.1%} of its pixels: see {tmp_path}")


def test_render_property_samples_of_graphics_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = still_life()
    camera = Camera.framing(frame.positions, aspect=SIZE[0] / SIZE[1])
    pictures = []
    for software in (True, False):
        # On a graphics card, the renderer uses another method for several samples per pixel, and draws all triangles
        # with one call.
        monkeypatch.setattr(context.Device, "is_software", software)
        with open_renderer(*SIZE, detail=0.3) as renderer:
            pictures.append(renderer.render(frame, camera=camera).astype(int))
            assert renderer._device.context.error == "GL_NO_ERROR"
    difference = np.abs(pictures[0] - pictures[1]).max(axis=2)
    assert (difference > 12).mean() < 0.01
    with open_renderer(*SIZE, samples=1, detail=0.3) as renderer:
        jagged = renderer.render(frame, camera=camera)
    # at the edges, the picture with one sample per pixel differs strongly from the smooth pictures
    assert (np.abs(jagged - pictures[1]).max(axis=2) > 40).sum() > 50


def test_render_property_joins_a_current_context(busy: Frame, near: Camera) -> None:
    with open_renderer(*SIZE) as own:
        expected = own.render(busy, camera=near)
    window = moderngl.create_context(
        standalone=True, backend="egl", require=410, libgl="libEGL.so.1", libegl="libEGL.so.1"
    )
    with window:
        joined = Renderer(*SIZE)
        assert joined._device.joined
        np.testing.assert_array_equal(joined.render(busy, camera=near), expected)
        joined.close()
        # the context of the other window still exists and is current again
        assert window.buffer(b"abcd").read() == b"abcd"
        assert window.error == "GL_NO_ERROR"
    window.release()
