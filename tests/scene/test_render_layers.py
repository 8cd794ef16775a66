"""Pictures and films of layers that no shader evaluates: from the fine mesh that the CPU makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from layers import BentLayer, Waves, WavesLayer, arch, sheet
from rendering import open_renderer, sawing
from ruckle import Stack
from ruckle.film import film_writer
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.modes import MODES, ModeName

FLAT, TOPOLOGY = sheet()


class Silent(Waves):
    def heights(self, faces: Any, barycentric: Any) -> tuple[Any, Any]:
        return np.zeros(len(faces)), np.zeros((len(faces), 3))


class SilentLayer:
    """Heights of nothing, which the shaders do not know."""

    def __init__(self, like: Any) -> None:
        self.like = like

    def step(self, positions: Any, dt: float = 1 / 30) -> Any:
        return Silent(positions, self.like.topology, length_unit=self.like.length_unit)

    def reset(self) -> None:
        pass


class Given:
    """A layer whose frame is known."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def step(self, positions: Any, dt: float = 1 / 30) -> Any:
        return self.frame

    def reset(self) -> None:
        pass


@pytest.mark.parametrize("mode", ["shaded", "normals_only", "height", "labels"])
def test_render_property_both_ways_show_the_same_wrinkles(mode: ModeName) -> None:
    busy = sawing()
    stacked = Stack([Given(busy), SilentLayer(busy)]).step(busy.positions)
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
    layers = [BentLayer(TOPOLOGY, arch), WavesLayer(TOPOLOGY)]
    with open_renderer(240, 180, samples=1, detail=1.0) as renderer:
        picture = renderer.render(Stack(layers).step(FLAT), mode=mode)
        assert picture.std() > 5


def test_render_exact_films_of_a_stack(tmp_path: Path) -> None:
    stack = Stack([WavesLayer(TOPOLOGY)])
    with (
        open_renderer(64, 48, samples=1, detail=1.0) as renderer,
        film_writer(tmp_path / "waves_*.png", size=(64, 48), fps=30.0) as film,
    ):
        pictures = [renderer.render(stack.step(FLAT, 0.5), mode="height") for _ in range(3)]
        for picture in pictures:
            film.append(picture)
        film.finish()
    assert len(list(tmp_path.glob("*.png"))) == 3
    assert (pictures[0] != pictures[1]).any()
