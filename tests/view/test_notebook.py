"""The view in a notebook: the data for the browser, and a still picture if widgets are not available."""

import sys
import zlib
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from drawing import need_opengl
from ruckle import run, sample, sample_body
from ruckle.mesh.colors import FaceColors
from ruckle.view import packing

pytest.importorskip("IPython", reason="views need the extra notebook")
image = pytest.importorskip("PIL.Image")

SIZE = (120, 90)


@pytest.fixture
def view_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return the module of live views. Its JavaScript is a short program, so that `make web` is not necessary."""
    pytest.importorskip("anywidget", reason="live views need the extra notebook")
    from ruckle.view import widget

    program = tmp_path / "widget.js"
    program.write_text("export default { render() {} };\n")
    monkeypatch.setattr(widget, "PROGRAM", program)
    return widget


def unpacked(stored: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return positions (F, V, 3) from data that `moving` has packed, by the same operations as in the browser."""
    steps = np.frombuffer(zlib.decompress(stored["steps"]), np.uint16).reshape(-1, stored["count"])
    for _ in range(2):
        steps = np.cumsum(steps, axis=0, dtype=np.uint16)
    return (stored["low"] + stored["step"] * steps.astype(np.float32)).reshape(len(steps), -1, 3)


def test_show_exact_scene_holds_motion_and_options(view_module: Any) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    animation, body = sample("walking"), sample_body("walking")
    view = show(animation, frame=-1, size=SIZE, body=body, tau=1.3, waves={"gain": 2.0})
    scene = view.scene
    assert (view.frame, view.playing, scene["frameCount"]) == (animation.frame_count - 1, False, animation.frame_count)
    np.testing.assert_allclose(unpacked(scene["cloth"]["positions"]), animation.positions, atol=1e-4)
    np.testing.assert_allclose(unpacked(scene["body"]["positions"]), body.positions, atol=5e-4)
    assert scene["options"]["paths"]["tau"] == pytest.approx(1.3)
    assert scene["options"]["waves"]["gain"] == pytest.approx(2.0)
    # lengths are in mesh units, and the rest shape is the reference for compression
    assert scene["options"]["paths"]["r_min"] == pytest.approx(0.005 * animation.height)
    rest = np.frombuffer(zlib.decompress(scene["options"]["rest"]), np.float32)
    np.testing.assert_array_equal(rest, np.ravel(animation.rest_positions))
    # colours of skin, boots and soles; the trousers belong to the garment
    assert len(scene["body"]["tints"]) == 3


def test_show_exact_saved_notebook_keeps_the_first_picture(view_module: Any) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    pictures = []
    for comparison in ("after", "before", "both"):
        bundle = show(sample("sawing"), frame=83, size=SIZE, comparison=comparison)._repr_mimebundle_()[0]
        assert "application/vnd.jupyter.widget-view+json" in bundle
        pictures.append(np.asarray(image.open(BytesIO(b64decode(bundle["image/png"])))))
    after, before, both = pictures
    assert after.shape == (90, 120, 3)
    np.testing.assert_array_equal(both, np.concatenate([before[:, :60], after[:, 60:]], axis=1))
    assert (after != before).any()


def test_show_exact_frames_are_sent_on_request(view_module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    animation = sample("sawing")
    frames = list(run(animation, tau=1.3))
    view, sent = show(animation, frames, frame=83, size=SIZE), []
    assert view.scene["options"] is None
    monkeypatch.setattr(view_module.View, "send", lambda _, content, buffers: sent.append((content, buffers)))
    view._send_mesh(view, {"frame": 84}, [])
    [(content, (positions, normals, faces))] = sent
    fine = ruckle.displace(frames[84])
    assert content == {"frame": 84}
    np.testing.assert_array_equal(np.frombuffer(positions, np.float32).reshape(-1, 3), fine.positions)
    np.testing.assert_array_equal(np.frombuffer(faces, np.uint32).reshape(-1, 3), fine.faces)
    np.testing.assert_allclose(np.frombuffer(normals, np.int8).reshape(-1, 3) / 127, fine.normals, atol=0.005)


def test_show_property_needs_no_opengl(view_module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ruckle.view.notebook import show

    def refuse(*_: Any, **__: Any) -> None:
        raise ruckle.GraphicsError("no OpenGL")

    monkeypatch.setattr("ruckle.view.notebook._still", refuse)
    bundle = show(sample("jumping_jack"), frame=0, size=SIZE)._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "image/png" not in bundle
    monkeypatch.setattr(view_module, "PROGRAM", Path("missing.js"))
    with pytest.raises(ruckle.GraphicsError, match="no OpenGL"):
        show(sample("jumping_jack"), frame=0, size=SIZE)


@pytest.mark.parametrize("missing", ["anywidget", "traitlets"])
def test_show_exact_still_picture_without_widgets(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    need_opengl()
    from ruckle.view.notebook import show

    monkeypatch.delitem(sys.modules, "ruckle.view.widget", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    animation = sample("sawing")
    frames = list(run(animation))
    pictures = [
        np.asarray(image.open(BytesIO(show(animation, frames, size=SIZE, body=body).data)), int)
        for body in (None, sample_body("sawing"))
    ]
    assert pictures[0].shape == (SIZE[1], SIZE[0], 3)
    # skin is reddish, cloth is blue
    bare, worn = ((picture @ [1, 0, -1] > 16).any() for picture in pictures)
    assert worn
    assert not bare


def test_tinted_faces_exact_order_and_limit() -> None:
    faces = np.arange(12, dtype=np.int32).reshape(4, 3)
    colors = FaceColors.plain(4)
    corners = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]], np.float32).repeat(3, axis=0).reshape(4, 3, 3)
    packed = packing.tinted_faces(faces, FaceColors(corners, colors.uv, colors.face_images))
    order = np.frombuffer(zlib.decompress(packed["faces"]), np.int32).reshape(4, 3)
    np.testing.assert_array_equal(order, faces[[1, 3, 0, 2]])
    assert packed["tints"] == [{"start": 0, "color": [0, 0, 1]}, {"start": 6, "color": [1, 0, 0]}]
    many = np.linspace(0, 1, 20, dtype=np.float32)[:, None, None] * np.ones((20, 3, 3), np.float32)
    plain = FaceColors.plain(20)
    mean = packing.tinted_faces(np.zeros((20, 3), np.int32), FaceColors(many, plain.uv, plain.face_images))
    assert mean["tints"] == [{"start": 0, "color": pytest.approx([0.5, 0.5, 0.5], abs=1e-6)}]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"frame": 225}, "frame: expected a frame from 0 to 224, got 225"),
        ({"frames": [], "tau": 1.3}, "frames: are computed already; expected no tau together"),
        ({"frames": []}, "frames: expected 225, one for each of the animation, got 0"),
    ],
)
def test_show_reject(options: dict[str, Any], sentence: str) -> None:
    from ruckle.view.notebook import show

    with pytest.raises(ValueError, match=sentence):
        show(sample("sawing"), **options)
