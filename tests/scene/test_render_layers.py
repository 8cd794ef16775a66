"""Pictures and films of layers without a shader. The CPU computes their fine mesh."""

from typing import Any

import numpy as np
import pytest

from layers import BentLayer, Given, Waves, WavesLayer, arch, sheet
from rendering import open_renderer, sawing
from ruckle import CoarseFrame, LayerFrame, Stack, Topology, weld
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.modes import MODES, ModeName

FLAT, TOPOLOGY = sheet()


class Silent(Waves):
    """A layer without a shader whose heights are 0 everywhere."""

    def heights(self, faces: Any, barycentric: Any) -> tuple[Any, Any]:
        return np.zeros(len(faces)), np.zeros((len(faces), 3))


@pytest.mark.parametrize("mode", ["shaded", "normals_only", "height", "labels"])
def test_render_property_both_ways_show_the_same_wrinkles(mode: ModeName) -> None:
    busy = sawing()
    silent = Silent(busy.positions, busy.topology, length_unit=busy.length_unit)
    stacked = Stack([Given(busy), Given(silent)]).step(busy.positions)
    with open_renderer(480, 360, samples=1, detail=1.0) as renderer:
        expected = renderer.render(busy, mode=mode).astype(int)
        flat = renderer.render(busy.coarse, mode=mode).astype(int)
        found = renderer.render(stacked, mode=mode).astype(int)
        assert isinstance(renderer._cloth, FineCloth)
        kept = renderer.allocations
        renderer.render(stacked, mode=mode)
        assert renderer.allocations == kept
    error, contrast = np.abs(found - expected).mean(), np.abs(flat - expected).mean()
    assert error < 0.25 * contrast if mode != "labels" else error < 1.0


@pytest.mark.parametrize("mode", list(MODES))
def test_render_property_layers_show_in_every_mode(mode: ModeName) -> None:
    stack = Stack([BentLayer(TOPOLOGY, arch), WavesLayer(TOPOLOGY)])
    with open_renderer(240, 180, samples=1, detail=1.0) as renderer:
        first, second = (renderer.render(stack.step(FLAT, 0.5), mode=mode) for _ in range(2))
    assert first.std() > 5
    assert (first != second).any()


# A square of two halves. Their seam has two vertices at each end. In frame 0, the left half uses the first of them, in
# frame 1 the second.
SEAM = np.array([[-1, -1, 0], [-1, 1, 0], [0, -1, 0], [0, 1, 0], [0, -1, 0], [0, 1, 0], [1, -1, 0], [1, 1, 0]], "f4")
HALVES = np.array([[[0, 2, 3], [0, 3, 1], [4, 6, 7], [4, 7, 5]], [[0, 4, 5], [0, 5, 1], [2, 6, 7], [2, 7, 3]]], "i4")
SEAM_UV = np.array([[0, 0], [0, 1], [0.5, 0], [0.5, 1], [0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize("kind", [CoarseFrame, Silent])
def test_render_exact_texture_goes_with_the_faces(kind: type[LayerFrame]) -> None:
    topology = Topology(weld(SEAM, HALVES[0]), len(SEAM))
    first, second = (kind(SEAM, topology, faces=faces) for faces in HALVES)
    ramp = np.tile(np.arange(0, 256, 4, dtype=np.uint8)[None, :, None], (8, 1, 3))
    with open_renderer(48, 48, base="flat") as renderer, open_renderer(48, 48, base="flat") as fresh:
        before = renderer.render(first, uv=SEAM_UV, albedo=ramp)
        after = renderer.render(second, uv=SEAM_UV, albedo=ramp)
        np.testing.assert_array_equal(after, fresh.render(second, uv=SEAM_UV, albedo=ramp))
    assert not np.array_equal(before, after)
