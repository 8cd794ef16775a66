"""Wrinkled cloth in a notebook: a 3D view that plays in the browser.

>>> ruckle.view.notebook.show(ruckle.sample("sawing"), tau=1.3)

The browser receives the motion only once, then computes and draws the wrinkles itself. So a remote notebook is as
smooth as a local one. A saved notebook contains a picture for readers without a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ruckle.arguments import number, pair
from ruckle.errors import GraphicsError
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import weld
from ruckle.paths.wrinkler import Wrinkler
from ruckle.scene.body import Dressing
from ruckle.scene.camera import Camera
from ruckle.scene.framing import busiest_frame, camera_path
from ruckle.scene.look import Look
from ruckle.scene.looks import plain_look
from ruckle.stack import Layer, Stack, step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.view.exhibit import Comparison
from ruckle.view.outfit import Outfit
from ruckle.view.packing import COARSE_STEPS, FINE_STEPS, deflated, moving, tinted_faces
from ruckle.waves.wave_field import WaveField

if TYPE_CHECKING:
    from ruckle.scene.renderer import Extras

__all__ = ["show"]


def show(
    animation: Animation,
    frames: Sequence[LayerFrame] | None = None,
    *,
    frame: int | None = None,
    size: tuple[int, int] = (720, 540),
    comparison: Comparison = "after",
    body: Animation | None = None,
    paths: bool = True,
    waves: bool | Mapping[str, Any] = False,
    **parameters: Any,
) -> Any:
    """Show the wrinkled cloth of an animation in a notebook.

    Parameters
    ----------
    animation : Animation
    frames : sequence of LayerFrame, optional
        Frames from `ruckle.run` or any layer. The browser then requests the fine mesh of each frame. By default, the
        browser computes the wrinkles itself, which is smoother. Python then also computes all frames once, for `frame`
        and for the still picture.
    frame : int, optional
        Frame that is visible first; default: the frame with the most wrinkles.
    size : (int, int), pixels
        Width and height.
    comparison : {"after", "before", "both"}
        Visible cloth: wrinkled, coarse, or both: coarse to the left and wrinkled to the right of a line.
    body : Animation, optional
        Body under the cloth, such as `ruckle.sample_body`, with the same frames.
    paths : bool
        True shows wrinkle paths. `paths` and `waves` have no effect together with `frames`.
    waves : bool or mapping
        True shows wrinkle waves; a mapping contains parameters of waves.
    **parameters
        Parameters of `Wrinkler.for_animation`; only allowed without `frames`.

    Returns
    -------
    anywidget.AnyWidget or IPython.display.Image
        The result is a still picture if anywidget is not installed, or the package was built without `make web`.

    Raises
    ------
    GraphicsError
        Neither the widget nor OpenGL is available; the message names the package to install.
    ValueError
        The number of `frames` is not that of the animation, `frames` are combined with parameters, or `frame` does not
        exist.
    """
    if frames is not None and parameters:
        raise ValueError(f"frames: are computed already; expected no {', '.join(parameters)} together with frames")
    count = require_animation(animation).frame_count
    width, height = pair("size", size)
    if frame is not None and not -count <= number("frame", frame, "a frame") < count:
        raise ValueError(f"frame: expected a frame from 0 to {count - 1}, got {frame}")
    if frames is not None and len(frames) != count:
        raise ValueError(f"frames: expected {count}, one for each of the animation, got {len(frames)}")
    if frames is None:
        of_waves = {} if isinstance(waves, bool) else {f"wave_{name}": value for name, value in waves.items()}
        layers = Outfit(animation, paths=paths, waves=waves is not False)({**parameters, **of_waves})
        options = _options(animation, layers)
        layer = Stack(layers) if len(layers) > 1 else layers[0]
        frames = [step_frame(layer, animation, index) for index in range(count)]
    else:
        options = None
    first = busiest_frame(frames) if frame is None else frame % count
    cameras = camera_path(animation, range(count), aspect=width / height, view="three-quarter", body=body)
    widget, look = _widget_class(), plain_look(animation.height)
    extras = Dressing(animation, body).extras(first, look)
    try:
        still = _still(frames[first], cameras[first], size, comparison, look, extras)
    except GraphicsError:
        if widget is None:
            raise
        still = None
    if widget is None:
        from IPython.display import Image

        picture: Any = Image
        return picture(still)
    camera = {
        "eye": cameras[first].eye.tolist(),
        "opening": cameras[first].field_of_view,
        "targets": deflated(np.array([camera.target for camera in cameras], np.float32)),
    }
    scene = {
        "size": [width, height],
        "frame": first,
        "fps": animation.fps,
        "frameCount": count,
        "height": animation.height,
        "up": animation.up,
        "comparison": comparison,
        "camera": camera,
        "cloth": _packed(animation, weld(animation.positions[0], animation.faces), FINE_STEPS),
        "body": None if body is None else _packed(body, body.faces, COARSE_STEPS),
        "options": options,
    }
    return widget(scene, still, frames)


def _packed(animation: Animation, faces: NDArray[np.integer], last_step: int) -> dict[str, Any]:
    return {**tinted_faces(faces, animation.colors), "positions": moving(animation.positions, last_step)}


def _options(animation: Animation, layers: Sequence[Layer]) -> dict[str, Any]:
    """Return the options of the layers in mesh units, the mask and the rest pose, for the browser.

    Only options that are numbers or switches are included. The rest pose is the bind pose, or else the first frame.
    """
    found: dict[str, Any] = {"paths": False, "waves": False}
    for layer in layers:
        assert isinstance(layer, Wrinkler | WaveField)
        name = "paths" if isinstance(layer, Wrinkler) else "waves"
        values = {parameter.name: getattr(layer, parameter.name) for parameter in layer.parameters}
        found[name] = {option: value for option, value in values.items() if isinstance(value, bool | int | float)}
    rest = animation.positions[0] if animation.rest_positions is None else animation.rest_positions
    mask = animation.mask
    return {**found, "rest": deflated(rest), "mask": None if mask is None else deflated(np.asarray(mask, np.float32))}


def _still(
    frame: LayerFrame, camera: Camera, size: tuple[int, int], comparison: Comparison, look: Look, extras: Extras
) -> bytes:
    """Return the bytes of a PNG picture of a frame, for readers without a kernel.

    If both are compared, the left half shows the coarse cloth, the right half the wrinkled cloth.
    """
    from PIL import Image

    from ruckle.scene.renderer import Renderer

    with Renderer(*size, look=look) as renderer:
        pictures = [
            draw(frame, camera=camera, **extras)
            for draw, without in ((renderer.render_coarse, "after"), (renderer.render, "before"))
            if comparison != without
        ]
    edge = size[0] // 2
    file = BytesIO()
    Image.fromarray(np.concatenate([pictures[0][:, :edge], pictures[-1][:, edge:]], axis=1)).save(
        file, "PNG", optimize=True
    )
    return file.getvalue()


def _widget_class() -> type | None:
    """Return the class of interactive views; None if anywidget or the JavaScript program is missing."""
    try:
        from ruckle.view.widget import PROGRAM, View
    except ModuleNotFoundError as missing:
        if missing.name not in ("anywidget", "ipywidgets", "traitlets"):
            raise
        return None
    return View if PROGRAM.exists() else None
