"""Interactive view of a notebook: sends a scene to the browser, and fine meshes on request."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from ruckle.surface.frame import LayerFrame
from ruckle.surface.surface import displace

__all__ = ["PROGRAM", "View"]

PROGRAM = Path(__file__).with_name("widget.js")
"""JavaScript program of the view; `make web` builds it from examples/web/notebook."""


class View(anywidget.AnyWidget):
    """A view that plays in the browser; a saved notebook shows a still picture instead.

    Parameters
    ----------
    scene : mapping
        Scene from `ruckle.view.notebook.show`.
    still : bytes, optional
        Picture of the first visible frame as PNG.
    frames : sequence of LayerFrame
        Frames whose fine meshes are sent on request, if the scene does not contain options of layers.

    Attributes
    ----------
    frame : int
        Number of the visible frame; can be set.
    playing : bool
        True while the view plays.
    """

    scene = traitlets.Dict().tag(sync=True)
    frame = traitlets.Int().tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)

    def __init__(self, scene: Mapping[str, Any], still: bytes | None, frames: Sequence[LayerFrame]) -> None:
        self._esm = PROGRAM.read_text(encoding="utf-8")
        super().__init__(scene=dict(scene), frame=scene["frame"])
        self._still = still
        self._frames = frames
        self.on_msg(self._send_mesh)

    def __repr__(self) -> str:
        return f"View({len(self._frames)} frames)"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
        content, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        picture = {} if self._still is None else {"image/png": b64encode(self._still).decode()}
        return {**content, **picture}, metadata

    def _send_mesh(self, _: object, request: Mapping[str, int], buffers: object) -> None:
        """Answer a request with the fine mesh of a frame: positions, normals and faces."""
        mesh = displace(self._frames[request["frame"]])
        normals = np.round(127 * mesh.normals).astype(np.int8)
        self.send(dict(request), [mesh.positions.tobytes(), normals.tobytes(), mesh.faces.astype(np.uint32).tobytes()])
