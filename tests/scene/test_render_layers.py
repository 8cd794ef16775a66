"""Pictures and films of layers that no shader evaluates: from the fine mesh that the CPU makes."""

from typing import Any

import numpy as np
import pytest

from layers import BentLayer, Given, Waves, WavesLayer, arch, sheet
from rendering import open_renderer, sawing
from ruckle import Stack
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.modes import MODES, ModeName

FLAT, TOPOLOGY = sheet()


class Silent(Waves):
    """Heights of nothing, which the shaders do not know."""

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
